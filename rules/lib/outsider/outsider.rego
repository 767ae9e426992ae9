# METADATA
# description: |
#   Pods that run no server and change one: what their containers run says ALTER SYSTEM to PostgreSQL, or writes the server's files on a claim that they mount. A client that
#   dumps, migrates or measures is none.
package walguard.lib.outsider

import data.walguard.lib.environment
import data.walguard.lib.files
import data.walguard.lib.get
import data.walguard.lib.hba
import data.walguard.lib.image
import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.lib.mount
import data.walguard.lib.script
import data.walguard.lib.sql
import data.walguard.lib.text as texts

# METADATA
# description: |
#   The containers of an object that change a server, [{"path", "name", "said": all that is known of it, as one text, "claims": that it writes to, "settings": by SQL, [{"name", "value", "path"}], "unread"?: how, in words,
#   "dangerous"?: true}].
found(o, at) := [object.union_n([
	{"path": path, "name": container_name(container, i), "said": said, "claims": claims, "settings": settings},
	{"unread": ways[0] | count(ways) > 0},
	{"dangerous": true | perilous(said)},
]) |
	some list in ["initContainers", "containers", "ephemeralContainers"]
	some i, container in get.list(o, array.concat(at, [list]))
	is_object(container)
	volumes := get.list(o, array.concat(at, ["volumes"]))
	busy(container, volumes)
	said := all_of(container, volumes)
	worth_reading(said, container, volumes)
	path := array.concat(at, [list, i])
	claims := claims_of(container, volumes)
	plain := joined(said)
	settings := [setting |
		speaks(said, container)
		some setting in sql.settings(plain, {"path": path})
	]
	ways := array.concat(ways_of(said, plain, container, claims, settings), hidden_ways(container, volumes))
	count(settings) + count(ways) > 0
]

perilous(said) if script.dangerous(said)

# Behind an escape of an address a name has no beginning.
perilous(said) if {
	not script.dangerous(said)
	count(script.losses(said)) > 0
}

# METADATA
# description: How much is to be said of one of them. Who tidies up a configuration means well; who hides what he runs may not, where nothing will be said later.
severity(one, _) := "warning" if one.dangerous

severity(one, _) := "warning" if one.unread == "starts a server without fsync"

severity(one, hidden_) := hidden_ if {
	not one.dangerous
	one.unread in veiled
}

severity(one, _) := "info" if {
	not one.dangerous
	object.get(one, "unread", "") != "starts a server without fsync"
	not object.get(one, "unread", "") in veiled
	not regex.match(out_of_sight, object.get(one, "unread", ""))
}

severity(one, hidden_) := hidden_ if {
	not one.dangerous
	regex.match(out_of_sight, one.unread)
}

out_of_sight := `^(takes its queries|runs what lies in|runs a variable of|runs variable) `

veiled := {"changes the configuration that Patroni keeps", "hides the SQL that it runs", "writes the server's configuration in another pod"}

worth_reading(said, _, _) if suspicious(said)

worth_reading(said, _, _) if {
	not suspicious(said)
	suspicious(joined(said))
}

worth_reading(said, _, _) if {
	not suspicious(said)
	sql.obscured(said)
}

worth_reading(_, container, volumes) if count(hidden_ways(container, volumes)) > 0

hidden_ways(container, volumes) := array.concat(array.concat(unseen(container, volumes), never_seen(container, volumes)), array.concat(unasked(container, volumes), unheard(container)))

# What no object says, and no host can find: annotations of a pod that somebody else makes, files that another container writes.
never_seen(container, volumes) := [way |
	text := script.of(container)
	some way in array.concat(
		[sprintf("runs what lies in the downward API at %s", [directory]) |
			of_a_client(text, container)
			some one in get.list(container, "volumeMounts")
			directory := mount.clean(get.string(one, "mountPath"))
			takes_from(text, container, directory)
			some volume in volumes
			get.string(volume, "name") == get.string(one, "name")
			some source in array.concat([volume], get.list(volume, ["projected", "sources"]))
			get.present(source, "downwardAPI")
		],
		[sprintf("runs variable %s, whose value was not found", [name]) |
			not inventory.complete
			of_a_client(text, container)
			some variable in get.list(container, "env")
			name := get.string(variable, "name")
			some field in ["fieldRef", "fileKeyRef"]
			get.present(variable, ["valueFrom", field])
			not environment.keyed(variable)
			says_all(text, name)
		],
	)
]

# SQL that psql is given by what was not found, where whatever exists is in sight: it may come later, with anything in it.
unseen(container, volumes) := [way |
	inventory.complete
	text := script.of(container)
	of_a_client(text, container)
	way := array.concat(
		[sprintf("runs what lies in %s %s, which was not found", [source.kind, source.name]) |
			some one in get.list(container, "volumeMounts")
			directory := mount.clean(get.string(one, "mountPath"))
			takes_from(text, container, directory)
			some volume in volumes
			get.string(volume, "name") == get.string(one, "name")
			some source in files.sources(volume)
			not files.holder(source)
		],
		[sprintf("runs variable %s, whose value was not found", [name]) |
			some variable in get.list(container, "env")
			name := get.string(variable, "name")
			get.present(variable, "valueFrom")
			not environment.keyed(variable)
			says_all(text, name)
		],
	)[_]
]

# It runs what lies there, or hands it to psql; passwords and certificates lie in such places too.
takes_from(text, _, directory) if script.runs(text, directory)

takes_from(text, _, directory) if {
	not script.runs(text, directory)
	regex.match(`\bpsql\b`, text)
	regex.match(sprintf(`(?:\bpsql\b[\s\S]*|[\s"'=]|\A)%s(?:/[^\s"';&|]*\.sql\b|/[^\s"';&|]*[*])|\b(?:find|ls|cd)\s+(?:-\S+\s+)*["']?%s(?:/|\b)`, [texts.literal(directory), texts.literal(directory)]), script.filled(text, {}))
}

takes_from(text, container, directory) if {
	not script.runs(text, directory)
	mount.within(mount.clean(get.string(container, "workingDir")), directory)
	regex.match(`\bpsql\b[^;&|\n]*(?:-f|--file=|<)\s*["']?[A-Za-z0-9_.-]`, text)
}

# All that psql gets is in the variable: in a statement it may be a password.
says_all(text, name) if script.obeys(text, name)

says_all(text, name) if {
	not script.obeys(text, name)
	regex.match(sprintf(`\b(?:echo|printf)\s+(?:-\S+\s+|["']?%%[sb](?:\\n)?["']?\s+)*["']?[$][{(]?%s[)}]?["']?\s*\|\s*psql\b|\bpsql\b[^;&|\n]*<<<\s*["']?[$][{(]?%s[)}]?["']?(?:\s|$)`, [name, name]), text)
}

# psql itself, or a script that is all that a container with PostgreSQL's own programs runs.
of_a_client(text, _) if regex.match(`\bpsql\b`, text)

of_a_client(text, container) if {
	not regex.match(`\bpsql\b`, text)
	regex.match(`^(postgres|postgresql|postgis|pgvector|psql|postgres-client|postgresql-client|psql-client)$`, image.name(get.string(container, "image")))
}

# Variables of an object that may come later.
unheard(container) := [sprintf("runs a variable of %s %s, which was not found", [kind, name]) |
	inventory.complete
	text := script.of(container)
	some source in get.list(container, "envFrom")
	some [field, kind] in [["configMapRef", "ConfigMap"], ["secretRef", "Secret"]]
	name := get.string(source, [field, "name"])
	not inventory.namespaced_object(k8s.namespace, "v1", kind, name)
	some found in regex.find_all_string_submatch_n(`\bpsql\b[^;&|\n]*\s-[a-z]*c\s*["']?[$][{(]?([A-Za-z_]\w*)|\b(?:echo|printf)\s+(?:-\S+\s+|["']?%[sb](?:\\n)?["']?\s+)*["']?[$][{(]?([A-Za-z_]\w*)[)}]?["']?\s*\|\s*psql\b`, text, -1)
	variable := concat("", [found[1], found[2]])
	not variable in {get.string(one, "name") | some one in get.list(container, "env")}
	not contains(text, sprintf("%s=", [variable]))
]

# An exporter asks whatever its file says, as whoever it logs in.
unasked(container, volumes) := [sprintf("takes its queries from %s %s, which was not found", [source.kind, source.name]) |
	inventory.complete
	path := script.queries_of(container)
	some one in get.list(container, "volumeMounts")
	mount.within(mount.clean(path), mount.clean(get.string(one, "mountPath")))
	some volume in volumes
	get.string(volume, "name") == get.string(one, "name")
	some source in files.sources(volume)
	not files.holder(source)
]

# One that says nothing of what it runs, and mounts nothing, runs what its image does.
busy(container, _) if {
	some field in ["command", "args", "lifecycle"]
	get.present(container, field)
}

busy(container, volumes) if {
	count(volumes) > 0
	get.present(container, "volumeMounts")
}

# The cheap test: most containers say nothing of the kind.
suspicious(said) if regex.match(`(?i)(^|\s):\S+\s+set\s|alter[^a-z;][^;]*sys|alter\s+(role|user)\s+all\b|alter\s+database\b[^;]*\b(synchronous_commit|session_replication_role)\b|zero_damaged_pages|ignore_checksum_failure|postgresql\S*con|\.auto\.|base64|base32|xxd|uudecode|\|\s*rev\b|\\gexec|/config\b|edit-config|stolonctl|postgresql_set|fromhex|unhexlify|pg_checksums|pg_resetwal|-config\b|\bpg_wal\b|\bln\s|\b(custom|override)\.conf\b|patroni\.dynamic|\bpg_ctl\s|postgres\s+-|\bfsync\b|full_page_writes|\bprogram\b|pg_settings|set_config|u&\\?"|zero\S{1,4}damaged|options=\S*%|\|\s*psql\b|\b(curl|wget)\s`, said)

container_name(container, _) := get.string(container, "name")

container_name(container, i) := sprintf("%d", [i]) if not get.string(container, "name")

# Not every ALTER SYSTEM is PostgreSQL's.
speaks(said, container) if {
	regex.match(`(?i)psql|postgres|psycopg|asyncpg|pg8000|pgx|\bPG(HOST|USER|PASSWORD|DATABASE|SERVICE)|:5432\b`, concat(" ", [said, get.string(container, "image")]))
	not regex.match(`(?i)\b(sqlplus|jdbc:oracle|oracledb|cx_oracle)\b`, said)
}

# Names that PostgreSQL alone has, whoever says them.
speaks(said, _) if regex.match(`(?i)\balter\s+system\s+set\s+\\?"?(fsync|full_page_writes|synchronous_commit|zero_damaged_pages|ignore_checksum_failure|ignore_invalid_pages|data_sync_retry|wal_level|wal_sync_method|archive_(mode|command|library)|max_wal_size|shared_preload_libraries|autovacuum|shared_buffers|work_mem)\b`, said)

ways_of(said, plain, container, claims, settings) := [way |
	some list in [
		["says ALTER SYSTEM" |
			count(settings) == 0
			speaks(said, container)
			says_system(plain)
		],
		["hides the SQL that it runs" |
			speaks(said, container)
			regex.match(hidden, get.lower_case(said))
		],
		["runs SQL that it downloads" | regex.match(downloaded, said)],
		elsewhere(get.lower_case(said)),
		["starts a server without fsync" |
			count(claims) > 0
			regex.match(script.unsynced, said)
		],
		["sets zero_damaged_pages or ignore_checksum_failure for a session, which writes what it could not read" |
			speaks(said, container)
			sql.masks(said)
		],
		[forced |
			speaks(said, container)
			some forced in sql.forced(regex.replace(said, `\\+copy\b[^\n"]*`, " "))
		],
		["writes the server's configuration on a volume" |
			count(claims) > 0
			writes(said, container)
		],
		[sprintf("says %s", [sort(lost)[0]]) |
			count(settings) == 0
			reaches_server(plain, claims)
			lost := script.losses(unmeasured(plain, container))
			count(lost) > 0
		],
		["hides the SQL that it runs" |
			speaks(said, container)
			sql.obscured(said)
		],
		["hides the SQL that it runs" |
			speaks(said, container)
			some found in regex.find_all_string_submatch_n(in_pieces, said, -1)
			get.lower_case(found[1]) != "system"
		],
	]
	some way in list
]

# fio, which measures disks, has an option of that name.
unmeasured(plain, container) := regex.replace(plain, `\bfio\s+--(?:\\\n|[^\n;&|$()])*`, "") if not speaks(plain, container)

unmeasured(plain, container) := plain if speaks(plain, container)

elsewhere(small) := array.concat(
	["writes the server's configuration in another pod" | by_remote(small)],
	array.concat(
		["changes the configuration that Patroni keeps" | by_patroni(small)],
		["says ALTER SYSTEM by Ansible" | regex.match(`\bpostgresql_set\b`, small)],
	),
)

# Over SQL or in its files, by hand or by way of what keeps its configuration; what goes into a file of the container's own is no server's.
reaches_server(_, claims) if count(claims) > 0

reaches_server(said, _) if {
	speaks(strings.replace_n({".conf": ""}, said), {"image": "-"})
	count(script.losses(regex.replace(said, own_files, " "))) > 0
}

reaches_server(said, _) if regex.match(`\brequire\(["']pg["']\)|\bpg_(query|connect|dump|dumpall|restore)\b|\bdbi:Pg\b|\bPG\.connect\b|\b(pgbench|vacuumdb|reindexdb)\b`, said)

reaches_server(said, _) if regex.match(`(?i)\b(kubectl|oc)\s[^|;&\n]*\b(exec|rsh|cp|debug)\b|/config\b`, said)

own_files := concat("|", [
	`(echo|printf)\s[^\n;&|]*>>?\s*\S*\.conf\S*`,
	`(?s)\bcat\s[^\n;&|]*\.conf\b[^\n;&|]*<<.*?\n[A-Za-z_]+(\n|$)|\bcat\s*<<[^\n;&|]*\.conf\b.*?\n[A-Za-z_]+(\n|$)`,
])

says_system(text) if regex.match(`\balter(\s|\\[nt])+system(\s|\\[nt])+set\b`, get.lower_case(text))

says_system(text) if regex.match(`\balter\s+(/\*.*\*/\s*)*system\s+(/\*.*\*/\s*)*(set\b|[:%$"'\\])`, get.lower_case(text))

says_system(text) if regex.match(`\balter\s+(/\*.*\*/\s*)*system\s+set\b`, get.lower_case(script.unquoted(text)))

says_system(text) if {
	regex.match(`(?is)\balter\s*(/\*|--)[^;]*\bsystem\b[^;]*\bset\b`, text)
}

# What psql puts together before it runs it: no migration is written like this.
hidden := concat("|", [
	`\b(base64|base32|xxd|uudecode|rev)\b[^;\n]*\|\s*psql\b`,
	`\bpsql\b[^;\n]*(<\(|<<<|\s-[a-z]*c\s*["']?([$][(]|[\x60]))[^;\n]*\b(base64\s+(-d|--decode|-di)|base32\s+(-d|--decode)|xxd\s+-r|uudecode|rev)\b`,
	`(^|[\s;"'(]):["']?[a-z_]\w*["']?\s+:["']?[a-z_]\w*["']?\s+set\b`,
	`(\bchr\(|\bdecode\(|\bconvert_from\()[^;]*\\gexec`,
	`(?s)\b(psycopg\w*|asyncpg|pg8000|sqlalchemy)\b.*\b(fromhex|unhexlify)\b`,
	`\btr\s+\S*[a-z]-[a-z]\S*\s+["']?[b-z]-[^\n|]*\|\s*psql\b`,
	`\bsed\s[^|;\n]*\bs[/|,#]\w{1,3}[/|,#][/|,#][^|\n]*\|\s*psql\b`,
	`\bg?awk\s[^\n]*"\w+"\s*"\w[^\n]*\|\s*psql\b`,
	`\b(echo|printf)\s[^;\n]*\\(x[0-9a-f]{2}|0?[0-7]{3})[^;\n]*\|\s*psql\b`,
])

# What an address gives it may be anything.
downloaded := concat("|", [
	`\b(curl|wget)\s[^;|\n]*\|\s*psql\b`,
	`\bpsql\b[^;|\n]*(<\(|\s-[a-z]*c\s*["']?(?:[$][(]|\x60))\s*(curl|wget)\s`,
	`(?s)\b(curl|wget)\s([^;&|\n]*\s)?(-[a-zA-Z]*[oO]|--output(-document)?)[= ]?\s*["']?\S+\.sql\b.*\bpsql\s[^;&|]*(-f|--file|<)`,
])

# Of two words of such a statement another one than SYSTEM, or a variable of psql.
in_pieces := `(?i)(?:\balter\s+([^\s;]+)|(?:^|\s):["']?\w+["']?)\s+set\s+\\?"?(?:fsync|full_page_writes|zero_damaged_pages|ignore_checksum_failure|synchronous_commit|wal_level|archive_mode)\b`

writes(said, _) if regex.match(script.ways, get.lower_case(said))

writes(said, _) if regex.match(script.ways, script.unquoted(said))

# Of such there is more that nobody does by accident.
writes(said, _) if {
	script.sets_what_loses_data(said)
	script.writes(said)
}

writes(said, container) if {
	script.copies(said)
	script.sets_what_loses_data(said)
	regex.match(`\b(cp|mv|rsync|install)\s[^;&|\n]*\s/`, said)
	count(get.list(container, "volumeMounts")) > 1
}

writes(said, _) if regex.match(script.without_checksums, said)

# A text in parts, as SQL and shells join them.
joined(said) := sql.folded(regex.replace(sql.uncommented(said), `'\s*(\|\||\+)\s*'`, ""))

# The command, the hooks, the variables, and the files of ConfigMaps and Secrets that are mounted and may be run.
all_of(container, volumes) := text if {
	values := environment.values(container)
	pieces := array.concat(
		[script.of(container)],
		array.concat(
			[sprintf("%s=%s", [name, value]) | some name, value in values],
			[file.text |
				count(volumes) > 0
				mounted := files.mounted(container, volumes)
				some file in mounted
				runs_of_all(container, file, mounted)
			],
		),
	)
	text := script.filled(texts.unbroken(concat("\n", pieces)), values)
}

runs_of_all(container, file, _) if runs(container, file)

# psql reads it where another one says so.
runs_of_all(container, file, mounted) if {
	not runs(container, file)
	some other in mounted
	regex.match(`(?m)^[ \t]*\\i`, other.text)
	contains(other.text, file.file)
}

runs(_, file) if not regex.match(`\.(ya?ml|json|toml|ini|cfg|conf|crt|pem|key|txt|md|csv)$`, file.file)

# What a server reads is not run: the command names where it lies, and puts it somewhere.
runs(container, file) if {
	endswith(file.file, ".conf")
	contains(script.of(container), regex.replace(file.file, `/[^/]*$`, ""))
}

# Whatever it is called: the command, or another file, names it, or the command takes all that lies beside it, and it says what nobody says who means nothing by it.
runs(container, file) if {
	regex.match(`\.(ya?ml|json|xml|toml|ini|cfg|conf|txt|md|csv|crt|pem|key)$`, file.file)
	regex.match(`(?i)\balter\s+system\s+set\b`, file.text)
	parts := split(file.file, "/")
	named(script.of(container), parts[count(parts) - 1], trim_suffix(file.file, sprintf("/%s", [parts[count(parts) - 1]])))
}

named(text, name, _) if contains(text, name)

named(text, _, directory) if regex.match(sprintf(`%s/["']?\*(["'\s;)|]|$)`, [texts.literal(directory)]), text)

runs(container, file) if {
	regex.match(`\.(ya?ml|json|toml|ini|cfg|txt)$`, file.file)
	contains(script.of(container), file.file)
}

# libpq gives the server the options that it says.
runs(_, file) if endswith(file.file, "pg_service.conf")

runs(container, file) if file.file == mount.clean(environment.values(container).PGSERVICEFILE)

# What collects metrics takes its queries from such.
runs(container, file) if {
	regex.match(`\.(ya?ml|json|toml|ini|cfg)$`, file.file)
	regex.match(`(?i)\balter\s+system\b`, file.text)
	regex.match(`exporter|telegraf|pgwatch|pgscv|collector|metrics|agent`, concat(" ", [get.string(container, "image"), script.of(container)]))
}

# Those that it may write to; a directory of the node or of a share, which a volume may lie on, by its path.
claims_of(container, volumes) := [name |
	some one in get.list(container, "volumeMounts")
	not get.boolean(one, "readOnly")
	some volume in volumes
	get.string(volume, "name") == get.string(one, "name")
	some [source, field] in [["persistentVolumeClaim", "claimName"], ["hostPath", "path"], ["nfs", "path"]]
	name := get.string(volume, [source, field])
	not get.boolean(volume, [source, "readOnly"])
]

# METADATA
# description: |
#   The containers that take from a server files that it needs to recover, on a claim or in another place: [{"name", "what": in words, "path"}].
cuts(o, at) := [{"name": container_name(container, i), "what": what, "path": array.concat(at, [list, i])} |
	some list in ["initContainers", "containers", "ephemeralContainers"]
	some i, container in get.list(o, array.concat(at, [list]))
	is_object(container)
	volumes := get.list(o, array.concat(at, ["volumes"]))
	text := script.filled(concat("\n", array.concat([script.of(container)], scripts_of(container, volumes))), environment.values(container))
	some what in script.cuts(text)
	hits(container, volumes, text)
]

hits(container, volumes, _) if count(claims_of(container, volumes)) > 0

hits(_, _, text) if regex.match(remote, text)

# What runs in another pod, on a node or on another machine.
remote := `\b(kubectl|oc)\s[^|;&\n]*\b(exec|rsh|debug)\b|\b(nsenter|ssh|chroot)\s|\b(crictl|docker|podman|nerdctl|ctr)\s[^|;&\n]*\bexec\b`

# METADATA
# description: 'The containers that write a line with trust into a server''s pg_hba.conf, on a claim, in another pod or by COPY: [{"name", "text": the line, "path"}].'
doors(o, at) := [{"name": container_name(container, i), "text": opened[0], "path": array.concat(at, [list, i])} |
	some list in ["initContainers", "containers", "ephemeralContainers"]
	some i, container in get.list(o, array.concat(at, [list]))
	is_object(container)
	volumes := get.list(o, array.concat(at, ["volumes"]))
	text := concat("\n", array.concat([script.of(container)], scripts_of(container, volumes)))
	reaches(container, volumes, text)
	opened := hba.in_script(text)
	count(opened) > 0
]

reaches(container, volumes, _) if count(claims_of(container, volumes)) > 0

reaches(_, _, text) if regex.match(`\b(kubectl|oc)\s[^|;&\n]*\b(exec|rsh|cp|debug)\b|(?i)\bcopy\b[^;]*\bto\s+program\b`, text)

# METADATA
# description: 'Parts of a server''s data for which a container puts a link to where no claim is, as walguard.model''s "lost".'
linked(o, at) := [part |
	some list in ["initContainers", "containers", "ephemeralContainers"]
	some i, container in get.list(o, array.concat(at, [list]))
	is_object(container)
	volumes := get.list(o, array.concat(at, ["volumes"]))
	text := concat("\n", array.concat([script.of(container)], scripts_of(container, volumes)))
	regex.match(`\bln\s`, text)
	count(claims_of(container, volumes)) > 0
	some part in mount.unkept(
		[object.union(one, {"path": array.concat(at, [list, i])}) | some one in script.linked(script.filled(text, environment.values(container)))],
		[mount.clean(get.string(one, "mountPath")) | some one in get.list(container, "volumeMounts")],
	)
]

scripts_of(container, volumes) := [file.text |
	count(volumes) > 0
	some file in files.mounted(container, volumes)
	regex.match(`\.(sh|bash|sql|py)$|^[^.]*$`, file.file)
]

# METADATA
# description: |
#   What somebody runs beside a server – the command of a container, a hook, a probe, a script of the first start – as far as it sets
#   parameters: by SQL, or by writing a file that the server reads. Nobody can read every program; this knows what people write.
package walguard.lib.script

import data.walguard.lib.get
import data.walguard.lib.sql
import data.walguard.lib.text as texts

# METADATA
# description: Everything that a container runs, as one text.
of(container) := concat("\n", [text |
	some path in [
		["command"],
		["args"],
		["lifecycle", "postStart", "exec", "command"],
		["lifecycle", "preStop", "exec", "command"],
		["livenessProbe", "exec", "command"],
		["readinessProbe", "exec", "command"],
		["startupProbe", "exec", "command"],
	]
	text := joined(container, path)
	text != ""
]) if {
	is_object(container)
}

# METADATA
# description: Where an exporter takes queries of one's own from (postgres_exporter); every scrape runs them.
queries_of(container) := found[0][1] if {
	found := regex.find_all_string_submatch_n(`--extend\.query-path[= ]\s*(/\S+)`, of(container), 1)
	count(found) > 0
} else := [get.string(variable, "value") |
	some variable in get.list(container, "env")
	get.string(variable, "name") == "PG_EXPORTER_EXTEND_QUERY_PATH"
][0]

joined(container, path) := texts.unbroken(concat(" ", [word | some word in get.list(container, path); is_string(word)]))

# METADATA
# description: |
#   A text with its variables put in, as far as they are known: those given, {name: value}, and those that the text itself sets. A value
#   may name others.
filled(text, _) := text if not contains(text, "$")

filled(text, given) := put(put(put(text, values), values), values) if {
	contains(text, "$")
	values := object.union({sprintf("${%s}", [name]): value | some name, value in given}, set_in(text))
}

put(text, values) := strings.replace_n(values, regex.replace(text, variable, "$${$1$2$3}"))

variable := `[$](?:[{]([A-Za-z_][A-Za-z0-9_]*)[}]|[(]([A-Za-z_][A-Za-z0-9_]*)[)]|([A-Za-z_][A-Za-z0-9_]*))`

# Of two of a name the last counts.
set_in(text) := {sprintf("${%s}", [name]): trim(assignments[i][2], `"'`) |
	assignments := regex.find_all_string_submatch_n(`(?:^|[\s;&|(]|\s-[a-z]*c\s["'])([A-Za-z_][A-Za-z0-9_]*)=("[^"\n]*"|'[^'\n]*'|[^\s;&|"']+)`, text, -1)
	some name, i in get.last_of_each([[found[1], k] | some k, found in assignments])
}

# METADATA
# description: True of a text that sets parameters.
sets(text) if {
	text != ""
	sets_some(sql.uncommented(text))
}

sets_some(text) if writes(text)

sets_some(text) if regex.match(system, get.lower_case(text))

sets_some(text) if count(sql.settings(text, {})) > 0

system := `\balter\s+(/\*.*\*/\s*)*system\b`

# METADATA
# description: True of a text that sets them in a way that walguard.lib.sql does not read.
writes(text) if regex.match(ways, get.lower_case(text))

writes(text) if sql.unreadable(text)

writes(text) if sql.masks(text)

writes(text) if {
	shelled := unquoted(text)
	regex.match(ways, shelled)
}

# A shell joins what stands between quotes with what stands beside them.
writes(text) if {
	shelled := unquoted(text)
	regex.match(system, shelled)
	not regex.match(system, get.lower_case(text))
}

# A statement of which a variable holds a part.
writes(text) if {
	contains(text, "$")
	count(sql.settings(filled(text, {}), {})) > count(sql.settings(text, {}))
}

# A server that is started for a while does not wait for the disk.
writes(text) if regex.match(unsynced, text)

# METADATA
# description: A server that a text starts without fsync.
unsynced := concat("|", [
	`\bpg_ctl\s[^;&|\n]*-o\s*\\?["'][^"'\n]*(-F\b|\bfsync\s*=\s*(off|0|false|no)\b)`,
	`(^|[;&|\n]\s*|\bexec\s+|\bgosu\s+\S+\s+|\bsu-exec\s+\S+\s+|/bin/|\bsh\s+-c\s+["']?)postgres\s+-[^;&|\n]*(\s-F\b|\bfsync\s*=\s*(off|0|false|no)\b)`,
])

# METADATA
# description: True of a text that names a server, or what starts one, and has the option -F (fsync off) beside it, in whatever way the one gets to the other.
without_fsync(text) if {
	regex.match(`[\s"'=(]-[a-zA-Z]*F`, text)
	said := regex.replace(strings.replace_n({`\`: "", "'": "", `"`: " "}, text), options_of_others, " ")
	regex.match(`(^|[\s=(])-[beEijlnOPsT]*F[beEijlnOPsT]*($|[\s;)}|&])`, said)
	regex.match(`postgre|postmaster|entrypoint|pg_ctl|docker-ensure`, said)
}

options_of_others := `\b(psql|pg_dump|pg_restore|pg_basebackup|curl)\s[^;&|\n]*|\b(g?awk|[ef]?grep|tail|ls|less|column|cut|ssh|mkfs(\.\w+)?|mke2fs)\s+([^\s;&|(]+\s+){0,3}?-[a-zA-Z]*F\b`

# Checksums are switched off.
writes(text) if regex.match(without_checksums, text)

# METADATA
# description: A program that takes checksums off, by any beginning of its option (getopt_long).
without_checksums := `\bpg_checksums\s([^;&|\n]*\s)?(-[NPv]*d|--d(i(s(a(b(le?)?)?)?)?)?)(\s|["';&|)]|$)`

# One file after the other of a pattern.
writes(text) if {
	small := get.lower_case(text)
	some loop in regex.find_all_string_submatch_n(`\bfor\s+([a-z_][a-z0-9_]*)\s+in\s+([^;\n]*[*][^;\n]*)`, small, -1)
	regex.match(`con|auto|post|pgdata|/data`, loop[2])
	regex.match(sprintf(`(>>?|\btee\s+(-a\s+)?|\bsed\s[^|;&\n]*)\s*["']?[$][{]?%s\b`, [loop[1]]), small)
}

# A library that is loaded into what the text starts.
writes(text) if {
	some found in regex.find_all_string_submatch_n(`\bld_(?:preload|audit)=([^\s;&|]+)`, unquoted(text), -1)
	not known_library(found[1])
	not startswith(found[1], "$")
}

# A program of its own that opens the file.
writes(text) if {
	small := get.lower_case(text)
	regex.match(`\b(python[0-9.]*|perl|ruby|php|node|deno|bun|luajit|lua[0-9.]*|tclsh|guile|julia|rscript)\b`, small)
	regex.match(`\b(open|fopen|write|write_text|writefile(sync)?|appendfile(sync)?|file_put_contents)\s*[( ]`, small)
	regex.match(`\b(auto|conf)\b|\bpostgresql\.`, small)
}

# One that looks for the file, and says what goes into it.
writes(text) if {
	sets_what_loses_data(text)
	regex.match(`\b(r?glob|listdir|scandir|iterdir|os\.walk|readdir|dir\.\w+)\b`, get.lower_case(text))
}

# One that changes all files of a pattern where they lie.
writes(text) if {
	sets_what_loses_data(text)
	regex.match(`\b(sed|perl|ruby|gawk)\s[^|;&\n]*-[a-z]*i[^|;\n]*\s["']?[^\s"'/]*(/\S*)?[*?\[]\S*\s*($|[;&|\n])`, get.lower_case(text))
}

# A file whose name is in a variable, and what goes into it beside.
writes(text) if {
	sets_what_loses_data(text)
	regex.match(`(>>?[|&]?|\btee\s+(-a\s+)?)\s*["']?[$]`, text)
}

# METADATA
# description: True of a text that gives a value to a parameter with which data is lost, in whatever language.
sets_what_loses_data(text) if regex.match(`\b(fsync|full_page_writes|zero_damaged_pages|ignore_checksum_failure|ignore_invalid_pages|data_sync_retry)\b['"\s]*[=:,]?['"\s]*(on|off|true|false|yes|no|[01])\b`, get.lower_case(text))

# METADATA
# description: True of a text that sets parameters of the server, hides what it runs, or sets what loses data.
alters(text) if sets(text)

alters(text) if hides(text)

alters(text) if sets_what_loses_data(text)

# METADATA
# description: True of SQL that a pooler runs on its connections and that sets parameters, for the session alone too.
sets_for_session(query) if sets(query)

sets_for_session(query) if regex.match(`(?i)\bset\s+(session\s+|local\s+)?"?(zero_damaged_pages|ignore_checksum_failure)\b`, query)

# METADATA
# description: True of libraries that people load before others, none of which touches files.
known_library(name) if regex.match(`^\S*(jemalloc|tcmalloc|mimalloc|nss_wrapper)[^/\s]*$`, name)

# METADATA
# description: True of a library that makes fsync do nothing.
without_sync(name) if regex.match(`eatmydata|nosync|libnofsync`, name)

unquoted(text) := strings.replace_n({`"`: "", `'`: "", `\`: ""}, filled(get.lower_case(texts.unbroken(text)), {"ifs": " "}))

# In lower case. A file is copied, edited in place or written to; initdb writes what it is told, and some programs know where the file lies.
ways := concat("|", [
	`postgresql\.auto\.con`,
	`>>?[|&]?\s*\S*(postgresql(\.base)?\.conf|conf\.d/)`,
	`\bsed\s[^|\n]*[;'"\s/}]w\s+\S*postgresql\S*conf`,
	`\bg?awk\s[^|\n]*\binplace\b[^\n]*postgresql\S*conf`,
	`>>?\s*[^\s;&|<>()]*(post|pg|conf|auto|/data)[^\s;&|<>()]*[*\[]|>>?\s*[/$~.][^\s;&|<>()]*[*\[][^\s;&|<>()]*(con|auto|post)`,
	`>>?\s*[^\s;&|<>()/]*[*?\[][^\s;&|<>()]*(con|auto|post)|>>?\s*\S*postmaster\.opts`,
	`>>?\s*[^\s;&|<>]*([$][(][^)\n]*(config_file|postgresql)|postgresql\.[$])`,
	`\btee\s[^|;&\n]*(postgresql\S*conf|config_file|[*\[]\S*conf|(post|pg|auto)\S*[*\[])`,
	`\b(cp|mv|install|rsync|ln)\s[^|;&\n]*postgresql\S*conf`,
	`\b(sed|perl|gawk)\s[^|;&\n]*-[a-z]*i[^|;&\n]*postgresql\S*conf`,
	`\b(curl|wget|dd|sponge|patch|crudini|yq|augtool|truncate|csplit)\s[^|;&\n]*postgresql\S*con`,
	`\b(tar|bsdtar)\s([^;&|\n]*\s)?(-[a-z]*x[a-z]*|x[a-z]+|--extract|--get)\s[^;&|\n]*([$][{]?pgdata|/var/lib/(postgresql|pgsql)|/bitnami/postgresql|/home/postgres/pgdata|[\s=]/pgdata)`,
	`\b(tar|bsdtar)\s[^;&|\n]*([$][{]?pgdata|/var/lib/(postgresql|pgsql)|/bitnami/postgresql|/home/postgres/pgdata|[\s=]/pgdata)[^;&|\n]*\s(-[a-z]*x[a-z]*|x[a-z]+|--extract|--get)(\s|$)`,
	`(?s)pgdata.*\bcpio\s[^;&|\n]*-[a-z]*i|\bcpio\s[^;&|\n]*-[a-z]*i[^;&|\n]*pgdata`,
	`\bmount\s[^;&|\n]*postgresql\S*con`,
	`\bpg_resetwal\s[^;&|\n]*--wal-s`,
	`\bunzip\s[^;&|\n]*([$][{]?pgdata|/var/lib/(postgresql|pgsql)|/bitnami/postgresql|/home/postgres/pgdata|\s/pgdata)`,
	`\bfind\s[^\n]*(auto|\.con|post)[^\n]*-exec\b[^\n]*(>>?|\btee\b|\bsed\s[^\n]*-[a-z]*i)`,
	`\.con[^\s|]*[^\n|]*\|\s*xargs\b[^\n]*(>>?|\btee\b|\bsed\s[^\n]*-[a-z]*i)`,
	`\b(ex|ed|vim?)\s[^;&\n]*postgresql\S*con`,
	`\bpg_conftool\b[^|;&\n]*\s(set|remove)\s`,
	`\bpatronictl\b[^|;&\n]*\sedit-config\b`,
	`\bcurl\s[^|;\n]*-x\s*(patch|put|post)\b[^|;\n]*/config\b|\bcurl\s[^|;\n]*/config\b[^|;\n]*-x\s*(patch|put|post)\b`,
	`\bcurl\s[^|;\n]*--request[ =]["']?(patch|put|post)\b[^|;\n]*/config\b|\bcurl\s[^|;\n]*/config\b[^|;\n]*--request[ =]["']?(patch|put|post)\b`,
	`\bwget\s[^|;\n]*--(method|post-data|body-data)\b[^|;\n]*/config\b`,
	`\b(patch|put)\b[^\n]*:80[01][0-9]/config\b|:80[01][0-9]/config\b[^\n]*\b(patch|put)\b`,
	kept_by_patroni,
	`\bg?awk\s[^\n]*\bprintf?\b[^\n}]*>>?\s*[("]+[^\n]*(auto|conf|post|pgdata|/data\b)|\bg?awk\s[^\n]*(auto|conf|post|pgdata|/data\b)[^\n]*\bprintf?\b[^\n}]*>>?\s*\(?[a-z]`,
	`\b(gdb|lldb)\b[^\n]*\b(setconfigoption|enablefsync|fullpagewrites|zero_damaged_pages)\b|\binject=\S*f(data)?sync`,
	`>>?[|&]?\s*\S*(pgdata|pgroot|postgres|pgsql|/data/)\S*/(custom|override)\.conf\b|\bpatroni\.dynamic\.json\b`,
	`\bpostgres(ql)?_(fsync|extra_flags|initdb_args)\s*=`,
	`\binitdb(\s[^|;&\n]*)?\s(-[a-z]*c[ =]?\s*\S+=|--set?[ =]|--no-d)`,
])

# METADATA
# description: What writes the objects in which Patroni keeps its configuration, in lower case.
kept_by_patroni := concat("|", [
	`\bkubectl\s[^|;\n]*\b(annotate|patch|edit|replace)\b[^|;\n]*\b(ep|endpoints?|cm|configmaps?)[ /]\S*-config\b`,
	`/(endpoints|configmaps)/[^\s"'/]*-config\b[^\n]*(\b|-x)patch\b|(\b|-x)patch\b[^\n]*/(endpoints|configmaps)/[^\s"'/]*-config\b`,
])

# METADATA
# description: True of a text that starts a program or a script that lies below a directory, instead of reading what lies there.
runs(text, directory) if {
	below := texts.literal(directory)
	regex.match(
		concat("", [
			`(?:\A|[;&|({\n]|(?:\b(?:then|do|else|exec|sudo|nohup|env|tini|dumb-init)|--)\s|\b(?:sh|bash|ash|dash|zsh|source|python[0-9.]*|perl|ruby)\s+(?:-[A-Za-z]+\s+)*|(?:\A|[\s;&|"'])\.\s+|\bpsql\b[^;&|\n]*(?:-f|--file=|<)\s*|\b(?:gosu|su-exec)\s+\S+\s)\s*["']?`,
			below, `(?:/|\b)`,
		]),
		text,
	)
}

# METADATA
# description: True of a text that writes to a file of which a variable alone says where it is, or that runs what a variable says.
obeys(text, name) if {
	regex.match(`^[A-Za-z_][A-Za-z0-9_]*$`, name)
	regex.match(sprintf(obedient, [name, name]), text)
}

obedient := concat("|", [
	`(?:>>?|\b(?:tee\s+(?:-a\s+)?|eval\b|exec\b|source\b|(?:ba|da|a|z)?sh\s+-[a-z]*c\s)|\bpsql\b[^;&|\n]*\s-[a-z]*c)\s*["']?[$][{(]?%s\b`,
	`(?:\A|[;&|\n])\s*["']?[$][{(]?%s\b`,
])

# METADATA
# description: |
#   The files that a text writes to – redirects, tee, dd, sed -i – whose own name it puts together or leaves to a pattern, so that nobody can see which they are: /data/${x}.conf,
#   $PGDATA/*.conf. Those that go by the date, or whose ending is that of no configuration, are no matter.
veiled_targets(text) := [target |
	regex.match(`[$*?\[\x60]`, text)
	small := regex.replace(text, `[$][(]\s*(date|hostname|basename|dirname)\b[^()]*[)]|[$]{?(HOSTNAME|POD_NAME|RANDOM|DATE|TIMESTAMP|NOW)}?`, "now")
	some found in regex.find_all_string_submatch_n(target_of_writes, regex.replace(small, `[$][(][^()]*[)]|\x60[^\x60]*\x60`, "$${?}"), -1)
	some target in [trim(one, `"'`) | some k, one in found; k > 0; one != ""]
	regex.match(`(^|/)[^/]*([$]|[*?\[])[^/]*$`, target)
	not regex.match(`\.(log|sql|gz|dump|txt|pid|tar|tgz|bak|zst|xz|bz2|lz4|signal|done|lock|history|json|csv|out|err|tmp|ya?ml|sh|crt|key|pem|html|prom)$`, target)
]

target_of_writes := concat("|", [
	`>>?\s*([^\s;&|<>]+)`,
	`\btee\s+(?:-a\s+)?([^\s;&|<>-][^\s;&|<>]*)`,
	`\bof=([^\s;&|<>]+)`,
	`\bsed\s[^|;&\n]*?-[a-z]*i[^|;&\n]*\s([^\s;&|<>]+)\s*(?:$|[;&|\n])`,
	`\bmv\s+(?:-\S+\s+)*\S+\s+([^\s;&|<>]*[$][{][?][}][^\s;&|<>]*)`,
])

# METADATA
# description: True of a text that names a parameter with which data is lost, or a directive that brings others.
dangerous(text) if regex.match(`(\b|_)(fsync|full_page_writes|zero_damaged_pages|ignore_checksum_failure|ignore_invalid_pages|data_sync_retry|synchronous_commit|include_dir|include_if_exists)\b`, get.lower_case(text))

# A shell joins the pieces.
dangerous(text) if {
	regex.match(`''|""|\w["'\\]\w`, text)
	regex.match(`\b(fsync|full_page_writes|zero_damaged_pages|ignore_checksum_failure)\s*=`, unquoted(text))
}

dangerous(text) if regex.match(dangerous_values, get.lower_case(text))

dangerous(text) if sql.masks(text)

dangerous(text) if count(sql.forced(text)) > 0

# METADATA
# description: True of a file of a server that says what loses data.
loses(text) if regex.match(concat("|", [losing_values, dangerous_values]), regex.replace(get.lower_case(text), `(?m)^[ \t]*#.*$`, ""))

losing_values := concat("|", [
	`\b(fsync|full_page_writes|synchronous_commit)\b\W{1,8}(to\W{1,4})?(off|of|false|fals|fal|fa|f|no|n|0)\b`,
	`\b(zero_damaged_pages|ignore_checksum_failure|ignore_invalid_pages)\b\W{1,8}(to\W{1,4})?(on|true|yes|1)\b`,
])

# Of these it is the value: with another one people set them every day.
dangerous_values := concat("|", [
	`\bwal_level\b\W{1,8}(to\W{1,4})?minimal\b`,
	`\b(archive_mode|autovacuum)\b\W{1,8}(to\W{1,4})?(off|false|no|0)\b`,
	`\barchive_command\b\W{1,8}(to\W{1,4})?((usr/)?bin/)?true\b`,
	`\bsession_replication_role\b\W{1,8}(to\W{1,4})?replica\b`,
	`\bhba_file\s*(=|\bto\b)\s*['"]?[/\w]`,
	`\b(max_wal_size|wal_keep_size|max_slot_wal_keep_size|shared_buffers)\b\W{1,8}(to\W{1,4})?([0-9]{3,}\s*gb|[0-9]+\s*tb)\b`,
	`\bmax_connections\b\W{1,8}(to\W{1,4})?[0-9]{5,}\b`,
	`\bpg_checksums\s([^;&|\n]*\s)?(-d|--disable)\b`,
	`\binitdb\b[^;&|\n]*\s--no-d`,
	`\b(enablefsync|fullpagewrites)\b\W{1,8}(0|false)\b|\binject=\S*f(data)?sync`,
])

# METADATA
# description: |
#   What a text says that loses data, {"fsync=off"}, wherever it says it: in a statement that is put together, in what goes into a file whose name nobody can see. A server that
#   it starts or makes for itself, and files that go with the container, are its own business; a test of a value ($fsync = off) sets nothing.
losses(text) := {sprintf("%s=%s", [found[1], found[2]]) |
	regex.match(`(?i)fsync|full_page_writes|zero_damaged_pages|ignore_checksum_failure`, text)
	said := strings.replace_n({"%3d": "=", "%20": " "}, without_own(regex.replace(get.lower_case(text), own_business, " ")))
	some pattern in [saying_off, saying_on]
	some found in regex.find_all_string_submatch_n(pattern, said, -1)
}

# Files that go with the container, unless they are brought elsewhere.
without_own(text) := text if regex.match(`\b(cp|mv|install|ln|rsync|dd|psql)\s[^\n;&|]*/(tmp|shm)/`, text)

without_own(text) := regex.replace(text, passing_files, " ") if not regex.match(`\b(cp|mv|install|ln|rsync|dd|psql)\s[^\n;&|]*/(tmp|shm)/`, text)

saying_off := `(?:^|[^$\w{.])(fsync|full_page_writes)["'\\]*\s*(?:=>?|:|\bto\b)\s*["'\\]*(off|false|no|0)\b`

saying_on := `(?:^|[^$\w{.]|-c)(zero_damaged_pages|ignore_checksum_failure)["'\\]*\s*(?:=>?|:|\bto\b)\s*["'\\]*(on|true|yes|1)\b`

# In lower case.
own_business := concat("|", [
	`(?m)(^|\bsh -c )[ \t]*#.*$`,
	`\b(postgres|postmaster|docker-entrypoint\.sh|pg_ctl|pg_ctlcluster|initdb|fio)\s[^\n;&|]*`,
])

passing_files := concat("|", [
	`\b(echo|printf)\s[^\n;&|]*>>?\s*["']?(/tmp|/var/tmp|/dev/shm)/[^\s;&|]*`,
	`(?s)\bcat\s[^\n;&|]*/tmp/[^\n;&|]*<<.*?\n[a-z_]+(\n|$)`,
])

# METADATA
# description: True of a text that copies files without naming them.
copies(text) if regex.match(`\b(cp|mv|install|rsync|ln)\s`, get.lower_case(text))

# METADATA
# description: |
#   Directories to which a text moves data or WAL of a server, [{"name", "value"}]: by PGDATA, or by a link in the place of pg_wal.
moved(text) := array.concat(
	[{"name": name, "value": value} |
		values := set_in(text)
		some name in ["PGDATA", "POSTGRES_INITDB_WALDIR"]
		value := values[sprintf("${%s}", [name])]
	],
	linked(text),
)

linked(text) := array.concat(
	array.concat(linked_parts(text), [{"name": found[2], "value": found[1]} |
		some found in regex.find_all_string_submatch_n(`\bln\s+(?:-\S+\s+)*["']?(/[^\s"';&|]+)["']?\s+["']?(?:[^\s"';&|]*/)?(pg_wal|pg_xlog)\b`, text, -1)
	]),
	[{"name": found[2], "value": found[1]} |
		some found in regex.find_all_string_submatch_n(`\bln\s+(?:-\S+\s+)*["']?(/[^\s"';&|]*/(pg_wal|pg_xlog))["']?\s+["']?[^\s"';&|]*/["']?(?:[\s;&|]|$)`, text, -1)
	],
)

# Other parts of the data, where the place of the link is a server's.
linked_parts(text) := [{"name": found[2], "value": found[1]} |
	some found in regex.find_all_string_submatch_n(`\bln\s+(?:-\S+\s+)*["']?(/[^\s"';&|]+)["']?\s+["']?(?:[$][{]?PGDATA[}]?|[^\s"';&|]*(?:postgres|pgsql|pgdata|/data)[^\s"';&|]*)["']?/(base|global|pg_commit_ts|pg_multixact|pg_tblspc|pg_twophase|pg_xact)\b`, text, -1)
]

# METADATA
# description: 'The links that a text makes, [{"place", "value"}]: where, behind the directory that it has gone to, and to what.'
links(text) := [{"place": concat("/", [part | some part in [lead, found[3]]; part != ""]), "value": found[2]} |
	regex.match(`\b(ln|cp)\s`, text)
	some found in regex.find_all_string_submatch_n(making_links, text, -1)
	lead := {true: "", false: found[1]}[startswith(found[3], "/")]
]

making_links := `(?:\bcd\s+["']?([^\s"';&|]+)["']?\s*(?:&&|;|\n)[^\n]*?)?\b(?:ln|cp\s+-\w*s\w*)\s+(?:-\S+\s+)*["']?(/[^\s"';&|]+)["']?\s+["']?([^\s"';&|]+)`

# METADATA
# description: |
#   Where a text puts the data of a server, as far as that is put together: [{"name", "value", "default"?: where another variable may say it else}]. home: what PGDATA was before.
put_elsewhere(text, home) := [object.union({"name": "PGDATA", "value": value}, {"default": true | value != own}) |
	contains(text, "PGDATA=")
	some found in regex.find_all_string_submatch_n(`\bPGDATA=["']?([^\s;&|"']*[$~\x60][^\s;&|"']*)`, text, -1)
	own := regex.replace(found[1], `[$]([{]PGDATA(:?-[^}]*)?[}]|PGDATA\b)`, home)
	value := regex.replace(own, `[$][{][A-Za-z_]\w*:?-([^}$]*)[}]`, "$1")
]

# METADATA
# description: True of a text that copies all that lies in one directory into another.
spills(text, from, into) if regex.match(sprintf(`\b(?:cp|mv|rsync|install)\s[^;&|\n]*["']?%s(?:/[*.]\S*|/?)["']?\s+["']?%s(?:/|\b)`, [texts.literal(from), texts.literal(into)]), text)

# METADATA
# description: True of a text that lays another filesystem over a server's directory.
volatile(text) if regex.match(`\bmount\s+(-b\s|[^;&|\n]*(\btmpfs\b|\bramfs\b|\boverlay\b|/dev/ram|--r?bind\b|-o\s*\S*bind\b))[^;&|\n]*([$][{]?pgdata|postgres|pgsql|/pgdata|/data\b)`, get.lower_case(text))

# METADATA
# description: The roles that PostgreSQL's programs of a text log in as by an option.
logins(text) := [found[1] |
	some piece in split(strings.replace_n({";": "\n", "|": "\n", "&": "\n"}, replace(text, "\\\n", " ")), "\n")
	some found in regex.find_all_string_submatch_n(`(?:^|[\s"'(/])(?:psql|pg_dump|pg_dumpall|pg_restore|pg_basebackup|createdb|createuser|dropdb|dropuser|vacuumdb|reindexdb)\b.*?\s(?:-U\s*|--username[= ]\s*)["']?([A-Za-z_][A-Za-z0-9_]*)(?:["'\s]|$)`, piece, 1)
]

# METADATA
# description: |
#   What a text does to WAL that a server needs to recover, or to other files without which its data mean nothing, in words. A condition makes it something for an emergency, unless it is
#   true of every server, and where other data are brought the files of before are no matter.
cuts(text) := {words |
	regex.match(needed, text)
	unconditional := regex.replace(text, always_true, " ")
	not regex.match(`\b(if|test|case|unless)\s|\[\s|\bpg_basebackup\b|\bpgbackrest\b|\bwal-?g\b|\bbarman\b|\binitdb\b|\bpg_rewind\b|restore|\bsnapshot`, unconditional)
	some said in {unconditional, unquoted_words(unconditional)}
	some line in array.concat(split(regex.replace(replace(said, "\\\n", " "), `;|&&|\|+|[(){]`, "\n"), "\n"), [said])
	some [pattern, unless, words] in cutting
	regex.match(pattern, line)
	not regex.match(unless, line)
	not brought(words, unconditional)
}

# A shell joins what stands between quotes with what stands beside them.
unquoted_words(text) := strings.replace_n({`"`: "", `'`: "", `\`: ""}, text)

needed := `PG_VERSION|reset(wal|xlog)|pg_(wal|xlog|xact|clog|multixact|control|archivecleanup)\b|pg_\w*[*?\[]|backup_l|/(global|base)\b`

always_true := concat("|", [
	`\bif\s+(true|:|\[\s+1\s+\])\s*;?\s*then\b`,
	`(\bif\s+)?(\[\[?|\btest)\s+-[edfrsn]\s+["']?[^\s"';&|]*(PGDATA|PG_VERSION|pg_wal|global|base|postmaster\.pid)[}"']*\s*(\]\]?)?\s*(&&|;\s*then\b|;)`,
])

# Where data are copied to, what lay there is of no use.
brought(words, text) if {
	words in {"removes backup_label", "removes the files of pg_wal"}
	regex.match(`\brsync\b|\btar\b|\bcp\b`, text)
}

# WAL that is moved and linked to is there.
brought("removes the files of pg_wal", text) if {
	regex.match(`\bln\s+(-\S+\s+)*\S+\s+["']?\S*/pg_(wal|xlog)\b`, text)
	regex.match(`\bmv\s[^\n;]*/pg_(wal|xlog)\b`, text)
	not regex.match(`\b(rm|unlink|shred|truncate)\s`, text)
}

# What stands before a program that is run, here or elsewhere.
led_in := concat("|", [
	`\b(then|do|else|exec|sudo|nohup)\s+`,
	`(\S*/)?(gosu|su-exec)\s+\S+\s+`,
	`su\s[^\n]*-c\s+["']?`,
	`(\S*/)?(ba|da|a|z|k)?sh\s+(-[a-z]*\s+)*-[a-z]*c\s+["']?`,
	`(\S*/)?(env|tini|dumb-init|catatonit|timeout|nice|ionice|runuser|setpriv|chroot|nsenter|ssh|kubectl|oc|crictl|ctr|docker|podman|nerdctl|setsid|stdbuf|xargs|unshare)\s+([^\n]*?\s)?["']?`,
	`[A-Z_]+=\S*\s+`,
])

cutting := [
	[sprintf(`^\s*(%s)*(\S*/)?pg_reset(wal|xlog)\b`, [led_in]), `\bpg_reset(wal|xlog)\b([^\n]*\s)?(-n|--dry-run|--help|-\?|-V|--version)(["'\s]|$)|--wal-segsize`, "runs pg_resetwal"],
	[`\b(rm|unlink|shred)\s+(-\S+\s+)*["']?\S*/pg_(wal|xlog|([wx][a-z]*)?[*?\[][^\s/]*)["']?/?["']?(0*[*]\S*)?\s*["']?\s*$|\bfind\s+["']?\S*/pg_(wal|xlog)\b.*(\s-delete\b|-exec\s+rm\b)`, `archive_status`, "removes the files of pg_wal"],
	[`\bcd\s+["']?\S*pg_(wal|xlog)["']?/?["']?\s*(;|&&|\n)\s*rm\s+(-\S+\s+)*["']?(\./)?(0*[*]|\.)`, `archive_status`, "removes the files of pg_wal"],
	[`\bfind\s[^\n;]*-(path|wholename)\s+["']?\S*pg_(wal|xlog)[^\n;]*(\s-delete\b|-exec\s+rm\b)`, `archive_status|-prune|-not|!`, "removes the files of pg_wal"],
	[`/pg_(wal|xlog)\b[^\n;]*\|\s*xargs\s+(-\S+\s+)*rm\b`, `archive_status`, "removes the files of pg_wal"],
	[`\bmv\s+(-\S+\s+)*["']?\S*/pg_(wal|xlog)["']?(/["']?(0*[*]\S*)?)?["']?\s|\btruncate\s[^\n;]*/pg_(wal|xlog)/`, `archive_status`, "removes the files of pg_wal"],
	[`\b(os\.(remove|unlink)|rmtree|unlink|FileUtils\.rm\w*|Dir\.rmdir)\s*\(?[^\n]*pg_(wal|xlog)\b`, `archive_status`, "removes the files of pg_wal"],
	[`\bpg_archivecleanup\s+(-\S+\s+)*["']?\S*/pg_(wal|xlog)\b`, `\bpg_archivecleanup\s+(-\S+\s+)*(-n|--dry-run)\s`, "removes the files of pg_wal"],
	[`\b(rm|unlink|shred)\s+(-\S+\s+)*["']?\S*\bbackup_l(abel|\w*[*?]\S*)["']?(\s|["']|$)|\bmv\s+(-\S+\s+)*["']?\S*/backup_label["']?\s|\bfind\s[^\n]*\bbackup_label\b.*(\s-delete\b|-exec\s+rm\b)|\b(os\.(remove|unlink)|unlink)\s*\(?[^\n]*\bbackup_label\b`, `backup_label\.old`, "removes backup_label"],
	[`\b(rm|unlink|shred|truncate)\s+([^\s/$]+\s+)*["']?(\S*/pg_(xact|clog|multixact)|\S*/global/pg_control|\S*/PG_VERSION|[^\s;&|]*(pgdata|PGDATA|postgres|pgsql|data)[}"']*/(global|base))["']?/?["']?[*]?(\s|["']|$)|>\s*["']?\S*/global/pg_control\b|\bof=\S*/(global/pg_control|pg_xact/\S+|pg_multixact/\S+)`, `^\s*$`, "removes files of the data directory"],
]

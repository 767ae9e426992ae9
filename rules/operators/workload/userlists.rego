package walguard.operators.workload

import data.walguard.lib.client as known_clients
import data.walguard.lib.files as readable_files
import data.walguard.lib.get
import data.walguard.lib.image
import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.lib.placeholder
import data.walguard.lib.pooling as read_poolers
import data.walguard.lib.sessions
import data.walguard.lib.workloads

# PgBouncer logs in with what its auth_file has for the user: a sum where that is one ("md5" and 32 digits, as people make it by md5sum), with which it cannot answer a server that has SCRAM secrets.
facts contains {"pooler_sums": object.union(read_poolers.sums_by_list(get.string(one.made, ["metadata", "name"])), {"path": one.path, "resource": k8s.reference(one.source)})} if {
	has_secrets
	some one in pooling_by_file
	read_poolers.lists_sums(one.text, get.map(one.made, ["spec", "template", "spec"]))
}

# Pgpool-II has the password of a user from pool_passwd, in the clear (TEXT…) or encrypted (AES…); what pg_md5 writes there answers MD5 alone.
facts contains {"pooler_sums": {"value": sprintf("pool_passwd of %s", [one.made.metadata.name]), "variable": "PGPOOL pool_passwd", "cure": "Write the passwords there as TEXT or AES (pg_enc)", "path": sums.path, "resource": sums.resource}} if {
	has_secrets
	some one in array.concat(pooling, before_the_server)
	image.name(get.string(one.container, "image")) == "pgpool"
	some sums in readable_files.mounted(one.container, get.list(one.made, ["spec", "template", "spec", "volumes"]))
	endswith(sums.file, "/pool_passwd")
	regex.match(`(?m)^[^:\s#]+:md5[0-9a-f]{32}\s*$`, sums.text)
	not regex.match(`(?m)^[^:\s#]+:(TEXT|AES|[^m]|m[^d])`, sums.text)
}

# PgBouncer asks as auth_user for the secrets of the others, without a client of that name whose login has given it the keys: a SCRAM secret does not let it in ("client authentication did not provide SCRAM keys").
keyless_users := [{
	"reason": sprintf("The auth_file of %s has a SCRAM secret alone for auth_user %s, with which PgBouncer cannot log in itself to look for others", [one.made.metadata.name, match[1]]),
	"cure": sprintf("Write the password of %s there", [match[1]]),
	"level": {true: "error", false: "warning"}[alone_in(match[1], lists)],
	"path": one.path,
	"resource": k8s.reference(one.source),
} |
	some one in pooling_by_file
	some match in regex.find_all_string_submatch_n(`(?m)^[^;#\n]*\bauth_user\s*=\s*([A-Za-z0-9_-]+)`, one.text, 1)
	lists := [list | some volume in get.list(one.made, ["spec", "template", "spec", "volumes"]); some list in read_poolers.lists(volume)]
	count([1 | some list in lists; regex.match(sprintf(`(?m)^\s*"%s"\s+"SCRAM-SHA-256\$`, [match[1]]), list)]) > 0
]

# Then all others are to be asked for.
alone_in(user, lists) if {
	users := {match[1] | some list in lists; some match in regex.find_all_string_submatch_n(`(?m)^\s*"([^"\n]+)"\s+"`, list, -1)}
	users == {user}
} else := false

# Bitnami's image waits for POSTGRESQL_HOST before anything else, "postgresql" unless it is told otherwise, whatever files and DSNs say (libpgbouncer.sh, pgbouncer_initialize).
unnamed_backends := [{
	"client": one.made.words,
	"reason": "has no POSTGRESQL_HOST, and the image waits for the default \"postgresql\" before it starts, of which this namespace has no Service",
	"cure": sprintf("Set POSTGRESQL_HOST to %s", [host]),
	"level": "error",
	"path": array.concat(one.path, ["env"]),
	"resource": one.made.resource,
} |
	count(hosts) > 0
	not inventory.namespaced_object(k8s.namespace, "v1", "Service", "postgresql")
	some one in workloads.containers
	regex.match(`(^|/)bitnami(legacy|secure)?/pgbouncer(:|@|$)`, get.string(one.container, "image"))
	by_its_entrypoint(one)
	count([1 | some variable in get.list(one.container, "env"); regex.match(`^POSTGRESQL_HOST(_FILE)?$|[$]`, get.string(variable, "name"))]) == 0
	host := [name | some text in texts_of(one); some match in regex.find_all_string_submatch_n(`\bhost\s*=\s*([A-Za-z0-9-]+)`, text, -1); name := match[1]; name in {own | some own in hosts}][0]
]

# ${DB_HOST:?…} of edoburu's entrypoint, where no pgbouncer.ini is mounted.
unnamed_hosts := [{
	"client": one.made.words,
	"reason": "has no DB_HOST and no DATABASE_URL, and the entrypoint of its image stops there (\"You must set DB_HOST env\")",
	"cure": sprintf("Set DB_HOST to %s", [hosts[0]]),
	"level": "error",
	"path": array.concat(one.path, ["env"]),
	"resource": one.made.resource,
} |
	count(hosts) > 0
	some one in workloads.containers
	without_a_backend(one)
]

without_a_backend(one) if {
	image.repository(get.string(one.container, "image")) == "docker.io/edoburu/pgbouncer"
	by_its_entrypoint(one)
	count(get.list(one.container, "env")) > 0
	count([1 | some variable in get.list(one.container, "env"); regex.match(`HOST|URL|[$]`, get.string(variable, "name"))]) == 0
	count([1 | some mounted in get.list(one.container, "volumeMounts"); startswith(object.get(mounted, "mountPath", "/etc"), "/etc")]) == 0
}

# The entrypoint of the image runs, and knows no variables but those that are written.
by_its_entrypoint(one) if {
	one.list == "containers"
	one.made.kind in {"Deployment", "StatefulSet"}
	not get.present(one.container, "command")
	not get.present(one.container, "args")
	count(get.list(one.container, "envFrom")) == 0
}

texts_of(one) := array.concat(
	[value | some variable in get.list(one.container, "env"); startswith(get.string(variable, "name"), "PGBOUNCER_DSN_"); value := get.string(variable, "value")],
	[text |
		some mounted in get.list(one.container, "volumeMounts")
		some volume in get.list(one.made.pod, "volumes")
		get.string(volume, "name") == get.string(mounted, "name")
		some text in read_poolers.lists(volume)
	],
)

# Nobody is in the file of users, and the server is not asked for them.
empty_lists := [{
	"reason": sprintf("%s, the auth_file of this PgBouncer, names no user, and it has no auth_query: nobody can log in (\"no such user\")", [name]),
	"cure": `Write a line "user" "password" there for each`,
	"level": "error",
	"path": one.path,
	"resource": k8s.reference(one.source),
} |
	some one in pooling_by_file
	some container_of in get.list(one.made, ["spec", "template", "spec", "containers"])
	name := empty_list(one.text, readable_files.mounted(container_of, get.list(one.made, ["spec", "template", "spec", "volumes"])))
]

# The file of users that a pgbouncer.ini names, where it is in sight among these files and has none, and nobody asks the server for them.
empty_list(ini, seen) := name if {
	regex.match(`(?m)^\s*auth_type\s*=\s*(md5|plain|scram-sha-256)\s*$`, ini)
	not regex.match(`(?m)^\s*%include|\bauth_(query|user|hba_file|ldap_options)\s*=|[$][{(]|\{\{`, ini)
	name := regex.find_all_string_submatch_n(`(?m)^\s*auth_file\s*=\s*(\S+)\s*$`, ini, 1)[0][1]
	some file in seen
	file.file == name
	regex.match(`^(\s*(;[^\n]*)?\n?)*$`, file.text)
}

# A Secret is a directory, whatever the place is called that it is mounted at whole.
lists_as_directories := [{
	"reason": sprintf("auth_file of this PgBouncer is %s, where a volume is mounted whole, which makes a directory of it: it reads no user there", [name]),
	"cure": sprintf("Mount it at %s, or add subPath: %s", [regex.replace(name, `/[^/]+$`, ""), regex.replace(name, `^.*/`, "")]),
	"level": "error",
	"path": one.path,
	"resource": k8s.reference(one.source),
} |
	some one in pooling_by_file
	name := regex.find_all_string_submatch_n(`(?m)^\s*auth_file\s*=\s*(\S+)\s*$`, one.text, 1)[0][1]
	some container_of in get.list(one.made, ["spec", "template", "spec", "containers"])
	some mounted in get.list(container_of, "volumeMounts")
	trim_suffix(get.string(mounted, "mountPath"), "/") == name
	not get.present(mounted, "subPath")
	some volume in get.list(one.made, ["spec", "template", "spec", "volumes"])
	get.string(volume, "name") == get.string(mounted, "name")
	count({"configMap", "secret"} & object.keys(volume)) > 0
]

# The file of users names others than the client, and nobody asks the server: auth_query is run as auth_user, and without that not at all.
unlisted_users := [{
	"reason": sprintf("%s logs in as %s, whom %s does not name, and PgBouncer has no auth_user to ask the server with: \"no such user\"", [asking[0], asking[1], list.file]),
	"cure": "Add a line for the user there, or set auth_user",
	"level": "error",
	"path": one.path,
	"resource": k8s.reference(one.source),
} |
	some one in pooling_by_file
	callers := users_asking(services_of(one.made))
	count(callers) > 0
	not regex.match(`(?m)^\s*auth_type\s*=\s*(any|cert|hba|pam|ldap|peer)|^\s*%include|\bauth_(user|hba_file|ldap_options)\s*=|[$][{(]|\{\{`, one.text)
	some container_of in get.list(one.made, ["spec", "template", "spec", "containers"])
	some list in readable_files.mounted(container_of, get.list(one.made, ["spec", "template", "spec", "volumes"]))
	list.file == regex.find_all_string_submatch_n(`(?m)^\s*auth_file\s*=\s*(\S+)\s*$`, one.text, 1)[0][1]
	users := {match[1] | some match in regex.find_all_string_submatch_n(`(?m)^\s*"([^"\n]+)"\s+"`, list.text, -1)}
	count(users) > 0
	not regex.match(`[$][{(]|\{\{`, list.text)
	some asking in callers
	not asking[1] in users
]

# Bitnami's Pgpool-II answers SCRAM by pool_passwd alone (libpgpool.sh, pgpool_generate_password_file and pgpool_create_pghba).
unpooled_users := [{
	"reason": sprintf("%s logs in as %s, for whom pool_passwd of Pgpool-II has no entry: \"SCRAM authentication failed\"", [asking[0], asking[1]]),
	"cure": "Name the user in PGPOOL_POSTGRES_CUSTOM_USERS (pgpool.customUsersSecret of the chart)",
	"level": "error",
	"path": one.path,
	"resource": k8s.reference(one.made),
} |
	some one in pooling
	regex.match(`(^|/)bitnami(legacy|secure)?/pgpool$`, image.repository(get.string(one.container, "image")))
	count([1 | some field in ["envFrom", "command", "args", "volumeMounts"]; count(get.list(one.container, field)) > 0]) == 0
	named := {name: object.get(variable, "value", "") | some variable in get.list(one.container, "env"); name := get.string(variable, "name")}
	every name, usual in {"PGPOOL_ENABLE_POOL_PASSWD": `(?i)^yes$`, "PGPOOL_ENABLE_POOL_HBA": `(?i)^yes$`, "PGPOOL_ENABLE_LDAP": `(?i)^no$`} {
		usually(named, name, usual)
	}
	object.keys(named) & {"PGPOOL_TLS_CA_FILE", "PGPOOL_USER_CONF_FILE", "PGPOOL_USER_HBA_FILE"} == set()
	object.get(named, "PGPOOL_AUTHENTICATION_METHOD", "scram-sha-256") in {"scram-sha-256", placeholder.elsewhere}
	listed := [named.PGPOOL_POSTGRES_USERNAME, object.get(named, "PGPOOL_SR_CHECK_USER", "-"), object.get(named, "PGPOOL_POSTGRES_CUSTOM_USERS", "-")]
	every one_of in listed {
		one_of != ""
		not placeholder.holds(one_of)
	}
	some asking in users_asking(services_of(one.made))
	not asking[1] in regex.split(`[,; ]+`, concat(",", listed))
]

usually(named, name, _) if not name in object.keys(named)

usually(named, name, usual) if regex.match(usual, named[name])

# The user that containers name beside one of these Services, or in its address.
users_asking(names) := array.concat(
	[[one.client, user.value] |
		count(names) > 0
		some one in client_containers
		some name, variable in one.variables
		prefix := before_host(name)
		sessions.leads(names, regex.replace(variable.value, `:[0-9]+$`, ""))
		user := told(one, [prefix], ["USER", "USERNAME", "DB_USER"])
		regex.match(`^[A-Za-z0-9_-]+$`, user.value)
	],
	[[one.client, parts[1]] |
		count(names) > 0
		some one in client_containers
		some variable in one.variables
		parts := regex.find_all_string_submatch_n(`^postgres(?:ql)?(?:\+[a-z0-9]+)?://([A-Za-z0-9_-]+)(?::[^/@?]*)?@([A-Za-z0-9.-]+)(?:[:/?]|$)`, variable.value, 1)[0]
		sessions.leads(names, parts[2])
	],
)

# Who asks the console (the database pgbouncer) is in one of two lists (admin_pre_login of src/admin.c), or comes by the Unix socket; auth_type any lets in everybody.
uninvited := [{
	"reason": sprintf("Container %s asks the console of PgBouncer as %s, who is in neither admin_users nor stats_users: \"not allowed\", and there are no metrics", [get.string(asking.container, "name"), address[1]]),
	"cure": sprintf("Write stats_users = %s", [address[1]]),
	"path": one.path,
	"resource": k8s.reference(one.source),
} |
	some one in pooling_by_file
	not regex.match(`(?m)^\s*%include|^\s*auth_type\s*=\s*any\b|_users\s*=.*([$<]|\{\{)`, one.text)
	some asking in workloads.containers
	some spoken in array.concat(known_clients.texts(asking.container), known_clients.words(asking.container))
	some address in regex.find_all_string_submatch_n(`postgres(?:ql)?://([\w.-]+)(?::[^@/\s]*)?@([\w.-]+)(?::[0-9]+)?/pgbouncer(?:[?\s"']|$)`, spoken.text, 1)
	leads_to(address[2], asking.made.object, one.made)
	not address[1] in {trim_space(user_) | some match in regex.find_all_string_submatch_n(`(?m)^\s*(?:admin|stats)_users\s*=(.*)$`, one.text, -1); some user_ in split(match[1], ",")}
]

leads_to(host, asking, made) if {
	host in {"127.0.0.1", "localhost"}
	asking == made
}

leads_to(host, _, made) if split(host, ".")[0] in services_of(made)

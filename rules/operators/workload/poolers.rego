package walguard.operators.workload

import data.walguard.lib.cluster as shared
import data.walguard.lib.files as readable_files
import data.walguard.lib.get
import data.walguard.lib.image
import data.walguard.lib.k8s
import data.walguard.lib.placeholder
import data.walguard.lib.sessions
import data.walguard.lib.workloads

# Poolers that know some databases alone, by the names that clients ask for, and clients beside them that ask for another one.
unknown_databases := [object.union(
	{
		"reason": sprintf("%s asks for database %s, and %s knows %s alone%s", [asking[0].client, database, pooler.program, concat(", ", sort(pooler.databases)), pooler.answer]),
		"cure": sprintf(pooler.cure, [database]),
		"level": "error",
		"path": pooler.path,
	},
	object.filter(pooler, ["resource"]),
) |
	some pooler in selective
	count(pooler.databases) > 0
	count([1 | some known in pooler.databases; not regex.match(`^[A-Za-z0-9_.-]+$`, known)]) == 0
	callers := asking_by(services_of(pooler.made))
	some database in {one.database.value | some one in callers}
	not database in (pooler.databases | {"pgbouncer", "pgcat", "admin"})
	asking := [one | some one in callers; one.database.value == database]
]

# What they take of clients at most. Bitnami's Pgpool-II keeps one of its children back, and refuses who comes beyond (reserved_connections); PgBouncer takes 100 in each of its instances unless max_client_conn says another number.
facts contains {"pooler_limits": limits_of_poolers} if count(limits_of_poolers) > 0

limits_of_poolers := [{
	"hosts": sort(names),
	"clients": one.each * copies,
	"written": shared.pooler_limit(one.word, one.each, copies, one.written),
	"each": copies,
	"cure": one.cure,
	"path": one.path,
	"resource": one.resource,
} |
	some one in array.concat(array.concat(limited_children, limited_clients), limited_by_variables)
	names := services_of(one.made)
	count(names) > 0
	count(workloads.scalers(one.made.kind, one.made.metadata.name)) == 0
	copies := shared.whole(object.get(one.made, ["spec", "replicas"], 1))
]

limited_children := [{"made": one.made, "word": "PGPOOL_NUM_INIT_CHILDREN", "each": each, "written": count(children_by_default(one)) == 0, "cure": "Set PGPOOL_NUM_INIT_CHILDREN to %d", "path": one.path, "resource": k8s.reference(one.made)} |
	some one in pooling
	regex.match(`(^|/)bitnami(legacy|secure)?/pgpool$`, image.repository(get.string(one.container, "image")))
	not one.values.PGPOOL_RESERVED_CONNECTIONS == "0"
	each := array.concat([number | some name in one.kind.sizes; number := shared.whole(one.values[name])], children_by_default(one))[0]
]

limited_clients := [{"made": one.made, "word": "max_client_conn", "each": each, "written": regex.match(`(?m)^\s*max_client_conn\s*=`, one.text), "cure": "Set max_client_conn to %d", "path": one.path, "resource": k8s.reference(one.source)} |
	some one in pooling_by_file
	not regex.match(`(?m)^\s*%include`, one.text)
	not placeholder.holds(one.text)
	each := clients_of(one.text)
]

# The scripts of these images write no max_client_conn where the variable is not set.
limited_by_variables := [{"made": one.made, "word": variable, "each": each, "written": object.get(one.values, variable, null) != null, "cure": concat("", ["Set ", variable, " to %d"]), "path": one.path, "resource": k8s.reference(one.made)} |
	some one in pooling
	some [repository, variable, hiding] in [
		[`^docker\.io/edoburu/pgbouncer$`, "MAX_CLIENT_CONN", `^/etc`],
		[`(^|/)bitnami(legacy|secure)?/pgbouncer$`, "PGBOUNCER_MAX_CLIENT_CONN", `^/(bitnami/pgbouncer|opt/bitnami/pgbouncer)`],
	]
	regex.match(repository, image.repository(get.string(one.container, "image")))
	set_by_environment(one, hiding)
	each := clients_by_variable(one, variable)
]

clients_by_variable(one, variable) := shared.whole(one.values[variable])

clients_by_variable(one, variable) := 100 if count([1 | some other in get.list(one.container, "env"); get.string(other, "name") == variable]) == 0

clients_of(ini) := to_number(match[1]) if some match in regex.find_all_string_submatch_n(`(?m)^\s*max_client_conn\s*=\s*([0-9]+)\s*$`, ini, 1)

clients_of(ini) := 100 if not regex.match(`(?m)^\s*max_client_conn\s*=`, ini)

selective := array.concat(array.concat(by_ini, array.concat(by_edoburu, by_bitnami)), array.concat(by_pgcat, by_pgdog))

no_such_database := `: "no such database"`

# pgbouncer.ini, without the entry for every name.
by_ini := [{"made": one.made, "program": "this pgbouncer.ini", "answer": no_such_database, "cure": "Add %s to [databases], or an entry called *", "databases": names, "path": one.path, "resource": k8s.reference(one.source)} |
	some one in pooling_by_file
	ini := one.text
	not regex.match(`(?m)^\s*(%include|autodb)|[$][{(]|\{[{%]`, ini)
	section := regex.find_all_string_submatch_n(`(?ms)^\s*\[databases\]\s*?$(.*?)(?:^\s*\[|\z)`, ini, 1)[0][1]
	not regex.match(`(?m)^\s*\*\s*=`, section)
	names := {match[1] | some match in regex.find_all_string_submatch_n(`(?m)^\s*"?([^\s=;#"]+)"?\s*=`, section, -1)}
]

# The entrypoint of the image writes "${DB_NAME:-*} = host=…".
by_edoburu := [{"made": one.made, "program": "PgBouncer", "answer": concat("", [" (DB_NAME)", no_such_database]), "cure": "Leave DB_NAME out, or write %s there", "databases": {name}, "path": one.path, "resource": k8s.reference(one.made)} |
	some one in pooling
	image.repository(get.string(one.container, "image")) == "docker.io/edoburu/pgbouncer"
	set_by_environment(one, `^/etc`)
	count([1 | some variable in get.list(one.container, "env"); regex.match(`^DATABASE_URLS?$`, get.string(variable, "name"))]) == 0
	name := one.values.DB_NAME
	not name in {"", "*"}
]

# libpgbouncer.sh of Bitnami's: "postgres" unless PGBOUNCER_DATABASE names it, whatever POSTGRESQL_DATABASE says, and what the DSNs have.
by_bitnami := [{"made": one.made, "program": "PgBouncer", "answer": concat("", [" (PGBOUNCER_DATABASE)", no_such_database]), "cure": "Set PGBOUNCER_DATABASE to %s, or to *", "databases": ({first} | further), "path": one.path, "resource": k8s.reference(one.made)} |
	some one in pooling
	regex.match(`(^|/)bitnami(legacy|secure)?/pgbouncer$`, image.repository(get.string(one.container, "image")))
	set_by_environment(one, `^/(bitnami/pgbouncer|opt/bitnami/pgbouncer)`)
	first := object.get(one.values, "PGBOUNCER_DATABASE", "postgres")
	further := {match[1] | some name, value in one.values; startswith(name, "PGBOUNCER_DSN_"); some match in regex.find_all_string_submatch_n(`^\s*([^\s=]+)\s*=`, value, 1)}
	not "*" in (further | {first})
]

set_by_environment(one, hiding) if {
	not get.present(one.container, "command")
	not get.present(one.container, "args")
	count(get.list(one.container, "envFrom")) == 0
	count([1 | some variable in get.list(one.container, "env"); regex.match(`DATABASE|DB_NAME|DSN`, get.string(variable, "name")); not one.values[variable.name]]) == 0
	count([1 | some _, value in one.values; placeholder.unknown(value)]) == 0
	count([1 | some mounted in get.list(one.container, "volumeMounts"); regex.match(hiding, get.string(mounted, "mountPath"))]) == 0
}

# PgCat looks the name up among its pools, not among the databases of their shards.
by_pgcat := [{"made": one.made, "program": "PgCat", "answer": ` ("No pool configured for database")`, "cure": "Call the pool %s: its name is what clients ask for", "databases": names, "path": one.file.path, "resource": one.file.resource} |
	some one in pooling_by_toml
	image.name(get.string(one.container, "image")) == "pgcat"
	names := {name |
		some match in regex.find_all_string_submatch_n(`(?m)^\s*\[\s*pools\.(?:"([^"]+)"|([A-Za-z0-9_-]+))`, one.file.text, -1)
		name := concat("", [match[1], match[2]])
	}
]

by_pgdog := [{"made": one.made, "program": "PgDog", "answer": " and refuses it", "cure": "Add a [[databases]] with name = \"%s\"", "databases": names, "path": one.file.path, "resource": one.file.resource} |
	some one in pooling_by_toml
	image.name(get.string(one.container, "image")) == "pgdog"
	names := {match[1] | some match in regex.find_all_string_submatch_n(`(?ms)^\s*\[\[databases\]\][^\[]*?^\s*name\s*=\s*"([^"]+)"`, one.file.text, -1)}
]

# Those whose file lies in a ConfigMap or a Secret in sight and names the server, wherever it is where the pooler is reviewed by itself.
pooling_by_toml := [{"made": made.object, "container": one, "file": file} |
	some made in workloads.lasting
	some one in get.list(made.pod, "containers")
	image.name(get.string(one, "image")) in {"pgcat", "pgdog"}
	some file in readable_files.mounted(one, get.list(made.pod, "volumes"))
	endswith(file.file, ".toml")
	not regex.match(`[$][{(]|\{[{%]`, file.text)
	regex.match(`(?m)^\s*\[+\s*(pools|databases)\b`, file.text)
	before_this_server(made, file.text)
]

# PgDog lets its clients finish for shutdown_timeout, 60 s unless it is written (https://docs.pgdog.dev/configuration/pgdog.toml/general).
facts contains {"impatient_poolers": impatient_poolers} if count(impatient_poolers) > 0

impatient_poolers := [{
	"reason": sprintf("%s %s gives PgDog %d s to stop, and it waits up to %d s for its clients: it is killed before, and drops their connections at every rollout", [one.made.kind, one.made.metadata.name, given, needed]),
	"cure": sprintf("Set terminationGracePeriodSeconds to %d", [needed + 30]),
	"path": array.concat(["spec", "template", "spec"], [field | some field in ["terminationGracePeriodSeconds"]; get.present(one.made, ["spec", "template", "spec", field])]),
	"resource": k8s.reference(one.made),
} |
	some one in pooling_by_toml
	image.name(get.string(one.container, "image")) == "pgdog"
	given := object.get(one.made, ["spec", "template", "spec", "terminationGracePeriodSeconds"], 30)
	is_number(given)
	needed := patience_of_pgdog(one.file.text)
	given < needed
]

patience_of_pgdog(toml) := floor(to_number(replace(match[1], "_", "")) / 1000) if some match in regex.find_all_string_submatch_n(`(?m)^\s*shutdown_timeout\s*=\s*([0-9][0-9_]*)`, toml, 1)

patience_of_pgdog(toml) := 60 if not regex.match(`(?m)^\s*shutdown_timeout\s*=`, toml)

# Containers of the namespace that name one of these Services, with the database that they ask for.
asking_by(names) := array.concat(array.concat(asking_by_words(names), asking_by_address(names)), asking_by_pdo(names))

asking_by_words(names) := [{"client": one.client, "container": one.container, "database": database, "variables": one.variables} |
	count(names) > 0
	some one in client_containers
	some name, variable in one.variables
	prefix := before_host(name)
	sessions.leads(names, regex.replace(variable.value, `:[0-9]+$`, ""))
	database := told(one, [prefix], ["NAME", "DB", "DATABASE", "DBNAME", "DB_NAME", "DATABASE_NAME"])
]

asking_by_address(names) := [{"client": one.client, "database": object.union(variable, {"value": parts[2]}), "container": one.container, "variables": one.variables} |
	count(names) > 0
	some one in client_containers
	some variable in one.variables
	parts := regex.find_all_string_submatch_n(`^(?:jdbc:)?postgres(?:ql)?(?:\+[a-z0-9]+)?://(?:[^/@?]*@)?([A-Za-z0-9.-]+)(?::[0-9]+)?/([A-Za-z0-9_-]+)(?:\?|$)`, variable.value, 1)[0]
	sessions.leads(names, parts[1])
]

# The words of PHP's PDO: pgsql:host=pool;dbname=shop.
asking_by_pdo(names) := [{"client": one.client, "database": object.union(variable, {"value": words.dbname}), "container": one.container, "variables": one.variables} |
	count(names) > 0
	some one in client_containers
	some variable in one.variables
	startswith(variable.value, "pgsql:")
	words := {match[1]: match[2] | some match in regex.find_all_string_submatch_n(`[:;]\s*(host|dbname)=([A-Za-z0-9._-]+)`, variable.value, -1)}
	sessions.leads(names, words.host)
]

package walguard.lib.workloads

import data.walguard.lib.client
import data.walguard.lib.environment
import data.walguard.lib.files
import data.walguard.lib.get
import data.walguard.lib.image
import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.lib.placeholder

# METADATA
# description: |
#   The names of servers that the object under review calls and that nobody else speaks for: it runs clients or poolers of PostgreSQL and no server, and no server is in sight in its namespace. Of an address the
#   part before the first dot, as "hosts" of walguard.model. None of an object beside a server, whose review is about its clients too.
called := {host |
	some one in own_containers
	some name in names_in(one, own_volumes)
	host := split(name, ".")[0]
	not host in {"", "localhost", "127", "0"}
	not placeholder.holds(host)
	unaccompanied
}

# METADATA
# description: |
#   True where the object under review is a client by itself: it names such servers, or it runs a pooler or dumps a database, wherever the address stands. A Secret that is not in sight holds it more often than not.
alone if count(called) > 0

alone if {
	some one in own_containers
	by_address_unseen(one)
	unaccompanied
}

# METADATA
# description: True of a pod without a server, and none is in sight in its namespace.
unaccompanied if {
	count(own_containers) > 0
	not server_beside
}

# METADATA
# description: True where a pooler is by itself, which its own clients may stand beside.
pooler_alone if {
	alone
	some one in own_containers
	pools(one)
}

own_pod := get.map(k8s.object, pods[sprintf("%s %s", [k8s.api_version, k8s.kind])])

own_volumes := get.list(own_pod, "volumes")

# None where one of them is a server, or the pod is another object's.
own_containers := found if {
	count(get.list(k8s.object, ["metadata", "ownerReferences"])) == 0
	found := containers_of(own_pod)
	count([1 | some one in found; serves_here(one)]) == 0
} else := []

# What ends is no server, whatever image it takes.
serves_here(container) if starts_server(container)

serves_here(container) if {
	not k8s.kind in {"CronJob", "Job"}
	serves(container)
}

by_address_unseen(container) if image.name(get.string(container, "image")) in {"odyssey", "pgadmin4", "pgbouncer", "pgcat", "pgdog", "pgpool", "pg-bkup", "postgres-backup-local", "postgres-backup-s3"}

# Through a proxy beside it, which has the address.
by_address_unseen(container) if {
	speaks(container)
	some other in own_containers
	proxy_of_cloud(other)
}

# Whose port is PostgreSQL's.
by_address_unseen(container) if {
	proxy_of_cloud(container)
	regex.match(`(^|[^0-9])5432([^0-9]|$)`, concat(" ", words(container)))
}

by_address_unseen(container) if client.postgres_alone(container)

by_address_unseen(container) if {
	some text in array.concat(words(container), scripts(container, own_volumes))
	regex.match(`\bpg_dump(all)?\b`, text)
}

# METADATA
# description: True of a container that is a proxy of Cloud SQL or AlloyDB, which runs until somebody ends it.
proxy_of_cloud(container) if regex.match(`(^|/)(cloudsql-docker/gce-proxy|cloud-sql-connectors/cloud-sql-proxy|alloydb-connectors/alloydb-auth-proxy)$`, image.repository(get.string(container, "image")))

# METADATA
# description: The texts of mounted files that the command of a container names.
scripts(container, volumes) := [file.text |
	some word in words(container)
	regex.match(`/`, word)
	some file in files.mounted(container, volumes)
	contains(word, file.file)
]

containers_of(pod) := [one |
	some list in ["containers", "initContainers"]
	some one in get.list(pod, list)
	is_object(one)
]

# An image of a server, or what tells one where its data is; whether it starts one is not asked.
serves(container) if {
	image_of_server(image.repository(get.string(container, "image")))
	not runs_client(container)
}

serves(container) if starts_server(container)

starts_server(container) if {
	some variable in get.list(container, "env")
	regex.match(`^(PGDATA$|POSTGRES(QL)?_(INITDB|DATA_DIR|MASTER|REPLICATION)|PATRONI_|SPILO_|REPMGR_)`, get.string(variable, "name"))
}

starts_server(container) if regex.match(`(^|[\s/;&|])(postgres|postmaster|patroni|initdb|pg_ctl|pg_autoctl|repmgrd?)(\s|$)`, without_names(concat(" ", words(container))))

# A database, a role and a host may be called so too.
without_names(line) := regex.replace(line, `(^|\s)(-[a-zA-Z]*[dhU]|--(dbname|host|username))[ =]?["']?postgres\b`, " ")

image_of_server(repository) if {
	regex.match(`postgres|postgis|timescale|pgvector|spilo|patroni|pgsql|stolon|repmgr|paradedb|polardb|citus|vectorchord`, repository)
	not regex.match(`exporter|backup|bkup|pgadmin|bouncer|pgcat|pgdog|pgpool|postgrest|supavisor|operator|client|migrat|dump`, repository)
}

runs_client(container) if regex.match(`(^|[\s/;&|(])(psql|pg_dump|pg_dumpall|pg_isready|pg_restore|createdb)(\s|$)`, concat(" ", words(container)))

words(container) := [word |
	some field in ["command", "args"]
	some word in get.list(container, field)
	is_string(word)
]

# Clusters of operators, and workloads that run an image of a server.
server_beside if server_in(k8s.namespace)

server_in(namespace) if {
	inventory.given
	some _, kinds in get.map(input.inventory, ["namespace", namespace])
	some kind in kinds_of_clusters
	count(get.map(kinds, kind)) > 0
}

server_in(namespace) if {
	not inventory.given
	some kind in kinds_of_clusters
	some version
	data.inventory.namespace[namespace][version][kind][_]
}

server_in(namespace) if {
	some key in ["apps/v1 StatefulSet", "apps/v1 Deployment", "apps/v1 DaemonSet", "v1 Pod", "v1 ReplicationController", "apps.openshift.io/v1 DeploymentConfig"]
	[api_version, kind] := split(key, " ")
	some made in inventory.list(namespace, api_version, kind)
	some one in get.list(made, array.concat(pods[key], ["containers"]))
	serves(one)
}

kinds_of_clusters := {"Cluster", "Component", "Kubegres", "MPDCluster", "PerconaPGCluster", "PostgresCluster", "PostgresServer", "SGCluster", "SGShardedCluster", "postgresql"}

# The hosts that a container names as those of PostgreSQL.
names_in(container, volumes) := union({in_addresses(container, volumes), in_variables(container), in_words(container), in_files(container, volumes), in_settings(container, volumes), in_sources(container, volumes)})

in_addresses(container, volumes) := {match[1] |
	speaks(container)
	some text in texts_of(container, volumes)
	some pattern in [
		# A password may have an "@", and a "?" too.
		`(?i)\bpostgres(?:ql)?(?:\+[a-z0-9]+)?://[^\s"'?]*@([a-z0-9][a-z0-9.-]*)`,
		`(?i)\bpostgres(?:ql)?(?:\+[a-z0-9]+)?://[^\s"']*@([a-z0-9][a-z0-9.-]*)`,
		`(?i)\bpostgres(?:ql)?(?:\+[a-z0-9]+)?://([a-z0-9][a-z0-9.-]*)(?::[0-9]+)?(?:[/?\s"',]|$)`,
		`(?:^|[\s"'])host=["']?([A-Za-z0-9][A-Za-z0-9.-]*)`,
	]
	some match in regex.find_all_string_submatch_n(pattern, text, -1)
}

in_variables(container) := {match[1] |
	speaks(container)
	some name, value in environment.values(container)
	not regex.match(`CLICKHOUSE|MARIA|MONGO|MSSQL|MYSQL|ORACLE|REDIS`, name)
	some pattern in [form | some variable, form in forms; regex.match(variable, name)]
	some match in regex.find_all_string_submatch_n(pattern, value, -1)
}

forms := {
	`^[A-Z0-9_]*(DB|DATABASE|database|POSTGRES|POSTGRESQL|PG|SQL|POSTGRESDB)_{0,2}(URL_)?(HOST|HOSTNAME|ADDR|ADDRESS|SEEDS|SERVER|SERVICE)$`: `^(?:[a-z:]+://)?([A-Za-z0-9][A-Za-z0-9.-]*)(?::[0-9]+)?/?$`,
	"^DATA_SOURCE_URI$": `^([A-Za-z0-9][A-Za-z0-9.-]*)`,
	# Without a scheme.
	`(URL|URI|DSN|DATASOURCE)$`: `^(?:[^\s:/@=]+:[^\s@/(]*@)?([A-Za-z0-9][A-Za-z0-9.-]*):5432(?:/|$)`,
	"^PGPOOL_BACKEND_NODES$": `[0-9]+:([A-Za-z0-9][A-Za-z0-9.-]*)`,
}

in_words(container) := {match[1] |
	runs_client(container)
	some match in regex.find_all_string_submatch_n(`(?:\s-h\s*|--host[= ])["']?([A-Za-z0-9][A-Za-z0-9.-]*)`, concat(" ", words(container)), -1)
}

in_files(container, volumes) := {match[1] |
	some text in texts_of(container, volumes)
	some match in regex.find_all_string_submatch_n(`\b(?:host|backend_hostname[0-9]+)\s*=\s*'?([A-Za-z0-9][A-Za-z0-9.-]*)`, text, -1)
} if {
	pools(container)
}

in_files(container, _) := set() if not pools(container)

in_settings(container, volumes) := {match[1] |
	some file in client.settings(container, volumes)
	some match in regex.find_all_string_submatch_n(`(?m)^\s*host\s*=\s*["']?([A-Za-z0-9][A-Za-z0-9.-]*)`, file.text, -1)
}

in_sources(container, volumes) := {match[1] |
	some source in client.provisioned(container, volumes)
	some match in regex.find_all_string_submatch_n(`(?m)^\s*url:\s*["']?(?:postgres(?:ql)?://)?([A-Za-z0-9][A-Za-z0-9.-]*)`, source.text, -1)
}

pools(container) if regex.match(`bouncer|pgpool|pgcat|pgdog|odyssey|supavisor`, get.string(container, "image"))

# METADATA
# description: True of a container that clients come by to a server that is elsewhere.
between(container) if proxy_of_cloud(container)

between(container) if pools(container)

# What says that it is PostgreSQL.
speaks(container) if {
	some word in words(container)
	regex.match(`(^|=)postgres(ql)?(\+[a-z0-9]+)?://`, word)
}

speaks(container) if pools(container)

speaks(container) if contains(get.string(container, "image"), "postgres")

speaks(container) if runs_client(container)

speaks(container) if client.postgres_alone(container)

speaks(container) if {
	some variable in get.list(container, "env")
	regex.match(words_of_it, get.string(variable, "name"))
}

speaks(container) if {
	some name, value in environment.values(container)
	says_so(name, value)
}

says_so(name, _) if regex.match(words_of_it, name)

says_so(_, value) if regex.match(words_of_it, value)

# Bitnami's images call it so.
says_so(name, "5432") if regex.match(`PORT(_NUMBER)?$`, name)

says_so(_, value) if regex.match(`^[A-Za-z0-9.-]+:5432$`, value)

words_of_it := `(?i)postgres|pgsql|(^|_)pg_?(host|user|password|database)|^(.*\s)?host=\S.*\s(dbname|user)=|^(.*\s)?user=\S+\s.*host=`

texts_of(container, volumes) := array.concat(
	array.concat(words(container), [value | some _, value in environment.values(container)]),
	[file.text |
		pools(container)
		some file in files.mounted(container, volumes)
	],
)

package walguard.model.addresses

import data.walguard.lib.client
import data.walguard.lib.environment
import data.walguard.lib.get
import data.walguard.lib.image
import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.lib.login
import data.walguard.lib.text
import data.walguard.lib.workloads
import data.walguard.model

# METADATA
# description: |
#   The largest pools of connections that the clients of one host of the cluster ask for together: {"connections", "clients": ["Deployment app: 25 × 4 pods", "and so on, two at most"], "path" and "resource" of the
#   first, "lasting": the connections without those of the pods that a rollout adds}. Workloads whose variables say both the host and the size of a pool, or have Spring Boot open its default; more pods run while
#   a Deployment is rolled out. A program may keep a pool in each of its processes: it is at least so many.
pools := [object.union({"connections": connections, "lasting": sum([one.lasting | some one in group]), "clients": array.concat([one.text | some one in array.slice(group, 0, 2)], rest_of(group))}, object.filter(group[0], ["path", "resource"])) |
	count(pooling) > 0
	some host in {one.host | some one in pooling; one.host in server_hosts}
	not host in limited_hosts
	group := [one | some one in pooling; one.host == host]
	connections := sum([one.connections | some one in group])
]

# METADATA
# description: |
#   Poolers whose clients ask for more connections than they take together: {"connections", "clients" as above, "limit": see walguard.model, pooler_limits}.
crowds := [{"connections": connections, "lasting": sum([one.lasting | some one in group]), "clients": array.concat([one.text | some one in array.slice(group, 0, 2)], rest_of(group)), "limit": limit} |
	count(pooling) > 0
	some limit in limits
	group := [one | some one in pooling; one.host in limit.hosts; not passes(one, limit)]
	connections := sum([one.connections | some one in group])
	connections > limit.clients
]

limits := get.list(model.cluster, "pooler_limits")

limited_hosts := {host | some limit in limits; some host in limit.hosts}

# Another port of the same Service leads to the server itself.
passes(one, limit) if {
	some value in one.values
	regex.match(sprintf(`(^|:)%d($|/)`, [limit.direct_port]), value)
}

rest_of(group) := [] if count(group) < 3

rest_of(group) := [sprintf("%d more", [count(group) - 2])] if count(group) > 2

# Several variables of a container are one pool of several names.
pooling := array.concat(pooling_workloads, pooling_of_keycloak)

# Its operator runs so many pods of it, each with the pool; spec.db.poolMaxSize becomes KC_DB_POOL_MAX_SIZE (https://www.keycloak.org/operator/advanced-configuration).
pooling_of_keycloak := [{
	"host": host,
	"values": [said],
	"size": size,
	"connections": size * pods,
	"lasting": size * pods,
	"text": sprintf("Keycloak %s: %d × %s", [made.metadata.name, size, text.counted(pods, "pod")]),
	"path": ["spec", "db", "poolMaxSize"],
	"resource": k8s.reference(made),
} |
	count(reached_hosts) > 0
	some version in ["k8s.keycloak.org/v2beta1", "k8s.keycloak.org/v2alpha1"]
	some made in inventory.list(model.cluster.namespace, version, "Keycloak")
	size := get.number(made, ["spec", "db", "poolMaxSize"])
	said := get.string(made, ["spec", "db", "host"])
	host := [name | some name in reached_hosts; leads(said, name)][0]
	pods := object.get(made, ["spec", "instances"], 1)
	is_number(pods)
]

pooling_workloads := [object.union(found, {"host": host, "values": [variable.value | some variable in said_in(one)], "connections": found.size * pods, "lasting": found.size * wanted(one.made.object), "text": sprintf("%s: %d%s × %s%s", [one.made.words, found.size, by_default(one), text.counted(pods, "pod"), in_a_rollout[pods > wanted(one.made.object)]])}) |
	count(reached_hosts) > 0
	some one in workloads.calling
	one.list == "containers"
	one.made.kind in {"CronJob", "Deployment", "Job", "StatefulSet"}
	found := size_of(one)
	host := [name | some name in host_of(one)][0]
	pods := pods_of(one.made.object)
]

# Poolers stand before the server with limits of their own.
server_hosts := {host | some host in hosts; not regex.match(`pool|bouncer`, host)}

reached_hosts := server_hosts | limited_hosts

# SQLAlchemy opens so many more when its pool is in use.
size_of(one) := object.union(sizes(one)[0], {"size": sizes(one)[0].size + sum([n | some n in overflows(one)])}) if {
	not of_concourse(one)
} else := {"size": 10, "path": array.concat(one.path, ["env"]), "resource": one.made.resource} if {
	of_hikari(one)
} else := {"size": sum([of_pools_of_concourse(one, name) | some name, _ in pools_of_concourse]) + 5, "path": one.path, "resource": one.made.resource} if {
	of_concourse(one)
}

# The pool of Spring Boot, which nothing sizes that is seen here (HikariConfig.java, DEFAULT_POOL_SIZE). A file that is mounted may.
of_hikari(one) if {
	one.made.kind in {"Deployment", "StatefulSet"}
	some variable in said_in(one)
	variable.name == "SPRING_DATASOURCE_URL"
	startswith(variable.value, "jdbc:postgresql:")
	count(sizes(one)) == 0
	count([1 | some name in client.names(one.container); regex.match(`(?i)hikari|pool|^SPRING_(CONFIG|APPLICATION_JSON|CLOUD|DATASOURCE_TYPE)|R2DBC`, name)]) == 0
	count([1 | some source in get.list(one.container, "envFrom"); count(environment.entries(source)) == 0]) == 0
	not regex.match(`(?i)hikari|pool|spring\.config|datasource`, json.marshal([get.list(one.container, "command"), get.list(one.container, "args"), [variable.value | some variable in said_in(one); variable.name != "SPRING_DATASOURCE_URL"]]))
	count([1 | some mounted in get.list(one.container, "volumeMounts"); regex.match(`conf|app|properties|\.ya?ml$|resources`, get.string(mounted, "mountPath"))]) == 0
}

by_default(one) := " by default" if of_hikari(one)

by_default(one) := "" if not of_hikari(one)

sizes(one) := array.concat(
	[object.union({"size": to_number(variable.value)}, object.filter(variable, ["path", "resource"])) |
		some variable in said_in(one)
		not variable.name in of_servers
		of_clients(get.upper_case(variable.name))
		regex.match(`^[1-9][0-9]{0,4}$`, variable.value)
	],
	[{"size": to_number(match[1]), "path": array.concat(one.path, [field, i]), "resource": one.made.resource} |
		some field in ["command", "args"]
		some i, word in get.list(one.container, field)
		is_string(word)
		some match in regex.find_all_string_submatch_n(`^--db-pool-max-size=([1-9][0-9]{0,4})$`, word, 1)
	],
)

overflows(one) := {to_number(variable.value) |
	some variable in said_in(one)
	regex.match(`SQL_?ALCHEMY_(ENGINE_OPTIONS_)?MAX_OVERFLOW$`, variable.name)
	regex.match(`^[1-9][0-9]{0,4}$`, variable.value)
}

# A web node of Concourse keeps a pool for its API, one for its backend and one of 5 for garbage collection (atc/atccmd/command.go; https://concourse-ci.org/docs/install/running-web/).
pools_of_concourse := {"CONCOURSE_API_MAX_CONNS": 10, "CONCOURSE_BACKEND_MAX_CONNS": 50}

# One node alone stays below what a server has by default.
of_concourse(one) if {
	image.repository(get.string(one.container, "image")) == "docker.io/concourse/concourse"
	get.list(one.container, "args")[0] == "web"
	wanted(one.made.object) > 1
}

of_pools_of_concourse(one, name) := to_number(said[0]) if {
	said := [variable.value | some variable in said_in(one); variable.name == name; regex.match(`^[1-9][0-9]{0,4}$`, variable.value)]
	count(said) > 0
} else := pools_of_concourse[name]

# The variables of a container that are written there, and behind them those of ConfigMaps that it takes as a whole.
said_in(one) := array.concat(
	[{"name": get.string(variable, "name"), "value": value, "path": array.concat(one.path, ["env", i, "value"]), "resource": one.made.resource} |
		some i, variable in get.list(one.container, "env")
		value := get.string(variable, "value")
	],
	[object.union({"name": name}, entry) |
		some source in get.list(one.container, "envFrom")
		some name, entry in environment.entries(source)
		count([1 | some variable in get.list(one.container, "env"); get.string(variable, "name") == name]) == 0
	],
)

# Programs that call it otherwise.
of_clients(name) if name in {"HASURA_GRAPHQL_PG_CONNECTIONS", "PGRST_DB_POOL", "QUARKUS_DATASOURCE_JDBC_MAX_SIZE"}

of_clients(name) if {
	regex.match(`^([A-Z0-9]+_+)*([A-Z0-9]*DB|DATABASE|PG|POSTGRES|POSTGRESQL|SQL|SQLALCHEMY|DATASOURCE|HIKARI)_+([A-Z0-9]+_+)*(MAX_CONNS?|MAX_?CONNECTIONS|MAX_OPEN_CONNS?|MAX_OPEN_CONNECTIONS|POOL_SIZE|POOL_MAX|MAX_POOL|MAX_POOL_SIZE|POOL_MAX_SIZE|MAXIMUM_?POOL_?SIZE|CONNECTION_LIMIT)$`, name)
	not regex.match(`(ARANGO|COUCH|DOCUMENT|DYNAMO|INFLUX|MARIA|MONGO|RETHINK|ROCKS|SCYLLA)_?DB`, name)
}

# Images of the server itself have these, a standby with the host of its primary beside them.
of_servers := {"PG_MAX_CONNECTIONS", "POSTGRESQL_MAX_CONNECTIONS", "POSTGRES_MAX_CONNECTIONS"}

host_of(one) := {host |
	some address in array.concat([address_in(variable) | some variable in get.list(one.container, "env")], [variable.value | some variable in said_in(one)])
	some host in reached_hosts
	leads(address, host)
}

address_in(variable) := get.string(variable, "value")

address_in(variable) := login.bare(login.raw(secret, get.string(reference, "key"))) if {
	reference := get.map(variable, ["valueFrom", "secretKeyRef"])
	secret := inventory.namespaced_object(model.cluster.namespace, "v1", "Secret", get.string(reference, "name"))
}

leads(address, host) if leads_to(address, {host})

leads(address, host) if named(regex.replace(address, `:[0-9]+$`, ""), {host})

in_a_rollout := {true: " in a rollout", false: ""}

# While a Deployment is rolled out, new pods run beside the old ones.
pods_of(made) := number + surge(made, number) if number := wanted(made)

# Of a Job as many run at once as it says, and no more than it wants; none that is suspended.
wanted(made) := min(array.concat([get.number(job, "parallelism")], [n | n := get.number(job, "completions")])) if {
	made.kind in {"CronJob", "Job"}
	job := job_of(made)
	not get.boolean(job, "suspend")
} else := highest if {
	highest := max([get.number(scaler, ["spec", "maxReplicas"]) | some scaler in workloads.scalers(made.kind, made.metadata.name)])
} else := get.number(made, ["spec", "replicas"]) if {
	get.present(made, ["spec", "replicas"])
} else := 1

job_of(made) := get.map(made, "spec") if made.kind == "Job"

job_of(made) := get.map(made, ["spec", "jobTemplate", "spec"]) if made.kind == "CronJob"

surge(made, _) := 0 if made.kind in {"CronJob", "Job", "StatefulSet"}

surge(made, _) := 0 if get.string(made, ["spec", "strategy", "type"]) == "Recreate"

surge(made, number) := ceil((number * to_number(trim_suffix(share, "%"))) / 100) if {
	rolled_out(made)
	share := object.get(made, ["spec", "strategy", "rollingUpdate", "maxSurge"], "25%")
	is_string(share)
	regex.match(`^[0-9]{1,3}%$`, share)
}

surge(made, _) := share if {
	rolled_out(made)
	share := get.number(made, ["spec", "strategy", "rollingUpdate", "maxSurge"])
}

rolled_out(made) if {
	made.kind == "Deployment"
	object.get(made, ["spec", "strategy", "type"], "RollingUpdate") == "RollingUpdate"
}

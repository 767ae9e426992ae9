package walguard.lib.crunchy

import data.walguard.lib.fact
import data.walguard.lib.get
import data.walguard.lib.image
import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.lib.placeholder

# METADATA
# description: What the operator refuses beside what its schema says in single fields; see walguard.model, refusals.
refusals := array.concat(array.concat(array.concat(unread_options, array.concat(refused_upgrades, long_upgrades)), array.concat(array.concat(ports_of_cluster_addresses, long_names), containers_of_one_name)), array.concat(
	array.concat(array.concat(twins, passwords), array.concat(standbys, unknown_sources)),
	array.concat(array.concat(claims_of_another_type, incomplete_claims), array.concat(volumes_as_source, rules_that_are_none)),
))

claim_specs := array.concat(
	[array.concat(["spec", "instances", i], below) |
		some i, set in get.list(k8s.object, ["spec", "instances"])
		some below in array.concat(
			[["dataVolumeClaimSpec"], ["walVolumeClaimSpec"]],
			[["tablespaceVolumes", j, "dataVolumeClaimSpec"] | some j, _ in get.list(set, "tablespaceVolumes")],
		)
	],
	[array.concat(pgbackrest, ["repos", i, "volume", "volumeClaimSpec"]) | some i, _ in repositories],
)

# The schema has a map there, and keeps nothing of a list.
claims_of_another_type := [{
	"path": path,
	"reason": sprintf("%s is not a map", [path[count(path) - 1]]),
	"cure": "Write accessModes and resources.requests.storage below it",
} |
	some path in claim_specs
	written := object.get(k8s.object, path, null)
	written != null
	not is_object(written)
	not placeholder.holds(written)
]

# The claim itself is refused ("spec.accessModes: Required value", "spec.resources[storage]: Required value"), and the instance waits for it.
incomplete_claims := [{
	"path": path,
	"reason": sprintf("the claim of %s has no %s, which the API server asks for", [path[count(path) - 1], lacking]),
	"cure": sprintf("Write %s", [lacking]),
} |
	some path in claim_specs
	written := object.get(k8s.object, path, null)
	is_object(written)
	count(written) > 0
	count([1 | some key, _ in written; placeholder.holds(key)]) == 0
	some [field, lacking] in [[["accessModes"], "accessModes"], [["resources", "requests", "storage"], "resources.requests.storage"]]
	not placeholder.holds(object.get(written, [field[0]], null))
	not get.present(written, ["dataSourceRef"])
	not given_there(object.get(written, field, null))
]

given_there(value) if not value in {null, "", []}

# A map of the API server (listMapKey: name).
twins := [{
	"path": array.concat(path, [i, "name"]),
	"reason": sprintf("two of %s are called %s", [path[count(path) - 1], name]),
	"cure": "Give them different names",
} |
	some path in [["spec", "instances"], ["spec", "users"], array.concat(pgbackrest, ["repos"])]
	some i, one in get.list(k8s.object, path)
	name := get.string(one, "name")
	not placeholder.unknown(name)
	count([1 | some k, other in get.list(k8s.object, path); k < i; get.string(other, "name") == name]) == 1
]

passwords := [{
	"path": ["spec", "users", i, "options"],
	"reason": sprintf("the options of user %s set a password", [get.string(user, "name")]),
	"cure": sprintf("Take it out; the password stands in Secret %s-pguser-%s, which may be written beforehand", [k8s.name, get.string(user, "name")]),
} |
	some i, user in get.list(spec, "users")
	get.string(user, "name")
	regex.match(`(?i)\bpassword\b`, get.string(user, "options"))
]

# "ALTER ROLE … WITH" takes them as they are, in one script for all users (internal/postgres/users.go, WriteUsersInPostgreSQL).
unread_options := [{
	"by": "PostgreSQL",
	"path": ["spec", "users", i, "options"],
	"reason": sprintf("the options of user %s have %s, so that no user is created or changed", [get.string(user, "name"), fault]),
	"cure": "Write words such as CREATEDB, CREATEROLE or CONNECTION LIMIT 10, with spaces between them",
} |
	some i, user in get.list(spec, "users")
	options := get.string(user, "options")
	not placeholder.holds(options)
	not regex.match(`(?i)\bpassword\b`, options)
	fault := fault_of_options(lower(options))
]

fault_of_options(options) := "a comment, which the operator does not allow" if {
	regex.match(`--|/\*|\*/`, options)
} else := sprintf("the word %s, which ALTER ROLE does not read", [upper(unread[0])]) if {
	left := regex.replace(regex.replace(options, `\bconnection\s+limit\s+-?[0-9]+\b`, " "), `\bvalid\s+until\s+'[^']*'`, " ")
	unread := [word | some word in regex.split(`\s+`, trim_space(left)); word != ""; not regex.match(role_options, word)]
	count(unread) > 0
}

role_options := `^(no)?(superuser|createdb|createrole|inherit|login|replication|bypassrls)$`

# "NodePort cannot be set with type ClusterIP": the operator stops there each time (internal/controller/postgrescluster/cluster.go, patroni.go and pgbouncer.go).
ports_of_cluster_addresses := [{
	"path": array.concat(path, ["nodePort"]),
	"reason": sprintf("%s has a nodePort and type ClusterIP (\"NodePort cannot be set with type ClusterIP\"), and the operator goes no further", [concat(".", path)]),
	"cure": "Set type: NodePort or LoadBalancer, or leave nodePort out",
} |
	some path in [["spec", "service"], ["spec", "replicaService"], ["spec", "proxy", "pgBouncer", "service"], ["spec", "userInterface", "pgAdmin", "service"], ["spec", "expose"], ["spec", "exposeReplicas"], ["spec", "proxy", "pgBouncer", "expose"]]
	service := get.map(k8s.object, path)
	is_number(object.get(service, "nodePort", null))
	object.get(service, "type", "ClusterIP") == "ClusterIP"
]

# "Standby requires a host or repoName to be enabled" (internal/controller/postgrescluster/controller.go).
standbys := [{
	"path": ["spec", "standby", "enabled"],
	"reason": "standby.enabled stands without host and repoName",
	"cure": "Write host, the address of the primary, or repoName, the repository that it archives to",
} |
	standby
	count([1 | some field in ["host", "repoName"]; get.string(spec, ["standby", field]) != ""]) == 0
]

# reconcilePostgresClusterDataSource: an event InvalidDataSource, and nothing is created.
unknown_sources := array.concat(spread_twice, sources_unknown)

# defaultTopologySpreadConstraints (internal/controller/postgrescluster/topology.go) stands behind those that are written, and the API server takes one of a key and a mode.
spread_twice := [{
	"path": array.concat(path, [i]),
	"reason": sprintf("the operator adds a constraint with topologyKey %s and ScheduleAnyway of its own, and the API server refuses two of them (\"duplicate entries for key\"), so that %s is not created or not changed any more", [key, what]),
	"cure": "Take it out, write DoNotSchedule, or set spec.disableDefaultPodScheduling: true and write all constraints",
} |
	not get.boolean(spec, "disableDefaultPodScheduling")
	some [path, what] in array.concat(
		[
			[["spec", "proxy", "pgBouncer", "topologySpreadConstraints"], "PgBouncer"],
			[array.concat(pgbackrest, ["repoHost", "topologySpreadConstraints"]), "the repository host"],
		],
		[[["spec", "instances", k, "topologySpreadConstraints"], "the instance"] | some k, _ in get.list(spec, "instances")],
	)
	some i, constraint in get.list(k8s.object, path)
	get.string(constraint, "whenUnsatisfiable") == "ScheduleAnyway"
	key := get.string(constraint, "topologyKey")
	key in {"kubernetes.io/hostname", "topology.kubernetes.io/zone"}
]

sources_unknown := [{
	"path": ["spec", "dataSource", "postgresCluster", "repoName"],
	"reason": sprintf("PostgresCluster %s has no repository %s", [get.string(named, "clusterName"), name]),
	"cure": "Name one that it has",
} |
	named := get.map(spec, ["dataSource", "postgresCluster"])
	name := get.string(named, "repoName")
	not placeholder.unknown(name)
	source := inventory.namespaced_object(source_namespace(k8s.object, named), k8s.api_version, k8s.kind, get.string(named, "clusterName"))
	repos := [get.string(one, "name") | some one in get.list(source, array.concat(pgbackrest, ["repos"]))]
	count(repos) > 0
	not name in repos
	count([1 | some one in repos; placeholder.unknown(one)]) == 0
]

# "Only S3, GCS or Azure repos can be used as a pgBackRest data source." (x-kubernetes-validations of both CRDs).
volumes_as_source := [{
	"path": ["spec", "dataSource", "pgbackrest", "repo", "volume"],
	"reason": "dataSource.pgbackrest reads no volume, but S3, GCS or Azure",
	"cure": "Restore with dataSource.postgresCluster, or copy the repository to a bucket first",
} |
	get.present(spec, ["dataSource", "pgbackrest", "repo", "volume"])
]

# spec.authentication.rules (x-kubernetes-validations of PGO's CRD).
rules_that_are_none := [{
	"path": ["spec", "authentication", "rules", i],
	"reason": fault[0],
	"cure": fault[1],
} |
	some i, rule in get.list(spec, ["authentication", "rules"])
	is_object(rule)
	not placeholder.holds(rule)
	fault := fault_of_rule(rule)
]

fault_of_rule(rule) := ["a rule has hba beside other fields", "Write hba alone, or connection, method and the rest without hba"] if {
	get.present(rule, "hba")
	count([1 | some field in ["connection", "databases", "method", "options", "users"]; get.present(rule, field)]) > 0
} else := ["method trust is not allowed, which asks no password", "Write scram-sha-256 or cert"] if {
	get.string(rule, "method") == "trust"
} else := ["a rule has neither hba nor both connection and method", "Write connection and method"] if {
	not get.present(rule, "hba")
	count([1 | some field in ["connection", "method"]; get.present(rule, field)]) < 2
}

# Conditions PGUpgradeInvalid and PGClusterNotRightVersion (internal/controller/pgupgrade/pgupgrade_controller.go). One that is over names the version that the cluster has by now.
refused_upgrades := [object.union({"by": sprintf("%s %s", [kind, upgrade.metadata.name]), "resource": k8s.reference(upgrade)}, fault) |
	some [version, kind] in kinds_of_upgrade[k8s.kind]
	some upgrade in inventory.list(k8s.namespace, version, kind)
	get.string(upgrade, ["spec", "postgresClusterName"]) == k8s.name
	former := get.number(upgrade, ["spec", "fromPostgresVersion"])
	later := get.number(upgrade, ["spec", "toPostgresVersion"])
	fault := fault_of_upgrade(former, later)
]

# The Jobs are called after the PGUpgrade, and those that empty the replicas also after the StatefulSets (internal/controller/pgupgrade/jobs.go); their names become a label of the pods. Percona's
# operator shortens them.
long_upgrades := [{
	"by": "The API server",
	"resource": k8s.reference(upgrade),
	"path": ["metadata", "name"],
	"reason": sprintf("a Job of the upgrade, named after %s, would have a name of %d characters, and 63 are allowed, so that the cluster stays shut down", [after, count(name) + added]),
	"cure": sprintf("Give the PGUpgrade a name of %d characters at most", [63 - added]),
} |
	k8s.kind == "PostgresCluster"
	some [version, kind] in kinds_of_upgrade[k8s.kind]
	some upgrade in inventory.list(k8s.namespace, version, kind)
	get.string(upgrade, ["spec", "postgresClusterName"]) == k8s.name
	get.number(upgrade, ["spec", "fromPostgresVersion"]) == major.value
	get.number(upgrade, ["spec", "toPostgresVersion"]) > major.value
	name := upgrade.metadata.name
	[added, after] := longest_addition
	count(name) + added > 63
	added < 60
	count([1 | some text in [name, k8s.name]; placeholder.holds(text)]) == 0
]

# "-pgdata", or "-", the cluster, "-", the set, "-" and four letters more.
longest_addition := longest([[7, "it alone"]]) if replicated_sets == []

longest_addition := longest(replicated_sets) if replicated_sets != []

longest(additions) := sort(additions)[count(additions) - 1]

replicated_sets := [[(count(k8s.name) + count(name)) + 7, sprintf("it, the cluster and %s", [name])] |
	some set in get.list(spec, "instances")
	get.number(set, "replicas") > 1
	name := get.string(set, "name")
	not placeholder.holds(name)
]

# The pods have these already (internal/postgres/reconcile.go, internal/pgbackrest/reconcile.go, internal/pgbouncer/reconcile.go), and spec.containers[].name is the key of a map for the API server.
containers_of_one_name := [{
	"by": "The API server",
	"path": array.concat(place.path, [i, "name"]),
	"reason": sprintf("the pods would have two containers called %s (\"Duplicate value\")", [name]),
	"cure": "Give the sidecar another name",
} |
	some place in places_of_sidecars
	listed := get.list(k8s.object, place.path)
	some i, sidecar in listed
	name := get.string(sidecar, "name")
	not placeholder.holds(name)
	name in (place.taken | {other.name | some k, other in listed; k < i})
]

places_of_sidecars := array.concat(
	[{"path": ["spec", "instances", i, field_of_sidecars], "taken": ({"database", "replication-cert-copy"} | of_pgbackrest)} | some i, _ in get.list(spec, "instances")],
	[{"path": ["spec", "proxy", "pgBouncer", field_of_sidecars], "taken": {"pgbouncer", "pgbouncer-config"}}],
)

field_of_sidecars := {"PerconaPGCluster": "sidecars", "PostgresCluster": "containers"}[k8s.kind]

# Without backups there are none.
of_pgbackrest := {"pgbackrest", "pgbackrest-config"} if count(repositories) > 0

of_pgbackrest := set() if count(repositories) == 0

fault_of_upgrade(former, later) := {
	"reason": sprintf("it is from PostgreSQL %d to %d, which is no upgrade", [former, later]),
	"cure": "Write a later version in toPostgresVersion",
	"path": ["spec", "toPostgresVersion"],
} if {
	former >= later
} else := {
	"reason": sprintf("it is from PostgreSQL %d, and the cluster has %d, so that the upgrade never begins", [former, major.value]),
	"cure": sprintf("Write fromPostgresVersion: %d", [major.value]),
	"path": ["spec", "fromPostgresVersion"],
} if {
	not major.value in {former, later}
}

kinds_of_upgrade := {
	"PerconaPGCluster": [["pgv2.percona.com/v2", "PerconaPGUpgrade"]],
	"PostgresCluster": [["postgres-operator.crunchydata.com/v1beta1", "PGUpgrade"]],
}

# METADATA
# description: |
#   What the image of PostgreSQL is for these operators; see walguard.model. Its startup script stops where the version is not that of the resource ("Expected
#   PostgreSQL version", internal/postgres/config.go).
image_facts := object.union_n([{"image_major": object.union(fact.written(number, ["spec", "image"]), {"consequence": "the pods stop at \"Expected PostgreSQL version\" and no instance starts"}) | number := image.operators_major(get.string(spec, "image"))}])

# METADATA
# description: |
#   Images of another program in the place of the one that runs there, see walguard.model. Percona's old images are told apart by their tags ("…:2.3.1-ppg16-pgbackrest2.48"). The exporter of release 5.0
#   has its program where newer operators do not look (internal/pgmonitor/exporter.go).
wrong_images := array.concat(
	array.concat(
		[{
			"reason": sprintf("The image %s is not one of %s, and its pods do not start", [reference, program]),
			"cure": sprintf("Take the image of %s, or leave the field out", [program]),
			"path": path,
		} |
			some [path, program, own] in image_fields
			reference := get.string(k8s.object, path)
			last := last_of(reference)
			not regex.match(programs[own], last)
			some other, pattern in programs
			other != own
			regex.match(pattern, last)
		],
		[{
			"reason": sprintf("The exporter %s is older than what the operator runs: \"postgres_exporter: command not found\", and no metrics", [reference]),
			"cure": "Take the image of the operator's release, or leave the field out",
			"path": exporter_path,
			"level": "warning",
		} |
			reference := get.string(k8s.object, exporter_path)
			regex.match(`crunchy-postgres-exporter:(ubi8|centos8|centos7)-5\.0\.[0-9]+-[0-9]+$`, reference)
			not former_operator
		],
	),
	array.concat(without_postgis, unsupported_exporter),
)

# An event PostGISDisabled ("Unable to install PostGIS", internal/controller/postgrescluster/postgres.go).
without_postgis := [{
	"reason": sprintf("The image %s has no PostGIS, which postGISVersion asks for: no database gets the extension", [reference]),
	"cure": "Take an image crunchy-postgres-gis with that version, or leave postGISVersion out",
	"path": ["spec", "image"],
	"level": "warning",
} |
	get.present(spec, "postGISVersion")
	reference := get.string(spec, "image")
	regex.match(`(^|/)crunchy-postgres:`, reference)
]

# An event ExporterNotSupportedForPostgresVersion (internal/controller/postgrescluster/pgmonitor.go): the exporter's user gets none of what it reads.
unsupported_exporter := [{
	"reason": sprintf("The operator sets up nothing for postgres_exporter in PostgreSQL %d (\"use OTel for postgres 18 and later\"): there are no metrics of the server", [major.value]),
	"cure": "Take spec.monitoring out and write spec.instrumentation",
	"path": ["spec", "monitoring", "pgmonitor", "exporter"],
	"level": "warning",
} |
	k8s.group == "postgres-operator.crunchydata.com"
	is_object(object.get(spec, ["monitoring", "pgmonitor", "exporter"], null))
	not get.present(spec, "instrumentation")
	major.value > 17
]

exporter_path := ["spec", "monitoring", "pgmonitor", "exporter", "image"]

image_fields := [
	[["spec", "image"], "PostgreSQL", "server"],
	[array.concat(pgbackrest, ["image"]), "pgBackRest", "pgbackrest"],
	[["spec", "proxy", "pgBouncer", "image"], "PgBouncer", "pgbouncer"],
]

# Names of both projects alone: one's own image may have everything.
programs := {
	"server": `^(crunchy-postgres(-gis)?|percona-distribution-postgresql(-with-postgis)?):|^percona-postgresql-operator:.*-postgres$`,
	"pgbackrest": `^(crunchy|percona)-pgbackrest:|^percona-postgresql-operator:.*pgbackrest`,
	"pgbouncer": `^(crunchy|percona)-pgbouncer:|^percona-postgresql-operator:.*pgbouncer`,
	"exporter": `^crunchy-postgres-exporter:`,
	"upgrade": `^crunchy-upgrade:`,
}

# The name and the tag, without the registry.
last_of(reference) := parts[count(parts) - 1] if parts := split(reference, "/")

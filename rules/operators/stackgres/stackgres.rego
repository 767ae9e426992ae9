# METADATA
# title: StackGres
# description: |
#   SGCluster together with the SGPostgresConfig, SGInstanceProfile and SGPoolingConfig that it names. An SGPostgresConfig is judged
#   as a change to the first cluster in sight that names it, or else alone, where only its parameters and its major are known; so is an SGScript that
#   sets parameters, and an SGDbOps with SQL of its own for a benchmark. Of an SGShardedCluster the shards are read, and volume and resources of the coordinator; the coordinator and the shards that
#   differ (overrides) are judged for themselves where they have parameters of their own. The
#   SGClusters made from it are not judged. Patroni's own section (configurations.patroni) is not read, as the operator drops what
#   it says of PostgreSQL, nor are streams. There is no WAL volume, and the segment size cannot be chosen.
# related_resources:
#   - https://stackgres.io/doc/latest/reference/crd/sgcluster/
#   - https://stackgres.io/doc/latest/reference/crd/sgpgconfig/
#   - https://stackgres.io/doc/latest/reference/crd/sginstanceprofile/
# custom:
#   kinds:
#     - {group: stackgres.io, versions: [v1], kind: SGCluster, plural: sgclusters, namespaced: true, role: cluster, scale: spec.instances}
#     - {group: stackgres.io, versions: [v1alpha1], kind: SGShardedCluster, plural: sgshardedclusters, namespaced: true, role: cluster}
#     - {group: stackgres.io, versions: [v1], kind: SGPostgresConfig, plural: sgpgconfigs, namespaced: true, role: change}
#     - {group: stackgres.io, versions: [v1], kind: SGScript, plural: sgscripts, namespaced: true, role: change}
#     - {group: stackgres.io, versions: [v1], kind: SGDbOps, plural: sgdbops, namespaced: true, role: change, watched: false}
#     - {group: "", versions: [v1], kind: ConfigMap, plural: configmaps, namespaced: true, role: support, contains: [ConfigMap], watched: false, named: {at: ["spec.benchmark.pgbench.custom.initialization.scriptFrom.configMapKeyRef.name", "spec.benchmark.pgbench.custom.scripts[].scriptFrom.configMapKeyRef.name", "spec.scripts[].scriptFrom.configMapKeyRef.name", "spec.initialData.scripts[].scriptFrom.configMapKeyRef.name", "spec.pods.customVolumes[].configMap.name", "spec.pods.customEnv.patroni[].valueFrom.configMapKeyRef.name", "spec.pods.customEnvFrom.patroni[].configMapRef.name", "spec.shards.pods.customVolumes[].configMap.name", "spec.coordinator.pods.customVolumes[].configMap.name", "spec.shards.pods.customEnv.patroni[].valueFrom.configMapKeyRef.name", "spec.coordinator.pods.customEnv.patroni[].valueFrom.configMapKeyRef.name"]}}
#     - {group: "", versions: [v1], kind: PersistentVolumeClaim, plural: persistentvolumeclaims, namespaced: true, role: support, contains: [PersistentVolumeClaim], watched: false, named: {made: ["{metadata.name}-data-{metadata.name}-0"]}}
#     - {group: stackgres.io, versions: [v1], kind: SGInstanceProfile, plural: sginstanceprofiles, namespaced: true, role: support}
#     - {group: stackgres.io, versions: [v1], kind: SGPoolingConfig, plural: sgpoolconfigs, namespaced: true, role: support}
#     - {group: stackgres.io, versions: [v1beta1], kind: SGObjectStorage, plural: sgobjectstorages, namespaced: true, role: support, served: false}
#     - {group: stackgres.io, versions: [v1], kind: SGBackup, plural: sgbackups, namespaced: true, role: support}
#     - {group: stackgres.io, versions: [v1], kind: SGShardedBackup, plural: sgshardedbackups, namespaced: true, role: support}
#     - {group: stackgres.io, versions: [v1beta1], kind: SGObjectStorage, plural: sgobjectstorages, namespaced: true, role: support, served: false}
#     - {group: "", versions: [v1], kind: Secret, plural: secrets, namespaced: true, role: support, served: false, watched: false}
#   generated:
#     - {group: stackgres.io, kind: SGCluster, owners: [SGShardedCluster]}
#   facts:
#     version: {read: "postgres.version; else that of SGPostgresConfig"}
#     parameters: {read: "SGPostgresConfig; configurations.postgres wins"}
#     defaults: {default: "max_wal_size 2GB; wal_keep_size 1536MB; huge_pages off and 25 more"}
#     fixed: {default: "archive_mode; port; logging and others that the webhook refuses"}
#     instances: {read: "instances; of a sharded cluster those of each shard"}
#     resources: {read: "SGInstanceProfile", default: "1 CPU and 2Gi"}
#     huge_pages: {read: "SGInstanceProfile.hugePages"}
#     machine: {read: "pods.scheduling"}
#     volume: {read: "pods.persistentVolume.size"}
#     storage_class: {read: "pods.persistentVolume.storageClass"}
#     segment: {default: "16 MB; unknown of a restored cluster"}
#     checksums: {default: "on; unknown of a restored cluster"}
#     synchronous: {read: "replication.mode", default: "off"}
#     slots: {unread: "configurations.patroni"}
#     rewind: {default: "always"}
#     pooler: {read: "pods.disableConnectionPooling; pool sizes of SGPoolingConfig", default: "PgBouncer in every pod"}
#     archiving: {read: "configurations.backups", default: "WAL is discarded"}
#     schedules: {read: "configurations.backups[].cronSchedule"}
#     repositories: {unread: "configurations.backups[].retention, 5 unless told otherwise"}
#     standby_backup: {read: "never, where there are backups"}
#     backups: {read: "SGBackup; SGShardedBackup"}
#     restores: {read: "SGClusters made from its backups"}
package walguard.operators.stackgres

import data.walguard.lib.cluster as shared
import data.walguard.lib.fact
import data.walguard.lib.get
import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.lib.owner
import data.walguard.lib.placeholder
import data.walguard.lib.schema

api_version := "stackgres.io/v1"

# METADATA
# description: The cluster as walguard.model documents it.
cluster := object.union_n([f | some f in facts]) if recognised

# ------------------------------------------------------------------------------------------------- what is reviewed

reviewed_cluster if {
	k8s.group == "stackgres.io"
	k8s.kind == "SGCluster"
	not made_of_shards(k8s.object)
}

reviewed_cluster if {
	k8s.group == "stackgres.io"
	k8s.kind == "SGShardedCluster"
}

reviewed_configuration if {
	k8s.group == "stackgres.io"
	k8s.kind == "SGPostgresConfig"
}

reviewed_script if {
	k8s.group == "stackgres.io"
	k8s.kind == "SGScript"
}

# An operation that runs what its author wrote; of the others nothing sets parameters (pgbench runs the scripts as the superuser unless told otherwise).
reviewed_operation if {
	k8s.group == "stackgres.io"
	k8s.kind == "SGDbOps"
	count(operation_queries) > 0
}

# What a cluster names.
reviewed_change if reviewed_configuration

reviewed_change if reviewed_script

reviewed_change if reviewed_operation

recognised if reviewed_cluster

recognised if reviewed_change

# METADATA
# description: The SGCluster or SGShardedCluster, be it under review or, for an SGPostgresConfig, in sight.
home := k8s.object if reviewed_cluster

home := referring[0] if {
	reviewed_change
	not k8s.chosen
}

home := chosen[0] if {
	reviewed_change
	chosen := [o | some o in referring; title_of(o) == k8s.chosen]
}

title_of(o) := sprintf("%s %s/%s", [o.kind, k8s.namespace, o.metadata.name])

facts contains {"others": others} if count(others) > 0

facts contains {"balancers": found} if {
	reviewed_cluster
	found := shared.balancers(k8s.object, [[["spec", "postgresServices", role], ["spec", "metadata", "annotations", service]] | some role, service in {"primary": "primaryService", "replicas": "replicasService"}])
	count(found) > 0
}

others := array.concat(
	[title_of(o) |
		reviewed_change
		some i, o in referring
		i > 0
	],
	[other.title |
		reviewed_cluster
		some other in other_parts
		count([1 | some field in [["configurations", "postgres"], ["configurations", "sgPostgresConfig"], ["managedSql"]]; set_apart(other.path, field)]) > 0
	],
)

set_apart(at, field) if get.present(home, array.concat(at, field))

# The coordinator takes nothing of what the shards say, and runs with the operator's defaults then.
set_apart(["spec", "coordinator"], field) if {
	not get.present(home, array.concat(["spec", "coordinator"], field))
	get.present(home, array.concat(["spec", "shards"], field))
}

referring := array.concat(
	[o |
		some o in inventory.list(k8s.namespace, api_version, "SGCluster")
		not made_of_shards(o)
		names_reviewed(o, ["spec"])
	],
	[o |
		some o in inventory.list(k8s.namespace, "stackgres.io/v1alpha1", "SGShardedCluster")
		count([1 | some at in parts_of(o); names_reviewed(o, at)]) > 0
	],
)

names_reviewed(o, at) if {
	reviewed_configuration
	get.string(o, array.concat(at, ["configurations", "sgPostgresConfig"])) == k8s.name
}

names_reviewed(o, at) if {
	reviewed_script
	some one in get.list(o, array.concat(at, ["managedSql", "scripts"]))
	get.string(one, "sgScript") == k8s.name
}

names_reviewed(o, ["spec"]) if {
	reviewed_operation
	o.metadata.name == get.string(k8s.object, ["spec", "sgCluster"])
}

parts_of(o) := array.concat([["spec", "shards"], ["spec", "coordinator"]], [["spec", "shards", "overrides", i] | some i, _ in get.list(o, ["spec", "shards", "overrides"])])

# The coordinator of a sharded cluster, and the shards that differ.
other_parts := [{"title": title, "path": at} |
	sharded
	some at in parts_of(home)
	at != ["spec", "shards"]
	title := concat(" ", ["the", concat(" ", [sprintf("%v", [key]) | some i, key in at; i > 0])])
]

# The coordinator and the shards, which the operator calls so (StackGresShardedClusterUtil) and writes anew whenever somebody else does.
made_of_shards(o) if {
	some made in owner.of(o, k8s.namespace, "stackgres.io/v1alpha1", "SGShardedCluster")
	name := made.metadata.name
	startswith(o.metadata.name, name)
	rest := substring(o.metadata.name, count(name), -1)
	regex.match(`^-(coord|shard[0-9]{1,4})$`, rest)
	within_shards(rest, object.get(made, ["spec", "shards", "clusters"], 1))
}

within_shards("-coord", _)

# Beyond their number nobody writes one anew.
within_shards(rest, clusters) if {
	startswith(rest, "-shard")
	to_number(trim_prefix(rest, "-shard")) < clusters
}

sharded if home.kind == "SGShardedCluster"

# METADATA
# description: Where the instances are described – those of all shards alike, where there are shards.
part := ["spec"] if not sharded

part := ["spec", "shards"] if {
	sharded
	not other_part
}

part := other_part if sharded

other_part := found[0] if {
	reviewed_cluster
	found := [other.path | some other in other_parts; other.title == k8s.chosen]
}

# What an override does not say the shards say.
written_parts := [["spec", "shards"], part] if {
	sharded
	part[2] == "overrides"
} else := [part]

configuration_path := named_at[count(named_at) - 1] if count(named_at) > 0

configuration_path := array.concat(part, ["configurations", "sgPostgresConfig"]) if count(named_at) == 0

named_at := [path |
	some at in written_parts
	path := array.concat(at, ["configurations", "sgPostgresConfig"])
	get.present(home, path)
]

cluster_name := k8s.name if reviewed_cluster

cluster_name := get.string(home, ["metadata", "name"]) if reviewed_change

cluster_name := k8s.name if {
	reviewed_change
	not home
}

# Facts of a cluster that is not under review say so.
at_home(f) := f if reviewed_cluster

at_home(f) := object.union(f, {"resource": k8s.reference(home)}) if not reviewed_cluster

# METADATA
# description: The SGPostgresConfig, be it under review or in sight.
configuration := k8s.object if reviewed_configuration

configuration := named_by_home("SGPostgresConfig", configuration_path) if not reviewed_configuration

named_by_home(kind, path) := inventory.namespaced_object(k8s.namespace, api_version, kind, get.string(home, path))

# ----------------------------------------------------------------------------------------------------- the facts

facts contains {
	"operator": "StackGres",
	"name": cluster_name,
	"namespace": k8s.namespace,
	"parameters": parameters,
	"parameters_path": parameters_path,
	"parameter_values": "text",
	"patroni": true,
	"defaults": defaults,
	"managed": {"cluster_name": "", "hot_standby": "on"},
	"forbidden": forbidden,
	"rewind": rewind,
} if {
	recognised
}

facts contains {"pods": [pod |
	some at in pod_parts
	pod := {
		"containers": [array.concat(at, ["pods", "customInitContainers"]), array.concat(at, ["pods", "customContainers"])],
		"volumes": array.concat(at, ["pods", "customVolumes"]),
		"environment": array.concat(
			[array.concat(at, ["pods", "customEnv", "patroni"])],
			[array.concat(at, ["pods", "customInitEnv", name]) | some name, _ in get.map(home, array.concat(at, ["pods", "customInitEnv"]))],
		),
	}
]} if {
	reviewed_cluster
}

pod_parts := [["spec"]] if not sharded

pod_parts := parts_of(home) if sharded

# ----------------------------------------------------------------------------------------------------- instances

version_path := ["spec", "postgres", "version"]

major := at_home(fact.written(number, version_path)) if number := version_of_home

# "latest" is no number, and the configuration is made for one major.
major := object.union(fact.written(number, ["spec", "postgresVersion"]), configuration_reference) if {
	not version_of_home
	number := shared.major(get.text_at(configuration, ["spec", "postgresVersion"]))
}

version_of_home := shared.major(get.text_at(home, version_path))

# ------------------------------------------------------------------------------------------------------- refusals

facts contains {"refusals": refusals} if count(refusals) > 0

refusals := array.concat(
	[fault |
		reviewed_cluster
		k8s.kind == "SGCluster"
		some fault in schema.faults("stackgres", k8s.object)
	],
	array.concat(long_names, refusals_between_fields),
)

# maxLength of the schema.
long_names := [{
	"by": "The API server",
	"path": ["metadata", "name"],
	"reason": sprintf("its name has %d characters, and %d are allowed", [count(k8s.name), longest]),
	"cure": "Give it a shorter one",
} |
	reviewed_cluster
	longest := {"SGCluster": 44, "SGShardedCluster": 37}[k8s.kind]
	count(k8s.name) > longest
	not placeholder.holds(k8s.name)
]

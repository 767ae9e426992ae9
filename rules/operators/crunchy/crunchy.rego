# METADATA
# title: Crunchy Postgres for Kubernetes
# description: |
#   CrunchyData's operator (PGO), PostgresCluster v1 and v1beta1. Extra configuration files and pgBackRest's own
#   volumes are not read. The segment size cannot be chosen. A PostgresCluster that a PerconaPGCluster in sight
#   owns (by uid) is judged by that; Percona's operator has the kind under a group of its own. Evidence of backups stands in the resource's own status, which counts only when an API server vouches for it.
# related_resources:
#   - https://access.crunchydata.com/documentation/postgres-operator/latest/references/crd
#   - https://github.com/CrunchyData/postgres-operator/blob/main/internal/postgres/parameters.go
# custom:
#   kinds:
#     - {group: postgres-operator.crunchydata.com, versions: [v1, v1beta1], kind: PostgresCluster, plural: postgresclusters, namespaced: true, role: cluster}
#     - {group: upstream.pgv2.percona.com, versions: [v1beta1], kind: PostgresCluster, plural: postgresclusters, namespaced: true, role: cluster}
#     - {group: postgres-operator.crunchydata.com, versions: [v1beta1], kind: PGUpgrade, plural: pgupgrades, namespaced: true, role: support, served: false}
#     - {group: cert-manager.io, versions: [v1], kind: Certificate, plural: certificates, namespaced: true, role: support, served: false}
#     - {group: "", versions: [v1], kind: ConfigMap, plural: configmaps, namespaced: true, role: support, contains: [ConfigMap], watched: false, named: {at: ["spec.backups.pgbackrest.configuration[].configMap.name", "spec.dataSource.pgbackrest.configuration[].configMap.name", "spec.proxy.pgBouncer.config.files[].configMap.name", spec.databaseInitSQL.name]}}
#   generated:
#     - {group: postgres-operator.crunchydata.com, kind: PostgresCluster, owners: [PerconaPGCluster]}
#     - {group: upstream.pgv2.percona.com, kind: PostgresCluster, owners: [PerconaPGCluster]}
#   cel:
#     groups: [postgres-operator.crunchydata.com]
#     parameters: [spec.patroni.dynamicConfiguration.postgresql.parameters, spec.config.parameters]
#     variables:
#       synchronous: "object.?spec.?patroni.?dynamicConfiguration.?synchronous_mode.orValue(false) == true"
#   facts:
#     version: {read: "postgresVersion"}
#     parameters: {read: "patroni.dynamicConfiguration.postgresql.parameters; config.parameters wins"}
#     defaults: {default: "archive_timeout 60s; jit off; huge_pages by the resources; 5 more"}
#     fixed: {default: "archive_mode on; wal_level logical; ssl on and some 20 more"}
#     ignored: {read: "parameters of patroni.dynamicConfiguration outside postgresql.parameters"}
#     instances: {read: "instances[].replicas, summed", default: "1 of each set"}
#     resources: {read: "instances[].resources"}
#     huge_pages: {read: "instances[].resources.limits"}
#     machine: {read: "instances[].affinity.nodeAffinity"}
#     volume: {read: "instances[].dataVolumeClaimSpec"}
#     storage_class: {read: "instances[].dataVolumeClaimSpec"}
#     performance: {read: "instances[].dataVolumeClaimSpec.volumeAttributesClassName"}
#     wal_volume: {read: "instances[].walVolumeClaimSpec"}
#     tablespaces: {read: "instances[].tablespaceVolumes"}
#     segment: {default: "16 MB; unknown with dataSource"}
#     checksums: {default: "on; unknown with dataSource"}
#     synchronous: {read: "patroni.dynamicConfiguration.synchronous_mode"}
#     slots: {read: "patroni.dynamicConfiguration.postgresql.use_slots", default: "off"}
#     rewind: {default: "always"}
#     pooler: {read: "proxy.pgBouncer", default: "none"}
#     archiving: {read: "backups.pgbackrest.repos", default: "WAL is discarded"}
#     schedules: {read: "backups.pgbackrest.repos[].schedules"}
#     repositories: {read: "backups.pgbackrest.repos; global"}
#     standby_backup: {read: "backups.pgbackrest.global backup-standby; else the primary"}
#     backups: {read: "its status of pgBackRest, where an API server vouches for it"}
#     restores: {read: "PostgresClusters made from it"}
package walguard.operators.crunchy

import data.walguard.lib.cluster as shared
import data.walguard.lib.crunchy as pgo
import data.walguard.lib.evidence
import data.walguard.lib.fact
import data.walguard.lib.fields
import data.walguard.lib.get
import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.lib.owner
import data.walguard.lib.placeholder
import data.walguard.lib.schema
import data.walguard.lib.script

recognised if {
	k8s.group in {"postgres-operator.crunchydata.com", "upstream.pgv2.percona.com"}
	k8s.kind == "PostgresCluster"
	not made_by_percona
}

# Percona's operator gives it its own name, and writes it anew whenever somebody else does
# (https://docs.percona.com/percona-operator-for-postgresql/latest/ReleaseNotes/Kubernetes-Operator-for-PostgreSQL-RN3.0.0.html).
made_by_percona if {
	some made in owner.in_sight("pgv2.percona.com/v2", "PerconaPGCluster")
	made.metadata.name == k8s.name
	not claims_more(made)
	not renamed(made)
}

# From 3.0.0 on what it makes is of the other group, so that both operators live side by side.
renamed(made) if {
	k8s.group == "postgres-operator.crunchydata.com"
	regex.match(`^v?([3-9]|[1-9][0-9])\.`, get.string(made, ["spec", "crVersion"]))
}

# In files, which nobody made: whoever wrote the owner wrote this too, and the operator hands on what the owner says (ToCrunchy of perconapgcluster_types.go).
claims_more(made) if {
	placeholder.honoured
	some path in [["patroni", "dynamicConfiguration", "postgresql", "parameters"], ["config", "parameters"]]
	some name, value in get.map(k8s.object, array.concat(["spec"], path))
	script.loses(sprintf("%s=%s", [name, get.text(value)]))
	not value == object.get(made, array.concat(["spec", "patroni", "dynamicConfiguration", "postgresql", "parameters"], [name]), null)
}

claims_more(made) if {
	placeholder.honoured
	some rule in get.list(k8s.object, ["spec", "patroni", "dynamicConfiguration", "postgresql", "pg_hba"])
	not rule in get.list(made, ["spec", "patroni", "dynamicConfiguration", "postgresql", "pg_hba"])
	regex.match(`\strust\s*$`, get.text(rule))
}

# METADATA
# description: The cluster as walguard.model documents it.
cluster := object.union_n([
	pgo.cluster,
	{
		"operator": "Crunchy Postgres for Kubernetes",
		"parameters": parameters,
		"parameters_path": parameters_path,
		"parameter_values": "text or integer",
		"defaults": pgo.defaults,
		"managed": managed,
		"forbidden": forbidden,
		"pods": pods,
		"companions": pgo.companions("sidecars"),
	},
	{"archiving": found | found := archiving},
	pgo.surroundings,
	pgo.script_facts({"pgaudit", "pg_stat_statements"}),
	{"refusals": found | found := array.concat(array.concat(schema.faults("crunchy", k8s.object), pgo.refusals), array.concat(without_repository, array.concat(waiting_upgrades, refused_by_definition))); count(found) > 0},
	pgo.image_facts,
	{"balancers": found | found := shared.balancers(k8s.object, [[place, array.concat(place, ["metadata", "annotations"])] | some place in [["spec", "service"], ["spec", "replicaService"], ["spec", "proxy", "pgBouncer", "service"]]]); count(found) > 0},
	{"misspelt_fields": found | found := fields.misspelt("crunchy", k8s.object); count(found) > 0},
	{"schedules_known": true, "first_backup": true, "claims_go": true},
	{"ignored": found | found := array.concat(array.concat(pgo.misplaced, gated), array.concat(pgo.sets_alone, pgo.left_aside)); count(found) > 0},
	{"wrong_images": found | found := array.concat(pgo.wrong_images, array.concat(array.concat(upgrades, upgrades_without_postgis), array.concat(array.concat(pgo.unnamed_images, pgo.unlike_ends), unfit_pgadmin))); count(found) > 0},
	{"schemaless_users": schemaless_users | count(schemaless_users) > 0},
]) if {
	recognised
}

# Sidecars of one's own, of the pooler too.
pods := array.concat(
	[{"containers": [["spec", "instances", i, "containers"]]} | some i, _ in get.list(k8s.object, ["spec", "instances"])],
	[{"containers": [["spec", "proxy", "pgBouncer", "containers"]]} | get.present(k8s.object, ["spec", "proxy", "pgBouncer", "containers"])],
)

# --------------------------------------------------------------------------------------------------- parameters

parameters_path := ["spec", "config", "parameters"]

# spec.config wins over Patroni's section.
parameters := array.concat(
	array.concat(shared.parameters(k8s.object, pgo.patroni_path), shared.parameters(k8s.object, parameters_path)),
	pgo.later_parameters,
)

managed := object.union(pgo.managed, {"restore_command": "", "wal_level": "logical"})

# The rules in the schema of spec.config.parameters.
forbidden := {
	"archive_command": "",
	"archive_mode": "",
	"cluster_name": "",
	"config_file": "",
	"data_directory": "",
	"external_pid_file": "",
	"hba_file": "",
	"hot_standby": "",
	"ident_file": "",
	"listen_addresses": "",
	"log_file_mode": "",
	"logging_collector": "",
	"port": "",
	"primary_conninfo": "",
	"primary_slot_name": "",
	"recovery_min_apply_delay": "",
	"recovery_target": "",
	"recovery_target_action": "",
	"recovery_target_inclusive": "",
	"recovery_target_lsn": "",
	"recovery_target_name": "",
	"recovery_target_time": "",
	"recovery_target_timeline": "",
	"recovery_target_xid": "",
	"restore_command": "",
	"ssl": "",
	"ssl_ca_file": "",
	"ssl_cert_file": "",
	"ssl_ciphers": "",
	"ssl_crl_dir": "",
	"ssl_crl_file": "",
	"ssl_dh_params_file": "",
	"ssl_key_file": "",
	"ssl_max_protocol_version": "",
	"ssl_min_protocol_version": "",
	"ssl_passphrase_command": "",
	"ssl_passphrase_command_supports_reload": "",
	"ssl_prefer_server_ciphers": "",
	"ssl_tls13_ciphers": "",
	"synchronous_standby_names": "",
	"unix_socket_directories": "",
	"unix_socket_group": "",
	"unix_socket_permissions": "",
	"wal_level": "logical",
	"wal_log_hints": "",
}

# ------------------------------------------------------------------------------------------------------- backups

# minItems of the schema. Where the list is missing the schema's own words are said.
without_repository := [{
	"path": pgo.pgbackrest,
	"reason": "pgbackrest has no repository (\"spec.backups.pgbackrest.repos in body should have at least 1 items\")",
	"cure": "Write one below repos, or leave spec.backups out where data may be lost",
} |
	object.get(k8s.object, array.concat(pgo.pgbackrest, ["repos"]), null) == []
]

archiving := fact.written("on", array.concat(pgo.pgbackrest, ["repos"])) if {
	count(pgo.repositories) > 0
	not pgo.archive_dropped
}

archiving := pgo.archive_dropped if count(pgo.repositories) > 0

# Without a repository archive_command is "true", with archive_mode on.
archiving := fact.operator("discards", ["spec", "backups"]) if {
	count(pgo.repositories) == 0
	count(pgo.spec) > 0
}

backups := pgo.backups if recognised

# METADATA
# description: |
#   Clusters made from this one's repository (spec.dataSource.postgresCluster), whose restore succeeded and of which an instance is ready.
#   Proven are those whose spec was never changed: an earlier restore may have been one in place of something else.
restores := [object.union(pgo.copy(other, ready), {"proven": true | restored_at(evidence.recorded(other)) == ready}) |
	recognised
	some version in ["v1", "v1beta1"]
	some other in inventory.copies(concat("/", [k8s.group, version]), "PostgresCluster")
	pgo.copied(other)
	ready := restored_at(get.map(other, "status"))
	time.parse_rfc3339_ns(ready) >= k8s.created
]

restored_at(status) := get.string(status, ["pgbackrest", "restore", "completionTime"]) if {
	get.number(status, ["pgbackrest", "restore", "succeeded"]) > 0
	some set in get.list(status, "instances")
	is_object(set)
	get.number(set, "readyReplicas") > 0
}

# ----------------------------------------------------------------------------------------------------- feature gates

# What waits for a feature gate of the operator (internal/feature/features.go), where its Deployment is in sight. Instance sidecars need none since 5.8.
gated := [{
	"name": field,
	"path": path,
	"reason": sprintf("PGO waits for %s=true in PGO_FEATURE_GATES of Deployment %s/%s", [gate, operator.metadata.namespace, operator.metadata.name]),
	"level": "warning",
} |
	[operator, container] := operators[0]
	some [path, field, gate, needed] in gates
	regex.match(needed, get.string(container, "image"))
	not opened(container, gate)
]

gates := array.concat(
	[[array.concat(["spec", "instances", i], [field]), field, gate, needed] |
		some i, set in get.list(k8s.object, ["spec", "instances"])
		some [field, gate, needed] in [["containers", "InstanceSidecars", `-5\.[0-7]\.[0-9]+-`], ["tablespaceVolumes", "TablespaceVolumes", `.`]]
		count(get.list(set, field)) > 0
	],
	array.concat(
		[[path, "containers", "PGBouncerSidecars", `.`] | some path in [["spec", "proxy", "pgBouncer", "containers"]]; count(get.list(k8s.object, path)) > 0],
		[[path, "snapshots", "VolumeSnapshots", `.`] | some path in [["spec", "backups", "snapshots"]]; count(get.map(k8s.object, path)) > 0],
	),
)

operators := pgo.operators if count(gates) > 0

opened(container, gate) if {
	some variable in get.list(container, "env")
	get.string(variable, "name") == "PGO_FEATURE_GATES"
	value := get.string(variable, "value")
	regex.match(sprintf(`(^|,)\s*(%s|AllAlpha)=true`, [gate]), value)
}

# Its value stands elsewhere, or is not filled in yet.
opened(container, _) if {
	some variable in get.list(container, "env")
	get.string(variable, "name") == "PGO_FEATURE_GATES"
	not known_text(variable)
}

opened(container, _) if count(get.list(container, "envFrom")) > 0

known_text(variable) if not placeholder.holds(get.string(variable, "value"))

# ---------------------------------------------------------------------------------------------------------- images

# The image of a PGUpgrade has the programs of both majors; the operator's own has none.
upgrades := [{
	"reason": sprintf("The image %s of PGUpgrade %s is the operator's, which has no PostgreSQL: the upgrade fails while the cluster is shut down", [reference, upgrade.metadata.name]),
	"cure": "Take crunchy-upgrade",
	"path": ["spec", "image"],
	"resource": k8s.reference(upgrade),
} |
	some upgrade in inventory.list(k8s.namespace, "postgres-operator.crunchydata.com/v1beta1", "PGUpgrade")
	get.string(upgrade, ["spec", "postgresClusterName"]) == k8s.name
	reference := get.string(upgrade, ["spec", "image"])
	regex.match(`(postgres-operator|/pgo)(:|@|$)`, reference)
]

# pg_upgrade starts both servers and loads what the databases use. Crunchy's image for it has no PostGIS (issue 3572).
upgrades_without_postgis := [{
	"reason": sprintf("The image of PGUpgrade %s has no PostGIS, which the cluster runs: pg_upgrade fails at databases that use it, while the cluster is shut down", [upgrade.metadata.name]),
	"cure": "Build one from it with PostGIS for both versions",
	"level": "warning",
	"path": ["spec", "image"],
	"resource": k8s.reference(upgrade),
} |
	runs_postgis
	some upgrade in inventory.list(k8s.namespace, "postgres-operator.crunchydata.com/v1beta1", "PGUpgrade")
	get.string(upgrade, ["spec", "postgresClusterName"]) == k8s.name

	# One that is over stays.
	get.number(upgrade, ["spec", "fromPostgresVersion"]) == pgo.major.value
	regex.match(`(^|/)crunchydata/crunchy-upgrade(:|@|$)`, get.string(upgrade, ["spec", "image"]))
]

runs_postgis if get.present(pgo.spec, "postGISVersion")

runs_postgis if regex.match(`(^|/)crunchy-postgres-gis(-ha)?(:|@|$)`, get.string(pgo.spec, "image"))

# ----------------------------------------------------------------------------------------------------------- users

schemaless_users := pgo.schemaless(sprintf("Annotate the resource with %s: \"true\"", [schema_annotation])) if {
	recognised
	pgo.initialised
	get.lower_case(object.get(k8s.annotations, schema_annotation, "false")) == "false"
} else := []

schema_annotation := "postgres-operator.crunchydata.com/autoCreateUserSchema"

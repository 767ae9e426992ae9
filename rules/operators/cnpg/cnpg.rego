# METADATA
# title: CloudNativePG
# description: |
#   CloudNativePG, and EDB Postgres for Kubernetes, which serves the same API under a group of its own. The image that the operator takes when the resource names none is configurable, so that the major is unknown then.
#   A cluster that is recovered or copied from another one has the segment size and the checksums of its source: unknown.
# related_resources:
#   - https://cloudnative-pg.io/docs/current/cloudnative-pg.v1
#   - https://cloudnative-pg.io/docs/current/postgresql_conf
#   - https://www.enterprisedb.com/docs/postgres_for_kubernetes/latest/
# custom:
#   kinds:
#     - {group: postgresql.cnpg.io, versions: [v1], kind: Cluster, plural: clusters, namespaced: true, role: cluster, scale: spec.instances}
#     - {group: postgresql.cnpg.io, versions: [v1], kind: Backup, plural: backups, namespaced: true, role: support, fields: [spec.cluster.name, spec.target, status.destinationPath, status.endpointURL, status.majorVersion, status.method, status.phase, status.pluginMetadata.clusterUID, status.serverName, status.stoppedAt]}
#     - {group: postgresql.cnpg.io, versions: [v1], kind: Backup, plural: backups, namespaced: true, role: change, served: false, watched: false}
#     - {group: postgresql.cnpg.io, versions: [v1], kind: ScheduledBackup, plural: scheduledbackups, namespaced: true, role: support}
#     - {group: postgresql.cnpg.io, versions: [v1], kind: ScheduledBackup, plural: scheduledbackups, namespaced: true, role: change, served: false, watched: false}
#     - {group: postgresql.cnpg.io, versions: [v1], kind: Pooler, plural: poolers, namespaced: true, role: support, scale: spec.instances}
#     - {group: postgresql.cnpg.io, versions: [v1], kind: Pooler, plural: poolers, namespaced: true, role: change, served: false, watched: false}
#     - {group: postgresql.cnpg.io, versions: [v1], kind: Database, plural: databases, namespaced: true, role: support, served: false}
#     - {group: postgresql.cnpg.io, versions: [v1], kind: DatabaseRole, plural: databaseroles, namespaced: true, role: support, served: false}
#     - {group: postgresql.cnpg.io, versions: [v1], kind: Database, plural: databases, namespaced: true, role: change, served: false, watched: false}
#     - {group: postgresql.cnpg.io, versions: [v1], kind: Publication, plural: publications, namespaced: true, role: support, served: false}
#     - {group: postgresql.cnpg.io, versions: [v1], kind: Subscription, plural: subscriptions, namespaced: true, role: support, served: false}
#     - {group: postgresql.cnpg.io, versions: [v1], kind: ImageCatalog, plural: imagecatalogs, namespaced: true, role: support}
#     - {group: postgresql.cnpg.io, versions: [v1], kind: ClusterImageCatalog, plural: clusterimagecatalogs, namespaced: false, role: support}
#     - {group: postgresql.k8s.enterprisedb.io, versions: [v1], kind: Cluster, plural: clusters, namespaced: true, role: cluster, scale: spec.instances}
#     - {group: postgresql.k8s.enterprisedb.io, versions: [v1], kind: Backup, plural: backups, namespaced: true, role: support, fields: [spec.cluster.name, spec.target, status.destinationPath, status.endpointURL, status.majorVersion, status.method, status.phase, status.pluginMetadata.clusterUID, status.serverName, status.stoppedAt]}
#     - {group: postgresql.k8s.enterprisedb.io, versions: [v1], kind: Backup, plural: backups, namespaced: true, role: change, served: false, watched: false}
#     - {group: postgresql.k8s.enterprisedb.io, versions: [v1], kind: ScheduledBackup, plural: scheduledbackups, namespaced: true, role: support}
#     - {group: postgresql.k8s.enterprisedb.io, versions: [v1], kind: ScheduledBackup, plural: scheduledbackups, namespaced: true, role: change, served: false, watched: false}
#     - {group: postgresql.k8s.enterprisedb.io, versions: [v1], kind: Pooler, plural: poolers, namespaced: true, role: support, scale: spec.instances}
#     - {group: postgresql.k8s.enterprisedb.io, versions: [v1], kind: Pooler, plural: poolers, namespaced: true, role: change, served: false, watched: false}
#     - {group: postgresql.k8s.enterprisedb.io, versions: [v1], kind: Database, plural: databases, namespaced: true, role: support, served: false}
#     - {group: postgresql.k8s.enterprisedb.io, versions: [v1], kind: Database, plural: databases, namespaced: true, role: change, served: false, watched: false}
#     - {group: postgresql.k8s.enterprisedb.io, versions: [v1], kind: Publication, plural: publications, namespaced: true, role: support, served: false}
#     - {group: postgresql.k8s.enterprisedb.io, versions: [v1], kind: Subscription, plural: subscriptions, namespaced: true, role: support, served: false}
#     - {group: postgresql.k8s.enterprisedb.io, versions: [v1], kind: ImageCatalog, plural: imagecatalogs, namespaced: true, role: support}
#     - {group: postgresql.k8s.enterprisedb.io, versions: [v1], kind: ClusterImageCatalog, plural: clusterimagecatalogs, namespaced: false, role: support}
#     - {group: "", versions: [v1], kind: ConfigMap, plural: configmaps, namespaced: true, role: support, contains: [ConfigMap], watched: false, named: {at: ["spec.bootstrap.initdb.postInitSQLRefs.configMapRefs[].name", "spec.bootstrap.initdb.postInitApplicationSQLRefs.configMapRefs[].name", "spec.bootstrap.initdb.postInitTemplateSQLRefs.configMapRefs[].name", "spec.env[].valueFrom.configMapKeyRef.name", "spec.envFrom[].configMapRef.name", "spec.monitoring.customQueriesConfigMap[].name"]}}
#     - {group: "", versions: [v1], kind: PersistentVolumeClaim, plural: persistentvolumeclaims, namespaced: true, role: support, contains: [PersistentVolumeClaim], watched: false, named: {at: ["status.healthyPVC[]"], made: ["{metadata.name}-1"], when: [full_page_writes, wal_init_zero]}}
#     - {group: barmancloud.cnpg.io, versions: [v1], kind: ObjectStore, plural: objectstores, namespaced: true, role: support}
#     - {group: barmancloud.cnpg.io, versions: [v1], kind: ObjectStore, plural: objectstores, namespaced: true, role: change, served: false, watched: false}
#     - {group: cert-manager.io, versions: [v1], kind: Certificate, plural: certificates, namespaced: true, role: support, served: false}
#     - {group: external-secrets.io, versions: [v1, v1beta1], kind: ExternalSecret, plural: externalsecrets, namespaced: true, role: support, served: false}
#     - {group: bitnami.com, versions: [v1alpha1], kind: SealedSecret, plural: sealedsecrets, namespaced: true, role: support, served: false}
#     - {group: pgbackrest.dalibo.com, versions: [v1], kind: Stanza, plural: stanzas, namespaced: true, role: support, served: false}
#     - {group: helm.toolkit.fluxcd.io, versions: [v2, v2beta2, v2beta1], kind: HelmRelease, plural: helmreleases, namespaced: true, role: support, served: false}
#     - {group: security.istio.io, versions: [v1, v1beta1], kind: PeerAuthentication, plural: peerauthentications, namespaced: true, role: support, served: false}
#   cel:
#     parameters: [spec.postgresql.parameters]
#     words: "object.?spec.?bootstrap.?recovery.hasValue() || object.?spec.?bootstrap.?pg_basebackup.hasValue() ? [] : object.?spec.?bootstrap.?initdb.?options.orValue([])"
#     variables:
#       failover_quorum: "object.metadata.?annotations[?(object.apiVersion.startsWith('postgresql.cnpg.io/') ? 'cnpg.io' : 'k8s.enterprisedb.io') + '/failoverQuorum'].orValue('')"
#       synchronous: "object.?spec.?postgresql.?synchronous.hasValue() || object.?spec.?minSyncReplicas.orValue(0) > 0"
#   facts:
#     version: {read: "imageName; imageCatalogRef.major; of a running cluster its status"}
#     edition: {read: "EDB's image, where it is not the community's"}
#     parameters: {read: "postgresql.parameters"}
#     defaults: {default: "wal_level logical; wal_keep_size 512MB; 12 more"}
#     fixed: {default: "archive_mode; ssl; port and some 60 more"}
#     instances: {read: "instances", default: "1"}
#     resources: {read: "resources"}
#     huge_pages: {read: "resources"}
#     machine: {read: "affinity.nodeSelector; affinity.nodeAffinity"}
#     volume: {read: "storage.size, before its pvcTemplate"}
#     storage_class: {read: "storage.storageClass, before its pvcTemplate"}
#     performance: {read: "pvcTemplate.volumeAttributesClassName"}
#     wal_volume: {read: "walStorage"}
#     tablespaces: {read: "tablespaces"}
#     segment: {read: "bootstrap.initdb.walSegmentSize or options; unknown of a recovered cluster", default: "16 MB"}
#     checksums: {read: "bootstrap.initdb.dataChecksums or options; else initdb of the major"}
#     synchronous: {read: "postgresql.synchronous; minSyncReplicas"}
#     slots: {read: "replicationSlots.highAvailability.enabled", default: "on"}
#     rewind: {default: "always, without a fallback"}
#     pooler: {read: "Pooler", default: "none, where all Poolers are in sight"}
#     archiving: {read: "plugins; backup.barmanObjectStore; annotation skipWalArchiving", default: "WAL is discarded"}
#     schedules: {read: "ScheduledBackup"}
#     repositories: {read: "backup.barmanObjectStore; ObjectStore; retentionPolicy of either"}
#     standby_backup: {read: "target of ScheduledBackup or backup; else prefer-standby"}
#     backups: {read: "Backup; status of ObjectStore"}
#     restores: {read: "Clusters recovered from its backups"}
#     patience: {read: "probes.startup; startDelay"}
#     shared_memory: {read: "ephemeralVolumesSizeLimit.shm"}
package walguard.operators.cnpg

import data.walguard.lib.cluster as shared
import data.walguard.lib.fact
import data.walguard.lib.get
import data.walguard.lib.image
import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.lib.placeholder
import data.walguard.lib.schema
import data.walguard.lib.text
import data.walguard.operators.cnpg.release
import data.walguard.operators.cnpg.webhook

operators := {
	"postgresql.cnpg.io": {"name": "CloudNativePG", "annotations": "cnpg.io"},
	"postgresql.k8s.enterprisedb.io": {"name": "EDB Postgres for Kubernetes", "annotations": "k8s.enterprisedb.io"},
}

operator := operators[k8s.group] if k8s.kind == "Cluster"

spec := get.map(k8s.object, "spec") if operator

# METADATA
# description: The cluster as walguard.model documents it.
cluster := object.union_n([f | some f in facts]) if operator

facts contains {
	"operator": operator.name,
	"name": k8s.name,
	"namespace": k8s.namespace,
	"parameters": array.concat(array.concat(initial, shared.parameters(k8s.object, parameters_path)), set_by_sql),
	"parameters_path": parameters_path,
	"parameter_values": "text",
	"defaults": defaults,
	"managed": managed,
	"forbidden": forbidden,
	"rewind": rewind,
	"pods": [{
		"sysctls": ["spec", "podSecurityContext", "sysctls"],
		"environment": array.concat([["spec", "env"]], [["spec", "postgresql", "extensions", i, "env"] | some i, _ in get.list(spec, ["postgresql", "extensions"])]),
	}],
	"selection": selection,
} if {
	operator
}

facts contains {"data_claims": sprintf(`^%s-[0-9]+(-tbs-.*)?$`, [text.literal(k8s.name)])} if operator

# The webhook refuses shared_buffers above the memory request (internal/webhook/v1/cluster_webhook.go, validateResources).
facts contains {"requests_hold_buffers": true, "requests_fitted": true} if operator

facts contains {"common_labels": ["role", concat("/", [operator.annotations, "instanceRole"]), concat("/", [operator.annotations, "podRole"])]} if operator

facts contains {"balancers": found} if {
	operator
	found := shared.balancers(k8s.object, [[array.concat(template, ["spec"]), array.concat(template, ["metadata", "annotations"])] |
		some i, _ in get.list(k8s.object, ["spec", "managed", "services", "additional"])
		template := ["spec", "managed", "services", "additional", i, "serviceTemplate"]
	])
	count(found) > 0
}

facts contains {"edition": "enterprisedb"} if advanced_server

facts contains {"major": major} if major

facts contains release.facts if operator

facts contains {"instances": instances} if instances

facts contains {"instance_sets": [instance_set]} if instance_set

facts contains {"segment": segment} if segment

facts contains {"checksums": checksums} if checksums

facts contains {"archiving": archiving} if archiving

facts contains {"standby_backup": standby_backup} if standby_backup

facts contains {"slots": slots} if count(spec) > 0

facts contains {"primary_budget": primary_budget} if operator

facts contains {"synchronous": synchronous} if synchronous

facts contains {"pooler": pooler} if pooler

facts contains {"patience": patience} if patience

# They are owned by the Cluster.
facts contains {"claims_go": true} if operator

facts contains {"schedules_known": true} if schedules_known

facts contains {"schedules_beside": true} if schedules_beside

facts contains {"others_backed_up": true} if {
	count(all_schedules) > 0
	count([1 | some schedule in all_schedules; may_be_own(schedule)]) == 0
}

facts contains {"recovery_target": fact.written(moment, recovery_target_path)} if moment := get.string(k8s.object, recovery_target_path)

facts contains {"begun": begun} if begun

# Nothing at all is initdb to the webhook; who names another cluster besides may have taken out a recovery that is over.
begun := object.union(fact.operator("initdb", ["spec", "bootstrap"]), {"from": {}}) if {
	count(spec) > 0
	count(ways) == 0
	not copied
}

begun := object.union(fact.written(ways[0], ["spec", "bootstrap", ways[0]]), {"from": made_from}) if {
	count(ways) == 1
	count([1 | some _, from in made_from; placeholder.holds(json.marshal(from))]) == 0
}

ways := [way | some way in ["initdb", "recovery", "pg_basebackup"]; get.present(spec, ["bootstrap", way])]

made_from := {name: from | some name, from in get.map(spec, ["bootstrap", ways[0]]); name in {"source", "backup", "volumeSnapshots", "recoveryTarget"}}

# spec.env, and what tells the server and its log.
facts contains {"clock": clocks[0]} if count(clocks) > 0

clocks := [object.union(fact.written(zone, path), {"name": name}) |
	some [name, path] in array.concat(
		[["TZ", ["spec", "env", i, "value"]] | some i, variable in get.list(spec, "env"); get.string(variable, "name") == "TZ"],
		[[name, array.concat(parameters_path, [name])] | some name in ["timezone", "log_timezone"]],
	)
	zone := get.string(k8s.object, path)
	not placeholder.unknown(zone)
	not get.lower_case(zone) in {"", "utc", "etc/utc", "gmt", "etc/gmt", "etc/uct", "uct", "zulu", "etc/zulu", "universal"}
]

facts contains {"snapshot_owner": object.union(fact.written(owner, snapshot_owner_path), {"unasked": true | snapshots_unasked})} if {
	owner := get.string(k8s.object, snapshot_owner_path)
	owner in {"cluster", "backup"}
}

# The schedules found take backups another way, and so does what was asked for by hand.
snapshots_unasked if {
	count(own_schedules) > 0
	count([1 | some asked in array.concat(own_schedules, own_backups); may_take_snapshots(asked)]) == 0
}

may_take_snapshots(asked) if get.string(asked, ["spec", "method"]) == "volumeSnapshot"

may_take_snapshots(asked) if get.unknown(asked, ["spec", "method"])

recovery_target_path := ["spec", "bootstrap", "recovery", "recoveryTarget", "targetTime"]

snapshot_owner_path := ["spec", "backup", "volumeSnapshot", "snapshotOwnerReference"]

# ScheduledBackups are objects of their own: where an API server has others, it would have this cluster's. Not while the cluster is being
# created: what is applied with it comes after it. Of files that says nothing: a schedule stands in a component, takes its namespace from Flux, or
# belongs to another definition of the same cluster.
schedules_known if {
	inventory.complete
	not arriving
}

schedules_known if {
	inventory.served
	count(all_schedules) > 0
	count([1 | some schedule in all_schedules; get.unknown(schedule, ["spec", "cluster", "name"])]) == 0
	not arriving
}

# Whoever keeps the store of the backups, or its keys, in files keeps their schedule there, and there is none of any cluster.
schedules_beside if {
	not inventory.served
	not inventory.complete
	count(all_schedules) == 0
	store_beside
}

store_beside if {
	some i in archiver_plugins
	inventory.namespaced_object(k8s.namespace, "barmancloud.cnpg.io/v1", "ObjectStore", get.string(spec.plugins[i], ["parameters", "barmanObjectName"]))
}

store_beside if {
	in_tree_store
	some provider in ["s3Credentials", "azureCredentials", "googleCredentials"]
	some reference in get.map(spec, ["backup", "barmanObjectStore", provider])
	inventory.namespaced_object(k8s.namespace, "v1", "Secret", get.string(reference, "name"))
}

all_schedules := inventory.everywhere(k8s.api_version, "ScheduledBackup")

# A namespace may be filled in later, by Flux or kustomize.
may_be_own(schedule) if get.unknown(schedule, ["spec", "cluster", "name"])

may_be_own(schedule) if get.string(schedule, ["spec", "cluster", "name"]) == k8s.name

arriving if k8s.operation == "CREATE"

facts contains {"refusals": refusals} if count(refusals) > 0

refusals := array.concat(array.concat(webhook.refusals, [fault | operator; some fault in schema.faults("cnpg", k8s.object)]), of_stores_schema)

of_stores_schema := [object.union(fault, {"resource": k8s.reference(store)}) |
	some name in store_names
	store := inventory.namespaced_object(k8s.namespace, "barmancloud.cnpg.io/v1", "ObjectStore", name)
	some fault in schema.faults("objectstore", store)
]

# ------------------------------------------------------------------------------------------------------- version

# The operator of EDB takes an image of EDB by default; one called plain "postgresql" is the community's.
advanced_server if {
	k8s.group == "postgresql.k8s.enterprisedb.io"
	not community_image
}

community_image if image.name(image_name) == "postgresql"

image_name := get.string(spec, "imageName")

catalogued_major := shared.number_at(k8s.object, ["spec", "imageCatalogRef", "major"])

major := catalogued_major

major := fact.written(number, ["spec", "imageName"]) if {
	not catalogued_major
	number := image.major(image_name)
	not misread_tag
}

# No image is named: the one that the running cluster has.
major := {"value": running_major, "origin": "status", "path": ["spec", "imageName"]} if {
	not catalogued_major
	not image_name
	running_major := get.number(k8s.object, ["status", "pgDataImageInfo", "majorVersion"])
}

# METADATA
# title: Zalando Postgres Operator
# description: |
#   Zalando's operator with its image Spilo (Patroni inside). Where base backups and WAL go is said by the environment of the
#   pods – of the cluster (spec.env), or of all clusters (OperatorConfiguration or the operator's ConfigMap, and Secrets and ConfigMaps that it names);
#   without either in sight archiving is unknown. Physical backups leave no trace in any resource. Of additional
#   volumes the one that initdb puts the WAL on is read (spec.patroni.initdb.waldir). A cloned cluster or a standby of another one has the segment size and the checksums of its source.
# related_resources:
#   - https://postgres-operator.readthedocs.io/en/latest/reference/cluster_manifest/
#   - https://github.com/zalando/spilo/blob/master/ENVIRONMENT.rst
#   - https://github.com/zalando/spilo/blob/master/postgres-appliance/scripts/configure_spilo.py
# custom:
#   kinds:
#     - {group: acid.zalan.do, versions: [v1], kind: postgresql, plural: postgresqls, namespaced: true, role: cluster}
#     - {group: "", versions: [v1], kind: ConfigMap, plural: configmaps, namespaced: true, role: support, contains: [ConfigMap], watched: false, named: {at: ["spec.envFrom[].configMapRef.name", "spec.env[].valueFrom.configMapKeyRef.name", "spec.additionalVolumes[].volumeSource.configMap.name", "spec.sidecars[].env[].valueFrom.configMapKeyRef.name"], made: ["{metadata.name}-config"]}}
#     - {group: "", versions: [v1], kind: PersistentVolumeClaim, plural: persistentvolumeclaims, namespaced: true, role: support, contains: [PersistentVolumeClaim], watched: false, named: {made: ["pgdata-{metadata.name}-0"], when: [full_page_writes, wal_init_zero]}}
#     - {group: "", versions: [v1], kind: Secret, plural: secrets, namespaced: true, role: change, served: false, contains: [pass, pwd, postgres], watched: false}
#     - {group: "", versions: [v1], kind: ConfigMap, plural: configmaps, namespaced: true, role: change, served: false, contains: [cluster_name_label, enable_team_id_clustername_prefix, pod_environment_configmap, pod_environment_secret, pod_role_label, pod_service_account_name, logical_backup_docker_image], watched: false}
#     - {group: acid.zalan.do, versions: [v1], kind: OperatorConfiguration, plural: operatorconfigurations, namespaced: true, role: support, all: true}
#     - {group: acid.zalan.do, versions: [v1], kind: OperatorConfiguration, plural: operatorconfigurations, namespaced: true, role: change, served: false, watched: false}
#     - {group: security.istio.io, versions: [v1, v1beta1], kind: PeerAuthentication, plural: peerauthentications, namespaced: true, role: support, served: false}
#   cel:
#     parameters: [spec.postgresql.parameters]
#     words: "['se', 'set'].filter(k, k in object.?spec.?patroni.?initdb.orValue({})).map(k, '--' + k + '=' + string(object.spec.patroni.initdb[k]))"
#     variables:
#       synchronous: "object.?spec.?patroni.?synchronous_mode.orValue(false)"
#   facts:
#     version: {read: "postgresql.version"}
#     parameters: {read: "postgresql.parameters"}
#     defaults: {default: "Spilo's, of which shared_buffers and max_connections by the memory limit"}
#     fixed: {default: "listen_addresses; port; hot_standby; cluster_name"}
#     instances: {read: "numberOfInstances"}
#     resources: {read: "resources; else those of the operator's configuration"}
#     huge_pages: {read: "resources"}
#     machine: {unread: "nodeAffinity"}
#     volume: {read: "volume.size"}
#     storage_class: {read: "volume.storageClass"}
#     performance: {read: "volume.iops; throughput; type"}
#     wal_volume: {read: "additionalVolumes, where patroni.initdb.waldir lies on one"}
#     tablespaces: {unread: "SQL says where they are on additionalVolumes"}
#     segment: {read: "patroni.initdb wal-segsize; unknown of a clone", default: "16 MB"}
#     checksums: {read: "patroni.initdb data-checksums", default: "on"}
#     synchronous: {read: "patroni.synchronous_mode"}
#     slots: {default: "on"}
#     rewind: {default: "always"}
#     pooler: {read: "enableConnectionPooler; connectionPooler", default: "none"}
#     archiving: {read: "env; the operator's configuration"}
#     schedules: {read: "env BACKUP_SCHEDULE; logicalBackupSchedule"}
#     repositories: {unread: "env BACKUP_NUM_TO_RETAIN, 5 unless told otherwise"}
#     standby_backup: {read: "env WALG_BACKUP_FROM_REPLICA"}
#     restores: {read: "clones to a point in time"}
#     patience: {read: "livenessProbe"}
#     shared_memory: {read: "enableShmVolume false"}
package walguard.operators.zalando

import data.walguard.lib.cluster as shared
import data.walguard.lib.fact
import data.walguard.lib.fields
import data.walguard.lib.get
import data.walguard.lib.k8s
import data.walguard.lib.spilo

recognised if {
	k8s.group == "acid.zalan.do"
	k8s.kind == "postgresql"
}

spec := get.map(k8s.object, "spec") if recognised

# METADATA
# description: The cluster as walguard.model documents it.
cluster := object.union_n([f | some f in facts]) if recognised

facts contains {
	"operator": "Zalando Postgres Operator",
	"name": k8s.name,
	"namespace": k8s.namespace,
	"parameters": parameters,
	"parameters_path": parameters_path,
	"parameter_values": "text",
	"patroni": true,
	"defaults": defaults,
	"managed": managed,
	"instance_sets": [instance_set],
	"requests_fitted": true,
	"rewind": rewind,
	"pods": [{"containers": [["spec", "initContainers"], ["spec", "sidecars"]], "additions": ["spec", "additionalVolumes"], "environment": [["spec", "env"]], "given": given}],
} if {
	recognised
}

facts contains {"shared_memory": fact.written(67108864, ["spec", "enableShmVolume"])} if get.boolean(spec, "enableShmVolume") == false

facts contains {"patience": patience} if patience

# The libraries that configure_spilo.py writes; whoever writes the parameter replaces them.
facts contains {"preload": ["bg_mon", "pg_stat_statements", "pgextwlist", "pg_auth_mon", "set_user", "pg_cron", "pg_stat_kcache"]} if recognised

facts contains {"ignored": unheeded} if count(unheeded) > 0

unheeded := array.concat(array.concat(misplaced, array.concat(variables_of_nobody, array.concat(fields_of_sidecars, fields_of_patroni))), array.concat(array.concat(options_among_annotations, configurations_of_nobody), array.concat(array.concat(array.concat(options_of_nobody, options_elsewhere), [setting | recognised; some setting in spilo.unheeded(variables_of_pods, known_image)]), namespaces_of_secrets)))

facts contains {"unread": unread} if count(unread) > 0

facts contains {"misspelt_fields": misspelt} if count(misspelt) > 0

misspelt := [found | recognised; some found in fields.misspelt("zalando", k8s.object)]

# ----------------------------------------------------------------------------------------------------- instances

major := fact.written(shared.major(version), version_path) if version := get.text_at(k8s.object, version_path)

version_path := ["spec", "postgresql", "version"]

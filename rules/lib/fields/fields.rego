# METADATA
# description: |
#   The fields that the schemas of the operators have in the maps where people write most, and keys that are none of them but were perhaps meant to be one.
#   The API server drops an unknown field unless the client asks it to be strict: Helm, Flux and Argo CD do not. From the operators' own CRDs
#   (CloudNativePG 1.30, its Barman Cloud plugin, PGO 6, Percona 2.9, Zalando 1.15), so that a field of a newer one must look like another to be reported.
package walguard.lib.fields

import data.walguard.lib.get
import data.walguard.lib.placeholder
import data.walguard.postgres.similar

# METADATA
# description: Keys of an object that its kind does not have; see walguard.model, misspelt_fields.
misspelt(kind, object) := [{"path": array.concat(path, [name]), "name": name, "meant": meant} |
	some place, fields in known[kind]
	some path in places(object, routes[kind][place])
	some name, _ in get.map(object, path)
	not name in fields
	not placeholder.unknown(name)
	meant := meant_by(kind, place, name, fields)
	not get.present(object, array.concat(path, [meant]))
]

meant_by(kind, place, name, fields) := nearest(name, fields) if not other_words[kind][place][name]

# A field that belongs elsewhere: the schema has it in one other place alone.
meant_by(kind, place, name, fields) := sprintf("%s.%s", [elsewhere[0], name]) if {
	not nearest(name, fields)
	not other_words[kind][place][name]
	elsewhere := [other | some other, names in known[kind]; other != place; name in names]
	count(elsewhere) == 1
}

meant_by(kind, place, name, _) := other_words[kind][place][name]

# What others call it, other operators among them.
other_words := {
	"cnpg": {
		"spec": {
			"databases": "a Database for each",
			"dataVolumeClaimSpec": "storage",
			"dockerImage": "imageName",
			"enableConnectionPooler": "a Pooler",
			"enableLogicalBackup": "a ScheduledBackup",
			"image": "imageName",
			"numberOfInstances": "instances",
			"parameters": "postgresql.parameters",
			"patroni": "postgresql.parameters and postgresql.pg_hba",
			"pg_hba": "postgresql.pg_hba",
			"podAnnotations": "inheritedMetadata.annotations",
			"podLabels": "inheritedMetadata.labels",
			"postgresVersion": "imageName",
			"proxy": "a Pooler",
			"replicas": "instances",
			"users": "managed.roles",
			"version": "imageName",
			"volume": "storage",
			"wal": "walStorage",
		},
		"spec.affinity": {"podAffinity": "additionalPodAffinity", "podAntiAffinity": "additionalPodAntiAffinity"},
		"spec.backup": {"schedule": "a ScheduledBackup", "schedules": "a ScheduledBackup"},
		"spec.backup.barmanObjectStore.data": {"retention": "spec.backup.retentionPolicy"},
		"spec.backup.barmanObjectStore.wal": {"retention": "spec.backup.retentionPolicy"},
		"spec.monitoring": {"customQueries": "customQueriesConfigMap", "enabled": "a PodMonitor"},
		"spec.backup.barmanObjectStore": {"bucket": "destinationPath", "endpoint": "endpointURL", "path": "destinationPath"},
		"spec.bootstrap.recovery.recoveryTarget": {name: "targetTime" | some name in ["time", "timestamp", "endTimestamp", "recoveryTargetTime", "recovery_target_time", "target_time"]},
		"spec.postgresql": {"hba": "pg_hba", "version": "spec.imageName"},
	},
	"crunchy": {"spec": object.union(of_pgo, {"exposeReplicas": "replicaService", "expose": "service", "parameters": "config.parameters", "pause": "shutdown to stop the cluster, or paused to keep the operator away from it", "postgresql": "config.parameters", "unmanaged": "paused"}), "spec.backups.pgbackrest.repoHost": of_repo_host, "spec.instances[]": of_each_instance, "spec.patroni": of_patroni},
	"objectstore": {"spec.configuration": {"bucket": "destinationPath", "endpoint": "endpointURL", "path": "destinationPath"}},
	"percona": {"spec": object.union(of_pgo, {"customReplicationTLSSecret": "secrets.customReplicationTLSSecret", "customTLSSecret": "secrets.customTLSSecret", "parameters": "patroni.dynamicConfiguration.postgresql.parameters", "paused": "pause to stop the cluster, or unmanaged to keep the operator away from it", "postgresql": "patroni.dynamicConfiguration.postgresql", "replicaService": "exposeReplicas", "service": "expose", "shutdown": "pause"}), "spec.backups.pgbackrest.repoHost": of_repo_host, "spec.instances[]": of_each_instance, "spec.patroni": of_patroni},
	"pooler": {"spec": {"replicas": "instances", "resources": "template.spec.containers[].resources", "affinity": "template.spec.affinity"}},
	"zalando": object.union({place: {"mem": "memory", "ram": "memory", "cpus": "cpu", "cores": "cpu"} | some place in zalando_resources}, {
		"spec": {
			"affinity": "nodeAffinity",
			"image": "dockerImage",
			"imageName": "dockerImage",
			"instances": "numberOfInstances",
			"nodeSelector": "nodeAffinity",
			"parameters": "postgresql.parameters",
			"pg_hba": "patroni.pg_hba",
			"postgresVersion": "postgresql.version",
			"replicas": "numberOfInstances",
			"storage": "volume",
			"version": "postgresql.version",
		},
		"spec.clone": object.union({"clusterName": "cluster", "name": "cluster"}, {name: "timestamp" | some name in ["endTimestamp", "end_timestamp", "pointInTime", "recoveryTargetTime", "recovery_target_time", "targetTime"]}),
		"spec.patroni": {"dynamicConfiguration": "pg_hba, ttl, synchronous_mode and the like below patroni itself, and parameters below postgresql.parameters", "parameters": "postgresql.parameters"},
		"spec.postgresql": {"pg_hba": "patroni.pg_hba"},
	}),
}

of_pgo := object.union(of_instances, {
	"databases": "users[].databases",
	"dockerImage": "image",
	"enableConnectionPooler": "proxy.pgBouncer",
	"imageName": "image",
	"numberOfInstances": "instances[].replicas",
	"storage": "instances[].dataVolumeClaimSpec",
	"version": "postgresVersion",
	"volume": "instances[].dataVolumeClaimSpec",
})

of_each_instance := {"nodeSelector": "affinity.nodeAffinity", "storage": "dataVolumeClaimSpec", "volume": "dataVolumeClaimSpec"}

# Before the first release of PGO 5.
of_repo_host := {"dedicated": "its fields in repoHost itself"}

# What Zalando's operator and Patroni itself have there.
of_patroni := {
	"loop_wait": "syncPeriodSeconds",
	"parameters": "dynamicConfiguration.postgresql.parameters",
	"pg_hba": "dynamicConfiguration.postgresql.pg_hba",
	"postgresql": "dynamicConfiguration.postgresql",
	"retry_timeout": "dynamicConfiguration.retry_timeout",
	"slots": "dynamicConfiguration.slots",
	"synchronous_mode": "dynamicConfiguration.synchronous_mode",
	"ttl": "leaderLeaseDurationSeconds",
}

# Its schema has the resources by name, where others take all that Kubernetes has.
zalando_resources := [sprintf("spec.%sresources.%s", [owner, field]) | some owner in ["", "connectionPooler."]; some field in ["limits", "requests"]]

of_instances := {name: concat(".", ["instances[]", name]) | some name in ["affinity", "dataVolumeClaimSpec", "priorityClassName", "replicas", "resources", "tolerations", "topologySpreadConstraints"]}

# Without regard to case, so that endpointUrl is endpointURL.
nearest(name, fields) := [field | some field in fields; get.lower_case(field) == found][0] if {
	found := similar.evident(get.lower_case(name), {get.lower_case(field) | some field in fields})
}

places(_, route) := [route.before] if not route.elements

places(object, route) := [array.concat(array.concat(route.before, [i]), route.elements) |
	some i, _ in get.list(object, route.before)
] if {
	route.elements
}

routes := routes_of(known)

# METADATA
# description: |
#   The keys of each place of a table of kinds, as `places` takes them. One list is on the way at most: "elements" are the keys in what it lists.
routes_of(table) := {kind: {place: route(split(place, "[]")) | some place, _ in places_of_kind} | some kind, places_of_kind in table}

route([place]) := {"before": split(place, ".")}

route([list, behind]) := {
	"before": split(list, "."),
	"elements": [key | some key in split(behind, "."); key != ""],
}

known := {
	"cnpg": {
		"spec": ["affinity", "backup", "bootstrap", "certificates", "description", "enablePDB", "enableSuperuserAccess", "env", "envFrom", "ephemeralVolumeSource", "ephemeralVolumesSizeLimit", "externalClusters", "failoverDelay", "imageCatalogRef", "imageName", "imagePullPolicy", "imagePullSecrets", "inheritedMetadata", "instances", "livenessProbeTimeout", "logLevel", "managed", "maxSyncReplicas", "minSyncReplicas", "monitoring", "nodeMaintenanceWindow", "plugins", "podSecurityContext", "podSelectorRefs", "postgresGID", "postgresUID", "postgresql", "primaryLease", "primaryUpdateMethod", "primaryUpdateStrategy", "priorityClassName", "probes", "projectedVolumeTemplate", "replica", "replicationSlots", "resources", "schedulerName", "seccompProfile", "securityContext", "serviceAccountName", "serviceAccountTemplate", "smartShutdownTimeout", "startDelay", "stopDelay", "storage", "superuserSecret", "switchoverDelay", "tablespaces", "topologySpreadConstraints", "walStorage"],
		"spec.affinity": ["additionalPodAffinity", "additionalPodAntiAffinity", "enablePodAntiAffinity", "nodeAffinity", "nodeSelector", "podAntiAffinityType", "tolerations", "topologyKey"],
		"spec.backup": ["barmanObjectStore", "retentionPolicy", "target", "volumeSnapshot"],
		"spec.backup.barmanObjectStore": ["azureCredentials", "data", "destinationPath", "endpointCA", "endpointURL", "googleCredentials", "historyTags", "s3Credentials", "serverName", "tags", "wal"],
		"spec.backup.barmanObjectStore.data": ["additionalCommandArgs", "compression", "encryption", "immediateCheckpoint", "jobs", "restoreAdditionalCommandArgs"],
		"spec.backup.barmanObjectStore.s3Credentials": ["accessKeyId", "inheritFromIAMRole", "region", "secretAccessKey", "sessionToken"],
		"spec.backup.barmanObjectStore.wal": ["archiveAdditionalCommandArgs", "compression", "encryption", "maxParallel", "restoreAdditionalCommandArgs"],
		"spec.backup.volumeSnapshot": ["annotations", "className", "labels", "online", "onlineConfiguration", "snapshotOwnerReference", "tablespaceClassName", "walClassName"],
		"spec.bootstrap": ["initdb", "pg_basebackup", "recovery"],
		"spec.bootstrap.initdb": ["builtinLocale", "dataChecksums", "database", "encoding", "icuLocale", "icuRules", "import", "locale", "localeCType", "localeCollate", "localeProvider", "options", "owner", "postInitApplicationSQL", "postInitApplicationSQLRefs", "postInitSQL", "postInitSQLRefs", "postInitTemplateSQL", "postInitTemplateSQLRefs", "secret", "walSegmentSize"],
		"spec.bootstrap.initdb.import": ["databases", "pgDumpExtraOptions", "pgRestoreDataOptions", "pgRestoreExtraOptions", "pgRestorePostdataOptions", "pgRestorePredataOptions", "postImportApplicationSQL", "roles", "schemaOnly", "source", "type"],
		"spec.bootstrap.pg_basebackup": ["database", "owner", "secret", "source"],
		"spec.bootstrap.recovery": ["backup", "database", "owner", "recoveryTarget", "secret", "source", "volumeSnapshots"],
		"spec.bootstrap.recovery.recoveryTarget": ["backupID", "exclusive", "targetImmediate", "targetLSN", "targetName", "targetTLI", "targetTime", "targetXID"],
		"spec.bootstrap.recovery.volumeSnapshots": ["storage", "tablespaceStorage", "walStorage"],
		"spec.bootstrap.recovery.volumeSnapshots.storage": ["apiGroup", "kind", "name"],
		"spec.bootstrap.recovery.volumeSnapshots.walStorage": ["apiGroup", "kind", "name"],
		"spec.certificates": ["clientCASecret", "replicationTLSSecret", "serverAltDNSNames", "serverCASecret", "serverTLSSecret"],
		"spec.managed.roles[]": ["bypassrls", "comment", "connectionLimit", "createdb", "createrole", "disablePassword", "ensure", "inRoles", "inherit", "login", "name", "passwordSecret", "replication", "superuser", "validUntil"],
		"spec.monitoring": ["customQueriesConfigMap", "customQueriesSecret", "disableDefaultQueries", "enablePodMonitor", "metricsQueriesTTL", "podMonitorMetricRelabelings", "podMonitorRelabelings", "tls"],
		"spec.postgresql": ["enableAlterSystem", "extensions", "ldap", "parameters", "pg_hba", "pg_ident", "promotionTimeout", "shared_preload_libraries", "syncReplicaElectionConstraint", "synchronous"],
		"spec.postgresql.ldap": ["bindAsAuth", "bindSearchAuth", "port", "scheme", "server", "tls"],
		"spec.postgresql.ldap.bindSearchAuth": ["baseDN", "bindDN", "bindPassword", "searchAttribute", "searchFilter"],
		"spec.postgresql.ldap.bindSearchAuth.bindPassword": ["key", "name", "optional"],
		"spec.postgresql.synchronous": ["dataDurability", "failoverQuorum", "maxStandbyNamesFromCluster", "method", "nodeFailureDomainKeys", "number", "podFailureDomainKeys", "standbyNamesPost", "standbyNamesPre"],
		"spec.primaryLease": ["leaseDurationSeconds", "releasedLeaseDurationSeconds", "renewDeadlineSeconds", "retryPeriodSeconds"],
		"spec.probes": ["liveness", "readiness", "startup"],
		"spec.probes.liveness": ["failureThreshold", "initialDelaySeconds", "isolationCheck", "periodSeconds", "successThreshold", "terminationGracePeriodSeconds", "timeoutSeconds"],
		"spec.probes.liveness.isolationCheck": ["connectionTimeout", "enabled", "requestTimeout"],
		"spec.probes.readiness": ["failureThreshold", "initialDelaySeconds", "maximumLag", "periodSeconds", "successThreshold", "terminationGracePeriodSeconds", "timeoutSeconds", "type"],
		"spec.probes.startup": ["failureThreshold", "initialDelaySeconds", "maximumLag", "periodSeconds", "successThreshold", "terminationGracePeriodSeconds", "timeoutSeconds", "type"],
		"spec.replica": ["enabled", "minApplyDelay", "primary", "promotionToken", "self", "source"],
		"spec.replicationSlots": ["highAvailability", "synchronizeReplicas", "updateInterval"],
		"spec.replicationSlots.highAvailability": ["enabled", "slotPrefix", "synchronizeLogicalDecoding"],
		"spec.storage": ["pvcTemplate", "resizeInUseVolumes", "size", "storageClass"],
		"spec.walStorage": ["pvcTemplate", "resizeInUseVolumes", "size", "storageClass"],
	},
	"crunchy": {
		"spec": ["authentication", "backups", "config", "customReplicationTLSSecret", "customTLSSecret", "dataSource", "databaseInitSQL", "disableDefaultPodScheduling", "image", "imagePullPolicy", "imagePullSecrets", "instances", "instrumentation", "metadata", "monitoring", "openshift", "patroni", "paused", "port", "postGISVersion", "postgresVersion", "proxy", "replicaService", "service", "shutdown", "standby", "supplementalGroups", "userInterface", "users"],
		"spec.authentication.rules[]": ["connection", "databases", "hba", "method", "options", "users"],
		"spec.backups.pgbackrest": ["configuration", "global", "image", "jobs", "log", "manual", "metadata", "repoHost", "repos", "restore", "sidecars"],
		"spec.backups.pgbackrest.repoHost": ["affinity", "log", "priorityClassName", "resources", "sshConfigMap", "sshSecret", "tolerations", "topologySpreadConstraints", "volumes"],
		"spec.backups.pgbackrest.repos[]": ["azure", "gcs", "name", "s3", "schedules", "volume"],
		"spec.backups.pgbackrest.repos[].azure": ["container"],
		"spec.backups.pgbackrest.repos[].gcs": ["bucket"],
		"spec.backups.pgbackrest.repos[].s3": ["bucket", "endpoint", "region"],
		"spec.backups.pgbackrest.repos[].schedules": ["differential", "full", "incremental"],
		"spec.backups.pgbackrest.repos[].volume": ["volumeClaimSpec"],
		"spec.dataSource": ["pgbackrest", "postgresCluster", "volumes"],
		"spec.dataSource.pgbackrest": ["affinity", "configuration", "global", "options", "priorityClassName", "repo", "resources", "stanza", "tolerations", "volumes"],
		"spec.dataSource.postgresCluster": ["affinity", "clusterName", "clusterNamespace", "options", "priorityClassName", "repoName", "resources", "tolerations", "volumes"],
		"spec.instances[]": ["affinity", "containers", "dataVolumeClaimSpec", "metadata", "minAvailable", "name", "priorityClassName", "replicas", "resources", "sidecars", "tablespaceVolumes", "tolerations", "topologySpreadConstraints", "volumes", "walVolumeClaimSpec"],
		"spec.instances[].affinity": ["nodeAffinity", "podAffinity", "podAntiAffinity"],
		"spec.instances[].dataVolumeClaimSpec": ["accessModes", "autoGrow", "dataSource", "dataSourceRef", "resources", "selector", "storageClassName", "volumeAttributesClassName", "volumeMode", "volumeName"],
		"spec.instances[].walVolumeClaimSpec": ["accessModes", "autoGrow", "dataSource", "dataSourceRef", "resources", "selector", "storageClassName", "volumeAttributesClassName", "volumeMode", "volumeName"],
		"spec.instrumentation": ["config", "image", "logs", "metrics", "resources"],
		"spec.instrumentation.logs": ["batches", "exporters", "retentionPeriod"],
		"spec.instrumentation.logs.batches": ["maxDelay", "maxRecords", "minRecords"],
		"spec.instrumentation.metrics": ["customQueries", "exporters", "perDBMetricTargets"],
		"spec.patroni": ["dynamicConfiguration", "leaderLeaseDurationSeconds", "logging", "port", "switchover", "syncPeriodSeconds"],
		"spec.patroni.switchover": ["enabled", "targetInstance", "type"],
		"spec.proxy": ["pgBouncer"],
		"spec.proxy.pgBouncer": ["affinity", "config", "containers", "customTLSSecret", "image", "metadata", "minAvailable", "port", "priorityClassName", "replicas", "resources", "service", "sidecars", "tolerations", "topologySpreadConstraints", "volumes"],
		"spec.proxy.pgBouncer.affinity": ["nodeAffinity", "podAffinity", "podAntiAffinity"],
		"spec.proxy.pgBouncer.config": ["databases", "files", "global", "users"],
		"spec.standby": ["enabled", "host", "port", "repoName"],
		"spec.users[]": ["databases", "name", "options", "password"],
	},
	"objectstore": {
		"spec": ["configuration", "instanceSidecarConfiguration", "retentionPolicy"],
		"spec.configuration": ["azureCredentials", "data", "destinationPath", "endpointCA", "endpointURL", "googleCredentials", "historyTags", "s3Credentials", "serverName", "tags", "wal"],
		"spec.configuration.data": ["additionalCommandArgs", "compression", "encryption", "immediateCheckpoint", "jobs", "restoreAdditionalCommandArgs"],
		"spec.configuration.s3Credentials": ["accessKeyId", "inheritFromIAMRole", "region", "secretAccessKey", "sessionToken"],
		"spec.configuration.wal": ["archiveAdditionalCommandArgs", "compression", "encryption", "maxParallel", "restoreAdditionalCommandArgs"],
		"spec.instanceSidecarConfiguration": ["additionalContainerArgs", "env", "logLevel", "resources", "retentionPolicyIntervalSeconds"],
	},
	"pooler": {
		"spec": ["cluster", "deploymentStrategy", "instances", "monitoring", "pgbouncer", "serviceAccountName", "serviceTemplate", "template", "type"],
		"spec.deploymentStrategy": ["rollingUpdate", "type"],
		"spec.deploymentStrategy.rollingUpdate": ["maxSurge", "maxUnavailable"],
		"spec.monitoring": ["enablePodMonitor", "podMonitorMetricRelabelings", "podMonitorRelabelings", "tls"],
		"spec.pgbouncer": ["authQuery", "authQuerySecret", "clientCASecret", "clientTLSSecret", "image", "imageCatalogRef", "parameters", "paused", "pg_hba", "poolMode", "serverCASecret", "serverTLSSecret"],
		"spec.serviceTemplate": ["metadata", "spec"],
		"spec.serviceTemplate.spec": ["allocateLoadBalancerNodePorts", "clusterIP", "clusterIPs", "externalIPs", "externalName", "externalTrafficPolicy", "healthCheckNodePort", "internalTrafficPolicy", "ipFamilies", "ipFamilyPolicy", "loadBalancerClass", "loadBalancerIP", "loadBalancerSourceRanges", "ports", "publishNotReadyAddresses", "selector", "sessionAffinity", "sessionAffinityConfig", "trafficDistribution", "type"],
		"spec.template": ["metadata", "spec"],
		"spec.template.spec": ["activeDeadlineSeconds", "affinity", "automountServiceAccountToken", "containers", "dnsConfig", "dnsPolicy", "enableServiceLinks", "ephemeralContainers", "hostAliases", "hostIPC", "hostNetwork", "hostPID", "hostUsers", "hostname", "hostnameOverride", "imagePullSecrets", "initContainers", "nodeName", "nodeSelector", "os", "overhead", "preemptionPolicy", "priority", "priorityClassName", "readinessGates", "resourceClaims", "resources", "restartPolicy", "runtimeClassName", "schedulerName", "schedulingGates", "schedulingGroup", "securityContext", "serviceAccount", "serviceAccountName", "setHostnameAsFQDN", "shareProcessNamespace", "subdomain", "terminationGracePeriodSeconds", "tolerations", "topologySpreadConstraints", "volumes"],
		"spec.template.spec.affinity": ["nodeAffinity", "podAffinity", "podAntiAffinity"],
		"spec.template.spec.containers[]": ["args", "command", "env", "envFrom", "image", "imagePullPolicy", "lifecycle", "livenessProbe", "name", "ports", "readinessProbe", "resizePolicy", "resources", "restartPolicy", "restartPolicyRules", "securityContext", "startupProbe", "stdin", "stdinOnce", "terminationMessagePath", "terminationMessagePolicy", "tty", "volumeDevices", "volumeMounts", "workingDir"],
		"spec.template.spec.securityContext": ["appArmorProfile", "fsGroup", "fsGroupChangePolicy", "runAsGroup", "runAsNonRoot", "runAsUser", "seLinuxChangePolicy", "seLinuxOptions", "seccompProfile", "supplementalGroups", "supplementalGroupsPolicy", "sysctls", "windowsOptions"],
		"spec.template.spec.topologySpreadConstraints[]": ["labelSelector", "matchLabelKeys", "maxSkew", "minDomains", "nodeAffinityPolicy", "nodeTaintsPolicy", "topologyKey", "whenUnsatisfiable"],
	},
	"percona": {
		"spec": ["authentication", "autoCreateUserSchema", "backups", "clusterServiceDNSSuffix", "config", "crVersion", "dataSource", "databaseInitSQL", "expose", "exposeReplicas", "extensions", "image", "imagePullPolicy", "imagePullSecrets", "initContainer", "instances", "logcollector", "logicalReplicas", "metadata", "openshift", "patroni", "pause", "pmm", "port", "postgresVersion", "proxy", "secrets", "standby", "tls", "tlsOnly", "unmanaged", "users"],
		"spec.authentication.rules[]": ["connection", "databases", "hba", "method", "options", "users"],
		"spec.backups": ["enabled", "pgbackrest", "trackLatestRestorableTime", "volumeSnapshots"],
		"spec.backups.pgbackrest": ["configuration", "containers", "env", "envFrom", "global", "image", "initContainer", "jobs", "manual", "metadata", "repoHost", "repos", "restore", "sidecars"],
		"spec.backups.pgbackrest.manual": ["env", "envFrom", "initialDelaySeconds", "options", "repoName"],
		"spec.backups.pgbackrest.repoHost": ["affinity", "priorityClassName", "resources", "securityContext", "sidecarPVCs", "sidecarVolumes", "sidecars", "sshConfigMap", "sshSecret", "tolerations", "topologySpreadConstraints"],
		"spec.backups.pgbackrest.repos[]": ["azure", "gcs", "name", "s3", "schedules", "volume"],
		"spec.backups.pgbackrest.repos[].azure": ["container"],
		"spec.backups.pgbackrest.repos[].gcs": ["bucket"],
		"spec.backups.pgbackrest.repos[].s3": ["bucket", "endpoint", "region"],
		"spec.backups.pgbackrest.repos[].schedules": ["differential", "full", "incremental"],
		"spec.backups.pgbackrest.repos[].volume": ["volumeClaimSpec"],
		"spec.backups.volumeSnapshots": ["className", "jobs", "mode", "offlineConfig", "schedule"],
		"spec.dataSource": ["pgbackrest", "postgresCluster", "volumes"],
		"spec.dataSource.pgbackrest": ["affinity", "configuration", "global", "options", "priorityClassName", "repo", "resources", "stanza", "tolerations"],
		"spec.dataSource.postgresCluster": ["affinity", "clusterName", "clusterNamespace", "env", "envFrom", "options", "priorityClassName", "repoName", "resources", "tolerations"],
		"spec.instances[]": ["affinity", "containers", "dataVolumeClaimSpec", "env", "envFrom", "extraVolumes", "initContainer", "initContainers", "metadata", "minAvailable", "name", "priorityClassName", "replicas", "resources", "securityContext", "sidecarPVCs", "sidecarVolumes", "sidecars", "tablespaceVolumes", "tolerations", "topologySpreadConstraints", "volumeMounts", "walVolumeClaimSpec"],
		"spec.instances[].affinity": ["nodeAffinity", "podAffinity", "podAntiAffinity"],
		"spec.instances[].dataVolumeClaimSpec": ["accessModes", "dataSource", "dataSourceRef", "resources", "selector", "storageClassName", "volumeAttributesClassName", "volumeMode", "volumeName"],
		"spec.instances[].walVolumeClaimSpec": ["accessModes", "dataSource", "dataSourceRef", "resources", "selector", "storageClassName", "volumeAttributesClassName", "volumeMode", "volumeName"],
		"spec.logcollector": ["configuration", "containerSecurityContext", "enabled", "env", "envFrom", "image", "imagePullPolicy", "livenessProbe", "logRotate", "readinessProbe", "resources", "volumeMounts", "volumes"],
		"spec.logcollector.logRotate": ["configuration", "extraConfig", "livenessProbe", "readinessProbe", "schedule"],
		"spec.logicalReplicas[]": ["affinity", "bootstrapMethod", "dataVolumeClaimSpec", "databases", "expose", "metadata", "name", "priorityClassName", "resources", "tolerations"],
		"spec.logicalReplicas[].affinity": ["nodeAffinity", "podAffinity", "podAntiAffinity"],
		"spec.patroni": ["createReplicaMethods", "dynamicConfiguration", "leaderLeaseDurationSeconds", "port", "removeDataDirectoryOnDivergedTimelines", "switchover", "syncPeriodSeconds"],
		"spec.patroni.switchover": ["enabled", "targetInstance", "type"],
		"spec.proxy": ["pgBouncer"],
		"spec.proxy.pgBouncer": ["additionalTrustedCAs", "affinity", "config", "containers", "customTLSSecret", "env", "envFrom", "expose", "exposeSuperusers", "image", "metadata", "minAvailable", "paused", "port", "priorityClassName", "replicas", "resources", "securityContext", "sidecarPVCs", "sidecarVolumes", "sidecars", "tolerations", "topologySpreadConstraints", "usersSecret"],
		"spec.proxy.pgBouncer.affinity": ["nodeAffinity", "podAffinity", "podAntiAffinity"],
		"spec.proxy.pgBouncer.config": ["databases", "files", "global", "users"],
		"spec.standby": ["enabled", "host", "maxAcceptableLag", "port", "repoName"],
		"spec.users[]": ["databases", "grantPublicSchemaAccess", "name", "options", "password", "secretName"],
	},
	"scheduledbackup": {
		"spec": ["backupOwnerReference", "cluster", "immediate", "method", "online", "onlineConfiguration", "pluginConfiguration", "schedule", "suspend", "target"],
		"spec.onlineConfiguration": ["immediateCheckpoint", "waitForArchive"],
		"spec.pluginConfiguration": ["name", "parameters"],
	},
	"zalando": {
		"spec": ["additionalVolumes", "allowedSourceRanges", "clone", "connectionPooler", "databases", "dockerImage", "enableConnectionPooler", "enableLogicalBackup", "enableMasterLoadBalancer", "enableMasterNodePort", "enableMasterPoolerLoadBalancer", "enableMasterPoolerNodePort", "enableReplicaConnectionPooler", "enableReplicaLoadBalancer", "enableReplicaNodePort", "enableReplicaPoolerLoadBalancer", "enableReplicaPoolerNodePort", "enableShmVolume", "env", "envFrom", "initContainers", "livenessProbe", "logicalBackupRetention", "logicalBackupSchedule", "maintenanceWindows", "masterNodePort", "masterPoolerNodePort", "masterServiceAnnotations", "nodeAffinity", "numberOfInstances", "patroni", "podAnnotations", "podPriorityClassName", "postgresql", "preparedDatabases", "replicaNodePort", "replicaPoolerNodePort", "replicaServiceAnnotations", "resources", "schedulerName", "serviceAnnotations", "sidecars", "spiloFSGroup", "spiloRunAsGroup", "spiloRunAsUser", "standby", "streams", "teamId", "tls", "tolerations", "topologySpreadConstraints", "users", "usersIgnoringSecretRotation", "usersWithInPlaceSecretRotation", "usersWithSecretRotation", "volume"],
		"spec.clone": ["cluster", "s3_access_key_id", "s3_endpoint", "s3_force_path_style", "s3_secret_access_key", "s3_wal_path", "timestamp", "uid"],
		"spec.connectionPooler": ["dockerImage", "maxDBConnections", "mode", "numberOfInstances", "resources", "schema", "user"],
		"spec.connectionPooler.resources.limits": ["cpu", "hugepages-1Gi", "hugepages-2Mi", "memory"],
		"spec.connectionPooler.resources.requests": ["cpu", "hugepages-1Gi", "hugepages-2Mi", "memory"],
		"spec.patroni": ["failsafe_mode", "initdb", "loop_wait", "maximum_lag_on_failover", "pg_hba", "retry_timeout", "slots", "synchronous_mode", "synchronous_mode_strict", "synchronous_node_count", "ttl"],
		"spec.postgresql": ["parameters", "version"],
		"spec.resources.limits": ["cpu", "hugepages-1Gi", "hugepages-2Mi", "memory"],
		"spec.resources.requests": ["cpu", "hugepages-1Gi", "hugepages-2Mi", "memory"],
		"spec.standby": ["gs_wal_path", "s3_wal_path", "standby_host", "standby_port", "standby_primary_slot_name"],
		"spec.volume": ["iops", "isSubPathExpr", "selector", "size", "storageClass", "subPath", "throughput", "type"],
	},
}

package walguard.charts.bitnami_test

import data.walguard.charts
import data.walguard.charts.bitnami
import data.walguard.lib.placeholder

unknown := placeholder.elsewhere

whole(written) := {"name": "pg", "namespace": "db", "values": written, "whole": true, "chart": "postgresql"}

of_major(written, number) := object.union(whole(written), {"major": number})

alone(written) := {"values": written, "whole": false, "chart": "postgresql"}

objects(release) := {sprintf("%s/%s", [part.object.kind, part.object.metadata.name]): part.object | some part in bitnami.rendered(release)}

server(release) := found[0] if found := [part.object | some part in bitnami.rendered(release); part.object.kind == "StatefulSet"]

pod(release) := server(release).spec.template.spec

container(release) := pod(release).containers[0]

variables(release) := {variable.name: object.get(variable, "value", object.get(variable, "valueFrom", "")) | some variable in container(release).env}

volumes(release) := {volume.name: volume | some volume in pod(release).volumes}

# Where something at a path of an object was written, as a host has it.
written_at(release, kind, path) := array.concat(nearest.to, array.slice(path, count(nearest.from), count(path))) if {
	found := [part | some part in bitnami.rendered(release); part.object.kind == kind][0]
	lengths := [count(one.from) | some one in found.paths; array.slice(path, 0, count(one.from)) == one.from]
	nearest := [one | some one in found.paths; array.slice(path, 0, count(one.from)) == one.from; count(one.from) == max(lengths)][0]
}

test_defaults_of_every_release if {
	release := whole({})
	server(release).metadata == {"name": "pg-postgresql", "namespace": "db", "labels": {"app.kubernetes.io/name": "postgresql", "app.kubernetes.io/instance": "pg", "app.kubernetes.io/component": "primary"}}
	server(release).spec.volumeClaimTemplates == [{"metadata": {"name": "data"}, "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "8Gi"}}}}]
	server(release).spec.serviceName == "pg-postgresql-hl"
	container(release).image == sprintf("docker.io/bitnami/postgresql:%s", [unknown])
	container(release).resources == {"limits": {"cpu": unknown, "memory": unknown}, "requests": {"cpu": unknown, "memory": unknown}}
	container(release).securityContext == {"runAsUser": 1001}
	pod(release).securityContext == {"fsGroup": 1001}
	container(release).livenessProbe == {"initialDelaySeconds": 30, "periodSeconds": 10, "timeoutSeconds": 5, "failureThreshold": 6, "successThreshold": 1, "exec": {"command": ["/bin/sh", "-c", `exec pg_isready -U "postgres" -h 127.0.0.1 -p 5432`]}}
	not container(release).startupProbe
	not container(release).lifecycle
	variables(release) == {
		"POSTGRESQL_PORT_NUMBER": "5432",
		"POSTGRESQL_VOLUME_DIR": "/bitnami/postgresql",
		"PGDATA": "/bitnami/postgresql/data",
		"POSTGRES_PASSWORD": {"secretKeyRef": {"name": "pg-postgresql", "key": "postgres-password"}},
	}
	volumes(release).dshm == {"name": "dshm", "emptyDir": {"medium": "Memory"}}
	object.keys(objects(release)) == {"StatefulSet/pg-postgresql", "Service/pg-postgresql", "Service/pg-postgresql-hl", "Secret/pg-postgresql"}
}

test_defaults_of_a_release if {
	container(of_major({}, 12)).image == sprintf("docker.io/bitnami/postgresql:15.%s", [unknown])
	container(of_major({}, 12)).resources == {"requests": {"cpu": "250m", "memory": "256Mi"}}
	container(of_major({"primary": {"resources": {"limits": {"memory": "1Gi"}}}}, 13)).resources == {"requests": {"cpu": "250m", "memory": "256Mi"}, "limits": {"memory": "1Gi"}}
	container(of_major({}, 14)).resources == {}
	container(of_major({}, 15)).resources.limits.memory == "192Mi"
	container(of_major({"primary": {"resourcesPreset": "small"}}, 15)).resources.limits.memory == "768Mi"
	container(of_major({"primary": {"resources": {"limits": {"memory": "1Gi"}}}}, 16)).resources == {"limits": {"memory": "1Gi"}}
	container(of_major({}, 15)).securityContext == {"runAsUser": 1001, "runAsGroup": 1001}
	not volumes(of_major({}, 14))["empty-dir"]
	variables(of_major({}, 16)).POSTGRES_PASSWORD_FILE == "/opt/bitnami/postgresql/secrets/postgres-password"
	volumes(of_major({}, 16))["postgresql-password"].secret == {"secretName": "pg-postgresql"}
}

test_resources_that_are_written if {
	container(whole({"primary": {"resources": {"limits": {"memory": "1Gi"}}}})).resources == {"limits": {"memory": "1Gi"}, "requests": {"cpu": unknown, "memory": unknown}}
	container(alone({"primary": {"resources": {"requests": {"memory": "1Gi"}}}})).resources == {"limits": {"cpu": unknown, "memory": unknown}, "requests": {"cpu": unknown, "memory": "1Gi"}}
	container(whole({"primary": {"resourcesPreset": "none"}})).resources == {}
	written_at(whole({"primary": {"resources": {"limits": {"memory": "1Gi"}}}}), "StatefulSet", ["spec", "template", "spec", "containers", 0, "resources", "limits"]) == ["primary", "resources", "limits"]
	written_at(whole({}), "StatefulSet", ["spec", "template", "spec", "containers", 0, "resources", "limits"]) == ["primary", "resourcesPreset", "limits"]
}

test_configuration if {
	written := {"primary": {"configuration": "fsync = off\n", "pgHbaConfiguration": "host all all all trust\n", "extendedConfiguration": "max_connections = 10\n"}}
	all := objects(whole(written))
	all["ConfigMap/pg-postgresql-configuration"].data == {"postgresql.conf": "fsync = off\n", "pg_hba.conf": "host all all all trust\n"}
	all["ConfigMap/pg-postgresql-extended-configuration"].data == {"override.conf": "max_connections = 10\n"}
	volumes(whole(written))["postgresql-config"].configMap == {"name": "pg-postgresql-configuration"}
	written_at(whole({"primary": {"extendedConfiguration": "a = 1"}}), "ConfigMap", ["data", "override.conf"]) == ["primary", "extendedConfiguration"]
	objects(whole({"primary": {"extendedConfiguration": {"maxConnections": 5}}}))["ConfigMap/pg-postgresql-extended-configuration"].data == {"override.conf": "maxConnections: 5"}
}

test_configuration_that_is_a_template if {
	release := whole({"primary": {"configuration": "{{- if .Values.x }}", "extendedConfiguration": "{{ .Values.y }}"}})
	volumes(release)["postgresql-config"].configMap == {"name": unknown}
	volumes(release)["postgresql-extended-config"].configMap == {"name": unknown}
	count([1 | some name, _ in objects(release); startswith(name, "ConfigMap/")]) == 0
}

test_rules_of_access_alone if {
	volumes(whole({"primary": {"pgHbaConfiguration": "local all all trust\n"}}))["postgresql-config"].configMap == {"name": "pg-postgresql-configuration"}
}

test_configuration_of_ones_own if {
	written := {"primary": {"existingConfigmap": "{{ .Release.Name }}-conf", "existingExtendedConfigmap": "more", "configuration": "a", "initdb": {"scriptsConfigMap": "init", "scriptsSecret": "hidden", "args": "-k", "postgresqlWalDir": "/wal", "user": "postgres"}}}
	volumes(whole(written))["postgresql-config"].configMap.name == "pg-conf"
	volumes(whole(written))["postgresql-extended-config"].configMap.name == "more"
	volumes(whole(written))["custom-init-scripts"].configMap.name == "init"
	volumes(whole(written))["custom-init-scripts-secret"].secret.secretName == "hidden"
	variables(whole(written)).POSTGRES_INITDB_ARGS == "-k"
	variables(whole(written)).POSTGRES_INITDB_WALDIR == "/wal"
	count([1 | some name, _ in objects(whole(written)); startswith(name, "ConfigMap/")]) == 0
}

test_scripts if {
	release := whole({"primary": {"initdb": {"scripts": {"a.sql": "SELECT 1"}}}})
	objects(release)["ConfigMap/pg-postgresql-init-scripts"].data == {"a.sql": "SELECT 1"}
	volumes(release)["custom-init-scripts"].configMap == {"name": "pg-postgresql-init-scripts"}
	written_at(release, "ConfigMap", ["data", "a.sql"]) == ["primary", "initdb", "scripts", "a.sql"]
}

persisted(written) := whole({"primary": {"persistence": written}})

test_persistence if {
	volumes(persisted({"enabled": false})).data == {"name": "data", "emptyDir": {}}
	written_at(persisted({"enabled": false}), "StatefulSet", ["spec", "template", "spec", "volumes", 2]) == ["primary", "persistence", "enabled"]
	volumes(persisted({"existingClaim": "mine"})).data.persistentVolumeClaim == {"claimName": "mine"}
	not server(persisted({"existingClaim": "mine"})).spec.volumeClaimTemplates
	claim := server(persisted({"size": "20Gi", "storageClass": "-", "accessModes": ["ReadWriteMany"], "annotations": {"a": "b"}, "selector": {"matchLabels": {}}})).spec.volumeClaimTemplates[0]
	claim == {"metadata": {"name": "data", "annotations": {"a": "b"}}, "spec": {"accessModes": ["ReadWriteMany"], "resources": {"requests": {"storage": "20Gi"}}, "storageClassName": "", "selector": {"matchLabels": {}}}}
	server(whole({"global": {"storageClass": "fast"}, "primary": {"persistence": {"storageClass": "slow"}}})).spec.volumeClaimTemplates[0].spec.storageClassName == "fast"
	server(whole({"global": {"defaultStorageClass": "usual"}})).spec.volumeClaimTemplates[0].spec.storageClassName == "usual"
	written_at(persisted({"size": "1Gi"}), "StatefulSet", ["spec", "volumeClaimTemplates", 0, "spec", "resources", "requests", "storage"]) == ["primary", "persistence", "size"]
	{"name": "data", "mountPath": "/data", "subPath": "pg"} in container(persisted({"mountPath": "/data", "subPath": "pg"})).volumeMounts
	variables(persisted({"mountPath": "/data"})).PGDATA == "/bitnami/postgresql/data"
	variables(whole({"postgresqlDataDir": "/data/pg"})).PGDATA == "/data/pg"
}

# Another values file may say the rest.
test_values_that_are_not_all if {
	release := alone({"primary": {"extendedConfiguration": "a = 1"}})
	server(release).metadata.name == "${RELEASE}-postgresql"
	not server(release).metadata.namespace
	volumes(release).data.persistentVolumeClaim == {"claimName": unknown}
	volumes(release)["postgresql-config"].configMap == {"name": unknown}
	container(release).image == sprintf("%s/bitnami/postgresql:%s", [unknown, unknown])
	container(release).startupProbe == {"failureThreshold": unknown}
	container(release).lifecycle == {"preStop": {"exec": {"command": [unknown]}}}
	pod(release).terminationGracePeriodSeconds == unknown
	variables(release).POSTGRES_INITDB_ARGS == unknown
	variables(release).POSTGRES_PASSWORD.secretKeyRef.name == unknown
	variables(alone({"primary": {"persistence": {"mountPath": "/x"}}})).PGDATA == unknown
	not objects(release)["Secret/${RELEASE}-postgresql"]
	server(alone({"primary": {"persistence": {"size": "5Gi"}}})).spec.volumeClaimTemplates[0].spec == {"accessModes": unknown, "resources": {"requests": {"storage": "5Gi"}}, "storageClassName": unknown}
	container(alone({"image": {"repository": "bitnamilegacy/postgresql", "tag": 16}})).image == "docker.io/bitnamilegacy/postgresql:16"
}

test_logins if {
	written := {"auth": {"username": "app", "database": "shop", "existingSecret": "creds", "secretKeys": {"adminPasswordKey": "root", "userPasswordKey": "user"}}}
	variables(whole(written)).POSTGRES_USER == "app"
	variables(whole(written)).POSTGRES_DATABASE == "shop"
	variables(whole(written)).POSTGRES_PASSWORD == {"secretKeyRef": {"name": "creds", "key": "user"}}
	variables(whole(written)).POSTGRES_POSTGRES_PASSWORD == {"secretKeyRef": {"name": "creds", "key": "root"}}
	not objects(whole(written))["Secret/pg-postgresql"]
	everywhere := {"global": {"postgresql": {"auth": {"username": "g", "database": "d", "existingSecret": "s", "secretKeys": {"userPasswordKey": "k"}}}}, "auth": {"username": "app", "database": "shop"}}
	variables(whole(everywhere)).POSTGRES_USER == "g"
	variables(whole(everywhere)).POSTGRES_DATABASE == "d"
	variables(whole(everywhere)).POSTGRES_PASSWORD == {"secretKeyRef": {"name": "s", "key": "k"}}
	variables(whole({"auth": {"secretKeys": {"adminPasswordKey": "root"}}})).POSTGRES_PASSWORD.secretKeyRef.key == "postgres-password"
	not variables(whole({"auth": {"username": "app", "enablePostgresUser": false}})).POSTGRES_POSTGRES_PASSWORD
	variables(whole({"auth": {"enablePostgresUser": false}})).ALLOW_EMPTY_PASSWORD == "true"
	files := variables(whole({"auth": {"usePasswordFiles": true, "username": "app"}}))
	files.POSTGRES_PASSWORD_FILE == "/opt/bitnami/postgresql/secrets/password"
	files.POSTGRES_POSTGRES_PASSWORD_FILE == "/opt/bitnami/postgresql/secrets/postgres-password"
}

test_replication if {
	written := {"architecture": "replication", "replication": {"synchronousCommit": "on", "numSynchronousReplicas": 1}, "readReplicas": {"replicaCount": 2, "podAntiAffinityPreset": "hard"}}
	all := objects(whole(written))
	all["StatefulSet/pg-postgresql-read"].spec.replicas == 2
	all["StatefulSet/pg-postgresql-primary"].spec.replicas == 1
	objects(whole(object.union(written, {"readReplicas": {"extendedConfiguration": "a = 1"}})))["ConfigMap/pg-postgresql-read-extended-configuration"].data == {"override.conf": "a = 1"}
	of_primary := variables(whole(written))
	of_primary.POSTGRES_REPLICATION_MODE == "master"
	of_primary.POSTGRES_SYNCHRONOUS_COMMIT_MODE == "on"
	of_primary.POSTGRES_NUM_SYNCHRONOUS_REPLICAS == "1"
	of_primary.POSTGRES_REPLICATION_PASSWORD.secretKeyRef.key == "replication-password"
	replica := all["StatefulSet/pg-postgresql-read"].spec.template.spec
	replica.affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].topologyKey == "kubernetes.io/hostname"
	of_replica := {variable.name: variable.value | some variable in replica.containers[0].env; variable.value}
	of_replica.POSTGRES_REPLICATION_MODE == "slave"
	of_replica.POSTGRES_MASTER_HOST == "pg-postgresql-primary"
	of_replica.POSTGRES_MASTER_PORT_NUMBER == "5432"
	all["Service/pg-postgresql-read"].spec.selector["app.kubernetes.io/component"] == "read"
	variables(of_major(written, 16)).POSTGRES_REPLICATION_PASSWORD_FILE == "/opt/bitnami/postgresql/secrets/replication-password"
	standing := variables(whole({"primary": {"standby": {"enabled": true, "primaryHost": "other", "primaryPort": 5433}}}))
	standing.POSTGRES_REPLICATION_MODE == "slave"
	standing.POSTGRES_MASTER_HOST == "other"
	standing.POSTGRES_MASTER_PORT_NUMBER == "5433"
	bare := [part.object | some part in bitnami.rendered(alone(written)); part.object.metadata.name == "${RELEASE}-postgresql-read"; part.object.kind == "StatefulSet"][0]
	bare.spec.volumeClaimTemplates[0].spec.resources.requests.storage == unknown
}

test_what_is_added if {
	written := {
		"tls": {"enabled": true, "certificatesSecret": "certs", "certFilename": "c.crt", "certKeyFilename": "c.key", "certCAFilename": "ca.crt"},
		"ldap": {"enabled": true, "server": "ldap.example.com"},
		"audit": {"logConnections": true},
		"postgresqlSharedPreloadLibraries": "pgaudit,pg_cron",
		"shmVolume": {"sizeLimit": "1Gi"},
		"volumePermissions": {"enabled": true},
		"metrics": {"enabled": true, "resourcesPreset": "nano"},
		"containerPorts": {"postgresql": 5433},
		"primary": {
			"extraEnvVars": [{"name": "TZ", "value": "UTC"}],
			"extraEnvVarsCM": "more",
			"extraEnvVarsSecret": "hidden",
			"extraVolumes": [{"name": "x", "emptyDir": {}}],
			"extraVolumeMounts": [{"name": "x", "mountPath": "/x"}],
			"initContainers": [{"name": "before", "image": "busybox"}],
			"sidecars": [{"name": "beside", "image": "busybox"}],
			"podAnnotations": {"a": "b"},
			"podLabels": {"c": "d"},
			"terminationGracePeriodSeconds": 300,
			"podSecurityContext": {"enabled": false},
			"containerSecurityContext": {"runAsUser": 999},
			"customLivenessProbe": {"exec": {"command": ["true"]}},
			"readinessProbe": {"enabled": false},
			"startupProbe": {"enabled": true, "failureThreshold": 60},
			"lifecycleHooks": {"preStop": {"exec": {"command": ["pg_ctl", "stop"]}}},
			"persistentVolumeClaimRetentionPolicy": {"enabled": true, "whenDeleted": "Delete"},
			"updateStrategy": {"type": "OnDelete"},
			"args": ["-c"],
			"extraPodSpec": {"dnsPolicy": "None"},
		},
	}
	release := whole(written)
	given := variables(release)
	given.POSTGRESQL_TLS_CERT_FILE == "/opt/bitnami/postgresql/certs/c.crt"
	given.POSTGRESQL_TLS_CA_FILE == "/opt/bitnami/postgresql/certs/ca.crt"
	given.POSTGRESQL_LDAP_SERVER == "ldap.example.com"
	given.POSTGRESQL_LOG_CONNECTIONS == "on"
	given.POSTGRESQL_SHARED_PRELOAD_LIBRARIES == "pgaudit,pg_cron"
	given.TZ == "UTC"
	container(release).envFrom == [{"configMapRef": {"name": "more"}}, {"secretRef": {"name": "hidden"}}]
	written_at(release, "StatefulSet", ["spec", "template", "spec", "containers", 0, "envFrom", 1]) == ["primary", "extraEnvVarsSecret"]
	volumes(release).x == {"name": "x", "emptyDir": {}}
	volumes(release)["raw-certificates"].secret.secretName == "certs"
	volumes(release).dshm.emptyDir.sizeLimit == "1Gi"
	[one.name | some one in pod(release).initContainers] == ["init-chmod-data", "before"]
	[one.name | some one in pod(release).containers] == ["postgresql", "metrics", "beside"]
	written_at(release, "StatefulSet", ["spec", "template", "spec", "initContainers", 1, "image"]) == ["primary", "initContainers", 0, "image"]
	server(release).spec.template.metadata.annotations == {"a": "b"}
	server(release).spec.template.metadata.labels.c == "d"
	server(release).spec.persistentVolumeClaimRetentionPolicy == {"whenDeleted": "Delete"}
	pod(release).terminationGracePeriodSeconds == 300
	pod(release).securityContext == {}
	pod(release).dnsPolicy == "None"
	container(release).securityContext == {"runAsUser": 999}
	container(release).livenessProbe == {"exec": {"command": ["true"]}}
	not container(release).readinessProbe
	container(release).startupProbe.failureThreshold == 60
	container(release).args == ["-c"]
	container(release).lifecycle.preStop.exec.command == ["pg_ctl", "stop"]
	written_at(release, "StatefulSet", ["spec", "template", "spec", "containers", 0, "livenessProbe"]) == ["primary", "customLivenessProbe"]
	own := variables(whole({"tls": {"enabled": true, "autoGenerated": true}}))
	own.POSTGRESQL_TLS_KEY_FILE == "/opt/bitnami/postgresql/certs/tls.key"
	volumes(whole({"tls": {"enabled": true, "autoGenerated": true}}))["raw-certificates"].secret.secretName == "pg-postgresql-crt"
}

test_objects_beside_it if {
	written := {
		"backup": {"enabled": true, "cronjob": {"schedule": "0 2 * * *", "timeZone": "UTC", "storage": {"existingClaim": "dumps"}}},
		"primary": {"pdb": {"create": true, "minAvailable": 1}, "service": {"type": "NodePort", "annotations": {"a": "b"}, "ports": {"postgresql": 6432}}},
		"extraDeploy": [{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "more"}}, "text", {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "x"}}],
	}
	all := objects(whole(written))
	all["PodDisruptionBudget/pg-postgresql"].spec.minAvailable == 1
	all["CronJob/pg-postgresql-pgdumpall"].spec.schedule == "0 2 * * *"
	all["CronJob/pg-postgresql-pgdumpall"].spec.timeZone == "UTC"
	all["Service/pg-postgresql"].spec.ports[0].port == 6432
	all["Service/pg-postgresql"].spec.type == "NodePort"
	all["ConfigMap/more"].metadata == {"name": "more", "namespace": "db"}
	not all["Service/x"]
	objects(of_major({"primary": {"pdb": {"maxUnavailable": ""}}}, 15))["PodDisruptionBudget/pg-postgresql"].spec.maxUnavailable == 1
}

# Keys of the releases before 11.0.0.
test_former_keys if {
	written := {
		"postgresqlUsername": "app",
		"postgresqlDatabase": "shop",
		"existingSecret": "creds",
		"postgresqlExtendedConf": {"maxConnections": 200, "sharedBuffers": "1GB"},
		"postgresqlMaxConnections": 300,
		"persistence": {"size": "50Gi"},
		"resources": {"limits": {"memory": "1Gi"}},
		"replication": {"enabled": true, "user": "rep"},
		"master": {"nodeSelector": {"a": "b"}, "extraInitContainers": [{"name": "x"}]},
	}
	release := whole(written)
	objects(release)["ConfigMap/pg-postgresql-primary-extended-configuration"].data == {"override.conf": "max_connections = 200\nshared_buffers = '1GB'"}
	given := variables(release)
	given.POSTGRES_USER == "app"
	given.POSTGRES_DB == "shop"
	given.POSTGRES_PASSWORD == {"secretKeyRef": {"name": "creds", "key": "postgresql-password"}}
	given.POSTGRES_POSTGRES_PASSWORD == {"secretKeyRef": {"name": "creds", "key": "postgresql-postgres-password"}}
	given.POSTGRES_REPLICATION_USER == "rep"
	given.POSTGRES_REPLICATION_PASSWORD.secretKeyRef.key == "postgresql-replication-password"
	given.POSTGRESQL_MAX_CONNECTIONS == "300"
	pod(release).nodeSelector == {"a": "b"}
	pod(release).initContainers == [{"name": "x"}]
	server(release).spec.volumeClaimTemplates[0].spec.resources.requests.storage == "50Gi"
	server(release).spec.serviceName == "pg-postgresql-headless"
	written_at(release, "StatefulSet", ["spec", "volumeClaimTemplates", 0, "spec", "resources", "requests", "storage"]) == ["persistence", "size"]
	variables(of_major({"usePasswordFile": true}, 10)).POSTGRES_PASSWORD_FILE == "/opt/bitnami/postgresql/secrets/postgresql-password"
	variables(of_major({"primaryAsStandBy": {"enabled": true}}, 10)).POSTGRES_REPLICATION_MODE == "slave"
	server(of_major({}, 10)).metadata.name == "pg-postgresql"
}

test_keys_of_replication if {
	variables(whole({"replication": {"enabled": true}})).POSTGRES_REPLICATION_PASSWORD.secretKeyRef.key == "postgresql-replication-password"
}

test_names if {
	server(whole({"fullnameOverride": "db"})).metadata.name == "db"
	server(whole({"global": {"postgresql": {"fullnameOverride": "g"}}, "fullnameOverride": "db"})).metadata.name == "g"
	server(whole({"nameOverride": "db"})).metadata.name == "pg-db"
	server(object.union(whole({}), {"name": "my-postgresql"})).metadata.name == "my-postgresql"
	server(whole({"namespaceOverride": "other"})).metadata.namespace == "other"
	container(whole({"global": {"imageRegistry": "mirror.example.com"}, "image": {"digest": "sha256:0"}})).image == "mirror.example.com/bitnami/postgresql@sha256:0"
	container(whole({"image": {"registry": "ghcr.io", "repository": "a/postgresql", "tag": "17"}})).image == "ghcr.io/a/postgresql:17"
}

# Somebody else's keys beside these, a server that does not start, and templates.
test_what_is_not_read if {
	every written in [
		{"diagnosticMode": {"enabled": true}},
		{"auth": {}, "postgresqlPassword": "x"},
		{"primary": {"resources": {}}, "persistence": {}},
		{"primary": {"extraEnvVars": "- name: a"}},
		{"image": "postgres"},
		[],
	] {
		not objects(object.union(whole({}), {"values": written}))["StatefulSet/pg-postgresql"]
	}
}

test_values_by_themselves if {
	every written in [
		{"image": {"repository": "bitnamilegacy/postgresql"}, "primary": {}},
		{"postgresqlUsername": "a", "persistence": {}},
		{"architecture": "standalone", "primary": {"initdb": {}}},
		{"auth": {"postgresPassword": "a"}, "primary": {"extendedConfiguration": "b"}, "readReplicas": {}, "mine": 1},
	] {
		bitnami.is_values(written)
	}
	every written in [
		{},
		{"architecture": "replication", "auth": {"rootPassword": "x"}, "secondary": {}},
		{"image": {"repository": "bitnami/mysql"}, "primary": {}},
		{"architecture": "standalone", "primary": {"initdb": {}}, "ingress": {}},
		{"kind": "x", "architecture": "standalone", "primary": {"initdb": {}}},
		{"postgresql": {"auth": {"postgresPassword": "a"}}},
		7,
	] {
		not bitnami.is_values(written)
	}
	bitnami.is_part({"enabled": true, "auth": {}})
	not bitnami.is_part({"enabled": true, "host": "x", "auth": {}})
	not bitnami.is_part({"enabled": true})
}

review(object) := {"review": {"object": object}}

kinds(object) := [part.object.kind | some part in charts.rendered with input as review(object)]

test_values_file if {
	written := {"auth": {"postgresPassword": "a"}, "primary": {"initdb": {}}}
	"StatefulSet" in kinds(written)
	charts.unread == [] with input as review(written)
	charts.unread == [{"kind": "values file", "what": "Values of the chart postgresql"}] with input as review({"auth": {"postgresPassword": "a"}, "primary": {"initdb": {}, "sidecars": "x"}})
}

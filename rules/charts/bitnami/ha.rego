# Bitnami's chart `postgresql-ha` from 9.0.0 on, likewise: the StatefulSet with repmgr and Pgpool-II's Deployment.
package walguard.charts.bitnami

import data.walguard.charts.bitnami.values
import data.walguard.lib.get
import data.walguard.lib.placeholder

# 9.0.0 moved the images.
keys_of(release) := "ha" if {
	release.ha
	object.get(release, "major", 9) >= 9
	not values.said(release, ["postgresqlImage"])
	not values.said(release, ["pgpoolImage"])
}

of_ha := object.union(
	{
		"extendedConfiguration": "postgresql.extendedConf", "existingConfigmap": "postgresql.configurationCM", "existingExtendedConfigmap": "postgresql.extendedConfCM", "initdb.scripts": "postgresql.initdbScripts",
		"initdb.scriptsConfigMap": "postgresql.initdbScriptsCM", "initdb.scriptsSecret": "postgresql.initdbScriptsSecret", "persistence": "persistence", "persistentVolumeClaimRetentionPolicy": "persistentVolumeClaimRetentionPolicy",
	},
	{sprintf("persistence.%s", [field]): sprintf("persistence.%s", [field]) | some field in ["enabled", "existingClaim", "mountPath", "storageClass", "accessModes", "size", "annotations", "labels", "selector"]},
)

# METADATA
# description: |
#   True of a document that is nothing but values of this chart: below postgresql and pgpool stand keys that no other chart has.
is_values_of_ha(document) if {
	is_object(document)
	every key in ["kind", "apiVersion"] {
		object.get(document, key, null) == null
	}
	told := count([1 | some path in telling_of_ha; object.get(document, path, null) != null])
	told >= 2
	count({key | some key, _ in document} - keys_of_ha) <= told - 2
}

telling_of_ha := array.concat(
	[["pgpool", field] | some field in ["numInitChildren", "maxPool", "childMaxConnections", "childLifeTime", "clientIdleLimit", "reservedConnections", "adminUsername", "adminPassword", "srCheckDatabase", "customUsers", "useLoadBalancing", "replicaCount", "authenticationMethod"]],
	[["postgresql", field] | some field in ["repmgrPassword", "repmgrUsername", "repmgrConfiguration", "extendedConf", "maxConnections", "syncReplication", "pgHbaTrustAll", "usePgRewind", "upgradeRepmgrExtension", "replicaCount"]],
)

keys_of_ha := {
	"backup", "clusterDomain", "common", "commonAnnotations", "commonLabels", "diagnosticMode", "extraDeploy", "fullnameOverride", "global", "kubeVersion", "ldap", "metrics", "nameOverride", "namespaceOverride",
	"networkPolicy", "persistence", "persistentVolumeClaimRetentionPolicy", "pgpool", "postgresql", "psp", "rbac", "service", "serviceAccount", "volumePermissions", "witness",
}

nodes_of(release) := {"release": release, "keys": "ha", "key": "postgresql", "name": values.trunc(sprintf("%s-postgresql", [fullname(release)])), "component": "postgresql"}

# ------------------------------------------------------------------------------------------------------------ servers

of_nodes(server) := array.concat(array.concat(of_server(server), written_variables(server, server_variables, "postgresql")), array.concat(secrets_of_nodes(server), [
	{"item": {"name": "MY_POD_NAME", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}}, "to": ["postgresql"]},
	{"item": {"name": "REPMGR_NAMESPACE", "valueFrom": {"fieldRef": {"fieldPath": "metadata.namespace"}}}, "to": ["postgresql"]},
	variable("REPMGR_PARTNER_NODES", concat(",", [node(server, i) | some i in numbers.range(0, number_of_nodes(server) - 1)]), ["postgresql", "replicaCount"]),
	variable("REPMGR_PRIMARY_HOST", node(server, 0), ["postgresql"]),
	variable("REPMGR_NODE_NAME", "$(MY_POD_NAME)", ["postgresql"]),
	variable("REPMGR_NODE_NETWORK_NAME", sprintf("$(MY_POD_NAME).%s.$(REPMGR_NAMESPACE).svc.cluster.local", [headless(server)]), ["postgresql"]),
	variable("REPMGR_USERNAME", values.value(server.release, ["postgresql", "repmgrUsername"], "repmgr"), ["postgresql", "repmgrUsername"]),
	variable("REPMGR_DATABASE", values.value(server.release, ["postgresql", "repmgrDatabase"], "repmgr"), ["postgresql", "repmgrDatabase"]),
]))

of_server(server) := [
	variable("POSTGRESQL_VOLUME_DIR", mount_path(server), ["persistence", "mountPath"]),
	variable("PGDATA", concat("/", [mount_path(server), "data"]), ["persistence", "mountPath"]),
	variable("POSTGRESQL_PORT_NUMBER", port(server.release), ["postgresql", "containerPorts", "postgresql"]),
	variable("POSTGRES_USER", user_of_nodes(server.release), ["postgresql", "username"]),
]

user_of_nodes(release) := name if {
	name := values.filled(release, ["global", "postgresql", "username"])
} else := values.value(release, ["postgresql", "username"], "postgres")

node(server, i) := sprintf("%s-%s.%s.$(REPMGR_NAMESPACE).svc.cluster.local", [server.name, get.text(i), headless(server)])

# As many as may be; what another file says is not known, and what nobody writes is three.
number_of_nodes(server) := number if {
	number := values.said(server.release, ["postgresql", "replicaCount"])
	is_number(number)
	number > 0
} else := 3

written_variables(server, table, key) := [variable(name, given, [key, field]) |
	some name, field in table
	given := values.filled(server.release, [key, field])
]

server_variables := {
	"POSTGRES_DB": "database",
	"POSTGRESQL_MAX_CONNECTIONS": "maxConnections",
	"POSTGRESQL_SHARED_PRELOAD_LIBRARIES": "sharedPreloadLibraries",
	"POSTGRESQL_STATEMENT_TIMEOUT": "statementTimeout",
	"REPMGR_PGHBA_TRUST_ALL": "pgHbaTrustAll",
	"REPMGR_USE_PGREWIND": "usePgRewind",
	"REPMGR_CONNECT_TIMEOUT": "repmgrConnectTimeout",
	"REPMGR_RECONNECT_ATTEMPTS": "repmgrReconnectAttempts",
	"REPMGR_RECONNECT_INTERVAL": "repmgrReconnectInterval",
}

secrets_of_nodes(server) := [{"item": {"name": name, "valueFrom": {"secretKeyRef": {"name": secret_of_nodes(server), "key": key}}}, "to": ["postgresql", "existingSecret"]} |
	some name, key in {"POSTGRES_PASSWORD": "password", "REPMGR_PASSWORD": "repmgr-password"}
]

secret_of_nodes(server) := found[0] if {
	found := [values.filled_in(server.release, name) | some path in [["global", "postgresql", "existingSecret"], ["postgresql", "existingSecret"]]; name := values.filled(server.release, path)]
	count(found) > 0
} else := placeholder.elsewhere

# ------------------------------------------------------------------------------------------------------------- Pgpool

# METADATA
# description: Pgpool-II before the servers, and the Services of both.
pgpool(server) := array.concat([service_of_nodes(server, server.name, {}), service_of_nodes(server, headless(server), {"clusterIP": "None"}), service_of_pgpool(server)], [{
	"object": {
		"apiVersion": "apps/v1",
		"kind": "Deployment",
		"metadata": object.union(metadata(server.release, name_of_pgpool(server)), {"labels": labels(server.release, "pgpool")}),
		"spec": {
			"replicas": values.value(server.release, ["pgpool", "replicaCount"], 1),
			"selector": {"matchLabels": labels(server.release, "pgpool")},
			"template": {
				"metadata": {"labels": labels(server.release, "pgpool")},
				"spec": {"containers": [object.union_n([
					{
						"name": "pgpool",
						"image": values.image(server.release, ["pgpool", "image"], {"repository": "bitnami/pgpool", "tag": placeholder.elsewhere}),
						"ports": [{"name": "postgresql", "containerPort": 5432}],
						"env": values.items(of_pgpool(server)),
						"resources": resources_of_pgpool(server.release),
					},
					{"envFrom": [{source: {"name": values.filled_in(server.release, name)}} | some field, source in {"extraEnvVarsCM": "configMapRef", "extraEnvVarsSecret": "secretRef"}; name := values.filled(server.release, ["pgpool", field])]},
					{field: given | some field in ["command", "args"]; given := values.filled(server.release, ["pgpool", field])},
				])]},
			},
		},
	},
	"paths": array.concat(
		[
			{"from": [], "to": ["pgpool"]},
			{"from": ["spec", "replicas"], "to": ["pgpool", "replicaCount"]},
			{"from": array.concat(in_server, ["image"]), "to": ["pgpool", "image", "tag"]},
			{"from": array.concat(in_server, ["resources"]), "to": ["pgpool", "resources"]},
		],
		values.paths(array.concat(in_server, ["env"]), of_pgpool(server)),
	),
}]) if {
	not values.said(server.release, ["pgpool", "configuration"])
	not values.said(server.release, ["pgpool", "configurationCM"])
} else := []

name_of_pgpool(server) := values.trunc(sprintf("%s-pgpool", [fullname(server.release)]))

resources_of_pgpool(release) := values.resources(get.map(release.values, ["pgpool", "resources"]), object.get(release.values, ["pgpool", "resourcesPreset"], placeholder.elsewhere))

# The numbers that a values file by itself leaves out may be written in another one.
of_pgpool(server) := array.concat(
	array.concat(
		[
			{"item": {"name": "REPMGR_NAMESPACE", "valueFrom": {"fieldRef": {"fieldPath": "metadata.namespace"}}}, "to": ["pgpool"]},
			variable("PGPOOL_BACKEND_NODES", concat(",", [sprintf("%s:%s:%s", [get.text(i), node(server, i), get.text(port(server.release))]) | some i in numbers.range(0, number_of_nodes(server) - 1)]), ["postgresql", "replicaCount"]),
			variable("PGPOOL_POSTGRES_USERNAME", user_of_nodes(server.release), ["postgresql", "username"]),
			variable("PGPOOL_ADMIN_USERNAME", values.value(server.release, ["pgpool", "adminUsername"], "admin"), ["pgpool", "adminUsername"]),
			variable("PGPOOL_SR_CHECK_USER", values.value(server.release, ["pgpool", "srCheckUsername"], "repmgr"), ["pgpool", "srCheckUsername"]),
			variable("PGPOOL_AUTHENTICATION_METHOD", values.value(server.release, ["pgpool", "authenticationMethod"], placeholder.elsewhere), ["pgpool", "authenticationMethod"]),
		],
		[{"item": {"name": name, "valueFrom": {"secretKeyRef": {"name": placeholder.elsewhere, "key": "password"}}}, "to": ["pgpool", "existingSecret"]} | some name in ["PGPOOL_POSTGRES_PASSWORD", "PGPOOL_ADMIN_PASSWORD", "PGPOOL_SR_CHECK_PASSWORD"]],
	),
	array.concat(
		array.concat(custom_users(server.release), [variable(name, given, ["pgpool", field]) | some name, field in pgpool_variables; given := pgpool_value(server.release, field)]),
		values.entries(get.list(server.release.values, ["pgpool", "extraEnvVars"]), ["pgpool", "extraEnvVars"]),
	),
)

# Without either Pgpool-II knows the password of postgresql.username alone (templates/pgpool/deployment.yaml); the others may have it know more.
knowing_others := array.concat([["ldap", "enabled"], ["pgpool", "tls", "enabled"]], [["pgpool", field] | some field in ["customUsers", "customUsersSecret", "initdbScripts", "initdbScriptsCM", "initdbScriptsSecret", "extraVolumes", "extraVolumeMounts"]])

custom_users(release) := [variable("PGPOOL_POSTGRES_CUSTOM_USERS", names, ["pgpool", "customUsers", "usernames"])] if {
	names := values.filled(release, ["pgpool", "customUsers", "usernames"])
	not values.filled(release, ["pgpool", "customUsersSecret"])
} else := [{"item": {"name": "PGPOOL_POSTGRES_CUSTOM_USERS", "valueFrom": {"secretKeyRef": {"name": placeholder.elsewhere, "key": "usernames"}}}, "to": ["pgpool", "customUsersSecret"]}] if {
	count([1 | some place in knowing_others; values.filled(release, place)]) + count([1 | not release.whole]) > 0
} else := []

pgpool_value(release, field) := values.filled(release, ["pgpool", field])

pgpool_value(release, field) := placeholder.elsewhere if {
	not release.whole
	field in {"maxPool", "numInitChildren", "reservedConnections"}
	not values.said(release, ["pgpool", field])
}

# Since 9.0.0 the chart reserves one.
pgpool_value(release, "reservedConnections") := 1 if {
	release.whole
	not values.said(release, ["pgpool", "reservedConnections"])
}

pgpool_variables := {
	"PGPOOL_NUM_INIT_CHILDREN": "numInitChildren",
	"PGPOOL_MAX_POOL": "maxPool",
	"PGPOOL_RESERVED_CONNECTIONS": "reservedConnections",
	"PGPOOL_CHILD_MAX_CONNECTIONS": "childMaxConnections",
	"PGPOOL_CHILD_LIFE_TIME": "childLifeTime",
	"PGPOOL_CLIENT_IDLE_LIMIT": "clientIdleLimit",
	"PGPOOL_CONNECTION_LIFE_TIME": "connectionLifeTime",
	"PGPOOL_SR_CHECK_DATABASE": "srCheckDatabase",
}

service_of_pgpool(server) := {
	"object": {
		"apiVersion": "v1",
		"kind": "Service",
		"metadata": metadata(server.release, name_of_pgpool(server)),
		"spec": {
			"selector": labels(server.release, "pgpool"),
			"ports": [{"name": "postgresql", "port": values.value(server.release, ["service", "ports", "postgresql"], 5432), "targetPort": "postgresql"}],
		},
	},
	"paths": [{"from": [], "to": ["service"]}],
}

service_of_nodes(server, name, more) := {
	"object": {
		"apiVersion": "v1",
		"kind": "Service",
		"metadata": metadata(server.release, name),
		"spec": object.union(more, {
			"selector": labels(server.release, "postgresql"),
			"ports": [{"name": "postgresql", "port": 5432, "targetPort": "postgresql"}],
		}),
	},
	"paths": [{"from": [], "to": ["service"]}],
}

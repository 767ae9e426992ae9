# METADATA
# description: |
#   Bitnami's chart `postgresql`: what its values render to, as far as rules read it. Of the values that nobody wrote, those that every release since
#   11.0.0 has are known, and where the release is known its own; every other one is walguard.lib.placeholder's `elsewhere`. Releases before 11.0.0, whose keys have other
#   names, are read as 10 has them. A values file by itself may lie above or below another one: what it does not say is unknown.
# related_resources:
#   - https://github.com/bitnami/charts/blob/main/bitnami/postgresql/templates/primary/statefulset.yaml
#   - https://github.com/bitnami/charts/blob/main/bitnami/postgresql/values.yaml
#   - https://github.com/bitnami/charts/blob/main/bitnami/common/templates/_resources.tpl
package walguard.charts.bitnami

import data.walguard.charts.bitnami.values
import data.walguard.lib.get

# METADATA
# description: |
#   The objects of a release, [{"object", "paths": [{"from", "to"}]}]: a path in the object is written at `to` in the values. Undefined for
#   values that cannot be read for certain.
rendered(release) := array.concat(primary, beside) if {
	is_readable(release)
	not release.ha
	server := primary_of(release)
	primary := [stateful_set(server)]
	beside := array.concat(replicas(release), array.concat(array.concat(maps(server), services(server)), array.concat(secrets(release), array.concat(others(release, server), extras(release)))))
}

rendered(release) := array.concat(array.concat([stateful_set(server)], maps(server)), array.concat(pgpool(server), extras(release))) if {
	is_readable(release)
	release.ha
	server := nodes_of(release)
}

is_readable(release) if {
	is_object(release.values)
	keys_of(release)
	not values.on(release, ["diagnosticMode", "enabled"], false)
	not unreadable(release)
}

# Templates in the place of lists and maps.
unreadable(release) if {
	some role in ["primary", "master", "readReplicas", "postgresql", "pgpool"]
	some [field, empty] in [["extraEnvVars", []], ["extraVolumes", []], ["extraVolumeMounts", []], ["initContainers", []], ["extraInitContainers", []], ["sidecars", []], ["resources", {}], ["persistence", {}], ["podSecurityContext", {}], ["containerSecurityContext", {}]]
	value := values.said(release, [role, field])
	type_name(value) != type_name(empty)
}

unreadable(release) if {
	some field in ["image", "auth", "global", "primary", "readReplicas", "tls", "metrics", "persistence", "resources", "postgresql", "pgpool"]
	value := values.said(release, [field])
	not is_object(value)
}

# ------------------------------------------------------------------------------------------------------- names of keys

# Release 11.0.0 moved most keys below `primary` and `auth`.
keys_of(release) := "modern" if {
	not release.ha
	release.major >= 11
}

keys_of(release) := "former" if {
	not release.ha
	release.major < 11
}

keys_of(release) := "modern" if {
	not release.ha
	not release.major
	not of_former(release)
}

keys_of(release) := "former" if {
	not release.ha
	not release.major
	of_former(release)
	not of_modern(release)
}

of_former(release) if {
	some key, _ in release.values
	key in {"postgresqlUsername", "postgresqlPassword", "postgresqlPostgresPassword", "postgresqlDatabase", "postgresqlExtendedConf", "postgresqlConfiguration", "extendedConfConfigMap", "configurationConfigMap", "initdbScripts", "postgresqlMaxConnections", "master", "slave", "persistence", "resources", "existingSecret"}
}

of_former(release) if object.get(get.map(release.values, "replication"), "enabled", null) != null

of_modern(release) if {
	some key in ["auth", "architecture"]
	values.said(release, [key])
}

of_modern(release) if {
	some role in ["primary", "readReplicas"]
	some field in ["configuration", "extendedConfiguration", "existingConfigmap", "existingExtendedConfigmap", "initdb", "resources", "resourcesPreset", "extraEnvVars", "podSecurityContext", "containerSecurityContext", "initContainers", "pgHbaConfiguration"]
	values.said(release, [role, field])
}

# METADATA
# description: |
#   True of a document that is nothing but values of this chart: it names the image or the program, and keys that other charts with a primary do not have.
is_values(document) if {
	is_object(document)
	every key in ["kind", "apiVersion", "postgresql", "pgpool"] {
		object.get(document, key, null) == null
	}
	of_this_chart(document)
}

of_this_chart(document) if {
	regex.match(image_names, object.get(get.map(document, "image"), "repository", ""))
	count([1 | some key, _ in document; key in known_keys]) >= 2
}

of_this_chart(document) if {
	names := {key | some key, _ in document}
	count(names & {"postgresqlUsername", "postgresqlPassword", "postgresqlPostgresPassword", "postgresqlDatabase", "postgresqlExtendedConf", "postgresqlConfiguration", "postgresqlSharedPreloadLibraries", "postgresqlDataDir", "postgresqlMaxConnections"}) >= 1
	count(names & known_keys) >= 2
	names - known_keys == set()
}

of_this_chart(document) if {
	told := count([1 | some key in telling; object.get(document, key, null) != null])
	told >= 2
	count({key | some key, _ in document} - known_keys) <= told - 2
}

image_names := `(^|/)bitnami(legacy|secure)?/postgresql$`

# What MySQL's and MongoDB's charts do not have.
telling := [
	["auth", "postgresPassword"], ["auth", "enablePostgresUser"], ["auth", "secretKeys", "adminPasswordKey"], ["auth", "replicationUsername"],
	["global", "postgresql"], ["primary", "extendedConfiguration"], ["primary", "existingExtendedConfigmap"], ["primary", "pgHbaConfiguration"],
	["primary", "initdb"], ["readReplicas"], ["replication", "synchronousCommit"], ["replication", "numSynchronousReplicas"], ["postgresqlDataDir"],
	["postgresqlSharedPreloadLibraries"], ["audit", "pgAuditLog"], ["shmVolume"], ["architecture"],
]

known_keys := {
	"architecture", "audit", "auth", "backup", "clusterDomain", "common", "commonAnnotations", "commonLabels", "configurationConfigMap", "containerPorts", "containerSecurityContext",
	"customLivenessProbe", "customReadinessProbe", "customStartupProbe", "diagnosticMode", "existingSecret", "extendedConfConfigMap", "fips", "extraDeploy", "extraEnv", "extraEnvVarsCM", "fullnameOverride",
	"global", "image", "initdbPassword", "initdbScripts", "initdbScriptsConfigMap", "initdbScriptsSecret", "initdbUser", "kubeVersion", "ldap", "lifecycleHooks", "livenessProbe", "master", "masterAsStandBy",
	"metrics", "nameOverride", "namespaceOverride", "networkPolicy", "passwordUpdateJob", "persistence", "pgHbaConfiguration", "postgresqlConfiguration", "postgresqlDataDir", "postgresqlDatabase",
	"postgresqlDbUserConnectionLimit", "postgresqlExtendedConf", "postgresqlInitdbArgs", "postgresqlInitdbWalDir", "postgresqlMaxConnections", "postgresqlPassword", "postgresqlPghbaRemoveFilters", "postgresqlPostgresConnectionLimit",
	"postgresqlPostgresPassword", "postgresqlSharedPreloadLibraries", "postgresqlStatementTimeout", "postgresqlTcpKeepalivesCount", "postgresqlTcpKeepalivesIdle", "postgresqlTcpKeepalivesInterval", "postgresqlUsername", "primary", "primaryAsStandBy",
	"psp", "rbac", "readReplicas", "readinessProbe", "replication", "resources", "schedulerName", "securityContext", "service", "serviceAccount", "serviceBindings", "shmVolume", "slave", "startupProbe",
	"terminationGracePeriodSeconds", "tls", "updateStrategy", "usePasswordFile", "volumePermissions",
}

# METADATA
# description: True of the values below a key of another chart that are this chart's, by what only its values have.
is_part(document) if {
	some key, _ in document
	key in {"architecture", "auth", "primary", "readReplicas", "postgresqlUsername", "postgresqlPassword", "postgresqlDatabase", "postgresqlExtendedConf", "shmVolume"}
	names := {name | some name, _ in document}
	names - (known_keys | {"enabled", "install"}) == set()
}

is_part(document) if {
	get.boolean(document, ["persistence", "enabled"]) == false
	names := {name | some name, _ in document}
	names - (known_keys | {"enabled", "install"}) == set()
}

# Where a server's values are; former keys of the primary stood above it.
at(server, field) := split(moved[server.keys][field], ".") if {
	moved[server.keys][field]
} else := array.concat([server.key], split(field, "."))

moved := {"former": former, "ha": of_ha, "modern": {}}

former := object.union(
	{
		"configuration": "postgresqlConfiguration", "extendedConfiguration": "postgresqlExtendedConf", "pgHbaConfiguration": "pgHbaConfiguration", "existingConfigmap": "configurationConfigMap",
		"existingExtendedConfigmap": "extendedConfConfigMap", "initdb.scripts": "initdbScripts", "initdb.scriptsConfigMap": "initdbScriptsConfigMap", "initdb.scriptsSecret": "initdbScriptsSecret",
		"initdb.args": "postgresqlInitdbArgs", "initdb.postgresqlWalDir": "postgresqlInitdbWalDir", "initdb.user": "initdbUser", "extraEnvVars": "extraEnv", "extraEnvVarsCM": "extraEnvVarsCM", "resources": "resources",
		"podSecurityContext": "securityContext", "containerSecurityContext": "containerSecurityContext", "persistence": "persistence", "livenessProbe": "livenessProbe", "readinessProbe": "readinessProbe", "startupProbe": "startupProbe",
		"customLivenessProbe": "customLivenessProbe", "customReadinessProbe": "customReadinessProbe", "customStartupProbe": "customStartupProbe", "terminationGracePeriodSeconds": "terminationGracePeriodSeconds",
		"lifecycleHooks": "lifecycleHooks", "updateStrategy": "updateStrategy", "schedulerName": "schedulerName", "service": "service",
	},
	{sprintf("persistence.%s", [field]): sprintf("persistence.%s", [field]) | some field in ["enabled", "existingClaim", "mountPath", "subPath", "storageClass", "accessModes", "size", "annotations", "selector"]},
)

# METADATA
# description: What was written of a server.
said(server, field) := values.said(server.release, at(server, field))

# METADATA
# description: What was written of a server, as Go's templates take it for true.
filled(server, field) := value if {
	value := said(server, field)
	values.truthy(value)
}

# -------------------------------------------------------------------------------------------------------------- names

# As common.names.fullname has it.
fullname(release) := values.trunc(values.filled(release, ["global", "postgresql", "fullnameOverride"]))

fullname(release) := values.trunc(values.filled(release, ["fullnameOverride"])) if not values.filled(release, ["global", "postgresql", "fullnameOverride"])

fullname(release) := values.trunc(values.release_name(release)) if {
	unnamed(release)
	contains(values.release_name(release), name(release))
}

fullname(release) := values.trunc(sprintf("%s-%s", [values.release_name(release), name(release)])) if {
	unnamed(release)
	not contains(values.release_name(release), name(release))
}

unnamed(release) if {
	not values.filled(release, ["global", "postgresql", "fullnameOverride"])
	not values.filled(release, ["fullnameOverride"])
}

name(release) := values.filled(release, ["nameOverride"])

name(release) := release.chart if not values.filled(release, ["nameOverride"])

metadata(release, called) := object.union_n([
	{"name": called},
	{"namespace": space | space := values.namespace(release)},
])

labels(release, component) := {"app.kubernetes.io/name": name(release), "app.kubernetes.io/instance": values.release_name(release), "app.kubernetes.io/component": component}

# METADATA
# description: |
#   The primary of a release – {"release", "keys", "key", "name", "component"}.
primary_of(release) := {"release": release, "keys": keys, "key": key_of_primary(release), "name": called, "component": "primary"} if {
	keys := keys_of(release)
	called := primary_name(release)
}

key_of_primary(release) := "master" if {
	is_object(values.said(release, ["master"]))
	keys_of(release) == "former"
} else := "primary"

primary_name(release) := values.trunc(sprintf("%s-%s", [fullname(release), object.get(release.values, ["primary", "name"], "primary")])) if {
	is_replicated(release)
} else := fullname(release)

is_replicated(release) if values.said(release, ["architecture"]) == "replication"

is_replicated(release) if {
	keys_of(release) == "former"
	values.on(release, ["replication", "enabled"], false)
}

# Instances that may be there are nobody's.
replicas(release) := array.concat([stateful_set(replica)], maps(replica)) if {
	keys_of(release) == "modern"
	is_replicated(release)
	replica := {"release": release, "keys": "modern", "key": "readReplicas", "name": values.trunc(sprintf("%s-%s", [fullname(release), object.get(release.values, ["readReplicas", "name"], "read")])), "component": "read"}
} else := []

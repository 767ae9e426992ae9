# Names of values of before release 11.0.0, which later ones pass over (README.md, "To 11.0.0").
package walguard.charts.bitnami

import data.walguard.charts.bitnami.values

# METADATA
# description: |
#   Annotations that say which of these names are written where the release is known and reads others: the name in the key, what it is called now in the value, and behind "=" what was written of those whose value is no secret.
unread_values(server) := {sprintf("charts.walguard.dev/former.%s", [name]): concat("", [renamed[name], said_openly(server, name)]) |
	server.keys == "modern"
	server.component == "primary"
	server.release.major
	some name, now in renamed
	values.filled(server.release, split(name, ".")) != "postgres"
	not values.said(server.release, split(now, "."))
}

said_openly(server, name) := sprintf("=%s", [server.release.values[name]]) if {
	name in {"existingSecret", "postgresqlDatabase", "postgresqlUsername"}
	is_string(server.release.values[name])
} else := ": replication" if {
	name == "replication.enabled"
} else := ""

renamed := {
	"configurationConfigMap": "primary.existingConfigmap", "existingSecret": "auth.existingSecret", "extendedConfConfigMap": "primary.existingExtendedConfigmap", "initdbScripts": "primary.initdb.scripts",
	"initdbScriptsConfigMap": "primary.initdb.scriptsConfigMap", "initdbScriptsSecret": "primary.initdb.scriptsSecret", "persistence": "primary.persistence", "postgresqlConfiguration": "primary.configuration",
	"postgresqlDatabase": "auth.database", "postgresqlExtendedConf": "primary.extendedConfiguration", "postgresqlPassword": "auth.password", "postgresqlPostgresPassword": "auth.postgresPassword",
	"postgresqlUsername": "auth.username", "replication.enabled": "architecture", "resources": "primary.resources",
}

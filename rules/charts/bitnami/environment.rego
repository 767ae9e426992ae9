package walguard.charts.bitnami

import data.walguard.charts.bitnami.values
import data.walguard.lib.get
import data.walguard.lib.placeholder

# METADATA
# description: The variables of a server, [{"item", "to"}].
environment(server) := array.concat(
	array.concat(array.concat(of_image(server), login(server)), array.concat(of_replication(server), of_initdb(server))),
	array.concat(array.concat(of_tls(server.release), of_ldap(server.release)), array.concat(of_audit(server), values.entries(get.list(server.release.values, at(server, "extraEnvVars")), at(server, "extraEnvVars")))),
) if {
	server.keys != "ha"
}

environment(server) := array.concat(of_nodes(server), values.entries(get.list(server.release.values, at(server, "extraEnvVars")), at(server, "extraEnvVars"))) if server.keys == "ha"

variable(name, given, to) := {"item": {"name": name, "value": get.text(given)}, "to": to}

from_secret(release, name, key, to) := {"item": {"name": name, "valueFrom": {"secretKeyRef": {"name": secret_name(release), "key": key}}}, "to": to}

of_image(server) := [
	variable("POSTGRESQL_PORT_NUMBER", port(server.release), ["containerPorts", "postgresql"]),
	variable("POSTGRESQL_VOLUME_DIR", mount_path(server), at(server, "persistence.mountPath")),
	variable("PGDATA", data_directory(server), ["postgresqlDataDir"]),
]

# Whoever moves the volume in one file may move the directory in another one.
data_directory(server) := given if {
	given := values.said(server.release, ["postgresqlDataDir"])
} else := placeholder.elsewhere if {
	not server.release.whole
	said(server, "persistence.mountPath")
} else := "/bitnami/postgresql/data"

# METADATA
# description: The user of the application; undefined where it is the superuser, or where nobody knows.
custom_user(release) := found if {
	found := user(release)
	found != "postgres"
	found != ""
}

user(release) := values.filled(release, ["global", "postgresql", "auth", "username"])

user(release) := values.value(release, ["auth", "username"], "") if {
	not values.filled(release, ["global", "postgresql", "auth", "username"])
	keys_of(release) == "modern"
}

user(release) := values.value(release, ["postgresqlUsername"], "postgres") if {
	not values.filled(release, ["global", "postgresql", "auth", "username"])
	keys_of(release) == "former"
}

login(server) := array.concat(
	array.concat(
		[variable("POSTGRES_USER", name, user_place(server)) | name := custom_user(server.release)],
		[one | some one in passwords(server)],
	),
	[variable(database_variable[server.keys], values.filled_in(server.release, name), database_place(server)) |
		server.component == "primary"
		name := database(server.release)
	],
)

database_variable := {"modern": "POSTGRES_DATABASE", "former": "POSTGRES_DB"}

user_place(server) := {"modern": ["auth", "username"], "former": ["postgresqlUsername"]}[server.keys]

database_place(server) := {"modern": ["auth", "database"], "former": ["postgresqlDatabase"]}[server.keys]

database(release) := name if {
	some path in array.concat([["global", "postgresql", "auth", "database"], ["auth", "database"]], [["postgresqlDatabase"] | keys_of(release) != "modern"])
	name := values.filled(release, path)
	count([1 | path != ["global", "postgresql", "auth", "database"]; values.filled(release, ["global", "postgresql", "auth", "database"])]) == 0
}

passwords(server) := array.concat(
	[from_secret(server.release, "POSTGRES_PASSWORD", user_key(server.release), secret_place(server)) | custom_user(server.release)],
	[from_secret(server.release, superuser_variable(server.release), admin_key(server.release), secret_place(server)) | values.on(server.release, ["auth", "enablePostgresUser"], true)],
) if {
	not uses_files(server.release)
	not emptied(server)
} else := array.concat(
	[variable("POSTGRES_PASSWORD_FILE", secret_file(user_key(server.release)), secret_place(server)) | custom_user(server.release)],
	[variable(sprintf("%s_FILE", [superuser_variable(server.release)]), secret_file(admin_key(server.release)), secret_place(server)) | values.on(server.release, ["auth", "enablePostgresUser"], true)],
) if {
	not emptied(server)
} else := [variable("ALLOW_EMPTY_PASSWORD", "true", ["auth", "enablePostgresUser"])]

# Without a superuser that logs in and another user nobody has a password.
emptied(server) if {
	values.off(server.release, ["auth", "enablePostgresUser"], true)
	not custom_user(server.release)
}

superuser_variable(release) := "POSTGRES_POSTGRES_PASSWORD" if custom_user(release)

superuser_variable(release) := "POSTGRES_PASSWORD" if not custom_user(release)

secret_file(key) := sprintf("/opt/bitnami/postgresql/secrets/%s", [key])

# Since 16.0.0 by default.
uses_files(release) if {
	not release.ha
	values.on(release, ["auth", "usePasswordFiles"], object.get(release, "major", 0) >= 16)
}

uses_files(release) if {
	keys_of(release) == "former"
	values.on(release, ["usePasswordFile"], false)
}

secret_place(server) := {"modern": ["auth", "existingSecret"], "former": ["existingSecret"]}[server.keys]

# METADATA
# description: The Secret with the passwords, by the chart's own name or another one.
secret_name(release) := values.filled_in(release, existing_secret(release))

secret_name(release) := fullname(release) if {
	not existing_secret(release)
	release.whole
}

secret_name(release) := placeholder.elsewhere if {
	not existing_secret(release)
	not release.whole
}

existing_secret(release) := values.filled(release, ["global", "postgresql", "auth", "existingSecret"])

existing_secret(release) := found[0] if {
	not values.filled(release, ["global", "postgresql", "auth", "existingSecret"])
	found := [name | some path in array.concat([["auth", "existingSecret"]], [former_place | keys_of(release) != "modern"; some former_place in [["existingSecret"], ["global", "postgresql", "existingSecret"]]]); name := values.filled(release, path)]
	count(found) > 0
}

admin_key(release) := key_named(release, "adminPasswordKey", "postgres-password") if keys_of(release) == "modern"

admin_key(release) := "postgresql-password" if {
	keys_of(release) == "former"
	not custom_user(release)
}

admin_key(release) := "postgresql-postgres-password" if {
	keys_of(release) == "former"
	custom_user(release)
}

user_key(release) := key_named(release, "userPasswordKey", "password") if keys_of(release) == "modern"

user_key(release) := "postgresql-password" if keys_of(release) == "former"

replication_key(release) := key_named(release, "replicationPasswordKey", "replication-password") if keys_of(release) == "modern"

replication_key(release) := "postgresql-replication-password" if keys_of(release) == "former"

# Other names count in a Secret of one's own only.
key_named(release, field, usual) := name if {
	existing_secret(release)
	name := values.filled(release, ["global", "postgresql", "auth", "secretKeys", field])
} else := values.value(release, ["auth", "secretKeys", field], usual) if {
	existing_secret(release)
} else := usual

# -------------------------------------------------------------------------------------------------------- replication

of_replication(server) := array.concat(
	[
		variable("POSTGRES_REPLICATION_MODE", mode(server), replication_place(server)),
		variable("POSTGRES_REPLICATION_USER", values.value(server.release, replication_user[server.keys], "repl_user"), replication_user[server.keys]),
		replication_password(server),
	],
	array.concat(synchronous(server), followed(server)),
) if {
	is_replicating(server)
} else := []

is_replicating(server) if is_replicated(server.release)

is_replicating(server) if is_standby(server)

is_standby(server) if values.on(server.release, ["primary", "standby", "enabled"], false)

is_standby(server) if values.on(server.release, ["primaryAsStandBy", "enabled"], false)

replication_place(server) := {"modern": ["architecture"], "former": ["replication", "enabled"]}[server.keys]

replication_user := {"modern": ["auth", "replicationUsername"], "former": ["replication", "user"]}

replication_password(server) := variable("POSTGRES_REPLICATION_PASSWORD_FILE", secret_file(replication_key(server.release)), secret_place(server)) if uses_files(server.release)

replication_password(server) := from_secret(server.release, "POSTGRES_REPLICATION_PASSWORD", replication_key(server.release), secret_place(server)) if not uses_files(server.release)

mode(server) := "slave" if is_follower(server)

mode(server) := "master" if not is_follower(server)

is_follower(server) if server.component == "read"

is_follower(server) if is_standby(server)

synchronous(server) := [
	variable("POSTGRES_SYNCHRONOUS_COMMIT_MODE", mode_, ["replication", "synchronousCommit"]),
	variable("POSTGRES_NUM_SYNCHRONOUS_REPLICAS", values.value(server.release, ["replication", "numSynchronousReplicas"], 0), ["replication", "numSynchronousReplicas"]),
] if {
	server.component == "primary"
	mode_ := get.text(values.filled(server.release, ["replication", "synchronousCommit"]))
	mode_ != "off"
} else := []

followed(server) := [
	variable("POSTGRES_MASTER_HOST", primary_name(server.release), ["readReplicas"]),
	variable("POSTGRES_MASTER_PORT_NUMBER", service_port(server.release, "primary"), ["primary", "service", "ports", "postgresql"]),
] if {
	server.component == "read"
} else := [variable(name, given, ["primary", "standby", field]) |
	is_standby(server)
	some name, field in {"POSTGRES_MASTER_HOST": "primaryHost", "POSTGRES_MASTER_PORT_NUMBER": "primaryPort"}
	given := values.filled(server.release, ["primary", "standby", field])
]

# ------------------------------------------------------------------------------------------------------------- others

of_initdb(server) := [variable(name, given, at(server, field)) |
	server.component == "primary"
	some name, field in {"POSTGRES_INITDB_ARGS": "initdb.args", "POSTGRES_INITDB_WALDIR": "initdb.postgresqlWalDir", "POSTGRES_INITSCRIPTS_USERNAME": "initdb.user"}
	given := initdb_value(server, name, field)
]

initdb_value(server, _, field) := filled(server, field)

# Options and a superuser may be written elsewhere.
initdb_value(server, name_, field) := placeholder.elsewhere if {
	name_ in {"POSTGRES_INITDB_ARGS", "POSTGRES_INITSCRIPTS_USERNAME"}
	not server.release.whole
	not said(server, field)
}

of_tls(release) := array.concat(
	[
		variable("POSTGRESQL_ENABLE_TLS", "yes", ["tls", "enabled"]),
		variable("POSTGRESQL_TLS_CERT_FILE", certificate(release, "certFilename", "tls.crt"), ["tls", "certFilename"]),
		variable("POSTGRESQL_TLS_KEY_FILE", certificate(release, "certKeyFilename", "tls.key"), ["tls", "certKeyFilename"]),
	],
	[variable("POSTGRESQL_TLS_CA_FILE", certificate(release, "certCAFilename", "ca.crt"), ["tls", "certCAFilename"]) | values.filled(release, ["tls", "certCAFilename"])],
) if {
	has_tls(release)
} else := []

certificate(release, _, own) := sprintf("/opt/bitnami/postgresql/certs/%s", [own]) if values.on(release, ["tls", "autoGenerated"], false)

certificate(release, field, _) := sprintf("/opt/bitnami/postgresql/certs/%s", [get.text(values.value(release, ["tls", field], placeholder.elsewhere))]) if not values.on(release, ["tls", "autoGenerated"], false)

of_ldap(release) := array.concat(
	[variable("POSTGRESQL_ENABLE_LDAP", "yes", ["ldap", "enabled"])],
	[variable(name, given, ["ldap", field]) |
		some name, fields in {"POSTGRESQL_LDAP_URL": ["uri", "url"], "POSTGRESQL_LDAP_SERVER": ["server"]}
		some field in fields
		given := values.filled(release, ["ldap", field])
	],
) if {
	values.on(release, ["ldap", "enabled"], false)
} else := []

# The chart says pgaudit where nobody says anything, as the image does.
of_audit(server) := array.concat(
	[variable("POSTGRESQL_SHARED_PRELOAD_LIBRARIES", given, ["postgresqlSharedPreloadLibraries"]) | given := values.filled(server.release, ["postgresqlSharedPreloadLibraries"])],
	array.concat(
		[variable(name, given, ["audit", field]) |
			some name, field in {
				"POSTGRESQL_LOG_HOSTNAME": "logHostname", "POSTGRESQL_LOG_CONNECTIONS": "logConnections", "POSTGRESQL_LOG_DISCONNECTIONS": "logDisconnections",
				"POSTGRESQL_LOG_LINE_PREFIX": "logLinePrefix", "POSTGRESQL_LOG_TIMEZONE": "logTimezone", "POSTGRESQL_PGAUDIT_LOG": "pgAuditLog",
				"POSTGRESQL_PGAUDIT_LOG_CATALOG": "pgAuditLogCatalog", "POSTGRESQL_CLIENT_MIN_MESSAGES": "clientMinMessages",
			}
			given := values.filled(server.release, ["audit", field])
		],
		[variable(name, given, [field]) |
			server.keys == "former"
			some name, field in {"POSTGRESQL_MAX_CONNECTIONS": "postgresqlMaxConnections", "POSTGRESQL_STATEMENT_TIMEOUT": "postgresqlStatementTimeout"}
			given := values.filled(server.release, [field])
		],
	),
)

# METADATA
# description: Where else a server's variables come from, [{"item", "to"}].
environment_from(server) := array.concat(
	[{"item": {"configMapRef": {"name": values.filled_in(server.release, name)}}, "to": at(server, "extraEnvVarsCM")} | name := filled(server, "extraEnvVarsCM")],
	[{"item": {"secretRef": {"name": values.filled_in(server.release, name)}}, "to": at(server, "extraEnvVarsSecret")} | name := filled(server, "extraEnvVarsSecret")],
)

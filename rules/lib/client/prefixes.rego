package walguard.lib.client

import data.walguard.lib.environment
import data.walguard.lib.get
import data.walguard.postgres.similar

# With which the variables of a program begin; charts write it before the keys of their values, which people write with it.
prefixes := {"Authentik": "AUTHENTIK_", "Grafana": "GF_", "Keycloak": "KC_", "Kong": "KONG_", "Mattermost": "MM_", "PostgREST": "PGRST_"}

# METADATA
# description: The name without the first of two prefixes of the container's program.
undoubled(container, name) := meant if {
	prefix := prefixes[program_of(container)[0]]
	startswith(name, concat("", [prefix, prefix]))
	meant := trim_prefix(name, prefix)
	regex.match(`(^|_)(DB|DATABASE|PG|POSTGRESQL|SQLSETTINGS)_`, meant)
}

# A prefix twice is another name.
doubled(container) := [{
	"name": one.name,
	"fault": sprintf("has its prefix twice, and %s reads %s: this one does nothing", [program_of(container)[0], meant]),
	"cure": sprintf("Rename it to %s", [meant]),
	"at": one.at,
} |
	some one in places(container)
	meant := undoubled(container, one.name)
	not meant in names(container)
]

# The server in its own container, which a program asks where no variable names another. {"variable", "own": what it asks, "unless": variables that name it otherwise}
# (kong.conf.default, DatabaseOptions.java of Keycloak, database.config.ts of n8n, authentik/lib/default.yml, conf/defaults.ini of Grafana).
own_hosts := {
	"Authentik": {"variable": "AUTHENTIK_POSTGRESQL__HOST", "own": "localhost", "unless": set()},
	"Grafana": {"variable": "GF_DATABASE_HOST", "own": "127.0.0.1:3306", "unless": {"GF_DATABASE_CONNECTION_STRING", "GF_DATABASE_URL"}},
	"Keycloak": {"variable": "KC_DB_URL_HOST", "own": "localhost", "unless": {"KC_CONFIG_FILE", "KC_DB_URL"}},
	"Kong": {"variable": "KONG_PG_HOST", "own": "127.0.0.1", "unless": set()},
	"n8n": {"variable": "DB_POSTGRESDB_HOST", "own": "localhost", "unless": {"N8N_CONFIG_FILES"}},
}

# METADATA
# description: 'A program that is to take PostgreSQL and names no host, as stops.'
hostless(container) := [{"reason": sprintf("has no %s, and %s asks %s without it, where no server is", [row.variable, title, row.own]), "cure": sprintf("Set %s", [row.variable]), "outcome": "it does not start", "at": []} |
	[title, program] := program_of(container)
	row := own_hosts[title]
	by_variables_alone(container, program)
	for_postgres(container, program)
	count(names(container) & ({row.variable, sprintf("%s_FILE", [row.variable]), sprintf("%s__FILE", [row.variable])} | row.unless)) == 0

	# What is meant for it is told of by its own name.
	count([1 | some name in names(container); program.renamed[name][0] == row.variable]) == 0
	count([1 | some name in names(container); undoubled(container, name)]) == 0
]

# Keys of Grafana's section [database] that it cannot do without, by what it takes otherwise; those that it knows besides (conf/defaults.ini, database_config.go).
keys_needed := {"host": "127.0.0.1:3306", "name": "grafana", "password": "none", "ssl_mode": "disable", "user": "root"}

keys_known := {
	"ca_cert_path", "cache_mode", "client_cert_path", "client_key_path", "conn_max_lifetime", "connection_string", "delete_auto_gen_ids", "ensure_default_org_and_user", "high_availability", "instrument_queries",
	"isolation_level", "locking_attempt_timeout_sec", "log_queries", "max_idle_conn", "max_open_conn", "migration_locking", "path", "port", "query_retries", "server_cert_name", "skip_migrations", "ssl_sni",
	"transaction_retries", "type", "url", "wal",
}

keys_meant := {"database": "name", "db": "name", "db_name": "name", "dbname": "name", "hostname": "host", "pass": "password", "passwd": "password", "server": "host", "sslmode": "ssl_mode", "username": "user"}

# Grafana passes over a key that it does not know.
misspelt_keys(container, volumes) := [object.union(
	{
		"name": sprintf("%s in %s", [key, regex.replace(file.file, `^.*/`, "")]),
		"fault": sprintf("is not a key of Grafana's [database]: without %s it takes %s", [meant, told(keys_needed[meant])]),
		"cure": sprintf("Rename it to %s", [meant]),
		"at": ["volumeMounts"],
	},
	{"level": "warning" | pairs[key] in {"", keys_needed[meant]}},
) |
	some file in settings(container, volumes)
	some section in regex.find_all_string_submatch_n(`(?ms)^[ \t]*\[database\][ \t]*\r?$(.*?)(?:^[ \t]*\[|\z)`, file.text, 1)
	pairs := {match[1]: trim(trim_space(match[2]), `"`) | some match in regex.find_all_string_submatch_n(`(?m)^[ \t]*([A-Za-z_-]+)[ \t]*[=:][ \t]*(.*)$`, section[1], -1)}
	some key, _ in pairs
	not key in (keys_known | object.keys(keys_needed))
	meant := key_meant(key)
	count({"connection_string", "url", meant} & object.keys(pairs)) == 0
	count({sprintf("GF_DATABASE_%s", [upper(name)]) | some name in ["connection_string", "url", meant]} & names(container)) == 0
	count({sprintf("GF_DATABASE_%s__FILE", [upper(name)]) | some name in ["url", meant]} & names(container)) == 0
	count([1 | some source in get.list(container, "envFrom"); count(environment.entries(source)) == 0]) == 0
]

key_meant(key) := keys_meant[lower(replace(key, "-", "_"))]

key_meant(key) := found if {
	not keys_meant[lower(replace(key, "-", "_"))]
	found := similar.evident(lower(replace(key, "-", "_")), object.keys(keys_needed) | keys_known)
	keys_needed[found]
}

package walguard.lib.client

# METADATA
# description: |
#   Programs that ask for a server, by title, and what they read of their variables:
#     images   the repositories of their images by the last one or two parts
#     tags     of which tags it is so, where not of all; an image without one is the newest
#     kind     {"variable" that says what database it is, "taken": what it may say for PostgreSQL, "value" of these, "wrong": what happens where it says another}; "host": the variable that names the server and
#              "otherwise": the database that is taken where nothing says the kind, of those that have one
#     renamed  names that people write, {name: [what the program reads, what it takes where that is missing]}
#     instead  variables that say all of it at once
#     unread   {"names" that another image of the program reads and this one does not, "instead": what it does, "cure", "tags" of which it is so, "unless": variables that say it, "level": a severity other than warning}
#     wants    of each of these lists one variable must be there, or it ends with "ending"; "words": what variables must look like, {name: [pattern, what that is, what to write]},
#              "refused": what they may not look like besides, {name: {"tags", "pattern", "taken": what is taken, "cure": what to write, "unless": variables that make it another matter}},
#              "files": where it looks for files that say it otherwise, where that is not everywhere
#     taken    words that a variable may have, {name: [tags, set]}, where it may say another database's words unless "kind" says PostgreSQL
#     ini      the file of its settings: {"kind": what it says where the database is PostgreSQL, "option" that stands for "variable" of "taken", "word": what it says there}
#     composes {"variables" that it puts into an address as they are, "into": the variable that holds the address where somebody has written it}
#     strict   characters of a password that end its part of an address, or that it cannot read there, which other programs bear
#     schemeless  variables whose address must have a scheme, {name: [what happens without, what to begin it with]}; "unschemed": those before which it writes one itself
#     certificates  variables that take PEM and no path, which "_FILE" behind the name takes; "unasked": {"names" of variables that have the server's certificate not looked at, "certificates" that count then}
#     session  what it does that needs a session of its own, behind a pooler as well: {"reason", "outcome", "unless": a variable that says it otherwise, "cure"}
#     prepares [how it prepares statements, whatever its variables say, what to do where the pooler does not follow them]
#     together {"names" of variables that count together alone, "otherwise": what happens where one is missing}
#     hosts    variables that name the server, where their names do not say so
#     visits   {"database" that it connects to at each start beside its own, "role": the variable with the role}
#     home     {"user": that its image runs as, "directory": that it writes to}
#     first    {"does": what the first start does before it listens, "seconds": that it may take, "otherwise": what remains of one that is killed}
#     link     {"variable" that it reads for its own port, "service" for which Kubernetes sets it, "usual": what it is, "tags": of which it does not start by it, where not of all}
#     driver   the driver that its image lacks; "settings": what a file of its settings says where it asks for PostgreSQL, "modules": what PYTHONPATH may be without bringing it, "scripts" of the image that install nothing
#     encrypts [a variable, the value] without which it insists on TLS
#     extension what the server must have
#     untrusted a pattern of the extensions that it creates and that the owner of a database may not (of those one is enough)
#     collation {"name" of what its database must have, "unless": what a file of its settings says where it may have another}
#     least    [tags, the oldest major of the server that they start with]
#     kept     true of what keeps its settings in a file on its volume as well
#     only     true of what knows no other database
# related_resources:
#   - https://github.com/keycloak/keycloak/blob/main/quarkus/config-api/src/main/java/org/keycloak/config/DatabaseOptions.java
#   - https://github.com/n8n-io/n8n/blob/master/packages/%40n8n/config/src/configs/database.config.ts
#   - https://github.com/grafana/grafana/blob/main/pkg/services/sqlstore/database_config.go
#   - https://github.com/go-gitea/gitea/blob/main/modules/setting/database.go
#   - https://github.com/metabase/metabase/blob/master/src/metabase/app_db/env.clj
#   - https://github.com/SonarSource/docker-sonarqube/issues/593
#   - https://github.com/immich-app/immich/blob/main/server/src/repositories/config.repository.ts
#   - https://github.com/goauthentik/authentik/blob/main/authentik/lib/default.yml
#   - https://github.com/temporalio/temporal/issues/6053
#   - https://github.com/langgenius/dify/issues/539
#   - https://github.com/langgenius/dify/blob/main/api/configs/middleware/__init__.py
#   - https://github.com/apache/airflow/pull/42126
#   - https://github.com/Kong/kong/blob/master/kong.conf.default
#   - https://docs.joinmastodon.org/admin/scaling/#pgbouncer
#   - https://github.com/mattermost/mattermost/pull/34010
#   - https://github.com/mlflow/mlflow/issues/9513
#   - https://github.com/outline/outline/blob/main/server/storage/database.ts
#   - https://github.com/goauthentik/authentik/issues/23876
#   - https://docs.postgrest.org/en/stable/references/listener.html
#   - https://github.com/pgadmin-org/pgadmin4/blob/master/Dockerfile
#   - https://github.com/zabbix/zabbix-docker/issues/1034
#   - https://github.com/zammad/zammad/blob/develop/contrib/docker/docker-entrypoint.sh
#   - https://github.com/emqx/emqx-auth-pgsql/issues/197
#   - https://github.com/pgadmin-org/pgadmin4/issues/7297
#   - https://github.com/prodrigestivill/docker-postgres-backup-local/blob/main/env.sh
#   - https://github.com/prometheus-community/postgres_exporter/blob/master/exporter/datasource.go
#   - https://github.com/grafana/grafana/issues/91773
#   - https://github.com/goharbor/harbor/blob/main/src/common/dao/pgsql.go
#   - https://github.com/langfuse/langfuse/blob/main/web/entrypoint.sh
#   - https://github.com/langfuse/langfuse/blob/main/worker/entrypoint.sh
#   - https://github.com/nextcloud/docker/blob/master/docker-entrypoint.sh
#   - https://github.com/odoo/odoo/blob/master/odoo/cli/server.py
#   - https://github.com/odoo/docker/blob/master/17.0/entrypoint.sh
#   - https://github.com/pgpool/pgpool2_on_k8s/blob/master/pgpool.docker/entrypoint.sh
#   - https://github.com/supabase/supavisor/issues/211
#   - https://github.com/edoburu/docker-pgbouncer/issues/68
#   - https://github.com/apache/superset/issues/32217
#   - https://github.com/dani-garcia/vaultwarden/blob/main/src/db/mod.rs
#   - https://github.com/directus/directus/blob/main/packages/env/src/utils/is-file-key.ts
#   - https://github.com/element-hq/synapse/blob/develop/synapse/storage/engines/postgres.py
programs := {
	"Airflow": {
		"images": ["apache/airflow"],
		"tags": `^(3\.|slim-3\.|latest)`,
		"renamed": {"AIRFLOW__CORE__SQL_ALCHEMY_CONN": ["AIRFLOW__DATABASE__SQL_ALCHEMY_CONN", "SQLite"]},
		"instead": {"AIRFLOW__DATABASE__SQL_ALCHEMY_CONN_CMD", "AIRFLOW__DATABASE__SQL_ALCHEMY_CONN_SECRET"},
	},
	"Authentik": {
		"images": ["goauthentik/server"],
		"only": true,
		"session": {"reason": "locks its migration for the session (pg_advisory_lock)", "outcome": "the lock stays in the pool, and others wait", "unless": `^AUTHENTIK_POSTGRESQL__DIRECT__`, "cure": "set AUTHENTIK_POSTGRESQL__DIRECT__HOST to it"},
		"renamed": {
			"AUTHENTIK_POSTGRESQL_HOST": ["AUTHENTIK_POSTGRESQL__HOST", "localhost"],
			"AUTHENTIK_POSTGRESQL_NAME": ["AUTHENTIK_POSTGRESQL__NAME", "authentik"],
			"AUTHENTIK_POSTGRESQL_PASSWORD": ["AUTHENTIK_POSTGRESQL__PASSWORD", "none"],
			"AUTHENTIK_POSTGRESQL_USER": ["AUTHENTIK_POSTGRESQL__USER", "authentik"],
			"AUTHENTIK_POSTGRESQL__DATABASE": ["AUTHENTIK_POSTGRESQL__NAME", "authentik"],
			"AUTHENTIK_POSTGRESQL__USERNAME": ["AUTHENTIK_POSTGRESQL__USER", "authentik"],
		},
	},
	"Chatwoot": {
		"images": ["chatwoot/chatwoot"],
		"only": true,
		"untrusted": "pg_stat_statements",
	},
	"Directus": {
		"images": ["directus/directus"],
		"certificates": {"DB_SSL__CA", "DB_SSL__CERT", "DB_SSL__KEY"},
		"unasked": {"names": `^DB_SSL__REJECT_UNAUTHORIZED`, "certificates": {"DB_SSL__CERT", "DB_SSL__KEY"}},
	},
	"Dify": {
		"images": ["langgenius/dify-api"],
		"link": {"variable": "DIFY_PORT", "service": "dify", "usual": "5001"},
		"only": true,
		"kind": {"variable": "DB_TYPE", "taken": {"postgresql"}, "value": "postgresql", "wrong": "it does not start"},
		"renamed": {
			"DB_NAME": ["DB_DATABASE", "dify"],
			"DB_PASS": ["DB_PASSWORD", "none"],
			"DB_USER": ["DB_USERNAME", "postgres"],
		},
	},
	"EMQX": {
		"images": ["emqx/emqx", "library/emqx"],
		"tags": `^v?[45]\.`,
		"prepares": ["epgsql", "take pool_mode session"],
	},
	"Flipt": {
		"images": ["flipt-io/flipt", "flipt/flipt"],
		"tags": `^v1\.`,
		"prepares": ["Go", "set FLIPT_DB_PREPARED_STATEMENTS_ENABLED to false"],
	},
	"Flowise": {
		"images": ["flowiseai/flowise"],
		"kind": {"variable": "DATABASE_TYPE", "taken": {"postgres"}, "value": "postgres", "wrong": "it does not start", "host": "DATABASE_HOST", "otherwise": "SQLite"},
	},
	"Forgejo": {
		"images": ["forgejo/forgejo"],
		"kept": true,
		"kind": {"variable": "FORGEJO__database__DB_TYPE", "taken": {"postgres"}, "value": "postgres", "wrong": "it does not start"},
		"renamed": of_gitea("FORGEJO"),
	},
	"Gitea": {
		"images": ["gitea/gitea"],
		"kept": true,
		"kind": {"variable": "GITEA__database__DB_TYPE", "taken": {"postgres"}, "value": "postgres", "wrong": "it does not start"},
		"renamed": of_gitea("GITEA"),
	},
	"Grafana": {
		"images": ["grafana/grafana", "grafana/grafana-enterprise", "grafana/grafana-oss"],
		"ini": {"kind": `(?m)^\[database\][^\[]*?^[ \t]*type[ \t]*=[ \t]*["']?postgres\b`, "option": "ssl_mode", "word": `(?m)^\[database\][^\[]*?^[ \t]*ssl_mode[ \t]*=[ \t]*["']?([a-z-]+)`, "variable": "GF_DATABASE_SSL_MODE"},
		"taken": {"GF_DATABASE_SSL_MODE": [`^([5-9]|1[01])\.`, {"disable", "require", "verify-ca", "verify-full"}]},
		"kind": {"variable": "GF_DATABASE_TYPE", "taken": {"postgres"}, "value": "postgres", "wrong": "it stops at \"unknown database type\"", "host": "GF_DATABASE_HOST", "otherwise": "SQLite"},
		"renamed": {
			"GF_DATABASE_DATABASE": ["GF_DATABASE_NAME", "grafana"],
			"GF_DATABASE_DBNAME": ["GF_DATABASE_NAME", "grafana"],
			"GF_DATABASE_PASS": ["GF_DATABASE_PASSWORD", "none"],
			"GF_DATABASE_SSLMODE": ["GF_DATABASE_SSL_MODE", "disable"],
			"GF_DATABASE_USERNAME": ["GF_DATABASE_USER", "root"],
			"GF_DB_TYPE": ["GF_DATABASE_TYPE", "SQLite"],
		},
		"instead": {"GF_DATABASE_CONNECTION_STRING", "GF_DATABASE_URL"},
	},
	"Harbor": {
		"images": ["goharbor/harbor-core", "goharbor/harbor-jobservice"],
		"taken": {"POSTGRESQL_SSLMODE": [`^v?(1|2\.0)\.`, {"disable", "require", "verify-ca", "verify-full"}]},
	},
	"Hasura": {
		"images": ["hasura/graphql-engine"],
		"prepares": ["libpq", "set HASURA_GRAPHQL_USE_PREPARED_STATEMENTS to false"],
		"strict": {"%", "@"},
	},
	"Healthchecks": {
		"images": ["healthchecks/healthchecks"],
		"kind": {"variable": "DB", "taken": {"postgres"}, "value": "postgres", "wrong": "it does not start", "host": "DB_HOST", "otherwise": "SQLite"},
	},
	"Immich": {
		"images": ["immich-app/immich-server"],
		"extension": "vchord or vector",
		"untrusted": "vchord|vectors",
		"only": true,
		"renamed": {
			"DB_DATABASE": ["DB_DATABASE_NAME", "immich"],
			"DB_HOST": ["DB_HOSTNAME", "database"],
			"DB_NAME": ["DB_DATABASE_NAME", "immich"],
			"DB_USER": ["DB_USERNAME", "postgres"],
		},
		"instead": {"DB_URL"},
	},
	"Jellyseerr": {
		"images": ["fallenbagel/jellyseerr", "seerr-team/seerr"],
		"kind": {"variable": "DB_TYPE", "taken": {"postgres"}, "value": "postgres", "wrong": "it does not start", "host": "DB_HOST", "otherwise": "SQLite"},
	},
	"Joplin Server": {
		"images": ["joplin/server"],
		"kind": {"variable": "DB_CLIENT", "taken": {"pg"}, "value": "pg", "wrong": "it does not start", "host": "POSTGRES_HOST", "otherwise": "SQLite"},
	},
	"Keycloak": {
		"images": ["keycloak/keycloak"],
		"tags": `^(1[7-9]|2[0-9]|latest|nightly)`,
		"prepares": ["JDBC", "set KC_DB_URL_PROPERTIES to ?prepareThreshold=0"],
		"kind": {"variable": "KC_DB", "taken": {"postgres"}, "value": "postgres", "wrong": "it does not start", "host": "KC_DB_URL_HOST", "otherwise": "a database of its own (dev-file)"},
		"renamed": {
			"KC_DB_DATABASE": ["KC_DB_URL_DATABASE", "keycloak"],
			"KC_DB_HOST": ["KC_DB_URL_HOST", "localhost"],
			"KC_DB_NAME": ["KC_DB_URL_DATABASE", "keycloak"],
			"KC_DB_PASS": ["KC_DB_PASSWORD", "none"],
			"KC_DB_PORT": ["KC_DB_URL_PORT", "5432"],
			"KC_DB_USER": ["KC_DB_USERNAME", "none"],
		},
		"instead": {"KC_CONFIG_FILE", "KC_DB_URL"},
	},
	"Kong": {
		"images": ["kong/kong", "kong/kong-gateway", "library/kong"],
		"kind": {"variable": "KONG_DATABASE", "taken": {"postgres"}, "value": "postgres", "wrong": "it does not start"},
		"renamed": {
			"KONG_PG_DB": ["KONG_PG_DATABASE", "kong"],
			"KONG_PG_NAME": ["KONG_PG_DATABASE", "kong"],
			"KONG_PG_PASS": ["KONG_PG_PASSWORD", "none"],
			"KONG_PG_USERNAME": ["KONG_PG_USER", "kong"],
		},
	},
	"Langfuse": {
		"images": ["langfuse/langfuse", "langfuse/langfuse-worker"],
		"tags": `^([23](\.|$)|latest)`,
		"only": true,
		"composes": {"variables": {"DATABASE_PASSWORD", "DATABASE_USERNAME"}, "into": "DATABASE_URL"},
		"wants": [["DATABASE_URL", "DATABASE_HOST"]],
		"ending": "it does not start",
	},
	"Linkding": {
		"images": ["sissbruecker/linkding"],
		"kind": {"variable": "LD_DB_ENGINE", "taken": {"postgres"}, "value": "postgres", "wrong": "it does not start", "host": "LD_DB_HOST", "otherwise": "SQLite"},
	},
	"MLflow": {
		"images": ["mlflow/mlflow"],
		"tags": `^(v?[0-9]+\.[0-9]+\.[0-9]+|latest)$`,
		"driver": "psycopg2",
	},
	"Mastodon": {
		"images": ["mastodon/mastodon", "tootsuite/mastodon"],
		"only": true,
		"prepares": ["Rails", "set PREPARED_STATEMENTS to false"],
	},
	"Mattermost": {
		"images": ["mattermost/mattermost-enterprise-edition", "mattermost/mattermost-team-edition"],
		"schemeless": {"MM_SQLSETTINGS_DATASOURCE": ["and it takes addresses that begin with postgres:// alone: it does not start", "postgres://"]},
		"least": [`^1[1-9]\.`, 14],
		"kind": {"variable": "MM_SQLSETTINGS_DRIVERNAME", "taken": {"postgres"}, "value": "postgres", "wrong": "it does not start"},
	},
	"Metabase": {
		"images": ["metabase/metabase", "metabase/metabase-enterprise"],
		"kind": {"variable": "MB_DB_TYPE", "taken": {"postgres"}, "value": "postgres", "wrong": "it does not start", "host": "MB_DB_HOST", "otherwise": "H2"},
		"renamed": {
			"MB_DATABASE_TYPE": ["MB_DB_TYPE", "H2"],
			"MB_DB_DATABASE": ["MB_DB_DBNAME", "none"],
			"MB_DB_NAME": ["MB_DB_DBNAME", "none"],
			"MB_DB_PASSWORD": ["MB_DB_PASS", "none"],
			"MB_DB_USERNAME": ["MB_DB_USER", "none"],
			"MD_DB_TYPE": ["MB_DB_TYPE", "H2"],
			"METABASE_DB_TYPE": ["MB_DB_TYPE", "H2"],
		},
		"instead": {"MB_DB_CONNECTION_URI"},
	},
	"Nextcloud": {
		"images": ["library/nextcloud"],
		"together": {"names": ["POSTGRES_DB", "POSTGRES_USER", "POSTGRES_PASSWORD", "POSTGRES_HOST"], "otherwise": "nothing is installed, and whoever opens it is offered SQLite"},
	},
	"Nextcloud of linuxserver.io": {
		"images": ["linuxserver/nextcloud"],
		"unread": {
			"names": {"POSTGRES_DB", "POSTGRES_HOST", "POSTGRES_PASSWORD", "POSTGRES_USER"},
			"instead": "asks for the database in its first page, and takes SQLite where nobody says it there",
			"cure": "Take the image nextcloud, or enter the database there",
		},
	},
	"Odoo": {
		"images": ["library/odoo", "odoo/odoo"],
		"hosts": {"HOST"},
		"visits": {"database": "postgres", "role": "USER"},
		"only": true,
		"refused": {name: {
			"tags": "",
			"pattern": `^postgres$`,
			"unless": unless,
			"taken": "another role, since that one is a security risk to Odoo",
			"cure": "the name of a role of its own",
		} |
			some name, unless in {"POSTGRES_USER": {"DB_ENV_POSTGRES_USER", "USER"}, "USER": set()}
		},
		"ending": "it aborts at once",
	},
	"Outline": {
		"images": ["outlinewiki/outline"],
		"encrypts": ["PGSSLMODE", "disable"],
	},
	"PgBouncer": {
		"images": ["edoburu/pgbouncer"],
		"only": true,
		"files": "^/etc/pgbouncer",
		"refused": {"AUTH_TYPE": {
			"tags": `^v?1\.([0-9]|1[0-7])(\.|-|$)`,
			"pattern": `^scram-sha-256$`,
			"unless": {"AUTH_QUERY"},
			"taken": "md5 or plain, as it writes MD5 sums into userlist.txt",
			"cure": "plain, or take 1.19 or newer",
		}},
		"ending": "nobody logs in",
	},
	"Pgpool-II": {
		"images": ["pgpool/pgpool"],
		"only": true,
		"files": "^/config",
		"wants": [["PGPOOL_PARAMS_BACKEND_HOSTNAME0", "PGPOOL_CONF_VOLUME"]],
		"ending": "there is no pgpool.conf in /config either, and it ends",
	},
	"PostgREST": {
		"images": ["bitnami/postgrest", "bitnamilegacy/postgrest", "postgrest/postgrest"],
		"only": true,
		"unread": {
			"names": {"DB_HOST", "DB_NAME", "DB_URI", "POSTGRES_HOST", "POSTGREST_DB_HOST"},
			"tags": `^v?[0-9]`,
			"unless": {"PGHOST", "PGHOSTADDR", "PGRST_DB_CONFIG", "PGRST_DB_URI", "PGSERVICE"},
			"instead": "reads PGRST_DB_URI or the variables of libpq, and looks for a server in its own container",
			"cure": "Set PGRST_DB_URI to postgresql://USER:PASSWORD@HOST:5432/DATABASE",
			"level": "error",
		},
		"session": {"reason": "listens in its session for changes of the schema (LISTEN)", "outcome": "it never hears of any", "unless": `^PGRST_DB_CHANNEL_ENABLED$`, "cure": "set PGRST_DB_CHANNEL_ENABLED to false"},
		"renamed": {
			"PGRST_DB_URL": ["PGRST_DB_URI", "none"],
			"PGRST_DATABASE_URL": ["PGRST_DB_URI", "none"],
		},
		"instead": {"PGHOST", "PGSERVICE"},
	},
	"Redmine": {
		"images": ["library/redmine"],
		"hosts": {"REDMINE_DB_POSTGRES"},
	},
	"SonarQube": {
		"images": ["library/sonarqube"],
		"tags": `^(9\.9|[12][0-9]|latest|community|developer|enterprise|lt[as])`,
		"renamed": {
			"SONARQUBE_JDBC_PASSWORD": ["SONAR_JDBC_PASSWORD", "none"],
			"SONARQUBE_JDBC_URL": ["SONAR_JDBC_URL", "H2"],
			"SONARQUBE_JDBC_USERNAME": ["SONAR_JDBC_USERNAME", "none"],
			"SONAR_JDBC_USER": ["SONAR_JDBC_USERNAME", "none"],
		},
		"instead": {"sonar.jdbc.url"},
	},
	"Supavisor": {
		"images": ["supabase/supavisor"],
		"only": true,
		"wants": [["SECRET_KEY_BASE"]],
		"words": {"VAULT_ENC_KEY": [`^.{32}$`, "32 characters", "the output of openssl rand -hex 16"]},
		"ending": "it keeps no password of a tenant",
	},
	"Synapse": {
		"images": ["element-hq/synapse", "matrixdotorg/synapse"],
		"collation": {"name": "C", "unless": `allow_unsafe_locale:\s*true`},
		"only": true,
	},
	"Superset": {
		"images": ["apache/superset"],
		"link": {"variable": "SUPERSET_PORT", "service": "superset", "usual": "8088"},
		"tags": `^(4\.1\.[0-9]+|[5-9]\.[0-9]+\.[0-9]+(rc[0-9]+)?|latest|master)$`,
		"driver": "psycopg2",
		"settings": `(?m)^[ \t]*SQLALCHEMY_DATABASE_URI[ \t]*=[^\n]*postgresql(\+psycopg2)?://`,
		"modules": `^(/app(/docker)?(/pythonpath(_dev|_docker)?)?:?)+$`,
		"scripts": {"/app/docker/entrypoints/run-server.sh", "/usr/bin/run-server.sh"},
	},
	"Temporal": {
		"images": ["temporalio/auto-setup", "temporalio/server"],
		"hosts": {"POSTGRES_SEEDS"},
		"tags": `^1\.(2[4-9]|[3-9][0-9])\.`,
		"kind": {"variable": "DB", "taken": {"postgres12", "postgres12_pgx"}, "value": "postgres12", "wrong": "it does not start (\"unsupported\")"},
		"renamed": {
			"POSTGRES_HOST": ["POSTGRES_SEEDS", "none"],
			"POSTGRES_PASSWORD": ["POSTGRES_PWD", "none"],
		},
		"instead": {"SQL_HOST", "SQL_PASSWORD", "SQL_PLUGIN"},
	},
	"pgAdmin of fenglc": {
		"images": ["fenglc/pgadmin4"],
		"link": {"variable": "PGADMIN_PORT", "service": "pgadmin", "usual": "5050"},
	},
	"pgAdmin": {
		"images": ["dpage/pgadmin4"],
		"home": {"user": 5050, "directory": "/var/lib/pgadmin"},
		"tags": `^([7-9]|[1-9][0-9]|latest)`,
		"wants": [["PGADMIN_DEFAULT_EMAIL"], ["PGADMIN_DEFAULT_PASSWORD", "PGADMIN_DEFAULT_PASSWORD_FILE"]],
		"words": {"PGADMIN_DEFAULT_EMAIL": [`^[A-Za-z0-9._%+-]+@[A-Za-z0-9.-]+\.[A-Za-z]{2,}$`, "an e-mail address", "one, as admin@example.com"]},
		"refused": {"PGADMIN_DEFAULT_EMAIL": {
			"tags": `^(8\.1[1-9]|9\.|[1-9][0-9]|latest)`,
			"pattern": `(?i)[@.](arpa|invalid|local|localhost|onion|test)$`,
			"unless": {"PGADMIN_CONFIG_ALLOW_SPECIAL_EMAIL_DOMAINS"},
			"taken": "none of a domain that is reserved",
			"cure": "one, as admin@example.com",
		}},
		"ending": "it has no first start",
	},
	"postgres-backup-local": {
		"images": ["prodrigestivill/postgres-backup-local"],
		"wants": [["POSTGRES_DB", "POSTGRES_DB_FILE"], ["POSTGRES_USER", "POSTGRES_USER_FILE"], ["POSTGRES_PASSWORD", "POSTGRES_PASSWORD_FILE", "POSTGRES_PASSFILE_STORE"]],
		"ending": "there is no dump",
	},
	"postgres_exporter": {
		"images": ["postgres-exporter", "postgres_exporter", "postgresql-exporter", "postgresql_exporter"],
		"strict": {"%"},
		"unschemed": {"DATA_SOURCE_URI"},
		"renamed": {
			"DATA_SOURCE_PASSWORD": ["DATA_SOURCE_PASS", "none"],
			"DATA_SOURCE_URL": ["DATA_SOURCE_URI", "none"],
			"DATA_SOURCE_USERNAME": ["DATA_SOURCE_USER", "none"],
		},
		"instead": {"DATA_SOURCE_NAME"},
	},
	"Vaultwarden": {
		"images": ["vaultwarden/server"],
		"prepares": ["Diesel", "take pool_mode session"],
		"strict": {"%", "@"},
		"schemeless": {"DATABASE_URL": ["and without postgresql:// Vaultwarden takes it for a file of SQLite: nothing is kept in this database", "postgresql://USER:PASSWORD@"]},
	},
	"Vikunja": {
		"images": ["vikunja/vikunja"],
		"kind": {"variable": "VIKUNJA_DATABASE_TYPE", "taken": {"postgres"}, "value": "postgres", "wrong": "it does not start", "host": "VIKUNJA_DATABASE_HOST", "otherwise": "SQLite"},
	},
	"Zabbix": {
		"images": ["zabbix/zabbix-server-pgsql"],
		"only": true,
		"first": {"does": "loads its schema", "seconds": 120, "otherwise": "half of it stays for good (\"users\" table is empty)"},
	},
	"Zammad": {
		"images": ["zammad/zammad"],
		"only": true,
		"prepares": ["Rails", "set POSTGRESQL_OPTIONS to ?prepared_statements=false"],
	},
	"Zitadel": {
		"images": ["zitadel/zitadel"],
		"only": true,
		"link": {"variable": "ZITADEL_PORT", "service": "zitadel", "usual": "8080"},
	},
	"n8n": {
		"images": ["n8nio/n8n"],
		"link": {"variable": "N8N_PORT", "service": "n8n", "usual": "5678", "tags": `^(0\.|1\.[1-4]?[0-9]\.)`},
		"home": {"user": 1000, "directory": "/home/node/.n8n"},
		"certificates": {"DB_POSTGRESDB_SSL_CA", "DB_POSTGRESDB_SSL_CERT", "DB_POSTGRESDB_SSL_KEY"},
		"unasked": {"names": `^DB_POSTGRESDB_SSL_REJECT_UNAUTHORIZED`, "certificates": {"DB_POSTGRESDB_SSL_CERT", "DB_POSTGRESDB_SSL_KEY"}},
		"kind": {"variable": "DB_TYPE", "taken": {"postgresdb"}, "value": "postgresdb", "wrong": "nothing is kept here", "host": "DB_POSTGRESDB_HOST", "otherwise": "SQLite"},
		"renamed": {
			"DB_POSTGRESDB_DB": ["DB_POSTGRESDB_DATABASE", "n8n"],
			"DB_POSTGRESDB_NAME": ["DB_POSTGRESDB_DATABASE", "n8n"],
			"DB_POSTGRESDB_PASS": ["DB_POSTGRESDB_PASSWORD", "none"],
			"DB_POSTGRESDB_USERNAME": ["DB_POSTGRESDB_USER", "postgres"],
			"N8N_DATABASE_TYPE": ["DB_TYPE", "SQLite"],
			"N8N_DB_TYPE": ["DB_TYPE", "SQLite"],
		},
	},
}

of_gitea(prefix) := {sprintf("%s__database__%s", [prefix, name]): [sprintf("%s__database__%s", [prefix, row[0]]), row[1]] | some name, row in {
	"DATABASE": ["NAME", "gitea"],
	"DB_HOST": ["HOST", "none"],
	"DB_NAME": ["NAME", "gitea"],
	"PASSWORD": ["PASSWD", "none"],
	"TYPE": ["DB_TYPE", "sqlite3"],
	"USERNAME": ["USER", "root"],
}}

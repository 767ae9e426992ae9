package walguard.lib.client

import data.walguard.lib.environment
import data.walguard.lib.get
import data.walguard.lib.image
import data.walguard.lib.placeholder

# METADATA
# description: |
#   Programs that ask for a server, by title, and what they read of their variables:
#     image    what the repository of their images is
#     tags     of which tags it is so, where not of all; an image without one is the newest
#     kind     {"variable" that says what database it is, "taken": what it may say for PostgreSQL, "value" of these, "wrong": what happens where it says another}; "host": the variable that names the server and
#              "otherwise": the database that is taken where nothing says the kind, of those that have one
#     renamed  names that people write, {name: [what the program reads, what it takes where that is missing]}
#     instead  variables that say all of it at once
#     wants    of each of these lists one variable must be there, or it ends with "ending"; "words": what variables must look like, {name: [pattern, what that is, what to write]},
#              "refused": what they may not look like besides, {name: [tags, pattern, what is taken, what to write]}
#     session  what it does that needs a session of its own, behind a pooler as well: {"reason", "outcome", "unless": a variable that says it otherwise, "cure"}
#     driver   the driver that its image lacks
#     encrypts [a variable, the value] without which it insists on TLS
#     extension what the server must have
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
#   - https://github.com/langgenius/dify/blob/main/api/configs/middleware/__init__.py
#   - https://github.com/apache/airflow/pull/42126
#   - https://github.com/Kong/kong/blob/master/kong.conf.default
#   - https://github.com/mattermost/mattermost/pull/34010
#   - https://github.com/mlflow/mlflow/issues/9513
#   - https://github.com/outline/outline/blob/main/server/storage/database.ts
#   - https://github.com/goauthentik/authentik/issues/23876
#   - https://docs.postgrest.org/en/stable/references/listener.html
#   - https://github.com/pgadmin-org/pgadmin4/issues/7297
#   - https://github.com/prodrigestivill/docker-postgres-backup-local/blob/main/env.sh
#   - https://github.com/prometheus-community/postgres_exporter/blob/master/exporter/datasource.go
programs := {
	"Airflow": {
		"image": `(^|/)apache/airflow$`,
		"tags": `^(3\.|slim-3\.|latest)`,
		"renamed": {"AIRFLOW__CORE__SQL_ALCHEMY_CONN": ["AIRFLOW__DATABASE__SQL_ALCHEMY_CONN", "SQLite"]},
		"instead": {"AIRFLOW__DATABASE__SQL_ALCHEMY_CONN_CMD", "AIRFLOW__DATABASE__SQL_ALCHEMY_CONN_SECRET"},
	},
	"Authentik": {
		"image": `(^|/)goauthentik/server$`,
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
	"Dify": {
		"image": `(^|/)langgenius/dify-api$`,
		"only": true,
		"kind": {"variable": "DB_TYPE", "taken": {"postgresql"}, "value": "postgresql", "wrong": "it does not start"},
		"renamed": {
			"DB_NAME": ["DB_DATABASE", "dify"],
			"DB_PASS": ["DB_PASSWORD", "none"],
			"DB_USER": ["DB_USERNAME", "postgres"],
		},
	},
	"Forgejo": {
		"image": `(^|/)forgejo/forgejo$`,
		"kept": true,
		"kind": {"variable": "FORGEJO__database__DB_TYPE", "taken": {"postgres"}, "value": "postgres", "wrong": "it does not start"},
		"renamed": of_gitea("FORGEJO"),
	},
	"Gitea": {
		"image": `(^|/)gitea/gitea$`,
		"kept": true,
		"kind": {"variable": "GITEA__database__DB_TYPE", "taken": {"postgres"}, "value": "postgres", "wrong": "it does not start"},
		"renamed": of_gitea("GITEA"),
	},
	"Grafana": {
		"image": `(^|/)grafana/grafana(-oss|-enterprise)?$`,
		"kind": {"variable": "GF_DATABASE_TYPE", "taken": {"postgres"}, "value": "postgres", "wrong": "it stops at \"unknown database type\"", "host": "GF_DATABASE_HOST", "otherwise": "SQLite"},
		"renamed": {
			"GF_DATABASE_DATABASE": ["GF_DATABASE_NAME", "grafana"],
			"GF_DATABASE_DBNAME": ["GF_DATABASE_NAME", "grafana"],
			"GF_DATABASE_PASS": ["GF_DATABASE_PASSWORD", "none"],
			"GF_DATABASE_SSLMODE": ["GF_DATABASE_SSL_MODE", "disable"],
			"GF_DATABASE_USERNAME": ["GF_DATABASE_USER", "root"],
		},
		"instead": {"GF_DATABASE_CONNECTION_STRING", "GF_DATABASE_URL"},
	},
	"Immich": {
		"image": `(^|/)immich-app/immich-server$`,
		"extension": "vchord or vector",
		"only": true,
		"renamed": {
			"DB_DATABASE": ["DB_DATABASE_NAME", "immich"],
			"DB_HOST": ["DB_HOSTNAME", "database"],
			"DB_NAME": ["DB_DATABASE_NAME", "immich"],
			"DB_USER": ["DB_USERNAME", "postgres"],
		},
		"instead": {"DB_URL"},
	},
	"Keycloak": {
		"image": `^quay\.io/keycloak/keycloak$`,
		"tags": `^(1[7-9]|2[0-9]|latest|nightly)`,
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
		"image": `(^|/)(library/kong|kong/kong(-gateway)?)$`,
		"kind": {"variable": "KONG_DATABASE", "taken": {"postgres"}, "value": "postgres", "wrong": "it does not start"},
		"renamed": {
			"KONG_PG_DB": ["KONG_PG_DATABASE", "kong"],
			"KONG_PG_NAME": ["KONG_PG_DATABASE", "kong"],
			"KONG_PG_PASS": ["KONG_PG_PASSWORD", "none"],
			"KONG_PG_USERNAME": ["KONG_PG_USER", "kong"],
		},
	},
	"MLflow": {
		"image": `(^|/)mlflow/mlflow$`,
		"tags": `^(v?[0-9]+\.[0-9]+\.[0-9]+|latest)$`,
		"driver": "psycopg2",
	},
	"Mattermost": {
		"image": `(^|/)mattermost/mattermost-(team|enterprise)-edition$`,
		"least": [`^1[1-9]\.`, 14],
		"kind": {"variable": "MM_SQLSETTINGS_DRIVERNAME", "taken": {"postgres"}, "value": "postgres", "wrong": "it does not start"},
	},
	"Metabase": {
		"image": `(^|/)metabase/metabase(-enterprise)?$`,
		"kind": {"variable": "MB_DB_TYPE", "taken": {"postgres"}, "value": "postgres", "wrong": "it does not start", "host": "MB_DB_HOST", "otherwise": "H2"},
		"renamed": {
			"MB_DB_DATABASE": ["MB_DB_DBNAME", "none"],
			"MB_DB_NAME": ["MB_DB_DBNAME", "none"],
			"MB_DB_PASSWORD": ["MB_DB_PASS", "none"],
			"MB_DB_USERNAME": ["MB_DB_USER", "none"],
		},
		"instead": {"MB_DB_CONNECTION_URI"},
	},
	"Outline": {
		"image": `(^|/)outlinewiki/outline$`,
		"encrypts": ["PGSSLMODE", "disable"],
	},
	"PostgREST": {
		"image": `(^|/)postgrest/postgrest$`,
		"only": true,
		"session": {"reason": "listens in its session for changes of the schema (LISTEN)", "outcome": "it never hears of any", "unless": `^PGRST_DB_CHANNEL_ENABLED$`, "cure": "set PGRST_DB_CHANNEL_ENABLED to false"},
		"renamed": {
			"PGRST_DB_URL": ["PGRST_DB_URI", "none"],
			"PGRST_DATABASE_URL": ["PGRST_DB_URI", "none"],
		},
		"instead": {"PGHOST", "PGSERVICE"},
	},
	"SonarQube": {
		"image": `(^|/)library/sonarqube$`,
		"tags": `^(9\.9|[12][0-9]|latest|community|developer|enterprise|lt[as])`,
		"renamed": {
			"SONARQUBE_JDBC_PASSWORD": ["SONAR_JDBC_PASSWORD", "none"],
			"SONARQUBE_JDBC_URL": ["SONAR_JDBC_URL", "H2"],
			"SONARQUBE_JDBC_USERNAME": ["SONAR_JDBC_USERNAME", "none"],
			"SONAR_JDBC_USER": ["SONAR_JDBC_USERNAME", "none"],
		},
		"instead": {"sonar.jdbc.url"},
	},
	"Temporal": {
		"image": `(^|/)temporalio/(auto-setup|server)$`,
		"tags": `^1\.(2[4-9]|[3-9][0-9])\.`,
		"kind": {"variable": "DB", "taken": {"postgres12", "postgres12_pgx"}, "value": "postgres12", "wrong": "it does not start (\"unsupported\")"},
		"renamed": {
			"POSTGRES_HOST": ["POSTGRES_SEEDS", "none"],
			"POSTGRES_PASSWORD": ["POSTGRES_PWD", "none"],
		},
		"instead": {"SQL_HOST", "SQL_PASSWORD", "SQL_PLUGIN"},
	},
	"pgAdmin": {
		"image": `(^|/)dpage/pgadmin4$`,
		"tags": `^([7-9]|[1-9][0-9]|latest)`,
		"wants": [["PGADMIN_DEFAULT_EMAIL"], ["PGADMIN_DEFAULT_PASSWORD", "PGADMIN_DEFAULT_PASSWORD_FILE"]],
		"words": {"PGADMIN_DEFAULT_EMAIL": [`^[A-Za-z0-9._%+-]+@[A-Za-z0-9.-]+\.[A-Za-z]{2,}$`, "an e-mail address", "one, as admin@example.com"]},
		"refused": {"PGADMIN_DEFAULT_EMAIL": [`^(8\.1[1-9]|9\.|[1-9][0-9]|latest)`, `(?i)[@.](arpa|invalid|local|localhost|onion|test)$`, "none of a domain that is reserved", "one, as admin@example.com"]},
		"instead": {"PGADMIN_CONFIG_ALLOW_SPECIAL_EMAIL_DOMAINS"},
		"ending": "it has no first start",
	},
	"postgres-backup-local": {
		"image": `(^|/)prodrigestivill/postgres-backup-local$`,
		"wants": [["POSTGRES_DB", "POSTGRES_DB_FILE"], ["POSTGRES_USER", "POSTGRES_USER_FILE"], ["POSTGRES_PASSWORD", "POSTGRES_PASSWORD_FILE", "POSTGRES_PASSFILE_STORE"]],
		"ending": "there is no dump",
	},
	"postgres_exporter": {
		"image": `(^|/)postgres(ql)?[-_]exporter$`,
		"renamed": {
			"DATA_SOURCE_PASSWORD": ["DATA_SOURCE_PASS", "none"],
			"DATA_SOURCE_URL": ["DATA_SOURCE_URI", "none"],
			"DATA_SOURCE_USERNAME": ["DATA_SOURCE_USER", "none"],
		},
		"instead": {"DATA_SOURCE_NAME"},
	},
	"n8n": {
		"image": `(^|/)n8nio/n8n$`,
		"kind": {"variable": "DB_TYPE", "taken": {"postgresdb"}, "value": "postgresdb", "wrong": "nothing is kept here", "host": "DB_POSTGRESDB_HOST", "otherwise": "SQLite"},
		"renamed": {
			"DB_POSTGRESDB_DB": ["DB_POSTGRESDB_DATABASE", "n8n"],
			"DB_POSTGRESDB_NAME": ["DB_POSTGRESDB_DATABASE", "n8n"],
			"DB_POSTGRESDB_PASS": ["DB_POSTGRESDB_PASSWORD", "none"],
			"DB_POSTGRESDB_USERNAME": ["DB_POSTGRESDB_USER", "postgres"],
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

# METADATA
# description: 'What a container runs of them: [title, {as above}].'
program_of(container) := [[title, program] |
	repository := image.repository(get.string(container, "image"))
	some title, program in programs
	regex.match(program.image, repository)
	regex.match(object.get(program, "tags", ""), tag_of(get.string(container, "image")))
][0]

tag_of(reference) := image.tag(reference)

tag_of(reference) := "latest" if not image.tag(reference)

# METADATA
# description: True of a container whose program asks for PostgreSQL, whatever its variables are called.
postgres_alone(container) if {
	program_of(container)[1].only
	count([1 | some _, value in environment.values(container); regex.match(`(?i)mysql|mariadb|oceanbase`, value)]) == 0
}

# METADATA
# description: 'Programs that keep their data elsewhere unless a variable says what kind of database it is, by the variable that names the server: {"variable", "value", "otherwise", "image", "instead"}.'
kinds_by_host[kind.host] := object.union(object.filter(kind, ["variable", "value", "otherwise"]), {"image": program.image, "instead": object.get(program, "instead", set())}) if {
	some program in programs
	kind := program.kind
	kind.host
}

# Names that the program does not read, where it has none of what it reads.
renamed(container) := [object.union(
	{
		"name": one.name,
		"fault": sprintf("is not one of %s's variables: without %s it takes %s", [title, meant[0], told(meant[1])]),
		"cure": sprintf("Rename it to %s", [meant[0]]),
		"at": one.at,
	},
	weight(program, meant[1], known_value(object.get(values, one.name, ""))),
) |
	[title, program] := program_of(container)
	by_variables_alone(container)
	given := names(container)
	count(given & object.get(program, "instead", set())) == 0
	values := environment.values(container)
	some one in places(container)
	meant := program.renamed[one.name]
	object.get(values, one.name, "") != meant[1]
	count(given & {meant[0], sprintf("%s_FILE", [meant[0]]), sprintf("%s__FILE", [meant[0]])}) == 0
]

# What stands in a file of an earlier start, and what may be what the program takes anyhow, is less.
weight(program, otherwise, value) := {"level": "warning"} if {
	unsure(program, otherwise, value)
} else := {}

unsure(program, _, _) if program.kept

unsure(_, otherwise, "") if otherwise != "none"

# What is no value of a variable.
told(otherwise) := otherwise if otherwise in {"H2", "SQLite", "none"}

told(otherwise) := sprintf("%q", [otherwise]) if not otherwise in {"H2", "SQLite", "none"}

known_value(value) := value if not placeholder.unknown(value)

known_value(value) := "" if placeholder.unknown(value)

# A word for PostgreSQL that the program does not know.
kinds(container) := [{
	"name": kind.variable,
	"fault": sprintf("is %q, and %s knows PostgreSQL as %s: %s", [value, title, kind.value, kind.wrong]),
	"cure": sprintf("Write %s", [kind.value]),
	"at": one.at,
} |
	[title, program] := program_of(container)
	not says_more(container)
	kind := program.kind
	some one in places(container)
	one.name == kind.variable
	value := environment.values(container)[one.name]
	regex.match(`(?i)^(pg|pgsql|psql|postgres|postgresdb|postgresql)[0-9]*$`, value)
	not value in kind.taken
]

# A driver that the image lacks, where nothing installs it.
driverless(container) := [object.union(
	{
		"fault": sprintf("names PostgreSQL, and %s's image has no %s for it (\"No module named '%s'\")", [title, program.driver, program.driver]),
		"cure": sprintf("Take an image that has it, or install %s-binary before", [program.driver]),
	},
	one,
) |
	[title, program] := program_of(container)
	program.driver
	not regex.match(`\b(pip3?|uv|poetry|conda)\b`, json.marshal([get.list(container, "command"), get.list(container, "args")]))
	count([1 | some mounted in get.list(container, "volumeMounts"); regex.match(`site-packages|^/(usr|opt|venv)`, get.string(mounted, "mountPath"))]) == 0
	one := array.concat(
		[{"name": variable.name, "at": variable.at} |
			some variable in texts(container)
			startswith(variable.text, "postgresql://")
		],
		[{"name": sprintf("The %s", [{"args": "argument", "command": "command"}[field]]), "at": [field, k]} |
			some field in ["command", "args"]
			some k, word in get.list(container, field)
			regex.match(`(^|=|\s)postgresql://`, get.text(word))
		],
	)[0]
]

# Celery takes what stands before "://" for the name of a module.
results(container) := [object.union(
	{
		"name": one.name,
		"fault": sprintf("begins with %s, and Celery looks for a module of that name (\"No module named '%s'\")", [match[1], match[1]]),
		"cure": sprintf("Begin it with db+%s", [match[0]]),
		"at": one.at,
	},
	{"level": "warning" | one.name == "CELERY_RESULT_BACKEND"},
) |
	some one in texts(container)
	one.name in {"AIRFLOW__CELERY__RESULT_BACKEND", "CELERY_RESULT_BACKEND"}
	some match in regex.find_all_string_submatch_n(`^(postgres(?:ql)?)(?:\+[a-z0-9]+)?://`, one.text, 1)
]

# METADATA
# description: 'What the entrypoint of a program stops at: [{"reason", "cure", "outcome", "at"}].'
stops(container) := array.concat(
	[{"reason": sprintf("has no %s, and the entrypoint of its image stops there", [wanted[0]]), "cure": sprintf("Set %s", [wanted[0]]), "outcome": program.ending, "at": []} |
		[_, program] := program_of(container)
		by_variables_alone(container)
		some wanted in program.wants
		count(names(container) & {name | some name in wanted}) == 0
	],
	[{"reason": sprintf("has %s %q, and the entrypoint of its image takes %s", [one.name, value, what]), "cure": sprintf("Write %s", [right]), "outcome": program.ending, "at": one.at} |
		[_, program] := program_of(container)
		by_variables_alone(container)
		some one in places(container)
		value := environment.values(container)[one.name]
		not placeholder.holds(value)
		not contains(value, "$(")
		[what, right] := objection(program, one.name, value, container)
	],
)

objection(program, name, value, container) := [row[1], row[2]] if {
	row := program.words[name]
	not regex.match(row[0], value)
} else := [row[2], row[3]] if {
	row := program.refused[name]
	regex.match(row[0], tag_of(get.string(container, "image")))
	regex.match(row[1], value)
	count(names(container) & program.instead) == 0
}

# The variables of a container by where they are said.
places(container) := array.concat(
	[{"name": name, "at": ["env", k]} | some name, k in get.named(get.list(container, "env"))],
	[{"name": name, "at": ["envFrom", k]} |
		some k, source in get.list(container, "envFrom")
		some name, _ in environment.entries(source)
	],
)

names(container) := {one.name | some one in places(container)}

# Neither words of a command nor files say it otherwise, and all variables are in sight.
by_variables_alone(container) if {
	not says_more(container)
	count([1 | some mounted in get.list(container, "volumeMounts"); regex.match(`conf|\.ini$|/etc|\.env$`, get.string(mounted, "mountPath"))]) == 0
	count([1 | some source in get.list(container, "envFrom"); count(environment.entries(source)) == 0]) == 0
	count([1 | some name in names(container); regex.match(`[^A-Za-z0-9_.-]`, name)]) == 0
}

says_more(container) if {
	some field in ["command", "args"]
	some word in get.list(container, field)
	regex.match(`db|database|conf|host|url|(^|/)(ba|da|a)?sh$`, get.text(word))
}

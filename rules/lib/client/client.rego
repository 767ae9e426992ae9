# METADATA
# description: |
#   What a program that asks for a PostgreSQL server reads otherwise than it is meant, whichever server it is: by the variables of its container, those in Secrets of the namespace too.
# related_resources:
#   - https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-CONNSTRING
#   - https://www.postgresql.org/docs/current/libpq-ssl.html#LIBQ-SSL-CERTIFICATES
#   - https://www.keycloak.org/migration/migrating-to-quarkus
#   - https://github.com/Kong/kong/blob/master/kong/conf_loader/parse.lua
#   - https://github.com/n8n-io/n8n/blob/master/packages/cli/src/databases/config.ts
package walguard.lib.client

import data.walguard.lib.environment
import data.walguard.lib.get
import data.walguard.lib.image
import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.lib.login
import data.walguard.lib.placeholder

# METADATA
# description: 'The variables of a container that are known: [{"name", "text", "at": path below the container}], those of ConfigMaps and of Secrets in sight too.'
texts(container) := array.concat(
	array.concat(
		[{"name": get.string(variable, "name"), "text": value, "at": ["env", k, "value"]} |
			some k, variable in get.list(container, "env")
			value := get.string(variable, "value")
		],
		[{"name": get.string(variable, "name"), "text": value, "at": ["env", k, "valueFrom", "secretKeyRef"], "secret": true} |
			some k, variable in get.list(container, "env")
			secret := inventory.namespaced_object(k8s.namespace, "v1", "Secret", get.string(variable, ["valueFrom", "secretKeyRef", "name"]))
			value := login.field(secret, get.string(variable, ["valueFrom", "secretKeyRef", "key"]))
		],
	),
	array.concat(
		[{"name": get.string(variable, "name"), "text": environment.keyed(variable).value, "at": ["env", k, "valueFrom", "configMapKeyRef"]} |
			some k, variable in get.list(container, "env")
			get.present(variable, ["valueFrom", "configMapKeyRef"])
		],
		[{"name": name, "text": entry.value, "at": ["envFrom", k]} |
			some k, source in get.list(container, "envFrom")
			some name, entry in environment.entries(source)
			count([1 | some variable in get.list(container, "env"); get.string(variable, "name") == name]) == 0
		],
	),
)

# METADATA
# description: 'The words of its command that are known, in the form of texts, without the option that they are given to.'
words(container) := [{"name": sprintf("The %s", [{"args": "argument", "command": "command"}[field]]), "text": regex.replace(word, `^--?[A-Za-z][A-Za-z_-]*=`, ""), "at": [field, k]} |
	some field in ["command", "args"]
	some k, word in get.list(container, field)
	is_string(word)
]

# METADATA
# description: 'What is wrong with them, of a container in a pod with these volumes: [{"name", "fault", "cure", "level"? where it is no error, "at"}], sentences without the full stop.'
mistaken(container, volumes) := [one |
	some list in [
		blanks(container),
		comments(container),
		former_names(container),
		unverified(container),
		unverified_by_libpq(container),
		untrusted(container),
		unannounced(container),
		paths_of_certificates(container),
		renamed(container),
		doubled(container),
		unread(container),
		unbrought(container),
		kinds(container),
		untaken(container),
		untaken_in_files(container, volumes),
		no_modes(container),
		composed(container),
		unencoded(container),
		schemes(container),
		with_ports(container),
		misspelt_keys(container, volumes),
		beside_data(container, volumes),
		driverless(container, volumes),
		results(container),
	]
	some one in list
]

# A value with a blank stands in single quotes, or what follows is a word without "=".
blanks(container) := [{"name": one.name, "fault": sprintf("has a blank in a value without quotes, so that %q is read as the next word: no program takes such an address", [match[2]]), "cure": sprintf("Put the value of %s in single quotes", [match[1]]), "at": one.at} |
	some one in texts(container)
	regex.match(`^\s*[a-z_]+=\S`, one.text)
	regex.match(`(^|\s)host=\S`, one.text)
	regex.match(`(^|\s)(user|dbname)=\S`, one.text)
	not regex.match(`['"\\,;$]|\{|[<>]`, one.text)
	not placeholder.holds(one.text)
	some match in regex.find_all_string_submatch_n(`(?:^|\s)(password|user|dbname)=[^\s=]+\s+([^\s=]+)(?:\s|$)`, one.text, 1)
]

# A comment begins at "#" in what Kong reads, and "\#" is the character (infer_value of conf_loader/parse.lua).
comments(container) := [{"name": one.name, "fault": "has a \"#\", at which a comment begins for Kong: the password ends before it", "cure": "Write \\# for it", "at": one.at} |
	regex.match(`(^|/)kong(/kong(-gateway)?)?(:|@|$)`, get.string(container, "image"))
	some one in texts(container)
	one.name in {"KONG_PG_PASSWORD", "KONG_PG_USER", "KONG_PG_RO_PASSWORD"}
	not startswith(one.text, "{vault://")
	not placeholder.holds(one.text)
	regex.match(`(^|[^\\])#`, one.text)
]

# Those of the distribution on WildFly.
former_names(container) := [{"name": one.name, "fault": "is not read by Keycloak since 17, and no KC_DB is there: it keeps its data in a file of its container (dev-file), and this database stays empty", "cure": "Write KC_DB=postgres, KC_DB_URL_HOST, KC_DB_URL_DATABASE, KC_DB_USERNAME and KC_DB_PASSWORD", "at": one.at} |
	image.repository(get.string(container, "image")) == "quay.io/keycloak/keycloak"
	to_number(regex.find_all_string_submatch_n(`^([0-9]+)\.`, image.tag(get.string(container, "image")), 1)[0][1]) >= 17
	count(get.list(container, "envFrom")) == 0
	count(get.list(container, "volumeMounts")) == 0
	count([1 | some variable in get.list(container, "env"); regex.match(`^(KC_DB|KC_CONFIG_FILE|QUARKUS_DATASOURCE)`, get.string(variable, "name"))]) == 0
	not regex.match(`db[=-]|conf`, json.marshal([get.list(container, "command"), get.list(container, "args")]))
	named := [variable | some variable in texts(container); variable.name in {"DB_ADDR", "DB_VENDOR"}]
	count([1 | some variable in named; variable.name == "DB_ADDR"]) > 0
	one := named[0]
]

# libpq looks for ~/.postgresql/root.crt unless it is told where the certificates are; psql's own images have none.
unverified(container) := [{"name": one.name, "fault": sprintf("%s %s, and no root certificate is there: libpq ends with \"root certificate file does not exist\"", [verb, mode]), "cure": cure, "at": one.at} |
	without_root(image.repository(get.string(container, "image")), array.concat([found | found := image.tag(get.string(container, "image"))], [""])[0])
	some [one, verb, mode, cure] in verifying_nothing(container)
]

# An image of somebody's own may have the file.
unverified_by_libpq(container) := [{"name": one.name, "fault": sprintf("%s %s, and no root certificate is mounted: unless the image has ~/.postgresql/root.crt, libpq ends with \"root certificate file does not exist\"", [verb, mode]), "cure": cure, "level": "warning", "at": one.at} |
	count(unverified(container)) == 0
	on_libpq(container)
	some [one, verb, mode, cure] in verifying_nothing(container)
]

# Django and psycopg, Rails and pg, and images whose program is written with them.
on_libpq(container) if {
	some name in names(container)
	regex.match(`^(DJANGO_SETTINGS_MODULE|RAILS_ENV)$`, name)
}

on_libpq(container) if {
	some one in texts(container)
	startswith(one.text, "postgresql+psycopg")
}

on_libpq(container) if regex.match(`(^|/)(apache/(airflow|superset)|chatwoot/chatwoot|getredash/redash|getsentry/sentry|netboxcommunity/netbox|paperless-ngx/paperless-ngx|goauthentik/server)$`, image.repository(get.string(container, "image")))

verifying_nothing(container) := [[one, verb, mode, cure] |
	count(get.list(container, "envFrom")) == 0
	some one in array.concat(texts(container), words(container))
	[verb, mode, cure] := verifying(one)
	count([1 | some variable in get.list(container, "env"); regex.match(`^(PGSSLROOTCERT|PGSERVICE|PGSYSCONFDIR)|^HOME$`, get.string(variable, "name"))]) == 0
	count([1 | some mounted in get.list(container, "volumeMounts"); regex.match(`(?i)\.postgresql|cert|ssl|tls|ca|^/root|^/home|^/var/lib/postgresql`, get.string(mounted, "mountPath"))]) == 0
	not regex.match(`(?i)sslrootcert|root\.crt|PGSSL`, json.marshal([get.list(container, "command"), get.list(container, "args"), [variable.text | some variable in texts(container)]]))
	not regex.match(`(?i)sslmode`, json.marshal([shell_word | some shell_word in words(container); not verifying(shell_word)]))
]

without_root(repository, _) if repository in {"docker.io/bitnami/postgresql", "docker.io/bitnamilegacy/postgresql", "docker.io/library/postgres", "docker.io/postgis/postgis", "public.ecr.aws/docker/library/postgres"}

# Later ones of this trust the system's (alpine-docker/multi-arch-docker-images 36).
without_root("docker.io/alpine/psql", tag) if regex.match(`^(1[0-7]\.|18\.[0-2]$)`, tag)

verifying(one) := ["is", one.text, "Set PGSSLROOTCERT to the file of the CA, or to system for a public one"] if {
	one.name == "PGSSLMODE"
	one.text in {"verify-ca", "verify-full"}
} else := ["has", found[0], "Add sslrootcert with the file of the CA, or with system for a public one"] if {
	regex.match(`^postgres(ql)?(\+psycopg[0-9]?)?://`, one.text)
	some found in regex.find_all_string_submatch_n(`sslmode=verify-(?:ca|full)\b`, one.text, 1)
}

# Programs in Go take the authorities of their image where nothing names another, and these services have one of their own.
untrusted(container) := [{"name": one.name, "fault": sprintf("is %s, and no certificate of %s's own CA is there: \"certificate signed by unknown authority\"", [one.text, of]), "cure": "Mount the CA of the service and name it, or write require", "at": one.at} |
	regex.match(`(^|/)(goharbor/harbor-(core|jobservice)|bitnami(legacy|secure)?/(harbor-(core|jobservice)|grafana)|grafana/grafana(-oss|-enterprise)?)$`, image.repository(get.string(container, "image")))
	not get.present(container, "command")
	count([1 | some source in get.list(container, "envFrom"); count(environment.entries(source)) == 0]) == 0
	some one in texts(container)
	one.name in {"GF_DATABASE_SSL_MODE", "POSTGRESQL_SSLMODE"}
	one.text in {"verify-ca", "verify-full"}
	some said in texts(container)
	said.name in {"GF_DATABASE_HOST", "POSTGRESQL_HOST"}
	some of in [service | some domain, service in services_with_a_ca; regex.match(domain, said.text)]
	count([1 | some name in names(container); regex.match(`CA_?CERT|ROOT_?CERT|SSL_CERT`, name)]) == 0
	count([1 | some mounted in get.list(container, "volumeMounts"); regex.match(`(?i)cert|ssl|tls|trust|pem|bundle|(^|[/._-])ca([/._-]|$)|\.postgresql|\.ini$`, get.string(mounted, "mountPath"))]) == 0
]

services_with_a_ca := {
	`\.aivencloud\.com(:[0-9]+)?$`: "Aiven",
	`\.databases\.appdomain\.cloud(:[0-9]+)?$`: "IBM Cloud",
	`\.db\.ondigitalocean\.com(:[0-9]+)?$`: "DigitalOcean",
}

# libpq names the host in its handshake since PostgreSQL 14; the images on Alpine have the libpq of their own release, those on Debian the newest.
unannounced(container) := [{"name": "The image", "fault": sprintf("has the libpq of PostgreSQL %s, which sends no name of a host (SNI), and Neon finds no database without: \"Endpoint ID is not specified\"", [match[1]]), "cure": "Take 14 or newer, or add options=endpoint%3D and the first part of the host's name", "at": ["image"]} |
	image.repository(get.string(container, "image")) in {"docker.io/library/postgres", "public.ecr.aws/docker/library/postgres"}
	some match in regex.find_all_string_submatch_n(`^(1[0-3]|9)(?:\.[0-9]+)*-alpine`, image.tag(get.string(container, "image")), 1)
	said := json.marshal([one.text | some one in array.concat(texts(container), words(container))])
	regex.match(`\.neon\.tech\b`, said)
	not regex.match(`options=|endpoint|PGOPTIONS`, said)
	regex.match(`\b(psql|pg_dump|pg_dumpall|pg_restore|pg_isready)\b`, said)
]

# Node.js takes what these hold as it is, which is PEM and no path ("no start line"). "_FILE" behind a name has the program read a file.
paths_of_certificates(container) := [{"name": one.name, "fault": sprintf("is a path, and %s reads a certificate itself there (\"no start line\", or one that it does not trust)", [title]), "cure": sprintf("Write %s_FILE for it", [one.name]), "at": one.at} |
	[title, program] := program_of(container)
	some one in texts(container)
	one.name in paths_refused(program, container)
	startswith(one.text, "/")
	not contains(one.text, "\n")
]

paths_refused(program, container) := program.unasked.certificates if unasked(program, container)

paths_refused(program, container) := program.certificates if not unasked(program, container)

# Without the server's certificate being looked at, which may also stand where nobody has read.
unasked(program, container) if {
	program.unasked
	count(get.list(container, "envFrom")) > 0
}

unasked(program, container) if {
	some variable in get.list(container, "env")
	regex.match(program.unasked.names, get.string(variable, "name"))
	get.string(variable, "value") != "true"
}

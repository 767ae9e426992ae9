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

import data.walguard.lib.get
import data.walguard.lib.image
import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.lib.login
import data.walguard.lib.placeholder

# METADATA
# description: 'The variables of a container that are known: [{"name", "text", "at": path below the container}].'
texts(container) := array.concat(
	[{"name": get.string(variable, "name"), "text": value, "at": ["env", k, "value"]} |
		some k, variable in get.list(container, "env")
		value := get.string(variable, "value")
	],
	[{"name": get.string(variable, "name"), "text": value, "at": ["env", k, "valueFrom", "secretKeyRef"], "secret": true} |
		some k, variable in get.list(container, "env")
		secret := inventory.namespaced_object(k8s.namespace, "v1", "Secret", get.string(variable, ["valueFrom", "secretKeyRef", "name"]))
		value := login.field(secret, get.string(variable, ["valueFrom", "secretKeyRef", "key"]))
	],
)

# METADATA
# description: 'What is wrong with them: [{"name", "fault", "cure", "level"? where it is no error, "at"}], sentences without the full stop.'
mistaken(container) := [one |
	some list in [
		blanks(container),
		comments(container),
		former_names(container),
		unverified(container),
		paths_of_certificates(container),
		renamed(container),
		kinds(container),
		driverless(container),
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
unverified(container) := [{"name": one.name, "fault": sprintf("is %s, and no root certificate is there: libpq ends with \"root certificate file does not exist\"", [one.text]), "cure": "Set PGSSLROOTCERT to the file of the CA, or to system for a public one", "at": one.at} |
	image.repository(get.string(container, "image")) in {"docker.io/alpine/psql", "docker.io/bitnami/postgresql", "docker.io/bitnamilegacy/postgresql", "docker.io/library/postgres", "docker.io/postgis/postgis", "public.ecr.aws/docker/library/postgres"}
	count(get.list(container, "envFrom")) == 0
	some one in texts(container)
	one.name == "PGSSLMODE"
	one.text in {"verify-ca", "verify-full"}
	count([1 | some variable in get.list(container, "env"); regex.match(`^(PGSSLROOTCERT|PGSERVICE|PGSYSCONFDIR)|^HOME$`, get.string(variable, "name"))]) == 0
	count([1 | some mounted in get.list(container, "volumeMounts"); regex.match(`(?i)\.postgresql|cert|ssl|tls|ca|^/root|^/home|^/var/lib/postgresql`, get.string(mounted, "mountPath"))]) == 0
	not regex.match(`(?i)sslrootcert|root\.crt|sslmode|PGSSL`, json.marshal([get.list(container, "command"), get.list(container, "args")]))
]

# n8n hands these to Node.js as they are, which takes PEM and no path ("no start line"). "_FILE" behind a name has it read a file.
paths_of_certificates(container) := [{"name": one.name, "fault": "is a path, and n8n reads a certificate itself there (\"no start line\", or one that it does not trust)", "cure": sprintf("Write %s_FILE for it", [one.name]), "at": one.at} |
	some one in texts(container)
	one.name in paths_refused(container)
	startswith(one.text, "/")
	not contains(one.text, "\n")
]

paths_refused(container) := {"DB_POSTGRESDB_SSL_CERT", "DB_POSTGRESDB_SSL_KEY"} if unasked(container)

paths_refused(container) := {"DB_POSTGRESDB_SSL_CA", "DB_POSTGRESDB_SSL_CERT", "DB_POSTGRESDB_SSL_KEY"} if not unasked(container)

# Without the server's certificate being looked at, which may also stand where nobody has read.
unasked(container) if count(get.list(container, "envFrom")) > 0

unasked(container) if {
	some variable in get.list(container, "env")
	startswith(get.string(variable, "name"), "DB_POSTGRESDB_SSL_REJECT_UNAUTHORIZED")
	get.string(variable, "value") != "true"
}

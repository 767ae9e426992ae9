package walguard.model.addresses

import data.walguard.lib.client
import data.walguard.lib.environment
import data.walguard.lib.get
import data.walguard.lib.image
import data.walguard.model

# METADATA
# description: |
#   Clients on node-postgres that have the certificate of the server verified, where an operator's own CA has signed it ("authority" of walguard.model) and no sign of it is in the container: {"client", "asks": as it is
#   written, "cure", "level", "path", "resource"}. pg-connection-string takes every sslmode but disable and no-verify for verify-full, whatever the code says beside it, unless uselibpqcompat=true; Prisma and postgres.js do not.
# related_resources:
#   - https://github.com/brianc/node-postgres/issues/2375
#   - https://github.com/brianc/node-postgres/blob/master/packages/pg-connection-string/index.js
#   - https://github.com/n8n-io/n8n/blob/master/packages/%40n8n/db/src/connection/db-connection-options.ts
#   - https://github.com/FlowiseAI/Flowise/blob/main/packages/server/src/DataSource.ts
#   - https://github.com/Infisical/infisical/blob/main/backend/src/db/instance.ts
untrusting := [object.union_n([{"client": one.name, "resource": one.resource}, asked, {"path": array.concat(one.path, asked.path)}]) |
	model.cluster.authority
	some one in containers_of(hosts)
	not has_authorities(one.container)
	some asked in array.concat(verified_by_address(one.container), verified_by_variables(one.container))
]

verified_by_address(container) := [{"asks": meaning(match[1]), "cure": by_node, "level": level, "path": said.at} |
	level := of_node_postgres(container)
	some said in said_by(container, hosts)
	leads_to(said.text, hosts)
	some match in regex.find_all_string_submatch_n(`^postgres(?:ql)?://.*[?&]sslmode=(require|verify-ca|verify-full)(?:&|$)`, said.text, 1)
	not regex.match(`[?&](uselibpqcompat=true|ssl(root)?cert=|schema=|connection_limit=|pgbouncer=|sslaccept=)`, said.text)
]

meaning(mode) := sprintf("sslmode=%s is verify-full to node-postgres", [mode]) if mode != "verify-full"

meaning("verify-full") := "sslmode=verify-full"

by_node := sprintf("Mount ca.crt of Secret %s for NODE_EXTRA_CA_CERTS, or write sslmode=no-verify", [model.cluster.authority.secret])

by_node := "Write sslmode=no-verify" if not model.cluster.authority.secret

# What is known of a program, and of Node.js what most have.
of_node_postgres(container) := "error" if regex.match(`(^|/)infisical/infisical$`, image.repository(get.string(container, "image")))

else := "info" if {
	runs_node(container)
	not client.program_of(container)
	not regex.match(`(?i)prisma`, json.marshal(container))
}

runs_node(container) if regex.match(`^(\S*/)?(node|npm|npx|pnpm|yarn)(\s|$)`, client.words(container)[0].text)

runs_node(container) if regex.match(`(^|/)node:|[:-]node[0-9]+([.-]|$)`, get.string(container, "image"))

# Programs that say it in words of their own.
verified_by_variables(container) := [{"asks": sprintf("%s=true", [program.on]), "cure": program.cure, "level": "error", "path": ["env"]} |
	values := known(container, hosts)
	some program in verifying_programs
	get.lower_case(values[program.on]) == "true"
	named(regex.replace(values[program.host], `:[0-9]+$`, ""), hosts)
	regex.match(program.image, image.repository(get.string(container, "image")))
]

verifying_programs := [
	{"image": `(^|/)n8n$`, "host": "DB_POSTGRESDB_HOST", "on": "DB_POSTGRESDB_SSL_ENABLED", "cure": "Set DB_POSTGRESDB_SSL_CA_FILE to the CA, or DB_POSTGRESDB_SSL_REJECT_UNAUTHORIZED to false"},
	{"image": `(^|/)flowise$`, "host": "DATABASE_HOST", "on": "DATABASE_SSL", "cure": "Set DATABASE_SSL_KEY_BASE64 to the CA"},
]

has_authorities(container) if {
	some variable in get.list(container, "env")
	regex.match(`(^|_)CA(_|$)|CERT|REJECT_UNAUTHORIZED|^NODE_OPTIONS$|SSL_KEY`, get.string(variable, "name"))
}

has_authorities(container) if {
	some mounted in get.list(container, "volumeMounts")
	regex.match(`(?i)cert|ssl|tls|trust|pem|bundle|(^|[/._-])ca([/._-]|$)|\.postgresql|-ca$`, get.string(mounted, "mountPath"))
}

has_authorities(container) if regex.match(`NODE_(EXTRA|TLS|OPTIONS)|rejectUnauthorized|-ca\b`, json.marshal([get.list(container, "command"), get.list(container, "args")]))

has_authorities(container) if {
	some source in get.list(container, "envFrom")
	count(environment.entries(source)) == 0
}

has_authorities(container) if {
	some name, _ in environment.values(container)
	regex.match(`^NODE_(EXTRA_CA_CERTS|TLS_REJECT_UNAUTHORIZED|OPTIONS)$|REJECT_UNAUTHORIZED`, name)
}

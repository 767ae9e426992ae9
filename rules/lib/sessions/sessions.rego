# METADATA
# description: |
#   What programs do that needs a session of their own, behind a pooler that gives each transaction another one: those of walguard.lib.client that say so, and migrations, whose tools take a lock of the session
#   (pg_advisory_lock) so that one of them runs at a time.
# related_resources:
#   - https://www.pgbouncer.org/features.html
#   - https://www.pgbouncer.org/config.html#max_prepared_statements
#   - https://www.prisma.io/docs/orm/prisma-migrate/workflows/development-and-production#advisory-locking
#   - https://github.com/flyway/flyway/issues/2895
#   - https://github.com/golang-migrate/migrate/issues/1001
#   - https://github.com/rails/rails/blob/main/activerecord/lib/active_record/migration.rb
#   - https://github.com/airflow-helm/charts/pull/529
package walguard.lib.sessions

import data.walguard.lib.client
import data.walguard.lib.get
import data.walguard.lib.image
import data.walguard.lib.k8s
import data.walguard.lib.placeholder
import data.walguard.lib.workloads

# METADATA
# description: |
#   What is wrong in the workloads of the namespace that ask for poolers, [{"reason", "cure", "path", "resource"}] as "prepared" of walguard.model. `poolers`: those with pool_mode transaction or statement,
#   [{"names": of their Services, "mode", "path", "resource", "follow"?: what lets it follow prepared statements, where it does not}].
lost(poolers) := array.concat(forgotten(poolers), of_a_session(poolers))

of_a_session(poolers) := [{
	"reason": sprintf("%s %s, and pool_mode %s gives it another: %s", [one.made.words, need.reason, pooler.mode, need.outcome]),
	"cure": sprintf("Ask the server itself%s", [alternative(need)]),
	"path": pooler.path,
	"resource": pooler.resource,
} |
	count(poolers) > 0
	some one in workloads.calling
	some need in needs(one)
	count([1 | some name in client.names(one.container); regex.match(need.unless, name)]) == 0
	some pooler in poolers
	asks(one.container, pooler.names)
]

alternative(need) := sprintf(", or %s", [need.cure]) if need.cure

alternative(need) := "" if not need.cure

needs(one) := array.concat(
	[need | one.list == "containers"; need := client.program_of(one.container)[1].session],
	[object.union({"reason": sprintf("migrates with %s, which locks for its session (pg_advisory_lock)", [tool.title]), "outcome": "the lock stays in the pool, and the next one waits"}, object.filter(tool, ["cure", "unless"])) |
		some tool in tools
		runs(tool, one.container)
	],
)

# By what the command says, or by the image. A variable with the address of the server itself is another way there.
tools := [
	{"title": "Prisma", "words": `\bprisma\s+migrate\s+(deploy|dev|resolve)\b`, "unless": `DIRECT|PRISMA_SCHEMA_DISABLE_ADVISORY_LOCK`, "cure": "set PRISMA_SCHEMA_DISABLE_ADVISORY_LOCK to 1"},
	{"title": "Rails", "words": `\b(rails|rake)\s+db:(migrate|prepare)\b`, "unless": `DIRECT|MIGRAT|ADVISORY`, "cure": "set advisory_locks: false in its database.yml"},
	{"title": "Airflow", "words": `\bairflow\s+db\s+(migrate|upgrade)\b`, "unless": `DIRECT`},
	{"title": "Flyway", "images": {"docker.io/flyway/flyway", "docker.io/redgate/flyway"}, "tags": `^([1-8]\.|9\.[01]\.[01](-|$)|9\.0\.)`, "unless": `^FLYWAY_POSTGRESQL_TRANSACTIONAL_LOCK$`, "cure": "take 9.2 or newer"},
	{"title": "golang-migrate", "images": {"docker.io/migrate/migrate"}, "tags": ``, "unless": `^$`},
]

runs(tool, container) if regex.match(tool.words, said_by(container))

runs(tool, container) if {
	image.repository(get.string(container, "image")) in tool.images
	regex.match(tool.tags, image.tag(get.string(container, "image")))
}

said_by(container) := concat(" ", [word | some field in ["command", "args"]; some word in get.list(container, field); is_string(word)])

asks(container, names) if {
	some said in array.concat(client.texts(container), client.words(container))
	regex.match(`HOST|URI|URL|CONN|DSN|argument|command`, said.name)
	not placeholder.holds(host_in(said.text))
	leads(names, host_in(said.text))
}

host_in(text) := regex.replace(regex.replace(text, `^(jdbc:)?[a-z0-9+]+://([^@/]*@)?`, ""), `[:/?].*$`, "")

# METADATA
# description: True of a host that is one of these Services of the namespace.
leads(names, host) if {
	parts := split(host, ".")
	parts[0] in names
	array.concat(parts, [k8s.namespace])[1] == k8s.namespace
}

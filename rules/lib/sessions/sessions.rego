# METADATA
# description: |
#   What programs do that needs a session of their own, behind a pooler that gives each transaction another one: those of walguard.lib.client that say so, and migrations, whose tools take a lock of the session
#   (pg_advisory_lock) so that one of them runs at a time: by a command, or by the entrypoint of an image that is known to migrate as it starts. What a framework does unless its settings say otherwise, which
#   nobody sees here, is info: the migrations of Rails, and the cursors of Django.
# related_resources:
#   - https://www.pgbouncer.org/features.html
#   - https://www.pgbouncer.org/config.html#max_prepared_statements
#   - https://www.prisma.io/docs/orm/prisma-migrate/workflows/development-and-production#advisory-locking
#   - https://github.com/flyway/flyway/issues/2895
#   - https://github.com/golang-migrate/migrate/issues/1001
#   - https://github.com/rails/rails/blob/main/activerecord/lib/active_record/migration.rb
#   - https://github.com/airflow-helm/charts/pull/529
#   - https://docs.djangoproject.com/en/stable/ref/databases/#transaction-pooling-server-side-cursors
#   - https://github.com/we-promise/sure/blob/main/bin/docker-entrypoint
#   - https://github.com/langfuse/langfuse/blob/main/web/entrypoint.sh
#   - https://github.com/documenso/documenso/blob/main/docker/start.sh
#   - https://github.com/ghostfolio/ghostfolio/blob/main/docker/entrypoint.sh
#   - https://github.com/umami-software/umami/blob/master/scripts/check-db.js
#   - https://github.com/calcom/cal.com/blob/main/scripts/start.sh
#   - https://github.com/linkwarden/linkwarden/blob/main/Dockerfile
#   - https://github.com/diced/zipline/blob/trunk/src/lib/db/migration/index.ts
#   - https://github.com/vectorize-io/hindsight/pull/726
#   - https://github.com/netbox-community/netbox-docker/blob/release/configuration/configuration.py
package walguard.lib.sessions

import data.walguard.lib.client
import data.walguard.lib.files
import data.walguard.lib.get
import data.walguard.lib.image
import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.lib.login
import data.walguard.lib.placeholder
import data.walguard.lib.workloads

# METADATA
# description: |
#   What is wrong in the workloads of the namespace that ask for poolers, [{"reason", "cure", "path", "resource"}] as "prepared" of walguard.model. `poolers`: those with pool_mode transaction or statement,
#   [{"names": of their Services, "mode", "path", "resource", "follow"?: what lets it follow prepared statements, where it does not; "forgets"?: true
#   where it does not, and the caller says so itself; "resets"?: true where it gives back the locks of a session behind each transaction}].
lost(poolers) := array.concat(forgotten(poolers), of_a_session(poolers))

of_a_session(poolers) := [object.union(
	{
		"reason": sprintf("%s %s, and pool_mode %s gives it another: %s", [one.made.words, need.reason, pooler.mode, need.outcome]),
		"cure": sprintf("Ask the server itself%s", [alternative(need)]),
		"path": pooler.path,
		"resource": pooler.resource,
	},
	object.filter(need, ["level"]),
) |
	count(poolers) > 0
	some one in workloads.calling
	some need in needs(one)
	count([1 | some name in client.names(one.container); regex.match(need.unless, name)]) == 0
	some pooler in poolers
	asks(one.container, pooler.names)

	# What is said of its statements is enough.
	not told_already(need, pooler)
	not given_back(need, pooler)
]

told_already(need, pooler) if {
	need.prepares
	count({"follow", "forgets"} & object.keys(pooler)) > 0
}

# A pooler that gives back every lock behind each transaction leaves none to wait for.
given_back(need, pooler) if {
	pooler.resets
	contains(need.reason, "pg_advisory_lock")
}

alternative(need) := sprintf(", or %s", [need.cure]) if need.cure

alternative(need) := "" if not need.cure

needs(one) := array.concat(
	array.concat(
		[need | one.list == "containers"; need := client.program_of(one.container)[1].session],
		[need | one.list == "containers"; need := of_its_start(one.container)],
	),
	[object.union({"reason": sprintf("migrates with %s, which locks for its session (pg_advisory_lock)", [tool.title]), "outcome": "the lock stays in the pool, and the next one waits"}, object.filter(tool, ["cure", "unless"])) |
		some tool in tools
		runs(tool, one)
	],
)

# What an image does as it starts, and what a framework does unless its settings say otherwise.
of_its_start(container) := object.union({"reason": "locks for its session as it migrates at its start (pg_advisory_lock)", "outcome": "the lock stays in the pool, and the next pod waits"}, row) if {
	some row in starting
	client.last_parts(container) in row.images
} else := {
	"reason": "runs Rails, whose migrations lock for a session (pg_advisory_lock)",
	"outcome": "db:prepare at its start may fail",
	"unless": `DIRECT|MIGRAT|ADVISORY|PREPARED`,
	"cure": "set advisory_locks: false in its database.yml",
	"level": "info",
	"prepares": true,
} if {
	count(client.names(container) & of_rails) > 0

	# How a program that is known migrates is known too.
	not client.program_of(container)
	not regex.match(`\bdb:|sidekiq|good_job|resque|solid_queue|que\b|delayed|clockwork|console`, said_by(container))
} else := {
	"reason": "runs Django, whose cursors on the server need a session",
	"outcome": "\"cursor does not exist\" now and then",
	"unless": `CURSOR|BOUNCER`,
	"cure": "set DISABLE_SERVER_SIDE_CURSORS to True in its settings",
	"level": "info",
} if {
	"DJANGO_SETTINGS_MODULE" in client.names(container)
}

# Rails closes what it has prepared by name (DEALLOCATE "a1"), which PgBouncer passes on as it is, under a name that the server does not know.
starting := [
	{
		"images": {"calcom/cal.com", "documenso/documenso", "ghostfolio/ghostfolio", "langfuse/langfuse", "linkwarden/linkwarden", "lukevella/rallly", "umami-software/umami"},
		"unless": `DIRECT|PRISMA_SCHEMA_DISABLE_ADVISORY_LOCK|SKIP_DB`,
		"cure": "set PRISMA_SCHEMA_DISABLE_ADVISORY_LOCK to 1",
	},
	{"images": {"diced/zipline"}, "unless": `DIRECT|PRISMA_SCHEMA_DISABLE_ADVISORY_LOCK`},
	{"images": {"vectorize-io/hindsight", "vectorize-io/hindsight-api"}, "unless": `MIGRATION_DATABASE_URL`, "cure": "set HINDSIGHT_API_MIGRATION_DATABASE_URL to it"},
	{
		"images": {"maybe-finance/maybe", "we-promise/sure"},
		"reason": "migrates at its start with Rails, which locks and closes statements by name in its session",
		"outcome": "with a release that migrates it does not start (\"prepared statement \"a1\" does not exist\")",
		"unless": `DIRECT|MIGRAT|ADVISORY`,
	},
	{
		"images": {"netboxcommunity/netbox"},
		"reason": "runs Django, whose cursors on the server need a session",
		"outcome": "\"cursor does not exist\" now and then",
		"unless": `^DB_DISABLE_SERVER_SIDE_CURSORS$`,
		"cure": "set DB_DISABLE_SERVER_SIDE_CURSORS to true",
	},
]

# By what the command says, or by the image. A variable with the address of the server itself is another way there.
tools := [
	{"title": "Prisma", "words": `\bprisma\s+migrate\s+(deploy|dev|resolve)\b`, "unless": `DIRECT|PRISMA_SCHEMA_DISABLE_ADVISORY_LOCK`, "cure": "set PRISMA_SCHEMA_DISABLE_ADVISORY_LOCK to 1"},
	{"title": "Rails", "words": `\b(rails|rake)\s+db:(migrate|prepare)\b`, "unless": `DIRECT|MIGRAT|ADVISORY`, "cure": "set advisory_locks: false in its database.yml"},
	{"title": "Airflow", "words": `\bairflow\s+db\s+(migrate|upgrade)\b`, "files": `\bupgradedb\b|\bairflow\s+db\s+(migrate|upgrade)\b`, "unless": `DIRECT`},
	{"title": "Flyway", "images": {"docker.io/flyway/flyway", "docker.io/redgate/flyway"}, "tags": `^([1-8]\.|9\.[01]\.[01](-|$)|9\.0\.)`, "unless": `^FLYWAY_POSTGRESQL_TRANSACTIONAL_LOCK$`, "cure": "take 9.2 or newer"},
	{"title": "golang-migrate", "images": {"docker.io/migrate/migrate"}, "tags": ``, "unless": `^$`},
]

runs(tool, one) if regex.match(tool.words, said_by(one.container))

runs(tool, one) if {
	image.repository(get.string(one.container, "image")) in tool.images
	regex.match(tool.tags, image.tag(get.string(one.container, "image")))
}

# A script of a ConfigMap that its command runs.
runs(tool, one) if {
	not regex.match(tool.words, said_by(one.container))
	some file in files.mounted(one.container, get.list(one.made.pod, "volumes"))
	contains(said_by(one.container), file.file)
	regex.match(tool.files, file.text)
}

said_by(container) := concat(" ", [word | some field in ["command", "args"]; some word in get.list(container, field); is_string(word)])

asks(container, names) if {
	some said in array.concat(client.texts(container), client.words(container))
	regex.match(`HOST|SERVER|ADDR|URI|URL|CONN|DSN|argument|command`, said.name)
	not placeholder.holds(host_in(said.text))
	leads(names, host_in(said.text))
}

asks(container, names) if {
	some said in client.texts(container)
	some match in regex.find_all_string_submatch_n(`(?i)^(?:.*;)?\s*(?:Host|Server)\s*=\s*([A-Za-z0-9.-]+)\s*;`, said.text, 1)
	leads(names, match[1])
}

# Whatever the password in an address is.
asks(container, names) if {
	some variable in get.list(container, "env")
	reference := get.map(variable, ["valueFrom", "secretKeyRef"])
	secret := inventory.namespaced_object(k8s.namespace, "v1", "Secret", get.string(reference, "name"))
	not login.field(secret, get.string(reference, "key"))
	address := login.bare(login.raw(secret, get.string(reference, "key")))
	contains(address, "://")
	not placeholder.holds(host_in(address))
	leads(names, host_in(address))
}

host_in(text) := regex.replace(regex.replace(text, `^(jdbc:|r2dbc:(pool:)?)?[a-z0-9+]+://([^@/]*@)?`, ""), `[:/?].*$`, "")

# METADATA
# description: True of a host that is one of these Services of the namespace.
leads(names, host) if {
	parts := split(host, ".")
	parts[0] in names
	array.concat(parts, [k8s.namespace])[1] == k8s.namespace
}

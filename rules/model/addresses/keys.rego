package walguard.model.addresses

import data.walguard.lib.client
import data.walguard.lib.get
import data.walguard.lib.image
import data.walguard.lib.mount
import data.walguard.lib.workloads

# METADATA
# description: |
#   Private keys of clients that lie in a Secret's volume with a mode that libpq (fe-secure-openssl.c) and lib/pq (ssl_permissions.go) refuse, for its files belong to root: {"client", "reason", "cure", "certain": whether
#   the client is known to ask by one of these, "path", "resource"}. pgx, JDBC, asyncpg and node-postgres look at no mode; what names a driver of such is left out.
open_keys := [{
	"client": one.made.words,
	"reason": sprintf("%s comes from Secret %s with mode 0%s, and libpq and lib/pq refuse what others may read or the group may write", [file, get.string(volume, ["secret", "secretName"]), octal(mode)]),
	"cure": "Set defaultMode: 0640 on the volume and an fsGroup, or copy the key with mode 0600",
	"certain": asks_by_libpq(one.container, said_there.text),
	"path": array.concat(one.made.path, ["volumes", v]),
	"resource": one.made.resource,
} |
	count(hosts) > 0
	some one in workloads.containers
	some said_there in array.concat(client.texts(one.container), client.words(one.container))
	not regex.match(`^jdbc:|^postgres(ql)?\+(asyncpg|pg8000|aiopg)`, said_there.text)
	some file in key_in(said_there)
	called_in(said_there.text, one.container)
	directory := [found | some found in directories_above(file, one.container)][0]
	some v, volume in get.list(one.made.pod, "volumes")
	get.string(volume, "name") == directory.name
	mode := mount.secret_mode(object.get(volume, "secret", null), directory.path, file)
	refused_by_libpq(mode)
]

key_in(said_there) := {mount.clean(match[1]) | some match in regex.find_all_string_submatch_n(`\bsslkey=(/[^\s&'"$]+)`, said_there.text, 1)} if said_there.name != "PGSSLKEY"

key_in(said_there) := {mount.clean(said_there.text) | regex.match(`^/[^\s$]+$`, said_there.text)} if said_there.name == "PGSSLKEY"

directories_above(file, container) := [{"name": get.string(mounted, "name"), "path": directory} |
	some mounted in get.list(container, "volumeMounts")
	not get.present(mounted, "subPath")
	directory := mount.clean(get.string(mounted, "mountPath"))
	startswith(file, concat("", [directory, "/"]))
]

refused_by_libpq(mode) if mode % 8 > 0

refused_by_libpq(mode) if not floor((mode % 64) / 8) in {0, 4}

octal(mode) := sprintf("%d%d%d", [floor(mode / 64) % 8, floor(mode / 8) % 8, mode % 8])

asks_by_libpq(container, text) := {true: true, false: false}[count([1 |
	some pattern in [
		[`(^|[\s/;&|(])(psql|pg_dump|pg_dumpall|pg_isready|pg_restore|pg_basebackup)(\s|$)`, concat(" ", [word.text | some word in client.words(container)])],
		[`^postgres(ql)?\+psycopg`, text],
		[`(^|/)(alpine/psql|bitnami(legacy|secure)?/postgresql|goharbor/harbor-(core|jobservice)|hasura/graphql-engine|library/(odoo|postgres)|postgis/postgis|postgrest/postgrest|postgres(ql)?[-_]exporter|pgbackrest|barman)$`, image.repository(get.string(container, "image"))],
	]
	regex.match(pattern[0], pattern[1])
]) > 0]

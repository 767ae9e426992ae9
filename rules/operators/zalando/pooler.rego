package walguard.operators.zalando

import data.walguard.lib.cluster as shared
import data.walguard.lib.fact
import data.walguard.lib.get
import data.walguard.lib.k8s
import data.walguard.lib.sessions

# ---------------------------------------------------------------------------------------------------------- pooler

# The operator deploys one when it is asked to, or when its section is there.
pooled if get.boolean(spec, "enableConnectionPooler")

pooled if {
	not get.present(spec, "enableConnectionPooler")
	is_object(object.get(spec, "connectionPooler", null))
}

# maxDBConnections is shared out among the pooler's instances.
pooler := object.union_n([
	fact.written(true, pooler_path),
	{"connections": n | n := shared.whole(object.get(spec, ["connectionPooler", "maxDBConnections"], null))},
]) if {
	pooled
}

pooler := fact.operator(false, ["spec"]) if not pooled

# poolerUser (pkg/cluster/connection_pooler.go) takes the user of its configuration for these, while generateConnectionPoolerPodTemplate and the look-up function go by what is written.
facts contains {"pooler_faults": pooler_faults} if count(pooler_faults) > 0

pooler_faults := [{
	"path": ["spec", "connectionPooler", "user"],
	"reason": sprintf("The operator does not take %s, %s, for the pooler's user and creates its own, and PgBouncer logs in as %s all the same: %s", [user, what, user, consequence]),
	"cure": "Write a user of its own, such as pooler, or leave the field out",
} |
	running_pooler
	user := get.string(spec, ["connectionPooler", "user"])
	some [name, what, consequence] in reserved_users
	user == name
]

running_pooler if pooled

running_pooler if get.boolean(spec, "enableReplicaConnectionPooler")

reserved_users := array.concat(
	[[superuser, "the superuser", "with all its rights, and with a password that is not kept in step"]],
	[[name, "a protected role", "without a Secret of that name its pods do not start"] |
		some name in object.get(configuration_or_none, ["teams_api", "protected_role_names"], ["admin", "cron_admin"])
		object.get(spec, ["users", name], null) == null
	],
)

# client_tls_sslmode is require in the image of the operator's pooler; one of one's own may say otherwise.
facts contains {"tls_only_poolers": [{"hosts": pooler_services, "rule": "client_tls_sslmode = require"}]} if {
	recognised
	count(pooler_services) > 0
	not get.present(spec, ["connectionPooler", "dockerImage"])
	every path in [["connection_pooler", "connection_pooler_image"], ["connection_pooler_image"]] {
		regex.match(`(^|/)(postgres-operator|acid)/pgbouncer(:|$)`, object.get(configuration_or_none, path, "acid/pgbouncer"))
	}
}

pooler_services := array.concat([sprintf("%s-pooler", [k8s.name]) | pooled], [sprintf("%s-pooler-repl", [k8s.name]) | get.boolean(spec, "enableReplicaConnectionPooler")])

superuser := object.get(configuration_or_none, ["users", "super_username"], "postgres")

pooler_path := ["spec", "connectionPooler"] if is_object(object.get(spec, "connectionPooler", null))

pooler_path := ["spec", "enableConnectionPooler"] if not is_object(object.get(spec, "connectionPooler", null))

# What its clients do that needs a session of their own; see walguard.model. The mode is transaction unless something says otherwise.
facts contains {"prepared": lost_sessions} if count(lost_sessions) > 0

lost_sessions := sessions.lost([object.union(
	{"names": {sprintf("%s-pooler", [k8s.name])}, "mode": mode, "path": array.concat(pooler_path, [field | some field in ["mode"]; get.present(spec, ["connectionPooler", field])]), "resource": k8s.reference(k8s.object)},
	{"follow": "Take an image with PgBouncer 1.24 or newer" | regex.match(`/pgbouncer:master-([1-9]|[12][0-9]|30)(-|$)`, pooler_image)},
) |
	pooled
	mode := object.get(spec, ["connectionPooler", "mode"], object.get(configuration_or_none, ["connection_pooler", "connection_pooler_mode"], object.get(configuration_or_none, "connection_pooler_mode", "transaction")))
	mode in {"transaction", "statement"}
])

# master-30 has PgBouncer 1.20 (zalando/postgres-operator, issue 2516), which follows no prepared statements.
pooler_image := object.get(spec, ["connectionPooler", "dockerImage"], object.get(configuration_or_none, ["connection_pooler", "connection_pooler_image"], object.get(configuration_or_none, "connection_pooler_image", "")))

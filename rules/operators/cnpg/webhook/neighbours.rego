package walguard.operators.cnpg.webhook

import data.walguard.lib.get
import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.lib.placeholder
import data.walguard.operators.cnpg
import data.walguard.operators.cnpg.plan

# internal/webhook/v1/pooler_webhook.go, validatePgbouncerGenericParameters
found contains {
	"path": ["spec", "pgbouncer", "parameters", name],
	"resource": k8s.reference(pooler),
	"reason": sprintf("%s is not among the parameters of PgBouncer that a Pooler takes", [name]),
	"cure": cure_of_pooler(name),
} if {
	some pooler in own_poolers
	some name, _ in get.map(pooler, ["spec", "pgbouncer", "parameters"])
	not placeholder.unknown(name)
	not name in pooler_parameters
}

cure_of_pooler("pool_mode") := "Write spec.pgbouncer.poolMode"

cure_of_pooler(name) := "Take it out: the operator writes it" if name != "pool_mode"

# validateCluster
found contains {
	"path": ["metadata", "name"],
	"resource": k8s.reference(pooler),
	"reason": "the Pooler has the name of its cluster",
	"cure": "Give it another one",
} if {
	some pooler in own_poolers
	get.string(pooler, ["metadata", "name"]) == k8s.name
	not placeholder.unknown(k8s.name)
}

# validatePgBouncer
found contains {
	"path": ["spec", "pgbouncer", given],
	"resource": k8s.reference(pooler),
	"reason": sprintf("the Pooler has %s and no %s", [given, missing]),
	"cure": "Write both, or leave both out",
} if {
	some pooler in own_poolers
	some given, missing in {"authQuery": "authQuerySecret", "authQuerySecret": "authQuery"}
	get.present(pooler, ["spec", "pgbouncer", given])
	not get.present(pooler, ["spec", "pgbouncer", missing])
	not get.present(pooler, ["spec", "pgbouncer", "serverTLSSecret"])
}

# api/v1/database_types.go
found contains {
	"path": ["spec", "name"],
	"resource": k8s.reference(database),
	"reason": sprintf("%s is PostgreSQL's own database, and a Database cannot be called so", [name]),
	"cure": "Take another name",
} if {
	some database in own_databases
	name := get.string(database, ["spec", "name"])
	name in {"postgres", "template0", "template1"}
}

# api/v1/databaserole_types.go (x-kubernetes-validations)
found contains object.union({"path": array.concat(["spec"], fault[0]), "resource": k8s.reference(role)}, {"reason": fault[1], "cure": fault[2]}) if {
	some role in own_roles
	some fault in role_faults(role.spec)
}

role_faults(fields) := array.concat(
	array.concat(
		[[["name"], sprintf("role %s is the operator's or PostgreSQL's own", [fields.name]), cure_of_role(fields.name)] |
			regex.match(reserved_roles, get.string(fields, "name"))
		],
		[[["ensure"], "a DatabaseRole has no ensure: absent", "Delete it with databaseRoleReclaimPolicy: delete instead"] |
			get.string(fields, "ensure") == "absent"
		],
	),
	array.concat(
		[[["disablePassword"], sprintf("role %s has disablePassword and a passwordSecret", [object.get(fields, "name", "")]), "Leave one of them"] |
			get.boolean(fields, "disablePassword")
			get.present(fields, "passwordSecret")
		],
		[[["clientCertificate"], sprintf("role %s has a clientCertificate and no login: true", [object.get(fields, "name", "")]), "Set login: true, or take it out"] |
			get.present(fields, "clientCertificate")
			object.get(fields, ["clientCertificate", "enabled"], true) == true
			object.get(fields, "login", false) == false
		],
	),
)

# databaserole_controller.go: "database role is already managed by the CNPG cluster"; ensureManagedResourceExclusivity.
found contains {
	"path": ["spec", "name"],
	"resource": k8s.reference(role),
	"reason": sprintf("role %s is managed by %s of this cluster too, and the DatabaseRole is never applied", [name, other]),
	"cure": "Leave one of the two",
} if {
	some role in own_roles
	name := get.string(role, ["spec", "name"])
	not placeholder.holds(name)
	others := array.concat(
		["spec.managed.roles" | some one in managed_roles; get.string(one, "name") == name],
		[sprintf("DatabaseRole %s", [object.get(one, ["metadata", "name"], "")]) |
			some one in own_roles
			get.string(one, ["spec", "name"]) == name
			get.string(one, ["metadata", "name"]) < get.string(role, ["metadata", "name"])
		],
	)
	other := others[0]
}

own_roles := [role |
	cnpg.operator
	some role in inventory.list(k8s.namespace, k8s.api_version, "DatabaseRole")
	get.string(role, ["spec", "cluster", "name"]) == k8s.name
]

# What the definitions require (config/crd/bases). A patch has fewer of the fields.
found contains {
	"by": "The API server",
	"path": ["spec"],
	"resource": k8s.reference(one),
	"reason": sprintf("%s %s has no %s, which its schema requires", [kind, get.string(one, ["metadata", "name"]), lacking[0]]),
	"cure": sprintf("Write %s", [lacking[0]]),
} if {
	placeholder.honoured
	cnpg.operator
	some kind, needed in required
	some one in inventory.list(k8s.namespace, k8s.api_version, kind)
	get.string(one, ["spec", "cluster", "name"]) == k8s.name
	lacking := [field | some field in needed; object.get(one, ["spec", field], null) == null]
	count(lacking) == 1
	count([1 | some field, _ in one.spec; placeholder.holds(field)]) == 0
}

required := {
	"Database": ["name", "owner"],
	"DatabaseRole": ["name"],
	"Pooler": ["pgbouncer"],
	"Publication": ["dbname", "name", "target"],
	"Subscription": ["dbname", "externalClusterName", "name", "publicationName"],
}

# ensureManagedResourceExclusivity (api/v1/generic_funcs.go): the one that comes second is never applied.
found contains {
	"path": ["spec", "name"],
	"resource": k8s.reference(database),
	"reason": sprintf("Database %s is for %s of this cluster too", [get.string(other, ["metadata", "name"]), name]),
	"cure": "Leave one of the two",
} if {
	some database in own_databases
	name := get.string(database, ["spec", "name"])
	not placeholder.unknown(name)
	others := [one |
		some one in own_databases
		get.string(one, ["spec", "name"]) == name
		get.string(one, ["metadata", "name"]) < get.string(database, ["metadata", "name"])
	]
	count(others) > 0
	other := others[0]
}

# internal/controller/backup_controller.go: such a Backup ends in the phase failed. One that has run says so itself, and of a live cluster only a part of it is known.
found contains {
	"path": ["spec", "method"],
	"refused": "to take this backup",
	"resource": k8s.reference(backup),
	"reason": sprintf("Backup %s is of the method %s, which the cluster does not configure", [get.string(backup, ["metadata", "name"]), method]),
	"cure": cure_of_method(method),
} if {
	cnpg.operator
	not inventory.served
	some backup in inventory.list(k8s.namespace, k8s.api_version, "Backup")
	get.string(backup, ["spec", "cluster", "name"]) == k8s.name
	not get.present(backup, "status")
	method := object.get(backup, ["spec", "method"], "barmanObjectStore")
	not plan.configured(method, backup)
}

cure_of_method("plugin") := "Name the plugin in spec.plugins of the Cluster, or take another method"

cure_of_method(method) := "Write method: plugin with pluginConfiguration.name" if {
	method != "plugin"
	count(get.list(cnpg.spec, "plugins")) > 0
}

cure_of_method(method) := "Configure it in spec.backup of the Cluster, or take another method" if {
	method != "plugin"
	count(get.list(cnpg.spec, "plugins")) == 0
}

# GetRecoverySourcePlugin (api/v1/cluster_funcs.go): a plugin restores for a source alone; a Backup is read for the credentials of the store in spec.backup.
found contains {
	"path": ["spec", "bootstrap", "recovery", "backup"],
	"reason": sprintf("Backup %s was made by a plugin, and none restores by reference to a Backup (\"missing Azure credentials\")", [name]),
	"cure": "Describe the store in externalClusters[].plugin and name that in recovery.source, with backupID and targetImmediate in recoveryTarget for this one",
} if {
	cnpg.operator
	recovery := get.map(cnpg.spec, ["bootstrap", "recovery"])
	not get.present(recovery, "source")
	name := get.string(recovery, ["backup", "name"])
	not placeholder.unknown(name)
	backup := inventory.namespaced_object(k8s.namespace, k8s.api_version, "Backup", name)
	get.string(backup, ["spec", "method"]) == "plugin"
}

own_databases := [database |
	cnpg.operator
	some database in inventory.list(k8s.namespace, k8s.api_version, "Database")
	get.string(database, ["spec", "cluster", "name"]) == k8s.name
]

own_poolers := cnpg.own_poolers if cnpg.operator

# AllowedPgbouncerGenericConfigurationParameters, with those that former releases took.
pooler_parameters := {
	"application_name_add_host", "auth_type", "auth_user", "autodb_idle_timeout", "cancel_wait_timeout", "client_idle_timeout", "client_login_timeout", "client_tls13_ciphers",
	"client_tls_ciphers", "client_tls_sslmode", "default_pool_size", "disable_pqexec", "dns_max_ttl", "dns_nxdomain_ttl", "idle_transaction_timeout",
	"ignore_startup_parameters", "listen_backlog", "log_connections", "log_disconnections", "log_pooler_errors", "log_stats", "max_client_conn", "max_db_connections",
	"max_packet_size", "max_prepared_statements", "max_user_connections", "min_pool_size", "pkt_buf", "query_timeout", "query_wait_timeout", "reserve_pool_size",
	"reserve_pool_timeout", "sbuf_loopcnt", "server_check_delay", "server_check_query", "server_connect_timeout", "server_fast_close", "server_idle_timeout",
	"server_lifetime", "server_login_retry", "server_reset_query", "server_reset_query_always", "server_round_robin", "server_tls13_ciphers", "server_tls_ciphers",
	"server_tls_protocols", "server_tls_sslmode", "stats_period", "suspend_timeout", "tcp_defer_accept", "tcp_keepalive", "tcp_keepcnt", "tcp_keepidle", "tcp_keepintvl",
	"tcp_socket_buffer", "tcp_user_timeout", "track_extra_parameters", "verbose",
}

package walguard.operators.stackgres

import data.walguard.lib.get
import data.walguard.lib.k8s
import data.walguard.lib.placeholder

# More of what the webhooks refuse: constraints of StackGresClusterAutoscaling, StackGresScriptEntry and StackGresProfileSpec, and PgBouncerBlocklistValidator.
bounds_refused := array.concat(array.concat(autoscaling_refused, statuses_refused), array.concat(containers_refused, pooling_refused))

autoscaling_refused := [{
	"path": ["spec", "autoscaling"],
	"reason": sprintf("autoscaling of the mode %s has no %s", [mode, lacking[0]]),
	"cure": sprintf("Write %s", [lacking[0]]),
} |
	single
	section := get.map(home, ["spec", "autoscaling"])
	mode := get.string(section, "mode")
	lacking := [field | some field in needed_for[mode]; not get.present(section, field)]
	count(lacking) > 0
	count([1 | some key, _ in section; placeholder.holds(key)]) == 0
]

needed_for := {
	"all": ["minInstances", "maxInstances", "minAllowed", "maxAllowed"],
	"horizontal": ["minInstances", "maxInstances"],
	"vertical": ["minAllowed", "maxAllowed"],
}

statuses_refused := [object.union(
	{
		"path": ["spec", "scripts", i, "storeStatusInDatabase"],
		"reason": sprintf("script %d of SGScript %s has storeStatusInDatabase and no wrapInTransaction", [i + 1, holder.object.metadata.name]),
		"cure": "Write wrapInTransaction: read-committed",
	},
	object.filter(holder, ["resource"]),
) |
	reviewed_cluster
	some holder in script_holders
	some i, one in get.list(holder.object, ["spec", "scripts"])
	get.boolean(one, "storeStatusInDatabase")
	not get.present(one, "wrapInTransaction")
	count([1 | some key, _ in one; placeholder.holds(key)]) == 0
]

containers_refused := [{
	"path": ["spec", "containers", "patroni"],
	"resource": k8s.reference(found),
	"reason": sprintf("SGInstanceProfile %s has containers.patroni", [found.metadata.name]),
	"cure": "Write cpu and memory of the profile itself, which are that container's",
} |
	reviewed_cluster
	found := named_by_home("SGInstanceProfile", array.concat(part, ["sgInstanceProfile"]))
	get.present(found, ["spec", "containers", "patroni"])
]

# What stands in the section [pgbouncer] is taken out without a word (PgBouncerPooling).
pooling_refused := [{
	"path": ["spec", "pgBouncer", "pgbouncer.ini", section, entry, option],
	"resource": k8s.reference(found),
	"reason": sprintf("%s is among the options of PgBouncer that an SGPoolingConfig does not take", [option]),
	"cure": "Take it out: the operator writes it",
} |
	found := pooling_config
	some section in ["databases", "users"]
	some entry, options in get.map(found, ["spec", "pgBouncer", "pgbouncer.ini", section])
	is_object(options)
	some option, _ in options
	option in blocked_of_pgbouncer
]

pooling_config := named_by_home("SGPoolingConfig", array.concat(part, ["configurations", "sgPoolingConfig"])) if reviewed_cluster

facts contains {"ignored": unheeded} if count(unheeded) > 0

unheeded := array.concat(unheeded_of_pgbouncer, unheeded_of_patroni)

# getPatroniConfig overwrites these, and keeps of the section postgresql pg_hba alone (PatroniConfigEndpoints.java).
unheeded_of_patroni := [{
	"name": concat(".", below),
	"path": array.concat(dynamic_path, below),
	"reason": sprintf("StackGres writes it itself. %s", [instead]),
	"level": "warning",
} |
	reviewed_cluster
	written := get.map(k8s.object, dynamic_path)
	count(written) > 0
	some [below, instead] in array.concat(
		[[[name], place] | some name, place in places_of_patroni; not object.get(written, name, false) in {false, null}],
		[[["postgresql", name], object.get({"parameters": "Write them into the SGPostgresConfig"}, name, "Take it out")] |
			some name, value in get.map(written, "postgresql")
			not name in {"pg_hba", "use_pg_rewind", "use_slots"}
			not value in [null, {}]
		],
	)
]

dynamic_path := array.concat(part, ["configurations", "patroni", "dynamicConfig"])

places_of_patroni := {
	"standby_cluster": "Set spec.replicateFrom",
	"synchronous_mode": "Set spec.replication.mode",
	"synchronous_mode_strict": "Set spec.replication.mode: strict-sync",
	"synchronous_node_count": "Set spec.replication.syncInstances",
}

unheeded_of_pgbouncer := [{
	"name": option,
	"path": array.concat(pooling_settings.path, [option]),
	"resource": pooling_settings.resource,
	"reason": "StackGres writes this option of PgBouncer itself and leaves out what is written",
	"level": "warning",
} |
	reviewed_cluster
	not get.boolean(home, pooling_off)
	some option in object.keys(pooling_settings.values)
	option in blocked_of_pgbouncer
]

# pgbouncer-blocklist.properties
blocked_of_pgbouncer := {
	"admin_users", "auth_file", "auth_query", "auth_type", "auth_user", "conffile", "dns_max_ttl", "dns_nxdomain_ttl", "dns_zone_check_period", "host", "listen_addr", "listen_port", "logfile", "password", "pidfile",
	"server_round_robin", "server_tls_ca_file", "server_tls_cert_file", "server_tls_ciphers", "server_tls_key_file", "server_tls_protocols", "server_tls_sslmode", "stats_users", "syslog", "syslog_facility",
	"syslog_ident", "unix_socket_dir", "unix_socket_group", "unix_socket_mode",
}

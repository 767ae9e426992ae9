package walguard.lib.pooling

import data.walguard.lib.get
import data.walguard.lib.text as prose

# What Pgpool-II ends at in pgpool.conf (src/config/pool_config_variables.c of 4.7); names that it does not know it passes over.
unreadable("pgpool", file) := [{"reason": sprintf("%s = %s of %s is %s, and Pgpool-II does not start", [line[1], line[2], base(file), wrong[0]]), "cure": wrong[1]} |
	some line in regex.find_all_string_submatch_n(`(?m)^[ \t]*([a-z_]+[0-9]*)[ \t]*=[ \t]*('[^'\n]*'|[^\s#']+)[ \t]*(?:#.*)?$`, file.text, -1)
	wrong := refused_by_pgpool(line[1], trim(line[2], "'"))
] if {
	endswith(file.file, "/pgpool.conf")
}

refused_by_pgpool(name, value) := ["no port from 1024 to 65535", "Write the port that is meant"] if {
	regex.match(`^(backend_port|heartbeat_port|pgpool_port|wd_port)[0-9]+$|^(pcp_)?port$`, name)
	not port(value)
} else := ["no whole number above 0", "Write one"] if {
	name in {"listen_backlog_multiplier", "num_init_children", "wd_heartbeat_deadtime", "wd_heartbeat_keepalive"}
	regex.match(`^-?[0-9]+$`, value)
	to_number(value) < 1
} else := [sprintf("none of %s", [prose.list(sort(words_of_pgpool[name]), "and")]), "Write one of them"] if {
	not get.lower_case(value) in words_of_pgpool[name]
} else := ["neither on nor off", "Write one of them"] if {
	name in switches_of_pgpool
	not regex.match(`(?i)^(o|on|of|off|t|tr|tru|true|f|fa|fal|fals|false|y|ye|yes|n|no|1|0)$`, value)
}

# What is no number at all may be meant otherwise.
port(value) if not regex.match(`^-?[0-9]+$`, value)

port(value) if {
	number := to_number(value)
	number > 1023
	number < 65536
}

words_of_pgpool := {
	"backend_clustering_mode": {"logical_replication", "native_replication", "raw", "slony", "snapshot_isolation", "streaming_replication"},
	"memqcache_method": {"memcached", "shmem"},
	"process_management_mode": {"dynamic", "static"},
	"process_management_strategy": {"aggressive", "gentle", "lazy"},
	"relcache_query_target": {"load_balance_node", "primary"},
	"wd_lifecheck_method": {"external", "heartbeat", "query"},
}

switches_of_pgpool := {
	"allow_clear_text_frontend_auth", "auto_failback", "connection_cache", "detach_false_primary", "enable_pool_hba", "enable_shared_relcache", "fail_over_on_backend_error", "failover_on_backend_error",
	"failover_on_backend_shutdown", "load_balance_mode", "log_connections", "memory_cache_enabled", "replicate_select", "ssl", "statement_level_load_balance", "use_watchdog",
}

# METADATA
# description: |
#   What PgBouncer reads in section [pgbouncer] of its file (src/main.c of 1.25). At a name that it does not know, or a value that it cannot read, it ends with "cannot load config file" when it starts, and keeps
#   what it has when it is told to reload.
# related_resources:
#   - https://www.pgbouncer.org/config.html
#   - https://github.com/pgbouncer/pgbouncer/blob/master/src/main.c
package walguard.lib.pgbouncer

import data.walguard.lib.get
import data.walguard.lib.placeholder
import data.walguard.lib.text
import data.walguard.postgres.similar

# METADATA
# description: 'The settings that it does not read, [{"name", "reason", "cure", "level", "unknown"?: true where it knows no such name, "outcome"?: where it starts all the same}], sentences without the full stop.'
faults(settings) := [object.union(fault, {"name": name}) |
	some name, written in settings

	# Of another name, or behind a line break, more is meant than one setting.
	regex.match(`^[A-Za-z_][A-Za-z0-9_]*$`, name)
	value := trim_space(get.text(written))
	not contains(value, "\n")
	not placeholder.holds(value)
	fault := fault_of(name, value)
]

fault_of(name, _) := {
	"reason": sprintf("PgBouncer has no setting %s, and does not start with it (\"unknown parameter\")", [name]),
	"cure": sprintf("Write %s", [nearest]),
	"level": "error",
	"unknown": true,
} if {
	not known(name)
	nearest := meant(lower(name))
}

# What is named in full or as PostgreSQL names it is not the nearest by its letters.
meant(name) := "max_client_conn" if {
	regex.match(`^max_(client_)?conn(ection)?s?$`, name)
} else := "default_pool_size" if {
	name == "pool_size"
} else := similar.ranked(name, names)[0]

# A release that is newer than the list may have it.
fault_of(name, _) := {
	"reason": sprintf("PgBouncer has no setting %s unless a newer release has it, and does not start with it (\"unknown parameter\")", [name]),
	"cure": "Correct it, or take it out",
	"level": "warning",
	"unknown": true,
} if {
	not known(name)
	not meant(lower(name))
}

fault_of(name, value) := {
	"reason": sprintf("%s=%s is not one of %s, and PgBouncer does not start with it", [name, value, text.list(choices[lower(name)], "and")]),
	"cure": "Write one of them",
	"level": "error",
} if {
	not lower(value) in choices[lower(name)]
}

fault_of(name, value) := {
	"reason": sprintf("%s=%s is not a whole number, and PgBouncer does not start with it", [name, value]),
	"cure": "Write one without a unit",
	"level": "error",
} if {
	lower(name) in numbers
	not regex.match(`^[+-]?(0[xX][0-9a-fA-F]+|[0-9]+)$`, value)
}

fault_of(name, value) := {
	"reason": sprintf("%s=%s is not a number of seconds, and PgBouncer does not start with it", [name, value]),
	"cure": "Write seconds without a unit",
	"level": "error",
} if {
	lower(name) in times
	not regex.match(`^[+-]?[0-9]*\.?[0-9]+([eE][+-]?[0-9]+)?$`, value)
}

# It takes off no quotes (lib/usual/cfparser.c, strlist_contains of src/util.c): a file or an address of that name is not there.
fault_of(name, value) := object.union({"outcome": object.get(lists, lower(name), "it is found nowhere"), "cure": "Take the quotes out"}, {"reason": sprintf("%s=%s has quotes, which PgBouncer takes for a part of the value", [name, value]), "level": {true: "error", false: "warning"}[lower(name) in needed]}) if {
	lower(name) in (object.keys(lists) | named)
	regex.match(`^("[^"]*"|'[^']*')$`, value)
	not value in {`""`, "''"}
}

lists := {
	"admin_users": "the first and the last of them do not come to the console",
	"ignore_startup_parameters": "the first and the last of them are not passed over",
	"stats_users": "the first and the last of them do not come to the console",
	"track_extra_parameters": "the first and the last of them are not followed",
}

# Without these nobody comes in.
needed := {"auth_file", "auth_hba_file", "auth_user", "client_tls_cert_file", "client_tls_key_file", "ignore_startup_parameters", "listen_addr", "server_tls_ca_file"}

named := needed | {"auth_dbname", "auth_ident_file", "client_tls_ca_file", "logfile", "pidfile", "server_tls_cert_file", "server_tls_key_file", "unix_socket_dir"}

# METADATA
# description: 'What is wrong with the TLS of a whole file, as in faults (setup_tls of src/sbuf.c).'
faults_of_tls(settings) := [{
	"name": "client_tls_sslmode",
	"reason": sprintf("client_tls_sslmode=%s wants client_tls_key_file and client_tls_cert_file, and PgBouncer does not start without them (\"TLS setup failed\")", [mode]),
	"cure": "Set both",
	"level": "error",
} |
	mode := trim_space(get.text(settings.client_tls_sslmode))
	mode in {"allow", "prefer", "require", "verify-ca", "verify-full"}
	count({"client_tls_cert_file", "client_tls_key_file"} - object.keys(settings)) > 0
]

# METADATA
# description: True of a setting that it knows.
setting(name) if known(name)

known(name) if lower(name) in names

names := ((texts | numbers) | times) | object.keys(choices)

modes := ["disable", "allow", "prefer", "require", "verify-ca", "verify-full"]

choices := {
	"auth_type": ["any", "trust", "plain", "md5", "cert", "hba", "ldap", "pam", "scram-sha-256"],
	"client_tls_sslmode": modes,
	"pool_mode": ["session", "transaction", "statement"],
	"server_tls_sslmode": modes,
}

texts := {
	"admin_users", "auth_dbname", "auth_file", "auth_hba_file", "auth_ident_file", "auth_ldap_options", "auth_query", "auth_user", "client_tls13_ciphers", "client_tls_ca_file", "client_tls_cert_file",
	"client_tls_ciphers", "client_tls_dheparams", "client_tls_ecdhcurve", "client_tls_key_file", "client_tls_protocols", "conffile", "ignore_startup_parameters", "job_name", "listen_addr", "logfile",
	"login_notify_message", "pidfile", "resolv_conf", "server_check_query", "server_reset_query", "server_tls13_ciphers", "server_tls_ca_file", "server_tls_cert_file", "server_tls_ciphers",
	"server_tls_key_file", "server_tls_protocols", "service_name", "stats_users", "syslog_facility", "syslog_ident", "tcp_defer_accept", "track_extra_parameters", "unix_socket_dir", "unix_socket_group",
	"unix_socket_mode", "user",
}

numbers := {
	"application_name_add_host", "default_pool_size", "disable_pqexec", "listen_backlog", "listen_port", "log_connections", "log_disconnections", "log_pooler_errors", "log_stats", "max_client_conn",
	"max_db_client_connections", "max_db_connections", "max_packet_size", "max_prepared_statements", "max_user_client_connections", "max_user_connections", "min_pool_size", "peer_id", "pkt_buf",
	"query_wait_notify", "reserve_pool_size", "sbuf_loopcnt", "scram_iterations", "server_fast_close", "server_reset_query_always", "server_round_robin", "so_reuseport", "stats_period", "syslog",
	"tcp_keepalive", "tcp_keepcnt", "tcp_keepidle", "tcp_keepintvl", "tcp_socket_buffer", "tcp_user_timeout", "verbose",
}

times := {
	"autodb_idle_timeout", "cancel_wait_timeout", "client_idle_timeout", "client_login_timeout", "dns_max_ttl", "dns_nxdomain_ttl", "dns_zone_check_period", "idle_transaction_timeout", "pool_idle_timeout",
	"query_timeout", "query_wait_timeout", "reserve_pool_timeout", "server_check_delay", "server_connect_timeout", "server_idle_timeout", "server_lifetime", "server_login_retry", "suspend_timeout",
	"transaction_timeout",
}

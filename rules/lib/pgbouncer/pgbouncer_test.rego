package walguard.lib.pgbouncer_test

import data.walguard.lib.pgbouncer

faults(name, value) := [[one.level, one.cure] | some one in pgbouncer.faults({name: value})]

# As config.html has them (1.25).
numbers := [
	"application_name_add_host", "default_pool_size", "disable_pqexec", "listen_backlog", "listen_port", "log_connections", "log_disconnections", "log_pooler_errors", "log_stats",
	"max_client_conn", "max_db_client_connections", "max_db_connections", "max_packet_size", "max_prepared_statements", "max_user_client_connections", "max_user_connections", "min_pool_size",
	"peer_id", "pkt_buf", "query_wait_notify", "reserve_pool_size", "sbuf_loopcnt", "scram_iterations", "server_fast_close", "server_reset_query_always", "server_round_robin", "so_reuseport",
	"stats_period", "syslog", "tcp_keepalive", "tcp_keepcnt", "tcp_keepidle", "tcp_keepintvl", "tcp_socket_buffer", "tcp_user_timeout", "verbose",
]

times := [
	"autodb_idle_timeout", "cancel_wait_timeout", "client_idle_timeout", "client_login_timeout", "dns_max_ttl", "dns_nxdomain_ttl", "dns_zone_check_period", "idle_transaction_timeout",
	"pool_idle_timeout", "query_timeout", "query_wait_timeout", "reserve_pool_timeout", "server_check_delay", "server_connect_timeout", "server_idle_timeout", "server_lifetime",
	"server_login_retry", "suspend_timeout", "transaction_timeout",
]

texts := [
	"admin_users", "auth_dbname", "auth_file", "auth_hba_file", "auth_ident_file", "auth_ldap_options", "auth_query", "auth_user", "client_tls13_ciphers", "client_tls_ca_file",
	"client_tls_cert_file", "client_tls_ciphers", "client_tls_dheparams", "client_tls_ecdhcurve", "client_tls_key_file", "client_tls_protocols", "conffile", "ignore_startup_parameters",
	"job_name", "listen_addr", "logfile", "login_notify_message", "pidfile", "resolv_conf", "server_check_query", "server_reset_query", "server_tls13_ciphers", "server_tls_ca_file",
	"server_tls_cert_file", "server_tls_ciphers", "server_tls_key_file", "server_tls_protocols", "service_name", "stats_users", "syslog_facility", "syslog_ident", "tcp_defer_accept",
	"track_extra_parameters", "unix_socket_dir", "unix_socket_group", "unix_socket_mode", "user",
]

test_every_setting_is_known if {
	every name in numbers {
		every value in ["0", "-1", "+7", "0x1F"] { faults(name, value) == [] }
		every value in ["x", "1.5", "1s", ""] { faults(name, value) == [["error", "Write one without a unit"]] }
	}
	every name in times {
		every value in ["0", "1.5", ".5", "-1", "1e3"] { faults(name, value) == [] }
		every value in ["x", "1s", "1.", ""] { faults(name, value) == [["error", "Write seconds without a unit"]] }
	}
	every name in texts {
		faults(name, "x") == []
		pgbouncer.setting(upper(name))
	}
	every name, wrong in {"auth_type": "scram", "client_tls_sslmode": "on", "pool_mode": "statements", "server_tls_sslmode": "true"} {
		faults(name, wrong) == [["error", "Write one of them"]]
		every right in pgbouncer.choices[name] { faults(name, upper(right)) == [] }
	}
}

test_names_that_are_none if {
	every name, meant in {
		"max_connections": "max_client_conn", "max_conn": "max_client_conn", "max_client_connections": "max_client_conn", "pool_size": "default_pool_size", "pool_mod": "pool_mode", "defaultpool_size": "default_pool_size",
	} {
		faults(name, "1") == [["error", sprintf("Write %s", [meant])]]
		not pgbouncer.setting(name)
	}
	faults("xyzzy_of_nothing", "1") == [["warning", "Correct it, or take it out"]]
	every name in ["a b", "1x", "x-y", ""] { faults(name, "1") == [] }
	faults("xyzzy_of_nothing", "a\nb") == []
}

test_quotes if {
	every name in ["auth_file", "auth_hba_file", "auth_user", "client_tls_cert_file", "client_tls_key_file", "ignore_startup_parameters", "listen_addr", "server_tls_ca_file"] {
		every value in [`"x"`, "'x'"] { faults(name, value) == [["error", "Take the quotes out"]] }
	}
	every name in [
		"auth_dbname", "auth_ident_file", "client_tls_ca_file", "logfile", "pidfile", "server_tls_cert_file", "server_tls_key_file", "unix_socket_dir", "admin_users", "stats_users", "track_extra_parameters",
	] {
		faults(name, `"x"`) == [["warning", "Take the quotes out"]]
		every value in [`""`, "''", `"x`, `x"`, "x"] { faults(name, value) == [] }
	}
	faults("server_check_query", "'x'") == []
	{one.outcome | some one in pgbouncer.faults({"admin_users": "'a'"})} == {"the first and the last of them do not come to the console"}
	{one.outcome | some one in pgbouncer.faults({"auth_file": "'a'"})} == {"it is found nowhere"}
}

test_tls_of_a_whole_file if {
	every mode in ["allow", "prefer", "require", "verify-ca", "verify-full"] {
		count(pgbouncer.faults_of_tls({"client_tls_sslmode": mode})) == 1
		count(pgbouncer.faults_of_tls({"client_tls_sslmode": mode, "client_tls_key_file": "k"})) == 1
		count(pgbouncer.faults_of_tls({"client_tls_sslmode": mode, "client_tls_cert_file": "c"})) == 1
		pgbouncer.faults_of_tls({"client_tls_sslmode": mode, "client_tls_cert_file": "c", "client_tls_key_file": "k"}) == []
	}
	pgbouncer.faults_of_tls({"client_tls_sslmode": "disable"}) == []
	pgbouncer.faults_of_tls({}) == []
}

package walguard.operators.cnpg.webhook_test

import data.walguard.operators.cnpg.webhook

cluster(spec, annotations) := {
	"apiVersion": "postgresql.cnpg.io/v1",
	"kind": "Cluster",
	"metadata": {"name": "orders", "namespace": "shop", "annotations": annotations},
	"spec": object.union({"instances": 1, "imageName": "ghcr.io/cloudnative-pg/postgresql:17.6", "storage": {"size": "10Gi"}}, spec),
}

# Another word may be written there; the default is one that the operator takes.
test_defaults_of_placeholders if {
	reasons({"affinity": {"podAntiAffinityType": "${TYPE:=required}"}}) == set()
	count(reasons({"affinity": {"podAntiAffinityType": "requested"}})) == 1
	reasons({"bootstrap": {"recovery": {"source": "${FROM:=old}"}}, "externalClusters": [{"name": "old", "connectionParameters": {"host": "old"}}]}) == set()
	reasons({"bootstrap": {"recovery": {"source": "old"}}, "externalClusters": [{"name": "${FROM:=old}", "connectionParameters": {"host": "old"}}]}) == set()
}

reasons(spec) := {refusal.reason | some refusal in found} if {
	found := webhook.refusals with input as {"review": {"object": cluster(spec, {})}}
}

among(objects) := [[refusal.reason, refusal.path, refusal.resource.name] | some refusal in found; refusal.resource] if {
	found := webhook.refusals with input as {"review": {"object": cluster({}, {})}, "inventory": {"namespace": {"shop": {"postgresql.cnpg.io/v1": objects}}}}
}

sized(buffers, resources) := {"postgresql": {"parameters": {"shared_buffers": buffers}}, "resources": resources}

test_nothing if reasons({}) == set()

# Memory that is asked for, on both sides of shared_buffers; huge pages hold them too.
test_buffers_beyond_the_request if {
	reasons(sized("1GB", {"requests": {"memory": "1Gi"}})) == set()
	reasons(sized("1025MB", {"requests": {"memory": "1Gi"}, "limits": {"memory": "1Gi"}})) == {"shared_buffers=1025MB is more than the memory request of 1Gi"}
	reasons(sized("1025", {"requests": {"memory": "1Gi"}})) == {"shared_buffers=1025 (in MB to the webhook, which PostgreSQL counts in pages of 8 kB) is more than the memory request of 1Gi"}
	reasons(sized("1025MB", {"requests": {"memory": "0"}})) == set()
	reasons(sized("1025MB", {"limits": {"memory": "1Gi"}})) == set()
	reasons(sized("1GB", {"requests": {"memory": "512Mi", "hugepages-2Mi": "1Gi"}, "limits": {"hugepages-2Mi": "1Gi"}})) == set()
	count(reasons(sized("1025MB", {"requests": {"memory": "512Mi", "hugepages-2Mi": "1Gi"}, "limits": {"memory": "1Gi", "hugepages-2Mi": "1Gi"}}))) == 1

	# memory/request_below_buffers says these.
	reasons(sized("1025MB", {"requests": {"memory": "1Gi"}})) == set()
	reasons(sized("1025MB", {"requests": {"memory": "1Gi"}, "limits": {"memory": "2Gi"}})) == set()
}

test_requests_beyond_limits if {
	every name in ["cpu", "memory"] {
		reasons({"resources": {"requests": {name: "2"}, "limits": {name: "2"}}}) == set()
		reasons({"resources": {"requests": {name: "3"}, "limits": {name: "2"}}}) == {sprintf("the request of %s 3 is more than its limit of 2", [name])}
		reasons({"resources": {"requests": {name: "3"}, "limits": {name: "0"}}}) == set()
	}
	reasons({"resources": {"requests": {"hugepages-2Mi": "2Mi"}, "limits": {"hugepages-2Mi": "4Mi"}}}) == {"the request of hugepages-2Mi 2Mi is not its limit of 4Mi"}
	reasons({"resources": {"requests": {"hugepages-2Mi": "4Mi"}, "limits": {"hugepages-2Mi": "4096Ki"}}}) == set()
	reasons({"resources": {"requests": {"other-2Mi": "2Mi"}, "limits": {"other-2Mi": "4Mi"}}}) == set()
}

parameters(given) := reasons({"postgresql": {"parameters": given}})

# The defaults of the webhook are 80MB and 1GB.
test_sizes_of_wal if {
	every row in [
		[{}, set()],
		[{"min_wal_size": "1023MB"}, set()],
		[{"min_wal_size": "1GB"}, {"min_wal_size=1GB is not less than max_wal_size=1GB"}],
		[{"max_wal_size": "81MB"}, set()],
		[{"max_wal_size": "80MB"}, {"min_wal_size=80MB is not less than max_wal_size=80MB"}],
		[{"min_wal_size": "2GB", "max_wal_size": "2GB"}, {"min_wal_size=2GB is not less than max_wal_size=2GB"}],
		[{"min_wal_size": "2GB", "max_wal_size": "3GB"}, set()],
		[{"min_wal_size": "2GB", "max_wal_size": ""}, set()],
	] {
		parameters(row[0]) == row[1]
	}
	on_volume := {"walStorage": {"size": "2Gi"}, "postgresql": {"parameters": {"min_wal_size": "2GB", "max_wal_size": "4GB"}}}
	reasons(on_volume) == {"min_wal_size=2GB is not less than the WAL volume of 2Gi"}
	reasons(object.union(on_volume, {"walStorage": {"size": "2049Mi"}})) == set()
	reasons(object.union(on_volume, {"walStorage": {"size": "0"}})) == set()
}

test_hints if {
	reasons({"instances": 2, "postgresql": {"parameters": {"wal_log_hints": "off"}}}) == {"wal_log_hints is off with 2 instances"}
	reasons({"instances": 2, "postgresql": {"parameters": {"wal_log_hints": "on"}}}) == set()
	parameters({"wal_log_hints": "off"}) == set()
}

test_oldest_major if {
	reasons({"imageName": "ghcr.io/cloudnative-pg/postgresql:13.9"}) == set()
	reasons({"imageName": "ghcr.io/cloudnative-pg/postgresql:12.9"}) == {"PostgreSQL 12 is older than 13"}
}

test_plugin_without_its_object if {
	plugin := {"name": "barman-cloud.cloudnative-pg.io", "isWALArchiver": true}
	reasons({"plugins": [plugin]}) == {"the barman plugin is not told its ObjectStore (parameters.barmanObjectName)"}
	reasons({"plugins": [object.union(plugin, {"parameters": {"barmanObjectName": "a"}})]}) == set()
}

test_words_of_hibernation if {
	every word, count_ in {"on": 0, "off": 0, "true": 1, "On": 1} {
		found := webhook.refusals with input as {"review": {"object": cluster({}, {"cnpg.io/hibernation": word})}}
		count(found) == count_
	}
}

known := [
	"application_name_add_host", "auth_type", "auth_user", "autodb_idle_timeout", "cancel_wait_timeout", "client_idle_timeout", "client_login_timeout", "client_tls13_ciphers",
	"client_tls_ciphers", "client_tls_sslmode", "default_pool_size", "disable_pqexec", "dns_max_ttl", "dns_nxdomain_ttl", "idle_transaction_timeout",
	"ignore_startup_parameters", "listen_backlog", "log_connections", "log_disconnections", "log_pooler_errors", "log_stats", "max_client_conn", "max_db_connections",
	"max_packet_size", "max_prepared_statements", "max_user_connections", "min_pool_size", "pkt_buf", "query_timeout", "query_wait_timeout", "reserve_pool_size",
	"reserve_pool_timeout", "sbuf_loopcnt", "server_check_delay", "server_check_query", "server_connect_timeout", "server_fast_close", "server_idle_timeout",
	"server_lifetime", "server_login_retry", "server_reset_query", "server_reset_query_always", "server_round_robin", "server_tls13_ciphers", "server_tls_ciphers",
	"server_tls_protocols", "server_tls_sslmode", "stats_period", "suspend_timeout", "tcp_defer_accept", "tcp_keepalive", "tcp_keepcnt", "tcp_keepidle", "tcp_keepintvl",
	"tcp_socket_buffer", "tcp_user_timeout", "track_extra_parameters", "verbose",
]

pooler(name, pgbouncer) := {"Pooler": {name: {"apiVersion": "postgresql.cnpg.io/v1", "kind": "Pooler", "metadata": {"name": name, "namespace": "shop"}, "spec": {"cluster": {"name": "orders"}, "instances": 1, "type": "rw", "pgbouncer": pgbouncer}}}}

test_parameters_of_a_pooler if {
	among(pooler("p", {"parameters": {name: "1" | some name in known}})) == []
	among(pooler("p", {"parameters": {"auth_hba_file": "a"}})) == [["auth_hba_file is not among the parameters of PgBouncer that a Pooler takes", ["spec", "pgbouncer", "parameters", "auth_hba_file"], "p"]]
	among(pooler("orders", {})) == [["the Pooler has the name of its cluster", ["metadata", "name"], "orders"]]
	[one[0] | some one in among(pooler("p", {"authQuery": "SELECT 1"}))] == ["the Pooler has authQuery and no authQuerySecret"]
	[one[0] | some one in among(pooler("p", {"authQuerySecret": {"name": "a"}}))] == ["the Pooler has authQuerySecret and no authQuery"]
	among(pooler("p", {"authQuery": "SELECT 1", "authQuerySecret": {"name": "a"}})) == []
	among(pooler("p", {"authQuery": "SELECT 1", "serverTLSSecret": {"name": "a"}})) == []
}

changed(was, is) := {refusal.reason | some refusal in found} if {
	found := webhook.refusals with input as {"review": {"operation": "UPDATE", "object": cluster(is, {}), "oldObject": cluster(was, {})}}
}

of_major(major) := {"imageName": sprintf("ghcr.io/cloudnative-pg/postgresql:%d.1", [major])}

test_upgrades if {
	changed(of_major(14), of_major(15)) == {"PostgreSQL 14 becomes 15, and its pg_upgrade goes to 16 or a later one"}
	changed(of_major(14), of_major(16)) == set()
	changed(of_major(15), of_major(15)) == set()
	changed(of_major(16), of_major(17)) == set()
	was := object.union(cluster(of_major(17), {}), {"status": {"pgDataImageInfo": {"majorVersion": 17}}})
	every major, number in {16: 1, 17: 0, 18: 0} {
		found := webhook.refusals with input as {"review": {"operation": "UPDATE", "object": cluster(of_major(major), {}), "oldObject": was}}
		count(found) == number
	}
}

test_numbers_that_stay if {
	every field in ["postgresUID", "postgresGID"] {
		changed({}, {field: 26}) == set()
		changed({field: 70}, {field: 70}) == set()
		changed({}, {field: 70}) == {sprintf("%s goes from 26 to 70, and it cannot be changed", [field])}
		changed({field: 70}, {}) == {sprintf("%s goes from 70 to 26, and it cannot be changed", [field])}
	}
	changed({"walStorage": {"size": "1Gi"}}, {}) == {"walStorage is taken away, and a cluster that has a volume for WAL keeps it"}
	changed({}, {"walStorage": {"size": "1Gi"}}) == set()
}

target(fields) := reasons({"bootstrap": {"recovery": {"source": "x", "recoveryTarget": fields}}, "externalClusters": [{"name": "x", "plugin": {"name": "p"}}]})

test_target_times if {
	every moment in ["2026-05-17", "2026-05-17 14:30:00", "2026-05-17 14:30:00.5+02", "2026-05-17 14:30:00Z", "2026-05-17 14:30:00+05:30", "2026-05-17T14:30:00", "2026-05-17T14:30:00.633227Z", "2026-05-17T14:30:00+02:00", "${MOMENT}"] {
		target({"targetTime": moment}) == set()
	}
	every moment in ["2026-05-17 14:30:00 CEST", "2026-05-17 14:30", "2026-05-17T14:30:00+02", "17.05.2026 14:30:00"] {
		target({"targetTime": moment}) == {sprintf("targetTime is \"%s\" (\"The format of TargetTime is invalid\")", [moment])}
	}
}

test_target_transactions if {
	target({"targetXID": "4294967295", "backupID": "b"}) == set()
	target({"targetXID": "4294967296", "backupID": "b"}) == {"targetXID is \"4294967296\", which is not a whole number below 4294967296"}
	target({"targetXID": "x", "backupID": "b"}) == {"targetXID is \"x\", which is not a whole number below 4294967296"}
}

test_snapshots_of_tablespaces if {
	snapshots := {"backup": {"volumeSnapshot": {"tablespaceClassName": {"fast": "csi"}}}}
	reasons(snapshots) == {"volumeSnapshot.tablespaceClassName names fast, which is not among the tablespaces"}
	reasons(object.union(snapshots, {"tablespaces": [{"name": "fast", "storage": {"size": "1Gi"}}]})) == set()
}

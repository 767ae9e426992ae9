package walguard.checks.access.pooler_login_starts_test

import data.walguard.checks.access.pooler_login as check

ini := "[databases]\napp = host=db dbname=app\n[pgbouncer]\nlisten_addr = *\nauth_type = scram-sha-256\nauth_file = /etc/pgbouncer/userlist.txt\n"

said(container, texts) := {[f.severity, f.message] | some f in found} if {
	found := check.findings with input as {
		"review": {"object": {
			"apiVersion": "apps/v1",
			"kind": "Deployment",
			"metadata": {"name": "pool", "namespace": "shop"},
			"spec": {"template": {"metadata": {"labels": {"app": "pool"}}, "spec": {"containers": [object.union({"name": "pool", "volumeMounts": [{"name": "c", "mountPath": "/etc/pgbouncer"}]}, container)], "volumes": [{"name": "c", "configMap": {"name": "c"}}]}}},
		}},
		"inventory": {"namespace": {"shop": {"v1": {"ConfigMap": {"c": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c", "namespace": "shop"}, "data": texts}}}}}},
	}
}

by_ini(container, more) := said(container, {"pgbouncer.ini": concat("", [ini, more]), "userlist.txt": "\"app\" \"x\""})

edoburu := "edoburu/pgbouncer:v1.23.1-p2"

# apache/airflow 33206
test_background if {
	background := {["error", "Deployment pool runs PgBouncer in the background (-d): the container ends at once, and starts again for ever. Leave -d out."]}
	by_ini({"image": "apache/airflow:airflow-pgbouncer-1.21", "command": ["pgbouncer", "-d", "/etc/pgbouncer/pgbouncer.ini"]}, "") == background
	by_ini({"image": edoburu, "command": ["sh", "-c", "exec pgbouncer -qd /etc/pgbouncer/pgbouncer.ini"]}, "") == background
	by_ini({"image": edoburu, "command": ["pgbouncer", "-u", "nobody", "/etc/pgbouncer/pgbouncer.ini"]}, "") == set()
	by_ini({"image": edoburu, "command": ["sh", "-c", "pgbouncer -d /etc/pgbouncer/pgbouncer.ini && tail -f /tmp/log"]}, "") == set()
}

pgpool(container, lines) := said(object.union({"image": "pgpool/pgpool:4.4.3", "volumeMounts": [{"name": "c", "mountPath": "/config"}]}, container), {"pgpool.conf": concat("\n", array.concat(["backend_hostname0 = 'db'"], lines))})

test_pgpool_in_the_background if {
	pgpool({"command": ["pgpool", "-f", "/config/pgpool.conf"]}, []) == {["error", "Deployment pool runs Pgpool-II in the background (without -n): the container ends at once, and starts again for ever. Add -n."]}
	pgpool({"command": ["pgpool", "-n", "-f", "/config/pgpool.conf"]}, []) == set()
	pgpool({"command": ["/opt/start.sh"]}, []) == set()
}

# pgpool/pgpool2_on_k8s 1
test_lines_of_pgpool if {
	pgpool({}, ["backend_port0 = 0"]) == {["error", "backend_port0 = 0 of pgpool.conf is no port from 1024 to 65535, and Pgpool-II does not start. Write the port that is meant."]}
	pgpool({}, ["num_init_children = 0 # none"]) == {["error", "num_init_children = 0 of pgpool.conf is no whole number above 0, and Pgpool-II does not start. Write one."]}
	pgpool({}, ["process_management_mode = automatic"]) == {["error", "process_management_mode = automatic of pgpool.conf is none of dynamic and static, and Pgpool-II does not start. Write one of them."]}
	pgpool({}, ["load_balance_mode = 'active'"]) == {["error", "load_balance_mode = 'active' of pgpool.conf is neither on nor off, and Pgpool-II does not start. Write one of them."]}
	pgpool({}, ["backend_port0 = 5432", "port = 9999", "load_balance_mode = on", "wd_listen_port = 0", "nobody_knows = 1", "num_init_children = 32", "backend_clustering_mode = 'streaming_replication'"]) == set()
	pgpool({}, ["backend_port0 = ${PORT}"]) == set()
}

pooler(container) := said(object.union({"image": "bitnamilegacy/pgpool:4.4.5", "securityContext": {"readOnlyRootFilesystem": true}, "volumeMounts": []}, container), {})

variables := [{"name": name, "value": value} | some name, value in {"PGPOOL_ADMIN_PASSWORD": "a", "PGPOOL_ADMIN_USERNAME": "b", "PGPOOL_BACKEND_NODES": "0:db:5432", "PGPOOL_POSTGRES_PASSWORD": "c", "PGPOOL_SR_CHECK_PASSWORD": "d", "PGPOOL_SR_CHECK_USER": "e"}]

# bitnami/charts 22990
test_read_only_root if {
	pooler({"env": variables}) == {["error", "The root filesystem of the pooler in Deployment pool is read-only, and its image writes the configuration to /opt/bitnami/pgpool/conf: it does not start. Mount an emptyDir at /opt/bitnami/pgpool/conf."]}
	pooler({"env": variables, "securityContext": {"readOnlyRootFilesystem": false}}) == set()
	pooler({"env": variables, "volumeMounts": [{"name": "e", "mountPath": "/opt/bitnami/pgpool/conf"}]}) == set()
	pooler({"env": variables, "volumeMounts": [{"name": "e", "mountPath": "/opt/bitnami/pgpool"}]}) == set()
	pooler({"env": variables, "image": "example.com/pgpool:4.4"}) == set()
}

bitnami := {"image": "bitnamilegacy/pgbouncer:1.23.1", "env": [{"name": "POSTGRESQL_HOST", "value": "db"}, {"name": "POSTGRESQL_PASSWORD", "value": "x"}]}

# bitnami/bitnami-docker-pgbouncer 10
test_file_that_nobody_reads if {
	by_ini(bitnami, "") == {["warning", "This pgbouncer.ini is at /etc/pgbouncer/pgbouncer.ini in Deployment pool, where its image looks for none: PgBouncer runs by what the image's variables say. Mount it at /bitnami/pgbouncer/conf."]}
	by_ini(object.union(bitnami, {"volumeMounts": [{"name": "c", "mountPath": "/bitnami/pgbouncer/conf"}]}), "") == set()
	by_ini(object.union(bitnami, {"command": ["pgbouncer", "/etc/pgbouncer/pgbouncer.ini"]}), "") == set()
	by_ini({"image": edoburu}, "") == set()
}

# zalando/postgres-operator 1029
test_quotes if {
	by_ini({"image": edoburu}, "ignore_startup_parameters = \"extra_float_digits, options\"\n") == {["error", "ignore_startup_parameters=\"extra_float_digits, options\" has quotes, which PgBouncer takes for a part of the value: the first and the last of them are not passed over. Take the quotes out."]}
	by_ini({"image": edoburu}, "stats_users = 'app'\n") == {["warning", "stats_users='app' has quotes, which PgBouncer takes for a part of the value: the first and the last of them do not come to the console. Take the quotes out."]}
	by_ini({"image": "example.com/shop/pgbouncer:1", "command": ["pgbouncer", "/etc/pgbouncer/pgbouncer.ini"]}, "auth_hba_file = \"/etc/pgbouncer/hba\"\n") == {["error", "auth_hba_file=\"/etc/pgbouncer/hba\" has quotes, which PgBouncer takes for a part of the value: it is found nowhere. Take the quotes out."]}
	by_ini({"image": "example.com/shop/pgbouncer:1", "command": ["/start.sh"]}, "auth_hba_file = \"/etc/pgbouncer/hba\"\n") == set()
	by_ini({"image": edoburu}, "server_reset_query = 'DISCARD ALL'\n") == set()
}

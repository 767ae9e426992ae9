package walguard.operators.workload_mistakes_test

import data.walguard.checks.access.client_mismatch
import data.walguard.checks.access.unreachable
import data.walguard.checks.durability.ephemeral_volume
import data.walguard.checks.parameters.ignored
import data.walguard.checks.parameters.operator_refuses
import data.walguard.checks.workload.init_script
import data.walguard.checks.workload.permissions
import data.walguard.checks.workload.probe_login

# A healthy server with its Service, its Secret and a program that uses it; each part to be replaced.
plain(container, pod, spec) := {
	"apiVersion": "apps/v1",
	"kind": "StatefulSet",
	"metadata": {"name": "db", "namespace": "shop"},
	"spec": object.union(
		{
			"serviceName": "db",
			"selector": {"matchLabels": {"app": "db"}},
			"template": {"metadata": {"labels": {"app": "db"}}, "spec": object.union(
				{"containers": [object.union(
					{
						"name": "postgres",
						"image": "postgres:17.6",
						"env": [password],
						"ports": [{"name": "pg", "containerPort": 5432}],
						"volumeMounts": [{"name": "data", "mountPath": "/var/lib/postgresql/data", "subPath": "pgdata"}],
					},
					container,
				)]},
				pod,
			)},
			"volumeClaimTemplates": [{"metadata": {"name": "data"}, "spec": {"resources": {"requests": {"storage": "10Gi"}}}}],
		},
		spec,
	),
}

password := {"name": "POSTGRES_PASSWORD", "valueFrom": {"secretKeyRef": {"name": "db", "key": "password"}}}

seen(object_of, objects) := {"review": {"object": object_of}, "inventory": {"namespace": {"shop": objects}}}

alone(container) := seen(plain(container, {}, {}), {})

with_files(texts, at_directory, container) := seen(
	plain(
		object.union(
			{"volumeMounts": [
				{"name": "data", "mountPath": "/var/lib/postgresql/data", "subPath": "pgdata"},
				{"name": "files", "mountPath": at_directory},
			]},
			container,
		),
		{"volumes": [{"name": "files", "configMap": {"name": "files"}}]},
		{},
	),
	{"v1": {"ConfigMap": {"files": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "files", "namespace": "shop"}, "data": texts}}}},
)

test_variables_of_other_images if {
	{f.message | some f in ignored.findings} == {"POSTGRES_DATABASE has no effect here: the image reads POSTGRES_DB."} with input as alone({"env": [password, {"name": "POSTGRES_DATABASE", "value": "shop"}]})
	{f.message | some f in ignored.findings} == {"POSTGRES_MAX_CONNECTIONS has no effect here: the image takes no parameters from variables (write args: [-c, max_connections=200])."} with input as alone({"env": [password, {"name": "POSTGRES_MAX_CONNECTIONS", "value": "200"}]})
	ignored.findings == set() with input as alone({"env": [password, {"name": "POSTGRES_DATABASE", "value": "shop"}, {"name": "POSTGRES_DB", "value": "shop"}]})
	ignored.findings == set() with input as alone({"args": ["-c", "max_connections=$(POSTGRES_MAX_CONNECTIONS)"], "env": [password, {"name": "POSTGRES_MAX_CONNECTIONS", "value": "200"}]})
	ignored.findings == set() with input as alone({"image": "corp.example/db:17", "env": [password, {"name": "POSTGRES_DATABASE", "value": "shop"}]})
}

# run.sh of postgresql reads them, the scripts of postgresql-repmgr do not.
test_variables_of_run_sh if {
	variables := [
		{"name": "POSTGRESQL_PASSWORD", "value": "x"},
		{"name": "POSTGRESQL_EXTRA_FLAGS", "value": "-c max_connections=200"},
		{"name": "POSTGRES_DEFAULT_TRANSACTION_ISOLATION", "value": "serializable"},
	]
	mounted := [{"name": "data", "mountPath": "/bitnami/postgresql"}]
	{[f.severity, f.message] | some f in ignored.findings} == {
		["warning", "POSTGRESQL_EXTRA_FLAGS has no effect here: the image starts the server by repmgr and pg_ctl, without it (set POSTGRESQL_MAX_CONNECTIONS, or write parameters into a file below /opt/bitnami/postgresql/conf/conf.d)."],
		["warning", "POSTGRES_DEFAULT_TRANSACTION_ISOLATION has no effect here: the image starts the server by repmgr and pg_ctl, without it (write it into a file below /opt/bitnami/postgresql/conf/conf.d)."],
	} with input as alone({"image": "bitnami/postgresql-repmgr:16.4.0", "env": variables, "volumeMounts": mounted})
	every other in [{"image": "bitnami/postgresql:16.4.0"}, {"image": "bitnami/postgresql-repmgr:16.4.0", "command": ["sh", "-c", "exec /start.sh"]}] {
		ignored.findings == set() with input as alone(object.union(other, {"env": variables, "volumeMounts": mounted}))
	}
	read := data.walguard.model.parameter("max_connections").text with input as alone({"image": "bitnami/postgresql-repmgr:16.4.0", "env": variables, "volumeMounts": mounted})
	read == "100"
}

# Its cure would keep the server from starting.
test_variable_of_what_is_computed if {
	every name in ["POSTGRES_SHARED_MEMORY_SIZE", "POSTGRES_SERVER_VERSION"] {
		{[f.severity, f.message] | some f in ignored.findings} == {["info", sprintf("%s has no effect here: the image takes no parameters from variables, and the server works this one out by itself.", [name])]} with input as alone({"env": [password, {"name": name, "value": "2GB"}]})
	}
}

test_words_in_a_variable if {
	every value in ["-c max_connections=300", "-cmax_connections=300", " --max_connections=300 -c shared_buffers=1GB "] {
		{f.message | some f in ignored.findings} == {"POSTGRES_ARGS has no effect here: the image does not hand it to the server (write its words into args of the container)."} with input as alone({"env": [password, {"name": "POSTGRES_ARGS", "value": value}]})
	}
	every row in [
		["POSTGRES_ARGS", "-c nobodys=1"],
		["POSTGRES_ARGS", "-c max_connections=300 -D /data"],
		["POSTGRES_ARGS", "${ARGS}"],
		["PGOPTIONS", "-c statement_timeout=0"],
		["POSTGRES_INITDB_ARGS", "-c max_connections=300"],
	] {
		ignored.findings == set() with input as alone({"env": [password, {"name": row[0], "value": row[1]}]})
	}
	words := {"name": "POSTGRES_ARGS", "value": "-c max_connections=300"}
	ignored.findings == set() with input as alone({"args": ["sh", "-c", "exec docker-entrypoint.sh postgres $POSTGRES_ARGS"], "env": [password, words]})
	ignored.findings == set() with input as alone({"args": ["postgres", "$(OTHER)"], "env": [password, words, {"name": "OTHER", "value": "$(POSTGRES_ARGS)"}]})
	ignored.findings == set() with input as alone({"image": "corp.example/db:17", "env": [password, words]})
}

test_file_that_nobody_names if {
	{f.message | some f in ignored.findings} == {"The file /etc/postgresql/postgresql.conf has no effect here: the server reads the one in its data directory (write args: [-c, config_file=/etc/postgresql/postgresql.conf])."} with input as with_files({"postgresql.conf": "max_connections = 200"}, "/etc/postgresql", {})
	ignored.findings == set() with input as with_files({"postgresql.conf": "max_connections = 200"}, "/etc/postgresql", {"args": ["-c", "config_file=/etc/postgresql/postgresql.conf"]})
	ignored.findings == set() with input as with_files({"postgresql.conf": "max_connections = 200", "a.sh": "cp /docker-entrypoint-initdb.d/postgresql.conf $PGDATA"}, "/docker-entrypoint-initdb.d", {})
}

# What runs before the server may bring it the file.
before_the_server(one) := with_init if {
	whole := with_files({"postgresql.conf": "max_connections = 200"}, "/etc/postgresql", {})
	with_init := json.patch(whole, [{"op": "add", "path": "/review/object/spec/template/spec/initContainers", "value": [one]}])
}

test_file_and_an_init_container if {
	owner := {"name": "owner", "image": "busybox", "command": ["sh", "-c", "chown -R 999:999 /var/lib/postgresql/data; chmod 700 /var/lib/postgresql/data"], "volumeMounts": [{"name": "data", "mountPath": "/var/lib/postgresql/data"}]}
	count(ignored.findings) == 1 with input as before_the_server(owner)
	every change in [
		{"command": []},
		{"command": ["sh", "-c", "chown 999 /d; echo \"include 'x'\" > /d/x"]},
		{"command": ["cp", "/x/postgresql.conf", "/d"]},
	] {
		ignored.findings == set() with input as before_the_server(object.union(owner, change))
	}
}

test_dead_probes if {
	some name, port in {"number": 5433, "name": "db"}
	{f.severity | some f in probe_login.findings} == {"error"} with input as alone({"livenessProbe": {"tcpSocket": {"port": port}}})
	{f.message | some f in probe_login.findings} == {"readinessProbe speaks HTTP to the port of the server, which does not: it never succeeds, and no Service leads to the server. Run pg_isready in it."} with input as alone({"readinessProbe": {"httpGet": {"path": "/", "port": "pg"}}})
	every good in [5432, "pg"] {
		probe_login.findings == set() with input as alone({"livenessProbe": {"tcpSocket": {"port": good}}})
	}
}

# libpq asks as this user.
probed(container, command) := alone(object.union(object.union({"env": [password, {"name": "PGUSER", "value": "postgres"}]}, container), {"readinessProbe": {"exec": {"command": command}}}))

marked := "[ -f /opt/bitnami/postgresql/tmp/.initialized ]"

test_files_of_other_images if {
	{f.message | some f in probe_login.findings} == {"readinessProbe asks for /opt/bitnami/postgresql/tmp/.initialized, which the image does not have: it never succeeds, and no Service leads to the server. Run pg_isready in it."} with input as probed({}, ["sh", "-c", "-e", sprintf("pg_isready -U app\n%s\n", [marked])])
	every command in [
		["sh", "-c", marked],
		["/bin/bash", "-ec", sprintf("%s\npg_isready", [marked])],
		["bash", "-c", sprintf("set -e; %s; pg_isready", [marked])],
		["sh", "-c", sprintf("pg_isready && %s", [marked])],
		["sh", "-c", sprintf("pg_isready; %s || [ -f /bitnami/postgresql/.initialized ]", [marked])],
		["sh", "-c", "test -e '/opt/bitnami/postgresql/tmp/.initialized'"],
		["/opt/bitnami/scripts/postgresql/healthcheck.sh"],
		["/usr/pgsql-17/bin/pg_isready"],
		["sh", "-c", "/usr/lib/postgresql/16/bin/pg_isready -U app"],
	] {
		count(probe_login.findings) == 1 with input as probed({}, command)
	}
}

test_files_that_may_be_there if {
	every command in [
		["sh", "-c", sprintf("%s || pg_isready", [marked])],
		["sh", "-c", sprintf("%s; pg_isready", [marked])],
		["sh", "-ec", sprintf("%s && echo; pg_isready", [marked])],
		["sh", "-c", sprintf("exec pg_isready\n%s", [marked])],
		["sh", "-c", "[ ! -f /opt/bitnami/postgresql/tmp/.initialized ]"],
		["sh", "-c", sprintf("if %s; then pg_isready; fi", [marked])],
		["/usr/lib/postgresql/17/bin/pg_isready"],
		["pg_isready"],
		[],
		[7],
	] {
		probe_login.findings == set() with input as probed({}, command)
	}
	every container in [
		{"image": "corp.example/postgres:17"},
		{"image": "bitnami/postgresql:17"},
		{"command": ["sh", "-c", "mkdir -p /opt/bitnami/postgresql/tmp; exec docker-entrypoint.sh postgres"]},
		{"volumeMounts": [{"name": "data", "mountPath": "/opt/bitnami"}]},
	] {
		probe_login.findings == set() with input as probed(container, ["sh", "-c", marked])
	}
	every container in [{"image": "postgres:17-alpine"}, {"image": "timescale/timescaledb:2.20.3-pg17"}, {"volumeMounts": [{"name": "data", "mountPath": "/usr/lib/postgresql/16"}]}] {
		probe_login.findings == set() with input as probed(container, ["/usr/lib/postgresql/16/bin/pg_isready"])
	}
}

test_probes_that_change_the_user if {
	unprivileged := {"securityContext": {"runAsUser": 999}}
	{f.message | some f in probe_login.findings} == {"readinessProbe calls gosu, for which the container must run as root, and it runs as user 999: it never succeeds, and no Service leads to the server. Run pg_isready in it."} with input as probed(unprivileged, ["gosu", "postgres", "pg_isready"])
	count(probe_login.findings) == 1 with input as probed(unprivileged, ["sh", "-c", "/bin/su postgres -c pg_isready"])
	every command in [["sh", "-c", "su postgres -c pg_isready || pg_isready"], ["sudo", "-u", "postgres", "pg_isready"], ["pg_isready"]] {
		probe_login.findings == set() with input as probed(unprivileged, command)
	}
	probe_login.findings == set() with input as probed({}, ["su", "postgres", "-c", "pg_isready"])
}

test_made_twice if {
	env := {"env": [password, {"name": "POSTGRES_DB", "value": "shop"}, {"name": "POSTGRES_USER", "value": "owner"}]}
	count(init_script.findings) == 2 with input as with_files({"a.sql": "CREATE USER owner;\nCREATE DATABASE shop;"}, "/docker-entrypoint-initdb.d", env)
	count(init_script.findings) == 1 with input as with_files({"a.sql": "CREATE DATABASE shop;\n\\connect shop\nCREATE EXTENSION IF NOT EXISTS pgcrypto;"}, "/docker-entrypoint-initdb.d", env)
	init_script.findings == set() with input as with_files({"a.sql": "DO $$ BEGIN IF NOT EXISTS (SELECT FROM pg_roles) THEN\nCREATE ROLE owner;\nEND IF; END $$;"}, "/docker-entrypoint-initdb.d", env)
	init_script.findings == set() with input as with_files({"a.sql": "CREATE DATABASE shop_test;\nCREATE USER app;"}, "/docker-entrypoint-initdb.d", env)
	init_script.findings == set() with input as with_files({"a.sql": "SELECT 'CREATE DATABASE shop' WHERE NOT EXISTS (SELECT FROM pg_database)\\gexec"}, "/docker-entrypoint-initdb.d", env)
}

test_read_only_volume if {
	some f in permissions.findings with input as alone({"volumeMounts": [{"name": "data", "mountPath": "/var/lib/postgresql/data", "subPath": "pgdata", "readOnly": true}]})
	f.message == "The volume of the data is mounted read-only, and the server cannot start. Remove readOnly."
}

emptying(command) := seen(plain({}, {"initContainers": [{"name": "clean", "command": ["sh", "-c", command], "volumeMounts": [{"name": "data", "mountPath": "/data"}]}]}, {}), {})

test_emptied_volume if {
	count(ephemeral_volume.findings) == 1 with input as emptying("rm -rf /data/*")
	ephemeral_volume.findings == set() with input as emptying("rm -rf /data/lost+found")
	ephemeral_volume.findings == set() with input as emptying("if [ -f /data/wipe ]; then rm -rf /data/*; fi")
}

test_refused_by_the_server if {
	{f.message | some f in operator_refuses.findings} == {"The API server refuses this resource: container postgres mounts dta, which is none of the volumes of its pod. Write one of data, or define it."} with input as alone({"volumeMounts": [{"name": "dta", "mountPath": "/var/lib/postgresql/data"}]})
	{f.message | some f in operator_refuses.findings} == {"The API server refuses this resource: its selector asks for app=pg, and its pods carry app=db. Write db on both sides."} with input as seen(plain({}, {}, {"selector": {"matchLabels": {"app": "pg"}}}), {})
	operator_refuses.findings == set() with input as alone({})
}

asking(host, others) := seen(plain({}, {}, {}), {
	"v1": {"Service": {"db": {"metadata": {"name": "db", "namespace": "shop"}, "spec": {"selector": {"app": "db"}}}}},
	"apps/v1": {"Deployment": {"web": {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web", "namespace": "shop"}, "spec": {"template": {"spec": {"containers": array.concat(
		[{"name": "web", "env": [
			{"name": "DB_HOST", "value": host},
			{"name": "DB_PASSWORD", "valueFrom": {"secretKeyRef": {"name": "db", "key": "password"}}},
		]}],
		others,
	)}}}}}},
})

at_port(port) := json.patch(asking("db", []), [
	{"op": "add", "path": "/inventory/namespace/shop/apps~1v1/Deployment/web/spec/template/spec/containers/0/env/-", "value": {"name": "DB_PORT", "value": port}},
	{"op": "add", "path": "/inventory/namespace/shop/v1/Service/db/spec/ports", "value": [{"port": 5432}]},
])

test_strange_port if {
	{f.message | some f in client_mismatch.findings} == {"Deployment web asks for port 5433 of db, which has 5432: it finds no database. Write 5432."} with input as at_port("5433")
	client_mismatch.findings == set() with input as at_port("5432")
}

with_secret(fields) := seen(plain({}, {}, {}), {"v1": {"Secret": {"db": object.union({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "db", "namespace": "shop"}}, fields)}}})

test_no_base64 if {
	{f.message | some f in operator_refuses.findings} == {"The API server refuses this resource: key password below data is not base64. Encode it (base64 -w0), or write it below stringData."} with input as with_secret({"data": {"password": "hT3vN9sRqA!"}})
	operator_refuses.findings == set() with input as with_secret({"data": {"password": "aFQzdk45c1JxQQ=="}})
	operator_refuses.findings == set() with input as with_secret({"stringData": {"password": "hT3vN9sRqA!"}})
}

with_hba(lines) := object.union(with_files({"pg_hba.conf": lines}, "/etc/pg", {"args": ["-c", "hba_file=/etc/pg/pg_hba.conf"]}), {"inventory": {"namespace": {"shop": {"v1": {"Service": {"db": {"metadata": {"name": "db", "namespace": "shop"}, "spec": {"selector": {"app": "db"}}}}}}}}})

test_closed_hba if {
	{f.severity | some f in unreachable.findings} == {"error"} with input as with_hba("local all all trust\nhost all all 127.0.0.1/32 scram-sha-256")
	unreachable.findings == set() with input as with_hba("local all all trust\nhost all all 10.0.0.0/8 scram-sha-256")
	unreachable.findings == set() with input as with_hba("local all all trust\nhost all all samenet scram-sha-256")
}

test_lost_clients if {
	{f.message | some f in client_mismatch.findings} == {"Deployment web has the password of this server and looks for it at localhost, where its pod has none: it finds no database. Write db."} with input as asking("localhost", [])
	{f.message | some f in client_mismatch.findings} == {"Deployment web has the password of this server and looks for it at postgres, and no Service of this namespace has the name: it finds no database. Write db."} with input as asking("postgres", [])
	every good in ["db", "db.shop", "db.shop.svc.cluster.local", "pg.example.com"] {
		client_mismatch.findings == set() with input as asking(good, [])
	}
	client_mismatch.findings == set() with input as asking("localhost", [{"name": "pooler"}])

	# A second server with the same password has that name.
	beside := json.patch(asking("postgres", []), [{"op": "add", "path": "/inventory/namespace/shop/apps~1v1/StatefulSet", "value": {"postgres": {"apiVersion": "apps/v1", "kind": "StatefulSet", "metadata": {"name": "postgres", "namespace": "shop"}, "spec": {"serviceName": "postgres"}}}}])
	client_mismatch.findings == set() with input as beside
}

by_url(address) := found if {
	found := {f.message | some f in client_mismatch.findings} with input as json.patch(asking("db", []), [
		{"op": "add", "path": "/inventory/namespace/shop/apps~1v1/Deployment/web/spec/template/spec/containers/0/env/-", "value": {"name": "URL", "value": address}},
		{"op": "add", "path": "/inventory/namespace/shop/v1/Service/db/spec/ports", "value": [{"port": 5432}]},
	])
}

test_lost_by_url if {
	by_url("postgresql+psycopg2://app:$(DB_PASSWORD)@localhost:5432/shop") == {"Deployment web has the password of this server and looks for it at localhost, where its pod has none: it finds no database. Write db."}
	by_url("postgres://app:$(DB_PASSWORD)@postgres/shop") == {"Deployment web has the password of this server and looks for it at postgres, and no Service of this namespace has the name: it finds no database. Write db."}
	by_url("jdbc:postgresql://db.shop:5433/shop") == {"Deployment web asks for port 5433 of db, which has 5432: it finds no database. Write 5432."}
	every good in ["postgres://app:$(DB_PASSWORD)@db:5432/shop", "postgres://db/shop", "postgres://app@db.other.svc:5433/shop", "postgres://pg.example.com:6432/shop", "http://localhost:80/"] {
		by_url(good) == set()
	}
}

test_probe_by_number if {
	{f.severity | some f in probe_login.findings} == {"error"} with input as alone({"livenessProbe": {"httpGet": {"path": "/", "port": 5432}}})
	probe_login.findings == set() with input as alone({"livenessProbe": {"httpGet": {"path": "/", "port": 8008}}})
}

# A Service without an address leads to the port that the server listens on, whatever is written in it.
headless(port) := json.patch(at_port(port), [{"op": "add", "path": "/inventory/namespace/shop/v1/Service/db/spec/clusterIP", "value": "None"}])

test_strange_port_without_an_address if {
	{f.message | some f in client_mismatch.findings} == {"Deployment web asks for port 5433 of db, which has 5432: it finds no database. Write 5432."} with input as headless("5433")
	client_mismatch.findings == set() with input as headless("5432")
}

lock_in(mounted, volume) := seen(
	plain(
		{
			"image": "kartoza/postgis:17-3.5",
			"volumeMounts": [{"name": "data", "mountPath": "/var/lib/postgresql"}, object.union({"name": "init", "mountPath": "/docker-entrypoint-initdb.d"}, mounted)],
		},
		{"volumes": [object.union({"name": "init"}, volume)]}, {},
	),
	{},
)

test_lock_in_a_volume if {
	init_script.findings == set() with input as lock_in({}, {"emptyDir": {}})
	{f.severity | some f in init_script.findings} == {"error"} with input as lock_in({"readOnly": true}, {"emptyDir": {}})
	{f.severity | some f in init_script.findings} == {"error"} with input as lock_in({}, {"secret": {"secretName": "init"}})
}

test_what_the_api_server_has_not if {
	every api_version in ["extensions/v1beta1", "apps/v1beta1", "apps/v1beta2"] {
		made := object.union(plain({}, {}, {}), {"apiVersion": api_version, "kind": "Deployment"})
		{f.message | some f in operator_refuses.findings with input as {"review": {"object": made}}} == {sprintf("The API server refuses this resource: it has had no %s since Kubernetes 1.16 (\"no matches for kind\"). Write apps/v1, with a spec.selector of the labels of the template.", [api_version])}
	}
	healthy := plain({}, {}, {})
	operator_refuses.findings == set() with input as {"review": {"object": healthy}}
	without := object.union(object.remove(healthy, ["spec"]), {"spec": object.remove(healthy.spec, ["selector"])})
	refusal := "The API server refuses this resource: spec.selector is missing. Write spec.selector.matchLabels with labels of the template."
	{f.message | some f in operator_refuses.findings} == {refusal} with input as {"review": {"object": without}}

	# Kustomize gives a file both.
	operator_refuses.findings == set() with input as {"review": {"object": json.patch(without, [{"op": "remove", "path": "/spec/template/metadata"}])}}
}

ready_by(command, more) := found if found := {[f.severity, f.message] | some f in probe_login.findings} with input as alone(object.union({"args": ["-c", "port=5434"], "readinessProbe": {"exec": {"command": command}}}, more))

test_probe_of_another_port if {
	said := {["error", "readinessProbe asks port 5432, and the server listens on 5434: it never succeeds, and no Service leads to the server. Add -p 5434 to its pg_isready."]}
	ready_by(["pg_isready", "-U", "postgres"], {}) == said
	ready_by(["sh", "-c", "pg_isready -U postgres -p 5432"], {}) == said
	ready_by(["pg_isready", "-U", "postgres", "-p", "5434"], {}) == set()
	ready_by(["pg_isready", "-U", "postgres", "--port=5434"], {}) == set()
	ready_by(["sh", "-c", "pg_isready -U postgres || exit 0"], {}) == set()
	ready_by(["pg_isready", "-U", "postgres"], {"env": [password, {"name": "PGPORT", "value": "5434"}]}) == set()
	ready_by(["pg_isready", "-U", "postgres"], {"envFrom": [{"configMapRef": {"name": "a"}}]}) == set()
	ready_by(["pg_isready", "-U", "postgres"], {"args": []}) == set()
}

of_the_chart(env) := found if {
	found := {f.message | some f in client_mismatch.findings} with input as seen(
		plain({"image": "bitnamilegacy/postgresql:17.6.0-debian-12-r0", "env": env, "volumeMounts": [{"name": "data", "mountPath": "/bitnami/postgresql"}]}, {}, {}),
		{"apps/v1": {"Deployment": {"kc": {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "kc", "namespace": "shop"}, "spec": {"template": {"spec": {"containers": [{"name": "kc", "image": "kc", "env": [
			{"name": "KC_DB_URL_HOST", "value": "db"},
			{"name": "KC_DB_URL_DATABASE", "value": "kc"},
			{"name": "KC_DB_USERNAME", "value": "kc"},
		]}]}}}}}}},
	)
}

# As charts of Bitnami's have called the variables since 12, where the image takes POSTGRES_ for POSTGRESQL_.
test_names_of_the_chart if {
	of_the_chart([password, {"name": "POSTGRES_USER", "value": "kc"}, {"name": "POSTGRES_DATABASE", "value": "shop"}]) == {"Deployment kc asks for the database kc, and the first start makes shop (POSTGRES_DATABASE), which no client uses: database \"kc\" does not exist. Write the same name on both sides."}
	of_the_chart([password, {"name": "POSTGRES_USERNAME", "value": "shop"}, {"name": "POSTGRES_DATABASE", "value": "kc"}]) == {"Deployment kc asks for the role kc, and the first start makes shop (POSTGRES_USERNAME), which no client uses: role \"kc\" does not exist. Write the same name on both sides."}
	of_the_chart([password, {"name": "POSTGRES_USER", "value": "kc"}, {"name": "POSTGRES_DATABASE", "value": "kc"}]) == set()
}

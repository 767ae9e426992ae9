package walguard.checks.access.hba_lockout_clients_test

import data.walguard.checks.access.hba_lockout as check

workload_of(kind, name, pod) := {
	"apiVersion": "apps/v1",
	"kind": kind,
	"metadata": {"name": name, "namespace": "shop"},
	"spec": {"serviceName": name, "template": {"metadata": {"labels": {"app": name}}, "spec": pod}},
}

server(args) := workload_of("StatefulSet", "db", {
	"containers": [{"name": "postgres", "image": "postgres:17.6", "args": args, "volumeMounts": [{"name": "conf", "mountPath": "/conf"}]}],
	"volumes": [{"name": "conf", "configMap": {"name": "conf"}}],
})

found_with(args, lines, others) := {f.message | some f in found} if {
	found := check.findings with input as {
		"review": {"object": server(args)},
		"inventory": {"namespace": {"shop": {
			"v1": {
				"ConfigMap": {"conf": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "conf", "namespace": "shop"}, "data": {"pg_hba.conf": lines}}},
				"Service": {"db": {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "db", "namespace": "shop"}, "spec": {"clusterIP": "None", "selector": {"app": "db"}, "ports": [{"port": 5432}]}}},
			},
			"apps/v1": others,
		}}},
	}
}

found(lines, others) := found_with(["-c", "hba_file=/conf/pg_hba.conf"], lines, others)

web(image, variables) := {"Deployment": {"web": workload_of("Deployment", "web", {"containers": [{"name": "web", "image": image, "env": [{"name": name, "value": value} | some name, value in variables]}]})}}

base := "local all all trust\nhost all all 127.0.0.1/32 trust\n"

told(what) := {sprintf("Deployment web %s, and no line of this pg_hba.conf lets that in (\"no pg_hba.conf entry\"). Add \"host %s %s all scram-sha-256\".", what)}

test_program_that_no_line_lets_in if {
	one := web("shop/web:1", {"DB_HOST": "db", "DB_USER": "app", "DB_NAME": "shop"})
	found(concat("", [base, "host shop owner 10.0.0.0/8 scram-sha-256"]), one) == told(["logs in to database shop as app", "shop", "app"])
	found(concat("", [base, "host orders all all md5"]), web("shop/web:1", {"DATABASE_URL": "postgres://app:x@db:5432/shop"})) == told(["logs in to database shop as app", "shop", "app"])
}

test_program_that_a_line_lets_in if {
	one := web("shop/web:1", {"DB_HOST": "db", "DB_USER": "app", "DB_NAME": "shop"})
	every line in [
		"host all all all md5",
		"host shop app 10.0.0.0/8 md5",
		"host \"shop\",orders app,owner 0.0.0.0/0 md5",
		"host shop +staff all md5",
		"host shop /^a all md5",
		"host samerole all all md5",
		"include /conf/more.conf\nhost orders all all md5",
		"host ${DATABASE} app all md5",
	] {
		found(concat("", [base, line]), one) == set()
	}
	found(concat("", [base, "host sameuser all all md5"]), web("shop/web:1", {"DB_HOST": "db", "DB_USER": "shop", "DB_NAME": "shop"})) == set()

	# Nobody but the pod itself is another finding, and so is a file that is not in force.
	found(base, one) == set()
	found_with([], concat("", [base, "host orders all all md5"]), one) == set()
	found(concat("", [base, "host orders all all md5"]), web("shop/web:1", {"DB_HOST": "elsewhere", "DB_USER": "app", "DB_NAME": "shop"})) == set()
	found(concat("", [base, "host orders all all md5"]), web("shop/web:1", {"DB_HOST": "db", "DB_NAME": "shop"})) == set()
}

test_odoo_before_its_own_database if {
	odoo := web("odoo:17.0", {"HOST": "db", "USER": "odoo"})
	found(concat("", [base, "host production odoo all md5"]), odoo) == told(["connects to database postgres as odoo before its own", "postgres", "odoo"])
	found(concat("", [base, "host production odoo all md5\nhost postgres odoo all md5"]), odoo) == set()
	found(concat("", [base, "host all odoo all md5"]), odoo) == set()
}

standby(command, variables) := {"StatefulSet": {"standby": workload_of("StatefulSet", "standby", {
	"initContainers": [{"name": "clone", "image": "postgres:17.6", "env": [{"name": name, "value": value} | some name, value in variables], "command": ["sh", "-c", command]}],
	"containers": [{"name": "web", "image": "shop/web:1"}],
})}}

test_copy_without_a_line_for_replication if {
	message := "StatefulSet standby copies the server as replicator, and no line of this pg_hba.conf is for replication, which \"all\" does not include (\"no pg_hba.conf entry\"). Add \"host replication replicator all scram-sha-256\"."
	copy := "pg_basebackup -h db -U replicator -D /data -X stream -R"
	found(concat("", [base, "host all all all md5"]), standby(copy, {})) == {message}
	found(concat("", [base, "host all all all md5"]), standby("pg_basebackup -h db-0.db -D /data -R", {"PGUSER": "replicator"})) == {message}
	found(concat("", [base, "host all all all md5\nhost replication other all md5"]), standby("pg_basebackup -h $PRIMARY \\\n  -U replicator -D /data", {"PRIMARY": "db"})) == {message}
	every line in ["host replication replicator 10.0.0.0/8 md5", "host all,replication all all md5", "host replication +standbys all md5"] {
		found(concat("", [base, line]), standby(copy, {})) == set()
	}
	found(concat("", [base, "host all all all md5"]), standby("pg_basebackup -h elsewhere -U replicator -D /data", {})) == set()
	found(concat("", [base, "host all all all md5"]), standby("pg_basebackup -h db -D /data", {})) == set()
}

# What initdb makes of it.
plain(server, objects) := {[object.get(f, "severity", "error"), f.message] | some f in found} if {
	found := check.findings with input as {
		"review": {"object": {
			"apiVersion": "apps/v1",
			"kind": "StatefulSet",
			"metadata": {"name": "db", "namespace": "shop"},
			"spec": {
				"serviceName": "db",
				"template": {"metadata": {"labels": {"app": "db"}}, "spec": {"containers": [object.union({"name": "postgres", "image": "postgres:17.6", "volumeMounts": [{"name": "data", "mountPath": "/var/lib/postgresql/data"}]}, server)]}},
				"volumeClaimTemplates": [{"metadata": {"name": "data"}, "spec": {"accessModes": ["ReadWriteOnce"]}}],
			},
		}},
		"inventory": {"namespace": {"shop": object.union(
			{"v1": {"Service": {"db": {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "db", "namespace": "shop"}, "spec": {"clusterIP": "None", "selector": {"app": "db"}, "ports": [{"port": 5432}]}}}}},
			objects,
		)}},
	}
}

test_copy_by_the_lines_of_the_image if {
	copy := {"apps/v1": standby("pg_basebackup -h db -U replicator -D /data -X stream -R", {})}
	plain({}, copy) == {["error", "StatefulSet standby copies the server as replicator, and in the pg_hba.conf that the image makes \"all\" does not include replication (\"no pg_hba.conf entry\"). Append \"host replication replicator all scram-sha-256\" to $PGDATA/pg_hba.conf in a script of the first start."]}
	every server in [
		{"args": ["-c", "hba_file=/conf/pg_hba.conf"]},
		{"command": ["sh", "-c", "/start.sh"]},
		{"env": [{"name": "POSTGRES_HOST_AUTH_METHOD", "value": "md5\nhost replication all all md5"}]},
		{"image": "shop/postgres:17"},
		{"lifecycle": {"postStart": {"exec": {"command": ["sh", "-c", "/x"]}}}},
		{"volumeMounts": [{"name": "data", "mountPath": "/var/lib/postgresql/data"}, {"name": "init", "mountPath": "/docker-entrypoint-initdb.d"}]},
	] {
		plain(server, copy) == set()
	}
	plain({}, {"apps/v1": standby("pg_basebackup -h elsewhere -U replicator -D /data", {})}) == set()
}

job(command, variables) := {"Deployment": {"dump": workload_of("Deployment", "dump", {"containers": [{"name": "dump", "image": "postgres:17.6", "env": [{"name": name, "value": value} | some name, value in variables], "command": ["sh", "-c", command]}]})}}

test_command_that_no_line_lets_in if {
	message := "Deployment dump runs pg_dump in database shop as backup, and no line of this pg_hba.conf lets that in (\"no pg_hba.conf entry\"). Add \"host shop backup all scram-sha-256\"."
	narrow := concat("", [base, "host shop app all md5"])
	found(narrow, job("pg_dump -h db -U backup -d shop -Fc > /dumps/shop", {})) == {message}
	found(narrow, job("pg_dump -U backup -Fc > /dumps/shop", {"PGHOST": "db", "PGDATABASE": "shop"})) == {message}
	found(narrow, job("pg_dump -Fc > /dumps/shop", {"PGHOST": "db", "PGUSER": "backup", "PGDATABASE": "shop"})) == {replace(message, "runs pg_dump in database shop", "logs in to database shop")}
	found(narrow, job("pg_dump --host=$HOST --username=backup --dbname=shop", {"HOST": "db.shop.svc"})) == {message}
	found(concat("", [base, "host shop app,backup all md5"]), job("pg_dump -h db -U backup -d shop", {})) == set()
	found(narrow, job("pg_dump -h elsewhere -U backup -d shop", {})) == set()
	found(narrow, job("pg_dump -h db -U \"$ROLE\" -d shop", {})) == set()
	found(narrow, job("pg_dump -h db -U backup \"$DATABASE\"", {})) == set()
}

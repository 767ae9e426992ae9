package walguard.lib.outsider_test

import data.walguard.lib.outsider

found(text) := outsider.found({"spec": {"containers": [{"name": "run", "image": "postgres:17", "command": ["sh", "-c", text]}]}}, ["spec"])

path := ["spec", "containers", 0]

test_settings if {
	said := "psql -h db -c 'ALTER SYSTEM SET fsync = off'"
	found(said) == [{"path": path, "name": "run", "said": sprintf("sh -c %s", [said]), "claims": [], "settings": [{"name": "fsync", "value": "off", "path": path}], "dangerous": true}]
}

test_unread if {
	every text in [
		"echo QQ== | base64 -d | psql",
		"psql -c \"$(echo QQ== | base64 -d)\"",
		"echo ':a :b set x = 1' | psql -v a=ALTER -v b=SYSTEM",
		"psql -c \"SELECT chr(65)||chr(76) \\gexec\"",
	] {
		found(text)[0].unread == "hides the SQL that it runs"
	}
	found("psql -c 'ALTER SYSTEM SET $NAME = 1'")[0].unread == "says ALTER SYSTEM"
}

test_what_clients_say if {
	every text in [
		"pg_dump -h db app > /b/a.sql",
		"psql -c 'ALTER TABLE system SET (fillfactor = 80)'",
		"psql -c 'ALTER ROLE app SET work_mem = 1'",
		"psql -c \"SELECT 'CREATE DATABASE ' || 'app' \\gexec\"",
		"psql postgres://a:$(echo eA== | base64 -d)@db/app -c 'SELECT 1'",
		"openssl enc -d -in /b/app.sql.enc | psql app",
		"export PGPASSWORD=$(echo eA== | base64 -d); psql -c 'SELECT 1'",
		"echo 'ALTER SYSTEM SET processes = 300' | sqlplus / as sysdba",
		"echo fsync=off >> /tmp/postgresql.conf",
		"psql -c 'ALTER SYSTEM RESET work_mem'",
	] {
		found(text) == []
	}
}

test_files if {
	pod := {"spec": {"containers": [{"name": "run", "command": ["sh", "-c", "echo fsync=off >> /d/postgresql.auto.conf"], "volumeMounts": [{"name": "d", "mountPath": "/d"}]}], "volumes": [{"name": "d", "persistentVolumeClaim": {"claimName": "data-db-0"}}]}}
	one := outsider.found(pod, ["spec"])[0]
	one.claims == ["data-db-0"]
	one.unread == "writes the server's configuration on a volume"
	outsider.severity(one, "info") == "warning"
	read_only := json.patch(pod, [{"op": "add", "path": "/spec/containers/0/volumeMounts/0/readOnly", "value": true}])
	outsider.found(read_only, ["spec"]) == []
}

test_severity if {
	outsider.severity({"unread": "hides the SQL that it runs"}, "info") == "info"
	outsider.severity({"unread": "writes the server's configuration on a volume"}, "warning") == "info"
}

test_others_that_speak if {
	every text in [
		"node -e \"new (require('pg').Client)().query('ALTER SYSTEM SET fsync = off')\"",
		"flyway '-initSql=ALTER SYSTEM SET fsync = off' migrate",
	] {
		found(text)[0].settings[0].name == "fsync"
	}
	found("kubectl cp /c/x db-0:/data/postgresql.auto.conf")[0].unread == "writes the server's configuration in another pod"
	found("patronictl edit-config --set x=y --force")[0].unread == "changes the configuration that Patroni keeps"
	found("http PATCH http://db:8008/config x=y")[0].unread == "changes the configuration that Patroni keeps"
	found("ansible localhost -m postgresql_set -a 'name=fsync value=off'")[0].unread == "says ALTER SYSTEM by Ansible"
	every text in ["curl -X PATCH http://api:8080/users", "curl http://db:8008/config", "kubectl exec db-0 -- pg_dump app", "patronictl list"] {
		found(text) == []
	}
}

test_statements_in_a_comment if {
	found("psql -c \"SELECT 1; -- ALTER SYSTEM SET fsync = off\"") == []
}

test_patroni_behind_another_port if {
	found("curl -X PATCH http://db-api/config -d '{\"postgresql\": {\"parameters\": {\"fsync\": \"off\"}}}'")[0].unread == "changes the configuration that Patroni keeps"
	found("curl -X PATCH http://shop/config -d '{\"theme\": \"dark\"}'") == []
}

queries(image, text) := found_queries if {
	found_queries := outsider.found(
		{"spec": {
			"containers": [{"name": "run", "image": image, "args": ["--extend.query-path=/q/queries.yaml"], "volumeMounts": [{"name": "q", "mountPath": "/q"}]}],
			"volumes": [{"name": "q", "configMap": {"name": "q"}}],
		}},
		["spec"],
	) with input as {
		"review": {"object": {"kind": "Pod", "metadata": {"namespace": "shop"}}},
		"inventory": {"namespace": {"shop": {"v1": {"ConfigMap": {"q": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "q", "namespace": "shop"}, "data": {"queries.yaml": text}}}}}}},
	}
}

test_queries_of_an_exporter if {
	alter := "a:\n  query: \"ALTER SYSTEM SET fsync = off\"\n"
	[setting.name | some one in queries("quay.io/prometheuscommunity/postgres-exporter:v0.17.1", alter); some setting in one.settings] == ["fsync"]
	queries("quay.io/prometheuscommunity/postgres-exporter:v0.17.1", "a:\n  query: SELECT 1\n") == []
}

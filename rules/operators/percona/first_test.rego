package walguard.operators.percona_first_test

import data.walguard.operators.percona

cluster(spec) := {"apiVersion": "pg.percona.com/v1", "kind": "PerconaPGCluster", "metadata": {"name": "orders", "namespace": "shop"}, "spec": spec}

read(spec, objects) := found if {
	found := percona.cluster with input as {"review": {"object": cluster(spec)}, "inventory": {"namespace": {"shop": objects}}}
}

storage(more) := {"backup": {"storages": {"minio": object.union({"type": "s3", "bucket": "b", "endpointUrl": "minio.shop.svc:9000", "verifyTLS": false}, more)}}}

task(options) := {"pg.percona.com/v1": {"Pgtask": {"back": {
	"apiVersion": "pg.percona.com/v1",
	"kind": "Pgtask",
	"metadata": {"name": "back", "namespace": "shop"},
	"spec": {"tasktype": "restore", "parameters": {"backrest-restore-from-cluster": "orders", "backrest-restore-opts": options, "backrest-storage-type": "s3"}},
}}}}

test_restore_that_verifies if {
	[[f.path, f.resource.name, f.cure] | some f in read(storage({}), task("--type=time")).unusable_stores] == [[["spec", "parameters", "backrest-restore-opts"], "back", "Add --no-repo1-storage-verify-tls to backrest-restore-opts"]]
	not read(storage({}), task("--type=time --no-repo1-storage-verify-tls")).unusable_stores
	not read(storage({}), task("--repo1-storage-ca-file=/ca")).unusable_stores
	not read(storage({}), task("${OPTIONS}")).unusable_stores
	not read(storage({"verifyTLS": true}), task("--type=time")).unusable_stores
	not read(storage({"type": "gcs"}), task("--type=time")).unusable_stores
	not read(storage({}), {}).unusable_stores
}

minio(name) := {"v1": {"Service": {"minio": {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "minio", "namespace": "shop"}, "spec": {"ports": [{"name": name, "port": 9000}], "selector": {"app": "minio"}}}}}}

test_store_without_tls if {
	[f.reason | some f in read(storage({}), minio("http")).unusable_stores] == ["pgBackRest speaks TLS to minio.shop.svc:9000, and what answers at port 9000 of Service minio speaks HTTP: nothing is archived or backed up"]
	not read(storage({}), minio("https")).unusable_stores
	not read(storage({"endpointUrl": "${HOST}"}), minio("http")).unusable_stores
}

client(host, user) := {"apps/v1": {"Deployment": {"api": {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "api", "namespace": "shop"}, "spec": {"template": {"spec": {"containers": [{"name": "api", "image": "shop:1", "env": [{"name": "PGHOST", "value": host}, {"name": "PGUSER", "value": user}]}]}}}}}}}

test_postgres_through_pgbouncer if {
	[[f.level, f.resource.name] | some f in read({"pgBouncer": {"size": 2}}, client("orders-pgbouncer", "postgres")).pooler_faults] == [["error", "api"]]
	not read({"pgBouncer": {"size": 2, "exposePostgresUser": true}}, client("orders-pgbouncer", "postgres")).pooler_faults
	not read({"pgBouncer": {"size": 2}}, client("orders", "postgres")).pooler_faults
	not read({"pgBouncer": {"size": 2}}, client("orders-pgbouncer", "shop")).pooler_faults
	not read({}, client("orders-pgbouncer", "postgres")).pooler_faults
}

package walguard.checks.access.pooler_login_imports_test

import data.walguard.checks.access.pooler_login as check

made(kind, name, spec) := {"apiVersion": "postgresql.cnpg.io/v1", "kind": kind, "metadata": {"name": name, "namespace": "prod"}, "spec": spec}

poolers(clusters) := {"Pooler": {name: made("Pooler", name, {"cluster": {"name": cluster}, "pgbouncer": object.get(clusters, "pgbouncer", {})}) | some name, cluster in clusters.of}}

imported(initdb, image_name, objects) := found if found := check.findings with input as {
	"review": {"object": made("Cluster", "new", {
		"imageName": image_name,
		"bootstrap": {"initdb": object.union({"import": {"type": "microservice", "databases": ["app"], "source": {"externalCluster": "old"}}}, initdb)},
		"externalClusters": [{"name": "old", "connectionParameters": {"host": "old-pooler-rw"}}],
	})},
	"inventory": {"namespace": {"prod": {"postgresql.cnpg.io/v1": object.union({"Cluster": {"old": made("Cluster", "old", {})}}, objects)}}},
}

both := poolers({"of": {"old-pooler-rw": "old", "new-pooler-rw": "new"}})

test_function_of_the_source if {
	imported({}, "ghcr.io/cloudnative-pg/postgresql:17.5", both) == {{
		"message": "The import brings user_search of old, which then belongs to app: before release 1.28 Pooler new-pooler-rw looks passwords up by it (\"permission denied for view pg_shadow\"). Drop the function in the new database, so that the operator makes it again.",
		"path": ["spec", "bootstrap", "initdb", "import"],
	}}
}

test_function_of_its_own if {
	imported({}, "ghcr.io/cloudnative-pg/postgresql:17.9", both) == set()
	imported({}, "ghcr.io/cloudnative-pg/postgresql:17", both) == set()
	imported({}, "ghcr.io/cloudnative-pg/postgresql:17.5", poolers({"of": {"old-pooler-rw": "old"}})) == set()
	imported({}, "ghcr.io/cloudnative-pg/postgresql:17.5", poolers({"of": {"new-pooler-rw": "new"}})) == set()
	imported({"import": {"type": "microservice", "databases": ["app"], "pgDumpExtraOptions": ["--schema=shop"], "source": {"externalCluster": "old"}}}, "ghcr.io/cloudnative-pg/postgresql:17.5", both) == set()
	imported({}, "ghcr.io/cloudnative-pg/postgresql:17.5", object.union(both, poolers({"of": {"old-pooler-rw": "old", "new-pooler-rw": "new"}, "pgbouncer": {"authQuery": "SELECT 1", "authQuerySecret": {"name": "q"}}}))) == set()
}

package walguard.operators.cnpg_applications_test

import data.walguard.operators.cnpg

made(kind, name, spec) := {"apiVersion": "postgresql.cnpg.io/v1", "kind": kind, "metadata": {"name": name, "namespace": "db"}, "spec": spec}

found(spec, others) := lost if {
	lost := cnpg.uncreated with input as {
		"review": {"object": made("Cluster", "pg", spec)},
		"inventory": {"namespace": {"db": others}},
	}
}

replicated(kind, spec) := {"postgresql.cnpg.io/v1": {kind: {"sub": made(kind, "sub", object.union({"cluster": {"name": "pg"}}, spec))}}}

test_source_that_is_not_declared if {
	source := {"externalClusterName": "old"}
	found({"externalClusters": [{"name": "other"}]}, replicated("Subscription", source)) == [{
		"path": ["spec", "externalClusterName"],
		"resource": {"apiVersion": "postgresql.cnpg.io/v1", "kind": "Subscription", "namespace": "db", "name": "sub"},
		"reason": "Subscription sub is not created: its source old is not among externalClusters of the cluster",
		"cure": "Describe it there, or name one that is",
	}]
	found({"externalClusters": [{"name": "old"}]}, replicated("Subscription", source)) == []
	found({"externalClusters": [{"name": "${OLD}"}]}, replicated("Subscription", source)) == []
	found({}, replicated("Subscription", {"externalClusterName": "${OLD}"})) == []
}

import_of(initdb) := {"bootstrap": {"initdb": object.union({"import": {"type": "microservice", "databases": ["shop"]}}, initdb)}}

test_import_into_another_database if {
	[[f.path, f.reason, f.cure] | some f in found(import_of({}), replicated("Publication", {"dbname": "shop"}))] == [[
		["spec", "dbname"],
		"Publication sub is for database shop, which the import puts into app: there is no database shop",
		"Set bootstrap.initdb.database: shop",
	]]
	found(import_of({"database": "shop"}), replicated("Publication", {"dbname": "shop"})) == []
	found(import_of({}), replicated("Publication", {"dbname": "app"})) == []
	found(import_of({"database": "${NAME}"}), replicated("Publication", {"dbname": "shop"})) == []
	found(import_of({}), {"postgresql.cnpg.io/v1": object.union(
		replicated("Publication", {"dbname": "shop"})["postgresql.cnpg.io/v1"],
		{"Database": {"shop": made("Database", "shop", {"cluster": {"name": "pg"}, "name": "shop"})}},
	)}) == []
}

store := {"barmanObjectStore": {"destinationPath": "s3://backups/"}}

restored(recovery) := {
	"bootstrap": {"recovery": object.union({"source": "old"}, recovery)},
	"externalClusters": [object.union({"name": "old"}, store)],
}

asking := {"apps/v1": {"Deployment": {"shop": {
	"apiVersion": "apps/v1",
	"kind": "Deployment",
	"metadata": {"name": "shop", "namespace": "db"},
	"spec": {"template": {"spec": {"containers": [{"envFrom": [{"secretRef": {"name": "pg-app"}}]}]}}},
}}}}

old(bootstrap) := {"postgresql.cnpg.io/v1": {"Cluster": {"old": made("Cluster", "old", {"backup": store, "bootstrap": bootstrap})}}}

begun := {"initdb": {"database": "shop", "owner": "admin"}}

test_owner_who_owns_nothing if {
	[[f.path, f.reason, f.cure] | some f in found(restored({"database": "shop", "owner": "shop"}), old(begun))] == [[
		["spec", "bootstrap", "recovery", "owner"],
		"Role shop becomes the owner of database shop and of nothing in it, which belongs to admin of cluster old: permission denied for its tables",
		"Write owner: admin",
	]]
	found(restored({"database": "shop", "owner": "admin"}), old(begun)) == []
}

test_secret_of_an_empty_database if {
	[[f.path, f.reason, f.cure] | some f in found(restored({}), object.union(old(begun), asking))] == [[
		["spec", "bootstrap", "recovery"],
		"The restored data are in database shop of admin, and Secret pg-app, which Deployment shop asks for, is of a new and empty database app",
		"Write database: shop and owner: admin",
	]]
	found(restored({}), old(begun)) == []
	found(restored({"secret": {"name": "own"}}), object.union(old(begun), asking)) == []
}

# Nobody knows what is in the archive, or the source is recovered or imported itself.
test_silent_when_unknown if {
	found(restored({}), asking) == []
	found(restored({}), object.union(old({"recovery": {}}), asking)) == []
	found(restored({}), object.union(old({"initdb": {"import": {}}}), asking)) == []
	found(restored({}), object.union(old({"initdb": {"database": "${DB}"}}), asking)) == []
	found(object.union(restored({}), {"replica": {"enabled": true}}), object.union(old(begun), asking)) == []
}

test_in_the_cluster if {
	with_source := cnpg.cluster with input as {
		"review": {"object": made("Cluster", "pg", {"externalClusters": [{"name": "other"}]})},
		"inventory": {"namespace": {"db": replicated("Subscription", {"externalClusterName": "old"})}},
	}
	count(with_source.uncreated) == 1
}

listing(names) := {"postgresql.cnpg.io/v1": {"Database": {"app": made("Database", "app", {"cluster": {"name": "pg"}, "name": "app", "extensions": [{"name": name} | some name in names]})}}}

# The operator creates extensions without CASCADE.
test_extension_without_another if {
	found({"instances": 1}, listing(["vchord"])) == [{
		"path": ["spec", "extensions", 0],
		"resource": {"apiVersion": "postgresql.cnpg.io/v1", "kind": "Database", "namespace": "db", "name": "app"},
		"reason": "Database app is not applied: extension vchord requires vector, which it does not list, and the operator creates extensions without CASCADE",
		"cure": "List vector as well",
		"level": "info",
	}]
	[object.get(one, "level", null) | some one in found({"instances": 1}, listing(["postgis_topology"]))] == [null]
	[one.cure | some one in found({"instances": 1}, listing(["postgis", "postgis_tiger_geocoder", "earthdistance"]))] == ["List fuzzystrmatch as well", "List cube as well"]
	found({"instances": 1}, listing(["vector", "vchord", "cube", "earthdistance", "pgcrypto"])) == []
	found({"instances": 1}, listing(["($values.name)", "vchord"])) == []
}

# pg_cron lives in one database.
test_pg_cron_in_another_database if {
	loaded := {"postgresql": {"shared_preload_libraries": ["pg_cron"]}}
	[[f.path, f.reason, f.cure] | some f in found(loaded, listing(["pg_cron"]))] == [[
		["spec", "extensions", 0],
		"Database app is not applied: pg_cron can be created in the database that cron.database_name says alone, postgres",
		"Set cron.database_name: app among the parameters of the cluster",
	]]
	found({"postgresql": {"shared_preload_libraries": ["pg_cron"], "parameters": {"cron.database_name": "app"}}}, listing(["pg_cron"])) == []
	found({}, listing(["pg_cron"])) == []
}

# What initdb, a copy or a restore brings is there already.
test_extension_beside_another if {
	found({"bootstrap": {"initdb": {"postInitApplicationSQL": ["CREATE EXTENSION vchord CASCADE"]}}}, listing(["vchord"])) == []
	found({"bootstrap": {"initdb": {"postInitTemplateSQL": ["CREATE EXTENSION vector"]}}}, listing(["vchord"])) == []
	found({"bootstrap": {"initdb": {"postInitApplicationSQLRefs": {"configMapRefs": [{"name": "sql", "key": "sql"}]}}}}, listing(["vchord"])) == []
	found({"bootstrap": {"initdb": {"import": {"type": "monolith"}}}}, listing(["vchord"])) == []
	found(restored({}), listing(["vchord"])) == []
}

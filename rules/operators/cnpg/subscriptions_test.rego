package walguard.operators.cnpg_subscriptions_test

import data.walguard.operators.cnpg

api := "postgresql.cnpg.io/v1"

made(kind, name, spec) := {name: {"apiVersion": api, "kind": kind, "metadata": {"name": name, "namespace": "db"}, "spec": spec}}

told(parameters, spec, subscription, publications) := {[one.level, one.reason] | some one in object.get(found, "uncreated", [])} if {
	found := cnpg.cluster with input as {
		"review": {"object": made("Cluster", "pg", object.union({"instances": 1, "externalClusters": [{"name": "src", "connectionParameters": object.union({"host": "src-rw", "user": "postgres", "dbname": "app"}, parameters)}]}, spec)).pg},
		"inventory": {"namespace": {"db": {api: {
			"Cluster": made("Cluster", "src", {"instances": 1}),
			"Publication": publications,
			"Subscription": made("Subscription", "s", object.union({"name": "s", "dbname": "app", "publicationName": "p", "externalClusterName": "src", "cluster": {"name": "pg"}}, subscription)),
		}}}},
	}
}

test_nothing_to_tell if {
	told({}, {}, {}, {}) == set()
	told({}, {}, {}, made("Publication", "x", {"name": "p", "dbname": "app", "cluster": {"name": "src"}})) == set()
	told({}, {}, {}, made("Publication", "x", {"name": "q", "dbname": "app", "cluster": {"name": "others"}})) == set()
}

test_database_that_nothing_names if {
	said := {["warning", "Subscription s connects to database repl of its source, called as its user, for neither publicationDBName nor dbname in connectionParameters of other names another"]}
	nameless({}, "repl") == said
	nameless({"publicationDBName": "app"}, "repl") == set()
	nameless({}, "app") == set()
	nameless({}, "${USER}") == set()
}

said_of(external, subscription) := told({}, {"externalClusters": [external]}, subscription, {})

nameless(subscription, user) := said_of({"name": "other", "connectionParameters": {"host": "old.example.com", "user": user}}, object.union({"externalClusterName": "other"}, subscription))

test_publication_of_itself if {
	own := {"host": "pg-rw.db.svc"}
	told(own, {}, {}, {}) == {["error", "Subscription s is for a publication of its own cluster: it waits for itself and is never created"]}
	told(own, {}, {"parameters": {"create_slot": "false", "slot_name": "s"}}, {}) == set()
}

importing(more) := {"bootstrap": {"initdb": {"import": object.union({"type": "microservice", "databases": ["app"], "source": {"externalCluster": "src"}}, more)}}}

test_rows_that_are_there if {
	told({}, importing({}), {}, {}) == {["error", "Subscription s copies the tables of src once more, whose rows the import has brought: every copy of a table with a key fails for ever"]}
	told({}, importing({"schemaOnly": true}), {}, {}) == set()
	told({}, importing({"pgDumpExtraOptions": ["--schema-only"]}), {}, {}) == set()
	told({}, importing({}), {"parameters": {"copy_data": "false"}}, {}) == set()
	told({}, importing({"source": {"externalCluster": "another"}}), {}, {}) == set()
}

test_publications_in_sight if {
	told({}, {}, {}, made("Publication", "x", {"name": "q", "dbname": "app", "cluster": {"name": "src"}})) == {["warning", "Subscription s asks for publication p, and those of src are q: nothing is replicated unless somebody creates it by hand"]}
	told({}, {}, {}, made("Publication", "x", {"name": "p", "dbname": "shop", "cluster": {"name": "src"}})) == {["error", "Subscription s asks for publication p in database app of src, and that is in shop: nothing is replicated"]}
	told({}, {}, {"publicationDBName": "shop"}, made("Publication", "x", {"name": "p", "dbname": "shop", "cluster": {"name": "src"}})) == set()
}

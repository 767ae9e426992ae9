package walguard.operators.cnpg.webhook_test

import data.walguard.operators.cnpg.webhook

defined(kind, spec, cluster) := {[f.reason, f.path] | some f in found} if {
	found := webhook.refusals with input as {
		"review": {"object": {"apiVersion": "postgresql.cnpg.io/v1", "kind": "Cluster", "metadata": {"name": "orders", "namespace": "shop"}, "spec": object.union({"instances": 3}, cluster)}},
		"inventory": {"namespace": {"shop": {"postgresql.cnpg.io/v1": {kind: {"p": {"apiVersion": "postgresql.cnpg.io/v1", "kind": kind, "metadata": {"name": "p", "namespace": "shop"}, "spec": object.union({"cluster": {"name": "orders"}}, spec)}}}}}},
	}
}

test_definition_of_a_pooler if {
	template := ["spec", "template", "spec"]
	every one in [
		[{"template": {"spec": {"nodeSelector": {"a": "b"}}}}, {["template.spec of the Pooler has no containers", template]}],
		[{"template": {"spec": {"containers": [], "nodeSelector": {"a": "b"}}}}, set()],
		[{"template": {"metadata": {"labels": {"a": "b"}}}}, set()],
		[{"template": {"spec": {"containers": [{"resources": {}}]}}}, {["an entry of containers of the Pooler has no name", array.concat(template, ["containers", 0])]}],
		[{"pgbouncer": {"poolMode": "statement"}}, {["poolMode of the Pooler is \"statement\"", ["spec", "pgbouncer", "poolMode"]]}],
		[{"pgbouncer": {"poolMode": "${MODE}"}}, set()],
		[{"instances": "2"}, {["instances of the Pooler is a text", ["spec", "instances"]]}],
		[{"pgbouncer": {"image": "a", "imageCatalogRef": {"apiGroup": "postgresql.cnpg.io", "kind": "ImageCatalog", "name": "c", "key": "pgbouncer"}}}, {["image and imageCatalogRef stand beside each other in pgbouncer", ["spec", "pgbouncer", "image"]]}],
		[{"monitoring": {"enablePodMonitor": true, "tls": {"enabled": true}}}, {["the Pooler has enablePodMonitor, its metrics over TLS, and no pgbouncer.clientTLSSecret", ["spec", "monitoring", "tls", "enabled"]]}],
		[{"monitoring": {"tls": {"enabled": true}}}, set()],
	] {
		defined("Pooler", object.union({"instances": 2, "type": "rw", "pgbouncer": {}}, one[0]), {}) == one[1]
	}
	defined("Pooler", {"instances": 2, "type": "rw"}, {}) == {["Pooler p has no pgbouncer, which its schema requires", ["spec"]]}
}

# By the tables of walguard.lib.schema.
test_types_beside_the_cluster if {
	defined("ScheduledBackup", {"schedule": "0 0 0 * * *", "immediate": "true"}, {}) == {["immediate is a text", ["spec", "immediate"]]}
	defined("Database", {"name": "a", "owner": "b", "extensions": ["vector"]}, {}) == {["extensions 1 is a text", ["spec", "extensions", 0]]}
	defined("Database", {"name": "a", "owner": "b", "extensions": [{"name": "vector"}], "connectionLimit": "10"}, {}) == {["connectionLimit is a text", ["spec", "connectionLimit"]]}
	defined("Publication", {"name": "a", "dbname": "b", "target": {"allTables": "yes"}}, {}) == {["allTables is a text", ["spec", "target", "allTables"]]}
	defined("Pooler", {"instances": 2, "type": "rw", "pgbouncer": {"serverCASecret": {"key": "ca.crt"}}}, {}) == {["serverCASecret has no name", ["spec", "pgbouncer", "serverCASecret"]]}
	defined("Database", {"name": "a", "owner": "b", "extensions": "${EXTENSIONS}"}, {}) == set()
	defined("Database", {"name": "a", "owner": "b", "cluster": {"name": "another"}, "extensions": ["vector"]}, {}) == set()
}

test_words_of_definitions if {
	defined("ScheduledBackup", {"schedule": "0 0 0 * * *", "backupOwnerReference": "owner"}, {}) == {["backupOwnerReference of ScheduledBackup p is \"owner\"", ["spec", "backupOwnerReference"]]}
	defined("ScheduledBackup", {"schedule": "0 0 0 * * *", "backupOwnerReference": "self", "target": "primary"}, {}) == set()
	defined("Database", {"name": "a", "owner": "b", "databaseReclaimPolicy": "Retain"}, {}) == {["databaseReclaimPolicy of Database p is \"Retain\"", ["spec", "databaseReclaimPolicy"]]}
	defined("Database", {"name": "a", "owner": "b", "ensure": "${ENSURE}"}, {}) == set()
}

test_locale_of_a_database if {
	defined("Database", {"name": "a", "owner": "b", "icuLocale": "en"}, {}) == {["icuLocale of Database p stands without localeProvider: icu", ["spec", "icuLocale"]]}
	defined("Database", {"name": "a", "owner": "b", "icuLocale": "en", "localeProvider": "icu"}, {}) == set()
	defined("Database", {"name": "a", "owner": "b", "icuLocale": "en", "localeProvider": "${PROVIDER}"}, {}) == set()
}

test_catalogue_without_its_group if {
	defined("Pooler", {"pgbouncer": {}}, {"imageCatalogRef": {"kind": "ImageCatalog", "name": "c", "major": 16}}) == {["imageCatalogRef has no apiGroup (\"Only image catalogs are supported\")", ["spec", "imageCatalogRef"]]}
	defined("Pooler", {"pgbouncer": {}}, {"imageCatalogRef": {"apiGroup": "postgresql.cnpg.io", "kind": "ImageCatalog", "name": "c", "major": 16}}) == set()
}

test_two_kinds_of_domains if {
	defined("Pooler", {"pgbouncer": {}}, {"postgresql": {"synchronous": {"method": "any", "number": 1, "podFailureDomainKeys": ["a"], "nodeFailureDomainKeys": ["b"]}}}) == {["postgresql.synchronous.podFailureDomainKeys stands beside postgresql.synchronous.nodeFailureDomainKeys", ["spec", "postgresql", "synchronous", "podFailureDomainKeys"]]}
}

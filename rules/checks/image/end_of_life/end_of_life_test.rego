package walguard.checks.image.end_of_life_test

import data.walguard.checks.image.end_of_life as check
import data.walguard.lib.manifest_test as manifests

at(image, now) := found if found := check.findings with input as object.union(manifests.review({}, {"imageName": image}), {"now": now})

test_over if {
	at("x:14.23", "2026-11-22T00:00:00Z") == {{
		"message": "PostgreSQL 14 has had no fixes since 2026-11-12, its end of life: security holes stay open. Upgrade to 18.",
		"path": ["spec", "imageName"],
	}}
	count(at("x:14.23", "2026-11-12T00:00:00Z")) == 1
	count(at("postgres:9.6", "2026-11-12T00:00:00Z")) == 1
}

test_soon if {
	at("x:14.23", "2026-11-11T00:00:00Z") == {{
		"message": "PostgreSQL 14 gets its last fixes on 2026-11-12, its end of life. Plan the upgrade to 18.",
		"path": ["spec", "imageName"],
		"severity": "info",
	}}
	at("x:14.23", "2026-05-15T00:00:00Z") == set()
}

test_supported if {
	at("x:15.18", "2026-11-22T00:00:00Z") == set()
	at("x:19.0", "2026-11-22T00:00:00Z") == set()
	at("x:99", "2026-11-22T00:00:00Z") == set()
	at("x:latest", "2026-11-22T00:00:00Z") == set()
}

test_support_of_others if {
	review := {"now": "2026-11-22T00:00:00Z", "review": {"object": {
		"apiVersion": "postgresql.k8s.enterprisedb.io/v1", "kind": "Cluster", "metadata": {"name": "orders"},
		"spec": {"instances": 1, "imageName": "docker.enterprisedb.com/k8s/edb-postgres-advanced:13"},
	}}}
	found := check.findings with input as review
	found == set()
}

test_first_day_of_notice if count(at("x:14.23", "2026-05-16T00:00:00Z")) == 1

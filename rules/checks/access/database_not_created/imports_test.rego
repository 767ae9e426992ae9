package walguard.checks.access.database_not_created_imports_test

import data.walguard.checks.access.database_not_created as check

made(kind, name, spec) := {"apiVersion": "postgresql.cnpg.io/v1", "kind": kind, "metadata": {"name": name, "namespace": "prod"}, "spec": spec}

source(image_name) := {"Cluster": {"old": made("Cluster", "old", {"imageName": image_name})}}

pooled(pgbouncer) := {"Pooler": {"old-pooler": made("Pooler", "old-pooler", {"cluster": {"name": "old"}, "pgbouncer": pgbouncer})}}

imported(section, host, objects) := found if found := check.findings with input as {
	"review": {"object": made("Cluster", "new", {
		"bootstrap": {"initdb": {"import": object.union({"type": "monolith", "databases": ["*"], "roles": ["*"], "source": {"externalCluster": "old"}}, section)}},
		"externalClusters": [{"name": "old", "connectionParameters": {"host": host}}],
	})},
	"inventory": {"namespace": {"prod": objects}},
}

at(host, section, image_name, pgbouncer, others) := imported(section, host, object.union(others, {"postgresql.cnpg.io/v1": object.union(source(image_name), pooled(pgbouncer))}))

older := "ghcr.io/cloudnative-pg/postgresql:15.10"

test_source_with_a_pooler if {
	at("old-rw", {}, older, {"poolMode": "session"}, {}) == {{
		"message": "Databases of old grant to the role of its Pooler old-pooler, cnpg_pooler_pgbouncer, which the import leaves out: \"role does not exist\", and no instance is created. Set pgDumpExtraOptions: [--no-acl], or drop user_search there.",
		"path": ["spec", "bootstrap", "initdb", "import"],
		"severity": "warning",
	}}
	count(at("old-pooler", {}, older, {}, {})) == 1
	count(at("old-ro.prod.svc", {}, "ghcr.io/cloudnative-pg/postgresql:17.6-standard-trixie", {}, {})) == 1
}

deployed(tag) := {"apps/v1": {"Deployment": {"operator": {
	"apiVersion": "apps/v1",
	"kind": "Deployment",
	"metadata": {"name": "operator", "namespace": "prod"},
	"spec": {"template": {"spec": {"containers": [{"image": sprintf("ghcr.io/cloudnative-pg/cloudnative-pg:%s", [tag])}]}}},
}}}}

charted(version) := {"helm.toolkit.fluxcd.io/v2": {"HelmRelease": {"operator": {
	"apiVersion": "helm.toolkit.fluxcd.io/v2",
	"kind": "HelmRelease",
	"metadata": {"name": "operator", "namespace": "prod"},
	"spec": {"chart": {"spec": {"chart": "cloudnative-pg", "version": version}}},
}}}}

newest := "ghcr.io/cloudnative-pg/postgresql:17.9"

test_release_beside_it if {
	every others in [deployed("1.27.1"), deployed("v1.24"), charted("0.26.0")] {
		{f.severity | some f in at("old-rw", {}, newest, {}, others)} == {"error"}
	}
	every others in [deployed("1.28.0"), deployed("1.30.0"), charted("0.27.0"), {}] {
		at("old-rw", {}, newest, {}, others) == set()
	}
}

test_import_not_reported if {
	every section in [
		{"type": "microservice", "databases": ["shop"], "roles": []},
		{"pgDumpExtraOptions": ["--no-acl"]},
		{"pgRestoreExtraOptions": ["--no-owner", "-x"]},
		{"pgDumpExtraOptions": ["--exclude-schema=public"]},
		{"databases": ["${DATABASE}"]},
	] {
		at("old-rw", section, older, {}, {}) == set()
	}
	at("old-rw.other.svc", {}, older, {}, {}) == set()
	at("older-rw", {}, older, {}, {}) == set()
	at("old-rw", {}, "ghcr.io/cloudnative-pg/postgresql:15", {}, {}) == set()
	at("old-rw", {}, older, {"authQuery": "SELECT 1", "authQuerySecret": {"name": "q"}}, {}) == set()
	imported({}, "old-rw", {"postgresql.cnpg.io/v1": source(older)}) == set()
}

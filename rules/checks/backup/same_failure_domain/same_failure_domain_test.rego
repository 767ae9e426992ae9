package walguard.checks.backup.same_failure_domain_test

import data.walguard.checks.backup.same_failure_domain as check
import data.walguard.model

repository(name, store) := {"name": name, "store": store, "retention": true, "cure": "x", "path": ["spec", name]}

findings(repositories) := found if found := check.findings with model.repositories as repositories

test_volumes_only if {
	findings([repository("repo1", "volume"), repository("repo2", "volume")]) == {{
		"message": "All backups are on volumes next to the data (repo1, repo2): losing the storage or the namespace loses both. Add a repository in object storage elsewhere.",
		"path": ["spec", "repo1"],
	}}
}

test_elsewhere_too if findings([repository("repo1", "volume"), repository("repo2", "objects")]) == set()

test_silent_when_unknown if {
	findings([]) == set()
	check.findings == set() with input as {"review": {"object": {"apiVersion": "v1", "kind": "Secret"}}}
}

beside(kind, claim_name, container, fields) := {[f.severity, f.path, f.message] |
	found := check.findings with input as {
		"review": {"object": {
			"apiVersion": "apps/v1", "kind": kind, "metadata": {"name": "db", "namespace": "prod"},
			"spec": object.union(
				{"serviceName": "db", "template": {"metadata": {"labels": {"app": "db"}}, "spec": {
					"containers": [{"name": "postgres", "image": "postgres:17.6", "volumeMounts": [{"name": "data", "mountPath": "/var/lib/postgresql/data"}]}],
					"volumes": [{"name": "data", "persistentVolumeClaim": {"claimName": "db-data"}} | kind == "Deployment"],
				}}},
				fields,
			),
		}},
		"inventory": {"namespace": {"prod": {
			"v1": {"Service": {"db": {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "db", "namespace": "prod"}, "spec": {"selector": {"app": "db"}, "ports": [{"port": 5432}]}}}},
			"batch/v1": {"CronJob": {"dump": {"apiVersion": "batch/v1", "kind": "CronJob", "metadata": {"name": "dump", "namespace": "prod"}, "spec": {"jobTemplate": {"spec": {"template": {"spec": {
				"containers": [object.union({"name": "dump", "volumeMounts": [{"name": "to", "mountPath": "/backups"}]}, container)],
				"volumes": [{"name": "to", "persistentVolumeClaim": {"claimName": claim_name}}],
			}}}}}}}},
		}}},
	}
	some f in found
}

dump := {"image": "postgres:17.6", "command": ["sh", "-c", "pg_dump -h db app > /backups/app.sql"]}

templates := {"replicas": 1, "volumeClaimTemplates": [{"metadata": {"name": "data"}, "spec": {}}]}

test_on_the_claim_of_the_data if {
	beside("Deployment", "db-data", dump, {}) == {["warning", ["spec", "jobTemplate", "spec", "template", "spec", "containers", 0, "command"], "CronJob dump writes its dumps to claim db-data, where the data of the server lie: what takes the volume or fills it takes both. Give them a claim of another disk, or send them to an object store."]}
	count(beside("StatefulSet", "data-db-0", dump, templates)) == 1
	count(beside("Deployment", "db-data", {"image": "prodrigestivill/postgres-backup-local:17", "env": [{"name": "POSTGRES_HOST", "value": "db"}]}, {})) == 1
}

test_on_another_claim if {
	beside("Deployment", "dumps", dump, {}) == set()
	beside("StatefulSet", "data-db-0", dump, object.union(templates, {"replicas": 2})) == set()
	beside("Deployment", "db-data", object.union(dump, {"command": ["sh", "-c", "pg_dump -h db app > /backups/app.sql; aws s3 cp /backups/app.sql s3://b/"]}), {}) == set()
	beside("Deployment", "db-data", object.union(dump, {"command": ["sh", "-c", "pg_dump -h db app > /tmp/app.sql"]}), {}) == set()
}

package walguard.checks.backup.dump_older_than_server_test

import data.walguard.checks.backup.dump_older_than_server as check

job(container) := {
	"apiVersion": "batch/v1",
	"kind": "CronJob",
	"metadata": {"name": "dump", "namespace": "prod"},
	"spec": {"jobTemplate": {"spec": {"template": {"spec": {"containers": [container]}}}}},
}

findings(object, container) := found if {
	found := check.findings with input as {
		"review": {"object": object},
		"inventory": {"namespace": {"prod": {"batch/v1": {"CronJob": {"dump": job(container)}}}}},
	}
}

cnpg := {"apiVersion": "postgresql.cnpg.io/v1", "kind": "Cluster", "metadata": {"name": "orders", "namespace": "prod"}, "spec": {"imageName": "ghcr.io/cloudnative-pg/postgresql:17.6"}}

zalando := {"apiVersion": "acid.zalan.do/v1", "kind": "postgresql", "metadata": {"name": "orders", "namespace": "prod"}, "spec": {"postgresql": {"version": "17"}}}

workload := {
	"apiVersion": "apps/v1",
	"kind": "StatefulSet",
	"metadata": {"name": "db", "namespace": "prod"},
	"spec": {"serviceName": "orders", "template": {"spec": {"containers": [{"name": "postgres", "image": "postgres:17.6"}]}}},
}

old := {"name": "dump", "image": "postgres:16-alpine", "command": ["sh", "-c", "pg_dump -h orders-rw.prod.svc orders | gzip > /dumps/orders.gz"]}

test_old_image if {
	findings(cnpg, old) == {{
		"message": "pg_dump 16 of image postgres:16-alpine refuses a server of PostgreSQL 17 (\"server version mismatch\"), so every dump fails. Use an image of 17.",
		"path": ["spec", "jobTemplate", "spec", "template", "spec", "containers", 0, "image"],
		"resource": {"apiVersion": "batch/v1", "kind": "CronJob", "name": "dump", "namespace": "prod"},
	}}
	count(findings(zalando, {"image": "prodrigestivill/postgres-backup-local:15", "env": [{"name": "POSTGRES_HOST", "value": "orders"}]})) == 1
	count(findings(workload, {"image": "postgres:15", "args": ["pg_dumpall"], "env": [{"name": "PGHOST", "value": "orders"}]})) == 1
}

test_service_of_a_workload if {
	found := check.findings with input as {
		"review": {"object": object.union(workload, {"spec": {"serviceName": "", "template": {"metadata": {"labels": {"app": "db"}}}}})},
		"inventory": {"namespace": {"prod": {
			"v1": {"Service": {"pg": {"kind": "Service", "metadata": {"name": "pg", "namespace": "prod"}, "spec": {"selector": {"app": "db"}}}}},
			"batch/v1": {"CronJob": {"dump": job({"image": "postgres:15", "args": ["pg_dumpall", "--host=pg"]})}},
		}}},
	}
	count(found) == 1
}

test_not_reported if {
	findings(cnpg, object.union(old, {"image": "postgres:17"})) == set()
	findings(cnpg, object.union(old, {"image": "postgres:18"})) == set()
	findings(cnpg, object.union(old, {"command": ["psql", "-h", "orders-rw"]})) == set()
}

# Another server, an image of nobody knows which major, a host from elsewhere.
test_silent_when_unknown if {
	findings(cnpg, object.union(old, {"command": ["pg_dump", "-h", "stock-rw"]})) == set()
	findings(cnpg, object.union(old, {"image": "postgres:latest"})) == set()
	findings(cnpg, object.union(old, {"image": "corp/backup:3"})) == set()
	findings(object.remove(cnpg, ["spec"]), old) == set()
}

# Images whose tag is not a version of PostgreSQL.
test_images_with_versions_of_their_own if {
	env := [{"name": "DB_HOST", "value": "orders"}]
	eighteen := json.patch(workload, [{"op": "replace", "path": "/spec/template/spec/containers/0/image", "value": "postgres:18.1"}])
	count(findings(eighteen, {"image": "jkaninda/pg-bkup:v1.3.4", "env": env})) == 1
	count(findings(eighteen, {"image": "jkaninda/pg-bkup:1.2", "env": env})) == 1
	findings(eighteen, {"image": "jkaninda/pg-bkup:v1.3.5", "env": env}) == set()
	findings(eighteen, {"image": "jkaninda/pg-bkup:v1.10.0", "env": env}) == set()
	findings(eighteen, {"image": "jkaninda/pg-bkup:latest", "env": env}) == set()
	findings(workload, {"image": "jkaninda/pg-bkup:v1.3.4", "env": env}) == set()
	count(findings(workload, {"image": "schickling/postgres-backup-s3", "env": env})) == 1
	count(findings(workload, {"image": "schickling/postgres-backup-s3:latest", "env": env})) == 1
	findings(workload, {"image": "siemens/postgres-backup-s3", "env": env}) == set()
}

logical(reference, version) := found if {
	found := check.findings with input as {
		"review": {"object": {
			"apiVersion": "acid.zalan.do/v1",
			"kind": "postgresql",
			"metadata": {"name": "orders", "namespace": "prod"},
			"spec": {"enableLogicalBackup": true, "postgresql": {"version": version}},
		}},
		"inventory": {"namespace": {"ops": {"acid.zalan.do/v1": {"OperatorConfiguration": {"operator": {
			"apiVersion": "acid.zalan.do/v1",
			"kind": "OperatorConfiguration",
			"metadata": {"name": "operator", "namespace": "ops"},
			"configuration": {"logical_backup": {"logical_backup_docker_image": reference}},
		}}}}}},
	}
}

test_logical_backup_of_an_older_release if {
	logical("ghcr.io/zalando/postgres-operator/logical-backup:v1.13.0", "17") == {{
		"message": "Image ghcr.io/zalando/postgres-operator/logical-backup:v1.13.0 has no pg_dumpall newer than 16, and the server is PostgreSQL 17, so every logical backup fails. Use the image of a release that has 17.",
		"path": ["configuration", "logical_backup", "logical_backup_docker_image"],
		"resource": {"apiVersion": "acid.zalan.do/v1", "kind": "OperatorConfiguration", "name": "operator", "namespace": "ops"},
	}}
	count(logical("registry.opensource.zalan.do/acid/logical-backup:v1.8.2", "15")) == 1
	count(logical("registry.opensource.zalan.do/acid/logical-backup:v1.10.1", "16")) == 1
	count(logical("ghcr.io/zalando/postgres-operator/logical-backup:v1.15.1", "18")) == 1
}

test_logical_backup_of_its_release if {
	logical("ghcr.io/zalando/postgres-operator/logical-backup:v1.14.0", "17") == set()
	logical("ghcr.io/zalando/postgres-operator/logical-backup:v2.0.1", "18") == set()
	logical("registry.example.com/logical-backup:latest", "17") == set()
	logical("", "17") == set()
}

test_logical_backup_of_a_plain_configuration if {
	found := check.findings with input as {
		"review": {"object": {
			"apiVersion": "acid.zalan.do/v1",
			"kind": "postgresql",
			"metadata": {"name": "orders", "namespace": "prod"},
			"spec": {"enableLogicalBackup": true, "postgresql": {"version": "17"}},
		}},
		"inventory": {"namespace": {"ops": {"v1": {"ConfigMap": {"postgres-operator": {
			"apiVersion": "v1",
			"kind": "ConfigMap",
			"metadata": {"name": "postgres-operator", "namespace": "ops"},
			"data": {"enable_team_id_clustername_prefix": "false", "logical_backup_docker_image": "ghcr.io/zalando/postgres-operator/logical-backup:v1.13.0"},
		}}}}}},
	}
	{f.path | some f in found} == {["data", "logical_backup_docker_image"]}
}

# The newest pg_dumpall of each release's image: no server of that major or an older one is refused, the next one is.
test_releases_of_the_operator if {
	every release, newest in {
		"v0.9.0": 12, "v1.0.0": 14, "v1.8.2": 14, "v1.9.0": 15, "v1.10.1": 15, "v1.11.0": 16, "v1.13": 16, "v1.14.0": 17, "v1.15.1": 17, "v2.0.0": 18,
	} {
		reference := concat(":", ["ghcr.io/zalando/postgres-operator/logical-backup", release])
		logical(reference, sprintf("%d", [newest])) == set()
		count(logical(reference, sprintf("%d", [newest + 1]))) == 1
	}
}

# A Deployment that dumps by a schedule of its own.
daemon(reference) := {[f.message, f.path, f.resource.kind] |
	found := check.findings with input as {
		"review": {"object": workload},
		"inventory": {"namespace": {"prod": {"apps/v1": {"Deployment": {"dump": {
			"apiVersion": "apps/v1",
			"kind": "Deployment",
			"metadata": {"name": "dump", "namespace": "prod"},
			"spec": {"template": {"spec": {"containers": [{"name": "dump", "image": reference, "env": [{"name": "POSTGRES_HOST", "value": "orders"}]}]}}},
		}}}}}},
	}
	some f in found
}

refused(reference, major) := {[
	sprintf("pg_dump %d of image %s refuses a server of PostgreSQL 17 (\"server version mismatch\"), so every dump fails. Use an image of 17.", [major, reference]),
	["spec", "template", "spec", "containers", 0, "image"], "Deployment",
]}

test_old_image_of_a_deployment if {
	every one in ["prodrigestivill/postgres-backup-local:16-alpine", "eeshugerman/postgres-backup-s3:16", "kartoza/pg-backup:16-3.4"] {
		daemon(one) == refused(one, 16)
	}
	daemon("schickling/postgres-backup-s3") == refused("schickling/postgres-backup-s3", 14)
	every one in ["prodrigestivill/postgres-backup-local:17", "prodrigestivill/postgres-backup-local", "prodrigestivill/postgres-backup-local:latest", "example.com/postgres-backup-local:16"] {
		daemon(one) == set()
	}
}

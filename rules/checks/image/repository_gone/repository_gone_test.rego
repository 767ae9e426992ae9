package walguard.checks.image.repository_gone_test

import data.walguard.checks.image.repository_gone as check
import data.walguard.lib.image_manifest_test as images

findings(image) := found if found := check.findings with input as images.workload(image)

test_gone if {
	findings("bitnami/postgresql:16.4.0") == {{
		"message": "bitnami/postgresql:16.4.0 cannot be pulled since 2025-08-28: a pod on a node without a copy of it does not start. What was there is in docker.io/bitnamilegacy, without updates; move to a maintained image.",
		"path": images.image_path,
	}}
}

test_frozen if {
	findings("docker.io/bitnamilegacy/postgresql:16.4.0") == {{
		"message": "docker.io/bitnamilegacy/postgresql:16.4.0 has had no updates since 2025-08-28, security fixes included. Move to a maintained image.",
		"path": images.image_path,
		"severity": "warning",
	}}
}

test_there if {
	findings("postgres:16.4") == set()
	findings("bitnami/postgresql:latest") == set()
	findings("bitnami/postgresql") == set()
	findings("registry.example.com/bitnami/postgresql:16.4.0") == set()
}

told(container) := found if found := check.findings with input as {"review": {"object": images.set_of(object.union(
	{"name": "postgres", "ports": [{"containerPort": 5432}], "env": [{"name": "POSTGRES_PASSWORD", "value": "x"}], "volumeMounts": [{"name": "data", "mountPath": "/var/lib/postgresql/data"}]},
	container,
))}}

said(image) := {[f.severity, f.message] | some f in told({"image": image})}

test_never_there if {
	told({"image": "docker.io/library/postgresql:17.6"}) == {{
		"message": "docker.io/library/postgresql:17.6 cannot be pulled: Docker Hub has no official image of that name, and the pod stays in ImagePullBackOff. Write postgres.",
		"path": images.image_path,
		"severity": "error",
	}}
	said("postgresql:17.6") == {["warning", "postgresql:17.6 cannot be pulled: Docker Hub has no official image of that name, and the pod stays in ImagePullBackOff unless it was built on the node. Write postgres."]}
	said("postgres:17.6.0") == {["error", "postgres:17.6.0 cannot be pulled: versions of PostgreSQL have two numbers since 10, and the pod stays in ImagePullBackOff. Write postgres:17.6."]}
	said("public.ecr.aws/docker/library/postgres:16.4.1-alpine3.20") == {["error", "public.ecr.aws/docker/library/postgres:16.4.1-alpine3.20 cannot be pulled: versions of PostgreSQL have two numbers since 10, and the pod stays in ImagePullBackOff. Write postgres:16.4-alpine3.20."]}
}

test_there_or_on_the_node if {
	said("postgresql") == set()
	said("postgresql:dev") == set()
	said("registry.example.com/library/postgresql:17.6") == set()
	said("postgres:9.6.24") == set()
	said("postgres:17.6-alpine3.22") == set()
	told({"image": "docker.io/library/postgresql:17.6", "imagePullPolicy": "Never"}) == set()
}

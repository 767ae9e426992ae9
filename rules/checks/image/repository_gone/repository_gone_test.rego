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

# bitnami/charts 36229
test_old_distribution_gone if {
	{f.message | some f in findings("docker.io/bitnamilegacy/postgresql:11.14.0-debian-10-r22")} == {"docker.io/bitnamilegacy/postgresql:11.14.0-debian-10-r22 cannot be pulled since 2025-08-28: a pod on a node without a copy of it does not start. It was not copied to another place; move to a maintained image."}
	count(findings("bitnami/postgresql:11.7.0-debian-9-r0")) == 1
	{f.severity | some f in findings("bitnamilegacy/postgresql:11.22.0-debian-11-r4")} == {"warning"}
}

# Its freeze came before them.
test_releases_since_then_were_copied_nowhere if {
	{f.message | some f in findings("bitnami/postgresql:18.1.0")} == {"bitnami/postgresql:18.1.0 cannot be pulled since 2025-08-28: a pod on a node without a copy of it does not start. It was not copied to another place; move to a maintained image."}
	every tag in ["17.7.0-debian-12-r0", "16.11.0", "15.15.0", "14.20.0", "13.23.0"] {
		some f in findings(concat(":", ["bitnami/postgresql", tag]))
		contains(f.message, "not copied")
	}
	every tag in ["17.6.0-debian-12-r4", "17.5.0", "16.10.0", "16.1.0", "15.14.0", "14.19.0", "13.22.0", "12.22.0"] {
		some f in findings(concat(":", ["bitnami/postgresql", tag]))
		contains(f.message, "docker.io/bitnamilegacy")
	}
}

# A server that is there, with others in its pod.
among(list, container, more) := {[f.message, f.path] | some f in found} if {
	whole := object.union(images.workload("postgres:17.6"), {})
	of_pod := {"containers": array.concat(whole.review.object.spec.template.spec.containers, [container | list == "containers"]), "initContainers": [container | list == "initContainers"]}
	made := json.patch(whole.review.object, [{"op": "replace", "path": "/spec/template/spec", "value": of_pod}])
	found := check.findings with input as object.union({"review": {"object": made}}, more)
}

test_companion_gone if {
	exporter := {"name": "metrics", "image": "docker.io/bitnami/postgres-exporter:0.17.1"}
	among("containers", exporter, {}) == {[
		"docker.io/bitnami/postgres-exporter:0.17.1 cannot be pulled since 2025-08-28: on a node without a copy the pod is never ready, and Services lead nowhere. It is in docker.io/bitnamilegacy, without updates; take a maintained one.",
		["spec", "template", "spec", "containers", 1, "image"],
	]}
	among("initContainers", {"name": "chmod", "image": "bitnami/bitnami-shell:11"}, {}) == {[
		"bitnami/bitnami-shell:11 cannot be pulled since 2025-06-19: it runs before the server, which on a node without a copy never starts. It is in docker.io/bitnamilegacy/os-shell, without updates; take a maintained one.",
		["spec", "template", "spec", "initContainers", 0, "image"],
	]}
}

test_companion_there if {
	every image in ["bitnamilegacy/postgres-exporter:0.17.1", "bitnami/postgres-exporter", "bitnami/os-shell:latest", "registry.example.com/bitnami/postgres-exporter:0.17.1", "bitnami/sealed-secrets-controller:0.27.0", "bitnami/postgres-exporter:0.17.1@sha256:0123456789012345678901234567890123456789012345678901234567890123", "bitnami/postgres-exporter:${TAG}"] {
		among("containers", {"name": "metrics", "image": image}, {}) == set()
	}
	among("containers", {"name": "metrics", "image": "bitnami/os-shell:12", "imagePullPolicy": "Never"}, {}) == set()
}

# What asks for the server counts, and what runs beside it for other reasons does not.
test_client_gone if {
	service := {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "db", "namespace": "prod"}, "spec": {"selector": {"app": "db"}, "ports": [{"port": 5432}]}}
	server := json.patch(images.workload("postgres:17.6").review.object, [
		{"op": "add", "path": "/metadata/namespace", "value": "prod"},
		{"op": "add", "path": "/spec/template/metadata", "value": {"labels": {"app": "db"}}},
	])
	pooler := {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "pgb", "namespace": "prod"}, "spec": {"template": {"spec": {"containers": [{"name": "pgbouncer", "image": "bitnami/pgbouncer:1.23.1", "env": [{"name": "POSTGRESQL_HOST", "value": "db"}]}]}}}}
	others := {"apiVersion": "batch/v1", "kind": "CronJob", "metadata": {"name": "clean", "namespace": "prod"}, "spec": {"jobTemplate": {"spec": {"template": {"spec": {"containers": [{"name": "clean", "image": "bitnami/kubectl:1.30", "command": ["kubectl", "delete", "jobs", "--all"]}]}}}}}}
	found := check.findings with input as {"review": {"object": server}, "inventory": {"namespace": {"prod": {"v1": {"Service": {"db": service}}, "apps/v1": {"Deployment": {"pgb": pooler}}, "batch/v1": {"CronJob": {"clean": others}}}}}}
	{[f.message, f.resource.name] | some f in found} == {["bitnami/pgbouncer:1.23.1 cannot be pulled since 2025-08-28: Deployment pgb does not run on a node without a copy. It is in docker.io/bitnamilegacy, without updates; take a maintained one.", "pgb"]}
	alone := check.findings with input as {"review": {"object": pooler}}
	count(alone) == 1
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

# As walguard.charts.bitnami renders it.
test_chart_gone if {
	{f.message | some f in findings("docker.io/bitnami/postgresql:16.${written elsewhere}")} == {"The image of this release of the chart is one of docker.io/bitnami/postgresql, and since 2025-08-28 none of those can be pulled: a pod on a node without a copy of it does not start. What was there is in docker.io/bitnamilegacy, without updates; move to a maintained image."}
	findings("mirror.example.com/bitnami/postgresql:16.${written elsewhere}") == set()
	findings("docker.io/bitnami/postgresql:${written elsewhere}") == set()
	findings("docker.io/bitnami/postgresql:16.${TAG}") == set()
}

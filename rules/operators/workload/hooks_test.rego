package walguard.operators.workload_hooks_test

import data.walguard.checks.access.client_mismatch

released := {"app.kubernetes.io/instance": "shop"}

server(metadata) := {
	"apiVersion": "apps/v1",
	"kind": "StatefulSet",
	"metadata": object.union({"name": "db", "namespace": "shop", "labels": released}, metadata),
	"spec": {
		"serviceName": "db",
		"template": {"metadata": {"labels": {"app": "db"}}, "spec": {"containers": [{"name": "postgres", "image": "postgres:17.6", "env": [{"name": "POSTGRES_PASSWORD", "valueFrom": {"secretKeyRef": {"name": "db", "key": "password"}}}]}]}},
	},
}

job(metadata, env) := {
	"apiVersion": "batch/v1",
	"kind": "Job",
	"metadata": object.union({"name": "migrate", "namespace": "shop", "labels": released, "annotations": {"helm.sh/hook": "pre-install,pre-upgrade"}}, metadata),
	"spec": {"template": {"spec": {"containers": [{"name": "migrate", "image": "shop/migrate:1", "env": env}]}}},
}

seen(made, metadata) := {f |
	some f in client_mismatch.findings with input as {"review": {"object": server(metadata)}, "inventory": {"namespace": {"shop": {"batch/v1": {"Job": {"migrate": made}}}}}}
}

by_secret := [{"name": "PASSWORD", "valueFrom": {"secretKeyRef": {"name": "db", "key": "password"}}}]

by_host := [{"name": "DB_HOST", "value": "db"}]

test_hooks_before_the_install if {
	seen(job({}, by_secret), {}) == {{
		"message": "Job migrate is a hook before the install (pre-install,pre-upgrade), and this server is of the same release (shop), which Helm makes when the hook has ended: the install waits for it until it times out. Let it run as a plain Job that waits for the server, or as a hook post-install.",
		"path": ["metadata", "annotations", "helm.sh/hook"],
		"resource": {"apiVersion": "batch/v1", "kind": "Job", "namespace": "shop", "name": "migrate"},
		"severity": "error",
	}}
	count(seen(job({}, by_host), {})) == 1
	count(seen(object.union(job({}, by_host), {"metadata": {"labels": {"release": "a"}}}), {"labels": {"release": "a"}})) == 1
}

test_hooks_that_find_it if {
	seen(job({"annotations": {"helm.sh/hook": "pre-upgrade"}}, by_host), {}) == set()
	seen(job({"annotations": {"helm.sh/hook": "post-install"}}, by_host), {}) == set()
	seen(job({"labels": {"app.kubernetes.io/instance": "other"}}, by_host), {}) == set()
	seen(job({}, by_host), {"annotations": {"helm.sh/hook": "pre-install"}}) == set()
	seen(job({}, [{"name": "DB_HOST", "value": "pg.example.com"}]), {}) == set()
	seen(job({}, by_host), {"labels": {"app.kubernetes.io/instance": ""}}) == set()
}

# Of a chart without such labels.
unlabelled(server_name, job_name, labels, secret) := {f.message |
	some f in client_mismatch.findings with input as {
		"review": {"object": json.patch(server({}), [
			{"op": "replace", "path": "/metadata/name", "value": server_name},
			{"op": "replace", "path": "/metadata/labels", "value": {}},
			{"op": "replace", "path": "/spec/template/spec/containers/0/env/0/valueFrom/secretKeyRef/name", "value": "ddi-db"},
		])},
		"inventory": {"namespace": {"shop": {
			"batch/v1": {"Job": {job_name: json.patch(job({}, [{"name": "PASSWORD", "valueFrom": {"secretKeyRef": {"name": "ddi-db", "key": "password"}}}]), [
				{"op": "replace", "path": "/metadata/name", "value": job_name},
				{"op": "replace", "path": "/metadata/labels", "value": labels},
			])}},
			"v1": {"Secret": {"ddi-db": object.union({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "ddi-db", "namespace": "shop"}, "stringData": {"password": "x"}}, secret)}},
		}}},
	}
}

test_hooks_of_charts_without_labels if {
	unlabelled("ddi-db", "ddi-migrate", {}, {}) == {"Job ddi-migrate is a hook before the install (pre-install,pre-upgrade), and this server is of the same release (ddi), which Helm makes when the hook has ended: the install waits for it until it times out. Let it run as a plain Job that waits for the server, or as a hook post-install."}
	unlabelled("ddi-db", "other-migrate", {}, {}) == set()
	unlabelled("ddidb", "ddidb-migrate", {}, {}) == set()
	unlabelled("ddi-db", "ddi-migrate", {"release": "other"}, {}) == set()
	unlabelled("ddi-db", "ddi-migrate", {}, {"metadata": {"annotations": {"helm.sh/hook": "pre-install"}}}) == set()
}

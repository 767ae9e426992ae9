package walguard.checks.workload.mesh_proxy_test

import data.walguard.checks.workload.mesh_proxy as check

findings(metadata, spec, annotations) := found if found := check.findings with input as {
	"review": {"object": {
		"apiVersion": "postgresql.cnpg.io/v1",
		"kind": "Cluster",
		"metadata": object.union({"name": "orders", "namespace": "prod"}, metadata),
		"spec": object.union({"instances": 3}, spec),
	}},
	"inventory": {"cluster": {"v1": {"Namespace": {"prod": {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "prod", "annotations": annotations}}}}}},
}

inherited(annotations) := {"inheritedMetadata": {"annotations": annotations}}

injected := {"linkerd.io/inject": "enabled"}

shutdown := {"config.linkerd.io/proxy-admin-shutdown": "enabled"}

test_proxy_of_the_namespace if {
	findings({}, {}, injected) == {{
		"message": "Linkerd's proxy in the jobs that make instances does not end with them unless it is a native sidecar: the operator waits, and no instance comes up. Set config.linkerd.io/proxy-admin-shutdown: enabled in spec.inheritedMetadata.annotations.",
		"path": ["spec"],
	}}
	findings({}, inherited(shutdown), injected) == set()
	findings({}, {}, object.union(injected, shutdown)) == set()
	findings({}, inherited({"linkerd.io/inject": "disabled"}), injected) == set()
	findings({}, inherited({"config.beta.linkerd.io/proxy-enable-native-sidecar": "true"}), injected) == set()
	findings({}, {}, {}) == set()

	# The operator may be told to hand these on.
	findings({"annotations": {"linkerd.io/inject": "disabled"}}, {}, injected) == set()
}

test_proxy_of_the_cluster if {
	{f.path | some f in findings({}, inherited(injected), {})} == {["spec", "inheritedMetadata", "annotations", "linkerd.io/inject"]}
	findings({}, inherited({"linkerd.io/inject": "${MESH}"}), {}) == set()
	findings({"annotations": injected}, {}, {}) == set()
	findings({}, {"inheritedMetadata": "${METADATA}"}, injected) == set()
	findings({}, inherited({"sidecar.istio.io/inject": "true", "sidecar.istio.io/nativeSidecar": "false"}), {}) == set()
}

proxy := {"name": "sql", "image": "gcr.io/cloud-sql-connectors/cloud-sql-proxy:2.14.2", "args": ["--port=5432", "p:r:i"]}

migration := {"name": "migrate", "image": "shop/web:1", "env": [{"name": "DATABASE_URL", "value": "postgres://a:b@127.0.0.1:5432/d"}]}

job_of(metadata, spec) := {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "migrate", "namespace": "prod"}, "spec": {"template": {"metadata": metadata, "spec": spec}}}

said_of_job(metadata, spec) := found if {
	found := {f.message | some f in check.findings} with input as {"review": {"object": job_of(metadata, spec)}, "inventory": {}}
}

test_proxy_of_cloud_sql if {
	said_of_job({}, {"containers": [migration, proxy]}) == {"Job migrate does not end: container sql, a proxy of Google's, runs on when the work is done, and whoever waits for the job waits for ever. Make sql an init container with restartPolicy: Always."}
	every spec in [
		{"containers": [migration], "initContainers": [object.union(proxy, {"restartPolicy": "Always"})]},
		{"containers": [object.union(migration, {"command": ["sh", "-c", "migrate; curl -X POST localhost:9091/quitquitquit"]}), proxy]},
		{"containers": [migration, object.union(proxy, {"args": ["--quitquitquit", "p:r:i"]})]},
		{"containers": [migration, object.union(proxy, {"command": ["sh", "-c", "cloud-sql-proxy p:r:i"]})]},
		{"containers": [migration, proxy], "shareProcessNamespace": true},
		{"containers": [migration, object.union(proxy, {"env": [{"name": "CSQL_PROXY_QUITQUITQUIT", "value": "true"}]})]},
	] {
		said_of_job({}, spec) == set()
	}
}

# Which it names itself, whatever the address of the program is and wherever that stands.
by_secret := {"name": "migrate", "image": "shop/web:1", "env": [{"name": "DATABASE_URL", "valueFrom": {"secretKeyRef": {"name": "s", "key": "url"}}}]}

of_tcp := {"name": "sql", "image": "gcr.io/cloudsql-docker/gce-proxy:1.33.16", "command": ["/cloud_sql_proxy", "-instances=p:r:i=tcp:5432"]}

test_job_that_the_clock_ends if {
	said_of_job({}, {"containers": [by_secret, of_tcp], "activeDeadlineSeconds": 600}) == {"Job migrate does not end: container sql, a proxy of Google's, runs on when the work is done, until activeDeadlineSeconds (600) fails the job. Make sql an init container with restartPolicy: Always."}
	said_of_job({}, {"containers": [by_secret, object.union(of_tcp, {"command": ["/cloud_sql_proxy", "-instances=p:r:i=tcp:3306"]})]}) == set()
	said_of_job(linked, {"containers": [away], "activeDeadlineSeconds": 600}) == set()
}

every_night(spec) := {[f.severity, f.message] | some f in found} if {
	found := {object.union({"severity": "by default"}, f) | some f in check.findings} with input as {"review": {"object": {"apiVersion": "batch/v1", "kind": "CronJob", "metadata": {"name": "sync", "namespace": "prod"}, "spec": {"jobTemplate": {"spec": object.union(spec, {"template": {"spec": {"containers": [migration, proxy]}}})}}}}, "inventory": {}}
}

test_severity_of_jobs if {
	{f.severity | some f in check.findings} == {"error"} with input as {"review": {"object": job_of({}, {"containers": [migration, proxy]})}, "inventory": {}}
	every_night({}) == {["by default", "CronJob sync does not end: container sql, a proxy of Google's, runs on when the work is done, and whoever waits for the job waits for ever. Make sql an init container with restartPolicy: Always."]}
	every_night({"activeDeadlineSeconds": 600}) == set()
}

linked := {"annotations": {"linkerd.io/inject": "enabled"}}

away := object.union(migration, {"env": [{"name": "DATABASE_URL", "value": "postgres://a:b@pg.example.com:5432/d"}]})

test_proxy_of_a_mesh_beside_a_migration if {
	said_of_job(linked, {"containers": [away]}) == {"Job migrate does not end: Linkerd's proxy runs on when the work is done unless it is a native sidecar, and whoever waits for the job waits for ever. Annotate its pods with linkerd.io/inject: disabled."}
	said_of_job({}, {"containers": [away]}) == set()
	said_of_job(linked, {"containers": [object.union(away, {"command": ["linkerd-await", "--shutdown", "--", "./migrate"]})]}) == set()
}

server_of := {"apiVersion": "apps/v1", "kind": "StatefulSet", "metadata": {"name": "pg", "namespace": "prod"}, "spec": {"serviceName": "pg", "template": {"spec": {"containers": [{"name": "postgres", "image": "postgres:17.6"}]}}}}

beside_server(host) := found if {
	found := {f.message | some f in check.findings} with input as {"review": {"object": server_of}, "inventory": {"namespace": {"prod": {"batch/v1": {"Job": {"migrate": job_of(linked, {"containers": [object.union(migration, {"env": [{"name": "DATABASE_URL", "value": sprintf("postgres://a:b@%s:5432/d", [host])}]})]})}}}}}}
}

test_migration_beside_its_server if {
	count(beside_server("pg")) == 1
	beside_server("elsewhere") == set()
}

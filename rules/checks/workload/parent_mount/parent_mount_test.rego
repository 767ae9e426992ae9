package walguard.checks.workload.parent_mount_test

import data.walguard.checks.workload.parent_mount as check

workload(container, spec, pod) := {"review": {"object": {
	"apiVersion": "apps/v1",
	"kind": "StatefulSet",
	"metadata": {"name": "orders", "namespace": "prod"},
	"spec": object.union({"template": {"spec": object.union({"containers": [object.union({"image": "postgres:17"}, container)]}, pod)}}, spec),
}}}

in_container := ["spec", "template", "spec", "containers", 0]

server(image, path, env) := workload(
	{"image": image, "env": env, "volumeMounts": [{"name": "data", "mountPath": path}]},
	{"volumeClaimTemplates": [{"metadata": {"name": "data"}, "spec": {"resources": {"requests": {"storage": "10Gi"}}}}]},
	{},
)

pgdata(path) := [{"name": "PGDATA", "value": path}]

test_parent if {
	check.findings == {{
		"message": "The volume is mounted at /var/lib/postgresql, but the image declares one of its own at /var/lib/postgresql/data, where the data go: they are lost with the container. Set PGDATA to /var/lib/postgresql/pgdata.",
		"path": array.concat(in_container, ["volumeMounts"]),
	}} with input as server("postgres:16", "/var/lib/postgresql", [])
	below := check.findings with input as server("postgis/postgis:16-3.4", "/var/lib/postgresql", pgdata("/var/lib/postgresql/data/pgdata"))
	count(below) == 1
}

test_on_the_volume if {
	check.findings == set() with input as server("postgres:16", "/var/lib/postgresql/data", [])
	check.findings == set() with input as server("postgres:16", "/var/lib/postgresql", pgdata("/var/lib/postgresql/pgdata"))
	check.findings == set() with input as server("postgres:16", "/var/lib/postgresql/data/pgdata", pgdata("/var/lib/postgresql/data/pgdata"))
	check.findings == set() with input as server("postgres:18", "/var/lib/postgresql", [])
}

# durability/ephemeral_volume has said it, and a directory of the volume would be lost as well.
test_emptydir_at_the_parent if {
	check.findings == set() with input as workload(
		{"image": "postgres:16", "volumeMounts": [{"name": "data", "mountPath": "/var/lib/postgresql"}]},
		{},
		{"volumes": [{"name": "data", "emptyDir": {}}]},
	)
	claimed := check.findings with input as workload(
		{"image": "postgres:16", "volumeMounts": [{"name": "data", "mountPath": "/var/lib/postgresql"}]},
		{},
		{"volumes": [{"name": "data", "persistentVolumeClaim": {"claimName": "data"}}]},
	)
	count(claimed) == 1
}

test_silent_when_unknown if {
	check.findings == set() with input as server("postgres:latest", "/var/lib/postgresql", [])
	check.findings == set() with input as server("registry.example.com/postgres:16", "/var/lib/postgresql", [])
	check.findings == set() with input as server("postgres:16", "/var/lib/postgresql", [{"name": "PGDATA", "valueFrom": {}}])
}

test_parent_of_bitnamis_volume if {
	{f.message | some f in check.findings} == {"The volume is mounted at /bitnami, but the image declares one of its own at /bitnami/postgresql, where the data go: they are lost with the container. Mount it at /bitnami/postgresql."} with input as {"review": {"object": {
		"apiVersion": "apps/v1",
		"kind": "StatefulSet",
		"metadata": {"name": "orders", "namespace": "prod"},
		"spec": {
			"template": {"spec": {"containers": [{"image": "bitnami/postgresql:17.6.0", "volumeMounts": [{"name": "data", "mountPath": "/bitnami"}]}]}},
			"volumeClaimTemplates": [{"metadata": {"name": "data"}, "spec": {"resources": {"requests": {"storage": "10Gi"}}}}],
		},
	}}}
}

test_home_of_spilo if {
	check.findings == {{
		"message": "The volume at /home/postgres hides what the image has there (postgres.yml, the configuration of Patroni), and the server does not start. Mount it at /home/postgres/pgdata.",
		"path": array.concat(in_container, ["volumeMounts"]),
	}} with input as server("ghcr.io/zalando/spilo-17:4.0-p3", "/home/postgres", [])
	check.findings == set() with input as server("ghcr.io/zalando/spilo-17:4.0-p3", "/home/postgres/pgdata", [])
}

zalando(directory, containers) := {"review": {"object": {
	"apiVersion": "acid.zalan.do/v1",
	"kind": "postgresql",
	"metadata": {"name": "orders", "namespace": "prod"},
	"spec": {"numberOfInstances": 1, "additionalVolumes": [{"name": "home", "mountPath": directory, "targetContainers": containers, "volumeSource": {"emptyDir": {}}}]},
}}}

test_home_in_a_cluster_of_zalando if {
	{f.path | some f in check.findings} == {["spec", "additionalVolumes", 0]} with input as zalando("/home/postgres/", [])
	check.findings == set() with input as zalando("/home/postgres/more", [])
	check.findings == set() with input as zalando("/home/postgres", ["exporter"])
}

# An image of one's own has the volume of what it is made from, as its variables show.
test_own_image if {
	word := [{"name": "POSTGRES_PASSWORD", "value": "x"}]
	{f.severity | some f in check.findings} == {"warning"} with input as server("registry.example.com/postgres:16", "/var/lib/postgresql", word)
	{object.get(f, "severity", "error") | some f in check.findings} == {"error"} with input as server("mirror.gcr.io/postgres:17", "/var/lib/postgresql", word)
	check.findings == set() with input as server("kartoza/postgis:16-3.4", "/var/lib/postgresql", word)
	check.findings == set() with input as server("registry.example.com/postgres:16", "/var/lib/postgresql/data", word)
}

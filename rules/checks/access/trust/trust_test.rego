package walguard.checks.access.trust_test

import data.walguard.checks.access.trust as check
import data.walguard.lib.manifest_test as manifests

zalando(spec) := {"review": {"object": {
	"apiVersion": "acid.zalan.do/v1",
	"kind": "postgresql",
	"metadata": {"name": "acid-orders", "namespace": "prod"},
	"spec": spec,
}}}

workload(container, spec, pod) := {"review": {"object": {
	"apiVersion": "apps/v1",
	"kind": "StatefulSet",
	"metadata": {"name": "orders", "namespace": "prod"},
	"spec": object.union({"template": {"spec": object.union({"containers": [object.union({"image": "postgres:17"}, container)]}, pod)}}, spec),
}}}

in_container := ["spec", "template", "spec", "containers", 0]

lines(list) := manifests.review({}, {"postgresql": {"pg_hba": list}})

everybody := "\"host all all 0.0.0.0/0 trust\" lets anyone who reaches the port log in as any user without a password. Use scram-sha-256 instead of trust."

test_everybody if {
	check.findings == {{
		"message": everybody,
		"path": ["spec", "postgresql", "pg_hba", 0],
		"severity": "error",
	}} with input as lines(["host  all all\t0.0.0.0/0 trust # for now"])
	{f.severity | some f in check.findings} == {"error"} with input as lines(["hostssl all all all trust"])
	{f.severity | some f in check.findings} == {"error"} with input as lines(["host all postgres ::/0 trust"])
	{f.severity | some f in check.findings} == {"error"} with input as lines(["host all all 0.0.0.0 0.0.0.0 trust"])
}

test_networks_and_single_users if {
	check.findings == {{
		"message": "\"host all all 10.0.0.0/8 trust\" lets anyone in 10.0.0.0/8 log in as any user without a password. Use scram-sha-256 instead of trust.",
		"path": ["spec", "postgresql", "pg_hba", 0],
		"severity": "warning",
	}} with input as lines(["host all all 10.0.0.0/8 trust"])
	check.findings == {{
		"message": "\"host metrics grafana,loki all trust\" lets anyone who reaches the port log in as grafana, loki without a password. Use scram-sha-256 instead of trust.",
		"path": ["spec", "postgresql", "pg_hba", 0],
		"severity": "warning",
	}} with input as lines(["host metrics grafana,loki all trust"])
	{f.severity | some f in check.findings} == {"warning"} with input as lines(["host all all samenet trust"])
}

test_official_image if {
	check.findings == {{
		"message": "\"host all all all trust\" lets anyone who reaches the port log in as any user without a password. Use scram-sha-256 instead of trust.",
		"path": array.concat(in_container, ["env", 0, "value"]),
		"severity": "error",
	}} with input as workload({"env": [{"name": "POSTGRES_HOST_AUTH_METHOD", "value": "trust"}]}, {}, {})
	check.findings == set() with input as workload({"env": [{"name": "POSTGRES_HOST_AUTH_METHOD", "value": "md5"}]}, {}, {})
}

test_bitnami if {
	empty := {"name": "ALLOW_EMPTY_PASSWORD", "value": "yes"}
	bitnami := "docker.io/bitnami/postgresql:17"
	{f.message | some f in check.findings} == {everybody} with input as workload({"image": bitnami, "env": [empty]}, {}, {})
	check.findings == set() with input as workload({"image": bitnami, "env": [empty, {"name": "POSTGRESQL_PASSWORD", "valueFrom": {}}]}, {}, {})
}

mounted(text) := object.union(
	workload(
		{"args": ["-c", "hba_file=/etc/pg/pg_hba.conf"], "volumeMounts": [{"name": "hba", "mountPath": "/etc/pg"}]},
		{},
		{"volumes": [{"name": "hba", "configMap": {"name": "hba"}}]},
	),
	{"inventory": {"namespace": {"prod": {"v1": {"ConfigMap": {"hba": {
		"apiVersion": "v1",
		"kind": "ConfigMap",
		"metadata": {"name": "hba", "namespace": "prod"},
		"data": {"pg_hba.conf": text},
	}}}}}}},
)

test_file if {
	check.findings == {{
		"message": everybody,
		"path": ["data", "pg_hba.conf"],
		"line": 2,
		"resource": {"apiVersion": "v1", "kind": "ConfigMap", "namespace": "prod", "name": "hba"},
		"severity": "error",
	}} with input as mounted("local all all trust\nhost all all 0.0.0.0/0 trust\n")
}

test_other_operators if {
	line := "host all all 0.0.0.0/0 trust"
	crunchy := {"review": {"object": {
		"apiVersion": "postgres-operator.crunchydata.com/v1beta1",
		"kind": "PostgresCluster",
		"metadata": {"name": "orders"},
		"spec": {"patroni": {"dynamicConfiguration": {"postgresql": {"pg_hba": [line]}}}},
	}}}
	{f.message | some f in check.findings} == {everybody} with input as crunchy
	{f.message | some f in check.findings} == {everybody} with input as zalando({"patroni": {"pg_hba": [line]}})
	stackgres := {"review": {"object": {
		"apiVersion": "stackgres.io/v1",
		"kind": "SGCluster",
		"metadata": {"name": "orders"},
		"spec": {"configurations": {"patroni": {"initialConfig": {"postgresql": {"pg_hba": [line]}}}}},
	}}}
	{f.message | some f in check.findings} == {everybody} with input as stackgres
	kubegres := {
		"review": {"object": {"apiVersion": "kubegres.reactive-tech.io/v1", "kind": "Kubegres", "metadata": {"name": "orders"}, "spec": {"customConfig": "tuned"}}},
		"inventory": {"namespace": {"default": {"v1": {"ConfigMap": {"tuned": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "tuned"}, "data": {"postgres.conf": "fsync = on", "pg_hba.conf": line}}}}}}},
	}
	{f.message | some f in check.findings} == {everybody} with input as kubegres
}

test_not_reported if {
	every list in [
		["local all all trust", "host all all 127.0.0.1/32 trust", "host all all ::1/128 trust", "host all all samehost trust"],
		["host all all 0.0.0.0/0 scram-sha-256"],
		["hostssl all all all trust clientcert=verify-full"],
		["host all all all scram-sha-256", "host all all 0.0.0.0/0 trust"],
		["hostnossl all all all reject", "hostssl all all all cert", "hostssl all app all trust"],
		["host all monitoring 10.1.2.3/32 trust"],
		["# host all all all trust", "", "include trust.conf", "nonsense"],
	] {
		check.findings == set() with input as lines(list)
	}
}

test_an_earlier_line_for_others_does_not_cover if {
	{f.path[3] | some f in check.findings} == {1} with input as lines(["host all all all md5", "host replication all all trust"])
	{f.path[3] | some f in check.findings} == {1} with input as lines(["host shop all all md5", "host all all all trust"])
	{f.path[3] | some f in check.findings} == {1} with input as lines(["hostssl all all all md5", "host all all all trust"])
}

test_silent_when_unknown if {
	check.findings == set() with input as manifests.review({}, {})
	check.findings == set() with input as workload({"env": [{"name": "POSTGRES_HOST_AUTH_METHOD", "valueFrom": {}}]}, {}, {})
}

test_single_addresses if {
	check.findings == set() with input as lines(["host all all 10.0.0.7/32 trust", "host all all 2001:db8::7/128 trust", "host all all 10.0.0.7 255.255.255.255 trust"])
}

# A line for replication alone takes no SQL, and gives all files away.
test_replication_alone if {
	{f.message | some f in check.findings} == {"\"host replication all all trust\" lets anyone who reaches the port copy the whole server without a password. Use scram-sha-256 instead of trust."} with input as lines(["host replication all all trust"])
	{f.message | some f in check.findings} == {"\"host replication standby all trust\" lets anyone who reaches the port copy the whole server as standby without a password. Use scram-sha-256 instead of trust."} with input as lines(["host replication standby all trust"])
	{f.message | some f in check.findings} == {"\"host replication,app all all trust\" lets anyone who reaches the port log in as any user without a password. Use scram-sha-256 instead of trust."} with input as lines(["host replication,app all all trust"])
}

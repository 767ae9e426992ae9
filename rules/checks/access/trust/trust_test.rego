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
		["# host all all all trust", "", "nonsense"],
		["# host all all all trust \\", "host all all all trust"],
		["host all all 127.0.0.1/32 ident", "local all all ident", "host all app 10.0.0.7/32 ident"],
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
	check.findings == set() with input as workload({"env": [{"name": "POSTGRES_USER", "valueFrom": {}}]}, {}, {})
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

# An item of a list may be several lines, a line may go on in the next, and quotes hold a hash and a blank.
test_lines_as_postgresql_reads_them if {
	every list in [
		["# first\nhost all all all trust"],
		["# first\\", "", "host all all all trust"],
		["host all all \\", "all trust"],
		["host all \"a#b\",all all trust"],
		["host all \"a b\",all all trust"],
		["host all ,all all trust#now"],
	] {
		{f.severity | some f in check.findings} == {"error"} with input as lines(list)
	}
}

# More than three of one severity in one place are told at the first of them.
test_many_lines if {
	many := ["host all all 10.0.0.0/8 trust", "host a all all trust", "host b all all trust", "host c all all trust", "host all all all trust"]
	{[f.severity, f.path[3], f.message] | some f in check.findings} == {
		["warning", 0, "\"host all all 10.0.0.0/8 trust\" lets anyone in 10.0.0.0/8 log in as any user without a password. Use scram-sha-256 instead of trust."],
		["error", 1, "\"host a all all trust\" lets anyone who reaches the port log in as any user without a password, and 3 more lines are as open. Use scram-sha-256 instead of trust."],
	} with input as lines(many)
	{f.path[3] | some f in check.findings} == {0, 1, 2, 3} with input as lines(array.slice(many, 0, 4))
}

test_ident if {
	check.findings == {{
		"message": "\"host all all all ident\" lets anyone who reaches the port log in as any user: ident asks the client's own machine for his name, and any pod can answer. Use scram-sha-256 instead of ident.",
		"path": ["spec", "postgresql", "pg_hba", 0],
		"severity": "warning",
	}} with input as lines(["host all all all ident"])
}

test_names_below_a_domain if {
	{f.severity | some f in check.findings} == {"warning"} with input as lines(["host all all .cluster.local trust"])
	check.findings == set() with input as lines(["host all all db.example.com trust"])
}

test_lines_that_nobody_sees if {
	check.findings == {{
		"message": "Who logs in without a password is also up to /projected/hba, which the file includes, which walguard does not read. Write the lines where it reads them.",
		"path": ["spec", "postgresql", "pg_hba", 1],
		"severity": "warning",
	}} with input as lines(["host all all all scram-sha-256", "include_if_exists /projected/hba"])
	check.findings == {{
		"message": "Who logs in without a password is also up to the variable POSTGRES_HOST_AUTH_METHOD, which walguard does not read. Write the lines where it reads them.",
		"path": array.concat(in_container, ["env"]),
		"severity": "info",
	}} with input as workload({"env": [{"name": "POSTGRES_HOST_AUTH_METHOD", "valueFrom": {"secretKeyRef": {"name": "a", "key": "b"}}}]}, {}, {})
	check.findings == {{
		"message": "Who logs in without a password is up to /home/postgres/hba (hba_file), which walguard does not read. Write the lines where it reads them.",
		"path": ["spec", "postgresql", "parameters", "hba_file"],
		"severity": "info",
	}} with input as zalando({"postgresql": {"parameters": {"hba_file": "/home/postgres/hba"}}})
}

with_script(key, text) := object.union(
	workload({"volumeMounts": [{"name": "c", "mountPath": "/docker-entrypoint-initdb.d"}]}, {}, {"volumes": [{"name": "c", "configMap": {"name": "c"}}]}),
	{"inventory": {"namespace": {"prod": {"v1": {"ConfigMap": {"c": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c", "namespace": "prod"}, "data": {key: text}}}}}}}},
)

test_scripts if {
	{[f.message, f.severity, f.resource.name] | some f in check.findings} == {[
		"The script a.sh lets clients log in without a password (\"host all all all trust\"). Use scram-sha-256 instead of trust.",
		"warning",
		"c",
	]} with input as with_script("a.sh", "echo \"host all  all all trust\" >> \"$PGDATA/pg_hba.conf\"\n")
	{f.message | some f in check.findings} == {"The script a.sh lets clients log in without a password (it puts trust in the place of another method). Use scram-sha-256 instead of trust."} with input as with_script("a.sh", "sed -i 's/scram-sha-256/trust/' $PGDATA/pg_hba.conf\n")
	check.findings == set() with input as with_script("a.sh", "echo 'host replication all all md5' >> $PGDATA/pg_hba.conf; sed -i s/trust/md5/ $PGDATA/pg_hba.conf")
	check.findings == set() with input as with_script("a.sh", "echo 'host all all 127.0.0.1/32 trust' > $PGDATA/pg_hba.conf")
}

test_other_words_in_scripts if {
	{f.message | some f in check.findings} == {"The script a.sh has the method ident written into pg_hba.conf: it asks the client's own machine for his name, and any pod can answer. Use scram-sha-256 instead."} with input as with_script("a.sh", "echo host all all all ident >> $PGDATA/pg_hba.conf\n")
	{f.message | some f in check.findings} == {"Who logs in without a password is also up to what walguard does not read: the script a.sh writes \"include /tmp/x\" into pg_hba.conf. Write the lines where it reads them."} with input as with_script("a.sh", "echo include /tmp/x >> $PGDATA/pg_hba.conf\n")
	{f.message | some f in check.findings} == {"Who logs in without a password is also up to what walguard does not read: the script a.sh writes what it decodes or fetches into pg_hba.conf. Write the lines where it reads them."} with input as with_script("a.sh", "curl http://x | tee $PGDATA/pg_hba.conf\n")
	check.findings == set() with input as with_script("a.sh", "sed -i s/ident/md5/ $PGDATA/pg_hba.conf")
}

test_what_containers_run if {
	{[f.message, f.path] | some f in check.findings} == {[
		"What container pg runs lets clients log in without a password (\"host all all all trust\"). Use scram-sha-256 instead of trust.",
		in_container,
	]} with input as workload({"name": "pg", "lifecycle": {"postStart": {"exec": {"command": ["sh", "-c", "echo host all all all trust > $PGDATA/pg_hba.conf"]}}}}, {}, {})
}

pooled(pgbouncer) := object.union(lines([]), {"inventory": {"namespace": {"prod": {"postgresql.cnpg.io/v1": {"Pooler": {"pool": {
	"apiVersion": "postgresql.cnpg.io/v1",
	"kind": "Pooler",
	"metadata": {"name": "pool", "namespace": "prod"},
	"spec": {"cluster": {"name": "orders"}, "pgbouncer": pgbouncer},
}}}}}}})

pool := {"apiVersion": "postgresql.cnpg.io/v1", "kind": "Pooler", "namespace": "prod", "name": "pool"}

test_poolers if {
	check.findings == {{
		"message": "PgBouncer of Pooler pool lets anyone who reaches it log in without a password (auth_type trust), as any user that it knows. Leave auth_type out.",
		"path": ["spec", "pgbouncer", "parameters", "auth_type"],
		"resource": pool,
		"severity": "error",
	}} with input as pooled({"parameters": {"auth_type": "trust"}})
	check.findings == {{
		"message": "\"host all app all trust\" of Pooler pool lets anyone who reaches the port log in as app without a password. Use scram-sha-256 or md5 instead of trust.",
		"path": ["spec", "pgbouncer", "pg_hba", 0],
		"resource": pool,
		"severity": "warning",
	}} with input as pooled({"pg_hba": ["host all app all trust"]})
	check.findings == set() with input as pooled({"parameters": {"auth_type": "md5"}, "pg_hba": ["host all all all trust"]})
	check.findings == set() with input as pooled({"pg_hba": ["local all all trust", "host all all all md5", "host all all all trust"]})
}

test_poolers_by_themselves if {
	{f.severity | some f in check.findings} == {"warning"} with input as workload({"image": "edoburu/pgbouncer:v1.24.1-p1", "env": [{"name": "AUTH_TYPE", "value": "any"}]}, {}, {})
	check.findings == set() with input as workload({"image": "edoburu/pgbouncer:v1.24.1-p1", "env": [{"name": "AUTH_TYPE", "value": "scram-sha-256"}]}, {}, {})
}

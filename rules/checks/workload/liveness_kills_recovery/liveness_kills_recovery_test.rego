package walguard.checks.workload.liveness_kills_recovery_test

import data.walguard.checks.workload.liveness_kills_recovery as check
import data.walguard.lib.manifest_test as manifests

findings(probes, args) := found if {
	found := check.findings with input as {"review": {"object": {
		"apiVersion": "apps/v1",
		"kind": "StatefulSet",
		"metadata": {"name": "orders", "namespace": "prod"},
		"spec": {"template": {"spec": {"containers": [object.union({"image": "postgres:17", "args": args}, probes)]}}},
	}}}
}

ready(window) := object.union({"exec": {"command": ["pg_isready", "-U", "postgres"]}}, window)

container := ["spec", "template", "spec", "containers", 0]

test_short_window if {
	findings({"livenessProbe": ready({"initialDelaySeconds": 5, "periodSeconds": 5})}, []) == {{
		"message": "The livenessProbe kills a starting server after 20 s, but crash recovery may take 60 s (the least to allow for) and starts over when it is killed. Add a startupProbe that allows at least 60 s.",
		"path": array.concat(container, ["livenessProbe"]),
		"facts": {"patience_seconds": 20, "least_seconds": 60, "needed_seconds": 60, "max_wal_size_bytes": 1073741824, "replay_bytes_per_second": 50000000},
	}}
}

# 3 × 10 s.
test_what_kubernetes_gives_by_default if count(findings({"livenessProbe": ready({})}, [])) == 1

test_much_to_replay if {
	findings({"startupProbe": ready({"failureThreshold": 30})}, ["-c", "max_wal_size=64GB"]) == {{
		"message": "The startupProbe kills a starting server after 300 s, but crash recovery may take 1375 s (65536 MB of WAL at 50 MB/s) and starts over when it is killed. Let it allow at least 1375 s.",
		"path": array.concat(container, ["startupProbe"]),
		"facts": {"patience_seconds": 300, "least_seconds": 60, "needed_seconds": 1375, "max_wal_size_bytes": 68719476736, "replay_bytes_per_second": 50000000},
	}}
}

test_operators if {
	delayed := check.findings with input as manifests.review({}, {"startDelay": 20})
	{f.path | some f in delayed} == {["spec", "startDelay"]}
	{f.fix | some f in delayed} == {[{"op": "replace", "path": "/spec/startDelay", "value": 120}]}
	{endswith(f.message, "each file of which it flushes first) and starts over when it is killed. Set startDelay to 120.") | some f in delayed} == {true}
	{f.facts.patience_seconds | some f in check.findings} == {12} with input as manifests.review({}, {"probes": {"startup": {"failureThreshold": 2, "periodSeconds": 5, "initialDelaySeconds": 2}}})
	check.findings == set() with input as manifests.review({"max_wal_size": "64GB"}, {})
}

# Without its configuration in sight nobody knows how much there is to replay.
test_operators_with_probes_of_ones_own if {
	probe := ready({"periodSeconds": 4})
	{f.facts.needed_seconds | some f in check.findings} == {60} with input as {"review": {"object": {
		"apiVersion": "kubegres.reactive-tech.io/v1",
		"kind": "Kubegres",
		"metadata": {"name": "orders"},
		"spec": {"customConfig": "elsewhere", "probe": {"livenessProbe": probe}},
	}}}
	{f.path | some f in check.findings} == {["spec", "livenessProbe"]} with input as {"review": {"object": {
		"apiVersion": "acid.zalan.do/v1",
		"kind": "postgresql",
		"metadata": {"name": "acid-orders"},
		"spec": {"livenessProbe": probe},
	}}}
}

test_time_enough if {
	findings({"livenessProbe": ready({"initialDelaySeconds": 30, "failureThreshold": 6})}, []) == set()
	findings({"livenessProbe": ready({"periodSeconds": 1}), "startupProbe": ready({"failureThreshold": 60})}, []) == set()
}

test_silent_when_unknown if {
	findings({}, []) == set()
	findings({"livenessProbe": {"tcpSocket": {"port": 5432}, "periodSeconds": 1}}, []) == set()
	check.findings == set() with input as manifests.change({"fsync": "on"})
}

first(image, probes, script) := {
	"review": {"object": {
		"apiVersion": "apps/v1",
		"kind": "StatefulSet",
		"metadata": {"name": "orders", "namespace": "prod"},
		"spec": {
			"replicas": 3,
			"template": {"spec": {
				"containers": [object.union(
					{"image": image, "volumeMounts": [
						{"name": "data", "mountPath": "/var/lib/postgresql/data", "subPath": "pgdata"},
						{"name": "init", "mountPath": "/docker-entrypoint-initdb.d"},
					]},
					probes,
				)],
				"volumes": [{"name": "init", "configMap": {"name": "init"}}],
			}},
			"volumeClaimTemplates": [{"metadata": {"name": "data"}, "spec": {"resources": {"requests": {"storage": "20Gi"}}}}],
		},
	}},
	"inventory": {"namespace": {"prod": {"v1": {"ConfigMap": {"init": {"kind": "ConfigMap", "metadata": {"name": "init", "namespace": "prod"}, "data": {"a.sh": script}}}}}}},
}

over_tcp := {"livenessProbe": {"tcpSocket": {"port": 5432}, "initialDelaySeconds": 5}}

waits := "until pg_isready -h worker; do sleep 5; done"

test_first_start if {
	{[f.message, object.get(f, "severity", "warning")] | some f in check.findings} == {[
		"The livenessProbe asks over TCP, where the image does not listen until the new database is made, and kills it after 35 s: the database stays half made, and no later start mends that. Add a startupProbe that allows at least 60 s.",
		"warning",
	]} with input as first("postgres:17.6", over_tcp, "echo")
	{[f.message, f.severity] | some f in check.findings} == {[
		"The livenessProbe asks over TCP, where the image does not listen before /docker-entrypoint-initdb.d/a.sh is through, and kills it after 35 s: the database stays half made, and no later start mends that. Add a startupProbe that allows at least 600 s.",
		"error",
	]} with input as first("postgres:17.6", over_tcp, waits)
	host := {"startupProbe": {"exec": {"command": ["pg_isready", "-h", "127.0.0.1"]}, "failureThreshold": 12}}
	{f.severity | some f in check.findings; contains(f.message, "Let it allow at least 600 s")} == {"error"} with input as first("postgres:17.6", host, waits)
}

# Of a probe that kills a recovering server already the first start is not told as well.
test_first_start_told_once if {
	host := {"livenessProbe": {"exec": {"command": ["pg_isready", "-h", "127.0.0.1"]}, "periodSeconds": 5}}
	[split(f.message, ",")[0] | some f in check.findings] == ["The livenessProbe kills a starting server after 15 s"] with input as first("postgres:17.6", host, "echo")
}

# By the socket the server of the first start answers; a database that exists is made already; and ten minutes are enough.
test_first_start_silent if {
	by_socket := {"livenessProbe": ready({"failureThreshold": 12})}
	check.findings == set() with input as first("postgres:17.6", by_socket, waits)
	changed := first("postgres:17.6", over_tcp, waits)
	check.findings == set() with input as json.patch(changed, [{"op": "add", "path": "/review/oldObject", "value": changed.review.object}])
	patient := object.union(over_tcp, {"startupProbe": {"tcpSocket": {"port": 5432}, "failureThreshold": 60}})
	check.findings == set() with input as first("postgres:17.6", patient, waits)
	check.findings == set() with input as first("postgres:17.6", {"livenessProbe": {"tcpSocket": {"port": 5432}, "initialDelaySeconds": 60}}, "echo")
}

test_copied_standby if {
	probe := {"livenessProbe": ready({"initialDelaySeconds": 30, "failureThreshold": 10})}
	named := object.union(probe, {"env": [{"name": "POSTGRES_USER", "value": "postgres"}, {"name": "PGDATA", "value": "/var/lib/postgresql/data/pgdata"}]})
	{f.message | some f in check.findings} == {"The livenessProbe kills a standby after 130 s that is still copied from the primary before its server starts: 20Gi at 100 MB/s take 215 s, and the next start begins anew. Add a startupProbe that allows at least 215 s."} with input as first("acme/repmgr:17.5", named, "echo")
	check.findings == set() with input as first("postgres:17.6", named, "echo")
	started := object.union(named, {"startupProbe": ready({"failureThreshold": 12})})
	check.findings == set() with input as first("acme/repmgr:17.5", started, "echo")
}

upgrading(image, env, probes) := found if {
	found := check.findings with input as {"review": {"object": {
		"apiVersion": "apps/v1",
		"kind": "StatefulSet",
		"metadata": {"name": "orders", "namespace": "prod"},
		"spec": {"template": {"spec": {"containers": [object.union({"image": image, "env": env}, probes)]}}},
	}}}
}

port := {"tcpSocket": {"port": 5432}}

test_upgrade_at_the_start if {
	upgrading("sourcegraph/postgres:11.1_19-01-29", [], {"livenessProbe": object.union(port, {"initialDelaySeconds": 30})}) == {{
		"message": "The image postgres upgrades the data directory before it opens the port, and the livenessProbe kills it after 60 s: pg_upgrade is cut off, and the server may not start again. Add a startupProbe that allows at least 600 s.",
		"path": array.concat(container, ["livenessProbe"]),
		"severity": "error",
		"facts": {"patience_seconds": 60, "least_seconds": 600, "needed_seconds": 600},
	}}
	count(upgrading("pgautoupgrade/pgautoupgrade:17-alpine", [], {"livenessProbe": ready({})})) == 1
	told := upgrading("quay.io/sclorg/postgresql-16-c9s", [{"name": "POSTGRESQL_UPGRADE", "value": "copy"}], {"startupProbe": ready({"failureThreshold": 30})})
	{contains(f.message, "image with POSTGRESQL_UPGRADE=copy") | some f in told} == {true}
}

# Of an image that upgrades nothing the port is open while it recovers; a program of its own may know better.
test_no_upgrade if {
	upgrading("postgres:17.6", [], {"livenessProbe": port}) == set()
	upgrading("pgautoupgrade/pgautoupgrade:17-alpine", [], {"startupProbe": object.union(port, {"failureThreshold": 60}), "livenessProbe": port}) == set()
	upgrading("sourcegraph/postgres:11.1", [], {"livenessProbe": {"exec": {"command": ["/liveness.sh"]}}}) == set()
	upgrading("quay.io/sclorg/postgresql-16-c9s", [], {"livenessProbe": port}) == set()
}

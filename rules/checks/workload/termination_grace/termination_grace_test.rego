package walguard.checks.workload.termination_grace_test

import data.walguard.checks.workload.termination_grace as check

workload(container, spec, pod) := {"review": {"object": {
	"apiVersion": "apps/v1",
	"kind": "StatefulSet",
	"metadata": {"name": "orders", "namespace": "prod"},
	"spec": object.union({"template": {"spec": object.union({"containers": [object.union({"image": "postgres:17"}, container)]}, pod)}}, spec),
}}}

import data.walguard.lib.manifest_test as manifests

test_short if {
	check.findings == {{
		"message": "terminationGracePeriodSeconds=10: PostgreSQL is killed 10 s after it is asked to stop, and recovers from a crash at the next start. Set it to 120 or more.",
		"path": ["spec", "template", "spec", "terminationGracePeriodSeconds"],
		"facts": {"grace_seconds": 10, "least_seconds": 30},
		"fix": [{"op": "replace", "path": "/spec/template/spec/terminationGracePeriodSeconds", "value": 120}],
	}} with input as workload({}, {}, {"terminationGracePeriodSeconds": 10})
	found := check.findings with input as manifests.review({}, {"stopDelay": 5})
	{f.path | some f in found} == {["spec", "stopDelay"]}
}

test_none if {
	{f.message | some f in check.findings} == {"terminationGracePeriodSeconds=0: PostgreSQL is killed at once instead of asked to stop, and recovers from a crash at the next start. Set it to 120 or more."} with input as workload({}, {}, {"terminationGracePeriodSeconds": 0})
}

slow_disk := {"cluster": {"storage.k8s.io/v1": {"StorageClass": {"fast": {"metadata": {"name": "fast"}, "provisioner": "ebs.csi.aws.com", "parameters": {"type": "gp3"}}}}}}

large(pod, class) := object.union(
	workload(
		{"args": ["-c", "shared_buffers=16GB"], "volumeMounts": [{"name": "data", "mountPath": "/var/lib/postgresql/data"}]},
		{"volumeClaimTemplates": [{"metadata": {"name": "data"}, "spec": {"storageClassName": class, "resources": {"requests": {"storage": "500Gi"}}}}]},
		pod,
	),
	{"inventory": slow_disk},
)

test_much_to_write if {
	check.findings == {{
		"message": "terminationGracePeriodSeconds=30, but writing shared_buffers (16Gi) at shutdown takes up to 132 s at 131.1 MB/s: the server is killed and recovers from a crash. Set it to 270 or more.",
		"path": ["spec", "template", "spec"],
		"facts": {"grace_seconds": 30, "flush_seconds": 132, "shared_buffers_bytes": 17179869184},
	}} with input as large({}, "fast")
}

test_long_enough if {
	check.findings == set() with input as large({"terminationGracePeriodSeconds": 300}, "fast")
	check.findings == set() with input as workload({}, {}, {"terminationGracePeriodSeconds": 30})
	check.findings == set() with input as manifests.review({}, {"stopDelay": 60})
}

test_silent_when_unknown if {
	check.findings == set() with input as large({}, "another")
	check.findings == set() with input as workload({}, {}, {})
	check.findings == set() with input as manifests.change({"shared_buffers": "64GB"})
}

test_smart_shutdown if {
	check.findings == {{
		"message": "The image stops the server with SIGTERM, on which PostgreSQL waits for its clients to leave: connection pools stay, so that it is killed after 30 s and recovers from a crash. Add a preStop hook with pg_ctl stop -m fast.",
		"severity": "info",
		"path": ["spec", "template", "spec"],
	}} with input as workload({"image": "bitnami/postgresql:17.6.0"}, {}, {})
	{f.severity | some f in check.findings} == {"info"} with input as workload({"image": "quay.io/sclorg/postgresql-16-c9s"}, {}, {"terminationGracePeriodSeconds": 60})
	count(check.findings) == 1 with input as workload({"image": "quay.io/sclorg/postgresql-16-c9s"}, {}, {"terminationGracePeriodSeconds": 89})
	check.findings == set() with input as workload({"image": "quay.io/sclorg/postgresql-16-c9s"}, {}, {"terminationGracePeriodSeconds": 90})
	count(check.findings) == 1 with input as workload({"image": "percona/percona-distribution-postgresql:17.5-2"}, {}, {})
	check.findings == set() with input as workload({"image": "quay.io/sclorg/postgresql-16-c9s"}, {}, {"terminationGracePeriodSeconds": 300})
	check.findings == set() with input as workload({"image": "quay.io/sclorg/postgresql-16-c9s", "lifecycle": {"stopSignal": "SIGINT"}}, {}, {})
	check.findings == set() with input as workload({"image": "bitnami/postgresql:17.6.0", "lifecycle": {"preStop": {"exec": {"command": ["pg_ctl", "stop", "-m", "fast"]}}}}, {}, {})
}

stopping(container, command) := {[f.message, f.severity] |
	found := check.findings with input as workload(object.union(container, {"lifecycle": {"preStop": {"exec": {"command": command}}}}), {}, {})
	some f in found
}

test_hook_that_changes_the_user if {
	unprivileged := {"securityContext": {"runAsUser": 70}}
	stopping(unprivileged, ["/bin/sh", "-c", "su postgres -c \"pg_ctl stop\""]) == {["preStop calls su, for which the container must run as root, and it runs as user 70: the hook fails (FailedPreStopHook), and the signal alone stops the server. Leave su out.", "info"]}
	every program in ["gosu", "su-exec", "/sbin/runuser"] {
		count(stopping(unprivileged, [program, "postgres", "pg_ctl", "stop"])) == 1
	}
	every command in [["pg_ctl", "stop"], ["sh", "-c", "su postgres -c 'pg_ctl stop' || pg_ctl stop"], ["sh", "-c", "if [ $(id -u) = 0 ]; then su postgres -c x; fi"], ["sudo", "pg_ctl"]] {
		stopping(unprivileged, command) == set()
	}
	stopping({}, ["su", "postgres", "-c", "pg_ctl stop"]) == set()
	stopping({"image": "corp.example/db:17"}, ["su", "postgres", "-c", "pg_ctl stop"]) == set()
}

test_pooler_that_waits_longer if {
	fault := {
		"reason": "Deployment pgdog gives PgDog 30 s to stop, and it waits up to 60 s for its clients: it is killed before, and drops their connections at every rollout",
		"cure": "Set terminationGracePeriodSeconds to 90",
		"path": ["spec", "template", "spec"],
		"resource": {"apiVersion": "apps/v1", "kind": "Deployment", "namespace": "shop", "name": "pgdog"},
	}
	found := check.findings with data.walguard.model.cluster as {"impatient_poolers": [fault]}
	[f.message | some f in found] == ["Deployment pgdog gives PgDog 30 s to stop, and it waits up to 60 s for its clients: it is killed before, and drops their connections at every rollout. Set terminationGracePeriodSeconds to 90."]
}

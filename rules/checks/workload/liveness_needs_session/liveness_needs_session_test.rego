package walguard.checks.workload.liveness_needs_session_test

import data.walguard.checks.workload.liveness_needs_session as check

container := ["spec", "template", "spec", "containers", 0]

server(command, more) := {"review": {"object": {
	"apiVersion": "apps/v1",
	"kind": "StatefulSet",
	"metadata": {"name": "orders", "namespace": "prod"},
	"spec": {"template": {"spec": {"containers": [object.union(
		{"name": "postgres", "image": "postgres:17", "livenessProbe": {"exec": {"command": command}, "failureThreshold": 6}},
		more,
	)]}}},
}}}

test_query if {
	check.findings == {{
		"message": "The liveness probe needs a session: when all max_connections (100) are taken, it fails for 60 s and the server is killed. Use pg_isready.",
		"path": array.concat(container, ["livenessProbe", "exec", "command"]),
		"severity": "warning",
		"facts": {"window_seconds": 60},
	}} with input as server(["sh", "-c", "psql -U shop -c 'SELECT 1'"], {})
}

# Three connections are kept for it.
test_superuser if {
	every user in ["-U postgres", "-U\"postgres\"", "--username=postgres"] {
		found := check.findings with input as server(["sh", "-c", sprintf("psql -w %s -c 'SELECT 1'", [user])], {})
		{[f.severity, f.message] | some f in found} == {[
			"info",
			"The liveness probe needs a session: when all max_connections (100) are taken, those reserved for superusers too, it fails for 60 s and the server is killed. Use pg_isready.",
		]}
	}
}

test_not_reported if {
	check.findings == set() with input as server(["pg_isready"], {})
	check.findings == set() with input as server(["sh", "-c", "pg_isready && psql -c 'SELECT 1'"], {})
	check.findings == set() with input as server(["sh", "-c", "psql -c 'SELECT 1' || true"], {})
}

test_unknown_number if {
	found := check.findings with input as server(["psql", "-c", "SELECT 1"], {"args": ["-c", "config_file=/etc/elsewhere.conf"]})
	{f.message | some f in found} == {"The liveness probe needs a session: when all max_connections are taken, it fails for 60 s and the server is killed. Use pg_isready."}
}

test_silent_when_unknown if check.findings == set() with input as server(["/liveness.sh"], {})

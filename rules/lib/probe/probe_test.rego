package walguard.lib.probe_test

import data.walguard.lib.probe

ready := {"exec": {"command": ["sh", "-c", "exec pg_isready -U postgres"]}}

patience(probes) := found if found := probe.patience({"c": probes}, ["c"])

test_liveness if {
	patience({"livenessProbe": ready}) == {"value": 30, "probe": "livenessProbe", "origin": "written", "path": ["c", "livenessProbe"]}
	patience({"livenessProbe": object.union(ready, {"initialDelaySeconds": 5, "failureThreshold": 2, "periodSeconds": 7})}).value == 19
}

test_startup_goes_first if {
	patience({"livenessProbe": ready, "startupProbe": object.union(ready, {"failureThreshold": 60})}) == {"value": 600, "probe": "startupProbe", "origin": "written", "path": ["c", "startupProbe"], "starting": true}
	not patience({"livenessProbe": ready, "startupProbe": {"httpGet": {"port": 8008}}})
}

test_nothing_known if {
	not patience({})
	not patience({"livenessProbe": {"tcpSocket": {"port": 5432}}})
	not patience({"livenessProbe": {"exec": {"command": ["/healthcheck"]}}})
	not patience({"livenessProbe": {"exec": {"command": ["sh", "-c", "pg_isready; [ $? -lt 2 ]"]}}})
	not patience({"livenessProbe": {"exec": {"command": "pg_isready"}}})
	not patience({"livenessProbe": 3})
}

session(command) := probe.liveness({"livenessProbe": {"exec": {"command": command}}}, []).session

test_query_needs_a_session if {
	session(["psql", "-U", "shop", "-c", "SELECT 1"]) == {"superuser": false, "path": ["livenessProbe", "exec", "command"]}
	session(["sh", "-c", "psql -U postgres -c 'SELECT 1'"]).superuser
}

test_pg_isready_needs_none if {
	not session(["pg_isready", "-U", "psql"])
	not session(["sh", "-c", "psql -c 'SELECT 1' || exit 0"])
}

# Which probe, and what it counts.
test_window_of_a_liveness_probe if {
	liveness := probe.liveness({"livenessProbe": object.union(ready, {"failureThreshold": 6, "periodSeconds": 5, "timeoutSeconds": 4})}, [])
	[liveness.window, liveness.value, liveness.origin, liveness.path] == [30, 4, "written", ["livenessProbe", "timeoutSeconds"]]
	usual := probe.liveness({"livenessProbe": {"exec": {"command": ["pg_isready", 3]}}}, [])
	[usual.window, usual.value, usual.origin, usual.path] == [30, 1, "operator", ["livenessProbe"]]
	patience({"livenessProbe": object.union(ready, {"initialDelaySeconds": 5.7})}).value == 35
	not patience({"readinessProbe": ready})
}

login(command) := probe.login({"c": {"livenessProbe": {"exec": {"command": command}}}}, ["c"], "livenessProbe")

test_login_of_a_probe if {
	login(["psql", "-U", "shop", "-c", "SELECT 1"]) == {"user": "shop", "session": true, "probe": "livenessProbe", "path": ["c", "livenessProbe", "exec", "command"]}
	login(["pg_isready", "--username=shop", "-d", "shop"]).session == false
	login(["pg_isready", "--username=shop"]).user == "shop"
	not login(["pg_isready"])
	not login(["pg_isready", "-U", "a", "-U", "b"])
	not login(["sh", "-c", "pg_isready -U a; true"])
	not login(["curl", "-U", "a"])
}

package walguard.checks.workload.probe_login_test

import data.walguard.checks.workload.probe_login as check

pod(image, env, probe, command, mounts) := {"review": {"object": {
	"apiVersion": "apps/v1",
	"kind": "StatefulSet",
	"metadata": {"name": "orders", "namespace": "prod"},
	"spec": {"template": {"spec": {"containers": [{
		"name": "postgres",
		"image": image,
		"env": [{"name": name, "value": value} | some name, value in env],
		"volumeMounts": mounts,
		probe: {"exec": {"command": command}},
	}]}}},
}}}

place(probe) := ["spec", "template", "spec", "containers", 0, probe, "exec", "command"]

test_session if {
	check.findings == {{
		"message": "readinessProbe logs in as postgres, and the image creates role shop alone: it never succeeds, and no Service leads to the server. Name shop there.",
		"path": place("readinessProbe"),
		"severity": "error",
	}} with input as pod("postgres:17", {"POSTGRES_USER": "shop"}, "readinessProbe", ["psql", "-U", "postgres", "-c", "SELECT 1"], [])
	found := check.findings with input as pod("postgres:17", {"POSTGRES_USER": "shop"}, "livenessProbe", ["sh", "-c", "psql --username='postgres' -c 'SELECT 1'"], [])
	{[f.severity, contains(f.message, "killed")] | some f in found} == {["error", true]}
}

test_log if {
	check.findings == {{
		"message": "livenessProbe logs in as postgres, and the image creates role shop alone: every try logs a FATAL error. Name shop there.",
		"path": place("livenessProbe"),
		"severity": "info",
	}} with input as pod("postgis/postgis:17-3.5", {"POSTGRES_USER": "shop"}, "livenessProbe", ["pg_isready", "-U", "postgres", "-h", "127.0.0.1"], [])
}

# The role itself, a role of a script, another image, a variable, the default, and what does more than ask.
test_not_reported if {
	none(pod("postgres:17", {"POSTGRES_USER": "shop"}, "readinessProbe", ["psql", "-U", "shop", "-c", "SELECT 1"], []))
	none(pod("postgres:17", {"POSTGRES_USER": "shop"}, "readinessProbe", ["psql", "-U", "postgres"], [{"name": "init", "mountPath": "/docker-entrypoint-initdb.d/"}]))
	none(pod("bitnami/postgresql:17", {"POSTGRES_USER": "shop"}, "readinessProbe", ["psql", "-U", "postgres"], []))
	none(pod("postgres:17", {"POSTGRES_USER": "shop"}, "readinessProbe", ["sh", "-c", "pg_isready -U $POSTGRES_USER"], []))
	none(pod("postgres:17", {}, "readinessProbe", ["pg_isready", "-U", "postgres"], []))
	none(pod("postgres:17", {"POSTGRES_USER": "shop"}, "readinessProbe", ["sh", "-c", "pg_isready -U postgres || pg_isready -U shop"], []))
}

none(manifest) if {
	found := check.findings with input as manifest
	found == set()
}

test_silent_when_unknown if {
	none(object.remove(pod("postgres:17", {"POSTGRES_USER": "${DB_USER}"}, "readinessProbe", ["psql", "-U", "postgres"], []), ["inventory"]))
}

# ----------------------------------------------------------------------------------------------- unset variables

unset(env, command) := {[f.severity, f.message] |
	found := check.findings with input as pod("postgres:17", env, "livenessProbe", ["sh", "-c", command], [])
	some f in found
}

test_unset if {
	unset({}, "pg_isready -U ${POSTGRES_USER}") == {["warning", "livenessProbe uses $POSTGRES_USER, which nothing defines in the container: its option takes the next word for the value, and every try logs a FATAL error. Write the value, or define the variable."]}
	{severity | some [severity, _] in unset({}, "psql -U $DB_USER -c 'SELECT 1'")} == {"error"}
}

test_set if {
	unset({"POSTGRES_USER": "shop"}, "pg_isready -U ${POSTGRES_USER}") == set()
	unset({}, "POSTGRES_USER=shop pg_isready -U $POSTGRES_USER") == set()
	unset({}, "pg_isready -U ${POSTGRES_USER:-postgres}") == set()
	unset({}, "pg_isready -h $HOSTNAME") == set()
	unset({}, "pg_isready -p $DB_SERVICE_PORT") == set()
}

test_unset_or_unknown if {
	found := check.findings with input as json.patch(
		pod("postgres:17", {}, "livenessProbe", ["sh", "-c", "pg_isready -U $POSTGRES_USER"], []),
		[{"op": "add", "path": "/review/object/spec/template/spec/containers/0/envFrom", "value": [{"secretRef": {"name": "db"}}]}],
	)
	found == set()
}

# ------------------------------------------------------------------------------------------------------- literals

literal(command) := {[f.severity, f.message] |
	found := check.findings with input as pod("postgres:17", {"POSTGRES_USER": "shop"}, "readinessProbe", command, [])
	some f in found
	contains(f.message, "as it is written")
}

test_literal if {
	literal(["pg_isready", "-U", "$(POSTGRES_USER)"]) == {["info", "readinessProbe passes $(POSTGRES_USER) as it is written, since Kubernetes puts no variables into the command of a probe and no shell runs it: every try logs a FATAL error. Write [sh, -c, 'pg_isready -U \"$POSTGRES_USER\"']."]}
	{severity | some [severity, _] in literal(["psql", "-U", "$POSTGRES_USER", "-c", "SELECT 1"])} == {"error"}
}

test_no_literal if {
	literal(["sh", "-c", "pg_isready -U $POSTGRES_USER"]) == set()
	literal(["pg_isready", "-U", "shop"]) == set()
}

# ---------------------------------------------------------------------------------------------------- postStart hooks

hooked(command, env) := {[f.severity, f.message, f.path] |
	found := check.findings with input as json.patch(pod("postgres:17", env, "lifecycle", [], []), [{"op": "replace", "path": "/review/object/spec/template/spec/containers/0/lifecycle", "value": {"postStart": {"exec": {"command": command}}}}])
	some f in found
}

hasty(program) := {[
	"error",
	sprintf("postStart runs %s once, as the container begins and no server listens yet: the hook fails, and the kubelet kills the container, at every start. Let it wait: until pg_isready; do sleep 1; done.", [program]),
	["spec", "template", "spec", "containers", 0, "lifecycle", "postStart", "exec", "command"],
]}

test_hooks_that_ask_once if {
	hooked(["sh", "-c", "psql -U postgres -c 'CREATE EXTENSION vector;'"], {}) == hasty("psql")
	hooked(["/usr/bin/psql", "-h", "localhost", "-c", "SELECT 1"], {}) == hasty("psql")
	hooked(["pg_isready"], {}) == hasty("pg_isready")
	hooked(["bash", "-c", "# roles\nset -e\nPGPASSWORD=x exec psql -h 127.0.0.1 <<EOF\nCREATE ROLE a;\nCREATE ROLE b;\nEOF\n"], {}) == hasty("psql")
	hooked(["sh", "-c", "pg_isready > /dev/null 2>&1"], {}) == hasty("pg_isready")
}

test_hooks_that_wait if {
	every script in [
		"until pg_isready; do sleep 1; done; psql -c 'SELECT 1'",
		"sleep 20 && psql -c 'SELECT 1'",
		"psql -c 'SELECT 1' || true",
		"psql -c 'SELECT 1'; exit 0",
		"psql -c 'SELECT 1' &",
		"psql -h other -c 'SELECT 1'",
		"psql postgres://other/app -c 'SELECT 1'",
		"/scripts/psql.sh",
		"sleep 20\npsql -c 'SELECT 1'",
	] {
		hooked(["sh", "-c", script], {}) == set()
	}
	hooked(["psql", "-h", "other"], {}) == set()
	hooked(["psql"], {"PGHOST": "other"}) == set()
	hooked(["sh", "/scripts/start.sh"], {}) == set()
	hooked([], {}) == set()
}

# Without -d libpq takes the name of the role.
asked(env, command) := {[f.severity, f.message] | some f in found} if found := check.findings with input as pod("postgres:17", env, "readinessProbe", command, [])

test_database_that_nobody_makes if {
	told := {["info", "readinessProbe asks for database odoo, as its role is called, and the first start makes devel: every try logs a FATAL error. Add -d devel."]}
	every command in [["pg_isready", "-U", "odoo"], ["sh", "-c", "pg_isready -h 127.0.0.1 -U \"$POSTGRES_USER\" -t 3"], ["/bin/sh", "-c", "exec pg_isready --username=${POSTGRES_USER} -q"]] {
		asked({"POSTGRES_USER": "odoo", "POSTGRES_DB": "devel"}, command) == told
	}
	every command in [["pg_isready", "-U", "odoo", "-d", "devel"], ["sh", "-c", "pg_isready -U odoo || exit 1"], ["pg_isready", "-U", "other"]] {
		asked({"POSTGRES_USER": "odoo", "POSTGRES_DB": "devel"}, command) == set()
	}
	every env in [{"POSTGRES_USER": "odoo"}, {"POSTGRES_USER": "odoo", "POSTGRES_DB": "odoo"}, {"POSTGRES_USER": "odoo", "POSTGRES_DB": "devel", "PGDATABASE": "devel"}, {"POSTGRES_USER": "postgres", "POSTGRES_DB": "devel"}] {
		asked(env, ["pg_isready", "-U", env.POSTGRES_USER]) == set()
	}
}

# The role stands in a Secret among the files.
by_secret(fields, variable) := {[f.message, f.severity] | some f in found} if {
	found := check.findings with input as object.union(
		object.union(pod("postgres:17.6", {}, "readinessProbe", ["pg_isready"], []), {"review": {"object": {"spec": {"template": {"spec": {"containers": [{
			"name": "postgres",
			"image": "postgres:17.6",
			"env": [{"name": variable, "valueFrom": {"secretKeyRef": {"name": "db", "key": "username"}}}],
			"readinessProbe": {"exec": {"command": ["pg_isready"]}},
			"securityContext": {"runAsUser": 999},
		}]}}}}}}),
		{"inventory": {"namespace": {"prod": {"v1": {"Secret": {"db": object.union({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "db", "namespace": "prod"}}, fields)}}}}}},
	)
}

test_role_of_a_secret if {
	by_secret({"stringData": {"username": "shop"}}, "POSTGRES_USER") == {["readinessProbe logs in as postgres, and the image creates role shop alone: every try logs a FATAL error. Name shop there.", "info"]}
	by_secret({"stringData": {"username": "postgres"}}, "POSTGRES_USER") == set()
	by_secret({"stringData": {"username": "${DB_USER}"}}, "POSTGRES_USER") == set()
	by_secret({"stringData": {"user": "shop"}}, "POSTGRES_USER") == set()
	by_secret({"stringData": {"username": "shop"}}, "POSTGRES_PASSWORD") == set()
}

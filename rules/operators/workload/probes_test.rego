package walguard.operators.workload_probes_test

import data.walguard.checks.access.client_mismatch
import data.walguard.checks.parameters.operator_refuses
import data.walguard.checks.server.locale
import data.walguard.checks.workload.init_script
import data.walguard.checks.workload.permissions
import data.walguard.checks.workload.probe_login

# A server whose container, pod and neighbours are given.
server(container, pod, objects) := {
	"review": {"object": {
		"apiVersion": "apps/v1",
		"kind": "StatefulSet",
		"metadata": {"name": "db", "namespace": "shop", "labels": {"release": "shop"}},
		"spec": {
			"serviceName": "db",
			"selector": {"matchLabels": {"app": "db"}},
			"template": {"metadata": {"labels": {"app": "db"}}, "spec": object.union(
				{
					"securityContext": {"runAsUser": 999, "runAsGroup": 999, "fsGroup": 999},
					"containers": [object.union(
						{
							"name": "postgres",
							"image": "postgres:17.6",
							"env": [{"name": "POSTGRES_USER", "value": "app"}, password],
							"volumeMounts": [{"name": "data", "mountPath": "/var/lib/postgresql/data", "subPath": "pgdata"}],
						},
						container,
					)],
				},
				pod,
			)},
			"volumeClaimTemplates": [{"metadata": {"name": "data"}, "spec": {"resources": {"requests": {"storage": "10Gi"}}}}],
		},
	}},
	"inventory": {"namespace": {"shop": objects}},
}

password := {"name": "POSTGRES_PASSWORD", "valueFrom": {"secretKeyRef": {"name": "db", "key": "password"}}}

asked(container, pod) := {f.message | some f in probe_login.findings with input as server(container, pod, {})}

probing(command) := {"readinessProbe": {"exec": {"command": command}}}

test_words_in_one if {
	asked(probing(["pg_isready -U app"]), {}) == {"readinessProbe starts the program \"pg_isready -U app\", which does not exist: it never succeeds, and no Service leads to the server. Write every word of the command as an item of its own."}
	asked(probing(["/usr/bin/psql -c 1"]), {}) != set()
}

test_words_that_are_apart if {
	every command in [["pg_isready", "-U", "app", "-q"], ["/scripts/is it ready.sh"], ["pg_isready ${OPTIONS}"], ["pg_isready", "-U", "app"]] {
		asked(probing(command), {}) == set()
	}
}

logs_in_as(role) := {sprintf("readinessProbe logs in as %s, and the image creates role app alone: it never succeeds, and no Service leads to the server. Name app there.", [role])}

test_session_without_a_name if {
	every command in [
		["psql", "-c", "select 1"],
		["psql", "-h", "127.0.0.1", "-tAc", "select 1", "app"],
		["sh", "-c", "psql -d app -c 'select 1' >/dev/null 2>&1"],
		["bash", "-ec", "exec psql -qc \"select 1; select 2\" | grep -q 1"],
	] {
		asked(probing(command), {}) == logs_in_as("postgres")
	}
	asked(probing(["psql", "-c", "select 1"]), {"securityContext": {"runAsUser": 0}}) == logs_in_as("root")
}

test_session_of_somebody_known if {
	every command in [
		["psql", "-U", "app", "-c", "select 1"],
		["psql", "--username=app", "-c", "select 1"],
		["psql", "-c", "select 1", "app", "app"],
		["psql", "postgres://app@/app", "-c", "select 1"],
		["psql", "-d", "user=app", "-c", "select 1"],
		["sh", "-c", "PGUSER=app psql -c 'select 1'"],
		["sh", "-c", "psql -c 'select 1' || exit 1"],
		["/scripts/probe.sh"],
	] {
		asked(probing(command), {}) == set()
	}
	every more in [
		{"env": [{"name": "POSTGRES_USER", "value": "app"}, {"name": "PGUSER", "value": "app"}, password]},
		{"env": [password]},
		{"env": [{"name": "POSTGRES_USER", "valueFrom": {"secretKeyRef": {"name": "db", "key": "user"}}}, password]},
		{"envFrom": [{"configMapRef": {"name": "more"}}]},
		{"volumeMounts": [{"name": "more", "mountPath": "/docker-entrypoint-initdb.d"}]},
	] {
		asked(object.union(probing(["psql", "-c", "select 1"]), more), {}) == set()
	}
	asked(probing(["psql", "-c", "select 1"]), {"securityContext": {"runAsUser": 1000}}) == set()
	asked(probing(["sh", "-c", "gosu app psql -c 'select 1'"]), {"securityContext": {"runAsUser": 0}}) == set()
}

refused(container, pod) := {f.message | some f in operator_refuses.findings with input as server(container, pod, {})}

test_blank_in_a_name if {
	refused({"args": ["-c", "max_connections=200", "-c shared_buffers=512MB"]}, {}) == {"PostgreSQL refuses this resource: a blank is part of the name of the parameter in \" shared_buffers=512MB\", and the server does not start (\"unrecognized configuration parameter\"). Write -c and shared_buffers=512MB as two items."}
	refused({"args": ["-c", "shared_buffers = 512MB"]}, {}) == {"PostgreSQL refuses this resource: a blank is part of the name of the parameter in \"shared_buffers = 512MB\", and the server does not start (\"unrecognized configuration parameter\"). Write -c and shared_buffers=512MB as two items."}
	every args in [["-c", "shared_buffers=512MB"], ["-cshared_buffers=512MB"], ["-c", "shared_buffers= 512MB"], ["-c ${NAME}=1"]] {
		refused({"args": args}, {}) == set()
	}
}

test_server_without_initdb if {
	refused({"command": ["postgres", "-c", "max_connections=200"]}, {}) == {"PostgreSQL refuses this resource: command takes the place of the image's entrypoint, which runs initdb, and a new volume has no data directory: the server does not start. Move the words behind postgres to args, and leave command out."}
	every pod in [{"initContainers": [{"name": "restore", "image": "restore:1"}]}] {
		refused({"command": ["postgres"]}, pod) == set()
	}
	refused({"command": ["docker-entrypoint.sh", "postgres"]}, {}) == set()
	refused({"command": ["postgres"], "image": "registry.example.com/postgres:17.6"}, {}) == set()
}

test_server_that_runs_already if {
	made := server({"command": ["postgres"]}, {}, {})
	before := object.union(made, {"review": {"operation": "UPDATE", "oldObject": made.review.object}})
	operator_refuses.findings == set() with input as before
}

initdb(args) := {"env": [{"name": "POSTGRES_INITDB_ARGS", "value": args}, password]}

test_locale_as_the_next_word if {
	found := {f.message | some f in locale.findings with input as server(initdb("--data-checksums --locale de_DE.UTF-8"), {}, {})}
	found == {"locale=de_DE.UTF-8, and the image postgres:17.6 has no such locale: initdb fails. Take an image that has it, or C.UTF-8."}
	every args in ["--locale C.UTF-8", "--locale", "--locale --data-checksums", "--encoding UTF8"] {
		locale.findings == set() with input as server(initdb(args), {}, {})
	}
}

test_root_that_is_refused if {
	pod := {"securityContext": {"runAsNonRoot": true, "runAsUser": 999, "fsGroup": 999}, "initContainers": [{"name": "own", "image": "busybox:1.37", "securityContext": {"runAsUser": 0}}]}
	found := {[f.message, f.severity, f.path] | some f in permissions.findings with input as server({}, pod, {})}
	found == {[
		"Init container own runs as user 0 while runAsNonRoot holds for it: the kubelet refuses it (\"container's runAsUser breaks non-root policy\"), and the pod never starts. Set runAsNonRoot: false in its securityContext.",
		"error",
		["spec", "template", "spec", "initContainers", 0],
	]}
	allowed := object.union(pod, {"initContainers": [{"name": "own", "image": "busybox:1.37", "securityContext": {"runAsUser": 0, "runAsNonRoot": false}}]})
	permissions.findings == set() with input as server({}, allowed, {})
	permissions.findings == set() with input as server({}, object.union(pod, {"securityContext": {"runAsNonRoot": false}}), {})
}

scripted(text) := {[f.message, f.severity] | some f in init_script.findings with input as of_script(text, "start.sh")}

of_script(text, name) := server(
	{"volumeMounts": [
		{"name": "data", "mountPath": "/var/lib/postgresql/data", "subPath": "pgdata"},
		{"name": "files", "mountPath": "/docker-entrypoint-initdb.d"},
	]},
	{"volumes": [{"name": "files", "configMap": {"name": "files"}}]},
	{"v1": {"ConfigMap": {"files": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "files", "namespace": "shop"}, "data": {name: text}}}}},
)

test_login_as_a_role_that_is_not_made if {
	message := "The script logs in as postgres, and the image makes the role app alone (POSTGRES_USER): the first start ends there, and later ones pass over all scripts. Write psql -U \"$POSTGRES_USER\"."
	every text in ["psql -U postgres -c 'select 1'\n", "set -e\npsql -v ON_ERROR_STOP=1 \\\n  --username=\"postgres\" <<EOF\nselect 1\nEOF\n"] {
		scripted(text) == {[message, "error"]}
	}
	every text in [
		"psql -U app -c 'select 1'\n",
		"psql -U postgres -c 'select 1' || true\n",
		"if psql -U postgres -c 'select 1'; then :; fi\n",
		"psql -U app -c 'create role postgres superuser login'\npsql -U postgres -c 'select 1'\n",
		"# psql -U postgres\n",
	] {
		scripted(text) == set()
	}
	init_script.findings == set() with input as of_script("psql -U postgres", "start.sql.txt.gz")
}

test_variable_that_nothing_defines if {
	scripted("psql -U app <<EOF\nCREATE USER shop WITH PASSWORD '$SHOP_PASSWORD';\nEOF\n") == {["The script takes the password from $SHOP_PASSWORD, which nothing defines: the role gets none, and nobody logs in as it. Set SHOP_PASSWORD in the env of container postgres.", "error"]}
	scripted("psql -U app -c \"CREATE DATABASE ${SHOP_DB}\"\n") == {["The script takes the name from $SHOP_DB, which nothing defines: the statement is a syntax error, and the first start ends there. Set SHOP_DB in the env of container postgres.", "error"]}
	every text in [
		"SHOP_DB=shop\npsql -U app -c \"CREATE DATABASE $SHOP_DB\"\n",
		"read SHOP_DB < /etc/name\npsql -U app -c \"CREATE DATABASE $SHOP_DB\"\n",
		": ${SHOP_DB:=shop}\npsql -U app -c \"CREATE DATABASE $SHOP_DB\"\n",
		". /etc/names\npsql -U app -c \"CREATE DATABASE $SHOP_DB\"\n",
		"psql -U app -c \"ALTER ROLE shop PASSWORD '$POSTGRES_PASSWORD'\"\n",
	] {
		scripted(text) == set()
	}
}

service(spec) := {"Service": {"db": {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "db", "namespace": "shop"}, "spec": object.union({"selector": {"app": "db"}, "ports": [{"port": 5432}]}, spec)}}}

waiting(script, spec) := {[f.message, f.severity] | some f in client_mismatch.findings with input as server({}, {}, {"v1": service(spec), "apps/v1": {"Deployment": {"web": {
	"apiVersion": "apps/v1",
	"kind": "Deployment",
	"metadata": {"name": "web", "namespace": "shop"},
	"spec": {"template": {"spec": {
		"initContainers": [{"name": "wait", "image": "postgres:17.6", "command": ["sh", "-c", script]}],
		"containers": [{"name": "web", "image": "web:1", "env": [{"name": "DB_HOST", "value": "db"}]}],
	}}},
}}}})}

test_wait_at_another_port if {
	found := {["Deployment web waits in init container wait for port 5433 of db, where nothing answers: it never starts. Write 5432.", "error"]}
	every script in ["until pg_isready -h db -p 5433; do sleep 1; done", "while ! nc -z -w 2 db 5433; do sleep 1; done"] {
		waiting(script, {}) == found
		waiting(script, {"clusterIP": "None"}) == found
	}
	every script in ["until pg_isready -h db -p 5432; do sleep 1; done", "until pg_isready -h db; do sleep 1; done", "until nc -z db 5432; do sleep 1; done", "until nc -z cache 6379; do sleep 1; done"] {
		waiting(script, {}) == set()
	}
	waiting("until nc -z db 6432; do sleep 1; done", {"ports": [{"port": 5432}, {"port": 6432}]}) == set()
}

test_pod_that_helm_runs_first if {
	pod := {
		"apiVersion": "v1",
		"kind": "Pod",
		"metadata": {"name": "migrate", "namespace": "shop", "labels": {"release": "shop"}, "annotations": {"helm.sh/hook": "pre-install"}},
		"spec": {"containers": [{"name": "migrate", "image": "migrate:1", "env": [{"name": "DB_HOST", "value": "db"}]}]},
	}
	found := {[f.severity, f.path] | some f in client_mismatch.findings with input as server({}, {}, {"v1": object.union(service({}), {"Pod": {"migrate": pod}})})}
	found == {["error", ["metadata", "annotations", "helm.sh/hook"]]}
}

package walguard.operators.workload_architectures_test

import data.walguard.checks.change.first_start
import data.walguard.checks.image.version_mismatch
import data.walguard.checks.parameters.operator_refuses
import data.walguard.checks.workload.permissions

server(container, pod) := {
	"apiVersion": "apps/v1",
	"kind": "StatefulSet",
	"metadata": {"name": "db", "namespace": "shop"},
	"spec": {
		"serviceName": "db",
		"selector": {"matchLabels": {"app": "db"}},
		"template": {"metadata": {"labels": {"app": "db"}}, "spec": object.union(
			{"containers": [object.union(
				{
					"name": "postgres",
					"image": "postgis/postgis:16-3.5",
					"env": [{"name": "POSTGRES_PASSWORD", "valueFrom": {"secretKeyRef": {"name": "db", "key": "password"}}}],
					"volumeMounts": [{"name": "data", "mountPath": "/var/lib/postgresql/data", "subPath": "pgdata"}],
				},
				container,
			)]},
			pod,
		)},
		"volumeClaimTemplates": [{"metadata": {"name": "data"}, "spec": {"resources": {"requests": {"storage": "10Gi"}}}}],
	},
}

told(container, pod) := {f.message | some f in version_mismatch.findings with input as {"review": {"object": server(container, pod)}}}

on(label, value) := {"nodeSelector": {label: value}}

affine := {"affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [{"matchExpressions": [{"key": "kubernetes.io/arch", "operator": "In", "values": ["arm64"]}]}]}}}}

said(where) := {sprintf("The image postgis/postgis:16-3.5 is built for amd64 alone, and the pods run on arm64 (%s): \"exec format error\". Use one for both, such as imresamu/postgis, or let the pods run on amd64.", [where])}

test_arm if {
	told({}, on("kubernetes.io/arch", "arm64")) == said("kubernetes.io/arch: arm64")
	told({}, affine) == said("kubernetes.io/arch in the nodeAffinity")
	told({}, on("node.kubernetes.io/instance-type", "m7g.xlarge")) == said("instance type m7g.xlarge")
	told({}, on("node.kubernetes.io/instance-type", "m7i.xlarge")) == set()
	told({}, on("kubernetes.io/arch", "amd64")) == set()
	told({}, {}) == set()
	every image in ["postgres:17.6", "imresamu/postgis:16-3.5", "registry.example.com/postgis/postgis:16-3.5", "bitnamilegacy/postgresql:16.6.0-debian-12-r2"] {
		told({"image": image}, on("kubernetes.io/arch", "arm64")) == set()
	}
	told({"image": "bitnamilegacy/postgresql:11.14.0-debian-10-r22"}, on("kubernetes.io/arch", "arm64")) == {"The image bitnamilegacy/postgresql:11.14.0-debian-10-r22 is built for amd64 alone, and the pods run on arm64 (kubernetes.io/arch: arm64): \"exec format error\". Use a tag on Debian 11 or 12, or let the pods run on amd64."}
}

refused(container) := {f.message | some f in operator_refuses.findings with input as {"review": {"object": server(container, {})}}}

test_words if {
	refused({"args": ["postgres -c max_connections=500"]}) == {"The image's entrypoint refuses this resource: it starts the program \"postgres -c max_connections=500\", which does not exist. Write every word as an item of its own."}
	refused({"args": ["max_connections=500"]}) == {"The image's entrypoint refuses this resource: it starts the program \"max_connections=500\", which does not exist. Write -c before it: args: [-c, max_connections=500]."}
	every args in [["-c", "max_connections=500"], ["postgres", "-c", "max_connections=500"], ["$(START)"], ["bash"]] {
		refused({"args": args}) == set()
	}
	refused({"command": ["sh", "-c"], "args": ["postgres -c max_connections=500"]}) == set()
	refused({"image": "registry.example.com/own:17.6", "args": ["max_connections=500"]}) == set()
}

reached(container) := {f.message | some f in permissions.findings with input as {"review": {"object": server(container, {})}}}

test_directory_of_supabase if {
	moved := {"image": "supabase/postgres:15.8.1.085", "env": [{"name": "PGDATA", "value": "/var/lib/postgresql/data/pgdata"}]}
	reached(moved) == {"PGDATA is /var/lib/postgresql/data/pgdata, where the image makes the database, and its postgresql.conf looks in /var/lib/postgresql/data: \"is not a valid data directory\". Leave PGDATA out, and mount the volume with subPath."}
	reached(object.union(moved, {"env": [{"name": "PGDATA", "value": "/var/lib/postgresql/data/"}]})) == set()
	reached(object.union(moved, {"args": ["postgres", "-D", "/var/lib/postgresql/data/pgdata"]})) == set()
	reached(object.union(moved, {"volumeMounts": [{"name": "data", "mountPath": "/var/lib/postgresql/data"}, {"name": "conf", "mountPath": "/etc/postgresql"}]})) == set()
	reached(object.union(moved, {"image": "postgres:17.6"})) == set()
}

changed(name, now) := {f.message | some f in first_start.findings with input as {"review": {"operation": "UPDATE", "object": with_variable(name, now), "oldObject": with_variable(name, "old")}}}

with_variable(name, value) := server({"env": [{"name": "POSTGRES_PASSWORD", "valueFrom": {"secretKeyRef": {"name": "db", "key": "password"}}}, {"name": name, "value": value}]}, {})

test_change if {
	changed("POSTGRES_HOST_AUTH_METHOD", "md5") == {"POSTGRES_HOST_AUTH_METHOD changes, which the image reads only when the data directory is empty: the server that exists keeps its pg_hba.conf. Change the last line of pg_hba.conf in the data directory, or mount one (hba_file)."}
	changed("POSTGRES_INITDB_ARGS", "--no-sync") == {"POSTGRES_INITDB_ARGS changes, which the image reads only when the data directory is empty: the server that exists keeps what initdb made. It takes a new data directory: dump and restore."}
	changed("POSTGRES_HOST_AUTH_METHOD", "old") == set()
}

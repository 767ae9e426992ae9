package walguard.checks.access.password_file_test

import data.walguard.checks.access.password_file as check

findings(container, secret, pod) := found if {
	found := check.findings with input as {
		"review": {"object": {"apiVersion": "postgresql.cnpg.io/v1", "kind": "Cluster", "metadata": {"name": "orders", "namespace": "prod"}, "spec": {"imageName": "ghcr.io/cloudnative-pg/postgresql:17.6"}}},
		"inventory": {"namespace": {"prod": {"batch/v1": {"CronJob": {"dump": {
			"apiVersion": "batch/v1",
			"kind": "CronJob",
			"metadata": {"name": "dump", "namespace": "prod"},
			"spec": {"jobTemplate": {"spec": {"template": {"spec": object.union(
				{
					"containers": [object.union({"name": "dump", "image": "postgres:17", "command": ["pg_dump", "-h", "orders-rw", "orders"]}, container)],
					"volumes": [{"name": "pgpass", "secret": object.union({"secretName": "pgpass"}, secret)}],
				},
				pod,
			)}}}},
		}}}}}},
	}
}

by_variable := {"env": [{"name": "PGPASSFILE", "value": "/secrets/pgpass"}], "volumeMounts": [{"name": "pgpass", "mountPath": "/secrets"}]}

test_default_mode if {
	findings(by_variable, {}, {}) == {{
		"message": "The password file /secrets/pgpass of CronJob dump has mode 0644, and libpq ignores a file that group or others may read: \"no password supplied\". Set defaultMode: 0600 in the volume, or PGPASSWORD from the Secret.",
		"path": ["spec", "jobTemplate", "spec", "template", "spec", "volumes", 0],
		"resource": {"apiVersion": "batch/v1", "kind": "CronJob", "name": "dump", "namespace": "prod"},
		"severity": "error",
	}}
	count(findings({"volumeMounts": [{"name": "pgpass", "mountPath": "/root/.pgpass", "subPath": "pgpass"}]}, {}, {})) == 1
}

test_group if {
	{f.message | some f in findings(by_variable, {"defaultMode": 256}, {"securityContext": {"fsGroup": 999}})} == {"The password file /secrets/pgpass of CronJob dump has mode 0440 by the fsGroup of the pod, and libpq ignores a file that group or others may read: \"no password supplied\". Copy it to an emptyDir with mode 0600 in an init container, or set PGPASSWORD from the Secret."}
}

severities(more) := {object.get(f, "severity", "by default") | some f in findings(object.union(by_variable, more), {}, {})}

test_severity if {
	severities({"command": ["sh", "-c", "until psql -h orders-rw -w -c 'select 1'; do sleep 2; done; pg_dump -h orders-rw orders"]}) == {"error"}
	every command in [["sh", "-c", "pg_dump -h orders-rw orders; cp /x /y"], ["sh", "-c", "PGPASSWORD=$P pg_dump -h orders-rw"]] {
		severities({"command": command}) == {"by default"}
	}
	severities({"envFrom": [{"secretRef": {"name": "more"}}]}) == {"by default"}
	severities({"env": array.concat(by_variable.env, [{"name": "PGSERVICE", "value": "orders"}])}) == {"by default"}
}

test_not_reported if {
	findings(object.union(by_variable, {"env": [{"name": "PGPASSWORD", "valueFrom": {"secretKeyRef": {"name": "s", "key": "p"}}}, {"name": "PGPASSFILE", "value": "/secrets/pgpass"}]}), {}, {}) == set()

	findings(by_variable, {"defaultMode": 384}, {}) == set()
	findings(by_variable, {"defaultMode": 420, "items": [{"key": "pgpass", "path": "pgpass", "mode": 256}]}, {}) == set()
	findings(object.union(by_variable, {"env": [{"name": "PGPASSWORD", "value": "x"}, {"name": "PGPASSFILE", "value": "/secrets/pgpass"}]}), {}, {}) == set()
	findings({"volumeMounts": [{"name": "pgpass", "mountPath": "/secrets"}]}, {}, {}) == set()
}

test_silent_when_unknown if {
	findings(object.union(by_variable, {"command": ["pg_dump", "-h", "stock-rw"]}), {}, {}) == set()
	findings(by_variable, {"defaultMode": "${MODE}"}, {}) == set()
}

# What the Secret has, where it is in sight.
having(text) := {f.message |
	found := check.findings with input as {
		"review": {"object": {"apiVersion": "postgresql.cnpg.io/v1", "kind": "Cluster", "metadata": {"name": "orders", "namespace": "prod"}, "spec": {"imageName": "ghcr.io/cloudnative-pg/postgresql:17.6"}}},
		"inventory": {"namespace": {"prod": {
			"v1": {"Secret": {"pgpass": {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "pgpass", "namespace": "prod"}, "stringData": {"pgpass": text}}}},
			"batch/v1": {"CronJob": {"dump": {
				"apiVersion": "batch/v1",
				"kind": "CronJob",
				"metadata": {"name": "dump", "namespace": "prod"},
				"spec": {"jobTemplate": {"spec": {"template": {"spec": {
					"containers": [object.union({"name": "dump", "image": "postgres:17", "command": ["pg_dump", "-h", "orders-rw", "orders"]}, by_variable)],
					"volumes": [{"name": "pgpass", "secret": {"secretName": "pgpass", "defaultMode": 384}}],
				}}}}},
			}}},
		}}},
	}
	some f in found
}

test_no_line_of_it if {
	having("hunter2hunter2") == {"The password file /secrets/pgpass of CronJob dump has no line host:port:database:user:password, and libpq takes no password from it: \"no password supplied\". Set PGPASSWORD from the Secret instead."}
	count(having("orders-rw:5432:orders:hunter2hunter2")) == 1
	count(having("# orders-rw:5432:orders:app:x")) == 1
}

test_a_line_of_it if {
	having("orders-rw:5432:orders:app:hunter2") == set()
	having("# mine\n*:*:*:app:hunter2\n") == set()
	having(`orders\:rw:5432:orders:app:hunter2`) == set()
	having("${PASSWORD}") == set()
}

# pgAdmin finds the server by a file, and the password file names it.
of_pgadmin(line, mode) := {substring(f.message, 0, 83) | some f in found} if found := check.findings with input as {
	"review": {"object": {"apiVersion": "postgresql.cnpg.io/v1", "kind": "Cluster", "metadata": {"name": "orders", "namespace": "prod"}, "spec": {"imageName": "ghcr.io/cloudnative-pg/postgresql:17.6"}}},
	"inventory": {"namespace": {"prod": {
		"v1": {"Secret": {"pgpass": {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "pgpass", "namespace": "prod"}, "stringData": {"pgpass": line}}}},
		"apps/v1": {"Deployment": {"pgadmin": {
			"apiVersion": "apps/v1",
			"kind": "Deployment",
			"metadata": {"name": "pgadmin", "namespace": "prod"},
			"spec": {"template": {"spec": {
				"containers": [{"name": "pgadmin", "image": "dpage/pgadmin4:9.6", "env": [{"name": "PGPASSFILE", "value": "/secrets/pgpass"}], "volumeMounts": [{"name": "pgpass", "mountPath": "/secrets/pgpass", "subPath": "pgpass"}]}],
				"volumes": [{"name": "pgpass", "secret": {"secretName": "pgpass", "defaultMode": mode}}],
			}}},
		}}},
	}}},
}

test_pgadmin if {
	of_pgadmin("orders-rw.prod:5432:*:app:s3cret\n", 420) == {"The password file /secrets/pgpass of Deployment pgadmin has mode 0644, and libpq ig"}
	of_pgadmin("orders-rw.prod:5432:*:app:s3cret\n", 384) == set()
	of_pgadmin("others-rw.prod:5432:*:app:s3cret\n", 420) == set()
}

# servers.json of pgAdmin names it, below the directory of the user.
by_servers(server_mode, pass_file, place) := {substring(f.message, 0, 83) | some f in found} if found := check.findings with input as {
	"review": {"object": {"apiVersion": "postgresql.cnpg.io/v1", "kind": "Cluster", "metadata": {"name": "orders", "namespace": "prod"}, "spec": {"imageName": "ghcr.io/cloudnative-pg/postgresql:17.6"}}},
	"inventory": {"namespace": {"prod": {
		"v1": {
			"Secret": {"pgpass": {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "pgpass", "namespace": "prod"}, "stringData": {"pgpass": "orders-rw.prod:5432:*:app:s3cret\n"}}},
			"ConfigMap": {"servers": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "servers", "namespace": "prod"}, "data": {"servers.json": sprintf(`{"Servers": {"1": {"Host": "orders-rw", "PassFile": "%s"}}}`, [pass_file])}}},
		},
		"apps/v1": {"Deployment": {"pgadmin": {
			"apiVersion": "apps/v1",
			"kind": "Deployment",
			"metadata": {"name": "pgadmin", "namespace": "prod"},
			"spec": {"template": {"spec": {
				"containers": [{"name": "pgadmin", "image": "dpage/pgadmin4:9.6", "env": [{"name": "PGADMIN_CONFIG_SERVER_MODE", "value": server_mode}], "volumeMounts": [{"name": "pgpass", "mountPath": place}, {"name": "servers", "mountPath": "/pgadmin4/servers.json", "subPath": "servers.json"}]}],
				"volumes": [{"name": "pgpass", "secret": {"secretName": "pgpass"}}, {"name": "servers", "configMap": {"name": "servers"}}],
			}}},
		}}},
	}}},
}

test_pgadmin_by_its_servers if {
	by_servers("False", "/secrets/pgpass", "/secrets") == {"The password file /secrets/pgpass of Deployment pgadmin has mode 0644, and libpq ig"}
	count(by_servers("True", "/pgpass", "/var/lib/pgadmin/storage/dba_example.com")) == 1
	by_servers("True", "/secrets/pgpass", "/secrets") == set()
	by_servers("False", "/elsewhere/pgpass", "/secrets") == set()
}

test_another_user if {
	{f.message | some f in findings(object.union(by_variable, {"securityContext": {"runAsUser": 999}}), {"defaultMode": 384}, {})} == {"The password file /secrets/pgpass of CronJob dump belongs to root with mode 0600, and user 999 cannot read it: \"no password supplied\". Set PGPASSWORD from the Secret, or copy it in an init container that runs as that user."}
	count(findings(by_variable, {"defaultMode": 384}, {"securityContext": {"runAsUser": 999}})) == 1
	count(findings(object.union(by_variable, {"securityContext": {"runAsUser": 0}}), {"defaultMode": 384}, {"securityContext": {"runAsUser": 999}})) == 0
	count(findings(by_variable, {"defaultMode": 384}, {})) == 0
}

# Whatever runs psql, by a schedule or once.
test_job if {
	found := check.findings with input as {
		"review": {"object": {"apiVersion": "postgresql.cnpg.io/v1", "kind": "Cluster", "metadata": {"name": "orders", "namespace": "prod"}, "spec": {"imageName": "ghcr.io/cloudnative-pg/postgresql:17.6"}}},
		"inventory": {"namespace": {"prod": {"batch/v1": {"Job": {"refresh": {
			"apiVersion": "batch/v1",
			"kind": "Job",
			"metadata": {"name": "refresh", "namespace": "prod"},
			"spec": {"template": {"spec": {
				"containers": [object.union({"name": "psql", "image": "example.com/tools:1", "command": ["psql", "-h", "orders-rw", "-c", "SELECT 1"]}, by_variable)],
				"volumes": [{"name": "pgpass", "secret": {"secretName": "pgpass"}}],
			}}},
		}}}}}},
	}
	{[f.resource.kind, f.severity] | some f in found} == {["Job", "error"]}
}

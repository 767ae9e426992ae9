package walguard.checks.access.secret_line_break_test

import data.walguard.checks.access.secret_line_break as check

findings(reviewed, secret) := found if found := check.findings with input as {
	"review": {"object": reviewed},
	"inventory": {"namespace": {"prod": {"v1": {"Secret": {"db": object.union({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "db", "namespace": "prod"}}, secret)}}}}},
}

workload(variable) := {
	"apiVersion": "apps/v1",
	"kind": "StatefulSet",
	"metadata": {"name": "db", "namespace": "prod"},
	"spec": {"template": {"spec": {"containers": [{"name": "postgres", "image": "postgres:17.6", "env": [{"name": variable, "valueFrom": {"secretKeyRef": {"name": "db", "key": "password"}}}]}]}}},
}

cnpg(spec) := {"apiVersion": "postgresql.cnpg.io/v1", "kind": "Cluster", "metadata": {"name": "db", "namespace": "prod"}, "spec": spec}

test_password if {
	findings(workload("POSTGRES_PASSWORD"), {"data": {"password": "aHVudGVyMgo="}}) == {{
		"message": "The value of password in Secret db ends with a line break: what reads the Secret sends another password than the one that is set, and logins fail. Encode it without (echo -n).",
		"path": ["spec", "template", "spec", "containers", 0, "env", 0, "valueFrom", "secretKeyRef"],
		"severity": "error",
	}}
	count(findings(workload("POSTGRES_PASSWORD"), {"stringData": {"password": "hunter2\n"}})) == 1
	{f.severity | some f in findings(workload("POSTGRES_USER"), {"stringData": {"password": "app\n"}})} == {"warning"}
}

test_cloudnativepg if {
	{[f.path, f.severity] | some f in findings(cnpg({"managed": {"roles": [{"name": "app", "passwordSecret": {"name": "db"}}]}}), {"data": {"password": "aHVudGVyMgo="}})} == {[["spec", "managed", "roles", 0, "passwordSecret", "name"], "warning"]}
	{f.path | some f in findings(cnpg({"bootstrap": {"initdb": {"secret": {"name": "db"}}}}), {"data": {"password": "aHVudGVyMgo="}})} == {["spec", "bootstrap", "initdb", "secret", "name"]}
}

test_without if {
	findings(workload("POSTGRES_PASSWORD"), {"data": {"password": "aHVudGVyMg=="}}) == set()
	findings(workload("PGDATA"), {"stringData": {"password": "x\n"}}) == set()
	findings(cnpg({"bootstrap": {"initdb": {"secret": {"name": "db"}}}}), {"stringData": {"password": "x"}}) == set()
}

test_silent_when_unknown if {
	findings(workload("POSTGRES_PASSWORD"), {}) == set()
	findings(workload("POSTGRES_PASSWORD"), {"stringData": {"password": "${PASSWORD}\n"}}) == set()
	findings(cnpg({"bootstrap": {"initdb": {"secret": {"name": "elsewhere"}}}}), {"stringData": {"password": "x\n"}}) == set()
}

addressed(text) := found if found := check.findings with input as {
	"review": {"object": object.union(workload("PGDATA"), {"spec": {"serviceName": "db", "template": {"spec": {"containers": [{"name": "postgres", "image": "postgres:17.6"}]}}}})},
	"inventory": {"namespace": {"prod": {
		"v1": {"Secret": {"app": {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "app", "namespace": "prod"}, "stringData": {"uri": text}}}},
		"apps/v1": {"Deployment": {"app": {
			"apiVersion": "apps/v1",
			"kind": "Deployment",
			"metadata": {"name": "app", "namespace": "prod"},
			"spec": {"template": {"spec": {"containers": [{"name": "app", "image": "app:1.0", "env": [{"name": "DATABASE_URL", "valueFrom": {"secretKeyRef": {"name": "app", "key": "uri"}}}]}]}}},
		}}},
	}}},
}

test_an_address if {
	addressed("postgresql://app:Rk7vq2LmXcPs@db:5432/app\n") == {{
		"message": "The address in uri of Secret app ends with a line break, which becomes part of the database's name: it does not exist. Encode it without (echo -n).",
		"path": ["spec", "template", "spec", "containers", 0, "env", 0, "valueFrom", "secretKeyRef"],
		"resource": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "app", "namespace": "prod"},
	}}
	addressed("postgresql://app:Rk7vq2LmXcPs@db:5432/app") == set()
	addressed("postgresql://app:Rk7vq2LmXcPs@elsewhere:5432/app\n") == set()
	addressed("mysql://app:Rk7vq2LmXcPs@db:3306/app\n") == set()
}

package walguard.checks.access.connection_uri_test

import data.walguard.checks.access.connection_uri as check

secret(name, fields) := {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": name, "namespace": "prod"}, "stringData": fields}

app(env) := {
	"apiVersion": "apps/v1",
	"kind": "Deployment",
	"metadata": {"name": "shop", "namespace": "prod"},
	"spec": {"template": {"spec": {"containers": [{"name": "shop", "image": "shop:1", "env": env}]}}},
}

sight(fields, env) := {
	"review": {"object": {
		"apiVersion": "apps/v1",
		"kind": "StatefulSet",
		"metadata": {"name": "orders", "namespace": "prod"},
		"spec": {"serviceName": "orders", "template": {"spec": {"containers": [{"image": "postgres:17"}]}}},
	}},
	"inventory": {"namespace": {"prod": {
		"v1": {"Secret": {"shop": secret("shop", fields)}},
		"apps/v1": {"Deployment": {"shop": app(env)}},
	}}},
}

test_written if {
	check.findings == {{
		"message": "The password in this connection URI has a \"#\", which ends its part: programs read another host, or none. Write %23 for it, or take a password of letters and digits.",
		"path": ["stringData", "URL"],
		"resource": {"apiVersion": "v1", "kind": "Secret", "namespace": "prod", "name": "shop"},
		"severity": "error",
	}} with input as sight({"URL": "postgresql://shop:a#b@orders.prod.svc:5432/shop"}, [])
	found := check.findings with input as sight({"URL": "postgres://shop:a/b@orders/shop", "other": "postgresql+asyncpg://shop:?b@orders:5432/shop"}, [])
	count(found) == 2
}

test_composed if {
	env := [
		{"name": "PASSWORD", "valueFrom": {"secretKeyRef": {"name": "shop", "key": "password"}}},
		{"name": "URL", "value": "postgres://shop:$(PASSWORD)@orders:5432/shop"},
	]
	check.findings == {{
		"message": "The password in this connection URI has a \"/\", which ends its part: programs read another host, or none. Write %2F for it, or take a password of letters and digits.",
		"path": ["spec", "template", "spec", "containers", 0, "env", 1, "value"],
		"resource": {"apiVersion": "apps/v1", "kind": "Deployment", "namespace": "prod", "name": "shop"},
		"severity": "error",
	}} with input as sight({"password": "a/b@c"}, env)
	{[f.severity, substring(f.message, 0, 49)] | some f in check.findings} == {["warning", "The password in this connection URI has a \"@\", wh"]} with input as sight({"password": "a-b@c"}, env)
	count(check.findings) == 1 with input as sight({"password": "a%b"}, env)
	check.findings == set() with input as sight({"password": "a%2Fb-c!"}, env)
}

test_not_reported if {
	check.findings == set() with input as sight({"URL": "postgresql://shop:a%23b@orders:5432/shop?sslmode=require#x"}, [])
	check.findings == set() with input as sight({"URL": "postgresql://orders/shop?user=a@orders.example.com"}, [{"name": "URL", "value": "postgres://shop@orders/shop"}])
	check.findings == set() with input as sight({"URL": "mysql://shop:a#b@orders:3306/shop"}, [])
	check.findings == set() with input as sight({"URL": "postgresql://shop:a#b@elsewhere:5432/shop"}, [])
}

test_silent_when_unknown if {
	check.findings == set() with input as sight({"URL": "postgresql://shop:${PASSWORD}#@orders:5432/shop"}, [])
	check.findings == set() with input as object.remove(sight({}, []), ["inventory"])
}

test_a_mode_that_does_not_exist if {
	check.findings == {{
		"message": `There is no sslmode "disabled", and programs end with that before they connect. Write disable, prefer, require, verify-ca or verify-full.`,
		"path": ["spec", "template", "spec", "containers", 0, "env", 0, "value"],
		"resource": {"apiVersion": "apps/v1", "kind": "Deployment", "namespace": "prod", "name": "shop"},
	}} with input as sight({}, [{"name": "URL", "value": "postgres://shop@orders:5432/shop?connect_timeout=5&sslmode=disabled"}])
	{f.path | some f in check.findings} == {["stringData", "URL"]} with input as sight({"URL": "jdbc:postgresql://orders.prod.svc:5432/shop?sslmode=false"}, [])
}

test_modes_that_exist if {
	every mode in ["disable", "allow", "prefer", "require", "verify-ca", "verify-full", "no-verify", "$(MODE)", "${MODE}"] {
		check.findings == set() with input as sight({}, [{"name": "URL", "value": sprintf("postgres://shop@orders:5432/shop?sslmode=%s", [mode])}])
	}
	check.findings == set() with input as sight({}, [{"name": "URL", "value": "postgres://shop@elsewhere:5432/shop?sslmode=disabled"}])
}

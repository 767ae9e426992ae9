package walguard.checks.access.tls_off_test

import data.walguard.checks.access.tls_off as check
import data.walguard.lib.manifest_test as manifests

zalando(spec) := {"review": {"object": {
	"apiVersion": "acid.zalan.do/v1",
	"kind": "postgresql",
	"metadata": {"name": "acid-orders", "namespace": "prod"},
	"spec": spec,
}}}

test_switched_off if {
	check.findings == {{
		"message": "ssl=off switches off the TLS that the operator sets up: passwords and data cross the network unencrypted. Set it to on.",
		"path": ["spec", "postgresql", "parameters", "ssl"],
		"fix": [{"op": "replace", "path": "/spec/postgresql/parameters/ssl", "value": "on"}],
	}} with input as zalando({"postgresql": {"parameters": {"ssl": "off"}}})
}

test_line if {
	check.findings == {{
		"message": "\"hostnossl all all 0.0.0.0/0 md5\" is for connections without TLS from everywhere. Use hostssl.",
		"path": ["spec", "postgresql", "pg_hba", 0],
	}} with input as manifests.review({}, {"postgresql": {"pg_hba": ["hostnossl all all 0.0.0.0/0 md5"]}})
}

test_tls if {
	check.findings == set() with input as zalando({"postgresql": {"parameters": {"ssl": "on"}}})
	check.findings == set() with input as manifests.review({}, {"postgresql": {"pg_hba": ["hostssl all all all md5", "hostnossl all all all reject", "hostnossl all all 10.0.0.0/8 md5"]}})
}

test_silent_on_the_default_of_postgresql if {
	check.findings == set() with input as manifests.server("ssl = off", {})
	check.findings == set() with input as manifests.change({"ssl": "off"})
}

test_spellings_of_off if {
	every off in ["off", "false", "no", "0"] {
		found := check.findings with input as zalando({"postgresql": {"parameters": {"ssl": off}}})
		count(found) == 1
	}
}

# --------------------------------------------------------------------------------------------------------- clients

client(env, labels, more) := {f |
	found := check.findings with input as {
		"review": {"object": {"apiVersion": "postgresql.cnpg.io/v1", "kind": "Cluster", "metadata": {"name": "orders", "namespace": "prod"}, "spec": object.union({"instances": 3}, object.get(more, "spec", {}))}},
		"inventory": {
			"namespace": {"prod": {"apps/v1": {"Deployment": {"web": {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web", "namespace": "prod"}, "spec": {"template": {"metadata": {"labels": labels}, "spec": {"containers": [{"name": "web", "env": env}]}}}}}}}},
			"cluster": {"v1": {"Namespace": {"prod": {"metadata": {"name": "prod", "labels": object.get(more, "labels", {})}}}}},
		},
	}
	some f in found
}

uri(mode) := [{"name": "DATABASE_URL", "value": sprintf("postgresql://app@orders-rw.prod.svc:5432/app?sslmode=%s", [mode])}]

test_client_without_tls if {
	client(uri("disable"), {}, {}) == {{
		"message": "Container web connects without TLS (sslmode=disable), although the server offers it: queries and results cross the network unencrypted. Write require instead of disable.",
		"path": ["spec", "template", "spec", "containers", 0, "env", 0, "value"],
		"resource": {"apiVersion": "apps/v1", "kind": "Deployment", "namespace": "prod", "name": "web"},
		"severity": "info",
	}}
	{f.message | some f in client([{"name": "DB_HOST", "value": "orders-rw"}, {"name": "DB_SSL", "value": "false"}], {}, {})} == {"Container web connects without TLS (DB_SSL=false), although the server offers it: queries and results cross the network unencrypted. Turn TLS on there."}
}

test_client_with_tls if {
	client(uri("require"), {}, {}) == set()
	client([{"name": "DATABASE_URL", "value": "postgresql://app@orders-rw:5432/app"}], {}, {}) == set()
	client([{"name": "DATABASE_URL", "value": "postgresql://app@other-rw:5432/app?sslmode=disable"}], {}, {}) == set()
}

test_client_in_a_mesh if {
	client(uri("disable"), {"sidecar.istio.io/inject": "true"}, {}) == set()
	client(uri("disable"), {}, {"labels": {"istio-injection": "enabled"}}) == set()
}

# Another check says that nobody gets in.
test_client_that_is_refused if {
	client(uri("disable"), {}, {"spec": {"postgresql": {"pg_hba": ["hostnossl all all all reject"]}}}) == set()
}

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

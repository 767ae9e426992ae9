package walguard.checks.access.connection_uri_modes_test

import data.walguard.checks.access.connection_uri as check

of(image, variables) := found if {
	found := {[object.get(f, "severity", "error"), f.message] | some f in check.findings} with input as {
		"review": {"object": {
			"apiVersion": "apps/v1",
			"kind": "Deployment",
			"metadata": {"name": "web", "namespace": "shop"},
			"spec": {"template": {"spec": {"containers": [{"name": "web", "image": image, "env": [{"name": name, "value": value} | some name, value in variables]}]}}},
		}},
		"inventory": {},
	}
}

with_mode(name, mode) := of("shop/web:1", {"PGHOST": "pg", "POSTGRES_HOST": "pg", name: mode})

test_words_that_are_no_mode if {
	with_mode("POSTGRES_SSLMODE", "disabled") == {["error", "POSTGRES_SSLMODE of Deployment web is \"disabled\", and there is no such sslmode: it does not connect. Write disable."]}
	with_mode("DB_SSL_MODE", "REQUIRED") == {["warning", "DB_SSL_MODE of Deployment web is \"REQUIRED\", and there is no such sslmode: it does not connect. Write require."]}
	every mode in ["disable", "require", "verify-full", "true", "off", "$(MODE)"] {
		with_mode("POSTGRES_SSLMODE", mode) == set()
	}
	with_mode("MYSQL_SSLMODE_OF", "disabled") == set()
	of("shop/web:1", {"MYSQL_HOST": "my", "DB_SSL_MODE": "disabled"}) == set()
}

test_kinds_by_image if {
	of("joplin/server:3.0.1", {"POSTGRES_HOST": "pg"}) == {["error", "POSTGRES_HOST of Deployment web names the server, and without DB_CLIENT=pg this program takes SQLite: nothing is kept here. Set DB_CLIENT to pg."]}
	of("joplin/server:3.0.1", {"POSTGRES_HOST": "pg", "DB_CLIENT": "pg"}) == set()
	of("shop/web:1", {"POSTGRES_HOST": "pg"}) == set()
}

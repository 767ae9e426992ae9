package walguard.checks.access.connection_uri_settings_test

import data.walguard.checks.access.connection_uri as check

# Of Grafana by itself, with this in its section [database].
grafana(tag, env, text) := found if {
	found := {f.message | some f in check.findings} with input as {
		"review": {"object": {
			"apiVersion": "apps/v1",
			"kind": "Deployment",
			"metadata": {"name": "web", "namespace": "shop"},
			"spec": {"template": {"spec": {
				"containers": [{"name": "web", "image": sprintf("grafana/grafana:%s", [tag]), "env": env, "volumeMounts": [{"name": "c", "mountPath": "/etc/grafana/grafana.ini", "subPath": "grafana.ini"}]}],
				"volumes": [{"name": "c", "configMap": {"name": "c"}}],
			}}},
		}},
		"inventory": {"namespace": {"shop": {"v1": {"ConfigMap": {"c": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c", "namespace": "shop"}, "data": {"grafana.ini": text}}}}}}},
	}
}

section(mode) := sprintf("[server]\nssl_mode = x\n[database]\ntype = postgres\nhost = pg:5432\nssl_mode = %s\n[log]\nmode = console\n", [mode])

test_words_in_a_file_of_settings if {
	grafana("11.1.3", [], section("prefer")) == {"ssl_mode in grafana.ini of Deployment web is \"prefer\", and Grafana takes disable, require, verify-ca and verify-full alone. Write require, or disable where the server has no TLS."}
	grafana("11.1.3", [], section("require")) == set()
	grafana("12.0.0", [], section("prefer")) == set()
	grafana("11.1.3", [{"name": "GF_DATABASE_SSL_MODE", "value": "require"}], section("prefer")) == set()
	grafana("11.1.3", [], replace(section("prefer"), "postgres", "mysql")) == set()
}

keyed(pairs) := sprintf("[server]\ndomain = x\n[database]\ntype = postgres\n%s\n[log]\nmode = console\n", [concat("\n", pairs)])

test_keys_that_grafana_does_not_know if {
	grafana("10.4.2", [], keyed(["host = pg:5432", "ssl_model = require"])) == {"ssl_model in grafana.ini of Deployment web is not a key of Grafana's [database]: without ssl_mode it takes \"disable\". Rename it to ssl_mode."}
	grafana("10.4.2", [], keyed(["host = pg:5432", "username = grafana"])) == {"username in grafana.ini of Deployment web is not a key of Grafana's [database]: without user it takes \"root\". Rename it to user."}
	grafana("10.4.2", [], keyed(["host = pg:5432", "passwrd = x"])) == {"passwrd in grafana.ini of Deployment web is not a key of Grafana's [database]: without password it takes none. Rename it to password."}
}

test_keys_that_are_there_as_well if {
	grafana("10.4.2", [], keyed(["host = pg:5432", "ssl_model = require", "ssl_mode = require"])) == set()
	grafana("10.4.2", [{"name": "GF_DATABASE_SSL_MODE", "value": "require"}], keyed(["host = pg:5432", "ssl_model = require"])) == set()
	grafana("10.4.2", [{"name": "GF_DATABASE_USER__FILE", "value": "/x"}], keyed(["host = pg:5432", "username = a"])) == set()
	grafana("10.4.2", [], keyed(["host = pg:5432", "url = postgres://a:b@pg/grafana", "username = a"])) == set()
	grafana("10.4.2", [], keyed(["host = pg:5432", "; username = a", "conn_max_lifetime = 3", "of_a_newer_release = 1"])) == set()
	grafana("10.4.2", [], keyed(["host = pg:5432", "max_open_con = 1"])) == set()
}

package walguard.checks.server.locale_test

import data.walguard.checks.server.locale as check

zalando(spec) := {"review": {"object": {
	"apiVersion": "acid.zalan.do/v1",
	"kind": "postgresql",
	"metadata": {"name": "acid-orders", "namespace": "prod"},
	"spec": spec,
}}}

workload(container, spec, pod) := {"review": {"object": {
	"apiVersion": "apps/v1",
	"kind": "StatefulSet",
	"metadata": {"name": "orders", "namespace": "prod"},
	"spec": object.union({"template": {"spec": object.union({"containers": [object.union({"image": "postgres:17"}, container)]}, pod)}}, spec),
}}}

in_container := ["spec", "template", "spec", "containers", 0]

import data.walguard.lib.manifest_test as manifests

test_cnpg if {
	check.findings == {{
		"message": "localeCollate=UTF8 is an encoding, not a locale: initdb fails. Write C.UTF-8, or a locale of the image such as en_US.UTF-8.",
		"path": ["spec", "bootstrap", "initdb", "localeCollate"],
	}} with input as manifests.review({}, {"bootstrap": {"initdb": {"localeCollate": "UTF8", "localeCType": "C", "encoding": "UTF8"}}})
}

test_others if {
	{f.path | some f in check.findings} == {["spec", "patroni", "initdb", "locale"]} with input as zalando({"patroni": {"initdb": {"locale": "utf-8"}}})
	{f.path | some f in check.findings} == {array.concat(in_container, ["env", 0])} with input as workload({"env": [{"name": "POSTGRES_INITDB_ARGS", "value": "--encoding=UTF8 --locale=UTF8"}]}, {}, {})
	{f.path | some f in check.findings} == {["spec", "env", 0, "value"]} with input as {"review": {"object": {
		"apiVersion": "kubegres.reactive-tech.io/v1",
		"kind": "Kubegres",
		"metadata": {"name": "orders"},
		"spec": {"env": [{"name": "POSTGRES_INITDB_ARGS", "value": "--locale=UTF8"}]},
	}}}
}

test_locales if {
	every name in ["C", "C.UTF-8", "en_US.UTF-8", "de_DE.utf8", "POSIX", "${LOCALE}"] {
		check.findings == set() with input as manifests.review({}, {"bootstrap": {"initdb": {"locale": name}}})
	}
}

test_silent_when_unknown if check.findings == set() with input as manifests.review({}, {})

minimal := {"imageName": "ghcr.io/cloudnative-pg/postgresql:17.6-minimal-trixie"}

test_locale_that_the_image_lacks if {
	check.findings == {{
		"message": "localeCollate=ru_RU.UTF-8, and the image ghcr.io/cloudnative-pg/postgresql:17.6-minimal-trixie has no such locale: initdb fails. Take an image that has it (ghcr.io/cloudnative-pg/postgresql:17.6-standard-trixie), or C.UTF-8.",
		"path": ["spec", "bootstrap", "initdb", "localeCollate"],
	}} with input as manifests.review({}, object.union(minimal, {"bootstrap": {"initdb": {"localeCollate": "ru_RU.UTF-8"}}}))
	{f.path | some f in check.findings} == {array.concat(in_container, ["env", 0])} with input as workload({"env": [{"name": "POSTGRES_INITDB_ARGS", "value": "--locale=de_DE.UTF-8"}]}, {}, {})
}

test_locales_of_images if {
	every name in ["C", "C.UTF-8", "C.utf8", "POSIX", "${LOCALE}", "und-x-icu"] {
		check.findings == set() with input as manifests.review({}, object.union(minimal, {"bootstrap": {"initdb": {"locale": name}}}))
	}
	check.findings == set() with input as manifests.review({}, {"imageName": "ghcr.io/cloudnative-pg/postgresql:17.6-standard-trixie", "bootstrap": {"initdb": {"locale": "ru_RU.UTF-8"}}})
	check.findings == set() with input as workload({"env": [{"name": "POSTGRES_INITDB_ARGS", "value": "--locale=en_US.utf8"}]}, {}, {})
	check.findings == set() with input as workload({"image": "postgres:17-alpine", "env": [{"name": "POSTGRES_INITDB_ARGS", "value": "--locale=de_DE.UTF-8"}]}, {}, {})
}

from_environment(image, env) := {f.message |
	some f in check.findings with input as workload({"image": image, "env": [{"name": name, "value": value} | some name, value in env]}, {}, {})
}

test_environment if {
	from_environment("postgis/postgis:16-3.4", {"LANG": "it_IT.UTF-8"}) == {"LANG=it_IT.UTF-8, and the image postgis/postgis:16-3.4 has no such locale: initdb fails. Take an image that has it, or C.UTF-8."}
	from_environment("pgvector/pgvector:0.8.0-pg17", {"LC_ALL": "de_DE.utf8", "LANG": "it_IT.UTF-8"}) == {"LC_ALL=de_DE.utf8, and the image pgvector/pgvector:0.8.0-pg17 has no such locale: initdb fails. Take an image that has it, or C.UTF-8."}
	count(from_environment("postgres:17", {"LC_COLLATE": "de_DE.utf8", "LC_CTYPE": "fr_FR.utf8", "LANG": "it_IT.UTF-8"})) == 2
	count(from_environment("postgres:17", {"LC_CTYPE": "fr_FR.utf8", "LANG": "UTF-8"})) == 2
}

test_environment_that_does if {
	from_environment("postgres:17", {"LANG": "en_US.utf8"}) == set()
	from_environment("postgres:17", {"LC_ALL": "C.UTF-8", "LANG": "it_IT.UTF-8"}) == set()
	from_environment("postgres:17", {"LANG": "it_IT.UTF-8", "POSTGRES_INITDB_ARGS": "--locale=C"}) == set()
	from_environment("postgres:17", {"LANG": "it_IT.UTF-8", "POSTGRES_INITDB_ARGS": "--no-locale"}) == set()
	from_environment("postgis/postgis:16-3.4-alpine", {"LANG": "it_IT.UTF-8"}) == set()
	from_environment("registry.example.com/postgres:17", {"LANG": "it_IT.UTF-8"}) == set()
	from_environment("bitnami/postgresql:17", {"LANG": "it_IT.UTF-8"}) == set()
	check.findings == set() with input as workload({"command": ["/start.sh"], "env": [{"name": "LANG", "value": "it_IT.UTF-8"}]}, {}, {})
	check.findings == set() with input as workload({"env": [{"name": "LANG", "value": "it_IT.UTF-8"}], "envFrom": [{"configMapRef": {"name": "elsewhere"}}]}, {}, {})
}

# A server that has its data.
test_environment_of_what_exists if {
	now := workload({"env": [{"name": "LANG", "value": "it_IT.UTF-8"}]}, {}, {})
	old := workload({}, {}, {})
	check.findings == set() with input as {"review": {"operation": "UPDATE", "object": now.review.object, "oldObject": old.review.object}}
}

test_parameters_with_locales if {
	{[f.severity, f.message] | some f in check.findings} == {["error", "lc_time=de_DE.UTF-8: the image postgres:17.6 has no such locale, and the server does not start. Take an image that has it, or write C.UTF-8."]} with input as workload({"image": "postgres:17.6", "args": ["-c", "lc_time=de_DE.UTF-8"]}, {}, {})
	every value in ["german", "nonsense", "UTF-8", "xx_YY"] {
		count(check.findings) == 1 with input as workload({"image": "postgres:17.6", "args": ["-c", sprintf("lc_monetary=%s", [value])]}, {}, {})
	}
	every value in ["", "C", "POSIX", "C.UTF-8", "en_US.utf8", "en_US.UTF-8", "$(LOCALE)", "${LOCALE}"] {
		check.findings == set() with input as workload({"image": "postgres:17.6", "args": ["-c", sprintf("lc_messages=%s", [value])]}, {}, {})
	}
	check.findings == set() with input as workload({"image": "postgres:17-alpine", "args": ["-c", "lc_messages=de_DE.UTF-8"]}, {}, {})
}

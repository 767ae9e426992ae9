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

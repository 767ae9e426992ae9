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

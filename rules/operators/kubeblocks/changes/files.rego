package walguard.operators.kubeblocks.changes

import data.walguard.lib.get
import data.walguard.lib.patroni

# METADATA
# description: |
#   The files of the configuration that an object brings, {"key", "text", "path", "component"}: a ConfigMap, the whole content of a file in a change of the
#   component, or in a request, which takes the place of the file that there is (pkg/parameters, DoMerge).
files_of(o) := [{"key": key, "text": text, "path": ["data", key], "component": component_label(o)} |
	some key, text in get.map(o, "data")
	is_string(text)
] if {
	o.kind == "ConfigMap"
} else := [{"key": key, "text": text, "path": ["spec", "configItemDetails", i, "configFileParams", key, "content"], "component": text_of(get.map(o, "spec"), "componentName")} |
	some i, item in get.list(o, ["spec", "configItemDetails"])
	some key, _ in get.map(item, "configFileParams")
	text := get.string(item, ["configFileParams", key, "content"])
] if {
	o.kind in {"ComponentParameter", "Configuration"}
} else := [{"key": text_of(one, "key"), "text": text, "path": array.concat(r.path, ["configurations", i, "keys", j, "fileContent"]), "component": text_of(r.request, "componentName")} |
	some r in requests(o)
	some i, configuration in get.list(r.request, "configurations")
	some j, one in get.list(configuration, "keys")
	text := get.string(one, "fileContent")
] if {
	o.kind == "OpsRequest"
	get.string(o, ["spec", "type"]) == "Reconfiguring"
} else := []

# The addon's script gives it to Patroni, over which postgresql.conf does not come.
patroni_in_files(o) := [{"component": one.component, "hint": file, "name": setting.name, "value": setting.value, "path": one.path, "line": setting.line} |
	some one in files_of(o)
	one.key == "patroni.yaml"
	contains(one.text, "parameters")
	some setting in patroni.parameters(one.text, {"path": one.path})
]

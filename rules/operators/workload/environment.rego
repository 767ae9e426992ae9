package walguard.operators.workload

import data.walguard.lib.environment
import data.walguard.lib.files as readable_files
import data.walguard.lib.get
import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.lib.mount
import data.walguard.lib.placeholder
import data.walguard.lib.text

# Those of the template that the data directory lies on.
facts contains {"data_claims": sprintf(`^%s-%s-[0-9]+$`, [text.literal(name), text.literal(k8s.name)]), "claims_stay": true} if {
	name := mount_of(directory).name
	templates[name]
}

# ---------------------------------------------------------------------------------------------------- environment

# The last of a name counts; that of a ConfigMap only where the container does not have the name itself.
variables := object.union_n([
	object.union_n([found |
		some source in get.list(container, "envFrom")
		found := object.union(from_config_map(source), from_secret_in_sight(source))
	]),
	file_variables,
	{name: {"value": value, "path": array.concat(container_path, ["env", i])} |
		listed := get.list(container, "env")
		some name, i in get.last_of_each([[of, k] | some k, variable in listed; is_object(variable); of := get.string(variable, "name")])
		value := resolved(get.text_at(listed[i], "value"))
		readable(value)
	},
	{name: found |
		listed := get.list(container, "env")
		some name, i in get.last_of_each([[of, k] | some k, variable in listed; is_object(variable); of := get.string(variable, "name")])
		found := from_key(get.map(listed[i], ["valueFrom", "configMapKeyRef"]))
	},
	{name: found |
		listed := get.list(container, "env")
		some name, i in get.last_of_each([[of, k] | some k, variable in listed; is_object(variable); of := get.string(variable, "name")])
		regex.match(`(USER|USERNAME|DB|DATABASE)$`, name)
		get.present(listed[i], ["valueFrom", "secretKeyRef"])
		found := environment.keyed(listed[i])
		readable(found.value)
	},
])

# Kubernetes puts others in, which may name others.
resolved(text_) := text_ if not contains(text_, "$(")

resolved(text_) := strings.replace_n(known, strings.replace_n(known, text_)) if {
	contains(text_, "$(")
	known := {sprintf("$(%s)", [name]): value | some name, value in environment.values(container)}
}

from_key(source) := {"value": text, "path": ["data", key], "resource": k8s.reference(found)} if {
	found := inventory.namespaced_object(k8s.namespace, "v1", "ConfigMap", get.string(source, "name"))
	key := get.string(source, "key")
	text := get.string(found, ["data", key])
	not placeholder.unknown(text)
}

from_config_map(source) := {name: {"value": text, "path": ["data", key], "resource": k8s.reference(found)} |
	found := inventory.namespaced_object(k8s.namespace, "v1", "ConfigMap", get.string(source, ["configMapRef", "name"]))
	some key, text in get.map(found, "data")
	is_string(text)
	name := concat("", [prefix_of(source), key])
} if {
	is_object(source)
}

# A Secret among the files; an API server is not asked for one.
from_secret_in_sight(source) := {name: {"value": entry.text, "path": entry.path, "resource": k8s.reference(found)} |
	found := inventory.namespaced_object(k8s.namespace, "v1", "Secret", get.string(source, ["secretRef", "name"]))
	some entry in readable_files.entries(found)
	name := concat("", [prefix_of(source), entry.key])
} if {
	is_object(source)
}

# The images take a variable from the file that the variable of this name with _FILE names.
file_variables := {name: found[0] |
	some name in {trim_suffix(variable.name, "_FILE") | some variable in named_files}
	found := [{"value": trim_space(f.text), "path": f.path, "resource": f.resource} |
		some variable in named_files
		variable.name == sprintf("%s_FILE", [name])
		some f in files
		f.file == mount.clean(variable.value)
	]
	count(found) > 0
}

named_files := [{"name": name, "value": value} |
	layout in {"docker", "bitnami"}
	some variable in get.list(container, "env")
	name := get.string(variable, "name")
	regex.match(`^(POSTGRES(QL)?_(INITDB_ARGS|INITDB_WAL_DIR|FSYNC|EXTRA_FLAGS|VOLUME_DIR|DATA_DIR|WAL_LEVEL|SHARED_PRELOAD_LIBRARIES|MAX_CONNECTIONS)|PGDATA)_FILE$`, name)
	value := get.string(variable, "value")
]

unread_file_variables contains variable.name if {
	some variable in named_files
	not file_variables[trim_suffix(variable.name, "_FILE")]
}

prefix_of(source) := get.string(source, "prefix")

prefix_of(source) := "" if not get.string(source, "prefix")

# "$(NAME)" stands for another variable, which may come from anywhere.
readable(text) if {
	not contains(text, "$(")
	not placeholder.unknown(text)
}

# Variables that are set, to what is not in sight.
hidden contains name if {
	some variable in get.list(container, "env")
	is_object(variable)
	name := get.string(variable, "name")
	not variables[name]
}

# A ConfigMap out of sight may hold any of them.
veiled if {
	some source in get.list(container, "envFrom")
	is_object(source)
	wanted := get.string(source, ["configMapRef", "name"])
	not inventory.namespaced_object(k8s.namespace, "v1", "ConfigMap", wanted)
}

# METADATA
# description: The first of these variables that is set.
first_of(names) := found[0] if {
	found := [variables[name] | some name in names; variables[name].value != ""]
	count(found) > 0
}

unknown(_) if veiled

unknown(names) if {
	some name in names
	name in hidden
}

# The item, not its value: the value holds more than one thing.
place(variable) := object.filter(variable, ["path", "resource"])

# The names of the variables of any container, with those of the ConfigMaps and Secrets in sight.
names_given(one) := {get.string(variable, "name") | some variable in get.list(one, "env")} | {concat("", [object.get(source, "prefix", ""), key]) |
	some source in get.list(one, "envFrom")
	some [field, kind] in [["secretRef", "Secret"], ["configMapRef", "ConfigMap"]]
	held := inventory.namespaced_object(k8s.namespace, "v1", kind, get.string(source, [field, "name"]))
	some part in ["data", "stringData"]
	some key, _ in get.map(held, part)
}

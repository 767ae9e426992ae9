package walguard.model.containers

import data.walguard.lib.environment
import data.walguard.lib.get
import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.lib.mount
import data.walguard.lib.script
import data.walguard.model

# --------------------------------------------------------------------------------------------------- environment

variables := array.concat(
	array.concat([one | some pod in model.cluster.pods; some one in object.get(pod, "given", [])], [object.union({"name": get.string(one, "name")}, found) |
		some path in environments
		some i, one in get.list(k8s.object, path)
		found := read(one, array.concat(path, [i]))
	]),
	[object.union({"name": name}, one) |
		some path in environments
		some source in get.list(k8s.object, sources_beside(path))
		some name, one in environment.entries(source)
	],
)

environments := [path |
	some pod in model.cluster.pods
	some path in pod.environment
]

read(one, path) := {"value": get.string(one, "value"), "path": path}

read(one, _) := environment.keyed(one) if not get.string(one, "value")

# envFrom stands beside env, and StackGres' customEnvFrom beside its customEnv.
sources_beside(path) := array.concat(array.slice(path, 0, count(path) - 1), ["envFrom"]) if path[count(path) - 1] == "env"

sources_beside(path) := array.concat(array.slice(path, 0, count(path) - 2), ["customEnvFrom", path[count(path) - 1]]) if path[count(path) - 2] == "customEnv"

# Variables that bring code into the server, whose value is not in sight; and whole objects of variables, most of which hold nothing but passwords.
by_reference := array.concat(
	[{"source": sprintf("the variable %s", [name]), "path": array.concat(path, [i]), "reason": sprintf("%s, and its value was not found", [loads[name]]), "severity": inventory.unread} |
		some path in environments
		some i, one in get.list(k8s.object, path)
		name := get.string(one, "name")
		loads[name]
		get.present(one, "valueFrom")
		not environment.keyed(one)
	],
	array.concat(
		[{"source": sprintf("the variable %s", [name]), "path": array.concat(path, [i]), "reason": sprintf("%s, and its value was not found", [placing]), "severity": "info"} |
			some path in environments
			some i, one in get.list(k8s.object, path)
			name := get.string(one, "name")
			name in placed
			get.present(one, "valueFrom")
			not environment.keyed(one)
		],
		[{"source": sprintf("the variables of %s %s/%s", [kind, k8s.namespace, name]), "path": array.concat(sources_beside(path), [i]), "severity": "info"} |
			some path in environments
			some i, source in get.list(k8s.object, sources_beside(path))
			some [field, kind] in [["configMapRef", "ConfigMap"], ["secretRef", "Secret"]]
			name := get.string(source, [field, "name"])
			not inventory.namespaced_object(k8s.namespace, "v1", kind, name)
			concerns_server(object.get(source, "prefix", ""))
		],
	),
)

# With a prefix that no variable of a server begins with they mean nothing to it.
concerns_server("") := true

concerns_server(prefix) if {
	prefix != ""
	some name in (object.keys(loads) | {"PATH", "PATRONI_", "PGDATA", "PGOPTIONS", "POSTGRES_", "POSTGRESQL_", "SPILO_", "CRONTAB", "CALLBACK_SCRIPT"})
	one_begins_the_other(prefix, name)
}

one_begins_the_other(prefix, name) if startswith(name, prefix)

one_begins_the_other(prefix, name) if startswith(prefix, name)

# A shell that is not started by somebody at a terminal reads the script of BASH_ENV first.
by_variable := array.concat(
	[object.union({"source": shown(variable), "reason": reason, "severity": inventory.unread}, object.filter(variable, ["path", "resource"])) |
		some variable in variables
		reason := loaded_by(variable.name)
		not harmless(variable)
		not script.without_sync(variable.value)
	],
	array.concat(
		[object.union({"source": shown(variable), "reason": searched[variable.name], "severity": "info"}, object.filter(variable, ["path", "resource"])) |
			some variable in variables
			searched[variable.name]
			count([1 | some directory in split(replace(variable.value, ";", ":"), ":"); not of_image(mount.clean(directory))]) > 0
		],
		[object.union({"source": sprintf("the variable %s", [variable.name]), "reason": placing, "severity": "info"}, object.filter(variable, ["path", "resource"])) |
			some variable in variables
			variable.name in placed
			elsewhere(variable)
		],
	),
)

harmless(variable) if script.known_library(variable.value)

harmless(variable) if {
	variable.name == "PS4"
	not regex.match("[$][(]|`", variable.value)
}

harmless(variable) if {
	variable.name == "PG_OOM_ADJUST_FILE"
	regex.match(`^/proc/(self|[0-9]+)/oom_(score_)?adj$`, variable.value)
}

# Where the data lie, by another object or by another variable.
placed := {"PGDATA", "PGROOT", "PATRONI_POSTGRESQL_DATA_DIR", "POSTGRES_INITDB_WALDIR"}

placing := "it says where the data lie"

elsewhere(variable) if variable.resource

elsewhere(variable) if {
	not variable.resource
	startswith(script.filled(variable.value, object.union_n([{one.name: one.value} | some one in variables; not one.resource])), "$")
}

# Directories that images have, where nothing is mounted; a relative one is not looked at.
of_image(directory) if not startswith(directory, "/")

of_image(directory) if {
	some place in ["/usr", "/bin", "/sbin", "/lib", "/lib64", "/opt", "/etc", "/nix", "/root", "/home", "/scripts", "/app", "/venv", "/tools", "/kb-scripts", "/dev/null"]
	mount.within(directory, place)
	count([1 | some volume in mounted_beside; mount.within(directory, volume)]) == 0
}

# What stands in a Secret is not repeated.
shown(variable) := sprintf("%s=%s", [variable.name, variable.value]) if object.get(variable, ["resource", "kind"], "") != "Secret"

shown(variable) := sprintf("the variable %s", [variable.name]) if object.get(variable, ["resource", "kind"], "") == "Secret"

# A shell defines a function for each variable of such a name.
loaded_by(name) := loads[name]

loaded_by(name) := "bash takes a function from it, which comes before a program of its name" if startswith(name, "BASH_FUNC_")

# Where a program looks for libraries and modules: on a volume they are not those of the image.
searched := {
	"LD_LIBRARY_PATH": "the server's libraries are looked for there, on a volume",
	"GCONV_PATH": "libraries are looked for there, on a volume",
	"OPENSSL_CONF": "it may name libraries, and lies on a volume",
	"OPENSSL_ENGINES": "libraries are looked for there, on a volume",
	"OPENSSL_MODULES": "libraries are looked for there, on a volume",
	"PATH": "programs are looked for there, on a volume",
	"PGSYSCONFDIR": "psql runs the psqlrc that lies there, on a volume",
	"PSQLRC": "psql runs it first, and it lies on a volume",
	"PERL5LIB": "modules of Perl are looked for there, on a volume",
	"PYTHONHOME": in_python,
	"PYTHONPATH": in_python,
	"PYTHONPYCACHEPREFIX": in_python,
	"PYTHONUSERBASE": in_python,
}

in_python := "modules of Python, Patroni's too, are looked for there, on a volume"

# Where the containers with these variables mount volumes.
mounted_beside := {directory |
	some path in environments
	some mounts in [get.list(k8s.object, array.concat(array.slice(path, 0, count(path) - 1), ["volumeMounts"])), get.list(k8s.object, array.concat(array.slice(path, 0, count(path) - 2), ["customVolumeMounts", "patroni"]))]
	some one in mounts
	directory := mount.clean(get.string(one, "mountPath"))
	count(directory) > 1
}

loads := {
	"BASH_ENV": "it runs in every script of bash, the entrypoint's too",
	"LD_AUDIT": "it is loaded into the server",
	"LD_PRELOAD": "it is loaded into the server",
	"PERL5OPT": "it is loaded into every program of Perl, pg_ctlcluster too",
	"PG_OOM_ADJUST_FILE": "the server writes PG_OOM_ADJUST_VALUE into it",
	"PS4": "bash runs what is in it where SHELLOPTS has xtrace",
}

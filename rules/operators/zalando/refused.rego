package walguard.operators.zalando

import data.walguard.lib.get
import data.walguard.lib.k8s
import data.walguard.lib.placeholder
import data.walguard.lib.schema

refused_surroundings := array.concat(
	array.concat(array.concat(namespaces_listed, switched_off_containers), array.concat(array.concat(containers_of_one_name, ports_of_sidecars), array.concat(volumes_of_one_name, volumes_mounted_twice))),
	array.concat(array.concat(windows_refused, flags_against_each_other), array.concat(array.concat(sources_refused, standbys_of_nothing), array.concat(options_of_wrong_type, array.concat(ranges_refused, array.concat(options_that_stop, array.concat(array.concat(values_not_text, configurations_of_nothing), sidecars_without_volumes)))))),
)

# The operator takes it for the name of one namespace (pkg/controller/util.go, getEffectiveNamespace).
namespaces_listed := [object.union(
	{
		"reason": sprintf("watched_namespace is \"%s\", which the operator takes for the name of one namespace, so that it creates no cluster in any", [watched_one]),
		"cure": "Write one namespace, or * for all",
	},
	configured_at(["kubernetes", "watched_namespace"], ["watched_namespace"]),
) |
	recognised
	contains(watched_one, ",")
	not placeholder.holds(watched_one)
]

watched_one := get.string(configuration, ["kubernetes", "watched_namespace"])

# "initContainers specified but disabled in configuration", "sidecar containers specified but disabled in configuration" (createStatefulSet, pkg/cluster/resources.go).
switched_off_containers := [object.union(
	{
		"reason": sprintf("spec.%s is written, and %s is false in the configuration of the operator, which then creates no StatefulSet", [field, option]),
		"cure": sprintf("Set it to true, or take %s out", [field]),
	},
	configured_at(["kubernetes", option], [option]),
) |
	recognised
	some field, option in {"initContainers": "enable_init_containers", "sidecars": "enable_sidecars"}
	count(get.list(spec, field)) > 0
	object.get(configuration, ["kubernetes", option], true) == false
]

# spec.containers[].name is the key of a map for the API server ("Duplicate value").
containers_of_one_name := [{
	"by": "The API server",
	"path": ["spec", "sidecars", i, "name"],
	"reason": sprintf("the pods would have two containers called %s", [name]),
	"cure": "Give the sidecar another name",
} |
	recognised
	some i, sidecar in get.list(spec, "sidecars")
	name := get.string(sidecar, "name")
	not placeholder.holds(name)
	name in array.concat(["postgres"], [get.string(other, "name") | some k, other in get.list(spec, "sidecars"); k < i])
]

# It takes the StatefulSet and none of its pods; at each sync the operator deletes one more of those that run.
ports_of_sidecars := [{
	"by": "The API server",
	"refused": "every pod",
	"path": ["spec", "sidecars", i, "ports", k, "containerPort"],
	"reason": sprintf("a sidecar has port %s, and the operator deletes the running pods one by one for new ones that are never created", [get.shown(number)]),
	"cure": "Write a port from 1 to 65535",
} |
	recognised
	some i, sidecar in get.list(spec, "sidecars")
	some k, port in get.list(sidecar, "ports")
	number := get.number(port, "containerPort")
	number != min([65535, max([1, number])])
]

# What UnmarshalJSON does not read (pkg/apis/acid.zalan.do/v1/marshal.go) makes the cluster Invalid, and the operator leaves it alone; the schema takes a window over midnight.
windows_refused := [{
	"path": ["spec", "maintenanceWindows", i],
	"reason": sprintf("maintenanceWindows has %s, %s", [window, fault[0]]),
	"cure": fault[1],
} |
	recognised
	some i, window in get.list(spec, "maintenanceWindows")
	is_string(window)
	not placeholder.holds(window)
	fault := fault_of_window(window)
]

fault_of_window(window) := ["which is no window that it reads", "Write it as Mon:01:00-06:00 or 01:00-06:00, in UTC"] if {
	not regex.match(window_form, window)
} else := ["which ends before it begins, so that the operator leaves the cluster alone", "Write two windows, up to 23:59 and from 00:00"] if {
	found := regex.find_all_string_submatch_n(window_form, window, 1)[0]
	minutes(found[4], found[5]) < minutes(found[2], found[3])
}

window_form := `^ *((?:Mon|Tue|Wed|Thu|Fri|Sat|Sun):)?(2[0-3]|[01]?[0-9]):([0-5]?[0-9])-(2[0-3]|[01]?[0-9]):([0-5]?[0-9]) *$`

# to_number takes no number that begins with 0.
minutes(hour, minute) := (60 * number_of(hour)) + number_of(minute)

number_of(digits) := to_number(regex.replace(digits, `^0([0-9])$`, "${1}"))

# normalizeUserFlags (pkg/cluster/util.go): "conflicting user flags", and no user is created.
flags_against_each_other := [{
	"path": ["spec", "users", name],
	"reason": sprintf("user %s has the flags %s and no%s at once", [name, flag, flag]),
	"cure": "Leave one of them",
} |
	some name, written in get.map(spec, "users")
	is_array(written)
	flags := {get.lower_case(one) | some one in written; is_string(one)}
	some flag in flags
	sprintf("no%s", [flag]) in flags
]

# validateCloneClusterDescription (pkg/apis/acid.zalan.do/v1/util.go): without a timestamp the name is that of a Service.
sources_refused := [{
	"path": ["spec", "clone", "cluster"],
	"reason": sprintf("spec.clone names %s, which is no name of a Service, and the operator leaves this cluster alone", [name]),
	"cure": "Write the name of the source as it is",
} |
	recognised
	name := get.string(spec, ["clone", "cluster"])
	name != ""
	not placeholder.holds(name)
	not get.present(spec, ["clone", "timestamp"])
	not regex.match(`^[a-z]([-a-z0-9]*[a-z0-9])?$`, name)
]

# anyOf and not of its schema.
standbys_of_nothing := [{
	"by": "The API server",
	"path": ["spec", "standby"],
	"reason": fault[0],
	"cure": fault[1],
} |
	recognised
	standby := get.map(spec, "standby")
	is_object(object.get(spec, "standby", null))
	count([1 | some key, _ in standby; placeholder.holds(key)]) == 0
	sources := [field | some field in ["gs_wal_path", "s3_wal_path", "standby_host"]; object.get(standby, field, null) != null]
	fault := fault_of_standby(sources)
]

fault_of_standby(sources) := ["standby names neither standby_host nor s3_wal_path or gs_wal_path", "Write one of them, or take standby out"] if {
	sources == []
} else := ["standby has both s3_wal_path and gs_wal_path", "Leave one of them"] if {
	"gs_wal_path" in sources
	"s3_wal_path" in sources
}

# The pattern of its schema; that of releases from 2.0 takes IPv6 as well.
ranges_refused := [{
	"by": "The API server",
	"path": ["spec", "allowedSourceRanges", i],
	"reason": sprintf("allowedSourceRanges has %s, which is no range of addresses", [range]),
	"cure": sprintf("Write %s", [{true: sprintf("%s/32", [range]), false: "one as in 10.0.0.0/8"}[regex.match(`^([0-9]{1,3}\.){3}[0-9]{1,3}$`, range)]]),
} |
	recognised
	some i, range in get.list(spec, "allowedSourceRanges")
	is_string(range)
	not placeholder.unknown(range)
	not contains(range, ":")
	not regex.match(`^((\d|[1-9]\d|1\d\d|2[0-4]\d|25[0-5])\.){3}(\d|[1-9]\d|1\d\d|2[0-4]\d|25[0-5])/(\d|[1-2]\d|3[0-2])$`, range)
]

# One that is refused leaves the operator with the configuration that it had, or with none.
options_of_wrong_type := [object.union(fault, {"resource": k8s.reference(one)}) |
	recognised
	some one in configurations
	some fault in schema.faults("zalando_configuration", one)
]

# "connection pool user is not allowed to be the same as super user" and its like, at which it panics (validate of pkg/util/config/config.go, importConfigurationFromCRD of
# pkg/controller/operator_config.go).
options_that_stop := [object.union(
	{
		"reason": sprintf("%s, at which it stops when it starts, and no cluster is looked after", [fault.reason]),
		"cure": fault.cure,
	},
	configured_at(fault.section, fault.field),
) |
	recognised
	some fault in array.concat(array.concat(user_of_two, counts_that_stop), array.concat(array.concat(durations_that_stop, values_that_stop), limits_against_each_other))
]

user_of_two := [{
	"reason": sprintf("connection_pooler_user is %s, the operator's superuser", [user]),
	"cure": "Write a user of its own, such as pooler, or leave the option out",
	"section": ["connection_pooler", "connection_pooler_user"],
	"field": ["connection_pooler_user"],
} |
	user := option("connection_pooler", "connection_pooler_user")
	user == option("users", "super_username")
	not placeholder.holds(user)
]

# Of a ConfigMap alone: of an OperatorConfiguration the schema says so.
counts_that_stop := [{"reason": sprintf("%s is %s", [name, number]), "cure": "Write 1 at least", "section": [], "field": [name]} |
	count(configurations) == 0
	some name in ["connection_pooler_number_of_instances", "workers"]
	number := option("", name)
	regex.match(`^(0|-[0-9]+)$`, number)
]

# "time: missing unit in duration": metav1.Duration of an OperatorConfiguration, NewFromMap of a ConfigMap.
durations_that_stop := [{
	"reason": sprintf("%s is \"%s\", which is no duration", [name, written]),
	"cure": sprintf("Write it with its unit, such as %s", [with_unit(written)]),
	"section": array.concat(section, [name]),
	"field": [name],
} |
	some group, names in durations
	section := [group | group != ""]
	some name in names
	written := option_of(section, name)
	not placeholder.holds(written)
	not regex.match(`^[-+]?(0|(([0-9]+(\.[0-9]*)?|\.[0-9]+)(ns|us|µs|μs|ms|s|m|h))+)$`, written)
]

durations := {
	"": ["repair_period", "resync_period"],
	"kubernetes": ["master_pod_move_timeout", "pod_terminate_grace_period"],
	"timeouts": [
		"patroni_api_check_interval", "patroni_api_check_timeout", "pod_deletion_wait_timeout", "pod_label_wait_timeout", "ready_wait_interval", "ready_wait_timeout", "resource_check_interval",
		"resource_check_timeout",
	],
}

with_unit(written) := sprintf("%ss", [written]) if {
	regex.match(`^[0-9]+$`, written)
} else := "5m"

limits_against_each_other := [{
	"reason": sprintf("min_instances is %d and max_instances %d", [least, most]),
	"cure": "Raise max_instances, or write -1 for no limit",
	"section": ["max_instances"],
	"field": ["max_instances"],
} |
	least := number_option("min_instances")
	most := number_option("max_instances")
	least > most
	most > 0
]

number_option(name) := object.get(configurations[0], ["configuration", name], null) if {
	count(configurations) == 1
	is_number(object.get(configurations[0], ["configuration", name], null))
}

number_option(name) := to_number(option_of([], name)) if {
	count(configurations) == 0
	regex.match(`^[1-9][0-9]*$`, option_of([], name))
}

option_of(section, name) := written if {
	count(configurations) == 1
	written := get.string(configurations[0], array.concat(["configuration"], array.concat(section, [name])))
	written != ""
}

option_of(_, name) := written if {
	written := written_option("", name)
	count(configurations) == 0
	written != ""
}

# In the one OperatorConfiguration or the one ConfigMap. A part of one may leave out what is written elsewhere, so that only the whole has the default.
option(section, name) := written_option(section, name) if {
	written_option(section, name) != ""
} else := {"super_username": "postgres"}[name] if configuration

written_option(section, name) := get.string(configurations[0], ["configuration", section, name]) if count(configurations) == 1

written_option(_, name) := get.text_at(operator_maps[0], ["data", name]) if {
	count(configurations) == 0
	count(operator_maps) == 1
}

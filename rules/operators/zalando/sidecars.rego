package walguard.operators.zalando

import data.walguard.lib.cluster as shared
import data.walguard.lib.get
import data.walguard.lib.placeholder

# Sidecar (pkg/apis/acid.zalan.do/v1/postgresql_type.go) has name, image, command, env, ports and resources; the API server takes out the others, or the operator does.
fields_of_sidecars := [{
	"name": sprintf("%s of sidecar %s", [field, shared.name_or(sidecar, i)]),
	"path": ["spec", "sidecars", i, field],
	"reason": sprintf("of a sidecar the operator takes name, image, command, env, ports and resources alone, %s", [cure]),
	"level": "warning",
} |
	recognised
	some i, sidecar in get.list(spec, "sidecars")
	some field, cure in {
		"args": "so write them into command, after the program",
		"envFrom": "so write each variable into env, with valueFrom",
		"lifecycle": "and its container runs without one",
		"livenessProbe": "and its container runs without one",
		"readinessProbe": "and its container runs without one",
		"securityContext": "and its container runs without one",
		"volumeMounts": "so mount the volume with additionalVolumes and targetContainers",
	}
	get.present(sidecar, field)
	not mounted_for(field, sidecar)
]

# Patroni of the same file has these keys and no others of Patroni's; what Spilo says itself is no loss.
fields_of_patroni := [{
	"name": sprintf("patroni.%s", [key]),
	"path": ["spec", "patroni", key],
	"reason": "the operator hands on a few keys of Patroni's, and this one is dropped. Set it with patronictl edit-config",
	"level": "warning",
} |
	recognised
	some key, value in get.map(spec, "patroni")
	key in keys_of_patroni
	not placeholder.holds(value)
	object.get({"use_pg_rewind": true, "use_slots": true}, key, null) != value
]

keys_of_patroni := {
	"check_timeline", "ignore_slots", "master_start_timeout", "master_stop_timeout", "maximum_lag_on_syncnode", "member_slots_ttl", "primary_start_timeout", "primary_stop_timeout",
	"remove_data_directory_on_diverged_timelines", "remove_data_directory_on_rewind_failure", "use_pg_rewind", "use_slots",
}

# Written in both places.
mounted_for("volumeMounts", sidecar) if {
	targeted := {trim_right(get.string(one, "mountPath"), "/") |
		some one in get.list(spec, "additionalVolumes")
		some target in get.list(one, "targetContainers")
		target in {"all", get.string(sidecar, "name")}
	}
	every mount in get.list(sidecar, "volumeMounts") {
		trim_right(get.string(mount, "mountPath"), "/") in targeted
	}
}

# spec.volumes[].name and the mountPath of a container are keys of maps for the API server; addAdditionalVolumes (pkg/cluster/k8sres.go) hands them on as they are.
volumes_of_one_name := [{
	"by": "The API server",
	"path": ["spec", "additionalVolumes", i, "name"],
	"reason": sprintf("the pods would have two volumes called %s, and their StatefulSet is refused", [name]),
	"cure": "Give each volume a name of its own; what is mounted twice can be listed twice under two names",
} |
	recognised
	some i, one in get.list(spec, "additionalVolumes")
	name := get.string(one, "name")
	not placeholder.holds(name)
	count([1 | some k, other in get.list(spec, "additionalVolumes"); k < i; get.string(other, "name") == name]) > 0

	# The second of one place is left out.
	count([1 | some k, other in get.list(spec, "additionalVolumes"); k < i; get.string(other, "mountPath") == get.string(one, "mountPath")]) == 0
]

volumes_mounted_twice := [{
	"by": "The API server",
	"path": ["spec", "additionalVolumes", i, "targetContainers"],
	"reason": sprintf("container %s would have %s twice at %s, for targetContainers names it %s, and the StatefulSet is refused", [target, object.get(one, "name", "a volume"), object.get(one, "mountPath", "its path"), manner]),
	"cure": "Write all alone, or each container once",
} |
	recognised
	some i, one in get.list(spec, "additionalVolumes")
	targets := get.list(one, "targetContainers")
	count(targets) > 1
	named_twice := [[name, manner_] |
		some name in containers_of_pods
		manner_ := manner_of(targets, name)
	]
	[target, manner] := named_twice[0]
]

manner_of(targets, name) := "beside all" if {
	"all" in targets
	name in targets
} else := "twice" if count([1 | some target in targets; target == name]) > 1

# addAdditionalVolumes mounts nothing there, unless targetContainers says where: then the container has the place twice.
volumes_at_the_data := [{
	"reason": sprintf("additionalVolumes has %s at %s, where the operator mounts spec.volume: %s", [object.get(one, "name", "a volume"), volume_directory, consequence]),
	"cure": "Set the size and the class of the data in spec.volume, and mount others elsewhere",
	"level": level,
	"path": ["spec", "additionalVolumes", i, "mountPath"],
} |
	recognised
	some i, one in get.list(spec, "additionalVolumes")
	get.string(one, "mountPath") == volume_directory
	[consequence, level] := {
		true: ["it leaves this one out, and the data stay where they are", "warning"],
		false: ["the API server refuses the StatefulSet", "error"],
	}[count(get.list(one, "targetContainers")) == 0]
]

package walguard.operators.workload

import data.walguard.lib.get
import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.lib.keys
import data.walguard.lib.lengths
import data.walguard.lib.placeholder
import data.walguard.lib.text

# What the validation of the API server refuses in the workload of a server (pkg/apis/core/validation, pkg/apis/apps/validation of Kubernetes).
invalid_object := [object.union({"by": "The API server"}, fault) |
	server
	some fault in array.concat(
		array.concat(array.concat(twice_named, misnamed), array.concat(array.concat(too_long, numbers_as_text), one_of_each)),
		array.concat(array.concat(strange_quantities, strange_claims), array.concat(strange_probes, array.concat(never_in_a_workload, array.concat(strange_keys, secrets_in_plain)))),
	)
]

plain_text(value) if {
	is_string(value)
	value != ""
	not placeholder.holds(value)
}

# ------------------------------------------------------------------------------------------------------------------ names

twice_named := [{
	"path": array.concat(pod_path, [list, max(places)]),
	"reason": sprintf("two of its %s are called %s", [list, name]),
	"cure": "Rename or remove one",
} |
	some list in ["containers", "volumes"]
	entries := get.list(k8s.object, array.concat(pod_path, [list]))
	some name in {get.string(entry, "name") | some entry in entries}
	plain_text(name)
	places := [i | some i, entry in entries; get.string(entry, "name") == name]
	count(places) > 1
]

label := `^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`

# Without pods nothing runs, and the StatefulSet itself is there.
too_long := [object.union(lengths.of_statefulset("the server", "no pod is made", count(name), name, "it"), {"path": ["metadata", "name"]}) |
	k8s.kind == "StatefulSet"
	name := get.string(k8s.object, ["metadata", "name"])
	count(name) > lengths.of_statefulsets
	plain_text(name)
]

misnamed := array.concat(
	array.concat(
		[{"path": ["metadata", "name"], "reason": sprintf("%s is no name: small letters, digits and dashes are", [name]), "cure": sprintf("Call it %s", [in_letters(name)])} |
			name := get.string(k8s.object, ["metadata", "name"])
			plain_text(name)
			not regex.match(`^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$`, name)
		],
		[{"path": array.concat(pod_path, [list, i, "name"]), "reason": sprintf("%s is no name of a %s: small letters, digits and dashes are", [name, trim_suffix(list, "s")]), "cure": sprintf("Call it %s", [in_letters(name)])} |
			some list in ["containers", "volumes", "initContainers"]
			some i, entry in get.list(k8s.object, array.concat(pod_path, [list]))
			name := get.string(entry, "name")
			plain_text(name)
			not regex.match(label, name)
		],
	),
	[{"path": array.concat(one.at, ["ports", i, "name"]), "reason": sprintf("port name %s has %s", [name, fault]), "cure": "Call it postgres"} |
		some one in all_containers
		some i, port in get.list(one, "ports")
		name := get.string(port, "name")
		plain_text(name)
		fault := fault_of_port(name)
	],
)

in_letters(name) := trim(regex.replace(get.lower_case(name), `[^a-z0-9-]+`, "-"), "-")

fault_of_port(name) := sprintf("%d characters, and 15 are allowed", [count(name)]) if count(name) > 15

fault_of_port(name) := "other characters than small letters, digits and dashes" if {
	count(name) <= 15
	not regex.match(label, name)
}

# ---------------------------------------------------------------------------------------------------------------- numbers

numbers_as_text := [{
	"path": path,
	"reason": sprintf("%s is the text %q, and a number belongs there (\"cannot unmarshal string\")", [concat(".", [part | some part in path; is_string(part)]), value]),
	"cure": sprintf("Write %s without quotes", [value]),
} |
	some path in array.concat(
		array.concat(
			[["spec", "replicas"]],
			[array.concat(pod_path, ["securityContext", field]) | some field in ["fsGroup", "runAsGroup", "runAsUser"]],
		),
		array.concat(
			[array.concat(one.at, ["securityContext", field]) | some one in all_containers; some field in ["runAsGroup", "runAsUser"]],
			[array.concat(one.at, ["ports", i, "containerPort"]) | some one in all_containers; some i, _ in get.list(one, "ports")],
		),
	)
	value := object.get(k8s.object, path, null)
	plain_text(value)
	regex.match(`^[0-9]+$`, value)
]

strange_quantities := [{
	"path": path,
	"reason": sprintf("%q is no quantity", [value]),
	"cure": sprintf("Write %s", [regex.replace(value, `\s*(?i:(k|m|g|t)i?b?|bytes)$`, suffix_of(value))]),
} |
	some path in array.concat(
		[array.concat(one.at, ["resources", part, kind]) | some one in all_containers; some part in ["limits", "requests"]; some kind in ["ephemeral-storage", "memory"]],
		[["spec", "volumeClaimTemplates", i, "spec", "resources", "requests", "storage"] | some i, _ in get.list(k8s.object, ["spec", "volumeClaimTemplates"])],
	)
	value := object.get(k8s.object, path, null)
	plain_text(value)
	regex.match(`^[0-9.]+\s*[A-Za-z]+$`, value)
	not regex.match(`^[0-9.]+([KMGTPE]i|[numkMGTPE]|[eE][0-9]+)?$`, value)
]

suffix_of(value) := concat("", [regex.replace(get.upper_case(regex.replace(value, `^[0-9.]+\s*`, "")), `^([KMGT]?).*$`, "${1}"), "i"])

# ------------------------------------------------------------------------------------------------------------ one of each

one_of_each := array.concat(
	[{"path": array.concat(one.at, ["env", i]), "reason": sprintf("variable %s has both value and valueFrom", [get.string(variable, "name")]), "cure": "Remove one of them"} |
		some one in all_containers
		some i, variable in get.list(one, "env")
		count(get.map(variable, "valueFrom")) > 0
		get.string(variable, "value") != ""
	],
	[{"path": array.concat(pod_path, ["volumes", i]), "reason": sprintf("volume %s is of two kinds, %s", [get.string(volume, "name"), text.list(sort(kinds), "and")]), "cure": "Make two volumes of it"} |
		some i, volume in get.list(k8s.object, array.concat(pod_path, ["volumes"]))
		kinds := [key | some key, value in volume; key != "name"; is_object(value)]
		count(kinds) > 1
	],
)

# ---------------------------------------------------------------------------------------------------------------- volumes

strange_claims := array.concat(
	array.concat(
		[{"path": array.concat(pod_path, ["volumes", i, "persistentVolumeClaim"]), "reason": sprintf("volume %s names no claim (claimName)", [get.string(volume, "name")]), "cure": "Write the name of one"} |
			some i, volume in get.list(k8s.object, array.concat(pod_path, ["volumes"]))
			source := object.get(volume, "persistentVolumeClaim", "")
			is_object(source)
			object.get(source, "claimName", "") == ""
		],
		[{"path": ["spec", "volumeClaimTemplates", i, "spec", "accessModes", j], "reason": sprintf("there is no access mode %s", [mode]), "cure": "Write ReadWriteOnce"} |
			some i, template in get.list(k8s.object, ["spec", "volumeClaimTemplates"])
			some j, mode in get.list(template, ["spec", "accessModes"])
			plain_text(mode)
			not mode in {"ReadWriteOnce", "ReadWriteOncePod", "ReadWriteMany", "ReadOnlyMany"}
		],
	),
	[{"path": array.concat(one.at, ["volumeMounts", i, "subPath"]), "reason": sprintf("subPath %s must be a path within the volume", [sub_path]), "cure": "Write it without a leading \"/\" and without \"..\""} |
		some one in all_containers
		some i, mounted in get.list(one, "volumeMounts")
		sub_path := get.string(mounted, "subPath")
		plain_text(sub_path)
		regex.match(`^/|(^|/)\.\.(/|$)`, sub_path)
	],
)

# ----------------------------------------------------------------------------------------------------------------- probes

strange_probes := array.concat(
	[{"path": array.concat(one.at, [probe]), "reason": sprintf("the %s has %s, and one of them is allowed", [probe, text.list(sort(handlers), "and")]), "cure": "Leave exec"} |
		some one in all_containers
		some probe in ["livenessProbe", "readinessProbe", "startupProbe"]
		handlers := [key | some key, _ in get.map(one, probe); key in {"exec", "grpc", "httpGet", "tcpSocket"}]
		count(handlers) > 1
	],
	[{"path": array.concat(one.at, [probe, "successThreshold"]), "reason": sprintf("the %s has successThreshold %d, and it must be 1", [probe, threshold]), "cure": "Remove it"} |
		some one in all_containers
		some probe in ["livenessProbe", "startupProbe"]
		threshold := get.number(one, [probe, "successThreshold"])
		threshold > 1
	],
)

never_in_a_workload := array.concat(
	[{"path": array.concat(pod_path, ["restartPolicy"]), "reason": sprintf("restartPolicy is %s, and pods of a %s are always started again", [policy, k8s.kind]), "cure": "Write Always"} |
		k8s.kind in {"DaemonSet", "Deployment", "StatefulSet"}
		policy := get.string(k8s.object, array.concat(pod_path, ["restartPolicy"]))
		policy in {"Never", "OnFailure"}
	],
	[{"path": array.concat(pod_path, ["activeDeadlineSeconds"]), "reason": sprintf("activeDeadlineSeconds is not allowed in the pods of a %s", [k8s.kind]), "cure": "Remove it"} |
		k8s.kind in {"DaemonSet", "Deployment", "StatefulSet"}
		get.number(k8s.object, array.concat(pod_path, ["activeDeadlineSeconds"]))
	],
)

strange_keys := [{"path": found.path, "reason": sprintf("%s asks %s for a key with %q, which no key may have", [found.variable, found.holder, found.mark]), "cure": "Write the name of a key there"} |
	some one in all_containers
	some found in keys.refused(one.at, one)
]

# A password under data is decoded before anybody reads it, and what is no text then stops the runtime (CreateContainerError).
secrets_in_plain := [{
	"by": "The container runtime",
	"refused": "the container",
	"path": ["data", key],
	"resource": k8s.reference(secret),
	"reason": sprintf("key %s of this Secret stands below data as it is meant, and is no text when it is decoded there", [key]),
	"cure": "Write it below stringData, or encode it (base64 -w0)",
} |
	some variable in get.list(container, "env")
	key := get.string(variable, ["valueFrom", "secretKeyRef", "key"])
	secret := inventory.namespaced_object(k8s.namespace, "v1", "Secret", get.string(variable, ["valueFrom", "secretKeyRef", "name"]))
	encoded := get.string(secret, ["data", key])
	not placeholder.unknown(encoded)
	not get.present(secret, "sops")
	base64.is_valid(encoded)
	regex.match(`[\x{FFFD}]`, base64.decode(encoded))
]

package walguard.operators.workload

import data.walguard.lib.get
import data.walguard.lib.k8s
import data.walguard.lib.settings

# What the Pod Security Standards refuse of the pods (https://kubernetes.io/docs/concepts/security/pod-security-standards/); see walguard.model.
facts contains {"pod_security": violations} if {
	settings.namespace_labels["pod-security.kubernetes.io/enforce"]
	count(violations) > 0
}

violations := array.concat(array.concat(privileges, by_pod), by_container)

all_containers := [object.union(one, {"at": array.concat(pod_path, [list, i])}) |
	server
	some list in ["initContainers", "containers"]
	some i, one in get.list(k8s.object, array.concat(pod_path, [list]))
	is_object(one)
]

privileges := array.concat(
	[{"level": "baseline", "reason": sprintf("%s is true", [field]), "path": array.concat(pod_path, [field])} |
		server
		some field in ["hostNetwork", "hostPID", "hostIPC"]
		get.boolean(k8s.object, array.concat(pod_path, [field]))
	],
	array.concat(
		[{"level": "baseline", "reason": sprintf("volume %s is a hostPath", [get.string(volume, "name")]), "path": array.concat(pod_path, ["volumes", i])} |
			server
			some i, volume in get.list(k8s.object, array.concat(pod_path, ["volumes"]))
			get.present(volume, ["hostPath"])
		],
		array.concat(
			[{"level": "baseline", "reason": sprintf("container %s is privileged", [get.string(one, "name")]), "path": array.concat(one.at, ["securityContext", "privileged"])} |
				some one in all_containers
				get.boolean(one, ["securityContext", "privileged"])
			],
			[{"level": "baseline", "reason": sprintf("container %s adds capability %s", [get.string(one, "name"), name]), "path": array.concat(one.at, ["securityContext", "capabilities", "add"])} |
				some one in all_containers
				some name in get.list(one, ["securityContext", "capabilities", "add"])
				is_string(name)
				not get.upper_case(name) in harmless_capabilities
			],
		),
	),
)

harmless_capabilities := {"AUDIT_WRITE", "CHOWN", "DAC_OVERRIDE", "FOWNER", "FSETID", "KILL", "MKNOD", "NET_BIND_SERVICE", "SETFCAP", "SETGID", "SETPCAP", "SETUID", "SYS_CHROOT"}

# What stands at the pod holds for containers that say nothing.
by_pod := [{"level": "restricted", "reason": "runAsUser is 0", "path": array.concat(pod_context, ["runAsUser"])} |
	get.number(k8s.object, array.concat(pod_context, ["runAsUser"])) == 0
]

by_container := [{"level": "restricted", "reason": sprintf("container %s %s", [get.string(one, "name"), fault[0]]), "path": array.concat(one.at, fault[1])} |
	some one in all_containers
	some fault in faults_of(one)
]

faults_of(one) := array.concat(
	array.concat(
		[["runs as user 0", ["securityContext", "runAsUser"]] | get.number(one, ["securityContext", "runAsUser"]) == 0],
		[["does not set runAsNonRoot", []] | not effective_of(one, "runAsNonRoot") == true],
	),
	array.concat(
		[["does not set allowPrivilegeEscalation: false", []] | object.get(one, ["securityContext", "allowPrivilegeEscalation"], true) != false],
		array.concat(
			[["does not drop all capabilities", []] | not "ALL" in get.list(one, ["securityContext", "capabilities", "drop"])],
			[["has no seccompProfile", []] | not effective_of(one, "seccompProfile")],
		),
	),
)

effective_of(one, field) := one.securityContext[field] if get.present(one, ["securityContext", field])

effective_of(one, field) := object.get(k8s.object, array.concat(pod_context, [field]), false) if {
	not get.present(one, ["securityContext", field])
}

# Fields of a container's securityContext that a pod's has not (k8s.io/api/core/v1, PodSecurityContext).
facts contains {"misspelt_fields": misplaced_fields} if count(misplaced_fields) > 0

misplaced_fields := [{"name": name, "meant": "it below securityContext of the container", "path": array.concat(pod_path, ["securityContext", name]), "refused": true} |
	server
	some name in ["allowPrivilegeEscalation", "capabilities", "privileged", "procMount", "readOnlyRootFilesystem"]
	get.present(k8s.object, array.concat(pod_path, ["securityContext", name]))
]

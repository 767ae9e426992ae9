# METADATA
# description: What the Pod Security Standards refuse of a pod (https://kubernetes.io/docs/concepts/security/pod-security-standards/).
package walguard.lib.standards

import data.walguard.lib.get

# METADATA
# description: '[{"level": "baseline" | "restricted", "reason": one clause, "path"}] of the pod whose spec lies at the path in the object.'
violations(made, path) := array.concat(array.concat(privileges(made, path), by_pod(made, path)), [{"level": "restricted", "reason": sprintf("container %s %s", [get.string(one, "name"), fault[0]]), "path": array.concat(one.at, fault[1])} |
	some one in containers(made, path)
	some fault in faults(one, get.map(made, array.concat(path, ["securityContext"])))
])

# METADATA
# description: The levels whose violations are refused by the value of pod-security.kubernetes.io/enforce.
refused := {"restricted": {"baseline", "restricted"}, "baseline": {"baseline"}}

containers(made, path) := [placed(one, array.concat(path, [list, i])) |
	some list in ["initContainers", "containers"]
	some i, one in get.list(made, array.concat(path, [list]))
	is_object(one)
]

placed(one, at) := object.union(one, {"at": at})

privileges(made, path) := array.concat(
	[{"level": "baseline", "reason": sprintf("%s is true", [field]), "path": array.concat(path, [field])} |
		some field in ["hostNetwork", "hostPID", "hostIPC"]
		get.boolean(made, array.concat(path, [field]))
	],
	array.concat(
		[{"level": "baseline", "reason": sprintf("volume %s is a hostPath", [get.string(volume, "name")]), "path": array.concat(path, ["volumes", i])} |
			some i, volume in get.list(made, array.concat(path, ["volumes"]))
			get.present(volume, ["hostPath"])
		],
		array.concat(
			[{"level": "baseline", "reason": sprintf("container %s is privileged", [get.string(one, "name")]), "path": array.concat(one.at, ["securityContext", "privileged"])} |
				some one in containers(made, path)
				get.boolean(one, ["securityContext", "privileged"])
			],
			[{"level": "baseline", "reason": sprintf("container %s adds capability %s", [get.string(one, "name"), name]), "path": array.concat(one.at, ["securityContext", "capabilities", "add"])} |
				some one in containers(made, path)
				some name in get.list(one, ["securityContext", "capabilities", "add"])
				is_string(name)
				not get.upper_case(name) in harmless_capabilities
			],
		),
	),
)

harmless_capabilities := {"AUDIT_WRITE", "CHOWN", "DAC_OVERRIDE", "FOWNER", "FSETID", "KILL", "MKNOD", "NET_BIND_SERVICE", "SETFCAP", "SETGID", "SETPCAP", "SETUID", "SYS_CHROOT"}

# What stands at the pod holds for containers that say nothing.
by_pod(made, path) := [{"level": "restricted", "reason": "runAsUser is 0", "path": array.concat(path, ["securityContext", "runAsUser"])} |
	get.number(made, array.concat(path, ["securityContext", "runAsUser"])) == 0
]

faults(one, of_pod) := array.concat(
	array.concat(
		[["runs as user 0", ["securityContext", "runAsUser"]] | get.number(one, ["securityContext", "runAsUser"]) == 0],
		[["does not set runAsNonRoot", []] | not effective(one, of_pod, "runAsNonRoot") == true],
	),
	array.concat(
		[["does not set allowPrivilegeEscalation: false", []] | object.get(one, ["securityContext", "allowPrivilegeEscalation"], true) != false],
		array.concat(
			[["does not drop all capabilities", []] | not "ALL" in get.list(one, ["securityContext", "capabilities", "drop"])],
			[["has no seccompProfile", []] | not effective(one, of_pod, "seccompProfile")],
		),
	),
)

# METADATA
# description: What a container's security context says, or else that of its pod; false where neither does.
effective(one, _, field) := one.securityContext[field] if get.present(one, ["securityContext", field])

effective(one, of_pod, field) := object.get(of_pod, field, false) if not get.present(one, ["securityContext", field])

package walguard.operators.workload

import data.walguard.lib.get
import data.walguard.lib.k8s
import data.walguard.lib.settings
import data.walguard.lib.standards

# What the Pod Security Standards refuse of the pods; see walguard.model.
facts contains {"pod_security": violations} if {
	settings.namespace_labels["pod-security.kubernetes.io/enforce"]
	count(violations) > 0
}

all_containers := [object.union(one, {"at": array.concat(pod_path, [list, i])}) |
	server
	some list in ["initContainers", "containers"]
	some i, one in get.list(k8s.object, array.concat(pod_path, [list]))
	is_object(one)
]

violations := standards.violations(k8s.object, pod_path) if server

# Fields of a container's securityContext that a pod's has not (k8s.io/api/core/v1, PodSecurityContext).
facts contains {"misspelt_fields": fields_of_nobody} if count(fields_of_nobody) > 0

fields_of_nobody := array.concat(misplaced_fields, former_values)

misplaced_fields := [{"name": name, "meant": "it below securityContext of the container", "path": array.concat(pod_path, ["securityContext", name]), "refused": true} |
	server
	some name in ["allowPrivilegeEscalation", "capabilities", "privileged", "procMount", "readOnlyRootFilesystem"]
	get.present(k8s.object, array.concat(pod_path, ["securityContext", name]))
]

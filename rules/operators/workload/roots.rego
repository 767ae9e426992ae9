package walguard.operators.workload

import data.walguard.lib.cluster as shared
import data.walguard.lib.get
import data.walguard.lib.k8s
import data.walguard.lib.standards

# verifyRunAsNonRoot of the kubelet (pkg/kubelet/kuberuntime/security_context.go).
roots_refused := [{
	"reason": sprintf("%s %s runs as user 0 while runAsNonRoot holds for it: the kubelet refuses it (\"container's runAsUser breaks non-root policy\"), and the pod never starts", [kind, shared.name_or(one, i)]),
	"cure": "Set runAsNonRoot: false in its securityContext",
	"level": "error",
	"path": array.concat(pod_path, [list, i]),
} |
	server
	some list, kind in {"containers": "Container", "initContainers": "Init container"}
	some i, one in get.list(k8s.object, array.concat(pod_path, [list]))
	is_object(one)
	standards.effective(one, get.map(k8s.object, pod_context), "runAsNonRoot") == true
	standards.effective(one, get.map(k8s.object, pod_context), "runAsUser") == 0
]

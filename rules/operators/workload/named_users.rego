package walguard.operators.workload

import data.walguard.lib.cluster as shared
import data.walguard.lib.get
import data.walguard.lib.image
import data.walguard.lib.k8s
import data.walguard.lib.workloads

# Images whose Dockerfile names its user instead of giving his number: the kubelet cannot tell that he is not root, and refuses the container where runAsNonRoot is true
# (pkg/kubelet/kuberuntime/security_context.go). The numbers are those of the images' /etc/passwd.
numbers_of_users := {
	"docker.io/edoburu/pgbouncer": {"user": "postgres", "number": 70},
	"docker.io/prometheuscommunity/pgbouncer-exporter": {"user": "nobody", "number": 65534},
	"docker.io/prometheuscommunity/postgres-exporter": {"user": "nobody", "number": 65534},
	"quay.io/prometheuscommunity/pgbouncer-exporter": {"user": "nobody", "number": 65534},
	"quay.io/prometheuscommunity/postgres-exporter": {"user": "nobody", "number": 65534},
}

named_users := [object.union(
	{
		"reason": sprintf("runAsNonRoot without runAsUser, and image %s has a name for its user (%s), of which the kubelet cannot tell that it is not root: it refuses container %s", [image.name(get.string(one.container, "image")), known.user, one.name]),
		"cure": sprintf("Set runAsUser to %d", [known.number]),
		"level": "error",
	},
	object.filter(one, ["path", "resource"]),
) |
	some one in array.concat(beside_server, of_namespace)
	known := numbers_of_users[image.repository(get.string(one.container, "image"))]
	not get.present(one.container, ["securityContext", "runAsUser"])
	not get.present(one.pod, ["securityContext", "runAsUser"])
	nonroot(one)
]

nonroot(one) if object.get(one.container, ["securityContext", "runAsNonRoot"], "unsaid") == true

nonroot(one) if {
	not get.present(one.container, ["securityContext", "runAsNonRoot"])
	object.get(one.pod, ["securityContext", "runAsNonRoot"], "unsaid") == true
}

beside_server := [{"container": one, "name": shared.name_or(one, i), "pod": get.map(k8s.object, pod_path), "path": array.concat(pod_path, ["containers", i])} |
	server
	some i, one in get.list(k8s.object, array.concat(pod_path, ["containers"]))
	is_object(one)
]

# Those whose variables name the server.
of_namespace := [{"container": one, "name": shared.name_or(one, i), "pod": made.pod, "path": array.concat(made.path, ["containers", i]), "resource": made.resource} |
	count(hosts) > 0
	some made in workloads.lasting
	not workloads.itself(made)
	some i, one in get.list(made.pod, "containers")
	is_object(one)
	count([1 |
		some variable in get.list(one, "env")
		some word in regex.find_n(`[A-Za-z0-9][A-Za-z0-9.-]*`, get.string(variable, "value"), -1)
		leads_home(word)
	]) > 0
]

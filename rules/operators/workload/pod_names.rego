package walguard.operators.workload

import data.walguard.lib.get
import data.walguard.lib.k8s
import data.walguard.lib.placeholder
import data.walguard.lib.workloads

# Names of pods, POD.SERVICE, which the DNS of Kubernetes has below the Service that serviceName of the StatefulSet names and below no other, since the kubelet gives the pods that subdomain.
astray_by_pod := [object.union(
	{
		"client": one.made.words,
		"reason": sprintf("looks for %s.%s, and %s", [found[1], found[2], where_they_lie]),
		"cure": cure_of_name(found[1], found[2]),
		"level": "error",
		"path": array.concat(one.path, ["env", i, "value"]),
	},
	place_of_client(one),
) |
	k8s.kind == "StatefulSet"
	server
	some one in workloads.containers
	some i, variable in get.list(one.container, "env")
	value := get.string(variable, "value")
	not placeholder.holds(value)
	found := regex.find_all_string_submatch_n(`(?:^|[\s/@,=:])([a-z0-9][a-z0-9-]*-[0-9]+)\.([a-z][a-z0-9-]*)(?:\.([a-z0-9][a-z0-9-]*)\.svc(?:\.[a-z0-9.-]+)?)?(?:[\s/:,;?]|$)`, value, 1)[0]
	regex.replace(found[1], `-[0-9]+$`, "") == k8s.name
	found[3] in {"", k8s.namespace}
	found[2] != governing
	not placeholder.unknown(governing)
]

place_of_client(one) := {} if workloads.itself(one.made)

place_of_client(one) := {"resource": one.made.resource} if not workloads.itself(one.made)

governing := object.get(k8s.object, ["spec", "serviceName"], "")

where_they_lie := sprintf("the names of these pods lie below %s (serviceName)", [governing]) if governing != ""

where_they_lie := "these pods have no names, since serviceName is not set" if governing == ""

cure_of_name(pod, _) := sprintf("Write %s.%s", [pod, governing]) if governing != ""

cure_of_name(_, wanted) := sprintf("Set serviceName to %s, in a new StatefulSet", [wanted]) if governing == ""

# METADATA
# description: Programs beside the cluster under review, or by themselves, that end at a check of their own before they ask for the server.
package walguard.model.unstarted

import data.walguard.lib.client
import data.walguard.lib.driver
import data.walguard.lib.environment
import data.walguard.lib.get
import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.lib.workloads
import data.walguard.model

# METADATA
# description: '[{"client", "reason", "outcome", "cure", "level"?: severity, else error, "path", "resource"}]'
all := array.concat(array.concat(array.concat(stopped, mislinked), early), array.concat(array.concat(shut_out, hanging), array.concat(impatient, asked_in_vain)))

stopped := [object.union(object.remove(stop, ["at"]), {"client": one.made.words, "path": array.concat(one.path, stop.at), "resource": one.made.resource}) |
	looked_for
	some one in workloads.containers
	one.list == "containers"
	some stop in array.concat(array.concat(client.stops(one.container), client.half_named(one.container)), array.concat(client.refused_words(one.container), by_itself(one)))
]

# A server or a proxy may run beside it.
by_itself(one) := client.hostless(one.container) if {
	count(get.list(one.made.pod, "containers")) == 1
	count([1 | some other in get.list(one.made.pod, "initContainers"); get.present(other, "restartPolicy")]) == 0
} else := []

looked_for if model.cluster.client

looked_for if {
	not model.cluster.client
	count(model.cluster.hosts) > 0
}

# A new volume of block storage belongs to root; drivers of shared and local directories mostly open theirs to all.
shut_out := [{
	"client": one.made.words,
	"reason": sprintf("runs as user %d without fsGroup, and a new volume at %s belongs to root unless its driver opens it to all", [home.user, home.directory]),
	"outcome": "it does not start (\"Permission denied\")",
	"cure": sprintf("Set fsGroup to %d", [home.user]),
	"level": "warning",
	"path": array.concat(one.path, ["volumeMounts", k]),
	"resource": one.made.resource,
} |
	looked_for
	some one in workloads.containers
	one.list == "containers"
	home := client.program_of(one.container)[1].home
	contexts := [get.map(one.container, "securityContext"), get.map(one.made.pod, "securityContext")]
	count([1 | some context in contexts; some field in ["fsGroup", "supplementalGroups"]; get.present(context, [field])]) == 0
	count([1 | some context in contexts; not object.get(context, "runAsUser", null) in {null, home.user}]) == 0
	count(get.list(one.made.pod, "initContainers")) == 0
	some k, mounted in get.list(one.container, "volumeMounts")
	trim_suffix(get.string(mounted, "mountPath"), "/") == home.directory
	claimed(one.made, get.string(mounted, "name"))
]

# A probe has the variables of its container, and not what the entrypoint of the image reads from files (Bitnami's, the official one's).
asked_in_vain := [{
	"client": one.made.words,
	"reason": sprintf("asks in its %s with $%s, and has %s_FILE alone, which no probe reads", [field, match[1], match[1]]),
	"outcome": "it never succeeds",
	"cure": sprintf("Write $(cat \"$%s_FILE\")", [match[1]]),
	"path": array.concat(one.path, [field]),
	"resource": one.made.resource,
} |
	looked_for
	some one in workloads.containers
	some field in ["livenessProbe", "readinessProbe", "startupProbe"]
	some word in get.list(one.container, [field, "exec", "command"])
	some match in regex.find_all_string_submatch_n(`PGPASSWORD=["']?\$\{?([A-Z_]+)\}?["' ].*\bpsql\b`, get.text(word), 1)
	client.names(one.container) & {match[1], sprintf("%s_FILE", [match[1]])} == {sprintf("%s_FILE", [match[1]])}
]

# The new pod waits for the volume, and the old one for the new pod; one node may have both, unless the claim is for one pod alone.
hanging := [object.union(
	{
		"client": one.made.words,
		"reason": sprintf("starts its new pod while the old one holds claim %s, which is for one %s alone", [get.string(claim, ["metadata", "name"]), holder]),
		"outcome": sprintf("an update hangs%s", [how]),
		"cure": "Set spec.strategy.type to Recreate",
		"path": ["spec"],
		"resource": one.made.resource,
	},
	weight,
) |
	looked_for
	some one in workloads.containers
	one.list == "containers"
	one.made.kind == "Deployment"
	home := client.program_of(one.container)[1].home
	object.get(one.made.object, ["spec", "replicas"], 1) == 1
	object.get(one.made.object, ["spec", "strategy", "type"], "RollingUpdate") == "RollingUpdate"
	not goes_first(one.made.object)
	some mounted in get.list(one.container, "volumeMounts")
	trim_suffix(get.string(mounted, "mountPath"), "/") == home.directory
	some volume in get.list(one.made.pod, "volumes")
	get.string(volume, "name") == get.string(mounted, "name")
	claim := inventory.namespaced_object(k8s.namespace, "v1", "PersistentVolumeClaim", get.string(volume, ["persistentVolumeClaim", "claimName"]))
	modes := get.list(claim, ["spec", "accessModes"])
	count(modes) == 1
	[holder, how, weight] := {"ReadWriteOnce": ["node", " where the new pod lands on another (\"Multi-Attach error\")", {"level": "warning"}], "ReadWriteOncePod": ["pod", " for good", {}]}[modes[0]]
	not shared(claim)
]

# The old pod, where none is added.
goes_first(made) if get.text_at(made, ["spec", "strategy", "rollingUpdate", "maxSurge"]) in {"0", "0%"}

# That somebody may have given away by hand where it is not in sight.
claimed(made, name) if {
	some volume in get.list(made.pod, "volumes")
	get.string(volume, "name") == name
	claim := inventory.namespaced_object(k8s.namespace, "v1", "PersistentVolumeClaim", get.string(volume, ["persistentVolumeClaim", "claimName"]))
	count([1 | some field in ["volumeName", "dataSource", "dataSourceRef", "selector"]; get.present(claim, ["spec", field])]) == 0
	not shared(claim)
}

claimed(made, name) if {
	some claim in get.list(made.object, ["spec", "volumeClaimTemplates"])
	get.string(claim, ["metadata", "name"]) == name
	not shared(claim)
}

shared(claim) if "ReadWriteMany" in get.list(claim, ["spec", "accessModes"])

shared(claim) if driver.usual_classes[get.string(claim, ["spec", "storageClassName"])]

# What the first start makes before it listens, and a killed one leaves half made.
impatient := [{
	"client": one.made.words,
	"reason": sprintf("is killed %d s after a start unless it listens (livenessProbe), and %s before", [window, first.does]),
	"outcome": first.otherwise,
	"cure": "Add a startupProbe (periodSeconds: 10, failureThreshold: 60)",
	"level": "warning",
	"path": array.concat(one.path, ["livenessProbe"]),
	"resource": one.made.resource,
} |
	looked_for
	some one in workloads.containers
	one.list == "containers"
	first := client.program_of(one.container)[1].first
	probe := get.map(one.container, "livenessProbe")
	count([1 | some way in ["tcpSocket", "httpGet", "exec"]; get.present(probe, [way])]) == 1
	not get.present(one.container, "startupProbe")
	window := object.get(probe, "initialDelaySeconds", 0) + (object.get(probe, "periodSeconds", 10) * object.get(probe, "failureThreshold", 3))
	window < first.seconds
]

# Kubernetes tells each container of the Services of its namespace, of Service superset by SUPERSET_PORT=tcp://10.0.0.1:8088 among others, which goes before what the image says.
mislinked := [{
	"client": one.made.words,
	"reason": sprintf("reads %s for its port, and Kubernetes sets it to tcp://… since there is Service %s", [link.variable, link.service]),
	"outcome": "it does not start",
	"cure": sprintf("Set %s to \"%s\", or enableServiceLinks: false in its pod", [link.variable, link.usual]),
	"path": one.path,
	"resource": one.made.resource,
} |
	looked_for
	some one in workloads.containers
	one.list == "containers"
	link := client.program_of(one.container)[1].link
	regex.match(object.get(link, "tags", ""), client.tag_of(get.string(one.container, "image")))
	object.get(one.made.pod, "enableServiceLinks", true) == true
	not link.variable in client.names(one.container)
	count([1 | some source in get.list(one.container, "envFrom"); count(environment.entries(source)) == 0]) == 0
	service := inventory.namespaced_object(k8s.namespace, "v1", "Service", link.service)
	object.get(service, ["spec", "clusterIP"], "") != "None"
	object.get(service, ["spec", "type"], "") != "ExternalName"
]

package walguard.model.unstarted

import data.walguard.lib.get
import data.walguard.lib.helm
import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.lib.workloads
import data.walguard.model

# Helm runs hooks before the install by their weight, and makes what is none when they have ended (https://helm.sh/docs/topics/charts_hooks): a pod that takes a ConfigMap or a Secret of those does not start. What another
# release has made before is there; the same release is known by its label alone.
early := [{
	"client": one.made.words,
	"reason": sprintf("runs before the install (%s) and takes %s %s, %s", [hooks, taken.kind, taken.name, fault]),
	"outcome": "a first install hangs",
	"cure": sprintf("Make that a hook of a lower weight, or run the %s post-install", [one.made.kind]),
	"level": {true: "error", false: "warning"}[same_release(made, one.made.object)],
	"path": ["metadata", "annotations", helm.hook],
	"resource": one.made.resource,
} |
	looked_for
	some one in hooked
	hooks := helm.hooks(one.made.object)
	taken := [name | some name in taken_by(one.container, one.made.pod); faults_of_hook(name, one.made.object)][0]
	made := inventory.namespaced_object(k8s.namespace, "v1", taken.kind, taken.name)
	fault := faults_of_hook(taken, one.made.object)
	of_one_release(made, one.made.object)
	count([1 | some lost in get.list(model.cluster, "lost_clients"); lost.resource == one.made.resource]) == 0
]

# The first container of each.
hooked := [array.concat(of_init, of_plain)[0] |
	some made in workloads.clients
	made.kind == "Job"
	helm.before_install(made.object)
	of_init := [{"made": made, "container": one} | some one in get.list(made.pod, "initContainers"); count(taken_by(one, made.pod)) > 0]
	of_plain := [{"made": made, "container": one} | some one in get.list(made.pod, "containers"); count(taken_by(one, made.pod)) > 0]
]

faults_of_hook(taken, job) := fault if {
	made := inventory.namespaced_object(k8s.namespace, "v1", taken.kind, taken.name)
	fault := late(made, helm.weight(job))
}

late(made, _) := "which Helm makes later" if not has_hooks(made)

late(made, _) := sprintf("a hook of another time (%s)", [helm.hooks(made)]) if {
	has_hooks(made)
	not helm.before_install(made)
}

late(made, before) := sprintf("whose weight %d is above %d", [helm.weight(made), before]) if {
	helm.before_install(made)
	helm.weight(made) > before
}

has_hooks(made) if get.present(made, ["metadata", "annotations", helm.hook])

# What the pod does not start without.
taken_by(container, pod) := array.concat(
	array.concat(
		[{"kind": kind, "name": name} |
			some variable in get.list(container, "env")
			some field, kind in {"configMapKeyRef": "ConfigMap", "secretKeyRef": "Secret"}
			name := get.string(variable, ["valueFrom", field, "name"])
			not get.boolean(variable, ["valueFrom", field, "optional"])
		],
		[{"kind": kind, "name": name} |
			some source in get.list(container, "envFrom")
			some field, kind in {"configMapRef": "ConfigMap", "secretRef": "Secret"}
			name := get.string(source, [field, "name"])
			not get.boolean(source, [field, "optional"])
		],
	),
	[{"kind": kind, "name": name} |
		some volume in get.list(pod, "volumes")
		some path, kind in {["configMap", "name"]: "ConfigMap", ["secret", "secretName"]: "Secret"}
		name := get.string(volume, path)
		not get.boolean(volume, [path[0], "optional"])
	],
)

# What is no hook may be another release's.
of_one_release(made, _) if has_hooks(made)

of_one_release(made, job) if same_release(made, job)

same_release(made, job) if {
	is_string(helm.common_release(made, job))
} else := false

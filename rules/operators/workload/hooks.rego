package walguard.operators.workload

import data.walguard.lib.get
import data.walguard.lib.helm
import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.lib.workloads

# Helm runs what is a hook before the install, waits for its end, and makes everything else of the release after it: this server among it, and its Secret.
early_hooks := [{
	"client": made.words,
	"reason": sprintf("is a hook before the install (%s), and this server is of the same release (%s), which Helm makes when the hook has ended", [hooks, label]),
	"outcome": "the install waits for it until it times out",
	"cure": "Let it run as a plain Job that waits for the server, or as a hook post-install",
	"level": "error",
	"path": ["metadata", "annotations", helm.hook],
	"resource": made.resource,
} |
	server
	not get.present(k8s.object, ["metadata", "annotations", helm.hook])
	some made in workloads.all
	made.kind in {"Job", "Pod"}
	hooks := helm.hooks(made.object)
	helm.before_install(made.object)
	label := release_of(made)
	some one in get.list(made.pod, "containers")
	needs_this_server(one)
]

release_of(made) := helm.common_release(k8s.object, made.object)

# Of a chart that does not label its objects, by the name that both begin with, where the Secret that both read is made with the server.
release_of(made) := parts[0] if {
	count([1 | some labels in [k8s.labels, get.map(made.object, ["metadata", "labels"])]; some key in helm.release_labels; get.present(labels, [key])]) == 0
	parts := split(k8s.name, "-")
	count(parts) > 1
	startswith(get.string(made.object, ["metadata", "name"]), sprintf("%s-", [parts[0]]))
	count([name |
		some one in get.list(made.pod, "containers")
		some variable in get.list(one, "env")
		name := get.string(variable, ["valueFrom", "secretKeyRef", "name"])
		name in secrets_of_server
		startswith(name, sprintf("%s-", [parts[0]]))
		secret := inventory.namespaced_object(k8s.namespace, "v1", "Secret", name)
		not get.present(secret, ["metadata", "annotations", helm.hook])
	]) > 0
}

needs_this_server(one) if {
	some variable in get.list(one, "env")
	get.string(variable, ["valueFrom", "secretKeyRef", "name"]) in secrets_of_server
	get.present(variable, ["valueFrom", "secretKeyRef"])
}

needs_this_server(one) if {
	some variable in get.list(one, "env")
	is_string(before_host(get.string(variable, "name")))
	leads_home(get.string(variable, "value"))
}

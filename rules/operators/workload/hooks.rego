package walguard.operators.workload

import data.walguard.lib.get
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
	"path": ["metadata", "annotations", hook],
	"resource": made.resource,
} |
	server
	not get.present(k8s.object, ["metadata", "annotations", hook])
	some made in workloads.all
	made.kind in {"Job", "Pod"}
	hooks := get.string(made.object, ["metadata", "annotations", hook])
	regex.match(`\bpre-install\b`, hooks)
	label := release_of(made)
	some one in get.list(made.pod, "containers")
	needs_this_server(one)
]

hook := "helm.sh/hook"

release_of(made) := [value |
	some key in labels_of_release
	value := get.string(k8s.labels, key)
	value != ""
	get.string(made.object, ["metadata", "labels", key]) == value
][0]

# Of a chart that does not label its objects, by the name that both begin with, where the Secret that both read is made with the server.
release_of(made) := parts[0] if {
	count([1 | some labels in [k8s.labels, get.map(made.object, ["metadata", "labels"])]; some key in labels_of_release; get.present(labels, [key])]) == 0
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
		not get.present(secret, ["metadata", "annotations", hook])
	]) > 0
}

labels_of_release := ["app.kubernetes.io/instance", "release"]

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

package walguard.operators.workload

import data.walguard.lib.get
import data.walguard.lib.k8s

# What walguard.charts.bitnami says of values that the release of the chart passes over; an error where a program of the namespace relies on one.
former_values := [object.union(
	{"name": name, "meant": said[0], "outcome": "the chart renamed it in release 11, and later ones pass over it", "path": ["metadata", "annotations", annotation]},
	{"level": "error" | relied_on(said[1])},
) |
	server
	some annotation, text in k8s.annotations
	startswith(annotation, former_prefix)
	name := trim_prefix(annotation, former_prefix)
	said := split(text, "=")
]

former_prefix := "charts.walguard.dev/former."

relied_on(value) if {
	some one in homeward
	some variable in one.variables
	variable.value == value
}

relied_on(secret) if {
	some one in homeward
	some variable in get.list(one.container, "env")
	get.string(variable, ["valueFrom", "secretKeyRef", "name"]) == secret
}

homeward := [one |
	some one in client_containers
	count([1 | some variable in one.variables; leads_home(regex.replace(variable.value, `:5432$`, ""))]) > 0
]

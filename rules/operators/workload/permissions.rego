package walguard.operators.workload

import data.walguard.lib.get
import data.walguard.lib.k8s
import data.walguard.lib.placeholder

# --------------------------------------------------------------------------------- what Patroni asks the API server for

facts contains {"api_needs": {
	"account": account,
	"needs": [
		{"resources": ["pods"], "verbs": ["list", "patch", "watch"]},
		{"resources": keepers, "verbs": ["create", "list", "patch", "watch"]},
	],
}} if {
	in_kubernetes
	in_own_namespace
	is_string(account)
	not placeholder.unknown(account)
}

account := object.get(k8s.object, array.concat(pod_path, ["serviceAccountName"]), object.get(k8s.object, array.concat(pod_path, ["serviceAccount"]), "default"))

# Its file or its variables say that it keeps the leader in Kubernetes, and nothing speaks of another place.
in_kubernetes if {
	layout == "patroni"
	not veiled
	count(other_stores) == 0
	count(hints) > 0
}

in_kubernetes if {
	layout == "spilo"
	not veiled
	variables.DCS_ENABLE_KUBERNETES_API.value != ""
}

# Patroni looks for the pods and keeps its objects in this namespace; its own pod is in that of the StatefulSet.
facts contains {"api_elsewhere": {"namespace": variable.value, "variable": "PATRONI_KUBERNETES_NAMESPACE", "path": value_path(variable)}} if {
	layout == "patroni"
	in_kubernetes
	variable := variables.PATRONI_KUBERNETES_NAMESPACE
	not variable.resource
	get.string(k8s.object, ["metadata", "namespace"])
	not placeholder.unknown(k8s.namespace)
	not placeholder.unknown(variable.value)
	variable.value != k8s.namespace
}

# Patroni finds the members by these labels (dcs/kubernetes.py), which Spilo gives it (configure_spilo.py); nobody puts them on the pods but the template.
facts contains {"unlabelled": {"labels": missing_labels, "path": array.concat(label_path, ["labels"])}} if count(missing_labels) > 0

label_path := ["spec", "template", "metadata"]

missing_labels := [sprintf("%s=%s", [key, value]) |
	layout == "spilo"
	k8s.kind == "StatefulSet"
	in_kubernetes
	object.get(k8s.object, ["spec", "replicas"], 1) > 1
	not unknown(["KUBERNETES_LABELS", "KUBERNETES_SCOPE_LABEL", "SCOPE"])
	wanted := object.union(labels_of_members, {said_or("KUBERNETES_SCOPE_LABEL", "version"): said_or("SCOPE", "dummy")})
	some key, value in wanted
	is_string(value)
	not placeholder.unknown(value)
	carried := object.get(k8s.object, array.concat(label_path, ["labels", key]), "")
	not placeholder.unknown(carried)
	carried != value
]

labels_of_members := json.unmarshal(variables.KUBERNETES_LABELS.value) if json.is_valid(variables.KUBERNETES_LABELS.value)

labels_of_members := {"application": "spilo"} if not variables.KUBERNETES_LABELS

labels_of_members := {} if {
	variables.KUBERNETES_LABELS
	not json.is_valid(variables.KUBERNETES_LABELS.value)
}

said_or(name, _) := variables[name].value

said_or(name, usual) := usual if not variables[name]

# Of its own accord Patroni works in the namespace "default".
in_own_namespace if {
	some variable in get.list(container, "env")
	get.string(variable, "name") == {"patroni": "PATRONI_KUBERNETES_NAMESPACE", "spilo": "POD_NAMESPACE"}[layout]
	get.string(variable, ["valueFrom", "fieldRef", "fieldPath"]) == "metadata.namespace"
}

hints := {name | some name in names_of_variables; startswith(name, "PATRONI_KUBERNETES_")} | {line | some line in split(patroni_file.text, "\n"); regex.match(`^kubernetes:`, line)}

other_stores := {name | some name in names_of_variables; regex.match(`^PATRONI_(ETCD|ETCD3|CONSUL|ZOOKEEPER|EXHIBITOR|RAFT)_`, name)} | {line | some line in split(patroni_file.text, "\n"); regex.match(`^(etcd3?|consul|zookeeper|exhibitor|raft):`, line)}

names_of_variables := {name | some variable in get.list(container, "env"); name := get.string(variable, "name")} | object.keys(variables)

# Where the leader is kept: Endpoints, ConfigMaps, or either of them where that stands in what is not in sight.
keepers := ["configmaps"] if endpoints_used == "no"

keepers := ["endpoints"] if endpoints_used == "yes"

keepers := ["configmaps", "endpoints"] if not endpoints_used

endpoints_used := {true: "yes", false: "no"}[yes(variables.PATRONI_KUBERNETES_USE_ENDPOINTS.value)] if layout == "patroni"

# Without the variable, the file says so.
endpoints_used := {true: "yes", false: "no"}[count(said) > 0] if {
	layout == "patroni"
	not "PATRONI_KUBERNETES_USE_ENDPOINTS" in names_of_variables
	is_string(patroni_file.text)
	not json.is_valid(patroni_file.text)
	said := [line | some line in split(patroni_file.text, "\n"); regex.match(`^ +use_endpoints: *["']?(true|yes|on|y|1)["']?\s*(#.*)?$`, get.lower_case(line))]
}

endpoints_used := {true: "no", false: "yes"}[variables.KUBERNETES_USE_CONFIGMAPS.value != ""] if {
	layout == "spilo"
	"KUBERNETES_USE_CONFIGMAPS" in object.keys(variables)
}

endpoints_used := "yes" if {
	layout == "spilo"
	not "KUBERNETES_USE_CONFIGMAPS" in names_of_variables
}

yes(text) := get.lower_case(text) in {"true", "yes", "on", "y", "1"}

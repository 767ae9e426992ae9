# METADATA
# description: |
#   What makes pods in the namespace of the object under review, and where each kind describes them. The object itself is among them where it is one.
package walguard.lib.workloads

import data.walguard.lib.get
import data.walguard.lib.inventory
import data.walguard.lib.k8s

# METADATA
# description: The path of the pod's spec, by "apiVersion kind". Poolers of CloudNativePG take a template of one's own.
pods := {
	"apps.kruise.io/v1alpha1 CloneSet": ["spec", "template", "spec"],
	"apps.kruise.io/v1alpha1 DaemonSet": ["spec", "template", "spec"],
	"apps.kruise.io/v1alpha1 StatefulSet": ["spec", "template", "spec"],
	"apps.kruise.io/v1beta1 DaemonSet": ["spec", "template", "spec"],
	"apps.kruise.io/v1beta1 StatefulSet": ["spec", "template", "spec"],
	"apps.openshift.io/v1 DeploymentConfig": ["spec", "template", "spec"],
	"apps/v1 DaemonSet": ["spec", "template", "spec"],
	"apps/v1 Deployment": ["spec", "template", "spec"],
	"apps/v1 ReplicaSet": ["spec", "template", "spec"],
	"apps/v1 StatefulSet": ["spec", "template", "spec"],
	"argoproj.io/v1alpha1 Rollout": ["spec", "template", "spec"],
	"batch/v1 CronJob": ["spec", "jobTemplate", "spec", "template", "spec"],
	"batch/v1 Job": ["spec", "template", "spec"],
	"batch/v1beta1 CronJob": ["spec", "jobTemplate", "spec", "template", "spec"],
	"batch/v2alpha1 CronJob": ["spec", "jobTemplate", "spec", "template", "spec"],
	"extensions/v1beta1 DaemonSet": ["spec", "template", "spec"],
	"extensions/v1beta1 Deployment": ["spec", "template", "spec"],
	"extensions/v1beta1 ReplicaSet": ["spec", "template", "spec"],
	"postgresql.cnpg.io/v1 Pooler": ["spec", "template", "spec"],
	"postgresql.k8s.enterprisedb.io/v1 Pooler": ["spec", "template", "spec"],
	"v1 Pod": ["spec"],
	"v1 ReplicationController": ["spec", "template", "spec"],
	"workloads.kubeblocks.io/v1 Instance": ["spec", "template", "spec"],
	"workloads.kubeblocks.io/v1 InstanceSet": ["spec", "template", "spec"],
	"workloads.kubeblocks.io/v1alpha1 InstanceSet": ["spec", "template", "spec"],
}

# METADATA
# description: 'All of them: [{"kind", "name", "words": "Deployment app", "object", "path": of the pod''s spec, "pod": that, "resource"}].'
all := [{
	"kind": kind,
	"name": name,
	"words": sprintf("%s %s", [kind, name]),
	"object": made,
	"path": path,
	"pod": get.map(made, path),
	"resource": k8s.reference(made),
} |
	some [api_version, kind, path] in kinds_of_pods
	some name, made in made_by(api_version, kind)
	is_object(made)
]

kinds_of_pods := [[parts[0], parts[1], path] | some key, path in pods; parts := split(key, " ")]

# Of a client by itself there is none but that; a pooler stands before others.
made_by(api_version, kind) := inventory.by_name(k8s.namespace, api_version, kind) if not alone

made_by(api_version, kind) := object.union(inventory.by_name(k8s.namespace, api_version, kind), own(api_version, kind)) if pooler_alone

made_by(api_version, kind) := own(api_version, kind) if client_alone

own(api_version, kind) := {k8s.name: k8s.object | api_version == k8s.api_version; kind == k8s.kind}

client_alone if {
	alone
	not pooler_alone
}

# METADATA
# description: Those in which a client of the server may run for long or by a schedule; a Pod by itself, a ReplicaSet and a DaemonSet are seldom one.
clients := [made | some made in all; made.kind in {"CronJob", "Deployment", "Job", "StatefulSet"}]

# METADATA
# description: The Deployments and StatefulSets among them, which run for good.
lasting := [made | some made in all; made.kind in {"Deployment", "StatefulSet"}]

# METADATA
# description: 'Their containers: [{"container", "list": "containers" or "initContainers", "path", "made": whose it is, as above}].'
containers := [{"container": one, "list": list, "path": array.concat(made.path, [list, i]), "made": made} |
	some made in clients
	some list in ["containers", "initContainers"]
	some i, one in get.list(made.pod, list)
	is_object(one)
]

# METADATA
# description: True of the object under review.
itself(made) if {
	made.kind == k8s.kind
	made.name == k8s.name
}

# METADATA
# description: True of a client, which is another object than the server under review, or reviewed by itself.
beside(made) if not itself(made)

beside(_) if alone

# METADATA
# description: The HorizontalPodAutoscalers of the namespace that set the number of pods of an object.
scalers(kind, name) := [scaler |
	some api_version in ["autoscaling/v2", "autoscaling/v1"]
	some scaler in inventory.list(k8s.namespace, api_version, "HorizontalPodAutoscaler")
	get.string(scaler, ["spec", "scaleTargetRef", "kind"]) == kind
	get.string(scaler, ["spec", "scaleTargetRef", "name"]) == name
]

# METADATA
# description: |
#   What may raise the number of pods of an object above one: [{"most": number of pods, "words", "path", "resource"}], HorizontalPodAutoscalers and the ScaledObjects from which KEDA makes some, up to 100 pods where they name no number.
# related_resources:
#   - https://keda.sh/docs/latest/reference/scaledobject-spec/
# custom:
#   kinds:
#     - {group: keda.sh, versions: [v1alpha1], kind: ScaledObject, plural: scaledobjects, namespaced: true, role: support, contains: [ScaledObject], served: false}
raising(kind, name) := [object.union(found, {"resource": k8s.reference(scaler), "words": sprintf("%s %s", [scaler.kind, scaler.metadata.name])}) |
	some scaler in array.concat(scalers(kind, name), scalers_of_keda(kind, name))
	found := most_pods(scaler)
	found.most > 1
]

scalers_of_keda(kind, name) := [scaler |
	some scaler in inventory.list(k8s.namespace, "keda.sh/v1alpha1", "ScaledObject")
	object.get(scaler, ["spec", "scaleTargetRef", "kind"], "Deployment") == kind
	get.string(scaler, ["spec", "scaleTargetRef", "name"]) == name
]

most_pods(scaler) := {"most": get.number(scaler, ["spec", "maxReplicas"]), "path": ["spec", "maxReplicas"]}

most_pods(scaler) := {"most": get.number(scaler, ["spec", "maxReplicaCount"]), "path": ["spec", "maxReplicaCount"]}

most_pods(scaler) := {"most": 100, "path": ["spec"]} if {
	scaler.kind == "ScaledObject"
	not get.present(scaler, ["spec", "maxReplicaCount"])
}

# METADATA
# description: The template of the pods, or the Pod itself.
template(made) := get.map(made.object, array.slice(made.path, 0, count(made.path) - 1))

# METADATA
# description: The labels of the pods.
labels(made) := get.map(template(made), ["metadata", "labels"])

# METADATA
# description: The names of the Services of the namespace that lead to pods with these labels.
services(labels_of_pods) := {get.string(service, ["metadata", "name"]) |
	some service in inventory.list(k8s.namespace, "v1", "Service")
	wanted := get.map(service, ["spec", "selector"])
	count(wanted) > 0
	count([1 | some label, value in wanted; labels_of_pods[label] == value]) == count(wanted)
}

# METADATA
# description: True where a pod of these mounts the claim.
mounts(made, claim) if {
	some volume in get.list(made.pod, "volumes")
	get.string(volume, ["persistentVolumeClaim", "claimName"]) == claim
}

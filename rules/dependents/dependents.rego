# METADATA
# description: |
#   The ratchet for changes of objects that clusters depend on – a StorageClass loses its attestation, a ScheduledBackup is suspended,
#   a Pooler is deleted. The clusters in sight that refer to the object are judged with the object as it was and as it will be;
#   what is found only then is told of the change. A finding is one of the cluster (its check, its resource, its path), with the change named
#   before its message. It shows as a warning unless the configuration says `dependents: deny`.
package walguard.dependents

import data.walguard.index
import data.walguard.lib.get
import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.lib.settings
import data.walguard.verdict

# METADATA
# description: |
#   Clusters judged for one change, at most. A judgement takes well under a millisecond, an answer may take seconds; of more
#   clusters the first by namespace and name are judged, and the message says of how many.
limit := 500

findings contains finding if {
	some cluster in array.slice(dependents, 0, limit)
	judged := k8s.reference(cluster)
	after := review_of(cluster, inventory_after)
	worse := [f | some f in verdict.findings with input as after; f.action in {"deny", "warn"}]
	count(worse) > 0
	before := review_of(cluster, inventory_before)
	known := {[f.check, f.resource, f.path] | some f in verdict.judged with input as before}
	some f in worse
	not [f.check, f.resource, f.path] in known
	finding := object.union(object.remove(f, ["fix"]), {
		"action": milder(consequence, f.action),
		# Hosts name the object of the review, which is another one.
		"message": sprintf("%s: %s %s/%s: %s", [opening, judged.kind, judged.namespace, judged.name, f.message]),
	})
}

milder("deny", action) := action

milder(strictest, _) := strictest if strictest != "deny"

# What a finding leads to at most.
consequence := "audit" if {
	settings.exempt
} else := "deny" if {
	settings.dependents == "deny"
} else := "warn"

opening := concat("", [occasion, title, sample])

occasion := "without " if k8s.removed

occasion := "with the new " if created

occasion := "with this change of " if {
	not k8s.removed
	not created
}

title := sprintf("%s %s", [kind, concat("/", [part | some part in [namespace, name]; part != ""])])

sample := "" if count(dependents) <= limit

sample := sprintf(" (of %d clusters that refer to it %d were judged)", [count(dependents), limit]) if count(dependents) > limit

# ------------------------------------------------------------------------------------------------- the change

# METADATA
# description: |
#   The object as it was, or as it will be where it is created; undefined where the review is not about a change of an object that clusters depend on.
subject := touched if {
	support
	settings.dependents != "off"
}

touched := k8s.changed

touched := k8s.object if created

# What did not exist may bring what a cluster that has named it before did not have.
created if k8s.operation == "CREATE"

# What the catalogue says of its kind.
support := index.support[kind_of_subject]

# A ConfigMap is mostly something else; what it is to the clusters that name it, their adapters know. Those that read it as a change of its own do so.
support := {"all": false, "operators": object.keys(readers)} if {
	kind_of_subject == "/ConfigMap"
	not index.support[kind_of_subject]
	readers := {operator: true |
		some operator in array.concat([owner | some owner in index.cluster_kinds], ["workload"])
		not changed_by_itself(operator)
	}
}

# Of a ConfigMap by itself plain workloads know what loses data whoever mounts it, and nothing of the server that does.
changed_by_itself(operator) if {
	operator in index.kinds[kind_of_subject]
	operator != "workload"
}

kind_of_subject := concat("/", [k8s.group_of(get.string(touched, "apiVersion")), kind])

kind := get.string(touched, "kind")

name := get.string(subject, ["metadata", "name"])

# "" for an object of the cluster scope.
namespace := object.get(subject, ["metadata", "namespace"], "")

inventory_before := inventory.with_object(subject, subject) if not created

inventory_before := inventory.without_object(subject) if created

inventory_after := inventory.with_object(subject, k8s.object)

inventory_after := inventory.without_object(subject) if k8s.removed

# An admission review is one of objects that an API server has.
review_of(cluster, objects) := {
	"review": {"object": cluster},
	"parameters": settings.configuration,
	"inventory": object.union(objects, {"live": inventory.live}),
	"now": object.get(input, "now", null),
}

# --------------------------------------------------------------------------------------------- the dependents

# METADATA
# description: |
#   The clusters in sight that name the object, or that the object names. By text, whatever the field: one too many is judged in vain.
dependents := [related[key] | some key in sort(object.keys(related))]

related[key] := cluster if {
	subject
	some home in homes
	some cluster in clusters_of(home)
	refers(cluster)
	reference := k8s.reference(cluster)
	key := [reference.namespace, reference.name, reference.apiVersion, reference.kind]
}

homes := [namespace] if not anywhere

homes := object.keys(get.map(inventory.tree, "namespace")) if anywhere

anywhere if namespace == ""

# The operator's configuration lies in a namespace, and its clusters in others.
anywhere if support.all

clusters_of(home) := [cluster |
	some api_version, kinds in get.map(inventory.tree, ["namespace", home])
	group := k8s.group_of(api_version)
	some cluster_kind, objects in kinds
	concerns(owner_of(concat("/", [group, cluster_kind])))
	some cluster in objects
	is_object(cluster)
]

owner_of(title_of) := index.cluster_kinds[title_of]

# Workloads, and what changes a cluster by what lies in a ConfigMap that it names.
owner_of(title_of) := owner if {
	kind_of_subject == "/ConfigMap"
	not index.cluster_kinds[title_of]
	not title_of in {"/ConfigMap", "/Secret"}
	some owner in index.kinds[title_of]
	owner in support.operators
}

# An operator's objects are read for its own clusters only.
concerns(_) if count(support.operators) == 0

concerns(operator) if operator in support.operators

refers(_) if everybody

refers(cluster) if {
	not everybody
	contains(json.marshal(get.map(cluster, "spec")), concat("", ["\"", name, "\""]))
}

refers(cluster) if {
	not everybody
	namespace != ""
	kind_of_subject != "/ConfigMap"
	contains(subject_text, get.string(cluster, ["metadata", "name"]))
}

subject_text := json.marshal(subject)

# A default class is that of all who name none, the configuration of an operator that of all its clusters.
everybody if support.all

everybody if default_class(subject)

everybody if default_class(k8s.object)

default_class(class) if {
	kind == "StorageClass"
	get.string(class, ["metadata", "annotations", "storageclass.kubernetes.io/is-default-class"]) == "true"
}

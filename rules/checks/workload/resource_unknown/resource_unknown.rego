# METADATA
# title: A resource that Kubernetes does not know
# description: |
#   Requests and limits of a container are cpu, memory, ephemeral-storage, hugepages-SIZE, or the resource of a device plugin with its domain (nvidia.com/gpu). Of any other name, "mem" or "storage", the
#   API server refuses the pods: "must be a standard resource for containers". The schema of a custom resource takes every name, so that the cluster is accepted, no pod is ever created, and the operator
#   says nothing of the reason. The names are those in lower case. A claim asks for storage, and is refused without it.
#   An amount is a number with one of m, k, M, G, T, Ki, Mi, Gi or Ti: "2GB" and "500mi" are none, and the API server refuses the resource, or the pods and claims that come of it.
# related_resources:
#   - https://kubernetes.io/docs/concepts/configuration/manage-resources-containers/#resource-types
#   - https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/quantity/
#   - https://github.com/kubernetes/kubernetes/blob/master/pkg/apis/core/validation/validation.go
#   - https://github.com/cloudnative-pg/cloudnative-pg/issues/4147
# custom:
#   severity: error
#   since: 0.1.0
#   remediation: Write cpu, memory, ephemeral-storage or hugepages-SIZE; the size of a volume belongs to its claim.
#   sources: []
package walguard.checks.workload.resource_unknown

import data.walguard.lib.finding
import data.walguard.lib.get
import data.walguard.lib.k8s
import data.walguard.lib.placeholder
import data.walguard.lib.quantity
import data.walguard.lib.text
import data.walguard.model
import data.walguard.postgres.similar

# One finding for a name, at the first place.
findings contains f if {
	some one in containers
	not one.resources_filled
	some name in {name | some field in fields; some name, _ in get.map(one.resources, field); strange(name)}
	field := [field | some field in fields; get.present(one.resources, [field, name])][0]
	f := finding.at(
		object.union({"path": array.concat(one.path, [field, name])}, object.filter(one, ["resource"])),
		sprintf("A container has no resource %s: the API server refuses the pods (\"must be a standard resource for containers\"), and none is created. %s.", [name, cure(name)]),
	)
}

findings contains f if {
	some claim in get.list(model.cluster, "unsized_claims")
	f := finding.at(claim, sprintf("The claim asks for %s and not for storage: the API server refuses it (\"spec.resources[storage]: Required value\"), and no pod starts. Write storage.", [claim.written]))
}

# Of a claim Kubernetes reads storage alone (ValidatePersistentVolumeClaimSpec takes any other name and nobody reads it), so that the pods have no such request.
findings contains f if {
	not model.partial
	some set in model.cluster.instance_sets
	some role in ["data", "wal"]
	volume := set[role]
	not volume.resource
	place := array.slice(volume.size_path, 0, count(volume.size_path) - 1)
	place[count(place) - 1] == "requests"
	names := [name |
		some name, _ in get.map(k8s.object, place)
		name in {"cpu", "memory"}
		count([1 | some field in fields; get.present(set.resources, [field, name])]) == 0
	]
	count(names) > 0
	f := finding.with_severity(
		finding.at({"path": array.concat(place, [names[0]])}, sprintf("A claim has no use for %s: a volume has storage alone, and the containers of %s get none of it. Write it in %s.", [
			text.list(sort(names), "and"),
			set.name,
			concat(".", [part | some part in set.resources_path; is_string(part)]),
		])),
		"warning",
	)
}

# What the operator or the API server refuses by name is not told twice.
findings contains f if {
	some amount in amounts
	quantity.malformed(amount.value)
	not amount.path in {refusal.path | some refusal in get.list(model.cluster, "refusals")}
	f := finding.at(
		object.filter(amount, ["path", "resource"]),
		sprintf("%s is \"%s\", which Kubernetes does not read as a quantity: the resource is refused, or its pods are never created. Write %s.", [amount.name, amount.value, readable(amount)]),
	)
}

readable(amount) := quantity.meant(amount.value) if amount.name != "cpu"

readable(amount) := "a number, or thousandths such as 500m" if amount.name == "cpu"

amounts := array.concat(
	[object.union({"name": name, "value": value, "path": path}, object.filter(one, ["resource"])) |
		some one in containers
		some field in fields
		some name, value in get.map(one.resources, field)
		name in {"cpu", "ephemeral-storage", "memory"}
		path := array.concat(one.path, [field, name])
		stands_there(one, path, value)
	],
	[object.union({"name": "the size of the volume", "value": volume.size, "path": volume.size_path}, object.filter(volume, ["resource"])) |
		some volume in array.concat(volumes_of_instances, [volume | some _, volume in get.map(model.cluster, "repository_volumes")])
	],
)

# An operator that fills in what is missing may have the amount from elsewhere.
stands_there(one, _, _) if one.resource

stands_there(one, path, value) if {
	not one.resource
	get.text_at(k8s.object, path) == value
}

volumes_of_instances := [volume |
	some set in model.cluster.instance_sets
	some volume in array.concat([set[role] | some role in ["data", "wal"]], get.list(set, "tablespaces"))
]

fields := ["requests", "limits"]

strange(name) if {
	not contains(name, "/")
	not name in standard
	not startswith(name, "hugepages-")
	not placeholder.unknown(name)
}

standard := {"cpu", "memory", "ephemeral-storage"}

cure(name) := sprintf("Write %s", [meant(name)])

cure(name) := "The size of the volume belongs to its claim" if {
	not meant(name)
	get.lower_case(name) in {"disk", "size", "storage", "volume"}
}

cure(name) := "Write cpu, memory, ephemeral-storage or hugepages-2Mi" if {
	not meant(name)
	not get.lower_case(name) in {"disk", "size", "storage", "volume"}
}

meant(name) := similar.evident(get.lower_case(name), standard) if not other_words[get.lower_case(name)]

meant(name) := other_words[get.lower_case(name)]

# What people call them.
other_words := {"mem": "memory", "ram": "memory", "cpus": "cpu", "vcpu": "cpu", "core": "cpu", "cores": "cpu"}

# Of an operator that fills in what is missing the schema drops names that it does not know.
containers := array.concat(
	[object.union({"resources": set.resources, "path": set.resources_path}, object.filter(set, ["resource", "resources_filled"])) |
		not model.cluster.machine
		some set in model.cluster.instance_sets
	],
	get.list(model.cluster, "companions"),
)

package walguard.operators.workload

import data.walguard.lib.get
import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.lib.openshift

# OpenShift gives every namespace a range of users and groups, which it writes into annotations of the Namespace, and admits the pods of an account with no other
# SecurityContextConstraints than restricted-v2 with ids of that range alone (https://docs.redhat.com/en/documentation/openshift_container_platform/4.18/html/authentication_and_authorization/managing-pod-security-policies).
# Whoever lets pods run as they like gives the right to a service account, as a rule to one of its own; in a live cluster the bindings that do so are not read.
facts contains {"refused_ids": object.union(strange_ids[0], {"count": count(strange_ids)})} if count(strange_ids) > 0

strange_ids := [object.union({"reason": sprintf("%s %d", [field, number]), "range": block.text, "path": path}, object.filter(block, ["sign"])) |
	server
	not inventory.served
	account in {"default", ""}
	not otherwise_admitted
	some [annotation, field, path] in [
		["openshift.io/sa.scc.uid-range", "runAsUser", array.concat(own_context, ["runAsUser"])],
		["openshift.io/sa.scc.uid-range", "runAsUser", array.concat(pod_context, ["runAsUser"])],
		["openshift.io/sa.scc.supplemental-groups", "fsGroup", array.concat(pod_context, ["fsGroup"])],
	]
	number := get.number(k8s.object, path)
	block := block_by(annotation)
	outside(number, block)
]

block_by(annotation) := block_of(get.string(inventory.own_namespace, ["metadata", "annotations", annotation]))

# Every range begins there or above (uidAllocatorRange of openshift-controller-manager). Who may do so lets an account pass with a command, which no manifest shows.
block_by(annotation) := {"text": "from 1000000000 on", "first": 1000000000, "last": 4294967295, "sign": sign_of_openshift} if {
	not ranged(annotation)
}

ranged(annotation) if get.present(inventory.own_namespace, ["metadata", "annotations", annotation])

sign_of_openshift := sprintf("Route %s", [openshift.routes[0].metadata.name]) if {
	count(openshift.routes) > 0
} else := "DeploymentConfig" if {
	k8s.kind == "DeploymentConfig"
}

# "1000680000/10000", or the first and the last.
block_of(text) := {"text": text, "first": to_number(parts[1]), "last": (to_number(parts[1]) + to_number(parts[2])) - 1} if {
	parts := regex.find_all_string_submatch_n(`^([0-9]{1,12})/([0-9]{1,12})$`, text, 1)[0]
}

block_of(text) := {"text": text, "first": to_number(parts[1]), "last": to_number(parts[2])} if {
	parts := regex.find_all_string_submatch_n(`^([0-9]{1,12})-([0-9]{1,12})$`, text, 1)[0]
}

outside(number, block) if number < block.first

outside(number, block) if number > block.last

# A binding of the namespace, or a SecurityContextConstraints, may be for it.
otherwise_admitted if {
	some binding in array.concat(inventory.list(k8s.namespace, "rbac.authorization.k8s.io/v1", "RoleBinding"), inventory.cluster_objects("rbac.authorization.k8s.io/v1", "ClusterRoleBinding"))
	some subject in get.list(binding, "subjects")
	regex.match(`^(default|system:serviceaccounts(:.*)?|system:authenticated)$`, get.string(subject, "name"))
}

otherwise_admitted if count(inventory.cluster_objects("security.openshift.io/v1", "SecurityContextConstraints")) > 0

# METADATA
# description: |
#   True where something of the manifests is of another Kubernetes than OpenShift, which would give a pod without a user one of its own. Classes
#   of directories of the node, which everybody may write to (local-path), say nothing here.
elsewhere_than_openshift if {
	some volume in array.concat([path | path := templates[mount_of(directory).name]], ["claim"])
	class := class_of(volume)
	regex.match(`^(do-block-storage|hcloud-volumes|linode-block-storage|vultr-block-storage|scw-bssd|exoscale-|oci-bv|civo-volume|(standard|premium)-rwo$|csi-cinder-high-speed|upcloud-block-storage|auto-ebs-)`, class)
}

elsewhere_than_openshift if {
	some key, _ in get.map(k8s.object, array.concat(pod_path, ["nodeSelector"]))
	regex.match(`^(eks\.amazonaws\.com|cloud\.google\.com|karpenter\.sh|kubernetes\.azure\.com|doks\.digitalocean\.com)/`, key)
}

class_of(path) := get.string(k8s.object, array.concat(path, ["storageClassName"])) if is_array(path)

class_of("claim") := get.string(inventory.namespaced_object(k8s.namespace, "v1", "PersistentVolumeClaim", claim_name), ["spec", "storageClassName"])

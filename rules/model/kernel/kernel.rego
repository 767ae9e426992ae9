# METADATA
# description: |
#   What a manifest does to the kernel below PostgreSQL: through the pods of a cluster (its adapter says where: "pods" of
#   walguard.model), or on whole nodes (walguard.nodes).
#
#   settings  list of {"name": the sysctl with dots, or "transparent_hugepage", "text": what it is set to, "path", "resource"?,
#             "by": "pod" (securityContext.sysctls, asked of the kubelet), "command" (a container that may write /proc/sys), "tuned" or
#             "boot" (files, units and the command line of the machine)}, in the order in which they take effect
#   allowed   list of {"name", "path"}: what the kubelet is to let pods set beyond the safe sysctls
package walguard.model.kernel

import data.walguard.index
import data.walguard.lib.get
import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.lib.kernel
import data.walguard.lib.quantity
import data.walguard.model
import data.walguard.nodes

settings := nodes.settings if of_nodes

settings := array.concat(by_pods, by_commands) if not of_nodes

allowed := nodes.allowed if of_nodes

by_pods := [object.union(setting, {"by": "pod"}) |
	some pod in model.cluster.pods
	some setting in kernel.sysctls(k8s.object, pod.sysctls)
]

by_commands := [object.union(setting, {"by": "command"}) |
	some pod in model.cluster.pods
	some path in pod.containers
	some setting in kernel.commands(k8s.object, path)
]

of_nodes if {
	"nodes" in index.operators
	not k8s.deleting
}

# METADATA
# description: |
#   The severity of a finding: as given where the manifest is about PostgreSQL, else advice – the nodes may be others.
severity(given) := given if not of_nodes

severity(given) := given if nodes.about_postgresql

severity(_) := "info" if {
	of_nodes
	not nodes.about_postgresql
}

# METADATA
# description: '"" or a condition for the end of a message, likewise.'
condition := " (if PostgreSQL runs there)" if {
	of_nodes
	not nodes.about_postgresql
}

condition := "" if not of_nodes

condition := "" if nodes.about_postgresql

# METADATA
# description: Those that reach the node; what a pod asks the kubelet for does not.
on_nodes := [setting | some setting in settings; setting.by != "pod"]

# METADATA
# description: The same of one name, with "value", a whole number.
numbers_of(name) := [object.union(setting, {"value": n}) |
	some setting in on_nodes
	setting.name == name
	n := quantity.whole(setting.text)
]

# METADATA
# description: True when the configuration of a kubelet in sight lets pods set a sysctl.
allows(name) if {
	some o in kubelets
	some path in nodes.kubelet_paths
	kernel.listed(name, get.list(o, path))
}

kubelets := array.concat(
	inventory.cluster_objects("machineconfiguration.openshift.io/v1", "KubeletConfig"),
	inventory.cluster_objects("kubelet.config.k8s.io/v1beta1", "KubeletConfiguration"),
)

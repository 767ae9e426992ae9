# METADATA
# title: Nodes
# description: |
#   Manifests that set what the kernel of a node does, for all pods on it: DaemonSets whose containers run sysctl or write
#   below /proc/sys and /sys/kernel/mm/transparent_hugepage (in their commands, or in ConfigMaps in sight that they mount), Tuned and
#   MachineConfig of OpenShift, and the kubelet's list of sysctls that pods may set. What a profile of Tuned includes is not read, nor are
#   files of a MachineConfig that are compressed or in base64. They are no clusters: walguard.model.kernel puts them beside one.
# related_resources:
#   - https://kubernetes.io/docs/tasks/administer-cluster/sysctl-cluster/
#   - https://github.com/openshift/cluster-node-tuning-operator
#   - https://github.com/openshift/machine-config-operator/blob/main/docs/MachineConfiguration.md
# custom:
#   kinds:
#     - {group: apps, versions: [v1], kind: DaemonSet, plural: daemonsets, namespaced: true, role: node, contains: [sysctl, /proc/sys/, transparent_hugepage]}
#     - {group: tuned.openshift.io, versions: [v1], kind: Tuned, plural: tuneds, namespaced: true, role: node, contains: [sysctl, transparent_hugepage]}
#     - {group: machineconfiguration.openshift.io, versions: [v1], kind: MachineConfig, plural: machineconfigs, namespaced: false, role: node, contains: [sysctl, /proc/sys/, transparent_hugepage]}
#     - {group: machineconfiguration.openshift.io, versions: [v1], kind: KubeletConfig, plural: kubeletconfigs, namespaced: false, role: node, contains: [allowedUnsafeSysctls]}
#     - {group: kubelet.config.k8s.io, versions: [v1beta1], kind: KubeletConfiguration, plural: kubeletconfigurations, namespaced: false, role: node, contains: [allowedUnsafeSysctls]}
package walguard.nodes

import data.walguard.lib.get
import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.lib.kernel

# METADATA
# description: What the manifest sets on its nodes, in the form of walguard.lib.kernel, with "by" as walguard.model.kernel has it.
settings := array.concat(by_command, by_config_map) if k8s.kind == "DaemonSet"

settings := [object.union(setting, {"by": "tuned"}) |
	some i, profile in get.list(k8s.object, ["spec", "profile"])
	is_object(profile)
	some assignment in kernel.settings(get.string(profile, "data"))
	setting := object.union(assignment, {"path": ["spec", "profile", i, "data"]})
] if {
	k8s.kind == "Tuned"
}

settings := [object.union(setting, {"by": "boot"}) |
	some text in machine_texts
	some assignment in kernel.settings(text.text)
	setting := object.union(assignment, {"path": text.path})
] if {
	k8s.kind == "MachineConfig"
}

# METADATA
# description: The list of sysctls that pods may set beyond the safe ones, [{"name" (may end in *), "path"}].
allowed := allowed_at(k8s.object, kubelet_paths[k8s.kind])

kubelet_paths := {
	"KubeletConfig": ["spec", "kubeletConfig", "allowedUnsafeSysctls"],
	"KubeletConfiguration": ["allowedUnsafeSysctls"],
}

allowed_at(parent, path) := [{"name": name, "path": array.concat(path, [i])} |
	some i, name in get.list(parent, path)
	is_string(name)
]

# METADATA
# description: |
#   True when the manifest says, in a name, a label or a remark, that it is about PostgreSQL. What says nothing may be about
#   nodes that never run it.
about_postgresql if {
	text := get.lower_case(json.marshal(k8s.object))
	some word in ["postgres", "pgsql", "cnpg", "patroni", "timescale", "polardb"]
	contains(text, word)
}

# ------------------------------------------------------------------------------------------------------- DaemonSet

pod_path := ["spec", "template", "spec"]

by_command := [object.union(setting, {"by": "command"}) |
	some field in ["initContainers", "containers"]
	some setting in kernel.commands(k8s.object, array.concat(pod_path, [field]))
]

# A script or a sysctl.conf that a container mounts.
by_config_map := [object.union(setting, {"by": "command"}) |
	some volume in get.list(k8s.object, array.concat(pod_path, ["volumes"]))
	is_object(volume)
	config_map := inventory.namespaced_object(k8s.namespace, "v1", "ConfigMap", get.string(volume, ["configMap", "name"]))
	some key, text in get.map(config_map, "data")
	is_string(text)
	some assignment in kernel.settings(concat("\n", ["# sysctl", text]))
	setting := object.union(assignment, {"path": ["data", key], "resource": k8s.reference(config_map)})
]

# --------------------------------------------------------------------------------------------------- MachineConfig

# The texts that a machine gets: files of sysctl, units of systemd, and the command line of its kernel.
machine_texts := array.concat(array.concat(files, units), arguments)

files := [{"text": concat("\n", ["# sysctl", content]), "path": array.concat(path, ["contents", "source"])} |
	some i, file in get.list(k8s.object, ["spec", "config", "storage", "files"])
	is_object(file)
	contains(get.string(file, "path"), "sysctl")
	path := ["spec", "config", "storage", "files", i]
	content := decoded(get.string(file, ["contents", "source"]))
]

# A data URL in percent-encoding, as butane writes it (RFC 2397).
decoded(url) := strings.replace_n(escapes, substring(url, comma + 1, -1)) if {
	startswith(url, "data:")
	comma := indexof(url, ",")
	comma > 0
	not contains(substring(url, 0, comma), "base64")
}

# Of those that a sysctl.conf needs.
escapes := {
	"%09": "\t", "%0A": "\n", "%0a": "\n", "%0D": "", "%0d": "", "%20": " ", "%22": "\"",
	"%23": "#", "%2E": ".", "%2e": ".", "%2F": "/", "%2f": "/", "%3B": ";", "%3b": ";", "%3D": "=", "%3d": "=",
}

units := [{"text": text, "path": ["spec", "config", "systemd", "units", i, "contents"]} |
	some i, unit in get.list(k8s.object, ["spec", "config", "systemd", "units"])
	text := get.string(unit, "contents")
]

arguments := [{"text": text, "path": ["spec", "kernelArguments", i]} |
	some i, text in get.list(k8s.object, ["spec", "kernelArguments"])
	is_string(text)
]

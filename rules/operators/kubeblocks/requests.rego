package walguard.operators.kubeblocks

import data.walguard.lib.get
import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.lib.placeholder
import data.walguard.lib.quantity
import data.walguard.operators.kubeblocks.changes

# What an OpsRequest asks for and does not get: it ends as Failed.
requests_refused := array.concat(array.concat(immutable_parameters, smaller_volumes), array.concat(fixed_volumes, strange_components))

# "immutable parameter … cannot be modified" (pkg/parameters/config_util.go, filterImmutableParameters).
immutable_parameters := [object.union(
	{
		"by": "KubeBlocks",
		"reason": sprintf("%s is one of the parameters that its PostgreSQL addon lets nobody change, and the request fails with all others that it has", [change.name]),
		"cure": "Take it out",
	},
	object.filter(change, ["path"]),
) |
	k8s.kind == "OpsRequest"
	component.addon == "postgresql"
	some change in changes.reviewed
	get.lower_case(change.name) in immutable
]

# immutableParameters of config/pg12- to pg18-config-effect-scope.yaml of the addon, without those that are reported as the operator's own.
immutable := {
	"backtrace_functions", "config_file", "cron.use_background_workers", "data_directory", "db_user_namespace", "exit_on_error", "hba_file", "ident_file", "ignore_invalid_pages", "lo_compat_privileges",
	"log_directory", "log_file_mode", "log_line_prefix", "log_truncate_on_rotation", "logging_collector", "rds.max_tcp_buffers", "recovery_init_sync_method", "restart_after_crash", "ssl", "ssl_ca_file",
	"ssl_cert_file", "ssl_ciphers", "ssl_key_file", "stats_temp_directory", "unix_socket_directories", "unix_socket_group", "unix_socket_permissions", "update_process_title", "wal_receiver_create_temp_slot",
	"wal_sync_method",
}

expansions := [{"name": get.string(claim, "name"), "size": get.text(object.get(claim, "storage", "")), "path": ["spec", "volumeExpansion", i, "volumeClaimTemplates", j]} |
	k8s.kind == "OpsRequest"
	get.string(k8s.object, ["spec", "type"]) == "VolumeExpansion"
	some i, asked in get.list(k8s.object, ["spec", "volumeExpansion"])
	get.string(asked, "componentName") == component_name
	some j, claim in get.list(asked, "volumeClaimTemplates")
]

claimed(name) := [get.text(object.get(claim, ["spec", "resources", "requests", "storage"], "")) | some claim in get.list(component_spec, "volumeClaimTemplates"); get.string(claim, "name") == name][0]

# A volume only grows, for Kubernetes and for it (pkg/operations/volume_expansion.go).
smaller_volumes := [{
	"by": "KubeBlocks",
	"path": array.concat(one.path, ["storage"]),
	"reason": sprintf("%s is asked to have %s and has %s, and no volume gets smaller", [one.name, one.size, held]),
	"cure": sprintf("Write more than %s, or restore a backup into a cluster with less", [held]),
} |
	home
	some one in expansions
	held := claimed(one.name)
	quantity.bytes(one.size) < quantity.bytes(held)
]

# "volumeClaimTemplate: [data] not support volume expansion".
fixed_volumes := [{
	"by": "KubeBlocks",
	"path": array.concat(one.path, ["storage"]),
	"reason": sprintf("%s is to grow from %s to %s, and its StorageClass %s does not allow expansion", [one.name, held, one.size, class.metadata.name]),
	"cure": "Set allowVolumeExpansion: true in the class first, if its driver can grow volumes",
} |
	home
	some one in expansions
	held := claimed(one.name)
	quantity.bytes(one.size) > quantity.bytes(held)
	some claim in get.list(component_spec, "volumeClaimTemplates")
	get.string(claim, "name") == one.name
	class := inventory.storage_class(get.string(claim, ["spec", "storageClassName"]))
	not get.boolean(class, "allowVolumeExpansion")
	not get.unknown(class, "allowVolumeExpansion")
]

# "components: … not found, in cluster.spec.componentSpecs" (apis/operations/v1alpha1/opsrequest_validation.go).
strange_components := [{
	"by": "KubeBlocks",
	"path": ["spec", stranger[0], stranger[1], "componentName"],
	"reason": sprintf("Cluster %s has no component %s, and the request fails", [cluster_name, stranger[2]]),
	"cure": sprintf("Write %s", [component_name]),
} |
	k8s.kind == "OpsRequest"
	some stranger in strangers_of(home)
]

# What an OpsRequest asks of components that a Cluster has not, [section, index, name]. What Reconfiguring asks is told with its parameters.
strangers_of(o) := [[section, i, name] |
	there := {object.get(c, "name", "") | some c in parts(o)}
	count(there) > 0
	count([1 | some one in there; placeholder.unknown(one)]) == 0
	some section in ["expose", "horizontalScaling", "restart", "start", "stop", "switchover", "verticalScaling", "volumeExpansion"]
	some i, asked in get.list(k8s.object, ["spec", section])
	name := get.string(asked, "componentName")
	name != ""
	not placeholder.holds(name)
	not name in there
]

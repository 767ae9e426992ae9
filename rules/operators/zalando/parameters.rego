package walguard.operators.zalando

import data.walguard.lib.cluster as shared
import data.walguard.lib.dcs
import data.walguard.lib.fact
import data.walguard.lib.get
import data.walguard.lib.initdb
import data.walguard.lib.k8s
import data.walguard.lib.quantity
import data.walguard.lib.settings
import data.walguard.lib.text

# generatePodTemplate sets neither runAsNonRoot nor a seccompProfile, and neither does the Deployment of the pooler (pkg/cluster/k8sres.go, connection_pooler.go).
facts contains {"pod_security": [{"level": "restricted", "reason": "the operator writes neither runAsNonRoot nor a seccompProfile into its pods", "cure": "Take a namespace that enforces baseline or privileged", "path": ["spec"]}]} if {
	recognised
	settings.namespace_labels["pod-security.kubernetes.io/enforce"]
}

# As the operator labels them unless its configuration says otherwise.
facts contains {"selection": object.union({"labels": labels, "own": labels}, {"count": n | n := instances.value})} if {
	recognised
	labels := {"application": "spilo", "cluster-name": k8s.name}
}

facts contains {"common_labels": ["application", "spilo-role"]} if recognised

facts contains {"data_claims": sprintf(`^pgdata-%s-[0-9]+$`, [text.literal(k8s.name)])} if recognised

# Deleted with the cluster unless the operator's configuration says otherwise.
facts contains {"claims_kept": true} if get.boolean(configuration, ["kubernetes", "enable_persistent_volume_claim_deletion"]) == false

facts contains {"major": major} if major

facts contains {"instances": instances} if instances

facts contains {"segment": segment} if segment

facts contains {"checksums": checksums} if checksums

facts contains {"archiving": archiving} if archiving

facts contains {"standby_backup": standby_backup} if standby_backup

facts contains {"follows": fact.written(true, ["spec", "standby"])} if count(get.map(spec, "standby")) > 0

# Patroni's default, which Spilo does not change.
facts contains {"slots": fact.operator(true, ["spec", "patroni"])} if count(spec) > 0

facts contains {"synchronous": synchronous} if synchronous

facts contains {"pooler": pooler} if count(spec) > 0

# --------------------------------------------------------------------------------------------------- parameters

parameters_path := ["spec", "postgresql", "parameters"]

# What initdb writes stands in the base configuration, which Patroni's own lines come after.
# The operator writes what the cluster says over what Patroni keeps, and leaves the rest of it as it is.
parameters := array.concat(array.concat(initial, kept_by_patroni), shared.parameters(k8s.object, parameters_path))

kept_by_patroni := dcs.parameters(k8s.name) if recognised

initial := [object.union(setting, {"path": ["spec", "patroni", "initdb", key]}) |
	some key, value in get.map(spec, ["patroni", "initdb"])
	some setting in initdb.settings([sprintf("--%s=%s", [key, get.text(value)])], [])
	not defaults[get.lower_case(setting.name)]
]

defaults := object.union(fixed_defaults, sized_defaults)

# Spilo's template, and what Patroni adds to it.
fixed_defaults := {
	"archive_mode": "on",
	"archive_command": "",
	"archive_timeout": "1800s",
	"autovacuum_analyze_scale_factor": "0.02",
	"autovacuum_max_workers": "5",
	"autovacuum_vacuum_scale_factor": "0.05",
	"checkpoint_completion_target": "0.9",
	"log_checkpoints": "on",
	"log_connections": "on",
	"log_destination": "csvlog",
	"log_directory": "../pg_log",
	"log_disconnections": "on",
	"log_filename": "postgresql-%u.log",
	"log_lock_waits": "on",
	"log_min_duration_statement": "500",
	"log_rotation_age": "1d",
	"log_statement": "ddl",
	"log_truncate_on_rotation": "on",
	"logging_collector": "on",
	"max_replication_slots": "10",
	"max_wal_senders": "10",
	"shared_preload_libraries": "bg_mon,pg_stat_statements,pgextwlist,pg_auth_mon,set_user",
	"ssl": "on",
	"wal_compression": "on",
	"wal_keep_size": "128MB",
	"wal_level": "replica",
	"wal_log_hints": "on",
}

# Spilo computes from the memory that the pod sees: its limit, or else that of the node.
sized_defaults := {
	"shared_buffers": sprintf("%dMB", [(mebibytes - (mebibytes % 5)) / 5]),
	"max_connections": sprintf("%d", [min([1000, max([100, (mebibytes - (mebibytes % 30)) / 30])])]),
} if {
	mebibytes
}

sized_defaults := {"shared_buffers": "", "max_connections": ""} if not mebibytes

mebibytes := (memory - (memory % 1048576)) / 1048576 if {
	memory := quantity.bytes(resources.limits.memory)
	memory > 0
}

managed := {"cluster_name": "", "hot_standby": "on", "listen_addresses": "*", "port": "5432"}

rewind := {
	"used": true,
	"consequence": "the former primary does not come back until somebody reinitialises it with patronictl",
}

package walguard.operators.kubegres

import data.walguard.lib.fact
import data.walguard.lib.get
import data.walguard.lib.k8s
import data.walguard.lib.placeholder
import data.walguard.lib.reference

# The operator makes a Service of each, and replicas come over the network themselves.
facts contains {"served": at_home(fact.operator(true, ["spec"]))} if home

# The file takes the place of initdb's (config_file=/etc/postgres.conf, PrimaryStatefulSetTemplate.yaml), where the image has '*'.
facts contains {"loopback_only": object.union({"value": "localhost", "origin": "postgres", "level": "error"}, file_place)} if {
	file_text
	not including
	not placeholder.holds(file_text)
	count([1 | some setting in in_file; get.lower_case(setting.name) == "listen_addresses"]) == 0
}

facts contains {"loopback_only": object.union({"value": setting.value, "origin": "written", "level": "error"}, file_place)} if {
	some setting in in_file
	get.lower_case(setting.name) == "listen_addresses"
	regex.match(`^\s*(localhost|127\.0\.0\.1|::1)\s*(,\s*(localhost|127\.0\.0\.1|::1)\s*)*$`, get.text(setting.value))
}

# Of the map the operator asks for four keys, and takes its own files for the rest (internal/controller/states/ConfigStates.go).
facts contains {"unresolved": unresolved} if count(unresolved) > 0

unresolved := array.concat(unread_keys, lost_objects)

# SpecChecker.go: "has a configMap name which is not deployed", "has a PersistentVolumeClaim name which is not deployed".
lost_objects := [object.union(found, {"path": path}) |
	reviewed_cluster
	some [path, what, kind] in [
		[custom_path, "spec.customConfig", "ConfigMap"],
		[["spec", "backup", "pvcName"], "spec.backup", "PersistentVolumeClaim"],
	]
	name := get.string(k8s.object, path)
	name != base_name
	backed_up_or(kind)
	found := reference.lost({"what": what, "version": "v1", "kind": kind, "name": name, "consequence": "the operator creates and changes nothing while it is missing"}, set())
]

backed_up_or("ConfigMap")

backed_up_or("PersistentVolumeClaim") if get.string(k8s.object, ["spec", "backup", "schedule"])

unread_keys := [{
	"reason": sprintf("ConfigMap %s has %s, which the operator does not look for: what is in it has no effect", [own.metadata.name, key]),
	"cure": sprintf("Call it %s", [meant]),
	"level": "warning",
	"path": ["data", key],
	"resource": k8s.reference(own),
} |
	reviewed_cluster
	own := in_sight(custom)
	some key, meant in misnamed
	get.string(own, ["data", key])
	not get.present(own, ["data", meant])
]

misnamed := {
	"backup.sh": "backup_database.sh",
	"hba.conf": "pg_hba.conf",
	"init.sh": "primary_init_script.sh",
	"init.sql": "primary_init_script.sh",
	"postgresql.conf": "postgres.conf",
}

package walguard.operators.kubegres

import data.walguard.lib.conf
import data.walguard.lib.fact
import data.walguard.lib.get
import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.lib.sql
import data.walguard.lib.text

facts contains {
	"operator": "Kubegres",
	"name": cluster_name,
	"namespace": k8s.namespace,
	"parameters": parameters,
	"parameters_path": parameters_path,
	"parameter_values": "any",
	"patroni": false,
	"defaults": defaults,
	"managed": {},
	"instance_sets": [instance_set],
	"rewind": {"used": false},
} if {
	home
}

facts contains {"pods": [{"sysctls": ["spec", "securityContext", "sysctls"], "environment": [["spec", "env"]]}]} if reviewed_cluster

# copy_primary_data_to_replica.sh of the operator: pg_basebackup -R without a slot.
facts contains {"slots": at_home(fact.operator(false, custom_path))} if home

facts contains {"patience": patience} if patience

facts contains {"selection": object.union({"labels": labels, "own": labels}, {"count": n | n := instances.value})} if {
	home
	labels := {"app": cluster_name}
}

facts contains {"change": true} if reviewed_file

facts contains {"partial": true} if unseen

facts contains {"unread": unread_sources} if count(unread_sources) > 0

facts contains {"syntax_errors": found} if {
	found := conf.errors(file_text, file_place)
	count(found) > 0
}

facts contains {"data_claims": sprintf(`^postgres-db-%s-[0-9]+-0$`, [text.literal(cluster_name)]), "claims_stay": true} if home

facts contains {"major": major} if major

facts contains {"image": at_home(fact.written(reference, image_path))} if reference := get.string(home, image_path)

# A changed image meets the old data directory (controllers/spec/enforcer/statefulset).
facts contains {"upgrade": {"by": "nobody"}} if reviewed_cluster

facts contains {"instances": instances} if instances

facts contains {"segment": segment} if segment

facts contains {"checksums": checksums} if checksums

facts contains {"archiving": archiving} if archiving

# --------------------------------------------------------------------------------------------------- parameters

file_path := ["data", "postgres.conf"]

custom_path := ["spec", "customConfig"]

custom := get.string(home, custom_path)

own_file(name) if get.string(in_sight(name), file_path)

in_sight(name) := inventory.namespaced_object(k8s.namespace, "v1", "ConfigMap", name)

# METADATA
# description: The ConfigMap whose postgres.conf the servers read; undefined when it is not in sight. The base one stands in for a key that is not there.
file := k8s.object if reviewed_file

file := in_sight(custom) if {
	reviewed_cluster
	own_file(custom)
}

file := in_sight(base_name) if {
	reviewed_cluster
	not custom_file
	not unseen
}

custom_file if own_file(custom)

parameters_path := file_path if {
	reviewed_file
	get.present(k8s.object, file_path)
}

# A script is no place for a default: what nobody set there the Kubegres answers for.
parameters_path := [] if {
	reviewed_file
	not get.present(k8s.object, file_path)
}

parameters_path := custom_path if not reviewed_file

parameters := array.concat(in_file, [setting |
	some one in scripts
	some setting in sql.settings(one.text, object.filter(one, ["path", "resource"]))
])

in_file := conf.settings(file_text, file_place)

in_file := [] if not file_text

file_text := get.string(file, file_path)

# Of a ConfigMap of one's own the operator looks into data alone (ConfigStates.go); the base one is mounted whatever it holds.
file_text := base64.decode(encoded) if {
	not get.string(file, file_path)
	file.metadata.name == base_name
	encoded := get.string(file, ["binaryData", "postgres.conf"])
	base64.is_valid(encoded)
}

file_place := object.union({"path": file_path}, file_reference)

file_reference := {} if reviewed_file

file_reference := {"resource": k8s.reference(file)} if not reviewed_file

# BaseConfigMapTemplate.yaml of the operator stands in for a file that nobody wrote. Either replaces the file of initdb, and with
# it the limits of WAL that initdb writes in proportion to the segment size.
defaults := object.union(built_in, {
	"listen_addresses": "*",
	"max_connections": "100",
	"max_wal_senders": "10",
	"shared_buffers": "128MB",
}) if {
	not file
	not unseen
}

defaults := built_in if file

defaults := {} if unseen

built_in := {"max_wal_size": "1GB", "min_wal_size": "80MB"}

package walguard.operators.kubegres

import data.walguard.lib.get
import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.lib.login

# initdb of the official image takes the first line of the one. The other is set as it is, and pg_basebackup -R writes it into postgresql.auto.conf, where a value has no line break
# (BaseConfigMapTemplate.yaml, copy_primary_data_to_replica.sh).
facts contains {"line_breaks": found} if {
	reviewed_cluster
	found := [{"secret": name, "key": key, "consequence": broken_by[variable], "level": "error", "path": ["spec", "env", i, "valueFrom", "secretKeyRef"]} |
		some variable, i in places(k8s.object)
		reference := get.map(k8s.object, ["spec", "env", i, "valueFrom", "secretKeyRef"])
		name := get.string(reference, "name")
		key := get.string(reference, "key")
		login.broken(inventory.namespaced_object(k8s.namespace, "v1", "Secret", name), key)
	]
	count(found) > 0
}

broken_by := {
	"POSTGRES_PASSWORD": "what reads the Secret sends another password than the one that is set, and logins fail",
	"POSTGRES_REPLICATION_PASSWORD": "it comes into postgresql.auto.conf of the replicas, where it is a syntax error, and none starts",
}

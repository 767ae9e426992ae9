package walguard.dependents_test

import data.walguard.dependents
import data.walguard.lib.inventory

now := "2026-06-15T12:00:00Z"

cluster(name, class) := {
	"apiVersion": "postgresql.cnpg.io/v1",
	"kind": "Cluster",
	"metadata": {"name": name, "namespace": "prod"},
	"spec": {
		"instances": 1,
		"imageName": "ghcr.io/cloudnative-pg/postgresql:17.5",
		"storage": {"size": "500Gi", "storageClass": class},
		"postgresql": {"parameters": {"full_page_writes": "off"}},
	},
}

class(annotations) := {
	"apiVersion": "storage.k8s.io/v1",
	"kind": "StorageClass",
	"metadata": {"name": "fast", "annotations": annotations},
	"provisioner": "example.com/unknown",
}

attested := class({
	"walguard.dev/atomic-write-bytes": "16384",
	"walguard.dev/atomic-write-evidence": "OPS-1",
	"walguard.dev/atomic-write-expires": "2027-01-01T00:00:00Z",
})

inventory_of(clusters) := {
	"cluster": {"storage.k8s.io/v1": {"StorageClass": {"fast": attested, "slow": {"metadata": {"name": "slow"}}}}},
	"namespace": {"prod": {"postgresql.cnpg.io/v1": {"Cluster": {c.metadata.name: c | some c in clusters}}}},
	"complete": true,
}

orders := cluster("orders", "fast")

lost := {"operation": "UPDATE", "oldObject": attested, "object": class({})}

findings(review, clusters, configuration) := found if {
	found := dependents.findings with input as {
		"review": review,
		"inventory": inventory_of(clusters),
		"parameters": configuration,
		"now": now,
	}
}

# Gatekeeper keeps the inventory itself.
test_inventory_of_the_host if {
	given := inventory_of([orders, cluster("users", "slow")])
	reviewed := {"review": lost, "now": now}
	{[f.check, f.resource.name] | some f in dependents.findings} == {[fpw, "orders"]} with input as reviewed with data.inventory as given
}

checks(review, clusters, configuration) := {[f.check, f.resource.name, f.action] | some f in findings(review, clusters, configuration)}

fpw := "durability/full_page_writes"

test_attestation_lost if {
	found := findings(lost, [orders, cluster("users", "slow")], {})
	[[f.check, f.severity, f.action, f.resource, f.path] | some f in found] == [[
		fpw,
		"error",
		"warn",
		{"apiVersion": "postgresql.cnpg.io/v1", "kind": "Cluster", "namespace": "prod", "name": "orders"},
		["spec", "postgresql", "parameters", "full_page_writes"],
	]]
	every f in found {
		startswith(f.message, "with this change of StorageClass fast: Cluster prod/orders: full_page_writes=off on ")
		not f.fix
	}
}

test_class_deleted if {
	found := findings({"operation": "DELETE", "oldObject": attested}, [orders], {})
	fpw in {f.check | some f in found}
	every f in found {
		startswith(f.message, "without StorageClass fast: ")
	}
}

test_nothing_lost if {
	kept := object.union(attested, {"metadata": {"labels": {"a": "b"}}})
	findings({"operation": "UPDATE", "oldObject": attested, "object": kept}, [orders], {}) == set()
	findings({"operation": "CREATE", "object": class({})}, [orders], {}) == set()
	findings(lost, [cluster("users", "slow")], {}) == set()
	findings(lost, [], {}) == set()
	findings(lost, ["junk", {}], {}) == set()
}

# It was at fault before.
test_a_known_fault_is_not_told_again if {
	findings({"operation": "UPDATE", "oldObject": class({}), "object": class({"a": "b"})}, [orders], {}) == set()
}

test_configuration_decides if {
	checks(lost, [orders], {"dependents": "deny"}) == {[fpw, "orders", "deny"]}
	checks(lost, [orders], {"dependents": "off"}) == set()
	checks(lost, [orders], {"dependents": false}) == set()
	checks(lost, [orders], {"dependents": "loud"}) == {[fpw, "orders", "warn"]}
	checks(lost, [orders], {"dependents": "deny", "mode": "warn"}) == {[fpw, "orders", "warn"]}
	checks(lost, [orders], {"mode": "audit"}) == set()
	checks(lost, [orders], {"dependents": "deny", "checks": {fpw: {"severity": "warning"}}}) == {[fpw, "orders", "warn"]}
	checks(lost, [orders], {"dependents": "deny", "waivers": [{
		"check": fpw,
		"resource": {"namespace": "prod", "name": "orders"},
		"reason": "r",
		"owner": "o",
		"expires": "2027-01-01",
	}]}) == set()
	checks(object.union(lost, {"userInfo": {"username": "ops"}}), [orders], {"dependents": "deny", "exemptions": {"users": ["ops"]}}) == {[fpw, "orders", "audit"]}
}

# A default class is that of clusters that name none.
test_default_class if {
	mark := {"storageclass.kubernetes.io/is-default-class": "true"}
	before := object.union(attested, {"metadata": {"annotations": object.union(attested.metadata.annotations, mark)}})
	review := {"operation": "UPDATE", "oldObject": before, "object": class(mark)}
	unnamed := json.remove(orders, ["spec/storage/storageClass"])
	checks(review, [unnamed], {}) == {[fpw, "orders", "warn"]}
}

pooler := {
	"apiVersion": "postgresql.cnpg.io/v1",
	"kind": "Pooler",
	"metadata": {"name": "orders-pooler", "namespace": "prod"},
	"spec": {"cluster": {"name": "orders"}, "type": "rw", "instances": 2, "pgbouncer": {"poolMode": "transaction"}},
}

busy := object.union(orders, {"spec": {"postgresql": {"parameters": {"full_page_writes": "on", "max_connections": "2000"}}}})

test_pooler_deleted if {
	found := dependents.findings with input as {
		"review": {"operation": "DELETE", "oldObject": pooler},
		"now": now,
		"inventory": {
			"complete": true,
			"namespace": {
				"prod": {"postgresql.cnpg.io/v1": {"Cluster": {"orders": busy}, "Pooler": {"orders-pooler": pooler}}},
				"test": {"postgresql.cnpg.io/v1": {"Cluster": {"orders": object.union(busy, {"metadata": {"namespace": "test"}})}}},
			},
		},
	}
	{[f.check, f.resource.namespace] | some f in found} == {["connections/pooler_missing", "prod"]}
	every f in found {
		startswith(f.message, "without Pooler prod/orders-pooler: ")
	}
}

# As docs/policy.md says.
test_limit_of_the_documentation if dependents.limit == 500

# The first by name are judged. With a small limit: with coverage, to judge hundreds of clusters twice takes OPA minutes.
test_limit if {
	many := [cluster(sprintf("c%d", [i]), "fast") | some i in [3, 1, 2]]
	found := findings(lost, many, {}) with dependents.limit as 2
	{f.resource.name | some f in found} == {"c1", "c2"}
	every f in found {
		startswith(f.message, "with this change of StorageClass fast (of 3 clusters that refer to it 2 were judged): ")
	}
	all := findings(lost, many, {}) with dependents.limit as 3
	{f.resource.name | some f in all} == {"c1", "c2", "c3"}
	every f in all {
		startswith(f.message, "with this change of StorageClass fast: ")
	}
}

test_hostile if {
	others := [null, 1, "x", [], {}, {"kind": "StorageClass"}, {"kind": "StorageClass", "apiVersion": "storage.k8s.io/v1"}, {"kind": 1, "apiVersion": 2, "metadata": 3}]
	{f | some other in others; some operation in ["UPDATE", "DELETE"]; some f in findings({"operation": operation, "oldObject": other, "object": other}, [orders], {})} == set()
}

# ------------------------------------------------------------------------------------------------- the inventory

test_inventory_with_and_without if {
	given := inventory_of([orders])
	changed := object.union(class({}), {"x": 1})
	with_it := inventory.with_object(attested, changed) with input as {"inventory": given}
	with_it.cluster["storage.k8s.io/v1"].StorageClass == {"fast": changed, "slow": {"metadata": {"name": "slow"}}}
	object.remove(with_it, ["cluster"]) == object.remove(given, ["cluster"])
	without := inventory.without_object(attested) with input as {"inventory": given}
	object.keys(without.cluster["storage.k8s.io/v1"].StorageClass) == {"slow"}
	without.namespace == given.namespace
	gone := inventory.without_object(orders) with input as {"inventory": given}
	gone.namespace.prod["postgresql.cnpg.io/v1"].Cluster == {}

	# Another version of the same kind.
	other := object.union(orders, {"apiVersion": "postgresql.cnpg.io/v2"})
	renewed := inventory.with_object(other, other) with input as {"inventory": given}
	renewed.namespace.prod == {"postgresql.cnpg.io/v1": {"Cluster": {"orders": other}}}
	added := inventory.with_object(pooler, pooler) with input as {"inventory": {}}
	added == {"namespace": {"prod": {"postgresql.cnpg.io/v1": {"Pooler": {"orders-pooler": pooler}}}}}
}

# A class that becomes the default is that of clusters that name none.
test_class_that_becomes_the_default if {
	unnamed := json.remove(orders, ["spec/storage/storageClass"])
	named := cluster("users", "slow")
	among := inventory_of([unnamed, named])
	every mark, names in {"true": ["orders", "users"], "false": []} {
		review := {"operation": "UPDATE", "oldObject": class({}), "object": class({"storageclass.kubernetes.io/is-default-class": mark})}
		found := dependents.dependents with input as {"review": review, "inventory": among}
		[c.metadata.name | some c in found] == names
	}
}

configuration(content) := {
	"apiVersion": "acid.zalan.do/v1",
	"kind": "OperatorConfiguration",
	"metadata": {"name": "main", "namespace": "ops"},
	"configuration": content,
}

# The configuration of an operator is that of its clusters in all namespaces, and of no others.
test_configuration_of_an_operator if {
	clusters := {namespace: {"acid.zalan.do/v1": {"postgresql": {"acid-orders": {
		"apiVersion": "acid.zalan.do/v1",
		"kind": "postgresql",
		"metadata": {"name": "acid-orders", "namespace": namespace},
	}}}} |
		some namespace in ["ops", "shop"]
	}
	found := dependents.dependents with input as {
		"review": {"operation": "UPDATE", "oldObject": configuration({}), "object": configuration({"min_instances": 2})},
		"inventory": {"namespace": object.union(clusters, {"prod": inventory_of([orders]).namespace.prod})},
	}
	[c.metadata.namespace | some c in found] == ["ops", "shop"]
}

# ------------------------------------------------------------------------------------------------ ConfigMaps

workload := {
	"apiVersion": "apps/v1",
	"kind": "StatefulSet",
	"metadata": {"name": "db", "namespace": "prod"},
	"spec": {"template": {"spec": {
		"containers": [{
			"name": "postgres",
			"image": "postgres:17.5",
			"args": ["-c", "config_file=/etc/pg/postgresql.conf"],
			"volumeMounts": [{"name": "data", "mountPath": "/var/lib/postgresql/data"}, {"name": "conf", "mountPath": "/etc/pg"}],
		}],
		"volumes": [{"name": "data", "persistentVolumeClaim": {"claimName": "data"}}, {"name": "conf", "configMap": {"name": "conf"}}],
	}}},
}

config_map(text) := {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "conf", "namespace": "prod"}, "data": {"postgresql.conf": text}}

told(review, known) := {f.message | some f in found; f.check == "durability/fsync"} if {
	found := dependents.findings with input as {
		"review": review,
		"inventory": {"namespace": {"prod": {"apps/v1": {"StatefulSet": {"db": workload}}, "v1": {"ConfigMap": known}}}, "complete": true},
		"now": now,
	}
}

test_config_map_of_a_workload if {
	calm := config_map("listen_addresses = '*'")
	wild := config_map("listen_addresses = '*'\nfsync = off")
	changed := told({"operation": "UPDATE", "oldObject": calm, "object": wild}, {"conf": calm})
	count(changed) == 1
	startswith([message | some message in changed][0], "with this change of ConfigMap prod/conf: StatefulSet prod/db: fsync=off")
	new := told({"operation": "CREATE", "object": wild}, {})
	count(new) == 1
	startswith([message | some message in new][0], "with the new ConfigMap prod/conf: StatefulSet prod/db: fsync=off")
	told({"operation": "UPDATE", "oldObject": calm, "object": calm}, {"conf": calm}) == set()
	told({"operation": "UPDATE", "oldObject": wild, "object": wild}, {"conf": wild}) == set()
}

# Its name in a text of the ConfigMap is no reference, and neither is another ConfigMap's.
test_config_map_of_nobody if {
	other := object.union(config_map("fsync = off # db"), {"metadata": {"name": "other", "namespace": "prod"}})
	told({"operation": "CREATE", "object": other}, {"conf": config_map("")}) == set()
}

package walguard.checks.manifest.name_unresolved_test

import data.walguard.checks.manifest.name_unresolved as check

cluster(spec) := {"apiVersion": "postgresql.cnpg.io/v1", "kind": "Cluster", "metadata": {"name": "orders", "namespace": "prod"}, "spec": spec}

# {[path, message]} in the namespaces that are given.
of(spec, namespaces) := {[f.path, f.message] |
	found := check.findings with input as {"review": {"object": cluster(spec)}, "inventory": {"namespace": namespaces}}
	some f in found
}

named(version, kind, name, namespace, spec) := {version: {kind: {name: {"apiVersion": version, "kind": kind, "metadata": {"name": name, "namespace": namespace}, "spec": spec}}}}

store(name, namespace) := named("barmancloud.cnpg.io/v1", "ObjectStore", name, namespace, {"configuration": {"destinationPath": "s3://b/"}})

plugin(name) := {"name": "barman-cloud.cloudnative-pg.io", "isWALArchiver": true, "parameters": {"barmanObjectName": name}}

test_store_with_a_slip if {
	spec := {
		"bootstrap": {"recovery": {"source": "old"}},
		"externalClusters": [{"name": "old", "plugin": plugin("s3-old")}, {"name": "unused", "plugin": plugin("s3-old")}],
		"plugins": [plugin("s3-backup")],
	}
	of(spec, {"prod": store("old-s3", "prod")}) == {[
		["spec", "externalClusters", 0, "plugin", "parameters", "barmanObjectName"],
		"External cluster old names ObjectStore s3-old, which is not there, while old-s3 is: nothing is restored from there. Write old-s3.",
	]}
	of(spec, {"prod": store("s3-old", "prod")}) == set()
	of(spec, {"prod": store("archive", "prod")}) == set()
	of({"plugins": [plugin("backup")]}, {"prod": store("backups", "prod")}) == {[
		["spec", "plugins", 0, "parameters", "barmanObjectName"],
		"The plugin names ObjectStore backup, which is not there, while backups is: the operator does nothing with the cluster while it is missing. Write backups.",
	]}
	of({"plugins": [object.union(plugin("backup"), {"enabled": false})]}, {"prod": store("backups", "prod")}) == set()
}

test_store_elsewhere if {
	# backup/store_unusable says so of a store that no other cluster has.
	of({"plugins": [plugin("backups")]}, {"cnpg-system": store("backups", "cnpg-system")}) == set()
	of({"plugins": [plugin("backups")]}, {"cnpg-system": store("backups", "cnpg-system"), "prod": store("backups", "prod")}) == set()
}

# What is in another namespace, of a catalogue, the operator refuses (parameters/operator_refuses).
test_catalogues_and_backups if {
	every case in [
		[{"imageCatalogRef": {"kind": "ImageCatalog", "name": "images", "major": 17}}, "ImageCatalog", ["spec", "imageCatalogRef", "name"], set()],
		[{"bootstrap": {"recovery": {"backup": {"name": "images"}}}}, "Backup", ["spec", "bootstrap", "recovery", "backup", "name"], {["spec", "bootstrap", "recovery", "backup", "name"]}],
	] {
		{found[0] | some found in of(case[0], {"other": named("postgresql.cnpg.io/v1", case[1], "images", "other", {})})} == case[3]
		{found[0] | some found in of(case[0], {"prod": named("postgresql.cnpg.io/v1", case[1], "image", "prod", {})})} == {case[2]}
		of(case[0], {"prod": named("postgresql.cnpg.io/v1", case[1], "images", "prod", {})}) == set()
	}
	running := object.union(cluster({"bootstrap": {"recovery": {"backup": {"name": "images"}}}}), {"status": {"phase": "Cluster in healthy state"}})
	check.findings == set() with input as {"review": {"object": running}, "inventory": {"namespace": {"prod": named("postgresql.cnpg.io/v1", "Backup", "image", "prod", {})}}}
	of({"imageCatalogRef": {"kind": "ClusterImageCatalog", "name": "images", "major": 17}}, {"other": named("postgresql.cnpg.io/v1", "ImageCatalog", "images", "other", {})}) == set()
}

secret(name, namespace) := {namespace: {"v1": {"Secret": {name: {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": name, "namespace": namespace}, "stringData": {"a": "x"}}}}}}

test_secrets if {
	every case in [
		[{"enableSuperuserAccess": true, "superuserSecret": {"name": "s3cret"}}, ["spec", "superuserSecret", "name"]],
		[{"bootstrap": {"initdb": {"secret": {"name": "s3cret"}}}}, ["spec", "bootstrap", "initdb", "secret", "name"]],
		[{"certificates": {"serverTLSSecret": "s3cret"}}, ["spec", "certificates", "serverTLSSecret"]],
		[{"managed": {"roles": [{"name": "a", "passwordSecret": {"name": "s3cret"}}]}}, ["spec", "managed", "roles", 0, "passwordSecret", "name"]],
		[{"backup": {"barmanObjectStore": {"s3Credentials": {"accessKeyId": {"name": "s3cret", "key": "a"}, "secretAccessKey": {"name": "s3cret", "key": "b"}}}}}, ["spec", "backup", "barmanObjectStore", "s3Credentials", "accessKeyId", "name"]],
	] {
		{found[0] | some found in of(case[0], secret("s3cret", "other"))} == {case[1]}
		{found[0] | some found in of(case[0], secret("s3crets", "prod"))} == {case[1]}
		of(case[0], secret("s3cret", "prod")) == set()
		of(case[0], {}) == set()
	}

	# What is not read, and what the operator makes itself.
	of({"superuserSecret": {"name": "s3cret"}}, secret("s3cret", "other")) == set()
	of({"bootstrap": {"initdb": {"secret": {"name": "orders-app"}}}}, secret("orders-app", "other")) == set()
}

test_secret_of_a_store if {
	described := named("barmancloud.cnpg.io/v1", "ObjectStore", "backups", "prod", {"configuration": {"s3Credentials": {"accessKeyId": {"name": "s3cret", "key": "a"}}}})
	found := check.findings with input as {"review": {"object": cluster({"plugins": [plugin("backups")]})}, "inventory": {"namespace": object.union(secret("s3cret", "other"), {"prod": described})}}
	{[f.resource.kind, object.get(f, "severity", "error"), f.path, f.message] | some f in found} == {[
		"ObjectStore", "error", ["spec", "configuration", "s3Credentials", "accessKeyId", "name"],
		"The object store looks for Secret s3cret in namespace prod, and it is in other: nothing is archived or backed up. Create it in prod.",
	]}
}

naming(kind, name, namespace) := {namespace: named("postgresql.cnpg.io/v1", kind, "one", namespace, {"cluster": {"name": name}})}

itself := {"prod": named("postgresql.cnpg.io/v1", "Cluster", "orders", "prod", {})}

test_what_names_the_cluster if {
	every kind, consequence in {"Backup": "no backup is taken", "Database": "no database is created", "Pooler": "no pooler is created", "ScheduledBackup": "no backup is ever taken"} {
		of({}, object.union(itself, naming(kind, "order", "prod"))) == {[
			["spec", "cluster", "name"],
			sprintf("%s one names cluster order, which is not there, while orders is: %s. Write orders.", [kind, consequence]),
		]}
		every name in ["orders", "billing", "orders-2", "${NAME}"] {
			of({}, object.union(itself, naming(kind, name, "prod"))) == set()
		}

		# The other one may be meant.
		of({}, object.union(object.union(itself, naming(kind, "order", "prod")), {"prod": {"postgresql.cnpg.io/v1": {"Cluster": {"order": {}}}}})) == set()
		of({}, object.union(object.union(itself, naming(kind, "order", "prod")), {"prod": {"postgresql.cnpg.io/v1": {"Cluster": {"border": {}}}}})) == set()
	}
}

test_what_names_it_from_elsewhere if {
	every kind, consequence in {"Database": "no database is created", "Pooler": "no pooler is created", "ScheduledBackup": "no backup is ever taken"} {
		of({}, object.union(itself, naming(kind, "orders", "web"))) == {[
			["spec", "cluster", "name"],
			sprintf("%s one looks for cluster orders in its own namespace web, and the cluster is in prod: %s. Create it in prod.", [kind, consequence]),
		]}
		of({}, naming(kind, "orders", "web")) == set()
		of({}, object.union(object.union(itself, naming(kind, "orders", "web")), {"web": named("postgresql.cnpg.io/v1", "Cluster", "orders", "web", {})})) == set()
	}
	crossing := {"web": named("postgresql.cnpg.io/v1", "Database", "one", "web", {"cluster": {"name": "orders", "namespace": "prod"}})}
	of({}, object.union(itself, crossing)) == set()
}

# Files may leave it to somebody else; what audits a cluster sees them all.
test_store_that_was_not_found if {
	spec := {
		"bootstrap": {"recovery": {"source": "old"}},
		"externalClusters": [{"name": "old", "plugin": plugin("minio-store")}, {"name": "unused", "plugin": plugin("elsewhere")}],
		"plugins": [plugin("archive")],
	}
	itself := {"postgresql.cnpg.io/v1": {"Cluster": {"orders": cluster(spec)}}}
	found := check.findings with input as {"review": {"object": cluster(spec)}, "inventory": {"namespace": {"prod": object.union(itself, store("archive", "prod"))}}}
	found == {{
		"message": "External cluster old names ObjectStore minio-store, which was not found beside archive: while it is missing, the plugin stops the operator at this cluster. Create it in the namespace, or write the name of one that is there.",
		"path": ["spec", "externalClusters", 0, "plugin", "parameters", "barmanObjectName"],
		"severity": "info",
	}}
	audited := check.findings with input as {"review": {"object": cluster(spec)}, "inventory": {"complete": true, "namespace": {"prod": object.union(itself, store("archive", "prod"))}}}
	{f.severity | some f in audited} == {"error"}
	of(spec, {}) == set()
	of(spec, {"prod": object.union(store("archive", "prod"), store("minio-store", "prod"))}) == set()
	of({"plugins": [plugin("${STORE}")]}, {"prod": store("archive", "prod")}) == set()
}

# Not a slip of the pen, and nobody else's.
backed_up(names, others) := {[f.severity, f.message] |
	schedules := {sprintf("daily-%d", [i]): {"apiVersion": "postgresql.cnpg.io/v1", "kind": "ScheduledBackup", "metadata": {"name": sprintf("daily-%d", [i]), "namespace": "prod"}, "spec": {"cluster": {"name": name}}} | some i, name in names}
	clusters := {name: {"apiVersion": "postgresql.cnpg.io/v1", "kind": "Cluster", "metadata": {"name": name, "namespace": "prod"}} | some name in array.concat(["orders"], others)}
	found := check.findings with input as {
		"review": {"object": cluster({"plugins": [object.union(plugin("store"), {"enabled": true})]})},
		"inventory": {"namespace": {"prod": {"postgresql.cnpg.io/v1": {"ScheduledBackup": schedules, "Cluster": clusters}}}},
	}
	some f in found
}

test_schedule_of_no_cluster if {
	backed_up(["example"], []) == {["info", "ScheduledBackup daily-0 names cluster example, which was not found, and no schedule names orders: unless that cluster is elsewhere, no backup is ever taken. Write orders if that is the one."]}
	backed_up(["orders", "example"], []) == set()
	backed_up(["example"], ["example"]) == set()
	backed_up(["example"], ["shop"]) == set()
	backed_up(["${CLUSTER}"], []) == set()
	backed_up([], []) == set()
}

package walguard.operators.cnpg_ancestors_test

import data.walguard.operators.cnpg

made(name, spec) := {"apiVersion": "postgresql.cnpg.io/v1", "kind": "Cluster", "metadata": {"name": name, "namespace": "db"}, "spec": spec}

with_old(spec, old) := found if {
	found := cnpg.cluster with input as {
		"review": {"object": made("pg", object.union({"imageName": "x:17.6"}, spec))},
		"inventory": {"namespace": {"db": {"postgresql.cnpg.io/v1": {"Cluster": {"old": made("old", old)}}}}},
	}
}

archive := {"barmanObjectStore": {"destinationPath": "s3://backups/"}}

recovered := {"bootstrap": {"recovery": {"source": "old"}}, "externalClusters": [object.union({"name": "old"}, archive)]}

with_plugin(parameters) := {
	"bootstrap": {"recovery": {"source": "origin"}},
	"externalClusters": [{"name": "origin", "plugin": {"name": "barman-cloud.cloudnative-pg.io", "parameters": parameters}}],
}

plugged(parameters) := {"imageName": "x:16.4", "plugins": [{"name": "barman-cloud.cloudnative-pg.io", "isWALArchiver": true, "parameters": parameters}]}

test_recovered_with_another_major if {
	with_old(recovered, {"imageName": "x:16.4", "backup": archive}).wrong_images == [{
		"reason": "It is recovered from old with PostgreSQL 16, and the image has 17, which does not start with those files, unless it was upgraded since",
		"cure": "Take an image of 16, and upgrade afterwards",
		"path": ["spec", "imageName"],
		"level": "warning",
	}]
	with_old(recovered, {"imageCatalogRef": {"kind": "ImageCatalog", "name": "c", "major": 16}, "backup": archive}).wrong_images
	with_old(with_plugin({"barmanObjectName": "store", "serverName": "old"}), plugged({"barmanObjectName": "store"})).wrong_images
}

test_recovered_with_the_same_major_or_from_elsewhere if {
	every old in [
		{"imageName": "x:17.2", "backup": archive}, {"imageName": "x:latest", "backup": archive}, {"imageName": "${IMAGE}", "backup": archive}, {"backup": archive},
		{"imageName": "x:16.4", "backup": {"barmanObjectStore": {"destinationPath": "s3://others/"}}},
		{"imageName": "x:16.4", "backup": {"barmanObjectStore": {"destinationPath": "s3://backups/", "serverName": "former"}}},
	] {
		not with_old(recovered, old).wrong_images
	}
	not with_old(with_plugin({"barmanObjectName": "store"}), plugged({"barmanObjectName": "store"})).wrong_images
	not with_old(with_plugin({"barmanObjectName": "store", "serverName": "old"}), plugged({"barmanObjectName": "another"})).wrong_images
}

external(parameters, more) := [object.union({"name": "old", "connectionParameters": object.union({"host": "old-rw.db.svc"}, parameters)}, more)]

replica := {
	"bootstrap": {"pg_basebackup": {"source": "old"}},
	"replica": {"enabled": true, "source": "old"},
	"externalClusters": external({"user": "streaming_replica"}, {}),
}

test_replica_of_another_major if {
	with_old(replica, {"imageName": "x:16.4"}).wrong_images == [{
		"reason": "It is a replica of old with PostgreSQL 16, and the image has 17, which does not start with those files",
		"cure": "Take an image of 16, and upgrade afterwards",
		"path": ["spec", "imageName"],
	}]
	not with_old(replica, {"imageName": "x:17.4"}).wrong_images
	{fault.level | some fault in with_old(object.remove(replica, ["replica"]), {"imageName": "x:16.4"}).wrong_images} == {"warning"}
}

imported(more) := {
	"bootstrap": {"initdb": {"import": {"type": "microservice", "databases": ["app"], "source": {"externalCluster": "old"}}}},
	"externalClusters": external({"user": "postgres"}, more),
}

test_import_of_a_newer_server if {
	with_old(imported({}), {"imageName": "x:18.1"}).wrong_images == [{
		"reason": "The import reads old (PostgreSQL 18) with pg_dump of 17, which refuses a newer server: no instance is created",
		"cure": "Take an image of 18 or later",
		"path": ["spec", "imageName"],
	}]
	not with_old(imported({}), {"imageName": "x:16.1"}).wrong_images
	not with_old(object.union(imported({}), {"externalClusters": external({"host": "old-rw.other"}, {})}), {"imageName": "x:18.1"}).wrong_images
}

test_import_by_a_superuser_without_a_password if {
	secret := {"password": {"name": "old-superuser", "key": "password"}}
	with_old(imported(secret), {"imageName": "x:17.1"}).uncreated == [{
		"path": ["spec", "externalClusters", 0, "password", "name"],
		"reason": "External cluster old is read with Secret old-superuser, which old has with enableSuperuserAccess alone: nothing is copied",
		"cure": "Set it there, or log in as its owner with old-app",
		"level": "error",
	}]
	not with_old(imported(secret), {"imageName": "x:17.1", "enableSuperuserAccess": true}).uncreated
	not with_old(imported({"password": {"name": "old-app", "key": "password"}}), {"imageName": "x:17.1"}).uncreated
}

copied(user) := {"bootstrap": {"pg_basebackup": {"source": "old"}}, "externalClusters": external({"user": user}, {})}

test_copy_by_the_owner_of_a_database if {
	old := {"imageName": "x:17.1", "bootstrap": {"initdb": {"database": "shop", "owner": "shop"}}}
	with_old(copied("shop"), old).uncreated == [{
		"path": ["spec", "externalClusters", 0, "connectionParameters", "user"],
		"reason": "pg_basebackup logs in to old as shop, the owner of its database, who may not replicate: nothing is copied",
		"cure": "Log in as streaming_replica with Secret old-replication, or give the role replication: true",
		"level": "error",
	}]
	not with_old(copied("streaming_replica"), old).uncreated
	not with_old(copied("shop"), object.union(old, {"managed": {"roles": [{"name": "shop", "replication": true}]}})).uncreated
	not with_old(copied("shop"), {"imageName": "x:17.1", "bootstrap": {"initdb": {"owner": "shop", "postInitSQL": ["ALTER ROLE shop REPLICATION"]}}}).uncreated
	not with_old(copied("${USER}"), old).uncreated
}

test_copy_by_a_managed_role if {
	old := {"imageName": "x:17.1", "managed": {"roles": [{"name": "copy", "login": true}]}}
	{fault.reason | some fault in with_old(copied("copy"), old).uncreated} == {"pg_basebackup logs in to old as copy, a managed role, who may not replicate: nothing is copied"}
	not with_old(copied("copy"), {"imageName": "x:17.1", "managed": {"roles": [{"name": "copy", "login": true, "superuser": true}]}}).uncreated
	not with_old(copied("other"), old).uncreated
}

subscribed(user, old, roles) := found if {
	spec := {"imageName": "x:17.6", "externalClusters": external({"user": user, "dbname": "app"}, {})}
	subscription := {
		"apiVersion": "postgresql.cnpg.io/v1",
		"kind": "Subscription",
		"metadata": {"name": "sub", "namespace": "db"},
		"spec": {"name": "sub", "dbname": "app", "publicationName": "pub", "cluster": {"name": "pg"}, "externalClusterName": "old"},
	}
	found := object.get(cnpg.cluster, "uncreated", []) with input as {
		"review": {"object": made("pg", spec)},
		"inventory": {"namespace": {"db": {"postgresql.cnpg.io/v1": {"Cluster": {"old": made("old", old)}, "Subscription": {"sub": subscription}, "DatabaseRole": roles}}}},
	}
}

test_subscription_without_replication if {
	subscribed("copy", managed({}), {}) == [{
		"path": ["spec", "externalClusterName"],
		"resource": {"apiVersion": "postgresql.cnpg.io/v1", "kind": "Subscription", "namespace": "db", "name": "sub"},
		"reason": "Subscription sub logs in to old as copy, a managed role, who may not replicate: it is not created (\"permission denied to start WAL sender\")",
		"cure": "Give the role replication: true in managed.roles of old",
		"level": "error",
	}]
	count(subscribed("app", {"imageName": "x:17.1"}, {})) == 1
	subscribed("copy", managed({"replication": true}), {}) == []
	subscribed("copy", managed({"replication": "${REPLICATION}"}), {}) == []
	subscribed("streaming_replica", managed({}), {}) == []
	subscribed("${USER}", managed({}), {}) == []
	count(subscribed("copy", {"imageName": "x:17.1"}, role({}))) == 1
	subscribed("copy", {"imageName": "x:17.1"}, role({"replication": true})) == []
}

managed(more) := {"imageName": "x:17.1", "managed": {"roles": [object.union({"name": "copy", "login": true}, more)]}}

role(more) := {"copy": {"metadata": {"name": "copy", "namespace": "db"}, "spec": object.union({"name": "copy", "cluster": {"name": "old"}}, more)}}

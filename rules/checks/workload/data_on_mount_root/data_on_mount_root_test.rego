package walguard.checks.workload.data_on_mount_root_test

import data.walguard.checks.workload.data_on_mount_root as check

workload(container, spec, pod) := {"review": {"object": {
	"apiVersion": "apps/v1",
	"kind": "StatefulSet",
	"metadata": {"name": "orders", "namespace": "prod"},
	"spec": object.union({"template": {"spec": object.union({"containers": [object.union({"image": "postgres:17"}, container)]}, pod)}}, spec),
}}}

in_container := ["spec", "template", "spec", "containers", 0]

classes(parameters) := {"cluster": {"storage.k8s.io/v1": {"StorageClass": {"fast": {"metadata": {"name": "fast"}, "provisioner": "ebs.csi.aws.com", "parameters": parameters}}}}}

server(container, mount, parameters) := object.union(
	workload(
		object.union({"volumeMounts": [object.union({"name": "data", "mountPath": "/var/lib/postgresql/data"}, mount)]}, container),
		{"volumeClaimTemplates": [{"metadata": {"name": "data"}, "spec": {"storageClassName": "fast", "resources": {"requests": {"storage": "10Gi"}}}}]},
		{},
	),
	{"inventory": classes(parameters)},
)

ext4 := {"type": "gp3", "csi.storage.k8s.io/fstype": "ext4"}

test_root_of_ext4 if {
	check.findings == {{
		"message": "PGDATA /var/lib/postgresql/data is the root of a new ext4 volume, which holds lost+found: initdb refuses a directory that is not empty. Set PGDATA to /var/lib/postgresql/data/pgdata.",
		"path": array.concat(in_container, ["volumeMounts"]),
	}} with input as server({}, {}, ext4)
}

deployment(claim) := {
	"review": {"object": {
		"apiVersion": "apps/v1",
		"kind": "Deployment",
		"metadata": {"name": "orders", "namespace": "prod"},
		"spec": {"template": {"spec": {
			"containers": [{"image": "postgres:17", "volumeMounts": [{"name": "data", "mountPath": "/var/lib/postgresql/data"}]}],
			"volumes": [{"name": "data", "persistentVolumeClaim": {"claimName": "data"}}],
		}}},
	}},
	"inventory": object.union(classes(ext4), {"namespace": {"prod": {"v1": {"PersistentVolumeClaim": {"data": {
		"apiVersion": "v1",
		"kind": "PersistentVolumeClaim",
		"metadata": {"name": "data", "namespace": "prod"},
		"spec": object.union({"storageClassName": "fast", "resources": {"requests": {"storage": "10Gi"}}}, claim),
	}}}}}}),
}

test_claim_in_sight if {
	found := check.findings with input as deployment({})
	count(found) == 1
	check.findings == set() with input as deployment({"volumeName": "old"})
}

test_empty_directory if {
	check.findings == set() with input as server({"env": [{"name": "PGDATA", "value": "/var/lib/postgresql/data/pgdata"}]}, {}, ext4)
	check.findings == set() with input as server({}, {"subPath": "pgdata"}, ext4)
	check.findings == set() with input as server({}, {}, {"type": "gp3", "csi.storage.k8s.io/fstype": "xfs"})
	check.findings == set() with input as server({"image": "postgres:18"}, {"mountPath": "/var/lib/postgresql"}, ext4)
}

test_silent_when_unknown if {
	check.findings == set() with input as object.remove(server({}, {}, ext4), ["inventory"])
	check.findings == set() with input as server({"env": [{"name": "PGDATA", "valueFrom": {}}]}, {}, ext4)
	check.findings == set() with input as server({"image": "registry.example.com/postgres:17"}, {}, ext4)
}

of_class(name) := {"review": json.patch(server({}, {}, {}).review, [{"op": "replace", "path": "/object/spec/volumeClaimTemplates/0/spec/storageClassName", "value": name}])}

# Of classes that are not found, those that clouds come with.
test_class_of_a_cloud if {
	found := check.findings with input as of_class("standard-rwo")
	count(found) == 1
	check.findings == set() with input as of_class("local-path")
	check.findings == set() with input as of_class("nfs-client")
	check.findings == set() with input as of_class("gp3-xfs")
}

test_directory_of_an_application if {
	found := check.findings with input as json.patch(of_class("csi-rbd"), [
		{"op": "replace", "path": "/review/object/spec/template/spec/containers/0/image", "value": "mediagis/nominatim:4.5"},
		{"op": "replace", "path": "/review/object/spec/template/spec/containers/0/volumeMounts/0/mountPath", "value": "/var/lib/postgresql/16/main"},
	])
	{f.message | some f in found} == {"The data directory /var/lib/postgresql/16/main is the root of a new ext4 volume, which holds lost+found: initdb refuses a directory that is not empty. Mount it with subPath."}
}

with_file(at) := object.union(server({}, {"subPath": "pgdata"}, ext4), {"review": json.patch(server({}, {"subPath": "pgdata"}, ext4).review, [{"op": "add", "path": "/object/spec/template/spec/containers/0/volumeMounts/-", "value": {"name": "conf", "mountPath": at, "subPath": "postgresql.conf"}}])})

test_file_inside if {
	check.findings == {{
		"message": "/var/lib/postgresql/data/postgresql.conf is mounted inside the data directory /var/lib/postgresql/data, which on a new volume is not empty then: initdb refuses it. Mount it elsewhere, and name it by -c config_file or -c hba_file.",
		"path": array.concat(in_container, ["volumeMounts"]),
		"severity": "error",
	}} with input as with_file("/var/lib/postgresql/data/postgresql.conf")
	now := with_file("/var/lib/postgresql/data/postgresql.conf")
	check.findings == set() with input as json.patch(now, [{"op": "add", "path": "/review/oldObject", "value": server({}, {"subPath": "pgdata"}, ext4).review.object}])
	{contains(f.message, "POSTGRES_INITDB_WALDIR") | some f in check.findings} == {true} with input as with_file("/var/lib/postgresql/data/pg_wal")
	check.findings == set() with input as with_file("/etc/postgresql/postgresql.conf")
}

# Bitnami's scripts take a directory that is not empty for a database, and call no initdb.
test_file_inside_of_another_image if {
	found := check.findings with input as json.patch(with_file("/bitnami/postgresql/data/postgresql.conf"), [
		{"op": "replace", "path": "/review/object/spec/template/spec/containers/0/image", "value": "bitnami/postgresql:17.6.0"},
		{"op": "replace", "path": "/review/object/spec/template/spec/containers/0/volumeMounts/0", "value": {"name": "data", "mountPath": "/bitnami/postgresql"}},
	])
	{f.severity | some f in found} == {"warning"}
}

spilo(env) := {f.message | some f in found} if {
	found := check.findings with input as {"review": {"object": {
		"apiVersion": "apps/v1", "kind": "StatefulSet",
		"metadata": {"name": "orders", "namespace": "prod"},
		"spec": {
			"template": {"spec": {"containers": [{
				"name": "postgres", "image": "ghcr.io/zalando/spilo-17:4.0-p3", "env": env,
				"volumeMounts": [{"name": "data", "mountPath": "/home/postgres/pgdata"}],
			}]}},
			"volumeClaimTemplates": [{"metadata": {"name": "data"}, "spec": {"storageClassName": "gp3", "resources": {"requests": {"storage": "20Gi"}}}}],
		},
	}}}
}

test_logs_of_spilo_in_the_data if {
	spilo([{"name": "PGDATA", "value": "/home/postgres/pgdata/pgroot"}]) == {"Spilo creates its log directory /home/postgres/pgdata/pgroot/pg_log inside the data directory /home/postgres/pgdata/pgroot, which is not empty then: Patroni starts no database in it. Set PGDATA to /home/postgres/pgdata/pgroot/data."}
	count(spilo([{"name": "PGDATA", "value": "/home/postgres/pgdata/"}])) == 1
	spilo([]) == set()
	spilo([{"name": "PGDATA", "value": "/home/postgres/pgdata/pgroot/data"}]) == set()
	spilo([{"name": "PGDATA", "value": "/home/postgres/pgdata"}, {"name": "PGLOG", "value": "/home/postgres/log"}]) == set()
	spilo([{"name": "PGDATA", "value": "/home/postgres/pgdata"}, {"name": "PGLOG", "value": "$(LOGS)"}]) == set()
	spilo([{"name": "PGDATA", "value": "$(DATA)"}]) == set()
}

unnamed(claim) := workload(
	{"volumeMounts": [{"name": "data", "mountPath": "/var/lib/postgresql/data"}]},
	{"volumeClaimTemplates": [{"metadata": {"name": "data"}, "spec": object.union({"resources": {"requests": {"storage": "10Gi"}}}, claim)}]},
	{},
)

test_class_not_named if {
	check.findings == {{
		"message": "PGDATA /var/lib/postgresql/data is the root of its volume. On ext4, as most cloud disks have it, that holds lost+found, and initdb refuses a directory that is not empty. Set PGDATA to /var/lib/postgresql/data/pgdata.",
		"path": array.concat(in_container, ["volumeMounts"]),
		"severity": "info",
	}} with input as unnamed({})
	check.findings == set() with input as unnamed({"storageClassName": "local-path"})
	check.findings == set() with input as unnamed({"volumeName": "old"})
	check.findings == set() with input as json.patch(unnamed({}), [{"op": "add", "path": "/review/oldObject", "value": unnamed({}).review.object}])
}

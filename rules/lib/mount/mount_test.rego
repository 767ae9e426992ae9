package walguard.lib.mount_test

import data.walguard.lib.mount

test_clean if {
	{path: mount.clean(path) |
		some path in ["/a/b", "/a//b/", "/a/./b", "/a/x/../b", "/a/x/y/../../b", "/../a", "a/./b", "./a", "/", ""]
	} == {
		"/a/b": "/a/b",
		"/a//b/": "/a/b",
		"/a/./b": "/a/b",
		"/a/x/../b": "/a/b",
		"/a/x/y/../../b": "/a/b",
		"/../a": "/a",
		"a/./b": "a/b",
		"./a": "a",
		"/": "/",
		"": "",
	}
}

empty := {"emptyDir": {}}

lost(directory, volume) := mount.lost("/data/pg/17", "/data", [{"directory": directory, "volume": volume, "path": ["x"]}])

test_lost if {
	every directory in ["/data/", "/data/pg", "/data/pg/17", "/data/pg/17/base", "/data/pg/17/pg_wal/"] {
		lost(directory, empty) == [{"what": sprintf("What is mounted at %s", [mount.clean(directory)]), "on": "an emptyDir", "path": ["x"]}]
	}
	lost("/data/pg", {"ephemeral": {}})[0].on == "a generic ephemeral volume"
	lost("/data/pg", {"hostPath": {"path": "/tmp/x"}})[0].on == "a hostPath of whatever node the pod comes to"
	lost("/data/pg", {"csi": {"driver": "pmem-csi.intel.com"}})[0].on == "an inline volume of pmem-csi.intel.com"
	lost("/data/pg", {"csi": {"driver": "hostpath.csi.k8s.io"}})[0].on == "an inline volume of hostpath.csi.k8s.io"
}

test_not_lost if {
	every directory in ["/", "/dat", "/data/pg/16", "/data/pg/17/pg_stat_tmp", "/data/pg/17/log", "/data/pg/17/base2", "/scratch"] {
		lost(directory, empty) == []
	}
	lost("/data/pg", {"persistentVolumeClaim": {"claimName": "a"}}) == []
	lost("/data/pg", {"csi": {"driver": "file.csi.azure.com"}}) == []
}

unkept(value) := mount.unkept([{"name": "PGDATA", "value": value, "path": ["x"]}], ["/data", "/wal"])

test_unkept if {
	unkept("/tmp/d") == [{"what": "PGDATA=/tmp/d", "on": "no lasting volume", "path": ["x"]}]
	every value in ["/data", "/data/a/", "/wal/x/../y", "$(X)/d", "/tmp/${X}", "relative"] {
		unkept(value) == []
	}
}

relocated(mounted, directories) if mount.relocated("/data/pg/17", "/data", [{"directory": directory} | some directory in mounted], directories)

test_relocated if {
	every directory in ["/data", "/data/pg/17/", "/data/pg/17/base", "/data/pg/17/pg_tblspc/1"] {
		relocated([directory], set())
	}
	relocated(["/other"], {"/other/d"})
	every directory in ["/", "/data/pg/16", "/data/pg/17/pg_wal", "/data/pg/17/log", "/archive"] {
		not relocated([directory], set())
	}
	not relocated(["/other"], {"/data/x", "/others"})
	not relocated([], {"/other/d"})
}

# The API server refuses it, a file may hold it.
test_driver_of_two_sources if {
	mount.driver_of({"csi": {"driver": "ebs.csi.aws.com"}, "nfs": {"server": "nas", "path": "/"}}) == "ebs.csi.aws.com"
	mount.driver_of({"nfs": {}, "azureFile": {}}) == "kubernetes.io/nfs"
}

of_pod(volume, pinned) := found if {
	found := mount.volume(["spec", "volumes", 0], pinned) with input as {
		"review": {"object": {"kind": "Pod", "metadata": {"name": "a", "namespace": "prod"}, "spec": {"volumes": [volume]}}},
		"inventory": {"namespace": {"prod": {"v1": {"PersistentVolumeClaim": {"c": {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "c", "namespace": "prod", "annotations": {"volume.beta.kubernetes.io/storage-class": "old"}}, "spec": {"storageClassName": "fast"}}}}}}},
	}
}

test_volumes if {
	claim := of_pod({"persistentVolumeClaim": {"claimName": "c"}}, false)
	[claim.class, claim.path, claim.resource.name] == ["old", ["spec"], "c"]
	generic := of_pod({"ephemeral": {"volumeClaimTemplate": {"spec": {"storageClassName": "fast"}}}}, false)
	[generic.class, generic.ephemeral, generic.path] == ["fast", "a generic ephemeral volume", ["spec", "volumes", 0, "ephemeral", "volumeClaimTemplate", "spec"]]
	of_pod({"emptyDir": {"sizeLimit": "1Gi"}}, false) == {"path": ["spec", "volumes", 0], "size_path": ["spec", "volumes", 0, "emptyDir", "sizeLimit"], "class": "", "class_path": ["spec", "volumes", 0], "ephemeral": "an emptyDir", "size": "1Gi"}
	of_pod({"hostPath": {"path": "/a"}}, false).ephemeral == "a hostPath of whatever node the pod comes to"
	not of_pod({"hostPath": {"path": "/a"}}, true).ephemeral
	nfs := of_pod({"nfs": {"server": "a"}}, false)
	[nfs.provisioner, nfs.class] == ["kubernetes.io/nfs", ""]
	not nfs.ephemeral
	not of_pod({"persistentVolumeClaim": {"claimName": "later"}}, false).ephemeral
}

test_drivers if {
	every field, driver in {"nfs": "kubernetes.io/nfs", "glusterfs": "kubernetes.io/glusterfs", "cephfs": "kubernetes.io/cephfs", "azureFile": "kubernetes.io/azure-file"} {
		mount.driver_of({field: {}}) == driver
	}
	not mount.driver_of({"hostPath": {}})
	not mount.driver_of({"nfs": "a"})
}

# The deepest one, of equal ones the first.
test_above if {
	mounts := [{"directory": "/a", "n": 1}, {"directory": "/a/b", "n": 2}, {"directory": "/a/c/d", "n": 3}, {"directory": "/z/b/c/d", "n": 4}, {"directory": "/q/b", "n": 5}]
	[found.n | some path in ["/a", "/a/b", "/a/b/c", "/a/bc", "/a/c"]; found := mount.above(path, mounts)] == [1, 2, 2, 1, 1]
	not mount.above("/b", mounts)
	not mount.above("/a", [])
}

test_every_part_that_lasts if {
	every name, lasts in {
		"base": true, "global": true, "pg_commit_ts": true, "pg_multixact": true, "pg_tblspc": true, "pg_twophase": true, "pg_wal": true, "pg_xact": true,
		"pg_stat": false, "pg_logical": false, "pg_notify": false, "log": false,
	} {
		count(lost(concat("/", ["/data/pg/17", name]), empty)) == count([1 | lasts])
	}
	every name, tables in {"base": true, "global": true, "pg_tblspc": true, "pg_wal": false, "pg_xact": false} {
		count([1 | relocated([concat("/", ["/data/pg/17", name])], set())]) == count([1 | tables])
	}
}

test_vanishing if {
	{mount.vanishing(volume) | some volume in [{"emptyDir": {}}, {"name": "x"}, {"name": "x", "emptyDir": null}, {"configMap": null}, {}]} == {"an emptyDir"}
	mount.vanishing({"name": "x", "gitRepo": {}}) == "a gitRepo volume"
	every volume in [{"name": "x", "persistentVolumeClaim": {}}, {"configMap": {}}, {"name": "x", "newKind": {}}] {
		not mount.vanishing(volume)
	}
	not mount.hollow({"gitRepo": {}})
}

found(place, value) := mount.relinked({"volumeMounts": [{"name": "data", "mountPath": "/data/"}, {"name": "wal", "mountPath": "/wal"}]}, [{"place": place, "value": value}], "data", "/a/pgdata")

test_links_in_the_place_of_data if {
	every place in ["/data/a", "/data/a/pgdata", "/data/a/pgdata/base", "/data//a/b/../pgdata/pg_wal"] {
		found(place, "/dev/shm") == [{"name": place, "value": "/dev/shm"}]
	}
	every place in ["/data", "/data/b", "/data/a/pgdata/pg_log", "/wal/a", "/other/a"] {
		found(place, "/dev/shm") == []
	}
	found("/data/a/pgdata", "/wal/x") == []
	found("/data/a/pgdata", "/data/new") == []
}

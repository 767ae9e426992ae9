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
}

test_not_lost if {
	every directory in ["/", "/dat", "/data/pg/16", "/data/pg/17/pg_stat_tmp", "/data/pg/17/log", "/data/pg/17/base2", "/scratch"] {
		lost(directory, empty) == []
	}
	lost("/data/pg", {"persistentVolumeClaim": {"claimName": "a"}}) == []
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

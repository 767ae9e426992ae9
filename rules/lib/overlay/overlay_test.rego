package walguard.lib.overlay_test

import data.walguard.lib.overlay

at(directory, volume) := {source.severity | some source in found} if {
	found := overlay.unread([{"directory": directory, "volume": volume, "path": ["x"]}], ["/data"]) with input as {
		"review": {"object": {"metadata": {"namespace": "n"}}},
		"inventory": {"namespace": {"n": {"v1": {"ConfigMap": {"off": {"data": {"a": "fsync = off"}}, "other": {"data": {"a": "jit = off"}}}}}}},
	}
}

test_files_over_files if {
	at("/data/x/postgresql.auto.conf", {"configMap": {"name": "other"}}) == {"info"}
	at("/data//x", {"configMap": {"name": "off"}}) == {"warning"}
	at("/data/x", {"secret": {"secretName": "s"}}) == {"info"}
	at("/usr/local/bin/docker-entrypoint.sh", {"hostPath": {"path": "/x"}}) == {"info"}
	at("/docker-entrypoint-initdb.d", {"persistentVolumeClaim": {"claimName": "c"}}) == {"info"}
}

test_storage if {
	at("/data/partitions", {"persistentVolumeClaim": {"claimName": "c"}}) == set()
	at("/certs", {"secret": {"secretName": "s"}}) == set()
	at("/dev/shm", {"emptyDir": {}}) == set()
}

test_filled_by_an_init_container if {
	found := overlay.unread([{"directory": "/data/x", "volume": {"name": name, "emptyDir": {}}, "path": [name]} | some name in ["a", "b"]], ["/data"]) with input as {"review": {"object": {
		"metadata": {"namespace": "n"},
		"spec": {"initContainers": [{"volumeMounts": [{"name": "a", "mountPath": "/x"}]}]},
	}}}
	[source.path | some source in found] == [["a"]]
}

test_programs_on_storage if {
	found := overlay.unread(
		[{"directory": directory, "volume": volume, "path": [directory]} |
			some directory in ["/scripts", "/scripts/x", "/home/postgres/archive", "/mnt"]
			some volume in [{"persistentVolumeClaim": {"claimName": "c"}}, {"hostPath": {"path": "/x"}}]
		],
		["/home/postgres", "/scripts"],
	)
	{source.path | some source in found} == {["/scripts"], ["/scripts/x"]}
}

test_filled_in_pods_of_a_workload if {
	found := overlay.unread([{"directory": "/data/x", "volume": {"name": "a", "emptyDir": {}}, "path": ["a"]}], ["/data"]) with input as {"review": {"object": {
		"metadata": {"namespace": "n"},
		"spec": {"template": {"spec": {"initContainers": [{"volumeMounts": [{"name": "a", "mountPath": "/x"}]}]}}},
	}}}
	[place.path | some place in found] == [["a"]]
}

test_programs_and_libraries_of_the_image if {
	every directory in [
		"/bin/bash", "/usr/bin/env", "/usr/sbin", "/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu/libc.so.6", "/usr/local/lib", "/etc/ssl/openssl.cnf", "/usr/lib/x86_64-linux-gnu/gconv",
		"/usr/lib/python3/dist-packages", "/usr/share/postgresql/17/system_views.sql", "/usr/share/postgresql/17/extension/plpgsql--1.0.sql", "/usr/lib/postgresql/17/lib/plpgsql.so", "/usr/share/postgresql/17/pg_hba.conf.sample",
		"/usr/share/postgresql/17/extension/plpgsql.control", "/usr/lib/postgresql/17/lib/bitcode", "/usr/local/lib/postgresql/bitcode/postgres/a.bc", "/usr/share/postgresql-common", "/root/.psqlrc", "/etc/postgresql-common/psqlrc",
	] {
		at(directory, {"configMap": {"name": "other"}}) == {"info"}
	}
	every directory in ["/usr/local/bin/backup.sh", "/usr/share/postgresql/17/tsearch_data", "/usr/share/postgresql/17/tsearch_data/x.stop", "/usr/share/doc/postgresql-common", "/root/.pgpass", "/etc/psqlrc.d", "/usr/local/share/ca-certificates", "/etc/ssl/certs", "/lib/modules", "/usr/lib/ssl/certs"] {
		at(directory, {"configMap": {"name": "other"}}) == set()
	}
}

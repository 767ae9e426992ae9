package walguard.lib.cluster_test

import data.walguard.lib.archive
import data.walguard.lib.cluster

test_parameters_stay_raw if {
	cluster.parameters({"p": {"a": "1", "b": null}}, ["p"]) == [
		{"name": "a", "value": "1", "path": ["p", "a"]},
		{"name": "b", "value": null, "path": ["p", "b"]},
	]
	cluster.parameters({"p": "x"}, ["p"]) == []
}

test_claim if {
	spec := {"resources": {"requests": {"storage": 1024}}, "storageClassName": "", "volumeAttributesClassName": "gold"}
	cluster.claim({"v": spec}, ["v"]) == {
		"path": ["v"],
		"size": 1024,
		"size_path": ["v", "resources", "requests", "storage"],
		"class": "",
		"class_path": ["v", "storageClassName"],
		"attributes_class": "gold",
		"attributes_class_path": ["v", "volumeAttributesClassName"],
	}
	cluster.claim({"v": {"resources": {"requests": {"storage": ""}}, "storageClassName": 1}}, ["v"]) == {
		"path": ["v"],
		"size_path": ["v", "resources", "requests", "storage"],
		"class_path": ["v", "storageClassName"],
	}
	not cluster.claim({"v": "10Gi"}, ["v"])
}

test_resources if {
	cluster.resources({"r": {"limits": {"cpu": 2}, "requests": "x"}}, ["r"]) == {"limits": {"cpu": 2}, "requests": {}}
}

test_numbers if {
	cluster.number_at({"n": "3"}, ["n"]) == {"value": 3, "origin": "written", "path": ["n"]}
	cluster.number_at({"n": 3}, ["n"]) == {"value": 3, "origin": "written", "path": ["n"]}
	not cluster.number_at({"n": "3x"}, ["n"])
	not cluster.number_at({"n": 2.5}, ["n"])
	not cluster.number_at({}, ["n"])
	not cluster.whole(99999999999999999999999)
	not cluster.whole("9999999999999999")
}

test_major if {
	cluster.major("17.5.0") == 17
	cluster.major("16") == 16
	cluster.major(15) == 15
	cluster.major("9.6") == 9
	not cluster.major("latest")
	not cluster.major("1.2")
	not cluster.major(2024)
	not cluster.major(15.5)
	not cluster.major(null)
}

test_booleans_as_postgresql_reads_them if {
	every word in ["on", "ON", "true", "t", "yes", "y", "1", true] { cluster.boolean(word) == true }
	every word in ["off", "of", "FALSE", "f", "no", "n", "0", false] { cluster.boolean(word) == false }
	every word in ["o", "", "2", "enabled", 1, null, []] { not cluster.boolean(word) }
}

setting(name, value) := {"name": name, "value": value, "path": ["p", name]}

test_archiving_as_the_parameters_say if {
	nowhere := {"value": "discards", "origin": "written", "path": ["p", "archive_command"]}
	cluster.archiving([setting("archive_command", "'/bin/true'")]) == nowhere
	cluster.archiving([setting("archive_command", "x"), setting("archive_command", "true")]) == nowhere
	cluster.archiving([setting("Archive_Command", "wal-g wal-push %p")]) == {
		"value": "on",
		"origin": "written",
		"path": ["p", "Archive_Command"],
	}
	cluster.archiving([setting("archive_command", "/bin/true"), setting("archive_mode", "off")]) == {
		"value": "off",
		"origin": "written",
		"path": ["p", "archive_mode"],
	}
}

test_parameters_may_say_nothing_of_archiving if {
	not cluster.archiving([])
	not cluster.archiving([setting("archive_mode", "on"), setting("archive_command", ""), setting("jit", null)])
	not cluster.archiving([setting("archive_command", null)])
}

test_errors_are_hidden if {
	hiding := [
		"cp %p /a/%f || true", "test ! -f /a/%f && cp %p /a/%f; exit 0", "wal-g wal-push %p || echo failed", "bash -c 'cp %p /a/%f || :'",
		"cp %p /a/%f &", "(cp %p /a/%f; /bin/true)",
	]
	every command in array.concat(hiding, [
		"wal-g wal-push %p | tee -a /log", "wal-g wal-push %p | cat", "! wal-g wal-push %p", "trap \"exit 0\" EXIT; wal-g wal-push %p", "(wal-g wal-push %p &)", "wal-g wal-push %p; date",
		"wal-g wal-push %p || sleep 1", "if wal-g wal-push %p; then :; fi", "if ! wal-g wal-push %p; then echo failed; fi", "echo $(wal-g wal-push %p)",
	]) {
		archive.hides_errors(command)
		not cluster.archiving([{"name": "archive_command", "value": command, "path": []}])
	}
	honest := ["cp %p /a/%f", "test ! -f /a/%f && cp %p /a/%f", "cp %p /a/%f && true", "/bin/true", "wal-g wal-push %p 2>&1", "false || cp %p /a/%f", "set -o pipefail; wal-g wal-push %p | tee /log", "if [ ! -f /a/%f ]; then cp %p /a/%f; fi", "if ! wal-g wal-push %p; then exit 1; fi", "gzip < %p | ssh b tee /a/%f", "cp %p /a/%f && echo done", null, 3]
	every command in honest {
		not archive.hides_errors(command)
	}
}

test_archive_directory if {
	cluster.archive_directory("test ! -f /mnt/server/archive/%f && cp %p /mnt/server/archive/%f") == "/mnt/server/archive"
	not cluster.archive_directory("wal-g wal-push %p")
	not cluster.archive_directory("test ! -f /done/%f && wal-g wal-push %p")
	not cluster.archive_directory("rsync %p backup:/archive/%f")
	not cluster.archive_directory("aws s3 cp %p s3://b/wal/%f")
	not cluster.archive_directory(null)
}

# On both sides of what engines count exactly.
test_limits_of_numbers if {
	[cluster.whole(value) | some value in [1000000000000000, -1000000000000000, 3.0, 0, -1, "999999999999999", "0"]] == [1000000000000000, -1000000000000000, 3, 0, -1, 999999999999999, 0]
	every value in [1000000000000001, -1000000000000001, 2.5, "1000000000000000", "-1", "", null, true] {
		not cluster.whole(value)
	}
	cluster.whole("${N:-999999999999999}") == 999999999999999 with input as {"kind": "Cluster"}
	not cluster.whole("${N:-1000000000000000}") with input as {"kind": "Cluster"}
}

test_limits_of_majors if {
	every version in [9, 99, 17] {
		cluster.major(version) == version
		cluster.major(sprintf("%d.1", [version])) == version
	}
	every version in [8, 100, 0] {
		not cluster.major(version)
		not cluster.major(sprintf("%d.1", [version]))
	}
}

test_every_beginning_of_a_boolean if {
	every word in ["on", "t", "tr", "tru", "true", "y", "ye", "yes", "1"] { cluster.boolean(word) == true }
	every word in ["of", "off", "f", "fa", "fal", "fals", "false", "n", "no", "0"] { cluster.boolean(word) == false }
}

test_what_patroni_reaches if {
	alone := cluster.patroni_reaches(1)
	[alone[0].to, alone[0].ports, count(alone)] == ["api", {443, 6443, 8443, 16443}, 1]
	both := cluster.patroni_reaches(2)
	[both[1].to, both[1].ports, count(both)] == ["instances", {5432}, 2]
}

test_volumes_of_many_nodes if {
	cluster.many_nodes({"c": {"accessModes": ["ReadWriteOnce", "ReadWriteMany"]}}, ["c"]) == {"many": ["c", "accessModes"]}
	cluster.many_nodes({"c": {"accessModes": ["ReadWriteMany"], "volumeMode": "Filesystem"}}, ["c"]) == {"many": ["c", "accessModes"]}
	cluster.many_nodes({"c": {"accessModes": ["ReadWriteMany"], "volumeMode": "Block"}}, ["c"]) == {}
	cluster.many_nodes({"c": {"accessModes": ["ReadWriteOnce"]}}, ["c"]) == {}
}

test_commands_that_do_nothing if {
	every command in ["true", "/bin/true", "/usr/bin/true", ":", "exit 0", "cd .", "'true'"] {
		cluster.archiving([setting("archive_command", command)]).value == "discards"
		not archive.hides_errors(command)
	}
	idle := [
		"/bin/true %p", "test -f %p", "[ -f %p ]", "echo %p", "sh -c true", "bash -c \"exit 0\"", "(exit 0)", "true && true", "tr\"\"ue", "true # wal-g wal-push %p",
		"cp %p /dev/null", "cat %p > /dev/null", "gzip < %p >/dev/null", "dd if=%p of=/dev/null", "nohup date", "/usr/bin/env true",
	]
	every command in idle {
		cluster.archiving([setting("archive_command", command)]).value == "discards"
	}
	busy := [
		"cp %p /a/%f > /dev/null", "cp %p /a/%f 2>/dev/null", "gzip < %p > /a/%f", "test ! -f /a/%f && cp %p /a/%f", "echo %f >> /log && cp %p /a/%f", "cat %p | aws s3 cp - s3://b/%f",
		"wal-g wal-push %p > /dev/null", "sh -c 'cp %p /a/%f'", "exit 1", "false", "truetype %p",
	]
	every command in busy {
		cluster.archiving([setting("archive_command", command)]).value == "on"
	}
}

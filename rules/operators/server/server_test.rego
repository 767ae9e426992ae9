package walguard.operators.server_test

import data.walguard.model
import data.walguard.operators.server

document(spec) := {"review": {"object": {
	"apiVersion": "walguard.dev/v1",
	"kind": "PostgresServer",
	"metadata": {"name": "db1"},
	"spec": spec,
}}}

of(spec) := found if found := server.cluster with input as document(spec)

full := {
	"version": "16.4",
	"cpu": 16,
	"memory": "64Gi",
	"volumes": {
		"data": {"disk": "ali-essd-pl1", "size": "300Gi", "filesystem": "XFS"},
		"wal": {"size": "50Gi", "filesystem": "zfs", "recordSize": "16Ki"},
	},
	"configuration": [
		{"file": "postgresql.conf", "text": "work_mem = 4MB\n\narchive_command = 'cp %p /a/%f'\n"},
		{"file": "conf.d/a.conf", "text": "jit off\nx = = y\n"},
		{"file": "postgresql.conf", "firstLine": 5, "text": "work_mem = 8MB"},
	],
}

test_facts if {
	c := of(full)
	[c.operator, c.name, c.namespace, c.machine, c.major.value] == ["PostgreSQL server", "db1", "", true, 16]
	c.archiving == {"value": "on", "origin": "written", "path": ["spec", "configuration", 0, "text"]}
	c.misstated == []
	not c.partial
	c.instance_sets == [{
		"name": "db1",
		"path": ["spec"],
		"resources": {"requests": {}, "limits": {"cpu": "16", "memory": "64Gi"}},
		"resources_path": ["spec"],
		"resources_filled": true,
		"data": {
			"path": ["spec", "volumes", "data"],
			"size": "300Gi",
			"size_path": ["spec", "volumes", "data", "size"],
			"class": "",
			"class_path": ["spec", "volumes", "data", "disk"],
			"filesystem": {"name": "xfs", "origin": "stated", "copy_on_write": false},
			"disk_name": "ali-essd-pl1",
			"provisioner": "diskplugin.csi.alibabacloud.com",
			"parameters": {"type": "cloud_essd", "performanceLevel": "PL1"},
		},
		"wal": {
			"path": ["spec", "volumes", "wal"],
			"size": "50Gi",
			"size_path": ["spec", "volumes", "wal", "size"],
			"class": "",
			"class_path": ["spec", "volumes", "wal", "disk"],
			"filesystem": {"name": "zfs", "origin": "stated", "copy_on_write": true, "recordsize_bytes": 16384},
		},
	}]
}

test_parameters_in_the_order_of_reading if {
	c := of(full)
	place := {"path": ["spec", "configuration", 0, "text"], "first_line": 1, "file": "postgresql.conf"}
	c.parameters == [
		object.union({"name": "work_mem", "value": "4MB", "line": 1}, place),
		object.union({"name": "archive_command", "value": "cp %p /a/%f", "line": 3}, place),
		{"name": "jit", "value": "off", "line": 1, "path": ["spec", "configuration", 1, "text"], "first_line": 1, "file": "conf.d/a.conf"},
		{"name": "work_mem", "value": "8MB", "line": 1, "path": ["spec", "configuration", 2, "text"], "first_line": 5, "file": "postgresql.conf"},
	]
	c.syntax_errors == [{"reason": "syntax error: x = = y", "line": 2, "path": ["spec", "configuration", 1, "text"], "first_line": 1, "file": "conf.d/a.conf"}]
	written := model.parameter("work_mem") with input as document(full)
	[written.text, written.path, written.line] == ["8MB", ["spec", "configuration", 2, "text"], 1]
}

test_volumes_of_the_model if {
	volumes := model.volumes with input as document(full)
	volumes["0/data"].disk.throughput_text == "270 MB/s"
	volumes["0/data"].filesystem.name == "xfs"
	volumes["0/wal"].filesystem.recordsize_bytes == 16384
	not volumes["0/wal"].disk
}

# What a driver would make of a disk says nothing about one that somebody else formatted.
test_filesystem_that_nobody_states if {
	volumes := model.volumes with input as document({"volumes": {"data": {"disk": "aws-gp3", "size": "1Ti", "parameters": {"throughput": "500"}}}})
	volumes["0/data"].disk.throughput_text == "500 MiB/s"
	not volumes["0/data"].filesystem
}

test_title if {
	title := model.title with input as document(full)
	title == "PostgreSQL server db1"
}

test_what_is_not_in_sight if {
	every configuration in [[], [{"text": "include 'x.conf'"}], [{"file": "x"}], [null, 5]] {
		of({"configuration": configuration}).partial
	}
	of({"configuration": [{"text": "jit = off"}], "partial": true}).partial
	not of({"configuration": [{"text": "jit = off"}], "partial": "yes"}).partial
	of({"configuration": [{"text": "jit = off"}], "fragment": true}).partial
	of({"configuration": [{"text": "max_connections = 100\nshared_buffers = 1GB"}], "fragment": true}).partial
	not of({"configuration": [{"text": "Port 5432\nmax_connections = 100\nshared_buffers = 1GB"}], "fragment": true}).partial
}

test_misstated if {
	of({
		"version": "next",
		"cpu": "many",
		"memory": ["64Gi"],
		"volumes": {
			"data": {"disk": "ali-esd-pl1", "size": 0, "recordSize": "16K"},
			"wal": {"disk": 5, "size": "-3Gi"},
		},
	}).misstated == [
		{"path": ["spec", "cpu"], "reason": "cannot read size \"many\"; use 300Gi, 64G or 16"},
		{"path": ["spec", "memory"], "reason": "cannot read size \"a list\"; use 300Gi, 64G or 16"},
		{"path": ["spec", "volumes", "data", "size"], "reason": "cannot read size \"0\"; use 300Gi, 64G or 16"},
		{"path": ["spec", "volumes", "data", "recordSize"], "reason": "cannot read size \"16K\"; use 300Gi, 64G or 16"},
		{"path": ["spec", "volumes", "wal", "size"], "reason": "cannot read size \"-3Gi\"; use 300Gi, 64G or 16"},
		{"path": ["spec", "volumes", "data", "disk"], "reason": "ali-esd-pl1 is not a known disk, did you mean ali-essd-pl1, ali-essd-pl0 or ali-essd-pl2?"},
		{"path": ["spec", "volumes", "wal", "disk"], "reason": "5 is not a known disk"},
		{"path": ["spec", "version"], "reason": "next is not a version of PostgreSQL"},
	]
}

test_no_disk_is_like_it if {
	of({"volumes": {"data": {"disk": "🐘"}}}).misstated == [{"path": ["spec", "volumes", "data", "disk"], "reason": "🐘 is not a known disk"}]
}

test_hostile if {
	every spec in [null, [], "x", 5, {"volumes": []}, {"volumes": {"data": 5, "wal": {"disk": {}, "filesystem": [], "parameters": 5}}}, {"configuration": {}}, {"configuration": [{"text": 5, "firstLine": "x"}]}] {
		of(spec).operator == "PostgreSQL server"
	}
}

test_others if not server.cluster with input as {"review": {"object": {"apiVersion": "v1", "kind": "PostgresServer"}}}

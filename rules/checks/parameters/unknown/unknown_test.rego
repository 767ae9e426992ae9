package walguard.checks.parameters.unknown_test

import data.walguard.checks.parameters.unknown as check
import data.walguard.lib.manifest_test as manifests
import data.walguard.model

findings(parameters) := found if found := check.findings with input as manifests.review(parameters, {})

# No image is named: the operator's own choice, which the manifest does not tell.
of_any_major(parameters) := found if {
	found := check.findings with input as manifests.review(parameters, {"imageName": ""})
}

under_patroni(parameters) := found if {
	found := check.findings with input as {"review": {"object": {
		"apiVersion": "acid.zalan.do/v1",
		"kind": "postgresql",
		"metadata": {"name": "orders", "namespace": "prod"},
		"spec": {"numberOfInstances": 2, "postgresql": {"version": "17", "parameters": parameters}},
	}}}
}

at(name) := ["spec", "postgresql", "parameters", name]

test_misspelt if {
	findings({"Shared_Bufers": "4GB"}) == {{
		"message": "shared_bufers=4GB: PostgreSQL 17 has no such parameter, and the server does not start. Did you mean shared_buffers or shared_memory_type?",
		"severity": "error",
		"path": at("Shared_Bufers"),
		"fix": [{"op": "move", "from": "/spec/postgresql/parameters/Shared_Bufers", "path": "/spec/postgresql/parameters/shared_buffers"}],
	}}
}

fix(parameters) := {object.get(f, "fix", "none") | some f in findings(parameters)}

# Two names are as near, none is near enough, the name is taken, the operator's own, or does not take the value.
test_no_fix_in_doubt if {
	fix({"log_min_duration": "1s"}) == {"none"}
	fix({"checkpoint_segments": "64"}) == {"none"}
	fix({"shared_bufers": "4GB", "Shared_Buffers": "8GB"}) == {"none"}
	fix({"shared_bufers": "4GB", "shared_buffers": "${BUFFERS}"}) == {"none"}
	fix({"archive_mod": "on"}) == {"none"}
	fix({"shared_bufers": "4 giga"}) == {"none"}
	fix({"full_page_write": "off"}) == {[{"op": "move", "from": "/spec/postgresql/parameters/full_page_write", "path": "/spec/postgresql/parameters/full_page_writes"}]}
	fix({"max_connection": "100"}) == {[{"op": "move", "from": "/spec/postgresql/parameters/max_connection", "path": "/spec/postgresql/parameters/max_connections"}]}
}

test_nothing_is_near if {
	findings({"xyzzy": "1"}) == {{
		"message": "xyzzy=1: PostgreSQL 17 has no such parameter, and the server does not start. Correct the name or remove it.",
		"severity": "error",
		"path": at("xyzzy"),
	}}
}

test_patroni_leaves_it_out if {
	under_patroni({"xyzzy": "1"}) == {{
		"message": "xyzzy=1: PostgreSQL 17 has no such parameter, and Patroni leaves it out, says so in its log only, and it has no effect. Correct the name or remove it.",
		"severity": "warning",
		"path": at("xyzzy"),
	}}
}

test_unknown_in_every_version if {
	of_any_major({"checkpoint_segments": "64"}) == {{
		"message": "checkpoint_segments=64: PostgreSQL 12 to 19 has no such parameter, and the server does not start. Did you mean max_wal_size, checkpoint_timeout or checkpoint_warning?",
		"severity": "error",
		"path": at("checkpoint_segments"),
	}}
	of_any_major({"wal_keep_segments": "64", "io_method": "worker"}) == set()
}

test_unknown_prefix if {
	findings({"pg_stat_statement.max": "1000", "zzyzx.mode": "on"}) == {
		{
			"message": "pg_stat_statement.max=1000: PostgreSQL accepts any name with a dot, and walguard knows no extension that reads pg_stat_statement.*. Did you mean pg_stat_statements?",
			"severity": "info",
			"path": at("pg_stat_statement.max"),
		},
		{
			"message": "zzyzx.mode=on: PostgreSQL accepts any name with a dot, and walguard knows no extension that reads zzyzx.*. Make sure that an extension of the image does.",
			"severity": "info",
			"path": at("zzyzx.mode"),
		},
	}
}

test_known if {
	findings({"work_mem": "4MB", "pg_stat_statements.max": "1000", "PgAudit.log": "all", "include_dir": "conf.d"}) == set()
}

test_left_to_other_checks if findings({"wal_keep_segments": "64", "io_method": "worker", "polar_enable_shm_aset": "on"}) == set()

# The newest known version stands for a newer one, which may have the name: a warning.
test_version_beyond_the_catalogue if {
	found := check.findings with input as manifests.review({"new_in_twenty": "on"}, {"imageName": "postgresql:20.1"})
	found == {{
		"message": "new_in_twenty=on: PostgreSQL 19, the newest known to walguard (this is 20), has no such parameter, and a server of PostgreSQL 19 does not start with it. Correct the name or remove it.",
		"severity": "warning",
		"path": at("new_in_twenty"),
	}}
}

test_silent_about_a_fork if {
	check.findings == set() with model.edition as "enterprisedb"
		with input as manifests.review({"index_advisor": "on"}, {})
}

# Hundreds of unknown names are one mistake, and each finding costs a search.
test_no_more_than_a_hundred if {
	parameters := {name: "1" | some n in numbers.range(1, 150); name := sprintf("p%d", [n])}
	found := findings(parameters)
	count(found) == 101
	some f in found
	f.severity == "error"
	contains(f.message, "50 more names, such as p54, are unknown to PostgreSQL 17:")
}

# Those of extensions come last, whatever they are called, and are no mistake by themselves.
test_many_of_extensions_hide_no_other if {
	parameters := {name: "1" | some n in numbers.range(1, 150); name := sprintf("aext%d.x", [n])}
	found := findings(object.union(parameters, {"fsyncc": "off"}))
	{f.severity | some f in found; contains(f.message, "fsyncc=off")} == {"error"}
	{f.severity | some f in found; contains(f.message, "51 more names")} == {"info"}
	{f.severity | some f in findings(parameters)} == {"info"}
}

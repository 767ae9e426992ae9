package walguard.checks.parameters.invalid_value_test

import data.walguard.checks.parameters.invalid_value as check
import data.walguard.lib.manifest_test as manifests

findings(parameters) := found if found := check.findings with input as manifests.review(parameters, {})

under_patroni(parameters) := found if {
	found := check.findings with input as {"review": {"object": {
		"apiVersion": "acid.zalan.do/v1",
		"kind": "postgresql",
		"metadata": {"name": "orders", "namespace": "prod"},
		"spec": {"numberOfInstances": 2, "postgresql": {"version": "17", "parameters": parameters}},
	}}}
}

# No image is named: the operator's own choice, which the manifest does not tell.
of_any_major(parameters) := found if {
	found := check.findings with input as manifests.review(parameters, {"imageName": ""})
}

at(name) := ["spec", "postgresql", "parameters", name]

fix(name, value) := [{"op": "replace", "path": sprintf("/spec/postgresql/parameters/%s", [name]), "value": value}]

test_unit_in_the_wrong_case if {
	findings({"shared_buffers": "16gb"}) == {{
		"message": "shared_buffers=16gb: \"16gb\" is not a number with or without one of the units B, kB, MB, GB, TB, in this spelling, and the server does not start. Write 16GB.",
		"severity": "error",
		"path": at("shared_buffers"),
		"fix": fix("shared_buffers", "16GB"),
	}}
}

cured(name, text) := {f.fix[0].value | some f in findings({name: text})}

test_what_was_meant if {
	cured("shared_buffers", "16Gi") == {"16GB"}
	cured("work_mem", "64 m") == {"64MB"}
	cured("checkpoint_timeout", "15 minutes") == {"15min"}
	cured("random_page_cost", "1,1") == {"1.1"}
	cured("jit", "Disabled") == {"off"}
	cured("jit", " on ") == {"on"}
	cured("wal_level", "logicl") == {"logical"}
}

test_no_idea_what_was_meant if {
	findings({"jit": "perhaps"}) == {{
		"message": "jit=perhaps: \"perhaps\" is not a boolean: on, off, true, false, yes, no, 1, 0, and the server does not start. Write a valid value, or remove the parameter.",
		"severity": "error",
		"path": at("jit"),
	}}
	{f.path[3] | some f in findings({"max_connections": "many"})} == {"max_connections"}
	{f.path[3] | some f in findings({"log_connections": "", "lc_messages": "C"})} == {"log_connections"}
}

test_text_of_a_form if {
	findings({"createrole_self_grant": "all"}) == {{
		"message": "createrole_self_grant=all: \"all\" is not a comma-separated list of set, inherit, and the server does not start. Write a valid value, or remove the parameter.",
		"severity": "error",
		"path": at("createrole_self_grant"),
	}}
}

test_left_out_by_patroni if {
	{f.severity | some f in under_patroni({"jit": "perhaps"})} == {"warning"}
	{contains(f.message, "Patroni leaves it out") | some f in under_patroni({"jit": "perhaps"})} == {true}
}

# It reads no text.
test_handed_on_by_patroni if {
	under_patroni({"synchronous_standby_names": "ANY 1 (acid-orders-1)"}) == {{
		"message": "synchronous_standby_names=ANY 1 (acid-orders-1): \"ANY 1 (acid-orders-1)\" is not a list of standbys such as ANY 1 (a, b), and the server does not start (Patroni hands texts on as they are). Write a valid value, or remove the parameter.",
		"severity": "error",
		"path": at("synchronous_standby_names"),
	}}
	{f.severity | some f in under_patroni({"timezone": "Asia/Beijing"})} == {"error"}
}

test_right_in_some_version if {
	of_any_major({"log_connections": "on"}) == set()
	of_any_major({"wal_compression": "lz4"}) == set()
	of_any_major({"password_encryption": "on"}) == set()
	count(of_any_major({"wal_compression": "brotli"})) == 1
}

test_left_to_other_checks if findings({"max_connections": "1000000", "wal_sync_method": "fsync_writethrough", "bonjour": "on"}) == set()

test_right if findings({"jit": "OF", "work_mem": " 64 MB", "wal_level": "LOGICAL", "checkpoint_timeout": "0x10min"}) == set()

zones_on(image, parameters) := found if found := {f.message | some f in check.findings} with input as manifests.review(parameters, {"imageName": image})

test_former_names_of_zones if {
	check.findings == {{
		"message": "timezone=US/Eastern: Debian trixie has the former names of time zones in a package that the image lacks, and the server does not start. Write America/New_York.",
		"severity": "error",
		"path": at("timezone"),
		"fix": fix("timezone", "America/New_York"),
	}} with input as manifests.review({"timezone": "US/Eastern"}, {"imageName": "ghcr.io/cloudnative-pg/postgresql:18.1-system-trixie"})
	count(zones_on("ghcr.io/cloudnative-pg/postgresql:18.1-system-trixie", {"log_timezone": "Asia/Calcutta"})) == 1
	zones_on("ghcr.io/cloudnative-pg/postgresql:18.1-system-trixie", {"timezone": "America/New_York"}) == set()
	zones_on("ghcr.io/cloudnative-pg/postgresql:17.5-system-bookworm", {"timezone": "US/Eastern"}) == set()
}

refused(parameters) if count(findings(parameters)) == count(parameters)

test_names_that_no_server_knows if {
	{f.message | some f in findings({"timezone": "Asia/Beijing"})} == {"timezone=Asia/Beijing: there is no time zone \"Asia/Beijing\", and the server does not start. Write a valid value, or remove the parameter."}
	every zone in ["Mars/Phobos", "CEST", "Moscow", "IST", "MSK"] {
		refused({"timezone": zone, "log_timezone": zone})
	}
	every zone in ["europe/berlin", "UTC", "UTC+3", "+03", "3", "GMT+8", "<+03>-3", "Europe/Kiev", "Etc/GMT-3", "America/Argentina/Buenos_Aires", "EST5EDT", "W-SU", "Factory"] {
		findings({"timezone": zone}) == set()
	}
	every set_ in ["default", "Indian", "Asia.txt", "UTC"] {
		refused({"timezone_abbreviations": set_})
	}
	every set_ in ["", "Default", "India", "Australia", "Ours"] {
		findings({"timezone_abbreviations": set_}) == set()
	}
	refused({"client_encoding": "utf8mb4"})
	every encoding in ["UTF-8", "utf8", "WIN1251", "sql_ascii", "ISO-8859-1", "latin1", "MULE_INTERNAL", "windows-1252", "KOI8-R", "SHIFT_JIS_2004"] {
		findings({"client_encoding": encoding}) == set()
	}
	every style in ["dd/mm/yyyy", "ISO DMY", "ISO8601"] {
		refused({"datestyle": style})
	}
	every style in ["ISO, YMD", "iso", "ISO, EUROPEAN", "DMY", "German, DMY", "default", "Postgres, MDY", "SQL,US", "\"ISO\", mdy"] {
		findings({"datestyle": style}) == set()
	}
}

at_once(text) := {f.message | some f in found} if found := check.findings with input as manifests.server(sprintf("recovery_target_time = '%s'", [text]), {})

test_points_in_time if {
	at_once("yesterday") == {"recovery_target_time=yesterday: \"yesterday\" is not a point in time such as 2026-01-31 12:00:00+00, and the server does not start. Write a valid value, or remove the parameter."}
	every text in ["2024-13-01 00:00:00", "2024-02-32", "2024-00-01 00:00", "infinity"] {
		count(at_once(text)) == 1
	}
	every text in ["", "2024-12-31 23:59:59+00", "2024-02-29T10:00:00Z", "Jan 8 1999", "20240131 101010", "1/8/1999"] {
		at_once(text) == set()
	}
}

test_kinds_of_records if {
	every words in ["on", "heap, XLOG", "index"] {
		refused({"wal_consistency_checking": words})
	}
	every words in ["all", "Heap, btree", "heap2,pg_tde"] {
		findings({"wal_consistency_checking": words}) == set()
	}
}

test_directories_in_quotes if {
	every directories in ["\"/tmp", "/tmp,", "\"/tmp\"x"] {
		count(under_patroni({"unix_socket_directories": directories})) == 1
	}
	every directories in ["/tmp", " /tmp , \"/run, it\"", "/tmp/a b,@abstract"] {
		under_patroni({"unix_socket_directories": directories}) == set()
	}
}

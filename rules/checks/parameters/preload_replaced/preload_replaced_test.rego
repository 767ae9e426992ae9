package walguard.checks.parameters.preload_replaced_test

import data.walguard.checks.parameters.preload_replaced as check
import data.walguard.lib.manifest_test as manifests

findings(libraries) := found if {
	found := check.findings with input as {"review": {"object": {
		"apiVersion": "acid.zalan.do/v1",
		"kind": "postgresql",
		"metadata": {"name": "acid-orders", "namespace": "prod"},
		"spec": {"numberOfInstances": 2, "postgresql": {"version": "17", "parameters": {"shared_preload_libraries": libraries}}},
	}}}
}

test_replaced if {
	findings("pg_stat_statements,pg_cron") == {{
		"message": "shared_preload_libraries replaces the list of the image, so bg_mon, pgextwlist, pg_auth_mon and set_user are not loaded. Write \"bg_mon,pg_stat_statements,pgextwlist,pg_auth_mon,set_user,pg_cron\".",
		"path": ["spec", "postgresql", "parameters", "shared_preload_libraries"],
		"fix": [{"op": "replace", "path": "/spec/postgresql/parameters/shared_preload_libraries", "value": "bg_mon,pg_stat_statements,pgextwlist,pg_auth_mon,set_user,pg_cron"}],
	}}
}

test_complete if findings("bg_mon, pg_stat_statements,pgextwlist,pg_auth_mon,set_user,pg_cron") == set()

test_elsewhere if check.findings == set() with input as manifests.change({"shared_preload_libraries": "pg_cron"})

test_silent_when_unknown if findings("${LIBRARIES}") == set()

test_one_lost if {
	findings("bg_mon,pg_stat_statements,pgextwlist,pg_auth_mon") == {{
		"message": "shared_preload_libraries replaces the list of the image, so set_user is not loaded. Write \"bg_mon,pg_stat_statements,pgextwlist,pg_auth_mon,set_user\".",
		"path": ["spec", "postgresql", "parameters", "shared_preload_libraries"],
		"fix": [{"op": "replace", "path": "/spec/postgresql/parameters/shared_preload_libraries", "value": "bg_mon,pg_stat_statements,pgextwlist,pg_auth_mon,set_user"}],
	}}
}

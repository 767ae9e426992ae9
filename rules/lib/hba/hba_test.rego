package walguard.lib.hba_test

import data.walguard.lib.hba

# The lines that some connection can reach, by their numbers.
reached(lines) := [rule.number | some rule in hba.reachable(hba.rules(hba.of_text(concat("\n", lines), {})))]

test_rules if {
	hba.rules(hba.of_text("# all\nhost  app,web \"me\"\t10.0.0.0 255.0.0.0 scram-sha-256 clientcert=1 # here\nlocal all all peer\nhost all all 10.0.0.0/8\nlocal all", {"path": ["p"]})) == [
		{
			"text": "host app,web me 10.0.0.0 255.0.0.0 scram-sha-256 clientcert=1",
			"type": "host",
			"databases": ["app", "web"],
			"users": ["me"],
			"address": "10.0.0.0/255.0.0.0",
			"method": "scram-sha-256",
			"options": ["clientcert=1"],
			"path": ["p"],
			"number": 2,
		},
		{"text": "local all all peer", "type": "local", "databases": ["all"], "users": ["all"], "method": "peer", "options": [], "path": ["p"], "number": 3},
	]
}

test_reachable if {
	reached(["host all all all md5", "host app me 10.0.0.0/8 trust"]) == [1]
	reached(["host all all all md5", "host replication all all trust"]) == [1, 2]
	reached(["hostssl all all all md5", "host all all all trust"]) == [1, 2]
	reached(["host all all 10.0.0.0/8 md5", "host all all all trust"]) == [1, 2]
}

# Names cover names.
test_reachable_by_names if {
	reached(["host app,web me,you all md5", "host web you all trust"]) == [1]
	reached(["host app,web me,you all md5", "host web somebody all trust"]) == [1, 2]
	reached(["host app,web me,you all md5", "host all you all trust"]) == [1, 2]
	reached(["host replication repl all md5", "host replication repl all trust"]) == [1]
}

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
	reached(["host all all 1.2.3.4/0 md5", "host all all 10.0.0.0/8 trust", "host all all ::1/128 trust"]) == [1, 3]
	reached(["host all all ::0/0 md5", "host all all 10.0.0.0/8 trust", "host all all ::1/128 trust"]) == [1, 2]
	reached(["host all,replication all all md5", "host replication all all trust"]) == [1]
	reached(["host all all all md5", "host app,replication all all trust"]) == [1, 2]
}

address_of(text) := hba.rules([{"line": sprintf("host all all %s md5", [text])}])[0]

test_addresses if {
	every text in ["all", "0.0.0.0/0", "::/0", "0.0.0.0 0.0.0.0", ":: ::", "0/0", "::0/0", "0:0::0/0", "0.0.0.0/00", "1.2.3.4/0", "1.2.3.4 0.0.0.0", "::1/0"] {
		hba.everywhere(address_of(text))
		not hba.own(address_of(text))
	}
	every text in ["samehost", "localhost", "127.0.0.1/32", "127.0.0.1 255.255.255.255", "::1/128", "127.0.0.0/8"] {
		hba.own(address_of(text))
		not hba.everywhere(address_of(text))
	}
	every text in ["10.0.0.0/8", "samenet", "127.0.0.2/32", "0.0.0.0/1", ".example.com", "10.0.0.0/10", "10.0.0.0 255.0.0.0", "fd00::/8", "fd00:: ff00::", "10.0.0.0 0.0.0.255", "0x0/0", "cafe/0"] {
		not hba.own(address_of(text))
		not hba.everywhere(address_of(text))
	}
	hba.own(hba.rules([{"line": "local all all peer"}])[0])
}

test_types if {
	every type in ["host", "hostssl", "hostnossl", "hostgssenc", "hostnogssenc"] {
		hba.rules([{"line": sprintf("%s all all all md5", [type])}])[0].type == type
	}
	hba.rules([{"line": "hosts all all all md5"}, {"line": "include more.conf"}, {"line": "host all all all"}, {"line": "host all all 10.0.0.0 255.0.0.0"}]) == []
	hba.listed({"lines": ["local all all peer", 3]}, ["lines"]) == [{"line": "local all all peer", "path": ["lines", 0]}]
}

# A rule for all connections covers each kind, one for a kind covers that kind alone.
test_reachable_by_types if {
	every type in ["hostssl", "hostnossl", "hostgssenc", "hostnogssenc"] {
		reached(["host all all all md5", sprintf("%s all all all trust", [type])]) == [1]
		reached([sprintf("%s all all all md5", [type]), sprintf("%s all all all trust", [type])]) == [1]
		reached([sprintf("%s all all all md5", [type]), "host all all all trust"]) == [1, 2]
	}
	reached(["hostssl all all all md5", "hostnossl all all all trust"]) == [1, 2]
}

# All addresses of version 6 are none of version 4, and neither are the socket.
test_reachable_by_addresses if {
	reached(["host all all ::/0 md5", "host all all 0.0.0.0/0 trust"]) == [1, 2]
	reached(["host all me 10.0.0.0/8 md5", "host app me 10.0.0.0/8 reject"]) == [1]
	reached(["host all me 10.0.0.0/8 md5", "host app me 10.0.0.0/16 reject"]) == [1, 2]
	reached(["local all all peer", "local app me md5"]) == [1]
	reached(["local all all peer", "local replication me md5"]) == [1, 2]
	reached(["host all all 0.0.0.0/0 md5", "host all all ::/0 trust"]) == [1, 2]
	reached(["host all all 0.0.0.0/0 md5", "host all all 10.0.0.0/8 trust"]) == [1]
	reached(["host all all ::/0 md5", "host all all fd00::/8 trust"]) == [1]
	reached(["host all all 0.0.0.0/0 md5", "host all all all trust"]) == [1, 2]
	reached(["host all all all md5", "local all all trust"]) == [1, 2]
}

test_words_that_are_too_few if {
	hba.rules([{"line": "local all all"}, {"line": "local"}, {"line": "host all all"}, {"line": ""}]) == []
	rule := hba.rules([{"line": "local db me md5 a=1 b=2"}])[0]
	[rule.databases, rule.users, rule.method, rule.options] == [["db"], ["me"], "md5", ["a=1", "b=2"]]
	hba.of_text("\n \nlocal all all peer\n", {}) == [{"line": "local all all peer", "number": 3}]
	reached(["hostssl all all all md5", "host all all all md5", "hostssl db me all trust", "host db me all trust"]) == [1, 2]
}

test_quotes_in_scripts if {
	every text in [
		"echo 'host \"all\" all all trust' >> pg_hba.conf",
		"echo \"host all \\\"all\\\" all trust\" >> \"$PGDATA/pg_hba.conf\"",
		"echo 'host all all all \"trust\"' >> pg_hba.conf",
		"printf 'host all all all\\\n trust' >> pg_hba.conf",
	] {
		count(hba.in_script(text)) == 1
	}
	hba.in_script("echo 'host \"all\" all all md5' >> pg_hba.conf # no trust") == []
}

test_methods_in_scripts if {
	every text in [
		"printf 'host\\tall\\tall\\tall\\ttrust\\n' >> pg_hba.conf",
		"printf '# x\\nhost all all all trust\\n' >> pg_hba.conf",
		"printf 'host all all all \\\\\\n trust\\n' >> pg_hba.conf",
		"echo 'host all all all tr'ust >> pg_hba.conf",
		"M=trust; A='all all all'; echo \"host $A $M\" >> pg_hba.conf",
	] {
		hba.in_script(text)[0] == "host all all all trust"
	}
	every text in [
		"printf 'host all all all %s\\n' trust >> pg_hba.conf",
		"awk '{gsub(\"scram-sha-256\",\"trust\")}1' pg_hba.conf > /tmp/h",
		"awk '/^host/{$NF=\"trust\"}1' pg_hba.conf > /tmp/h",
		"H=$(cat pg_hba.conf); echo \"${H//scram-sha-256/trust}\" > pg_hba.conf",
		"sed -i 's/\\(.*\\)scram-sha-256/\\1trust/' pg_hba.conf",
		"sed -i 's!scram-sha-256!trust!' pg_hba.conf",
		"sed -i 's|scram-sha-256|trust|' pg_hba.conf",
	] {
		hba.in_script(text) == ["trust"]
	}
	hba.in_script("echo 'host all all all ident' >> pg_hba.conf") == ["host all all all ident"]
	hba.in_script("sed -i 's/md5/ident/' pg_hba.conf") == ["ident"]
}

test_what_a_script_includes if {
	every text in [
		"echo 'include /tmp/x' >> /d/pg_hba.conf",
		"echo include \"/tmp/x\" | tee -a /d/pg_hba.conf",
		"sed -i '1i include /tmp/x' /d/pg_hba.conf",
	] {
		hba.in_script(text) == ["include /tmp/x"]
	}
	hba.in_script("echo aa | base64 -d >> /d/pg_hba.conf") == ["?"]
}

test_scripts_that_let_nobody_in if {
	every text in [
		"sed -i 's/ident/scram-sha-256/; s/trust/scram-sha-256/' pg_hba.conf",
		"sed -i \"s/host all all 127.0.0.1\\/32 ident/host all all 127.0.0.1\\/32 md5/\" pg_hba.conf",
		"sed -i 's/^host.*ident$/host all all all md5/' pg_hba.conf",
		"echo \"include_dir 'conf.d'\" >> postgresql.conf; echo 'host all all all md5' >> pg_hba.conf",
		"echo 'local all all trust' >> pg_hba.conf",
		"echo 'host all all 127.0.0.1/32 ident' >> pg_hba.conf",
		"awk '$5==\"trust\"{exit 1}' pg_hba.conf",
		"grep -q trust pg_hba.conf && exit 1",
		"curl -s http://x/health; cp /x/pg_hba.conf /d/pg_hba.conf",
		"echo 'host all all all trust' >> /tmp/x",
	] {
		hba.in_script(text) == []
	}
}

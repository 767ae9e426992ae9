package walguard.checks.access.hba_unreached_test

import data.walguard.checks.access.hba_unreached as check

findings(lines) := found if found := check.findings with input as {"review": {"object": {
	"apiVersion": "postgresql.cnpg.io/v1",
	"kind": "Cluster",
	"metadata": {"name": "db", "namespace": "prod"},
	"spec": {"instances": 1, "postgresql": {"pg_hba": lines}},
}}}

test_behind_a_general_line if {
	findings(["host all all all reject", "host app app 10.0.0.0/8 md5"]) == {{
		"message": "\"host app app 10.0.0.0/8 md5\" decides nothing: \"host all all all reject\" before it matches every such connection. Move it up.",
		"path": ["spec", "postgresql", "pg_hba", 1],
	}}
	count(findings(["host all all 0.0.0.0/0 md5", "hostssl all all 10.0.0.0/8 cert"])) == 1
	count(findings(["host all all ::/0 md5", "host all app fd00::/8 cert"])) == 1
}

# CloudNativePG's own line comes before all others.
test_line_of_the_operator if findings(["host replication all all trust", "hostssl replication streaming_replica all cert"]) == set()

test_behind_one_for_the_same_addresses if {
	{f.message | some f in findings(["host all luca 10.0.0.0/8 scram-sha-256", "host forumdb luca 10.0.0.0/8 reject"])} == {"\"host forumdb luca 10.0.0.0/8 reject\" decides nothing: \"host all luca 10.0.0.0/8 scram-sha-256\" before it matches every such connection. Move it up."}
	count(findings(["local all all peer", "local all app md5"])) == 1
	findings(["host forumdb luca 10.0.0.0/8 reject", "host all luca 10.0.0.0/8 scram-sha-256"]) == set()
	findings(["host all luca 10.0.0.0/16 scram-sha-256", "host forumdb luca 10.0.0.0/8 reject", "host all all all reject"]) == set()
}

# In front of the other line it would reject everybody.
test_reject_behind_all if {
	{f.message | some f in findings(["host all all all md5", "host all all 0.0.0.0/0 reject"])} == {"\"host all all 0.0.0.0/0 reject\" decides nothing: \"host all all all md5\" before it matches every such connection. Remove it, or narrow the line before it."}
	{f.message | some f in findings(["host all all all md5", "host all all 10.0.0.0/8 reject"])} == {"\"host all all 10.0.0.0/8 reject\" decides nothing: \"host all all all md5\" before it matches every such connection. Move it up."}
	{f.message | some f in findings(["host all all all md5", "host all app all reject"])} == {"\"host all app all reject\" decides nothing: \"host all all all md5\" before it matches every such connection. Move it up."}
}

test_reached if {
	findings(["host app app 10.0.0.0/8 md5", "host all all all reject"]) == set()
	findings(["hostssl all all all cert", "host all all all reject"]) == set()
	findings(["host all all all reject", "local all all trust"]) == set()
	findings(["host all all all reject", "host replication app 10.0.0.0/8 md5"]) == set()
	findings(["host all all 0.0.0.0/0 reject", "host all all ::/0 md5"]) == set()
	findings(["host all all ::/0 reject", "host all all 10.0.0.0/8 md5"]) == set()
	findings(["host app app all reject", "host all all all md5"]) == set()
}

test_trust_that_is_not_reached if {
	findings(["host all all all md5", "host app app 10.0.0.0/8 trust"]) == set()
	count(findings(["host all all all reject", "host app app 10.0.0.0/8 trust"])) == 1
}

test_the_same_password if {
	findings(["host all all all md5", "host app app 10.0.0.0/8 scram-sha-256"]) == set()
}

test_silent_when_unknown if {
	findings(["host all all all ${METHOD}", "host app app 10.0.0.0/8 md5"]) == set()
	findings(["host all all all reject", "host ${DB} app 10.0.0.0/8 md5"]) == set()
}

test_networks_before_a_line_for_all if {
	findings(["host all all 10.20.0.0/16 scram-sha-256"]) == {{
		"message": "\"host all all 10.20.0.0/16 scram-sha-256\" shuts no address out: the operator writes \"host all all all scram-sha-256\" behind it. If no other address is to be let in, end with \"host all all all reject\".",
		"path": ["spec", "postgresql", "pg_hba", 0],
		"severity": "info",
	}}
	findings(["host all all 10.20.0.0/16 scram-sha-256", "host all all all reject"]) == set()
	findings(["host all all 10.20.0.0/16 trust"]) == set()
	findings(["hostssl all all 10.20.0.0/16 cert"]) == set()
	findings(["host app app 10.20.0.0/16 md5", "host all all 0.0.0.0/0 md5"]) == set()
	findings(["host all all ${NETWORK} md5"]) == set()
}

# CloudNativePG writes the line for LDAP behind those of the user.
test_ldap_behind_all if {
	ldap(["host app app all md5", "host all all all scram-sha-256"]) == {{
		"message": "\"host all all 0.0.0.0/0 ldap\", which the operator writes behind those of pg_hba, decides nothing: \"host all all all scram-sha-256\" there matches every such connection. Narrow that line to the users who have a password.",
		"path": ["spec", "postgresql", "ldap"],
	}}
	count(ldap(["host all all 0.0.0.0/0 md5"])) == 1
	ldap(["host all app all md5"]) == set()
	ldap(["hostssl all all all md5"]) == set()
	ldap(["host all all ::/0 md5"]) == set()
	ldap(["host all all ${ADDRESSES} md5"]) == set()
	ldap([]) == set()
	findings(["host all all all scram-sha-256"]) == set()
}

ldap(lines) := found if found := check.findings with input as {"review": {"object": {
	"apiVersion": "postgresql.cnpg.io/v1",
	"kind": "Cluster",
	"metadata": {"name": "db", "namespace": "prod"},
	"spec": {"instances": 1, "postgresql": {"pg_hba": lines, "ldap": {"server": "ldap.example.org", "bindSearchAuth": {"baseDN": "ou=people,dc=example,dc=org"}}}},
}}}

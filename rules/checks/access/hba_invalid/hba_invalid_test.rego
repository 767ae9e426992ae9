package walguard.checks.access.hba_invalid_test

import data.walguard.checks.access.hba_invalid as check

findings(lines) := found if found := check.findings with input as {"review": {"object": {
	"apiVersion": "postgresql.cnpg.io/v1",
	"kind": "Cluster",
	"metadata": {"name": "db", "namespace": "prod"},
	"spec": {"instances": 1, "postgresql": {"pg_hba": lines}},
}}}

said(line) := [f.message | some f in findings([line])]

test_what_servers_refuse if {
	every line, why in {
		"hosts all all 10.0.0.0/8 md5": "hosts is no type of connection. PostgreSQL does not start with it; begin it with local, host or hostssl.",
		"HOST all all all md5": "HOST is no type of connection. PostgreSQL does not start with it; begin it with host.",
		"host all": "it names no user. PostgreSQL does not start with it; a line has a type, databases, users, an address (not for local) and a method.",
		"host all all": "it names no address. PostgreSQL does not start with it; a line has a type, databases, users, an address (not for local) and a method.",
		"local all all": "it names no method. PostgreSQL does not start with it; end it with scram-sha-256, or reject.",
		"host all all 10.0.0.0/8": "it names no method. PostgreSQL does not start with it; end it with scram-sha-256, or reject.",
		"host all all 10.0.0.0 255.0.0.0": "it names no method. PostgreSQL does not start with it; end it with scram-sha-256, or reject.",
		"host all all 10.0.0.1 md5": "10.0.0.1 has no mask. PostgreSQL does not start with it; write 10.0.0.1/32.",
		"host all all 0.0.0.0 md5": "0.0.0.0 has no mask. PostgreSQL does not start with it; write 0.0.0.0/0.",
		"host all all ::1 md5": "::1 has no mask. PostgreSQL does not start with it; write ::1/128.",
		"host all all 10.0.0.0/33 md5": "10.0.0.0/33 has no mask that there is. PostgreSQL does not start with it; write bits behind the slash, at most 32.",
		"host all all 10.0.0.0/255.0.0.0 md5": "10.0.0.0/255.0.0.0 has no mask that there is. PostgreSQL does not start with it; write bits behind the slash, at most 32.",
		"host all all fd00::/129 md5": "fd00::/129 has no mask that there is. PostgreSQL does not start with it; write bits behind the slash, at most 128.",
		"host all all abc.de/24 md5": "abc.de/24 is a name with a mask. PostgreSQL does not start with it; write the name alone, or addresses.",
		"host all all 10.0.0.0/8,11.0.0.0/8 md5": "10.0.0.0/8,11.0.0.0/8 are several addresses. PostgreSQL does not start with it; write a line for each.",
		"host all all all scram": "scram is no method. PostgreSQL does not start with it; write scram-sha-256.",
		"host all all all MD5": "MD5 is no method. PostgreSQL does not start with it; write md5.",
		"local all all 127.0.0.1/32 md5": "127.0.0.1/32 is no method. PostgreSQL does not start with it; write scram-sha-256.",
		"host all all all peer": "peer works on local sockets alone. PostgreSQL does not start with it; take scram-sha-256, or begin the line with local.",
		"host all all all cert": "cert works with hostssl alone. PostgreSQL does not start with it; begin the line with hostssl.",
		"local all all trust extra": "extra stands behind the method, and is no option in the form name=value. PostgreSQL does not start with it; take it out.",
		"hostssl all all 10.0.0.0 255.0.0.0 md5 extra": "extra stands behind the method, and is no option in the form name=value. PostgreSQL does not start with it; take it out.",
	} {
		said(line) == [sprintf("\"%s\" in pg_hba.conf cannot be read: %s", [line, why])]
	}
}

test_what_servers_take if {
	every line in [
		"local all all trust",
		"local  all\tall ident\r",
		"host a, b all 10.0.0.0/8 md5",
		"host all all 10.0.0.0 255.0.0.0 md5",
		"host all all 10.0.0.0/08 md5",
		"host all all 0.0.0.0/0 md5",
		"host all all ::/0 md5",
		"host all all fd00::/128 md5",
		"host all all 10.0.0/8 md5",
		"host all all * md5",
		"host all all .example.com md5",
		"host all all samenet md5 # of us",
		"hostssl all all all scram-sha-256 clientcert=verify-full",
		"hostssl all all all cert map=x",
		"hostnossl all all all reject",
		"# host all",
		"include_if_exists more.conf",
	] {
		findings([line]) == set()
	}
}

test_options if {
	every line, why in {
		"hostssl all all all md5 clientcert=1": "clientcert=1 is no value. PostgreSQL does not start with it; write clientcert=verify-ca.",
		"hostssl all all all cert clientcert=verify-ca": "clientcert=verify-ca is no value. PostgreSQL does not start with it; write clientcert=verify-full.",
		"host all all all md5 clientcert=verify-full": "clientcert is an option of hostssl alone. PostgreSQL does not start with it; begin the line with hostssl.",
		"host all all all md5 sslmode=require": "sslmode is no option. PostgreSQL does not start with it; take it out.",
		"hostssl all all all md5 map=users": "map is none of the method md5. PostgreSQL does not start with it; take it out.",
		"host all all all ldap ldapserver=ldap.example.com": "ldap has neither ldapbasedn nor ldapprefix or ldapsuffix. PostgreSQL does not start with it; add one.",
		"host all all all ldap ldapserver=a ldapprefix=uid= ldapbasedn=dc=a": "ldap has ldapprefix or ldapsuffix beside options of a search. PostgreSQL does not start with it; leave one of the two ways.",
		"host all all all oauth issuer=https://a.example.com": "oauth has no scope. PostgreSQL does not start with it; add scope=.",
	} {
		{f.message | some f in of_17([line])} == {sprintf("\"%s\" in pg_hba.conf cannot be read: %s", [line, why])}
	}
	every line in [
		"hostssl all all all scram-sha-256 clientcert=verify-ca",
		"hostssl all all all cert clientcert=verify-full clientname=DN map=users",
		"host all all all ldap ldapserver=a ldapport=389 ldapprefix=uid= ldapsuffix=,dc=a",
		"host all all all ldap ldapurl=ldap://a/dc=a?uid?sub",
		"local all all peer map=users",
		"host all all all gss include_realm=0 krb_realm=EXAMPLE.COM",
		"host all all all oauth issuer=https://a.example.com scope=openid validator=a validator.b=c",
	] {
		of_17([line]) == set()
	}
}

# 13 took it, and which server it is may be unknown.
test_options_of_former_releases if {
	findings(["hostssl all all all md5 clientcert=1"]) == set()
	count(of_17(["hostssl all all all md5 clientcert=1"])) == 1
}

of_17(lines) := found if found := check.findings with input as {"review": {"object": {
	"apiVersion": "postgresql.cnpg.io/v1",
	"kind": "Cluster",
	"metadata": {"name": "db", "namespace": "prod"},
	"spec": {"instances": 1, "imageName": "ghcr.io/cloudnative-pg/postgresql:17.5", "postgresql": {"pg_hba": lines}},
}}}

test_what_cannot_be_known if {
	findings(["host all all ${podselector:app} md5"]) == set()
	findings(["host all \"my user\" all"]) == set()
	findings(["host @names all all"]) == set()
	findings(["host all all {{ cidr }} md5"]) == set()
	findings(["host all all \\", "10.0.0.0/8 md5"]) == set()
}

test_the_line_of_a_text if {
	found := check.findings with input as {
		"review": {"object": {
			"apiVersion": "apps/v1",
			"kind": "StatefulSet",
			"metadata": {"name": "db", "namespace": "prod"},
			"spec": {"template": {"spec": {
				"containers": [{"name": "db", "image": "postgres:17", "args": ["-c", "hba_file=/etc/hba/pg_hba.conf"], "volumeMounts": [{"name": "hba", "mountPath": "/etc/hba"}]}],
				"volumes": [{"name": "hba", "configMap": {"name": "hba"}}],
			}}},
		}},
		"inventory": {"namespace": {"prod": {"v1": {"ConfigMap": {"hba": {
			"apiVersion": "v1",
			"kind": "ConfigMap",
			"metadata": {"name": "hba", "namespace": "prod"},
			"data": {"pg_hba.conf": "local all all trust\nhost all all all scram\n"},
		}}}}}},
	}
	{[f.path, f.line, f.resource.name] | some f in found} == {[["data", "pg_hba.conf"], 2, "hba"]}
}

ruled(options) := {f.message | some f in found} if found := check.findings with input as {"review": {"object": {
	"apiVersion": "postgres-operator.crunchydata.com/v1beta1",
	"kind": "PostgresCluster",
	"metadata": {"name": "hippo", "namespace": "shop"},
	"spec": {"postgresVersion": 17, "authentication": {"rules": [{"connection": "hostssl", "method": "ldap", "options": options}]}},
}}}

test_options_of_rules if {
	ruled({"ldapserver": "ldap.example.org", "ldapport": 389, "ldapprefix": "uid=", "ldapsuffix": ",dc=a"}) == set()
	ruled({"ldapserver": "ldap.example.org", "ldapport": 389, "ldaptls": true, "ldapbasedn": "dc=a"}) == set()
	ruled({"ldapserver": "ldap.example.org", "ldapport": 389}) == {"\"hostssl all all all ldap ldapport=389 ldapserver=ldap.example.org\" in pg_hba.conf cannot be read: ldap has neither ldapbasedn nor ldapprefix or ldapsuffix. PostgreSQL does not start with it; add one."}
}

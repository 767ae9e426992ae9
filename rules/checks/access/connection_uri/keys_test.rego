package walguard.checks.access.connection_uri_keys_test

import data.walguard.checks.access.connection_uri as check

told(volume, mounted, variables) := {f.message | some f in found} if {
	found := check.findings with input as {
		"review": {"object": {
			"apiVersion": "apps/v1",
			"kind": "Deployment",
			"metadata": {"name": "web", "namespace": "shop"},
			"spec": {"template": {"spec": {
				"containers": [{"name": "web", "image": "shop/web:1", "env": [{"name": name, "value": value} | some name, value in variables], "volumeMounts": [object.union({"name": "tls", "mountPath": "/tls"}, mounted)]}],
				"volumes": [object.union({"name": "tls"}, volume)],
			}}},
		}},
		"inventory": {"namespace": {"shop": {"v1": {
			"Secret": {"ca": {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "ca", "namespace": "shop"}, "stringData": {"psql.ca": "x"}}},
			"ConfigMap": {"more": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "more", "namespace": "shop"}, "data": {"ca.crt": "x"}}},
		}}}},
	}
}

secret := {"secret": {"secretName": "ca"}}

words := {"DB_URL": "host=pg.example.com user=a dbname=b sslmode=verify-full sslrootcert=/tls/ca.crt"}

test_no_such_key if {
	told(secret, {}, words) == {"DB_URL of Deployment web names /tls/ca.crt, and Secret ca, which is mounted there, has the keys psql.ca: the file is not there. Give the key the name of the file, or name the file that is there."}
	count(told(secret, {}, {"PGHOST": "pg.example.com", "PGSSLMODE": "verify-full", "PGSSLROOTCERT": "/tls/ca.crt"})) == 1
	count(told({"projected": {"sources": [{"secret": {"name": "ca"}}]}}, {}, words)) == 1
	count(told({"secret": {"secretName": "ca", "items": [{"key": "psql.ca", "path": "root.crt"}]}}, {}, words)) == 1
}

test_the_file_is_there if {
	told({"secret": {"secretName": "ca", "items": [{"key": "psql.ca", "path": "ca.crt"}]}}, {}, words) == set()
	told({"configMap": {"name": "more"}}, {}, words) == set()
	told({"projected": {"sources": [{"secret": {"name": "ca"}}, {"configMap": {"name": "more"}}]}}, {}, words) == set()
	told(secret, {"mountPath": "/tls/ca.crt", "subPath": "psql.ca"}, words) == set()
	told({"secret": {"secretName": "hidden"}}, {}, words) == set()
	told({"secret": {"secretName": "ca", "optional": true}}, {}, words) == set()
	told({"emptyDir": {}}, {}, words) == set()
}

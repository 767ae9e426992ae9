package walguard.lib.keys_test

import data.walguard.lib.keys

secrets(objects) := {"review": {"object": {"metadata": {"name": "db", "namespace": "prod"}}}, "inventory": {"namespace": {"prod": {"v1": {"Secret": objects}}}}}

test_lacking if {
	keys.lacking("Secret", "db", "password") == {"kind": "Secret", "name": "db", "key": "password", "keys": ["a", "b"]} with input as secrets({"db": {"data": {"b": "eA=="}, "stringData": {"a": "x"}}})
	not keys.lacking("Secret", "db", "b") with input as secrets({"db": {"data": {"b": "eA=="}}})
}

test_unknown if {
	not keys.lacking("Secret", "db", "password") with input as secrets({})
	not keys.lacking("Secret", "db", "password") with input as secrets({"db": {"data": {}}})
	not keys.lacking("Secret", "db", "${KEY}") with input as secrets({"db": {"data": {"b": "eA=="}}})
	not keys.lacking("Secret", "db", "password") with input as secrets({"db": {"metadata": {"annotations": {"secret-generator.v1.mittwald.de/autogenerate": "password"}}, "data": {"b": "eA=="}}})
	not keys.lacking("Secret", "db", "password") with input as secrets({"db": {"stringData": {"${KEY}": "x"}}})
}

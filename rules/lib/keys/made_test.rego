package walguard.lib.keys_made_test

import data.walguard.lib.keys

beside(objects, secrets) := {"review": {"object": {"metadata": {"name": "db", "namespace": "prod"}}}, "inventory": {"namespace": {"prod": object.union(
	{"v1": {"Secret": secrets}},
	{version: {kind: {made.metadata.name: made | some made in objects; made.apiVersion == version; made.kind == kind} |
		some one in objects
		one.apiVersion == version
		kind := one.kind
	} |
		some version in {one.apiVersion | some one in objects}
	},
)}}}

external(version, name, spec) := {"apiVersion": sprintf("external-secrets.io/%s", [version]), "kind": "ExternalSecret", "metadata": {"name": name}, "spec": spec}

fetching(more) := object.union({"data": [{"secretKey": "password"}, {"secretKey": "other"}], "target": {"name": "db"}}, more)

sealed(spec) := {"apiVersion": "bitnami.com/v1alpha1", "kind": "SealedSecret", "metadata": {"name": "db"}, "spec": spec}

lacked(objects, key) := found if found := keys.lacking("Secret", "db", key) with input as beside(objects, {})

of_external(more, key) := lacked([external("v1", "es", fetching(more))], key).keys

test_external if {
	lacked([external("v1", "es", fetching({}))], "postgres-password") == {"kind": "Secret", "name": "db", "key": "postgres-password", "keys": ["other", "password"]}
	lacked([external("v1beta1", "db", {"data": [{"secretKey": "password"}]})], "a").keys == ["password"]
	of_external({"target": {"creationPolicy": "Orphan"}}, "a") == ["other", "password"]
	not of_external({}, "password")
	not of_external({"data": []}, "a")
	not of_external({"dataFrom": [{"extract": {"key": "x"}}]}, "a")
	not of_external({"target": {"creationPolicy": "Merge"}}, "a")
	not lacked([external("v1", "es", {"data": [{"secretKey": "${KEY}"}], "target": {"name": "db"}})], "a")
	not lacked([external("v1", "es", fetching({"target": {"name": "another"}}))], "a")
	not lacked([external("v1", "es", fetching({})), external("v1", "es2", fetching({}))], "a")
	not keys.lacking("ConfigMap", "db", "a") with input as beside([external("v1", "es", fetching({}))], {})
}

test_placeholders if {
	not keys.lacking("Secret", "db", "${KEY}") with input as beside([external("v1", "es", fetching({}))], {})
	not keys.lacking("Secret", "${NAME}", "a") with input as beside([external("v1", "es", {"data": [{"secretKey": "password"}], "target": {"name": "${NAME}"}})], {})
}

# The Secret itself goes before what makes it.
test_beside_the_secret if {
	not keys.lacking("Secret", "db", "a") with input as beside([external("v1", "es", fetching({}))], {"db": {"data": {"a": "eA=="}}})
	found := keys.lacking("Secret", "db", "a") with input as beside([external("v1", "es", fetching({}))], {"db": {"data": {"b": "eA=="}}})
	found.keys == ["b"]
}

test_template if {
	of_external({"target": {"template": {"type": "Opaque"}}}, "a") == ["other", "password"]
	of_external({"target": {"template": {"data": {"uri": "x"}}}}, "password") == ["uri"]
	not of_external({"target": {"template": {"data": {"a": "x"}}}}, "a")
	of_external({"target": {"template": {"data": {"uri": "x"}, "mergePolicy": "Merge"}}}, "a") == ["other", "password", "uri"]
	not of_external({"target": {"template": {"templateFrom": [{"configMap": {"name": "x"}}]}}}, "a")
	not of_external({"target": {"template": {"metadata": {"annotations": {"replicator.v1.mittwald.de/replicate-from": "x"}}}}}, "a")
}

test_sealed if {
	lacked([sealed({"encryptedData": {"password": "x"}, "template": {"data": {"username": "x"}}})], "a").keys == ["password", "username"]
	not lacked([sealed({"encryptedData": {"password": "x"}})], "password")
	not lacked([sealed({"encryptedData": {"password": "x"}, "template": {"data": {"username": "x"}}})], "username")
	not lacked([sealed({"encryptedData": {"password": "x"}, "template": {"metadata": {"annotations": {"sealedsecrets.bitnami.com/patch": "true"}}}})], "a")
	not lacked([object.union(sealed({"encryptedData": {"password": "x"}}), {"metadata": {"labels": {"reflector": "x"}}})], "a")
	not lacked([sealed({"encryptedData": {}})], "a")
}

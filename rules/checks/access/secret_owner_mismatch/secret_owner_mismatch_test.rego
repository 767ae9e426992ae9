package walguard.checks.access.secret_owner_mismatch_test

import data.walguard.checks.access.secret_owner_mismatch as check
import data.walguard.lib.manifest_test as manifests

secret(content) := {"namespace": {"prod": {"v1": {"Secret": {"orders-app": object.union({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "orders-app", "namespace": "prod"}}, content)}}}}}

reviewed(content) := object.union(
	manifests.review({}, {"bootstrap": {"initdb": {"database": "orders", "owner": "orders", "secret": {"name": "orders-app"}}}}),
	{"inventory": secret(content)},
)

test_another_user if {
	check.findings == {{
		"message": "The database belongs to orders, but Secret orders-app is for user shop: the operator refuses it and orders gets no password. Use one name in both.",
		"path": ["spec", "bootstrap", "initdb", "owner"],
	}} with input as reviewed({"stringData": {"username": "shop"}})
	found := check.findings with input as reviewed({"data": {"username": base64.encode("shop")}})
	count(found) == 1
}

test_line_break if {
	check.findings == {{
		"message": "The username in Secret orders-app ends with a space or line break, so that it is not orders: the operator refuses it. Encode it without (echo -n).",
		"path": ["spec", "bootstrap", "initdb", "owner"],
	}} with input as reviewed({"data": {"username": "b3JkZXJzCg=="}})
}

test_the_same_user if {
	check.findings == set() with input as reviewed({"stringData": {"username": "orders"}})
	check.findings == set() with input as reviewed({"stringData": {"username": "orders"}, "data": {"username": base64.encode("shop")}})
}

test_silent_when_unknown if {
	check.findings == set() with input as reviewed({})
	check.findings == set() with input as reviewed({"data": {"username": "no base64!"}})
	check.findings == set() with input as reviewed({"stringData": {"username": "ENC[AES256_GCM,data:F0vF6r3j9A==,iv:g4XEtejFtmSe,tag:Alw7geRUIcJQ,type:str]"}})
	check.findings == set() with input as json.patch(
		reviewed({"stringData": {"username": "orders"}}),
		[{"op": "replace", "path": "/review/object/spec/bootstrap/initdb/owner", "value": "${APP}"}],
	)
	check.findings == set() with input as manifests.review({}, {"bootstrap": {"initdb": {"owner": "orders", "secret": {"name": "orders-app"}}}})
}

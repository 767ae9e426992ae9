package walguard.checks.access.secret_key_missing_test

import data.walguard.checks.access.secret_key_missing as check

findings(object, secret) := found if found := check.findings with input as {
	"review": {"object": object},
	"inventory": {"namespace": {"prod": {"v1": {"Secret": {"db": {"kind": "Secret", "metadata": {"name": "db", "namespace": "prod"}, "stringData": secret}}}}}},
}

workload(reference, volumes) := {
	"apiVersion": "apps/v1",
	"kind": "StatefulSet",
	"metadata": {"name": "db", "namespace": "prod"},
	"spec": {"template": {"spec": {
		"containers": [{"name": "postgres", "image": "postgres:17.6", "env": [{"name": "POSTGRES_PASSWORD", "valueFrom": {"secretKeyRef": object.union({"name": "db", "key": "password"}, reference)}}]}],
		"volumes": volumes,
	}}},
}

cnpg(spec) := {"apiVersion": "postgresql.cnpg.io/v1", "kind": "Cluster", "metadata": {"name": "db", "namespace": "prod"}, "spec": spec}

test_environment if {
	findings(workload({}, []), {"postgres-password": "x", "username": "app"}) == {{
		"message": "Secret db has no key password (it has postgres-password and username): the container is not created. Add the key, or name the right one.",
		"path": ["spec", "template", "spec", "containers", 0, "env", 0, "valueFrom", "secretKeyRef"],
	}}
}

test_volume if {
	{f.path | some f in findings(workload({}, [{"name": "tls", "secret": {"secretName": "db", "items": [{"key": "tls.key", "path": "key"}]}}]), {"password": "x"})} == {["spec", "template", "spec", "volumes", 0, "secret", "items", 0, "key"]}
}

test_owner_in_cloudnativepg if {
	findings(cnpg({"bootstrap": {"initdb": {"secret": {"name": "db"}}}}), {"POSTGRES_PASSWORD": "x", "username": "app"}) == {{
		"message": "Secret db has no key password (it has POSTGRES_PASSWORD and username): the cluster is not created. Add the key, or name the right one.",
		"path": ["spec", "bootstrap", "initdb", "secret", "name"],
	}}
}

test_store_in_cloudnativepg if {
	store := {"s3Credentials": {"accessKeyId": {"name": "db", "key": "ACCESS_KEY_ID"}, "secretAccessKey": {"name": "db", "key": "SECRET_KEY"}}}
	{f.path | some f in findings(cnpg({"backup": {"barmanObjectStore": store}}), {"ACCESS_KEY_ID": "x", "ACCESS_SECRET_KEY": "y"})} == {["spec", "backup", "barmanObjectStore", "s3Credentials", "secretAccessKey", "key"]}
}

test_files_in_cloudnativepg if {
	files := {"postInitApplicationSQLRefs": {"secretRefs": [{"name": "db", "key": "init.sql"}]}}
	count(findings(cnpg({"bootstrap": {"initdb": files}}), {"password": "x", "username": "y"})) == 1
}

test_not_reported if {
	findings(workload({}, []), {"password": "x"}) == set()
	findings(workload({"optional": true}, []), {"other": "x"}) == set()
}

test_silent_when_unknown if {
	findings(workload({}, []), {}) == set()
	findings(workload({"key": "${KEY}"}, []), {"other": "x"}) == set()
	findings(workload({"name": "elsewhere"}, []), {"other": "x"}) == set()
}

issued(spec, certificate) := found if found := check.findings with input as {
	"review": {"object": cnpg({"certificates": spec})},
	"inventory": {"namespace": {"prod": {"cert-manager.io/v1": {"Certificate": {"ca": {
		"apiVersion": "cert-manager.io/v1",
		"kind": "Certificate",
		"metadata": {"name": "ca", "namespace": "prod"},
		"spec": certificate,
	}}}}}},
}

test_authority_without_its_key if {
	findings(cnpg({"certificates": {"clientCASecret": "db"}}), {"ca.crt": "x"}) == {{
		"message": "Secret db has no key ca.key (it has ca.crt): without replicationTLSSecret the operator signs the certificate of streaming_replica itself, fails with \"missing ca.key secret data\" and starts no instance. Name a Secret with that certificate in replicationTLSSecret.",
		"path": ["spec", "certificates", "clientCASecret"],
	}}
	{[f.path, contains(f.message, "(it has tls.crt and tls.key): without serverTLSSecret")] | some f in issued({"serverCASecret": "db"}, {"secretName": "db"})} == {[["spec", "certificates", "serverCASecret"], true]}
	findings(cnpg({"certificates": {"clientCASecret": "db", "replicationTLSSecret": "r"}}), {"ca.crt": "x"}) == set()
	findings(cnpg({"certificates": {"clientCASecret": "db"}}), {"ca.crt": "x", "ca.key": "y"}) == set()
	issued({"serverCASecret": "other"}, {"secretName": "db"}) == set()
	issued({"serverCASecret": "${CA}"}, {"secretName": "${CA}"}) == set()
}

# An application that takes the password from the Secret of the server.
client(key) := {f.path |
	found := check.findings with input as {
		"review": {"object": workload({}, [])},
		"inventory": {"namespace": {"prod": {
			"v1": {"Secret": {
				"db": {"kind": "Secret", "metadata": {"name": "db", "namespace": "prod"}, "stringData": {"password": "x"}},
				"web": {"kind": "Secret", "metadata": {"name": "web", "namespace": "prod"}, "stringData": {"token": "x"}},
			}},
			"apps/v1": {"Deployment": {"web": {
				"apiVersion": "apps/v1",
				"kind": "Deployment",
				"metadata": {"name": "web", "namespace": "prod"},
				"spec": {"template": {"spec": {"containers": [{"name": "web", "image": "web:1", "env": [
					{"name": "DB_PASSWORD", "valueFrom": {"secretKeyRef": {"name": "db", "key": key}}},
					{"name": "TOKEN", "valueFrom": {"secretKeyRef": {"name": "web", "key": "other"}}},
				]}]}}},
			}}},
		}}},
	}
	some f in found
	f.resource.kind == "Deployment"
}

test_client if {
	client("postgresql-password") == {["spec", "template", "spec", "containers", 0, "env", 0, "valueFrom", "secretKeyRef"]}
	client("password") == set()
}

kubegres(key) := {"apiVersion": "kubegres.reactive-tech.io/v1", "kind": "Kubegres", "metadata": {"name": "db", "namespace": "prod"}, "spec": {"env": [{"name": "POSTGRES_PASSWORD", "valueFrom": {"secretKeyRef": {"name": "db", "key": key}}}]}}

zalando(spec) := {"apiVersion": "acid.zalan.do/v1", "kind": "postgresql", "metadata": {"name": "acid-db", "namespace": "prod"}, "spec": spec}

test_environment_of_operators if {
	{f.path | some f in findings(kubegres("superUserPassword"), {"password": "x"})} == {["spec", "env", 0, "valueFrom", "secretKeyRef"]}
	findings(kubegres("password"), {"password": "x"}) == set()
	variable := {"name": "AWS_ACCESS_KEY_ID", "valueFrom": {"secretKeyRef": {"name": "db", "key": "access"}}}
	{f.path | some f in findings(zalando({"env": [variable]}), {"password": "x"})} == {["spec", "env", 0, "valueFrom", "secretKeyRef"]}
	{f.path | some f in findings(zalando({"sidecars": [{"name": "exporter", "env": [variable]}]}), {"password": "x"})} == {["spec", "sidecars", 0, "env", 0, "valueFrom", "secretKeyRef"]}
	findings(zalando({"env": [variable]}), {"access": "x"}) == set()
}

stackgres(credentials, secret) := found if found := check.findings with input as {
	"review": {"object": {"apiVersion": "stackgres.io/v1", "kind": "SGCluster", "metadata": {"name": "db", "namespace": "prod"}, "spec": {"configurations": object.union({"backups": [{"sgObjectStorage": "store"}]}, credentials)}}},
	"inventory": {"namespace": {"prod": {
		"v1": {"Secret": {"db": {"kind": "Secret", "metadata": {"name": "db", "namespace": "prod"}, "stringData": secret}}},
		"stackgres.io/v1beta1": {"SGObjectStorage": {"store": {
			"apiVersion": "stackgres.io/v1beta1", "kind": "SGObjectStorage", "metadata": {"name": "store", "namespace": "prod"},
			"spec": {"type": "s3", "s3": {"bucket": "b", "awsCredentials": {"secretKeySelectors": {"accessKeyId": {"name": "db", "key": "accesskey"}, "secretAccessKey": {"name": "db", "key": "secretkey"}}}}},
		}}},
	}}},
}

test_store_of_stackgres if {
	stackgres({}, {"accesskey": "x", "secret": "y"}) == {{
		"message": "Secret db has no key secretkey (it has accesskey and secret): nothing is archived or backed up. Add the key, or name the right one.",
		"path": ["spec", "s3", "awsCredentials", "secretKeySelectors", "secretAccessKey"],
		"resource": {"apiVersion": "stackgres.io/v1beta1", "kind": "SGObjectStorage", "name": "store", "namespace": "prod"},
	}}
	stackgres({}, {"accesskey": "x", "secretkey": "y"}) == set()
	stackgres({}, {}) == set()
	users := {"credentials": {"users": {"superuser": {"password": {"name": "db", "key": "pw"}}}}}
	{f.path | some f in stackgres(users, {"accesskey": "x", "secretkey": "y"})} == {["spec", "configurations", "credentials", "users", "superuser", "password"]}
}

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

test_many_keys if {
	{f.message | some f in findings(workload({}, []), {name: "x" | some name in ["a", "b", "c", "d", "e", "f", "g"]})} == {"Secret db has no key password (it has a, b, c, d, e and 2 more): the container is not created. Add the key, or name the right one."}
	{f.message | some f in findings(workload({}, []), {name: "x" | some name in ["a", "b", "c", "d", "e", "f"]})} == {"Secret db has no key password (it has a, b, c, d, e and f): the container is not created. Add the key, or name the right one."}
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

# Without any data.
hollow(secret, more) := {f.message |
	found := check.findings with input as {
		"review": {"object": workload({}, [])},
		"inventory": {"live": object.get(more, "live", false), "namespace": {"prod": object.union({"v1": {"Secret": {"db": object.union({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "db", "namespace": "prod"}}, secret)}}}, more)}},
	}
	some f in found
}

beside(version, kind, name, spec) := {version: {kind: {name: {"apiVersion": version, "kind": kind, "metadata": {"name": name, "namespace": "prod"}, "spec": spec}}}}

test_hollow if {
	every secret in [{}, {"type": "Opaque"}, {"data": {}}, {"stringData": null}, {"metadata": {"labels": {"app": "db"}, "annotations": {"meta.helm.sh/release-name": "db"}}}] {
		hollow(secret, {}) == {"Secret db has no key password (it has no data at all): the container is not created. Add the key, or name the right one."}
	}
	count(hollow({}, beside("cert-manager.io/v1", "Certificate", "tls", {"secretName": "tls"}))) == 1
	count(hollow({}, beside("networking.k8s.io/v1", "Ingress", "db", {}))) == 1
}

test_hollow_that_somebody_fills if {
	every secret in [
		{"type": "kubernetes.io/service-account-token"},
		{"data": "${DATA}"},
		{"metadata": {"annotations": {"avp.kubernetes.io/path": "db"}}},
		{"metadata": {"labels": {"replicator": "x"}}},
		{"metadata": {"ownerReferences": [{"kind": "App"}]}},
	] {
		hollow(secret, {}) == set()
	}
	hollow({}, beside("external-secrets.io/v1", "ExternalSecret", "db", {})) == set()
	hollow({}, beside("external-secrets.io/v1", "ExternalSecret", "password", {"target": {"name": "db"}})) == set()
	hollow({}, {"live": true}) == set()
	findings(workload({"optional": true}, []), {}) == set()
}

test_silent_when_unknown if {
	findings(workload({"name": "${SECRET}"}, []), {}) == set()
	findings(workload({"key": "${KEY}"}, []), {}) == set()
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
client(key) := client_with("DB_PASSWORD", key)

client_with(variable, key) := {f.path |
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
					{"name": variable, "valueFrom": {"secretKeyRef": {"name": "db", "key": key}}},
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

# A pooler that takes it from a file.
mounting(secret, key) := {[f.resource.name, f.path] |
	found := check.findings with input as {
		"review": {"object": workload({}, [])},
		"inventory": {"namespace": {"prod": {
			"v1": {"Secret": {
				"db": {"kind": "Secret", "metadata": {"name": "db", "namespace": "prod"}, "stringData": {"key": "x", "password": "x"}},
				"web": {"kind": "Secret", "metadata": {"name": "web", "namespace": "prod"}, "stringData": {"token": "x"}},
			}},
			"apps/v1": {"Deployment": {"pgpool": {
				"apiVersion": "apps/v1",
				"kind": "Deployment",
				"metadata": {"name": "pgpool", "namespace": "prod"},
				"spec": {"template": {"spec": {
					"containers": [{"name": "pgpool", "image": "bitnami/pgpool:4"}],
					"volumes": [{"name": "password", "secret": {"secretName": secret, "items": [{"key": key, "path": "password"}]}}],
				}}},
			}}},
		}}},
	}
	some f in found
}

test_volume_of_a_client if {
	mounting("db", "postgresql-password") == {["pgpool", ["spec", "template", "spec", "volumes", 0, "secret", "items", 0, "key"]]}
	mounting("db", "password") == set()
	mounting("web", "other") == set()
	mounting("elsewhere", "other") == set()
}

# What else CloudNativePG reads of Secrets: {path: message up to the cure}.
of_cluster(spec, secret, others) := {f.path: split(f.message, ": ")[1] |
	found := check.findings with input as {
		"review": {"object": cnpg(spec)},
		"inventory": {"namespace": {"prod": object.union(others, {"v1": {
			"Secret": {"db": {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "db", "namespace": "prod"}, "stringData": secret}},
			"ConfigMap": {"db": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "db", "namespace": "prod"}, "data": secret}},
		}})}},
	}
	some f in found
}

store(field) := {"barmancloud.cnpg.io/v1": {"ObjectStore": {"backups": {
	"apiVersion": "barmancloud.cnpg.io/v1",
	"kind": "ObjectStore",
	"metadata": {"name": "backups", "namespace": "prod"},
	"spec": {"configuration": {"destinationPath": "s3://b/", "s3Credentials": {field: {"name": "db", "key": "KEY"}}}},
}}}}

plugin := {"name": "barman-cloud.cloudnative-pg.io", "isWALArchiver": true, "parameters": {"barmanObjectName": "backups"}}

source := {"bootstrap": {"recovery": {"source": "old"}}}

test_roles_in_cloudnativepg if {
	roles := {"managed": {"roles": [{"name": "web", "passwordSecret": {"name": "db"}}, {"name": "gone", "ensure": "absent", "passwordSecret": {"name": "db"}}]}}
	of_cluster(roles, {"password": "x"}, {}) == {["spec", "managed", "roles", 0, "passwordSecret", "name"]: "the operator does not create role web or set its password. Add the key, or name the right one."}
	of_cluster(roles, {"password": "x", "username": "web"}, {}) == {}
	of_cluster({"bootstrap": {"recovery": {"secret": {"name": "db"}}}}, {"password": "x"}, {}) == {["spec", "bootstrap", "recovery", "secret", "name"]: "the operator does not set the password of the owner. Add the key, or name the right one."}
}

test_stores_of_the_plugin if {
	every field in ["accessKeyId", "secretAccessKey", "region", "sessionToken"] {
		of_cluster({"plugins": [plugin]}, {"OTHER": "x"}, store(field)) == {["spec", "configuration", "s3Credentials", field, "key"]: "nothing is archived or backed up. Add the key, or name the right one."}
		of_cluster({"plugins": [plugin]}, {"KEY": "x"}, store(field)) == {}
	}
	of_cluster({"plugins": [object.union(plugin, {"enabled": false})]}, {"OTHER": "x"}, store("region")) == {}
	of_cluster({"plugins": [object.union(plugin, {"parameters": {"barmanObjectName": "others"}})]}, {"OTHER": "x"}, store("region")) == {}
	restored := object.union(source, {"externalClusters": [{"name": "old", "plugin": plugin}]})
	of_cluster(restored, {"OTHER": "x"}, store("region")) == {["spec", "configuration", "s3Credentials", "region", "key"]: "nothing is restored from there. Add the key, or name the right one."}
}

test_sources if {
	reference := {"name": "db", "key": "KEY"}
	every field in ["password", "sslKey", "sslCert", "sslRootCert"] {
		copied := {"bootstrap": {"pg_basebackup": {"source": "old"}}, "externalClusters": [{"name": "old", field: reference}, {"name": "unused", field: reference}]}
		of_cluster(copied, {"OTHER": "x"}, {}) == {["spec", "externalClusters", 0, field, "key"]: "nothing connects to old. Add the key, or name the right one."}
		of_cluster(copied, {"KEY": "x"}, {}) == {}
	}
	restored := object.union(source, {"externalClusters": [{"name": "old", "barmanObjectStore": {"endpointCA": reference}}]})
	of_cluster(restored, {"OTHER": "x"}, {}) == {["spec", "externalClusters", 0, "barmanObjectStore", "endpointCA", "key"]: "nothing is restored from there. Add the key, or name the right one."}
}

test_pods_in_cloudnativepg if {
	reference := {"name": "db", "key": "KEY"}
	of_cluster({"env": [{"name": "A", "valueFrom": {"secretKeyRef": reference}}]}, {"OTHER": "x"}, {}) == {["spec", "env", 0, "valueFrom", "secretKeyRef"]: "the container is not created. Add the key, or name the right one."}
	of_cluster({"env": [{"name": "A", "valueFrom": {"secretKeyRef": object.union(reference, {"optional": true})}}]}, {"OTHER": "x"}, {}) == {}
	every field in ["secret", "configMap"] {
		of_cluster({"projectedVolumeTemplate": {"sources": [{field: {"name": "db", "items": [{"key": "KEY", "path": "a"}]}}]}}, {"OTHER": "x"}, {}) == {["spec", "projectedVolumeTemplate", "sources", 0, field, "items", 0, "key"]: "the pod does not start. Add the key, or name the right one."}
		of_cluster({"projectedVolumeTemplate": {"sources": [{field: {"name": "db", "optional": true, "items": [{"key": "KEY", "path": "a"}]}}]}}, {"OTHER": "x"}, {}) == {}
	}
}

test_certificates_in_cloudnativepg if {
	every field, key in {"serverCASecret": "ca.crt", "serverTLSSecret": "tls.key", "clientCASecret": "ca.crt", "replicationTLSSecret": "tls.key"} {
		others := {"serverTLSSecret": "s", "replicationTLSSecret": "r", "serverCASecret": "a", "clientCASecret": "b"}
		whole := {"tls.crt": "x", "tls.key": "y", "ca.crt": "z"}
		spec := {"certificates": object.union(others, {field: "db"})}
		of_cluster(spec, object.remove(whole, [key]), {}) == {["spec", "certificates", field]: "the operator fails with \"missing secret data\" and starts no instance. Add the key, or name the right one."}
		of_cluster(spec, whole, {}) == {}
	}
}

# A Secret of the whole application holds what is none of the server's.
test_keys_that_are_none_of_the_server if {
	every names in [["GF_SECURITY_ADMIN_PASSWORD", "admin-password"], ["AUTH0_ISSUER_URL", "auth0-issuer-url"], ["DEBUG", "upgrade"]] {
		client_with(names[0], names[1]) == set()
	}
	every names in [["DATABASE_URL", "url"], ["PASSWORD", "postgres-auth"], ["PGUSER", "user"], ["APP_DB_USER", "user"], ["x", "app-pg"], ["SPRING_JDBC", "x"], ["SPRING_DATASOURCE_PASSWORD", "x"], ["PASSWORD", "x"], ["ConnectionStrings__Default", "x"]] {
		count(client_with(names[0], names[1])) == 1
	}
}

pooled(pooler, others) := found if found := check.findings with input as {
	"review": {"object": cnpg({"certificates": {"clientCASecret": "ca", "replicationTLSSecret": "replication"}})},
	"inventory": {"namespace": {"prod": {
		"postgresql.cnpg.io/v1": {"Pooler": {"rw": {"metadata": {"name": "rw", "namespace": "prod"}, "spec": {"cluster": {"name": "db"}, "pgbouncer": pooler}}}},
		"v1": {"Secret": object.union({"ca": {"kind": "Secret", "metadata": {"name": "ca", "namespace": "prod"}, "stringData": {"ca.crt": "x"}}}, others)},
	}}},
}

test_pooler_of_the_operator if {
	pooled({"poolMode": "session"}, {}) == {{
		"message": "Secret ca has no key ca.key (it has ca.crt): the operator signs the certificate of Pooler rw with it, and stops at \"missing ca.key secret data\". Add ca.key, or give the Pooler authQuery and authQuerySecret.",
		"path": ["spec", "certificates", "clientCASecret"],
	}}
}

test_pooler_that_needs_no_certificate_of_the_operator if {
	pooled({"authQuery": "SELECT 1", "authQuerySecret": {"name": "own"}}, {}) == set()
	pooled({"serverTLSSecret": {"name": "own"}}, {}) == set()
	pooled({"poolMode": "session"}, {"db-pooler": {"kind": "Secret", "metadata": {"name": "db-pooler", "namespace": "prod"}}}) == set()
	pooled(null, {}) == set()
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
		"message": "Secret db has no key secretkey (it has accesskey and secret): the operator creates and changes nothing without it. Add the key, or name the right one.",
		"path": ["spec", "s3", "awsCredentials", "secretKeySelectors", "secretAccessKey", "key"],
		"resource": {"apiVersion": "stackgres.io/v1beta1", "kind": "SGObjectStorage", "name": "store", "namespace": "prod"},
	}}
	stackgres({}, {"accesskey": "x", "secretkey": "y"}) == set()
	stackgres({}, {}) == set()
	users := {"credentials": {"users": {"superuser": {"password": {"name": "db", "key": "pw"}}}}}
	{f.path | some f in stackgres(users, {"accesskey": "x", "secretkey": "y"})} == {["spec", "configurations", "credentials", "users", "superuser", "password", "key"]}
}

# The files that a plain server is told to read.
told(args, mounted, volume, texts) := found if found := check.findings with input as {
	"review": {"object": {
		"apiVersion": "apps/v1",
		"kind": "StatefulSet",
		"metadata": {"name": "db", "namespace": "prod"},
		"spec": {"template": {"spec": {
			"containers": [{"name": "postgres", "image": "postgres:17.6", "args": args, "volumeMounts": [object.union({"name": "conf", "mountPath": "/etc/postgresql"}, mounted)]}],
			"volumes": [object.union({"name": "conf"}, volume)],
		}}},
	}},
	"inventory": {"namespace": {"prod": {"v1": {
		"ConfigMap": {"conf": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "conf", "namespace": "prod"}, "data": texts}},
		"Secret": {"kept": {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "kept", "namespace": "prod"}, "stringData": texts}},
	}}}},
}

by_option := ["-c", "config_file=/etc/postgresql/postgresql.conf"]

of_map := {"configMap": {"name": "conf"}}

test_file_without_a_key if {
	told(by_option, {}, of_map, {"custom.conf": "x"}) == {{
		"message": "ConfigMap conf has no key postgresql.conf (it has custom.conf): config_file names /etc/postgresql/postgresql.conf, and the server does not start without it. Give the key the name of the file, or name another file in config_file.",
		"path": ["spec", "template", "spec", "volumes", 0, "configMap", "name"],
	}}
	{f.path | some f in told(by_option, {}, {"secret": {"secretName": "kept"}}, {"custom.conf": "x"})} == {["spec", "template", "spec", "volumes", 0, "secret", "secretName"]}
	{f.message | some f in told(by_option, {}, of_map, {"postgresql.conf": "hba_file = '/etc/postgresql/pg_hba.conf'"})} == {"ConfigMap conf has no key pg_hba.conf (it has postgresql.conf): hba_file names /etc/postgresql/pg_hba.conf, and the server does not start without it. Give the key the name of the file, or name another file in hba_file."}
	{f.message | some f in told(["-c", "hba_file=/etc/postgresql/hba.conf"], {}, of_map, {"pg_hba.conf": "x"})} == {"ConfigMap conf has no key hba.conf (it has pg_hba.conf): hba_file names /etc/postgresql/hba.conf, and the server does not start without it. Give the key the name of the file, or name another file in hba_file."}
	count(told(by_option, {"mountPath": "/etc/postgresql/postgresql.conf", "subPath": "postgresql.conf"}, of_map, {"custom.conf": "x"})) == 1
}

test_files_that_are_there if {
	told(by_option, {}, of_map, {"postgresql.conf": "x"}) == set()
	told(by_option, {"mountPath": "/etc/postgresql/postgresql.conf", "subPath": "custom.conf"}, of_map, {"custom.conf": "x"}) == set()
	told(by_option, {}, {"configMap": {"name": "conf", "items": [{"key": "custom.conf", "path": "postgresql.conf"}]}}, {"custom.conf": "x"}) == set()
	told([], {}, of_map, {"custom.conf": "x"}) == set()
}

test_files_out_of_sight if {
	told(by_option, {}, {"configMap": {"name": "elsewhere"}}, {"custom.conf": "x"}) == set()
	told(by_option, {}, {"configMap": {"name": "conf", "optional": true}}, {"custom.conf": "x"}) == set()
	told(by_option, {}, {"emptyDir": {}}, {"custom.conf": "x"}) == set()
	told(["-c", "config_file=/conf/postgresql.conf"], {}, of_map, {"custom.conf": "x"}) == set()
	told(["-c", "config_file=/etc/postgresql/$(NAME)"], {}, of_map, {"custom.conf": "x"}) == set()
}

# A subPath that is no key.
test_directory_instead_of_a_file if {
	told([], {"mountPath": "/docker-entrypoint-initdb.d/init.sql", "subPath": "init.sql"}, of_map, {"setup.sql": "x"}) == {{
		"message": "ConfigMap conf has no key init.sql (it has setup.sql): an empty directory is mounted at /docker-entrypoint-initdb.d/init.sql instead of the file. Name a key of it in subPath.",
		"path": ["spec", "template", "spec", "containers", 0, "volumeMounts", 0, "subPath"],
		"severity": "warning",
	}}
	{f.severity | some f in told([], {"mountPath": "/var/lib/postgresql/data/postgresql.conf", "subPath": "pg.conf"}, {"secret": {"secretName": "kept"}}, {"postgresql.conf": "x"})} == {"error"}
	{f.severity | some f in told(by_option, {"subPath": "etc"}, of_map, {"custom.conf": "x"})} == {"error"}
	told([], {"mountPath": "/etc/a.conf", "subPath": "a.conf/"}, of_map, {"a.conf": "x"}) == set()
	told([], {"mountPath": "/etc/a.conf", "subPath": "a.conf"}, {"configMap": {"name": "conf", "items": [{"key": "x", "path": "a.conf"}]}}, {"x": "x"}) == set()
	told([], {"mountPath": "/etc/a.conf", "subPath": "a.conf"}, {"emptyDir": {}}, {"x": "x"}) == set()
	told([], {"mountPath": "/etc/a.conf", "subPath": "${FILE}"}, of_map, {"x": "x"}) == set()
	told(["-c", "hba_file=/etc/pg_hba.conf"], {"mountPath": "/etc/pg_hba.conf", "subPath": "hba"}, of_map, {"x": "x"}) != told([], {"mountPath": "/etc/pg_hba.conf", "subPath": "hba"}, of_map, {"x": "x"})
}

package walguard.checks.backup.store_unusable_test

import data.walguard.checks.backup.store_unusable as check

cluster(spec) := {"apiVersion": "postgresql.cnpg.io/v1", "kind": "Cluster", "metadata": {"name": "orders", "namespace": "prod"}, "spec": spec}

stored(store) := found if found := check.findings with input as {"review": {"object": cluster({"backup": {"barmanObjectStore": store}})}}

plugin(store) := found if found := check.findings with input as {
	"review": {"object": cluster({"plugins": [{"name": "barman-cloud.cloudnative-pg.io", "isWALArchiver": true, "parameters": {"barmanObjectName": "store"}}]})},
	"inventory": {"namespace": {"prod": {"barmancloud.cnpg.io/v1": {"ObjectStore": {"store": {
		"apiVersion": "barmancloud.cnpg.io/v1",
		"kind": "ObjectStore",
		"metadata": {"name": "store", "namespace": "prod"},
		"spec": {"configuration": store},
	}}}}}},
}

pgbackrest(section, objects) := found if found := check.findings with input as {
	"review": {"object": {
		"apiVersion": "postgres-operator.crunchydata.com/v1beta1",
		"kind": "PostgresCluster",
		"metadata": {"name": "orders", "namespace": "prod"},
		"spec": {"backups": {"pgbackrest": section}},
	}},
	"inventory": {"namespace": {"prod": {"v1": objects}}},
}

repository := {"name": "repo1", "s3": {"bucket": "b", "endpoint": "s3.eu-west-1.amazonaws.com", "region": "eu-west-1"}}

secret(content) := {"Secret": {"keys": object.union({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "keys", "namespace": "prod"}}, content)}}

test_scheme_of_another_provider if {
	plugin({"destinationPath": "gcs://backups/orders", "googleCredentials": {"gkeEnvironment": true}}) == {{
		"message": "gcs://backups/orders is not a place in Google Cloud Storage, so that nothing is archived, backed up or read there. Write gs://BUCKET/PATH.",
		"path": ["spec", "configuration", "destinationPath"],
		"resource": {"apiVersion": "barmancloud.cnpg.io/v1", "kind": "ObjectStore", "name": "store", "namespace": "prod"},
	}}
	{f.path | some f in stored({"destinationPath": "azure://account/backups/", "azureCredentials": {"inheritFromAzureAD": true}})} == {["spec", "backup", "barmanObjectStore", "destinationPath"]}
	count(stored({"destinationPath": "https://account.blob.core.windows.net", "azureCredentials": {"inheritFromAzureAD": true}})) == 1
	count(stored({"destinationPath": "backups/orders", "s3Credentials": {"inheritFromIAMRole": true}})) == 1
}

test_places if {
	stored({"destinationPath": "gs://backups/orders", "googleCredentials": {"gkeEnvironment": true}}) == set()
	stored({"destinationPath": "https://account.blob.core.windows.net/backups/", "azureCredentials": {"inheritFromAzureAD": true}}) == set()
	stored({"destinationPath": "http://azurite:10000/devstoreaccount1/backups", "azureCredentials": {"connectionString": {"name": "a", "key": "b"}}}) == set()
	stored({"destinationPath": "s3://backups", "endpointURL": "http://minio:9000", "s3Credentials": {"inheritFromIAMRole": true}}) == set()
}

test_endpoint_without_scheme if {
	stored({"destinationPath": "s3://backups/", "endpointURL": "minio:9000", "s3Credentials": {"inheritFromIAMRole": true}}) == {{
		"message": "The endpoint minio:9000 has no scheme, which boto3 refuses, so that nothing is archived, backed up or read there. Write https://minio:9000, or http:// where the store has no TLS.",
		"path": ["spec", "backup", "barmanObjectStore", "endpointURL"],
	}}
}

at(endpoint, bucket) := stored({"destinationPath": sprintf("s3://%s/orders/", [bucket]), "endpointURL": endpoint, "s3Credentials": {"inheritFromIAMRole": true}})

test_bucket_in_the_endpoint if {
	at("https://pg-dev.nbg1.example.com/", "pg-dev") == {{
		"message": "The endpoint https://pg-dev.nbg1.example.com/ begins with bucket pg-dev, which the client adds once more: backups go astray, and no restore finds them. Write https://nbg1.example.com.",
		"path": ["spec", "backup", "barmanObjectStore", "endpointURL"],
	}}
	in_pgbackrest := pgbackrest({"repos": [{"name": "repo1", "s3": {"bucket": "pg-dev", "endpoint": "pg-dev.s3.eu-west-1.amazonaws.com", "region": "eu-west-1"}}], "configuration": [{"secret": {"name": "elsewhere"}}]}, {})
	{[f.path, endswith(f.message, "Write s3.eu-west-1.amazonaws.com.")] | some f in in_pgbackrest} == {[["spec", "backups", "pgbackrest", "repos", 0, "s3", "endpoint"], true]}
}

test_endpoint_with_a_style if {
	styled := {"repos": [{"name": "repo1", "s3": {"bucket": "pg-dev", "endpoint": "pg-dev.s3.eu-west-1.amazonaws.com", "region": "eu-west-1"}}], "global": {"repo1-s3-uri-style": "path"}, "configuration": [{"secret": {"name": "elsewhere"}}]}
	pgbackrest(styled, {}) == set()
}

# A provider's own host, and a Service, may be called as a bucket.
test_endpoint_that_is_none if {
	at("https://nbg1.example.com", "pg-dev") == set()
	at("https://s3.example.com", "s3") == set()
	at("http://minio.storage:9000", "minio") == set()
	at("http://backups.storage.svc.cluster.local:9000", "backups") == set()
	at("https://${BUCKET}.example.com", "${BUCKET}") == set()
}

test_option_and_value_in_one_argument if {
	stored({
		"data": {"additionalCommandArgs": ["--max-archive-size 16GB", "--min-chunk-size=5MB", "--read-timeout=60", "-e AES256"]},
		"wal": {"archiveAdditionalCommandArgs": ["--tags owner=me"]},
	}) == {
		{
			"message": "\"--max-archive-size 16GB\" reaches Barman Cloud as one word, which it does not know: every base backup fails. Write \"--max-archive-size=16GB\".",
			"path": ["spec", "backup", "barmanObjectStore", "data", "additionalCommandArgs", 0],
		},
		{
			"message": "\"--tags owner=me\" reaches Barman Cloud as one word, which it does not know: no WAL is archived, and it fills the volume. Write \"--tags=owner=me\".",
			"path": ["spec", "backup", "barmanObjectStore", "wal", "archiveAdditionalCommandArgs", 0],
		},
	}
}

test_store_that_it_is_recovered_from if {
	found := check.findings with input as {"review": {"object": cluster({"externalClusters": [{"name": "old", "barmanObjectStore": {"destinationPath": "gcs://b", "googleCredentials": {"gkeEnvironment": true}}}]})}}
	{f.path | some f in found} == {["spec", "externalClusters", 0, "barmanObjectStore", "destinationPath"]}
}

test_keys_that_pgbackrest_does_not_read if {
	pgbackrest({"repos": [repository], "configuration": [{"secret": {"name": "keys"}}]}, secret({"stringData": {"repo1-s3-key": "a", "repo1-s3-key-secret": "b"}})) == {{
		"message": "pgBackRest reads files that end in .conf, and Secret keys has none, so that it never gets the keys of repo1 and nothing is archived or backed up. Put them into a key such as s3.conf, as lines below [global]: repo1-s3-key=….",
		"path": ["spec", "backups", "pgbackrest", "configuration"],
	}}
}

test_keys_that_it_reads if {
	pgbackrest({"repos": [repository], "configuration": [{"secret": {"name": "keys"}}]}, secret({"stringData": {"s3.conf": "a"}})) == set()
	pgbackrest({"repos": [repository], "configuration": [{"secret": {"name": "keys", "items": [{"key": "a", "path": "s3.conf"}]}}]}, secret({"data": {"a": "YQ=="}})) == set()
	pgbackrest({"repos": [repository], "global": {"repo1-s3-key-type": "web-id"}, "configuration": [{"secret": {"name": "keys"}}]}, secret({"stringData": {"ca.crt": "a"}})) == set()
	pgbackrest({"repos": [{"name": "repo1", "gcs": {"bucket": "b"}}], "configuration": [{"secret": {"name": "keys"}}]}, secret({"stringData": {"gcs-key.json": "{}"}})) == set()
}

test_website_endpoint if {
	pgbackrest({"repos": [object.union(repository, {"s3": {"endpoint": "s3-website-eu-west-1.amazonaws.com"}})], "configuration": [{"secret": {"name": "elsewhere"}}]}, {}) == {{
		"message": "The endpoint s3-website-eu-west-1.amazonaws.com serves web pages, not the API of S3, so that nothing is archived or backed up. Write s3.eu-west-1.amazonaws.com.",
		"path": ["spec", "backups", "pgbackrest", "repos", 0, "s3", "endpoint"],
	}}
}

test_silent_when_unknown if {
	stored({"destinationPath": "${PLACE}", "endpointURL": "${ENDPOINT}", "s3Credentials": {"inheritFromIAMRole": true}, "data": {"additionalCommandArgs": ["--tags ${TAGS}", 1]}}) == set()
	pgbackrest({"repos": [repository], "configuration": [{"secret": {"name": "elsewhere"}}]}, {}) == set()
	pgbackrest({"repos": [repository], "configuration": [{"secret": {"name": "keys"}}]}, secret({})) == set()
	pgbackrest({"repos": [repository], "env": [{"name": "PGBACKREST_REPO1_S3_KEY"}]}, {}) == set()
}

pgo(tag) := {"review": {"object": {
	"apiVersion": "postgres-operator.crunchydata.com/v1beta1",
	"kind": "PostgresCluster",
	"metadata": {"name": "orders", "namespace": "prod"},
	"spec": {"postgresVersion": 16, "backups": {"pgbackrest": {"image": sprintf("registry.example.com/crunchy-pgbackrest:%s", [tag])}}},
}}}

test_old_pgbackrest if {
	found := check.findings with input as pgo("centos8-2.36-0")
	{[f.path, contains(f.message, "pgBackRest 2.36")] | some f in found} == {[["spec", "backups", "pgbackrest", "image"], true]}
	check.findings == set() with input as pgo("ubi8-2.47-2")
	check.findings == set() with input as pgo("latest")
	of_pgo_4 := check.findings with input as pgo("centos8-13.6-4.7.5")
	{[f.path, contains(f.message, "is that of PGO 4.7.5")] | some f in of_pgo_4} == {[["spec", "backups", "pgbackrest", "image"], true]}
}

installed(image) := {"inventory": {"namespace": {"postgres-operator": {"apps/v1": {"Deployment": {"pgo": {
	"apiVersion": "apps/v1",
	"kind": "Deployment",
	"metadata": {"name": "pgo", "namespace": "postgres-operator"},
	"spec": {"template": {"spec": {"containers": [{"name": "operator", "env": [{"name": "RELATED_IMAGE_PGBACKREST", "value": sprintf("registry.example.com/crunchy-pgbackrest:%s", [image])}]}]}}},
}}}}}}}

# Release 5.0 is beside it.
test_old_pgbackrest_of_an_old_operator if {
	check.findings == set() with input as object.union(pgo("centos8-2.33-2"), installed("centos8-2.35-0"))
	found := check.findings with input as object.union(pgo("centos8-2.33-2"), installed("ubi8-2.47-2"))
	count(found) == 1
}

spilo(variables, spec) := {
	"review": {"object": {
		"apiVersion": "acid.zalan.do/v1",
		"kind": "postgresql",
		"metadata": {"name": "acid-orders", "namespace": "prod"},
		"spec": spec,
	}},
	"inventory": {"namespace": {"prod": {"v1": {"ConfigMap": {
		"postgres-operator": {"metadata": {"name": "postgres-operator", "namespace": "prod"}, "data": {"pod_environment_configmap": "prod/pods"}},
		"pods": {"metadata": {"name": "pods", "namespace": "prod"}, "data": variables},
	}}}}},
}

own_archive := {"AWS_ENDPOINT": "https://ceph.example.com", "AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "b", "WAL_S3_BUCKET": "c"}

cloned := {"clone": {"cluster": "acid-shop", "uid": "u", "timestamp": "2026-01-01T00:00:00+00:00"}}

test_source_without_keys if {
	found := check.findings with input as spilo(own_archive, cloned)
	{[f.path, contains(f.message, "CLONE_AWS_ACCESS_KEY_ID"), contains(f.message, "s3_access_key_id")] | some f in found} == {[["spec", "clone"], true, true]}
	standby := check.findings with input as spilo(own_archive, {"standby": {"s3_wal_path": "s3://c/spilo/acid-shop/wal/16"}})
	{[f.path, contains(f.message, "STANDBY_AWS_ACCESS_KEY_ID")] | some f in standby} == {[["spec", "standby", "s3_wal_path"], true]}
}

test_source_with_keys if {
	check.findings == set() with input as spilo(object.union(own_archive, {"CLONE_AWS_ACCESS_KEY_ID": "a", "CLONE_AWS_SECRET_ACCESS_KEY": "b"}), cloned)
	check.findings == set() with input as spilo(own_archive, {"clone": object.union(cloned.clone, {"s3_access_key_id": "a"})})
	check.findings == set() with input as spilo(own_archive, {"clone": {"cluster": "acid-shop"}})
	check.findings == set() with input as spilo(object.union(own_archive, {"AWS_ENDPOINT": "https://s3.eu-central-1.amazonaws.com"}), cloned)
	check.findings == set() with input as spilo({"WAL_S3_BUCKET": "c"}, cloned)
	check.findings == set() with input as object.remove(spilo(own_archive, cloned), ["inventory"])
}

configured_by(kubernetes) := {"inventory": {"namespace": {"ops": {"acid.zalan.do/v1": {"OperatorConfiguration": {"o": {"metadata": {"name": "o", "namespace": "ops"}, "configuration": {"kubernetes": kubernetes}}}}}}}}

test_source_of_an_operator_configuration if {
	found := check.findings with input as object.union(spilo(object.union(own_archive, {"CLONE_WAL_S3_BUCKET": "c"}), cloned), configured_by({"pod_environment_configmap": "pods"}))
	count(found) == 1

	# What a Secret brings is unknown.
	check.findings == set() with input as object.union(spilo(own_archive, cloned), configured_by({"pod_environment_configmap": "pods", "pod_environment_secret": "keys"}))
	older := {"inventory": {"namespace": {"prod": {"v1": {"ConfigMap": {"postgres-operator": {"data": {"pod_environment_secret": "keys"}}}}}}}}
	check.findings == set() with input as object.union(spilo(own_archive, cloned), older)
}

with_secret(keys, variables, configuration) := {"inventory": {"namespace": {
	"ops": {"acid.zalan.do/v1": {"OperatorConfiguration": {"o": {"metadata": {"name": "o", "namespace": "ops"}, "configuration": object.union({"kubernetes": {"pod_environment_configmap": "prod/pods", "pod_environment_secret": "keys"}}, configuration)}}}},
	"prod": {"v1": {
		"ConfigMap": {"pods": {"metadata": {"name": "pods", "namespace": "prod"}, "data": variables}},
		"Secret": {"keys": {"metadata": {"name": "keys", "namespace": "prod"}, "stringData": keys}},
	}},
}}}

test_source_beside_a_secret_in_sight if {
	pair := {"AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "b"}
	standby := {"review": spilo({}, {"standby": {"s3_wal_path": "s3://c/spilo/acid-shop/wal/16"}}).review}
	amazon := check.findings with input as object.union(standby, with_secret(pair, {"AWS_ENDPOINT": "https://s3.eu-central-1.amazonaws.com"}, {}))
	amazon == {{
		"message": "The primary of the standby is read with STANDBY_AWS_ACCESS_KEY_ID and STANDBY_AWS_SECRET_ACCESS_KEY, which are not set; the keys of the pods, AWS_ACCESS_KEY_ID, are for their own archive alone. Set both and STANDBY_AWS_ENDPOINT in the environment of the pods.",
		"path": ["spec", "standby", "s3_wal_path"],
	}}
	unnamed := check.findings with input as object.union(standby, with_secret(pair, {}, {}))
	count(unnamed) == 1
	elsewhere := check.findings with input as object.union(standby, with_secret(pair, {"AWS_ENDPOINT": "https://ceph.example.com"}, {}))
	{contains(f.message, "https://ceph.example.com knows no instance profile") | some f in elsewhere} == {true}

	check.findings == set() with input as object.union(standby, with_secret(object.union(pair, {"STANDBY_AWS_ACCESS_KEY_ID": "a", "STANDBY_AWS_SECRET_ACCESS_KEY": "b"}), {}, {}))
	check.findings == set() with input as object.union(standby, with_secret(object.union(pair, {"AWS_ENDPOINT": "https://s3.example.com"}), {}, {}))
	check.findings == set() with input as object.union(standby, with_secret({}, {}, {}))
	check.findings == set() with input as object.union(standby, with_secret(pair, {}, {"aws_or_gcp": {"kube_iam_role": "backup"}}))
	check.findings == set() with input as object.union(standby, with_secret(pair, {}, {"kubernetes": {"pod_service_account_definition": "{\"annotations\": {\"eks.amazonaws.com/role-arn\": \"a\"}}"}}))
	check.findings == set() with input as object.union(standby, with_secret(pair, {}, {"kubernetes": {"pod_environment_configmap": "prod/others"}}))
	check.findings == set() with input as {"review": {"object": object.union(standby.review.object, {"spec": {"envFrom": [{"secretRef": {"name": "more"}}]}})}, "inventory": with_secret(pair, {}, {}).inventory}
}

test_empty_value if {
	found := check.findings with input as {"review": {"object": {
		"apiVersion": "postgres-operator.crunchydata.com/v1beta1",
		"kind": "PostgresCluster",
		"metadata": {"name": "shop", "namespace": "prod"},
		"spec": {"postgresVersion": 17, "backups": {"pgbackrest": {"repos": [{"name": "repo1", "s3": {"bucket": "b", "endpoint": "ceph.example.com", "region": ""}}], "configuration": [{"secret": {"name": "elsewhere"}}]}}},
	}}}
	{[f.message, f.path] | some f in found} == {[
		"The region of the repository is empty, and pgBackRest refuses a configuration whose key has no value: nothing is archived or backed up. Write the region; for stores that know none any word will do, such as us-east-1.",
		["spec", "backups", "pgbackrest", "repos", 0, "s3", "region"],
	]}
}

test_credentials_in_part if {
	stored({"destinationPath": "s3://b", "s3Credentials": {"accessKeyId": {"name": "a", "key": "b"}}}) == {{
		"message": "s3Credentials have accessKeyId alone, so that nothing is archived, backed up or read there. Write accessKeyId and secretAccessKey, or inheritFromIAMRole: true where the pod has a role.",
		"path": ["spec", "backup", "barmanObjectStore", "s3Credentials"],
	}}
	{f.message | some f in stored({"destinationPath": "s3://b", "s3Credentials": {"region": {"name": "a", "key": "b"}}})} == {"s3Credentials name no keys, so that nothing is archived, backed up or read there. Write accessKeyId and secretAccessKey, or inheritFromIAMRole: true where the pod has a role."}
	stored({"destinationPath": "s3://b", "s3Credentials": {"inheritFromIAMRole": "${ROLE}"}}) == set()
	stored({"destinationPath": "s3://b", "{{ credentials }}": {}}) == set()
}

test_bucket_that_is_none if {
	keyed := {"configuration": [{"secret": {"name": "keys"}}]}
	{f.message | some f in pgbackrest(object.union(keyed, {"repos": [{"name": "repo1", "s3": {"bucket": "s3://orders"}}]}), {})} == {"s3://orders is not the name of a bucket, so that nothing is archived or backed up. Write the name alone, and a path in it as repo1-path below global."}
	count(pgbackrest(object.union(keyed, {"repos": [{"name": "repo1", "gcs": {"bucket": "orders/path"}}]}), {})) == 1
	pgbackrest(object.union(keyed, {"repos": [{"name": "repo1", "s3": {"bucket": "orders"}}]}), {}) == set()
	pgbackrest(object.union(keyed, {"repos": [{"name": "repo1", "s3": {"bucket": "${ENV}/orders"}}]}), {}) == set()
}

copied(clone) := found if found := check.findings with input as {"review": {"object": {
	"apiVersion": "acid.zalan.do/v1",
	"kind": "postgresql",
	"metadata": {"name": "acid-db2", "namespace": "prod"},
	"spec": {"clone": clone},
}}}

test_clone_without_a_time if {
	copied({"cluster": "acid-db", "s3_wal_path": "s3://b/spilo/acid-db/wal/17"}) == {{
		"message": "Without a timestamp the operator copies cluster acid-db while it runs, and does not read s3_wal_path. Set spec.clone.timestamp, with its time zone, to restore from the archive.",
		"path": ["spec", "clone"],
	}}
	{contains(f.message, "this is acid-db2 itself") | some f in copied({"cluster": "acid-db2"})} == {true}
	copied({"cluster": "acid-db"}) == set()
	copied({"cluster": "acid-db2", "timestamp": "2026-11-20T10:00:00+00:00", "s3_wal_path": "s3://b"}) == set()
	copied({"cluster": "${NAME}", "s3_wal_path": "s3://b"}) == set()
}

configured(clone, cloud, kubernetes, variables) := found if found := check.findings with input as {
	"review": {"object": {
		"apiVersion": "acid.zalan.do/v1",
		"kind": "postgresql",
		"metadata": {"name": "acid-db2", "namespace": "prod"},
		"spec": {"clone": object.union({"cluster": "acid-db", "timestamp": "2026-11-20T10:00:00+00:00"}, clone)},
	}},
	"inventory": {"namespace": {"ops": {
		"acid.zalan.do/v1": {"OperatorConfiguration": {"operator": {
			"apiVersion": "acid.zalan.do/v1",
			"kind": "OperatorConfiguration",
			"metadata": {"name": "operator", "namespace": "ops"},
			"configuration": {"aws_or_gcp": cloud, "kubernetes": kubernetes},
		}}},
		"v1": {"ConfigMap": {"pods": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "pods", "namespace": "ops"}, "data": variables}}},
	}}},
}

pods_of := {"pod_environment_configmap": "ops/pods"}

test_clone_of_nothing if {
	configured({}, {}, pods_of, {"WALG_S3_PREFIX": "s3://b/x"}) == {{
		"message": "Nothing says where the clone is read from: the operator's configuration has no bucket, and the pods have no CLONE_WALG_S3_PREFIX or the like, so that no backup is found. Set spec.clone.s3_wal_path, or CLONE_WALG_S3_PREFIX (or CLONE_WAL_S3_BUCKET) in the environment of the pods.",
		"path": ["spec", "clone"],
	}}
	count(configured({}, {}, {}, {})) == 1
	{contains(f.message, "Set CLONE_WALG_AZ_PREFIX, CLONE_AZURE_STORAGE_ACCOUNT and its key in the environment of the pods.") | some f in configured({}, {"wal_az_storage_account": "acc"}, {}, {})} == {true, false}
	configured({}, {}, pods_of, {"CLONE_WALG_S3_PREFIX": "s3://b/x"}) == set()
	configured({}, {}, pods_of, {"CLONE_WAL_GS_BUCKET": "b"}) == set()
	configured({"s3_wal_path": "s3://b"}, {}, pods_of, {}) == set()
	configured({}, {}, {"pod_environment_configmap": "ops/elsewhere"}, {}) == set()
	configured({}, {}, {"pod_environment_secret": "s3"}, {}) == set()
}

test_clone_without_the_uid if {
	{f.message | some f in configured({}, {"wal_s3_bucket": "b"}, {}, {})} == {"The operator archives cluster acid-db below its uid, and spec.clone has none, so that no backup is found. Set spec.clone.uid to metadata.uid of the source."}
	configured({"uid": "efd12e58-5786-11e8-b5a7-06148230260c"}, {"wal_s3_bucket": "b"}, {}, {}) == set()
	configured({}, {"wal_s3_bucket": "b"}, pods_of, {"WAL_BUCKET_SCOPE_SUFFIX": ""}) == set()
}

at_endpoint(endpoint) := object.union(repository, {"s3": {"endpoint": endpoint}})

hosts(endpoint, options, objects) := {f.message | some f in found} if {
	found := pgbackrest({"repos": [at_endpoint(endpoint)], "global": options, "configuration": [{"secret": {"name": "keys"}}]}, objects)
}

test_bucket_in_front_of_a_host_that_has_none if {
	hosts("minio.storage.svc.cluster.local:9000", {}, {}) == {"pgBackRest looks for the bucket at b.minio.storage.svc.cluster.local, a name that a Service does not have: it creates no stanza, and nothing is archived or backed up. Set repo1-s3-uri-style: path in spec.backups.pgbackrest.global."}
	{regex.find_n(`a name that [A-Za-z ]+`, m, 1)[0] | some m in hosts("http://10.1.1.1:9000", {}, {})} == {"a name that is none"}
	count(hosts("minio.storage.svc", {}, {})) == 1
	count(hosts("minio", {}, {})) == 1
	count(hosts("https://my-minio.example.com/", {}, {})) == 1
	count(hosts("https://miniohost.example.com/", {}, {})) == 1
	count(hosts("s3.dominion.example.com", {}, {})) == 0
	{f.severity | some f in pgbackrest({"repos": [at_endpoint("minio.example.com")]}, {})} == {"warning"}
	{f.severity | some f in pgbackrest({"repos": [at_endpoint("minio.storage.svc")]}, {})} == set()
}

test_bucket_in_the_path if {
	hosts("minio.storage.svc", {"repo1-s3-uri-style": "path"}, {}) == set()
	hosts("minio.storage.svc", {"repo1-storage-host": "10.0.0.1"}, {}) == set()
	hosts("minio.storage.svc", {}, secret({"stringData": {"s3.conf": "[global]\nrepo1-s3-uri-style=path\nrepo1-storage-ca-file=/ca.crt\n"}})) == set()
	hosts("minio.storage.svc", {}, secret({"data": {"s3.conf": base64.encode("[global]\nrepo1-s3-uri-style=path\nrepo1-storage-ca-file=/ca.crt\n")}})) == set()
	pgbackrest({"repos": [at_endpoint("minio.storage.svc")], "env": [{"name": "PGBACKREST_REPO1_S3_URI_STYLE", "value": "path"}]}, {}) == set()
	hosts("s3.eu-central-1.amazonaws.com", {}, {}) == set()
	hosts("fra1.digitaloceanspaces.com", {}, {}) == set()
	hosts("ceph.example.com:443", {}, {}) == set()
	hosts("${ENDPOINT}", {}, {}) == set()
}

plain(image) := {f.message | some f in found} if {
	found := pgbackrest({"image": image, "repos": [at_endpoint("http://ceph.example.com")], "global": {"repo1-s3-uri-style": "path"}}, {})
}

test_without_tls if {
	plain("registry.example.com/crunchy-pgbackrest:ubi9-2.54.2-2534") == {"The endpoint http://ceph.example.com is without TLS, and the pgBackRest 2.54 of the image speaks to stores over TLS only: nothing is archived or backed up. Give the store a certificate and write https://, or take an image of pgBackRest 2.58 or newer."}
	count(plain("docker.io/percona/percona-pgbackrest:2.57.0-1")) == 1
	plain("registry.example.com/crunchy-pgbackrest:ubi9-2.58.0-2610") == set()
	plain("registry.example.com/crunchy-pgbackrest:latest") == set()
}

server_found(external, source) := {[f.path, f.message] | some f in found} if {
	found := check.findings with input as {
		"review": {"object": {
			"apiVersion": "postgresql.cnpg.io/v1",
			"kind": "Cluster",
			"metadata": {"name": "copy", "namespace": "prod"},
			"spec": {"instances": 1, "bootstrap": {"recovery": {"source": "old"}}, "externalClusters": [object.union({"name": "old"}, external)]},
		}},
		"inventory": {"namespace": {"prod": {"postgresql.cnpg.io/v1": {"Cluster": {"old": {
			"apiVersion": "postgresql.cnpg.io/v1",
			"kind": "Cluster",
			"metadata": {"name": "old", "namespace": "prod"},
			"spec": source,
		}}}}}},
	}
}

place(more) := {"barmanObjectStore": object.union({"destinationPath": "s3://b/old", "s3Credentials": {"inheritFromIAMRole": true}}, more)}

by_plugin(more) := {"name": "barman-cloud.cloudnative-pg.io", "parameters": object.union({"barmanObjectName": "store"}, more)}

test_server_of_another_name if {
	server_found(place({}), {"backup": place({"serverName": "cloud"})}) == {[
		["spec", "externalClusters", 0, "barmanObjectStore"],
		"Backups of server old are looked for there, and cluster old archives there as server cloud: no backup is found. Write serverName: cloud.",
	]}
	count(server_found({"plugin": by_plugin({})}, {"plugins": [object.union({"isWALArchiver": true}, by_plugin({"serverName": "cloud"}))]})) == 1
}

# The plugin looks for the name of the cluster that is recovered.
test_server_of_the_plugin if {
	archiving := {"plugins": [object.union({"isWALArchiver": true}, by_plugin({}))]}
	server_found({"plugin": by_plugin({})}, archiving) == {[
		["spec", "externalClusters", 0, "plugin", "parameters"],
		"Backups of server copy are looked for there, and cluster old archives there as server old: no backup is found. Write serverName: old.",
	]}
	server_found({"plugin": by_plugin({"serverName": "old"})}, archiving) == set()
	server_found({"plugin": by_plugin({})}, {"plugins": [object.union({"isWALArchiver": true}, by_plugin({"serverName": "copy"}))]}) == set()
}

# Whatever the external cluster is called: another cluster archives to that store, and this one to a store of its own.
test_store_of_another_cluster if {
	from_store(archiver("its-own"), archiver("store")) == {"Backups of server copy are looked for there, and cluster old archives there as server old: no backup is found. Write serverName: old."}
	from_store(archiver("store"), archiver("store")) == set()
	from_store([], archiver("store")) == set()
	from_store(archiver("its-own"), archiver("another")) == set()
	from_store(archiver("${STORE}"), archiver("store")) == set()
}

archiver(store) := [object.union({"isWALArchiver": true}, by_plugin({"barmanObjectName": store}))]

from_store(own, theirs) := {f.message | some f in found; contains(f.message, "no backup is found")} if {
	found := check.findings with input as {
		"review": {"object": {
			"apiVersion": "postgresql.cnpg.io/v1",
			"kind": "Cluster",
			"metadata": {"name": "copy", "namespace": "prod"},
			"spec": {"instances": 1, "plugins": own, "bootstrap": {"recovery": {"source": "origin"}}, "externalClusters": [{"name": "origin", "plugin": by_plugin({})}]},
		}},
		"inventory": {"namespace": {"prod": {"postgresql.cnpg.io/v1": {"Cluster": {"old": {
			"apiVersion": "postgresql.cnpg.io/v1",
			"kind": "Cluster",
			"metadata": {"name": "old", "namespace": "prod"},
			"spec": {"plugins": theirs},
		}}}}}},
	}
}

test_server_of_no_cluster if {
	renamed := {"name": "clusterBackup"}
	of_nobody(object.union(renamed, place({})), {"backup": place({})}) == {"Backups of server clusterBackup are looked for there, and cluster old archives there as server old: no backup is found. Write serverName: old."}
	of_nobody(object.union(renamed, place({})), {"backup": place({"serverName": "clusterBackup"})}) == set()
	of_nobody(object.union({"name": "older"}, place({})), {"backup": place({})}) == set()
}

# The cluster that was backed up is gone, and has left its name nowhere.
test_server_of_a_lost_cluster if {
	found := lost({"name": "clusterBackup"}, place({}), {})
	found == {{
		"message": "Backups are looked for as those of clusterBackup, the name of the external cluster, which no cluster can have: none is found, unless they were archived with that serverName. Write the name of the cluster that was backed up as serverName.",
		"path": ["spec", "externalClusters", 0, "barmanObjectStore"],
	}}
	lost({"name": "backup"}, place({}), {}) == set()
	lost({"name": "${NAME}-Backup"}, place({}), {}) == set()
	lost({"name": "clusterBackup"}, place({"serverName": "old"}), {}) == set()
	lost({"name": "clusterBackup"}, {"plugin": by_plugin({})}, {}) == set()
	lost({"name": "clusterBackup"}, place({}), {"backup": place({"serverName": "clusterBackup"})}) == set()
	lost({"name": "clusterBackup"}, place({}), {"bootstrap": {"recovery": {"source": "another"}}}) == set()
}

lost(name, where, more) := found if {
	found := check.findings with input as {"review": {"object": {
		"apiVersion": "postgresql.cnpg.io/v1",
		"kind": "Cluster",
		"metadata": {"name": "copy", "namespace": "prod"},
		"spec": object.union(
			{
				"instances": 1,
				"bootstrap": {"recovery": {"source": name.name}},
				"externalClusters": [object.union(name, where)],
			},
			more,
		),
	}}}
}

of_nobody(external, source) := {f.message | some f in found} if {
	found := check.findings with input as {
		"review": {"object": {
			"apiVersion": "postgresql.cnpg.io/v1",
			"kind": "Cluster",
			"metadata": {"name": "copy", "namespace": "prod"},
			"spec": {"instances": 1, "bootstrap": {"recovery": {"source": external.name}}, "externalClusters": [external]},
		}},
		"inventory": {"namespace": {"prod": {"postgresql.cnpg.io/v1": {"Cluster": {"old": {
			"apiVersion": "postgresql.cnpg.io/v1",
			"kind": "Cluster",
			"metadata": {"name": "old", "namespace": "prod"},
			"spec": source,
		}}}}}},
	}
}

test_server_that_is_there if {
	server_found(place({"serverName": "cloud"}), {"backup": place({"serverName": "cloud"})}) == set()
	server_found(place({}), {"backup": place({})}) == set()
	server_found(place({}), {"backup": place({"serverName": "old"})}) == set()
	server_found(place({}), object.union({"bootstrap": {"recovery": {"source": "older"}}}, {"backup": place({"serverName": "old-v2"})})) == set()
	server_found(place({"destinationPath": "s3://b/older"}), {"backup": place({"serverName": "cloud"})}) == set()
	server_found(place({"endpointURL": "https://s3.example.com"}), {"backup": place({"serverName": "cloud"})}) == set()
}

# A plain workload with the file of pgBackRest, and its variables.
with_pgbackrest(text, env) := {
	"review": {"object": {
		"apiVersion": "apps/v1",
		"kind": "StatefulSet",
		"metadata": {"name": "orders", "namespace": "prod"},
		"spec": {"template": {"spec": {
			"containers": [{"image": "postgres:17", "env": env, "volumeMounts": [{"name": "conf", "mountPath": "/etc/pgbackrest"}]}],
			"volumes": [{"name": "conf", "configMap": {"name": "conf"}}],
		}}},
	}},
	"inventory": {"namespace": {"prod": {"v1": {"ConfigMap": {"conf": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "conf", "namespace": "prod"}, "data": {"pgbackrest.conf": text}}}}}}},
}

test_plain_bucket if {
	{[f.message, f.resource.name, f.line] | some f in check.findings} == {["/orders is not the name of a bucket (repo1-gcs-bucket), which has no slash in it: pgBackRest asks for one that does not exist, and nothing is archived or backed up. Write orders.", "conf", 2]} with input as with_pgbackrest("[global]\nrepo1-gcs-bucket=/orders\n", [])
	{f.message | some f in check.findings} == {"s3://acme/pg/orders is not the name of a bucket (repo1-s3-bucket), which has no slash in it: pgBackRest asks for one that does not exist, and nothing is archived or backed up. Write acme, and the rest as repo1-path: /pg/orders."} with input as with_pgbackrest("repo1-s3-bucket=s3://acme/pg/orders", [])
	check.findings == set() with input as with_pgbackrest("repo1-s3-bucket=orders\nrepo1-path=/pg/orders", [])
	check.findings == set() with input as with_pgbackrest("repo1-s3-bucket=${BUCKET}/x", [])
}

test_plain_option_without_value if {
	{f.message | some f in check.findings} == {"PGBACKREST_REPO1_S3_KEY is empty, and pgBackRest stops at an option without a value: nothing is archived or backed up. Remove it, or give it its value."} with input as with_pgbackrest("", [{"name": "PGBACKREST_REPO1_S3_KEY", "value": ""}])
	{f.line | some f in check.findings} == {1} with input as with_pgbackrest("repo1-s3-key=", [])
	check.findings == set() with input as with_pgbackrest("#repo1-s3-key=", [{"name": "PGBACKREST_REPO1_S3_KEY", "valueFrom": {"secretKeyRef": {"name": "a", "key": "b"}}}])
}

# Services that a store may stand behind, with a workload that answers there.
behind(ports, containers) := {
	"v1": {"Service": {"minio": {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "minio", "namespace": "prod"}, "spec": {"selector": {"app": "minio"}, "ports": ports}}}},
	"apps/v1": {"Deployment": {"minio": {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "minio", "namespace": "prod"}, "spec": {"template": {"metadata": {"labels": {"app": "minio"}}, "spec": {"containers": containers}}}}}},
}

to_service(endpoint, options, objects) := {f.message | some f in found} if {
	found := check.findings with input as {
		"review": {"object": {
			"apiVersion": "postgres-operator.crunchydata.com/v1beta1",
			"kind": "PostgresCluster",
			"metadata": {"name": "orders", "namespace": "prod"},
			"spec": {"backups": {"pgbackrest": {"repos": [at_endpoint(endpoint)], "global": object.union({"repo1-s3-uri-style": "path"}, options)}}},
		}},
		"inventory": {"namespace": {"prod": objects}},
	}
}

minio := {"name": "minio", "image": "quay.io/minio/minio:RELEASE.2024-01-31T20-20-33Z", "args": ["server", "/data"]}

test_service_that_speaks_http if {
	to_service("minio.prod.svc:9000", {}, behind([{"port": 9000}], [minio])) == {"pgBackRest speaks TLS to minio.prod.svc:9000, and what answers at port 9000 of Service minio speaks HTTP: it creates no stanza, and nothing is archived or backed up. Give the store a certificate, and set repo1-storage-verify-tls: n or repo1-storage-ca-file where its issuer is not a public one."}
	count(to_service("https://minio:9000", {}, behind([{"port": 9000, "name": "http-minio"}], []))) == 1
	to_service("http://minio:9000", {}, behind([{"port": 9000}], [minio])) == set()
	to_service("minio:9000", {"repo1-storage-host": "10.0.0.1"}, behind([{"port": 9000}], [minio])) == set()
	to_service("minio:9000", {}, behind([{"port": 9000, "name": "https"}], [minio])) == set()
	to_service("minio:9000", {}, behind([{"port": 9000}], [object.union(minio, {"args": ["server", "/data", "--certs-dir=/c"]})])) == set()
	to_service("minio:9000", {}, behind([{"port": 9000}], [minio, {"name": "proxy", "image": "nginx"}])) == set()
	to_service("minio:9000", {}, behind([{"port": 9000}], [])) == set()
	to_service("elsewhere:9000", {}, behind([{"port": 9000}], [minio])) == set()
}

test_port_that_the_service_has_not if {
	to_service("minio.prod.svc.cluster.local", {}, behind([{"port": 9000, "name": "https"}], [])) == {"The endpoint minio.prod.svc.cluster.local means port 443, which Service minio does not have: it creates no stanza, and nothing is archived or backed up. Write the port that it has behind the name, minio.prod.svc.cluster.local:9000."}
	to_service("minio", {}, behind([{"port": 443}], [])) == set()
	to_service("minio", {"repo1-storage-port": "9000"}, behind([{"port": 9000, "name": "https"}], [])) == set()
}

restored_from(path) := {f.message | some f in found} if {
	found := check.findings with input as {"review": {"object": {
		"apiVersion": "postgres-operator.crunchydata.com/v1beta1",
		"kind": "PostgresCluster",
		"metadata": {"name": "orders", "namespace": "prod"},
		"spec": {"dataSource": {"pgbackrest": {"stanza": "db", "global": {"repo1-path": path, "repo1-s3-key-type": "auto"}, "repo": {"name": "repo1", "s3": {"bucket": "b", "endpoint": "s3.eu-west-1.amazonaws.com", "region": "eu-west-1"}}}}},
	}}}
}

test_path_into_the_repository if {
	restored_from("/pg/orders/backup/db/20230420-104207F/") == {"repo1-path leads into a directory of the repository: pgBackRest looks for archive/ and backup/ below it and finds no backup.info there, so that nothing is restored. Write /pg/orders."}
	count(restored_from("/pg/20230420-104207F_20230421-104207I")) == 1
	count(restored_from("/pg/archive/db")) == 1
	{regex.find_n(`Write .*`, m, 1)[0] | some m in restored_from("/backup/db")} == {"Write /."}
	restored_from("/pg/orders") == set()
	restored_from("/backup/orders") == set()
	restored_from("/${CLUSTER}/backup/db") == set()
}

test_source_is_read_like_a_repository if {
	found := check.findings with input as {"review": {"object": {
		"apiVersion": "postgres-operator.crunchydata.com/v1beta1",
		"kind": "PostgresCluster",
		"metadata": {"name": "orders", "namespace": "prod"},
		"spec": {"dataSource": {"pgbackrest": {"configuration": [{"secret": {"name": "keys"}}], "repo": {"name": "repo1", "s3": {"bucket": "b", "endpoint": "minio.storage.svc:9000"}}}}},
	}}}
	found == {{
		"message": "pgBackRest looks for the bucket at b.minio.storage.svc, a name that a Service does not have: it finds no backup, and nothing is restored. Set repo1-s3-uri-style: path in spec.dataSource.pgbackrest.global.",
		"path": ["spec", "dataSource", "pgbackrest", "repo", "s3", "endpoint"],
	}}
}

test_two_repositories_of_one_place if {
	two := [object.union(repository, {"name": name, "s3": {"endpoint": "s3.eu-west-1.amazonaws.com"}}) | some name in ["repo1", "repo2"]]
	keyed := {"repo1-s3-key-type": "auto", "repo2-s3-key-type": "auto"}
	pgbackrest({"repos": two, "global": object.union(keyed, {"repo1-path": "/pg", "repo2-path": "/pg/"})}, {}) == {{
		"message": "repo1 and repo2 are one place (/pg of bucket b): both back up there, and each expires what the other keeps. Give repo2 another repo2-path in spec.backups.pgbackrest.global.",
		"path": ["spec", "backups", "pgbackrest", "repos", 1],
		"severity": "warning",
	}}
	pgbackrest({"repos": two, "global": object.union(keyed, {"repo1-path": "/pg", "repo2-path": "/pg2"})}, {}) == set()
	pgbackrest({"repos": two, "global": keyed}, {}) == set()
}

# The variables of the cluster itself, with no configuration of the operator in sight.
own_variables(names, clone) := found if found := check.findings with input as {"review": {"object": {
	"apiVersion": "acid.zalan.do/v1",
	"kind": "postgresql",
	"metadata": {"name": "acid-db2", "namespace": "prod"},
	"spec": {
		"clone": object.union({"cluster": "acid-db", "timestamp": "2026-11-20T10:00:00+00:00"}, clone),
		"env": [{"name": name, "value": "x"} | some name in names],
	},
}}}

test_clone_by_the_variables_of_the_archive if {
	archive := ["WAL_S3_BUCKET", "AWS_ENDPOINT", "AWS_ACCESS_KEY_ID"]
	own_variables(archive, {}) == {{
		"message": "The clone is not read by the variables with which the cluster archives (AWS_ENDPOINT and AWS_ACCESS_KEY_ID), but by those with CLONE_ in front, and none is set here: Spilo restores nothing, and creates an empty database. Set CLONE_WALG_S3_PREFIX to the path of the source and the other variables again with CLONE_ in front, or spec.clone.s3_wal_path, s3_endpoint, s3_access_key_id and s3_secret_access_key.",
		"path": ["spec", "clone"],
	}}
	own_variables(array.concat(archive, ["CLONE_AWS_ENDPOINT"]), {}) == set()
	own_variables(["WAL_S3_BUCKET"], {}) == set()
	own_variables(["AWS_ENDPOINT", "AWS_ACCESS_KEY_ID"], {}) == set()
	own_variables(archive, {"s3_wal_path": "s3://b", "s3_endpoint": "https://s3.example.com"}) == set()
}

made_from(source) := {f.message | some f in found} if {
	found := check.findings with input as {"review": {"object": {
		"apiVersion": "postgres-operator.crunchydata.com/v1beta1",
		"kind": "PostgresCluster",
		"metadata": {"name": "orders", "namespace": "prod"},
		"spec": {"dataSource": source},
	}}}
}

test_restore_without_a_target if {
	made_from({"postgresCluster": {"clusterName": "a", "repoName": "repo1", "options": ["--type=time"]}}) == {"The restore has --type=time and no --target, which pgBackRest asks for then, so that nothing is restored. Add --target, a moment with its time zone where the type is time."}
	made_from({"postgresCluster": {"clusterName": "a", "repoName": "repo1", "options": ["--type=time", "--target=\"2026-11-20 10:00:00+00\""]}}) == set()
	made_from({"postgresCluster": {"clusterName": "a", "repoName": "repo1", "options": ["--type=immediate", "--set=x"]}}) == set()
	pgbackrest({"restore": {"enabled": false, "repoName": "repo1", "options": ["--type=time"]}}, {}) == set()
	count(pgbackrest({"restore": {"enabled": true, "repoName": "repo1", "options": ["--type time"]}}, {})) == 1
}

test_source_without_keys_of_s3 if {
	source := {"pgbackrest": {"stanza": "db", "repo": repository}}
	count(made_from(source)) == 1
	made_from(object.union(source, {"pgbackrest": {"configuration": [{"secret": {"name": "keys"}}]}})) == set()
	made_from(object.union(source, {"pgbackrest": {"global": {"repo1-s3-key-type": "web-id"}}})) == set()
	made_from({"pgbackrest": {"stanza": "db", "repo": {"name": "repo1", "gcs": {"bucket": "b"}}}}) == set()
}

dotted(endpoint, options) := {f.message | some f in found} if {
	found := pgbackrest({"repos": [{"name": "repo1", "s3": {"bucket": "my.pg.backups", "endpoint": endpoint, "region": "r"}}], "global": options, "configuration": [{"secret": {"name": "elsewhere"}}]}, {})
}

test_bucket_with_dots if {
	dotted("https://s3.eu-central-003.backblazeb2.com", {}) == {"Bucket my.pg.backups has dots, so that pgBackRest looks for it at my.pg.backups.s3.eu-central-003.backblazeb2.com, which no certificate for *.s3.eu-central-003.backblazeb2.com is valid for: it creates no stanza, and nothing is archived or backed up. Set repo1-s3-uri-style: path in spec.backups.pgbackrest.global."}
	every option in ["repo1-s3-uri-style", "repo1-storage-host", "repo1-s3-host", "repo1-storage-verify-tls", "repo1-s3-verify-tls"] {
		dotted("s3.eu-central-003.backblazeb2.com", {option: object.get({"repo1-s3-uri-style": "path", "repo1-storage-verify-tls": "n", "repo1-s3-verify-tls": "n"}, option, "x")}) == set()
	}
	dotted("http://s3.eu-central-003.backblazeb2.com", {}) == set()
	dotted("${ENDPOINT}", {}) == set()
	{substring(message, 0, 10) | some message in dotted("minio.storage.svc", {})} == {"pgBackRest"}
	{substring(message, 0, 12) | some message in dotted("my.pg.backups.s3.example.com", {})} & {"Bucket my.pg"} == set()
}

# The cluster with a source of its own and what restores it in place.
restored(kind, spec, restores) := {[f.severity, f.path, object.get(f, ["resource", "name"], ""), split(f.message, " restores")[0]] |
	found := check.findings with input as {
		"review": {"object": object.union(kind, {"metadata": {"name": "orders", "namespace": "prod"}, "spec": spec})},
		"inventory": {"namespace": {"prod": {"pgv2.percona.com/v2": {"PerconaPGRestore": {restore.metadata.name: restore | some restore in restores}}}}},
	}
	some f in found
	contains(f.message, "in place")
}

restore_of(name, cluster, state) := {"apiVersion": "pgv2.percona.com/v2", "kind": "PerconaPGRestore", "metadata": {"name": name, "namespace": "prod"}, "spec": {"pgCluster": cluster, "repoName": "repo1"}, "status": state}

percona := {"apiVersion": "pgv2.percona.com/v2", "kind": "PerconaPGCluster"}

crunchy := {"apiVersion": "postgres-operator.crunchydata.com/v1beta1", "kind": "PostgresCluster"}

test_restore_beside_a_source if {
	cloned := {"dataSource": {"postgresCluster": {"clusterName": "old", "repoName": "repo1"}}}
	restored(percona, cloned, [restore_of("r", "orders", {})]) == {["warning", ["spec", "pgCluster"], "r", "PerconaPGRestore r"]}
	restored(percona, {"dataSource": {"pgbackrest": {"repo": {"name": "repo1"}}}}, [restore_of("r", "orders", {"state": "Running"})]) == {["warning", ["spec", "pgCluster"], "r", "PerconaPGRestore r"]}
	in_place := {"backups": {"pgbackrest": {"repos": [repository], "restore": {"enabled": true, "repoName": "repo1"}}}}
	restored(crunchy, object.union(cloned, in_place), []) == {["warning", ["spec", "backups", "pgbackrest", "restore", "enabled"], "", "backups.pgbackrest.restore"]}
}

test_restore_without_a_source if {
	cloned := {"dataSource": {"postgresCluster": {"clusterName": "old", "repoName": "repo1"}}}
	restored(percona, {}, [restore_of("r", "orders", {})]) == set()
	restored(percona, {"dataSource": {"volumes": {}}}, [restore_of("r", "orders", {})]) == set()
	restored(percona, cloned, [restore_of("r", "others", {}), restore_of("s", "orders", {"state": "Succeeded"}), restore_of("f", "orders", {"state": "Failed"}), restore_of("orders-bootstrap", "orders", {})]) == set()
	restored(crunchy, object.union(cloned, {"backups": {"pgbackrest": {"repos": [repository], "restore": {"enabled": false, "repoName": "repo1"}}}}), [restore_of("r", "orders", {})]) == set()
}

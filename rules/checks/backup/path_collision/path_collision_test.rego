package walguard.checks.backup.path_collision_test

import data.walguard.checks.backup.path_collision as check
import data.walguard.lib.manifest_test as manifests

# The cluster under review among others of its kind: [[namespace, name, spec]].
among(version, kind, spec, others) := {
	"review": {"object": {"apiVersion": version, "kind": kind, "metadata": {"name": "orders", "namespace": "prod"}, "spec": spec}},
	"inventory": {"namespace": object.union_n([{namespace: {version: {kind: {name: object}}}} |
		some [namespace, name, its] in array.concat([["prod", "orders", spec]], others)
		object := {"apiVersion": version, "kind": kind, "metadata": {"name": name, "namespace": namespace}, "spec": its}
	])},
}

found(version, kind, spec, others) := all if all := check.findings with input as among(version, kind, spec, others)

cnpg(spec, others) := found("postgresql.cnpg.io/v1", "Cluster", spec, others)

store(fields) := object.union({"destinationPath": "s3://backups/"}, fields)

in_tree(fields) := {"backup": {"barmanObjectStore": store(fields)}}

plugin(parameters) := {"plugins": [
	"hostile",
	{"name": "off", "isWALArchiver": true, "enabled": false, "parameters": {"barmanObjectName": "s3"}},
	{"name": "barman-cloud.cloudnative-pg.io", "isWALArchiver": true, "parameters": parameters},
]}

said(place, other, path) := {{
	"message": sprintf("WAL goes to %s, where %s archives too: the files have the same names and overwrite each other, and neither cluster can be restored for certain. Give each a path of its own.", [place, other]),
	"path": path,
}}

recovered(place, path) := {{
	"message": sprintf("WAL goes to %s, the archive this cluster is recovered from: archiving is refused, or overwrites the WAL of the source. Archive to a path of its own.", [place]),
	"path": path,
}}

at := ["spec", "backup", "barmanObjectStore"]

test_one_name_in_two_namespaces if {
	cnpg(in_tree({}), [["stage", "orders", in_tree({})]]) == said("s3://backups as server orders", "stage/orders", at)
	cnpg(in_tree({}), [["stage", "orders", in_tree({"destinationPath": "s3://stage"})]]) == set()
	cnpg(in_tree({}), [["stage", "orders", in_tree({"endpointURL": "https://minio"})]]) == set()
	cnpg(in_tree({}), [["prod", "other", in_tree({})]]) == set()
}

# "minio" is a Service of the namespace that the cluster is in, "minio.store" the same one for all.
test_store_of_each_namespace if {
	near := in_tree({"endpointURL": "http://minio:9000", "serverName": "pg"})
	cnpg(near, [["stage", "orders", near]]) == set()
	cnpg(near, [["prod", "other", near]]) == said("s3://backups as server pg", "prod/other", at)
	far := in_tree({"endpointURL": "http://minio.store:9000", "serverName": "pg"})
	cnpg(far, [["stage", "orders", far]]) == said("s3://backups as server pg", "stage/orders", at)
	beside := pgbackrest(s3({"endpoint": "minio:9000"}), {})
	crunchy(beside, [["stage", "orders", beside]]) == set()
	crunchy(beside, [["prod", "other", beside]]) == said("/pgbackrest/repo1 of bucket b", "prod/other", repository_path)
}

test_one_server_name if {
	cnpg(in_tree({"serverName": "pg"}), [["prod", "other", in_tree({"serverName": "pg"})]]) == said("s3://backups as server pg", "prod/other", at)
	cnpg(in_tree({"serverName": "other"}), [["prod", "other", in_tree({})]]) == said("s3://backups as server other", "prod/other", at)
}

test_plugin if {
	cnpg(plugin({"barmanObjectName": "s3", "serverName": "pg"}), [["prod", "other", plugin({"barmanObjectName": "s3", "serverName": "pg"})]]) == said("ObjectStore s3 as server pg", "prod/other", ["spec", "plugins", 2, "parameters"])
	cnpg(plugin({"barmanObjectName": "s3"}), [["stage", "orders", plugin({"barmanObjectName": "s3"})]]) == set()
}

test_recovered_from_its_own_archive if {
	recovery := {"bootstrap": {"recovery": {"source": "old"}}}
	external := {"name": "old", "barmanObjectStore": store({"serverName": "orders"})}
	cnpg(object.union_n([in_tree({}), recovery, {"externalClusters": [1, external]}]), []) == recovered("s3://backups as server orders", at)
	cnpg(object.union_n([in_tree({"serverName": "orders-2"}), recovery, {"externalClusters": [external]}]), []) == set()
	cnpg(object.union_n([in_tree({}), {"externalClusters": [external]}]), []) == set()
}

# The operator's own guard is off: WAL goes on on a new timeline.
test_recovered_into_its_own_archive_on_purpose if {
	recovery := {"bootstrap": {"recovery": {"source": "old"}}, "externalClusters": [{"name": "old", "barmanObjectStore": store({"serverName": "orders"})}]}
	input_ := among("postgresql.cnpg.io/v1", "Cluster", object.union(in_tree({}), recovery), [])
	unchecked := object.union(input_, {"review": {"object": {"metadata": {"annotations": {"cnpg.io/skipEmptyWalArchiveCheck": "enabled"}}}}})
	found_ := check.findings with input as unchecked
	found_ == {{
		"severity": "info",
		"message": "WAL goes on in s3://backups as server orders, the archive this cluster is recovered from (cnpg.io/skipEmptyWalArchiveCheck). That is safe only while nothing else writes there; a path of its own is safe always.",
		"path": at,
	}}
}

pgbackrest(repository, options) := {"backups": {"pgbackrest": {"repos": [1, object.union({"name": "repo1"}, repository)], "global": options}}}

s3(fields) := {"s3": object.union({"bucket": "b", "endpoint": "e.example", "region": "r"}, fields)}

crunchy(spec, others) := found("postgres-operator.crunchydata.com/v1beta1", "PostgresCluster", spec, others)

repository_path := ["spec", "backups", "pgbackrest", "repos", 1]

test_pgbackrest_with_its_own_path if {
	crunchy(pgbackrest(s3({}), {}), [["prod", "other", pgbackrest(s3({}), {})]]) == said("/pgbackrest/repo1 of bucket b", "prod/other", repository_path)
	crunchy(pgbackrest({"gcs": {"bucket": "b"}}, {"repo1-path": "/pg/"}), [["prod", "other", pgbackrest({"gcs": {"bucket": "b"}}, {"repo1-path": "/pg"})]]) == said("/pg of bucket b", "prod/other", repository_path)
	crunchy(pgbackrest(s3({}), {}), [["prod", "other", pgbackrest(s3({"bucket": "c"}), {})]]) == set()
	crunchy(pgbackrest(s3({}), {}), [["prod", "other", pgbackrest(s3({}), {"repo1-path": "/other"})]]) == set()
	crunchy(pgbackrest({"volume": {}}, {}), [["prod", "other", pgbackrest({"volume": {}}, {})]]) == set()
}

test_several_at_once if {
	shared := pgbackrest(s3({}), {})
	{f.message | some f in crunchy(shared, [["prod", "b", shared], ["prod", "a", shared], ["stage", "c", shared]])} == {"WAL goes to /pgbackrest/repo1 of bucket b, where prod/a archives too, and 2 more: the files have the same names and overwrite each other, and neither cluster can be restored for certain. Give each a path of its own."}
}

test_templates_tell_nothing if {
	shared := pgbackrest(s3({"bucket": "<bucket>"}), {})
	crunchy(shared, [["prod", "other", shared]]) == set()
}

# The copy is told, whose path carries the name of the original.
test_a_path_with_a_name if {
	own := pgbackrest(s3({}), {"repo1-path": "/x/orders"})
	crunchy(own, [["prod", "copy", own]]) == set()
	crunchy(own, [["stage", "orders", own]]) == said("/x/orders of bucket b", "stage/orders", repository_path)
	copied := pgbackrest(s3({}), {"repo1-path": "/stage/orders"})
	crunchy(copied, [["stage", "orders", copied]]) == said("/stage/orders of bucket b", "stage/orders", repository_path)
	kept := pgbackrest(s3({}), {"repo1-path": "/prod/orders"})
	crunchy(kept, [["stage", "orders", kept]]) == set()
	similar := pgbackrest(s3({}), {"repo1-path": "/orders-2"})
	crunchy(similar, [["prod", "orders-2", similar]]) == said("/orders-2 of bucket b", "prod/orders-2", repository_path)
}

test_containers if {
	shared := pgbackrest({"azure": {"container": "c"}}, {})
	crunchy(shared, [["prod", "other", shared]]) == said("/pgbackrest/repo1 of container c", "prod/other", repository_path)
	crunchy(shared, [["stage", "other", shared]]) == set()
	apart := {"backups": {"pgbackrest": object.union(shared.backups.pgbackrest, {"configuration": [{"secret": {"name": "other"}}]})}}
	crunchy(shared, [["prod", "other", apart]]) == set()
}

test_standbys_read_what_the_primary_archives if {
	shared := pgbackrest(s3({}), {})
	standby := object.union(shared, {"standby": {"enabled": true}})
	crunchy(shared, [["prod", "other", standby]]) == set()
	crunchy(standby, [["prod", "other", shared]]) == set()
}

test_made_from_its_own_repository if {
	shared := pgbackrest(s3({}), {})
	section := {"repo": object.union({"name": "repo1"}, s3({})), "stanza": "db"}

	# Disaster recovery: the cluster goes on in its own stanza, on a new timeline.
	crunchy(object.union(shared, {"dataSource": {"pgbackrest": section}}), []) == set()
	named := object.union(pgbackrest(s3({}), {"repo1-path": "/orders"}), {"dataSource": {"postgresCluster": {"clusterName": "other"}}})
	crunchy(named, [["prod", "other", pgbackrest(s3({}), {"repo1-path": "/orders"})]]) == recovered("/orders of bucket b", repository_path)
}

test_percona if {
	shared := pgbackrest(s3({}), {})
	others := [["prod", "other", shared]]
	found("pgv2.percona.com/v2", "PerconaPGCluster", shared, others) == said("/pgbackrest/repo1 of bucket b", "prod/other", repository_path)
	found("pgv2.percona.com/v2", "PerconaPGCluster", object.union(shared, {"backups": {"enabled": false}}), others) == set()
}

sg(fields) := {"configurations": {"backups": [1, object.union({"sgObjectStorage": "s"}, fields)]}}

stackgres(spec, others) := found("stackgres.io/v1", "SGCluster", spec, others)

test_stackgres if {
	stackgres(sg({"path": "x"}), [["prod", "other", sg({"path": "x"})]]) == said("x of SGObjectStorage s", "prod/other", ["spec", "configurations", "backups", 1, "path"])
	stackgres(sg({"path": "x"}), [["stage", "other", sg({"path": "x"})]]) == set()
	stackgres(sg({}), [["prod", "other", sg({})]]) == set()
	stackgres(sg({"path": "orders"}), [["prod", "other", sg({"path": "orders"})]]) == set()
}

env(name, value) := {"env": [1, {"name": name, "value": value}]}

zalando(spec, others) := found("acid.zalan.do/v1", "postgresql", spec, others)

test_zalando if {
	zalando(env("WALG_S3_PREFIX", "s3://b/pg/"), [["prod", "other", env("walg_s3_prefix", "s3://b/pg")]]) == said("s3://b/pg", "prod/other", ["spec", "env", 1, "value"])
	zalando(env("WAL_S3_BUCKET", "b"), [["prod", "other", env("WAL_S3_BUCKET", "b")]]) == set()
	zalando(object.union(env("WALG_S3_PREFIX", "s3://b/orders"), {"clone": {"s3_wal_path": "s3://b/orders/"}}), []) == recovered("s3://b/orders", ["spec", "env", 1, "value"])
}

# The variables of the pods of all clusters.
variables_of_all(spec, others, data_of) := all if {
	all := check.findings with input as object.union(
		among("acid.zalan.do/v1", "postgresql", spec, others),
		{"inventory": {"namespace": object.union(
			among("acid.zalan.do/v1", "postgresql", spec, others).inventory.namespace,
			{"ops": {
				"v1": {"ConfigMap": {"pods": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "pods", "namespace": "ops"}, "data": data_of}}},
				"acid.zalan.do/v1": {"OperatorConfiguration": {"main": {"apiVersion": "acid.zalan.do/v1", "kind": "OperatorConfiguration", "metadata": {"name": "main", "namespace": "ops"}, "configuration": {"kubernetes": {"pod_environment_configmap": "ops/pods"}}}}},
			}},
		)}},
	)
}

test_prefix_of_all_clusters if {
	variables_of_all({}, [["prod", "other", {}]], {"WALG_S3_PREFIX": "s3://b/pg/"}) == {{
		"message": "WAL goes to s3://b/pg, where prod/other archives too: the files have the same names and overwrite each other, and neither cluster can be restored for certain. Give each a path of its own.",
		"path": ["data", "WALG_S3_PREFIX"],
		"resource": {"apiVersion": "v1", "kind": "ConfigMap", "name": "pods", "namespace": "ops"},
	}}
	variables_of_all({}, [["prod", "other", {}]], {"WALG_S3_PREFIX": "s3://b/$(SCOPE)"}) == set()
	variables_of_all({}, [["prod", "other", {}]], {"WAL_S3_BUCKET": "b"}) == set()
	variables_of_all({}, [], {"WALG_S3_PREFIX": "s3://b/pg"}) == set()
	variables_of_all({}, [["stage", "other", {}]], {"WALG_S3_PREFIX": "s3://b/pg"}) == set()
	variables_of_all({}, [["prod", "other", env("WALG_S3_PREFIX", "s3://b/other")]], {"WALG_S3_PREFIX": "s3://b/pg"}) == set()
	variables_of_all(env("WALG_S3_PREFIX", "s3://b/orders"), [["prod", "other", {}]], {"WALG_S3_PREFIX": "s3://b/pg"}) == set()
	variables_of_all({"standby": {"standby_host": "other"}}, [["prod", "other", {}]], {"WALG_S3_PREFIX": "s3://b/pg"}) == set()
	variables_of_all({}, [["prod", "other", {"standby": {"standby_host": "orders"}}]], {"WALG_S3_PREFIX": "s3://b/pg"}) == set()
}

kubegres(spec, others) := found("kubegres.reactive-tech.io/v1", "Kubegres", spec, others)

test_kubegres if {
	kubegres(env("WALG_S3_PREFIX", "s3://b/pg/"), [["prod", "other", env("WALG_S3_PREFIX", "s3://b/pg")]]) == said("s3://b/pg", "prod/other", ["spec", "env", 1, "value"])
	kubegres(env("WALG_S3_PREFIX", "s3://b/pg"), [["prod", "other", env("WALG_S3_PREFIX", "s3://b/other")]]) == set()
	kubegres(env("PGHOST", "b"), [["prod", "other", env("PGHOST", "b")]]) == set()
}

test_silent_when_unknown if {
	cnpg({}, [["stage", "orders", in_tree({})]]) == set()
	cnpg(in_tree({}), [["stage", "orders", {"backup": 1, "plugins": {"a": 1}}]]) == set()
	check.findings == set() with input as manifests.review({}, in_tree({}))
	check.findings == set() with input as manifests.change({"fsync": "on"})
}

# Whoever asks an API server need not know what is in other namespaces, and nobody there shall keep him out.
test_another_namespace_at_admission if {
	asked := object.union(among("postgresql.cnpg.io/v1", "Cluster", in_tree({}), [["stage", "orders", in_tree({})]]), {"review": {"operation": "CREATE"}})
	found_ := check.findings with input as asked
	[[f.severity, contains(f.message, "stage"), contains(f.message, "a cluster of another namespace")] | some f in found_] == [["warning", false, true]]
}

of_dalibo(parameters) := {"plugins": [{"name": "pgbackrest.dalibo.com", "isWALArchiver": true, "parameters": parameters}]}

test_two_clusters_of_one_stanza if {
	cnpg(of_dalibo({"stanzaRef": "main"}), [["prod", "other", of_dalibo({"stanzaRef": "main"})]]) == said("stanza main", "prod/other", ["spec", "plugins", 0, "parameters"])
	cnpg(of_dalibo({"stanzaRef": "main"}), [["prod", "other", of_dalibo({"stanzaRef": "other"})]]) == set()
	cnpg(of_dalibo({"stanzaRef": "main"}), [["dev", "other", of_dalibo({"stanzaRef": "main"})]]) == set()
	cnpg(of_dalibo({"stanzaRef": "main"}), [["prod", "other", {"plugins": [{"name": "pgbackrest.dalibo.com", "parameters": {"stanzaRef": "main"}}]}]]) == set()
	cnpg(of_dalibo({"stanzaRef": "main"}), [["prod", "other", object.union(of_dalibo({"stanzaRef": "main"}), {"replica": {"enabled": true}})]]) == set()
}

stanza(name, path) := {
	"apiVersion": "pgbackrest.dalibo.com/v1",
	"kind": "Stanza",
	"metadata": {"name": name, "namespace": "prod"},
	"spec": {"stanzaConfiguration": {"name": "main", "s3Repositories": [{"bucket": "b", "endpoint": "https://s3.example.com", "repoPath": path}]}},
}

stanzas(first, second) := object.union(
	among("postgresql.cnpg.io/v1", "Cluster", of_dalibo({"stanzaRef": "one"}), [["prod", "other", of_dalibo({"stanzaRef": "two"})]]),
	{"inventory": {"namespace": {"prod": {"pgbackrest.dalibo.com/v1": {"Stanza": {"one": stanza("one", first), "two": stanza("two", second)}}}}}},
)

test_two_stanzas_of_one_repository if {
	same := stanzas("/pg", "/pg/")
	first := check.findings with input as same
	count(first) == 1
	different := stanzas("/one", "/two")
	second := check.findings with input as different
	second == set()
}

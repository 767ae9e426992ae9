package walguard.checks.access.hba_lockout_test

import data.walguard.checks.access.hba_lockout as check

zalando(spec) := {"review": {"object": {
	"apiVersion": "acid.zalan.do/v1",
	"kind": "postgresql",
	"metadata": {"name": "acid-orders", "namespace": "prod"},
	"spec": spec,
}}}

cluster(instances, lines) := zalando({"numberOfInstances": instances, "patroni": {"pg_hba": lines}})

everybody := "hostssl all all 0.0.0.0/0 md5"

test_both_missing if {
	check.findings == {
		{
			"message": "pg_hba replaces the operator's lines and has none for local connections: Patroni and Spilo's scripts connect through the socket. Add \"local all all trust\".",
			"path": ["spec", "patroni", "pg_hba"],
		},
		{
			"message": "pg_hba replaces the operator's lines and has none for replication: the standbys stream over TLS. Add \"hostssl replication standby all md5\".",
			"path": ["spec", "patroni", "pg_hba"],
		},
	} with input as cluster(2, [everybody])
}

test_complete if {
	check.findings == set() with input as cluster(2, ["local all all trust", "hostssl replication standby all md5", everybody])
	check.findings == set() with input as cluster(2, ["local all postgres peer", "host replication all 10.0.0.0/8 md5", "host postgres postgres 10.0.0.0/8 md5"])
	check.findings == set() with input as cluster(1, ["local all all trust", everybody])
}

test_replication_that_does_not_reach if {
	every line in ["host replication all 127.0.0.1/32 trust", "hostssl replication all all reject", "local replication all trust", "hostnossl replication all all md5"] {
		found := check.findings with input as cluster(2, ["local all all trust", everybody, line])
		count(found) == 1
	}
}

# The operator and the standbys log in with a password.
test_certificates if {
	every lines, what in {
		["hostssl replication all all md5", "hostssl all all all md5 clientcert=verify-ca"]: {"the operator"},
		["hostssl replication all all md5", "hostssl all all all cert", "hostssl all all all md5"]: {"the operator"},
		["hostssl replication standby all cert", "hostssl all all all md5"]: {"replication"},
		["hostssl replication standby all md5"]: {"the operator"},
		["hostssl replication standby all md5", "hostssl all dev 10.1.0.0/16 cert", "hostssl all all all md5"]: set(),
	} {
		found := check.findings with input as cluster(2, array.concat(["local all all trust"], lines))
		{regex.find_all_string_submatch_n(`has none for ([a-z ]+):`, f.message, 1)[0][1] | some f in found} == what
	}
	check.findings == set() with input as zalando({"numberOfInstances": 1, "standby": {"standby_host": "a"}, "patroni": {"pg_hba": ["local all all trust"]}})
}

kubegres(replicas, text) := {
	"review": {"object": {"apiVersion": "kubegres.reactive-tech.io/v1", "kind": "Kubegres", "metadata": {"name": "orders"}, "spec": {"replicas": replicas, "customConfig": "tuned"}}},
	"inventory": {"namespace": {"default": {"v1": {"ConfigMap": {"tuned": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "tuned"}, "data": {"postgres.conf": "fsync = on", "pg_hba.conf": text}}}}}}},
}

test_kubegres if {
	check.findings == {{
		"message": "pg_hba replaces the operator's lines and has none for replication: the standbys stream over the network. Add \"host replication replication all md5\".",
		"path": ["data", "pg_hba.conf"],
		"resource": {"apiVersion": "v1", "kind": "ConfigMap", "namespace": "", "name": "tuned"},
	}} with input as kubegres(3, "local all all trust\nhost all all all md5")
	check.findings == set() with input as kubegres(1, "local all all trust")
	check.findings == set() with input as kubegres(3, "hostssl replication replication all md5")
	count(check.findings) == 1 with input as kubegres(3, "hostssl replication replication all md5 clientcert=verify-ca")
}

test_silent_when_unknown if {
	check.findings == set() with input as zalando({"numberOfInstances": 2})
	check.findings == set() with input as cluster("some", ["local all all trust", everybody])
	check.findings == set() with input as cluster(2, ["${PG_HBA}", everybody])
}

bitnami(image, lines) := {
	"review": {"object": {
		"apiVersion": "apps/v1",
		"kind": "StatefulSet",
		"metadata": {"name": "orders", "namespace": "prod"},
		"spec": {"template": {"spec": {
			"containers": [{"name": "postgresql", "image": image, "volumeMounts": [{"name": "conf", "mountPath": "/bitnami/postgresql/conf"}]}],
			"volumes": [{"name": "conf", "configMap": {"name": "conf"}}],
		}}},
	}},
	"inventory": {"namespace": {"prod": {"v1": {"ConfigMap": {"conf": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "conf", "namespace": "prod"}, "data": {"pg_hba.conf": concat("\n", lines)}}}}}}},
}

test_first_start_of_bitnami if {
	check.findings == {{
		"message": "Every line of pg_hba.conf for 127.0.0.1 and local connections wants a password, and the image creates users by them before postgres has one: on an empty volume the start fails. Put \"local all all trust\" and \"host all all 127.0.0.1/32 trust\" first.",
		"path": ["data", "pg_hba.conf"],
		"resource": {"apiVersion": "v1", "kind": "ConfigMap", "namespace": "prod", "name": "conf"},
	}} with input as bitnami("bitnami/postgresql:17.6.0", ["local all all scram-sha-256", "host all all 127.0.0.1/32 md5", "host all all 0.0.0.0/0 scram-sha-256"])
	count(check.findings) == 1 with input as bitnami("bitnami/postgresql:17.6.0", ["host all postgres 127.0.0.1/32 md5", "host all all 127.0.0.1/32 trust"])
	every lines in [
		["host all all samenet md5", "host all all 127.0.0.1/32 trust"],
		["host all all 10.0.0.0/8 trust"],
		["hostssl all all all trust"],
		["local app all trust"],
		["local all app trust"],
		["local all all reject"],
	] {
		count(check.findings) == 1 with input as bitnami("bitnami/postgresql:17.6.0", lines)
	}
}

test_start_of_bitnami_let_in if {
	every lines in [
		["local all all trust", "host all all 0.0.0.0/0 md5"],
		["local all all md5", "host all all 127.0.0.1/32 trust", "host all all 0.0.0.0/0 md5"],
		["host all all all trust"],
		["host all all 127.0.0.1/32 trust"],
		["host all all samenet trust"],
		["hostnossl all all samehost trust"],
		["local all app md5", "local all all peer"],
		["local app all md5", "local postgres postgres trust"],
		["hostssl all all all md5", "host all all all trust"],
	] {
		check.findings == set() with input as bitnami("bitnami/postgresql:17.6.0", lines)
	}
	check.findings == set() with input as bitnami("bitnami/postgresql-repmgr:17.6.0", ["host all all all md5"])
	check.findings == set() with input as bitnami("postgres:17", ["host all all all md5"])
	check.findings == set() with input as bitnami("bitnami/postgresql:17.6.0", ["include_dir more", "host all all all md5"])
}

crunchy(replicas, secrets) := {"review": {"object": {
	"apiVersion": "postgres-operator.crunchydata.com/v1beta1",
	"kind": "PostgresCluster",
	"metadata": {"name": "orders", "namespace": "prod"},
	"spec": object.union({"postgresVersion": 17, "instances": [{"name": "a", "replicas": replicas}]}, secrets),
}}}

percona(secrets) := {"review": {"object": {
	"apiVersion": "pgv2.percona.com/v2",
	"kind": "PerconaPGCluster",
	"metadata": {"name": "orders", "namespace": "prod"},
	"spec": {"crVersion": "2.7.0", "postgresVersion": 17, "instances": [{"name": "a", "replicas": 2}], "secrets": secrets},
}}}

server := {"customTLSSecret": {"name": "s"}}

standbys := {"customReplicationTLSSecret": {"name": "r"}}

test_certificates_of_two_authorities if {
	check.findings == {{
		"message": "customTLSSecret is set and customReplicationTLSSecret is not: the operator makes that one with an authority of its own, the primary refuses the certificate of the standbys, and they cannot stream. Set customReplicationTLSSecret too, with the same ca.crt.",
		"path": ["spec", "customTLSSecret"],
	}} with input as crunchy(2, server)
	other := check.findings with input as percona(standbys)
	{f.path | some f in other} == {["spec", "secrets", "customReplicationTLSSecret"]}
}

test_certificates_of_one_authority if {
	check.findings == set() with input as crunchy(2, object.union(server, standbys))
	check.findings == set() with input as crunchy(2, {})
	check.findings == set() with input as crunchy(1, server)
	check.findings == set() with input as percona(object.union(server, {"customRootCATLSSecret": {"name": "ca"}}))
	check.findings == set() with input as percona(object.union(server, {"{{ more }}": ""}))
}

follower(kind, standby, more) := {[f.path, object.get(f, "severity", "error")] | some f in found} if {
	version := {"PostgresCluster": "postgres-operator.crunchydata.com/v1beta1", "PerconaPGCluster": "pgv2.percona.com/v2"}[kind]
	found := check.findings with input as {
		"review": {"object": {
			"apiVersion": version,
			"kind": kind,
			"metadata": {"name": "orders", "namespace": "prod"},
			"spec": object.union({"postgresVersion": 17, "instances": [{"name": "a"}], "standby": object.union({"enabled": true}, standby)}, more),
		}},
		"inventory": {"namespace": {"prod": {"v1": {"Secret": {}}}}},
	}
}

# PGO has one authority for all clusters of a namespace.
test_standby_of_another_authority if {
	every host in ["hippo-primary.old.svc", "10.1.2.3", "db.example.com"] {
		follower("PostgresCluster", {"host": host}, {}) == {[["spec", "standby", "host"], "error"]}
	}
	follower("PerconaPGCluster", {"host": "hippo-ha.prod.svc"}, {}) == {[["spec", "standby", "host"], "error"]}
	follower("PostgresCluster", {"host": "db.example.com", "repoName": "repo1"}, {}) == {[["spec", "standby", "host"], "warning"]}
}

test_standby_of_the_same_authority if {
	every host in ["hippo-primary", "hippo-primary.prod.svc", "${PRIMARY}"] {
		follower("PostgresCluster", {"host": host}, {}) == set()
	}
	follower("PostgresCluster", {"host": "db.example.com"}, object.union(server, standbys)) == set()
	follower("PerconaPGCluster", {"host": "db.example.com"}, {"secrets": {"customRootCATLSSecret": {"name": "ca"}}}) == set()
	follower("PerconaPGCluster", {"host": "db.example.com"}, {"tls": {"issuerConf": {"name": "i"}}}) == set()
	follower("PostgresCluster", {"host": "db.example.com", "enabled": false}, {}) == set()
}

certified(name) := {f.message | some f in found} if {
	found := check.findings with input as {
		"review": crunchy(2, object.union(server, standbys)).review,
		"inventory": {"namespace": {"prod": {"cert-manager.io/v1": {"Certificate": {"repl": {
			"apiVersion": "cert-manager.io/v1",
			"kind": "Certificate",
			"metadata": {"name": "repl", "namespace": "prod"},
			"spec": object.union({"secretName": "r"}, name),
		}}}}}},
	}
}

test_certificate_of_another_name if {
	certified({"commonName": "hippo"}) == {"Certificate repl makes customReplicationTLSSecret with the common name hippo, and PostgreSQL lets the standbys in as _crunchyrepl by that name alone: they cannot stream. Write commonName: _crunchyrepl."}
	certified({"commonName": "_crunchyrepl"}) == set()
	certified({"commonName": "${NAME}"}) == set()
	certified({}) == set()
	certified({"commonName": "hippo", "secretName": "other"}) == set()
}

package walguard.checks.access.secret_key_missing_acme_test

import data.walguard.checks.access.secret_key_missing as check

kinds_of := {
	"Cluster": "postgresql.cnpg.io/v1",
	"PostgresCluster": "postgres-operator.crunchydata.com/v1beta1",
}

# The findings of a cluster, [path, message], with a Certificate of that issuer which fills Secret s.
of(kind, spec, asked, more) := {[f.path, f.message] |
	found := check.findings with input as {
		"review": {"object": {"apiVersion": kinds_of[kind], "kind": kind, "metadata": {"name": "hippo", "namespace": "prod"}, "spec": spec}},
		"inventory": {
			"namespace": {"prod": object.union(more, {"cert-manager.io/v1": {
				"Certificate": {"db": {"apiVersion": "cert-manager.io/v1", "kind": "Certificate", "metadata": {"name": "db", "namespace": "prod"}, "spec": {"secretName": "s", "issuerRef": asked}}},
				"Issuer": {
					"public": issuer("Issuer", "public", {"acme": {"server": "https://acme.example.com"}}),
					"own": issuer("Issuer", "own", {"ca": {"secretName": "ca"}}),
				},
			}})},
			"cluster": {"cert-manager.io/v1": {"ClusterIssuer": {
				"letsencrypt": issuer("ClusterIssuer", "letsencrypt", {"acme": {}}),
				"letsencrypt-vault": issuer("ClusterIssuer", "letsencrypt-vault", {"vault": {"path": "x"}}),
			}}},
		},
	}
	some f in found
}

issuer(kind, name, spec) := {"apiVersion": "cert-manager.io/v1", "kind": kind, "metadata": {"name": name}, "spec": spec}

lacking(consequence) := sprintf("Secret s has no key ca.crt (it has tls.crt and tls.key): %s. Let an Issuer with a CA of its own issue the Certificate.", [consequence])

server := {"customTLSSecret": {"name": "s"}}

test_certificate_by_acme if {
	fault := {[["spec", "customTLSSecret", "name"], lacking("the server finds no such file and does not start")]}
	of("PostgresCluster", server, {"name": "public"}, {}) == fault
	of("PostgresCluster", server, {"name": "letsencrypt", "kind": "ClusterIssuer"}, {}) == fault
	of("PostgresCluster", server, {"name": "letsencrypt-prod", "kind": "ClusterIssuer", "group": "cert-manager.io"}, {}) == fault
	of("Cluster", {"certificates": {"serverCASecret": "s", "serverTLSSecret": "s"}}, {"name": "public"}, {}) == {[["spec", "certificates", "serverCASecret"], lacking("the operator fails with \"missing secret data\" and starts no instance")]}
}

test_certificate_with_a_root if {
	every asked in [
		{"name": "own"}, {"name": "letsencrypt-vault", "kind": "ClusterIssuer"}, {"name": "platform", "kind": "ClusterIssuer"},
		{"name": "letsencrypt-prod", "kind": "ClusterIssuer", "group": "example.com"}, {},
	] {
		of("PostgresCluster", server, asked, {}) == set()
	}
	of("PostgresCluster", {"customTLSSecret": {"name": "other"}}, {"name": "public"}, {}) == set()
	of("PostgresCluster", {"customTLSSecret": {"name": "s", "items": [{"key": "tls.crt", "path": "tls.crt"}, {"key": "tls.crt", "path": "ca.crt"}]}}, {"name": "public"}, {}) == set()
	of("PostgresCluster", server, {"name": "public"}, {"v1": {"Secret": {"s": {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s"}, "data": {"tls.crt": "", "tls.key": "", "ca.crt": ""}}}}}) == set()
}

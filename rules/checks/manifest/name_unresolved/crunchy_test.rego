package walguard.checks.manifest.name_unresolved_crunchy_test

import data.walguard.checks.manifest.name_unresolved as check

of(version, kind, spec, namespaces) := {[f.path, f.message] |
	found := check.findings with input as {
		"review": {"object": {"apiVersion": version, "kind": kind, "metadata": {"name": "orders", "namespace": "prod"}, "spec": spec}},
		"inventory": {"namespace": namespaces},
	}
	some f in found
}

crunchy(spec, namespaces) := of("postgres-operator.crunchydata.com/v1beta1", "PostgresCluster", spec, namespaces)

percona(spec, namespaces) := of("pgv2.percona.com/v2", "PerconaPGCluster", spec, namespaces)

secret(name, namespace) := {namespace: {"v1": {"Secret": {name: {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": name, "namespace": namespace}, "stringData": {"s3.conf": "[global]"}}}}}}

keyed := {"backups": {"pgbackrest": {"configuration": [{"secret": {"name": "pgo-s3-keys"}}]}}}

keyed_path := ["spec", "backups", "pgbackrest", "configuration", 0, "secret", "name"]

test_secrets if {
	crunchy(keyed, secret("pgo-s3-key", "prod")) == {[keyed_path, "pgBackRest names Secret pgo-s3-keys, which is not there, while pgo-s3-key is: no pod starts that runs it. Write pgo-s3-key."]}
	crunchy(keyed, secret("pgo-s3-keys", "postgres-operator")) == {[keyed_path, "pgBackRest looks for Secret pgo-s3-keys in namespace prod, and it is in postgres-operator: no pod starts that runs it. Create it in prod."]}
	crunchy(keyed, secret("pgo-s3-keys", "prod")) == set()
	crunchy(keyed, secret("other", "prod")) == set()
	every field in ["customTLSSecret", "customReplicationTLSSecret"] {
		{found[0] | some found in crunchy({field: {"name": "pgo-tls"}}, secret("pgo-tls", "cert-manager"))} == {["spec", field, "name"]}
		{found[0] | some found in percona({"secrets": {field: {"name": "pgo-tls"}}}, secret("pgo-tls", "cert-manager"))} == {["spec", "secrets", field, "name"]}
	}
}

naming(kind, content) := {"prod": {"pgv2.percona.com/v2": {kind: {"one": object.union({"apiVersion": "pgv2.percona.com/v2", "kind": kind, "metadata": {"name": "one", "namespace": "prod"}}, content)}}}}

test_what_names_the_cluster if {
	every kind, consequence in {"PerconaPGBackup": "no backup is taken", "PerconaPGRestore": "nothing is restored"} {
		percona({}, naming(kind, {"spec": {"pgCluster": "order"}})) == {[
			["spec", "pgCluster"],
			sprintf("%s one names cluster order, which is not there, while orders is: %s. Write orders.", [kind, consequence]),
		]}
		every name in ["orders", "billing", "orders2", "${NAME}"] {
			percona({}, naming(kind, {"spec": {"pgCluster": name}})) == set()
		}
		percona({}, naming(kind, {"spec": {"pgCluster": "order"}, "status": {"state": "Failed"}})) == set()
		percona({}, object.union(naming(kind, {"spec": {"pgCluster": "order"}}), {"prod": {"pgv2.percona.com/v2": {"PerconaPGCluster": {"order": {}}}}})) == set()
	}
}

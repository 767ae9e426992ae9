package walguard.checks.access.network_policy_mutual_test

import data.walguard.checks.access.network_policy as check

cnpg := {"apiVersion": "postgresql.cnpg.io/v1", "kind": "Cluster", "metadata": {"name": "orders", "namespace": "prod"}, "spec": {"instances": 3}}

spilo := {"apiVersion": "acid.zalan.do/v1", "kind": "postgresql", "metadata": {"name": "acid-orders", "namespace": "prod"}, "spec": {"numberOfInstances": 1}}

space(name, labels) := {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, "labels": labels}}

peer(namespace, spec) := {"apiVersion": "security.istio.io/v1", "kind": "PeerAuthentication", "metadata": {"name": "default", "namespace": namespace}, "spec": spec}

strict := {"mtls": {"mode": "STRICT"}}

running(namespace, image, metadata) := {
	"apiVersion": "apps/v1",
	"kind": "Deployment",
	"metadata": {"name": "operator", "namespace": namespace},
	"spec": {"template": {"metadata": metadata, "spec": {"containers": [{"image": image}]}}},
}

operator := running("ops", "ghcr.io/cloudnative-pg/cloudnative-pg:1.28.0", {})

# Those of a kind and namespace are few.
judged(object, spaces, peers, deployments) := found if {
	found := check.findings with input as {"review": {"object": object}, "inventory": {
		"cluster": {"v1": {"Namespace": {one.metadata.name: one | some one in spaces}}},
		"namespace": {namespace: {
			"security.istio.io/v1": {"PeerAuthentication": {one.metadata.name: one | some one in peers; one.metadata.namespace == namespace}},
			"apps/v1": {"Deployment": {one.metadata.name: one | some one in deployments; one.metadata.namespace == namespace}},
		} |
			some namespace in ["prod", "ops", "istio-system"]
		},
	}}
}

meshed := space("prod", {"istio-injection": "enabled"})

plain := space("ops", {})

said(where, port, consequence) := {{
	"message": sprintf("PeerAuthentication default shuts out the operator, which has no proxy of Istio, on port %d: %s. Allow it by the annotation traffic.sidecar.istio.io/excludeInboundPorts: \"%d\" of the pods.", [port, consequence, port]),
	"path": ["spec"],
	"severity": "error",
	"resource": {"apiVersion": "security.istio.io/v1", "kind": "PeerAuthentication", "name": "default", "namespace": where},
}}

of_cnpg(where) := said(where, 8000, "it learns nothing of their state, starts no standby and does not fail over")

test_operator_without_a_proxy if {
	judged(cnpg, [meshed, plain], [peer("prod", strict)], [operator]) == of_cnpg("prod")
	judged(cnpg, [meshed, plain], [peer("istio-system", strict)], [operator]) == of_cnpg("istio-system")
	judged(cnpg, [space("prod", {"istio.io/rev": "stable"}), space("ops", {"istio-injection": "disabled"})], [peer("prod", strict)], [operator]) == of_cnpg("prod")
	judged(spilo, [meshed, plain], [peer("prod", strict)], [running("ops", "ghcr.io/zalando/postgres-operator:v1.14.0", {})]) == said("prod", 5432, "it creates no roles and no databases, and the cluster ends in CreateFailed")
}

test_operator_that_is_left_out_of_the_mesh if {
	left_out := running("ops", "ghcr.io/cloudnative-pg/cloudnative-pg:1.28.0", {"annotations": {"sidecar.istio.io/inject": "false"}})
	judged(cnpg, [meshed], [peer("prod", strict)], [left_out]) == of_cnpg("prod")
	judged(cnpg, [meshed, space("ops", {"istio-injection": "enabled"})], [peer("prod", strict)], [left_out]) == of_cnpg("prod")
}

test_not_strict_for_all if {
	every spec in [{"mtls": {"mode": "PERMISSIVE"}}, {}, object.union(strict, {"portLevelMtls": {"8000": {"mode": "DISABLE"}}}), object.union(strict, {"selector": {"matchLabels": {"app": "web"}}})] {
		judged(cnpg, [meshed, plain], [peer("prod", spec)], [operator]) == set()
	}
	judged(cnpg, [meshed, plain], [peer("prod", {"mtls": {"mode": "PERMISSIVE"}}), peer("istio-system", strict)], [operator]) == set()
	judged(cnpg, [meshed, plain], [peer("istio-system", object.union(strict, {"selector": {"matchLabels": {"app": "web"}}}))], [operator]) == set()
}

test_pods_without_a_proxy if {
	judged(cnpg, [space("prod", {}), plain], [peer("prod", strict)], [operator]) == set()
	every annotation in ["sidecar.istio.io/inject", "traffic.sidecar.istio.io/excludeInboundPorts"] {
		judged(object.union(cnpg, {"spec": {"inheritedMetadata": {"annotations": {annotation: "8000"}}}}), [meshed, plain], [peer("prod", strict)], [operator]) == set()
	}
}

test_operator_that_has_one_or_is_not_known if {
	every labels in [{"istio-injection": "enabled"}, {"istio.io/rev": "stable"}, {"istio.io/dataplane-mode": "ambient"}] {
		judged(cnpg, [meshed, space("ops", labels)], [peer("prod", strict)], [operator]) == set()
	}
	judged(cnpg, [meshed], [peer("prod", strict)], [operator]) == set()
	judged(cnpg, [meshed, plain], [peer("prod", strict)], []) == set()
	judged(cnpg, [meshed, plain], [peer("prod", strict)], [running("prod", "ghcr.io/cloudnative-pg/cloudnative-pg:1.28.0", {})]) == set()
	every metadata in [{"labels": {"sidecar.istio.io/inject": "true"}}, {"annotations": {"sidecar.istio.io/inject": "true"}}, {"labels": {"istio.io/rev": "stable"}}] {
		judged(cnpg, [meshed, plain], [peer("prod", strict)], [running("ops", "ghcr.io/cloudnative-pg/cloudnative-pg:1.28.0", metadata)]) == set()
	}
}

ambient := space("prod", {"istio.io/dataplane-mode": "ambient"})

test_ambient_and_strict if {
	{[f.severity, regex.replace(f.message, `^.*\. `, "")] | some f in judged(cnpg, [ambient, plain], [peer("prod", strict)], [operator])} == {["error", "Allow it by the label istio.io/dataplane-mode: none of the pods."]}
}

test_ambient if {
	judged(cnpg, [ambient, plain], [], [operator]) == {{
		"message": "The pods are in Istio's ambient mesh, which may reset what the operator asks them on port 8000 (\"connection reset by peer\"): it learns nothing of their state, starts no standby and does not fail over. Set istio.io/dataplane-mode: none in spec.inheritedMetadata.labels.",
		"path": ["metadata", "namespace"],
	}}
	count(judged(cnpg, [ambient], [], [])) == 1
	judged(object.union(cnpg, {"spec": {"instances": 3, "inheritedMetadata": {"labels": {"istio.io/dataplane-mode": "none"}}}}), [ambient], [], []) == set()
	judged(cnpg, [ambient, space("ops", {"istio.io/dataplane-mode": "ambient"})], [], [operator]) == set()
	judged(cnpg, [meshed], [], []) == set()
	judged(spilo, [ambient], [], []) == set()
}

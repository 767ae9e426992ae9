package walguard.checks.access.network_policy_test

import data.walguard.checks.access.network_policy as check

findings(spec, others) := found if {
	found := check.findings with input as {
		"review": {"object": {"apiVersion": "postgresql.cnpg.io/v1", "kind": "Cluster", "metadata": {"name": "orders", "namespace": "prod"}, "spec": {"instances": 3}}},
		"inventory": {"namespace": {"prod": object.union(
			{"networking.k8s.io/v1": {"NetworkPolicy": {"deny": {
				"apiVersion": "networking.k8s.io/v1",
				"kind": "NetworkPolicy",
				"metadata": {"name": "deny", "namespace": "prod"},
				"spec": spec,
			}}}},
			others,
		)}},
	}
}

ports(spec) := {port | some f in findings(spec, {}); port := regex.find_n(`port [0-9]+`, f.message, 1)[0]}

test_operator_shut_out if {
	findings({"podSelector": {}, "policyTypes": ["Ingress"], "ingress": [{"from": [{"podSelector": {}}]}]}, {}) == {{
		"message": "NetworkPolicy deny shuts out the operator on port 8000: it learns nothing of their state, starts no standby and does not fail over. Allow the operator's namespace.",
		"path": ["spec"],
		"resource": {"apiVersion": "networking.k8s.io/v1", "kind": "NetworkPolicy", "name": "deny", "namespace": "prod"},
	}}
}

test_all_shut_out if {
	ports({"podSelector": {}}) == {"port 8000", "port 5432"}
	ports({"podSelector": {"matchLabels": {"cnpg.io/cluster": "orders"}}, "ingress": [{"from": [{"podSelector": {"matchLabels": {"app": "web"}}}], "ports": [{"port": 5433}]}]}) == {"port 8000", "port 5432"}
	ports({"podSelector": {}, "ingress": [{"from": [{"podSelector": {"matchLabels": {"cnpg.io/cluster": "others"}}}]}, {"from": [{"namespaceSelector": {}}], "ports": [{"port": 8000}]}]}) == {"port 5432"}
}

test_let_in if {
	every spec in [
		{"podSelector": {}, "policyTypes": ["Egress"]},
		{"podSelector": {}, "ingress": [{}]},
		{"podSelector": {"matchLabels": {"cnpg.io/cluster": "others"}}},
		{"podSelector": {}, "ingress": [{"ports": [{"port": 5432}, {"port": 8000}]}]},
		{"podSelector": {}, "ingress": [{"ports": [{"port": 5000, "endPort": 9000}]}]},
		{"podSelector": {}, "ingress": [{"from": [{"ipBlock": {"cidr": "10.0.0.0/8"}}]}]},
		{"podSelector": {}, "ingress": [{"from": [{"podSelector": {}}]}, {"ports": [{"port": "status"}]}]},
		{"podSelector": {}, "ingress": [{"from": [{"podSelector": {}}, {"podSelector": {"matchLabels": {"app.kubernetes.io/name": "cloudnative-pg"}}}]}]},
	] {
		findings(spec, {}) == set()
	}
}

test_silent_when_unknown if {
	findings({"podSelector": {}}, {"cilium.io/v2": {"CiliumNetworkPolicy": {"allow": {"kind": "CiliumNetworkPolicy"}}}}) == set()
	findings({"podSelector": {"matchExpressions": [{"key": "app", "operator": "Exists"}]}}, {}) == set()
	findings({"podSelector": {"matchLabels": {"app": "web"}}}, {}) == set()
}

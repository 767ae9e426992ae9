package walguard.checks.access.guessable_password_test

import data.walguard.checks.access.guessable_password as check

findings(variable, service, secret) := found if found := check.findings with input as {
	"review": {"object": {
		"apiVersion": "apps/v1",
		"kind": "StatefulSet",
		"metadata": {"name": "db", "namespace": "prod"},
		"spec": {"template": {"metadata": {"labels": {"app": "db"}}, "spec": {"containers": [{"name": "postgres", "image": "postgres:17.6", "env": [object.union({"name": "POSTGRES_PASSWORD"}, variable)]}]}}},
	}},
	"inventory": {"namespace": {"prod": {"v1": {
		"Service": {"db": object.union({"apiVersion": "v1", "kind": "Service", "metadata": {"name": "db", "namespace": "prod"}, "spec": {"type": "LoadBalancer", "selector": {"app": "db"}}}, service)},
		"Secret": {"db": object.union({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "db", "namespace": "prod"}}, secret)},
	}}}},
}

from_secret := {"valueFrom": {"secretKeyRef": {"name": "db", "key": "password"}}}

test_in_the_manifest if {
	findings({"value": "postgres"}, {}, {}) == {{
		"message": "The password is one of those that attackers try first, and Service db opens the server to the internet. Make the Service internal, and take a random password from a Secret.",
		"path": ["spec", "template", "spec", "containers", 0, "env", 0, "value"],
	}}
}

test_in_a_secret if {
	{f.path | some f in findings(from_secret, {}, {"stringData": {"password": "Password"}})} == {["spec", "template", "spec", "containers", 0, "env", 0, "valueFrom", "secretKeyRef"]}
}

test_not_open if {
	findings({"value": "postgres"}, {"spec": {"type": "ClusterIP"}}, {}) == set()
	findings({"value": "postgres"}, {"spec": {"selector": {"app": "web"}}}, {}) == set()
	findings({"value": "postgres"}, {"spec": {"loadBalancerSourceRanges": ["10.0.0.0/8"]}}, {}) == set()
	findings({"value": "postgres"}, {"metadata": {"annotations": {"service.beta.kubernetes.io/azure-load-balancer-internal": "true"}}}, {}) == set()
	count(findings({"value": "postgres"}, {"metadata": {"annotations": {"service.beta.kubernetes.io/azure-load-balancer-internal": "false"}}}, {})) == 1
}

# A proxy of a private network, an address of one, and a balancer of one's own machines.
test_not_of_the_internet if {
	every service in [
		{"spec": {"loadBalancerClass": "tailscale"}},
		{"spec": {"loadBalancerIP": "192.168.1.20"}},
		{"spec": {"loadBalancerIP": "172.20.0.4"}},
		{"metadata": {"annotations": {"metallb.universe.tf/address-pool": "lan"}}},
		{"metadata": {"annotations": {"lbipam.cilium.io/ips": "10.0.0.9"}}},
		{"metadata": {"annotations": {"io.cilium/lb-ipam-ips": "10.0.0.9"}}},
	] {
		findings({"value": "postgres"}, service, {}) == set()
	}
	every service in [
		{"spec": {"loadBalancerClass": "service.k8s.aws/nlb"}},
		{"spec": {"loadBalancerIP": "172.15.0.4"}},
		{"metadata": {"annotations": {"external-dns.alpha.kubernetes.io/hostname": "db.example.com"}}},
	] {
		count(findings({"value": "postgres"}, service, {})) == 1
	}
}

test_silent_when_unknown if {
	findings({"value": "8cc1-4f5e"}, {}, {}) == set()
	findings({"value": "${PASSWORD}"}, {}, {}) == set()
	findings(from_secret, {}, {}) == set()
}

from_operator(service, secret) := found if found := check.findings with input as {
	"placeholders": true,
	"review": {"object": {
		"apiVersion": "postgresql.cnpg.io/v1",
		"kind": "Cluster",
		"metadata": {"name": "shop", "namespace": "prod"},
		"spec": {
			"bootstrap": {"initdb": {"database": "shop", "owner": "shop", "secret": {"name": "login"}}},
			"managed": {"services": {"additional": [{"selectorType": "rw", "serviceTemplate": {"metadata": {"name": "shop-open"}, "spec": service}}]}},
		},
	}},
	"inventory": {"namespace": {"prod": {"v1": {"Secret": {"login": {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "login", "namespace": "prod"}, "stringData": secret}}}}}},
}

test_role_of_an_operator if {
	from_operator({"type": "LoadBalancer"}, {"username": "shop", "password": "MyPassword"}) == {{
		"message": "The load balancer opens the server to the internet, and the password of role shop is one of those that attackers try first. Make the balancer internal, and take a random password.",
		"path": ["stringData", "password"],
		"resource": {"apiVersion": "v1", "kind": "Secret", "namespace": "prod", "name": "login"},
	}}
	from_operator({"type": "ClusterIP"}, {"username": "shop", "password": "password"}) == set()
	from_operator({"type": "LoadBalancer", "loadBalancerSourceRanges": ["198.51.100.0/24"]}, {"username": "shop", "password": "password"}) == set()
	from_operator({"type": "LoadBalancer", "loadBalancerIP": "10.0.0.9"}, {"username": "shop", "password": "password"}) == set()
	from_operator({"type": "LoadBalancer"}, {"username": "shop", "password": "kR2mB6cLyH8dS"}) == set()
	from_operator({"type": "LoadBalancer"}, {"username": "shop"}) == set()
}

test_role_of_zalando if {
	count(check.findings) == 1 with input as {
		"placeholders": true,
		"review": {"object": {"apiVersion": "acid.zalan.do/v1", "kind": "postgresql", "metadata": {"name": "acid-shop", "namespace": "prod"}, "spec": {"enableMasterLoadBalancer": true, "allowedSourceRanges": ["0.0.0.0/0"], "users": {"shop": ["superuser"]}}}},
		"inventory": {"namespace": {"prod": {"v1": {"Secret": {"shop.acid-shop.credentials.postgresql.acid.zalan.do": {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "shop.acid-shop.credentials.postgresql.acid.zalan.do", "namespace": "prod"}, "data": {"password": base64.encode("postgres")}}}}}}},
	}
}

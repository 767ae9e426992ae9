package walguard.checks.access.exposed_test

import data.walguard.checks.access.exposed as check

annotation(text) := {"metadata": {"annotations": {split(text, "=")[0]: split(text, "=")[1]}}}

facing := annotation("service.beta.kubernetes.io/aws-load-balancer-scheme=internet-facing")

server := {
	"apiVersion": "apps/v1",
	"kind": "StatefulSet",
	"metadata": {"name": "db", "namespace": "prod"},
	"spec": {
		"template": {"metadata": {"labels": {"app": "db"}}, "spec": {"containers": [{"name": "postgres", "image": "postgres:17.6", "volumeMounts": [{"name": "data", "mountPath": "/var/lib/postgresql/data"}]}]}},
		"volumeClaimTemplates": [{"metadata": {"name": "data"}, "spec": {"storageClassName": "fast", "resources": {"requests": {"storage": "10Gi"}}}}],
	},
}

plain := {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "db", "namespace": "prod"}, "spec": {"type": "LoadBalancer", "selector": {"app": "db"}, "ports": [{"port": 5432}]}}

class(provisioner) := {"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "metadata": {"name": "fast"}, "provisioner": provisioner}

reviewed(reviewed_object, of_namespace, provisioner) := found if found := check.findings with input as {
	"placeholders": true,
	"review": {"object": reviewed_object},
	"inventory": {"namespace": {"prod": of_namespace}, "cluster": {"storage.k8s.io/v1": {"StorageClass": {"fast": class(provisioner)}}}},
}

behind(service, provisioner) := reviewed(server, {"v1": {"Service": {"db": object.union(plain, service)}}}, provisioner)

made(api_version, kind, spec) := {[f.message, f.path] | some f in reviewed({"apiVersion": api_version, "kind": kind, "metadata": {"name": "a", "namespace": "prod"}, "spec": spec}, {}, "csi.example.com")}

test_public_by_its_annotation if {
	behind(facing, "ebs.csi.aws.com") == {{
		"message": "Service db opens PostgreSQL to the whole internet (aws-load-balancer-scheme: internet-facing). List the clients' addresses in loadBalancerSourceRanges, or make the balancer internal.",
		"path": ["spec", "type"],
		"resource": {"apiVersion": "v1", "kind": "Service", "namespace": "prod", "name": "db"},
	}}
	count(behind(annotation("service.beta.kubernetes.io/alibaba-cloud-loadbalancer-address-type=internet"), "ebs.csi.aws.com")) == 1
	behind(annotation("service.beta.kubernetes.io/aws-load-balancer-scheme=internal"), "pd.csi.storage.gke.io") == set()
}

test_public_by_its_cloud if {
	{f.message | some f in behind({}, "pd.csi.storage.gke.io")} == {"Service db opens PostgreSQL to the whole internet (public by default in Google Cloud). List the clients' addresses in loadBalancerSourceRanges, or make the balancer internal."}
	every provisioner in ["block.csi.vultr.com", "csi.hetzner.cloud", "disk.csi.azure.com", "diskplugin.csi.alibabacloud.com", "dobs.csi.digitalocean.com", "linodebs.csi.linode.com"] {
		count(behind({}, provisioner)) == 1
	}

	# What would keep it private is not in a live inventory.
	check.findings == set() with input as {"review": {"operation": "CREATE", "object": server}, "inventory": {"namespace": {"prod": {"v1": {"Service": {"db": plain}}}}, "cluster": {"storage.k8s.io/v1": {"StorageClass": {"fast": class("csi.hetzner.cloud")}}}}}

	# AWS has two controllers, of which one makes internal ones.
	behind({}, "ebs.csi.aws.com") == set()
}

test_public_by_the_name_of_its_class if {
	every name, cloud in {"do-block-storage": "DigitalOcean", "managed-csi": "Azure", "premium-rwo": "Google Cloud", "hcloud-volumes": "Hetzner Cloud"} {
		named := json.patch(server, [{"op": "replace", "path": "/spec/volumeClaimTemplates/0/spec/storageClassName", "value": name}])
		found := reviewed(named, {"v1": {"Service": {"db": plain}}}, "csi.example.com")
		{contains(f.message, sprintf("(public by default in %s)", [cloud])) | some f in found} == {true}
	}
	other := json.patch(server, [{"op": "replace", "path": "/spec/volumeClaimTemplates/0/spec/storageClassName", "value": "my-managed-csi"}])
	reviewed(other, {"v1": {"Service": {"db": plain}}}, "csi.example.com") == set()
}

test_limited if {
	every service in [
		{"spec": {"loadBalancerSourceRanges": ["198.51.100.0/24"]}},
		{"spec": {"loadBalancerSourceRanges": ["${CLIENTS}"]}},
		annotation("service.beta.kubernetes.io/load-balancer-source-ranges=198.51.100.0/24"),
		{"spec": {"type": "ClusterIP"}},
		{"spec": {"selector": {"app": "web"}}},
		{"spec": {"ports": [{"name": "http", "port": 80, "targetPort": 8080}]}},
	] {
		behind(object.union(facing, service), "pd.csi.storage.gke.io") == set()
	}
	{f.path | some f in behind(object.union(facing, {"spec": {"loadBalancerSourceRanges": ["198.51.100.0/24", "0.0.0.0/0"]}}), "")} == {["spec", "loadBalancerSourceRanges"]}
	{f.path | some f in behind(annotation("service.beta.kubernetes.io/load-balancer-source-ranges=::/0"), "csi.hetzner.cloud")} == {["metadata", "annotations", "service.beta.kubernetes.io/load-balancer-source-ranges"]}
}

test_ports_of_the_server if {
	every port in [{"port": 6432}, {"port": 80, "targetPort": "postgres"}, {"name": "pgbouncer", "port": 7000}] {
		count(behind({"spec": {"ports": [port]}}, "csi.hetzner.cloud")) == 1
	}
}

test_private if {
	every service in [
		annotation("networking.gke.io/load-balancer-type=Internal"),
		annotation("service.beta.kubernetes.io/alibaba-cloud-loadbalancer-address-type=intranet"),
		annotation("load-balancer.hetzner.cloud/disable-public-network=true"),
		annotation("networking.gke.io/load-balancer-type=${BALANCER}"),
		annotation("metallb.universe.tf/address-pool=lan"),
		{"spec": {"loadBalancerClass": "tailscale"}},
		{"spec": {"loadBalancerIP": "10.0.0.4"}},
		{"status": {"loadBalancer": {"ingress": [{"ip": "192.168.1.4"}]}}},
	] {
		behind(service, "csi.hetzner.cloud") == set()
	}
	every service in [
		annotation("service.beta.kubernetes.io/azure-load-balancer-internal=false"),
		{"spec": {"loadBalancerIP": "203.0.113.4"}},
		{"status": {"loadBalancer": {"ingress": [{"ip": "203.0.113.4"}]}}},
	] {
		count(behind(service, "csi.hetzner.cloud")) == 1
	}
}

test_behind_a_policy if {
	policy := {"apiVersion": "networking.k8s.io/v1", "kind": "NetworkPolicy", "metadata": {"name": "db", "namespace": "prod"}, "spec": {"podSelector": {"matchLabels": {"app": "db"}}, "policyTypes": ["Ingress"], "ingress": [{"from": [{"ipBlock": {"cidr": "198.51.100.0/24"}}]}]}}
	reviewed(server, {"v1": {"Service": {"db": object.union(plain, facing)}}, "networking.k8s.io/v1": {"NetworkPolicy": {"db": policy}}}, "csi.example.com") == set()
}

test_said_with_the_password if {
	guessed := json.patch(server, [{"op": "add", "path": "/spec/template/spec/containers/0/env", "value": [{"name": "POSTGRES_PASSWORD", "value": "postgres"}]}])
	reviewed(guessed, {"v1": {"Service": {"db": object.union(plain, facing)}}}, "csi.example.com") == set()
}

opened(place) := {["The load balancer opens PostgreSQL to the whole internet (aws-load-balancer-scheme: internet-facing). List the clients' addresses in loadBalancerSourceRanges, or make the balancer internal.", place]}

test_of_operators if {
	open := {"type": "LoadBalancer"}
	notes := {"annotations": facing.metadata.annotations}
	made("postgresql.cnpg.io/v1", "Cluster", {"managed": {"services": {"additional": [{"selectorType": "rw", "serviceTemplate": {"metadata": object.union(notes, {"name": "a-open"}), "spec": open}}]}}}) == opened(["spec", "managed", "services", "additional", 0, "serviceTemplate", "spec", "type"])
	every field in ["expose", "exposeReplicas"] {
		made("pgv2.percona.com/v2", "PerconaPGCluster", {"postgresVersion": 17, field: object.union(open, notes)}) == opened(["spec", field, "type"])
	}
	made("pgv2.percona.com/v2", "PerconaPGCluster", {"postgresVersion": 17, "proxy": {"pgBouncer": {"expose": object.union(open, notes)}}}) == opened(["spec", "proxy", "pgBouncer", "expose", "type"])
	every field in ["service", "replicaService"] {
		made("postgres-operator.crunchydata.com/v1beta1", "PostgresCluster", {"postgresVersion": 17, field: object.union(open, {"metadata": notes})}) == opened(["spec", field, "type"])
	}
	made("postgres-operator.crunchydata.com/v1beta1", "PostgresCluster", {"postgresVersion": 17, "proxy": {"pgBouncer": {"service": object.union(open, {"metadata": notes})}}}) == opened(["spec", "proxy", "pgBouncer", "service", "type"])
	every role, service in {"primary": "primaryService", "replicas": "replicasService"} {
		made("stackgres.io/v1", "SGCluster", {"postgresServices": {role: open}, "metadata": {"annotations": {service: notes.annotations}}}) == opened(["spec", "postgresServices", role, "type"])
	}
	made("acid.zalan.do/v1", "postgresql", {"enableMasterLoadBalancer": true, "allowedSourceRanges": ["0.0.0.0/0"], "serviceAnnotations": notes.annotations}) == {[replace(message, "The load balancer opens", "The load balancer of the primary opens"), ["spec", "allowedSourceRanges"]] | some [message, _] in opened([])}
	made("acid.zalan.do/v1", "postgresql", {"enableMasterLoadBalancer": true, "serviceAnnotations": notes.annotations}) == set()
}

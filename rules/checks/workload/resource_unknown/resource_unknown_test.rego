package walguard.checks.workload.resource_unknown_test

import data.walguard.checks.workload.resource_unknown as check

findings(object) := found if found := check.findings with input as {"review": {"object": object}}

cnpg(resources) := {
	"apiVersion": "postgresql.cnpg.io/v1",
	"kind": "Cluster",
	"metadata": {"name": "orders", "namespace": "prod"},
	"spec": {"instances": 3, "resources": resources},
}

test_unknown if {
	findings(cnpg({"requests": {"cpu": "1", "mem": "1Gi"}, "limits": {"cpu": "1", "mem": "1Gi"}})) == {{
		"message": "A container has no resource mem: the API server refuses the pods (\"must be a standard resource for containers\"), and none is created. Write memory.",
		"path": ["spec", "resources", "requests", "mem"],
	}}
	findings(cnpg({"limits": {"storage": "10Gi"}})) == {{
		"message": "A container has no resource storage: the API server refuses the pods (\"must be a standard resource for containers\"), and none is created. The size of the volume belongs to its claim.",
		"path": ["spec", "resources", "limits", "storage"],
	}}
}

cures(names) := {cure |
	some f in findings(cnpg({"requests": {name: "1" | some name in names}}))
	cure := split(f.message, "none is created. ")[1]
}

test_cures if {
	every name in ["mem", "ram", "RAM", "Memory", "MEMORY", "memroy"] {
		cures([name]) == {"Write memory."}
	}
	every name in ["CPU", "Cpu", "cpus", "vcpu", "core", "cores"] {
		cures([name]) == {"Write cpu."}
	}
	every name in ["ephemeralStorage", "ephemeral_storage", "ephemeral-Storage"] {
		cures([name]) == {"Write ephemeral-storage."}
	}
	every name in ["disk", "size", "storage", "volume", "Storage"] {
		cures([name]) == {"The size of the volume belongs to its claim."}
	}
	every name in ["hugepages", "hugePages-2Mi", "gpu", "pids"] {
		cures([name]) == {"Write cpu, memory, ephemeral-storage or hugepages-2Mi."}
	}
}

test_known if {
	findings(cnpg({"requests": {"cpu": "1", "memory": "1Gi", "ephemeral-storage": "1Gi", "hugepages-2Mi": "1Gi", "hugepages-1Gi": "1Gi", "nvidia.com/gpu": 1, "smarter-devices/fuse": 1, "${NAME}": "1"}})) == set()
	findings(cnpg({})) == set()
	findings(cnpg("${RESOURCES}")) == set()
	findings({"kind": "ConfigMap"}) == set()
}

test_every_operator if {
	paths({
		"apiVersion": "postgres-operator.crunchydata.com/v1beta1",
		"kind": "PostgresCluster",
		"metadata": {"name": "hippo"},
		"spec": {"postgresVersion": 16, "instances": [{"name": "a", "resources": {"limits": {"mem": "1Gi"}}}], "proxy": {"pgBouncer": {"resources": {"limits": {"mem": "1Gi"}}}}},
	}) == {["spec", "instances", 0, "resources", "limits", "mem"], ["spec", "proxy", "pgBouncer", "resources", "limits", "mem"]}
	paths({
		"apiVersion": "apps/v1",
		"kind": "StatefulSet",
		"metadata": {"name": "orders", "namespace": "prod"},
		"spec": {"template": {"spec": {
			"initContainers": [{"name": "own", "image": "busybox:1.36", "resources": {"requests": {"Memory": "1Gi"}}}],
			"containers": [{"name": "postgres", "image": "postgres:17", "resources": {"requests": {"ram": "1Gi"}}}],
		}}},
	}) == {["spec", "template", "spec", "containers", 0, "resources", "requests", "ram"], ["spec", "template", "spec", "initContainers", 0, "resources", "requests", "Memory"]}
	paths({
		"apiVersion": "kubegres.reactive-tech.io/v1",
		"kind": "Kubegres",
		"metadata": {"name": "orders"},
		"spec": {"image": "postgres:17", "resources": {"limits": {"mem": "1Gi"}}},
	}) == {["spec", "resources", "limits", "mem"]}
}

paths(object) := {f.path | some f in findings(object)}

# Its schema drops the name; see manifest/field_misspelt.
test_dropped if findings({"apiVersion": "acid.zalan.do/v1", "kind": "postgresql", "metadata": {"name": "acid-c"}, "spec": {"resources": {"requests": {"mem": "1Gi"}}}}) == set()

# Of a machine nothing is asked.
test_machine if findings({"apiVersion": "walguard.dev/v1", "kind": "Server", "metadata": {"name": "db"}, "spec": {"memory": "64Gi"}}) == set()

# ---------------------------------------------------------------------------------------------------------- claims

claiming(requests, of_object) := found if {
	found := check.findings with input as {
		"review": {"object": {
			"apiVersion": "apps/v1",
			"kind": "StatefulSet",
			"metadata": {"name": "orders", "namespace": "prod"},
			"spec": {
				"template": {"spec": {"containers": [{"name": "postgres", "image": "postgres:17"}], "volumes": [{"name": "backup", "persistentVolumeClaim": {"claimName": "backup"}}]}},
				"volumeClaimTemplates": [{"metadata": {"name": "data"}, "spec": {"resources": {"requests": requests}}}],
			},
		}},
		"inventory": {"namespace": {"prod": {"v1": {"PersistentVolumeClaim": {"backup": {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "backup", "namespace": "prod"}, "spec": {"resources": {"requests": of_object}}}}}}}},
	}
}

test_claim_without_storage if {
	claiming({"size": "10Gi"}, {"storage": "1Gi"}) == {{
		"message": "The claim asks for size and not for storage: the API server refuses it (\"spec.resources[storage]: Required value\"), and no pod starts. Write storage.",
		"path": ["spec", "volumeClaimTemplates", 0, "spec", "resources", "requests", "size"],
	}}
	{[f.path, f.resource.name] | some f in claiming({"storage": "1Gi"}, {"memory": "1Gi"})} == {[["spec", "resources", "requests", "memory"], "backup"]}
	claiming({"storage": "1Gi", "memory": "1Gi"}, {"storage": "1Gi"}) == set()
	claiming({}, {}) == set()
	claiming("${REQUESTS}", {"${NAME}": "1Gi"}) == set()
}

# --------------------------------------------------------------------------------------------------------- amounts

said(object) := {[f.message, f.path] | some f in findings(object)}

crunchy(claims, memory) := {
	"apiVersion": "postgres-operator.crunchydata.com/v1beta1",
	"kind": "PostgresCluster",
	"metadata": {"name": "hippo"},
	"spec": {
		"postgresVersion": 17,
		"instances": [{"name": "a", "dataVolumeClaimSpec": claims, "resources": {"limits": {"memory": memory}}}],
		"backups": {"pgbackrest": {"repos": [{"name": "repo1", "volume": {"volumeClaimSpec": claims}}]}},
	},
}

claim(size) := {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": size}}}

test_amounts if {
	said(cnpg({"requests": {"cpu": "500mi", "memory": "2GB"}})) == {
		["memory is \"2GB\", which Kubernetes does not read as a quantity: the resource is refused, or its pods are never created. Write 2Gi.", ["spec", "resources", "requests", "memory"]],
		["cpu is \"500mi\", which Kubernetes does not read as a quantity: the resource is refused, or its pods are never created. Write a number, or thousandths such as 500m.", ["spec", "resources", "requests", "cpu"]],
	}
	{m | some [m, _] in said(cnpg({"limits": {"memory": "two"}}))} == {"memory is \"two\", which Kubernetes does not read as a quantity: the resource is refused, or its pods are never created. Write a number and a unit, such as 20Gi."}
	every amount in ["2Gi", "2G", "1.5Gi", "2e9", 2, "${MEMORY}", "<memory>", "{{ .memory }}", "0.5", "1500m"] {
		said(cnpg({"limits": {"memory": amount, "cpu": amount}})) == set()
	}
}

# Their schemas have no pattern for a claim, and the operator creates none.
test_sizes if {
	volume := "the size of the volume is \"10GB\", which Kubernetes does not read as a quantity: the resource is refused, or its pods are never created. Write 10Gi."
	said(crunchy(claim("10GB"), "2Gi")) == {
		[volume, ["spec", "instances", 0, "dataVolumeClaimSpec", "resources", "requests", "storage"]],
		[volume, ["spec", "backups", "pgbackrest", "repos", 0, "volume", "volumeClaimSpec", "resources", "requests", "storage"]],
	}
	{p | some [_, p] in said(crunchy(claim("10Gi"), "2GB"))} == {["spec", "instances", 0, "resources", "limits", "memory"]}
	said(crunchy(claim("10Gi"), "2Gi")) == set()

	# Said by its webhook.
	said({"apiVersion": "postgresql.cnpg.io/v1", "kind": "Cluster", "metadata": {"name": "orders"}, "spec": {"storage": {"size": "10GB"}}}) == set()
	{p | some [_, p] in said({"apiVersion": "postgresql.cnpg.io/v1", "kind": "Cluster", "metadata": {"name": "orders"}, "spec": {"storage": {"pvcTemplate": {"resources": {"requests": {"storage": "10GB"}}}}}})} == {["spec", "storage", "pvcTemplate", "resources", "requests", "storage"]}
	{p | some [_, p] in said({"apiVersion": "kubegres.reactive-tech.io/v1", "kind": "Kubegres", "metadata": {"name": "orders"}, "spec": {"image": "postgres:17", "database": {"size": "10GB"}}})} == {["spec", "database", "size"]}
}

# Amounts of the operator's configuration stand elsewhere.
test_amounts_of_the_operator if {
	configured := {"apiVersion": "acid.zalan.do/v1", "kind": "OperatorConfiguration", "metadata": {"name": "c", "namespace": "op"}, "configuration": {"postgres_pod_resources": {"default_memory_limit": "2GB"}}}
	cluster := {"apiVersion": "acid.zalan.do/v1", "kind": "postgresql", "metadata": {"name": "acid-c", "namespace": "prod"}, "spec": {"numberOfInstances": 1, "resources": {"requests": {"memory": "1Gi"}}}}
	found := check.findings with input as {"review": {"object": cluster}, "inventory": {"namespace": {"op": {"acid.zalan.do/v1": {"OperatorConfiguration": {"c": configured}}}}}}
	{f.path | some f in found} == set()
}

# A change that leads into its cluster.
test_amounts_of_another_resource if {
	cluster := {"apiVersion": "kubegres.reactive-tech.io/v1", "kind": "Kubegres", "metadata": {"name": "orders", "namespace": "prod"}, "spec": {"image": "postgres:17", "customConfig": "conf", "resources": {"limits": {"memory": "2GB"}}}}
	found := check.findings with input as {
		"review": {"object": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "conf", "namespace": "prod"}, "data": {"postgres.conf": "work_mem = 4MB"}}},
		"inventory": {"namespace": {"prod": {"kubegres.reactive-tech.io/v1": {"Kubegres": {"orders": cluster}}}}},
	}
	{[f.path, f.resource.name] | some f in found} == {[["spec", "resources", "limits", "memory"], "orders"]}
}

test_amounts_of_kubeblocks if {
	component := {"name": "postgresql", "serviceVersion": "16.4.0", "replicas": 2, "resources": {"limits": {"memory": "2GB"}}, "volumeClaimTemplates": [{"name": "data", "spec": {"resources": {"requests": {"storage": "20GB"}}}}]}
	{p | some [_, p] in said({"apiVersion": "apps.kubeblocks.io/v1", "kind": "Cluster", "metadata": {"name": "orders"}, "spec": {"clusterDef": "postgresql", "componentSpecs": [component]}})} == {
		["spec", "componentSpecs", 0, "resources", "limits", "memory"],
		["spec", "componentSpecs", 0, "volumeClaimTemplates", 0, "spec", "resources", "requests", "storage"],
	}
}

of_a_claim(resources, requests) := {[f.path, f.message, f.severity] | some f in found} if {
	found := check.findings with input as {"review": {"object": {"apiVersion": "postgres-operator.crunchydata.com/v1beta1", "kind": "PostgresCluster", "metadata": {"name": "a", "namespace": "b"}, "spec": {"postgresVersion": 17, "instances": [object.union(
		{
			"name": "i",
			"dataVolumeClaimSpec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": requests}},
		},
		resources,
	)]}}}}
}

test_memory_of_a_claim if {
	of_a_claim({}, {"storage": "1Gi", "cpu": "1", "memory": "1Gi"}) == {[
		["spec", "instances", 0, "dataVolumeClaimSpec", "resources", "requests", "cpu"],
		"A claim has no use for cpu and memory: a volume has storage alone, and the containers of i get none of it. Write it in spec.instances.resources.",
		"warning",
	]}
	count(of_a_claim({"resources": {"limits": {"cpu": "1"}}}, {"storage": "1Gi", "cpu": "1", "memory": "1Gi"})) == 1
	of_a_claim({"resources": {"limits": {"cpu": "1", "memory": "1Gi"}}}, {"storage": "1Gi", "cpu": "1", "memory": "1Gi"}) == set()
	of_a_claim({}, {"storage": "1Gi"}) == set()
}

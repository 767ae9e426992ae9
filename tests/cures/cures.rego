# METADATA
# description: |
#   Cures leave nothing behind. Every finding that names a value (its fix or its suggestion, JSON Patch operations) is followed to the letter
#   and the manifest judged again: that finding must be gone, and no new one of severity warning or error may have come. Manifests are the
#   texts in data.texts (fixtures of the checks and examples) and generated clusters, each of which follows from its number alone.
package walguard.cures

severities := {"info": 0, "warning": 1, "error": 2}

# ------------------------------------------------------------------------------------------------------- manifests

# METADATA
# description: The documents of a text. Documents that are no object are left out.
documents(text) := [document |
	some part in split(concat("", ["\n", text]), "\n---")
	yaml.is_valid(part)
	document := yaml.unmarshal(part)
	is_object(document)
]

# METADATA
# description: The generated cluster of a number.
generated(i) := array.concat([cluster(i)], [class | some name, class in classes; name == storage_class(i)])

# Numbers that look random and are the same everywhere.
roll(i, what) := floor((((((i * 7919) + (what * 104729)) % 1000003) * 48271) % 2147483647) / 1021)

pick(i, what, values) := values[roll(i, what) % count(values)]

# Half of what can be written is not.
maybe(i, what, values) := pick(i, what, values) if roll(i, what + 1000) % 2 == 0

choices := {
	"autovacuum": ["off", "on"],
	"autovacuum_max_workers": ["3", "6", "10"],
	"autovacuum_vacuum_cost_delay": ["0", "2ms"],
	"autovacuum_vacuum_scale_factor": ["0.1", "0.6"],
	"autovacuum_work_mem": ["64MB", "512MB", "2GB", "8GB"],
	"checkpoint_completion_target": ["0.3", "0.5", "0.9"],
	"checkpoint_flush_after": ["0", "256kB"],
	"checkpoint_timeout": ["30s", "1min", "5min", "15min", "1h"],
	"effective_cache_size": ["1GB", "12GB", "48GB", "200GB"],
	"full_page_writes": ["on", "on", "off"],
	"huge_pages": ["try", "off"],
	"maintenance_work_mem": ["64MB", "256MB", "2GB", "16GB"],
	"max_connections": ["10", "50", "100", "200", "500", "800", "1000", "5000"],
	"max_slot_wal_keep_size": ["-1", "4GB", "20GB", "50GB", "100GB", "400GB"],
	"max_wal_size": ["512MB", "1GB", "2GB", "4GB", "8GB", "16GB", "40GB", "64GB", "100GB", "500GB"],
	"min_wal_size": ["80MB", "512MB"],
	"shared_buffers": ["128MB", "512MB", "1GB", "4GB", "16GB", "32GB", "64GB"],
	"superuser_reserved_connections": ["3", "10", "60"],
	"synchronous_commit": ["on", "off"],
	"wal_init_zero": ["on", "off"],
	"wal_keep_size": ["0", "1GB", "10GB", "40GB", "200GB"],
	"work_mem": ["4MB", "16MB", "64MB", "256MB", "1GB"],
}

names := sort(object.keys(choices))

parameters(i) := {name: value |
	some n, name in names
	value := maybe(i, n, choices[name])
}

sizes := ["1Gi", "5Gi", "10Gi", "20Gi", "40Gi", "60Gi", "100Gi", "300Gi", "500Gi", "1Ti", "4Ti"]

resources(i) := object.union_n([
	{"limits": object.union_n([
		{"memory": memory | memory := maybe(i, 50, ["512Mi", "1Gi", "2Gi", "4Gi", "16Gi", "64Gi", "256Gi"])},
		{"cpu": cpu | cpu := maybe(i, 51, ["1", "2", "4", "8", "16", "32"])},
		{"hugepages-2Mi": pages | pages := maybe(i, 52, ["1Gi", "20Gi"]); roll(i, 53) % 5 == 0},
	])},
	{"requests": {"memory": memory | memory := maybe(i, 50, ["512Mi", "1Gi", "2Gi", "4Gi", "16Gi", "64Gi", "256Gi"])}},
])

annotations(i) := object.union_n([
	{"walguard.dev/required-throughput": text | text := maybe(i, 54, ["20M", "100M", "250M", "800M"]); roll(i, 55) % 3 == 0},
	{"walguard.dev/rto": text | text := maybe(i, 56, ["30s", "2min", "10min"]); roll(i, 57) % 3 == 0},
	{"walguard.dev/workload": text | text := maybe(i, 58, ["read-mostly", "latency"]); roll(i, 59) % 5 == 0},
])

storage_class(i) := pick(i, 60, ["gp2", "gp3", "pl1", "pd-balanced", "premium", "none"])

claim(i, what) := object.union({"size": pick(i, what, sizes)}, {"storageClass": name | name := storage_class(i); name != "none"})

metadata(i) := {"name": sprintf("generated-%d", [i]), "namespace": "cures", "annotations": annotations(i)}

cluster(i) := {
	"apiVersion": "postgresql.cnpg.io/v1",
	"kind": "Cluster",
	"metadata": metadata(i),
	"spec": object.union_n([
		{
			"imageName": pick(i, 61, ["ghcr.io/cloudnative-pg/postgresql:17.6", "ghcr.io/cloudnative-pg/postgresql:18.1"]),
			"instances": pick(i, 62, [1, 2, 3]),
			"storage": claim(i, 63),
			"postgresql": {"parameters": parameters(i)},
			"resources": resources(i),
		},
		object.union_n([{"walStorage": claim(i, 64)} | roll(i, 65) % 2 == 0]),
		object.union_n([{"bootstrap": {"initdb": {"walSegmentSize": pick(i, 66, [16, 64, 1024])}}} | roll(i, 67) % 3 == 0]),
	]),
} if {
	i % 3 != 0
}

cluster(i) := {
	"apiVersion": "acid.zalan.do/v1",
	"kind": "postgresql",
	"metadata": metadata(i),
	"spec": {
		"teamId": "generated",
		"numberOfInstances": pick(i, 62, [1, 2, 3]),
		"volume": claim(i, 63),
		"resources": resources(i),
		"postgresql": {"version": "17", "parameters": parameters(i)},
	},
} if {
	i % 3 == 0
}

classes := {name: class |
	some name, [provisioner, given] in {
		"gp2": ["ebs.csi.aws.com", {"type": "gp2"}],
		"gp3": ["ebs.csi.aws.com", {"type": "gp3"}],
		"pl1": ["diskplugin.csi.alibabacloud.com", {"type": "cloud_essd", "performanceLevel": "PL1"}],
		"pd-balanced": ["pd.csi.storage.gke.io", {"type": "pd-balanced"}],
		"premium": ["disk.csi.azure.com", {"skuName": "Premium_LRS"}],
	}
	class := {
		"apiVersion": "storage.k8s.io/v1",
		"kind": "StorageClass",
		"metadata": {"name": name},
		"provisioner": provisioner,
		"parameters": given,
		"allowVolumeExpansion": true,
	}
}

# ---------------------------------------------------------------------------------------------------------- cures

findings(given) := found if {
	found := data.main.findings with input as [{"path": "manifests", "contents": given}]
}

cures(f) := array.concat([f.fix | f.fix], [f.suggestion | f.suggestion])

same(document, resource) if {
	document.kind == resource.kind
	document.apiVersion == resource.apiVersion
	document.metadata.name == resource.name
}

patched(document, resource, operations) := json.patch(document, operations) if same(document, resource)

patched(document, resource, _) := document if not same(document, resource)

key(f) := [f.check, f.resource, f.path]

# A parameter that is written now was none that could be pointed at.
left(f, after) := {g.message |
	some g in after
	g.check == f.check
	g.resource == f.resource
	array.slice(g.path, 0, count(f.path)) == f.path
	severities[g.severity] >= severities[f.severity]
	not another(f, g)
}

# Two settings of one check in one place: the path leads to the other one.
another(f, g) if {
	count(g.path) > count(f.path)
	not g.path[count(g.path) - 1] in written_by(f)
}

written_by(f) := {name |
	some operations in cures(f)
	some operation in operations
	parts := split(operation.path, "/")
	name := parts[count(parts) - 1]
}

come(before, after) := {sprintf("%s %s: %s", [g.severity, g.check, g.message]) |
	some g in after
	severities[g.severity] >= 1
	not key(g) in {key(f) | some f in before; severities[f.severity] >= severities[g.severity]}
}

# METADATA
# description: What following the cures of these documents one by one leaves behind, and how many there were.
followed(given) := {"findings": count(before), "cures": count(outcomes), "faults": [o | some o in outcomes; count(o.left) + count(o.come) > 0]} if {
	before := findings(given)
	outcomes := [outcome |
		some f in before
		some operations in cures(f)
		then := [patched(document, f.resource, operations) | some document in given]
		after := findings(then)
		outcome := {"check": f.check, "message": f.message, "cure": operations, "left": left(f, after), "come": come(before, after)}
	]
}

# METADATA
# description: The texts, by path.
of_texts := {path: followed(documents(text)) | some path, text in data.texts}

# METADATA
# description: The documents of the generated clusters from one number to another, for who follows all fixes of a cluster at once.
manifests := {sprintf("generated-%d", [i]): generated(i) | some i in numbers.range(data.first, data.last)}

# METADATA
# description: The generated clusters from one number to another.
of_numbers := {sprintf("generated-%d", [i]): followed(generated(i)) | some i in numbers.range(data.first, data.last)}

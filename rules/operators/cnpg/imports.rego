package walguard.operators.cnpg

import data.walguard.lib.get
import data.walguard.lib.image
import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.lib.placeholder

# What an import of a CloudNativePG cluster stumbles over. Before release 1.28 the operator put user_search into each database of a cluster with a Pooler and granted it to cnpg_pooler_pgbouncer
# (reconcilePgbouncerAuthUser); the import leaves that role out (role.go of pkg/management/postgres/logicalimport), and pg_restore of a monolith ends at the GRANT.
granted_to_a_pooler := [{
	"path": ["spec", "bootstrap", "initdb", "import"],
	"reason": sprintf("Databases of %s grant to the role of its Pooler %s, cnpg_pooler_pgbouncer, which the import leaves out: \"role does not exist\", and no instance is created", [pooled.cluster, pooled.pooler]),
	"cure": "Set pgDumpExtraOptions: [--no-acl], or drop user_search there",
	"level": level,
} |
	get.string(import_section, "type") == "monolith"
	not regex.match(`"(--no-acl|--no-privileges|-x)"`, json.marshal(import_section))
	some pooled in pooled_sources
	level := level_of_grant(pooled.image)
]

# The import of one database leaves the function to its owner (--no-owner, --role), who may not read pg_shadow; the operator takes what is there for its own, by the name and the text alone.
poolers_of_an_import := [{
	"path": ["spec", "bootstrap", "initdb", "import"],
	"reason": sprintf("The import brings user_search of %s, which then belongs to %s: before release 1.28 Pooler %s looks passwords up by it (\"permission denied for view pg_shadow\")", [pooled.cluster, initial_owner, own.metadata.name]),
	"cure": "Drop the function in the new database, so that the operator makes it again",
} |
	get.string(import_section, "type") == "microservice"
	own := [o | some o in own_poolers; automated(o)][0]
	some pooled in pooled_sources
	level_of_grant(spec_image)
]

spec_image := object.get(spec, "imageName", "")

import_section := get.map(spec, ["bootstrap", "initdb", "import"]) if {
	operator
	object.get(k8s.object, ["status", "readyInstances"], 0) == 0
	written := get.map(spec, ["bootstrap", "initdb", "import"])
	not regex.match(`--exclude|--schema|"-[nN]`, json.marshal(written))
	not placeholder.holds(json.marshal(written))
}

# Clusters with a Pooler that the import reads from, by the Services of either.
pooled_sources := [{"cluster": origin.metadata.name, "pooler": pooler_of_origin.metadata.name, "image": object.get(origin, ["spec", "imageName"], "")} |
	some external in get.list(spec, "externalClusters")
	get.string(external, "name") == get.string(import_section, ["source", "externalCluster"])
	some origin in inventory.everywhere(k8s.api_version, "Cluster")
	poolers_of_origin := [o |
		some o in inventory.list(origin.metadata.namespace, k8s.api_version, "Pooler")
		get.string(o, ["spec", "cluster", "name"]) == origin.metadata.name
		automated(o)
	]
	leads_to(get.string(external, ["connectionParameters", "host"]), origin.metadata, {o.metadata.name | some o in poolers_of_origin})
	pooler_of_origin := poolers_of_origin[0]
]

leads_to(host, origin, names) if {
	parts := split(host, ".")
	parts[0] in ({sprintf("%s-%s", [origin.name, suffix]) | some suffix in ["rw", "ro", "r"]} | names)
	array.concat(parts, [k8s.namespace])[1] == origin.namespace
}

level_of_grant(_) := "error" if installed_before_1_28

# What was made by an older release has stayed: the image is older than 1.28.0, of 9 December 2025.
level_of_grant(reference) := "warning" if {
	not installed_before_1_28
	major_of_image := image.major(reference)
	image.minor_of(image.tag(reference), major_of_image) < minors_of_november_2025[sprintf("%d", [major_of_image])]
}

minors_of_november_2025 := {"13": 23, "14": 20, "15": 15, "16": 11, "17": 7, "18": 1}

installed_before_1_28 if {
	some deployment in inventory.in_all_files("apps/v1", "Deployment")
	some container in get.list(deployment, ["spec", "template", "spec", "containers"])
	reference := get.string(container, "image")
	image.name(reference) == "cloudnative-pg"
	regex.match(`^v?1\.(1[0-9]|2[0-7])(\.|-|$)`, image.tag(reference))
}

installed_before_1_28 if charted(`^v?0\.(1[0-9]|2[0-6])\.[0-9x]+$`)

# The version of the operator's chart beside it matches.
charted(pattern) if {
	some version in ["v2beta1", "v2beta2", "v2"]
	some release in inventory.in_all_files(sprintf("helm.toolkit.fluxcd.io/%s", [version]), "HelmRelease")
	chart := get.map(release, ["spec", "chart", "spec"])
	get.string(chart, "chart") == "cloudnative-pg"
	regex.match(pattern, get.string(chart, "version"))
}

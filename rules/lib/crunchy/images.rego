package walguard.lib.crunchy

import data.walguard.lib.get
import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.lib.placeholder

# Images that nobody names: VerifyImageValues (internal/config/config.go) ends each reconciliation with an event MissingRequiredImage. What the operator has stands in variables of its Deployment. Percona's own
# manifests have none; those of Crunchy and of OLM have them.
unnamed_images := array.concat(
	[{
		"reason": sprintf("%s is missing, and the operator has none (%s of Deployment %s/%s): it goes no further (\"MissingRequiredImage\")", [concat(".", field.path), field.variable, deployment.metadata.namespace, deployment.metadata.name]),
		"cure": "Name the image here",
		"path": field.path,
	} |
		some field in fields_of_images
		unwritten(field.path)
		[deployment, container] := operators[0]
		names := [get.string(variable, "name") | some variable in get.list(container, "env")]
		not field.variable in names
		has_images(names)
		count([1 | some name in names; placeholder.holds(name)]) == 0
		count(get.list(container, "envFrom")) == 0
	],
	[{
		"reason": sprintf("spec.image is missing, and PGO since 5.4 has none for PostgreSQL %d: it goes no further (\"MissingRequiredImage\")", [major.value]),
		"cure": "Name the image, or take a later version",
		"path": ["spec", "image"],
	} |
		k8s.group == "postgres-operator.crunchydata.com"
		major.value < 14
		unwritten(["spec", "image"])
		count(operators) == 0
	],
)

unwritten(path) if {
	object.get(k8s.object, path, "") in {"", null}
	not get.boolean(spec, "shutdown")
	not get.boolean(spec, "pause")
}

# Its deployments of PGO have one for each server that they know.
has_images(_) if k8s.group == "pgv2.percona.com"

has_images(names) if {
	some name in names
	startswith(name, "RELATED_IMAGE_POSTGRES_")
}

fields_of_images := array.concat(
	array.concat(
		[{"path": ["spec", "image"], "variable": variable_of_server} | variable_of_server],
		[{"path": array.concat(pgbackrest, ["image"]), "variable": "RELATED_IMAGE_PGBACKREST"} | count(repositories) > 0; not get.boolean(spec, ["backups", "enabled"]) == false],
	),
	[{"path": array.concat(path, ["image"]), "variable": variable} |
		some [path, variable] in [
			[["spec", "proxy", "pgBouncer"], "RELATED_IMAGE_PGBOUNCER"],
			[["spec", "monitoring", "pgmonitor", "exporter"], "RELATED_IMAGE_PGEXPORTER"],
			[["spec", "userInterface", "pgAdmin"], "RELATED_IMAGE_PGADMIN"],
		]
		is_object(object.get(k8s.object, path, null))
	],
)

variable_of_server := sprintf("RELATED_IMAGE_POSTGRES_%d", [major.value]) if object.get(spec, "postGISVersion", "") in {"", null}

variable_of_server := sprintf("RELATED_IMAGE_POSTGRES_%d_GIS_%s", [major.value, version]) if {
	version := get.string(spec, "postGISVersion")
	version != ""
	not placeholder.holds(version)
}

# METADATA
# description: The Deployments of the operator in sight, each with its container, [[deployment, container], …].
operators := [[deployment, container] |
	some deployment in inventory.everywhere("apps/v1", "Deployment")
	some container in get.list(deployment, ["spec", "template", "spec", "containers"])
	regex.match(image_of_operator[k8s.kind], get.string(container, "image"))
]

image_of_operator := {
	"PerconaPGCluster": `(^|/)percona-postgresql-operator:[0-9.]+$`,
	"PostgresCluster": `crunchydata/postgres-operator[:@]`,
}

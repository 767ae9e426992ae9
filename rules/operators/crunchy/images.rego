package walguard.operators.crunchy

import data.walguard.lib.crunchy as pgo
import data.walguard.lib.get
import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.lib.placeholder

# Images that nobody names: VerifyImageValues (internal/config/config.go) ends each reconciliation with an event MissingRequiredImage. What the operator has stands in variables of its Deployment.
unnamed_images := [{
	"reason": sprintf("%s is missing, and the operator has none (%s of Deployment %s/%s): it goes no further (\"MissingRequiredImage\")", [concat(".", field.path), field.variable, deployment.metadata.namespace, deployment.metadata.name]),
	"cure": "Name the image here",
	"path": field.path,
} |
	some field in fields_of_images
	object.get(k8s.object, field.path, "") in {"", null}
	not get.boolean(pgo.spec, "shutdown")
	[deployment, container] := own_operators[0]
	names := [get.string(variable, "name") | some variable in get.list(container, "env")]
	count([1 | some name in names; startswith(name, "RELATED_IMAGE_POSTGRES_")]) > 0
	not field.variable in names
	count([1 | some name in names; placeholder.holds(name)]) == 0
	count(get.list(container, "envFrom")) == 0
]

fields_of_images := array.concat(
	array.concat(
		[{"path": ["spec", "image"], "variable": variable_of_server} | variable_of_server],
		[{"path": array.concat(pgo.pgbackrest, ["image"]), "variable": "RELATED_IMAGE_PGBACKREST"} | count(pgo.repositories) > 0],
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

variable_of_server := sprintf("RELATED_IMAGE_POSTGRES_%d", [pgo.major.value]) if object.get(pgo.spec, "postGISVersion", "") in {"", null}

variable_of_server := sprintf("RELATED_IMAGE_POSTGRES_%d_GIS_%s", [pgo.major.value, version]) if {
	version := get.string(pgo.spec, "postGISVersion")
	version != ""
	not placeholder.holds(version)
}

own_operators := [[deployment, container] |
	some deployment in inventory.everywhere("apps/v1", "Deployment")
	some container in get.list(deployment, ["spec", "template", "spec", "containers"])
	regex.match(`crunchydata/postgres-operator[:@]`, get.string(container, "image"))
]

# pgAdmin 4.30 reads pg_database.datlastsysoid, which PostgreSQL 15 has no more (issues 3680 and 3780); one of its builds opened no database at all (issue 3367), and the images of others have no pgAdmin where the
# operator looks for it (internal/pgadmin/config.go).
unfit_pgadmin := [object.union(fault, {"path": path, "level": "warning"}) |
	path := ["spec", "userInterface", "pgAdmin"]
	is_object(object.get(k8s.object, path, null))
	reference := object.get(k8s.object, array.concat(path, ["image"]), "")
	is_string(reference)
	fault := fault_of_pgadmin(reference)
]

fault_of_pgadmin(reference) := {
	"reason": "The build ubi8-4.30-3 of pgAdmin opens no database (\"object has no attribute '_asdict'\")",
	"cure": "Take a later one, or write a resource of kind PGAdmin",
} if {
	regex.match(`(^|/)crunchy-pgadmin4:ubi8-4\.30-3$`, reference)
} else := {
	"reason": sprintf("userInterface.pgAdmin is pgAdmin 4.30, which reads columns that PostgreSQL %d no longer has: it opens no database", [pgo.major.value]),
	"cure": "Take userInterface out, and write a resource of kind PGAdmin",
} if {
	pgo.major.value >= 15
	regex.match(`^$|(^|/)crunchy-pgadmin4:[a-z0-9]+-4\.30-`, reference)
} else := {
	"reason": sprintf("The image %s is not Crunchy's pgAdmin 4.30, and the operator finds no program in it: its pod does not start", [reference]),
	"cure": "Leave the field out, or write a resource of kind PGAdmin",
} if {
	regex.match(`(^|/)dpage/pgadmin4[:@]`, reference)
}

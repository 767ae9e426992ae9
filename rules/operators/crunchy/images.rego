package walguard.operators.crunchy

import data.walguard.lib.crunchy as pgo
import data.walguard.lib.k8s

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

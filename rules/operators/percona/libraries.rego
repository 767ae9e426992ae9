package walguard.operators.percona

import data.walguard.lib.crunchy as pgo
import data.walguard.lib.get
import data.walguard.lib.image

# The operator's list comes behind that of the user and cannot be emptied (internal/patroni/config.go). Extensions of one's own are unpacked
# into the image's directories.
libraries := {"value": sort([library | some library, _ in preloading]), "origin": "operator", "path": ["spec", "image"], "asked": "the operator preloads", "cure": cure} if {
	count(preloading) > 0
	reference := get.string(pgo.spec, "image")
	not image.postgres_alone(reference)
	count(get.list(pgo.spec, ["extensions", "custom"])) == 0
	missing := [field | some library, field in preloading; image.lacks(reference, library)]
	cure := sprintf("Use Percona's image, or set %s to false", [concat(" and ", sort(missing))])
}

preloading[library] := sprintf("spec.extensions.builtin.%s", [key]) if {
	some key, library in switches
	asked(key)
}

preloading["pg_tde"] := "spec.extensions.pg_tde.enabled" if get.boolean(pgo.spec, ["extensions", "pg_tde", "enabled"])

switches := {"pg_audit": "pgaudit", "pg_stat_monitor": "pg_stat_monitor", "pg_stat_statements": "pg_stat_statements"}

# The old place is asked first (SetExtensionDefaults).
asked(key) if get.boolean(pgo.spec, ["extensions", "builtin", key])

asked(key) if {
	not get.present(pgo.spec, ["extensions", "builtin", key])
	get.boolean(pgo.spec, ["extensions", key, "enabled"])
}

asked("pg_audit") if unsaid("pg_audit")

# Since 2.9 what PMM asks decides.
asked("pg_stat_monitor") if {
	unsaid("pg_stat_monitor")
	regex.match(`^2\.[0-8]\.[0-9]+$`, get.string(pgo.spec, "crVersion"))
}

unsaid(key) if {
	not get.present(pgo.spec, ["extensions", "builtin", key])
	not get.present(pgo.spec, ["extensions", key, "enabled"])
}

# METADATA
# title: Settings of a library that is not loaded
# description: |
#   PostgreSQL takes any name with a dot in it for the setting of some extension, so that one of a library that is not loaded is accepted and does
#   nothing. These libraries work only when the server loads them at start: "extension "timescaledb" must be preloaded", "pg_cron can only be loaded via
#   shared_preload_libraries", "pg_stat_statements must be loaded via shared_preload_libraries". CloudNativePG adds pg_stat_statements, auto_explain, pgaudit and
#   pg_failover_slots by itself where a setting of theirs is written. The SQL of initdb in CloudNativePG, databaseInitSQL of CrunchyData's and Percona's
#   operators, the scripts of the first start of a plain server, and the extensions of CloudNativePG's Databases are read for CREATE EXTENSION too.
# related_resources:
#   - https://www.postgresql.org/docs/current/runtime-config-custom.html
#   - https://www.postgresql.org/docs/current/runtime-config-client.html#GUC-SHARED-PRELOAD-LIBRARIES
#   - https://cloudnative-pg.io/documentation/current/postgresql_conf/#managed-extensions
# custom:
#   severity: warning
#   since: 0.1.0
#   remediation: Add the library to shared_preload_libraries, behind those that are there; it takes effect with a restart.
#   sources: []
package walguard.checks.parameters.preload_missing

import data.walguard.lib.conf
import data.walguard.lib.finding
import data.walguard.lib.get
import data.walguard.lib.image as images
import data.walguard.lib.text
import data.walguard.model
import data.walguard.model.image

findings contains f if {
	some library, setting in first_of
	absent(library)
	f := finding.at(setting, sprintf("%s is set, but %s is not among shared_preload_libraries (%s): it has no effect, and the extension does not work. %s.", [
		setting.name,
		library,
		shown,
		cure(library, library),
	]))
}

findings contains f if {
	some created in get.list(model.cluster, "extensions")
	library := libraries[created.name]
	absent(library)
	not first_of[library]
	not created.by
	f := finding.with_severity(
		finding.at(created, sprintf("CREATE EXTENSION %s fails, and with it %s: %s is not among shared_preload_libraries%s. %s.", [
			created.name,
			object.get(created, "consequence", "the creation of the cluster"),
			library,
			listed(created),
			cure(library, "it"),
		])),
		refused[created.name],
	)
}

findings contains f if {
	some created in get.list(model.cluster, "extensions")
	created.by in {"operator", "script"}
	library := libraries[created.name]
	absent(library)
	not first_of[library]
	f := finding.with_severity(
		finding.at(created, sprintf("CREATE EXTENSION %s %s: %s is not among shared_preload_libraries (%s). %s.", [
			created.name,
			outcome(created, level(created)),
			library,
			shown,
			object.get(created, "cure", cure(library, "it")),
		])),
		level(created),
	)
}

level(created) := object.get(refused, created.name, "warning")

outcome(created, "error") := sprintf("fails, and with it %s", [object.get(created, "consequence", "the first start")])

outcome(_, "warning") := "is of no use"

# Some operators add libraries of their own, which are not named here.
listed(created) := "" if created.consequence

listed(created) := sprintf(" (%s)", [shown]) if not created.consequence

# The first setting of each library.
first_of[library] := found if {
	names := sort([name | some name in object.keys(model.written); contains(name, ".")])
	some library in {l | some name in names; l := libraries[split(name, ".")[0]]}
	own := [name | some name in names; libraries[split(name, ".")[0]] == library]
	found := model.written[own[0]]
}

# By what their settings begin with, and by the names of their extensions.
libraries := object.union(by_name, of_images)

# Images of their own bring these, which load them by a configuration of the image where no operator writes another.
of_images := {"vchord": "vchord", "vectors": "vectors"} if is_array(model.cluster.preloaded)

of_images := {} if not model.cluster.preloaded

by_name := {
	"auto_explain": "auto_explain",
	"citus": "citus",
	"cron": "pg_cron",
	"pg_cron": "pg_cron",
	"pg_partman_bgw": "pg_partman_bgw",
	"pg_stat_monitor": "pg_stat_monitor",
	"pg_stat_statements": "pg_stat_statements",
	"pg_wait_sampling": "pg_wait_sampling",
	"pgaudit": "pgaudit",
	"timescaledb": "timescaledb",
}

# CREATE EXTENSION of the others succeeds, and what they offer fails.
refused := {"citus": "error", "pg_cron": "error", "pgaudit": "error", "timescaledb": "error", "vchord": "error", "vectors": "error"}

# Added alone it would keep the server from starting (image/library_missing).
cure(library, _) := sprintf("Use an image that has it, unlike %s, and add it there", [image.reference]) if lacking(library)

cure(library, word) := sprintf("Add %s there", [word]) if not lacking(library)

lacking(library) if {
	images.lacks(image.reference, library)
	not model.cluster.libraries_mounted
	not library in get.list(model.cluster, "libraries_brought")
}

known := {trim_suffix(trim_prefix(name, "$libdir/"), ".so") | some name in model.cluster.preloaded} if is_array(model.cluster.preloaded)

known := conf.names(model.parameter("shared_preload_libraries").text) if {
	not model.cluster.preloaded
	not model.cluster.preload
}

# Undefined where the list is unknown.
absent(library) if {
	loaded := (known | by_session) | {name | some name in get.list(model.cluster, "preloaded_besides")}
	not library in loaded
}

by_session := {name |
	some parameter in ["session_preload_libraries", "local_preload_libraries"]
	some name in conf.names(model.written[parameter].text)
}

shown := "now empty" if count(known) == 0

shown := text.list(sort([name | some name in known]), "and") if count(known) > 0

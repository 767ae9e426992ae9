package walguard.checks.backup.missing_test

import data.walguard.checks.backup.missing as check
import data.walguard.lib.manifest_test as servers
import data.walguard.model

cluster := {"operator": "CloudNativePG", "namespace": "prod", "name": "orders", "parameters": []}

archiving(value) := {"archiving": {"value": value, "origin": "written", "path": ["spec", "plugins"]}}

schedule := {"method": "full", "path": ["spec", "schedule"], "text": "0 0 2 * * *", "needs_wal": false}

findings(facts, schedules, inventory) := found if {
	found := check.findings with model.cluster as object.union(cluster, facts)
		with model.schedules as schedules
		with input as {"review": {"object": {}}, "inventory": inventory}
}

said(severity, clause) := {{
	"message": sprintf("No physical backup: WAL is not archived%s. Configure a WAL archive and a schedule of base backups.", [clause]),
	"severity": severity,
	"path": ["spec", "plugins"],
}}

test_nothing if {
	findings(archiving("discards"), [], {}) == said("info", " and no base backup is scheduled")
	findings(archiving("off"), [], {"complete": true}) == said("warning", " and no base backup is scheduled")
}

# Dumps and copies of volumes may stand in charts and other repositories.
test_files_do_not_prove_that_there_is_no_backup if {
	here := {"archiving": {"value": "discards", "origin": "operator", "path": ["spec", "plugins"]}}
	findings(object.union(here, {"instances": {"value": 3}}), [], {}) == said("info", " and no base backup is scheduled")
}

# Where others are backed up, this one was left out. One with a single instance may be somebody's try-out.
test_the_resource_is_the_place if {
	here := {"archiving": {"value": "discards", "origin": "operator", "path": ["spec", "plugins"]}}
	every known in ["schedules_known", "others_backed_up"] {
		findings(object.union(here, {"instances": {"value": 2}, known: true}), [], {}) == said("warning", " and no base backup is scheduled")
		findings(object.union(here, {"instances": {"value": 1}, known: true}), [], {}) == said("info", " and no base backup is scheduled")
		findings(object.union(here, {known: true}), [], {}) == said("info", " and no base backup is scheduled")
	}
}

test_dumps_only if {
	findings(archiving("discards"), [object.union(schedule, {"method": "logical"})], {}) == said("info", ", and dumps restore only to the moment they were taken")
}

test_suspended_counts_for_nothing if {
	findings(archiving("off"), [object.union(schedule, {"suspended": true})], {}) == said("info", " and no base backup is scheduled")
}

test_backed_up if {
	findings(archiving("on"), [], {"complete": true}) == set()
	findings(archiving("discards"), [schedule], {"complete": true}) == set()
}

test_silent_when_unknown if {
	findings({}, [], {"complete": true}) == set()
	findings(object.union(archiving("off"), {"partial": true}), [], {}) == set()
	findings(object.union(archiving("off"), {"change": true}), [], {}) == set()
}

# Backups of a machine are made by means that no document shows.
test_on_a_machine if {
	found := check.findings with input as servers.server("archive_mode = off", {})
	found == set()
}

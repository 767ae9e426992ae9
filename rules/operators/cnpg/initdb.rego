package walguard.operators.cnpg

import data.walguard.lib.fact
import data.walguard.lib.get
import data.walguard.lib.initdb

# -------------------------------------------------------------------------------------------------------- initdb

section := get.map(spec, ["bootstrap", "initdb"]) if initialised

initdb_path := ["spec", "bootstrap", "initdb"]

# True when the operator runs initdb, be it because nothing else is said.
initialised if {
	count(spec) > 0
	not get.present(spec, ["bootstrap", "recovery"])
	not get.present(spec, ["bootstrap", "pg_basebackup"])
	not copied
}

# Whoever names another cluster and no bootstrap may have taken out the one that the cluster was recovered by.
copied if {
	not get.present(spec, "bootstrap")
	count(get.list(spec, "externalClusters")) > 0
}

# Once options are given the operator reads them alone.
options := [text |
	some option in get.list(object.get(spec, ["bootstrap", "initdb"], {}), "options")
	initialised
	text := get.text(option)
]

segment := initdb.option_segment(options, array.concat(initdb_path, ["options"])) if count(options) > 0

segment := initdb.segment(section.walSegmentSize, array.concat(initdb_path, ["walSegmentSize"])) if count(options) == 0

segment := initdb.default_segment(array.concat(initdb_path, ["walSegmentSize"])) if {
	section
	count(options) == 0
	not get.present(section, "walSegmentSize")
}

checksums := initdb.option_checksums(options, array.concat(initdb_path, ["options"]), known_major) if count(options) > 0

checksums := fact.written(true, array.concat(initdb_path, ["dataChecksums"])) if asked_for_checksums

# Not asked for, or "false", which asks for nothing either (the operator only ever adds -k): what initdb of that version does.
checksums := initdb.default_checksums(known_major, array.concat(initdb_path, ["dataChecksums"])) if {
	section
	count(options) == 0
	not asked_for_checksums
	not get.unknown(section, "dataChecksums")
}

asked_for_checksums if {
	count(options) == 0
	get.boolean(section, "dataChecksums")
}

# What initdb writes, before what the operator sets itself.
initial := [setting |
	some setting in initdb.settings(options, array.concat(initdb_path, ["options"]))
	name := get.lower_case(setting.name)
	not defaults[name]
]

known_major := major.value

known_major := null if not major

package walguard.operators.kubegres

import data.walguard.lib.get
import data.walguard.lib.initdb
import data.walguard.lib.placeholder

# -------------------------------------------------------------------------------------------------------- initdb

options := [{"words": words, "path": ["spec", "env", i, "value"]} |
	some i, variable in get.list(home, ["spec", "env"])
	is_object(variable)
	get.string(variable, "name") == "POSTGRES_INITDB_ARGS"
	text := get.text_at(variable, "value")
	not placeholder.unknown(text)
	words := [word | some word in split(text, " "); word != ""]
]

# Without a text in sight: what comes out of a ConfigMap or a Secret, or is filled in later, is not known.
unreadable if {
	some variable in get.list(home, ["spec", "env"])
	is_object(variable)
	get.string(variable, "name") == "POSTGRES_INITDB_ARGS"
}

segment := at_home(placed(initdb.option_segment(options[0].words, options[0].path), options[0].path))

segment := at_home(initdb.default_segment(["spec", "env"])) if {
	home
	count(options) == 0
	not unreadable
}

checksums := at_home(placed(initdb.option_checksums(options[0].words, options[0].path, major_number), options[0].path))

checksums := at_home(initdb.default_checksums(major_number, ["spec", "env"])) if {
	count(options) == 0
	not unreadable
}

major_number := major.value

major_number := null if not major

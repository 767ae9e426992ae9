package walguard.operators.workload

import data.walguard.lib.mount
import data.walguard.lib.script
import data.walguard.lib.text as texts

# Those, and the files in sight that they name, or run whatever they are called.
scripts_and_named := array.concat(scripts, [f |
	some f in files
	not f in scripts
	count([1 | some one in scripts; named_by(one.text, f.file)]) > 0
])

named_by(text_, file) if {
	not regex.match(`\.(conf|ya?ml|json|toml|ini|cfg|crt|pem|key|txt|md|csv)$`, file)
	contains(text_, file)
}

named_by(text_, file) if script.runs(text_, file)

# By the directory that the script lies in.
named_by(text_, file) if {
	some place_of in script_places
	mount.within(file, place_of)
	parts := split(file, "/")
	regex.match(sprintf(`(?:(?:\A|[\s;&|])(?:\.|source|(?:ba|da)?sh)\s|\bpsql\b[^;&|\n]*(?:-f|--file=|<))[^;&|\n]*/%s\b`, [texts.literal(parts[count(parts) - 1])]), text_)
}

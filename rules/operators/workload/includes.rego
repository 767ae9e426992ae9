package walguard.operators.workload

import data.walguard.lib.conf
import data.walguard.lib.get
import data.walguard.lib.hba
import data.walguard.lib.mount
import data.walguard.lib.placeholder

# What postgresql.conf and pg_hba.conf include, where the pod mounts it from objects in sight.

# METADATA
# description: |
#   The file cut at what it includes, with what that brings in between, so that the settings are in the server's order. Lines keep their numbers.
with_included(f) := [piece |
	cuts := [cut | some cut in conf.inclusions(f.text); brought_settings(f, cut)]
	some i in numbers.range(0, count(cuts))
	some piece in array.concat(
		[object.union(f, {"text": conf.between(f.text, line_of(cuts, i - 1, 0), line_of(cuts, i, count(f.text) + 1))})],
		[object.union(g, {"within": {"file": g.file, "first_line": 1}}) | some g in brought_settings(f, cuts[i])],
	)
]

line_of(cuts, i, _) := cuts[i].line

line_of(cuts, i, other) := other if not cuts[i]

# A file that includes others in its turn is left to the reader.
brought_settings(f, cut) := found if {
	found := drawn_in(f.file, cut.name, cut.value)
	count([g | some g in found; conf.includes_more(g.text)]) == 0
}

# METADATA
# description: The lines of pg_hba.conf, with those of the files that it includes in their places.
hba_lines(f) := [line |
	some entry in hba.of_text(f.text, object.filter(f, ["path", "resource"]))
	some line in lines_for(f, entry)
]

lines_for(f, entry) := brought_lines(f, entry)

lines_for(f, entry) := [entry] if not brought_lines(f, entry)

brought_lines(f, entry) := [line | some g in found; some line in hba.of_text(g.text, object.filter(g, ["path", "resource"]))] if {
	told_words := hba.words_of(entry.line)
	count(told_words) == 2
	found := drawn_in(f.file, told_words[0], told_words[1])
	count([g | some g in found; count(hba.included(hba.of_text(g.text, {}))) > 0]) == 0
}

# Undefined where something may lie there that is not in sight.
drawn_in(file, directive, value) := array.slice([f | some f in files; f.file == target], 0, 1) if {
	directive in {"include", "include_if_exists"}
	target := place_included(file, value)
	target in seen_files
}

drawn_in(file, "include_if_exists", value) := [] if {
	target := place_included(file, value)
	not target in seen_files
	wholly_seen(mount_of(target))
}

drawn_in(file, "include_dir", value) := [f | some name in names; some f in files; f.file == name] if {
	target := place_included(file, value)
	wholly_seen(mount_of(target))
	every mounted in mounts {
		besides(mounted, target)
	}
	names := sort({name |
		some name in seen_files
		rest := trim_prefix(name, concat("", [target, "/"]))
		rest != name
		regex.match(`^[^./][^/]*\.conf$`, rest)
	})
	stands(target, names)
}

# The server does not start without the directory.
stands(_, names) if count(names) > 0

stands(target, []) if {
	some mounted in mounts
	mounted.directory == target
}

besides(mounted, target) if not mount.within(mounted.directory, target)

besides(mounted, _) if wholly_seen(mounted)

seen_files := {f.file | some f in files}

# Bitnami's image copies its files to another place, and reads a directory beside them.
place_included(_, value) := mount.clean(value) if {
	layout != "bitnami"
	startswith(value, "/")
	not placeholder.holds(value)
}

place_included(file, value) := mount.clean(concat("/", [regex.replace(file, `/[^/]*$`, ""), value])) if {
	layout != "bitnami"
	regex.match(`^[^/]`, value)
	not placeholder.holds(value)
}

# All that it can hold is in sight.
wholly_seen(mounted) if {
	in_sight(mounted)
	some field in ["configMap", "secret"]
	get.present(volumes[mounted.name].volume, [field])
}

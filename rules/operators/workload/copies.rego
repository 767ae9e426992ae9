package walguard.operators.workload

import data.walguard.lib.files as readable_files
import data.walguard.lib.get
import data.walguard.lib.k8s
import data.walguard.lib.mount

# Init containers that do nothing but copy files of objects in sight to volumes of the server, before every start: what they copy is known.
facts contains {"copied_by": paths} if {
	paths := [copier.path | some copier in copiers]
	count(paths) > 0
}

files_copied := [object.union(f, {"file": landing}) |
	some copier in copiers
	some [f, to] in copier.copies
	from := mount.above(to, copier.mounts)
	some mounted in mounts
	mounted.name == from.name
	object.get(mounted, "subpath", "") == object.get(from, "subpath", "")
	landing := concat("", [mounted.directory, trim_prefix(to, from.directory)])
]

copiers := [{"path": path, "mounts": theirs, "copies": copies} |
	some i, one in get.list(k8s.object, array.concat(pod_path, ["initContainers"]))
	path := array.concat(pod_path, ["initContainers", i])
	theirs := mounts_of_container(one)
	steps := steps_of(one)
	there := readable_files.mounted(one, get.list(k8s.object, array.concat(pod_path, ["volumes"])))
	wanted := [told_words | some step in steps; told_words := copy_in(step)]
	copies := [[f, to] |
		some [from, into] in wanted
		f := [g | some g in there; g.file == from][0]
		to := copied_to(from, into)
	]
	count(copies) > 0
	count(copies) == count(wanted)
	every step in steps {
		merely_copies(step)
	}
]

mounts_of_container(one) := [object.union({"name": get.string(mounted, "name"), "directory": mount.clean(get.string(mounted, "mountPath"))}, {"subpath": subpath | subpath := get.string(mounted, "subPath")}) |
	some mounted in get.list(one, "volumeMounts")
]

# What a shell is given, step by step.
steps_of(one) := [trim_space(step) | some step in regex.split(`\n|&&|;`, told_words[count(told_words) - 1])] if {
	told_words := array.concat(get.list(one, "command"), get.list(one, "args"))
	count(told_words) > 2
	every word in told_words {
		is_string(word)
	}
	regex.match(`^(/bin/|/usr/bin/)?(ba|a|da)?sh$`, told_words[0])
	every flag in array.slice(told_words, 1, count(told_words) - 1) {
		regex.match(`^-[cex]+$`, flag)
	}
}

merely_copies(step) if regex.match(`^(#.*|set -[eux]+|(cp|echo|mkdir|chmod|chown|ls|sleep)( [^<>|&$\x60()\\]*)?|exit 0)?$`, step)

copy_in(step) := [trim(found[1], `"'`), trim(found[2], `"'`)] if {
	found := regex.find_all_string_submatch_n(`^cp\s+(?:-[fLpv]+\s+)*(\S+)\s+(\S+)$`, step, 1)[0]
} else := ["", ""] if startswith(step, "cp ")

# What has no ending is a directory.
copied_to(from, into) := mount.clean(concat("/", [into, regex.replace(from, `^.*/`, "")])) if not regex.match(`\.[a-z]+$`, into)

copied_to(_, into) := mount.clean(into) if regex.match(`\.[a-z]+$`, into)

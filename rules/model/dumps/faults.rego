package walguard.model.dumps

import data.walguard.lib.get
import data.walguard.lib.mount

# METADATA
# description: |
#   What lets every dump of a job fail: {"job": its name, "reason", "cure", "level"?: "error" where nothing but the job decides it, "path", "resource"}.
faults := [object.union(fault, {"job": job.resource.name, "path": object.get(fault, "path", job.script_path), "resource": job.resource}) |
	some job in all
	some fault in array.concat(array.concat(array.concat(without_shell(job), in_one_word(job)), installing(job)), array.concat(read_only(job), glued_password(job)))
]

# pg_dump itself is run: nothing reads what a shell would.
without_shell(job) := array.slice(
	array.concat(
		[{"reason": sprintf("runs pg_dump without a shell and gives it %q, which it takes for an argument (\"too many command-line arguments\")", [sign]), "cure": "Write command: [sh, -ec] and the line as one argument", "level": "error"} |
			runs_dump(job)
			some sign in words(job.container)
			sign in {">", ">>", "|", "&&", "2>&1"}
		],
		[{"reason": sprintf("runs pg_dump without a shell, and Kubernetes does not replace %s", [found[0]]), "cure": sprintf("Write $(%s), or run it by sh -c", [found[1]])} |
			runs_dump(job)
			some word in words(job.container)
			some found in regex.find_all_string_submatch_n(`\$\{?([A-Za-z_][A-Za-z0-9_]*)\}?`, word, 1)
			some variable in get.list(job.container, "env")
			get.string(variable, "name") == found[1]
		],
	),
	0, 1,
)

# The first word is the name of the program, blanks and all.
in_one_word(job) := [{"reason": sprintf("starts the program %q, which does not exist", [word]), "cure": "Write command: [sh, -ec] and the line as one argument", "level": "error"} |
	word := words(job.container)[0]
	count(words(job.container)) == 1
	regex.match(`^(\S*/)?(pg_dump(all)?|sh|bash)\s+\S`, word)
]

runs_dump(job) if regex.match(`^(\S*/)?pg_dump(all)?$`, words(job.container)[0])

# The package managers write below /var and /lib, which is root's.
installing(job) := [{"reason": sprintf("runs %s as user %d, and that is root's to do (\"Permission denied\")", [program, number]), "cure": "Take an image that has it, or let an init container fetch it"} |
	number := user_of(job)
	number > 0
	program := regex.find_all_string_submatch_n(`(?m)(?:^|[;&|(]|\bthen\b|\bdo\b)\s*(apt-get (?:-\S+ )*(?:update|install)|apt (?:update|install)|apk (?:-\S+ )*add)\b`, job.script, 1)[0][1]
	not regex.match(`\bsudo\b|(?m)(apt|apk)[^\n]*\|\|`, job.script)
]

read_only(job) := [{"reason": sprintf("dumps to %s, which it mounts read-only (\"Read-only file system\")", [target]), "cure": "Remove readOnly", "level": "error", "path": array.concat(array.slice(job.path, 0, count(job.path) - 1), ["volumeMounts", i, "readOnly"])} |
	target := written_to(job.script)
	some i, mounted in get.list(job.container, "volumeMounts")
	get.boolean(mounted, "readOnly")
	mounted_at := mount.clean(get.string(mounted, "mountPath"))
	mount.within(target, mounted_at)
	count([1 | some other in get.list(job.container, "volumeMounts"); at := mount.clean(get.string(other, "mountPath")); at != mounted_at; mount.within(target, at)]) == 0
]

# getopt_long of pg_dump: --password takes no argument.
glued_password(job) := [{"reason": sprintf("gives %s a password behind --password, which takes none (\"option '--password' doesn't allow an argument\")", [match[1]]), "cure": "Leave it out, and set PGPASSWORD", "level": "error"} |
	some match in regex.find_all_string_submatch_n(`\b(pg_dump|pg_dumpall)\b[^;|&\n]*\s--password=`, replace(job.script, "\\\n", " "), 1)
]

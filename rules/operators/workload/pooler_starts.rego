package walguard.operators.workload

import data.walguard.lib.files as readable_files
import data.walguard.lib.get
import data.walguard.lib.image
import data.walguard.lib.k8s

# Poolers whose container ends, or that read another file than the one that is mounted.

unready_poolers := array.concat(array.concat(detached_poolers, poolers_without_scratch), files_of_nobody)

# A container ends with its first process (-d of PgBouncer's main.c; Pgpool-II stays with -n alone).
detached_poolers := [object.union(stopped_at({"made": one.made, "path": ["spec", "template", "spec", "containers"]}), {
	"reason": sprintf("%s %s runs %s in the background (%s): the container ends at once, and starts again for ever", [one.made.kind, one.made.metadata.name, title, option]),
	"cure": cure,
}) |
	some one in poolers_by_file
	count(array.concat(get.list(one.container, "command"), get.list(one.container, "args"))) > 0
	some program, [title, pattern, option, cure] in detaching
	regex.match(pattern, regex.replace(line_run_by(one.container), `^((ba|da|a)?sh|/\S*/(ba|da|a)?sh) -[a-z]*c `, ""))
	contains(line_run_by(one.container), program)
]

detaching := {
	"pgbouncer": ["PgBouncer", `^(exec )?(\S*/)?pgbouncer( [^;&|\n]*)? (-[a-z]*d[a-z]*|--daemon)( [^;&|\n]*)?$`, "-d", "Leave -d out"],
	"pgpool": ["Pgpool-II", `^(exec )?(\S*/)?pgpool( -[a-mo-zA-Z]( /\S+)?)*$`, "without -n", "Add -n"],
}

line_run_by(one) := concat(" ", [word | some field in ["command", "args"]; some word in get.list(one, field); is_string(word)])

# By PgBouncer's or Pgpool-II's own file.
poolers_by_file := array.concat(with_a_file("pgbouncer", "pgbouncer.ini", server_in_ini), with_a_file("pgpool", "pgpool.conf", server_in_pgpool_conf))

server_in_pgpool_conf := `(?m)^\s*backend_hostname[0-9]+\s*=\s*'([A-Za-z0-9-]+)`

# Their entrypoints write the configuration before anything else.
poolers_without_scratch := [object.union(stopped_at(one), {
	"reason": sprintf("The root filesystem of the pooler in %s %s is read-only, and its image writes the configuration to %s: it does not start", [one.made.kind, one.made.metadata.name, directory]),
	"cure": sprintf("Mount an emptyDir at %s", [directory]),
}) |
	some one in pooling
	get.boolean(one.container, ["securityContext", "readOnlyRootFilesystem"])
	not get.present(one.container, ["command"])
	some pattern, directory in written_by_poolers
	regex.match(pattern, image.repository(get.string(one.container, "image")))
	count([1 |
		some mounted in get.list(one.container, "volumeMounts")
		startswith(concat("", [directory, "/"]), concat("", [trim_suffix(get.string(mounted, "mountPath"), "/"), "/"]))
	]) == 0
]

written_by_poolers := {
	`^docker\.io/edoburu/pgbouncer$`: "/etc/pgbouncer",
	`^docker\.io/bitnami(legacy|secure)?/pgbouncer$`: "/opt/bitnami/pgbouncer/conf",
	`^docker\.io/bitnami(legacy|secure)?/pgpool$`: "/opt/bitnami/pgpool/conf",
}

# Bitnami's image takes what is mounted at /bitnami/pgbouncer/conf (PGBOUNCER_MOUNTED_CONF_DIR) and else writes one of its own; the others' command names the file.
files_of_nobody := [{
	"reason": sprintf("This pgbouncer.ini is at %s in %s %s, where its image looks for none: PgBouncer runs by what the image's variables say", [seen[0], one.made.kind, one.made.metadata.name]),
	"cure": sprintf("Mount it at %s", [home[1]]),
	"level": "warning",
	"path": one.path,
	"resource": k8s.reference(one.source),
} |
	some one in with_a_file("pgbouncer", "pgbouncer.ini", server_in_ini)
	some pattern, home in homes_of_files
	regex.match(pattern, image.repository(get.string(one.container, "image")))
	count(array.concat(get.list(one.container, "command"), get.list(one.container, "args"))) == 0
	seen := [file.file |
		some file in readable_files.mounted(one.container, get.list(one.made, ["spec", "template", "spec", "volumes"]))
		endswith(file.file, "/pgbouncer.ini")
	]
	count(seen) > 0
	every file in seen {
		not regex.match(home[0], file)
	}
	count([1 | some variable in get.list(one.container, "env"); regex.match(`CONF`, get.string(variable, "name"))]) == 0
]

homes_of_files := {
	`^docker\.io/bitnami(legacy|secure)?/pgbouncer$`: [`^/(opt/)?bitnami/pgbouncer/conf/`, "/bitnami/pgbouncer/conf"],
	`^docker\.io/(edoburu|pgbouncer)/pgbouncer$`: [`^/etc/pgbouncer/`, "/etc/pgbouncer"],
}

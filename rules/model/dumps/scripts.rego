package walguard.model.dumps

import data.walguard.lib.files
import data.walguard.lib.get
import data.walguard.lib.mount
import data.walguard.lib.workloads

# METADATA
# description: |
#   Lines of backup scripts that end the job although the dump is good: under pipefail a pipe fails when its first program is killed by SIGPIPE, which it is when the last one has read enough and ends. pg_restore --list reads the
#   beginning of a dump, and so does head. {"job": in words, "reads": the program that ends, "path", "resource"}. Looked at are scripts of CronJobs, in their arguments or in a file of a ConfigMap, that dump the cluster under review.
broken_pipes := [{"job": one.job, "reads": reads, "path": one.path, "resource": one.resource} |
	some one in backup_scripts
	strict(one.text)
	not regex.match(`set \+o pipefail|PIPESTATUS|SIGPIPE|\b141\b`, one.text)
	some line in split(replace(one.text, "\\\n", " "), "\n")
	contains(line, "|")
	reads := ends_early(line)
]

# Both, or the script goes on.
strict(text_) if {
	regex.match(`(?m)(^\s*|[;&]\s*)set\s+(-[a-z]+\s+)*-[a-z]*o\s+pipefail\b|\bset -o pipefail\b`, text_)
	regex.match(`(?m)(^\s*|[;&]\s*)set\s+(-[a-z]+\s+)*-[a-z]*e|\bset -o errexit\b|(?m)^#!.*\s-[a-z]*e`, text_)
}

ends_early(line) := "pg_restore --list" if {
	regex.match(sprintf(`%s\|\s*pg_restore(?:\s+-[A-Za-z-]+(?:=\S+)?(?:\s+(?:c|custom))?)*\s+(?:-l|--list)(?:\s+-[A-Za-z-]+(?:=\S+)?)*\s*(?:(?:2|1|&)?>\s*[^\s|;&]+\s*)*(?:$|[|;)"]|2>&1|#)`, [dump_sent]), line)
	not regex.match(`\|\|\s*(true|:)`, line)
} else := "head" if {
	regex.match(sprintf(`%s\|\s*head(?:\s|\||$)`, [dump_sent]), line)
	not regex.match(`\|\|\s*(true|:)`, line)
}

# A line, a condition or a variable that begins with what writes out a dump.
dump_sent := `^\s*(?:if\s+(?:!\s+)?|[A-Za-z_][A-Za-z_0-9]*="?\$\()?(?:zcat|gunzip\s|gzip\s+-[a-z]*d|zstdcat|zstd\s+-[a-z]*d|xzcat|xz\s+-[a-z]*d|mc\s+cat\s|aws\s+s3\s+cp\s[^|]*\s-\s*|rclone\s+cat\s|gsutil\s+cat\s|s5cmd\s+cat\s|pg_dump\s|cat\s+[^|<]*\.(?:dump|sql|bak|pgdump|backup)\b)[^|;]*`

# METADATA
# description: |
#   What CronJobs run to dump the cluster under review, the words of their containers and files that these name: {"script", "script_path", "resource"}.
run_scripts := array.concat(
	[object.filter(job, ["script", "script_path", "resource"]) | some job in by_script],
	[{"script": file.text, "script_path": file.path, "resource": file.resource} |
		some job in written
		some file in scripts_of({"container": job.container, "path": [], "made": {"pod": job.pod, "resource": {}}})
		file.resource != {}
		regex.match(`\bpg_dump(all)?\b`, file.text)
	],
)

backup_scripts := [object.union(one, {"job": found.made.words}) |
	count(hosts) > 0
	some found in workloads.containers
	found.made.kind == "CronJob"
	some one in scripts_of(found)
	contains(one.text, "pipefail")
	regex.match(`\bpg_dump\b`, one.text)
	texts := array.concat([one.text], [value | some variable in get.list(found.container, "env"); value := get.string(variable, "value")])
	of_the_cluster(texts)
]

scripts_of(found) := array.concat(
	[{"text": concat("\n", words(found.container)), "path": array.concat(found.path, [field_of(found.container)]), "resource": found.made.resource}],
	[object.filter(file, ["text", "path", "resource"]) |
		run := concat(" ", words(found.container))
		contains(run, "/")
		some mounted in get.list(found.container, "volumeMounts")
		directory := mount.clean(get.string(mounted, "mountPath"))
		contains(run, directory)
		some volume in get.list(found.made.pod, "volumes")
		get.string(volume, "name") == get.string(mounted, "name")
		some file in files.of(object.union({"directory": directory}, {"subpath": mount.clean(below) | below := get.string(mounted, "subPath")}), volume)
		regex.match(sprintf(`(^|[\s;&"'])%s($|[\s;&"'])`, [regex.replace(file.file, `([.+])`, `\$1`)]), run)
	],
)

# METADATA
# description: |
#   Commands among the parameters (archive_command, restore_command …) whose script lies on a volume that the server mounts: PostgreSQL runs them as its own user in the data directory,
#   where they can write postgresql.auto.conf.
# related_resources:
#   - https://www.postgresql.org/docs/current/runtime-config-wal.html#GUC-ARCHIVE-COMMAND
package walguard.model.commanded

import data.walguard.lib.files
import data.walguard.lib.get
import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.lib.mount
import data.walguard.lib.script
import data.walguard.lib.text as texts
import data.walguard.model

# METADATA
# description: Those whose script sets parameters, or is not in sight.
setting := [object.union({"name": name, "severity": severity}, object.filter(parameter, ["path", "resource", "line"])) |
	some name, parameter in model.written
	endswith(name, "_command")
	some one in mounts
	runs(parameter.text, one.directory)
	severity := weight(parameter.text, one)
]

runs(text, directory) if script.runs(text, directory)

# A shell that reads it, one that goes there before, and an archive that is unpacked into the data directory.
runs(text, directory) if {
	below := texts.literal(directory)
	regex.match(sprintf(`\bsh\s+(-\S+\s+)*<\s*["']?%s/|[$]\(\s*cat\s+["']?%s/|\bcat\s+["']?%s/[^;&|]*\|\s*\w*sh\b|\bcd\s+["']?%s(/\S*)?\s*(&&|;)\s*((ba|da|a)?sh\s|\./|\.\s)|\btar\s+-?x[a-z]*\s+["']?%s/[^%%\s]*\s*($|[;&|])`, [below, below, below, below, below]), text)
}

weight(text, one) := "warning" if {
	some seen in named(text, one)
	alters(seen)
	script.dangerous(seen)
} else := inventory.unread if {
	some seen in named(text, one)
	alters(seen)
} else := inventory.unread if {
	count(named(text, one)) == 0
	unseen(one.volume)
}

named(text, one) := [file.text |
	some file in files.of(one, one.volume)
	parts := split(file.file, "/")
	contains(text, parts[count(parts) - 1])
]

alters(text) if script.alters(text)

# Into a file of the data directory whose name it puts together; PostgreSQL says by %p what it wants there.
alters(text) if {
	some target in script.veiled_targets(text)
	regex.match(`(?i)PGDATA|pgroot|/data/`, target)
	not regex.match(`[$][{]?[0-9]`, target)
}

unseen(volume) if get.present(volume, "persistentVolumeClaim")

unseen(volume) if {
	some source in files.sources(volume)
	not files.holder(source)
}

mounts := array.concat(array.concat(of_zalando, of_crunchy), [object.union({"directory": mount.clean(get.string(mounted, "mountPath")), "volume": volume}, {"subpath": below | below := get.string(mounted, "subPath")}) |
	some [mounted, volumes] in mounted_by_name
	some volume in volumes
	trim_prefix(get.string(mounted, "name"), "custom-") == get.string(volume, "name")
])

of_zalando := [{"directory": mount.clean(directory), "volume": get.map(one, "volumeSource")} |
	some one in get.list(k8s.object, ["spec", "additionalVolumes"])
	directory := get.string(one, "mountPath")
]

of_crunchy := [{"directory": "/etc/postgres", "volume": {"projected": {"sources": sources}}} |
	sources := get.list(k8s.object, ["spec", "config", "files"])
]

# Workloads, Kubegres, StackGres and Percona's instances.
mounted_by_name := array.concat(
	[[mounted, get.list(k8s.object, volumes)] |
		some [list, volumes] in array.concat(
			[
				[["spec", "volume", "volumeMounts"], ["spec", "volume", "volumes"]],
				[["spec", "pods", "customVolumeMounts", "patroni"], ["spec", "pods", "customVolumes"]],
			],
			[[array.concat(pod, ["containers", i, "volumeMounts"]), array.concat(pod, ["volumes"])] |
				some pod in [["spec", "template", "spec"], ["spec"]]
				some i, _ in get.list(k8s.object, array.concat(pod, ["containers"]))
			],
		)
		some mounted in get.list(k8s.object, list)
	],
	[[mounted, get.list(set, field)] |
		some set in get.list(k8s.object, ["spec", "instances"])
		some mounted in get.list(set, "volumeMounts")
		some field in ["extraVolumes", "sidecarVolumes"]
	],
)

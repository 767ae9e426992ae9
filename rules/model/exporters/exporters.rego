# METADATA
# description: |
#   Exporters of metrics that read columns which the cluster's server no longer has: containers of its pods, and workloads of the namespace whose DATA_SOURCE_NAME or DATA_SOURCE_URI names one of its Services.
# related_resources:
#   - https://github.com/prometheus-community/postgres_exporter/blob/master/CHANGELOG.md
#   - https://www.postgresql.org/docs/17/release-17.html
package walguard.model.exporters

import data.walguard.lib.files
import data.walguard.lib.get
import data.walguard.lib.image
import data.walguard.lib.k8s
import data.walguard.lib.script
import data.walguard.lib.workloads
import data.walguard.model

# METADATA
# description: '[{"reason", "cure": sentences without the full stop, "level", "path", "resource"?}]'
outdated := [object.union(
	{
		"reason": sprintf("postgres_exporter %s reads columns that PostgreSQL %d has not (column \"checkpoints_timed\" does not exist): a collector fails at each scrape, and the server logs it", [trim_prefix(split(image.tag(reference), "-")[0], "v"), model.major]),
		"cure": "Take release 0.17.1 or newer, or pass --no-collector.stat_bgwriter",
		"level": "warning",
		"path": array.concat(one.path, ["image"]),
	},
	object.filter(one, ["resource"]),
) |
	model.major >= 17
	some one in watching
	reference := get.string(one.container, "image")
	regex.match(`^postgres(ql)?[-_]exporter$`, image.name(reference))
	regex.match(`^v?0\.1[2-6]\.`, image.tag(reference))
	not contains(words_of(one.container), "no-collector.stat_bgwriter")
]

# METADATA
# description: |
#   Columns of queries that an exporter is told of, whose usage and description stand beside them and not below: {"file", "column", "path", "resource"}. It finds no use of the column then.
# related_resources:
#   - https://github.com/prometheus-community/postgres_exporter/issues/425
misplaced := [{"file": regex.replace(file, `^.*/`, ""), "column": match[2], "field": match[4], "path": seen.path, "resource": seen.resource} |
	some one in workloads.containers
	regex.match(`postgres(ql)?[-_]exporter`, get.string(one.container, "image"))
	watches(one)
	file := script.queries_of(one.container)
	some seen in files.mounted(one.container, get.list(one.made.pod, "volumes"))
	seen.file == file
	some match in regex.find_all_string_submatch_n(`(?m)^([ ]*)- ([A-Za-z_][A-Za-z0-9_]*):[ ]*\n([ ]*)(usage|description):`, seen.text, -1)
	count(match[3]) <= count(match[1]) + 2
]

# The collector of pg_stat_bgwriter came with 0.12, on by default; 0.17 asks by the version.
words_of(container) := concat(" ", [word | some field in ["command", "args"]; some word in get.list(container, field); is_string(word)])

watching := array.concat(
	[object.union({"container": one.container, "path": one.path}, place(one.made)) |
		some one in workloads.containers
		watches(one)
	],
	[{"container": container, "path": array.concat(path, [i])} |
		some pod in get.list(model.cluster, "pods")
		some path in get.list(pod, "containers")
		some i, container in get.list(k8s.object, path)
		count([1 | some one in workloads.containers; workloads.itself(one.made)]) == 0
		not elsewhere(container)
	],
)

place(made) := {} if workloads.itself(made)

place(made) := {"resource": made.resource} if not workloads.itself(made)

# A container beside the server has it at localhost, which is where the exporter looks of its own accord.
watches(one) if {
	workloads.itself(one.made)
	not elsewhere(one.container)
}

watches(one) if {
	not workloads.itself(one.made)
	some host in hosts_of(one.container)
	host in named
}

elsewhere(container) if {
	found := hosts_of(container)
	count(found) > 0
	count([1 | some host in found; host in (named | {"localhost", "127"})]) == 0
}

hosts_of(container) := {match[1] |
	some variable in get.list(container, "env")
	regex.match(`^DATA_SOURCE_(NAME|URI)$`, get.string(variable, "name"))
	some match in regex.find_all_string_submatch_n(`(?:^|,|@|//|\bhost=)([A-Za-z0-9][A-Za-z0-9-]*)(?:\.[A-Za-z0-9.-]+)?(?::[0-9]+)?(?:[/?\s,]|$)`, get.string(variable, "value"), -1)
}

named := {host | some host in get.list(model.cluster, "hosts"); host != ""}

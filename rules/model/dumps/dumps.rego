# METADATA
# description: |
#   The CronJobs in sight that dump the cluster under review with pg_dump: {"image", "path", "resource", "labels": of its pods, "script": what it runs, "script_path", "spec": of the CronJob}, and in "jobs",
#   where the image says it, {"major": of pg_dump}. A job is the cluster's when its environment or command names one of "hosts" of walguard.model.
package walguard.model.dumps

import data.walguard.lib.get
import data.walguard.lib.image
import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.model

jobs := [object.union(job, {"major": major}) |
	some job in all
	major := image.major(job.image)
]

# METADATA
# description: Those whose image has no version as well.
all := [{
	"image": reference,
	"path": array.concat(path, [i, "image"]),
	"resource": k8s.reference(job),
	"script": concat("\n", words(container)),
	"script_path": array.concat(path, [i, field_of(container)]),
	"labels": get.map(job, ["spec", "jobTemplate", "spec", "template", "metadata", "labels"]),
	"spec": get.map(job, "spec"),
} |
	hosts := {host | some host in get.list(model.cluster, "hosts")}
	count(hosts) > 0
	some job in inventory.list(k8s.namespace, "batch/v1", "CronJob")
	some list in ["containers", "initContainers"]
	path := ["spec", "jobTemplate", "spec", "template", "spec", list]
	some i, container in get.list(job, path)
	is_object(container)
	reference := get.string(container, "image")
	texts := array.concat(words(container), [value | some variable in get.list(container, "env"); value := get.string(variable, "value")])
	dumps(image.name(reference), texts)
	count([1 | some text in texts; some found in regex.find_n(`[A-Za-z0-9][A-Za-z0-9.-]*`, text, -1); split(found, ".")[0] in hosts]) > 0
]

field_of(container) := "args" if get.present(container, "args")

field_of(container) := "command" if not get.present(container, "args")

words(container) := [word |
	some field in ["command", "args"]
	some word in get.list(container, field)
	is_string(word)
]

# Images that do nothing else, with the major of their pg_dump for a tag.
dumps(name, _) if name in {"postgres-backup-local", "postgres-backup-s3"}

dumps("postgres", texts) if {
	some text in texts
	regex.match(`\bpg_dump(all)?\b`, text)
}

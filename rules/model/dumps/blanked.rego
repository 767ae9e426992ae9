package walguard.model.dumps

import data.walguard.lib.flux
import data.walguard.lib.get
import data.walguard.lib.inventory

# METADATA
# description: |
#   Scripts of jobs that dump the cluster under review whose variables Flux takes away: {"job": its name, "reason", "cure", "path", "resource"}, the first of each job.
blanked := [found[0] |
	some job in written
	found := [object.union(fault, {"job": job.resource.name, "path": file.path, "resource": file.resource}) |
		some file in scripts_of({"container": job.container, "path": array.slice(job.script_path, 0, count(job.script_path) - 1), "made": {"pod": job.pod, "resource": job.resource}})
		regex.match(`\bpg_dump(all)?\b`, file.text)
		fault := flux.blanked(file.text, {get.string(variable, "name") | some variable in get.list(job.container, "env")}, holder_of(job, file), job.made)
	]
	count(found) > 0
]

holder_of(job, file) := job.made if {
	file.resource == job.resource
} else := inventory.namespaced_object(file.resource.namespace, file.resource.apiVersion, file.resource.kind, file.resource.name)

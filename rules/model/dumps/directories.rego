package walguard.model.dumps

import data.walguard.lib.get
import data.walguard.lib.image
import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.lib.mount
import data.walguard.lib.script
import data.walguard.model

# METADATA
# description: |
#   Jobs that dump to a directory below the mount of a claim, which their script does not make: {"directory", "mount", "claim", "made": true where the claim is in sight, new and nobody else's, so that nothing can have made it, "path", "resource"}.
#   pg_dump and the shell make a file, and no directory on the way to it. Whoever else mounts a claim in sight may have made it.
unmade_directories := [{"directory": directory, "mount": mounted.directory, "claim": name, "certain": certainty(name, job), "path": job.script_path, "resource": job.resource} |
	some job in all
	count(get.list(job.pod, "initContainers")) == 0
	count(get.list(job.pod, "containers")) == 1
	script_text := filled_script(job)
	not regex.match(`\b(mkdir|install|rsync|cp|mv|tar|git|unzip|touch|cd|test|if|python3?|perl|rclone|source)\b|\[ |\|\||\.sh\b|(^|\s)\.\s`, script_text)
	directory := written_to(script_text)
	mounted := claim_below(job, directory)
	directory != mounted.directory
	name := mounted.claim
]

certainty(name, job) if {
	fresh_claim(name)
	count(users_of(name) - {[job.resource.kind, job.resource.name]}) == 0
}

certainty(name, _) := false if not inventory.namespaced_object(k8s.namespace, "v1", "PersistentVolumeClaim", name)

fresh_claim(name) if {
	claim := inventory.namespaced_object(k8s.namespace, "v1", "PersistentVolumeClaim", name)
	count([1 | some field in ["volumeName", "dataSource", "dataSourceRef", "selector"]; get.present(claim, ["spec", field])]) == 0
	object.get(claim, ["spec", "storageClassName"], "default") != ""
}

filled_script(job) := script.filled(job.script, {name: value | some name, i in get.named(get.list(job.container, "env")); value := get.string(job.container.env[i], "value")})

# The mount of a claim that a directory lies in.
claim_below(job, directory) := {"directory": place, "claim": claim} if {
	mounts := [object.union(mounted, {"directory": mount.clean(get.string(mounted, "mountPath"))}) | some mounted in get.list(job.container, "volumeMounts"); is_object(mounted)]
	found := mount.above(directory, mounts)
	place := found.directory
	claim := [given |
		some volume in get.list(job.pod, "volumes")
		get.string(volume, "name") == get.string(found, "name")
		given := get.string(volume, ["persistentVolumeClaim", "claimName"])
	][0]
}

# METADATA
# description: |
#   Jobs that write their dump to the claim on which the data directory of the server lies: {"directory", "claim", "path", "resource"}.
beside_the_data := [{"directory": directory, "claim": below.claim, "path": job.script_path, "resource": job.resource} |
	some job in all
	directory := where_written(job)
	below := claim_below(job, directory)
	below.claim == model.cluster.data_claim
	not sends(without_renames(filled_script(job), directory))
]

where_written(job) := written_to(filled_script(job))

where_written(job) := "/backups" if {
	not written_to(filled_script(job))
	job.script == ""
	image.name(job.image) == "postgres-backup-local"
}

package walguard.model.dumps

import data.walguard.lib.cluster
import data.walguard.lib.environment
import data.walguard.lib.get
import data.walguard.lib.image
import data.walguard.lib.mount
import data.walguard.lib.workloads

# METADATA
# description: |
#   Containers of Deployments and StatefulSets that dump the cluster under review by a schedule of their own: {"image", "words": whose they are, "container", "pod", "values": of their variables, "path": of the container,
#   "resource"}, and "major" of pg_dump where the tag says it.
# related_resources:
#   - https://github.com/prodrigestivill/docker-postgres-backup-local/blob/main/debian.Dockerfile
#   - https://github.com/eeshugerman/postgres-backup-s3/blob/master/src/run.sh
#   - https://github.com/kartoza/docker-pg-backup/blob/master/scripts/start.sh
daemons := [object.union(
	{"image": reference, "words": made.words, "container": one, "pod": made.pod, "values": values, "path": array.concat(made.path, ["containers", i]), "resource": made.resource},
	{"major": n | n := major_of_daemon(reference)},
) |
	asked
	some made in workloads.callers
	made.kind in {"Deployment", "StatefulSet"}
	some i, one in get.list(made.pod, "containers")
	is_object(one)
	reference := get.string(one, "image")
	image.repository(reference) in {"docker.io/eeshugerman/postgres-backup-s3", "docker.io/kartoza/pg-backup", "docker.io/prodrigestivill/postgres-backup-local", "docker.io/schickling/postgres-backup-s3"}
	values := environment.values(one)
	of_the_cluster([value | some _, value in values])
]

# "17", "17-alpine", "17-debian-0.0.11", "17-3.5".
major_of_daemon(reference) := cluster.major(split(image.tag(reference), "-")[0])

major_of_daemon(reference) := packed(reference) if not image.tag(reference)

# METADATA
# description: |
#   Those of them that write to a directory of which nothing is left when the pod is gone: {"directory", "volume"?: the emptyDir, "path", "resource"}. postgres-backup-local writes to BACKUP_DIR, and calls
#   what is mounted at /hooks, or a webhook, which may take the files elsewhere.
unkept_by_daemons := [object.union({"directory": directory, "path": one.path, "resource": one.resource}, kept_in) |
	some one in daemons
	directory := directory_of(one)
	mounted := [object.union(m, {"directory": mount.clean(get.string(m, "mountPath"))}) | some m in get.list(one.container, "volumeMounts"); is_object(m)]
	count([1 | some m in mounted; regex.match(`^/hooks`, m.directory)]) == 0
	count([1 | some name, _ in one.values; regex.match(`WEBHOOK`, name)]) == 0
	count([1 | some field in ["command", "args"]; get.present(one.container, field)]) == 0
	count([1 | some source in get.list(one.container, "envFrom"); count(environment.entries(source)) == 0]) == 0
	kept_in := place_of(one.pod, directory, mounted)
]

directory_of(one) := mount.clean(object.get(one.values, "BACKUP_DIR", "/backups")) if image.name(one.image) == "postgres-backup-local"

directory_of(one) := "/backups" if {
	image.name(one.image) == "pg-backup"
	get.upper_case(object.get(one.values, "STORAGE_BACKEND", "FILE")) == "FILE"
}

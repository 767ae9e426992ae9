# METADATA
# description: |
#   The CronJobs in sight that dump the cluster under review with pg_dump: {"image", "path", "resource", "labels": of its pods, "script": what it runs, "script_path", "spec": of the CronJob}, and in "jobs",
#   where the image says it, {"major": of pg_dump}; "container" and "pod" as they are written. A job is the cluster's when its environment or command names one of "hosts" of walguard.model.
package walguard.model.dumps

import data.walguard.lib.disk
import data.walguard.lib.driver
import data.walguard.lib.get
import data.walguard.lib.image
import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.lib.mesh
import data.walguard.lib.mount
import data.walguard.lib.placeholder
import data.walguard.lib.script
import data.walguard.lib.text
import data.walguard.lib.workloads
import data.walguard.model

jobs := [object.union(job, {"major": major}) |
	some job in all
	major := major_of(job.image)
]

major_of(reference) := image.major(reference) if {
	not packed(reference)
	image.name(reference) != "pg-bkup"
}

major_of(reference) := packed(reference)

# Images that go by versions of their own, or none, with the major of their pg_dump.
packed(reference) := 14 if {
	image.repository(reference) == "docker.io/schickling/postgres-backup-s3"
	not image.major(reference)
}

packed(reference) := 17 if {
	image.repository(reference) == "docker.io/jkaninda/pg-bkup"
	version := regex.find_all_string_submatch_n(`^v?1\.([0-9]+)(?:\.([0-9]+))?$`, image.tag(reference), 1)[0]
	[to_number(version[1]), to_number(concat("", ["0", version[2]]))] < [3, 5]
}

# METADATA
# description: Those whose image has no version as well.
all := [job |
	some job in written
	dumps(program_of(job.image), job.texts)
]

# METADATA
# description: Those of any image whose script runs pg_dump.
by_script := [job |
	some job in written
	regex.match(`\bpg_dump(all)?\b`, job.script)
]

written := [{
	"image": reference,
	"path": array.concat(path, [i, "image"]),
	"resource": k8s.reference(job),
	"script": concat("\n", words(container)),
	"script_path": array.concat(path, [i, field_of(container)]),
	"labels": get.map(job, ["spec", "jobTemplate", "spec", "template", "metadata", "labels"]),
	"spec": get.map(job, "spec"),
	"made": job,
	"container": container,
	"pod": get.map(job, ["spec", "jobTemplate", "spec", "template", "spec"]),
	"texts": array.concat(texts, workloads.scripts(container, get.list(job, ["spec", "jobTemplate", "spec", "template", "spec", "volumes"]))),
} |
	asked
	some job in cron_jobs
	some list in ["containers", "initContainers"]
	path := ["spec", "jobTemplate", "spec", "template", "spec", list]
	some i, container in get.list(job, path)
	is_object(container)
	reference := get.string(container, "image")
	texts := array.concat(words(container), [value | some variable in get.list(container, "env"); value := get.string(variable, "value")])
	of_the_cluster(texts)
]

hosts := {host | some host in get.list(model.cluster, "hosts"); host != ""}

# METADATA
# description: True where programs are looked for that ask for the cluster under review. A client by itself is one, wherever the address stands.
asked if count(hosts) > 0

asked if model.cluster.client

# A job by itself dumps whatever it dumps.
cron_jobs := [k8s.object | k8s.kind == "CronJob"] if {
	model.cluster.client
} else := array.concat(
	[job |
		some version in ["batch/v1", "batch/v1beta1"]
		some job in inventory.list(k8s.namespace, version, "CronJob")
	],
	[made.object | some made in workloads.afar; made.kind == "CronJob"],
)

# METADATA
# description: True of texts of a container one of which names the cluster.
of_the_cluster(texts) if {
	some one in texts
	some found in regex.find_n(`[A-Za-z0-9][A-Za-z0-9.-]*`, one, -1)
	split(found, ".")[0] in hosts
}

of_the_cluster(_) if model.cluster.client

# METADATA
# description: Those of them whose pods get a proxy that does not end with the dump, as walguard.lib.mesh describes it, and that do not stop it themselves.
unending := [object.union(job, proxy) |
	some job in all
	template := get.map(job.made, ["spec", "jobTemplate", "spec", "template", "metadata"])
	some proxy in mesh.proxies(get.map(template, "annotations"), get.map(template, "labels"))
	not regex.match(`linkerd-await|:4191/shutdown|quitquitquit|scuttle`, job.script)
]

# METADATA
# description: |
#   Those in whose pods a proxy of Cloud SQL or AlloyDB runs beside the dump and that nothing tells to end: {"proxy": its container, …}. As an init container with restartPolicy Always it ends with the pod.
proxied := [object.union(job, {"proxy": get.string(one, "name")}) |
	some job in all
	count([1 | some other in get.list(job.pod, "containers"); regex.match(ending_another, concat("\n", words(other)))]) == 0
	not get.boolean(job.pod, "shareProcessNamespace")
	not get.present(job.spec, ["jobTemplate", "spec", "activeDeadlineSeconds"])
	not get.present(job.pod, "activeDeadlineSeconds")
	some one in get.list(job.pod, "containers")
	workloads.proxy_of_cloud(one)
	not by_a_shell(one)
]

# Which may end it.
by_a_shell(container) if regex.match(`^(\S*/)?(ba|da|a)?sh$`, words(container)[0])

ending_another := `quitquitquit|quit-urls|\bp?kill(all)?\b|:9091`

field_of(container) := "args" if get.present(container, "args")

field_of(container) := "command" if not get.present(container, "args")

words(container) := [word |
	some field in ["command", "args"]
	some word in get.list(container, field)
	is_string(word)
]

# Images that do nothing else, with the major of their pg_dump for a tag.
dumps(name, _) if name in {"postgres-backup-local", "postgres-backup-s3", "pg-bkup"}

# Bitnami's image has the same programs, and its charts dump with it.
program_of(reference) := "postgres" if {
	image.name(reference) == "postgresql"
	contains(reference, "bitnami")
} else := image.name(reference)

dumps("postgres", texts) if {
	some one in texts
	regex.match(`\bpg_dump(all)?\b`, one)
}

# METADATA
# description: |
#   The jobs whose dump goes with their pod: it is written to a directory that lies on no volume, or on an emptyDir, and nothing in the script sends it anywhere. {"directory", "volume"?: the emptyDir,
#   "path", "resource"}. A script that names a volume which stays, or moves files, is taken at its word.
lost := [object.union({"directory": directory, "path": job.script_path, "resource": job.resource}, kept_in) |
	some job in all
	count(get.list(job.pod, "containers")) == 1
	count(get.list(job.pod, "initContainers")) == 0
	script_text := script.filled(job.script, {name: value | some name, i in get.named(get.list(job.container, "env")); value := get.string(job.container.env[i], "value")})
	directory := written_to(script_text)
	not sends(without_renames(script_text, directory))
	mounts := [object.union(mounted, {"directory": mount.clean(get.string(mounted, "mountPath"))}) | some mounted in get.list(job.container, "volumeMounts"); is_object(mounted)]
	count([1 | some mounted in mounts; placeholder.unknown(get.string(mounted, "mountPath"))]) == 0
	count([1 | some mounted in mounts; stays(job.pod, mounted); regex.match(sprintf(`%s(/|["'\s;)]|$)`, [text.literal(mounted.directory)]), script_text)]) == 0
	kept_in := place_of(job.pod, directory, mounts)
]

# A file that gets its name when it is whole stays where it is.
without_renames(script_text, directory) := regex.replace(script_text, sprintf(`(?m)\bmv\s+["']?%s/[^/\n]*\s["']?%s/[^/\s;&|]*`, [text.literal(directory), text.literal(directory)]), "")

# The file that pg_dump writes, or that its output goes to; of a name with variables the directory before them.
written_to(script_text) := mount.clean(found[0]) if {
	found := [regex.replace(match[1], `/[^/]*$`, "") |
		some line in split(replace(script_text, "\\\n", " "), "\n")
		regex.match(`\bpg_dump(all)?\b`, line)
		some match in regex.find_all_string_submatch_n(`(?:>>?\s*|\s-f\s*|\s--file[= ])["']?(/[A-Za-z0-9_./-]*/[A-Za-z0-9_.-]*)`, line, -1)
		not regex.match(`^/(dev|proc)/`, match[1])
	]
	count(found) == 1
	found[0] != ""
}

# Lines that are comments send nothing; a "#" behind something else may stand in a text.
sends(script_text) if regex.match(`\b(aws|s3cmd|s5cmd|mc|rclone|gsutil|gcloud|az|azcopy|curl|wget|scp|rsync|sftp|ssh|lftp|ftp|restic|borg|kopia|duplicity|swift|b2|nc|psql|pg_restore|kubectl|oc|python3?|node|mv|cp|tar|git|mail|sendmail|azure|obsutil|ossutil|coscmd)\b`, regex.replace(script_text, `(?m)^\s*#.*$`, ""))

place_of(_, directory, mounts) := {} if not mount.above(directory, mounts)

place_of(pod, directory, mounts) := {"volume": get.string(mounted, "name")} if {
	mounted := mount.above(directory, mounts)
	some volume in get.list(pod, "volumes")
	get.string(volume, "name") == get.string(mounted, "name")
	is_object(object.get(volume, "emptyDir", null))
}

stays(pod, mounted) if {
	some volume in get.list(pod, "volumes")
	get.string(volume, "name") == get.string(mounted, "name")
	not is_object(object.get(volume, "emptyDir", null))
	not is_object(object.get(volume, "configMap", null))
	not is_object(object.get(volume, "secret", null))
}

# METADATA
# description: |
#   Jobs whose script runs a program that the official image does not have, {"program", "image", "path", "resource"}: it holds PostgreSQL and a shell. A script that may install or fetch it, and a container into which more is mounted
#   than files of its own, are taken at their word.
unequipped := [{"program": program, "image": job.image, "path": job.script_path, "resource": job.resource} |
	some job in all
	image.repository(job.image) in {"docker.io/library/postgres", "public.ecr.aws/docker/library/postgres"}
	script_text := replace(job.script, "\\\n", " ")
	program := regex.find_all_string_submatch_n(`(?m)(?:^|[;&|(]|\bthen\b|\bdo\b|\belse\b)\s*(aws|az|azcopy|gcloud|gsutil|kubectl|mc|rclone|restic|s3cmd|s5cmd)\s+[a-z-]`, script_text, 1)[0][1]
	not regex.match(`\b(apk|apt|apt-get|pip3?|pipx|curl|wget|unzip|install|PATH|source|alias|which|hash|docker|chroot)\b|\bcommand -v|(?m)^\s*\.\s|\.sh\b|\(\)\s*\{`, script_text)
	count([1 | some mounted in get.list(job.container, "volumeMounts"); regex.match(`bin|tool|cli|^/(usr|opt|lib)`, get.string(mounted, "mountPath"))]) == 0
]

# METADATA
# description: |
#   Arguments of pg_dump that hold an option and its value: without a shell nobody parts them. {"argument", "answer": what the program says, "path", "resource"}. Of numbers it passes over the blank before them.
joined := [{"argument": word, "answer": answer, "path": array.concat(place, [i]), "resource": job.resource} |
	some job in all
	program := words(job.container)[0]
	regex.match(`^(\S*/)?pg_dump(all)?$`, program)
	some field in ["command", "args"]
	place := array.concat(array.slice(job.path, 0, count(job.path) - 1), [field])
	some i, word in get.list(job.container, field)
	is_string(word)
	answer := said_of(word)
]

said_of(word) := sprintf("the value begins with a blank (%q)", [parts[1]]) if parts := regex.find_all_string_submatch_n(`^-[hUdfFnNtT](\s+\S.*)$`, word, 1)[0]

said_of(word) := "no option is called so" if regex.match(`^--[a-z][a-z-]*\s+\S`, word)

# METADATA
# description: |
#   Jobs that back up and mount a claim which one node alone can have, and which pods of the server have, without being bound to their node: {"job": in words, "claim", "single": true where it is one pod's alone, "path", "resource"}.
#   Claims of one node, and those of network filesystems, make no difference.
apart := [one |
	count(held) > 0
	some made in workloads.clients
	as_job(made)
	some one in on_held(made)
]

# METADATA
# description: |
#   The same of others than jobs that back up. A Job by itself may run before the server does, and of two servers with one claim another check speaks.
apart_for_good := [one |
	count(held) > 0
	some made in workloads.clients
	made.kind != "Job"
	workloads.beside(made)
	not as_job(made)
	object.get(made.object, ["spec", "replicas"], 1) != 0
	count([1 | some one in get.list(made.pod, "containers"); regex.match(`postg|timescale|pgvector|spilo`, get.string(one, "image"))]) == 0
	some one in on_held(made)
]

as_job(made) if {
	made.kind in {"CronJob", "Job"}
	backs_up(made.object, made.pod)
}

on_held(made) := [{"job": made.words, "claim": name, "single": mode == "ReadWriteOncePod", "path": array.concat(made.path, ["volumes", i]), "resource": made.resource} |
	not get.boolean(made.object, ["spec", "suspend"])
	some i, volume in get.list(made.pod, "volumes")
	name := get.string(volume, ["persistentVolumeClaim", "claimName"])
	some claim in held
	claim.name == name
	mode := claim.mode
	not beside_it(mode, made.pod)
]

# A claim of its own object, or of a template, with one access mode.
held := [{"name": name, "mode": modes[0]} |
	some name, asked in object.union(get.map(model.cluster, "templated_claims"), {name: get.map(claim, "spec") |
		some name in get.list(model.cluster, "held_claims")
		claim := inventory.namespaced_object(k8s.namespace, "v1", "PersistentVolumeClaim", name)
	})
	modes := get.list(asked, "accessModes")
	count(modes) == 1
	modes[0] in {"ReadWriteOnce", "ReadWriteOncePod"}
	class := get.string(asked, "storageClassName")
	not placeholder.unknown(class)
	moves(class)
]

# Volumes that are attached to a node, and may be attached to another.
moves(class) if {
	found := inventory.storage_class(class)
	not regex.match(elsewhere_too, get.lower_case(object.get(found, "provisioner", "")))
}

moves(class) if {
	not inventory.storage_class(class)
	not regex.match(elsewhere_too, get.lower_case(class))
}

elsewhere_too := `local|host-?path|topolvm|lvm|zfs|nfs|efs|file|cephfs|gluster|smb|cifs|rwx|shared`

backs_up(made, pod) if {
	texts := array.concat([get.string(made, ["metadata", "name"])], [word | some one in get.list(pod, "containers"); some word in array.concat(words(one), [image_name | image_name := get.string(one, "image")])])
	some one in texts
	regex.match(`dump|backup`, one)
}

# ReadWriteOncePod is refused on the same node too.
beside_it("ReadWriteOnce", pod) if {
	some at in [["affinity", "podAffinity", "requiredDuringSchedulingIgnoredDuringExecution"], ["affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution"], ["nodeSelector"], ["nodeName"]]
	get.present(pod, at)
}

# METADATA
# description: |
#   Jobs that dump to a new claim of block storage as another user than root: the driver formats the volume, whose directory then belongs to root, and nothing but fsGroup changes that. {"directory", "user", "claim", "path",
#   "resource"}. An init container is trusted to prepare it, and so is whatever else mounts the claim.
unwritable := [{"directory": mounted_at, "user": user, "claim": name, "path": array.concat(array.concat(array.slice(job.path, 0, count(job.path) - 1), ["volumeMounts"]), [m]), "resource": job.resource} |
	some job in all
	count([1 | some one in get.list(job.pod, "initContainers"); is_object(one)]) == 0
	user := user_of(job)
	user > 0
	count([1 | some field in ["fsGroup", "supplementalGroups"]; get.present(job.pod, ["securityContext", field])]) == 0
	some m, mounted in get.list(job.container, "volumeMounts")
	mounted_at := mount.clean(get.string(mounted, "mountPath"))
	writes_there(job, mounted_at)
	some volume in get.list(job.pod, "volumes")
	get.string(volume, "name") == get.string(mounted, "name")
	name := get.string(volume, ["persistentVolumeClaim", "claimName"])
	claim := inventory.namespaced_object(k8s.namespace, "v1", "PersistentVolumeClaim", name)
	count([1 | some field in ["volumeName", "dataSource", "dataSourceRef"]; get.present(claim, ["spec", field])]) == 0
	object.get(claim, ["spec", "accessModes"], []) == ["ReadWriteOnce"]
	in_blocks(get.string(claim, ["spec", "storageClassName"]))
	count(users_of(name) - {[job.resource.kind, job.resource.name]}) == 0
]

user_of(job) := get.number(job.container, ["securityContext", "runAsUser"])

user_of(job) := get.number(job.pod, ["securityContext", "runAsUser"]) if not get.present(job.container, ["securityContext", "runAsUser"])

writes_there(job, place) if {
	script_text := script.filled(job.script, {name: value | some name, i in get.named(get.list(job.container, "env")); value := get.string(job.container.env[i], "value")})
	regex.match(sprintf(`%s(/|["'\s;)]|$)`, [text.literal(place)]), script_text)
}

writes_there(job, "/backups") if image.name(job.image) == "postgres-backup-local"

in_blocks(class) if {
	found := inventory.storage_class(class)
	driver.has(found.provisioner, "block")
}

in_blocks(class) if {
	not inventory.storage_class(class)
	disk.formatted(class)
}

users_of(claim) := {[made.kind, made.name] |
	some made in workloads.all
	workloads.mounts(made, claim)
}

# METADATA
# description: |
#   Jobs that have no password for a server that asks every client for one ("password_only" of walguard.model): {"misnamed"?: a variable that has it and that pg_dump does not read, "asks": true where it is told to ask, "bare"?: true where no variable is written at all, "path", "resource"}.
#   A file of theirs may hold it.
without_password := [object.union_n([
	{"path": job.script_path, "resource": job.resource, "asks": asks},
	{"misnamed": name | name := misnamed(job.container)[0]},
	{"bare": true | not asks; count(get.list(job.container, "env")) == 0},
]) |
	model.cluster.password_only
	some job in all
	program_of(job.image) == "postgres"
	regex.match(`\bpg_dump(all)?\b`, job.script)
	asks := regex.match(`\bpg_dump(all)?\b[^;|&\n]*\s(-W|--password)(\s|$)`, job.script)
	not has_password(job)
]

has_password(job) if regex.match(`PGPASS|PGSERVICE|pgpass|passfile|://|password=|--no-password|\s-w(\s|$)|\b(source|export|read|eval)\b|(^|[\s;&|])\.\s`, job.script)

has_password(job) if regex.match(`\b(expect|yes|echo|printf)\b[^\n;]*\|\s*pg_dump`, job.script)

has_password(job) if count(get.list(job.container, "envFrom")) > 0

# Told to ask all the same it reads the end of its input where there is no terminal, and takes nothing for an answer, as libpq does not: PGPASSWORD counts.
has_password(job) if {
	some variable in get.list(job.container, "env")
	regex.match(`^PG(PASSWORD|PASSFILE|SERVICE|SERVICEFILE)$`, get.string(variable, "name"))
}

# A file that libpq finds by itself lies in the home of the user.
has_password(job) if {
	some mounted in get.list(job.container, "volumeMounts")
	regex.match(`pgpass|pg_service|^/root/?$|^/home|^/var/lib/postgresql`, concat(" ", [get.string(mounted, "mountPath"), object.get(mounted, "subPath", "")]))
}

misnamed(container) := [name |
	some variable in get.list(container, "env")
	name := get.string(variable, "name")
	regex.match(`(?i)pass|pwd`, name)
]

package walguard.operators.workload

import data.walguard.lib.cluster as shared
import data.walguard.lib.get
import data.walguard.lib.image
import data.walguard.lib.initdb
import data.walguard.lib.k8s
import data.walguard.lib.mount
import data.walguard.lib.patroni
import data.walguard.lib.placeholder
import data.walguard.lib.sql
import data.walguard.operators.workload.product

# -------------------------------------------------------------------------------------------------------- volumes

mounts := [object.union_n([
	{"name": name, "directory": mount.clean(at)},
	{"subpath": subpath | subpath := mount.clean(subpath_of(mounted))},
]) |
	some mounted in get.list(container, "volumeMounts")
	is_object(mounted)
	name := get.string(mounted, "name")
	at := get.string(mounted, "mountPath")
]

subpath_of(mounted) := get.string(mounted, "subPath")

# Kubernetes puts the container's own variables in.
subpath_of(mounted) := strings.replace_n(literals(container), get.string(mounted, "subPathExpr")) if not get.string(mounted, "subPath")

# METADATA
# description: The volumes of the pod by name, {"path", "volume"}.
volumes := {name: {"path": array.concat(pod_path, ["volumes", i]), "volume": listed[i]} |
	listed := get.list(k8s.object, array.concat(pod_path, ["volumes"]))
	some name, i in get.last_of_each([[of, k] | some k, volume in listed; is_object(volume); of := get.string(volume, "name")])
}

templates := {name: array.concat(["spec", "volumeClaimTemplates", i], ["spec"]) |
	k8s.kind in {"StatefulSet", "InstanceSet", "Instance"}
	listed := get.list(k8s.object, ["spec", "volumeClaimTemplates"])
	some name, i in get.last_of_each([[of, k] | some k, template in listed; is_object(template); of := get.string(template, ["metadata", "name"])])
}

# The mount that a directory lies on.
mount_of(path) := mount.above(path, mounts)

data_variables := ["POSTGRESQL_DATA_DIR", "POSTGRES_DATA_DIR", "PGDATA"] if layout == "bitnami"

# Patroni is told by its own; the chart's PGDATA refers to that one.
data_variables := ["PATRONI_POSTGRESQL_DATA_DIR"] if {
	layout == "patroni"
	first_of(["PATRONI_POSTGRESQL_DATA_DIR"])
}

data_variables := ["PATRONI_POSTGRESQL_DATA_DIR", "PGDATA"] if {
	layout == "patroni"
	not first_of(["PATRONI_POSTGRESQL_DATA_DIR"])
}

# Its file says it else; a default of the image, and PGDATA, are nothing to Patroni.
in_file_of_patroni := mount.clean(found[count(found) - 1]) if {
	layout == "patroni"
	not first_of(["PATRONI_POSTGRESQL_DATA_DIR"])
	found := [one.value | some one in patroni.places(patroni_file.text); one.name == "data_dir"]
	count(found) > 0
}

by_unseen_file if {
	layout == "patroni"
	not first_of(["PATRONI_POSTGRESQL_DATA_DIR"])
	not in_file_of_patroni
}

data_variables := ["PGDATA"] if {
	not layout in {"bitnami", "patroni"}
	not of_kartoza
	not of_sameersbn
	not own_directory
}

# set_pgdata of Red Hat's common.sh and setenv.sh of Crunchy's containers set it anew.
data_variables := [] if own_directory

own_directory if {
	layout == "sclorg"
	by_entrypoint
}

own_directory if {
	regex.match(`(^|/)crunchydata/crunchy-postgres(-gis|-ha)?(:|@|$)`, get.string(container, "image"))
	by_entrypoint
}

data_variables := ["PG_DATADIR"] if of_sameersbn

of_sameersbn if image.repository(get.string(container, "image")) == "docker.io/sameersbn/postgresql"

data_variables := ["PGDATA", "DATADIR"] if {
	not layout in {"bitnami", "patroni"}
	of_kartoza
}

of_kartoza if product.of_kartoza(get.string(container, "image"))

# METADATA
# description: The data directory, as far as it is known.
directory := mount.clean(last_option("data_directory"))

directory := in_file_of_patroni if not last_option("data_directory")

directory := mount.clean(rooted(first_of(data_variables).value)) if {
	not last_option("data_directory")
	not in_file_of_patroni
	not unknown(data_variables)
}

# initdb and postgres take it from where the container starts.
rooted(path) := concat("/", [get.string(container, "workingDir"), path]) if {
	layout in {"docker", "other"}
	regex.match(`^[A-Za-z0-9._-]`, path)
	startswith(get.string(container, "workingDir"), "/")
} else := concat("/", ["", path]) if {
	layout == "docker"
	regex.match(`^[A-Za-z0-9._-]`, path)
	not get.string(container, "workingDir")
} else := path

directory := concat("", [trim_right(first_of(["POSTGRESQL_VOLUME_DIR"]).value, "/"), "/data"]) if {
	defaulted
	layout == "bitnami"
}

directory := server.product.home if {
	defaulted
	not moved
}

# Without a version: whichever of the two is mounted.
directory := found[0] if {
	defaulted
	layout == "docker"
	not server.product.home
	not of_kartoza
	found := [path | some path in ["/var/lib/postgresql/data", "/var/lib/postgresql/18/docker"]; mount_of(path)]
}

# docker_setup_env of docker-entrypoint.sh, in what the official tags of no version have been since September 2025. A kubelet that may keep an older image has perhaps another.
outgrown := "/var/lib/postgresql/data" if {
	defaulted
	layout == "docker"
	server_image := get.string(container, "image")
	regex.match(`^[^:@]*(:(latest|alpine|bookworm|trixie))?$`, server_image)
	image.repository(server_image) in {"docker.io/library/postgres", "public.ecr.aws/docker/library/postgres"}
	mount_of("/var/lib/postgresql/data").directory == "/var/lib/postgresql/data"
	object.get(container, "imagePullPolicy", usual_policy[regex.match(`^[^:]*(:latest)?$`, server_image)]) == "Always"
}

# pkg/apis/core/v1/defaults.go
usual_policy := {true: "Always", false: "IfNotPresent"}

moved if {
	layout == "bitnami"
	first_of(["POSTGRESQL_VOLUME_DIR"])
}

moved if of_home

of_home := first_of(["HOME"]).value if layout == "sclorg"

# common.sh of Red Hat's image, set_pgdata.
directory := mount.clean(concat("/", [of_home, "data/userdata"])) if {
	defaulted
	of_home
}

defaulted if {
	not last_option("data_directory")
	not in_file_of_patroni
	not first_of(data_variables)
	not unknown(data_variables)
	not unknown(["POSTGRESQL_VOLUME_DIR"])
}

# True when it is certain: said here, or by an image whose own default is known.
certain if {
	not defaulted
	not by_unseen_file
}

certain if {
	server.product.published
	not by_unseen_file
}

certain if of_kartoza

# Spilo's Dockerfile sets PGDATA, so that PGROOT alone moves nothing.
certain if regex.match(`^spilo-[0-9]+$`, server.product.name)

# Bitnami's chart writes the official image's variable, which Bitnami's image does not read.
wal_variables := ["POSTGRESQL_INITDB_WAL_DIR", "POSTGRES_INITDB_WAL_DIR"] if layout == "bitnami"

# The chart timescaledb-single gives it to its scripts, and to basebackup in Patroni's file.
wal_variables := ["WALDIR"] if layout == "patroni"

wal_variables := ["POSTGRES_INITDB_WALDIR"] if not layout in {"bitnami", "patroni"}

# METADATA
# description: Where WAL is, when somebody moved it away from the data.
moved_wal_directory := mount.clean(first_of(wal_variables).value)

moved_wal_directory := mount.clean(given[count(given) - 1]) if {
	not first_of(wal_variables)
	given := [one.value | some one in initdb.wal_directories(initdb_options, [])]
	count(given) > 0
}

wal_directory := moved_wal_directory

wal_directory := concat("/", [directory, "pg_wal"]) if {
	not moved_wal_directory
	not unknown(wal_variables)
}

instance_set := object.union_n([
	{"name": k8s.name, "path": container_path, "resources": own_resources, "resources_path": resources_path},
	{"replicas": n | n := replicas},
	{"node_types": found | found := node_types},
	{"data": volume |
		volume := volume_at(mount_of(directory).name)
		not relocated
	},
	{"wal": volume |
		name := mount_of(wal_directory).name
		name != mount_of(directory).name
		volume := volume_at(name)
	},
	{"tablespaces": made_by_sql | count(made_by_sql) > 0},
])

# Those that a script of the first start makes on another volume than that of the data.
made_by_sql := [object.union(volume_at(name), {"name": trim_prefix(one.name, "Tablespace ")}) |
	some f in scripts_and_named
	some one in sql.tablespaces(f.text)
	name := mount_of(mount.clean(one.value)).name
	name != mount_of(directory).name
]

# Tables lie on another volume than the rest of the data: what this one is says nothing of them.
relocated if mount.relocated(directory, directory, [mounted | some mounted in mounts; mounted.name != mount_of(directory).name], set())

# A pod may have resources of its own, which hold its containers together where they say nothing.
resources_path := array.concat(pod_path, ["resources"]) if {
	not get.present(container, "resources")
	get.present(k8s.object, array.concat(pod_path, ["resources"]))
} else := array.concat(container_path, ["resources"])

own_resources := object.union_n([
	shared.resources(k8s.object, resources_path),
	{"limits": object.union(get.map(of_pod, "limits"), get.map(shared.resources(k8s.object, resources_path), "limits"))},
]) if {
	of_pod := shared.resources(k8s.object, array.concat(pod_path, ["resources"]))
}

volume_at(name) := shared.claim(k8s.object, templates[name])

volume_at(name) := mount.volume(volumes[name].path, fixed_node) if not templates[name]

fixed_node if pinned

fixed_node := false if not pinned

# Something keeps the pod on certain nodes.
pinned if {
	some field in ["nodeName", "nodeSelector"]
	count(object.get(get.map(k8s.object, pod_path), field, "")) > 0
}

pinned if count(get.map(k8s.object, array.concat(pod_path, ["affinity", "nodeAffinity"]))) > 0

# METADATA
# description: Directories of the server that lie on no volume; see walguard.model.
unmounted := array.concat(off_volume, [{"role": "data", "directory": usual_directory, "path": array.concat(container_path, ["volumeMounts"]), "mounted": [], "idle": idle} |
	unused_for_data
])

usual_directory := directory

usual_directory := "/var/lib/postgresql/data" if not directory

off_volume := [{"role": role, "directory": path, "path": array.concat(container_path, ["volumeMounts"]), "mounted": lasting, "relied": relied} |
	certain
	not somewhere
	not copied
	some role, path in {"data": directory, "WAL": wal_directory_or_none}
	startswith(path, "/")
	not mount_of(path)
	not unused_for_data
]

# Of the kind that is there to keep what it has.
relied := k8s.kind == "StatefulSet"

# A standby that copies its primary before each start has nothing of its own to lose; a volume that it has was meant for the data.
copied if {
	count(lasting) == 0
	regex.match(`(?m)^[^#]*\bpg_basebackup\b[^;|&\n]*\s(-[a-zA-Z]*R|--write-recovery-conf)\b`, replace(command_text(container), "\\\n", " "))
}

# Claims that no container mounts, in a pod whose server has no lasting volume: whoever asked for one meant it for the data.
idle := sort([name |
	some name in (object.keys(templates) | {name | some name, _ in volumes; is_object(object.get(volumes[name].volume, "persistentVolumeClaim", null))})
	count([1 |
		some list in ["containers", "initContainers"]
		some one in get.list(k8s.object, array.concat(pod_path, [list]))
		some field in ["volumeMounts", "volumeDevices"]
		some used in get.list(one, field)
		object.get(used, "name", name) == name
	]) == 0
])

unused_for_data if {
	not layout in {"spilo", "patroni"}
	not somewhere
	count(lasting) == 0
	count(idle) > 0
	not mount_of(usual_directory)
}

unused_for_data if {
	not layout in {"spilo", "patroni"}
	not somewhere
	count(lasting) == 0
	count(idle) > 0
	mount.vanishing(volumes[mount_of(directory).name].volume)
}

# A volume whose place is filled in later may be the one.
somewhere if {
	some mounted in mounts
	placeholder.holds(mounted.directory)
}

# One that nobody names is on the volume of the data.
wal_directory_or_none := moved_wal_directory

wal_directory_or_none := "" if not moved_wal_directory

# Where volumes are mounted that outlive the pod.
lasting := sort([m.directory | some m in mounts; lasts(m.name)])

lasts(name) if templates[name]

lasts(name) if is_object(object.get(volumes[name].volume, "persistentVolumeClaim", null))

package walguard.operators.workload

import data.walguard.lib.cluster as shared
import data.walguard.lib.fact
import data.walguard.lib.get
import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.lib.mount
import data.walguard.lib.probe

# ------------------------------------------------------------------------------------------------------- lifecycle

facts contains {"liveness": found} if {
	server
	found := probe.liveness(k8s.object, container_path)
}

facts contains {"readiness": found} if {
	server
	found := probe.readiness(k8s.object, container_path)
}

# While the official entrypoint makes the database its server listens on the socket alone (docker_temp_server_start). What a script of the first start
# waits for, or restores, takes as long as it takes. Killed in between, the directory is not empty at the next start, and nothing is made up for.
facts contains {"first_boot": object.union(asked, {"slow": slow_scripts, "scripted": scripted})} if {
	layout == "docker"
	by_entrypoint
	not running_already
	as_it_comes
	not placeholder_in_probe
	asked := probe.over_tcp(k8s.object, container_path)
}

placeholder_in_probe if {
	some field in ["startupProbe", "livenessProbe"]
	some part in ["initialDelaySeconds", "failureThreshold", "periodSeconds"]
	get.unknown(k8s.object, array.concat(container_path, [field, part]))
}

scripted if {
	some mounted in mounts
	startswith(mounted.directory, "/docker-entrypoint-initdb.d")
} else := false

slow_scripts := sort([f.file |
	some f in scripts
	regex.match(`\b(until|while)\b[\s\S]*\bsleep\b|\bpg_restore\b|\bpg_basebackup\b|\bpgbench\s+-i|\b(curl|wget)\b|\b(zcat|gunzip)\b`, f.text)
])

# A standby is copied from the primary before its server starts: repmgr's images do so in their entrypoint, and so does Bitnami's with the replication mode "slave".
facts contains {"copied_at_start": fact.written(true, container_path)} if {
	regex.match(`repmgr`, get.string(container, "image"))
	object.get(k8s.object, ["spec", "replicas"], 1) > 1
}

facts contains {"copied_at_start": fact.written(true, container_path)} if {
	layout == "bitnami"
	standby
}

facts contains {"stranger_probes": stranger_probes} if count(stranger_probes) > 0

# The official image creates POSTGRES_USER alone, as its superuser; scripts of the first start may add others.
stranger_probes := array.concat(array.concat(by_name_of_role, by_user_of_container), by_user_of_session)

# libpq asks as the user of the system (fe-auth.c, pg_fe_getauthname), which is root in the official image, or postgres by the number that it has there.
by_user_of_container := [{"user": asking, "superuser": superuser, "session": false, "probe": field, "path": place_of} |
	layout == "docker"
	server.product.published
	by_entrypoint
	not unknown(["POSTGRES_USER"])
	superuser := default_role
	asking := name_of_user
	asking != superuser
	not "PGUSER" in names_of_variables
	count(get.list(container, "envFrom")) == 0
	count([1 | some mounted in mounts; startswith(mounted.directory, "/docker-entrypoint-initdb.d")]) == 0
	some field in ["startupProbe", "readinessProbe", "livenessProbe"]
	place_of := array.concat(container_path, [field, "exec", "command"])
	command := concat(" ", [word | some word in get.list(k8s.object, place_of); is_string(word)])
	regex.match(`^((/(usr/)?bin/)?(ba|da|a)?sh -[a-z]*c (exec )?)?(\S*/)?pg_isready( (-h|-p|-d|-t|--host|--port|--dbname|--timeout)[ =]?[^ $;|&]+| (-q|--quiet))*$`, command)
	not contains(command, "://")
	not contains(command, "user=")
]

by_name_of_role := [object.union(found, {"superuser": superuser.value}) |
	layout == "docker"
	by_entrypoint
	superuser := first_of(["POSTGRES_USER"])
	regex.match(`^[A-Za-z0-9_]+$`, superuser.value)
	not superuser.value in {"postgres", "root"}
	not unknown(["POSTGRES_USER"])
	count([1 | some mounted in mounts; startswith(mounted.directory, "/docker-entrypoint-initdb.d")]) == 0
	some field in ["startupProbe", "readinessProbe", "livenessProbe"]
	found := probe.login(k8s.object, container_path, field)
	found.user in {"postgres", "root"}
]

facts contains {"grace": object.union_n([grace, {"field": "terminationGracePeriodSeconds"}, {"waits_for_clients": true | waits_for_clients}])} if server

# The official image names SIGINT for its STOPSIGNAL, a fast shutdown; these name none, and SIGTERM asks PostgreSQL for a smart one.
waits_for_clients if {
	asked_by_sigterm
	not get.present(container, ["lifecycle", "preStop"])
	not get.present(container, ["lifecycle", "stopSignal"])
}

asked_by_sigterm if layout in {"bitnami", "sclorg"}

asked_by_sigterm if regex.match(`^percona-distribution-postgresql(-with-postgis)?$`, server.product.name)

grace_path := array.concat(pod_path, ["terminationGracePeriodSeconds"])

grace := fact.written(get.number(k8s.object, grace_path), grace_path)

grace := fact.operator(30, pod_path) if not get.number(k8s.object, grace_path)

# --------------------------------------------------------------------------------------------------------- volumes

# A file system of the ext family has a directory lost+found in its root, which is not empty then; initdb refuses such a directory.
facts contains {"data_on_root": object.union(
	{"value": directory, "claim": "0/data", "path": array.concat(container_path, ["volumeMounts"]), "origin": "written"},
	object.union({"fixed": true | layout == "other"; not first_of(["PGDATA"])}, {"existing": true | running_already}),
)} if {
	initdb_of_image
	mounted := mount_of(directory)
	mounted.directory == directory
	not mounted.subpath
	provisioned(mounted.name)
}

initdb_of_image if {
	layout == "docker"
	certain
}

# The application says where the data lie, and PGDATA does not.
initdb_of_image if {
	layout == "other"
	regex.match(`^/var/lib/postgresql/[0-9]+/main$`, server.product.home)
}

# Another's image that is built on the official one (aquasec/database): it takes the password and PGDATA as that one does, below the directory that one declares.
initdb_of_image if {
	layout == "other"
	certain
	first_of(["PGDATA"])
	regex.match(`^/var/lib/postgresql(/|$)`, directory)
	count([1 | some variable in get.list(container, "env"); get.string(variable, "name") in {"POSTGRES_HOST_AUTH_METHOD", "POSTGRES_PASSWORD", "POSTGRES_PASSWORD_FILE"}]) > 0
	count([1 | some field in ["command", "args"]; get.present(container, [field])]) == 0
}

# So does what else is mounted inside the directory: a postgresql.conf by subPath, a volume for pg_wal.
facts contains {"data_occupied": occupied} if count(occupied) > 0

occupied := [object.union(
	{"value": directory, "inside": mounted.directory, "wal": mounted.directory == concat("/", [directory, "pg_wal"]), "path": array.concat(container_path, ["volumeMounts"])},
	{"level": "error" | layout == "docker"},
) |
	layout in {"docker", "bitnami", "sclorg"}
	certain
	not standby
	not running_already
	as_it_comes
	some mounted in mounts
	startswith(mounted.directory, concat("", [directory, "/"]))
]

# A database that exists starts all the same.
running_already if k8s.old_object

running_already if k8s.created > 0

# Made for this database: a claim that names a volume, or copies one, may hold anything, and so may one that takes a volume of the administrator's.
provisioned(name) if fresh(k8s.object, templates[name])

provisioned(name) if {
	asked := get.string(volumes[name].volume, ["persistentVolumeClaim", "claimName"])
	claim := inventory.namespaced_object(k8s.namespace, "v1", "PersistentVolumeClaim", asked)
	fresh(claim, ["spec"])
	not bound_to(asked)
}

fresh(o, path) if {
	count([1 | some field in ["volumeName", "dataSource", "dataSourceRef"]; get.present(o, array.concat(path, [field]))]) == 0
}

# The images before 18 declare a volume for /var/lib/postgresql/data, Bitnami's for /bitnami/postgresql. containerd mounts one of its own there unless the pod has
# a mount at exactly that place (internal/cri/server/container_create.go, volumeMounts), and removes it with the container.
facts contains {"shadowed": object.union(
	{"value": directory, "mount": mounted.directory, "volume": image_volume, "cure": cure_of_shadow(mounted.directory), "path": array.concat(container_path, ["volumeMounts"]), "origin": "written"},
	{"level": "warning" | not server.product.published},
)} if {
	by_official_entrypoint
	mounted := mount_of(directory)
	mount.within(directory, image_volume)
	not mount.within(mounted.directory, image_volume)

	# What is on an emptyDir is lost all the same.
	not of_the_pod(mounted.name)
}

of_the_pod(name) if mount.vanishing(volumes[name].volume)

by_official_entrypoint if server.product.published

# An image of one's own that is made from the official one, whose variables it takes, has its volume too: what a Dockerfile declares, no other takes back.
by_official_entrypoint if {
	layout == "docker"
	not regex.match(`^(kartoza/|dhi\.io/|cgr\.dev/)`, get.string(container, "image"))
	some name in (object.keys(variables) | hidden)
	name in {"POSTGRES_PASSWORD", "POSTGRES_PASSWORD_FILE", "POSTGRES_HOST_AUTH_METHOD", "POSTGRES_INITDB_ARGS"}
}

image_volume := "/var/lib/postgresql/data" if {
	layout == "docker"
	server.product.name in {"postgres", "postgis", "pgvector", "pgvecto-rs", "vchord-postgres", "timescaledb"}
	server.product.major < 18
}

image_volume := "/bitnami/postgresql" if layout == "bitnami"

cure_of_shadow(_) := "Mount it at /bitnami/postgresql" if layout == "bitnami"

cure_of_shadow(mounted_at) := sprintf("Set PGDATA to %s/pgdata", [mounted_at]) if layout != "bitnami"

facts contains {"fs_group": fact.written(policy, policy_path)} if {
	server
	get.present(k8s.object, array.concat(pod_path, ["securityContext", "fsGroup"]))
	policy := object.get(k8s.object, policy_path, "Always")
	templates[mount_of(directory).name]
}

policy_path := array.concat(pod_path, ["securityContext", "fsGroupChangePolicy"])

# ---------------------------------------------------------------------------------------------------------- initdb

facts contains {"locales": found} if {
	initialised
	found := array.concat(locales_of_options, locales_of_environment)
	count(found) > 0
}

locales_of_options := [object.union({"name": trim_left(word_name, "-"), "value": value}, initdb_place) |
	some i, word in initdb_options
	[word_name, value] := name_and_value(split(word, "="), array.concat(array.slice(initdb_options, i + 1, i + 2), ["-"])[0])
	word_name in {"--locale", "--lc-collate", "--lc-ctype"}
]

# The value may be the next word.
name_and_value([name, value], _) := [name, value]

name_and_value([name], next) := [name, next] if not startswith(next, "-")

# Without an option initdb takes the locale of its environment, and ends at "invalid locale settings; check LANG and LC_* environment variables" where the image lacks it (initdb.c, check_locale_name).
# LC_ALL goes before LC_COLLATE and LC_CTYPE, and LANG comes last.
locales_of_environment := [object.union({"name": name, "value": variables[name].value, "inherited": true}, place(variables[name])) |
	layout == "docker"
	by_entrypoint
	count([1 | some word in initdb_options; regex.match(`^--(no-locale$|locale(=|$)|lc-)`, word)]) == 0
	not unknown(["LC_ALL", "LC_COLLATE", "LC_CTYPE", "LANG"])
	some name in locale_variables
]

locale_variables := ["LC_ALL"] if {
	said_locale("LC_ALL")
} else := [name | some name in ["LC_COLLATE", "LC_CTYPE"]; said_locale(name)] if {
	said_locale("LC_COLLATE")
	said_locale("LC_CTYPE")
} else := [name | some name in ["LC_COLLATE", "LC_CTYPE", "LANG"]; said_locale(name)]

said_locale(name) if variables[name].value != ""

# A rolling update of a StatefulSet goes from the last pod to the first, which is the primary where repmgr was never asked to promote another.
facts contains {"standbys_restart_first": fact.written(true, ["spec", "updateStrategy"])} if {
	server.product.name == "postgresql-repmgr"
	k8s.kind == "StatefulSet"
	object.get(k8s.object, ["spec", "updateStrategy", "type"], "RollingUpdate") == "RollingUpdate"
}

# /home/postgres/postgres.yml is a link to the file that configure_spilo.py writes (postgres-appliance/Dockerfile, runit/patroni/run).
facts contains {"hidden": {"mount": hiding[0], "what": "postgres.yml, the configuration of Patroni", "cure": "Mount it at /home/postgres/pgdata", "path": array.concat(container_path, ["volumeMounts"])}} if {
	layout == "spilo"
	count(hiding) > 0
}

hiding := [mounted.directory | some mounted in mounts; mounted.directory in {"/home", "/home/postgres"}]

# ------------------------------------------------------------------------------------------------------ resources

# The other containers of the pod, init containers among them.
facts contains {"companions": companions} if {
	server
	count(companions) > 0
}

companions := [{
	"container": sprintf("%s %s", [{"containers": "container", "initContainers": "init container"}[list], shared.name_or(other, i)]),
	"resources": shared.resources(other, ["resources"]),
	"burstable": burstable,
	"path": array.concat(pod_path, [list, i, "resources"]),
} |
	some list in ["initContainers", "containers"]
	some i, other in get.list(k8s.object, array.concat(pod_path, [list]))
	is_object(other)
	[list, i] != [server.list, server.index]
	count([1 | some below in ["resources", ["resources", "requests"], ["resources", "limits"]]; get.unknown(other, below)]) == 0
]

burstable if {
	some list in ["initContainers", "containers"]
	some one in get.list(k8s.object, array.concat(pod_path, [list]))
	some field in ["requests", "limits"]
	count(get.map(one, ["resources", field])) > 0
} else := false

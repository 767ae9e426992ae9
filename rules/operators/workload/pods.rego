package walguard.operators.workload

import data.walguard.lib.cluster as shared
import data.walguard.lib.fact
import data.walguard.lib.get
import data.walguard.lib.hba
import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.lib.login
import data.walguard.lib.mount
import data.walguard.lib.probe
import data.walguard.lib.scheduling
import data.walguard.operators.workload.patroni

# ------------------------------------------------------------------------------------------------------ replication

facts contains {"commit_wait": object.union({"value": 1, "origin": "written", "path": patroni_file.path, "relax": "synchronous_mode_strict: false"}, object.filter(patroni_file, ["resource"]))} if {
	shared_boolean("synchronous_mode")
	shared_boolean("synchronous_mode_strict")
}

shared_boolean(name) if get.lower_case(patroni.setting(patroni_text, name)) in {"true", "on", "yes"}

facts contains {"patroni_timing": timing} if {
	given := {name: object.union(fact.written(number, patroni_file.path), object.filter(patroni_file, ["resource"])) |
		some name in ["ttl", "loop_wait", "retry_timeout"]
		number := to_number(patroni.setting(patroni_text, name))
	}
	count(given) > 0
	place_of_all := object.filter(patroni_file, ["path", "resource"])
	timing := object.union(
		{name: object.union({"value": number, "origin": "operator"}, place_of_all) | some name, number in {"ttl": 30, "loop_wait": 10, "retry_timeout": 10}},
		given,
	)
}

# METADATA
# description: |
#   The StatefulSet of the primary that this one's servers stream from, as Bitnami's image is told by its environment and its chart
#   names it: the Service of the primary has the name of its StatefulSet.
primary_object := found if {
	standby
	host := first_of(["POSTGRESQL_MASTER_HOST", "POSTGRES_MASTER_HOST"]).value
	found := inventory.namespaced_object(k8s.namespace, "apps/v1", "StatefulSet", split(host, ".")[0])
}

facts contains {"primary": {"object": primary_object, "path": array.concat(container_path, ["env"])}} if primary_object

facts contains {"follows": fact.written(true, array.concat(container_path, ["env"]))} if primary_object

# ------------------------------------------------------------------------------------------------------ scheduling

facts contains {"one_node": found} if {
	server
	found := scheduling.pinned_node(k8s.object, array.concat(pod_path, ["nodeSelector"]), array.concat(pod_path, ["affinity", "nodeAffinity"]))
}

facts contains {"one_node": fact.written(sprintf("every instance must run on node %s", [node]), array.concat(pod_path, ["nodeName"]))} if {
	server
	node := get.string(k8s.object, array.concat(pod_path, ["nodeName"]))
}

facts contains {"one_zone": found} if {
	server
	found := scheduling.pinned_zone(k8s.object, array.concat(pod_path, ["nodeSelector"]), array.concat(pod_path, ["affinity", "nodeAffinity"]))
}

# Nothing creates a Pod again that goes with its node. Without a volume that stays there is nothing to come back for.
facts contains {"alone": fact.written("Pod", ["kind"])} if {
	server
	k8s.kind == "Pod"
	count(get.list(k8s.object, ["metadata", "ownerReferences"])) == 0
	lasts(mount_of(directory).name)
}

# ---------------------------------------------------------------------------------------------------------- access

hba_file := last_option("hba_file")

hba_file := "/bitnami/postgresql/conf/pg_hba.conf" if {
	layout == "bitnami"
	not last_option("hba_file")
}

hba_file := concat("/", [directory, "pg_hba.conf"]) if {
	layout == "docker"
	not last_option("hba_file")
}

mounted_hba := [f | some f in files; f.file == hba_file][0]

facts contains {"hba": hba.of_text(mounted_hba.text, object.filter(mounted_hba, ["path", "resource"]))} if mounted_hba

# Before any password is set libpostgresql.sh of Bitnami's image creates users and databases as postgres – over 127.0.0.1, in older images over the socket – by the lines of this
# file. initdb gives postgres no password, so that only a line that wants none lets it in.
facts contains {"hba_of_start": object.filter(mounted_hba, ["path", "resource"])} if {
	layout == "bitnami"
	server.product.name == "postgresql"
	by_entrypoint
	not standby
	lines := hba.of_text(mounted_hba.text, object.filter(mounted_hba, ["path", "resource"]))
	count([1 | some entry in lines; regex.match(`^\s*include|@|\$|\{\{`, entry.line)]) == 0
	rules_of_start := hba.rules(lines)
	count([1 | some group in [{"local"}, {"host", "hostnossl"}]; lets_postgres_in(first_for_postgres(rules_of_start, group))]) == 0
}

lets_postgres_in(rule) if rule.method in {"trust", "peer"}

first_for_postgres(all, types) := [rule |
	some rule in all
	rule.type in types
	from_the_pod(rule)
	count([1 | some name in rule.databases; name in {"all", "postgres"}]) > 0
	count([1 | some name in rule.users; name in {"all", "postgres"}]) > 0
][0]

from_the_pod(rule) if hba.own(rule)

from_the_pod(rule) if hba.everywhere(rule)

from_the_pod(rule) if rule.address in {"127.0.0.1", "samenet"}

# The official entrypoint appends "host all all all METHOD" to the file of initdb.
facts contains {"hba": [{"line": sprintf("host all all all %s", [method.value]), "path": value_path(method)}]} if {
	layout == "docker"
	not mounted_hba
	not last_option("hba_file")
	method := first_of(["POSTGRES_HOST_AUTH_METHOD"])
	not method.resource
}

# libpostgresql.sh lets everybody in where no password is set and that is allowed.
facts contains {"hba": [{"line": "host all all 0.0.0.0/0 trust", "path": value_path(allowed)}]} if {
	layout == "bitnami"
	not mounted_hba
	allowed := first_of(["ALLOW_EMPTY_PASSWORD"])
	get.lower_case(allowed.value) in {"yes", "true", "1"}
	not allowed.resource
	not first_of(bitnami_passwords)
	not unknown(bitnami_passwords)
}

bitnami_passwords := ["POSTGRESQL_PASSWORD", "POSTGRES_PASSWORD", "POSTGRESQL_PASSWORD_FILE", "POSTGRES_PASSWORD_FILE", "POSTGRESQL_POSTGRES_PASSWORD", "POSTGRES_POSTGRES_PASSWORD"]

facts contains {"passwords": found} if {
	server
	found := [object.union({"name": name, "path": value_path(variable)}, object.filter(variable, ["resource"])) |
		some name, variable in variables
		endswith(name, "PASSWORD")
		name != "ALLOW_EMPTY_PASSWORD"
		not kept_in_secret(variable)
		login.literal(variable.value)
	]
	count(found) > 0
}

kept_in_secret(variable) if variable.resource.kind == "Secret"

# PostgreSQL wants a key that is its own with mode 0600 or less, or root's with 0640 or less (be-secure-common.c). Files of a Secret are
# root's; with fsGroup the group of the pod may read them.
facts contains {"tls_key": {"reason": "the key of the Secret is mounted with mode 0644, which everybody may read", "cure": "Set defaultMode: 0640 on the Secret's volume and securityContext.fsGroup to the group of postgres (999; 70 in Alpine images)", "path": key_volume.path, "certain": true}} if {
	key_mode == 420
}

facts contains {"tls_key": {"reason": "the key of the Secret is mounted with a mode that everybody may read", "cure": "Set defaultMode: 0640 on the Secret's volume and securityContext.fsGroup to the group of postgres (999; 70 in Alpine images)", "path": key_volume.path, "certain": true}} if {
	key_mode % 8 > 0
	key_mode != 420
}

facts contains {"tls_key": {"reason": "the key of the Secret belongs to root and no fsGroup lets postgres read it", "cure": "Set securityContext.fsGroup to the group of postgres (999; 70 in Alpine images)", "path": key_volume.path, "certain": true}} if {
	key_mode % 8 == 0
	not served_by_openshift
	not get.present(k8s.object, array.concat(pod_path, ["securityContext", "fsGroup"]))
	not get.present(k8s.object, array.concat(pod_path, ["securityContext", "supplementalGroups"]))
	not get.present(k8s.object, array.concat(pod_path, ["securityContext", "runAsGroup"]))
	not get.present(container, ["securityContext", "runAsGroup"])
}

# The entrypoint starts the server with the same options while it sets up the database, so that nothing can put the files there before.
facts contains {"tls_key": object.union({"reason": sprintf("ssl=on, and there is no %s in the new data directory", [missing_certificate]), "cure": "Mount a Secret with certificate and key, and name both in ssl_cert_file and ssl_key_file", "certain": true}, object.filter(tls_switch, ["path", "resource"]))} if {
	server.product.published
	as_it_comes
	by_entrypoint
	not somewhere
	not key_file
	shared.boolean(tls_switch.value)
	not startswith(missing_certificate, "/")
	count([1 | some mounted in mounts; startswith(mounted.directory, concat("", [directory, "/"]))]) == 0
}

tls_switch := shared.last_of(parameters, "ssl") if layout in {"docker", "bitnami"}

missing_certificate := trim(shared.last_of(parameters, "ssl_cert_file").value, "'")

missing_certificate := "server.crt" if not shared.last_of(parameters, "ssl_cert_file")

key_file := trim(get.text(found[count(found) - 1].value), "'") if {
	found := [setting | some setting in parameters; get.lower_case(setting.name) == "ssl_key_file"]
	count(found) > 0
}

# The Secret of OpenShift's service CA: OpenShift gives the pod a group of its namespace, as fsGroup.
served_by_openshift if {
	secret := get.string(key_volume.volume, ["secret", "secretName"])
	some service in inventory.list(k8s.namespace, "v1", "Service")
	some stage in ["alpha", "beta"]
	get.string(service, ["metadata", "annotations", sprintf("service.%s.openshift.io/serving-cert-secret-name", [stage])]) == secret
}

key_volume := volumes[mount_of(key_file).name] if startswith(key_file, "/")

key_mode := mount.secret_mode(key_volume.volume.secret, mount_of(key_file).directory, key_file)

# Somebody else reaches it by a name: the Service that a StatefulSet is told of, or one in sight.
facts contains {"served": fact.written(true, ["spec", "serviceName"])} if {
	server
	k8s.kind == "StatefulSet"
	get.string(k8s.object, ["spec", "serviceName"])
}

facts contains {"served": object.union(fact.written(true, ["spec", "selector"]), {"resource": k8s.reference(service)})} if {
	server
	not get.string(k8s.object, ["spec", "serviceName"])
	some service in inventory.list(k8s.namespace, "v1", "Service")
	wanted := get.map(service, ["spec", "selector"])
	count(wanted) > 0
	count([1 | some label, value in wanted; pod_labels[label] == value]) == count(wanted)
}

# The image's own file listens everywhere; one that takes its place and does not say so leaves PostgreSQL's default, localhost.
facts contains {"loopback_only": object.union_n([{"value": "localhost", "origin": "postgres"}, object.filter(replaced, ["path", "resource"]), {"level": "error" | led_here}])} if {
	leaves_addresses
	not unread
	some replaced in files
	replaced.file == configuration_file
	count([1 | some setting in parameters; get.lower_case(setting.name) == "listen_addresses"]) == 0
}

leaves_addresses if layout == "docker"

# setup.sh and libpostgresql.sh write listen_addresses only where no postgresql.conf is mounted.
leaves_addresses if {
	layout == "bitnami"
	server.product.name == "postgresql"
}

# A Service with an address of its own leads to the server's port, which no other container of the pod has.
led_here if {
	some service in own_services
	some one in get.list(service, ["spec", "ports"])
	port_of(one) == listening
	count([1 | some other in all_containers; other.at != container_path; some port in get.list(other, "ports"); get.number(port, "containerPort") == listening]) == 0
}

# Of one without, clients ask for the port itself, and nothing else is in the pod to answer.
led_here if {
	count(all_containers) == 1
	some service in inventory.list(k8s.namespace, "v1", "Service")
	object.get(service, ["spec", "clusterIP"], "") == "None"
	get.string(service, ["metadata", "name"]) == get.string(k8s.object, ["spec", "serviceName"])
}

port_of(one) := target_of(one)

port_of(one) := [get.number(port, "containerPort") | some port in get.list(container, "ports"); get.string(port, "name") == get.string(one, "targetPort")][0]

facts contains {"loopback_only": object.union({"value": addresses, "origin": "written"}, object.filter(setting, ["path", "resource", "line"]))} if {
	layout in {"docker", "bitnami"}
	written := [setting | some setting in parameters; get.lower_case(setting.name) == "listen_addresses"]
	setting := written[count(written) - 1]
	addresses := trim(setting.value, " '")
	names := {trim_space(name) | some name in split(addresses, ",")}
	count(names - {"localhost", "127.0.0.1", "::1", ""}) == 0

	# None at all is meant: the server is reached by its socket.
	addresses != ""
}

# ------------------------------------------------------------------------------------------------------- lifecycle

facts contains {"liveness": found} if {
	server
	found := probe.liveness(k8s.object, container_path)
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
stranger_probes := [object.union(found, {"superuser": superuser.value}) |
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
	layout in {"bitnami", "sclorg"}
	not get.present(container, ["lifecycle", "preStop"])
}

grace_path := array.concat(pod_path, ["terminationGracePeriodSeconds"])

grace := fact.written(get.number(k8s.object, grace_path), grace_path)

grace := fact.operator(30, pod_path) if not get.number(k8s.object, grace_path)

# --------------------------------------------------------------------------------------------------------- volumes

# A file system of the ext family has a directory lost+found in its root, which is not empty then; initdb refuses such a directory.
facts contains {"data_on_root": object.union(
	{"value": directory, "claim": "0/data", "path": array.concat(container_path, ["volumeMounts"]), "origin": "written"},
	{"fixed": true | layout == "other"},
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

# So does what else is mounted inside the directory: a postgresql.conf by subPath, a volume for pg_wal.
facts contains {"data_occupied": occupied} if count(occupied) > 0

occupied := [{"value": directory, "inside": mounted.directory, "wal": mounted.directory == concat("/", [directory, "pg_wal"]), "path": array.concat(container_path, ["volumeMounts"])} |
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
	found := [object.union({"name": trim_left(word_name, "-"), "value": value}, initdb_place) |
		some word in initdb_options
		[word_name, value] := split(word, "=")
		word_name in {"--locale", "--lc-collate", "--lc-ctype"}
	]
	count(found) > 0
}

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

package walguard.checks.workload.permissions_test

import data.walguard.checks.workload.permissions as check

in_pod := ["spec", "template", "spec"]

in_container := array.concat(in_pod, ["containers", 0])

server(image, container, pod) := {
	"review": {"object": {
		"apiVersion": "apps/v1",
		"kind": "StatefulSet",
		"metadata": {"name": "orders", "namespace": "prod"},
		"spec": {
			"template": {"spec": object.union({"containers": [object.union({"image": image, "volumeMounts": [{"name": "data", "mountPath": "/var/lib/postgresql/data"}]}, container)]}, pod)},
			"volumeClaimTemplates": [{"metadata": {"name": "data"}, "spec": {"storageClassName": "fast", "resources": {"requests": {"storage": "10Gi"}}}}],
		},
	}},
	"inventory": {"cluster": {"storage.k8s.io/v1": {"StorageClass": {"fast": {"metadata": {"name": "fast"}, "provisioner": "ebs.csi.aws.com", "parameters": {"type": "gp3", "csi.storage.k8s.io/fstype": "ext4"}}}}}},
}

below := {"env": [{"name": "PGDATA", "value": "/var/lib/postgresql/data/pgdata"}]}

found(image, container, pod) := given if given := check.findings with input as server(image, container, pod)

dropped(add) := {"securityContext": {"capabilities": object.union({"drop": ["ALL"]}, add)}}

test_capabilities if {
	found("postgres:17", dropped({"add": ["CHOWN"]}), {}) == {{
		"message": "The container starts as root without DAC_READ_SEARCH, SETGID and SETUID, so the entrypoint cannot become postgres or give it the data directory. Add them, or set runAsUser and fsGroup to 999 (70 in Alpine images) with PGDATA below the mount.",
		"severity": "error",
		"path": array.concat(in_container, ["securityContext", "capabilities"]),
	}}
}

test_capability_of_the_second_start if {
	{[f.severity, f.message] | some f in found("postgres:17", {"securityContext": {"capabilities": {"drop": ["DAC_OVERRIDE"]}}}, {})} == {["error", "The container starts as root without DAC_READ_SEARCH, so the entrypoint cannot read the data directory at its second start (\"Permission denied\"). Add them, or set runAsUser and fsGroup to 999 (70 in Alpine images) with PGDATA below the mount."]}
}

test_capabilities_that_suffice if {
	found("postgres:17", dropped({"add": ["CHOWN", "CAP_SETGID", "SETUID", "DAC_OVERRIDE"]}), {}) == set()
	found("postgres:17", dropped({"add": ["CHOWN", "CAP_SETGID", "SETUID", "DAC_READ_SEARCH"]}), {}) == set()
	found("postgres:17", dropped({"add": ["CHOWN", "SETGID", "SETUID"]}), {"securityContext": {"fsGroup": 999}}) == set()
	found("postgres:17", dropped({"add": ["ALL"]}), {}) == set()
	found("postgres:17", {"securityContext": {"capabilities": {"drop": ["NET_RAW"]}}}, {}) == set()
}

# Somebody else's image may start as another user, and another command may need nothing.
test_capabilities_silent_when_unknown if {
	found("registry.example.com/own/postgres:17", dropped({}), {}) == set()
	found("postgres:17", object.union(dropped({}), {"command": ["/start.sh"]}), {}) == set()
	found("postgres:17", dropped({}), {"securityContext": {"runAsNonRoot": true}}) != set()
	{f.severity | some f in found("postgres:17", dropped({}), {"securityContext": {"runAsNonRoot": true}})} == {"warning"}
}

test_root_refused if {
	found("postgres:17", {}, {"securityContext": {"runAsNonRoot": true}}) == {{
		"message": "runAsNonRoot without runAsUser, while the image starts as root: the kubelet refuses the container, except on OpenShift, which assigns a user. Set runAsUser and fsGroup to 999 (70 in Alpine images) with PGDATA below the mount.",
		"severity": "warning",
		"path": array.concat(in_pod, ["securityContext", "runAsNonRoot"]),
	}}
}

test_volume_of_root if {
	found("postgres:17", below, {"securityContext": {"runAsUser": 999}}) == {{
		"message": "A new volume belongs to root, and the server runs as user 999 without fsGroup: it cannot create its data directory. Set fsGroup: 999 in the securityContext of the pod.",
		"severity": "error",
		"path": array.concat(in_pod, ["securityContext", "runAsUser"]),
	}}
}

bitnami := {"volumeMounts": [{"name": "data", "mountPath": "/bitnami/postgresql"}]}

test_image_of_another_user if {
	found("bitnami/postgresql:17.6.0", bitnami, {}) == {{
		"message": "A new volume belongs to root, and the server runs as user 1001 without fsGroup: it cannot create its data directory. Set fsGroup: 1001 in the securityContext of the pod.",
		"severity": "info",
		"path": in_pod,
	}}
	found("bitnami/postgresql:17.6.0", bitnami, {"securityContext": {"fsGroup": 1001}}) == set()
	found("bitnami/postgresql:17.6.0", bitnami, {"securityContext": {"runAsUser": 0}}) == set()
}

# Of a class that is not found the driver is unknown; local-path's directories are everybody's.
test_class_unknown if {
	{f.severity | some f in check.findings} == {"info"} with input as object.remove(server("bitnami/postgresql:17.6.0", bitnami, {}), ["inventory"])
	{f.severity | some f in check.findings} == {"warning"} with input as object.remove(server("postgres:17", below, {"securityContext": {"runAsUser": 999}}), ["inventory"])
}

test_class_of_directories if {
	given := server("postgres:17", below, {"securityContext": {"runAsUser": 999}})
	check.findings == set() with input as {"review": json.patch(given.review, [{"op": "replace", "path": "/object/spec/volumeClaimTemplates/0/spec/storageClassName", "value": "local-path"}])}
}

test_prepared_volume if {
	found("postgres:17", below, {"securityContext": {"runAsUser": 999, "fsGroup": 999}}) == set()
	found("postgres:17", below, {"securityContext": {"runAsUser": 999}, "initContainers": [{"image": "busybox", "command": ["chown"]}]}) == set()
}

test_root_of_the_mount if {
	found("postgres:17", {}, {"securityContext": {"runAsUser": 999, "fsGroup": 999}}) == {{
		"message": "The data directory /var/lib/postgresql/data is the mount itself, which belongs to root: initdb cannot change its mode as user 999 (\"could not change permissions\"), even with fsGroup. Set PGDATA to /var/lib/postgresql/data/pgdata.",
		"severity": "error",
		"path": array.concat(in_container, ["volumeMounts"]),
	}}
}

# A directory of the node may have been given to the user there.
test_directory_of_the_node if {
	given := server("postgres:17", {}, {"securityContext": {"runAsUser": 999, "fsGroup": 999}})
	directory := {"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": "disk"}, "spec": {"storageClassName": "fast", "hostPath": {"path": "/srv/pg"}}}
	{f.severity | some f in check.findings} == {"warning"} with input as object.union(given, {"inventory": {"cluster": {"v1": {"PersistentVolume": {"disk": directory}}}}})
	elsewhere := json.patch(directory, [{"op": "replace", "path": "/spec/storageClassName", "value": "other"}])
	{f.severity | some f in check.findings} == {"error"} with input as object.union(given, {"inventory": {"cluster": {"v1": {"PersistentVolume": {"disk": elsewhere}}}}})
}

# The administrator has made the volume, and given it to whom he likes.
claimed := {
	"apiVersion": "apps/v1",
	"kind": "Deployment",
	"metadata": {"name": "orders", "namespace": "prod"},
	"spec": {"replicas": 1, "template": {"spec": {
		"securityContext": {"runAsUser": 999, "fsGroup": 999},
		"containers": [{"image": "postgres:17", "volumeMounts": [{"name": "data", "mountPath": "/var/lib/postgresql/data"}]}],
		"volumes": [{"name": "data", "persistentVolumeClaim": {"claimName": "data"}}],
	}}},
}

claim_of(class) := {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "data", "namespace": "prod"}, "spec": {"storageClassName": class, "resources": {"requests": {"storage": "10Gi"}}}}

volume_of(class) := {"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": "disk"}, "spec": {"storageClassName": class, "nfs": {"server": "nas", "path": "/db"}}}

among(claim, volume) := {[f.severity, f.message] | some f in found} if {
	found := check.findings with input as {"review": {"object": claimed}, "inventory": {
		"cluster": {"v1": {"PersistentVolume": {"disk": volume}}},
		"namespace": {"prod": {"v1": {"PersistentVolumeClaim": {"data": claim}}}},
	}}
}

test_volume_of_the_administrator if {
	among(claim_of("manual"), volume_of("manual")) == set()
	[["error", true]] == [[found[0], contains(found[1], "is the mount itself")] | some found in among(claim_of("manual"), volume_of("others"))]
}

read_only := {"securityContext": {"readOnlyRootFilesystem": true}}

test_read_only if {
	found("postgres:17", read_only, {}) == {{
		"message": "The root filesystem is read-only and nothing is mounted at /var/run/postgresql, where the server puts its socket and lock file. Mount an emptyDir there.",
		"severity": "error",
		"path": array.concat(in_container, ["securityContext", "readOnlyRootFilesystem"]),
	}}
}

test_read_only_with_a_socket if {
	found("postgres:17", object.union(read_only, {"volumeMounts": [{"name": "run", "mountPath": "/var/run"}]}), {}) == set()
	found("postgres:17", object.union(read_only, {"args": ["-c", "unix_socket_directories=/tmp"]}), {}) == set()
	found("postgres:17", object.union(read_only, {"args": ["-c", "config_file=/etc/postgresql/postgresql.conf"]}), {}) == set()
}

test_network_filesystem if {
	given := json.patch(server("postgres:17", {}, {"securityContext": {"runAsUser": 999, "fsGroup": 999}}), [{"op": "replace", "path": "/inventory/cluster/storage.k8s.io~1v1/StorageClass/fast/provisioner", "value": "nfs.csi.k8s.io"}])
	check.findings == set() with input as given
}

test_silent_when_unknown if {
	found("postgres:17", {}, {}) == set()
	found("postgres:17", {"securityContext": {"runAsUser": "${USER}"}}, {}) == set()
	check.findings == set() with input as {"review": {"object": {"kind": "ConfigMap"}}}
}

past_entrypoint(container) := {f.message | some f in findings; contains(f.message, "entrypoint")} if {
	findings := check.findings with input as {"review": {"object": {
		"apiVersion": "apps/v1",
		"kind": "StatefulSet",
		"metadata": {"name": "db", "namespace": "prod"},
		"spec": {"template": {"spec": {"containers": [object.union({"name": "postgres", "image": "postgres:17.6"}, container)]}}},
	}}}
}

test_command_for_args if {
	past_entrypoint({"command": ["postgres", "-c", "max_connections=200"]}) == {"\"command\" takes the place of the image's entrypoint, so the server starts as root, which PostgreSQL refuses. Write args instead of command."}
	past_entrypoint({"args": ["postgres", "-c", "max_connections=200"]}) == set()
	past_entrypoint({"command": ["docker-entrypoint.sh", "postgres"]}) == set()
	past_entrypoint({"command": ["postgres"], "securityContext": {"runAsUser": 999}}) == set()
	past_entrypoint({"command": ["gosu", "postgres", "postgres"]}) == set()
	past_entrypoint({"command": ["postgres"], "image": "corp.example/postgres:17"}) == set()
}

init_container(container, pod) := {f.severity | some f in findings; contains(f.message, "chown")} if {
	findings := check.findings with input as server("docker.io/bitnami/postgresql:17.6.0", {"volumeMounts": [{"name": "data", "mountPath": "/bitnami/postgresql"}]}, object.union({"initContainers": [object.union({"name": "init-chmod-data", "volumeMounts": [{"name": "data", "mountPath": "/bitnami/postgresql"}]}, container)]}, pod))
}

# helm/charts 14721: volumePermissions with runAsUser 1001.
test_chown_without_root if {
	chown := {"command": ["sh", "-c", "mkdir -p /bitnami/postgresql/data && chown -R 1001:1001 /bitnami/postgresql"]}
	init_container(object.union(chown, {"securityContext": {"runAsUser": 1001}}), {}) == {"error"}
	init_container(chown, {"securityContext": {"runAsUser": 1001}}) == {"error"}
	init_container(object.union(chown, {"securityContext": {"runAsUser": 0}}), {"securityContext": {"runAsUser": 1001}}) == set()
	init_container(chown, {}) == set()
	init_container({"command": ["sh", "-c", "chown -R 1001 /bitnami || true"], "securityContext": {"runAsUser": 1001}}, {}) == set()
	init_container({"command": ["sh", "-c", "mkdir -p /bitnami/postgresql/data"], "securityContext": {"runAsUser": 1001}}, {}) == set()
}

read_only_image(image, directory) := {f.message | some f in given; contains(f.message, "read-only")} if {
	given := found(image, object.union(read_only, {"volumeMounts": [{"name": "data", "mountPath": directory}]}), {"securityContext": {"fsGroup": 1001}})
}

# bitnami/containers 64884, and an emptyDir where the image writes.
test_read_only_of_other_images if {
	read_only_image("bitnami/postgresql:17.6.0", "/bitnami/postgresql") == {"The root filesystem is read-only and nothing is mounted at /opt/bitnami/postgresql/conf, where the image writes postgresql.conf. Mount an emptyDir there, at /opt/bitnami/postgresql/tmp and at /tmp."}
	read_only_image("bitnami/postgresql:17.6.0", "/opt/bitnami/postgresql") == set()
	found("bitnami/postgresql:17.6.0", object.union(read_only, {"command": ["/start.sh"], "volumeMounts": [{"name": "data", "mountPath": "/bitnami/postgresql"}]}), {"securityContext": {"fsGroup": 1001}}) == set()
	count(read_only_image("quay.io/sclorg/postgresql-16-c9s:latest", "/var/lib/pgsql/data")) == 1
	read_only_image("quay.io/sclorg/postgresql-16-c9s:latest", "/var/lib/pgsql") == set()
}

# The classes of clouds are known by their names: an object for one is rarely among the files.
test_class_known_by_its_name if {
	given := object.remove(server("postgres:17", below, {"securityContext": {"runAsUser": 999}}), ["inventory"])
	{f.severity | some f in check.findings} == {"warning"} with input as given
	{f.severity | some f in check.findings} == {"error"} with input as json.patch(given, [{"op": "replace", "path": "/review/object/spec/volumeClaimTemplates/0/spec/storageClassName", "value": "gp3"}])
}

test_stranger_in_bitnami if {
	stranger := {"securityContext": {"runAsUser": 10001, "runAsGroup": 10001}}
	grouped := {"securityContext": {"fsGroup": 10001}}
	some f in found("docker.io/bitnamilegacy/postgresql:17.6.0", stranger, grouped)
	f.message == "User 10001 with group 10001 may not write to /opt/bitnami/postgresql/conf, which the image leaves to root's group: \"Permission denied\" before the server starts. Set runAsUser: 1001 and runAsGroup: 0, or mount emptyDirs there and at /opt/bitnami/postgresql/tmp."
	found("docker.io/bitnamilegacy/postgresql:17.6.0", {"securityContext": {"runAsUser": 10001}}, grouped) == set()
	found("docker.io/bitnamilegacy/postgresql:17.6.0", {"securityContext": {"runAsUser": 10001, "runAsGroup": 0}}, grouped) == set()
	found("docker.io/bitnamilegacy/postgresql:17.6.0", {"securityContext": {"runAsUser": 1001, "runAsGroup": 1001}}, grouped) == set()
}

repmgr(at, pod) := found("bitnami/postgresql-repmgr:17.6.0", {"volumeMounts": [{"name": "data", "mountPath": "/bitnami/postgresql"}, {"name": "conf", "mountPath": at}]}, object.union({"securityContext": {"fsGroup": 1001}, "volumes": [{"name": "conf", "configMap": {"name": "conf"}}]}, pod))

test_configuration_below_the_volume if {
	repmgr("/bitnami/postgresql/conf/conf.d", {}) == {{
		"message": "For what is mounted at /bitnami/postgresql/conf/conf.d the runtime makes /bitnami/postgresql/conf on a new volume as root, and the image writes postgresql.conf there as user 1001: \"Permission denied\". Mount it at /opt/bitnami/postgresql/conf/conf.d, or let an init container (volumePermissions) make the directory.",
		"severity": "error",
		"path": array.concat(in_container, ["volumeMounts"]),
	}}
	repmgr("/bitnami/postgresql/conf/conf.d", {"initContainers": [{"image": "os-shell", "command": ["sh"]}]}) == set()
	repmgr("/opt/bitnami/postgresql/conf/conf.d", {}) == set()
}

test_configuration_over_the_directory if {
	{f.message | some f in repmgr("/bitnami/postgresql/conf", {})} == {"The image writes postgresql.conf and pg_hba.conf into /bitnami/postgresql/conf, which a ConfigMap takes the place of: \"Read-only file system\". Mount a postgresql.conf at /bitnami/repmgr/conf, and fragments at /opt/bitnami/postgresql/conf/conf.d."}
}

# The container's securityContext has no such field.
test_group_in_the_container if {
	container := object.union(below, {"securityContext": {"runAsUser": 999, "fsGroup": 999}})
	found("postgres:17", container, {}) == {{
		"message": "fsGroup stands in the securityContext of the container, which has no such field: kubectl refuses it, and Helm lets it be dropped. Write it in the securityContext of the pod.",
		"severity": "error",
		"path": array.concat(in_container, ["securityContext", "fsGroup"]),
	}}
	{f.severity | some f in check.findings} == {"error"} with input as object.remove(server("postgres:17", container, {}), ["inventory"])
	found("postgres:17", container, {"securityContext": {"fsGroup": 999}}) == set()
}

# OpenShift gives a user and a group to a pod that names none; a class of another cloud, or a node of it, is not OpenShift's.
test_not_on_openshift if {
	given := object.remove(server("bitnami/postgresql:17.6.0", bitnami, {}), ["inventory"])
	named := json.patch(given, [{"op": "replace", "path": "/review/object/spec/volumeClaimTemplates/0/spec/storageClassName", "value": "do-block-storage"}])
	{f.severity | some f in check.findings} == {"error"} with input as named
	{f.severity | some f in found("bitnami/postgresql:17.6.0", bitnami, {"nodeSelector": {"eks.amazonaws.com/nodegroup": "databases"}})} == {"error"}
	shifted := {"inventory": {"cluster": {"v1": {"Namespace": {"prod": {"metadata": {"name": "prod", "annotations": {"openshift.io/sa.scc.uid-range": "1000680000/10000"}}}}}}}}
	check.findings == set() with input as object.union(given, shifted)
}

# A dump whose image starts as root, and that must not.
dumping(image, container, pod) := {f.severity | some f in found_there} if found_there := check.findings with input as {
	"review": {"object": {
		"apiVersion": "postgresql.cnpg.io/v1",
		"kind": "Cluster",
		"metadata": {"name": "orders", "namespace": "prod"},
		"spec": {"instances": 1, "storage": {"size": "10Gi"}},
	}},
	"inventory": {"namespace": {"prod": {"batch/v1": {"CronJob": {"dump": {
		"apiVersion": "batch/v1",
		"kind": "CronJob",
		"metadata": {"name": "dump", "namespace": "prod"},
		"spec": {"jobTemplate": {"spec": {"template": {"spec": object.union({"containers": [object.union({"name": "dump", "image": image, "command": ["sh", "-c", "pg_dump -h orders-rw shop > /b/d.sql"]}, container)]}, pod)}}}},
	}}}}}},
}

test_dumps_by_root if {
	dumping("postgres:17-alpine", {"securityContext": {"runAsNonRoot": true}}, {}) == {"warning"}
	dumping("postgres:17-alpine", {}, {"securityContext": {"runAsNonRoot": true, "fsGroup": 999}}) == {"error"}
	dumping("postgres:17-alpine", {"securityContext": {"runAsUser": 70}}, {"securityContext": {"runAsNonRoot": true, "fsGroup": 70}}) == set()
	dumping("example.com/dump:17", {"securityContext": {"runAsNonRoot": true}}, {}) == set()
	dumping("postgres:17-alpine", {}, {}) == set()
}

# So certain is it too where another pod of the namespace has a user of its own.
test_dumps_by_root_elsewhere if {
	{f.severity |
		some f in check.findings with input as {
			"review": {"object": with_cronjob_beside.server},
			"inventory": {"namespace": {"shop": with_cronjob_beside.objects}},
		}
		startswith(f.message, "Container dump of")
	} == {"error"}
}

with_cronjob_beside := {
	"server": {"apiVersion": "apps/v1", "kind": "StatefulSet", "metadata": {"name": "orders", "namespace": "shop"}, "spec": {
		"template": {"metadata": {"labels": {"app": "db"}}, "spec": {"containers": [{"name": "db", "image": "postgres:17.6", "volumeMounts": [{"name": "data", "mountPath": "/var/lib/postgresql/data"}]}]}},
		"volumeClaimTemplates": [{"metadata": {"name": "data"}, "spec": {"resources": {"requests": {"storage": "1Gi"}}}}],
	}},
	"objects": {
		"v1": {"Service": {"orders": {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "orders", "namespace": "shop"}, "spec": {"selector": {"app": "db"}, "ports": [{"port": 5432}]}}}},
		"apps/v1": {"Deployment": {"web": {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web", "namespace": "shop"}, "spec": {"template": {"spec": {"securityContext": {"runAsUser": 1000}, "containers": []}}}}}},
		"batch/v1": {"CronJob": {"dump": {"apiVersion": "batch/v1", "kind": "CronJob", "metadata": {"name": "dump", "namespace": "shop"}, "spec": {"jobTemplate": {"spec": {"template": {"spec": {
			"securityContext": {"runAsNonRoot": true},
			"containers": [{"name": "dump", "image": "postgres:17.6", "command": ["sh", "-c", "pg_dump -h orders shop > /b/d.sql"]}],
		}}}}}}}},
	},
}

# A dump by itself, whose server stands in a Secret that is not here.
dump_by_itself(security) := {[f.severity, f.resource.kind, f.message] |
	found := check.findings with input as {"review": {"object": {
		"apiVersion": "batch/v1", "kind": "CronJob",
		"metadata": {"name": "dump", "namespace": "shop"},
		"spec": {"jobTemplate": {"spec": {"template": {"spec": {"containers": [{"name": "run", "image": "postgres:17.6", "command": ["sh", "-c", "pg_dump $URL > /d/a"], "securityContext": security}]}}}}},
	}}}
	some f in found
}

test_dump_by_itself if {
	dump_by_itself({"runAsNonRoot": true}) == {["warning", "CronJob", "Container run of CronJob dump, which dumps the database, has runAsNonRoot without runAsUser, and its image starts as root: the kubelet refuses it, except on OpenShift, which assigns a user. Set runAsUser (999, 70 in Alpine images)."]}
	dump_by_itself({"runAsNonRoot": true, "runAsUser": 999}) == set()
	dump_by_itself({}) == set()
}

# An empty directory of the pod is root's as well, and everybody may write to it.
test_root_of_an_empty_dir if {
	on_empty_dir({}) == {["error", true]}
	on_empty_dir({"env": [{"name": "PGDATA", "value": "/var/lib/postgresql/data/pgdata"}]}) == set()
}

on_empty_dir(more) := {[f.severity, contains(f.message, "is the mount itself")] | some f in found} if {
	found := check.findings with input as {"review": {"object": {
		"apiVersion": "apps/v1",
		"kind": "Deployment",
		"metadata": {"name": "db", "namespace": "prod"},
		"spec": {"template": {"spec": {
			"securityContext": {"runAsUser": 999},
			"containers": [object.union({"name": "postgres", "image": "postgres:17", "volumeMounts": [{"name": "data", "mountPath": "/var/lib/postgresql/data"}]}, more)],
			"volumes": [{"name": "data", "emptyDir": {}}],
		}}},
	}}}
}

package walguard.operators.workload_test

import data.walguard.operators.workload

# What keeps the server from its files: [level, path, how the reason begins].
faults(image, container, pod) := {[one.level, one.path, concat(" ", array.slice(split(one.reason, " "), 0, 3))] | some one in object.get(read(with_parts("StatefulSet", image, container, pod, claims)), "unreachable_files", [])}

reasons(image, container, pod) := {one.reason | some one in object.get(read(with_parts("StatefulSet", image, container, pod, claims)), "unreachable_files", [])}

inside := {"env": [{"name": "PGDATA", "value": "/var/lib/postgresql/data/pgdata"}]}

secured(fields) := {"securityContext": fields}

test_past_the_entrypoint if {
	every program in ["postgres", "/usr/local/bin/postgres", "/usr/lib/postgresql/17/bin/postgres"] {
		faults("postgres:17.6", {"command": [program]}, {}) == {["error", below(["command"]), "\"command\" takes the"]}
		faults("postgres:17.6", object.union(inside, {"command": [program]}), secured({"runAsUser": 999, "fsGroup": 999})) == set()
	}
	faults("postgres:17.6", {"command": ["docker-entrypoint.sh", "postgres"]}, {}) == set()
	faults("postgres:17.6", {"args": ["postgres"]}, {}) == set()
}

given_away(words, user, mounts) := faults("postgres:17.6", inside, {"initContainers": [3, {"name": "fix", "command": words, "securityContext": {"runAsUser": user}, "volumeMounts": mounts}]})

test_chown_without_the_power if {
	of_data := [{"name": "data", "mountPath": "/data"}]
	given_away(["chown", "-R", "999", "/data"], 1000, of_data) == {["error", ["spec", "template", "spec", "initContainers", 1], "Init container fix"]}
	given_away(["chown", "-R", "999", "/data"], 1, of_data) == given_away(["chown", "-R", "999", "/data"], 1000, of_data)
	every row in [
		[["chown", "-R", "999", "/data"], 0, of_data],
		[["chown", "-R", "999", "/data"], 1000, [{"name": "other", "mountPath": "/data"}]],
		[["sh", "-c", "chown 999 /data || true"], 1000, of_data],
		[["sh", "-c", "chown 999 /data; true"], 1000, of_data],
		[["chmod", "700", "/data"], 1000, of_data],
	] {
		given_away(row[0], row[1], row[2]) == set()
	}
	faults("postgres:17.6", inside, {"initContainers": [{"name": "fix", "command": ["chown", "999", "/data"], "volumeMounts": of_data}], "securityContext": {"runAsUser": 999, "fsGroup": 999}}) == {["error", ["spec", "template", "spec", "initContainers", 0], "Init container fix"]}
}

chowner(capabilities) := faults("postgres:17.6", inside, {"initContainers": [{"name": "fix", "command": ["chown", "999", "/data"], "securityContext": {"runAsUser": 0, "capabilities": capabilities}, "volumeMounts": [{"name": "data", "mountPath": "/data"}]}]})

chowner_of(of_image, pod) := faults("postgres:17.6", inside, object.union({"initContainers": [{"name": "fix", "image": of_image, "command": ["chown", "999", "/data"], "securityContext": {"capabilities": {"drop": ["ALL"]}}, "volumeMounts": [{"name": "data", "mountPath": "/data"}]}]}, pod))

test_chown_without_the_capability if {
	chowner({"drop": ["ALL"]}) == {["error", ["spec", "template", "spec", "initContainers", 0], "Init container fix"]}
	chowner({"drop": ["CAP_CHOWN"], "add": ["FOWNER"]}) == {["error", ["spec", "template", "spec", "initContainers", 0], "Init container fix"]}
	chowner({"drop": ["ALL"], "add": ["CAP_CHOWN"]}) == set()
	chowner({"drop": ["NET_RAW"]}) == set()
	chowner_of("busybox:1.37", {}) == {["error", ["spec", "template", "spec", "initContainers", 0], "Init container fix"]}
	chowner_of("shop/tools:1", {}) == set()
	count(chowner_of("busybox:1.37", {"securityContext": {"runAsUser": 999, "fsGroup": 999}})) == 1
}

capable(drop, add, pod) := reasons("postgres:17.6", secured({"capabilities": {"drop": drop, "add": add}}), pod)

without(names) := {sprintf("The container starts as root without %s, so the entrypoint cannot become postgres or give it the data directory", [names])}

blind := {`The container starts as root without DAC_READ_SEARCH, so the entrypoint cannot read the data directory at its second start ("Permission denied")`}

test_capabilities if {
	capable(["ALL"], [], {}) == without("CHOWN, DAC_READ_SEARCH, SETGID and SETUID")
	capable(["all"], [], secured({"fsGroup": 999})) == without("CHOWN, SETGID and SETUID")
	capable(["ALL"], [], secured({"supplementalGroups": [999]})) == without("CHOWN, SETGID and SETUID")
	capable(["ALL"], ["CHOWN", "FOWNER", "SETGID", "SETUID"], secured({"fsGroup": 999})) == blind
	capable(["DAC_OVERRIDE", "DAC_READ_SEARCH"], [], secured({"fsGroup": 999})) == blind
	every name in ["CHOWN", "SETGID", "SETUID"] {
		capable([name], [], {}) == without(name)
		capable([concat("", ["CAP_", name])], [], {}) == without(name)
		capable(["ALL"], [other | some other in ["CHOWN", "DAC_READ_SEARCH", "SETGID", "SETUID"]; other != name], {}) == without(name)
	}
	capable(["ALL"], ["CHOWN", "DAC_READ_SEARCH", "CAP_SETGID", "setuid"], {}) == set()
	capable(["ALL"], ["CHOWN", "DAC_OVERRIDE", "SETGID", "SETUID"], {}) == set()
	capable(["ALL"], ["DAC_OVERRIDE", "SETGID", "SETUID"], {}) == without("CHOWN")
	capable(["ALL"], ["ALL"], {}) == set()
	capable(["DAC_OVERRIDE"], [], {}) == blind
	capable(["CAP_DAC_OVERRIDE"], [], secured({"fsGroup": 999})) == blind
	capable(["DAC_OVERRIDE"], ["DAC_READ_SEARCH"], {}) == set()
	capable(["DAC_OVERRIDE", "FOWNER"], [], secured({"fsGroup": 999})) == set()
	capable(["DAC_READ_SEARCH"], [], {}) == set()
	capable(["DAC_OVERRIDE", "DAC_READ_SEARCH"], [], {}) == blind
	capable(["NET_RAW", 3], [], {}) == set()
	faults("postgres:17.6", object.union(inside, secured({"capabilities": {"drop": ["ALL"]}, "runAsUser": 999})), secured({"fsGroup": 999})) == set()
}

# A container's own setting goes before its pod's.
test_root_that_is_refused if {
	faults("postgres:17.6", {}, secured({"runAsNonRoot": true})) == {["warning", ["spec", "template", "spec", "securityContext", "runAsNonRoot"], "runAsNonRoot without runAsUser,"]}
	faults("postgres:17.6", secured({"runAsNonRoot": true}), secured({"fsGroup": 999})) == {["error", below(["securityContext", "runAsNonRoot"]), "runAsNonRoot without runAsUser,"]}
	faults("postgres:17.6", secured({"runAsNonRoot": true}), {}) == {["warning", below(["securityContext", "runAsNonRoot"]), "runAsNonRoot without runAsUser,"]}
	faults("postgres:17.6", secured({"runAsNonRoot": false}), secured({"runAsNonRoot": true})) == set()
	faults("postgres:17.6", object.union(inside, secured({"runAsUser": 999})), secured({"runAsNonRoot": true, "fsGroup": 999})) == set()
	faults("example.com/postgres:17.6", {}, secured({"runAsNonRoot": true})) == set()
}

levels(image, container, pod, spec, beside) := {[one.level, one.cure] |
	found := workload.cluster with input as object.union({"review": {"object": with_parts("StatefulSet", image, container, pod, spec)}}, beside)
	some one in found.unreachable_files
	contains(one.reason, "runAsNonRoot")
}

as_nobody := secured({"runAsNonRoot": true})

of_class_named(name) := {"volumeClaimTemplates": [{"metadata": {"name": "data"}, "spec": {"storageClassName": name, "resources": {"requests": {"storage": "10Gi"}}}}]}

beside_pod(spec) := {"inventory": {"namespace": {"shop": {"apps/v1": {"Deployment": {"web": {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web", "namespace": "shop"}, "spec": {"template": {"spec": spec}}}}}}}}}

in_live(space) := {"inventory": {"live": true, "cluster": {"v1": {"Namespace": {"shop": {"apiVersion": "v1", "kind": "Namespace", "metadata": space}}}}}}

# What shows another Kubernetes than OpenShift makes it certain.
test_root_that_is_refused_elsewhere if {
	number := "Set runAsUser and fsGroup to 999 (70 in Alpine images) with PGDATA below the mount"
	every class in ["local-path", "hostpath", "microk8s-hostpath", "premium-rwo"] {
		levels("postgres:17.6", {}, as_nobody, of_class_named(class), {}) == {["error", number]}
	}
	levels("postgres:17.6", {}, as_nobody, of_class_named("gp3-csi"), {}) == {["warning", number]}
	every pod in [
		{"securityContext": {"runAsUser": 1000}},
		{"securityContext": {"fsGroup": 1000}},
		{"serviceAccountName": "default", "containers": [{"name": "web", "securityContext": {"runAsUser": 101}}]},
		{"initContainers": [{"name": "own", "securityContext": {"runAsUser": 0}}]},
	] {
		levels("postgres:17.6", {}, as_nobody, claims, beside_pod(pod)) == {["error", number]}
	}
	every pod in [
		{"securityContext": {"runAsUser": 1000680000}},
		{"serviceAccountName": "web", "securityContext": {"runAsUser": 1000}},
		{"containers": [{"name": "web", "image": "web:1"}]},
	] {
		levels("postgres:17.6", {}, as_nobody, claims, beside_pod(pod)) == {["warning", number]}
	}
	levels("postgres:17.6", {}, as_nobody, claims, in_live({"name": "shop"})) == {["error", number]}
	levels("postgres:17.6", {}, as_nobody, claims, in_live({"name": "shop", "annotations": {"openshift.io/sa.scc.mcs": "s0:c26,c5"}})) == set()
}

test_other_images_that_are_refused if {
	every one in [
		"citusdata/citus:13.0", "paradedb/paradedb:0.15-pg17", "pgautoupgrade/pgautoupgrade:17-bookworm", "tensorchord/pgvecto-rs:pg16-v0.3.0", "tensorchord/vchord-postgres:pg17-v0.4.3",
		"timescale/timescaledb:2.22.0-pg17", "ghcr.io/immich-app/postgres:16-vectorchord0.4.3", "ghcr.io/tensorchord/vchord-postgres:pg17-v0.4.3",
	] {
		levels(one, {}, as_nobody, claims, {}) == {["warning", "Set runAsUser and fsGroup to 999 (70 in Alpine images) with PGDATA below the mount"]}
	}
	levels("timescale/timescaledb-ha:pg17.6-ts2.22.0", {}, as_nobody, claims, {}) == {["warning", "Set runAsUser and fsGroup to 1000 with PGDATA below the mount"]}
	levels("timescale/timescaledb-ha:pg17.6-ts2.22.0", secured({"runAsUser": 1000}), as_nobody, claims, {}) == set()
	levels("example.com/timescaledb-ha:pg17.6-ts2.22.0", {}, as_nobody, claims, {}) == set()
}

# A Route beside it says that this is OpenShift, which assigns a user.
test_user_that_openshift_assigns if {
	asked := object.union(secured({"runAsNonRoot": true}), {"containers": [{"name": "db", "image": "postgres:17.6", "volumeMounts": [{"name": "data", "mountPath": "/var/lib/postgresql/data"}]}]})
	object_ := with_parts("StatefulSet", "postgres:17.6", {}, asked, claims)
	among_routes(object_, {}).unreachable_files
	not among_routes(object_, {"Route": {"web": {"apiVersion": "route.openshift.io/v1", "kind": "Route", "metadata": {"name": "web", "namespace": "shop"}}}}).unreachable_files
}

# So do the annotations of its namespace.
test_user_that_openshift_assigns_in_its_namespace if {
	asked := object.union(secured({"runAsNonRoot": true}), {"containers": [{"name": "db", "image": "postgres:17.6", "volumeMounts": [{"name": "data", "mountPath": "/var/lib/postgresql/data"}]}]})
	object_ := with_parts("StatefulSet", "postgres:17.6", {}, asked, claims)
	in_namespace(object_, {"team": "shop"}).unreachable_files
	not in_namespace(object_, {"openshift.io/sa.scc.mcs": "s0:c26,c5"}).unreachable_files
}

in_namespace(object_, annotations) := found if found := workload.cluster with input as {"review": {
	"object": object_,
	"namespaceObject": {"metadata": {"name": "shop", "annotations": annotations}},
}}

among_routes(object_, routes) := found if found := workload.cluster with input as {"review": {"object": object_}, "inventory": {"namespace": {"shop": {"route.openshift.io/v1": routes}}}}

test_volume_of_root if {
	of_pod := ["spec", "template", "spec", "securityContext", "runAsUser"]
	faults("postgres:17.6", inside, secured({"runAsUser": 999})) == {["error", of_pod, "A new volume"]}
	faults("postgres:17.6", inside, secured({"runAsUser": 999, "supplementalGroups": [999]})) == set()
	faults("postgres:17.6", {}, secured({"runAsUser": 999, "fsGroup": 999})) == {["error", below(["volumeMounts"]), "The data directory"]}
	faults("postgres:17.6", {}, secured({"runAsUser": 0, "fsGroup": 999})) == set()
	faults("postgres:17.6", {"volumeMounts": [{"name": "data", "mountPath": "/var/lib/postgresql/data", "subPath": "pg"}]}, secured({"runAsUser": 999, "fsGroup": 999})) == {["error", below(["volumeMounts"]), "The data directory"]}
	faults("postgres:17.6", {"volumeMounts": [{"name": "data", "mountPath": "/var/lib/postgresql/data", "subPath": "pg"}]}, {}) == set()
	faults("postgres:17.6", inside, object.union(secured({"runAsUser": 999}), {"initContainers": [{"name": "a"}]})) == set()
	on_bitnami := {"volumeMounts": [{"name": "data", "mountPath": "/bitnami/postgresql"}]}
	faults("bitnami/postgresql:17.6.0", on_bitnami, {}) == {["info", ["spec", "template", "spec"], "A new volume"]}
	faults("bitnami/postgresql:17.6.0", on_bitnami, secured({"fsGroup": 1001})) == set()
	of_timescale := {"volumeMounts": [{"name": "data", "mountPath": "/home/postgres/pgdata"}]}
	faults("timescale/timescaledb-ha:pg16.6-ts2.17.2", of_timescale, {}) == {["warning", ["spec", "template", "spec"], "A new volume"]}
	faults("timescale/timescaledb-ha:pg16.6-ts2.17.2", of_timescale, secured({"fsGroup": 1000})) == set()
	faults("example.com/timescaledb-ha:pg16.6-ts2.17.2", of_timescale, {}) == set()
	on_sclorg := {"volumeMounts": [{"name": "data", "mountPath": "/var/lib/pgsql/data"}]}
	faults("quay.io/sclorg/postgresql-16-c9s", on_sclorg, {}) == {["info", ["spec", "template", "spec"], "A new volume"]}
}

scratched(image, at_data, directories, more) := reasons(image, object.union(object.union(secured({"readOnlyRootFilesystem": true}), more), {"volumeMounts": array.concat([{"name": "data", "mountPath": at_data}], [{"name": sprintf("v%d", [i]), "mountPath": directory} | some i, directory in directories])}), secured({"fsGroup": 999}))

test_root_filesystem_that_is_read_only if {
	scratched("postgres:17.6", "/var/lib/postgresql/data", [], {}) == {"The root filesystem is read-only and nothing is mounted at /var/run/postgresql, where the server puts its socket and lock file"}
	every directory in ["/var/run/postgresql", "/run/postgresql", "/var/run", "/run"] {
		scratched("postgres:17.6", "/var/lib/postgresql/data", [directory], {}) == set()
	}
	scratched("postgres:17.6", "/var/lib/postgresql/data", ["/var/run/postgresql/x"], {}) != set()
	scratched("postgres:17.6", "/var/lib/postgresql/data", [], {"args": ["-c", "unix_socket_directories=/tmp"]}) == set()
	scratched("bitnami/postgresql:17.6.0", "/bitnami/postgresql", [], {}) == {"The root filesystem is read-only and nothing is mounted at /opt/bitnami/postgresql/conf, where the image writes postgresql.conf"}
	scratched("bitnami/postgresql:17.6.0", "/bitnami/postgresql", ["/opt/bitnami/postgresql/conf"], {}) == set()
	scratched("quay.io/sclorg/postgresql-16-c9s", "/var/lib/pgsql/data", [], {}) == {"The root filesystem is read-only and nothing is mounted at /var/lib/pgsql, where the image writes its passwd file and configuration"}
	scratched("quay.io/sclorg/postgresql-16-c9s", "/var/lib/pgsql", [], {}) == set()
	[one[0] | some one in faults("postgres:17.6", secured({"readOnlyRootFilesystem": true}), {})] == ["error"]
}

stranger(user, group, pod) := [[one[0], one[1]] |
	some one in faults("bitnami/postgresql:17.6.0", {"volumeMounts": [{"name": "data", "mountPath": "/bitnami/postgresql"}]}, secured(object.union({"runAsUser": user, "runAsGroup": group, "fsGroup": 1000}, pod)))
]

test_user_of_another_group if {
	stranger(1000, 1000, {}) == [["error", ["spec", "template", "spec", "securityContext", "runAsGroup"]]]
	stranger(1, 1, {}) == stranger(1000, 1000, {})
	stranger(1001, 1000, {}) == []
	stranger(0, 1000, {}) == []
	stranger(1000, 0, {}) == []
	stranger(1000, 1000, {"fsGroup": 0}) == []
	stranger(1000, 1000, {"supplementalGroups": [5, 0]}) == []
}

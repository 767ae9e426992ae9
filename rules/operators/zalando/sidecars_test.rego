package walguard.operators.zalando_sidecars_test

import data.walguard.operators.zalando

read(spec) := found if {
	found := zalando.cluster with input as {"review": {"object": {"apiVersion": "acid.zalan.do/v1", "kind": "postgresql", "metadata": {"name": "acid-orders", "namespace": "shop"}, "spec": spec}}}
}

ignored(more, volumes) := {[one.path[3], one.name, one.reason] | some one in object.get(read({"additionalVolumes": volumes, "sidecars": [object.union({"name": "exporter", "image": "exporter:1"}, more)]}), "ignored", [])}

test_fields_that_no_sidecar_has if {
	ignored({"args": ["--web"], "env": [], "ports": [], "resources": {}, "command": ["x"]}, []) == {["args", "args of sidecar exporter", "of a sidecar the operator takes name, image, command, env, ports and resources alone, so write them into command, after the program"]}
	{one[0] | some one in ignored({"envFrom": [{"secretRef": {"name": "a"}}], "securityContext": {"runAsUser": 1}, "livenessProbe": {"exec": {}}, "imagePullPolicy": "Always"}, [])} == {"envFrom", "livenessProbe", "securityContext"}
	mounts := {"volumeMounts": [{"name": "conf", "mountPath": "/etc/conf/"}]}
	{one[0] | some one in ignored(mounts, [{"name": "conf", "mountPath": "/etc/conf"}])} == {"volumeMounts"}
	ignored(mounts, [{"name": "conf", "mountPath": "/etc/conf", "targetContainers": ["exporter"]}]) == set()
}

refused(volumes) := {[one.path, one.reason] | some one in object.get(read({"additionalVolumes": [object.union(volume, {"volumeSource": {"emptyDir": {}}}) | some volume in volumes], "sidecars": [{"name": "exporter", "image": "exporter:1"}]}), "refusals", [])}

test_volumes_of_one_name if {
	refused([{"name": "a", "mountPath": "/a"}, {"name": "b", "mountPath": "/b"}, {"name": "a", "mountPath": "/c"}]) == {[["spec", "additionalVolumes", 2, "name"], "the pods would have two volumes called a, and their StatefulSet is refused"]}
	refused([{"name": "a", "mountPath": "/a"}, {"name": "a", "mountPath": "/a"}, {"name": "${A}", "mountPath": "/b"}, {"name": "${A}", "mountPath": "/c"}]) == set()
}

test_volumes_mounted_twice if {
	refused([{"name": "a", "mountPath": "/a", "targetContainers": ["all", "exporter"]}]) == {[["spec", "additionalVolumes", 0, "targetContainers"], "container exporter would have a twice at /a, for targetContainers names it beside all, and the StatefulSet is refused"]}
	refused([{"name": "a", "mountPath": "/a", "targetContainers": ["postgres", "postgres"]}]) == {[["spec", "additionalVolumes", 0, "targetContainers"], "container postgres would have a twice at /a, for targetContainers names it twice, and the StatefulSet is refused"]}
	refused([{"name": "a", "mountPath": "/a", "targetContainers": ["postgres", "exporter"]}, {"name": "b", "mountPath": "/b", "targetContainers": ["all"]}, {"name": "c", "mountPath": "/c", "targetContainers": ["all", "other"]}]) == set()
}

at(one) := [[place.level, place.path] | some place in object.get(read({"additionalVolumes": [object.union({"name": "data", "mountPath": "/home/postgres/pgdata"}, one)]}), "unresolved", [])]

# Then what spec.volume says is not said of the tables.
test_tables_on_another_volume if {
	of_set([]).data.size
	not of_set([{"name": "tables", "mountPath": "/home/postgres/pgdata/pgroot/data/base", "targetContainers": ["postgres"], "volumeSource": {"persistentVolumeClaim": {"claimName": "tables"}}}]).data
}

of_set(more) := read({"numberOfInstances": 2, "volume": {"size": "10Gi"}, "additionalVolumes": more}).instance_sets[0]

test_volume_at_the_data if {
	at({}) == [["warning", ["spec", "additionalVolumes", 0, "mountPath"]]]
	at({"targetContainers": ["postgres"]}) == [["error", ["spec", "additionalVolumes", 0, "mountPath"]]]
	at({"mountPath": "/home/postgres/more"}) == []
}

of_patroni(patroni) := {[one.path[2], one.name, one.level] | some one in object.get(read({"patroni": patroni}), "ignored", [])}

test_keys_that_are_patronis_alone if {
	of_patroni({"remove_data_directory_on_rewind_failure": true}) == {["remove_data_directory_on_rewind_failure", "patroni.remove_data_directory_on_rewind_failure", "warning"]}
	{one[0] | some one in of_patroni({"use_pg_rewind": false, "primary_start_timeout": 0, "ttl": 60, "failsafe_mode": true})} == {"use_pg_rewind", "primary_start_timeout"}
	of_patroni({"use_pg_rewind": true, "use_slots": true, "check_timeline": "${CHECK}"}) == set()
}

ports(numbers) := [[one.path, one.refused] | some one in object.get(read({"sidecars": [{"name": "exporter", "image": "exporter:1", "ports": [{"containerPort": number} | some number in numbers]}]}), "refusals", [])]

test_ports_of_sidecars if {
	ports([9187, -9187]) == [[["spec", "sidecars", 0, "ports", 1, "containerPort"], "every pod"]]
	ports([0, 65536]) == [[["spec", "sidecars", 0, "ports", n, "containerPort"], "every pod"] | some n in [0, 1]]
	ports([1, 65535]) == []
	ports(["${PORT}"]) == []
}

package walguard.operators.kubegres_test

import data.walguard.operators.kubegres

api := "kubegres.reactive-tech.io/v1"

resource(spec) := {"apiVersion": api, "kind": "Kubegres", "metadata": {"name": "stock", "namespace": "shop"}, "spec": spec}

config_map(name, text) := {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "namespace": "shop"}, "data": {"postgres.conf": text}}

read(object, objects) := found if {
	found := kubegres.cluster with input as {"review": {"object": object}, "inventory": sight(objects)}
}

sight(objects) := {"namespace": {"shop": {
	api: {"Kubegres": {o.metadata.name: o | some o in objects; o.kind == "Kubegres"}},
	"v1": {"ConfigMap": {o.metadata.name: o | some o in objects; o.kind == "ConfigMap"}},
}}}

whole := {
	"image": "postgres:16.4",
	"replicas": 3,
	"customConfig": "tuned",
	"database": {"size": "100Gi", "storageClassName": "fast"},
	"resources": {"limits": {"memory": "8Gi"}},
	"env": [{"name": "POSTGRES_INITDB_ARGS", "value": "--wal-segsize=64 --data-checksums"}],
}

text := "max_wal_size = 8GB\ninclude 'more.conf'\narchive_mode off\nbroken = \n"

file := ["data", "postgres.conf"]

test_whole_cluster if {
	replicas := {"value": 3, "origin": "written", "path": ["spec", "replicas"]}
	reference := {"apiVersion": "v1", "kind": "ConfigMap", "namespace": "shop", "name": "tuned"}
	object.remove(read(resource(whole), [config_map("tuned", text)]), ["companions", "size_fixed"]) == {
		"operator": "Kubegres",
		"selection": {"labels": {"app": "stock"}, "own": {"app": "stock"}, "count": 3},
		"data_claims": `^postgres-db-stock-[0-9]+-0$`,
		"claims_stay": true,
		"name": "stock",
		"namespace": "shop",
		"major": {"value": 16, "origin": "written", "path": ["spec", "image"]},
		"image": {"value": "postgres:16.4", "origin": "written", "path": ["spec", "image"]},
		"upgrade": {"by": "nobody"},
		"parameters": [
			{"name": "max_wal_size", "value": "8GB", "path": file, "line": 1, "resource": reference},
			{"name": "archive_mode", "value": "off", "path": file, "line": 3, "resource": reference},
		],
		"syntax_errors": [{"reason": "syntax error: broken = ", "line": 4, "path": file, "resource": reference}],
		"unread": [{"source": "what postgres.conf of ConfigMap shop/tuned includes", "severity": "warning", "path": file, "resource": reference}],
		"parameters_path": ["spec", "customConfig"],
		"parameter_values": "any",
		"patroni": false,
		"defaults": {"max_wal_size": "1GB", "min_wal_size": "80MB"},
		"managed": {},
		"rewind": {"used": false},
		"slots": {"value": false, "origin": "operator", "path": ["spec", "customConfig"]},
		"pods": [{"sysctls": ["spec", "securityContext", "sysctls"], "environment": [["spec", "env"]]}],
		"served": {"value": true, "origin": "operator", "path": ["spec"]},
		"instances": replicas,
		"instance_sets": [{
			"name": "stock",
			"path": ["spec"],
			"replicas": replicas,
			"resources": {"requests": {}, "limits": {"memory": "8Gi"}},
			"resources_path": ["spec", "resources"],
			"data": {
				"path": ["spec", "database"],
				"size": "100Gi",
				"size_path": ["spec", "database", "size"],
				"class": "fast",
				"class_path": ["spec", "database", "storageClassName"],
			},
		}],
		"segment": {"value": 64, "unit": "MB", "origin": "written", "path": ["spec", "env", 0, "value"]},
		"checksums": {"value": true, "origin": "written", "path": ["spec", "env", 0, "value"]},
		"archiving": {"value": "off", "origin": "written", "path": file, "resource": reference},
	}
}

test_other_resources_are_not_read if {
	not read({"apiVersion": "example.com/v1", "kind": "Kubegres"}, [])
	not read({"apiVersion": "apps/v1", "kind": "StatefulSet"}, [])
	not read(config_map("tuned", text), [])
	not read(config_map("tuned", ""), [resource(whole)])
}

test_without_a_file_of_its_own if {
	cluster := read(resource({"image": "postgres:16"}), [])
	cluster.parameters == []
	cluster.defaults.shared_buffers == "128MB"
	cluster.segment == {"value": 16, "unit": "MB", "origin": "postgres", "path": ["spec", "env"]}
	cluster.checksums == {"value": false, "origin": "postgres", "path": ["spec", "env"]}
	cluster.archiving == {"value": "off", "origin": "postgres", "path": ["spec", "customConfig"]}
	not cluster.partial
}

test_base_configuration if {
	base := config_map("base-kubegres-config", "shared_buffers = 1GB\n")
	cluster := read(resource({}), [base])
	[setting] := cluster.parameters
	setting.value == "1GB"
	setting.resource.name == "base-kubegres-config"
	not cluster.defaults.shared_buffers

	# The other one has scripts only.
	scripts := {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "tuned"}, "data": {"backup_database.sh": "exit 0"}}
	read(resource({"customConfig": "tuned"}), [base, scripts]).parameters == cluster.parameters
}

# The base one is mounted whatever it holds; in one of its own the operator looks for the key in data.
test_base_configuration_in_binary_data if {
	binary := {"binaryData": {"postgres.conf": base64.encode("shared_buffers = 1GB\n")}}
	base := object.union({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "base-kubegres-config"}}, binary)
	[setting] := read(resource({}), [base]).parameters
	setting.value == "1GB"
	own := object.union({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "tuned"}}, binary)
	read(resource({"customConfig": "tuned"}), [own]).parameters == []
	broken := {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "base-kubegres-config"}, "binaryData": {"postgres.conf": "%"}}
	read(resource({}), [broken]).parameters == []
}

test_file_out_of_sight if {
	cluster := read(resource({"customConfig": "tuned"}), [])
	cluster.partial
	cluster.defaults == {}
	not cluster.archiving
}

test_file_under_review if {
	home := {"apiVersion": api, "kind": "Kubegres", "namespace": "shop", "name": "stock"}
	cluster := read(config_map("tuned", text), [resource(whole)])
	cluster.change
	cluster.name == "stock"
	cluster.parameters_path == file
	cluster.parameters[0] == {"name": "max_wal_size", "value": "8GB", "path": file, "line": 1}
	cluster.instances.resource == home
	cluster.instance_sets[0].resource == home
}

test_scripts_under_review if {
	scripts := {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "tuned", "namespace": "shop"}, "data": {"primary_init_script.sh": "psql -c 'ALTER SYSTEM SET fsync = off'"}}
	cluster := read(scripts, [resource(whole)])
	cluster.change
	cluster.parameters_path == []
}

test_base_under_review if {
	base := config_map("base-kubegres-config", "fsync = off\n")
	read(base, [resource({})]).parameters[0].name == "fsync"
	not read(base, [resource({"customConfig": "tuned"}), config_map("tuned", "fsync = on\n")])
	read(base, [resource({"customConfig": "tuned"}), config_map("tuned", "")]).name == "stock"
}

test_hostile_values_are_no_facts if {
	every spec in ["x", {"image": 17, "replicas": "three", "database": [], "env": {"name": "x"}, "customConfig": {}}] {
		cluster := read(resource(spec), [])
		object.keys(cluster) & {"major", "instances", "checksums"} == set()
		not cluster.instance_sets[0].data
	}
	from_elsewhere := [null, {"name": "POSTGRES_INITDB_ARGS", "valueFrom": {"configMapKeyRef": {"name": "x", "key": "y"}}}]
	cluster := read(resource({"image": "postgres:16", "env": from_elsewhere}), [])
	object.keys(cluster) & {"segment", "checksums"} == set()
}

with_volume(env, mounts) := found if {
	cluster := kubegres.cluster with input as {"review": {"object": {
		"apiVersion": "kubegres.reactive-tech.io/v1",
		"kind": "Kubegres",
		"metadata": {"name": "visitors", "namespace": "museum"},
		"spec": {
			"image": "postgres:17.5",
			"env": env,
			"database": {"size": "10Gi"},
			"volume": {
				"volumeClaimTemplates": [{"name": "wal", "spec": {"storageClassName": "fast", "resources": {"requests": {"storage": "2Gi"}}}}],
				"volumeMounts": mounts,
			},
		},
	}}}
	found := cluster.instance_sets[0]
}

test_wal_on_a_volume_of_ones_own if {
	mounts := [{"name": "wal", "mountPath": "/wal"}]
	at := ["spec", "volume", "volumeClaimTemplates", 0, "spec"]
	wal := {
		"path": at,
		"size": "2Gi",
		"size_path": array.concat(at, ["resources", "requests", "storage"]),
		"class": "fast",
		"class_path": array.concat(at, ["storageClassName"]),
	}
	with_volume([{"name": "POSTGRES_INITDB_ARGS", "value": "--waldir=/wal/pg_wal"}], mounts).wal == wal
	with_volume([{"name": "POSTGRES_INITDB_WALDIR", "value": "/wal/pg_wal"}], mounts).wal == wal
	not with_volume([], mounts).wal
	not with_volume([{"name": "POSTGRES_INITDB_WALDIR", "value": "/elsewhere"}], mounts).wal
}

# Two that take the ConfigMap under review.
test_one_of_several_that_take_a_file if {
	other := object.union(resource(whole), {"metadata": {"name": "visitors"}})
	review := config_map("tuned", text)
	first := read(review, [resource(whole), other])
	[first.name, first.others] == ["stock", ["Kubegres shop/visitors"]]
	objects := sight([resource(whole), other])
	second := kubegres.cluster with input as {"review": {"object": review, "chosen": "Kubegres shop/visitors"}, "inventory": objects}
	[second.name, second.instances.resource.name] == ["visitors", "visitors"]
	not read(review, [resource(whole)]).others
}

with_options(value) := read(resource({"image": "postgres:16", "env": [{"name": "POSTGRES_INITDB_ARGS", "value": value}]}), [])

test_options_of_initdb_that_are_filled_in_later if {
	object.keys(with_options("${INITDB_ARGS}")) & {"segment", "checksums"} == set()
	with_options("${INITDB_ARGS:---wal-segsize=64}").segment.value == 64
}

scripts_of(texts) := object.union(config_map("tuned", ""), {"data": texts})

test_scripts if {
	maps := [scripts_of({"primary_init_script.sh": "psql -c 'ALTER SYSTEM SET fsync = off'", "copy_primary_data_to_replica.sh": "sed -i s/a/b/ x/postgresql.conf", "promote_replica_to_primary.sh": "echo eA== | base64 -d | sh", "primary_create_replication_role.sh": "echo fsync=off >> postgresql.auto.conf"})]
	cluster := read(resource({"customConfig": "tuned"}), maps)
	[p.name | some p in cluster.parameters] == ["fsync"]
	cluster.parameters[0].resource.name == "tuned"
	{place.source: place.severity | some place in cluster.unread} == {
		"the script copy_primary_data_to_replica.sh": "info",
		"the script promote_replica_to_primary.sh": "info",
		"the script primary_create_replication_role.sh": "warning",
	}

	changed := read(maps[0], [resource({"customConfig": "tuned"})])
	changed.parameters[0].path == ["data", "primary_init_script.sh"]
	not changed.parameters[0].resource
}

test_volumes_and_options_of_a_shell if {
	cluster := read(
		resource({
			"env": [{"name": "POSTGRES_INITDB_ARGS", "value": "-k; x"}],
			"volume": {"volumes": [{"name": "a", "configMap": {"name": "c"}}], "volumeMounts": [{"name": "a", "mountPath": "/var/lib/postgresql/data/pgdata/postgresql.auto.conf"}]},
		}),
		[],
	)
	[place.source | some place in cluster.unread] == ["the variable POSTGRES_INITDB_ARGS", "what is mounted at /var/lib/postgresql/data/pgdata/postgresql.auto.conf"]
}

# A key of a ConfigMap is looked up; one of a Secret is not.
test_options_from_elsewhere if {
	map := {"configMapKeyRef": {"name": "tuned", "key": "args"}}
	[place.source | some place in read(with_source(map), [scripts_of({"args": "-k; x"})]).unread] == ["the variable POSTGRES_INITDB_ARGS"]
	not read(with_source(map), [scripts_of({"args": "-k"})]).unread
	[place.severity | some place in read(with_source({"secretKeyRef": {"name": "s", "key": "args"}}), []).unread] == ["warning"]
}

test_probe_that_sets if {
	read(resource({"probe": {"livenessProbe": {"exec": {"command": ["psql", "-c", "ALTER SYSTEM SET fsync = off"]}}}}), []).unread == [{"source": "what a probe runs", "path": ["spec", "probe"], "severity": "warning"}]
}

with_source(source) := resource({"env": [{"name": "POSTGRES_INITDB_ARGS", "valueFrom": source}]})

keyed(settings, secret, context) := {key.reason |
	custom := config_map("tuned", concat("\n", settings))
	found := read(
		resource(object.union(whole, {
			"securityContext": context,
			"volume": {
				"volumeMounts": [{"name": "tls", "mountPath": "/tls"}],
				"volumes": [{"name": "tls", "secret": secret}],
			},
		})),
		[custom],
	)
	key := found.tls_key
}

on := ["ssl = on", "ssl_key_file = '/tls/tls.key'"]

test_key_of_the_server if {
	keyed(on, {"secretName": "tls"}, {"fsGroup": 999}) == {"the key of the Secret is mounted with a mode that everybody may read"}
	keyed(on, {"secretName": "tls", "defaultMode": 256}, {"fsGroup": 999}) == set()
	keyed(on, {"secretName": "tls", "defaultMode": 256}, {}) == {"the key of the Secret belongs to root and no fsGroup lets postgres read it"}
	keyed(on, {"secretName": "tls", "items": [{"key": "k", "path": "tls.key", "mode": 416}]}, {"fsGroup": 999}) == set()
	keyed(["ssl = off", "ssl_key_file = '/tls/tls.key'"], {"secretName": "tls"}, {"fsGroup": 999}) == set()
	keyed(["ssl = on", "ssl_key_file = '/elsewhere/tls.key'"], {"secretName": "tls"}, {"fsGroup": 999}) == set()
}

with_variables(env, mounts) := read(
	resource({
		"image": "postgres:17",
		"replicas": 1,
		"env": env,
		"database": {"size": "10Gi"},
		"volume": {"volumes": [{"name": "extra", "emptyDir": {}}], "volumeMounts": mounts},
	}),
	[],
)

# Variables name others, and the last of a name counts.
test_directories_that_variables_name if {
	env := [
		{"name": "BASE", "value": "/var/lib/postgresql/data"}, {"name": "BASE", "value": "/scratch"},
		{"name": "PGDATA", "value": "$(BASE)/pgdata"},
	]
	with_variables(env, []).lost == [{"what": "PGDATA=/scratch/pgdata", "on": "no lasting volume", "path": ["spec", "env", 2, "value"]}]
	not with_variables([{"name": "PGDATA", "value": "/var/lib/postgresql/data/pg"}], []).lost
	with_variables([{"name": "POSTGRES_INITDB_WALDIR", "value": "/scratch"}], []).lost == [{"what": "POSTGRES_INITDB_WALDIR=/scratch", "on": "no lasting volume", "path": ["spec", "env", 0, "value"]}]
	not with_variables([{"name": "HOME", "value": "/scratch"}], []).lost
}

# What the claim is says nothing of data that lie elsewhere.
test_data_on_a_volume_of_ones_own if {
	elsewhere := [{"name": "extra", "mountPath": "/extra"}]
	not with_variables([{"name": "PGDATA", "value": "/extra/pg"}], elsewhere).instance_sets[0].data
	with_variables([{"name": "OTHER", "value": "/extra/pg"}], elsewhere).instance_sets[0].data.size == "10Gi"
	with_variables([], elsewhere).instance_sets[0].data.size == "10Gi"
	not with_variables([], [{"name": "extra", "mountPath": "/var/lib/postgresql/data/pgdata/base"}]).instance_sets[0].data
	with_variables([], [{"name": "extra", "mountPath": "/var/lib/postgresql/data/pgdata/base"}]).lost == [{"what": "What is mounted at /var/lib/postgresql/data/pgdata/base", "on": "an emptyDir", "path": ["spec", "volume", "volumeMounts"]}]
}

# Where the volume of the data is mounted.
test_mount_of_the_data if {
	placed := {"image": "postgres:17", "replicas": 1, "database": {"size": "10Gi", "volumeMount": "/pg/"}, "env": [{"name": "PGDATA", "value": "/pg/data"}]}
	not read(resource(placed), []).lost
	[part.what | some part in read(resource(object.union(placed, {"database": {"volumeMount": "/other"}})), []).lost] == ["PGDATA=/pg/data"]
}

# Its scripts use what came with 12, where there is a replica.
test_image_before_twelve if {
	wrong(11, 3) == [{
		"path": ["spec", "image"],
		"reason": "Kubegres needs PostgreSQL 12 or later, and the image has 11: its scripts use pg_promote and standby.signal, so that the first start fails and no replica can be promoted",
		"cure": "Take an image of 12 or later",
	}]
	wrong(12, 3) == []
	wrong(11, 1) == []
	object.get(read(resource({"image": "registry.local/own:v11", "replicas": 3}), []), "wrong_images", []) == []
}

wrong(major, replicas) := object.get(read(resource({"image": sprintf("postgres:%d.2", [major]), "replicas": replicas}), []), "wrong_images", [])

# The operator gives the annotations of the resource to the pods.
test_annotations_that_others_obey if {
	hooked("psql -c 'ALTER SYSTEM SET fsync = off'") == ["what annotation pre.hook.backup.velero.io/command brings"]
	hooked("psql -c CHECKPOINT") == []
}

hooked(command) := [one.source | some one in object.get(read(json.patch(resource(whole), [{"op": "add", "path": "/metadata/annotations", "value": {"pre.hook.backup.velero.io/command": command}}]), []), "unread", []); contains(one.source, "annotation")]

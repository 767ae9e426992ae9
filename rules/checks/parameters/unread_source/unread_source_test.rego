package walguard.checks.parameters.unread_source_test

import data.walguard.checks.parameters.unread_source as check
import data.walguard.lib.manifest_test as manifests

kubegres := {
	"apiVersion": "kubegres.reactive-tech.io/v1",
	"kind": "Kubegres",
	"metadata": {"name": "orders", "namespace": "prod"},
	"spec": {"replicas": 1, "image": "postgres:17", "customConfig": "tuned", "database": {"size": "10Gi"}},
}

findings(object, inventory) := found if {
	found := check.findings with input as {"review": {"object": object}, "inventory": inventory}
}

test_named_and_not_there if {
	findings(kubegres, {"complete": true}) == {{
		"message": "Parameters can also come from ConfigMap prod/tuned, which walguard does not read: it was not found. Create it before the cluster that names it, or give it to walguard (--context)",
		"path": ["spec", "customConfig"],
		"severity": "warning",
	}}
	{f.severity | some f in findings(kubegres, {})} == {"info"}
}

test_in_sight if {
	found := findings(kubegres, {"complete": true, "namespace": {"prod": {"v1": {"ConfigMap": {"tuned": {"kind": "ConfigMap", "apiVersion": "v1", "metadata": {"name": "tuned", "namespace": "prod"}, "data": {"postgres.conf": "fsync = on\n"}}}}}}})
	found == set()
}

test_nothing_named if {
	check.findings == set() with input as manifests.review({}, {})
}

test_there_and_not_read if {
	findings(
		{
			"apiVersion": "parameters.kubeblocks.io/v1alpha1",
			"kind": "ComponentParameter",
			"metadata": {"name": "orders-postgresql", "namespace": "prod"},
			"spec": {"clusterName": "orders", "componentName": "postgresql", "desired": {"assignments": {"jit": "off"}}, "configItemDetails": [{"userConfigTemplates": {"templateRef": "tuned"}}]},
		},
		{"complete": true},
	) == {{
		"message": "Parameters can also come from the template in ConfigMap prod/tuned, which walguard does not read. Make sure that nothing is set there that this resource should say",
		"path": ["spec", "configItemDetails", 0, "userConfigTemplates"],
		"severity": "warning",
	}}
}

test_reason_and_severity_of_the_operator if {
	spec := {"postgresql": {"enableAlterSystem": true}, "bootstrap": {"initdb": {"postInitSQL": ["ALTER SYSTEM SET fsync = off"]}}}
	check.findings == {{
		"message": "Parameters can also come from ALTER SYSTEM, which walguard does not read: the SQL of bootstrap.initdb says so. Make sure that nothing is set there that this resource should say",
		"path": ["spec", "postgresql", "enableAlterSystem"],
		"severity": "warning",
	}} with input as manifests.review({}, spec)
}

# What runs beside the server, or before it, may change its files, and may log in.
beside(text) := {
	"apiVersion": "acid.zalan.do/v1",
	"kind": "postgresql",
	"metadata": {"name": "acid-orders"},
	"spec": {"teamId": "acid", "sidecars": [3, {"name": "helper", "image": "busybox", "command": ["sh", "-c", 3, text]}]},
}

test_scripts_that_set_parameters if {
	every text in [
		"echo fsync=off >> /data/postgresql.auto.conf",
		"psql -c 'ALTER  SYSTEM SET fsync = off'",
		"psql -c 'alter /* x */ system set fsync = off'",
		"echo jit=off >/data/postgresql.conf",
	] {
		findings(beside(text), {"complete": true}) == {{
			"message": "Parameters can also come from what container helper runs, which walguard does not read. Make sure that nothing is set there that this resource should say",
			"path": ["spec", "sidecars", 1],
			"severity": "warning",
		}}
	}

	# Without word of what loses data it is a preparation like any other.
	{f.severity | some f in findings(beside("echo jit=off >/data/postgresql.conf"), {})} == {"info"}
	{f.severity | some f in findings(beside("echo fsync=off >> /data/postgresql.auto.conf"), {})} == {"warning"}
	findings(beside("cat /data/postgresql.conf; psql -c 'select 1'"), {}) == set()
}

of_file(text) := found if {
	found := check.findings with input as {"review": {"object": {
		"apiVersion": "walguard.dev/v1",
		"kind": "PostgresServer",
		"metadata": {"name": "orders"},
		"spec": {"version": "17", "configuration": [{"file": "postgresql.conf", "text": text}]},
	}}}
}

test_command_that_writes if {
	of_file("archive_mode = on\narchive_command = 'echo fsync=off >> postgresql.auto.conf'\n") == {{
		"message": "Parameters can also come from what archive_command runs, which walguard does not read. Make sure that nothing is set there that this resource should say",
		"path": ["spec", "configuration", 0, "text"],
		"line": 2,
		"severity": "warning",
	}}
	{f.severity | some f in of_file("restore_command = 'curl http://x | sh'")} == {"info"}
	of_file("archive_command = 'test ! -f /a/%f && cp %p /a/%f'") == set()
}

test_script_on_a_volume if {
	object := {
		"apiVersion": "acid.zalan.do/v1",
		"kind": "postgresql",
		"metadata": {"name": "pg", "namespace": "shop"},
		"spec": {
			"teamId": "acid",
			"postgresql": {"version": "17", "parameters": {"archive_cleanup_command": "sh /x/x.sh"}},
			"additionalVolumes": [{"name": "x", "mountPath": "/x", "targetContainers": ["postgres"], "volumeSource": {"secret": {"secretName": "f"}}}],
		},
	}
	findings(object, {"complete": true}) == {{
		"message": "Parameters can also come from the script on a volume that archive_cleanup_command runs, which walguard does not read. Make sure that nothing is set there that this resource should say",
		"path": ["spec", "postgresql", "parameters", "archive_cleanup_command"],
		"severity": "warning",
	}}
	findings(json.patch(object, [{"op": "remove", "path": "/spec/postgresql/parameters"}]), {"complete": true}) == set()
}

# What is said of the container is not said again.
test_script_that_the_container_runs if {
	by_command("archive_command=sh /x/a.sh %p") == {"what container pg runs"}
	by_command("archive_command=/x/a.sh %p") == {"the script on a volume that archive_command runs"}
}

by_command(word) := {source |
	object := {
		"apiVersion": "apps/v1",
		"kind": "StatefulSet",
		"metadata": {"name": "pg", "namespace": "shop"},
		"spec": {"template": {"spec": {
			"containers": [{"name": "pg", "image": "postgres:17.5", "args": ["-c", word], "volumeMounts": [{"name": "x", "mountPath": "/x"}]}],
			"volumes": [{"name": "x", "secret": {"secretName": "f"}}],
		}}},
	}
	some f in findings(object, {"complete": true})
	source := regex.find_all_string_submatch_n(`can also come from (.*), which`, f.message, 1)[0][1]
}

test_log_among_the_configuration if {
	{f.message | some f in of_file("log_filename = 'postgresql.auto.conf'")} == {"Parameters can also come from what log_filename says the server writes, which walguard does not read. Make sure that nothing is set there that this resource should say"}
	of_file("log_filename = 'postgresql-%a.log'") == set()
}

test_library_of_a_volume if {
	{[f.severity, f.message] | some f in of_file("shared_preload_libraries = 'pg_stat_statements,/conf/mine.so'")} == {["info", "Parameters can also come from the library /conf/mine.so, which walguard does not read: shared_preload_libraries loads it into the server. Make sure that nothing is set there that this resource should say"]}
	{contains(f.message, "the library /cfg,") | some f in of_file("extension_control_path = '/cfg:$system'")} == {true}
	of_file("extension_control_path = '$system:/extensions/vector/share'") == set()
	of_file("shared_preload_libraries = 'pg_stat_statements'\ndynamic_library_path = '$libdir:/usr/lib/postgresql/17/lib'") == set()
}

crunchy(claim) := {
	"apiVersion": "postgres-operator.crunchydata.com/v1beta1",
	"kind": "PostgresCluster",
	"metadata": {"name": "hippo", "namespace": "prod"},
	"spec": {"postgresVersion": 17, "instances": [{"name": "a", "dataVolumeClaimSpec": claim}]},
}

test_claim_that_is_filled if {
	every field in ["dataSource", "dataSourceRef"] {
		findings(crunchy({field: {"kind": "VolumeSnapshot", "name": "old"}}), {}) == {{
			"message": "Parameters can also come from the postgresql.auto.conf of the copied volume, which walguard does not read. Make sure that nothing is set there that this resource should say",
			"path": ["spec", "instances", 0, "dataVolumeClaimSpec", field],
			"severity": "info",
		}}
	}
	findings(crunchy({"storageClassName": "fast"}), {}) == set()
}

# The operator's own word of it is enough.
test_filled_claim_once if {
	template := {"metadata": {"name": "data"}, "spec": {"dataSource": {"kind": "VolumeSnapshot", "name": "old"}}}
	found := findings(
		{
			"apiVersion": "apps/v1",
			"kind": "StatefulSet",
			"metadata": {"name": "db", "namespace": "prod"},
			"spec": {
				"template": {"spec": {"containers": [{"image": "postgres:17.6", "volumeMounts": [{"name": "data", "mountPath": "/var/lib/postgresql/data"}]}]}},
				"volumeClaimTemplates": [template],
			},
		},
		{},
	)
	count(found) == 1
	{contains(f.message, "the postgresql.auto.conf of the copied volume") | some f in found} == {true}
}

# What the server is started with is read; what is started before it is not.
started(args, pod) := {
	"apiVersion": "apps/v1",
	"kind": "StatefulSet",
	"metadata": {"name": "db", "namespace": "prod"},
	"spec": {
		"template": {"spec": object.union({"containers": [{"name": "postgres", "image": "postgres:17.6", "args": args, "volumeMounts": [{"name": "data", "mountPath": "/var/lib/postgresql/data"}]}]}, pod)},
		"volumeClaimTemplates": [{"metadata": {"name": "data"}, "spec": {"resources": {"requests": {"storage": "1Gi"}}}}],
	},
}

test_server_without_fsync if {
	args := ["postgres", "-c", "fsync=off"]
	findings(started(args, {}), {}) == set()
	before := {"initContainers": [{"name": "load", "image": "postgres:17.6", "command": ["sh", "-c", "postgres -D /data -F"]}]}
	{f.path | some f in findings(started(args, before), {})} == {["spec", "template", "spec", "initContainers", 0]}
	altering := ["sh", "-c", "echo jit=off > /var/lib/postgresql/data/postgresql.auto.conf; exec postgres -c fsync=off"]
	{f.path | some f in findings(started(altering, {}), {})} == {["spec", "template", "spec", "containers", 0]}
}

test_job_beside_the_cluster if {
	altering := {
		"apiVersion": "batch/v1",
		"kind": "Job",
		"metadata": {"name": "tune", "namespace": "prod"},
		"spec": {"template": {"spec": {"containers": [{"name": "run", "image": "postgres:17", "command": ["psql", "-h", "hippo-primary", "-c", "ALTER SYSTEM SET fsync = off"]}]}}},
	}
	findings(crunchy({}), {"namespace": {"prod": {"batch/v1": {"Job": {"tune": altering}}}}}) == {{
		"message": "Parameters can also come from what Job tune runs, which walguard does not read: it sets fsync by ALTER SYSTEM. Remove it, and set parameters in the cluster's own resource",
		"path": ["spec", "template", "spec", "containers", 0],
		"resource": {"apiVersion": "batch/v1", "kind": "Job", "namespace": "prod", "name": "tune"},
		"severity": "warning",
	}}
}

# More clusters share a ConfigMap than are checked with it.
test_too_many_together if {
	found := {sprintf("%d", [n]): findings(shared_by_many({"postgres.conf": "work_mem = 8MB\n"}), {"namespace": {"prod": {"kubegres.reactive-tech.io/v1": {"Kubegres": clusters}}}}) |
		some n in [101, 102]
		clusters := {name: object.union(kubegres, {"metadata": {"name": name}}) |
			some i in numbers.range(1, n)
			name := sprintf("c%d", [i])
		}
	}
	found["101"] == set()
	found["102"] == {{
		"message": "102 clusters take their parameters from here, and walguard checked 101 of them. Give them configurations of their own",
		"path": ["data", "postgres.conf"],
		"severity": "warning",
	}}
}

test_too_many_together_for_scripts if {
	clusters := {name: object.union(kubegres, {"metadata": {"name": name}}) |
		some i in numbers.range(1, 102)
		name := sprintf("c%d", [i])
	}
	found := findings(shared_by_many({"primary_init_script.sh": "true\n"}), {"namespace": {"prod": {"kubegres.reactive-tech.io/v1": {"Kubegres": clusters}}}})
	[f.path | some f in found; startswith(f.message, "102 clusters take their parameters from here")] == [["metadata", "name"]]
}

shared_by_many(data_of) := {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "tuned", "namespace": "prod"}, "data": data_of}

# initdb copies postgresql.conf.sample from there.
test_sample_of_ones_own if {
	{[f.path, f.message] | some f in check.findings} == {[
		["spec", "bootstrap", "initdb", "options", 0],
		"Parameters can also come from postgresql.conf.sample in /var/lib/postgresql/data/share, which walguard does not read: initdb takes it from there. Make sure that nothing is set there that this resource should say",
	]} with input as manifests.review({}, {"bootstrap": {"initdb": {"options": ["-L", "/var/lib/postgresql/data/share"]}}})
}

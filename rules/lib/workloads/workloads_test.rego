package walguard.lib.workloads_test

import data.walguard.lib.workloads

given := {
	"apps/v1": {"Deployment": {"app": {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "app", "namespace": "shop"}, "spec": {"template": {
		"metadata": {"labels": {"app": "web"}},
		"spec": {"containers": [{"name": "web"}, "no container"], "initContainers": [{"name": "migrate"}], "volumes": [{"name": "d", "persistentVolumeClaim": {"claimName": "files"}}]},
	}}}}},
	"batch/v1": {"CronJob": {"dump": {"apiVersion": "batch/v1", "kind": "CronJob", "metadata": {"name": "dump", "namespace": "shop"}, "spec": {"jobTemplate": {"spec": {"template": {"spec": {"containers": [{"name": "dump"}]}}}}}}}},
	"v1": {"Pod": {"shell": {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "shell", "namespace": "shop", "labels": {"a": "b"}}, "spec": {"containers": [{"name": "sh"}]}}, "odd": "no object"}},
}

in_shop := {"review": {"object": {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "app", "namespace": "shop"}}}, "inventory": {"namespace": {"shop": given}}}

test_all if {
	found := {[made.words, made.path, made.resource.name] | some made in workloads.all with input as in_shop}
	found == {
		["Deployment app", ["spec", "template", "spec"], "app"],
		["CronJob dump", ["spec", "jobTemplate", "spec", "template", "spec"], "dump"],
		["Pod shell", ["spec"], "shell"],
	}
}

test_containers_of_clients if {
	found := {[one.path, one.made.words] | some one in workloads.containers with input as in_shop}
	found == {
		[["spec", "template", "spec", "containers", 0], "Deployment app"],
		[["spec", "template", "spec", "initContainers", 0], "Deployment app"],
		[["spec", "jobTemplate", "spec", "template", "spec", "containers", 0], "CronJob dump"],
	}
}

test_labels if {
	found := {made.name: workloads.labels(made) | some made in workloads.all with input as in_shop}
	found == {"app": {"app": "web"}, "dump": {}, "shell": {"a": "b"}}
}

test_itself if {
	all := workloads.all with input as in_shop
	[made.name | some made in all; workloads.itself(made) with input as in_shop] == ["app"]
}

# A client by itself is the one workload in sight, and its own client.
test_client_by_itself if {
	client := object.union(in_shop, {"review": {"object": {"spec": {"template": {"spec": {"containers": [{"name": "web", "image": "web:1", "env": [{"name": "PGHOST", "value": "db"}]}]}}}}}})
	all := workloads.all with input as client
	[made.words | some made in all] == ["Deployment app"]
	all[0].pod.containers[0].env[0].value == "db"
	workloads.beside(all[0]) with input as client
	of_server := workloads.all with input as in_shop
	{made.name | some made in of_server; workloads.beside(made) with input as in_shop} == {"dump", "shell"}
}

test_claims if {
	all := workloads.all with input as in_shop
	{made.name | some made in all; workloads.mounts(made, "files")} == {"app"}
	{made.name | some made in all; workloads.mounts(made, "other")} == set()
}

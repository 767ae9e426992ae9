package walguard.operators.zalando_options_test

import data.walguard.operators.zalando

among(objects) := found if {
	found := zalando.cluster with input as {
		"review": {"object": {"apiVersion": "acid.zalan.do/v1", "kind": "postgresql", "metadata": {"name": "acid-orders", "namespace": "shop"}, "spec": {"numberOfInstances": 2, "additionalVolumes": [{"name": "own", "mountPath": "/own", "volumeSource": {"emptyDir": {}}}]}}},
		"inventory": {"namespace": {"ops": objects}},
	}
}

with_options(configuration) := among({"acid.zalan.do/v1": {"OperatorConfiguration": {"main": {"apiVersion": "acid.zalan.do/v1", "kind": "OperatorConfiguration", "metadata": {"name": "main", "namespace": "ops"}, "configuration": configuration}}}})

with_map(data_of) := among({"v1": {"ConfigMap": {"main": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "main", "namespace": "ops"}, "data": object.union({"cluster_name_label": "cluster-name"}, data_of)}}}})

ignored(configuration) := {[one.path, one.reason] | some one in object.get(with_options(configuration), "ignored", [])}

refused(found) := {[one.path, one.reason] | some one in object.get(found, "refusals", [])}

test_options_in_another_section if {
	ignored({"pod_environment_configmap": "ops/pods"}) == {[["configuration", "pod_environment_configmap"], "configuration has no such option, and the operator looks for it in configuration.kubernetes, so move it there"]}
	ignored({"kubernetes": {"enable_team_id_clustername_prefix": true, "wal_s3_bucket": "b"}}) == {
		[["configuration", "kubernetes", "enable_team_id_clustername_prefix"], "configuration.kubernetes has no such option, and the operator looks for it in configuration, so move it there"],
		[["configuration", "kubernetes", "wal_s3_bucket"], "configuration.kubernetes has no such option, and the operator looks for it in configuration.aws_or_gcp, so move it there"],
	}
	ignored({"kubernetes": {"pod_environment_configmap": "ops/pods", "something_new": 1}, "something_else": true, "pod_environment_configmap": "ops/pods"}) == set()
	ignored({"aws_or_gcp": {"wal_az_storage_account": "a"}, "major_version_upgrade": {"major_version_upgrade_mode": "manual"}}) == set()
}

test_values_at_which_the_operator_stops if {
	stops := {
		"enable_sidecars": ["yes", "enable_sidecars is \"yes\", which is neither true nor false, at which it stops when it starts, and no cluster is looked after"],
		"workers": ["eight", "workers is \"eight\", which is no whole number, at which it stops when it starts, and no cluster is looked after"],
		"cluster_labels": ["application=spilo", "cluster_labels is \"application=spilo\", which is no list of KEY:VALUE, at which it stops when it starts, and no cluster is looked after"],
	}
	every name, one in stops {
		refused(with_map({name: one[0]})) == {[["data", name], one[1]]}
	}
	refused(with_map({"enable_sidecars": "true", "enable_teams_api": "F", "workers": "8", "api_port": "8080", "cluster_labels": "application:spilo,a:b", "docker_image": "on", "enable_crd_validation": "$(X)"})) == set()
}

test_data_that_is_no_text if {
	refused(with_map({"workers": 8})) == {[["data", "workers"], "workers is a number, and data of a ConfigMap is text"]}
	refused(with_map({"workers": 8, "enable_sidecars": true})) == {[["data", "enable_sidecars"], "enable_sidecars is true or false, and data of a ConfigMap is text (2 are not)"]}
	refused(with_map({"workers": null})) == set()
}

test_configuration_of_nothing if {
	refused(with_options(null)) == {[["metadata", "name"], "it has no configuration, which its schema requires"]}
	refused(with_options({})) == set()
	patch := {"apiVersion": "acid.zalan.do/v1", "kind": "OperatorConfiguration", "metadata": {"name": "main", "namespace": "ops", "labels": {"a": "b"}}}
	refused(among({"acid.zalan.do/v1": {"OperatorConfiguration": {"main": patch}}})) == set()
}

test_sidecars_without_their_volume if {
	refused(with_options(sidecar("conf"))) == {[["configuration", "sidecars", 0, "volumeMounts"], "sidecar logs of all clusters mounts conf, and the pods have no such volume: their StatefulSet is refused"]}
	every name in ["own", "pgdata", "dshm", "${VOLUME}"] {
		refused(with_options(sidecar(name))) == set()
	}
	refused(with_options(object.union(sidecar("keys"), {"aws_or_gcp": {"additional_secret_mount": "keys"}}))) == set()
}

sidecar(name) := {"sidecars": [{"name": "logs", "image": "fluent:1", "volumeMounts": [{"name": name, "mountPath": "/etc/logs"}]}]}

test_prefix_of_a_team if {
	cluster := zalando.cluster with input as {
		"review": {"object": {"apiVersion": "acid.zalan.do/v1", "kind": "postgresql", "metadata": {"name": "orders", "namespace": "shop"}, "spec": {"teamId": "acid", "numberOfInstances": 2}}},
		"inventory": {"namespace": {"ops": {"acid.zalan.do/v1": {"OperatorConfiguration": {"main": {"apiVersion": "acid.zalan.do/v1", "kind": "OperatorConfiguration", "metadata": {"name": "main", "namespace": "ops"}, "configuration": {"enable_team_id_clustername_prefix": true}}}}}}},
	}
	{[one.path, one.level] | some one in cluster.refusals} == {[["metadata", "name"], "warning"]}
}

named(name, spec, others) := {[one.path, object.get(one, "level", "error"), one.reason] | some one in object.get(found, "refusals", []); one.path == ["metadata", "name"]} if {
	found := zalando.cluster with input as {
		"review": {"object": {"apiVersion": "acid.zalan.do/v1", "kind": "postgresql", "metadata": {"name": name, "namespace": "shop"}, "spec": object.union({"teamId": "acid", "numberOfInstances": 2, "volume": {"size": "1Gi"}}, spec)}},
		"inventory": {"namespace": others},
	}
}

operator_of(tag) := {"ops": {"apps/v1": {"Deployment": {"op": {"metadata": {"name": "op", "namespace": "ops"}, "spec": {"template": {"spec": {"containers": [{"image": sprintf("registry.opensource.zalan.do/acid/postgres-operator:%s", [tag])}]}}}}}}}}

configured_image(image) := {"ops": {"acid.zalan.do/v1": {"OperatorConfiguration": {"main": {"apiVersion": "acid.zalan.do/v1", "kind": "OperatorConfiguration", "metadata": {"name": "main", "namespace": "ops"}, "configuration": {"docker_image": image}}}}}}

# Up to 1.8 there was no choice.
test_prefix_of_former_operators if {
	reason := "the name orders does not begin with \"acid-\", its teamId, which releases of the operator before 1.9 ask for (\"name must match {TEAM}-{NAME} format\")"
	named("orders", {}, operator_of("v1.8.2")) == {[["metadata", "name"], "error", reason]}
	named("orders", {}, operator_of("v1.10.1")) == set()
	named("acid-orders", {}, operator_of("v1.8.2")) == set()
	named("orders", {}, configured_image("registry.opensource.zalan.do/acid/spilo-14:2.1-p3")) == {[["metadata", "name"], "warning", reason]}
	named("orders", {}, configured_image("ghcr.io/zalando/spilo-17:4.0-p2")) == set()
	named("orders", {"postgresql": {"version": "13"}}, {}) == {[["metadata", "name"], "info", reason]}
	named("orders", {"postgresql": {"version": "17"}}, {}) == set()
	named("orders", {"postgresql": {"version": "13"}, "dockerImage": "x"}, {}) == set()
	named("orders", {}, {}) == set()
}

test_names_of_services if {
	{one[0] | some one in named("acid.orders", {"postgresql": {"version": "17"}}, {})} == {["metadata", "name"]}
	{one[0] | some one in named("1orders", {"postgresql": {"version": "17"}}, {})} == {["metadata", "name"]}
}

waiting(spec, others) := found.synchronous_short if {
	found := zalando.cluster with input as {
		"review": {"object": {"apiVersion": "acid.zalan.do/v1", "kind": "postgresql", "metadata": {"name": "acid-orders", "namespace": "shop"}, "spec": object.union({"teamId": "acid", "numberOfInstances": 3, "patroni": {"synchronous_mode": true, "synchronous_mode_strict": true}}, spec)}},
		"inventory": {"namespace": others},
	}
}

# post_init commits before there is a standby.
test_strict_from_the_beginning if {
	waiting({"dockerImage": "registry.opensource.zalan.do/acid/spilo-12:1.6-p3"}, {}) == {
		"reason": "synchronous_mode_strict is on while Spilo 1.6-p3 creates the cluster, whose bootstrap commits before there is a standby",
		"cure": "Set it to false until the cluster runs, or take a newer image",
		"path": ["spec", "patroni", "synchronous_mode_strict"],
	}
	waiting({"postgresql": {"version": "12"}}, {}).level == "info"
	not waiting({"postgresql": {"version": "12"}}, configured_image("registry.opensource.zalan.do/acid/spilo-12:1.6-p5"))
	not waiting({"postgresql": {"version": "17"}}, {})
	not waiting({"postgresql": {"version": "12"}, "numberOfInstances": 1}, {})
	not waiting({"postgresql": {"version": "12"}, "patroni": {"synchronous_mode_strict": false}}, {})
}

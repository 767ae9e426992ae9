package walguard.operators.zalando_test

# What is found of a cluster with these fields, besides an operator's configuration.
refused_by_files(spec, objects) := [[fault.path, fault.resource.kind, split(fault.reason, ",")[0]] |
	some fault in object.get(among(resource(spec), objects), "unreachable_files", [])
]

configured(kubernetes) := {"OperatorConfiguration": {"o": {
	"apiVersion": "acid.zalan.do/v1",
	"kind": "OperatorConfiguration",
	"metadata": {"name": "o", "namespace": "ops"},
	"configuration": {"kubernetes": kubernetes},
}}}

strangers := {"spilo_runasuser": 1001, "spilo_runasgroup": 1003, "spilo_fsgroup": 1003}

test_user_of_nobody if {
	refused_by_files({}, configured(strangers)) == [[["configuration", "kubernetes", "spilo_runasuser"], "OperatorConfiguration", "Spilo runs as user 1001 with group 1003"]]
	refused_by_files({"spiloRunAsUser": 1002, "spiloRunAsGroup": 1003}, {}) == [[["spec", "spiloRunAsUser"], "postgresql", "Spilo runs as user 1002 with group 1003"]]
	refused_by_files({"spiloRunAsUser": 1002}, configured(strangers)) == [[["spec", "spiloRunAsUser"], "postgresql", "Spilo runs as user 1002 with group 1003"]]
	refused_by_files({"spiloRunAsUser": 1001, "spiloRunAsGroup": 103, "dockerImage": "ghcr.io/zalando/spilo-17:4.0-p3"}, {}) == [[["spec", "spiloRunAsUser"], "postgresql", "Spilo runs as user 1001 with group 103"]]
}

test_user_of_the_image if {
	refused_by_files({}, configured({"spilo_runasuser": 101, "spilo_runasgroup": 103, "spilo_fsgroup": 103})) == []
	refused_by_files({"spiloRunAsUser": 101}, configured(strangers)) == []
	refused_by_files({"spiloRunAsUser": 0, "spiloRunAsGroup": 1003}, {}) == []
	refused_by_files({"spiloRunAsGroup": 1003}, {}) == []
}

# As on OpenShift: the files are writable for root's group.
test_user_of_roots_group if {
	refused_by_files({"spiloRunAsUser": 1001}, {}) == []
	refused_by_files({"spiloRunAsUser": 1001, "spiloRunAsGroup": 0}, {}) == []
	refused_by_files({"spiloRunAsUser": 1001, "spiloRunAsGroup": 1003, "spiloFSGroup": 0}, {}) == []
}

test_user_of_an_unknown_image if {
	refused_by_files({"spiloRunAsUser": 1001, "spiloRunAsGroup": 1003, "dockerImage": "registry.example.com/postgres:17"}, {}) == []
	image_of_all := object.union(configured(strangers), {"OperatorConfiguration": {"o": {"configuration": {"docker_image": "registry.example.com/pg:1"}}}})
	refused_by_files({}, image_of_all) == []
	count(refused_by_files({"dockerImage": "ghcr.io/zalando/spilo-17:4.0-p3"}, image_of_all)) == 1
}

by_map(spec, said_there) := [[fault.path, fault.resource.kind] |
	found := whole with input as {
		"review": {"object": resource(spec)},
		"inventory": {"namespace": {"ops": {"v1": {"ConfigMap": {"postgres-operator": {
			"apiVersion": "v1",
			"kind": "ConfigMap",
			"metadata": {"name": "postgres-operator", "namespace": "ops"},
			"data": object.union({"enable_team_id_clustername_prefix": "false"}, said_there),
		}}}}}},
	}
	some fault in object.get(found, "unreachable_files", [])
]

test_user_in_a_map if {
	by_map({}, {"spilo_runasuser": "1001", "spilo_runasgroup": "1003"}) == [[["data", "spilo_runasuser"], "ConfigMap"]]
	by_map({"spiloRunAsUser": 101}, {"spilo_runasuser": "1001", "spilo_runasgroup": "1003"}) == []
	by_map({}, {"spilo_runasuser": "${USER}", "spilo_runasgroup": "1003"}) == []
	by_map({}, {"spilo_runasuser": "postgres", "spilo_runasgroup": "1003"}) == []
	by_map({}, {"spilo_runasuser": "1001", "spilo_runasgroup": "1003", "docker_image": "registry.example.com/pg:1"}) == []
}

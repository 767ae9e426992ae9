package walguard.lib.schema_test

import data.walguard.lib.schema

faults(kind, spec) := found if found := schema.faults(kind, {"spec": spec}) with input as {"review": {"object": {}}}

test_type if {
	faults("cnpg", {"instances": "3"}) == [{"by": "The API server", "path": ["spec", "instances"], "reason": "instances is a text", "cure": "Write a whole number, without quotes"}]
	faults("zalando", {"postgresql": {"version": 17}}) == [{"by": "The API server", "path": ["spec", "postgresql", "version"], "reason": "version is a number", "cure": "Write a text, in quotes"}]
	faults("crunchy", {"postgresVersion": 16.4}) == [{"by": "The API server", "path": ["spec", "postgresVersion"], "reason": "postgresVersion is 16.4", "cure": "Write a whole number"}]
	faults("cnpg", {"enablePDB": "no"})[0].reason == "enablePDB is a text"
	faults("cnpg", {"backup": []})[0].reason == "backup is a list"
	faults("cnpg", {"plugins": {}})[0].reason == "plugins is a map"
	faults("cnpg", {"imageName": true})[0].reason == "imageName is true or false"
	faults("zalando", {"sidecars": [{"ports": []}, {"ports": {"containerPort": 9187}}]}) == [{"by": "The API server", "path": ["spec", "sidecars", 1, "ports"], "reason": "ports is a map", "cure": "Write a list"}]
	faults("zalando", {"sidecars": {"name": "exporter"}})[0].reason == "sidecars is a map"
	faults("zalando", {"env": null, "tolerations": [], "resources": {}}) == []
}

# What Kubernetes itself describes, but for the lists of walguard.lib.entries and claims, which are told of elsewhere: a list of one operator is a map of another, and a map of variables a list.
test_type_of_kubernetes_fields if {
	faults("percona", {"instances": [{"dataVolumeClaimSpec": {}, "sidecars": {"replicaCertCopy": {}}}]}) == [{"by": "The API server", "path": ["spec", "instances", 0, "sidecars"], "reason": "sidecars is a map", "cure": "Write a list"}]
	faults("crunchy", {"instances": [{"dataVolumeClaimSpec": {}, "sidecars": [{"name": "exporter"}]}]})[0].reason == "sidecars is a list"
	faults("cnpg", {"env": {"TZ": "UTC"}})[0].reason == "env is a map"
	faults("cnpg", {"affinity": {"nodeSelector": [{"key": "db"}]}})[0].reason == "nodeSelector is a list"
	faults("kubegres", {"resources": []})[0].reason == "resources is a list"
	faults("kubeblocks", {"componentSpecs": [{"env": {"A": "b"}}]})[0].reason == "env is a map"
	faults("cnpg", {"env": [], "affinity": {"tolerations": null, "nodeSelector": {}}}) == []
}

test_entries_that_are_no_maps if {
	faults("database", {"extensions": ["pgcrypto", {"name": "vector"}, "${EXTENSION}", null]}) == [{"by": "The API server", "path": ["spec", "extensions", 0], "reason": "extensions 1 is a text", "cure": "Write \"- name: pgcrypto\""}]
	faults("crunchy", {"users": ["shop"]})[0].cure == "Write \"- name: shop\""
	faults("cnpg", {"managed": {"roles": [["shop"]]}}) == [{"by": "The API server", "path": ["spec", "managed", "roles", 0], "reason": "roles 1 is a list", "cure": "Write a map"}]
	faults("cnpg", {"managed": {"roles": [{"name": "shop"}]}}) == []
}

test_word if {
	faults("cnpg", {"primaryUpdateMethod": "rolling"}) == [{
		"by": "The API server",
		"path": ["spec", "primaryUpdateMethod"],
		"reason": "primaryUpdateMethod is \"rolling\"",
		"cure": "Write restart or switchover",
	}]
	faults("cnpg", {"backup": {"retentionPolicy": "30 days"}})[0].cure == "Write a number with d, w or m, such as 30d"
	faults("kubeblocks", {"terminationPolicy": "Halt"})[0].cure == "Write Delete, DoNotTerminate or WipeOut"
}

test_bounds if {
	faults("cnpg", {"instances": 0}) == [{"by": "The API server", "path": ["spec", "instances"], "reason": "instances is 0", "cure": "Write at least 1"}]
	faults("crunchy", {"postgresVersion": 99})[0].reason == "postgresVersion is 99"
	faults("cnpg", {"backup": {"barmanObjectStore": {"destinationPath": ""}}})[0].reason == "destinationPath is empty"
}

test_needed if {
	faults("cnpg", {"backup": {"barmanObjectStore": {"destinationPath": "s3://b", "endpointCA": {"name": null, "key": "ca.crt"}}}}) == [{
		"by": "The API server",
		"path": ["spec", "backup", "barmanObjectStore", "endpointCA"],
		"reason": "endpointCA has no name",
		"cure": "Write name, or take endpointCA out",
	}]
	{fault.reason | some fault in faults("crunchy", {"users": [{"name": "a"}, {"databases": ["b"]}]})} == {"users 2 has no name"}
}

test_right if {
	faults("cnpg", {"instances": 3, "primaryUpdateMethod": "restart", "backup": {"retentionPolicy": "30d"}, "stopDelay": null, "timeTravel": 1}) == []
	faults("another", {"instances": "3"}) == []
}

# A later step fills it in; and what an API server asks about it has compared with the schema.
test_silent_when_unknown if {
	faults("cnpg", {"instances": "${N}", "primaryUpdateMethod": "${HOW:-rolling}"}) == []
	schema.faults("cnpg", {"spec": {"instances": "3"}}) == [] with input as {"review": {"operation": "CREATE", "object": {}}}
}

test_length if {
	long := concat("", ["a" | some _ in numbers.range(1, 64)])
	faults("crunchy", {"users": [{"name": long}]}) == [{
		"by": "The API server",
		"path": ["spec", "users", 0, "name"],
		"reason": "name has 64 characters",
		"cure": "Write 63 at most",
	}]
}

test_amounts_of_zalando if {
	{[fault.path[3], fault.path[2], fault.reason] | some fault in faults("zalando", {"resources": {"limits": {"cpu": "", "memory": "1GB"}, "requests": {"cpu": 1, "memory": "1.5Gi"}}})} == {
		["cpu", "limits", "cpu is \"\""],
		["memory", "limits", "memory is \"1GB\""],
		["cpu", "requests", "cpu is a number"],
	}
	faults("zalando", {"resources": {"limits": {"cpu": "1.5", "memory": "${MEMORY}", "hugepages-2Mi": "1Gi"}, "requests": {"cpu": "100m", "memory": "1e9"}}}) == []
	faults("zalando", {"connectionPooler": {"resources": {"requests": {"memory": "100 MB"}}}})[0].path == ["spec", "connectionPooler", "resources", "requests", "memory"]
}

of_options(configuration) := found if {
	found := {fault.reason | some fault in schema.faults("zalando_configuration", {"configuration": configuration})} with input as {"review": {"object": {}}}
}

test_options_of_zalando if {
	of_options({"workers": 0, "min_instances": -2, "max_instances": -1}) == {"workers is 0", "min_instances is -2"}
	of_options({"connection_pooler": {"connection_pooler_mode": "statement", "connection_pooler_number_of_instances": 0}}) == {"connection_pooler_mode is \"statement\"", "connection_pooler_number_of_instances is 0"}
	of_options({"kubernetes": {"pod_management_policy": "Parallel", "storage_resize_mode": "csi"}}) == {"pod_management_policy is \"Parallel\"", "storage_resize_mode is \"csi\""}
	of_options({"logical_backup": {"logical_backup_provider": "minio", "logical_backup_schedule": "@daily"}}) == {"logical_backup_provider is \"minio\"", "logical_backup_schedule is \"@daily\""}
	of_options({"postgres_pod_resources": {"default_cpu_limit": "", "default_memory_limit": "500MB"}}) == {"default_memory_limit is \"500MB\""}
}

# A patch says few fields, and a manifest nearly all that are asked for.
test_absent if {
	faults("zalando", {"numberOfInstances": 2, "postgresql": {"version": "17"}, "volume": {"size": "1Gi"}}) == [{
		"by": "The API server",
		"path": ["spec"],
		"reason": "spec has no teamId, which its schema requires",
		"cure": "Write teamId",
	}]
	faults("zalando", {"numberOfInstances": 2, "volume": {"size": "1Gi"}, "patroni": {}}) == []

	# Nothing is missed of Crunchy's and Percona's, whose patches repeat the instances, a list, and leave the version out.
	faults("crunchy", {"instances": [], "users": [], "port": 5432}) == []
	faults("zalando", {"numberOfInstances": 2, "postgresql": {"version": "17"}, "volume": {"size": "1Gi"}, "teamId": ""}) == []
}

# The first of what a value is against.
test_more_than_one_fault if {
	schema.against({"type": "string", "like": "^[a-z]+$", "length": 3}, "name", "Orders") == {"reason": "name is \"Orders\"", "cure": "Write what matches ^[a-z]+$"}
}

# The API server takes no number and no boolean in a map of texts.
test_maps_of_texts if {
	pgbackrest := {"backups": {"pgbackrest": {"global": {"archive-async": true, "repo1-retention-full": 14, "repo1-retention-full-type": "count", "repo1-path": null, "repo1-s3-region": ["eu"]}}}}
	{[fault.path[4], fault.reason, fault.cure] | some fault in faults("crunchy", pgbackrest)} == {
		["archive-async", "archive-async is true or false, and global takes text only", "Put it in quotes"],
		["repo1-retention-full", "repo1-retention-full is a number, and global takes text only", "Quote it: \"14\""],
		["repo1-s3-region", "repo1-s3-region is a list, and global takes text only", "Write a text"],
	}
	{fault.path | some fault in faults("cnpg", {"affinity": {"nodeSelector": {"postgres": true, "disk": "${DISK}"}}, "plugins": [{"name": "p", "parameters": {"jobs": 4, "name": "p"}}]})} == {
		["spec", "affinity", "nodeSelector", "postgres"],
		["spec", "plugins", 0, "parameters", "jobs"],
	}
}

# Percona's container that installs its programs: whoever gives it resources gives it its image too.
test_image_of_the_init_container if {
	[[fault.path, fault.reason] | some fault in faults("percona", {"initContainer": {"resources": {"requests": {"cpu": "100m"}}}})] == [[["spec", "initContainer"], "initContainer has no image"]]
	faults("percona", {"initContainer": {"image": "percona/percona-postgresql-operator:2.8.2", "resources": {}}}) == []
	[fault.path | some fault in faults("percona", {"instances": [{"dataVolumeClaimSpec": {}, "initContainer": {"resources": {"requests": {"cpu": "100m"}}}}]})] == [["spec", "instances", 0, "initContainer"]]
}

package walguard.checks.manifest.field_misspelt_test

import data.walguard.checks.manifest.field_misspelt as check

findings(object) := found if found := check.findings with input as {"review": {"object": object}}

cnpg(spec) := {"apiVersion": "postgresql.cnpg.io/v1", "kind": "Cluster", "metadata": {"name": "orders", "namespace": "prod"}, "spec": spec}

test_case if {
	findings(cnpg({"backup": {"barmanObjectStore": {"destinationPath": "s3://b", "endpointUrl": "https://s3.example.com"}}})) == {{
		"message": "There is no field endpointUrl here: the API server drops it, and the operator never sees it. Write endpointURL.",
		"path": ["spec", "backup", "barmanObjectStore", "endpointUrl"],
		"severity": "error",
	}}
	findings(cnpg({"instances": 1, "storage": {"sizes": "1Gi"}})) == {{
		"message": "There is no field sizes here: the API server drops it, and the operator never sees it. Write size.",
		"path": ["spec", "storage", "sizes"],
	}}
}

# A pod's securityContext has not all the fields of a container's.
test_field_of_a_container if {
	findings({"apiVersion": "apps/v1", "kind": "StatefulSet", "metadata": {"name": "orders"}, "spec": {"template": {"spec": {
		"securityContext": {"runAsUser": 999, "fsGroup": 999, "capabilities": {"drop": ["ALL"]}},
		"containers": [{"name": "db", "image": "postgres:17", "securityContext": {"allowPrivilegeEscalation": false}}],
	}}}}) == {{
		"message": "There is no field capabilities here: kubectl refuses the manifest, and other clients drop the field. Write it below securityContext of the container.",
		"path": ["spec", "template", "spec", "securityContext", "capabilities"],
	}}
}

test_nearly if {
	{f.path | some f in findings(cnpg({"storage": {"size": "1Gi", "storageClassName": "fast"}}))} == {["spec", "storage", "storageClassName"]}
	{f.path | some f in findings({"apiVersion": "acid.zalan.do/v1", "kind": "postgresql", "metadata": {"name": "a"}, "spec": {"numberOfInstance": 2}})} == {["spec", "numberOfInstance"]}
	{f.path | some f in findings({"apiVersion": "pgv2.percona.com/v2", "kind": "PerconaPGCluster", "metadata": {"name": "a"}, "spec": {"postgresversion": 17}})} == {["spec", "postgresversion"]}
	{f.path | some f in findings({"apiVersion": "postgres-operator.crunchydata.com/v1beta1", "kind": "PostgresCluster", "metadata": {"name": "a"}, "spec": {"instances": [{"walVolumeClaimspec": {}}]}})} == {["spec", "instances", 0, "walVolumeClaimspec"]}
}

test_in_another_place if {
	{f.message | some f in findings(cnpg({"nodeSelector": {"a": "b"}, "retentionPolicy": "30d"}))} == {
		"There is no field nodeSelector here: the API server drops it, and the operator never sees it. Write spec.affinity.nodeSelector.",
		"There is no field retentionPolicy here: the API server drops it, and the operator never sees it. Write spec.backup.retentionPolicy.",
	}

	# Several places have it.
	findings(cnpg({"owner": "orders"})) == set()
}

test_by_another_name if {
	{f.message | some f in findings(cnpg({"replicas": 3}))} == {"There is no field replicas here: the API server drops it, and the operator never sees it. Write instances."}
	findings(cnpg({"replicas": 3, "instances": 3})) == set()
}

test_places_of_cloudnativepg if {
	{[f.path, f.message] | some f in findings(cnpg({
		"affinity": {"podAntiAffinity": {}},
		"monitoring": {"enabled": true, "customQueries": []},
		"managed": {"roles": [{"name": "a", "disablePastword": true}, {"name": "b", "login": true, "inRoles": []}]},
		"backup": {"barmanObjectStore": {"wal": {"retention": "7d", "maxParallel": 8}}},
	}))} == {[path, sprintf("There is no field %s here: the API server drops it, and the operator never sees it. Write %s.", [path[count(path) - 1], meant])] | some [path, meant] in [
		[["spec", "affinity", "podAntiAffinity"], "additionalPodAntiAffinity"],
		[["spec", "monitoring", "enabled"], "a PodMonitor"],
		[["spec", "monitoring", "customQueries"], "customQueriesConfigMap"],
		[["spec", "managed", "roles", 0, "disablePastword"], "disablePassword"],
		[["spec", "backup", "barmanObjectStore", "wal", "retention"], "spec.backup.retentionPolicy"],
	]}
}

words(object) := {f.message | some f in findings(object)}

# What one of the two calls shutdown and paused the other calls pause and unmanaged.
test_words_of_the_sister if {
	every field, cure in {"shutdown": "pause", "paused": "pause to stop the cluster, or unmanaged to keep the operator away from it", "service": "expose"} {
		words({"apiVersion": "pgv2.percona.com/v2", "kind": "PerconaPGCluster", "metadata": {"name": "a"}, "spec": {field: true}}) == {sprintf("There is no field %s here: the API server drops it, and the operator never sees it. Write %s.", [field, cure])}
	}
	every field, cure in {"pause": "shutdown to stop the cluster, or paused to keep the operator away from it", "unmanaged": "paused", "expose": "service"} {
		words({"apiVersion": "postgres-operator.crunchydata.com/v1beta1", "kind": "PostgresCluster", "metadata": {"name": "a"}, "spec": {field: true}}) == {sprintf("There is no field %s here: the API server drops it, and the operator never sees it. Write %s.", [field, cure])}
	}
}

test_store_of_the_plugin if {
	store := {"apiVersion": "barmancloud.cnpg.io/v1", "kind": "ObjectStore", "metadata": {"name": "s", "namespace": "prod"}, "spec": {"retentionpolicy": "30d"}}
	found := check.findings with input as {
		"review": {"object": cnpg({"plugins": [{"name": "barman-cloud.cloudnative-pg.io", "parameters": {"barmanObjectName": "s"}}]})},
		"inventory": {"namespace": {"prod": {"barmancloud.cnpg.io/v1": {"ObjectStore": {"s": store}}}}},
	}
	{[f.path, f.resource.kind] | some f in found} == {[["spec", "retentionpolicy"], "ObjectStore"]}
}

# A field of a newer operator, one of a map whose keys are free, and one that is there beside its misspelt twin.
test_not_reported if {
	findings(cnpg({"timeTravel": true})) == set()
	findings(cnpg({"postgresql": {"parameters": {"Max_Connections": "10"}}, "inheritedMetadata": {"labels": {"app": "x"}}})) == set()
	findings(cnpg({"storage": {"size": "1Gi", "Size": "2Gi"}})) == set()
}

test_silent_when_unknown if {
	findings(cnpg({"${FIELD}": 1})) == set()
	findings(cnpg({})) == set()
}

test_of_what_belongs_to_it if {
	pooler := {
		"apiVersion": "postgresql.cnpg.io/v1",
		"kind": "Pooler",
		"metadata": {"name": "p", "namespace": "prod"},
		"spec": {
			"cluster": {"name": "orders"},
			"resources": {},
			"template": {"spec": {"affinity": {"nodeSelector": {}}, "containers": [{"name": "pgbouncer", "Resources": {}}]}},
		},
	}
	found := check.findings with input as {
		"review": {"object": cnpg({"instances": 3})},
		"inventory": {"namespace": {"prod": {"postgresql.cnpg.io/v1": {
			"Pooler": {"p": pooler, "q": object.union(pooler, {"metadata": {"name": "q"}, "spec": {"cluster": {"name": "another"}}})},
			"ScheduledBackup": {"s": {
				"apiVersion": "postgresql.cnpg.io/v1",
				"kind": "ScheduledBackup",
				"metadata": {"name": "s", "namespace": "prod"},
				"spec": {"cluster": {"name": "orders"}, "imediate": true},
			}},
		}}}},
	}
	{[f.resource.name, f.path, regex.replace(f.message, ".* Write ", "")] | some f in found} == {
		["p", ["spec", "resources"], "template.spec.containers[].resources."],
		["p", ["spec", "template", "spec", "affinity", "nodeSelector"], "spec.template.spec.nodeSelector."],
		["p", ["spec", "template", "spec", "containers", 0, "Resources"], "resources."],
		["s", ["spec", "imediate"], "immediate."],
	}
}

test_below_the_pooler_of_a_cluster if {
	{f.path | some f in findings({
		"apiVersion": "postgres-operator.crunchydata.com/v1beta1",
		"kind": "PostgresCluster",
		"metadata": {"name": "a"},
		"spec": {"tolerations": [], "proxy": {"pgBouncer": {"replica": 2}}},
	})} == {["spec", "tolerations"], ["spec", "proxy", "pgBouncer", "replica"]}
}

test_resources_by_name if {
	every place in ["requests", "limits"] {
		{f.message | some f in findings(zalando({"resources": {place: {"mem": "1Gi"}}}))} == {"There is no field mem here: the API server drops it, and the operator never sees it. Write memory."}
		{f.path | some f in findings(zalando({"connectionPooler": {"resources": {place: {"cores": "1"}}}}))} == {["spec", "connectionPooler", "resources", place, "cores"]}
		{f.path | some f in findings(zalando({"resources": {place: {"ram": "1Gi", "cpus": "1", "Memory": "1Gi"}}}))} == {["spec", "resources", place, name] | some name in ["ram", "cpus", "Memory"]}
		findings(zalando({"resources": {place: {"cpu": "1", "memory": "1Gi", "hugepages-2Mi": "1Gi", "hugepages-1Gi": "1Gi"}}, "connectionPooler": {"resources": {place: {"cpu": "1", "memory": "1Gi", "hugepages-2Mi": "1Gi", "hugepages-1Gi": "1Gi"}}}})) == set()
	}
}

zalando(spec) := {"apiVersion": "acid.zalan.do/v1", "kind": "postgresql", "metadata": {"name": "acid-a"}, "spec": spec}

written_for_another(version, kind, spec) := {[f.path, trim_suffix(regex.replace(f.message, "^.* Write ", ""), ".")] |
	some f in findings({"apiVersion": version, "kind": kind, "metadata": {"name": "orders", "namespace": "prod"}, "spec": spec})
}

# What is right for one operator is dropped by another.
test_words_of_another_operator if {
	every case in [
		["postgresql.cnpg.io/v1", "Cluster", ["spec"], {
			"databases": "a Database for each",
			"dataVolumeClaimSpec": "storage",
			"dockerImage": "imageName",
			"enableConnectionPooler": "a Pooler",
			"enableLogicalBackup": "a ScheduledBackup",
			"image": "imageName",
			"numberOfInstances": "instances",
			"parameters": "postgresql.parameters",
			"patroni": "postgresql.parameters and postgresql.pg_hba",
			"pg_hba": "postgresql.pg_hba",
			"podAnnotations": "inheritedMetadata.annotations",
			"podLabels": "inheritedMetadata.labels",
			"postgresVersion": "imageName",
			"proxy": "a Pooler",
			"replicas": "instances",
			"users": "managed.roles",
			"version": "imageName",
			"volume": "storage",
			"wal": "walStorage",
		}],
		["postgresql.cnpg.io/v1", "Cluster", ["spec", "backup"], {"schedule": "a ScheduledBackup", "schedules": "a ScheduledBackup"}],
		["postgresql.cnpg.io/v1", "Cluster", ["spec", "backup", "barmanObjectStore"], {"bucket": "destinationPath", "endpoint": "endpointURL", "path": "destinationPath"}],
		["postgresql.cnpg.io/v1", "Cluster", ["spec", "postgresql"], {"hba": "pg_hba", "version": "spec.imageName"}],
		["postgres-operator.crunchydata.com/v1beta1", "PostgresCluster", ["spec"], {
			"databases": "users[].databases",
			"dockerImage": "image",
			"enableConnectionPooler": "proxy.pgBouncer",
			"imageName": "image",
			"numberOfInstances": "instances[].replicas",
			"parameters": "config.parameters",
			"postgresql": "config.parameters",
			"storage": "instances[].dataVolumeClaimSpec",
			"version": "postgresVersion",
			"volume": "instances[].dataVolumeClaimSpec",
		}],
		["postgres-operator.crunchydata.com/v1beta1", "PostgresCluster", ["spec", "patroni"], {
			"loop_wait": "syncPeriodSeconds",
			"parameters": "dynamicConfiguration.postgresql.parameters",
			"pg_hba": "dynamicConfiguration.postgresql.pg_hba",
			"postgresql": "dynamicConfiguration.postgresql",
			"retry_timeout": "dynamicConfiguration.retry_timeout",
			"slots": "dynamicConfiguration.slots",
			"synchronous_mode": "dynamicConfiguration.synchronous_mode",
			"ttl": "leaderLeaseDurationSeconds",
		}],
		["pgv2.percona.com/v2", "PerconaPGCluster", ["spec"], {"parameters": "patroni.dynamicConfiguration.postgresql.parameters", "postgresql": "patroni.dynamicConfiguration.postgresql"}],
		["postgres-operator.crunchydata.com/v1beta1", "PostgresCluster", ["spec", "backups", "pgbackrest", "repoHost"], {"dedicated": "its fields in repoHost itself"}],
		["pgv2.percona.com/v2", "PerconaPGCluster", ["spec", "backups", "pgbackrest", "repoHost"], {"dedicated": "its fields in repoHost itself"}],
		["pgv2.percona.com/v2", "PerconaPGCluster", ["spec", "patroni"], {"pg_hba": "dynamicConfiguration.postgresql.pg_hba"}],
		["acid.zalan.do/v1", "postgresql", ["spec"], {
			"affinity": "nodeAffinity",
			"image": "dockerImage",
			"imageName": "dockerImage",
			"instances": "numberOfInstances",
			"nodeSelector": "nodeAffinity",
			"parameters": "postgresql.parameters",
			"pg_hba": "patroni.pg_hba",
			"postgresVersion": "postgresql.version",
			"replicas": "numberOfInstances",
			"storage": "volume",
			"version": "postgresql.version",
		}],
		["acid.zalan.do/v1", "postgresql", ["spec", "patroni"], {"dynamicConfiguration": "pg_hba, ttl, synchronous_mode and the like below patroni itself, and parameters below postgresql.parameters", "parameters": "postgresql.parameters"}],
		["acid.zalan.do/v1", "postgresql", ["spec", "postgresql"], {"pg_hba": "patroni.pg_hba"}],
	] {
		[version, kind, place, words] := case
		spec := json.patch({"spec": {}}, array.concat(
			[{"op": "add", "path": array.slice(place, 0, i), "value": {}} | some i in numbers.range(1, count(place)); i > 1],
			[{"op": "add", "path": array.concat(place, [name]), "value": {}} | some name, _ in words],
		)).spec
		written_for_another(version, kind, spec) == {[array.concat(place, [name]), meant] | some name, meant in words}
	}
}

test_words_of_another_operator_below_instances if {
	every pair in [["postgres-operator.crunchydata.com/v1beta1", "PostgresCluster"], ["pgv2.percona.com/v2", "PerconaPGCluster"]] {
		[version, kind] := pair
		written_for_another(version, kind, {"instances": [{"nodeSelector": {}, "storage": {}, "volume": {}}]}) == {
			[["spec", "instances", 0, "nodeSelector"], "affinity.nodeAffinity"],
			[["spec", "instances", 0, "storage"], "dataVolumeClaimSpec"],
			[["spec", "instances", 0, "volume"], "dataVolumeClaimSpec"],
		}
	}
}

# Without it the clone is of now, and the recovery ends with the last WAL.
test_moment_of_a_recovery if {
	{f.message | some f in findings(zalando({"clone": {"cluster": "acid-b", "endTimestamp": "2026-11-20T12:40:33+01:00"}}))} == {"There is no field endTimestamp here: the API server drops it, and the operator never sees it. Write timestamp."}
	findings(zalando({"clone": {"cluster": "acid-b", "timestamp": "2026-11-20T12:40:33+01:00"}})) == set()
	recovered := {"apiVersion": "postgresql.cnpg.io/v1", "kind": "Cluster", "metadata": {"name": "a"}, "spec": {"bootstrap": {"recovery": {"source": "b", "recoveryTarget": {"time": "2026-11-20 12:40:33+01"}}}}}
	{f.path | some f in findings(recovered)} == {["spec", "bootstrap", "recovery", "recoveryTarget", "time"]}
}

queries(text, address) := {f.message | some f in found} if {
	found := check.findings with input as {
		"review": {"object": {
			"apiVersion": "apps/v1",
			"kind": "StatefulSet",
			"metadata": {"name": "db", "namespace": "shop"},
			"spec": {"serviceName": "db", "template": {"spec": {"containers": [{"name": "postgres", "image": "postgres:17.6"}]}}},
		}},
		"inventory": {"namespace": {"shop": {
			"v1": {"ConfigMap": {"queries": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "queries", "namespace": "shop"}, "data": {"queries.yaml": text}}}},
			"apps/v1": {"Deployment": {"exporter": {
				"apiVersion": "apps/v1",
				"kind": "Deployment",
				"metadata": {"name": "exporter", "namespace": "shop"},
				"spec": {"template": {"spec": {
					"containers": [{"name": "exporter", "image": "wrouesnel/postgres_exporter:v0.8.0", "args": ["--extend.query-path=/conf/queries.yaml"], "env": [{"name": "DATA_SOURCE_NAME", "value": address}], "volumeMounts": [{"name": "queries", "mountPath": "/conf"}]}],
					"volumes": [{"name": "queries", "configMap": {"name": "queries"}}],
				}}},
			}}},
		}}},
	}
}

test_queries_of_an_exporter if {
	head := "pg_size:\n  query: \"SELECT 1 AS bytes\"\n  metrics:\n"
	here := "postgresql://a:b@db:5432/shop?sslmode=disable"
	queries(concat("", [head, "    - bytes:\n      usage: GAUGE\n      description: x\n"]), here) == {"queries.yaml has usage beside column bytes and not below it: postgres_exporter finds no use of the column, and the metric never appears. Indent usage and description by two more."}
	queries(concat("", [head, "    - bytes:\n        usage: GAUGE\n        description: x\n"]), here) == set()
	queries(concat("", [head, "  - bytes: {usage: GAUGE, description: x}\n"]), here) == set()
	queries(concat("", [head, "    - bytes:\n      usage: GAUGE\n"]), "postgresql://a:b@elsewhere:5432/shop?sslmode=disable") == set()
}

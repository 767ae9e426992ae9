package walguard.charts.cnpg_test

import data.walguard.charts

rendered(object) := found if found := charts.rendered with input as {"review": {"object": object}}

flux(values) := {
	"apiVersion": "helm.toolkit.fluxcd.io/v2",
	"kind": "HelmRelease",
	"metadata": {"name": "pg", "namespace": "db"},
	"spec": {
		"chart": {"spec": {"chart": "cluster", "sourceRef": {"kind": "HelmRepository", "name": "cnpg"}}},
		"values": values,
	},
}

objects(object) := [entry.object | some entry in rendered(object)]

test_defaults if {
	objects(flux({})) == [{
		"apiVersion": "postgresql.cnpg.io/v1",
		"kind": "Cluster",
		"metadata": {"name": "pg-cluster", "namespace": "db"},
		"spec": {
			"instances": 3,
			"storage": {"size": "8Gi"},
			"imageName": "ghcr.io/cloudnative-pg/postgresql:16",
			"bootstrap": {"initdb": {}},
		},
	}]
}

test_values if {
	[cluster] := objects(flux({
		"fullnameOverride": "orders",
		"version": {"postgresql": 17.2},
		"cluster": {
			"instances": 1,
			"storage": {"storageClass": "fast"},
			"walStorage": {"enabled": true, "storageClass": "wal"},
			"postgresql": {"parameters": {"fsync": "off"}},
			"resources": {"limits": {"memory": "1Gi"}},
			"initdb": {"dataChecksums": true},
		},
	}))
	cluster.metadata.name == "orders"
	cluster.spec == {
		"instances": 1,
		"storage": {"size": "8Gi", "storageClass": "fast"},
		"walStorage": {"size": "1Gi", "storageClass": "wal"},
		"imageName": "ghcr.io/cloudnative-pg/postgresql:17.2",
		"postgresql": {"parameters": {"fsync": "off"}},
		"resources": {"limits": {"memory": "1Gi"}},
		"bootstrap": {"initdb": {"dataChecksums": true}},
	}
}

test_backups if {
	[cluster, backup] := objects(flux({"backups": {"enabled": true, "s3": {"bucket": "b", "path": "/x"}}}))
	cluster.spec.backup == {
		"target": "prefer-standby",
		"retentionPolicy": "30d",
		"barmanObjectStore": {
			"destinationPath": "s3://b/x",
			"s3Credentials": {"accessKeyId": {"name": "pg-cluster-backup-s3-creds", "key": "ACCESS_KEY_ID"}, "secretAccessKey": {"name": "pg-cluster-backup-s3-creds", "key": "ACCESS_SECRET_KEY"}},
			"wal": {"compression": "gzip", "encryption": "AES256", "maxParallel": 1},
			"data": {"compression": "gzip", "encryption": "AES256", "jobs": 2},
		},
	}
	backup.metadata.name == "pg-cluster-daily-backup"
	backup.spec.cluster.name == "pg-cluster"
}

test_places if {
	[entry] := rendered(flux({"cluster": {}}))
	{"from": ["spec"], "to": ["spec", "values", "cluster"]} in entry.paths
}

# Of what is not known here nothing is said.
test_unread if {
	rendered(flux({"mode": "replica"})) == []
	rendered(flux({"mode": "recovery", "recovery": {"method": "pg_basebackup"}})) == []
	rendered(flux({"type": "timescaledb"})) == []
	rendered(flux({"backups": {"enabled": true, "method": "plugin", "pluginConfiguration": {"name": "klio"}, "destinationPath": "s3://b"}})) == []
	rendered(object.union(flux({}), {"spec": {"valuesFrom": [{"kind": "ConfigMap"}]}})) == []
	rendered(object.union(flux({}), {"spec": {"chart": {"spec": {"chart": "postgresql"}}}})) == []
}

test_argo if {
	source := {
		"chart": "cluster",
		"repoURL": "https://cloudnative-pg.github.io/charts",
		"helm": {"releaseName": "my-cluster", "valuesObject": {"cluster": {"instances": 2}}},
	}
	application := {
		"apiVersion": "argoproj.io/v1alpha1",
		"kind": "Application",
		"metadata": {"name": "pg", "namespace": "argocd"},
		"spec": {"source": source, "destination": {"namespace": "shop"}},
	}
	[entry] := rendered(application)
	entry.object.metadata == {"name": "my-cluster", "namespace": "shop"}
	entry.object.spec.instances == 2
	{"from": ["spec"], "to": ["spec", "source", "helm", "valuesObject", "cluster"]} in entry.paths

	# The object goes before the text; a text that the host could not read is unknown.
	count(rendered(object.union(application, {"spec": {"source": {"helm": {"values": "x"}}}}))) == 1
	rendered(object.union(application, {"spec": {"source": {"helm": {"valuesObject": null, "values": "x"}}}})) == []
}

# Of several sources each is a release; parameters go before values and stand alone.
test_argo_parameters if {
	helm := {"values": {"cluster": {"instances": 2, "postgresql": {"parameters": {"fsync": "on"}}}}, "parameters": [
		{"name": "cluster.instances", "value": "1"},
		{"name": "cluster.postgresql.parameters.fsync", "value": "off"},
		{"name": "version.postgresql", "value": "017", "forceString": true},
		{"name": "cluster.enablePDB", "value": "False"},
		{"name": "cluster.initdb.walSegmentSize", "value": "64", "forceString": true},
	]}
	[entry] := rendered({
		"apiVersion": "argoproj.io/v1alpha1",
		"kind": "Application",
		"metadata": {"name": "pg"},
		"spec": {"sources": [{"ref": "values"}, {"chart": "cluster", "repoURL": "https://cloudnative-pg.github.io/charts", "helm": helm}]},
	})
	entry.object.spec == {
		"instances": 1,
		"storage": {"size": "8Gi"},
		"enablePDB": false,
		"imageName": "ghcr.io/cloudnative-pg/postgresql:017",
		"postgresql": {"parameters": {"fsync": "off"}},
		"bootstrap": {"initdb": {"walSegmentSize": "64"}},
	}
	at := ["spec", "sources", 1, "helm"]
	every path in [
		{"from": ["spec"], "to": array.concat(at, ["values", "cluster"])},
		{"from": ["spec", "postgresql", "parameters", "fsync"], "to": array.concat(at, ["parameters", 1, "value"])},
		{"from": ["spec", "bootstrap", "initdb", "walSegmentSize"], "to": array.concat(at, ["parameters", 4, "value"])},
	] {
		path in entry.paths
	}
}

# Flux names a release of another namespace after that too.
test_target_namespace if {
	[cluster] := objects(object.union(flux({}), {"spec": {"targetNamespace": "shop"}}))
	cluster.metadata == {"name": "shop-pg-cluster", "namespace": "shop"}
}

image(values) := object.filter(objects(flux(values))[0].spec, ["imageName", "imageCatalogRef"])

test_image if {
	image({"cluster": {"imageName": "x:17"}, "version": {"postgresql": "16"}}) == {"imageName": "x:17"}
	image({"cluster": {"imageCatalogRef": {"name": "images", "major": 17}}}) == {"imageCatalogRef": {"name": "images", "major": 17}}
	image({"version": {"postgresql": "15"}}) == {"imageName": "ghcr.io/cloudnative-pg/postgresql:15"}
	image({"type": "postgis"}) == {}
}

test_names_of_the_chart if {
	[cluster] := objects(flux({"nameOverride": "db"}))
	cluster.metadata.name == "pg-db"
}

test_backups_of_ones_own if {
	[cluster, nightly] := objects(flux({"backups": {
		"enabled": true,
		"destinationPath": "s3://mine/",
		"scheduledBackups": ["hostile", {"name": "nightly", "schedule": "0 0 1 * * *", "method": "volumeSnapshot"}],
	}}))
	cluster.spec.backup.barmanObjectStore.destinationPath == "s3://mine/"
	[nightly.metadata.name, nightly.spec.schedule, nightly.spec.method] == ["pg-cluster-nightly", "0 0 1 * * *", "volumeSnapshot"]
}

test_recovery if {
	[cluster] := objects(flux({"mode": "recovery", "recovery": {
		"method": "object_store",
		"clusterName": "orders",
		"endpointURL": "http://minio.minio:9000",
		"s3": {"bucket": "b", "path": "/x"},
		"pitrTarget": {"time": "2025-06-01T10:00:00Z"},
	}}))
	cluster.spec.bootstrap == {"recovery": {"source": "objectStoreRecoveryCluster", "recoveryTarget": {"targetTime": "2025-06-01T10:00:00Z"}}}
	[external] := cluster.spec.externalClusters
	object.remove(external.barmanObjectStore, ["s3Credentials"]) == {"serverName": "orders", "destinationPath": "s3://b/x", "endpointURL": "http://minio.minio:9000"}
	objects(flux({"mode": "recovery", "recovery": {"backupName": "b1"}}))[0].spec.bootstrap == {"recovery": {"backup": {"name": "b1"}}}
}

stored(backups) := objects(flux({"backups": object.union({"enabled": true}, backups)}))[0].spec.backup.barmanObjectStore

test_stores if {
	stored({"provider": "google", "google": {"bucket": "b", "path": "/x"}}).destinationPath == "gs://b/x"
	stored({"provider": "azure", "azure": {"storageAccount": "a", "containerName": "c"}}).destinationPath == "https://a.blob.core.windows.net/c/"
	stored({"s3": {"bucket": "b", "region": "eu-west-1", "inheritFromIAMRole": true}}).endpointURL == "https://s3.eu-west-1.amazonaws.com"
	stored({"s3": {"inheritFromIAMRole": true}}).destinationPath == "${DESTINATION}"
	stored({"s3": {"bucket": "b"}, "wal": {"encryption": ""}}).wal == {"compression": "gzip", "maxParallel": 1}
}

test_plugin if {
	[cluster, backup, store] := objects(flux({"backups": {
		"enabled": true,
		"method": "plugin",
		"pluginConfiguration": {"name": "barman-cloud.cloudnative-pg.io"},
		"s3": {"bucket": "b"},
		"scheduledBackups": [{"name": "daily", "schedule": "0 0 0 * * *", "method": "plugin", "pluginConfiguration": {"name": "barman-cloud.cloudnative-pg.io"}}],
	}}))
	cluster.spec.plugins == [{"name": "barman-cloud.cloudnative-pg.io", "enabled": true, "isWALArchiver": true, "parameters": {"barmanObjectName": "pg-cluster-backups"}}]
	not cluster.spec.backup
	backup.spec.pluginConfiguration.name == "barman-cloud.cloudnative-pg.io"
	store.metadata == {"name": "pg-cluster-backups", "namespace": "db"}
	store.spec.configuration.destinationPath == "s3://b/"
}

test_roles_and_secrets if {
	[cluster] := objects(flux({"cluster": {"superuserSecret": "pg", "roles": [{"name": "a"}], "postgresUID": 999, "postgresGID": -1}}))
	cluster.spec.superuserSecret == {"name": "pg"}
	cluster.spec.managed == {"roles": [{"name": "a"}]}
	cluster.spec.postgresUID == 999
	not cluster.spec.postgresGID
}

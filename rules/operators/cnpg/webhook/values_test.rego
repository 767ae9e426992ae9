package walguard.operators.cnpg.webhook_values_test

import data.walguard.operators.cnpg.webhook

# [reason, path]
said(spec) := with_metadata(spec, {})

with_metadata(spec, metadata) := {[refusal.reason, refusal.path] | some refusal in found} if {
	found := webhook.refusals with input as {"review": {"object": {
		"apiVersion": "postgresql.cnpg.io/v1",
		"kind": "Cluster",
		"metadata": object.union({"name": "orders", "namespace": "shop"}, metadata),
		"spec": object.union({"instances": 3, "storage": {"size": "10Gi"}}, spec),
	}}}
}

reasons(spec) := {one[0] | some one in said(spec)}

test_fields_that_stand_alone if {
	catalogue := {"apiGroup": "postgresql.cnpg.io", "kind": "ImageCatalog", "name": "all", "major": 17}
	said({"imageName": "postgres:17.6", "imageCatalogRef": catalogue}) == {["imageName stands beside imageCatalogRef", ["spec", "imageName"]]}
	said({"imageCatalogRef": catalogue}) == set()
	reasons({"serviceAccountName": "a", "serviceAccountTemplate": {"metadata": {}}}) == {"serviceAccountName stands beside serviceAccountTemplate"}
	reasons({"serviceAccountName": "${ACCOUNT}", "serviceAccountTemplate": {"metadata": {}}}) == set()
	reasons({"ephemeralVolumeSource": {}, "ephemeralVolumesSizeLimit": {"temporaryData": "1Gi"}}) == {"ephemeralVolumeSource stands beside ephemeralVolumesSizeLimit.temporaryData"}
}

recovered(section, spec) := reasons(object.union({"bootstrap": {"recovery": object.union({"volumeSnapshots": {"storage": {"name": "s", "kind": "VolumeSnapshot", "apiGroup": "snapshot.storage.k8s.io"}}}, section)}}, spec))

test_snapshots_that_stand_alone if {
	recovered({}, {}) == set()
	recovered({"backup": {"name": "b"}}, {}) == {"bootstrap.recovery.backup stands beside bootstrap.recovery.volumeSnapshots"}
	recovered({"recoveryTarget": {"backupID": "b"}}, {}) == {"bootstrap.recovery.recoveryTarget.backupID stands beside bootstrap.recovery.volumeSnapshots"}
	recovered({}, {"walStorage": {"size": "1Gi"}}) == {"walStorage is there, and no snapshot for it (\"missing StorageSource for PostgreSQL WAL\")"}
	recovered({"volumeSnapshots": {"walStorage": {"name": "w", "kind": "VolumeSnapshot", "apiGroup": "snapshot.storage.k8s.io"}}}, {"walStorage": {"size": "1Gi"}}) == set()
}

initialised(section) := said({"bootstrap": {"initdb": section}})

test_locales_of_a_provider if {
	initialised({"icuLocale": "de"}) == {["icuLocale stands without localeProvider: icu", ["spec", "bootstrap", "initdb", "icuLocale"]]}
	initialised({"builtinLocale": "C.UTF-8", "localeProvider": "icu"}) == {["builtinLocale stands without localeProvider: builtin", ["spec", "bootstrap", "initdb", "builtinLocale"]]}
	initialised({"icuLocale": "de", "icuRules": "&a < b", "localeProvider": "icu"}) == set()
	initialised({"icuLocale": "de", "localeProvider": "${PROVIDER}"}) == set()
}

synchronous(section) := {[one[0], one[1][count(one[1]) - 1]] | some one in said({"postgresql": {"synchronous": section}})}

test_synchronous_replication if {
	synchronous({"method": "any", "number": 1}) == set()
	synchronous({"method": "any", "number": 0}) == {["synchronous.number is 0, and it is greater than 0", "number"]}
	synchronous({"method": "any", "number": 1, "dataDurability": "preferred"}) == set()
	synchronous({"method": "any", "number": 1, "dataDurability": "preferred", "standbyNamesPost": ["other"]}) == {["dataDurability is preferred beside standbyNamesPre or standbyNamesPost, and it takes it without such names alone", "dataDurability"]}
	synchronous({"method": "any", "number": 1, "failoverQuorum": true}) == set()
	synchronous({"method": "any", "number": 1, "failoverQuorum": true, "standbyNamesPre": ["other"]}) == {["failoverQuorum is on, and synchronous.number 1 is not more than the number of standbyNamesPre and standbyNamesPost (1)", "number"]}
	synchronous({"method": "any", "number": 1, "failoverQuorum": false, "standbyNamesPre": ["other"]}) == set()
	annotations := {"annotations": {"alpha.cnpg.io/failoverQuorum": "true"}}
	with_metadata({}, annotations) == {["failoverQuorum is on, and there is no synchronous replication", ["metadata", "annotations", "alpha.cnpg.io/failoverQuorum"]]}
	with_metadata({"postgresql": {"synchronous": {"method": "any", "number": 1}}}, annotations) == set()
}

test_names_of_services if {
	services := [{"selectorType": "rw", "serviceTemplate": {"metadata": {"name": name}}} | some name in ["a", "b", "a"]]
	said({"managed": {"services": {"additional": services}}}) == {["two additional services are called a", ["spec", "managed", "services", "additional", 2, "serviceTemplate", "metadata", "name"]]}
	said({"managed": {"services": {"additional": array.slice(services, 0, 2)}}}) == set()
}

imported(section) := {[refusal.reason, refusal.cure] | some refusal in found} if {
	found := webhook.refusals with input as {"review": {"object": {
		"apiVersion": "postgresql.cnpg.io/v1",
		"kind": "Cluster",
		"metadata": {"name": "orders", "namespace": "shop"},
		"spec": {
			"storage": {"size": "10Gi"},
			"bootstrap": {"initdb": {"import": object.union({"type": "microservice", "databases": ["app"], "source": {"externalCluster": "old"}}, section)}},
			"externalClusters": [{"name": "old", "connectionParameters": {"host": "old"}}],
		},
	}}}
}

test_imports if {
	imported({}) == set()
	imported({"databases": ["app*"]}) == {["import.type microservice takes one database by its name, and \"app*\" has a wildcard", "Name the database, or write type: monolith"]}
	imported({"type": "monolith", "databases": []}) == {["import.type monolith names no database", "Write databases: [\"*\"], or their names"]}
	imported({"type": "monolith", "databases": "${DATABASES}"}) == set()
	imported({"source": {"externalCluster": "older"}}) == {["older is not among externalClusters, so that there is nothing to import from", "Define it there, or name old"]}
	imported({"source": {"externalCluster": "${OLD}"}}) == set()
	said({"bootstrap": {"initdb": {"import": {"type": "microservice", "databases": ["app"], "source": {"externalCluster": "old"}}}}}) == {["old is not among externalClusters, so that there is nothing to import from", ["spec", "bootstrap", "initdb", "import", "source", "externalCluster"]]}
}

test_words if {
	said({"imagePullPolicy": "always"}) == {["imagePullPolicy is \"always\"", ["spec", "imagePullPolicy"]]}
	said({"imagePullPolicy": "${POLICY}"}) == set()
	reasons({"imageCatalogRef": {"apiGroup": "postgresql.cnpg.io/v1", "kind": "ClusterImageCatalog", "name": "all", "major": 17}}) == {"apiGroup is \"postgresql.cnpg.io/v1\""}
	reasons({"imageCatalogRef": {"apiGroup": "postgresql.cnpg.io", "kind": "ConfigMap", "name": "all", "major": 17}}) == {"kind is \"ConfigMap\""}
	tolerated({"key": "a", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 30}) == set()
	tolerated({"key": "a", "operator": "Exists", "effect": "NoExec"}) == {"effect is \"NoExec\""}
	tolerated({"key": "a", "operator": "Exists", "tolerationSeconds": 30}) == {"tolerationSeconds stands without effect: NoExecute"}
	tolerated({"key": "a", "operator": "Exists", "effect": "${EFFECT}", "tolerationSeconds": 30}) == set()
}

tolerated(toleration) := reasons({"affinity": {"tolerations": [toleration]}})

cures(spec) := {[refusal.reason, refusal.cure] | some refusal in found} if {
	found := webhook.refusals with input as {"review": {"object": {"apiVersion": "postgresql.cnpg.io/v1", "kind": "Cluster", "metadata": {"name": "orders", "namespace": "shop"}, "spec": spec}}}
}

test_sizes if {
	every size in ["10Gi", "10G", "1.5Ti", "10737418240", "1e10", "500Mi", "${SIZE}", "{{ .Values.size }}"] {
		cures({"storage": {"size": size}}) == set()
	}
	cures({"storage": {"size": "20 GB"}}) == {["size \"20 GB\" is no quantity", "Write 20Gi"]}
	cures({"storage": {"size": "10Gi"}, "walStorage": {"size": "large"}}) == {["size \"large\" is no quantity", "Write a number and a unit, such as 20Gi"]}
	said({"tablespaces": [{"name": "fast", "storage": {"storageClass": "ssd"}}]}) == {["tablespace fast has no size", ["spec", "tablespaces", 0, "storage"]]}
	said({"tablespaces": [{"name": "fast", "storage": "${STORAGE}"}]}) == set()
	said({"tablespaces": [{"name": "fast", "storage": {"pvcTemplate": {"resources": {"requests": {"storage": "1Gi"}}}}}]}) == set()
}

target(fields) := reasons({"bootstrap": {"recovery": {"source": "x", "recoveryTarget": fields}}, "externalClusters": [{"name": "x", "plugin": {"name": "p"}}]})

test_targets if {
	target({"targetLSN": "16/B374D848", "targetTLI": "latest"}) == set()
	target({"targetLSN": "B374D848"}) == {"targetLSN is \"B374D848\", which is no position in the WAL"}
	target({"targetLSN": "${LSN}", "targetTLI": "${TLI}"}) == set()
	target({"targetTLI": "current"}) == {"targetTLI is \"current\""}
	target({"targetTLI": "3"}) == set()
	target({"targetTLI": "0"}) == {"targetTLI is \"0\""}
	long := concat("", [letter | some _ in numbers.range(1, 64); letter := "a"])
	target({"targetName": long, "backupID": "b"}) == {"targetName has 64 characters, and PostgreSQL takes 63"}
}

test_leases if {
	said({"primaryLease": {"leaseDurationSeconds": 10}}) == {["leaseDurationSeconds 10 is not more than renewDeadlineSeconds 10", ["spec", "primaryLease", "leaseDurationSeconds"]]}
	said({"primaryLease": {"renewDeadlineSeconds": 20}}) == {["leaseDurationSeconds 15 is not more than renewDeadlineSeconds 20", ["spec", "primaryLease", "renewDeadlineSeconds"]]}
	said({"primaryLease": {"retryPeriodSeconds": 9}}) == {["renewDeadlineSeconds 10 is not more than 1.2 times retryPeriodSeconds 9", ["spec", "primaryLease", "retryPeriodSeconds"]]}
	said({"primaryLease": {"retryPeriodSeconds": 8}}) == set()
	said({"primaryLease": {"leaseDurationSeconds": "${LEASE}"}}) == set()
	said({"primaryLease": {}}) == set()
}

test_other_values if {
	reasons({"postgresql": {"ldap": {"port": 389}}}) == {"ldap names no server"}
	reasons({"postgresql": {"ldap": {"server": "${LDAP}"}}}) == set()
	reasons({"externalClusters": [{"name": "old/one", "connectionParameters": {"host": "old"}}]}) == {"old/one is not a name for an external cluster, which has no \"/\""}
	reasons({"managed": {"roles": [{"name": "app", "connectionLimit": -2}]}}) == {"connectionLimit of role app is -2, which PostgreSQL refuses"}
	reasons({"managed": {"roles": [{"name": "app", "connectionLimit": -1}]}}) == set()
	reasons({"resources": {"requests": {"ephemeral-storage": "2Gi"}, "limits": {"ephemeral-storage": "1Gi"}}}) == {"the request of ephemeral-storage 2Gi is more than its limit of 1Gi"}
}

pooled(spec) := {[refusal.reason, refusal.cure, refusal.path, refusal.resource.name] | some refusal in found; refusal.resource} if {
	found := webhook.refusals with input as {
		"review": {"object": {"apiVersion": "postgresql.cnpg.io/v1", "kind": "Cluster", "metadata": {"name": "orders", "namespace": "shop"}, "spec": {"instances": 1, "storage": {"size": "10Gi"}}}},
		"inventory": {"namespace": {"shop": {"postgresql.cnpg.io/v1": {"Pooler": {"p": {"apiVersion": "postgresql.cnpg.io/v1", "kind": "Pooler", "metadata": {"name": "p", "namespace": "shop"}, "spec": object.union({"cluster": {"name": "orders"}, "instances": 1}, spec)}}}}}},
	}
}

test_poolers if {
	pooled({"type": "rw", "pgbouncer": {"parameters": {"max_client_conn": 1000}}}) == {["max_client_conn of the Pooler is no text, which Kubernetes asks for", "Write max_client_conn: \"1000\"", ["spec", "pgbouncer", "parameters", "max_client_conn"], "p"]}
	pooled({"type": "rw", "pgbouncer": {"parameters": {"max_client_conn": "1000"}}}) == set()
	pooled({"type": "read", "pgbouncer": {}}) == {["type of the Pooler is \"read\"", "Write rw, ro or r", ["spec", "type"], "p"]}
	pooled({"type": "${TYPE}", "pgbouncer": {}}) == set()
}

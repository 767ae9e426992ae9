package walguard.checks.parameters.operator_refuses_test

import data.walguard.checks.parameters.operator_refuses as check
import data.walguard.lib.manifest_test as manifests

findings(parameters, spec) := found if found := check.findings with input as manifests.review(parameters, spec)

said(parameters, spec) := {f.message | some f in findings(parameters, spec)}

memory(amount) := {"resources": {"requests": {"memory": amount}}}

test_buffers_above_the_request if {
	findings({"shared_buffers": "4GB"}, memory("1Gi")) == set()
	findings({"shared_buffers": "4GB"}, {"resources": {"requests": {"memory": "1Gi"}, "limits": {"memory": "1Gi"}}}) == {{
		"message": "CloudNativePG refuses this resource: shared_buffers=4GB is more than the memory request of 1Gi. Request more memory, or lower shared_buffers.",
		"path": ["spec", "postgresql", "parameters", "shared_buffers"],
	}}
	said({"shared_buffers": "16384"}, memory("1Gi")) == {"CloudNativePG refuses this resource: shared_buffers=16384 (in MB to the webhook, which PostgreSQL counts in pages of 8 kB) is more than the memory request of 1Gi. Request more memory, or lower shared_buffers."}
	findings({"shared_buffers": "1GB"}, memory("1Gi")) == set()
	findings({"shared_buffers": "4GB"}, {}) == set()
	findings({"shared_buffers": "4GB"}, {"resources": {"requests": {"memory": "1Gi", "hugepages-2Mi": "4Gi"}, "limits": {"hugepages-2Mi": "4Gi"}}}) == set()
}

test_requests_and_limits if {
	said({}, {"resources": {"requests": {"memory": "2Gi", "cpu": "1"}, "limits": {"memory": "1Gi", "cpu": "1"}}}) == {"CloudNativePG refuses this resource: the request of memory 2Gi is more than its limit of 1Gi. Lower the request, or raise the limit."}
	said({}, {"resources": {"requests": {"hugepages-2Mi": "1Gi"}, "limits": {"hugepages-2Mi": "2Gi"}}}) == {"CloudNativePG refuses this resource: the request of hugepages-2Mi 1Gi is not its limit of 2Gi. Write the same amount of huge pages in both."}
}

test_wal_sizes if {
	said({"max_wal_size": "80MB"}, {}) == {"CloudNativePG refuses this resource: min_wal_size=80MB is not less than max_wal_size=80MB. Lower min_wal_size, or raise max_wal_size."}
	said({"min_wal_size": "2GB"}, {}) == {"CloudNativePG refuses this resource: min_wal_size=2GB is not less than max_wal_size=1GB. Lower min_wal_size, or raise max_wal_size."}
	findings({"min_wal_size": "2GB", "max_wal_size": "4GB"}, {}) == set()
}

test_hints if {
	said({"wal_log_hints": "off"}, {}) == {"CloudNativePG refuses this resource: wal_log_hints is off with 3 instances. Take it out: pg_rewind needs it."}
	findings({"wal_log_hints": "off"}, {"instances": 1}) == set()
}

test_version if {
	said({}, {"imageName": "ghcr.io/cloudnative-pg/postgresql:12.4"}) == {"CloudNativePG refuses this resource: PostgreSQL 12 is older than 13. Take an image of a supported major version."}
}

# noobj: the parameter has another name.
test_plugin_without_a_store if {
	plugin := {"name": "barman-cloud.cloudnative-pg.io", "isWALArchiver": true, "parameters": {"objectStoreName": "a"}}
	said({}, {"plugins": [plugin]}) == {"CloudNativePG refuses this resource: the barman plugin is not told its ObjectStore (parameters.barmanObjectName). Write the name of the ObjectStore there."}
	findings({}, {"plugins": [object.union(plugin, {"parameters": {"barmanObjectName": "a"}})]}) == set()
	findings({}, {"plugins": [object.union(plugin, {"name": "other"})]}) == set()
}

test_silent_when_unknown if {
	findings({"shared_buffers": "${SB}", "min_wal_size": "<MIN>"}, memory("${MEM}")) == set()
	check.findings == set() with input as manifests.change({"shared_buffers": "4GB", "wal_log_hints": "off"})
}

zalando(users) := {[f.message, f.path] | some f in given} if {
	given := check.findings with input as {"review": {"object": {
		"apiVersion": "acid.zalan.do/v1",
		"kind": "postgresql",
		"metadata": {"name": "acid-orders", "namespace": "prod"},
		"spec": {"numberOfInstances": 2, "postgresql": {"version": "17"}, "users": users},
	}}}
}

test_users_of_zalando if {
	zalando({"Orders": []}) == {["Zalando Postgres Operator refuses this resource: \"Orders\" is not a user name that it takes. Write small letters, digits, \"_\" and \"-\", with a letter or digit at both ends.", ["spec", "users", "Orders"]]}
	zalando({"orders": ["LOGIN", "admin"]}) == {["Zalando Postgres Operator refuses this resource: \"admin\" is not a flag of a user. Write superuser, login, createdb, createrole, inherit, replication or bypassrls, or one of them behind \"no\".", ["spec", "users", "orders", 1]]}
	zalando({"orders_owner": ["superuser", "NOLOGIN"], "app-2": [], "team.app": [], "${USER}": ["${FLAG}"], "x": [7]}) == set()
}

# What stands beside or instead of what (references.rego).
refused(spec) := {trim_prefix(message, "CloudNativePG refuses this resource: ") | some message in said({}, spec)}

test_bootstrap if {
	refused({"bootstrap": {"initdb": {}, "pg_basebackup": {"source": "a"}}, "externalClusters": [{"name": "a", "connectionParameters": {}}]}) == {"initdb and pg_basebackup stand beside one another, and a cluster begins in one way. Leave one of them."}
	refused({"bootstrap": {"recovery": {"source": "a"}}}) == {"a is not among externalClusters. Describe it there, or name one that is."}
	refused({"bootstrap": {"recovery": {"source": "a"}}, "externalClusters": [{"name": "a"}]}) == {"external cluster a says neither how to connect nor where its backups are. Write connectionParameters, plugin or barmanObjectStore."}
	refused({"externalClusters": [{"name": "a", "plugin": {"name": "p"}}, {"name": "a", "plugin": {"name": "q"}}]}) == {"two external clusters are called a. Give them different names."}
	refused({"bootstrap": {"recovery": {"source": "${FROM}"}}}) == set()
}

imported(fields) := refused({
	"bootstrap": {"initdb": {"import": object.union({"source": {"externalCluster": "a"}}, fields)}},
	"externalClusters": [{"name": "a", "connectionParameters": {}}],
})

test_import if {
	imported({"type": "microservice", "databases": ["a", "b"]}) == {"import.type microservice takes one database, and 2 are named. Name one, or take the type monolith."}
	imported({"type": "microservice", "databases": ["a"], "roles": ["b"]}) == {"import.type microservice does not take roles. Take it out."}
	imported({"type": "monolith", "databases": ["a", "*"]}) == {"\"*\" stands in import.databases beside other names. Leave \"*\" alone, or take it out."}
	imported({"type": "monolith", "databases": ["*"], "roles": ["*"]}) == set()
}

test_replica if {
	source := {"bootstrap": {"pg_basebackup": {"source": "a"}}, "externalClusters": [{"name": "a", "connectionParameters": {}}]}
	refused(object.union(source, {"replica": {"enabled": true, "source": "a"}})) == set()
	refused(object.union(source, {"replica": {"enabled": true, "source": "a", "primary": "a"}})) == {"replica.enabled is not possible beside replica.primary, which decides the role. Leave one of them."}
	refused(object.union(source, {"replica": {"primary": "b", "source": "a"}})) == {"b is not among externalClusters. Describe it there, or name one that is."}
	refused({"replica": {"enabled": true, "source": "a"}, "externalClusters": [{"name": "a", "connectionParameters": {}}]}) == {"a replica cluster cannot begin with initdb. Bootstrap it with pg_basebackup or recovery."}
}

target(fields) := refused({"bootstrap": {"recovery": {"source": "a", "recoveryTarget": fields}}, "externalClusters": [{"name": "a", "connectionParameters": {}}]})

test_recovery_target if {
	target({"targetTime": "2026-01-01 00:00:00Z", "targetLSN": "0/1"}) == {"targetLSN and targetTime stand beside one another in recoveryTarget. Leave one of them."}
	target({"targetName": "before"}) == {"recoveryTarget.targetName does not say which base backup to begin with. Write recoveryTarget.backupID."}
	target({"targetName": "before", "backupID": "20260101T000000"}) == set()
}

test_managed if {
	refused({"managed": {"roles": [{"name": "postgres"}]}}) == {"role postgres is the operator's or PostgreSQL's own. Set enableSuperuserAccess and superuserSecret for the superuser's password."}
	refused({"managed": {"roles": [{"name": "pg_admin"}]}}) == {"role pg_admin is the operator's or PostgreSQL's own. Take another name."}
	refused({"managed": {"roles": [{"name": "a"}, {"name": "a"}]}}) == {"role a is listed twice. Leave one of the two."}
	refused({"managed": {"roles": [{"name": "a", "disablePassword": true, "passwordSecret": {"name": "b"}}]}}) == {"role a has disablePassword and a passwordSecret. Leave one of them."}
	refused({"managed": {"services": {"disabledDefaultServices": ["rw"], "additional": [{"selectorType": "rw", "serviceTemplate": {"metadata": {"name": "orders-ro"}, "spec": {"selector": {"a": "b"}}}}]}}}) == {
		"the service rw cannot be disabled. Take it out.",
		"orders-ro is the name of a service of the operator's own. Take another name.",
		"an additional service has a selector, which the operator writes. Take spec.selector out.",
	}
	refused({"managed": {"services": {"additional": [{"selectorType": "rw", "serviceTemplate": {}}]}}}) == {"an additional service has no name. Write serviceTemplate.metadata.name."}
}

test_certificates if {
	refused({"certificates": {"serverTLSSecret": "a", "serverAltDNSNames": ["b"]}}) == {
		"certificates.serverTLSSecret stands without serverCASecret. Write serverCASecret too.",
		"certificates.serverAltDNSNames stands beside serverTLSSecret, which has its own names. Take one of them out.",
	}
	refused({"certificates": {"replicationTLSSecret": "a", "clientCASecret": "b"}}) == set()
}

# One that is there has begun already.
test_replica_that_is_there if {
	reviewed := manifests.review({}, {"replica": {"enabled": true, "source": "a"}, "externalClusters": [{"name": "a", "connectionParameters": {}}]})
	check.findings == set() with input as object.union(reviewed, {"review": {"object": {"metadata": {"resourceVersion": "1"}}}})
}

test_kubeblocks if {
	found := check.findings with input as {"review": {"object": {
		"apiVersion": "apps.kubeblocks.io/v1",
		"kind": "Cluster",
		"metadata": {"name": "orders", "namespace": "prod"},
		"spec": {"clusterDef": "postgresql", "terminationPolicy": "Halt", "componentSpecs": [{"name": "postgresql", "replicas": 2}]},
	}}}
	{f.path | some f in found} == {["spec", "terminationPolicy"]}
}

named(name) := {f.message | some f in found} if found := check.findings with input as object.union(manifests.review({}, {}), {"review": {"object": {"metadata": {"name": name}}}})

test_name if {
	named("CLUSTER_NAME") == set()
	named("Orders_db") == {"CloudNativePG refuses this resource: Orders_db is not a DNS label, which begins with a letter and has small letters, digits and \"-\". Take another name."}
	named(concat("", ["a" | some _ in numbers.range(1, 51)])) == {"CloudNativePG refuses this resource: the name has 51 characters, and 50 are the most. Shorten it."}
}

test_volumes_and_archives if {
	refused({"walStorage": {"storageClass": "fast"}}) == {"walStorage has no size. Write walStorage.size, or a request in its pvcTemplate."}
	refused({"walStorage": {"pvcTemplate": {"resources": {"requests": {"storage": "1Gi"}}}}}) == set()
	store := {"destinationPath": "s3://b", "s3Credentials": {"inheritFromIAMRole": true}}
	refused({"backup": {"barmanObjectStore": object.union(store, {"googleCredentials": {}})}}) == {"backup.barmanObjectStore has credentials of two clouds. Leave one of them."}
	refused({"backup": {"barmanObjectStore": store}, "plugins": [{"name": "p", "isWALArchiver": true}, {"name": "q", "isWALArchiver": true}]}) == {
		"a plugin is the WAL archiver, and backup.barmanObjectStore is configured too. Take backup.barmanObjectStore out.",
		"2 plugins are the WAL archiver. Leave isWALArchiver with one of them.",
	}
}

test_scheduling if {
	refused({"affinity": {"podAntiAffinityType": "hard"}}) == {"podAntiAffinityType is \"hard\". Write preferred or required."}
	refused({"affinity": {"tolerations": [{"key": "a", "operator": "Exists", "value": "b"}, {"value": "c"}]}}) == {
		"a toleration with operator Exists has a value. Take the value out.",
		"a toleration has no key and an operator that is not Exists. Write the key, or operator: Exists.",
	}
}

test_logical_slots if {
	synchronised := {"replicationSlots": {"highAvailability": {"enabled": true, "synchronizeLogicalDecoding": true}}}
	refused(synchronised) == {"synchronizeLogicalDecoding needs hot_standby_feedback=on and sync_replication_slots=on. Set them among the parameters."}
	said({"hot_standby_feedback": "on", "sync_replication_slots": "true"}, synchronised) == set()
	said({"pg_failover_slots.wait_for_inactive_slots": "on", "hot_standby_feedback": "on"}, synchronised) == set()
}

test_schema if {
	said({}, {"instances": "3"}) == {"The API server refuses this resource: instances is a text. Write a whole number, without quotes."}
}

beside(kind, name, spec) := {[f.message, f.resource.kind] | some f in found} if {
	found := check.findings with input as object.union(
		manifests.review({}, {}),
		{"inventory": {"namespace": {"prod": {"postgresql.cnpg.io/v1": {kind: {name: {
			"apiVersion": "postgresql.cnpg.io/v1",
			"kind": kind,
			"metadata": {"name": name, "namespace": "prod"},
			"spec": object.union({"cluster": {"name": "orders"}}, spec),
		}}}}}}},
	)
}

test_pooler if {
	beside("Pooler", "p", {"pgbouncer": {"parameters": {"listen_port": "6432", "max_client_conn": "100"}}}) == {["CloudNativePG refuses this resource: listen_port is not among the parameters of PgBouncer that a Pooler takes. Take it out: the operator writes it.", "Pooler"]}
	beside("Pooler", "p", {"pgbouncer": {"parameters": {"pool_mode": "session"}}}) == {["CloudNativePG refuses this resource: pool_mode is not among the parameters of PgBouncer that a Pooler takes. Write spec.pgbouncer.poolMode.", "Pooler"]}
	beside("Pooler", "orders", {"pgbouncer": {}}) == {["CloudNativePG refuses this resource: the Pooler has the name of its cluster. Give it another one.", "Pooler"]}
	beside("Pooler", "p", {"pgbouncer": {"authQuery": "SELECT 1"}}) == {["CloudNativePG refuses this resource: the Pooler has authQuery and no authQuerySecret. Write both, or leave both out.", "Pooler"]}
	beside("Pooler", "p", {"cluster": {"name": "other"}, "pgbouncer": {"parameters": {"listen_port": "6432"}}}) == set()
}

# Of a patch, and of fields that are filled in, no more is known.
test_fields_that_are_missing if {
	beside("Database", "d", {"name": "shop"}) == {["The API server refuses this resource: Database d has no owner, which its schema requires. Write owner.", "Database"]}
	beside("Publication", "p", {"name": "all", "dbname": "shop"}) == {["The API server refuses this resource: Publication p has no target, which its schema requires. Write target.", "Publication"]}
	beside("Subscription", "s", {"name": "all", "dbname": "shop", "publicationName": "all"}) == {["The API server refuses this resource: Subscription s has no externalClusterName, which its schema requires. Write externalClusterName.", "Subscription"]}
	beside("Subscription", "s", {"name": "all", "dbname": "shop"}) == set()
	beside("Database", "d", {"name": "shop", "${FIELDS}": ""}) == set()
	beside("Database", "d", {"name": "shop", "cluster": {"name": "other"}}) == set()
}

# validateBackupConfiguration asks barman-cloud, and of a store that it is only read from nobody does.
azure(credentials) := {[f.message, f.path] | some f in found} if {
	found := check.findings with input as manifests.review({}, {"backup": {"barmanObjectStore": {"destinationPath": "https://acme.blob.core.windows.net/backups", "azureCredentials": credentials}}})
}

refused_by_azure(text) := {[sprintf("CloudNativePG refuses this resource: azureCredentials %s.", [text]), ["spec", "backup", "barmanObjectStore", "azureCredentials"]]}

test_azure if {
	key := {"name": "azure", "key": "k"}
	azure({"storageKey": key}) == refused_by_azure("has storageKey and no storageAccount. Write storageAccount too")
	azure({"storageSasToken": key}) == refused_by_azure("has storageSasToken and no storageAccount. Write storageAccount too")
	azure({"connectionString": key, "storageAccount": key, "storageKey": key}) == refused_by_azure("has connectionString and storageAccount and storageKey. Keep connectionString only")
	azure({"storageAccount": key, "storageKey": key, "inheritFromAzureAD": true}) == refused_by_azure("has inheritFromAzureAD and storageKey, of which it takes one. Leave one of them")
	azure({"storageAccount": key, "inheritFromAzureAD": false}) == refused_by_azure("names no way to log in. Write connectionString, or storageAccount with storageKey, or inheritFromAzureAD: true where the pod has an identity")
	every taken in [{"storageAccount": key, "storageKey": key}, {"connectionString": key}, {"inheritFromAzureAD": true}, {"useDefaultAzureCredentials": true}, {"storageAccount": key, "storageKey": key, "storageSasToken": null}, {"storageKey": "${KEY}"}] {
		azure(taken) == set()
	}
}

test_database if {
	beside("Database", "d", {"name": "postgres", "owner": "shop"}) == {["CloudNativePG refuses this resource: postgres is PostgreSQL's own database, and a Database cannot be called so. Take another name.", "Database"]}
	beside("Database", "d", {"name": "shop", "owner": "shop"}) == set()
}

team(name, spec, objects) := {[f.message, f.path] | some f in found} if {
	found := check.findings with input as {
		"review": {"object": {"apiVersion": "acid.zalan.do/v1", "kind": "postgresql", "metadata": {"name": name, "namespace": "prod"}, "spec": object.union({"numberOfInstances": 2, "postgresql": {"version": "17"}, "volume": {"size": "1Gi"}}, spec)}},
		"inventory": {"namespace": {"ops": objects}},
	}
}

graded_team(objects) := {f.severity | some f in found} if {
	found := check.findings with input as {
		"review": {"object": {"apiVersion": "acid.zalan.do/v1", "kind": "postgresql", "metadata": {"name": "shop", "namespace": "prod"}, "spec": {"teamId": "devops", "numberOfInstances": 2, "postgresql": {"version": "17"}, "volume": {"size": "1Gi"}}}},
		"inventory": {"namespace": {"ops": objects}},
	}
}

configured(configuration) := {"acid.zalan.do/v1": {"OperatorConfiguration": {"o": {"apiVersion": "acid.zalan.do/v1", "kind": "OperatorConfiguration", "metadata": {"name": "o", "namespace": "ops"}, "configuration": configuration}}}}

mapped(settings) := {"v1": {"ConfigMap": {"o": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "o", "namespace": "ops"}, "data": settings}}}}

test_name_without_the_team if {
	everywhere := configured({"enable_team_id_clustername_prefix": true, "kubernetes": {"watched_namespace": "*"}})
	team("shop", {"teamId": "devops"}, everywhere) == {["Zalando Postgres Operator refuses this resource: the name shop does not begin with \"devops-\", its teamId, which enable_team_id_clustername_prefix asks for. Call it devops-shop, or set the option to false.", ["metadata", "name"]]}
	count(team("shop", {"teamId": "devops"}, mapped({"enable_team_id_clustername_prefix": "true", "watched_namespace": "prod"}))) == 1
	team("DevOps-shop", {"teamId": "devops"}, everywhere) == set()
	team("shop", {"teamId": "${TEAM}"}, everywhere) == set()
	team("shop", {"teamId": ""}, everywhere) == set()
}

# The option is off unless it is set, and where nothing says which namespaces the operator watches, another one may be meant.
test_name_of_another_operator if {
	team("shop", {"teamId": "devops"}, configured({"enable_team_id_clustername_prefix": false, "kubernetes": {"watched_namespace": "*"}})) == set()
	team("shop", {"teamId": "devops"}, {}) == set()
	graded_team(configured({"enable_team_id_clustername_prefix": true})) == {"warning"}
	graded_team(mapped({"enable_team_id_clustername_prefix": "true"})) == set()
	object_of_it := {"apiVersion": "acid.zalan.do/v1", "kind": "postgresql", "metadata": {"name": "shop", "namespace": "prod"}, "spec": {"teamId": "devops", "postgresql": {"version": "17"}}}
	own_objects := {"prod": {"acid.zalan.do/v1": {"OperatorConfiguration": {"o": {"apiVersion": "acid.zalan.do/v1", "kind": "OperatorConfiguration", "metadata": {"name": "o", "namespace": "prod"}, "configuration": {"enable_team_id_clustername_prefix": true}}}}}}
	found := check.findings with input as {"review": {"object": object_of_it}, "inventory": {"namespace": own_objects}}
	count(found) == 1
}

# The first in the alphabet is thought to be the older one.
test_two_databases_of_one_name if {
	objects := {name: {
		"apiVersion": "postgresql.cnpg.io/v1",
		"kind": "Database",
		"metadata": {"name": name, "namespace": "prod"},
		"spec": {"name": wanted, "owner": "shop", "cluster": {"name": "orders"}},
	} |
		some name, wanted in {"a": "shop", "b": "shop", "c": "other", "d": "${NAME}", "e": "${NAME}"}
	}
	found := check.findings with input as object.union(manifests.review({}, {}), {"inventory": {"namespace": {"prod": {"postgresql.cnpg.io/v1": {"Database": objects}}}}})
	{[f.message, f.resource.name] | some f in found} == {["CloudNativePG refuses this resource: Database a is for shop of this cluster too. Leave one of the two.", "b"]}
}

# Single fields (fields.rego).
stored_with(credentials) := {"backup": {"barmanObjectStore": {"destinationPath": "s3://b", "s3Credentials": credentials}}}

test_keys_and_a_role if {
	keys := {"accessKeyId": {"name": "s3", "key": "id"}, "secretAccessKey": {"name": "s3", "key": "secret"}}
	refused(stored_with(object.union(keys, {"inheritFromIAMRole": true}))) == {"s3Credentials have keys and inheritFromIAMRole. Leave one of them."}
	refused(stored_with(keys)) == set()
	refused(stored_with({"inheritFromIAMRole": true})) == set()
}

test_environment if {
	refused({"env": [{"name": "PGDATA", "value": "/data"}, {"name": "TZ", "value": "UTC"}, {"name": "${PGX}", "value": "a"}]}) == {"the variable PGDATA is reserved for the operator. Take it out; parameters and the place of the data have fields of their own."}
}

tablespaces(names) := {"tablespaces": [{"name": name, "storage": {"size": "1Gi"}} | some name in names]}

test_tablespaces if {
	refused(tablespaces(["hot", "pg_cold"])) == {"pg_cold is not a name of a tablespace that it takes. Write letters, digits and \"_\", no digit first and no pg_ in front."}
	refused(tablespaces(["a-b"])) == {"a-b is not a name of a tablespace that it takes. Write letters, digits and \"_\", no digit first and no pg_ in front."}
	refused(tablespaces(["hot", "Hot"])) == {"two tablespaces are called Hot. Give them different names."}
	refused(tablespaces(["hot", "cold", "${X}", "${X}"])) == set()
}

test_supervised if {
	refused({"instances": 1, "primaryUpdateStrategy": "supervised"}) == {"primaryUpdateStrategy is supervised with a single instance. Take it out, or run more instances."}
	refused({"primaryUpdateStrategy": "supervised"}) == set()
}

test_ldap if {
	refused({"postgresql": {"ldap": {"server": "a", "bindAsAuth": {"prefix": "cn="}, "bindSearchAuth": {"baseDN": "a"}}}}) == {"ldap has bindAsAuth and bindSearchAuth. Leave one of them."}
	refused({"postgresql": {"ldap": {"server": "a", "bindAsAuth": {"prefix": "cn="}}}}) == set()
}

test_image_name if {
	refused({"imageName": "corp.example/postgresql:latest"}) == {"the image has the tag latest, by which it sees no upgrade. Write the version of PostgreSQL into the tag."}
	refused({"imageName": "corp.example/postgresql@sha256:0000"}) == {"the image has a digest and no tag, by which it knows the version. Write the version of PostgreSQL in front of it, as in name:17.6@sha256:…."}
	refused({"imageName": "corp.example/postgresql:17.6@sha256:0000"}) == set()
	refused({"imageName": "${IMAGE}"}) == set()
}

recovered(snapshots, more) := refused(object.union({"bootstrap": {"recovery": {"volumeSnapshots": snapshots}}}, more))

test_snapshots if {
	snapshot := {"name": "a", "kind": "VolumeSnapshot", "apiGroup": "snapshot.storage.k8s.io"}
	wal := {"walStorage": {"size": "1Gi"}}
	recovered({"storage": {"name": "a", "kind": "VolumeSnapshot"}}, {}) == {"volumeSnapshots.storage is neither a VolumeSnapshot of snapshot.storage.k8s.io nor a PersistentVolumeClaim. Write kind: VolumeSnapshot and apiGroup: snapshot.storage.k8s.io."}
	recovered({"storage": snapshot, "walStorage": snapshot}, {}) == {"volumeSnapshots.walStorage is there and spec.walStorage is not. Write walStorage as the cluster had it whose snapshot this is."}
	recovered({"storage": snapshot, "walStorage": {"name": "b", "kind": "PersistentVolumeClaim"}}, wal) == set()
	recovered({"storage": {"name": "a", "kind": "${KIND}"}}, {}) == set()
}

test_wal_volume if {
	said({"min_wal_size": "2GB", "max_wal_size": "4GB"}, {"walStorage": {"size": "2Gi"}}) == {"CloudNativePG refuses this resource: min_wal_size=2GB is not less than the WAL volume of 2Gi. Lower it, or enlarge walStorage."}
	said({"min_wal_size": "2GB", "max_wal_size": "4GB"}, {"walStorage": {"size": "8Gi"}}) == set()
	said({"min_wal_size": "${SIZE}"}, {"walStorage": {"size": "1Gi"}}) == set()
}

annotated(annotations) := {f.message | some f in found} if found := check.findings with input as object.union(manifests.review({}, {}), {"review": {"object": {"metadata": {"annotations": annotations}}}})

test_hibernation if {
	annotated({"cnpg.io/hibernation": "true"}) == {"CloudNativePG refuses this resource: cnpg.io/hibernation is \"true\". Write \"on\" or \"off\"."}
	annotated({"cnpg.io/hibernation": "on"}) == set()
	annotated({"cnpg.io/hibernation": "${STATE}"}) == set()
}

test_failover_slots if {
	said({"pg_failover_slots.wait_for_inactive_slots": "on"}, {}) == {"CloudNativePG refuses this resource: pg_failover_slots needs hot_standby_feedback=on. Set hot_standby_feedback among the parameters."}
	said({"pg_failover_slots.wait_for_inactive_slots": "on", "hot_standby_feedback": "${FEEDBACK}"}, {}) == set()
}

plugin(name, parameters) := {"name": name, "isWALArchiver": true, "parameters": parameters}

test_plugin_of_another_name if {
	refused({"plugins": [plugin("barman-cloud", {"barmanObjectName": "a"})]}) == {"there is no plugin barman-cloud. Write barman-cloud.cloudnative-pg.io."}
	refused({"plugins": [plugin("barman-cloud.cloudnative-pg.io", {"barmanObjectName": "a"})]}) == set()
	refused({"plugins": [plugin("walg.example.com", {"barmanObjectName": "a"})]}) == set()
	refused({"externalClusters": [{"name": "a", "plugin": {"name": "plugin-barman-cloud", "parameters": {"barmanObjectName": "b"}}}]}) == {"there is no plugin plugin-barman-cloud. Write barman-cloud.cloudnative-pg.io."}
}

catalogued(images) := {f.message | some f in found} if {
	found := check.findings with input as {
		"review": {"object": {
			"apiVersion": "postgresql.cnpg.io/v1",
			"kind": "Cluster",
			"metadata": {"name": "orders", "namespace": "prod"},
			"spec": {"instances": 3, "imageCatalogRef": {"apiGroup": "postgresql.cnpg.io", "kind": "ImageCatalog", "name": "c", "major": 17}},
		}},
		"inventory": {"namespace": {"prod": {"postgresql.cnpg.io/v1": {"ImageCatalog": {"c": {
			"apiVersion": "postgresql.cnpg.io/v1",
			"kind": "ImageCatalog",
			"metadata": {"name": "c", "namespace": "prod"},
			"spec": {"images": images},
		}}}}}},
	}
}

test_major_that_the_catalogue_lacks if {
	catalogued([{"major": 16, "image": "a:16.1"}]) == {"CloudNativePG refuses this resource: ImageCatalog c has no image of PostgreSQL 17. Add it to the catalogue, or name a major that is there."}
	catalogued([{"major": 16, "image": "a:16.1"}, {"major": 17, "image": "a:17.1"}]) == set()
	catalogued([{"major": "${MAJOR}", "image": "a"}]) == set()
	catalogued([]) == set()
}

test_extensions_without_an_image if {
	image := {"image": {"reference": "a:1"}}
	refused({"postgresql": {"extensions": [{"name": "a"}, object.union({"name": "b"}, image)]}}) == {"extension a has no image.reference, and there is no imageCatalogRef that could name one. Write image.reference."}
	refused({"postgresql": {"extensions": [object.union({"name": "a"}, image), object.union({"name": "a"}, image)]}}) == {"extension a is there twice. Leave one of them."}
	refused({"postgresql": {"extensions": [{"name": "a"}]}, "imageCatalogRef": {"apiGroup": "postgresql.cnpg.io", "kind": "ImageCatalog", "name": "elsewhere", "major": 18}}) == {"imageName stands beside imageCatalogRef. Leave one of them."}
	refused({"postgresql": {"extensions": ["${EXTENSION}", {"name": "a", "image": {"reference": "${IMAGE}"}}]}}) == set()
}

referring(reference, inventory) := {trim_prefix(f.message, "CloudNativePG refuses this resource: ") | some f in found} if {
	found := check.findings with input as {
		"review": {"object": {
			"apiVersion": "postgresql.cnpg.io/v1",
			"kind": "Cluster",
			"metadata": {"name": "orders", "namespace": "prod"},
			"spec": {"instances": 3, "imageCatalogRef": object.union({"apiGroup": "postgresql.cnpg.io", "major": 17}, reference)},
		}},
		"inventory": inventory,
	}
}

catalogue_of(kind, namespace) := {"c": {
	"apiVersion": "postgresql.cnpg.io/v1",
	"kind": kind,
	"metadata": {"name": "c", "namespace": namespace},
	"spec": {"images": [{"major": 17, "image": "a:17.1"}]},
}}

of_cluster := {"cluster": {"postgresql.cnpg.io/v1": {"ClusterImageCatalog": catalogue_of("ClusterImageCatalog", "")}}}

in_namespace(namespace) := {"namespace": {namespace: {"postgresql.cnpg.io/v1": {"ImageCatalog": catalogue_of("ImageCatalog", namespace)}}}}

test_catalogue_of_the_other_kind if {
	referring({"kind": "ImageCatalog", "name": "c"}, of_cluster) == {"there is no ImageCatalog c in the namespace, only a ClusterImageCatalog of that name: the operator makes no pod before it has found the image. Write kind: ClusterImageCatalog."}
	referring({"kind": "ClusterImageCatalog", "name": "c"}, in_namespace("prod")) == {"there is no ClusterImageCatalog c, only an ImageCatalog of that name in the namespace: the operator makes no pod before it has found the image. Write kind: ImageCatalog."}

	# The one that is meant is there, or none of that name is in sight.
	referring({"kind": "ImageCatalog", "name": "c"}, object.union(of_cluster, in_namespace("prod"))) == set()
	referring({"kind": "ClusterImageCatalog", "name": "c"}, object.union(of_cluster, in_namespace("prod"))) == set()
	referring({"kind": "ImageCatalog", "name": "other"}, of_cluster) == set()
	referring({"kind": "ImageCatalog", "name": "c"}, {}) == set()
	referring({"kind": "ClusterImageCatalog", "name": "c"}, in_namespace("stage")) == set()
}

test_catalogue_of_another_namespace if {
	referring({"kind": "ImageCatalog", "name": "c"}, in_namespace("stage")) == {"there is no ImageCatalog c in the namespace, only one in stage: the operator makes no pod before it has found the image. Create it in prod, or make it a ClusterImageCatalog."}

	# It is another cluster's.
	user := {"namespace": {"stage": {"postgresql.cnpg.io/v1": {"Cluster": {"a": {
		"apiVersion": "postgresql.cnpg.io/v1",
		"kind": "Cluster",
		"metadata": {"name": "a", "namespace": "stage"},
		"spec": {"instances": 3, "imageCatalogRef": {"kind": "ImageCatalog", "name": "c", "major": 17}},
	}}}}}}
	referring({"kind": "ImageCatalog", "name": "c"}, object.union(in_namespace("stage"), user)) == set()
}

# PGO and Percona's operator (lib/crunchy/refused.rego).
crunchy(spec, objects) := {trim_prefix(f.message, "Crunchy Postgres for Kubernetes refuses this resource: ") | some f in found} if {
	found := check.findings with input as {
		"review": {"object": {"apiVersion": "postgres-operator.crunchydata.com/v1beta1", "kind": "PostgresCluster", "metadata": {"name": "hippo", "namespace": "prod"}, "spec": spec}},
		"inventory": {"namespace": {"prod": {"postgres-operator.crunchydata.com/v1beta1": {"PostgresCluster": objects}}}},
	}
}

test_crunchy_names_twice if {
	crunchy({"users": [{"name": "a"}, {"name": "b"}, {"name": "a"}]}, {}) == {"two of users are called a. Give them different names."}
	crunchy({"users": [{"name": "${A}"}, {"name": "${A}"}]}, {}) == set()
}

test_crunchy_passwords if {
	crunchy({"users": [{"name": "app", "options": "NOSUPERUSER password 'a'"}]}, {}) == {"the options of user app set a password. Take it out; the password stands in Secret hippo-pguser-app, which may be written beforehand."}
	crunchy({"users": [{"name": "app", "options": "CREATEDB"}]}, {}) == set()
}

test_crunchy_standby if {
	crunchy({"standby": {"enabled": true}}, {}) == {"standby.enabled stands without host and repoName. Write host, the address of the primary, or repoName, the repository that it archives to."}
	crunchy({"standby": {"enabled": true, "repoName": "repo1"}}, {}) == set()
	crunchy({"standby": {"enabled": true, "host": "10.0.0.1"}}, {}) == set()
	crunchy({"standby": {"enabled": false}}, {}) == set()
}

source(repos) := {"rhino": {"metadata": {"name": "rhino", "namespace": "prod"}, "spec": {"backups": {"pgbackrest": {"repos": repos}}}}}

test_crunchy_source if {
	copy := {"dataSource": {"postgresCluster": {"clusterName": "rhino", "repoName": "repo2"}}}
	crunchy(copy, source([{"name": "repo1"}])) == {"PostgresCluster rhino has no repository repo2. Name one that it has."}
	crunchy(copy, source([{"name": "repo1"}, {"name": "repo2"}])) == set()
	crunchy(copy, source([{"name": "${REPO}"}])) == set()
	crunchy(copy, source([])) == set()
	crunchy(copy, {}) == set()
}

changed(old, new) := {f.message |
	some f in check.findings with input as {"review": {
		"operation": "UPDATE",
		"oldObject": manifests.review({}, old).review.object,
		"object": manifests.review({}, new).review.object,
	}}
}

tablespace(name) := {"name": name, "storage": {"size": "10Gi"}}

test_changes if {
	changed({"postgresUID": 101}, {"postgresUID": 100}) == {"CloudNativePG refuses this resource: postgresUID goes from 101 to 100, and it cannot be changed. Write the old number, or make a new cluster for the image of another user and bring the data over."}
	changed({}, {"postgresGID": 1000}) == {"CloudNativePG refuses this resource: postgresGID goes from 26 to 1000, and it cannot be changed. Write the old number, or make a new cluster for the image of another user and bring the data over."}
	changed({"walStorage": {"size": "10Gi"}}, {}) == {"CloudNativePG refuses this resource: walStorage is taken away, and a cluster that has a volume for WAL keeps it. Write walStorage again."}
	changed({"tablespaces": [tablespace("a"), tablespace("b")]}, {"tablespaces": [tablespace("a")]}) == {"CloudNativePG refuses this resource: tablespace b is taken away, and none can be. Write it again, or move what is in it into a new cluster."}
	changed({"primaryUpdateMethod": "switchover"}, {"primaryUpdateMethod": "switchover", "imageName": "ghcr.io/cloudnative-pg/postgresql:17.6", "postgresql": {"parameters": {"work_mem": "8MB"}}}) == {"CloudNativePG refuses this resource: the image and work_mem change at once, which it does not take with primaryUpdateMethod switchover. Change the image first and the parameters afterwards."}
	changed({"imageName": "postgres:13.5"}, {"imageName": "postgres:15.4"}) == {"CloudNativePG refuses this resource: PostgreSQL 13 becomes 15, and its pg_upgrade goes to 16 or a later one. Upgrade to 16 or later in one step."}
}

test_changes_that_it_takes if {
	changed({}, {"postgresUID": 26, "walStorage": {"size": "10Gi"}, "tablespaces": [tablespace("a")]}) == set()
	changed({"primaryUpdateMethod": "switchover"}, {"primaryUpdateMethod": "switchover", "imageName": "ghcr.io/cloudnative-pg/postgresql:17.6"}) == set()
	changed({"primaryUpdateMethod": "restart"}, {"primaryUpdateMethod": "restart", "imageName": "ghcr.io/cloudnative-pg/postgresql:17.6", "postgresql": {"parameters": {"work_mem": "8MB"}}}) == set()
	changed({"imageName": "postgres:16.5"}, {"imageName": "postgres:17.6"}) == set()
}

slots(prefix) := {"replicationSlots": {"highAvailability": {"enabled": true, "slotPrefix": prefix}}}

test_prefix_of_the_slots if {
	changed(slots("_a_"), slots("_b_")) == {"CloudNativePG refuses this resource: replicationSlots.highAvailability.slotPrefix changes while the slots are in use. Disable highAvailability first, then enable it with the new prefix."}
	changed(slots("_a_"), slots("_a_")) == set()
}

# What an upgrade that failed left behind is still of the old major.
test_back_to_an_older_major if {
	old := object.union(manifests.review({}, {"imageName": "postgres:18.1"}).review.object, {"status": {"pgDataImageInfo": {"majorVersion": 18}}})
	undone := object.union(old, {"status": {"pgDataImageInfo": {"majorVersion": 17}}})
	new := manifests.review({}, {"imageName": "postgres:17.6"}).review.object
	found := check.findings with input as {"review": {"operation": "UPDATE", "oldObject": old, "object": new}}
	{f.message | some f in found} == {"CloudNativePG refuses this resource: PostgreSQL 18 becomes 17, and no server reads the data of a later one. Take an image of 18; to go back, recover a backup of before into a new cluster."}
	check.findings == set() with input as {"review": {"operation": "UPDATE", "oldObject": undone, "object": new}}
}

backup(fields) := {"apiVersion": "postgresql.cnpg.io/v1", "kind": "Backup", "metadata": {"name": "now", "namespace": "prod"}, "spec": object.union({"cluster": {"name": "orders"}}, fields)}

backed_up(spec, asked) := {f.message |
	some f in check.findings with input as object.union(
		manifests.review({}, spec),
		{"inventory": {"namespace": {"prod": {"postgresql.cnpg.io/v1": {"Backup": {"now": asked}}}}}},
	)
}

plugged := {"plugins": [{"name": "barman-cloud.cloudnative-pg.io", "isWALArchiver": true, "parameters": {"barmanObjectName": "store"}}]}

by_plugin := {"method": "plugin", "pluginConfiguration": {"name": "barman-cloud.cloudnative-pg.io"}}

test_backup_by_a_method_that_is_not_there if {
	backed_up(plugged, backup({})) == {"CloudNativePG refuses to take this backup: Backup now is of the method barmanObjectStore, which the cluster does not configure. Write method: plugin with pluginConfiguration.name."}
	backed_up({}, backup(by_plugin)) == {"CloudNativePG refuses to take this backup: Backup now is of the method plugin, which the cluster does not configure. Name the plugin in spec.plugins of the Cluster, or take another method."}
	backed_up({}, backup({"method": "volumeSnapshot"})) == {"CloudNativePG refuses to take this backup: Backup now is of the method volumeSnapshot, which the cluster does not configure. Configure it in spec.backup of the Cluster, or take another method."}
	backed_up(plugged, backup(by_plugin)) == set()
	backed_up(plugged, backup({"method": "${METHOD}"})) == set()
	backed_up(plugged, object.union(backup({}), {"status": {"phase": "failed"}})) == set()
}

of_another(more) := object.union(backup(more), {"spec": {"cluster": {"name": "old"}}})

test_recovery_by_reference_to_a_backup_of_a_plugin if {
	recovered := {"bootstrap": {"recovery": {"backup": {"name": "now"}}}}
	backed_up(recovered, of_another(by_plugin)) == {"CloudNativePG refuses this resource: Backup now was made by a plugin, and none restores by reference to a Backup (\"missing Azure credentials\"). Describe the store in externalClusters[].plugin and name that in recovery.source, with backupID and targetImmediate in recoveryTarget for this one."}
	backed_up(recovered, of_another({})) == set()
	backed_up(recovered, of_another({"method": "volumeSnapshot"})) == set()
	backed_up({"bootstrap": {"recovery": {"backup": {"name": "other"}}}}, of_another(by_plugin)) == set()
}

replica(fields) := said({}, {"bootstrap": {"recovery": {"source": "a"}}, "externalClusters": [{"name": "a", "plugin": {"name": "p"}}, {"name": "orders", "plugin": {"name": "p"}}], "replica": object.union({"source": "a", "promotionToken": "eyJ"}, fields)})

test_promotion_token if {
	replica({"primary": "a"}) == {"CloudNativePG refuses this resource: promotionToken stands in a replica cluster, and is for the one that becomes the primary. Take it out."}
	replica({"enabled": true}) == {"CloudNativePG refuses this resource: promotionToken stands in a replica cluster, and is for the one that becomes the primary. Take it out."}
	replica({"primary": "orders", "minApplyDelay": "1h"}) == {"CloudNativePG refuses this resource: minApplyDelay stands beside promotionToken. Take minApplyDelay out for the promotion."}
	replica({"primary": "orders"}) == set()
	replica({"enabled": false}) == set()
}

spread(kind, spec) := {[f.path, f.message] | some f in found; contains(f.message, "duplicate entries")} if {
	found := check.findings with input as {"review": {"object": object.union(
		{
			"crunchy": {"apiVersion": "postgres-operator.crunchydata.com/v1beta1", "kind": "PostgresCluster"},
			"percona": {"apiVersion": "pgv2.percona.com/v2", "kind": "PerconaPGCluster"},
		}[kind],
		{"metadata": {"name": "rhino", "namespace": "prod"}, "spec": spec},
	)}}
}

constraint(key, mode) := {"maxSkew": 1, "topologyKey": key, "whenUnsatisfiable": mode}

test_spread_as_the_operator_does if {
	{[path, contains(message, "duplicate entries")] | some [path, message] in spread("crunchy", {"proxy": {"pgBouncer": {"topologySpreadConstraints": [constraint("zone", "ScheduleAnyway"), constraint("kubernetes.io/hostname", "ScheduleAnyway")]}}})} == {[["spec", "proxy", "pgBouncer", "topologySpreadConstraints", 1], true]}
	{path | some [path, _] in spread("percona", {"instances": [{"name": "a", "topologySpreadConstraints": [constraint("topology.kubernetes.io/zone", "ScheduleAnyway")]}]})} == {["spec", "instances", 0, "topologySpreadConstraints", 0]}
	{path | some [path, _] in spread("crunchy", {"backups": {"pgbackrest": {"repoHost": {"topologySpreadConstraints": [constraint("kubernetes.io/hostname", "ScheduleAnyway")]}}}})} == {["spec", "backups", "pgbackrest", "repoHost", "topologySpreadConstraints", 0]}
}

test_spread_otherwise if {
	spread("crunchy", {"proxy": {"pgBouncer": {"topologySpreadConstraints": [constraint("kubernetes.io/hostname", "DoNotSchedule")]}}}) == set()
	spread("crunchy", {"disableDefaultPodScheduling": true, "proxy": {"pgBouncer": {"topologySpreadConstraints": [constraint("kubernetes.io/hostname", "ScheduleAnyway")]}}}) == set()
	spread("crunchy", {"proxy": {"pgBouncer": {"topologySpreadConstraints": [constraint("rack", "ScheduleAnyway"), constraint("${KEY}", "ScheduleAnyway")]}}}) == set()
}

test_tag_without_a_version if {
	refused({"imageName": "registry.example.com/pg/custom:trunk-v1"}) == {"the tag trunk-v1 does not begin with the version of PostgreSQL, which it reads there (\"invalid version tag\"). Write the version in front of it, as in 17.6-custom, or name the image and its major in an ImageCatalog."}
	count(refused({"imageName": "postgres:test_12"})) == 1
	refused({"imageName": "registry.example.com/pg/custom:17.6-trunk-v1"}) == set()
	refused({"imageName": "postgres:17beta1"}) == set()
	refused({"imageName": "postgres:${TAG}"}) == set()
	refused({"imageName": "registry.example.com:5000/postgres:17"}) == set()
}

# The claims of instances and repositories.
claimed(claim) := crunchy({"instances": [{"name": "a", "dataVolumeClaimSpec": claim}]}, {})

test_claims_of_pgo if {
	claimed(["ReadWriteOnce"]) == {"dataVolumeClaimSpec is not a map. Write accessModes and resources.requests.storage below it."}
	claimed({"accessModes": ["ReadWriteOnce"]}) == {"the claim of dataVolumeClaimSpec has no resources.requests.storage, which the API server asks for. Write resources.requests.storage."}
	claimed({"resources": {"requests": {"storage": "10Gi"}}}) == {"the claim of dataVolumeClaimSpec has no accessModes, which the API server asks for. Write accessModes."}
	claimed({"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "10Gi"}}}) == set()
	claimed({"accessModes": ["ReadWriteOnce"], "resources": "${RESOURCES}"}) == set()
	claimed("{{ claim }}") == set()
	crunchy({"backups": {"pgbackrest": {"repos": [{"name": "repo1", "volume": {"volumeClaimSpec": ["ReadWriteOnce"]}}]}}}, {}) == {"volumeClaimSpec is not a map. Write accessModes and resources.requests.storage below it."}
}

kubegres(fields) := {trim_prefix(f.message, "Kubegres refuses this resource: ") | some f in found} if {
	found := check.findings with input as {"review": {"object": {"apiVersion": "kubegres.reactive-tech.io/v1", "kind": "Kubegres", "metadata": {"name": "orders", "namespace": "prod"}, "spec": object.union({"replicas": 3, "image": "postgres:17.6"}, fields)}}}
}

from_secret(name) := {"name": name, "valueFrom": {"secretKeyRef": {"name": "orders", "key": name}}}

test_passwords_of_kubegres if {
	both := [from_secret("POSTGRES_PASSWORD"), from_secret("POSTGRES_REPLICATION_PASSWORD")]
	kubegres({"env": [both[0]]}) == {"spec.env has no POSTGRES_REPLICATION_PASSWORD. Add it, from a Secret."}
	kubegres({"env": [both[0], {"name": "POSTGRES_REPLICATION_PASSWORD", "value": "x"}]}) == {"POSTGRES_REPLICATION_PASSWORD has a value, and the copies of the primary take the one of a Secret only (valueFrom), so that no replica starts. Write valueFrom.secretKeyRef."}
	kubegres({"env": both}) == set()
	kubegres({"env": [{"name": "POSTGRES_INITDB_ARGS", "value": "--data-checksums"}]}) == set()
	kubegres({"env": both, "replicas": 1}) == set()
}

test_backup_of_kubegres if {
	kubegres({"backup": {"schedule": "0 1 * * *", "volumeMount": "/dumps"}}) == {"spec.backup has a schedule and no pvcName. Write pvcName, or take the schedule out."}
	kubegres({"backup": {"schedule": "0 1 * * *", "volumeMount": "/dumps", "pvcName": "dumps"}}) == set()
	kubegres({"backup": {}}) == set()
}

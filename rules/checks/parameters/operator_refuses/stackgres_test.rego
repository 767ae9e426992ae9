package walguard.checks.parameters.operator_refuses_stackgres_test

import data.walguard.checks.parameters.operator_refuses as check

named(kind, name, spec) := object_of("stackgres.io/v1", kind, name, {"spec": spec})

object_of(version, kind, name, content) := object.union({"apiVersion": version, "kind": kind, "metadata": {"name": name, "namespace": "prod"}}, content)

cluster(spec) := named("SGCluster", "orders", object.union({"instances": 3, "postgres": {"version": "17.6"}, "pods": {"persistentVolume": {"size": "20Gi"}}}, spec))

# Messages without who refuses.
said_of(reviewed, others) := {split(f.message, "refuses this resource: ")[1] |
	found := check.findings with input as {
		"review": {"object": reviewed},
		"inventory": {"namespace": {"prod": object.union_n([{one.apiVersion: {one.kind: {one.metadata.name: one}}} | some one in others])}},
	}
	some f in found
}

said(spec, others) := said_of(cluster(spec), others)

test_replication if {
	said({"replication": {"mode": "sync", "syncInstances": 3}}, []) == {"replication.syncInstances is 3, and the cluster has 3 instances, of which one is the primary. Write less than instances."}
	said({"replication": {"role": "primary"}}, []) == {"replication.role is \"primary\". Write ha or ha-read."}
	every replication in [{"mode": "strict-sync", "syncInstances": 2}, {"mode": "async", "syncInstances": 3}, {"mode": "sync", "syncInstances": "${N}"}, {"role": "ha-read"}, {"role": "${ROLE}"}] {
		said({"replication": replication}, []) == set()
	}
	said({"instances": 0, "replication": {"mode": "sync", "syncInstances": 1}}, []) == set()
}

test_configuration_of_another_major if {
	spec := {"configurations": {"sgPostgresConfig": "conf"}}
	said(spec, [named("SGPostgresConfig", "conf", {"postgresVersion": "16"})]) == {"SGPostgresConfig conf is for PostgreSQL 16, and the cluster has 17: the operator creates and changes nothing. Name one with postgresVersion: \"17\"."}
	every version in ["17", "${VERSION}"] {
		said(spec, [named("SGPostgresConfig", "conf", {"postgresVersion": version})]) == set()
	}
	said(spec, []) == set()
	said(object.union(spec, {"postgres": {"version": "latest"}}), [named("SGPostgresConfig", "conf", {"postgresVersion": "16"})]) == set()
}

test_sources if {
	external := {"external": {"host": "db.example.com", "port": 5432}}
	users := {"authenticator": {}, "replication": {}, "superuser": {}}
	every one in [
		[{}, "replicateFrom has neither instance nor storage. Write one of them."],
		[{"instance": object.union(external, {"sgCluster": "main"})}, "replicateFrom.instance has both sgCluster and external. Leave one of them."],
		[{"instance": {"sgCluster": "main"}, "users": users}, "replicateFrom.users stands beside an SGCluster, whose users it takes. Take users out."],
		[{"instance": {"sgCluster": "main"}, "storage": {"path": "x", "sgObjectStorage": "s"}}, "replicateFrom.storage stands beside an SGCluster, whose storage it takes. Take storage out."],
		[{"instance": external}, "replicateFrom has no users, with which it logs in to a server that is no SGCluster. Write superuser, replication and authenticator in users."],
	] {
		said({"replicateFrom": one[0]}, []) == {one[1]}
	}
	every source in [{"instance": {"sgCluster": "main"}}, {"instance": external, "users": users}, {"storage": {"path": "x", "sgObjectStorage": "s"}, "users": users}, {"${KEY}": "a"}] {
		said({"replicateFrom": source}, []) == set()
	}
}

restore(from) := {"initialData": {"restore": {"fromBackup": from}}}

test_restores if {
	said(restore({"name": "b", "targetName": "x", "targetXid": "5"}), []) == {"targetName and targetXid stand beside one another in fromBackup. Leave one of them."}
	said(restore({"name": "b", "pointInTimeRecovery": {"restoreToTimestamp": "2025-01-01 10:00:00"}}), []) == {"restoreToTimestamp is \"2025-01-01 10:00:00\", which is no moment of ISO 8601. Write it as 2026-01-31T12:00:00Z."}
	every moment in ["2025-01-01T10:00:00Z", "2025-01-01T10:00:00.5+02:00", "${MOMENT}"] {
		said(restore({"name": "b", "pointInTimeRecovery": {"restoreToTimestamp": moment}}), []) == set()
	}
}

backed_up(status) := object_of("stackgres.io/v1", "SGBackup", "b", {"spec": {"sgCluster": "former"}, "status": status})

test_restores_of_a_backup if {
	said(restore({"name": "b"}), [backed_up({"process": {"status": "Failed"}})]) == {"SGBackup b has failed: the operator creates nothing. Restore from another one."}
	old := backed_up({"process": {"status": "Completed"}, "backupInformation": {"postgresVersion": "160004"}})
	said(restore({"name": "b"}), [old]) == {"SGBackup b is of PostgreSQL 16, and the cluster has 17: the operator creates nothing. Restore from another one."}
	every version in ["170002", "17.4"] {
		said(restore({"name": "b"}), [backed_up({"process": {"status": "Completed"}, "backupInformation": {"postgresVersion": version}})]) == set()
	}
	said(restore({"name": "b"}), []) == set()

	# A cluster that runs has read it.
	said_of(object.union(cluster(restore({"name": "b"})), {"status": {"conditions": [{"type": "Bootstrapped"}]}}), [old]) == set()
}

managed(ids) := {"managedSql": {"scripts": [object.union({"sgScript": "sql"}, id) | some id in ids]}}

script(entry) := named("SGScript", "sql", {"scripts": [entry]})

test_scripts if {
	said(managed([{"id": 1}, {"id": 1}, {"id": 1}]), []) == {"two entries of managedSql.scripts have the id 1. Leave the ids out, or number them."}
	said(managed([{"id": 1}, {"id": 2}, {}, {}]), []) == set()
	said(managed([{}]), [script({"name": "a"})]) == {"script 1 of SGScript sql has neither script nor scriptFrom. Write one of them."}
	said(managed([{}]), [script({"script": "SELECT 1", "scriptFrom": {"secretKeyRef": {"name": "a", "key": "b"}}})]) == {"script 1 of SGScript sql has both script and scriptFrom. Write one of them."}
	every entry in [{"script": "SELECT 1"}, {"scriptFrom": {"secretKeyRef": {"name": "a", "key": "b"}}}, {"${KEY}": "a"}] {
		said(managed([{}]), [script(entry)]) == set()
	}
}

storage(spec) := object_of("stackgres.io/v1beta1", "SGObjectStorage", "store", {"spec": spec})

test_storages if {
	archived := {"configurations": {"backups": [{"sgObjectStorage": "store"}]}}
	said(archived, [storage({"type": "minio", "s3": {"bucket": "b"}})]) == {"SGObjectStorage store has the type \"minio\". Write s3, s3Compatible, gcs or azureBlob."}
	said(archived, [storage({"type": "s3", "gcs": {"bucket": "b"}})]) == {"SGObjectStorage store has the type s3 and no section of that name. Write s3."}
	said(archived, [storage({"type": "s3", "gcs": {"bucket": "b"}, "s3": {"bucket": "b"}})]) == {"SGObjectStorage store has the type s3, and gcs as well. Leave s3 only."}
	every spec in [{"type": "s3", "s3": {"bucket": "b"}}, {"type": "${TYPE}", "s3": {"bucket": "b"}}] {
		said(archived, [storage(spec)]) == set()
	}
	said(archived, []) == set()
}

said_with(spec) := said({"sgInstanceProfile": "size"}, [named("SGInstanceProfile", "size", spec)])

test_profiles if {
	said_with({"cpu": "500mi", "memory": "1GB"}) == {
		"SGInstanceProfile size has cpu \"500mi\", which is no quantity. Write a number, or thousandths such as 500m.",
		"SGInstanceProfile size has memory \"1GB\", which is no quantity. Write 1Gi.",
	}
	said_with({"cpu": "1", "memory": "1Gi", "hugePages": {"hugepages-2Mi": "3Mi"}}) == {"SGInstanceProfile size has hugepages-2Mi of 3Mi, which is no multiple of 2Mi. Write a multiple of 2Mi."}
	said_with({"cpu": "1", "memory": "1Gi", "hugePages": {"hugepages-2Mi": "2Gi"}}) == {"SGInstanceProfile size has more huge pages than memory. Raise memory, of which they are a part."}
	said_with({"cpu": "500m", "memory": "4Gi", "hugePages": {"hugepages-1Gi": "1Gi", "hugepages-2Mi": "2Mi"}}) == set()
	said_with({"cpu": "${CPU}", "memory": "${MEMORY}"}) == set()
}

done(spec) := said({}, [named("SGDbOps", "op", object.union({"sgCluster": "orders"}, spec))])

test_operations if {
	done({"op": "vacuum", "repack": {}}) == {"SGDbOps op is of the op vacuum and has a section repack. Take repack out."}
	done({"op": "benchmark"}) == {"SGDbOps op is of the op benchmark and has no section benchmark. Write benchmark."}
	done({"op": "restart", "runAt": "2025-01-01 00:00"}) == {"SGDbOps op has runAt \"2025-01-01 00:00\", which is no moment of ISO 8601. Write it as 2026-01-31T12:00:00Z."}
	done({"op": "restart", "timeout": "1h"}) == {"SGDbOps op has timeout \"1h\", which is no duration of ISO 8601. Write it as PT1H30M."}
	done({"op": "minorVersionUpgrade", "minorVersionUpgrade": {"postgresVersion": "18.1"}}) == {"SGDbOps op is a minor upgrade to PostgreSQL 18, and the cluster has 17. Write a version of the same major, or op: majorVersionUpgrade."}
	done({"op": "majorVersionUpgrade", "majorVersionUpgrade": {"postgresVersion": "16.4"}}) == {"SGDbOps op is a major upgrade to PostgreSQL 16, and the cluster has 17 already. Write a later major."}
	every spec in [
		{"op": "restart"}, {"op": "vacuum", "vacuum": {}}, {"op": "restart", "runAt": "2025-01-01T00:00:00Z", "timeout": "PT1H30M"}, {"op": "restart", "runAt": "${AT}", "timeout": "${TIME}"},
		{"op": "minorVersionUpgrade", "minorVersionUpgrade": {"postgresVersion": "17.7"}}, {"op": "majorVersionUpgrade", "majorVersionUpgrade": {"postgresVersion": "18.1"}}, {"op": "${OP}"}, {"sgCluster": "other", "op": "benchmark"},
	] {
		done(spec) == set()
	}
	said({}, [object_of("stackgres.io/v1", "SGDbOps", "op", {"spec": {"sgCluster": "orders", "op": "benchmark"}, "status": {}})]) == set()
}

test_backup_without_backups if {
	asked := named("SGBackup", "now", {"sgCluster": "orders"})
	said({}, [asked]) == {"SGBackup now is of a cluster without configurations.backups, and is never taken. Configure backups in the cluster."}
	said({"configurations": {"backups": [{"sgObjectStorage": "store"}]}}, [asked]) == set()
	said({"configurations": {"backups": "${BACKUPS}"}}, [asked]) == set()
	said({}, [object.union(asked, {"status": {"process": {"status": "Failed"}}})]) == set()
}

# Of shards nothing is said.
test_shards if {
	sharded := object_of("stackgres.io/v1alpha1", "SGShardedCluster", "orders", {"spec": {"shards": {"clusters": 2, "instancesPerCluster": 2}, "replication": {"role": "primary"}, "replicateFrom": {}}})
	said_of(sharded, []) == set()
}

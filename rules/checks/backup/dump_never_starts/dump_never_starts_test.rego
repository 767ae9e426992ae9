package walguard.checks.backup.dump_never_starts_test

import data.walguard.checks.backup.dump_never_starts as check

job(name, spec) := {
	"apiVersion": "batch/v1",
	"kind": "CronJob",
	"metadata": {"name": name, "namespace": "prod"},
	"spec": object.union({"schedule": "0 3 * * *", "jobTemplate": {"spec": {"template": {"spec": {"restartPolicy": "Never", "containers": [{"image": "postgres", "args": ["pg_dump", "-h", "orders", "-f", "/dumps/a"]}]}}}}}, spec),
}

findings(specs) := findings_of(specs, [])

findings_of(specs, args) := found if {
	found := check.findings with input as {
		"review": {"object": {
			"apiVersion": "apps/v1", "kind": "StatefulSet",
			"metadata": {"name": "db", "namespace": "prod"},
			"spec": {"serviceName": "orders", "template": {"spec": {"containers": [{"name": "postgres", "image": "postgres:17.6", "args": args}]}}},
		}},
		"inventory": {"namespace": {"prod": {"batch/v1": {"CronJob": {name: job(name, spec) | some name, spec in specs}}}}},
	}
}

messages(specs) := {f.message | some f in findings(specs)}

test_always_late if {
	findings({"dump": {"startingDeadlineSeconds": 0}}) == {{
		"message": "startingDeadlineSeconds of 0 makes CronJob dump miss every start: the controller is always a moment late, and no dump is made. Set it to 600, or leave it out.",
		"path": ["spec", "startingDeadlineSeconds"],
		"resource": {"apiVersion": "batch/v1", "kind": "CronJob", "name": "dump", "namespace": "prod"},
	}}
}

test_soon_late if {
	messages({"dump": {"startingDeadlineSeconds": 5}}) == {"startingDeadlineSeconds of 5 makes CronJob dump skip its dump whenever the controller is busy or restarts for that long. Set it to 600, or leave it out."}
}

test_no_such_day if {
	messages({"dump": {"schedule": "0 3 30 2 *"}}) == {"Schedule \"0 3 30 2 *\" of CronJob dump names a day that does not exist, so no dump is ever made. Correct it."}
}

test_suspended if {
	messages({"dump": {"suspend": true}}) == {"CronJob dump is suspended, and no other backup of the database was found. Resume it."}
	count(messages({"dump": {"suspend": true}, "weekly": {"suspend": true}})) == 2
}

test_not_reported if {
	every spec in [
		{}, {"startingDeadlineSeconds": 10}, {"startingDeadlineSeconds": 3600}, {"startingDeadlineSeconds": "${SECONDS}"}, {"startingDeadlineSeconds": null},
		{"suspend": false}, {"suspend": "${SUSPEND}"}, {"schedule": "@daily"}, {"schedule": "0 3 31 * *"}, {"schedule": "${SCHEDULE}"}, {"schedule": 3},
	] {
		findings({"dump": spec}) == set()
	}
	findings({"dump": {"suspend": true}, "weekly": {}}) == set()
	findings({}) == set()
}

# WAL is archived, and base backups are somebody's business.
test_suspended_beside_an_archive if {
	findings_of({"dump": {"suspend": true}}, ["-c", "archive_mode=on", "-c", "archive_command=wal-g wal-push %p"]) == set()
}

asked(container) := {f.message | some f in findings({"dump": {"jobTemplate": {"spec": {"template": {"spec": {"containers": [object.union({"image": "postgres:17.6"}, container)]}}}}}})}

test_joined_arguments if {
	asked({"command": ["pg_dump"], "args": ["-h orders", "-F custom", "-f /dumps/a"]}) == {`CronJob dump gives pg_dump "-h orders" as one argument: the value begins with a blank (" orders"), and every dump fails. Write option and value as two items.`}
	asked({"args": ["/usr/bin/pg_dump", "--host orders", "-p 5432"]}) == {`CronJob dump gives pg_dump "--host orders" as one argument: no option is called so, and every dump fails. Write option and value as two items.`}
	count(asked({"command": ["pg_dump", "-h", "orders", "-U $(PGUSER)"]})) == 1
}

# A shell parts them; numbers may have a blank before them, and a name may hold one.
test_parted_arguments if {
	every container in [
		{"command": ["sh", "-c", "pg_dump -h orders -F custom -f /dumps/a"]},
		{"command": ["pg_dump"], "args": ["-h", "orders", "-p 5432", "-j 4", "--file=/dumps/a b"]},
		{"command": ["pg_dump", "-h", "orders", "-d", "host=orders dbname=app"]},
	] {
		asked(container) == set()
	}
}

test_role_that_may_not if {
	found := check.findings with input as {
		"review": {"object": {"apiVersion": "postgresql.cnpg.io/v1", "kind": "Cluster", "metadata": {"name": "orders", "namespace": "prod"}, "spec": {"instances": 1}}},
		"inventory": {"namespace": {"prod": {"batch/v1": {"CronJob": {"dump": job("dump", {"jobTemplate": {"spec": {"template": {"spec": {"restartPolicy": "Never", "containers": [{"image": "postgres:17", "args": ["pg_dumpall", "-h", "orders-rw", "-U", "app", "-f", "/dumps/a"], "env": [{"name": "PGPASSWORD", "value": "x"}]}]}}}}})}}}}},
	}
	found == {{
		"message": "CronJob dump runs pg_dumpall as app, who is no superuser and may not read the passwords of the roles (pg_authid): every dump fails. Run it as a superuser.",
		"path": ["spec", "jobTemplate", "spec", "template", "spec", "containers", 0, "args"],
		"resource": {"apiVersion": "batch/v1", "kind": "CronJob", "name": "dump", "namespace": "prod"},
	}}
}

# ------------------------------------------------------------------------------------------------- claims of a node

mounting(claim, classes, kind, changes) := mounting_as("dump", {}, claim, classes, kind, changes)

mounting_as(name, more, claim, classes, kind, changes) := {f.message | some f in found} if {
	pod := object.union({"restartPolicy": "Never", "containers": [{"image": "postgres:17", "args": ["pg_dump", "-h", "db"]}], "volumes": [{"name": "a", "emptyDir": {}}, {"name": "dumps", "persistentVolumeClaim": {"claimName": "dumps"}}]}, changes)
	spec := object.union({"Job": {"template": {"spec": pod}}, "CronJob": {"schedule": "0 3 * * *", "jobTemplate": {"spec": {"template": {"spec": pod}}}}}[kind], more)
	found := check.findings with input as {
		"review": {"object": {
			"apiVersion": "apps/v1",
			"kind": "StatefulSet",
			"metadata": {"name": "db", "namespace": "prod"},
			"spec": {"serviceName": "db", "template": {"spec": {
				"containers": [{"name": "postgres", "image": "postgres:17.6", "volumeMounts": [{"name": "backup", "mountPath": "/backup"}]}],
				"volumes": [{"name": "backup", "persistentVolumeClaim": {"claimName": "dumps"}}, {"name": "unused", "persistentVolumeClaim": {"claimName": "other"}}],
			}}},
		}},
		"inventory": {
			"cluster": {"storage.k8s.io/v1": {"StorageClass": classes}},
			"namespace": {"prod": {
				"v1": {"PersistentVolumeClaim": {one: {"metadata": {"name": one, "namespace": "prod"}, "spec": claim} | some one in ["dumps", "other"]}},
				"batch/v1": {kind: {name: {"apiVersion": "batch/v1", "kind": kind, "metadata": {"name": name, "namespace": "prod"}, "spec": spec}}},
			}},
		},
	}
}

once(class) := {"accessModes": ["ReadWriteOnce"], "storageClassName": class}

held := "mounts claim dumps, which the server's pod holds, and ReadWriteOnce admits one node: scheduled to another it hangs in ContainerCreating, and there is no backup. Add a required podAffinity to the server's labels, or a claim of its own."

test_claim_of_another_node if {
	every kind in ["Job", "CronJob"] {
		mounting(once("gp3"), {}, kind, {}) == {sprintf("%s dump %s", [kind, held])}
	}
	mounting(once("files"), {"files": {"provisioner": "ebs.csi.aws.com"}}, "Job", {}) == {sprintf("Job dump %s", [held])}
	mounting(once("gp3"), {}, "Job", {"affinity": {"podAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [{}]}}}) == {sprintf("Job dump %s", [held])}
	mounting({"accessModes": ["ReadWriteOncePod"], "storageClassName": "gp3"}, {}, "Job", {"nodeName": "a"}) == {"Job dump mounts claim dumps, which the server's pod holds, and ReadWriteOncePod admits no second pod: it never starts, and there is no backup. Give it a claim of its own."}
	count(mounting(once("gp3"), {}, "Job", {"volumes": [{"name": name, "persistentVolumeClaim": {"claimName": "dumps"}} | some name in ["a", "b"]]})) == 1
}

test_claim_of_the_same_node if {
	every at in [
		{"affinity": {"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [{}]}}},
		{"affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {}}}},
		{"nodeSelector": {"kubernetes.io/hostname": "a"}},
		{"nodeName": "a"},
	] {
		mounting(once("gp3"), {}, "Job", at) == set()
	}
}

test_claim_of_all_nodes if {
	every claim in [
		{"accessModes": ["ReadWriteMany"], "storageClassName": "gp3"},
		{"accessModes": ["ReadWriteOnce", "ReadWriteMany"], "storageClassName": "gp3"},
		{"accessModes": ["ReadWriteOnce"]},
		once("${CLASS}"),
	] {
		mounting(claim, {}, "Job", {}) == set()
	}
	every class in ["local-path", "hostpath", "host-path", "topolvm", "openebs-lvm", "zfs", "nfs-client", "efs", "azurefile", "cephfs", "gluster", "smb", "cifs", "rwx", "shared"] {
		mounting(once(class), {}, "Job", {}) == set()
		mounting(once("gp3"), {"gp3": {"provisioner": class}}, "Job", {}) == set()
	}
	mounting(once("gp3"), {}, "Job", {"volumes": [{"name": "a", "persistentVolumeClaim": {"claimName": "other"}}]}) == set()
	mounting(once("gp3"), {}, "Job", {"volumes": [{"name": "a", "persistentVolumeClaim": {"claimName": "mine"}}]}) == set()
	mounting(once("gp3"), {}, "Job", {"containers": [{"image": "tidy:1"}]}) == {sprintf("Job dump %s", [held])}
}

test_other_jobs if {
	mounting_as("tidy", {}, once("gp3"), {}, "Job", {"containers": [{"image": "tidy:1", "args": ["clean"]}]}) == set()
	count(mounting_as("nightly", {}, once("gp3"), {}, "Job", {"containers": [{"image": "backup:1"}]})) == 1
	count(mounting_as("nightly", {}, once("gp3"), {}, "Job", {"containers": [{"image": "a:1", "command": ["pg_dump"]}]})) == 1
	mounting_as("dump", {"suspend": true}, once("gp3"), {}, "Job", {}) == set()
	mounting_as("dump", {}, {"accessModes": ["ReadOnlyMany"], "storageClassName": "gp3"}, {}, "Job", {}) == set()
}

# ------------------------------------------------------------------------------------------------------------ mesh

meshed_namespace := {"cluster": {"v1": {"Namespace": {"prod": {"metadata": {"name": "prod", "annotations": {"linkerd.io/inject": "enabled"}}}}}}}

meshed(version, kind, spec, inventory) := {[f.path, f.message] |
	found := check.findings with input as {
		"review": {"object": {"apiVersion": version, "kind": kind, "metadata": {"name": "orders", "namespace": "prod"}, "spec": spec}},
		"inventory": inventory,
	}
	some f in found
}

disabled := {"annotations": {"linkerd.io/inject": "disabled"}}

test_backup_jobs_that_never_end if {
	repos := {"repos": [{"name": "repo1", "volume": {}}]}
	every case in [["postgres-operator.crunchydata.com/v1beta1", "PostgresCluster"], ["pgv2.percona.com/v2", "PerconaPGCluster"]] {
		meshed(case[0], case[1], {"backups": {"pgbackrest": repos}}, meshed_namespace) == {[["spec", "backups", "pgbackrest"], "Linkerd's proxy in the backup jobs does not end with the backup unless it is a native sidecar: they stay active, and no further backup starts. Set linkerd.io/inject: disabled in spec.backups.pgbackrest.metadata.annotations."]}
		meshed(case[0], case[1], {"metadata": {"annotations": {"linkerd.io/inject": "enabled"}}, "backups": {"pgbackrest": repos}}, {}) != set()
		meshed(case[0], case[1], {"backups": {"pgbackrest": object.union(repos, {"metadata": disabled})}}, meshed_namespace) == set()
		meshed(case[0], case[1], {"metadata": disabled, "backups": {"pgbackrest": repos}}, meshed_namespace) == set()
		meshed(case[0], case[1], {"backups": {"pgbackrest": repos}}, {}) == set()
		meshed(case[0], case[1], {"backups": {}}, meshed_namespace) == set()
	}
	meshed("pgv2.percona.com/v2", "PerconaPGCluster", {"backups": {"enabled": false, "pgbackrest": repos}}, meshed_namespace) == set()
}

test_logical_backup_that_never_ends if {
	logical := {"enableLogicalBackup": true}
	meshed("acid.zalan.do/v1", "postgresql", logical, meshed_namespace) == {[["spec", "enableLogicalBackup"], "Linkerd's proxy in the jobs of the logical backup does not end with the backup unless it is a native sidecar: they stay active, and no further backup starts. Set linkerd.io/inject: disabled in spec.podAnnotations."]}
	meshed("acid.zalan.do/v1", "postgresql", {"enableLogicalBackup": false}, meshed_namespace) == set()
	meshed("acid.zalan.do/v1", "postgresql", object.union(logical, {"podAnnotations": disabled.annotations}), meshed_namespace) == set()
	configured := {"namespace": {"ops": {"acid.zalan.do/v1": {"OperatorConfiguration": {"o": {
		"apiVersion": "acid.zalan.do/v1",
		"kind": "OperatorConfiguration",
		"metadata": {"name": "o", "namespace": "ops"},
		"configuration": {"kubernetes": {"custom_pod_annotations": disabled.annotations}},
	}}}}}}
	meshed("acid.zalan.do/v1", "postgresql", logical, object.union(meshed_namespace, configured)) == set()
}

dump_in_mesh(annotations, args) := meshed("apps/v1", "StatefulSet", {"serviceName": "orders", "template": {"spec": {"containers": [{"name": "postgres", "image": "postgres:17.6"}]}}}, object.union(meshed_namespace, {"namespace": {"prod": {"batch/v1": {"CronJob": {"dump": {
	"apiVersion": "batch/v1",
	"kind": "CronJob",
	"metadata": {"name": "dump", "namespace": "prod"},
	"spec": {"schedule": "0 3 * * *", "jobTemplate": {"spec": {"template": {"metadata": {"annotations": annotations}, "spec": {"restartPolicy": "Never", "containers": [{"image": "postgres:17.6", "args": args}]}}}}},
}}}}}}))

test_dump_that_never_ends if {
	args := ["pg_dump", "-h", "orders", "-f", "/dumps/a"]
	dump_in_mesh({}, args) == {[["spec", "jobTemplate"], "Linkerd's proxy in the pods of CronJob dump does not end with the dump unless it is a native sidecar: the job stays active. Annotate its pods with linkerd.io/inject: disabled, or with config.beta.linkerd.io/proxy-enable-native-sidecar: \"true\"."]}
	dump_in_mesh({"linkerd.io/inject": "disabled"}, args) == set()
	dump_in_mesh({"config.beta.linkerd.io/proxy-enable-native-sidecar": "true"}, args) == set()
	dump_in_mesh({}, array.concat(["linkerd-await", "--shutdown", "--"], args)) == set()
	dump_in_mesh({}, ["sh", "-c", "pg_dump -h orders -f /dumps/a; curl -X POST http://localhost:4191/shutdown"]) == set()
}

test_istio_of_an_old_revision if {
	old := {"cluster": {"v1": {"Namespace": {"prod": {"metadata": {"name": "prod", "labels": {"istio.io/rev": "1-24-2"}}}}}}}
	repos := {"repos": [{"name": "repo1", "volume": {}}]}
	said := "Istio's proxy in the backup jobs does not end with the backup unless native sidecars were turned on in revision 1-24-2, where their default is off: they stay active, and no further backup starts. Set sidecar.istio.io/inject: \"false\" in spec.backups.pgbackrest.metadata.annotations."
	every case in [["postgres-operator.crunchydata.com/v1beta1", "PostgresCluster"], ["pgv2.percona.com/v2", "PerconaPGCluster"]] {
		meshed(case[0], case[1], {"backups": {"pgbackrest": repos}}, old) == {[["spec", "backups", "pgbackrest"], said]}
		meshed(case[0], case[1], {"backups": {"pgbackrest": object.union(repos, {"metadata": {"labels": {"sidecar.istio.io/inject": "false"}}})}}, old) == set()
		meshed(case[0], case[1], {"metadata": {"annotations": {"sidecar.istio.io/inject": "false"}}, "backups": {"pgbackrest": repos}}, old) == set()
	}
	count(meshed("acid.zalan.do/v1", "postgresql", {"enableLogicalBackup": true}, old)) == 1
	meshed("acid.zalan.do/v1", "postgresql", {"enableLogicalBackup": true, "podAnnotations": {"sidecar.istio.io/inject": "false"}}, old) == set()
	dump_in_istio({}, ["pg_dump", "-h", "orders"], old) == {"Istio's proxy in the pods of CronJob dump does not end with the dump unless native sidecars were turned on in revision 1-24-2, where their default is off: the job stays active. Annotate its pods with sidecar.istio.io/inject: \"false\"."}
	dump_in_istio({"sidecar.istio.io/inject": "false"}, ["pg_dump", "-h", "orders"], old) == set()
	dump_in_istio({}, ["sh", "-c", "pg_dump -h orders; curl -sf -XPOST http://127.0.0.1:15020/quitquitquit"], old) == set()
}

dump_in_istio(labels, args, inventory) := {f.message |
	found := check.findings with input as {
		"review": {"object": {"apiVersion": "apps/v1", "kind": "StatefulSet", "metadata": {"name": "orders", "namespace": "prod"}, "spec": {"serviceName": "orders", "template": {"spec": {"containers": [{"name": "postgres", "image": "postgres:17.6"}]}}}}},
		"inventory": object.union(inventory, {"namespace": {"prod": {"batch/v1": {"CronJob": {"dump": {
			"apiVersion": "batch/v1",
			"kind": "CronJob",
			"metadata": {"name": "dump", "namespace": "prod"},
			"spec": {"schedule": "0 3 * * *", "jobTemplate": {"spec": {"template": {"metadata": {"labels": labels}, "spec": {"restartPolicy": "Never", "containers": [{"image": "postgres:17.6", "args": args}]}}}}},
		}}}}}}),
	}
	some f in found
}

# ------------------------------------------------------------------------------------------------- a volume of root's

dumping_to(container, pod, claim, objects) := {f.message |
	found := check.findings with input as {
		"review": {"object": {
			"apiVersion": "apps/v1", "kind": "StatefulSet",
			"metadata": {"name": "db", "namespace": "prod"},
			"spec": {"serviceName": "orders", "template": {"spec": {"containers": [{"name": "postgres", "image": "postgres:17.6"}]}}},
		}},
		"inventory": {
			"namespace": {"prod": {
				"batch/v1": {"CronJob": {"dump": job("dump", {"jobTemplate": {"spec": {"template": {"spec": object.union(
					{
						"containers": [object.union({"image": "postgres", "args": ["pg_dump", "-h", "orders", "-f", "/dumps/a"], "volumeMounts": [{"name": "out", "mountPath": "/dumps"}]}, container)],
						"volumes": [{"name": "out", "persistentVolumeClaim": {"claimName": "dumps"}}],
					},
					pod,
				)}}}})}},
				"v1": object.union({"PersistentVolumeClaim": {"dumps": {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "dumps", "namespace": "prod"}, "spec": object.union({"accessModes": ["ReadWriteOnce"], "storageClassName": "gp3"}, claim)}}}, objects),
			}},
			"cluster": {"storage.k8s.io/v1": {"StorageClass": {
				"disks": {"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "metadata": {"name": "disks"}, "provisioner": "csi.hetzner.cloud"},
				"gp2": {"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "metadata": {"name": "gp2"}, "provisioner": "rancher.io/local-path"},
			}}},
		},
	}
	some f in found
}

run_by(user) := {"securityContext": {"runAsUser": user}}

test_volume_of_root if {
	message := {"CronJob dump dumps to /dumps as user 999, and a new volume of claim dumps belongs to root: \"Permission denied\", and there is no dump. Set fsGroup: 999 in the securityContext of its pod."}
	dumping_to(run_by(999), {}, {}, {}) == message
	dumping_to({}, run_by(999), {}, {}) == message
	dumping_to(run_by(999), run_by(0), {"storageClassName": "disks"}, {}) == message
	count(dumping_to(object.union(run_by(70), {"image": "prodrigestivill/postgres-backup-local:17", "args": [], "env": [{"name": "POSTGRES_HOST", "value": "orders"}], "volumeMounts": [{"name": "out", "mountPath": "/backups"}]}), {}, {}, {})) == 1
}

test_volume_that_may_be_written_to if {
	dumping_to({}, {}, {}, {}) == set()
	dumping_to(run_by(0), run_by(999), {}, {}) == set()
	dumping_to(run_by(999), {"securityContext": {"fsGroup": 999}}, {}, {}) == set()
	dumping_to(run_by(999), {"securityContext": {"supplementalGroups": [999]}}, {}, {}) == set()
	dumping_to(run_by(999), {"initContainers": [{"name": "own", "image": "busybox"}]}, {}, {}) == set()
	dumping_to(object.union(run_by(999), {"volumeMounts": [{"name": "out", "mountPath": "/elsewhere"}]}), {}, {}, {}) == set()
	every claim in [{"volumeName": "pv"}, {"dataSource": {"name": "a"}}, {"accessModes": ["ReadWriteMany"]}, {"storageClassName": "gp2"}, {"storageClassName": "own"}, {"storageClassName": null}] {
		dumping_to(run_by(999), {}, claim, {}) == set()
	}
	dumping_to(run_by(999), {}, {}, {"Pod": {"other": {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "other", "namespace": "prod"}, "spec": {"volumes": [{"name": "a", "persistentVolumeClaim": {"claimName": "dumps"}}]}}}}) == set()
}

# ---------------------------------------------------------------------------------------------- what is refused

of_pod(api_version, pod) := {[f.severity, f.message] |
	some f in check.findings with input as {
		"review": {"object": {
			"apiVersion": "apps/v1", "kind": "StatefulSet",
			"metadata": {"name": "db", "namespace": "prod"},
			"spec": {"serviceName": "orders", "template": {"spec": {"containers": [{"name": "postgres", "image": "postgres:17.6"}]}}},
		}},
		"inventory": {"namespace": {"prod": {api_version: {"CronJob": {"dump": object.union(
			job("dump", {"jobTemplate": {"spec": {"template": {"spec": pod}}}}),
			{"apiVersion": api_version},
		)}}}}},
	}
}

dumper := [{"image": "postgres", "args": ["pg_dump", "-h", "orders", "-f", "/dumps/a"]}]

test_policy if {
	refused := {["error", "The API server refuses CronJob dump: the restartPolicy of a job's pods must be OnFailure or Never. Write OnFailure."]}
	of_pod("batch/v1", {"containers": dumper, "restartPolicy": ""}) == refused
	of_pod("batch/v1", {"containers": dumper, "restartPolicy": "Always"}) == refused
	every policy in ["OnFailure", "Never", "${POLICY}"] {
		of_pod("batch/v1", {"containers": dumper, "restartPolicy": policy}) == set()
	}
}

test_version_gone if {
	of_pod("batch/v1beta1", {"containers": dumper, "restartPolicy": "Never"}) == {["error", "The API server has had no batch/v1beta1 since Kubernetes 1.25: CronJob dump is not created, and no dump is made. Write batch/v1."]}
}

# ------------------------------------------------------------------------------------------------------- passwords

said_of(env, server_env, script) := {f.message |
	some f in check.findings with input as {
		"review": {"object": {
			"apiVersion": "apps/v1", "kind": "StatefulSet",
			"metadata": {"name": "db", "namespace": "prod"},
			"spec": {
				"serviceName": "orders",
				"template": {"spec": {"containers": [{
					"name": "postgres", "image": "postgres:17.6", "volumeMounts": [{"name": "data", "mountPath": "/var/lib/postgresql/data"}],
					"env": array.concat([{"name": "POSTGRES_PASSWORD", "valueFrom": {"secretKeyRef": {"name": "db", "key": "password"}}}], server_env),
				}]}},
				"volumeClaimTemplates": [{"metadata": {"name": "data"}, "spec": {"resources": {"requests": {"storage": "1Gi"}}}}],
			},
		}},
		"inventory": {"namespace": {"prod": {"batch/v1": {"CronJob": {"dump": job("dump", {"jobTemplate": {"spec": {"template": {"spec": {
			"restartPolicy": "Never",
			"containers": [{"image": "postgres", "command": ["sh", "-c", script], "env": env}],
		}}}}})}}}}},
	}
}

plain_dump := "pg_dump -h orders -U postgres -f /dumps/a"

test_no_password if {
	said_of([{"name": "TZ", "value": "UTC"}], [], plain_dump) == {"CronJob dump has no password for the server, which asks every client for one: \"fe_sendauth: no password supplied\", and there is no dump. Set PGPASSWORD from the Secret of the server."}
	said_of([{"name": "POSTGRES_PASSWORD", "value": "x"}], [], plain_dump) == {"CronJob dump has the password in POSTGRES_PASSWORD, which pg_dump does not read: \"fe_sendauth: no password supplied\", and there is no dump. Set PGPASSWORD from the Secret of the server."}
	every option in ["-W", "--password"] {
		said_of([{"name": "TZ", "value": "UTC"}], [], sprintf("pg_dump %s -h orders -f /dumps/a", [option])) == {"CronJob dump lets pg_dump ask for the password (-W, --password), and a job has no terminal to answer at, and there is no dump. Leave the option out, and set PGPASSWORD from the Secret of the server."}

		# Nothing is no answer, and libpq goes on to its variables.
		said_of([{"name": "PGPASSWORD", "value": "x"}], [], sprintf("pg_dump %s -h orders -f /dumps/a", [option])) == set()
	}
	said_of([{"name": "PGPASSWORD", "value": "x"}], [], "pg_dump --password=x -h orders -f /dumps/a") == {"CronJob dump gives pg_dump a password behind --password, which takes none (\"option '--password' doesn't allow an argument\"): there is no dump. Leave it out, and set PGPASSWORD."}
}

# It may be a sketch.
test_no_variable_at_all if said_of([], [], plain_dump) == set()

test_some_password if {
	every name in ["PGPASSWORD", "PGPASSFILE", "PGSERVICE"] {
		said_of([{"name": name, "valueFrom": {"secretKeyRef": {"name": "db", "key": "password"}}}], [], plain_dump) == set()
	}
	every script in [
		"PGPASSWORD=$POSTGRES_PASSWORD pg_dump -h orders -f /dumps/a",
		"pg_dump -f /dumps/a postgresql://postgres:x@orders/postgres",
		"pg_dump -f /dumps/a 'host=orders password=x'",
		". /etc/secret.env; pg_dump -h orders -f /dumps/a",
		"echo orders:5432:*:postgres:x > ~/.pgpass; pg_dump -h orders -f /dumps/a",
	] {
		said_of([], [], script) == set()
	}
	said_of([], [{"name": "POSTGRES_HOST_AUTH_METHOD", "value": "trust"}], plain_dump) == set()
	said_of([], [{"name": "POSTGRES_HOST_AUTH_METHOD", "valueFrom": {"configMapKeyRef": {"name": "a", "key": "b"}}}], plain_dump) == set()
}

password := [{"name": "PGPASSWORD", "valueFrom": {"secretKeyRef": {"name": "db", "key": "password"}}}]

# The official image holds PostgreSQL and a shell.
test_program_that_the_image_lacks if {
	every script in ["pg_dump -h orders -f /tmp/a\naws s3 cp /tmp/a s3://dumps/", "set -e; pg_dump -h orders | \\\n  aws s3 cp - s3://dumps/a", "if pg_dump -h orders -f /tmp/a; then aws s3 cp /tmp/a s3://dumps/; fi"] {
		said_of(password, [], script) == {"The image postgres has no aws, which CronJob dump runs (\"aws: not found\"): what it should keep elsewhere goes nowhere. Install it in the script, or take an image that has it beside pg_dump."}
	}
	every script in [
		"apk add --no-cache aws-cli\npg_dump -h orders -f /tmp/a\naws s3 cp /tmp/a s3://dumps/",
		"export PATH=/tools:$PATH; pg_dump -h orders -f /tmp/a; aws s3 cp /tmp/a s3://dumps/",
		"pg_dump -h orders -f /dumps/aws-orders; echo aws s3",
		"pg_dump -h orders -f /dumps/a # aws s3 cp by hand",
	] {
		said_of(password, [], script) == set()
	}
}

scripted(script) := {[f.message, f.path] | some f in findings({"dump": {"jobTemplate": {"spec": {"template": {"spec": {"restartPolicy": "Never", "containers": [{"image": "example.com/backup:1", "command": ["bash", "-c", script]}]}}}}}})}

test_broken_pipe if {
	dump := "set -euo pipefail\npg_dump -h orders -Fc | mc pipe s3/a.dump\n"
	scripted(concat("", [dump, "mc cat s3/a.dump | pg_restore --list > /dev/null\n"])) == {[
		"CronJob dump fails with every dump above 64 kB: pg_restore --list ends before it has read all, and pipefail counts the SIGPIPE (141) of what writes to it. Let it read a file, or write | { pg_restore --list; cat > /dev/null; }.",
		["spec", "jobTemplate", "spec", "template", "spec", "containers", 0, "command"],
	]}
	every line in [
		"mc cat s3/a.dump | pg_restore -l >/dev/null 2>&1",
		"if ! aws s3 cp s3://b/a.dump - | pg_restore --list >/dev/null; then exit 1; fi",
		"gunzip -c /d/a.gz | pg_restore -Fc -l",
		"HEADER=$(zcat /d/a.gz | head -n 5)",
		"cat /d/a.dump | pg_restore --format=custom --list | grep -c TABLE",
	] {
		count(scripted(concat("", [dump, line, "\n"]))) == 1
	}
	every line in [
		"pg_restore --list /d/a.dump > /dev/null",
		"mc cat s3/a.dump | pg_restore --list /d/a.dump > /dev/null",
		"mc cat s3/a.dump | { pg_restore --list > /dev/null; cat > /dev/null; }",
		"mc cat s3/a.dump | pg_restore --list > /dev/null || true",
		"mc cat s3/a.dump | pg_restore -f /dev/null",
		"mc ls s3/ | head -n 1",
		"ls -t /d | head -1",
		"set +o pipefail; mc cat s3/a.dump | pg_restore --list",
		"mc cat s3/a.dump | pg_restore --list; rc=${PIPESTATUS[1]}",
	] {
		scripted(concat("", [dump, line, "\n"])) == set()
	}

	# The script goes on, or only the last program counts.
	scripted("set -o pipefail\npg_dump -h orders -Fc | mc pipe s3/a.dump\nmc cat s3/a.dump | pg_restore --list") == set()
	scripted("set -e\npg_dump -h orders -Fc -f /d/a.dump\ncat /d/a.dump | pg_restore --list") == set()
	scripted("set -eo pipefail\npg_dump -h stock -Fc -f /d/a.dump\ncat /d/a.dump | pg_restore --list") == set()
}

in_file(command) := {f.path | some f in found} if {
	found := check.findings with input as {
		"review": {"object": {
			"apiVersion": "apps/v1", "kind": "StatefulSet",
			"metadata": {"name": "db", "namespace": "prod"},
			"spec": {"serviceName": "orders", "template": {"spec": {"containers": [{"name": "postgres", "image": "postgres:17.6"}]}}},
		}},
		"inventory": {"namespace": {"prod": {
			"batch/v1": {"CronJob": {"dump": job("dump", {"jobTemplate": {"spec": {"template": {"spec": {
				"restartPolicy": "Never",
				"containers": [{"image": "example.com/backup:1", "command": command, "volumeMounts": [{"name": "s", "mountPath": "/scripts"}]}],
				"volumes": [{"name": "s", "configMap": {"name": "scripts"}}],
			}}}}})}},
			"v1": {"ConfigMap": {"scripts": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "scripts", "namespace": "prod"}, "data": {"backup.sh": "set -euo pipefail\npg_dump -h orders -Fc | mc pipe s3/a.dump\nmc cat s3/a.dump | pg_restore --list\n"}}}},
		}}},
	}
}

test_broken_pipe_in_a_file if {
	in_file(["/bin/bash", "/scripts/backup.sh"]) == {["data", "backup.sh"]}
	in_file(["/bin/bash", "-c", "exec /scripts/backup.sh"]) == {["data", "backup.sh"]}
	in_file(["/bin/bash", "/scripts/other.sh"]) == set()
}

beside_a_proxy(proxy, pod, spec) := {f.message |
	some f in findings({"dump": {"jobTemplate": {"spec": object.union(spec, {"template": {"spec": object.union({"containers": [{"image": "postgres:17.6", "args": ["pg_dump", "-h", "orders", "-f", "/dumps/a"]}, object.union({"name": "proxy"}, proxy)]}, pod)}})}}})
}

test_proxy_of_cloud_sql if {
	said := {"The proxy in container proxy of CronJob dump does not end with the dump: the job stays active, and its pods pile up. Move it to initContainers with restartPolicy: Always."}
	every image in ["gcr.io/cloudsql-docker/gce-proxy:1.33.16", "gcr.io/cloud-sql-connectors/cloud-sql-proxy:2.18.0", "gcr.io/alloydb-connectors/alloydb-auth-proxy:1.13.4"] {
		beside_a_proxy({"image": image}, {}, {}) == said
	}
	sql := "gcr.io/cloud-sql-connectors/cloud-sql-proxy:2.18.0"
	beside_a_proxy({"image": sql, "args": ["--quitquitquit"]}, {}, {}) == set()
	beside_a_proxy({"image": sql, "command": ["/bin/sh", "-c", "cloud-sql-proxy & wait-for-end"]}, {}, {}) == set()
	beside_a_proxy({"image": sql}, {"shareProcessNamespace": true}, {}) == set()
	beside_a_proxy({"image": sql}, {"activeDeadlineSeconds": 600}, {}) == set()
	beside_a_proxy({"image": sql}, {}, {"activeDeadlineSeconds": 600}) == set()
	beside_a_proxy({"image": "example.com/cloud-sql-proxy-that-ends:1"}, {}, {}) == set()
}

# One whose server is elsewhere, by itself.
by_itself(made, objects) := {f.message |
	found := check.findings with input as {"review": {"object": made}, "inventory": {"namespace": {"prod": objects}}}
	some f in found
}

script_of_backup(env) := object.union(job("dump", {}), {"spec": {"jobTemplate": {"spec": {"template": {"spec": {
	"securityContext": {"runAsUser": 1001},
	"containers": [{"name": "dump", "image": "postgres:17.6", "command": ["sh", "-c", "apk add aws-cli\n/scripts/backup.sh"], "env": env, "volumeMounts": [{"name": "s", "mountPath": "/scripts"}]}],
	"volumes": [{"name": "s", "configMap": {"name": "s"}}],
}}}}}})

test_job_by_itself if {
	unseen := [{"name": "PGHOST", "valueFrom": {"secretKeyRef": {"name": "elsewhere", "key": "host"}}}]
	scripts := {"v1": {"ConfigMap": {"s": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "s", "namespace": "prod"}, "data": {"backup.sh": "pg_dump -Fc | aws s3 cp - s3://b/a"}}}}}
	installing := {"CronJob dump runs apk add as user 1001, and that is root's to do (\"Permission denied\"): there is no dump. Take an image that has it, or let an init container fetch it."}
	by_itself(script_of_backup(unseen), scripts) == installing
	by_itself(script_of_backup(unseen), {}) == set()
	by_itself(script_of_backup([{"name": "PGHOST", "value": "db.example.com"}]), scripts) == installing
	by_itself(job("dump", {"startingDeadlineSeconds": 0, "jobTemplate": {"spec": {"template": {"spec": {"containers": [{"image": "postgres", "args": ["pg_dump", "-f", "/dumps/a"]}]}}}}}), {}) == {"startingDeadlineSeconds of 0 makes CronJob dump miss every start: the controller is always a moment late, and no dump is made. Set it to 600, or leave it out."}

	# A server that was not found may be backed up otherwise.
	by_itself(job("dump", {"suspend": true}), {}) == set()

	# Another job answers for itself.
	by_itself(job("dump", {}), {"batch/v1": {"CronJob": {"other": job("other", {"startingDeadlineSeconds": 0})}}}) == set()
}

test_schedule_that_is_refused if {
	found := findings({"dump": {"schedule": "0 3 * * * *"}})
	{[f.message, f.severity, f.path] | some f in found} == {["The API server refuses CronJob dump for its schedule \"0 3 * * * *\": it has 6 fields, and five are taken (minute, hour, day of the month, month, day of the week). Correct it.", "error", ["spec", "schedule"]]}
	messages({"dump": {"schedule": "60 3 * * *"}}) == {"The API server refuses CronJob dump for its schedule \"60 3 * * *\": \"60\" is not a valid minute (0 to 59). Correct it."}
	every schedule in ["@daily", "${SCHEDULE}", "CRON_TZ=UTC 0 3 * * *"] {
		messages({"dump": {"schedule": schedule}}) == set()
	}
}

in_one(command) := messages({"dump": {"jobTemplate": {"spec": {"template": {"spec": {"restartPolicy": "Never", "containers": [{"name": "dump", "image": "postgres", "command": command}]}}}}}})

test_words_in_one if {
	in_one(["pg_dump -h orders app > /dumps/a"]) == {"CronJob dump starts the program \"pg_dump -h orders app > /dumps/a\", which does not exist: there is no dump. Write command: [sh, -ec] and the line as one argument."}
	in_one(["sh -c pg_dump -h orders app > /dumps/a"]) == {"CronJob dump starts the program \"sh -c pg_dump -h orders app > /dumps/a\", which does not exist: there is no dump. Write command: [sh, -ec] and the line as one argument."}
	in_one(["sh", "-ec", "pg_dump -h orders app > /dumps/a"]) == set()
}

# ------------------------------------------------------------------------------------------------------ directories

directed(script, pod, claims) := {[f.severity, f.message] |
	found := check.findings with input as {
		"review": {"object": {"apiVersion": "apps/v1", "kind": "StatefulSet", "metadata": {"name": "db", "namespace": "prod"}, "spec": {"serviceName": "orders", "template": {"spec": {"containers": [{"name": "postgres", "image": "postgres:17.6"}]}}}}},
		"inventory": {"namespace": {"prod": object.union(
			{"batch/v1": {"CronJob": {"dump": job("dump", {"jobTemplate": {"spec": {"template": {"spec": object.union(
				{
					"restartPolicy": "Never",
					"containers": [{"image": "postgres:17", "command": ["sh", "-c", script], "env": [{"name": "PGPASSWORD", "value": "x"}, {"name": "TO", "value": "/dumps/daily"}], "volumeMounts": [{"name": "dumps", "mountPath": "/dumps"}]}],
					"volumes": [{"name": "dumps", "persistentVolumeClaim": {"claimName": "dumps"}}],
				},
				pod,
			)}}}})}}},
			claims,
		)}},
	}
	some f in found
	contains(f.message, "nothing makes")
}

claimed(spec, more) := object.union({"v1": {"PersistentVolumeClaim": {"dumps": {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "dumps", "namespace": "prod"}, "spec": spec}}}}, more)

below := "pg_dump -h orders app > /dumps/daily/app-$(date +%F).sql"

test_directory_that_nothing_makes if {
	directed(below, {}, {}) == {["warning", "CronJob dump writes its dump to /dumps/daily, a directory that nothing makes on the volume at /dumps: \"Directory nonexistent\", and there is no dump unless somebody made it by hand. Write mkdir -p /dumps/daily before it."]}
	directed("pg_dump -h orders -f $TO/app.sql app", {}, claimed({}, {})) == {["error", "CronJob dump writes its dump to /dumps/daily, a directory that nothing makes on the volume at /dumps: \"Directory nonexistent\", and there is no dump. Write mkdir -p /dumps/daily before it."]}
}

test_directory_that_may_be_there if {
	directed(concat("; ", ["mkdir -p /dumps/daily", below]), {}, {}) == set()
	directed("pg_dump -h orders app > /dumps/app.sql", {}, {}) == set()
	directed(below, {"initContainers": [{"name": "make", "image": "busybox"}]}, {}) == set()
	directed(below, {"volumes": [{"name": "dumps", "nfs": {"server": "nas", "path": "/"}}]}, {}) == set()
	directed(below, {}, claimed({"volumeName": "nas"}, {})) == set()
	directed(below, {}, claimed({"storageClassName": ""}, {})) == set()
	directed(below, {}, claimed({}, {"apps/v1": {"Deployment": {"files": {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "files", "namespace": "prod"}, "spec": {"template": {"spec": {"containers": [{"name": "files", "image": "files:1"}], "volumes": [{"name": "dumps", "persistentVolumeClaim": {"claimName": "dumps"}}]}}}}}}})) == set()
}

# ${stage} is there for Flux, and the rest of the script's own.
by_flux(env, args) := {[f.severity, f.path, f.message, f.resource.kind] | some f in found} if {
	dump := object.union(job("dump", {}), {"spec": {"jobTemplate": {"spec": {"template": {"spec": {
		"containers": [{"image": "postgres:17", "env": array.concat([{"name": "PGHOST", "value": "orders"}], env), "args": args, "volumeMounts": [{"name": "s", "mountPath": "/s"}]}],
		"volumes": [{"name": "s", "configMap": {"name": "s"}}],
	}}}}}})
	found := check.findings with input as {
		"review": {"object": {
			"apiVersion": "apps/v1", "kind": "StatefulSet",
			"metadata": {"name": "db", "namespace": "prod"},
			"spec": {"serviceName": "orders", "template": {"spec": {"containers": [{"name": "postgres", "image": "postgres:17.6"}]}}},
		}},
		"inventory": {"namespace": {
			"prod": {
				"batch/v1": {"CronJob": {"dump": dump}},
				"v1": {"ConfigMap": {"s": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "s", "namespace": "prod"}, "data": {"dump.sh": "pg_dump -h ${PGHOST} -f /s/a"}}}},
			},
			"flux-system": {"kustomize.toolkit.fluxcd.io/v1": {"Kustomization": {"apps": {
				"apiVersion": "kustomize.toolkit.fluxcd.io/v1", "kind": "Kustomization",
				"metadata": {"name": "apps", "namespace": "flux-system"},
				"spec": {"postBuild": {"substitute": {"stage": "prod"}}},
			}}}},
		}},
	}
}

test_filled_in_by_flux if {
	reason := "Flux replaces ${PGHOST} of this script by nothing, or refuses it (2.9): Kustomization flux-system/apps has no value for it. "
	by_flux([{"name": "STAGE", "value": "${stage}"}], ["sh", "/s/dump.sh"]) == {["error", ["data", "dump.sh"], concat("", [reason, "Annotate the ConfigMap with kustomize.toolkit.fluxcd.io/substitute: disabled."]), "ConfigMap"]}
	by_flux([{"name": "STAGE", "value": "${stage}"}], ["sh", "-c", "pg_dump -h ${PGHOST} -f /s/a"]) == {["error", ["spec", "jobTemplate", "spec", "template", "spec", "containers", 0, "args"], concat("", [reason, "Write $${PGHOST}."]), "CronJob"]}
	by_flux([], ["sh", "/s/dump.sh"]) == set()
}

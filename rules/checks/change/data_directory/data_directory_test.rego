package walguard.checks.change.data_directory_test

import data.walguard.checks.change.data_directory as check

set_of(image, env, mount, more) := {
	"apiVersion": "apps/v1",
	"kind": "StatefulSet",
	"metadata": {"name": "db", "namespace": "prod"},
	"spec": {
		"serviceName": "db",
		"selector": {"matchLabels": {"app": "db"}},
		"template": {
			"metadata": {"labels": {"app": "db"}},
			"spec": object.union(more, {"containers": [{
				"name": "postgres",
				"image": image,
				"env": env,
				"volumeMounts": [object.union({"name": "data"}, mount)],
			}]}),
		},
		"volumeClaimTemplates": [{"metadata": {"name": "data"}, "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "20Gi"}}}}],
	},
}

claimed(name) := {
	"apiVersion": "apps/v1",
	"kind": "Deployment",
	"metadata": {"name": "db", "namespace": "prod"},
	"spec": {
		"strategy": {"type": "Recreate"},
		"selector": {"matchLabels": {"app": "db"}},
		"template": {"metadata": {"labels": {"app": "db"}}, "spec": {
			"containers": [{"name": "postgres", "image": "postgres:17.6", "env": [], "volumeMounts": [{"name": "data", "mountPath": "/var/lib/postgresql/data"}]}],
			"volumes": [{"name": "data", "persistentVolumeClaim": {"claimName": name}}],
		}},
	},
}

updated(old, new) := {"review": {"operation": "UPDATE", "object": new, "oldObject": old}}

at_root := set_of("postgres:17.6", [], {"mountPath": "/var/lib/postgresql/data"}, {})

below := set_of("postgres:17.6", [], {"mountPath": "/var/lib/postgresql/data", "subPath": "pgdata"}, {})

by_variable := set_of("postgres:17.6", [{"name": "PGDATA", "value": "/var/lib/postgresql/data/pgdata"}], {"mountPath": "/var/lib/postgresql/data"}, {})

test_another_place_in_the_volume if {
	check.findings == {{
		"message": "In the volume the data directory goes from its root to pgdata, where there is nothing: the server starts with an empty cluster, and the data stay where they are. Write the old place again, or move the files first.",
		"path": ["spec", "template", "spec", "containers", 0, "volumeMounts", 0],
	}} with input as updated(at_root, below)
	count(check.findings) == 1 with input as updated(by_variable, at_root)
	count(check.findings) == 1 with input as updated(at_root, by_variable)
}

# The same place, written otherwise.
test_the_same_place if {
	check.findings == set() with input as updated(below, by_variable)
	check.findings == set() with input as updated(at_root, at_root)
	check.findings == set() with input as below
}

test_another_major_lies_elsewhere if {
	new := set_of("postgres:18.1", [], {"mountPath": "/var/lib/postgresql"}, {})
	check.findings == set() with input as updated(at_root, new)
}

preparing(words) := {"initContainers": [{"name": "prepare", "image": "busybox:1.37", "command": ["sh", "-c", words], "volumeMounts": [{"name": "data", "mountPath": "/data"}]}]}

test_an_init_container_that_moves_files if {
	moving := set_of("postgres:17.6", [], {"mountPath": "/var/lib/postgresql/data", "subPath": "pgdata"}, preparing("[ -f /data/PG_VERSION ] && mkdir /data/pgdata && mv /data/* /data/pgdata/"))
	check.findings == set() with input as updated(at_root, moving)
	owning := set_of("postgres:17.6", [], {"mountPath": "/var/lib/postgresql/data", "subPath": "pgdata"}, preparing("chown -R 999:999 /data"))
	count(check.findings) == 1 with input as updated(at_root, owning)
}

test_another_claim if {
	check.findings == {{
		"message": "The data directory goes from claim old to claim new: what nobody has filled before is empty, and the data stay where they are. Copy them first, or keep the old one.",
		"path": ["spec", "template", "spec", "containers", 0, "volumeMounts", 0],
		"severity": "warning",
	}} with input as updated(claimed("old"), claimed("new"))
	check.findings == set() with input as updated(claimed("old"), claimed("old"))
}

# A copy, and a claim that is bound to a certain volume.
test_a_claim_that_brings_data if {
	some field in [{"dataSource": {"kind": "PersistentVolumeClaim", "name": "old"}}, {"volumeName": "pv-1"}]
	claim := {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "new", "namespace": "prod"}, "spec": field}
	inventory := {"namespace": {"prod": {"v1": {"PersistentVolumeClaim": {"new": claim}}}}}
	check.findings == set() with input as object.union(updated(claimed("old"), claimed("new")), {"inventory": inventory})
}

bitnami := set_of("bitnami/postgresql:17.6.0", [], {"mountPath": "/bitnami/postgresql"}, {})

official(more) := set_of("postgres:17.6", [{"name": "PGDATA", "value": "/bitnami/postgresql/data"}], {"mountPath": "/bitnami/postgresql"}, more)

# Back again the files belong to another user, and no more is said.
back := found if found := check.findings with input as updated(official({}), bitnami)

test_configuration_beside_the_data if {
	check.findings == {{
		"message": "Bitnami's image keeps postgresql.conf and pg_hba.conf outside the data directory: another one finds none there and does not start. Create both in the data directory first, or name them by -c config_file and -c hba_file.",
		"path": ["spec", "template", "spec", "containers", 0, "volumeMounts", 0],
	}} with input as updated(bitnami, official({}))

	# It has files of its own.
	with_files := json.patch(official({}), [{"op": "add", "path": "spec/template/spec/containers/0/args", "value": ["-c", "config_file=/etc/postgresql.conf"]}])
	check.findings == set() with input as updated(bitnami, with_files)
	{f.severity | some f in back} == {"warning"}
	check.findings == set() with input as updated(bitnami, bitnami)
	count(check.findings) == 0 with input as {"review": {"operation": "CREATE", "object": official({})}}
}

as_user(image, security, more) := set_of(image, [{"name": "PGDATA", "value": "/var/lib/postgresql/data/pgdata"}], {"mountPath": "/var/lib/postgresql/data"}, object.union({"securityContext": security}, more))

strangers(old, new) := {[f.severity, f.message] | some f in found} if found := check.findings with input as updated(old, new)

test_owner_of_the_files if {
	before := as_user("postgres:17.6", {"runAsUser": 999, "fsGroup": 999}, {})
	after := as_user("postgres:17.6", {"runAsUser": 1001, "fsGroup": 1001}, {})
	message := "The files belong to user 999, which the server ran as; as 1001 it refuses a data directory of another owner, and fsGroup does not change that. Set runAsUser: 999 again, or chown them first."
	strangers(before, after) == {["warning", message]}
	strangers(as_user("postgres:17.6", {}, {}), after) == {["warning", message]}
	strangers(as_user("postgres:17.6-alpine", {}, {}), after) == {["warning", replace(message, "999", "70")]}

	# The entrypoint gives the files to its user while it is root, and so does an init container.
	strangers(after, as_user("postgres:17.6", {}, {})) == set()
	strangers(before, as_user("postgres:17.6", {"runAsUser": 1001}, {"initContainers": [{"name": "own", "command": ["chown", "-R", "1001", "/data"], "volumeMounts": [{"name": "data", "mountPath": "/data"}]}]})) == set()
	strangers(as_user("corp.example/db:1", {}, {}), after) == set()

	# Nothing was ever written by one that did not start.
	strangers(object.union(before, {"status": {"replicas": 1}}), after) == set()
	count(strangers(object.union(before, {"status": {"replicas": 1, "readyReplicas": 1}}), after)) == 1
}

elsewhere := set_of("postgres:17.6", [{"name": "PGDATA", "valueFrom": {"configMapKeyRef": {"name": "c", "key": "k"}}}], {"mountPath": "/var/lib/postgresql/data"}, {})

# Of two changes through a variable that nobody sees neither shows that the place is another one.
test_through_a_hidden_place if {
	strangers(by_variable, elsewhere) == {["warning", "The data lie in pgdata of their volume, and PGDATA comes from what was not found now: at another place the server starts with an empty cluster. Write the place itself."]}
	strangers(elsewhere, by_variable) == {["warning", "PGDATA came from what was not found, and the data directory is pgdata of the volume now: where the data lie at another place, the server starts with an empty cluster. Look where they are first."]}
	strangers(elsewhere, elsewhere) == set()
	check.findings == set() with input as {"review": {"object": elsewhere}}
}

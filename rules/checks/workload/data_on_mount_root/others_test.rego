package walguard.checks.workload.data_on_mount_root_others_test

import data.walguard.checks.workload.data_on_mount_root as check
import data.walguard.operators.workload

# Images of others that are built on the official one.
server(image, env, mounted, more) := {"review": {"object": {
	"apiVersion": "apps/v1",
	"kind": "StatefulSet",
	"metadata": {"name": "aqua-db", "namespace": "prod"},
	"spec": {
		"serviceName": "aqua-db",
		"template": {"spec": {"containers": [object.union(
			{
				"name": "db",
				"image": image,
				"env": array.concat([{"name": "POSTGRES_PASSWORD", "valueFrom": {"secretKeyRef": {"name": "db", "key": "password"}}}], [{"name": name, "value": value} | some name, value in env]),
				"volumeMounts": [object.union({"name": "data", "mountPath": "/var/lib/postgresql/data/pgdata"}, mounted)],
			},
			more,
		)]}},
		"volumeClaimTemplates": [{"metadata": {"name": "data"}, "spec": {"storageClassName": "gp3", "resources": {"requests": {"storage": "50Gi"}}}}],
	},
}}}

found(env, mounted, more) := told if {
	told := {f.message | some f in check.findings} with input as server("registry.aquasec.com/database:6.0", env, mounted, more)
}

pgdata := {"PGDATA": "/var/lib/postgresql/data/pgdata"}

test_an_image_on_the_official_one if {
	found(pgdata, {}, {}) == {"PGDATA /var/lib/postgresql/data/pgdata is the root of a new ext4 volume, which holds lost+found: initdb refuses a directory that is not empty. Set PGDATA to /var/lib/postgresql/data/pgdata/pgdata."}
	found(pgdata, {"subPath": "postgres"}, {}) == set()
	found(pgdata, {"mountPath": "/var/lib/postgresql/data"}, {}) == set()
	found(pgdata, {}, {"command": ["/start.sh"]}) == set()
	found({}, {}, {}) == set()
	found({"PGDATA": "/data/pg"}, {"mountPath": "/data/pg"}, {}) == set()
}

major(image) := n if {
	n := workload.cluster.major.value with input as server(image, pgdata, {}, {})
}

test_majors_in_names if {
	major("sourcegraph/postgres-16:5.11.6271") == 16
	major("acme/our-pg15:3") == 15
	not major("acme/database:16")
	not major("acme/postgres-tools:3")
}

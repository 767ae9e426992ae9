package walguard.checks.workload.pgdata_off_volume_test

import data.walguard.checks.workload.pgdata_off_volume as check

findings(image, path) := found if {
	found := check.findings with input as {"review": {"object": {
		"apiVersion": "apps/v1",
		"kind": "StatefulSet",
		"metadata": {"name": "orders", "namespace": "prod"},
		"spec": {
			"template": {"spec": {"containers": [{"image": image, "volumeMounts": [{"name": "data", "mountPath": path}]}]}},
			"volumeClaimTemplates": [{"metadata": {"name": "data"}, "spec": {}}],
		},
	}}}
}

bare(image) := found if {
	found := check.findings with input as {"review": {"object": {
		"apiVersion": "v1",
		"kind": "Pod",
		"metadata": {"name": "orders", "namespace": "prod"},
		"spec": {"containers": [{"image": image}]},
	}}}
}

test_volume_beside_the_data if {
	findings("postgres:18", "/var/lib/postgresql/data") == {{
		"message": "The image keeps its data in /var/lib/postgresql/18/docker and refuses to start with a volume at /var/lib/postgresql/data, where older images kept theirs. Mount it at /var/lib/postgresql.",
		"path": ["spec", "template", "spec", "containers", 0, "volumeMounts"],
		"severity": "error",
	}}
}

test_volume_at_another_place if {
	findings("postgres:17", "/data") == {{
		"message": "The data is in /var/lib/postgresql/data, which is on no volume and is lost with the container; the persistent volume is mounted at /data. Mount it at or above the directory.",
		"path": ["spec", "template", "spec", "containers", 0, "volumeMounts"],
		"severity": "error",
	}}
}

test_no_volume_at_all if {
	bare("postgres:17") == {{
		"message": "The data is in /var/lib/postgresql/data, which is on no volume and is lost with the container. Mount a persistent volume there.",
		"path": ["spec", "containers", 0, "volumeMounts"],
		"severity": "warning",
	}}
}

kept(kind, beside) := {f.severity | some f in found} if found := check.findings with input as object.union(
	{"review": {"object": {
		"apiVersion": "apps/v1",
		"kind": kind,
		"metadata": {"name": "orders", "namespace": "prod"},
		"spec": {"template": {"metadata": {"labels": {"app": "orders"}}, "spec": {"containers": [{"image": "postgres:17"}]}}},
	}}},
	{"inventory": {"namespace": {"prod": {"v1": beside}}}},
)

test_no_volume_of_what_is_relied_on if {
	kept("StatefulSet", {}) == {"error"}
	kept("Deployment", {}) == {"warning"}
	kept("Deployment", {"Service": {"db": {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "db", "namespace": "prod"}, "spec": {"selector": {"app": "orders"}}}}}) == {"warning"}
	kept("Deployment", {"Service": {"web": {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "web", "namespace": "prod"}, "spec": {"selector": {"app": "web"}}}}}) == {"warning"}
}

test_on_the_volume if {
	findings("postgres:18", "/var/lib/postgresql") == set()
	findings("postgres:17", "/var/lib/postgresql/data/") == set()
}

test_image_that_nobody_knows if bare("corp.example/postgres:17") == set()

with_claim(image, mounts) := found if {
	found := check.findings with input as {"review": {"object": {
		"apiVersion": "apps/v1",
		"kind": "StatefulSet",
		"metadata": {"name": "orders", "namespace": "prod"},
		"spec": {
			"template": {"spec": {
				"containers": [{"name": "db", "image": image, "volumeMounts": mounts}, {"name": "side", "image": "busybox"}],
				"volumes": [{"name": "scratch", "emptyDir": {}}],
			}},
			"volumeClaimTemplates": [{"metadata": {"name": "data"}, "spec": {}}],
		},
	}}}
}

test_claim_that_nothing_mounts if {
	with_claim("postgres:17", []) == {{
		"message": "No container mounts the claim data, so the data are lost with the container. Mount it at /var/lib/postgresql/data.",
		"path": ["spec", "template", "spec", "containers", 0, "volumeMounts"],
		"severity": "error",
	}}
	count(with_claim("postdock/postgres:1.11", [])) == 1
	count(with_claim("postgres:17", [{"name": "scratch", "mountPath": "/var/lib/postgresql/data"}])) == 1
	with_claim("postdock/postgres:1.11", [{"name": "data", "mountPath": "/srv"}]) == set()
}

# ------------------------------------------------------------------------------------------------------------ kartoza

kartoza(tag, directory, variables) := {f.message | some f in found} if {
	found := check.findings with input as {"review": {"object": {
		"apiVersion": "apps/v1",
		"kind": "StatefulSet",
		"metadata": {"name": "gis", "namespace": "prod"},
		"spec": {
			"template": {"spec": {"containers": [{
				"name": "db",
				"image": concat(":", ["kartoza/postgis", tag]),
				"env": [{"name": name, "value": value} | some name, value in variables],
				"volumeMounts": [{"name": "data", "mountPath": directory}],
			}]}},
			"volumeClaimTemplates": [{"metadata": {"name": "data"}, "spec": {}}],
		},
	}}}
}

test_kartoza_has_the_directory_of_debian if {
	kartoza("16-3.4", "/var/lib/postgresql/data", {}) == {"The data is in /var/lib/postgresql/16/main, which is on no volume and is lost with the container; the persistent volume is mounted at /var/lib/postgresql/data. Mount it at or above the directory."}
	count(kartoza("16-3.4", "/var/lib/postgresql", {"DATADIR": "/opt/data"})) == 1
	count(kartoza("16-3.4", "/opt/data", {"DATADIR": "/opt/data", "PGDATA": "/pgdata"})) == 1
}

test_kartoza_on_the_volume if {
	every tag, directory in {"16-3.4": "/var/lib/postgresql", "17-3.5": "/var/lib/postgresql/17/main", "latest": "/var/lib/postgresql/data", "9.6-2.4": "/var/lib/postgresql/9.6/main"} {
		kartoza(tag, directory, {}) == set()
	}
	kartoza("16-3.4", "/opt/data", {"DATADIR": "/opt/data"}) == set()
	kartoza("16-3.4", "/opt/data", {"DATADIR": "${DATADIR}"}) == set()
}

# --------------------------------------------------------------------------------------- images that set PGDATA anew

told(container) := {f.message | some f in found} if {
	found := check.findings with input as {"review": {"object": {
		"apiVersion": "apps/v1",
		"kind": "StatefulSet",
		"metadata": {"name": "db", "namespace": "prod"},
		"spec": {
			"template": {"spec": {"containers": [object.union({"name": "db"}, container)]}},
			"volumeClaimTemplates": [{"metadata": {"name": "data"}, "spec": {}}],
		},
	}}}
}

at(image, directory) := {"image": image, "env": [{"name": "PGDATA", "value": "/var/lib/postgresql/data/pgdata"}, {"name": "POSTGRESQL_USER", "value": "a"}], "volumeMounts": [{"name": "data", "mountPath": directory}]}

elsewhere(home) := {sprintf("The data is in %s, which is on no volume and is lost with the container; the persistent volume is mounted at /var/lib/postgresql/data. Mount it at or above the directory.", [home])}

test_images_that_set_pgdata_anew if {
	every reference, home in {
		"registry.redhat.io/rhel8/postgresql-13:1-120": "/var/lib/pgsql/data/userdata",
		"quay.io/sclorg/postgresql-15-c9s": "/var/lib/pgsql/data/userdata",
		"image-registry.openshift-image-registry.svc:5000/openshift/postgresql:13-el8": "/var/lib/pgsql/data/userdata",
		"registry.developers.crunchydata.com/crunchydata/crunchy-postgres:centos8-13.5-4.7.4": "/pgdata",
		"sameersbn/postgresql:12-20200524": "/var/lib/postgresql/12/main",
	} {
		told(at(reference, "/var/lib/postgresql/data")) == elsewhere(home)
		told(at(reference, home)) == set()
	}
}

# What the command does nobody knows; other images read the variable.
test_images_that_read_pgdata if {
	told(object.union(at("registry.redhat.io/rhel8/postgresql-13:1-120", "/var/lib/postgresql/data"), {"command": ["sh", "-c", "exec postgres -D $PGDATA"]})) == set()
	every reference in ["percona/percona-distribution-postgresql:17.5-2", "timescale/timescaledb-ha:pg16", "apache/age:PG16_latest", "imresamu/postgis:16-3.4", "corp.example/openshift/postgresql:13"] {
		told(at(reference, "/var/lib/postgresql/data")) == set()
	}
	told(object.remove(at("percona/percona-distribution-postgresql:17.5-2", "/var/lib/postgresql/data"), ["env"])) == elsewhere("/data/db")
	told({"image": "sameersbn/postgresql:12-20200524", "env": [{"name": "PG_DATADIR", "value": "/srv/pg"}], "volumeMounts": [{"name": "data", "mountPath": "/srv"}]}) == set()
}

package walguard.checks.image.major_changed_test

import data.walguard.checks.image.major_changed as check
import data.walguard.lib.image_manifest_test as images

changed(old, new) := found if found := check.findings with input as images.change(old, new)

of_cluster(old, new) := found if found := check.findings with input as images.cluster_change(old, new, {})

test_plain if {
	changed("postgres:16.10", "postgres:17.6") == {{
		"message": "PostgreSQL 16 becomes 17 on the same volume: the server refuses data of another major and does not start. Keep 16, and upgrade with pg_upgrade or by a dump into a new cluster.",
		"path": images.image_path,
	}}
}

test_back_too if count(changed("postgres:17.6", "postgres:16.4")) == 1

test_same_major if changed("postgres:17.5", "postgres:17.6") == set()

test_version_not_known if {
	changed("postgres:16", "postgres:latest") == set()
	changed("postgres:latest", "postgres:16") == set()
}

test_image_that_upgrades if changed("postgres:16", "pgautoupgrade/pgautoupgrade:17-alpine") == set()

test_init_container_that_upgrades if {
	set := json.patch(images.stateful_set("postgres:17"), [{
		"op": "add",
		"path": "/spec/template/spec/initContainers",
		"value": [{"name": "upgrade", "image": "tianon/postgres-upgrade:16-to-17"}],
	}])
	review := {"review": {"operation": "UPDATE", "object": set, "oldObject": images.stateful_set("postgres:16")}}
	found := check.findings with input as review
	found == set()
}

test_data_that_go_with_the_pod if {
	old := object.remove(images.stateful_set("postgres:16"), ["x"])
	bare := {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": old.metadata, "spec": {"template": {"spec": {
		"containers": [{"name": "postgres", "image": "postgres:17", "volumeMounts": [{"name": "data", "mountPath": "/var/lib/postgresql/data"}]}],
		"volumes": [{"name": "data", "emptyDir": {}}],
	}}}}
	before := json.patch(bare, [{"op": "replace", "path": "/spec/template/spec/containers/0/image", "value": "postgres:16"}])
	review := {"review": {"operation": "UPDATE", "object": bare, "oldObject": before}}
	found := check.findings with input as review
	found == set()
}

test_operator_upgrades if {
	of_cluster("ghcr.io/cloudnative-pg/postgresql:16.10", "ghcr.io/cloudnative-pg/postgresql:17.6") == set()
	of_cluster("ghcr.io/cloudnative-pg/postgresql:16-standard-trixie", "ghcr.io/cloudnative-pg/postgresql:17-standard-trixie") == set()
}

test_operator_upgrades_between_images_of_one_distribution if {
	of_cluster("ghcr.io/cloudnative-pg/postgresql:16-standard-bookworm", "ghcr.io/cloudnative-pg/postgresql:17-standard-trixie") == {{
		"message": "PostgreSQL 16 becomes 17 and bookworm becomes trixie in one step: the operator's pg_upgrade works between images of one distribution only, and fails. Change to a trixie image of 16 first, then to 17.",
		"path": ["spec", "imageName"],
	}}
}

test_created if {
	found := check.findings with input as images.workload("postgres:17")
	found == set()
}

red_hats(name, env) := {"apiVersion": "apps/v1", "kind": "StatefulSet", "metadata": {"name": "orders", "namespace": "prod"}, "spec": {
	"template": {"spec": {"containers": [{"name": "postgresql", "image": name, "env": env, "volumeMounts": [{"name": "data", "mountPath": "/var/lib/pgsql/data"}]}]}},
	"volumeClaimTemplates": [{"metadata": {"name": "data"}, "spec": {"resources": {"requests": {"storage": "10Gi"}}}}],
}}

upgraded(env) := {"review": {"operation": "UPDATE", "object": red_hats("quay.io/sclorg/postgresql-16-c9s", env), "oldObject": red_hats("quay.io/sclorg/postgresql-15-c9s", [])}}

# Red Hat's image upgrades where it is told to.
test_images_of_red_hat if {
	found := check.findings with input as upgraded([])
	count(found) == 1
	none := check.findings with input as upgraded([{"name": "POSTGRESQL_UPGRADE", "value": "copy"}])
	none == set()
}

with_slots(old, new, size) := found if found := check.findings with input as images.cluster_change(old, new, {"postgresql": {"parameters": {"max_slot_wal_keep_size": size}}})

test_slots_that_pg_upgrade_refuses if {
	with_slots("postgres:16.8", "postgres:17.4", "10GB") == {{
		"message": "pg_upgrade fails with max_slot_wal_keep_size=10GB and PostgreSQL 17.0 to 17.5. Upgrade from 16 to 17.6 or later, or set it to -1 for the upgrade.",
		"path": ["spec", "imageName"],
	}}
	{f.message | some f in with_slots("postgres:17.5", "postgres:18.1", "10GB")} == {"pg_upgrade fails with max_slot_wal_keep_size=10GB and PostgreSQL 17.0 to 17.5. Update to 17.6 or later before the upgrade to 18, or set it to -1 for the upgrade."}
	with_slots("postgres:16.8", "postgres:17.6", "10GB") == set()
	with_slots("postgres:17.6", "postgres:18.1", "10GB") == set()
	with_slots("postgres:16.8", "postgres:17.4", "-1") == set()
	with_slots("postgres:17.4", "postgres:17.5", "10GB") == set()
	with_slots("postgres:16", "postgres:17", "10GB") == set()
}

archived(server, major) := images.cluster(sprintf("postgres:%d.9", [major]), {"instances": 3, "plugins": [{"name": "barman-cloud.cloudnative-pg.io", "isWALArchiver": true, "parameters": object.union({"barmanObjectName": "store"}, server)}]})

in_archive(before, after) := found if found := check.findings with input as {"review": {"operation": "UPDATE", "oldObject": archived(before, 16), "object": archived(after, 18)}}

test_archive_of_both_majors if {
	in_archive({}, {}) == {{
		"message": "PostgreSQL 16 becomes 18 and goes on in the archive of before (ObjectStore store as server orders): the new server begins at timeline 1, and a standby that finds a later timeline of the old one there may not start (\"requested timeline is not a child of this server's history\"). In the same change, set serverName to orders-18.",
		"path": ["spec", "plugins", 0, "parameters"],
		"severity": "warning",
	}}
	count(in_archive({"serverName": "orders-pg16"}, {"serverName": "orders-pg16"})) == 1
	in_archive({}, {"serverName": "orders-18"}) == set()
	in_archive({"serverName": "${SERVER}"}, {"serverName": "${SERVER}"}) == set()
}

test_archive_in_the_cluster if {
	of_cluster_in := {"instances": 1, "backup": {"barmanObjectStore": {"destinationPath": "s3://b/", "s3Credentials": {"inheritFromIAMRole": true}}}}
	found := check.findings with input as images.cluster_change("postgres:16.10", "postgres:17.6", of_cluster_in)
	found == {{
		"message": "PostgreSQL 16 becomes 17 and goes on in the archive of before (s3://b as server orders): the new server begins at timeline 1, and backups and WAL of both lie in one place, where a restore can take those of the other. In the same change, set serverName to orders-17.",
		"path": ["spec", "backup", "barmanObjectStore"],
		"severity": "info",
	}}
}

pgo(kind, version, fields) := object.union(
	{"apiVersion": {"PostgresCluster": "postgres-operator.crunchydata.com/v1beta1", "PerconaPGCluster": "pgv2.percona.com/v2"}[kind], "kind": kind, "metadata": {"name": "orders", "namespace": "prod"}, "spec": {
		"postgresVersion": version,
		"instances": [{"name": "a", "dataVolumeClaimSpec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "10Gi"}}}}],
	}},
	fields,
)

bumped(kind, before, after, objects) := found if found := check.findings with input as {
	"review": {"operation": "UPDATE", "oldObject": pgo(kind, 16, before), "object": pgo(kind, 17, after)},
	"inventory": {"namespace": {"prod": objects}},
}

test_operators_that_upgrade_by_an_object if {
	bumped("PerconaPGCluster", {}, {}, {}) == {{
		"message": "PostgreSQL 16 becomes 17 on the same volume: the server refuses data of another major and does not start. Keep 16, and upgrade with a PerconaPGUpgrade or by a dump into a new cluster.",
		"path": ["spec", "postgresVersion"],
	}}
	{contains(f.message, "with a PGUpgrade") | some f in bumped("PostgresCluster", {}, {}, {})} == {true}
	bumped("PostgresCluster", {}, {"metadata": {"annotations": {"postgres-operator.crunchydata.com/allow-upgrade": "up"}}}, {}) == set()
	bumped("PerconaPGCluster", {"metadata": {"annotations": {"pgv2.percona.com/allow-upgrade": "up"}}}, {}, {}) == set()
	bumped("PostgresCluster", {"spec": {"shutdown": true}}, {}, {}) == set()
	bumped("PerconaPGCluster", {}, {}, {"pgv2.percona.com/v2": {"PerconaPGUpgrade": {"up": {"metadata": {"name": "up", "namespace": "prod"}, "spec": {"postgresClusterName": "orders"}}}}}) == set()
	count(bumped("PerconaPGCluster", {}, {}, {"pgv2.percona.com/v2": {"PerconaPGUpgrade": {"up": {"metadata": {"name": "up", "namespace": "prod"}, "spec": {"postgresClusterName": "other"}}}}})) == 1
}

# Both are built by others, on what is not known here.
test_other_image_of_an_unknown_distribution if {
	old := "ghcr.io/tensorchord/cloudnative-pgvecto.rs:16-v0.2.1"
	of_cluster(old, "ghcr.io/tensorchord/cloudnative-vectorchord:17.6-0.4.3") == {{
		"message": "PostgreSQL 16 becomes 17 and cloudnative-pgvecto.rs becomes cloudnative-vectorchord in one step: pg_upgrade runs programs of the old image in the new one, and fails unless both are built on one distribution. Change the image with 16 first, then to 17.",
		"path": ["spec", "imageName"],
		"severity": "warning",
	}}
	of_cluster(old, "ghcr.io/tensorchord/cloudnative-vectorchord:16.10-0.4.3") == set()
	of_cluster(old, "mirror.example.org/tensorchord/cloudnative-pgvecto.rs:17-v0.4.0") == set()
	of_cluster("ghcr.io/cloudnative-pg/postgresql:16-standard-trixie", "ghcr.io/cloudnative-pg/postgis:17-3.5-standard-trixie") == set()
}

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

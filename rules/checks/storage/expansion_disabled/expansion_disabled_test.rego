package walguard.checks.storage.expansion_disabled_test

import data.walguard.checks.storage.expansion_disabled as check
import data.walguard.lib.disk_test as manifests

fixed := {"provisioner": "ebs.csi.aws.com", "size": "100Gi"}

findings(what) := found if {
	found := check.findings with input as manifests.review(what)
}

test_absent if {
	findings(fixed) == {{
		"message": "StorageClass fast does not allow expansion: a full data volume stops PostgreSQL and cannot be grown. Set allowVolumeExpansion: true in the class.",
		"path": ["spec", "storage", "storageClass"],
	}}
}

test_false if count(findings(object.union(fixed, {"class": {"allowVolumeExpansion": false}}))) == 1

test_told_once if count(findings(object.union(fixed, {"wal": "10Gi"}))) == 1

test_allowed if findings(object.union(fixed, {"class": {"allowVolumeExpansion": true}})) == set()

# These drivers cannot grow a volume, whatever the class says.
test_driver_cannot if findings(object.union(fixed, {"provisioner": "rancher.io/local-path"})) == set()

test_left_to_network_filesystem if findings(object.union(fixed, {"provisioner": "cephfs.csi.ceph.com"})) == set()

test_silent_for_unknown_driver if findings(object.union(fixed, {"provisioner": "example.com/disk"})) == set()

test_silent_without_class if {
	check.findings == set() with input as manifests.blind(fixed)
}

zalando(mode, provisioner) := {
	"review": {"object": {
		"apiVersion": "acid.zalan.do/v1",
		"kind": "postgresql",
		"metadata": {"name": "orders", "namespace": "prod"},
		"spec": {"numberOfInstances": 2, "volume": {"size": "20Gi", "storageClass": "disks"}},
	}},
	"inventory": {
		"cluster": {"storage.k8s.io/v1": {"StorageClass": {"disks": {"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "metadata": {"name": "disks"}, "provisioner": provisioner, "allowVolumeExpansion": true}}}},
		"namespace": {"ops": {"acid.zalan.do/v1": {"OperatorConfiguration": {"operator": {
			"apiVersion": "acid.zalan.do/v1",
			"kind": "OperatorConfiguration",
			"metadata": {"name": "operator", "namespace": "ops"},
			"configuration": {"kubernetes": {"storage_resize_mode": mode}},
		}}}}},
	},
}

test_operator_that_grows_other_volumes if {
	check.findings == {{
		"message": "storage_resize_mode ebs grows Amazon's volumes only, and StorageClass disks is of dobs.csi.digitalocean.com: a larger size in the manifest changes nothing. Set storage_resize_mode: pvc.",
		"path": ["configuration", "kubernetes", "storage_resize_mode"],
		"resource": {"apiVersion": "acid.zalan.do/v1", "kind": "OperatorConfiguration", "name": "operator", "namespace": "ops"},
	}} with input as zalando("ebs", "dobs.csi.digitalocean.com")
	check.findings == set() with input as zalando("ebs", "ebs.csi.aws.com")
	check.findings == set() with input as zalando("pvc", "dobs.csi.digitalocean.com")
	check.findings == set() with input as zalando("ebs", "")
}

grown(old, new) := {"review": {"operation": "UPDATE", "object": new.review.object, "oldObject": old.review.object}, "inventory": new.inventory}

other := {"provisioner": "example.com/disk", "class": {"allowVolumeExpansion": false}}

test_raised if {
	sized := object.union(other, {"size": "8Gi"})
	check.findings == {{
		"message": "The data volume is to grow from 2Gi to 8Gi, and StorageClass fast does not allow expansion: the claims stay as they are, and the old size may be refused afterwards. Set allowVolumeExpansion: true in the class first if its driver can grow volumes, or leave the size.",
		"path": ["spec", "storage", "size"],
	}} with input as grown(manifests.review(object.union(other, {"size": "2Gi"})), manifests.review(sized))
	check.findings == set() with input as grown(manifests.review(sized), manifests.review(sized))
	check.findings == set() with input as manifests.review(sized)
	allowed := object.union(sized, {"class": {"allowVolumeExpansion": true}})
	check.findings == set() with input as grown(manifests.review(object.union(other, {"size": "2Gi"})), manifests.review(allowed))
}

# Said once of a driver that can.
test_raised_where_the_driver_can if {
	found := check.findings with input as grown(manifests.review(object.union(fixed, {"size": "50Gi"})), manifests.review(fixed))
	{f.path | some f in found} == {["spec", "storage", "size"]}
}

resized(old, new, class) := {f.message | some f in found} if {
	reviews := [{"apiVersion": "kubegres.reactive-tech.io/v1", "kind": "Kubegres", "metadata": {"name": "orders", "namespace": "shop"}, "spec": {"replicas": 2, "image": "postgres:16.10", "database": {"size": size, "storageClassName": "disks"}}} | some size in [old, new]]
	found := check.findings with input as {
		"review": {"operation": "UPDATE", "object": reviews[1], "oldObject": reviews[0]},
		"inventory": {"cluster": {"storage.k8s.io/v1": {"StorageClass": {"disks": object.union({"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "metadata": {"name": "disks"}, "provisioner": "ebs.csi.aws.com"}, class)}}}},
	}
}

# Whatever the class allows, and said once.
test_size_that_is_fixed if {
	every class in [{"allowVolumeExpansion": true}, {"allowVolumeExpansion": false}] {
		resized("500Gi", "800Gi", class) == {"The data volume is to grow from 500Gi to 800Gi, and the operator writes the old size back, reports an error and leaves the claims as they are. Write the old size again, and enlarge the claims themselves (kubectl edit pvc); new replicas come up with the old size until they are enlarged too."}
	}
	resized("500Gi", "500Gi", {"allowVolumeExpansion": true}) == set()
	resized("500Gi", "${SIZE}", {"allowVolumeExpansion": true}) == set()
}

repository(name, size) := {"name": name, "volume": {"volumeClaimSpec": {"storageClassName": "disks", "accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": size}}}}}

repositories(old, new, class) := found if {
	versions := [{"apiVersion": "postgres-operator.crunchydata.com/v1beta1", "kind": "PostgresCluster", "metadata": {"name": "orders", "namespace": "prod"}, "spec": {"postgresVersion": 17, "instances": [], "backups": {"pgbackrest": {"repos": repos}}}} | some repos in [old, new]]
	found := check.findings with input as {
		"review": {"object": versions[1], "oldObject": versions[0]},
		"inventory": {"cluster": {"storage.k8s.io/v1": {"StorageClass": {"disks": object.union({"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "metadata": {"name": "disks"}, "provisioner": "kubernetes.io/cinder"}, class)}}}},
	}
}

test_repository_that_grows if {
	repositories([repository("repo1", "20Gi")], [repository("repo1", "30Gi")], {}) == {{
		"message": "The volume of repo1 is to grow from 20Gi to 30Gi, and StorageClass disks does not allow expansion: its claim stays as it is, and backups may not start any more. Set allowVolumeExpansion: true in the class first, or leave the size.",
		"path": ["spec", "backups", "pgbackrest", "repos", 0, "volume", "volumeClaimSpec", "resources", "requests", "storage"],
	}}
	repositories([repository("repo1", "20Gi")], [repository("repo1", "30Gi")], {"allowVolumeExpansion": true}) == set()
	repositories([repository("repo1", "20Gi")], [repository("repo1", "30Gi")], {"allowVolumeExpansion": "${GROW}"}) == set()
	repositories([repository("repo1", "20Gi")], [repository("repo1", "20Gi")], {}) == set()
	repositories([repository("repo1", "20Gi")], [repository("repo1", "${SIZE}")], {}) == set()
	repositories([repository("repo2", "20Gi")], [repository("repo1", "30Gi")], {}) == set()
}

# The API server takes one of a name.
test_repository_written_twice if {
	twice := [repository("repo1", "30Gi"), repository("repo1", "40Gi")]
	[f.path[4] | some f in repositories([repository("repo1", "20Gi")], twice, {})] == [0]
}

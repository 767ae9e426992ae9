package walguard.checks.storage.binding_immediate_test

import data.walguard.checks.storage.binding_immediate as check
import data.walguard.lib.disk_test as manifests

findings(what) := found if found := check.findings with input as manifests.review(object.union({"provisioner": "ebs.csi.aws.com", "size": "100Gi"}, what))

test_immediate if {
	findings({"class": {"volumeBindingMode": "Immediate"}}) == {{
		"message": "StorageClass fast binds volumes at once (volumeBindingMode Immediate): the disks of the instances may lie in one zone or on one node, or where no pod can run. Use a class of WaitForFirstConsumer.",
		"path": ["spec", "storage", "storageClass"],
	}}
}

test_by_default if count(findings({})) == 1

test_once_for_two_volumes if count(findings({"wal": "20Gi"})) == 1

test_when_it_is_used if findings({"class": {"volumeBindingMode": "WaitForFirstConsumer"}}) == set()

test_one_instance if findings({"spec": {"instances": 1}}) == set()

test_disks_of_no_zone if findings({"provisioner": "rbd.csi.ceph.com"}) == set()

test_silent_without_class if {
	check.findings == set() with input as manifests.blind({"provisioner": "ebs.csi.aws.com", "size": "100Gi"})
}

# One instance that may run on certain machines only.
test_one_instance_of_certain_machines if {
	findings({"spec": {"instances": 1, "affinity": {"nodeSelector": {"node.kubernetes.io/instance-type": "r6i.xlarge"}}}}) == findings({})
}

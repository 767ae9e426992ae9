# METADATA
# title: Amazon EBS
# description: |
#   gp3 gives 125 MiB/s and 3,000 IOPS at any size unless throughput and iops buy more; gp2, st1 and sc1 follow size; io1 and io2
#   follow IOPS. Burst credits are kept apart: what counts is the sustained figure. The driver lowers IOPS above the vendor's
#   ratio instead of failing. What an instance allows in total is not in sight: figures are upper bounds.
# related_resources:
#   - https://docs.aws.amazon.com/ebs/latest/userguide/ebs-volume-types.html
#   - https://github.com/kubernetes-sigs/aws-ebs-csi-driver/blob/master/docs/parameters.md
# custom:
#   prefix: aws
#   provisioners: [ebs.csi.aws.com, ebs.csi.eks.amazonaws.com, kubernetes.io/aws-ebs]
package walguard.storage.aws

import data.walguard.lib.disk
import data.walguard.lib.get
import data.walguard.model.claims

# Provisioner to the type it takes when the class names none; for classes of the in-tree driver that depends on the version of Kubernetes.
default_types := {
	"ebs.csi.aws.com": "gp3",
	"ebs.csi.eks.amazonaws.com": "gp3",
	"kubernetes.io/aws-ebs": "unknown",
}

disks[id] := d if {
	some id, claim in ours
	type := get.lower_case(object.get(claim.parameters, "type", default_types[claim.provisioner]))
	data.walguard.storage.aws.profiles[type]
	d := disk.assess("Amazon EBS", data.walguard.storage.aws.profiles, [type], "", claim, wish(claim))
}

filesystems[id] := filesystem if {
	some id, claim in ours
	filesystem := disk.filesystem(claim, "ext4")
}

ours[id] := claim if {
	some id, claim in claims.claims
	default_types[claim.provisioner]
}

wish(claim) := object.union_n([
	object.union_n([{"iops": disk.thousand(n)} | n := claim.parameters.iops]),
	object.union_n([{"iops": n} | not claim.parameters.iops; n := per_gib(claim)]),
	object.union_n([{"throughput": disk.thousand(n)} | n := claim.parameters.throughput]),
	object.union_n([{"raised": true} | raised(claim)]),
])

per_gib(claim) := disk.thousand(claim.parameters.iopspergb) * disk.size_gib(claim) if claim.size_bytes

# The driver raises IOPS below the minimum of the type where it is told to; for classes of the in-tree driver it always is.
raised(claim) if get.lower_case(claim.parameters.allowautoiopspergbincrease) == "true"

raised(claim) if {
	claim.provisioner == "kubernetes.io/aws-ebs"
	claim.parameters.iopspergb
}

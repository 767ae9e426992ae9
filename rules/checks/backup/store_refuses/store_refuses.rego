# METADATA
# title: The store may refuse what is sent to it
# description: |
#   Stores that speak S3 do not all take what Barman Cloud sends. What one refuses is neither archived nor backed up, and WAL fills the volume.
#
#   Checksums: since 1.36 boto3 adds them ("Data Integrity Protections for Amazon S3"). Other stores took them up one by one, and refuse everything until then:
#   "x-amz-content-sha256 must be …", "Checksum Type mismatch", InvalidDigest, SignatureDoesNotMatch – from the update of the image or the plugin on (plugin 0.5.0,
#   Barman 3.14). Google Cloud Storage is known to refuse them, a warning; of an endpoint elsewhere it is not known what is behind it, and that is info.
#
#   Encryption by the store (AES256, aws:kms): those of Hetzner and Linode have no keys for it, a warning; MinIO has none unless it is given a KMS, info.
#
#   Region: boto3 signs for us-east-1 where nothing names one, which Scaleway and OVHcloud refuse, and Garage unless it is configured so; info of another endpoint that has a region in its name. The aws of Zalando's logical
#   backups does the same without logical_backup_s3_region.
#
#   Credentials: pgBackRest's repoN-s3-key-type=auto asks the node for a role, and not for that of the pod's service account on EKS, which is web-id's, and web-id takes it from the annotation of that account.
# related_resources:
#   - https://cloudnative-pg.io/plugin-barman-cloud/docs/object_stores/
#   - https://docs.aws.amazon.com/sdkref/latest/guide/feature-dataintegrity.html
#   - https://github.com/EnterpriseDB/barman/issues/1112
#   - https://github.com/cloudnative-pg/plugin-barman-cloud/issues/646
#   - https://github.com/cozystack/cozystack/pull/3417
#   - https://github.com/juicedata/juicefs/issues/3129
#   - https://github.com/zalando/postgres-operator/issues/812
#   - https://github.com/multigres/multigres/issues/663
#   - https://github.com/jikig-ai/soleur/pull/3966
# custom:
#   severity: warning
#   since: 0.1.0
#   remediation: Set AWS_REQUEST_CHECKSUM_CALCULATION and AWS_RESPONSE_CHECKSUM_VALIDATION to when_required, in spec.instanceSidecarConfiguration.env of the ObjectStore or in spec.env of the Cluster; take encryption out; name the region in s3Credentials.
#   sources: []
package walguard.checks.backup.store_refuses

import data.walguard.lib.finding
import data.walguard.lib.get
import data.walguard.model

findings contains f if {
	some fault in get.list(model.cluster, "store_refusals")
	f := finding.with_severity(finding.at(fault, sprintf("%s. %s.", [fault.reason, fault.cure])), fault.level)
}

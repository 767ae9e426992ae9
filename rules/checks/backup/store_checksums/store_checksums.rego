# METADATA
# title: The store may refuse the checksums of boto3
# description: |
#   Since 1.36 boto3, through which Barman Cloud archives, adds checksums to what it sends ("Data Integrity Protections for Amazon S3"). Other stores that speak S3
#   took them up one by one, and refuse everything until then: "x-amz-content-sha256 must be …", "Checksum Type mismatch", InvalidDigest,
#   SignatureDoesNotMatch. No WAL is archived, it fills the volume, and no backup exists – from the update of the image or the plugin on (plugin 0.5.0, Barman 3.14). Google
#   Cloud Storage is known to refuse them, a warning; of an endpoint elsewhere it is not known what is behind it, and that is info.
# related_resources:
#   - https://cloudnative-pg.io/plugin-barman-cloud/docs/object_stores/
#   - https://docs.aws.amazon.com/sdkref/latest/guide/feature-dataintegrity.html
#   - https://github.com/EnterpriseDB/barman/issues/1112
#   - https://github.com/cozystack/cozystack/pull/3417
# custom:
#   severity: warning
#   since: 0.1.0
#   remediation: Set AWS_REQUEST_CHECKSUM_CALCULATION and AWS_RESPONSE_CHECKSUM_VALIDATION to when_required, in spec.instanceSidecarConfiguration.env of the ObjectStore or in spec.env of the Cluster.
#   sources: []
package walguard.checks.backup.store_checksums

import data.walguard.lib.finding
import data.walguard.lib.get
import data.walguard.model

findings contains f if {
	some fault in get.list(model.cluster, "store_checksums")
	f := finding.with_severity(finding.at(fault, sprintf("%s. %s.", [fault.reason, fault.cure])), fault.level)
}

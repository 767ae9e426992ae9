# METADATA
# title: The backup store cannot be used as it is written
# description: |
#   What the program that archives refuses it refuses every time: the database runs, the operator says so in a log or a condition, no backup ever
#   exists, and WAL that cannot be archived fills the volume.
#
#   - Barman Cloud takes s3://, gs:// and https://ACCOUNT.blob.core.windows.net/CONTAINER with the credentials of the same provider, an endpoint with its
#     scheme, and an option and its value as two words or joined by "=".
#   - Its plugin looks for the ObjectStore beside the cluster, by its name; reported where another one stands there that no cluster names. The operator
#     looks for the plugin in its own namespace.
#   - pgBackRest reads of the Secrets and ConfigMaps that it is given the keys that end in .conf. An option or a variable without a value ends it.
#   - repoN-path is the directory that holds archive/ and backup/, not one backup in it, and two repositories of one bucket and path are one. The repository that a
#     restore, a standby or a backup names must be among the cluster's own.
#   - An endpoint is the host of the store, without the bucket, whose name has no slash: the client puts the bucket in front. A Service, an address and most MinIO do not
#     answer to that name, and no certificate is valid for it where the bucket has dots: set repoN-s3-uri-style to path, and enablePathStyleAddressing in StackGres.
#     Website endpoints of S3 serve pages, not its API.
#   - A store inside the cluster speaks TLS by a certificate of no public authority, if at all, so that its CA has to be named.
#   - A restore in place of a cluster that still has its dataSource is followed by one from there. A standby of Crunchy's operator begins with a backup in its repository,
#     which a new volume of its own does not have.
#   - Logical backups of Zalando's operator need a bucket, and that of its chart (my-bucket-url) is nobody's. To a store that is not Amazon's they bring keys of their own.
#     A clone looks below the uid of its source, where clusters archive without it when variables of the pods name the bucket and not the operator's configuration.
#   - Spilo gives WAL-G nothing of a store without one of its own variables for the place, of Azure WALG_AZ_PREFIX, and the key of Google's has to be mounted.
#     It puts the scheme before the name of a bucket (WAL_S3_BUCKET), as the logical backups do; a prefix (WALG_S3_PREFIX) brings its own.
#   pgBackRest stops at a value that it cannot read (compress-type=zstd, start-fast=yes, a relative path), PGO and Percona's operator restore nothing where an option of their own is written (--repo, --stanza,
#   --target-action), and --target needs a --type of time, name, lsn or xid. A moment is written with a space and an offset, 2026-06-14 08:30:00+00, and not in ISO 8601 with T or Z, by which no backup is chosen (error 029). A prefix of WAL-G that ends in the number of another major takes the WAL of both.
#   Spilo reads the source of a clone or a standby with variables that begin with CLONE_ or STANDBY_ alone, its role and its key among them, and releases with WAL-E (before 4.1) read it with that from Google and Azure
#   unless CLONE_USE_WALG_RESTORE is true.
#   WAL-G puts the bucket in front of the host of AWS_ENDPOINT, which a Service or an address does not answer to, unless AWS_S3_FORCE_PATH_STYLE is true; Spilo sets that itself since 2.1-p4. What is told of the
#   certificate of a store where a cluster archives – its CA, or that nobody verifies it – has to be told once more where one is restored, cloned or recovered from the same store.
#   A prefix of WAL-G begins with the scheme of its store, pg1-path is the directory of the server itself, and archive_command asks for wal-push or archive-push: with backup-push or backup every segment fails.
#   Variables (${X}) in endpointURL and destinationPath of CloudNativePG stay as they are; reported of a file where the pods have a variable of the name (of the names of a provider's, by envFrom, a warning), and nothing else is left to a later step.
#   A store that inherits the role of CloudNativePG's pods needs the annotation of EKS, GKE or Azure on their ServiceAccount, which spec.serviceAccountTemplate and spec.inheritedMetadata give it: on the Cluster it does nothing, unless the operator is told to hand it on
#   (INHERITED_ANNOTATIONS), which makes it a warning.
#   A pgBackRest that is older than the major of the server reads no pg_control of it (17 needs 2.53.1).
# related_resources:
#   - https://cloudnative-pg.io/plugin-barman-cloud/docs/object_stores/
#   - https://github.com/EnterpriseDB/barman/tree/master/barman/cloud_providers
#   - https://pgbackrest.org/configuration.html
#   - https://docs.aws.amazon.com/AmazonS3/latest/userguide/WebsiteEndpoints.html
#   - https://github.com/cloudnative-pg/plugin-barman-cloud/issues/165
#   - https://github.com/EnterpriseDB/barman/issues/1036
#   - https://github.com/percona/percona-postgresql-operator/issues/744
#   - https://github.com/pgbackrest/pgbackrest/issues/1939
#   - https://github.com/percona/percona-postgresql-operator/issues/1136
#   - https://github.com/openeverest/openeverest-operator/pull/274
#   - https://github.com/percona/percona-postgresql-operator/pull/771
#   - https://github.com/cloudnative-pg/plugin-barman-cloud/issues/504
#   - https://github.com/cloudnative-pg/cloudnative-pg/issues/6875
#   - https://cloudnative-pg.io/plugin-barman-cloud/docs/installation/
#   - https://github.com/zalando/postgres-operator/pull/1688
#   - https://github.com/zalando/spilo/issues/981
#   - https://github.com/wal-g/wal-g/issues/1516
#   - https://github.com/kobotoolbox/kobo-docker/pull/311
#   - https://github.com/pgbackrest/pgbackrest/issues/2440
#   - https://github.com/zalando/postgres-operator/issues/1190
#   - https://github.com/zalando/spilo/pull/670
#   - https://github.com/CrunchyData/postgres-operator/issues/3160
#   - https://github.com/pgbackrest/pgbackrest/issues/2618
#   - https://github.com/cloudnative-pg/cloudnative-pg/issues/756
#   - https://github.com/cloudnative-pg/cloudnative-pg/issues/2648
#   - https://github.com/zalando/postgres-operator/issues/2394
#   - https://github.com/zalando/postgres-operator/issues/800
#   - https://github.com/zalando/spilo/pull/1143
# custom:
#   severity: error
#   since: 0.1.0
#   remediation: Write the place, the endpoint and the options as the program reads them, and try a backup.
#   sources: []
package walguard.checks.backup.store_unusable

import data.walguard.lib.finding
import data.walguard.lib.get
import data.walguard.model

findings contains f if {
	some fault in get.list(model.cluster, "unusable_stores")
	f := graded(finding.at(fault, sprintf("%s. %s.", [fault.reason, fault.cure])), fault)
}

graded(f, fault) := finding.with_severity(f, fault.level)

graded(f, fault) := f if not fault.level

# Whoever's server it is. Where schedules need the WAL, backup/archiving_discards says so.
findings contains f if {
	command := model.written.archive_command
	not model.cluster.archiving.value == "off"
	count([1 | model.cluster.archiving.value == "discards"; some schedule in model.schedules; schedule.needs_wal; not schedule.suspended]) == 0
	some program, right in archiving_words
	some match in regex.find_all_string_submatch_n(other_words[program], command.text, 1)
	f := finding.at(command, sprintf("archive_command runs %s %s, which archives no segment of WAL: every one fails, and the WAL fills the volume. Write %s.", [program, match[1], right]))
}

archiving_words := {"pgbackrest": "pgbackrest --stanza=NAME archive-push %p", "wal-g": "wal-g wal-push %p"}

other_words := {
	"pgbackrest": `(?:^|[\s/;&|])pgbackrest\s(?:[^;&|]*\s)?(archive-get|backup|check|restore|stanza-create)(?:\s[^;&|]*)?["']?%p`,
	"wal-g": `(?:^|[\s/;&|])wal-g\s(?:[^;&|]*\s)?(backup-fetch|backup-push|wal-fetch)(?:\s[^;&|]*)?\s["']?%p`,
}

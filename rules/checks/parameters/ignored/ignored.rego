# METADATA
# title: A parameter has no effect where it stands
# description: |
#   Some resources have a place for parameters that their operator never reads, or one that it reads for a component that does
#   not exist: the resource is accepted, and the setting has no effect. Often one level is missing: Patroni reads
#   dynamicConfiguration.postgresql.parameters, and passes over a max_wal_size that stands beside it without a word (17 files of
#   87 public repositories). CloudNativePG's barman plugin takes the ObjectStore of the Cluster, whatever a ScheduledBackup names. Zalando's operator gives its pods no variables of its own ConfigMap, and takes no options from custom_pod_annotations,
#   has no options of the names of such variables (aws_endpoint), looks for each option of an OperatorConfiguration in one section alone, takes of a sidecar its name, image, command, env, ports and resources and no other field, hands on a few keys of Patroni's below spec.patroni and drops the rest, does not read that object at all where its Deployment names another or a ConfigMap (an error), and reads secretNamespace with enable_cross_namespace_secret alone. StackGres leaves out options of PgBouncer that it writes itself. A restore that names a backup and no target (backupID, --set) replays the WAL to its end like any other. Info where the server has the value anyhow.
# related_resources:
#   - https://patroni.readthedocs.io/en/latest/dynamic_configuration.html
#   - https://kubeblocks.io/docs/release-1_0/user_docs/references/api-reference/operations
#   - https://github.com/cloudnative-pg/plugin-barman-cloud/blob/main/internal/cnpgi/instance/backup.go
#   - https://github.com/cloudnative-pg/cloudnative-pg/issues/7778
#   - https://github.com/cloudnative-pg/plugin-barman-cloud/issues/667
#   - https://github.com/CrunchyData/postgres-operator/issues/3257
#   - https://github.com/zalando/postgres-operator/issues/1800
#   - https://github.com/zalando/postgres-operator/issues/1806
#   - https://github.com/zalando/postgres-operator/issues/1827
#   - https://github.com/zalando/postgres-operator/issues/1132
#   - https://github.com/zalando/postgres-operator/issues/2800
#   - https://github.com/zalando/postgres-operator/issues/741
#   - https://github.com/ongres/stackgres/blob/main/stackgres-k8s/src/operator/src/main/resources/pgbouncer-blocklist.properties
# custom:
#   severity: warning
#   since: 0.1.0
#   remediation: Move the parameters to the place that the operator reads.
#   sources: [S3]
package walguard.checks.parameters.ignored

import data.walguard.lib.finding
import data.walguard.lib.get
import data.walguard.model
import data.walguard.postgres

findings contains f if {
	some setting in model.cluster.ignored
	not in_force(setting)
	not setting.level
	f := moved(setting, finding.at(setting, sprintf("%s has no effect here: %s.", [setting.name, setting.reason])))
}

findings contains f if {
	some setting in model.cluster.ignored
	f := finding.with_severity(finding.at(setting, sprintf("%s has no effect here: %s.", [setting.name, setting.reason])), setting.level)
}

findings contains f if {
	some setting in model.cluster.ignored
	not setting.level
	in_force(setting)
	f := finding.with_severity(
		moved(setting, finding.at(setting, sprintf("%s has no effect here: %s. The server has this value anyhow.", [setting.name, setting.reason]))),
		"info",
	)
}

moved(setting, f) := finding.with_place(f, setting, setting.place) if {
	setting.place
} else := f

# Nobody waits for a synchronous_commit=on that was never off.
in_force(setting) if {
	name := get.lower_case(setting.name)
	not model.partial
	not model.decided[name]
	entry := model.catalogue_entry(name)
	postgres.parse(entry, model.default_of(name)).value == postgres.parse(entry, get.text(setting.value)).value
}

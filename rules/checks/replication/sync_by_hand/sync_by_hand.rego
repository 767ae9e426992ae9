# METADATA
# title: Synchronous replication that Patroni does not know of
# description: |
#   synchronous_standby_names among the parameters makes commits wait for a standby, but with synchronous_mode off Patroni does not
#   know which standby has confirmed them: after a failure it may promote another one, and commits that clients saw confirmed are gone.
#   Patroni also keeps the list as it is when the standbys in it are gone, so that writes wait. Its own synchronous_mode keeps the
#   list, and promotes only a standby from it.
# related_resources:
#   - https://patroni.readthedocs.io/en/latest/replication_modes.html
# custom:
#   severity: warning
#   since: 0.1.0
#   remediation: Set synchronous_mode to true in Patroni and remove synchronous_standby_names.
#   sources: []
package walguard.checks.replication.sync_by_hand

import data.walguard.lib.finding
import data.walguard.model

findings contains f if {
	model.cluster.patroni
	setting := model.written.synchronous_standby_names
	trim(setting.text, " '") != ""
	not model.refused.synchronous_standby_names
	not managed
	not by_patroni
	model.cluster.instances.value > 1
	f := finding.at(setting, sprintf("synchronous_standby_names=%s without synchronous_mode: a failover may promote a standby that lacks confirmed commits. Set synchronous_mode: true in Patroni and remove the parameter.", [setting.text]))
}

managed if model.cluster.managed.synchronous_standby_names

by_patroni if model.cluster.synchronous.value

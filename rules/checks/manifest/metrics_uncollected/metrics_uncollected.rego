# METADATA
# title: Nothing collects the metrics
# description: |
#   A PodMonitor that Prometheus does not select is taken without a word: there is no target, no series, and no alert that could speak of a server that is down. Prometheus reads monitors with the labels of
#   podMonitorSelector, in the namespaces of podMonitorNamespaceSelector: none at all where the first is missing, its own namespace where the second is. Reported where one Prometheus stands among the files and reads
#   none of the monitors of the cluster. CloudNativePG's PodMonitors of a cluster lead to its servers, and those of the Poolers need another one: reported where the servers have one (an info).
# related_resources:
#   - https://prometheus-operator.dev/docs/api-reference/api/#monitoring.coreos.com/v1.PrometheusSpec
#   - https://cloudnative-pg.io/documentation/current/monitoring/
#   - https://github.com/KBVE/kbve/pull/15392
#   - https://github.com/KBVE/kbve/pull/10981
# custom:
#   severity: warning
#   since: 0.1.0
#   remediation: Give the monitor the labels that Prometheus selects, and create one for each Pooler.
#   sources: []
package walguard.checks.manifest.metrics_uncollected

import data.walguard.lib.finding
import data.walguard.model.scrapes

findings contains f if {
	one := scrapes.unread
	f := finding.at(one, sprintf("%s: no metrics of this cluster are collected, and alerts stay silent. %s.", [one.reason, one.cure]))
}

findings contains f if {
	some one in scrapes.unwatched_poolers
	f := finding.with_severity(finding.at(one, sprintf("The servers have a PodMonitor, and Pooler %s has none: clients that PgBouncer keeps waiting or turns away go unseen. Create one that selects %s.", [one.name, one.selector])), "info")
}

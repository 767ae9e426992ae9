# METADATA
# title: shared_buffers do not fit into the memory request
# description: |
#   The scheduler finds room for the request, and shared_buffers come to be used sooner or later: on a full node the pod uses more than it
#   asked for, and is evicted before those that do not. CloudNativePG's webhook refuses a cluster whose shared_buffers exceed its memory
#   request. shared_buffers in huge pages are not counted. A request that no more than the default shared_buffers fit into is info.
# related_resources:
#   - https://kubernetes.io/docs/concepts/scheduling-eviction/node-pressure-eviction/
#   - https://github.com/cloudnative-pg/cloudnative-pg/blob/main/internal/webhook/v1/cluster_webhook.go
# custom:
#   severity: warning
#   since: 0.1.0
#   remediation: Set the memory request to four times shared_buffers, or lower shared_buffers.
#   sources: []
#   formulas:
#     - shared_buffers_bytes > memory_request_bytes
package walguard.checks.memory.request_below_buffers

import data.walguard.lib.budget
import data.walguard.lib.disk
import data.walguard.lib.finding
import data.walguard.lib.get
import data.walguard.lib.memory
import data.walguard.lib.quantity
import data.walguard.model

findings contains f if {
	setting.origin == "written"
	some set in get.list(model.cluster, "instance_sets")
	memory.huge(set.resources) < setting.bytes
	request_bytes := quantity.bytes(set.resources.requests.memory)
	setting.bytes > request_bytes
	not told_by_limit(set)
	f := finding.with_severity(
		finding.with_facts(
			finding.at(setting, sprintf("%s, and the pods%s request %s of memory: %s. Request %s or more.", [
				budget.setting(setting),
				memory.of(set),
				disk.size_text(request_bytes),
				consequence,
				disk.size_text(budget.up(4 * setting.bytes)),
			])),
			{"shared_buffers_bytes": setting.bytes, "memory_request_bytes": request_bytes},
		),
		severity,
	)
}

# Nobody has asked for the default, and a small database may never fill it.
findings contains f if {
	setting.origin != "written"
	some set in get.list(model.cluster, "instance_sets")
	memory.huge(set.resources) < setting.bytes
	request_bytes := quantity.bytes(set.resources.requests.memory)
	setting.bytes >= request_bytes
	not told_by_limit(set)
	f := finding.with_severity(
		finding.at_path(array.concat(set.resources_path, ["requests", "memory"]), sprintf("The pods%s request %s of memory, which %s alone can fill: on a full node they are evicted first. Request %s or more.", [
			memory.of(set),
			disk.size_text(request_bytes),
			budget.setting(setting),
			disk.size_text(budget.up(4 * setting.bytes)),
		])),
		"info",
	)
}

# memory/shared_buffers_exceeds reports of a limit that is too small as well.
told_by_limit(set) if quantity.bytes(set.resources.limits.memory) <= setting.bytes

setting := model.parameter("shared_buffers")

consequence := "the operator refuses the cluster" if model.cluster.requests_hold_buffers

consequence := "on a full node they are evicted first" if not model.cluster.requests_hold_buffers

severity := "error" if model.cluster.requests_hold_buffers

severity := "warning" if not model.cluster.requests_hold_buffers

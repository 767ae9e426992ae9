# METADATA
# description: |
#   The verdict on one resource: the findings of all checks, each with its id (the path of its package), its severity (what
#   the administrator chose, else what the finding says, else the METADATA of the check), the resource it is about, and what a
#   host that answers requests shall do about it:
#     action     "deny": refuse the request; "warn": let it pass and show the finding; "audit": let it pass and record the
#                finding; "none": a waiver covers it, it counts for nothing
#     waived     {"reason", "owner", "expires", "waiver": its place in the configuration}, where a waiver covers it
#     ratcheted  true where an UPDATE met an error that was there before
package walguard.verdict

import data.walguard.catalogue
import data.walguard.index
import data.walguard.lib.before
import data.walguard.lib.k8s
import data.walguard.lib.settings
import data.walguard.lib.waivers
import data.walguard.model

# METADATA
# description: |
#   The findings after waivers and ratchet. On UPDATE the object as it was is judged too: an error that was there before is
#   demoted to a warning, so that a cluster older than the guard can still be changed; only a new error denies.
findings contains finding if {
	some raw in judged
	finding := decided(raw)
}

decided(finding) := object.union(finding, {"action": "none", "waived": mark}) if {
	mark := waivers.of(finding)
} else := object.union(finding, {"action": action("warning"), "severity": "warning", "ratcheted": true}) if {
	old(finding)
} else := object.union(finding, {"action": action(finding.severity)})

# Kubernetes' words for it, those of validationActions.
action(severity) := "audit" if {
	settings.exempt
} else := "audit" if {
	settings.mode == "audit"
} else := "audit" if {
	severity == "info"
	not settings.show_info
} else := "deny" if {
	severity == "error"
	settings.mode == "enforce"
} else := "warn"

# METADATA
# description: The findings of the object under review, before waivers and ratchet.
judged contains finding if {
	some id, found in index.findings
	some raw in found
	concerned(raw)
	severity := severity_of(id, raw)
	severity != "off"
	finding := object.union_n([{"resource": resource}, raw, {"check": id, "severity": severity}])
}

concerned(_) if not model.cluster.change

# A change to a cluster answers for what it changes, not for what is wrong with the cluster already.
concerned(raw) if {
	model.cluster.change
	object.get(raw, "resource", resource) == resource
	count(raw.path) > 0
}

# A client by itself answers for what it reads as well, and for what keeps it in.
concerned(raw) if {
	model.cluster.client
	raw.resource.kind in {"CiliumNetworkPolicy", "ConfigMap", "NetworkPolicy", "PodDisruptionBudget", "Secret"}
}

resource := k8s.reference(k8s.object)

severity_of(id, _) := settings.severity(id)

severity_of(id, raw) := raw.severity if {
	not settings.severity(id)
	raw.severity
}

severity_of(id, raw) := catalogue.checks[id].severity if {
	not settings.severity(id)
	not raw.severity
}

old(finding) if {
	k8s.operation == "UPDATE"
	k8s.old_object
	finding.severity == "error"
	[finding.check, finding.resource, finding.path] in old_errors
}

old_errors := {[finding.check, finding.resource, finding.path] |
	some finding in judged with input as before.review
	finding.severity == "error"
}

# METADATA
# description: |
#   What hosts ask for. `findings` is what every host of ours reads; `deny` and `warn` are the names conftest looks for: the
#   findings with these actions. What only goes on record (advice), and what is waived, is in `findings` alone.
package main

import data.walguard.alone
import data.walguard.carried
import data.walguard.dependents
import data.walguard.each
import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.lib.settings
import data.walguard.model
import data.walguard.verdict

findings contains finding if some finding in verdict.findings

findings contains finding if some finding in dependents.findings

findings contains finding if some finding in each.findings

findings contains finding if some finding in carried.findings

findings contains finding if some finding in alone.findings

# METADATA
# description: The findings together with whether the object under review is a PostgreSQL cluster, or changes one, to some adapter.
judgement := {"findings": findings, "recognised": recognised}

# What runs a client alone is none.
recognised if {
	count([title | title := model.title]) > 0
	not model.cluster.client
} else if {
	carried.recognised
} else if {
	alone.recognised
} else := false

# A List or conftest --combine: every document is judged with all others at hand, and so are the clusters that it changes or holds.
findings contains finding if {
	some reviewed in reviews
	some finding in verdict.findings with input as reviewed
}

findings contains finding if {
	some reviewed in reviews
	some finding in each.findings with input as reviewed
}

findings contains finding if {
	some reviewed in reviews
	some finding in carried.findings with input as reviewed
}

findings contains finding if {
	some reviewed in reviews
	some finding in alone.findings with input as reviewed
}

reviews := [reviewed |
	some document in k8s.documents
	reviewed := {
		"review": {"object": document},
		"parameters": configuration,
		"inventory": documents_inventory,
	}
]

documents_inventory := inventory.from_documents(k8s.documents)

configuration := settings.configuration

deny contains failure if {
	some finding in findings
	finding.action == "deny"
	failure := message(finding)
}

warn contains failure if {
	some finding in findings
	finding.action == "warn"
	failure := message(finding)
}

message(finding) := object.union(finding, {"msg": sprintf("%s %s/%s: %s (%s)", [
	finding.resource.kind,
	finding.resource.namespace,
	finding.resource.name,
	finding.message,
	finding.check,
])})

# METADATA
# description: |
#   One object can change several clusters (a configuration that they share) or hold several servers. An adapter reads one of them and names the
#   others; here each of these is judged too. What is found for it and not for the first one is told with its name.
package walguard.each

import data.walguard.lib.k8s
import data.walguard.lib.settings
import data.walguard.model
import data.walguard.verdict

# METADATA
# description: Others that are judged, at most. That there are more, walguard.checks.parameters.unread_source says.
limit := model.together

others := array.slice(all, 0, limit)

all := sort({name | some name in model.cluster.others})

findings contains finding if {
	count(others) > 0
	known := {[f.check, f.path, f.action] | some f in verdict.findings}
	given := object.filter(input, ["inventory", "now"])
	configuration := settings.configuration
	review := k8s.review
	some name in others
	asked := object.union(given, {"review": object.union(review, {"chosen": name}), "parameters": configuration})
	some found in verdict.findings with input as asked
	not [found.check, found.path, found.action] in known
	finding := object.union(found, {"message": sprintf("For %s: %s", [name, found.message])})
}

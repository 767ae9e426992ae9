# METADATA
# description: What `patronictl edit-config` takes, for Patroni on machines of its own.
package walguard.operators.workload.skeleton

import data.walguard.operators.server.skeleton
import data.walguard.tune.wanted

# METADATA
# description: The name that users give this target.
title := "patroni"

manifest := {"objects": [skeleton.server], "text": sprintf("postgresql:\n  parameters:\n%s", [lines])}

lines := concat("", [line |
	some parameter in wanted.asked.parameters
	line := sprintf("    %s: %s\n", [parameter.name, json.marshal(parameter.value)])
])

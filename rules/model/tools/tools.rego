# METADATA
# description: |
#   What runs the programs of PostgreSQL (pg_dump, pg_isready, psql) against the cluster beside it: the entries of workloads.clients that have such a container, with "does": a clause. A container is meant that names
#   one of "hosts" of walguard.model in its command or a variable. What an operator made is its own matter.
package walguard.model.tools

import data.walguard.lib.get
import data.walguard.lib.workloads
import data.walguard.model

pods := [object.union(made, {"does": does[dumping]}) |
	count(hosts) > 0
	some made in workloads.clients
	not workloads.itself(made)
	count(get.list(made.object, ["metadata", "ownerReferences"])) == 0
	programs := {program |
		some list in ["containers", "initContainers"]
		some container in get.list(made.pod, list)
		program := program_of(container)
	}
	count(programs) > 0
	dumping := count({"pg_dump", "pg_dumpall"} & programs) > 0
]

does := {true: "dumps the database", false: "runs programs of PostgreSQL"}

hosts := {host | some host in get.list(model.cluster, "hosts"); host != ""}

program_of(container) := programs[0] if {
	words := [word | some field in ["command", "args"]; some word in get.list(container, field); is_string(word)]
	texts := array.concat(words, [value | some variable in get.list(container, "env"); value := get.string(variable, "value")])
	count([1 | some one in texts; some found in regex.find_n(`[A-Za-z0-9][A-Za-z0-9.-]*`, one, -1); split(found, ".")[0] in hosts]) > 0
	programs := [match[1] | some one in words; some match in regex.find_all_string_submatch_n(`(?m)(?:^|[\s;&|(/])(pg_dump(?:all)?|pg_isready|psql)(?:\s|$)`, one, 1)]
}

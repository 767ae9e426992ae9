package walguard.model.dumps

import data.walguard.lib.get
import data.walguard.model

# METADATA
# description: |
#   Those of `all` that ask for standbys alone: {…, "host": the first of the names}. They are the names of Services that operators give standbys, and all names of a server that follows another one.
from_standbys := [object.union(job, {"host": sort(named)[0]}) |
	some job in all
	named := {host |
		some one in array.concat(words(job.container), [value | some variable in get.list(job.container, "env"); value := get.string(variable, "value")])
		some found in regex.find_n(`[A-Za-z0-9][A-Za-z0-9.-]*`, one, -1)
		host := split(found, ".")[0]
		host in hosts
	}
	count(named) > 0
	count(named - of_standbys) == 0
]

of_standbys := hosts if model.cluster.follows.value == true

of_standbys := {host | some host in hosts; some role in ["ro", "repl", "replica", "replicas"]; host == sprintf("%s-%s", [model.cluster.name, role])} if not model.cluster.follows.value

# METADATA
# description: |
#   The synchronous standbys that a server names by itself; undefined where Patroni or the operator writes the list, and where commits do not wait for it.
#   setting  synchronous_standby_names
#   asked    {"wanted": how many have to confirm, "names"}, of a list without *
package walguard.model.standbys

import data.walguard.model

setting := model.written.synchronous_standby_names if not settled_otherwise

# No server starts with it.
settled_otherwise if model.refused.synchronous_standby_names

# Without synchronous_mode Patroni passes the parameter on as it is.
settled_otherwise if {
	model.cluster.patroni
	model.cluster.synchronous.value
}

settled_otherwise if model.cluster.managed.synchronous_standby_names

settled_otherwise if model.written.synchronous_commit.text in {"off", "local"}

# One name by itself is FIRST 1 of it, and a list without a number FIRST 1 of those.
asked := {"wanted": to_number(found[1]), "names": names_in(found[2])} if {
	found := regex.find_all_string_submatch_n(`(?i)^[\s']*(?:any|first)?\s*([0-9]{1,4})\s*\(([^()*]*)\)[\s']*$`, setting.text, 1)[0]
} else := {"wanted": 1, "names": names_in(setting.text)} if {
	regex.match(`^[\s']*[^\s'()*][^()*]*$`, setting.text)
}

names_in(listed) := [trim(name, ` '"`) | some name in split(listed, ",")]

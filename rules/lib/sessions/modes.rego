package walguard.lib.sessions

import data.walguard.lib.get
import data.walguard.lib.placeholder

# METADATA
# description: |
#   What a pgbouncer.ini has that gives each transaction, or each statement, another connection of the server: {"mode", "kept": max_prepared_statements, "" where none is written, "resets"?: true where it gives
#   back the locks of a session behind each transaction}. Undefined where it does not, and where databases or users have modes of their own.
of_ini(ini) := object.union({"mode": mode, "kept": kept}, {"resets": true | resets(ini)}) if {
	not placeholder.holds(ini)
	not regex.match(`(?m)^\s*%include`, ini)
	count(regex.find_n(`(?m)\bpool_mode\s*=`, ini, -1)) == 1
	mode := regex.find_all_string_submatch_n(`(?m)^\s*pool_mode\s*=\s*([a-z]+)`, ini, 1)[0][1]
	mode in {"transaction", "statement"}
	kept := array.concat([match[1] | some match in regex.find_all_string_submatch_n(`(?m)^\s*max_prepared_statements\s*=\s*([0-9]+)`, ini, 1)], [""])[0]
}

# METADATA
# description: The same of a container whose image writes the file from its variables.
of_variables(container, values) := {"mode": mode, "kept": kept} if {
	count(get.list(container, "envFrom")) == 0
	mode := [values[name] | some name in ["POOL_MODE", "PGBOUNCER_POOL_MODE"]; values[name]][0]
	mode in {"transaction", "statement"}
	kept := array.concat([values[name] | some name in ["MAX_PREPARED_STATEMENTS", "PGBOUNCER_MAX_PREPARED_STATEMENTS"]; values[name]], [""])[0]
	count([1 | some mounted in get.list(container, "volumeMounts"); regex.match(`pgbouncer`, get.string(mounted, "mountPath"))]) == 0
}

# PgBouncer runs server_reset_query behind sessions alone unless it is told otherwise.
resets(ini) if {
	regex.match(`(?m)^\s*server_reset_query_always\s*=\s*["']?1`, ini)
	every query in regex.find_n(`(?m)^\s*server_reset_query\s*=.*$`, ini, -1) {
		regex.match(`(?i)discard\s+all|pg_advisory_unlock_all`, query)
	}
}

# METADATA
# description: The postgresql.conf of a server on a machine of its own.
package walguard.operators.server.skeleton

import data.walguard.tune.wanted

# METADATA
# description: The name that users give this target.
title := "conf"

manifest := {"objects": [server], "text": wanted.conf}

server := {
	"apiVersion": "walguard.dev/v1",
	"kind": "PostgresServer",
	"metadata": {"name": "postgresql.conf"},
	"spec": object.union_n([
		wanted.amounts,
		object.union_n([{"version": version} | version := wanted.version]),
		wanted.field("volumes", object.filter(wanted.asked, ["data", "wal"])),
		{"configuration": [{"file": "postgresql.conf", "text": concat("", ["# tuned\n", wanted.conf])}]},
	]),
}

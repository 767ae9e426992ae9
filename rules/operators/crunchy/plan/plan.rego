# METADATA
# description: The schedules of pgBackRest (see walguard.model.schedules). Its backups need the WAL archive to be of any use.
package walguard.operators.crunchy.plan

import data.walguard.lib.crunchy as pgo
import data.walguard.lib.get
import data.walguard.lib.k8s

schedules := [schedule |
	some i, repository in get.list(k8s.object, ["spec", "backups", "pgbackrest", "repos"])
	is_object(repository)
	some kind, text in get.map(repository, "schedules")
	is_string(text)
	schedule := {
		"lock": "pgBackRest",
		"locked": i,
		"method": methods[kind],
		"path": ["spec", "backups", "pgbackrest", "repos", i, "schedules", kind],
		"text": text,
		"needs_wal": true,
	}
]

methods := {"full": "full", "differential": "incremental", "incremental": "incremental"}

repositories := pgo.repository_facts

collisions := pgo.collisions

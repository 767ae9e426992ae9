package walguard.operators.workload

import data.walguard.lib.fact
import data.walguard.lib.get

# start.sh of Crunchy's containers ends with "environment variable is not set, aborting" where one of these is missing. Users and passwords may come as files of Secrets instead
# (check-for-secrets.sh).
facts contains {"password_missing": object.union(fact.written(missing_of_crunchy[0], array.concat(container_path, ["env"])), {"refuses": "start", "level": "error"})} if {
	count(missing_of_crunchy) > 0
}

missing_of_crunchy := [name |
	regex.match(`(^|/)crunchydata/crunchy-postgres(-gis)?(:|@|$)`, get.string(container, "image"))
	not get.present(container, "command")
	not get.present(container, "args")
	not veiled
	count([1 | some source in get.list(container, "envFrom"); get.present(source, "secretRef")]) == 0
	said_by_crunchy
	some name in ["PG_MODE", "PG_PRIMARY_USER", "PG_PRIMARY_PASSWORD", "PG_USER", "PG_PASSWORD", "PG_DATABASE", "PG_ROOT_PASSWORD", "PG_PRIMARY_PORT"]
	not name in (object.keys(variables) | hidden)
	not from_file_of_crunchy(name)
]

said_by_crunchy if {
	some name in (object.keys(variables) | hidden)
	name in {"PG_MODE", "PG_PRIMARY_USER", "PG_PRIMARY_PASSWORD", "PG_ROOT_PASSWORD", "PG_PRIMARY_PORT"}
}

from_file_of_crunchy(name) if {
	regex.match(`USER|PASSWORD`, name)
	some mounted in mounts
	regex.match(`/pg(user|primary|root)(/|$)`, mounted.directory)
}

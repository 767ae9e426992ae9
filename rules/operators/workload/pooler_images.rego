package walguard.operators.workload

import data.walguard.lib.get
import data.walguard.lib.image
import data.walguard.lib.k8s
import data.walguard.lib.placeholder
import data.walguard.lib.text

# What the scripts of poolers' images stop at: pgpool_validate of Bitnami's libpgpool.sh, pgbouncer_validate of its libpgbouncer.sh, and entrypoint.sh of edoburu's PgBouncer.

refused_poolers := array.concat(of_bitnamis_poolers, without_users_file)

of_bitnamis_poolers := [{
	"reason": sprintf("Bitnami's image of %s stops at its own check: %s", [program, fault.reason]),
	"cure": fault.cure,
	"level": "error",
	"path": one.path,
	"resource": k8s.reference(one.made),
} |
	some one in pooling
	some [program, fault] in stops_of(one)
]

# What Bitnami's image of a pooler does not start with, [[program, {"reason", "cure"}], …].
stops_of(one) := [[program, fault] |
	some program, repository in {"Pgpool-II": "pgpool", "PgBouncer": "pgbouncer"}
	regex.match(sprintf(`(^|/)bitnami(legacy|secure)?/%s$`, [repository]), image.repository(get.string(one.container, "image")))
	not get.present(one.container, ["command"])
	count([1 | some source in get.list(one.container, "envFrom"); not in_hand(source)]) == 0
	given := names_given(one.container)
	count(given) > 0
	count([1 | some name in given; placeholder.holds(name)]) == 0
	some fault in array.concat(lacks(program, one, given), misworded(program, one))
]

lacks(program, one, given) := [{"reason": sprintf("%s is not set", [name]), "cure": sprintf("Set %s", [name])} |
	some name in wanted_by[program]
	not name in given
	not sprintf("%s_FILE", [name]) in given
	not waived(name, one.values)
]

wanted_by := {
	"Pgpool-II": ["PGPOOL_ADMIN_PASSWORD", "PGPOOL_ADMIN_USERNAME", "PGPOOL_POSTGRES_PASSWORD", "PGPOOL_SR_CHECK_PASSWORD", "PGPOOL_SR_CHECK_USER"],
	"PgBouncer": ["POSTGRESQL_PASSWORD"],
}

waived("PGPOOL_POSTGRES_PASSWORD", values) if get.lower_case(values.PGPOOL_ENABLE_POOL_PASSWD) == "no"

waived("PGPOOL_SR_CHECK_PASSWORD", values) if values.PGPOOL_SR_CHECK_PERIOD == "0"

waived("PGPOOL_SR_CHECK_USER", values) if values.PGPOOL_SR_CHECK_PERIOD == "0"

waived("POSTGRESQL_PASSWORD", values) if values.PGBOUNCER_AUTH_TYPE == "trust"

misworded(program, one) := [{"reason": sprintf("%s is %q, and it takes %s", [name, value, taken[1]]), "cure": sprintf("Write %s there", [taken[2]])} |
	some name, taken in words_of_poolers[program]
	value := one.values[name]
	value != ""
	not placeholder.unknown(value)
	not contains(value, "$(")
	not regex.match(taken[0], value)
]

yes_or_no := [`(?i)^(yes|no)$`, "yes and no", "yes or no"]

positive := [`^[1-9][0-9]*$`, "a number above 0", "one"]

words_of_poolers := {
	"Pgpool-II": object.union(
		{
			"PGPOOL_AUTHENTICATION_METHOD": [`^(md5|scram-sha-256)$`, "md5 and scram-sha-256", "scram-sha-256"],
			"PGPOOL_BACKEND_NODES": [`^\s*[0-9]+:[^:,;\s]+[^,;]*([,;]\s*[0-9]+:[^:,;\s]+[^,;]*)*[,;]?\s*$`, "number:host:port of each server", "0:HOST:5432"],
		},
		object.union(
			{name: yes_or_no | some name in ["PGPOOL_AUTO_FAILBACK", "PGPOOL_ENABLE_LOAD_BALANCING", "PGPOOL_ENABLE_LOG_CONNECTIONS", "PGPOOL_ENABLE_POOL_HBA", "PGPOOL_ENABLE_POOL_PASSWD", "PGPOOL_ENABLE_TLS"]},
			{name: positive | some name in ["PGPOOL_HEALTH_CHECK_PERIOD", "PGPOOL_HEALTH_CHECK_TIMEOUT", "PGPOOL_MAX_POOL", "PGPOOL_NUM_INIT_CHILDREN"]},
		),
	),
	"PgBouncer": {
		"PGBOUNCER_AUTH_TYPE": [`^(any|cert|md5|hba|pam|plain|scram-sha-256|trust)$`, text.list(["cert", "hba", "md5", "scram-sha-256"], "and"), "scram-sha-256"],
		"PGBOUNCER_POOL_MODE": [`^(session|statement|transaction)$`, text.list(["session", "statement", "transaction"], "and"), "one of them"],
	},
}

# The entrypoint of edoburu's makes userlist.txt beside pgbouncer.ini where there is none, which a ConfigMap or a Secret does not let it do.
without_users_file := [{
	"reason": sprintf("%s %s takes the place of /etc/pgbouncer and has no userlist.txt, which the image then makes there: \"touch: Read-only file system\", and PgBouncer does not start", [one.source.kind, get.string(one.source, ["metadata", "name"])]),
	"cure": "Set AUTH_FILE to where it is, or mount pgbouncer.ini alone by subPath",
	"level": "error",
	"path": array.slice(one.path, 0, 1),
	"resource": k8s.reference(one.source),
} |
	some one in with_a_file("pgbouncer", "pgbouncer.ini", server_in_ini)
	image.repository(get.string(one.container, "image")) == "docker.io/edoburu/pgbouncer"
	not get.present(one.container, ["command"])
	count(get.list(one.container, "envFrom")) == 0
	not "AUTH_FILE" in names_given(one.container)
	mounted_at := {trim_suffix(get.string(mounted, "mountPath"), "/") | some mounted in get.list(one.container, "volumeMounts")}
	not "/etc/pgbouncer/userlist.txt" in mounted_at
	count([1 | some field in ["data", "stringData"]; get.present(one.source, [field, "userlist.txt"])]) == 0
	some mounted in get.list(one.container, "volumeMounts")
	trim_suffix(get.string(mounted, "mountPath"), "/") == "/etc/pgbouncer"
	not get.string(mounted, "subPath")
	some volume in get.list(one.made, ["spec", "template", "spec", "volumes"])
	get.string(volume, "name") == get.string(mounted, "name")
	get.string(volume, {"ConfigMap": ["configMap", "name"], "Secret": ["secret", "secretName"]}[one.source.kind]) == get.string(one.source, ["metadata", "name"])
]

server_in_ini := `(?m)^[^;#\n]*\bhost\s*=\s*([A-Za-z0-9-]+)`

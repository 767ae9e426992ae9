package walguard.operators.workload

import data.walguard.lib.get
import data.walguard.lib.image
import data.walguard.lib.k8s
import data.walguard.lib.pgbouncer
import data.walguard.lib.placeholder
import data.walguard.lib.text

# What the scripts of poolers' images stop at: pgpool_validate of Bitnami's libpgpool.sh, pgbouncer_validate of its libpgbouncer.sh, and entrypoint.sh of edoburu's PgBouncer.

refused_poolers := array.concat(array.concat(unpublished_poolers, of_bitnamis_poolers), array.concat(without_users_file, of_edoburus_variables))

unpublished_poolers := [object.union(stopped_at(one), {
	"reason": sprintf("%s cannot be pulled: %s, and the pod stays in ImagePullBackOff", [reference, found.reason]),
	"cure": sprintf("Write %s with a tag of its own", [found.instead]),
}) |
	some one in pooling
	object.get(one.container, "imagePullPolicy", "") != "Never"
	reference := get.string(one.container, "image")
	found := image.unpublished(reference)
	found.certain
]

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
	some fault in array.concat(array.concat(lacks(program, one, given), misworded(program, one)), array.concat(lacks_then(program, one, given), contradicts(program, one)))
]

# What it wants beside another variable.
lacks_then(program, one, given) := [{"reason": sprintf("%s is %s, and %s is not set", [name, value, wanted]), "cure": sprintf("Set %s", [wanted])} |
	some [name, pattern, all_wanted] in wanted_beside[program]
	value := one.values[name]
	regex.match(pattern, value)
	some wanted in all_wanted
	not wanted in given
	not sprintf("%s_FILE", [wanted]) in given
]

wanted_beside := {
	"Pgpool-II": [
		["PGPOOL_ENABLE_TLS", `(?i)^yes$`, ["PGPOOL_TLS_CERT_FILE", "PGPOOL_TLS_KEY_FILE"]],
		["PGPOOL_ENABLE_LDAP", `(?i)^(1|true|yes)$`, ["LDAP_BASE", "LDAP_BIND_DN", "LDAP_BIND_PASSWORD", "LDAP_URI"]],
		["PGPOOL_AUTO_FAILBACK", `(?i)^yes$`, ["PGPOOL_BACKEND_APPLICATION_NAMES"]],
	],
	"PgBouncer": [
		["PGBOUNCER_AUTH_TYPE", `^hba$`, ["PGBOUNCER_AUTH_HBA_FILE"]],
		["PGBOUNCER_CLIENT_TLS_SSLMODE", `^(allow|prefer|require|verify-ca|verify-full)$`, ["PGBOUNCER_CLIENT_TLS_CERT_FILE", "PGBOUNCER_CLIENT_TLS_KEY_FILE"]],
		["PGBOUNCER_SERVER_TLS_SSLMODE", `^verify-(ca|full)$`, ["PGBOUNCER_SERVER_TLS_CA_FILE"]],
	],
}

contradicts("PgBouncer", _) := []

contradicts("Pgpool-II", one) := array.concat(
	[{"reason": "PGPOOL_ENABLE_POOL_PASSWD is no, which authentication by scram-sha-256 does not allow", "cure": "Leave it out, or set PGPOOL_AUTHENTICATION_METHOD to md5"} |
		get.lower_case(one.values.PGPOOL_ENABLE_POOL_PASSWD) == "no"
		object.get(one.values, "PGPOOL_AUTHENTICATION_METHOD", "scram-sha-256") == "scram-sha-256"
		count([1 | some variable in get.list(one.container, "env"); get.string(variable, "name") == "PGPOOL_AUTHENTICATION_METHOD"; not get.present(variable, "value")]) == 0
	],
	[{"reason": sprintf("PGPOOL_POSTGRES_CUSTOM_USERS names %d users, and PGPOOL_POSTGRES_CUSTOM_PASSWORDS has %d passwords", [users, passwords]), "cure": "Write one password for each"} |
		users := listed_in(one.values.PGPOOL_POSTGRES_CUSTOM_USERS)
		passwords := listed_in(one.values.PGPOOL_POSTGRES_CUSTOM_PASSWORDS)
		users != passwords
	],
)

listed_in(value) := count([part | some part in regex.split(`[,;\s]+`, value); part != ""]) if {
	not placeholder.holds(value)
	not contains(value, "$(")
}

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

# What edoburu's entrypoint makes of its variables; those of "astray" it writes where PgBouncer knows no such setting.
of_edoburus_variables := array.concat(
	[object.union(stopped_at(one), {"reason": sprintf("edoburu's image writes %s into pgbouncer.ini where PgBouncer does not know it: it stops at \"cannot load config file\"", [name]), "cure": cure}) |
		some one in by_edoburus_entrypoint
		some name, cure in {"CLIENT_ENCODING": "Leave it out", "POOL_SIZE": "Set DEFAULT_POOL_SIZE in its place", "TIMEZONE": "Leave it out"}
		object.get(one.values, name, "") != ""
	],
	[object.union(stopped_at(one), {"reason": sprintf("Variable %s: %s", [get.upper_case(fault.name), fault.reason]), "cure": fault.cure}) |
		some one in by_edoburus_entrypoint
		settings := {get.lower_case(name): value |
			some name, value in one.values
			not regex.match(`^(AUTH_FILE|CLIENT_ENCODING|DATABASE_URLS?|DB_.*|PG_.*|POOL_SIZE|TIMEZONE)$`, name)
			pgbouncer.setting(get.lower_case(name))
			value != ""
			not contains(value, "$(")
		}
		some fault in array.concat(pgbouncer.faults(settings), pgbouncer.faults_of_tls(settings))
	],
)

stopped_at(one) := {"level": "error", "path": one.path, "resource": k8s.reference(one.made)}

by_edoburus_entrypoint := [one |
	some one in pooling
	image.repository(get.string(one.container, "image")) == "docker.io/edoburu/pgbouncer"
	not get.present(one.container, ["command"])
	count([1 | some mounted in get.list(one.container, "volumeMounts"); regex.match(`^/etc/pgbouncer/?(pgbouncer\.ini)?$`, get.string(mounted, "mountPath"))]) == 0
]

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

package walguard.operators.workload

import data.walguard.lib.get
import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.lib.login
import data.walguard.lib.mount
import data.walguard.lib.workloads

facts contains {"line_breaks": found} if {
	server
	found := array.concat(array.concat(broken_variables, broken_sources), array.concat(array.concat(broken_files, broken_logins), broken_keys))
	count(found) > 0
}

broken_variables := [{"secret": name, "key": key, "consequence": broken_by[word].consequence, "level": broken_by[word].level, "path": array.concat(container_path, ["env", i, "valueFrom", "secretKeyRef"])} |
	some i, variable in get.list(container, "env")
	some word, _ in broken_by
	regex.match(sprintf(`^(POSTGRES|POSTGRESQL|PG|REPMGR)[A-Z_]*%s$`, [word]), get.string(variable, "name"))
	name := get.string(variable, ["valueFrom", "secretKeyRef", "name"])
	key := get.string(variable, ["valueFrom", "secretKeyRef", "key"])
	login.broken(inventory.namespaced_object(k8s.namespace, "v1", "Secret", name), key)
]

broken_sources := [{"secret": name, "key": key, "consequence": broken_by[word].consequence, "level": broken_by[word].level, "path": array.concat(container_path, ["envFrom", i, "secretRef"])} |
	some i, source in get.list(container, "envFrom")
	name := get.string(source, ["secretRef", "name"])
	secret := inventory.namespaced_object(k8s.namespace, "v1", "Secret", name)
	some key in object.keys(object.union(get.map(secret, "data"), get.map(secret, "stringData")))
	some word, _ in broken_by
	variable := concat("", [object.get(source, "prefix", ""), key])
	regex.match(sprintf(`^(POSTGRES|POSTGRESQL|PG|REPMGR)[A-Z_]*%s$`, [word]), variable)
	count([1 | some own in get.list(container, "env"); get.string(own, "name") == variable]) == 0
	login.broken(secret, key)
]

broken_by := {
	"PASSWORD": {"consequence": broken_password, "level": "error"},
	"USER": {"consequence": "it becomes part of the user's name", "level": "warning"},
	"DB": {"consequence": "it becomes part of the database's name", "level": "warning"},
	"DATABASE": {"consequence": "it becomes part of the database's name", "level": "warning"},
}

# docker-entrypoint.sh gives initdb a file, of which it takes the first line. Bitnami's and sclorg's scripts set the whole by SQL, where the shell of whoever
# decodes the Secret cuts it off.
broken_password := "what reads the Secret sends another password than the one that is set, and logins fail" if not layout in {"bitnami", "sclorg"}

broken_password := "it is part of the password, and whoever types it, or decodes it in a shell, is refused" if layout in {"bitnami", "sclorg"}

# $(< file) of docker-entrypoint.sh and of Bitnami's libraries cuts it off, a variable of a client does not.
broken_files := [{"secret": name, "key": key, "consequence": sprintf("the image cuts it off where it reads the file, %s sends it, and its logins fail", [client.made.words]), "level": "error", "path": array.concat(container_path, ["env", i])} |
	layout in {"docker", "bitnami"}
	some i, variable in get.list(container, "env")
	regex.match(`^(POSTGRES|POSTGRESQL)_([A-Z]+_)?PASSWORD_FILE$`, get.string(variable, "name"))
	file := mount.clean(get.string(variable, "value"))
	mounted := mount_of(file)
	not mounted.subpath
	secret_volume := volumes[mounted.name].volume.secret
	name := get.string(secret_volume, "secretName")
	secret := inventory.namespaced_object(k8s.namespace, "v1", "Secret", name)
	some key in object.keys(object.union(get.map(secret, "data"), get.map(secret, "stringData")))
	file == concat("/", [mounted.directory, file_of(secret_volume, key)])
	login.broken(secret, key)
	client := [one | some one in workloads.containers; not workloads.itself(one.made); sends(one.container, name, key)][0]
]

# The name of a role or a database that a client takes from a Secret of its own, beside the host of this server: nothing has that name.
broken_logins := [{
	"secret": name,
	"key": key,
	"consequence": sprintf("it becomes part of the name of the %s that %s asks for, and there is none of that name", [what, one.made.words]),
	"level": "error",
	"path": array.concat(one.path, ["env", i, "valueFrom", "secretKeyRef"]),
	"resource": one.made.resource,
} |
	count(hosts) > 0
	some one in workloads.containers
	not workloads.itself(one.made)
	prefixes := {prefix |
		some variable, said_there in told_by(one)
		leads_home(regex.replace(said_there.value, `:5432$`, ""))
		host_prefix := before_host(variable)
		some prefix in [host_prefix, trim_suffix(host_prefix, "URL_")]
	}
	some i, variable in get.list(one.container, "env")
	some what, ends in {"role": ["USER", "USERNAME", "USER_NAME", "LOGIN"], "database": ["NAME", "DB", "DATABASE", "DBNAME", "DB_NAME", "DATABASE_NAME"]}
	get.upper_case(get.string(variable, "name")) in {concat("", [prefix, end]) | some prefix in prefixes; some end in ends}
	name := get.string(variable, ["valueFrom", "secretKeyRef", "name"])
	key := get.string(variable, ["valueFrom", "secretKeyRef", "key"])
	login.broken(inventory.namespaced_object(k8s.namespace, "v1", "Secret", name), key)
	count([1 | some own in get.list(container, "env"); get.string(own, ["valueFrom", "secretKeyRef", "name"]) == name; get.string(own, ["valueFrom", "secretKeyRef", "key"]) == key]) == 0
]

sends(one, name, key) if {
	some variable in get.list(one, "env")
	get.string(variable, ["valueFrom", "secretKeyRef", "name"]) == name
	get.string(variable, ["valueFrom", "secretKeyRef", "key"]) == key
	not regex.match(`(^|/)(postgres|postgresql)(:|@|$)`, get.string(one, "image"))
}

# WAL-G and pgBackRest in the server's container send them as they are; of Spilo they get what envdir reads, a line without its end.
broken_keys := [{"secret": name, "key": key, "end": end, "consequence": "the store refuses it, and nothing is archived or backed up", "level": "error", "path": array.concat(container_path, ["env", i, "valueFrom", "secretKeyRef"])} |
	layout != "spilo"
	regex.match(`wal-[ge]\b|pgbackrest|barman`, command_entry.value)
	some i, variable in get.list(container, "env")
	regex.match(`^(AWS_(ACCESS_KEY_ID|SECRET_ACCESS_KEY|SESSION_TOKEN)|PGBACKREST_REPO[0-9]+_S3_KEY(_SECRET)?)$`, get.string(variable, "name"))
	name := get.string(variable, ["valueFrom", "secretKeyRef", "name"])
	key := get.string(variable, ["valueFrom", "secretKeyRef", "key"])
	end := login.ragged(inventory.namespaced_object(k8s.namespace, "v1", "Secret", name), key)
]

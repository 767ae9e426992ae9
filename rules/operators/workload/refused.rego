package walguard.operators.workload

import data.walguard.lib.get
import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.lib.mount
import data.walguard.lib.placeholder
import data.walguard.lib.text

# What the scripts of images look at before they start a server, and stop at: common.sh of Red Hat's image (check_env_vars, create_users), libpostgresql.sh and librepmgr.sh of Bitnami's
# (postgresql_validate, repmgr_validate), docker-entrypoint.sh of the official one (file_env).

refused_by_image := array.concat(array.concat(of_red_hat, of_bitnami), array.concat(array.concat(both_said, options_alone), no_such_file))

# The image's own program, with an environment of which all names are in sight.
asked_by_script if {
	by_entrypoint
	server.product.published
	not veiled
	every source in get.list(container, "envFrom") {
		in_hand(source)
	}
	count([1 | some name in said_names; placeholder.holds(name)]) == 0
}

in_hand(source) if inventory.namespaced_object(k8s.namespace, "v1", "ConfigMap", get.string(source, ["configMapRef", "name"]))

in_hand(source) if inventory.namespaced_object(k8s.namespace, "v1", "Secret", get.string(source, ["secretRef", "name"]))

# With a key of a Secret whose value nobody can read as well.
said_names := names_of_variables | names_given(container)

# A variable, or the file that holds it.
said(names) if {
	some name in names
	some variant in [name, sprintf("%s_FILE", [name])]
	variant in said_names
}

variables_place := array.concat(container_path, ["env"])

# ------------------------------------------------------------------------------------------------------------ Red Hat's

of_red_hat := array.concat(array.concat(half_a_role, no_role), array.concat(role_of_initdb, role_and_migration))

red_hat_asks if {
	layout == "sclorg"
	asked_by_script
	not get.present(container, "args")
}

role_variables_of_red_hat := {"POSTGRESQL_USER", "POSTGRESQL_PASSWORD", "POSTGRESQL_DATABASE"}

half_a_role := [{
	"by": "Red Hat's image",
	"path": variables_place,
	"reason": sprintf("%s without %s, and it wants all three or none, and stops with its usage", [text.list(sort(role_variables_of_red_hat & said_names), "and"), text.list(sort(missing), "and")]),
	"cure": sprintf("Set %s", [text.list(sort(missing), "and")]),
} |
	red_hat_asks
	missing := role_variables_of_red_hat - said_names
	count(missing) in {1, 2}
]

# Who says other images' names to it means it to have a role.
no_role := [{
	"by": "Red Hat's image",
	"path": variables_place,
	"reason": sprintf("it reads neither %s nor any other name of the official image, and stops with its usage", [borrowed[0]]),
	"cure": "Set POSTGRESQL_USER, POSTGRESQL_PASSWORD and POSTGRESQL_DATABASE",
} |
	red_hat_asks
	count((role_variables_of_red_hat | {"POSTGRESQL_ADMIN_PASSWORD", "POSTGRESQL_MIGRATION_REMOTE_HOST"}) & said_names) == 0
	borrowed := sort({"POSTGRES_DB", "POSTGRES_PASSWORD", "POSTGRES_USER", "POSTGRESQL_USERNAME"} & said_names)
	count(borrowed) > 0
]

# createuser does not find it missing, and set -e ends the first start; later ones pass over it.
role_of_initdb := [{
	"by": "Red Hat's image",
	"path": value_path(variables.POSTGRESQL_USER),
	"reason": "POSTGRESQL_USER is postgres, which initdb makes: createuser fails, the first start ends there, and the database is never created",
	"cure": "Name another role, and set POSTGRESQL_ADMIN_PASSWORD for postgres",
} |
	red_hat_asks
	not variables.POSTGRESQL_USER.resource
	variables.POSTGRESQL_USER.value == "postgres"
	object.get(variables, ["POSTGRESQL_DATABASE", "value"], "") != "postgres"
]

role_and_migration := [{
	"by": "Red Hat's image",
	"path": variables_place,
	"reason": "it migrates from another server or makes a role, not both, and stops with its usage",
	"cure": sprintf("Remove %s until the migration is done", [text.list(sort(own), "and")]),
} |
	red_hat_asks
	count({"POSTGRESQL_MIGRATION_REMOTE_HOST", "POSTGRESQL_MIGRATION_ADMIN_PASSWORD"} - said_names) == 0
	own := (role_variables_of_red_hat | {"POSTGRESQL_ADMIN_PASSWORD"}) & said_names
	count(own) > 0
]

# ------------------------------------------------------------------------------------------------------------ Bitnami's

of_bitnami := [object.union({"by": "Bitnami's image", "path": variables_place}, fault) |
	layout == "bitnami"
	asked_by_script
	some fault in array.concat(array.concat(odd_words, incomplete), of_repmgr)
]

# entrypoint.sh sets up the database where its arguments name run.sh, which is the command of the image, and then runs them as they are: exec takes -c for an option of its own, and the next word for a program.
options_alone := [{
	"by": "Bitnami's image",
	"path": array.concat(container_path, ["args"]),
	"reason": sprintf("its entrypoint runs args as a program in the place of run.sh, and %q is none: the container exits without a server", [words[0]]),
	"cure": "Write options into POSTGRESQL_EXTRA_FLAGS, or a file below /opt/bitnami/postgresql/conf/conf.d",
} |
	layout == "bitnami"
	server.product.published
	not get.present(container, ["command"])
	words := get.list(container, "args")
	startswith(get.text(words[0]), "-")
	count([1 | some word in words; contains(get.text(word), "run.sh")]) == 0
]

either(name) := [name, replace(name, "POSTGRESQL_", "POSTGRES_")]

worded(name) := first_of(either(name))

# Words that it takes for none of those that it knows.
odd_words := [object.union({"reason": sprintf("%s is %q, and it knows %s", [name, found.value, text.list(known, "and")]), "cure": sprintf("Write %s", [text.list(known, "or")])}, object.filter(found, ["path", "resource"])) |
	some name, known in {
		"POSTGRESQL_ENABLE_TLS": ["yes", "no"],
		"POSTGRESQL_ENABLE_LDAP": ["yes", "no"],
		"POSTGRESQL_TLS_PREFER_SERVER_CIPHERS": ["yes", "no"],
		"POSTGRESQL_REPLICATION_MODE": ["master", "slave"],
		"POSTGRESQL_SYNCHRONOUS_REPLICAS_MODE": ["FIRST", "ANY"],
	}
	found := worded(name)
	read_at_all(name)
	not found.value in known
	not get.lower_case(found.value) in known
	not placeholder.holds(found.value)
]

read_at_all("POSTGRESQL_TLS_PREFER_SERVER_CIPHERS") if get.lower_case(worded("POSTGRESQL_ENABLE_TLS").value) == "yes"

read_at_all(name) if name != "POSTGRESQL_TLS_PREFER_SERVER_CIPHERS"

# What another variable wants beside it.
incomplete := [{"reason": sprintf("%s without %s", [fault.what, fault.wanting]), "cure": sprintf("Set %s", [fault.wanting])} |
	some fault in array.concat(
		array.concat(
			[{"what": "POSTGRESQL_ENABLE_TLS is yes", "wanting": wanting} |
				get.lower_case(worded("POSTGRESQL_ENABLE_TLS").value) == "yes"
				some wanting in ["POSTGRESQL_TLS_CERT_FILE", "POSTGRESQL_TLS_KEY_FILE"]
				count([1 | some name in either(wanting); name in said_names]) == 0
			],
			[{"what": "POSTGRESQL_REPLICATION_MODE is slave", "wanting": wanting} |
				worded("POSTGRESQL_REPLICATION_MODE").value == "slave"
				some wanting in ["POSTGRESQL_MASTER_HOST", "POSTGRESQL_REPLICATION_USER"]
				not said(either(wanting))
			],
		),
		[{"what": "POSTGRESQL_REPLICATION_USER", "wanting": "POSTGRESQL_REPLICATION_PASSWORD"} |
			said(either("POSTGRESQL_REPLICATION_USER"))
			not said(either("POSTGRESQL_REPLICATION_PASSWORD"))
			not said(["ALLOW_EMPTY_PASSWORD", "POSTGRESQL_REPLICATION_PASSFILE_PATH"])
		],
	)
]

of_repmgr := array.concat(
	[{"reason": sprintf("it has no %s", [name]), "cure": sprintf("Set %s to %s", [name, sense])} |
		server.product.name == "postgresql-repmgr"
		some name, sense in {
			"REPMGR_PARTNER_NODES": "the names of all pods",
			"REPMGR_PASSWORD": "the password of the role repmgr",
			"REPMGR_PRIMARY_HOST": "the name of the first pod",
		}
		not said([name])
		not excused(name)

		# Part of a manifest says nothing of it.
		count([1 | some other in said_names; startswith(other, "REPMGR_")]) > 0
	],
	[object.union({"reason": sprintf("REPMGR_NODE_NAME is %q, which does not end with a dash and a number", [variables.REPMGR_NODE_NAME.value]), "cure": "Write the name of the pod of a StatefulSet"}, object.filter(variables.REPMGR_NODE_NAME, ["path", "resource"])) |
		server.product.name == "postgresql-repmgr"
		not regex.match(`-[0-9]+$`, variables.REPMGR_NODE_NAME.value)
		not placeholder.holds(variables.REPMGR_NODE_NAME.value)
	],
)

excused("REPMGR_PASSWORD") if "REPMGR_PASSFILE_PATH" in said_names

# ---------------------------------------------------------------------------------------------------- the official image's

file_variables_of_docker := ["POSTGRES_PASSWORD", "POSTGRES_USER", "POSTGRES_DB", "POSTGRES_INITDB_ARGS"]

both_said := [{
	"by": "The image",
	"path": variables_place,
	"reason": sprintf("%s and %s_FILE are both set, and its entrypoint takes one of them: it stops with \"are exclusive\"", [name, name]),
	"cure": sprintf("Remove %s", [name]),
} |
	layout == "docker"
	by_entrypoint
	server.product.published
	some name in file_variables_of_docker
	not_empty(name)

	said_itself(name)
	not_empty(sprintf("%s_FILE", [name]))
]

# What the file says counts for the variable, and is no second one.
said_itself(name) if not file_variables[name]

said_itself(name) if name in names_given(container)

not_empty(name) if variables[name].value != ""

not_empty(name) if name in hidden

# The shell cannot read it, and set -e ends the start, of a database that is there too.
no_such_file := [{
	"by": "The image",
	"path": array.concat(variables_place, [i, "value"]),
	"reason": sprintf("%s names %s, and nothing is mounted there: its entrypoint stops with \"No such file or directory\"", [name, file]),
	"cure": "Mount the Secret there",
} |
	layout == "docker"
	by_entrypoint
	server.product.published
	certain
	not somewhere
	not injected
	listed := get.list(container, "env")
	some name, i in get.named(listed)
	name in {sprintf("%s_FILE", [one]) | some one in file_variables_of_docker}
	file := mount.clean(get.string(listed[i], "value"))
	startswith(file, "/")
	not placeholder.unknown(file)
	not contains(file, "$")
	count([1 | some mounted in mounts; mount.within(file, mounted.directory)]) == 0
]

# What puts files into pods by an annotation mounts a volume of its own.
injected if {
	some key, _ in get.map(k8s.object, array.concat(array.slice(pod_path, 0, count(pod_path) - 1), ["metadata", "annotations"]))
	regex.match(`inject|vault|secrets`, key)
}

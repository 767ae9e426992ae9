package walguard.operators.cnpg

import data.walguard.lib.get
import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.lib.login
import data.walguard.lib.placeholder

# Passwords that two parts of the operator write, or none; see walguard.model.
facts contains {"contested_logins": contested} if count(contested) > 0

contested := array.concat(array.concat(twice, superusers), array.concat(array.concat(strangers, strange_superuser), unread_superuser))

owner_path := [["spec", "bootstrap", way, owner_field(way)] |
	some way in ["initdb", "recovery", "pg_basebackup"]
	get.present(spec, ["bootstrap", way])
][0]

# The owner is called as the database where none is named (cluster_defaults.go).
owner_field(way) := "owner" if get.present(spec, ["bootstrap", way, "owner"])

owner_field(way) := "database" if not get.present(spec, ["bootstrap", way, "owner"])

owner := get.string(k8s.object, owner_path)

owner_secret := get.string(k8s.object, array.concat(array.slice(owner_path, 0, 3), ["secret", "name"]))

secret_of_owner := owner_secret if owner_secret

secret_of_owner := sprintf("%s-app", [k8s.name]) if not owner_secret

# The owner's password is written again at every start of a primary (refreshCredentialsFromSecret), that of a managed role whenever it differs.
twice := [{
	"reason": sprintf("Role %s owns the database with the password of Secret %s and is a managed role with that of %s: a restart may set either", [owner, secret_of_owner, managed_secret]),
	"cure": sprintf("Name %s in bootstrap.%s.secret, or manage another role", [managed_secret, owner_path[2]]),
	"level": "warning",
	"path": ["spec", "managed", "roles", i, "passwordSecret", "name"],
} |
	some i, role in get.list(spec, ["managed", "roles"])
	get.string(role, "name") == owner
	managed_secret := get.string(role, ["passwordSecret", "name"])
	managed_secret != secret_of_owner
	count([1 | some one in [owner, managed_secret, secret_of_owner]; placeholder.unknown(one)]) == 0
]

# reconcileSuperuserPassword: without enableSuperuserAccess the password of postgres is set to NULL.
superusers := [{
	"reason": "The owner of the database is postgres, whose password the operator takes away without enableSuperuserAccess: no login with that of the Secret works",
	"cure": "Let another role own the database, or set enableSuperuserAccess",
	"level": "warning",
	"path": owner_path,
} |
	operator
	owner == "postgres"
	not get.boolean(spec, "enableSuperuserAccess")
	not get.present(spec, "replica")
]

# reconcileSuperuserPassword, too: the Secret is read only with enableSuperuserAccess, whose default is false since release 1.21.
unread_superuser := [{
	"reason": sprintf("superuserSecret %s is not read without enableSuperuserAccess: true, and postgres has no password", [name]),
	"cure": "Set enableSuperuserAccess, or take superuserSecret out",
	"level": "warning",
	"path": ["spec", "superuserSecret", "name"],
} |
	operator
	name := get.string(spec, ["superuserSecret", "name"])
	name != ""
	not get.present(spec, "enableSuperuserAccess")
]

# The user name of a Secret must be the role's (internal/management/controller/roles/runnable.go).
strangers := [{
	"reason": sprintf("The Secret %s is user %s's, and the managed role is called %s: the operator does not set its password", [name, user_name, get.string(role, "name")]),
	"cure": "Write the role's name as username in the Secret",
	"level": "error",
	"path": ["spec", "managed", "roles", i, "passwordSecret", "name"],
} |
	operator
	some i, role in get.list(spec, ["managed", "roles"])
	name := get.string(role, ["passwordSecret", "name"])
	secret := inventory.namespaced_object(k8s.namespace, "v1", "Secret", name)
	user_name := login.field(secret, "username")
	trim_space(user_name) != trim_space(get.string(role, "name"))
	not placeholder.unknown(get.string(role, "name"))
]

# reconcileUser: "wrong username in secret"; only the role postgres is meant.
strange_superuser := [{
	"reason": sprintf("The Secret %s is user %s's, and superuserSecret is for postgres alone: the operator sets no password, and the cluster does not become ready", [name, user_name]),
	"cure": "Write postgres as username in the Secret",
	"level": "error",
	"path": ["spec", "superuserSecret", "name"],
} |
	operator
	get.boolean(spec, "enableSuperuserAccess")
	name := get.string(spec, ["superuserSecret", "name"])
	user_name := login.field(inventory.namespaced_object(k8s.namespace, "v1", "Secret", name), "username")
	user_name != "postgres"
]

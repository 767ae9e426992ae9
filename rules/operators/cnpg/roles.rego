package walguard.operators.cnpg

import data.walguard.lib.get
import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.lib.login
import data.walguard.lib.placeholder
import data.walguard.lib.sessions
import data.walguard.lib.workloads

# Passwords that two parts of the operator write, or none; see walguard.model.
facts contains {"contested_logins": contested} if count(contested) > 0

contested := array.concat(array.concat(twice, superusers), array.concat(array.concat(strangers, strange_superuser), array.concat(array.concat(array.concat(unread_superuser, superuser_of_clients), other_passwords), array.concat(locked_out, expired))))

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

# The owner's password is written again at every start of a primary (refreshCredentialsFromSecret), that of a managed role whenever it differs (passwordNeedsUpdating), which lasts.
twice := [{
	"reason": sprintf("Role %s owns the database with the password of Secret %s and is a managed role with that of %s: a restart may set either", [owner, secret_of_owner, managed_secret]),
	"cure": sprintf("Name %s in bootstrap.%s.secret, or manage another role", [managed_secret, owner_path[2]]),
	"level": level_twice,
	"path": ["spec", "managed", "roles", i, "passwordSecret", "name"],
} |
	some i, role in get.list(spec, ["managed", "roles"])
	get.string(role, "name") == owner
	managed_secret := get.string(role, ["passwordSecret", "name"])
	managed_secret != secret_of_owner
	count([1 | some one in [owner, managed_secret, secret_of_owner]; placeholder.unknown(one)]) == 0
]

# What the operator generates is not the other one.
level_twice := "error" if {
	not owner_secret
	taken(secret_of_owner)
} else := "warning"

# reconcileSuperuserPassword: without enableSuperuserAccess the password of postgres is set to NULL, after the first time for good, since that of the Secret is written once (secretVersions).
superusers := [{
	"reason": "The owner of the database is postgres, whose password the operator takes away without enableSuperuserAccess: no login with that of the Secret works",
	"cure": "Let another role own the database, or set enableSuperuserAccess",
	"level": level_of_owner,
	"path": owner_path,
} |
	operator
	owner == "postgres"
	not get.boolean(spec, "enableSuperuserAccess")
	not get.present(spec, "replica")
	not unset_in_a_former_release
	not by_certificate
]

# Where people log in by certificate a password is nobody's way.
by_certificate if {
	some line in get.list(spec, ["postgresql", "pg_hba"])
	regex.match(`^\s*hostssl\s+\S+\s+\S+\s+\S+\s+(\S+\s+)?cert(\s|$)`, get.text(line))
}

# Who brings a Secret means to log in with it.
level_of_owner := "error" if owner_secret

level_of_owner := "warning" if not owner_secret

unset_in_a_former_release if {
	not get.present(spec, "enableSuperuserAccess")
	former_release
}

# reconcileSuperuserPassword, too: the Secret is read only with enableSuperuserAccess, whose default is false since release 1.21.
unread_superuser := [{
	"reason": sprintf("superuserSecret %s is not read without enableSuperuserAccess: true, and postgres has no password", [name]),
	"cure": "Set enableSuperuserAccess, or take superuserSecret out",
	"level": level,
	"path": ["spec", "superuserSecret", "name"],
} |
	operator
	name := get.string(spec, ["superuserSecret", "name"])
	name != ""
	level := level_unread(name)
]

# So is a login as postgres by whatever password: without enableSuperuserAccess it is set to NULL. Lines of pg_hba.conf may ask for none.
superuser_of_clients := [{
	"reason": sprintf("%s logs in as postgres at %s, and the operator takes its password away without enableSuperuserAccess: \"password authentication failed\"", [one.client, one.host]),
	"cure": "Let it log in as the owner of the database, or set enableSuperuserAccess",
	"level": "error",
	"path": one.path,
	"resource": one.resource,
} |
	operator
	object.get(spec, "enableSuperuserAccess", false) == false
	not unset_in_a_former_release
	not owner == "postgres"
	not get.present(spec, "replica")
	count(get.list(spec, ["postgresql", "pg_hba"])) == 0
	count(unread_superuser) == 0
	some one in sessions.as_role({sprintf("%s-%s", [k8s.name, role]) | some role in ["rw", "ro", "r"]} | {o.metadata.name | some o in own_poolers}, "postgres")
]

# A program that takes the password from it means to log in.
level_unread(name) := "error" if {
	object.get(spec, "enableSuperuserAccess", false) == false
	not unset_in_a_former_release
	taken(name)
} else := "warning" if {
	not get.present(spec, "enableSuperuserAccess")
	not former_release
}

taken(name) if {
	some one in workloads.containers
	some variable in get.list(one.container, "env")
	get.string(variable, ["valueFrom", "secretKeyRef", "name"]) == name
	regex.match(`pass|uri`, get.string(variable, ["valueFrom", "secretKeyRef", "key"]))
}

# The chart beside it installs a release before 1.21, whose default is true.
former_release if charted(`^v?0\.([0-9]|1[0-8])\.[0-9x]+$`)

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

# A client that logs in as the owner with a password which somebody else makes, while the operator sets the one that it has generated (refreshCredentialsFromSecret).
other_passwords := [{
	"reason": sprintf("%s %s logs in as %s with the password of Secret %s, and the operator sets that of %s, which it generates, at every start of a primary: logins fail then", [client.kind, client.name, owner, client.secret, secret_of_owner]),
	"cure": sprintf("Name %s in bootstrap.%s.secret, or log in with %s", [client.secret, owner_path[2], secret_of_owner]),
	"level": "warning",
	"path": client.path,
	"resource": client.resource,
} |
	operator
	not owner_secret
	not get.unknown(spec, ["bootstrap", owner_path[2], "secret", "name"])
	not get.present(spec, "replica")
	count([1 | some role in get.list(spec, ["managed", "roles"]); get.string(role, "name") == owner; get.present(role, ["passwordSecret"])]) == 0
	some client in clients_of_owner
	client.secret != secret_of_owner
	made_elsewhere(client.secret)
]

# A manifest cannot know what is generated; an ExternalSecret can, where it is told to take it from there.
made_elsewhere(name) if {
	made := inventory.namespaced_object(k8s.namespace, "v1", "Secret", name)
	count([1 | some field in ["data", "stringData"]; count(get.map(made, field)) > 0]) > 0
	count([1 | some key, _ in get.map(made, ["metadata", "annotations"]); regex.match(`reflect|replicat|kubed|copy`, key)]) == 0
}

made_elsewhere(name) if inventory.namespaced_object(k8s.namespace, "bitnami.com/v1alpha1", "SealedSecret", name)

made_elsewhere(name) if {
	some version in ["external-secrets.io/v1", "external-secrets.io/v1beta1"]
	some made in inventory.list(k8s.namespace, version, "ExternalSecret")
	object.get(made, ["spec", "target", "name"], made.metadata.name) == name
	not contains(json.marshal(made.spec), secret_of_owner)
	not contains(get.lower_case(object.get(made, ["spec", "secretStoreRef", "name"], "")), "kubernetes")
}

package walguard.operators.cnpg

import data.walguard.lib.get
import data.walguard.lib.k8s
import data.walguard.lib.placeholder
import data.walguard.lib.text

# What roles may do; see walguard.model. The owner of the application's database is created with LOGIN alone (pkg/management/postgres/initdb.go), and a managed role has what is written.
facts contains {"roles": attributes} if count(attributes) > 0

attributes := array.concat(
	[{"name": name, "superuser": flag(role, "superuser"), "createdb": flag(role, "createdb"), "createrole": flag(role, "createrole"), "replication": flag(role, "replication"), "secrets": [secret | secret := get.string(role, ["passwordSecret", "name"])]} |
		operator
		some role in get.list(spec, ["managed", "roles"])
		get.string(object.union({"ensure": "present"}, role), "ensure") == "present"
		name := get.string(role, "name")
		not placeholder.unknown(name)
	],
	[{"name": application_role, "superuser": false, "createdb": false, "createrole": false, "replication": false, "secrets": [secret_of_owner]} |
		operator
		begun_by_initdb
		not placeholder.unknown(application_role)
		count([1 | some role in get.list(spec, ["managed", "roles"]); get.string(role, "name") == application_role]) == 0
	],
)

flag(role, name) := count([1 | get.boolean(role, name) == true]) == 1

application_role := owner

application_role := "app" if not owner_path

# Nothing that the first start runs gives more.
begun_by_initdb if {
	count([1 | some way in ["recovery", "pg_basebackup"]; get.present(spec, ["bootstrap", way])]) == 0
	count([1 | some field in ["postInitSQLRefs", "postInitTemplateSQLRefs", "postInitApplicationSQLRefs", "import"]; get.present(spec, ["bootstrap", "initdb", field])]) == 0
	count([1 |
		some field in ["postInitSQL", "postInitTemplateSQL", "postInitApplicationSQL"]
		some text in get.list(spec, ["bootstrap", "initdb", field])
		regex.match(`(?i)superuser|createdb|createrole|replication|\bgrant\s|\balter\s+(user|role)`, text)
	]) == 0
}

# Whose password the Secrets have that the operator makes or reads for the owner and for the superuser, whatever the cluster begins with.
facts contains {"logins": logins} if count(logins) > 0

logins := array.concat(
	[{"secret": secret_of_owner, "role": role_of_owner} |
		operator
		not get.present(spec, "replica")
		not placeholder.unknown(role_of_owner)
		not placeholder.unknown(secret_of_owner)
	],
	[{"secret": name, "role": "postgres"} |
		operator
		get.boolean(spec, "enableSuperuserAccess")
		name := object.get(spec, ["superuserSecret", "name"], sprintf("%s-superuser", [k8s.name]))
		not placeholder.unknown(name)
	],
)

role_of_owner := owner

# The default is app, but for the import of a whole server, which makes none.
role_of_owner := "app" if {
	not get.present(k8s.object, owner_path)
	object.get(spec, ["bootstrap", "initdb", "import", "type"], "") != "monolith"
}

role_of_owner := "app" if not owner_path

# The databases that a new cluster has.
facts contains {"databases_made": {
	"names": names,
	"main": application_database,
	"reason": sprintf("the cluster makes %s", [text.list(array.slice(names, 0, 3), "and")]),
	"outcome": "it does not exist",
	"cure": sprintf("Write %s, or make a Database for it", [names[0]]),
}} if {
	operator
	begun_by_initdb
	not get.present(spec, "replica")
	names := array.concat([application_database], [get.string(one, ["spec", "name"]) | some one in of_cluster("Database")])
	count([1 | some name in names; placeholder.unknown(name)]) == 0
	count([1 |
		some field in ["postInitSQL", "postInitTemplateSQL", "postInitApplicationSQL"]
		some statement in get.list(spec, ["bootstrap", "initdb", field])
		regex.match(`(?i)create\s+database|\$`, statement)
	]) == 0
}

# What is restored is where it was, and belongs to whom it belonged to; the operator makes app beside it (defaultRecovery and defaultPgBaseBackup).
facts contains {"databases_made": {
	"names": ["app"],
	"role": "app",
	"reason": sprintf("bootstrap.%s without database and owner makes both anew, called app", [way]),
	"outcome": "what is restored belongs to another role",
	"cure": "Write its database and owner there",
}} if {
	operator
	some way in ["recovery", "pg_basebackup"]
	get.present(spec, ["bootstrap", way])
	count([1 | some field in ["database", "owner", "secret"]; get.present(spec, ["bootstrap", way, field])]) == 0
	not get.present(spec, "replica")
	not restored_from
}

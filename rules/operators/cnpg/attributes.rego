package walguard.operators.cnpg

import data.walguard.lib.get
import data.walguard.lib.placeholder

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

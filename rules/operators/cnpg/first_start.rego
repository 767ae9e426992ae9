package walguard.operators.cnpg

import data.walguard.lib.get
import data.walguard.lib.placeholder
import data.walguard.lib.sql
import data.walguard.lib.text

# Databases that the SQL of the first start speaks of before they are there: the operator creates that of the application after postInitSQL and postInitTemplateSQL, and those of Database objects when the
# cluster runs (pkg/management/postgres/initdb.go, ConfigureNewInstance).
premature := [object.union(
	{
		"reason": sprintf("%s has %s, and there is no database %s then (\"does not exist\"): the first start fails", [script.title, statement, name]),
		"cure": cure_of_premature(name),
		"level": "error",
	},
	object.filter(script, ["path", "resource"]),
) |
	some script in scripts
	found := regex.find_all_string_submatch_n(`(?i)\b(grant\s[^;]*?\son|revoke\s[^;]*?\son|alter|comment\s+on)\s+database\s+("[^"]+"|[a-z_][a-z0-9_$]*)`, code_of(script), 1)[0]
	name := named_in_sql(found[2])
	not name in databases_then[script.field]
	not placeholder.holds(name)
	not placeholder.unknown(of_application)
	count([1 | some made in scripts; regex.match(sprintf(`(?i)\bcreate\s+database\s+"?%s\b`, [text.literal(name)]), made.text)]) == 0
	statement := sprintf("%s DATABASE %s", [get.upper_case(regex.find_n(`(?i)^[a-z]+`, found[1], 1)[0]), name])
]

# What is put together while it runs nobody reads here.
code_of(script) := code if {
	code := regex.replace(script.text, `--[^\n]*`, "")
	not contains(code, "$")
}

named_in_sql(written) := trim(written, `"`) if startswith(written, `"`)

named_in_sql(written) := get.lower_case(written) if not startswith(written, `"`)

databases_then := {
	"postInitSQL": {"postgres", "template0", "template1"},
	"postInitTemplateSQL": {"postgres", "template0", "template1"},
	"postInitApplicationSQL": {"postgres", "template0", "template1", of_application},
}

cure_of_premature(name) := "Move it to postInitApplicationSQL" if name == of_application

cure_of_premature(name) := "Create the database before that statement, in an entry of its own" if name != of_application

# SQL of the first start runs as postgres, to whom what it creates belongs.
of_the_superuser := [object.union(
	{
		"reason": sprintf("%s creates %s as postgres, and nothing there grants it to anybody: permission denied for %s, the owner of the database", [script.title, left.what, initial_owner]),
		"cure": sprintf("Begin the SQL with SET ROLE %s, or give it to that role", [initial_owner]),
	},
	object.union(object.filter(script, ["path", "resource"]), object.filter(left, ["level"])),
) |
	not get.boolean(spec, "enableSuperuserAccess")
	initial_owner != "postgres"
	count([1 | some role in get.list(spec, ["managed", "roles"]); privileged(role)]) == 0
	some script in scripts
	script.field == "postInitApplicationSQL"
	left := sql.ungranted(script.text)
	count([1 | some other in scripts; not given(other.text)]) == count(scripts)
	every field in ["postInitSQLRefs", "postInitTemplateSQLRefs", "postInitApplicationSQLRefs"] {
		refs_in_sight(field)
	}
]

# By another entry, or as another role.
given(written) if regex.match(`(?i)\b(grant|owner|authorization|set\s+(local\s+|session\s+)?role|session_authorization|reassign)\b|\$|\\`, written)

privileged(role) if get.boolean(role, "superuser")

privileged(role) if regex.match(`pg_(read|write)_all_data`, json.marshal(get.list(role, "inRoles")))

# As many files as are named.
refs_in_sight(field) if {
	named := [1 | some list in ["configMapRefs", "secretRefs"]; some _ in get.list(spec, ["bootstrap", "initdb", field, list])]
	count(named) == count([1 | some script in referenced; script.field == trim_suffix(field, "Refs")])
}

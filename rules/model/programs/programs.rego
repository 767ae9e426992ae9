# METADATA
# description: |
#   What the workloads of the namespace do as a role that has not the right to it, or that does not exist: containers that run psql, pg_dumpall, createdb and the like against the cluster under review, with
#   the role that they log in as. See roles, absent_roles and hooks of walguard.model.
package walguard.model.programs

import data.walguard.lib.environment
import data.walguard.lib.get
import data.walguard.lib.k8s
import data.walguard.lib.placeholder
import data.walguard.lib.script
import data.walguard.lib.workloads
import data.walguard.model

# METADATA
# description: 'Dumps of all databases by a role that may not read the passwords of the roles: {"job": in words, "role", "path", "resource"}.'
denied_dumps := [{"job": one.words, "role": one.role, "path": one.path, "resource": one.resource} |
	some one in known
	not one.rights.superuser
	regex.match(`\bpg_dumpall\b`, one.text)
	not regex.match(`\s(--no-role-passwords|-t|--tablespaces-only)\b`, one.text)
]

# METADATA
# description: 'Statements that the role has no right to: {"client": in words, "role", "what": in words, "option": of the role that is missing, "path", "resource"}.'
denied_statements := [{"client": one.words, "role": one.role, "what": statement.what, "option": statement.option, "path": one.path, "resource": one.resource} |
	some one in known
	not one.rights.superuser
	some statement in statements
	not one.rights[statement.right]
	regex.match(statement.pattern, one.text)
]

statements := [
	{"what": "a database", "right": "createdb", "option": "CREATEDB", "pattern": `(?i)\bpsql\b[\s\S]*\bcreate\s+database\b|(^|[\s;&|(])createdb\s`},
	{"what": "a role", "right": "createrole", "option": "CREATEROLE", "pattern": `(?i)\bpsql\b[\s\S]*\bcreate\s+(role|user)\b|(^|[\s;&|(])createuser\s`},
]

# METADATA
# description: 'Programs that log in as a role that the first start does not make: {"client": in words, "role", "made", "variable", "path", "resource"?}.'
strangers := [object.union({"client": one.words, "role": one.role, "made": absent.made, "variable": absent.variable}, object.filter(one, ["path", "resource"])) |
	absent := model.cluster.absent_roles
	some one in array.concat(get.list(model.cluster, "hooks"), by_name)
	some role in absent.names
	one.role == role
	count([1 | some text in texts; regex.match(sprintf(`(?i)\bcreate\s+(user|role)\s+"?%s\b|\bcreateuser\b`, [role]), text)]) == 0
]

# Nobody in sight changes roles.
known := [object.union(one, {"rights": rights}) |
	count(get.list(model.cluster, "roles")) > 0
	count([1 | some text in texts; regex.match(`(?i)\balter\s+(user|role)\b|\bgrant\s+[a-z_]+\s+to\b`, text)]) == 0
	some one in array.concat(by_name, by_secret)
	some rights in model.cluster.roles
	rights.name == one.role
]

by_name := [object.union(one, {"role": role}) |
	some one in programs
	here(one)
	role := one_of(script.logins(one.text), one)
]

# What the option says, else the variable that libpq reads.
one_of(options, _) := options[0] if count({role | some role in options}) == 1

one_of([], one) := role if {
	role := one.variables.PGUSER
	regex.match(`^[A-Za-z_][A-Za-z0-9_]*$`, role)
}

here(one) if {
	hosts := array.concat(regex.find_all_string_submatch_n(`(?:\s-h\s*|\s--host[= ]|\bhost=)["']?([A-Za-z0-9][A-Za-z0-9.-]*)`, one.text, -1), [["", host] | host := one.variables.PGHOST])
	count(hosts) > 0
	some own in get.list(model.cluster, "hosts")
	own != ""
	every host in hosts {
		leads_home(split(host[1], "."), own)
	}
}

leads_home(parts, own) if {
	parts[0] == own
	array.concat(parts, [k8s.namespace])[1] == k8s.namespace
}

# The Secret is one role's, and no other role is named.
by_secret := [object.union(one, {"role": roles[0]}) |
	some one in programs
	count(script.logins(one.text)) == 0
	not one.variables.PGUSER
	count(one.secrets) == 1
	roles := [known_role.name |
		some known_role in get.list(model.cluster, "roles")
		some secret in get.list(known_role, "secrets")
		secret in one.secrets
	]
	count(roles) == 1
]

programs := [{"words": found.made.words, "text": script.filled(text, variables), "variables": variables, "secrets": secrets, "path": array.concat(found.path, [field]), "resource": found.made.resource} |
	asked
	some found in workloads.containers
	not workloads.itself(found.made)
	one := found.container
	text := replace(concat(" ", words(one)), "\\\n", " ")
	regex.match(`\b(psql|pg_dumpall|pg_dump|pg_restore|createdb|createuser)\b`, text)
	field := [name | some name in ["args", "command"]; count(get.list(one, name)) > 0][0]
	variables := {name: value |
		some name, k in get.named(get.list(one, "env"))
		value := get.string(one.env[k], "value")
		not placeholder.unknown(value)
	}
	secrets := environment.secrets(one)
]

asked if count(get.list(model.cluster, "roles")) > 0

asked if model.cluster.absent_roles

texts := {one.text | some one in array.concat(programs, get.list(model.cluster, "hooks"))}

words(one) := [word |
	some field in ["command", "args"]
	some word in get.list(one, field)
	is_string(word)
]

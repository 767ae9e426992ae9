package walguard.operators.workload

import data.walguard.lib.client
import data.walguard.lib.get
import data.walguard.lib.hba
import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.lib.workloads

# Who asks for the server and is let in by no line of the pg_hba.conf in force: standbys that copy it, whose database is called replication, which "all" does not include, and programs that say their role and database.
facts contains {"lockouts": lockouts} if count(lockouts) > 0

lockouts := array.concat(array.concat(unadmitted_copies, unadmitted_commands), array.concat(unadmitted_programs, unadmitted_visits))

admitting_rules := [rule | some rule in hba.rules(hba.of_text(mounted_hba.text, {})); rule.method != "reject"; not hba.own(rule)] if {
	layout in {"docker", "bitnami"}
	server.product.name != "postgresql-repmgr"
	in_force(mounted_hba)
	not regex.match(`(?m)^\s*include|@|\$|\{\{`, mounted_hba.text)
}

admits(rule, database, role) if {
	includes_name(rule.databases, database, role)
	includes_name(rule.users, role, "")
}

# Groups, and patterns since PostgreSQL 16, are known to the server alone.
includes_name(names, wanted, role) if {
	some name in names
	one_of_names(name, wanted, role)
}

one_of_names(name, name, _)

one_of_names("all", wanted, _) if wanted != "replication"

one_of_names("sameuser", role, role)

one_of_names(name, wanted, _) if {
	regex.match(`^(\+|/|samerole$|samegroup$)`, name)
	wanted != "replication"
}

lets_nobody_in(database, role) if {
	count(admitting_rules) > 0
	count([1 | some rule in admitting_rules; admits(rule, database, role)]) == 0
}

place_of_hba := object.filter(mounted_hba, ["path", "resource"])

# what: who does what, in words.
not_let_in(what, database, role) := object.union(place_of_hba, {
	"reason": sprintf("%s, and no line of this pg_hba.conf lets that in (\"no pg_hba.conf entry\")", [what]),
	"cure": sprintf("Add \"host %s %s all scram-sha-256\"", [database, role]),
})

unadmitted_copies := array.concat(
	[object.union(place_of_hba, {
		"reason": sprintf("%s copies the server as %s, and no line of this pg_hba.conf is for replication, which \"all\" does not include (\"no pg_hba.conf entry\")", [copy.words, copy.role]),
		"cure": sprintf("Add \"host replication %s all scram-sha-256\"", [copy.role]),
	}) |
		count(admitting_rules) > 0
		some copy in copies_of_server
		count([1 | some rule in admitting_rules; "replication" in rule.databases; includes_name(rule.users, copy.role, "")]) == 0
	],
	[{
		"reason": sprintf("%s copies the server as %s, and in the pg_hba.conf that the image makes \"all\" does not include replication (\"no pg_hba.conf entry\")", [copy.words, copy.role]),
		"cure": sprintf("Append \"host replication %s all scram-sha-256\" to $PGDATA/pg_hba.conf in a script of the first start", [copy.role]),
		"path": container_path,
	} |
		hba_of_initdb
		some copy in copies_of_server
	],
)

copies_of_server := [{"words": one.made.words, "role": role} |
	some one in workloads.containers
	text := copying(one.container)
	some host in regex.find_all_string_submatch_n(`(?:\s-h\s*|\s--host[= ]|\bhost=)["']?([A-Za-z0-9][A-Za-z0-9.-]*)`, text, 1)
	leads_home(regex.replace(host[1], `^[^.]+-[0-9]+\.`, ""))
	role := copied_as(text, one.container)
]

# The one of initdb, to which the entrypoint appends "host all all all METHOD": nothing in sight mounts another, names one or writes to it.
hba_of_initdb if {
	official
	not inventory.served
	not standby
	not mounted_hba
	not named_hba
	not unknown(["POSTGRES_HOST_AUTH_METHOD"])
	provisioned(mount_of(directory).name)
	not regex.match(`hba|replication\s+\S+\s+\S+\s+(trust|md5|scram)`, json.marshal([get.map(k8s.object, pod_path), own_words]))
}

copying(one) := text if {
	text := command_of(one)
	regex.match(`\bpg_(basebackup|receivewal)\s`, text)
}

command_of(one) := replace(filled_words(one), "\\\n", " ")

# By options, else by the variables of libpq.
unadmitted_commands := [not_let_in(sprintf("%s runs %s in database %s as %s", [one.made.words, match[1], database, role]), database, role) |
	count(admitting_rules) > 0
	some one in workloads.containers
	not workloads.itself(one.made)
	some match in regex.find_all_string_submatch_n(`\b(psql|pg_dump|pg_restore)(\s[^\n;|&]*)`, command_of(one.container), -1)
	leads_home(told_to_libpq(match[2], one.container, `-h\s*|--host[= ]`, "PGHOST"))
	role := told_to_libpq(match[2], one.container, `-U\s*|--username[= ]`, "PGUSER")
	database := told_to_libpq(match[2], one.container, `-d\s*|--dbname[= ]`, "PGDATABASE")
	regex.match(`^[A-Za-z0-9_-]+$`, role)
	regex.match(`^[A-Za-z0-9_-]+$`, database)
	lets_nobody_in(database, role)
	count([1 | some other in client_logins; [other.client, other.database.value, other.role.value] == [one.made.words, database, role]]) == 0
]

told_to_libpq(text, one, option, name) := trim(found[0][1], `"'`) if {
	found := regex.find_all_string_submatch_n(sprintf(`\s(?:%s)(\S+)`, [option]), text, 1)
	count(found) > 0
} else := variable_of(one, name)

variable_of(one, name) := [get.string(variable, "value") | some variable in get.list(one, "env"); get.string(variable, "name") == name][0]

copied_as(text, one) := found[1] if {
	some found in regex.find_all_string_submatch_n(`\bpg_(?:basebackup|receivewal)\s[^\n;|&]*?(?:\s-U\s*|\s--username[= ]|\buser=)["']?([A-Za-z_][A-Za-z0-9_]*)`, text, 1)
} else := variable_of(one, "PGUSER")

unadmitted_programs := [not_let_in(sprintf("%s logs in to database %s as %s", [one.client, database, role]), database, role) |
	count(admitting_rules) > 0
	some one in client_logins
	database := one.database.value
	role := one.role.value
	not regex.match(`\s`, concat("", [database, role]))
	lets_nobody_in(database, role)
]

unadmitted_visits := [not_let_in(sprintf("%s connects to database %s as %s before its own", [one.client, visit.database, role]), visit.database, role) |
	count(admitting_rules) > 0
	some one in client_containers
	program := client.program_of(one.container)[1]
	visit := program.visits
	some host in program.hosts
	leads_home(one.variables[host].value)
	role := one.variables[visit.role].value
	lets_nobody_in(visit.database, role)
]

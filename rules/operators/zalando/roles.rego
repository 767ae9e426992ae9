package walguard.operators.zalando

import data.walguard.lib.get
import data.walguard.lib.image
import data.walguard.lib.k8s
import data.walguard.lib.lengths
import data.walguard.lib.placeholder
import data.walguard.lib.schema
import data.walguard.lib.spilo
import data.walguard.lib.watch

# What the operator does not take for a name or a flag of a role, so that it creates nothing at all (pkg/cluster/cluster.go, initRobotUsers).
facts contains {"refusals": refusals} if count(refusals) > 0

refusals := array.concat(array.concat(array.concat(array.concat(roles_refused, names_refused), superuser_refused), array.concat(refused_surroundings, refused_entries)), [fault | recognised; some fault in schema.faults("zalando", k8s.object)])

# addCluster and ExtractClusterName (pkg/controller/postgresql.go, pkg/apis/acid.zalan.do/v1/util.go).
names_refused := array.concat(array.concat(names_without_prefix, too_long), no_services)

names_without_prefix := [object.union(level, {
	"path": ["metadata", "name"],
	"reason": sprintf("the name %s does not begin with \"%s-\", its teamId, which %s", [k8s.name, team, asks]),
	"cure": sprintf("Call it %s-%s%s", [team, k8s.name, otherwise]),
}) |
	recognised
	[level, asks, otherwise] := asked_of_names
	team := get.string(spec, "teamId")
	team != ""
	not startswith(get.lower_case(k8s.name), get.lower_case(sprintf("%s-", [team])))
	count([1 | some text in [k8s.name, team]; placeholder.holds(text)]) == 0
	not placeholder.unknown(team)
]

# Its StatefulSet is called as it is (pkg/cluster/k8sres.go).
too_long := [object.union(lengths.of_statefulset("the cluster", "no instance starts", count(k8s.name), k8s.name, "it"), {"path": ["metadata", "name"]}) |
	recognised
	count(k8s.name) > lengths.of_statefulsets
	not placeholder.holds(k8s.name)
]

# The Service of the primary has its name.
no_services := [fault | recognised; some fault in lengths.no_service(k8s.name, "no instance can be reached")]

# The bootstrap of Spilo is SQL that names role postgres (post_init.sh, _zmon_schema.dump: SET ROLE TO postgres, with ON_ERROR_STOP), and Patroni gives up a cluster whose post_init fails. initdb has
# made the role that the operator calls its superuser, and no other.
superuser_refused := [object.union(
	{
		"by": "Spilo",
		"reason": sprintf("its bootstrap works as role postgres, and the operator's super_username is %s, so that no new cluster starts", [superuser]),
		"cure": "Set super_username: postgres",
	},
	configured_at(["users", "super_username"], ["super_username"]),
) |
	recognised
	superuser != "postgres"
	not placeholder.unknown(superuser)
	not placeholder.holds(superuser)
	spilo.majors(image_in_force)
]

# Without watched_namespace a variable of its Deployment says which namespaces it watches; where it is not in sight the cluster may be another operator's.
asked_of_names := [level_of_prefix, "enable_team_id_clustername_prefix asks for", ", or set the option to false"] if {
	level_of_prefix
} else := [level_of_former, "releases of the operator before 1.9 ask for (\"name must match {TEAM}-{NAME} format\")", ""]

# They had no such option, and left alone every cluster of another name (UnmarshalJSON of pkg/apis/acid.zalan.do/v1/marshal.go up to 1.8.2).
level_of_former := {} if {
	count(tags_of_operator) == 1
	regex.match(`^v?(0|1\.[0-8])\.`, tags_of_operator[0])
} else := {"level": "warning"} if {
	count(tags_of_operator) == 0
	reference := get.string(configuration, "docker_image")
	spilo.majors(reference)
	regex.match(`^(1\.|2\.0-|2\.1-p[1-7]$)`, image.tag(reference))
} else := {"level": "info"} if {
	count(tags_of_operator) == 0
	not configuration
	count(operator_maps) == 0
	major.value <= 14
	not get.present(spec, "dockerImage")
	not get.present(k8s.object, ["status", "PostgresClusterStatus"])
}

tags_of_operator := [image.tag(one.image) | recognised; some one in watch.in_sight(`^postgres-operator$`)]

level_of_prefix := {} if prefixed

level_of_prefix := {"level": "warning"} if {
	not prefixed
	get.boolean(configuration, "enable_team_id_clustername_prefix")
	not get.string(configuration, ["kubernetes", "watched_namespace"])
}

# One operator in sight alone, and it watches this namespace.
prefixed if {
	get.boolean(configuration, "enable_team_id_clustername_prefix")
	watched(get.string(configuration, ["kubernetes", "watched_namespace"]))
}

prefixed if {
	get.boolean(configuration, "enable_team_id_clustername_prefix")
	not get.string(configuration, ["kubernetes", "watched_namespace"])
	get.string(configurations[0], ["metadata", "namespace"]) == k8s.namespace
}

prefixed if {
	count(configurations) == 0
	count(operator_maps) == 1
	get.text_at(operator_maps[0], ["data", "enable_team_id_clustername_prefix"]) == "true"
	watched(object.get(operator_maps[0], ["data", "watched_namespace"], object.get(operator_maps[0], ["metadata", "namespace"], "")))
}

watched("*")

watched(namespace) if namespace == k8s.namespace

roles_refused := array.concat(
	[{
		"path": ["spec", "users", name],
		"reason": sprintf("\"%s\" is not a user name that it takes", [name]),
		"cure": "Write small letters, digits, \"_\" and \"-\", with a letter or digit at both ends",
	} |
		some name, _ in get.map(spec, "users")
		not placeholder.unknown(name)
		not regex.match(`^[a-z0-9]([-_a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-_a-z0-9]*[a-z0-9])?)*$`, name)
	],
	[{
		"path": ["spec", "users", name, i],
		"reason": sprintf("\"%s\" is not a flag of a user", [flag]),
		"cure": "Write superuser, login, createdb, createrole, inherit, replication or bypassrls, or one of them behind \"no\"",
	} |
		some name, _ in get.map(spec, "users")
		some i, flag in get.list(spec, ["users", name])
		is_string(flag)
		not placeholder.unknown(flag)
		not regex.match(`^(no)?(superuser|login|createdb|createrole|inherit|replication|bypassrls)$`, get.lower_case(flag))
	],
)

# rotatePasswordInSecret (pkg/cluster/sync.go) writes a new role and its password into the Secret unless the user is listed for rotation in place, and pods take the password alone from there, with the
# names of the operator's configuration (pkg/cluster/k8sres.go: PGUSER_SUPERUSER, PGPASSWORD_SUPERUSER and their like, POSTGRES_USER of sidecars).
facts contains {"contested_logins": rotated_system_users} if count(rotated_system_users) > 0

rotated_system_users := [{
	"path": ["spec", "usersWithSecretRotation", i],
	"reason": sprintf("usersWithSecretRotation has %s: its Secret gets the password of a new role, which pods and sidecars use for %s from their next start on (\"password authentication failed\")", [user, user]),
	"cure": cure_of_rotation(user),
	"level": "warning",
} |
	recognised
	not get.present(spec, "standby")
	some i, user in get.list(spec, "usersWithSecretRotation")
	user in {superuser, object.get(configuration_or_none, ["users", "replication_username"], "standby")}
	not user in get.list(spec, "usersWithInPlaceSecretRotation")
	not user in get.list(spec, "usersIgnoringSecretRotation")
]

# The operator logs in as the superuser itself.
cure_of_rotation(user) := "Take it out" if user == superuser

cure_of_rotation(user) := "List it in usersWithInPlaceSecretRotation, which restarts the pods" if user != superuser

# What it passes over with a line in its log (pkg/cluster/database.go), and what PostgreSQL refuses it, again at every sync.
facts contains {"uncreated": uncreated} if count(uncreated) > 0

uncreated := array.concat(array.concat(array.concat(unowned, protected), array.concat(unprepared, cron_elsewhere)), array.concat(
	[{
		"path": ["spec", field, name],
		"reason": sprintf("The operator creates no database called \"%s\"", [name]),
		"cure": "Write letters, digits and \"_\" only, and no digit first",
		"level": "error",
	} |
		some field in ["databases", "preparedDatabases"]
		some name, _ in get.map(spec, field)
		not placeholder.unknown(name)
		not regex.match(`^[a-zA-Z_][a-zA-Z0-9_]*$`, name)
	],
	[{
		"path": ["spec", "preparedDatabases", name],
		"reason": sprintf("Database %s stands under databases too, with the owner %s; the operator creates the schemas and roles of a prepared database as %s_owner, and every sync ends with \"permission denied for database\"", [name, owner, name]),
		"cure": "Leave it in one of the two",
		"level": "error",
	} |
		some name, _ in get.map(spec, "preparedDatabases")
		owner := get.string(spec, ["databases", name])
		owner != sprintf("%s_owner", [name])
		not placeholder.unknown(owner)
	],
))

# databaseSchemaNameValid (pkg/cluster/database.go), and initPreparedDatabaseRoles (pkg/cluster/cluster.go), which looks for defaultUsers of a schema where it has made the roles alone.
unprepared := [{
	"path": ["spec", "preparedDatabases", database, "schemas", name],
	"reason": fault[0],
	"cure": fault[1],
} |
	some database, prepared in get.map(spec, "preparedDatabases")
	some name, prepared_schema in get.map(prepared, "schemas")
	not placeholder.holds(name)
	not placeholder.holds(database)
	fault := fault_of_schema(database, name, prepared_schema)
]

fault_of_schema(database, name, asked) := [sprintf("The operator creates no schema called \"%s\" in database %s", [name, database]), "Write letters, digits and \"_\" only, and no digit first"] if {
	not regex.match(`^[a-zA-Z_][a-zA-Z0-9_]*$`, name)
} else := [sprintf("Schema %s of database %s has defaultUsers and defaultRoles: false, and the operator creates these users with the roles alone", [name, database]), "Set defaultRoles to true"] if {
	get.boolean(asked, "defaultUsers")
	object.get(asked, "defaultRoles", true) == false
}

# shouldAvoidProtectedOrSystemRole (pkg/cluster/util.go): such a user of a manifest gets neither a role nor a Secret, and a database of its is passed over.
protected := [{"path": ["spec", "users", name], "reason": reason, "cure": "Give the user another name"} |
	recognised
	some name, _ in get.map(spec, "users")
	reason := reason_of_protection(name, concat(", ", sort([database | some database, owner in get.map(spec, "databases"); owner == name])))
]

reason_of_protection(name, "") := sprintf("The operator creates no user %s, one of its protected_role_names, and no Secret for it", [name]) if protected_name(name)

reason_of_protection(name, databases) := sprintf("The operator creates no user %s, one of its protected_role_names, no Secret for it, and database %s, which it shall own, neither", [name, databases]) if {
	databases != ""
	protected_name(name)
}

# Roles of its own are there, and still own no database of a manifest.
reason_of_protection(name, databases) := sprintf("The operator does not create database %s, for %s is a role of its own and no user of the manifest", [databases, name]) if {
	databases != ""
	name in {object.get(configuration_or_none, ["users", "super_username"], "postgres"), object.get(configuration_or_none, ["users", "replication_username"], "standby")}
	not protected_name(name)
}

protected_name(name) if name in object.get(configuration_or_none, ["teams_api", "protected_role_names"], ["admin", "cron_admin"])

# databaseNameOwnerValid: roles of the manifest and of prepared databases are known to it, those of its own configuration and of teams are not seen here; PostgreSQL's
# superuser is none of them.
unowned := [object.union({"path": ["spec", "databases", name]}, stranger(name, owner, users)) |
	some name, owner in get.map(spec, "databases")
	is_string(owner)
	owner != ""
	not placeholder.unknown(owner)
	users := get.map(spec, "users")
	object.get(users, owner, "absent") == "absent"
	not made_by_initdb(name, owner)
	certain_stranger(owner, users)
	count([1 | some prepared, _ in get.map(spec, "preparedDatabases"); startswith(owner, sprintf("%s_", [prepared]))]) == 0
	count([1 | some user, _ in users; placeholder.unknown(user)]) == 0
]

# A user with a namespace in front (enable_cross_namespace_secret) is a role with that name as a whole (initRobotUsers).
stranger(name, owner, users) := {
	"reason": sprintf("Database %s belongs to %s, and the role of the user is called %s, with the namespace: the operator passes the database over", [name, owner, whole[0]]),
	"cure": sprintf("Name %s as the owner", [whole[0]]),
	"level": "error",
} if {
	whole := names_with_namespace(owner, users)
	count(whole) > 0
}

stranger(name, owner, users) := {
	"reason": sprintf("Database %s belongs to %s, which is not among users: the operator passes it over%s", [name, owner, exception(owner)]),
	"cure": cure_of_owner(owner),
} if {
	count(names_with_namespace(owner, users)) == 0
}

names_with_namespace(owner, users) := sort([user | some user, _ in users; endswith(user, sprintf(".%s", [owner]))])

# syncDatabases (pkg/cluster/sync.go) leaves a database alone that is there and has the owner already.
made_by_initdb(name, "postgres") if name in {"postgres", "template0", "template1"}

# It is a role of its own, which a manifest cannot ask for.
cure_of_owner("postgres") := "Name an owner that is among users"

cure_of_owner(owner) := sprintf("Add %s to users, or name an owner that is there", [owner]) if owner != "postgres"

exception(owner) := "" if owner == "postgres"

exception(owner) := " unless its own configuration has that role" if owner != "postgres"

certain_stranger("postgres", _) if not get.present(configuration_or_none, ["users", "super_username"])

certain_stranger(owner, users) if {
	owner != "postgres"
	count(users) > 0
	not roles_elsewhere
}

roles_elsewhere if {
	some field in ["infrastructure_roles_secret_name", "infrastructure_roles_secrets"]
	get.present(configuration_or_none, ["kubernetes", field])
}

roles_elsewhere if get.boolean(configuration_or_none, ["teams_api", "enable_teams_api"])

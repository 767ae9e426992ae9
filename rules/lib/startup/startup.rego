# METADATA
# description: |
#   What drivers ask for when they connect. PgBouncer refuses what it does not follow unless it is told to pass over it, whatever the client asks for afterwards.
# related_resources:
#   - https://www.pgbouncer.org/config.html#ignore_startup_parameters
package walguard.lib.startup

import data.walguard.lib.get
import data.walguard.lib.k8s
import data.walguard.lib.workloads

# METADATA
# description: |
#   What is refused by poolers, of each {"names": of its Services, "passes": what it passes over, "option": what makes it pass over more}:
#   [{"reason", "cure", "level", "path", "resource"}], sentences without the full stop.
refused(poolers) := [{
	"reason": sprintf("PgBouncer refuses %s with \"unsupported startup parameter: %s\", for its %s says %s", [one.client, parameter, one.variable, said_there]),
	"cure": sprintf("Remove it and set it for the role (ALTER ROLE … SET), or add %s to %s", [parameter, pooler.option]),
	"level": "error",
	"path": one.path,
	"resource": one.resource,
} |
	some pooler in poolers
	some one in asking(pooler.names)
	some said_there, parameter in one.parameters
	not parameter in pooler.passes
	count(named_within(said_there) - pooler.passes) > 0
]

# METADATA
# description: True of pgbouncer_exporter, whose driver (lib/pq) always sends extra_float_digits.
exporter_of_pools(reference) if regex.match(`(^|/)pgbouncer[-_]exporter(:|@|$)`, reference)

# METADATA
# description: '{"level": "error"} of its releases that are known to do so, of which there was none above 0.11 when this was written, else {}.'
level_of_exporter(reference) := {"level": "error"} if {
	regex.match(`pgbouncer[-_]exporter:v?0\.([0-9]|1[01])(\.|$)`, reference)
} else := {}

# METADATA
# description: Containers with an address of a pooler of these names, and what their drivers send of it.
asking(names) := array.concat(array.concat(by_address(names), by_words(names)), by_host(names))

# What an exporter is told by an argument.
by_words(names) := [{"client": one.made.words, "image": one.container.image, "variable": "The argument", "jdbc": false, "parameters": {}, "path": array.concat(one.path, [field, i]), "resource": one.made.resource} |
	count(names) > 0
	some one in workloads.containers
	exporter_of_pools(object.get(one.container, "image", ""))
	some field in ["command", "args"]
	some i, word in get.list(one.container, field)
	some match in regex.find_all_string_submatch_n(`^--pgBouncer\.connectionString[= ]"?postgres(?:ql)?://(?:[^@\s]*@)?([A-Za-z0-9-]+)(\.[a-z0-9.-]+)?[:/?]`, get.text(word), 1)
	match[1] in names
	array.concat(split(match[2], "."), ["", k8s.namespace])[1] in {k8s.namespace, ""}
]

# Programs that put the address together themselves: in Java, and Gitea, whose driver is lib/pq (models/db/sql_postgres_with_schema.go).
by_host(names) := [{"client": one.made.words, "image": object.get(one.container, "image", ""), "variable": name, "jdbc": true, "parameters": {}, "path": array.concat(one.path, ["env", i, "value"]), "resource": one.made.resource} |
	count(names) > 0
	some one in workloads.containers
	some i, variable in get.list(one.container, "env")
	name := get.string(variable, "name")
	always_sends(name, object.get(one.container, "image", ""))
	parts := split(regex.replace(get.string(variable, "value"), `:[0-9]+$`, ""), ".")
	parts[0] in names
	array.concat(parts, [k8s.namespace])[1] == k8s.namespace
]

always_sends(name, _) if name in {"KC_DB_URL_HOST", "KEYCLOAK_DATABASE_HOST", "MB_DB_HOST"}

# Later ones may have another driver.
always_sends("GITEA__database__HOST", image) if regex.match(`(^|/)gitea/gitea:v?1\.(1[0-9]|2[0-4])(\.|-|$)`, image)

by_address(names) := [{
	"client": one.made.words,
	"image": object.get(one.container, "image", ""),
	"variable": get.string(variable, "name"),
	"jdbc": jdbc,
	"parameters": parameters_sent(address, jdbc),
	"path": array.concat(one.path, ["env", i, "value"]),
	"resource": one.made.resource,
} |
	count(names) > 0
	some one in workloads.containers
	some i, variable in get.list(one.container, "env")
	address := get.string(variable, "value")
	some match in regex.find_all_string_submatch_n(`^(jdbc:)?postgres(?:ql)?(?:\+[a-z0-9]+)?://(?:[^@\s]*@)?([A-Za-z0-9-]+)(\.[a-z0-9.-]+)?[:/?]`, address, 1)
	match[2] in names
	array.concat(split(match[3], "."), ["", k8s.namespace])[1] in {k8s.namespace, ""}
	jdbc := match[1] != ""
]

# The text by what it is. JDBC makes search_path of currentSchema; Go's drivers send what they do not know themselves.
parameters_sent(address, jdbc) := {found[0]: name |
	some name, patterns in {
		"options": [`[?&]options=[^&]+`, `[?&]options=[^&]+`],
		"search_path": [`[?&]search_path=[^&]+`, `[?&]currentSchema=[^&]+`],
	}
	some found in regex.find_all_string_submatch_n(patterns[{true: 1, false: 0}[jdbc]], address, 1)
	count(named_within(found[0])) > 0
}

# Since 1.20 PgBouncer reads what options say, and knows some of it.
named_within(said_there) := names - {"application_name", "client_encoding", "datestyle", "standard_conforming_strings", "timezone"} if {
	regex.match(`[?&]options=`, said_there)
	text_ := strings.replace_n({"%20": " ", "+": " ", "%3D": "=", "%3d": "=", "%2D": "-", "%2d": "-"}, said_there)
	names := {get.lower_case(match[1]) | some match in regex.find_all_string_submatch_n(`(?:-c\s*|--)([A-Za-z_.]+)=`, text_, -1)}
}

named_within(said_there) := {"search_path"} if not regex.match(`[?&]options=`, said_there)

package walguard.operators.workload

import data.walguard.lib.cluster as shared
import data.walguard.lib.get
import data.walguard.lib.image
import data.walguard.lib.k8s
import data.walguard.lib.placeholder
import data.walguard.lib.workloads

# What drivers ask for when they connect. PgBouncer refuses what it does not follow unless it is told to pass over it, whatever the client asks for afterwards
# (https://www.pgbouncer.org/config.html#ignore_startup_parameters).
refused_parameters := array.concat(
	[object.union(
		{
			"reason": sprintf("PgBouncer refuses %s with \"unsupported startup parameter: extra_float_digits\", which its driver always sends", [asking[0].client]),
			"cure": "Set ignore_startup_parameters = extra_float_digits in pgbouncer.ini",
			"path": pooler.path,
			"resource": pooler.resource,
		},
		object.filter(asking[0], ["level"]),
	) |
		some pooler in strict_poolers
		pooler.by_file
		not "extra_float_digits" in pooler.passes
		asking := array.concat(
			[{"client": sprintf("container %s", [shared.name_or(beside, i)])} |
				some i, beside in get.list(pooler.made, ["spec", "template", "spec", "containers"])
				regex.match(`(^|/)pgbouncer[-_]exporter(:|@|$)`, get.string(beside, "image"))
			],
			[{"client": one.client, "level": "error"} | some one in asking_poolers; one.pooler in pooler.names; one.jdbc],
		)
		count(asking) > 0
	],
	[{
		"reason": sprintf("PgBouncer refuses %s with \"unsupported startup parameter: %s\", for its %s says %s", [one.client, parameter, one.variable, said_there]),
		"cure": sprintf("Remove it and set it for the role (ALTER ROLE … SET), or add %s to %s", [parameter, pooler.option]),
		"level": "error",
		"path": one.path,
		"resource": one.resource,
	} |
		some pooler in strict_poolers
		some one in asking_poolers
		one.pooler in pooler.names
		some said_there, parameter in one.parameters
		not parameter in pooler.passes
		count(named_within(said_there) - pooler.passes) > 0
	],
)

# Those whose settings are in sight, with what they pass over.
strict_poolers := array.concat(
	[{"made": one.made, "names": names, "passes": passes, "option": "ignore_startup_parameters", "by_file": true, "path": ["data", "pgbouncer.ini"], "resource": k8s.reference(one.source)} |
		some one in with_a_file("pgbouncer", "pgbouncer.ini", server_in_ini)
		not regex.match(`(?m)^\s*%include`, one.text)
		not placeholder.holds(one.text)
		names := services_of(one.made)
		passes := {trim_space(name) |
			some line in regex.find_all_string_submatch_n(`(?m)^\s*(?:ignore_startup_parameters|track_extra_parameters)\s*=\s*(.*)$`, one.text, -1)
			some name in split(line[1], ",")
		}
	],
	[{"made": one.made, "names": names, "passes": passes, "option": option, "by_file": false, "path": one.path, "resource": k8s.reference(one.made)} |
		some one in pooling
		some publisher, option in {`(^|/)edoburu/pgbouncer$`: "IGNORE_STARTUP_PARAMETERS", `(^|/)bitnami(legacy|secure)?/pgbouncer$`: "PGBOUNCER_IGNORE_STARTUP_PARAMETERS"}
		regex.match(publisher, image.repository(get.string(one.container, "image")))
		count(get.list(one.container, "envFrom")) == 0
		count([1 | some variable in get.list(one.container, "env"); get.string(variable, "name") == option; not get.present(variable, "value")]) == 0
		count([1 | some mounted in get.list(one.container, "volumeMounts"); regex.match(`pgbouncer`, get.string(mounted, "mountPath"))]) == 0
		names := services_of(one.made)
		passes := {trim_space(name) | some name in split(object.get(one.values, option, "extra_float_digits"), ",")}
	],
)

asking_poolers := array.concat(by_address, java_by_host)

# Programs on Java that put the address together themselves.
java_by_host := [{"client": one.made.words, "variable": name, "pooler": host, "jdbc": true, "parameters": {}, "path": array.concat(one.path, ["env", i, "value"]), "resource": one.made.resource} |
	names := {name | some pooler in strict_poolers; some name in pooler.names}
	count(names) > 0
	some one in workloads.containers
	some i, variable in get.list(one.container, "env")
	name := get.string(variable, "name")
	name in {"KC_DB_URL_HOST", "KEYCLOAK_DATABASE_HOST", "MB_DB_HOST"}
	parts := split(get.string(variable, "value"), ".")
	host := parts[0]
	host in names
	array.concat(parts, [k8s.namespace])[1] == k8s.namespace
]

# Containers with an address of a pooler, and what their drivers send of it.
by_address := [{
	"client": one.made.words,
	"variable": get.string(variable, "name"),
	"pooler": host,
	"jdbc": jdbc,
	"parameters": parameters_sent(address, jdbc),
	"path": array.concat(one.path, ["env", i, "value"]),
	"resource": one.made.resource,
} |
	names := {name | some pooler in strict_poolers; some name in pooler.names}
	count(names) > 0
	some one in workloads.containers
	some i, variable in get.list(one.container, "env")
	address := get.string(variable, "value")
	some match in regex.find_all_string_submatch_n(`^(jdbc:)?postgres(?:ql)?(?:\+[a-z0-9]+)?://(?:[^@\s]*@)?([A-Za-z0-9-]+)(\.[a-z0-9.-]+)?[:/?]`, address, 1)
	host := match[2]
	host in names
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

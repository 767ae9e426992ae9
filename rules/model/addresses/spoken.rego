package walguard.model.addresses

import data.walguard.lib.client
import data.walguard.lib.environment
import data.walguard.lib.files
import data.walguard.lib.get
import data.walguard.lib.placeholder
import data.walguard.lib.text as prose
import data.walguard.lib.workloads

# METADATA
# description: |
#   Variables by which a client finds the server, and that its driver or Kubernetes does not read as they are meant:
#   [{"client", "name", "fault": what is wrong with it, "cure", "level": where it is no error, "path", "resource"}].
mistaken := array.concat(array.concat(array.concat(unexpanded, unexpanded_beside), array.concat(array.concat(misspelt, uris_for_jdbc), half_quoted)), array.concat(array.concat(array.concat(hosts_alone, schemes_of_hosts), words_of_libpq), array.concat(unknown_to_libpq, array.concat(unknown_to_exporter, array.concat(array.concat(of_another_kind, array.concat(unmounted, keyless)), read_otherwise)))))

# Variables of containers whose value names the server, or its pod's name does by a variable beside it.
spoken := [object.union(one, {"host": host, "scheme": get.lower_case(trim_suffix(match[1], "://"))}) |
	some one in told
	some match in regex.find_all_string_submatch_n(`^["']?((?:jdbc:)?[a-zA-Z][a-zA-Z0-9+]*://)(?:[^/?#]*@|[^@\s]*@)?(\$\([A-Za-z_][A-Za-z0-9_]*\)|[A-Za-z0-9-]+)`, one.value, 1)
	host := named_host(match[2], one.listed)
	host in hosts
]

named_host(host, _) := host if not startswith(host, "$")

named_host(host, listed) := split(split(value, ".")[0], ":")[0] if {
	some variable in listed
	get.string(variable, "name") == trim_suffix(trim_prefix(host, "$("), ")")
	value := get.string(variable, "value")
}

told := [{
	"made": one.made,
	"container": one.container,
	"listed": listed,
	"name": get.string(variable, "name"),
	"value": value,
	"client": one.made.words,
	"at": k,
	"path": array.concat(one.path, ["env", k, "value"]),
	"resource": one.made.resource,
} |
	count(hosts) > 0
	some one in workloads.calling
	listed := get.list(one.container, "env")
	some k, variable in listed
	value := get.string(variable, "value")
	value != ""
	not placeholder.holds(without_variables(value, {get.string(other, "name") | some other in listed}))
]

# The rest of it, where what looks like a placeholder is a variable of the container.
without_variables(value, names) := strings.replace_n(
	{found[0]: "x" |
		some found in regex.find_all_string_submatch_n(`\$(?:\(([A-Za-z_][A-Za-z0-9_]*)\)|\{?([A-Za-z_][A-Za-z0-9_]*)\}?)`, value, -1)
		some name in [found[1], found[2]]
		any_of(name, found[0], names)
	},
	value,
)

any_of(name, _, names) if name in names

any_of(_, found, _) if startswith(found, "$(")

said(one, fault, cure) := object.union({"fault": fault, "cure": cure}, object.filter(one, ["client", "name", "path", "resource"]))

# -------------------------------------------------------------------------------------------------------- variables in variables

# Kubernetes replaces $(NAME) by what is defined above it, and leaves the rest as it is.
unexpanded := array.concat(
	[said(one, late_words(late), sprintf("Move %s above %s", [it(late), one.name])) |
		some one in spoken
		count(get.list(one.container, "envFrom")) == 0
		late := [name |
			some name in sort(names_within(one.value))
			places := [k | some k, variable in one.listed; get.string(variable, "name") == name]
			count(places) > 0
			min(places) > one.at
		]
		count(late) > 0
	],
	array.concat(
		[said(one, sprintf("has $(%s), and this container has no %s: Kubernetes leaves it as it is and the client reads those letters", [name, name]), sprintf("Add %s to env, above %s", [name, one.name])) |
			some one in spoken
			count(get.list(one.container, "envFrom")) == 0
			some name in names_within(one.value)
			not regex.match(`_SERVICE_HOST$|_SERVICE_PORT|_PORT(_[0-9]+_(TCP|UDP).*)?$|^KUBERNETES_`, name)
			count([1 | some variable in one.listed; get.string(variable, "name") == name]) == 0

			# Kustomize's variables look the same: somebody who takes one from above knows the difference.
			count([1 | some other in names_within(one.value); some variable in one.listed; get.string(variable, "name") == other]) > 0
		],
		# Some programs replace it by themselves.
		[object.union({"level": "warning"}, said(one, sprintf("has %s, which a shell replaces and Kubernetes does not: the client reads those letters", [found[0]]), sprintf("Write $(%s), with %s above it", [found[1], found[1]]))) |
			some one in spoken
			regex.match(`^postgres(ql)?(\+[a-z0-9]+)?$`, one.scheme)
			not regex.match(`^(AIRFLOW__|SPRING_|QUARKUS_|KC_|GF_)|TEMPLATE`, one.name)
			not regex.match(`envsubst|eval|dotenv|expand|gomplate`, json.marshal([get.list(one.container, "command"), get.list(one.container, "args")]))

			# What it runs may set the variable anew.
			not contains(json.marshal([get.list(one.container, "command"), get.list(one.container, "args")]), sprintf("%s=", [one.name]))
			some found in regex.find_all_string_submatch_n(`\$\{?([A-Za-z_][A-Za-z0-9_]*)\}?`, one.value, 1)
			count([1 | some variable in one.listed; get.string(variable, "name") == found[1]]) > 0
		],
	),
)

late_words(names) := sprintf("has $(%s) before %s is defined, so Kubernetes leaves it as it is and the client reads those letters", [names[0], names[0]]) if count(names) == 1

late_words(names) := sprintf("has %s before they are defined, so Kubernetes leaves them as they are", [prose.list([sprintf("$(%s)", [name]) | some name in names], "and")]) if count(names) > 1

it(names) := names[0] if count(names) == 1

it(names) := "them" if count(names) > 1

# "$$(NAME)" is meant for a shell.
names_within(value) := {match[2] | some match in regex.find_all_string_submatch_n(`(^|[^$])\$\(([A-Za-z_][A-Za-z0-9_]*)\)`, value, -1)}

# ------------------------------------------------------------------------------------------------------------- the URL itself

misspelt := array.concat(
	array.concat(
		[said(one, "has its quotes in the value, which YAML needs and no driver reads", "Leave one pair of them out") |
			some one in spoken
			regex.match(`^("[^"]*"|'[^']*')$`, one.value)

			# Python to pgAdmin.
			not startswith(one.name, "PGADMIN_CONFIG_")
		],
		[said(one, sprintf("begins with %s, and PostgreSQL listens there: the driver speaks another protocol", [one.scheme]), "Begin it with postgresql://") |
			some one in spoken
			one.scheme in {"mysql", "mysql2", "mariadb", "mongodb", "jdbc:mysql", "jdbc:mariadb"}
		],
	),
	array.concat(
		array.concat(
			[said(one, "begins with jdbc:postgres:, which no JDBC driver takes (\"No suitable driver\")", "Begin it with jdbc:postgresql://") |
				some one in spoken
				one.scheme == "jdbc:postgres"
			],
			[said(one, "does not begin with jdbc:, and the JDBC driver takes no other (\"No suitable driver\")", sprintf("Write jdbc:postgresql://%s:5432/DATABASE, and user and password elsewhere", [one.host])) |
				some one in spoken
				one.scheme in {"postgres", "postgresql"}
				regex.match(variables_of_jdbc, one.name)
			],
		),
		array.concat(
			[said(one, "has a user before the host, which JDBC takes for a part of the host's name", "Write user and password into variables of their own, or behind \"?\": user=…&password=…") |
				some one in spoken
				one.scheme == "jdbc:postgresql"
				regex.match(`^["']?jdbc:postgresql://[^/?@]*@`, one.value)
			],
			[said(one, "has sslmode, which asyncpg's dialect does not know: \"connect() got an unexpected keyword argument 'sslmode'\"", "Write ssl for sslmode") |
				some one in spoken
				one.scheme == "postgresql+asyncpg"
				regex.match(`[?&]sslmode=`, one.value)
			],
		),
	),
)

# Of a word processor, or one of a pair. A program that makes words of it by itself may take off its own.
half_quoted := [said(one, sprintf("ends with %s, which the driver takes for a part of the name before it", [substring(one.value, count(one.value) - 1, 1)]), "Leave it out") |
	some one in spoken
	regex.match(`^[^"'“”„‟‘’«»]*["'“”„‟‘’«»]$`, one.value)
]

# ------------------------------------------------------------------------------------------------------------ hosts and words

hosts_alone := array.concat(
	[said(one, sprintf("is %s, and libpq takes all of it for the host's name", [one.value]), sprintf("Set PGHOST to %s, and PGPORT to the port", [match[2]])) |
		some one in told
		one.name in {"PGHOST", "PGHOSTADDR"}
		some match in regex.find_all_string_submatch_n(`^([a-z]+://)?(([a-z0-9-]+)[a-z0-9.-]*)(:[0-9]+)?/?$`, one.value, 1)
		match[3] in hosts
		concat("", [match[1], match[4]]) != ""
	],
	[object.union({"level": "warning"}, said(one, sprintf("is %s, and %s is there as well: most programs put both together, which is no address", [one.value, port]), sprintf("Set it to %s", [match[1]]))) |
		some one in told
		regex.match(`^[A-Z0-9_]*(DB|DATABASE|POSTGRES|POSTGRESQL|PG|SQL)_?(HOST|HOSTNAME|ADDR)$`, one.name)
		not one.name in ({"PGHOST", "PGHOSTADDR"} | object.keys(client.ports_apart))
		some match in regex.find_all_string_submatch_n(`^(([a-z0-9-]+)[a-z0-9.-]*):[0-9]+$`, one.value, 1)
		match[2] in hosts
		port := regex.replace(one.name, `(HOST|HOSTNAME|ADDR)$`, "PORT")
		count([1 | some variable in one.listed; get.string(variable, "name") == port]) > 0
	],
)

# A scheme where the name of a host belongs. Keycloak makes an address of it.
schemes_of_hosts := [object.union({"level": {true: "error", false: "warning"}[one.name in {"KC_DB_URL_HOST", "KEYCLOAK_DATABASE_HOST"}]}, said(one, sprintf("is %s, and programs take all of it for the host's name", [one.value]), host_to_write(match[1], one.value))) |
	some one in told
	regex.match(`^[A-Z0-9_]*(DB|DATABASE|POSTGRES|POSTGRESQL|PG|SQL)_?(URL_)?(HOST|HOSTNAME|ADDR)$`, one.name)
	not client.undoubled(one.container, one.name)
	not one.name in {"PGHOST", "PGHOSTADDR"}
	some match in regex.find_all_string_submatch_n(`^(?:jdbc:)?[a-z]+://(([a-z0-9-]+)[a-z0-9.-]*)(?::[0-9]+)?/?$`, one.value, 1)
	match[2] in hosts
]

# What answers over HTTP is hardly the server; nobody knows it of a client by itself.
host_to_write(host, value) := sprintf("Set it to %s", [host]) if not of_http(value)

host_to_write(_, value) := "Write the name of the server's Service, which is none for HTTP" if of_http(value)

of_http(value) if {
	workloads.alone
	regex.match(`^https?://`, value)
}

# What libpq knows; a container that names the server reads them.
known_words := {
	"PGSSLMODE": {"disable", "allow", "prefer", "require", "verify-ca", "verify-full", "no-verify"},
	"PGTARGETSESSIONATTRS": {"any", "read-write", "read-only", "primary", "standby", "prefer-standby"},
	"PGCHANNELBINDING": {"disable", "prefer", "require"},
	"PGGSSENCMODE": {"disable", "prefer", "require"},
}

words_of_libpq := array.concat(
	[said(one, sprintf("is %q, which libpq does not know: it refuses every connection", [one.value]), sprintf("Write %s", [concat(", ", sort(known - {"no-verify"}))])) |
		some one in told
		known := known_words[one.name]
		not one.value in known
		not contains(one.value, "$")
		some other in one.listed
		regex.match(`^(PGHOST|[A-Z_]*(URL|URI|HOST))$`, get.string(other, "name"))
		some match in regex.find_all_string_submatch_n(`(?:^|@|//)([A-Za-z0-9-]+)`, get.string(other, "value"), -1)
		match[1] in hosts
	],
	[said(one, sprintf("has target_session_attrs=%s, which drivers do not know", [match[1]]), "Write read-write, primary, standby, prefer-standby or any") |
		some one in spoken
		not startswith(one.scheme, "jdbc:")
		some match in regex.find_all_string_submatch_n(`[?&]target_session_attrs=([A-Za-z_-]+)`, one.value, 1)
		not match[1] in known_words.PGTARGETSESSIONATTRS
	],
)

# psql and its kin end with "invalid URI query parameter" at what other drivers put there.
unknown_to_libpq := [said(one, sprintf("has %s, which psql and pg_dump do not know: \"invalid URI query parameter\"", [match[1]]), "Leave it out for them") |
	some one in spoken
	one.scheme in {"postgres", "postgresql"}
	regex.match(`(^|/)postgres(:|@|$)`, get.string(one.container, "image"))
	some match in regex.find_all_string_submatch_n(`[?&]((?:schema|pgbouncer|connection_limit|pool_timeout|sslaccept|statement_cache_size|currentSchema|pool_size|socket_timeout)=[^&]*)`, one.value, 1)
	regex.match(sprintf(`(psql|pg_dump|pg_restore|pg_isready)\b[^|;&]*\$(?:%s\b|[({]%s[})])`, [one.name, one.name]), concat(" ", [word | some list in ["command", "args"]; some word in get.list(one.container, list); is_string(word)]))
]

# lib/pq of these releases knows neither (conn.go, ssl.go; prometheus-community/postgres_exporter 897).
unknown_to_exporter := [said(one, sprintf("has sslmode=%s, which this exporter does not know: it takes disable, require, verify-ca and verify-full", [match[1]]), "Write disable, or require where the server has TLS") |
	some one in told
	one.name in {"DATA_SOURCE_NAME", "DATA_SOURCE_URI"}
	regex.match(`postgres(ql)?[-_]exporter:v?0\.(\d|1[0-7])\.`, get.string(one.container, "image"))
	some match in regex.find_all_string_submatch_n(`[?&\s]sslmode=(allow|prefer)(?:&|\s|$)`, one.value, 1)
	some found in regex.find_n(`[A-Za-z0-9][A-Za-z0-9-]*`, one.value, -1)
	found in hosts
]

# Programs that keep their data elsewhere unless a variable says what kind of database it is, whatever the others say.
of_another_kind := [said(one, sprintf("names the server, and without %s=%s this program takes %s: nothing is kept here", [kind.variable, kind.value, kind.otherwise]), sprintf("Set %s to %s", [kind.variable, kind.value])) |
	some one in told
	program := client.program_of(one.container)[1]
	kind := program.kind
	kind.host == one.name
	split(split(one.value, ".")[0], ":")[0] in hosts
	count(get.list(one.container, "envFrom")) == 0
	count(get.list(one.container, "command")) + count([1 | some word in get.list(one.container, "args"); contains(get.text(word), "db")]) == 0
	count([1 | some mounted in get.list(one.container, "volumeMounts"); regex.match(`conf|\.ini$|/etc`, get.string(mounted, "mountPath"))]) == 0
	count([1 | some variable in one.listed; get.string(variable, "name") in ({kind.variable} | object.get(program, "instead", set()))]) == 0
]

# What a program reads otherwise than it is meant, in containers that name the server.
read_otherwise := [object.union(object.remove(fault, ["at"]), {"client": one.made.words, "path": array.concat(one.path, fault.at), "resource": one.made.resource}) |
	count(hosts) > 0
	some one in workloads.calling
	some fault in client.mistaken(one.container, get.list(one.made.pod, "volumes"))
	count([1 |
		some said_there in array.concat(
			array.concat([variable.text | some variable in client.texts(one.container)], [value | some _, value in environment.values(one.container)]),
			array.concat([word | some field in ["command", "args"]; some word in get.list(one.container, field); is_string(word)], [file.text | some file in files.mounted(one.container, get.list(one.made.pod, "volumes"))]),
		)
		some match in regex.find_all_string_submatch_n(`(?:host\s*=\s*|\burl:\s*|//|@|^)([A-Za-z0-9-]+)`, said_there, -1)
		match[1] in hosts
	]) > 0
]

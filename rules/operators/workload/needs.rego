package walguard.operators.workload

import data.walguard.lib.client as known_clients
import data.walguard.lib.cluster as shared
import data.walguard.lib.files as readable_files
import data.walguard.lib.get
import data.walguard.lib.image
import data.walguard.lib.text
import data.walguard.lib.workloads

# What programs want of the server that they ask, and do not start without; see programs of walguard.lib.client.
unmet_needs := array.concat(of_another_collation, array.concat(
	[object.union(asking(one), {"reason": sprintf("runs %s, which creates the extension %s, and the image of this server has neither", [title, program.extension]), "cure": "Take an image that has it"}) |
		official_image
		some one in clients
		[title, program] := known_clients.program_of(one.container)
		program.extension
		asks_here(one)
	],
	[object.union(asking(one), {"reason": sprintf("runs %s %s, which starts with PostgreSQL %d or newer, and this is %d", [title, image.tag(get.string(one.container, "image")), program.least[1], server.product.major]), "cure": "Upgrade the server first"}) |
		some one in clients
		[title, program] := known_clients.program_of(one.container)
		regex.match(program.least[0], image.tag(get.string(one.container, "image")))
		server.product.major < program.least[1]
		asks_here(one)
	],
))

# initdb gives its locale to the databases that the entrypoint makes, and the official image says en_US.utf8 in its environment (LANG). Settings in a file name the server.
of_another_collation := [{
	"client": one.made.words,
	"reason": sprintf("runs %s, which takes a database with the collation %s alone, and the image makes %s with en_US.utf8", [title, program.collation.name, made_database]),
	"outcome": "it does not start",
	"cure": sprintf("Set POSTGRES_INITDB_ARGS to --locale=%s before the first start", [program.collation.name]),
	"level": "error",
	"path": one.path,
	"resource": one.made.resource,
} |
	official_image
	by_entrypoint
	initialised
	count(locales_of_environment) == 0
	count([1 | some word in initdb_options; regex.match(`^--(no-locale$|locale|lc-)`, word)]) == 0
	not unknown(["LANG", "LC_ALL", "LC_COLLATE"])
	count([1 | some mounted in mounts; startswith(mounted.directory, "/docker-entrypoint-initdb.d")]) == 0
	some one in workloads.containers
	one.list == "containers"
	[title, program] := known_clients.program_of(one.container)
	program.collation
	some file in readable_files.mounted(one.container, get.list(one.made.pod, "volumes"))
	not regex.match(program.collation.unless, file.text)
	host := regex.find_all_string_submatch_n(`(?m)^\s+host:\s*["']?([A-Za-z0-9.-]+)`, file.text, 1)[0][1]
	leads_home(host)
	regex.match(sprintf(`(?m)^\s+(dbname|database):\s*["']?%s["']?\s*$`, [text.literal(made_database)]), file.text)
]

official_image if {
	server.product.published
	layout == "docker"
	server.product.name in {"postgis", "postgres"}
}

asking(one) := object.union(
	{"client": sprintf("Container %s", [shared.name_or(one.container, one.number)]), "outcome": "it does not start", "level": "error", "path": array.concat(one.path, ["image"])},
	object.filter(one, ["resource"]),
)

asks_here(one) if {
	some variable in known_clients.texts(one.container)
	leads_here(variable.text, one.names)
}

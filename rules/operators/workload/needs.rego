package walguard.operators.workload

import data.walguard.lib.client as known_clients
import data.walguard.lib.cluster as shared
import data.walguard.lib.get
import data.walguard.lib.image

# What programs want of the server that they ask, and do not start without; see programs of walguard.lib.client.
unmet_needs := array.concat(
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
)

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

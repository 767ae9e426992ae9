package walguard.model.addresses

import data.walguard.lib.client
import data.walguard.lib.get
import data.walguard.lib.mount
import data.walguard.lib.workloads

# Certificates that an address or a variable of libpq's names below a directory which another container of the pod mounts, and this one does not.
unmounted := [{
	"client": one.made.words,
	"name": variable.name,
	"fault": sprintf("names %s, which container %s mounts and %s does not: the file is not there", [file, holder, get.string(one.container, "name")]),
	"cure": sprintf("Add the volumeMount of %s to %s", [holder, get.string(one.container, "name")]),
	"path": array.concat(one.path, variable.at),
	"resource": one.made.resource,
} |
	count(hosts) > 0
	some one in workloads.containers
	some variable in array.concat(client.texts(one.container), client.words(one.container))
	some file in certificates_in(variable)
	called_in(variable.text, one.container)
	not below(file, one.container)
	holder := [get.string(other, "name") |
		some list in ["containers", "initContainers"]
		some other in get.list(one.made.pod, list)
		below(file, other)
	][0]
]

certificates_in(variable) := {mount.clean(match[1]) | some match in regex.find_all_string_submatch_n(`\bssl(?:rootcert|cert|key)=(/[^\s&'"$]+)`, variable.text, -1)} if not variable.name in of_libpq

certificates_in(variable) := {mount.clean(variable.text) | regex.match(`^/[^\s$]+$`, variable.text)} if variable.name in of_libpq

of_libpq := {"PGSSLCERT", "PGSSLKEY", "PGSSLROOTCERT"}

# The server that it names, or that PGHOST names beside it.
called_in(address, container) if {
	some said in array.concat([address], [variable.text | some variable in client.texts(container); variable.name == "PGHOST"])
	some match in regex.find_all_string_submatch_n(`(?:host=|//|@|^)([A-Za-z0-9-]+)`, said, -1)
	match[1] in hosts
}

below(file, container) if {
	some mounted in get.list(container, "volumeMounts")
	directory := mount.clean(get.string(mounted, "mountPath"))
	directory != "/"
	startswith(concat("", [file, "/"]), concat("", [directory, "/"]))
}

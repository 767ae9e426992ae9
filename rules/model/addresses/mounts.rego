package walguard.model.addresses

import data.walguard.lib.client
import data.walguard.lib.files
import data.walguard.lib.get
import data.walguard.lib.keys
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

# Below the mount of Secrets and ConfigMaps that are all in sight, and that have no key of that name.
keyless := [{
	"client": one.made.words,
	"name": variable.name,
	"fault": sprintf("names %s, and %s %s, which is mounted there, has the keys %s: the file is not there", [file, sources[0].kind, sources[0].name, concat(", ", sort(object.keys(held(sources[0]))))]),
	"cure": "Give the key the name of the file, or name the file that is there",
	"path": array.concat(one.path, variable.at),
	"resource": one.made.resource,
} |
	count(hosts) > 0
	some one in workloads.containers
	some variable in array.concat(client.texts(one.container), client.words(one.container))
	some file in certificates_in(variable)
	called_in(variable.text, one.container)
	place := mount.above(file, [object.union(mounted, {"directory": mount.clean(get.string(mounted, "mountPath"))}) | some mounted in get.list(one.container, "volumeMounts"); is_object(mounted)])
	some volume in get.list(one.made.pod, "volumes")
	get.string(volume, "name") == get.string(place, "name")
	sources := files.sources(volume)
	count(sources) > 0
	count(get.list(volume, ["projected", "sources"])) in {0, count(sources)}
	not regex.match(`"optional":\s*true`, json.marshal(volume))
	every source in sources {
		keys.lacking(source.kind, source.name, "-")
	}
	seen := {f.file | some f in files.of(object.union({"directory": place.directory}, {"subpath": below_it | below_it := get.string(place, "subPath")}), volume)}
	not file in seen
]

held(source) := object.union(get.map(files.holder(source), "data"), get.map(files.holder(source), "stringData"))

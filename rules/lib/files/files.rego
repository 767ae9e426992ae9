# METADATA
# description: The files that a container sees of the ConfigMaps and Secrets in sight, whatever way a pod takes to mount them.
package walguard.lib.files

import data.walguard.lib.get
import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.lib.mount

# METADATA
# description: |
#   The files of one mount, {"directory", "subpath"?}, of a volume, [{"file", "text", "path", "resource"}]. Of two of one name in a projected volume the later source's is there.
of(mounted, volume) := [file |
	all := offered(mounted, volume)
	last := get.last_of_each([[one.file, i] | some i, one in all])
	some i, file in all
	last[file.file] == i
]

offered(mounted, volume) := [{"file": file, "text": entry.text, "path": entry.path, "resource": k8s.reference(found)} |
	some source in sources(volume)
	found := holder(source)
	some entry in entries(found)
	some projected in projections(source.items, entry.key)
	file := seen_at(mounted, projected)
]

# METADATA
# description: All those that a container sees, by the volumes of its pod.
mounted(container, volumes) := [file |
	some one in get.list(container, "volumeMounts")
	directory := mount.clean(get.string(one, "mountPath"))
	some volume in volumes
	get.string(volume, "name") == get.string(one, "name")
	some file in of(object.union({"directory": directory}, {"subpath": below | below := mount.clean(get.string(one, "subPath")); below != ""}), volume)
]

# METADATA
# description: What a volume is made of, [{"kind", "name", "items"}].
sources(volume) := array.concat(source_of(volume), [source |
	some one in get.list(volume, ["projected", "sources"])
	some source in source_of(one)
])

# METADATA
# description: The same of a volume or of one part of a projected one.
source_of(parent) := [{"kind": kind, "name": name, "items": get.list(parent, [field, "items"])} |
	some [kind, field, key] in [["ConfigMap", "configMap", "name"], ["Secret", "secret", "secretName"], ["Secret", "secret", "name"]]
	name := get.string(parent, [field, key])
]

# METADATA
# description: The object behind a source, where it is in sight.
holder(source) := inventory.namespaced_object(k8s.namespace, "v1", source.kind, source.name)

# METADATA
# description: The texts of a ConfigMap or a Secret by key, {"key", "text", "path"}. What a Secret says in plain text wins.
entries(found) := array.concat(
	[{"key": key, "text": text, "path": ["data", key]} |
		some key, text in get.map(found, "data")
		is_string(text)
	],
	[{"key": key, "text": text, "path": ["binaryData", key]} |
		some key, encoded in get.map(found, "binaryData")
		text := decoded(encoded)
	],
) if {
	found.kind == "ConfigMap"
}

entries(found) := array.concat(
	[{"key": key, "text": text, "path": ["data", key]} |
		plain := get.map(found, "stringData")
		some key, encoded in get.map(found, "data")
		not is_string(object.get(plain, key, null))
		text := decoded(encoded)
	],
	[{"key": key, "text": text, "path": ["stringData", key]} |
		some key, text in get.map(found, "stringData")
		is_string(text)
	],
) if {
	found.kind == "Secret"
}

# Some engines read over line breaks and others do not.
decoded(encoded) := base64.decode(bare) if {
	is_string(encoded)
	bare := replace(replace(encoded, "\n", ""), "\r", "")
	base64.is_valid(bare)
}

projections([], key) := [key]

projections(items, key) := [path |
	some item in items
	is_object(item)
	get.string(item, "key") == key
	path := get.string(item, "path")
] if {
	count(items) > 0
}

seen_at(mounted, projected) := concat("/", [mounted.directory, projected]) if not mounted.subpath

seen_at(mounted, projected) := mounted.directory if mounted.subpath == mount.clean(projected)

seen_at(mounted, projected) := concat("", [mounted.directory, trim_prefix(mount.clean(projected), mounted.subpath)]) if {
	startswith(mount.clean(projected), concat("", [mounted.subpath, "/"]))
}

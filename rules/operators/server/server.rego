# METADATA
# title: PostgreSQL outside Kubernetes
# description: |
#   A server on a machine of its own: its postgresql.conf, which `walguard lint` packs – includes followed, postgresql.auto.conf
#   last – with what its flags say of the machine into a PostgresServer. The document may be written by hand too, for
#   conftest; no API server has the kind. What it does not say is unknown: standbys, poolers, backups, huge pages.
# related_resources:
#   - https://www.postgresql.org/docs/current/config-setting.html
# custom:
#   kinds:
#     - {group: walguard.dev, versions: [v1], kind: PostgresServer, plural: postgresservers, namespaced: true, role: cluster, served: false}
#   facts:
#     version: {read: "--pg-version"}
#     parameters: {read: "postgresql.conf with its includes; postgresql.auto.conf"}
#     resources: {read: "--cpu and --memory"}
#     volume: {read: "--disk"}
#     storage_class: {read: "the name of the disk"}
#     performance: {read: "the name of the disk"}
#     wal_volume: {read: "--wal-disk"}
#     archiving: {read: "archive_mode and archive_command"}
package walguard.operators.server

import data.walguard.index
import data.walguard.lib.cluster as shared
import data.walguard.lib.conf
import data.walguard.lib.fact
import data.walguard.lib.get
import data.walguard.lib.k8s
import data.walguard.lib.quantity
import data.walguard.lib.text
import data.walguard.postgres.similar

recognised if {
	k8s.group == "walguard.dev"
	k8s.kind == "PostgresServer"
}

# METADATA
# description: |
#   The cluster as walguard.model documents it, from
#     metadata.name
#     spec.version          "16", 16 or "16.4"
#     spec.cpu, memory      of the machine, as Kubernetes writes quantities
#     spec.volumes.data, wal?   {"disk": a name of docs/storage.md, "size", "parameters"? as a StorageClass spells them, "filesystem"?,
#                           "recordSize"? of a ZFS dataset}
#     spec.configuration    [{"file", "firstLine"? (1), "text"}]: texts in the order in which the server reads them
#     spec.partial          true when the server reads more than that
#     spec.fragment         true of a file whose name is not that of a whole configuration: it is taken for one where it sets what the main file does
cluster := object.union_n([f | some f in facts]) if recognised

spec := get.map(k8s.object, "spec")

facts contains {
	"operator": "PostgreSQL server",
	"name": k8s.name,
	"namespace": "",
	"machine": true,
	"parameters": parameters,
	"parameters_path": ["spec", "configuration"],
	"parameter_values": "text",
	"patroni": false,
	"defaults": {},
	"managed": {},
	"syntax_errors": syntax_errors,
	"misstated": misstated,
	"instance_sets": [instance_set],
	"rewind": {"used": false},
} if {
	recognised
}

facts contains {"partial": true} if partial

facts contains {"major": fact.written(major, version_path)} if major

facts contains {"archiving": found} if found := shared.archiving(parameters)

# -------------------------------------------------------------------------------------------------- configuration

texts := [{"text": written, "place": place_of(i, part)} |
	some i, part in get.list(spec, "configuration")
	is_object(part)
	written := get.string(part, "text")
]

# "line" counts from the beginning of the text; "first_line" is where that stands in the file.
place_of(i, part) := object.union(
	{"path": ["spec", "configuration", i, "text"], "first_line": first_line(part)},
	{"file": name | name := get.string(part, "file")},
)

first_line(part) := number if number := shared.whole(object.get(part, "firstLine", null))

first_line(part) := 1 if not shared.whole(object.get(part, "firstLine", null))

parameters := [setting |
	some part in texts
	some setting in conf.settings(part.text, part.place)
]

syntax_errors := [found |
	some part in texts
	some found in conf.errors(part.text, part.place)
]

partial if spec.partial == true

# Parts do not say where the server listens and what it shares.
partial if {
	spec.fragment == true
	not sets_what_the_main_file_does
}

sets_what_the_main_file_does if {
	names := {get.lower_case(setting.name) | some setting in parameters}
	count(names & {"listen_addresses", "port"}) > 0
	count({"max_connections", "shared_buffers"} - names) == 0
}

partial if count(texts) == 0

partial if {
	some part in texts
	conf.includes_more(part.text)
}

# -------------------------------------------------------------------------------------------------------- machine

version_path := ["spec", "version"]

major := shared.major(object.get(spec, "version", null))

instance_set := object.union_n([
	{
		"name": k8s.name,
		"path": ["spec"],
		"resources": {"requests": {}, "limits": limits},
		"resources_path": ["spec"],
		"resources_filled": true,
	},
	{role: volume | some role in ["data", "wal"]; volume := volumes[role]},
])

limits := {name: amount |
	some name in ["cpu", "memory"]
	amount := get.text_at(spec, name)
}

volumes[role] := object.union_n([
	{"path": path, "size_path": array.concat(path, ["size"]), "class": "", "class_path": array.concat(path, ["disk"])},
	{"size": size | size := get.text_at(volume, "size")},
	{"filesystem": object.union(
		{"name": get.lower_case(filesystem), "origin": "stated", "copy_on_write": get.lower_case(filesystem) in {"bcachefs", "btrfs", "zfs"}},
		{"recordsize_bytes": n | n := quantity.bytes(get.text_at(volume, "recordSize"))},
	) |
		filesystem := get.string(volume, "filesystem")
	},
	of_disk(volume),
]) if {
	some role in ["data", "wal"]
	path := ["spec", "volumes", role]
	volume := object.get(k8s.object, path, null)
	is_object(volume)
}

of_disk(volume) := {
	"disk_name": name,
	"provisioner": known.provisioner,
	"parameters": object.union(known.parameters, get.map(volume, "parameters")),
} if {
	name := get.string(volume, "disk")
	known := index.named_disks[name]
}

of_disk(volume) := {} if not index.named_disks[object.get(volume, "disk", "")]

# METADATA
# description: |
#   What the document says in a form that nobody can read, [{"path", "reason": one clause}]. Hosts ask this about the facts of their flags.
misstated := array.concat(wrong_quantities, array.concat(wrong_disks, wrong_version))

wrong_version := [{"path": version_path, "reason": sprintf("%s is not a version of PostgreSQL", [get.shown(version)])} |
	version := object.get(spec, "version", null)
	version != null
	not shared.major(version)
]

quantities := array.concat(
	[["spec", "cpu"], ["spec", "memory"]],
	[path |
		some role in ["data", "wal"]
		some field in ["size", "recordSize"]
		path := ["spec", "volumes", role, field]
	],
)

wrong_quantities := [{"path": path, "reason": sprintf("cannot read size %q; use 300Gi, 64G or 16", [get.shown(written)])} |
	some path in quantities
	written := object.get(k8s.object, path, null)
	written != null
	not positive(written)
]

positive(written) if {
	amount := get.text(written)
	quantity.thousandths(amount) > 0
}

wrong_disks := [{"path": ["spec", "volumes", role, "disk"], "reason": sprintf("%s is not a known disk%s", [get.shown(name), meant(name)])} |
	some role in ["data", "wal"]
	name := object.get(k8s.object, ["spec", "volumes", role, "disk"], null)
	name != null
	not known_disk(name)
]

known_disk(name) if index.named_disks[name]

meant(name) := sprintf(", did you mean %s?", [text.list(array.slice(near, 0, 3), "or")]) if {
	is_string(name)
	near := similar.ranked(get.lower_case(name), object.keys(index.named_disks))
	count(near) > 0
}

meant(name) := "" if not alike(name)

alike(name) if {
	is_string(name)
	count(similar.ranked(get.lower_case(name), object.keys(index.named_disks))) > 0
}

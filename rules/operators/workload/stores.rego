package walguard.operators.workload

import data.walguard.lib.crunchy
import data.walguard.lib.get
import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.lib.mount
import data.walguard.lib.placeholder
import data.walguard.lib.spilo
import data.walguard.lib.store

# Why pgBackRest, as its file and its variables set it up, can never use its store; see walguard.model.
facts contains {"unusable_stores": unusable_stores} if count(unusable_stores) > 0

unusable_stores := array.concat(array.concat(array.concat(misnamed_stores, empty_options), array.concat(array.concat(refused_options, paths_of_data), faults_of_walg)), array.concat(
	spilo.archive_faults(variables_of_spilo, [get.string(mount_, "mountPath") | some mount_ in get.list(container, "volumeMounts"); get.string(mount_, "mountPath")]),
	array.concat(array.concat(array.concat(spilo.clone_faults(variables_of_spilo), spilo.restore_faults(variables_of_spilo, get.string(container, "image"))), spilo.place_faults(variables_of_spilo)), array.concat(spilo.path_faults(variables_of_spilo, get.string(container, "image")), hosts_with_buckets)),
))

facts contains {"unknown_options": found} if {
	found := array.concat(spilo.unread(variables_of_spilo), unknown_to_pgbackrest)
	count(found) > 0
}

facts contains {"store_refusals": found} if {
	found := array.concat(spilo.region_faults(variables_of_spilo, get.string(container, "image")), roles_of_the_account)
	count(found) > 0
}

roles_of_the_account := [object.union(fault, object.filter(option[2], ["path", "resource", "line"])) |
	some option in pgbackrest_options
	option[1] == "auto"
	annotations := get.map(inventory.namespaced_object(k8s.namespace, "v1", "ServiceAccount", account), ["metadata", "annotations"])
	fault := store.asks_the_node(option[0], annotations, sprintf("ServiceAccount %s", [account]))
]

# All of them, where none can come from elsewhere.
variables_of_spilo := object.union({name: {"path": array.concat(container_path, ["env"])} | some name in hidden}, variables) if {
	layout == "spilo"
	not veiled
	count(secrets_out_of_sight) == 0
} else := {}

secrets_out_of_sight := [source | some source in get.list(container, "envFrom"); get.present(source, "secretRef"); not inventory.namespaced_object(k8s.namespace, "v1", "Secret", get.string(source, ["secretRef", "name"]))]

# [option, value, place]: the lines of the file, and the variables of the server's container.
pgbackrest_options := array.concat(
	[[line[1], trim_space(line[2]), object.union(object.filter(f, ["path", "resource"]), {"line": i + 1})] |
		some f in files
		regex.match(`/pgbackrest(/conf\.d/[^/]+|/pgbackrest)?\.conf$|/conf\.d/[^/]*pgbackrest[^/]*\.conf$`, f.file)
		some i, text in split(f.text, "\n")
		some line in regex.find_all_string_submatch_n(`^\s*([a-z0-9-]+)\s*=(.*)$`, text, 1)
	],
	[[replace(get.lower_case(trim_prefix(name, "PGBACKREST_")), "_", "-"), variable.value, object.union({"path": value_path(variable), "variable": name}, object.filter(variable, ["resource"]))] |
		some name, variable in variables
		regex.match(`^PGBACKREST_[A-Z0-9_]+$`, name)
	],
)

# The name becomes part of the address as it is: "b//name/o", or another bucket and a path.
misnamed_stores := [object.union(object.filter(option[2], ["path", "resource", "line"]), {
	"reason": sprintf("%s is not the name of a %s (%s), which has no slash in it: pgBackRest asks for one that does not exist, and nothing is archived or backed up", [option[1], kind, option[0]]),
	"cure": cure_of_bucket(option[0], option[1]),
}) |
	some option in pgbackrest_options
	kind := {"bucket": "bucket", "container": "container"}[regex.find_all_string_submatch_n(`^repo[0-9]*-(?:s3|gcs|azure)-(bucket|container)$`, option[0], 1)[0][1]]
	contains(option[1], "/")
	not placeholder.holds(option[1])
]

cure_of_bucket(_, value) := sprintf("Write %s", [named]) if {
	parts := [part | some part in split(regex.replace(value, `^[a-z0-9]+://`, ""), "/"); part != ""]
	count(parts) == 1
	named := parts[0]
}

cure_of_bucket(name, value) := sprintf("Write %s, and the rest as %s: /%s", [parts[0], regex.replace(name, `-(s3|gcs|azure)-.*$`, "-path"), concat("/", array.slice(parts, 1, count(parts)))]) if {
	parts := [part | some part in split(regex.replace(value, `^[a-z0-9]+://`, ""), "/"); part != ""]
	count(parts) > 1
}

# "environment variable 'repo1-s3-key' must have a value", "key has no value" (src/config/parse.c).
empty_options := [object.union(object.filter(option[2], ["path", "resource", "line"]), {
	"reason": sprintf("%s is empty, and pgBackRest stops at an option without a value: nothing is archived or backed up", [object.get(option[2], "variable", option[0])]),
	"cure": "Remove it, or give it its value",
}) |
	some option in pgbackrest_options
	option[1] == ""
	regex.match(`^(repo|pg)[0-9]*-`, option[0])
]

# Its file may have any name below a section, and of its variables those of repositories and servers are its own alone.
unknown_to_pgbackrest := [object.union_n([
	object.filter(option[2], ["path", "resource", "line"]),
	{"name": object.get(option[2], "variable", option[0]), "program": "pgBackRest"},
	{"meant": meant | meant := spelt(option[2], crunchy.meant_option(option[0]))},
]) |
	some option in pgbackrest_options
	not crunchy.unnumbered(option[0]) in crunchy.option_names
	own_option(option)
]

own_option(option) if not option[2].variable

own_option(option) if regex.match(`^(repo|pg)[0-9]+-`, option[0])

spelt(place_of_option, name) := name if not place_of_option.variable

spelt(place_of_option, name) := sprintf("PGBACKREST_%s", [replace(get.upper_case(name), "-", "_")]) if place_of_option.variable

# A command stops at each option that it reads (src/config/parse.c).
refused_options := [object.union(object.filter(option[2], ["path", "resource", "line"]), {
	"reason": sprintf("%s=%s is %s, and pgBackRest stops at it: %s", [object.get(option[2], "variable", option[0]), option[1], fault[0], ends_of_scope[crunchy.scope_of(name)]]),
	"cure": fault[1],
}) |
	some option in pgbackrest_options
	option[1] != ""
	not placeholder.holds(option[1])
	not contains(option[1], "$")
	name := crunchy.unnumbered(option[0])
	fault := crunchy.fault_of(name, option[1], beside_option)
]

beside_option := {"compress-type": kind[0] | kind := [other[1] | some other in pgbackrest_options; other[0] == "compress-type"]; kind[0]}

ends_of_scope := {"all": "nothing is archived or backed up", "backups": "no backup is taken"}

# WAL-G puts the bucket in front of the host unless it is told not to (internal/databases' AWS_S3_FORCE_PATH_STYLE, false by default).
hosts_with_buckets := [object.union(object.union(object.filter(variable, ["resource"]), doubt), {
	"path": value_path(variable),
	"reason": sprintf("WAL-G looks for the bucket at BUCKET.%s, and %s has no such name: nothing is archived or backed up", [host, kind]),
	"cure": "Set AWS_S3_FORCE_PATH_STYLE to \"true\"",
}) |
	asks_walg
	layout != "spilo"
	not veiled
	not "AWS_S3_FORCE_PATH_STYLE" in hidden

	# A Secret out of sight most likely has the keys alone where the rest is written elsewhere.
	doubt := {"level": "warning" | count(secrets_out_of_sight) > 0}
	variables.WALG_S3_PREFIX
	variable := variables.AWS_ENDPOINT
	not placeholder.holds(variable.value)
	[host, kind] := store.bucketless(variable.value)
	object.get(variables, ["AWS_S3_FORCE_PATH_STYLE", "value"], "false") == "false"
]

# WAL-G by the archive_command of any server (internal/configure.go, ConfigureCompressor; ParsePrefixAsURL of pkg/storages/storage).
faults_of_walg := array.concat(
	[object.union(object.filter(variables[name], ["resource"]), {
		"path": value_path(variables[name]),
		"reason": sprintf("%s=%s is no address, and WAL-G stops there (\"missing url scheme and/or host\"): nothing is archived or backed up", [name, variables[name].value]),
		"cure": sprintf("Write %s://%s", [scheme, trim_left(regex.replace(variables[name].value, `^[a-z0-9]*:`, ""), "/")]),
	}) |
		asks_walg
		some name, scheme in {"WALG_AZ_PREFIX": "azure", "WALG_GS_PREFIX": "gs", "WALG_S3_PREFIX": "s3", "WALG_SSH_PREFIX": "ssh", "WALG_SWIFT_PREFIX": "swift"}
		value := variables[name].value
		regex.match(`^[A-Za-z0-9/._:-]+$`, value)
		not regex.match(`^[a-z0-9]+://[^/]`, value)
	],
	[object.union(object.filter(variable, ["resource"]), {
		"path": value_path(variable),
		"reason": sprintf("WALG_COMPRESSION_METHOD=%s is none that WAL-G writes, and it stops there: nothing is archived or backed up", [variable.value]),
		"cure": "Write lz4, lzma, zstd, brotli or none",
	}) |
		variable := variables.WALG_COMPRESSION_METHOD
		asks_walg
		regex.match(`^[A-Za-z0-9]+$`, variable.value)
		not variable.value in {"brotli", "lz4", "lzma", "none", "zstd"}
	],
)

asks_walg if regex.match(`\bwal-g\s`, command_entry.value)

# archive-push compares pg1-path with the directory that the server works in (walPath of src/command/archive/common.c), which a link may lead to.
paths_of_data := [object.union(object.filter(option[2], ["path", "resource", "line"]), {
	"reason": sprintf("pg1-path is %s, and the server keeps its data in %s: archive-push refuses every segment, and the WAL fills the volume", [option[1], directory]),
	"cure": sprintf("Write %s", [directory]),
}) |
	some option in pgbackrest_options
	option[0] == "pg1-path"
	regex.match(`\bpgbackrest\s`, command_entry.value)
	not contains(command_entry.value, "pg1-path")
	regex.match(`^/[A-Za-z0-9/._-]+$`, option[1])
	count([1 | some other in pgbackrest_options; regex.match(`^pg[0-9]+-path$`, other[0])]) == 1
	said_directory
	inside_the_other(mount.clean(option[1]), directory)
]

# One that the manifest names.
said_directory if variables.PGDATA.value

said_directory if server.product.published

inside_the_other(one, other) if startswith(one, concat("", [other, "/"]))

inside_the_other(one, other) if startswith(other, concat("", [one, "/"]))

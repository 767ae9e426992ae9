package walguard.lib.crunchy

import data.walguard.lib.get
import data.walguard.lib.k8s
import data.walguard.lib.placeholder

# pgBackRest compares the versions of both ends ("expected value '2.41' for greeting key 'version' but got '2.47'", src/protocol/client.c): that of the server's image, whose archive_command runs it, and that of
# the repository host, which a repository on a volume has. pgBackRest of both images came in the installers of one release (CrunchyData/postgres-operator-examples, helm/install/values.yaml).
unlike_ends := [{
	"reason": sprintf("The server's image has pgBackRest %s and the repository host %s, which refuse each other (\"greeting key 'version'\"): no WAL is archived and no backup taken", [here, there]),
	"cure": sprintf("Take a crunchy-pgbackrest image of %s", [here]),
	"path": told[1],
} |
	k8s.group == "postgres-operator.crunchydata.com"
	count([1 | some repository in repositories; get.present(repository, "volume")]) > 0
	here := version_within(server_of_release[0])
	told := image_of_pgbackrest
	there := regex.find_all_string_submatch_n(`(?:^|/)crunchy-pgbackrest:[a-z0-9]+-([0-9]+(?:\.[0-9]+)+)-[0-9]+$`, told[0], 1)[0][1]
	here != there
]

# The repository host and the sidecars, which read pg_control for a backup, have this image; releases of the operators before PostgreSQL 17 back up to a bucket from the server's own.
unacquainted := [{
	"path": array.concat(pgbackrest, ["image"]),
	"reason": sprintf("pgBackRest %d.%d of the image does not know PostgreSQL %d (\"unexpected control version\"), as releases since %s do: no backup is taken", [version[0], version[1], major.value, first[1]]),
	"cure": sprintf("Take an image of pgBackRest %s or newer, best the one that the operator brings: leave the field out", [first[1]]),
} |
	version := image_version
	first := acquainted[major.value]
	version[1] < first[0]
	not without_server(get.string(k8s.object, array.concat(pgbackrest, ["image"])))
	reads_pg_control
	not get.present(k8s.object, array.concat(global_path, ["pg-version-force"]))
]

reads_pg_control if major.value > 16

reads_pg_control if {
	some repository in repositories
	get.present(repository, "volume")
}

# The first release of pgBackRest whose interface matches the final pg_control of a major (doc/xml/release, src/postgres/interface): 2.52 took that of 17beta1, which beta3 changed.
acquainted := {15: [39, "2.39"], 16: [46, "2.46"], 17: [53, "2.53.1"], 18: [55, "2.55"]}

# As they are written, or as the one operator in sight has them for what is not.
image_of_pgbackrest := [written, array.concat(pgbackrest, ["image"])] if {
	written := get.string(k8s.object, array.concat(pgbackrest, ["image"]))
	written != ""
	not placeholder.holds(written)
} else := [related("RELATED_IMAGE_PGBACKREST"), ["spec", "image"]] if {
	not get.present(k8s.object, array.concat(pgbackrest, ["image"]))
	get.string(spec, "image") != ""
}

server_of_release := [written] if {
	written := get.string(spec, "image")
	written != ""
} else := [related(variable_of_server)] if {
	not get.present(spec, "image")
	get.string(k8s.object, array.concat(pgbackrest, ["image"])) != ""
}

related(name) := value if {
	count(operators) == 1
	[_, container] := operators[0]
	some variable in get.list(container, "env")
	get.string(variable, "name") == name
	value := get.string(variable, "value")
}

version_within(reference) := version if {
	found := regex.find_all_string_submatch_n(`(?:^|/)crunchy-postgres(?:-gis)?:(?:centos8|ubi[89])-([0-9]+\.[0-9]+)(?:-[0-9]\.[0-9])?-([0-9]+)$`, reference, 1)[0]
	some version, builds in builds_of_pgbackrest
	sprintf("%s-%s", [found[1], found[2]]) in builds
}

# Minor release of PostgreSQL and build of the image, by the pgBackRest that it has.
builds_of_pgbackrest := {
	"2.35": {"13.4-1", "14.0-0"},
	"2.36": {"13.5-0", "13.5-1", "13.6-0", "14.1-0", "14.1-1", "14.2-0"},
	"2.38": {"13.6-1", "13.7-0", "13.7-1", "14.2-1", "14.3-0", "14.4-0"},
	"2.40": {"13.8-0", "13.8-1", "14.5-0", "14.5-1"},
	"2.41": {"13.9-0", "13.9-2", "13.10-0", "14.6-0", "14.6-2", "14.7-0", "15.0-0", "15.1-0", "15.2-0"},
	"2.45": {"14.8-0", "14.8-2", "14.8-3", "15.3-0", "15.3-2", "15.3-3"},
	"2.47": {"14.9-0", "14.9-1", "14.10-0", "15.4-0", "15.4-1", "15.5-0", "16.0-0", "16.1-0"},
	"2.49": {"14.11-0", "15.6-0", "16.2-0"},
	"2.51": {"15.7-0", "15.7-1", "16.3-0", "16.3-1"},
	"2.52.1": {"15.8-0", "16.4-0"},
	"2.53.1": {"15.8-2", "15.10-0", "16.4-2", "16.6-0", "17.0-0", "17.2-0"},
	"2.54.0": {"15.10-1", "16.6-1", "17.2-1"},
	"2.54.1": {"15.10-2", "15.12-0", "16.6-2", "16.8-0", "17.2-2", "17.4-0"},
	"2.54.2": {"16.8-2513", "16.8-2516", "16.9-2520", "17.4-2513", "17.4-2516", "17.5-2520"},
	"2.56.0": {"15.15-2547", "16.10-2534", "16.10-2542", "16.11-2547", "17.6-2534", "17.6-2542", "17.7-2547", "18.0-2542", "18.1-2547"},
}

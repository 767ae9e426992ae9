package walguard.operators.workload

import data.walguard.lib.mount
import data.walguard.lib.patroni
import data.walguard.lib.spilo

# launch.sh of Spilo creates it before anything else, and Patroni takes what is not empty for a database of another cluster (ha.py, "system ID is invalid").
facts contains {"data_occupied": [{
	"value": directory,
	"inside": logs_of_spilo,
	"reason": sprintf("Spilo creates its log directory %s inside the data directory %s, which is not empty then: Patroni starts no database in it", [logs_of_spilo, directory]),
	"cure": sprintf("Set PGDATA to %s/data", [trim_suffix(logs_of_spilo, "/pg_log")]),
	"level": "error",
	"wal": false,
	"path": value_path(first_of(["PGDATA"])),
}]} if {
	layout == "spilo"
	not first_of(["PGDATA"]).resource
	not unknown(["PGLOG", "PGROOT"])
	startswith(logs_of_spilo, sprintf("%s/", [trim_suffix(directory, "/")]))
	not running_already
}

logs_of_spilo := trim_suffix(first_of(["PGLOG"]).value, "/")

# Of the image's own PGROOT, whatever the variable says.
logs_of_spilo := "/home/postgres/pgdata/pgroot/pg_log" if not first_of(["PGLOG"])

# What nobody says is unknown, since Spilo works much of it out and Patroni keeps what was changed later; of huge pages neither says a word (configure_spilo.py).
spilo_defaults := {"huge_pages": "try"} if {
	layout == "spilo"
	count(unread_sources) == 0
} else := {}

# Patroni puts the data, and initdb and pg_basebackup the WAL, where its configuration says; its variable comes before the file.
moved_by_patroni := mount.unkept(
	array.concat(
		[object.union(one, object.filter(place_of_all, ["path", "resource"])) |
			[configured_text, place_of_all] := patroni_said
			some one in patroni.places(configured_text)
		],
		[{"name": "PATRONI_POSTGRESQL_DATA_DIR", "value": moved_to.value, "path": value_path(moved_to)} |
			layout in {"patroni", "spilo"}
			moved_to := variables.PATRONI_POSTGRESQL_DATA_DIR
		],
	),
	[mounted.directory | some mounted in mounts; not lost_apart(mounted)],
)

# Of the volume of the data itself it is said what it is.
lost_apart(mounted) if {
	passing(mounted)
	mounted.name != object.get(mount_of(directory_or_none), "name", "")
}

lost_apart(mounted) if {
	passing(mounted)
	not mount_of(directory_or_none)
}

# Programs that are not the image's.
programs_of_patroni := [{"source": sprintf("the programs in %s (bin_dir)", [found[0][1]]), "path": place_of_all.path, "severity": "info"} |
	[configured_text, place_of_all] := patroni_said
	some line in split(configured_text, "\n")
	found := regex.find_all_string_submatch_n(`^[ \t]*["']?bin_dir["']?[ \t]*:[ \t]*["']?(/[^"'\s#]+)`, line, 1)
	not regex.match(`^/(usr|opt|lib|lib64|nix)/`, found[0][1])
]

# What Spilo runs, and what it fills into Patroni's configuration.
unread_of_spilo := [object.union({"source": sprintf("the variable %s", [name])}, object.union(why, {"path": value_path(variable)})) |
	layout == "spilo"
	some name, variable in variables
	why := reason_of_spilo(name, variable)
]

reason_of_spilo(name, variable) := object.union({"severity": severity_of_script(variable.value)}, object.filter(variable, ["resource"])) if {
	regex.match(spilo.commands, name)
} else := object.union({"severity": "warning", "reason": reason}, object.filter(variable, ["resource"])) if {
	reason := spilo.misread(name, variable.value, variables)
}

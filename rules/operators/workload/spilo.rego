package walguard.operators.workload

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

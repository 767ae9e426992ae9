package walguard.operators.zalando

import data.walguard.lib.conf
import data.walguard.lib.get
import data.walguard.lib.image
import data.walguard.lib.k8s
import data.walguard.lib.placeholder

# The operator creates them in prepared databases (pkg/cluster/sync.go). Spilo adds the libraries that its image has to shared_preload_libraries unless the parameter is written, and knows of
# timescaledb for fewer majors than it has in one release (spilo_commons.py, append_extensions).
facts contains {"extensions": extensions} if count(extensions) > 0

extensions := [{"name": name, "path": ["spec", "preparedDatabases", database, "extensions", name], "consequence": "every sync of the operator"} |
	recognised
	some database, prepared in get.map(spec, "preparedDatabases")
	some name, _ in get.map(prepared, "extensions")
	not placeholder.unknown(name)
	left_out(name)
]

left_out(_) if count(written_libraries) > 0

# post_init.sh creates pg_cron in every new cluster, and stops at its first error since spilo-15:3.0-p1 (zalando/spilo, pull request 863).
facts contains {"preload_first": "pg_cron"} if {
	recognised
	not get.present(spec, "standby")
	not get.present(k8s.object, ["status", "PostgresClusterStatus"])
	not k8s.old_object
	not of_another_image
}

of_another_image if {
	reference := image_in_force
	not regex.match(`/spilo-(15:3|1[6-9]:)`, reference)
}

# What the server loads where one of them is created.
facts contains {"preloaded": preloaded} if count(extensions) > 0

preloaded := sort([name | some name in conf.names(written_libraries[count(written_libraries) - 1])]) if count(written_libraries) > 0

preloaded := array.concat(split(fixed_defaults.shared_preload_libraries, ","), split("pg_cron,pg_stat_kcache", ",")) if count(written_libraries) == 0

written_libraries := [text |
	some setting in parameters
	get.lower_case(setting.name) == "shared_preload_libraries"
	text := get.text(setting.value)
	not placeholder.unknown(text)
]

left_out(name) if image.lacks_extension(image_in_force, name)

left_out("timescaledb") if {
	major.value == 15
	image.name(image_in_force) == "spilo-15"
	regex.match(`^(2\.1-p9|3\.0-)`, image.tag(image_in_force))
}

# "can only create extension in database postgres" (pg_cron--1.0.sql); a new cluster ends in CreateFailed with it. Spilo loads it unless its libraries are replaced.
cron_elsewhere := [{
	"path": ["spec", "preparedDatabases", database, "extensions", "pg_cron"],
	"reason": sprintf("Database %s gets no pg_cron, which can be created in that of cron.database_name alone, %s: every sync fails there", [database, home_of_cron]),
	"cure": "Take it out, and schedule its jobs there by cron.schedule_in_database",
	"level": "error",
} |
	recognised
	some database, prepared in get.map(spec, "preparedDatabases")
	get.present(prepared, ["extensions", "pg_cron"])
	count([1 | some text in written_libraries; not "pg_cron" in conf.names(text)]) == 0
	count([1 | some told in [database, home_of_cron]; placeholder.holds(told)]) == 0
	database != home_of_cron
]

home_of_cron := object.get(spec, ["postgresql", "parameters", "cron.database_name"], "postgres")

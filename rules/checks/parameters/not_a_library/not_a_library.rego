# METADATA
# title: shared_preload_libraries names something that is no library
# description: |
#   PostgreSQL looks for a file of each name and does not start without it: "FATAL: could not access file "pgvector": No such file or directory". Some names
#   are those of projects or extensions whose library is called otherwise, mostly one that needs no preloading; CREATE EXTENSION is enough for it. Names stand between commas, and double
#   quotes alone are none of theirs: a line break, a blank, a semicolon or a single quote is part of the name. A list with an empty name, or with a quote that nothing closes, is passed over as a whole: the
#   server says "invalid list syntax" in its log and starts without all of the libraries. So it is with session_preload_libraries and local_preload_libraries, of which each connection takes the consequences.
# related_resources:
#   - https://www.postgresql.org/docs/current/runtime-config-client.html#GUC-SHARED-PRELOAD-LIBRARIES
#   - https://github.com/postgres/postgres/blob/master/src/backend/utils/init/miscinit.c
#   - https://github.com/pgvector/pgvector/issues/460
#   - https://github.com/pgpartman/pg_partman#installation
#   - https://github.com/timescale/timescaledb-docker-ha/issues/134
# custom:
#   severity: error
#   since: 0.1.0
#   remediation: Remove the name, or write that of the library.
#   sources: []
package walguard.checks.parameters.not_a_library

import data.walguard.lib.conf
import data.walguard.lib.finding
import data.walguard.lib.placeholder
import data.walguard.model
import data.walguard.postgres

findings contains f if {
	some [setting, libraries] in lists
	some library in libraries
	cure := cures[library]
	f := finding.at(setting, sprintf("No library is called %s, which shared_preload_libraries names: the server does not start (\"could not access file\"). %s.", [library, cure]))
}

# A name in which something else than a library's name stands. A path may have blanks.
findings contains f if {
	some [name, setting, text] in texts
	regex.match(postgres.forms.directories.pattern, text)
	some library in names_in(text)
	regex.match(`^[^/]*[\s;',][^/]*$`, library)
	f := finding.at(setting, sprintf("No library is called %s, which %s names: %s (\"could not access file\"). %s.", [json.marshal(library), name, without_it[name], way_out(library)]))
}

findings contains f if {
	some [name, setting, text] in texts
	not regex.match(postgres.forms.directories.pattern, text)
	f := finding.with_severity(
		finding.at(setting, sprintf("%s=%s is no list of names (\"invalid list syntax\"): PostgreSQL passes over all of it, and loads none of the libraries. Write names with one comma between each two.", [name, json.marshal(text)])),
		"warning",
	)
}

without_it := {
	"shared_preload_libraries": "the server does not start",
	"session_preload_libraries": "no connection gets beyond its start",
	"local_preload_libraries": "no connection gets beyond its start",
}

way_out(library) := "Leave the single quotes out" if contains(library, "'")

way_out(library) := "Put a comma between names" if not contains(library, "'")

# Lists of libraries are read as those of directories are: SplitDirectoriesString of src/backend/utils/adt/varlena.c.
names_in(text) := [trim(trim_space(one), `"`) | some one in regex.find_n(`"(?:[^"]|"")*"|[^",\s][^,]*`, text, -1)]

texts := array.concat(
	[[name, setting, setting.text] |
		some name, _ in without_it
		setting := model.written[name]
		not placeholder.holds(setting.text)
	],
	[["shared_preload_libraries", named, text] |
		named := model.cluster.own_libraries
		is_array(named.value)
		not model.written.shared_preload_libraries
		some text in named.value
		is_string(text)
		not placeholder.holds(text)
	],
)

# CloudNativePG has a list of its own.
lists := array.concat(
	[[setting, conf.names(setting.text)] |
		setting := model.parameter("shared_preload_libraries")
		setting.origin == "written"
	],
	[[named, {name | some name in named.value; is_string(name)}] |
		named := model.cluster.own_libraries
		is_array(named.value)
	],
)

cures := object.union(
	{name: sprintf("Remove it: %s needs no preloading", [extension]) |
		some name, extension in {
			"pg_vector": "pgvector",
			"pgrouting": "pgRouting",
			"pgvector": "pgvector",
			"plpython3u": "PL/Python",
			"postgis": "PostGIS",
			"postgis_raster": "PostGIS",
			"postgis_topology": "PostGIS",
			"timescaledb-toolkit": "the toolkit",
			"timescaledb_toolkit": "the toolkit",
			"uuid_ossp": "uuid-ossp",
		}
	},
	{name: sprintf("Write %s", [library]) |
		some name, library in {
			"apache_age": "age",
			"auto-explain": "auto_explain",
			"pg-cron": "pg_cron",
			"pg-stat-statements": "pg_stat_statements",
			"pg_audit": "pgaudit",
			"pg_partman": "pg_partman_bgw",
			"pg_stat_statement": "pg_stat_statements",
			"pg_stats_statements": "pg_stat_statements",
			"pgcron": "pg_cron",
			"pgstatstatements": "pg_stat_statements",
			"pgvecto_rs": "vectors",
			"timescale": "timescaledb",
			"vectorchord": "vchord",
		}
	},
)

# METADATA
# title: shared_preload_libraries names something that is no library
# description: |
#   PostgreSQL looks for a file of each name and does not start without it: "FATAL: could not access file "pgvector": No such file or directory". Some names
#   are those of projects or extensions whose library is called otherwise, mostly one that needs no preloading; CREATE EXTENSION is enough for it.
# related_resources:
#   - https://www.postgresql.org/docs/current/runtime-config-client.html#GUC-SHARED-PRELOAD-LIBRARIES
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
import data.walguard.model

findings contains f if {
	some [setting, libraries] in lists
	some library in libraries
	cure := cures[library]
	f := finding.at(setting, sprintf("No library is called %s, which shared_preload_libraries names: the server does not start (\"could not access file\"). %s.", [library, cure]))
}

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

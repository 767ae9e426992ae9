package walguard.lib.startup_test

import data.walguard.lib.startup

test_exporters if {
	every image in ["pgbouncer-exporter", "x/pgbouncer_exporter:v0.9.0", "quay.io/x/pgbouncer-exporter@sha256:0"] { startup.exporter_of_pools(image) }
	every image in ["x/postgres-exporter:1", "x/my-pgbouncer-exporter:1", "x/pgbouncer-exporter-web:1"] { not startup.exporter_of_pools(image) }
	every tag, known in {"v0.9.0": true, "0.10.2": true, "0.11": true, "v0.11.1": true, "v0.12.0": false, "1.0": false, "v0.110": false} {
		startup.level_of_exporter(concat(":", ["x/pgbouncer-exporter", tag])) == {key: "error" | some key in ["level"]; known}
	}
}

test_parameters_that_are_sent if {
	every row in [
		["postgres://db/x?options=-c%20search_path%3Da", false, {"?options=-c%20search_path%3Da": "options"}], ["postgres://db/x?search_path=a&b=c", false, {"?search_path=a": "search_path"}],
		["jdbc:postgresql://db/x?currentSchema=a", true, {"?currentSchema=a": "search_path"}], ["jdbc:postgresql://db/x?search_path=a", true, {}], ["postgres://db/x?currentSchema=a", false, {}], ["postgres://db/x", false, {}],
		["postgres://db/x?options=-c%20timezone%3Da", false, {}],
	] {
		startup.parameters_sent(row[0], row[1]) == row[2]
	}
	every said, names in {
		"?options=-c%20geqo%3Doff": {"geqo"}, "&options=--geqo=off+-c+Jit=on": {"geqo", "jit"}, "?options=-cgeqo=off": {"geqo"}, "?options=-c application_name=x -c client_encoding=x -c datestyle=x": set(),
		"?options=-c standard_conforming_strings=x -c TimeZone=x": set(), "?options=%2D%2Dgeqo%3doff": {"geqo"}, "?options=%2d%2dgeqo%3doff": {"geqo"}, "?search_path=a": {"search_path"},
	} {
		startup.named_within(said) == names
	}
}

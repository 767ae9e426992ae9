package walguard.operators.server.packing_test

import data.walguard.operators.server.packing

test_directives if {
	packing.directives == [
		{"name": "data_directory", "value": "/srv/pg", "line": 1},
		{"name": "include_dir", "value": "conf.d", "line": 3},
		{"name": "include_if_exists", "value": "it's", "line": 5},
	] with input as {"text": "data_directory = '/srv/pg'\nwork_mem = 1MB\nInclude_Dir 'conf.d' # more\n== x\ninclude_if_exists = 'it''s'\n"}
}

test_none if packing.directives == [] with input as {"text": "# include 'a'\n"}

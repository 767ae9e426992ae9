# METADATA
# description: |
#   What a host asks that packs the files of a server into a PostgresServer, since only PostgreSQL's own grammar says which lines
#   name a file. input: {"text": of one file}.
package walguard.operators.server.packing

import data.walguard.lib.conf
import data.walguard.postgres

# METADATA
# description: |
#   The lines that lead to other files, [{"name": include, include_if_exists, include_dir or data_directory, "value", "line"}].
directives := [entry |
	some entry in postgres.conf(input.text)
	entry.name in (conf.includes | {"data_directory"})
]

package walguard.lib.pooling

import data.walguard.lib.sessions

# METADATA
# description: |
#   The connections that one PgBouncer with this pgbouncer.ini opens to these hosts at most for one user on each of its [databases]; undefined where that leads elsewhere or is not known.
# related_resources:
#   - https://www.pgbouncer.org/config.html#reserve_pool_size
opened(ini, names) := capped(sum(pools), of_file(ini, "max_user_connections", 0)) if {
	not regex.match(`(?m)^[ \t]*%include`, ini)
	section := regex.find_all_string_submatch_n(`(?ms)^[ \t]*\[databases\](.*?)(?:^[ \t]*\[|\z)`, ini, 1)[0][1]
	entries := [line |
		some line in regex.find_n(`(?m)^[ \t]*[^\s;#=]+[ \t]*=[^\r\n]*`, section, -1)
		host := regex.find_all_string_submatch_n(`\bhost\s*=\s*'?([A-Za-z0-9.-]+)'?(?:\s|$)`, line, 1)[0][1]
		sessions.leads(names, host)
	]
	count(entries) > 0
	pools := [pool(ini, entry) | some entry in entries]
	count(pools) == count(entries)
}

pool(ini, entry) := capped(of_entry(ini, entry, "pool_size", "default_pool_size", 20) + reserve(ini, entry), of_entry(ini, entry, "max_db_connections", "max_db_connections", 0))

# Without a time to wait for it the reserve is never opened.
reserve(ini, entry) := 0 if regex.match(`^0+(\.0*)?$`, said(ini, "reserve_pool_timeout"))

else := of_entry(ini, entry, "reserve_pool(?:_size)?", "reserve_pool_size", 0)

of_entry(ini, entry, word, option, otherwise) := to_number(written) if {
	written := regex.find_all_string_submatch_n(sprintf(`\s%s\s*=\s*'?([^\s']*)`, [word]), entry, 1)[0][1]
	regex.match(`^[0-9]+$`, written)
} else := of_file(ini, option, otherwise) if {
	not regex.match(sprintf(`\s%s\s*=`, [word]), entry)
}

of_file(ini, option, _) := to_number(said(ini, option)) if regex.match(`^[0-9]+$`, said(ini, option))

of_file(ini, option, otherwise) := otherwise if not said(ini, option)

# 0 is no limit.
capped(n, 0) := n

capped(n, most) := min([n, most]) if most > 0

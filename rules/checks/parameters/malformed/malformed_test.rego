package walguard.checks.parameters.malformed_test

import data.walguard.checks.parameters.malformed as check
import data.walguard.lib.manifest_test as manifests

path := ["spec", "postgresql", "parameters"]

findings(parameters) := found if found := check.findings with input as manifests.review(parameters, {})

test_line_break_in_a_name if {
	findings({"z.y = '1'\nfull_page_writes": "off"}) == {{
		"message": `"z.y = '1'\nfull_page_writes" is not a valid parameter name: in postgresql.conf it becomes something else. Use letters, digits, underscores and dots.`,
		"path": array.concat(path, ["z.y = '1'\nfull_page_writes"]),
	}}
}

test_other_names_that_are_none if {
	every name in ["fsync ", "fsync=off #", "fsync off", "'fsync'", "", "1a", ".a", "a.", "fsync\t"] {
		count(findings({name: "x"})) == 1
	}
}

# However many others there are, and whatever the major is.
test_behind_many_others if {
	many := {sprintf("a.b%d", [i]): "1" | some i in numbers.range(1, 150)}
	found := check.findings with input as manifests.review(object.union(many, {"z.y = '1'\nfsync": "off"}), {"imageName": "postgresql:99"})
	count(found) == 1
}

test_line_break_in_a_value if {
	findings({"archive_timeout": "5min\nfsync=off"}) == {{
		"message": "The value of archive_timeout has a line break, where the line of postgresql.conf ends: the server does not start, or reads the rest as another parameter. Write it in one line",
		"path": array.concat(path, ["archive_timeout"]),
	}}
}

test_carriage_return_in_a_value if {
	count(findings({"archive_timeout": "5min\rfsync=off"})) == 1
}

test_names if {
	findings({"max_wal_size": "8GB", "auto_explain.log_min_duration": "1s", "my_Ext.a$1": "x", "größe.x": "1", "a.b.c": "1"}) == set()
}

test_command_line if {
	found := check.findings with input as {"review": {"object": {
		"apiVersion": "v1",
		"kind": "Pod",
		"metadata": {"name": "orders"},
		"spec": {"containers": [{"image": "postgres:17", "args": ["-c", "archive_command=test\n-f x"]}]},
	}}}
	found == set()
}

# An odd number of them takes the quotation mark.
test_backslash_at_the_end_of_a_value if {
	{f.message | some f in findings({"log_line_prefix": `%m \`})} == {"The value of log_line_prefix ends in a backslash, which takes the quotation mark that ends it in postgresql.conf: the server does not start. Write it twice, or take it out."}
	count(findings({"log_line_prefix": `%m \\\`})) == 1
	findings({"log_line_prefix": `%m \\`, "application_name": `a\b`}) == set()
}

package walguard.operators.workload

import data.walguard.lib.cluster as shared
import data.walguard.lib.get
import data.walguard.lib.text

# A shell that writes into the data directory before it hands over to the entrypoint: initdb refuses a directory that is not empty.
premature := [{
	"reason": sprintf("Container %s writes %s before the image runs initdb, which refuses a directory that is not empty: on a new volume the server never starts", [shared.name_or(container, container_path[count(container_path) - 1]), file_named]),
	"cure": "Mount it as a file of a ConfigMap outside of the data directory, and name it with -c config_file or -c hba_file",
	"path": container_path,
} |
	layout == "docker"
	given := [word | some field in ["command", "args"]; some word in get.list(container, field); is_string(word)]
	count(given) > 2
	regex.match(`^(/bin/|/usr/bin/)?(ba|a|da)?sh$`, given[0])
	parts := split(given[count(given) - 1], "docker-entrypoint.sh")
	count(parts) == 2
	not regex.match(conditional, parts[0])
	file_named := regex.find_all_string_submatch_n(sprintf(`(?:>|\btee\s+(?:-a\s+)?)\s*["']?(%s/[^\s"'<>;|&()$]+)`, [text.literal(directory)]), parts[0], 1)[0][1]
]

# Something that fills or tests the directory first.
conditional := `\b(if|case|while|until|for|test|initdb|pg_basebackup|pg_ctl|rsync|restore|fetch|backup-fetch)\b|\[\s|\|\||\bcp\s+-[a-zA-Z]*[rRa]`

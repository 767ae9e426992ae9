package walguard.lib.crunchy

import data.walguard.lib.get
import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.lib.placeholder
import data.walguard.lib.text

# METADATA
# description: |
#   Values that pgBackRest refuses (src/config/parse.c, build/config.yaml of 2.59): a command stops at each option that it reads, so that a wrong value of an option for
#   all commands ends archiving too, and one of an option for backups ends backups. Options of other commands alone are left out.
refused_values := [{
	"path": array.concat(section, [name]),
	"reason": sprintf("%s=%s is %s, and pgBackRest stops at it: %s", [name, value, fault[0], ends[section[1]][scope_of(option)]]),
	"cure": fault[1],
} |
	some section in global_sections
	some name, value in get.map(k8s.object, section)
	is_string(value)
	not placeholder.holds(name)
	not placeholder.holds(value)
	option := unnumbered(name)
	fault := fault_of(option, value, get.map(k8s.object, section))
]

# METADATA
# description: What an option is for, "backups" or "all".
scope_of(option) := "backups" if option in for_backups

scope_of(option) := "all" if not option in for_backups

ends := {
	"backups": {"all": "nothing is archived or backed up", "backups": "no backup is taken"},
	"dataSource": {"all": "nothing is restored", "backups": "nothing is restored"},
}

for_backups := {
	"archive-copy", "backup-standby", "checksum-page", "expire-auto", "manifest-save-threshold", "repo-block", "repo-bundle", "repo-bundle-limit", "repo-bundle-size", "repo-hardlink", "repo-retention-archive",
	"repo-retention-archive-type", "repo-retention-diff", "repo-retention-full", "repo-retention-full-type", "repo-retention-history", "repo-symlink", "resume", "start-fast", "stop-auto",
}

# METADATA
# description: 'What is wrong with the value of an option, [what it is, what to do]. options: those beside it, by name.'
fault_of(option, value, _) := ["neither y nor n", "Write y or n"] if {
	option in switches
	not value in {"y", "n"}
}

fault_of(option, value, _) := [sprintf("not one of %s", [text.list(choices[option], "and")]), "Write one of them"] if not value in choices[option]

fault_of(option, value, _) := ["not a path from the root", sprintf("Write /%s", [value])] if {
	option in paths
	regex.match(`^[^/]`, value)
}

fault_of(option, value, options) := fault_of_number(value, range_of(option, options))

fault_of(option, value, _) := ["not a time that it reads", "Write seconds, or a number with s, m, h or d"] if {
	option in times
	not regex.match(`^[0-9]+(\.[0-9]+)?(ms|s|m|h|d|w)?$`, value)
}

fault_of(option, value, _) := ["not a size that it reads", "Write bytes, or a number with KiB, MiB or GiB"] if {
	option in sizes
	not regex.match(`(?i)^[0-9]+(b|[kmgtp](i?b)?)?$`, value)
}

fault_of_number(value, _) := ["not a whole number", "Write one"] if not regex.match(`^[+-]?[0-9]+$`, value)

fault_of_number(value, range) := [sprintf("not between %d and %d", range), "Write a number between them"] if {
	regex.match(`^[+-]?[0-9]{1,9}$`, value)
	number := to_number(trim_left(value, "+"))
	not between(number, range)
}

between(number, range) if {
	number >= range[0]
	number <= range[1]
}

# How far a level goes depends on the program, gz unless another is written.
range_of("compress-level", options) := levels[object.get(options, "compress-type", "gz")]

range_of(option, _) := ranges[option]

levels := {"bz2": [1, 9], "gz": [-1, 9], "lz4": [-5, 12], "zst": [-7, 22]}

ranges := {
	"compress-level-network": [-5, 12],
	"process-max": [1, 999],
	"repo-retention-archive": [1, 9999999],
	"repo-retention-diff": [1, 9999999],
	"repo-retention-full": [1, 9999999],
	"repo-retention-history": [0, 9999999],
	"repo-storage-port": [1, 65535],
	"tcp-keep-alive-count": [1, 32],
	"tcp-keep-alive-idle": [1, 3600],
	"tcp-keep-alive-interval": [1, 900],
}

times := {"archive-timeout", "db-timeout", "io-timeout", "protocol-timeout"}

sizes := {"archive-get-queue-max", "archive-push-queue-max", "buffer-size", "manifest-save-threshold", "repo-bundle-limit", "repo-bundle-size", "repo-storage-upload-chunk-size"}

paths := {"repo-path", "spool-path", "log-path", "lock-path", "repo-storage-ca-path"}

switches := {
	"archive-async", "archive-check", "archive-copy", "archive-header-check", "archive-mode-check", "checksum-page", "compress", "delta", "expire-auto", "link-all", "log-subprocess", "log-timestamp", "neutral-umask",
	"page-header-check", "repo-block", "repo-bundle", "repo-hardlink", "repo-s3-requester-pays", "repo-s3-verify-ssl", "repo-s3-verify-tls", "repo-storage-verify-tls", "repo-symlink", "resume", "sck-keep-alive", "start-fast", "stop-auto",
}

log_levels := ["off", "error", "warn", "info", "detail", "debug", "trace"]

choices := {
	"backup-standby": ["y", "n", "prefer"],
	"compress-type": ["none", "bz2", "gz", "lz4", "zst"],
	"log-level-console": log_levels,
	"log-level-file": log_levels,
	"log-level-stderr": log_levels,
	"repo-azure-key-type": ["shared", "sas", "auto"],
	"repo-azure-uri-style": ["host", "path"],
	"repo-cipher-type": ["none", "aes-256-cbc"],
	"repo-gcs-key-type": ["service", "token", "auto"],
	"repo-retention-archive-type": ["full", "diff", "incr"],
	"repo-retention-full-type": ["count", "time"],
	"repo-s3-key-type": ["shared", "auto", "web-id", "pod-id", "process"],
	"repo-s3-uri-style": ["host", "path"],
	"repo-type": ["azure", "cifs", "gcs", "posix", "s3", "sftp"],
}

# METADATA
# description: |
#   Options of a restore with which it never begins: those that the operator writes itself end in an event InvalidDataSource (reconcileRestoreJob, internal/controller/postgrescluster/pgbackrest.go), and the
#   others pgBackRest refuses (--target goes with a --type of lsn, name, time or xid alone, and cvtZToTime of src/common/type/convert.c reads one form of a time). Percona's operator hands on those of a PerconaPGRestore.
refused_restores := [object.union({"reason": sprintf("%s, so that nothing is restored", [fault[0]]), "cure": fault[1]}, words.place) |
	some words in words_of_restores
	not placeholder.holds(words.text)
	fault := fault_of_restore(words.text)
]

words_of_restores := array.concat(
	[{"text": words.text, "place": {"path": words.path}} |
		some words in restore_words
		runs(words)
	],
	[{"text": joined(made, ["spec", "options"]), "place": {"path": ["spec", "options"], "resource": k8s.reference(made)}} |
		k8s.group == "pgv2.percona.com"
		some made in inventory.list(k8s.namespace, "pgv2.percona.com/v2", "PerconaPGRestore")
		get.string(made, ["spec", "pgCluster"]) == k8s.name
		not object.get(made, ["status", "state"], "") in {"Succeeded", "Failed"}
	],
)

fault_of_restore(words) := [
	sprintf("The restore has option %s, which the operator writes itself and allows nobody else", [taken[0]]),
	own_options[taken[0]],
] if {
	taken := [option | some option, _ in own_options; regex.match(sprintf(`(^|\s)%s([= ]|$)`, [option]), words)]
	count(taken) > 0
} else := [
	sprintf("The restore has --type=%s, which pgBackRest does not know", [kind]),
	"Write time, immediate, name, lsn, xid or default",
] if {
	kind := type_among(words)
	not kind in {"default", "immediate", "lsn", "name", "none", "preserve", "standby", "time", "xid"}
} else := [
	"The restore has --target and no --type of lsn, name, time or xid, without which pgBackRest refuses a target",
	"Add --type=time where the target is a moment",
] if {
	regex.match(`(^|\s)--target[= ]`, words)
	not regex.match(`(^|\s)--type[= ]["']?(lsn|name|time|xid)\b`, words)
} else := [
	sprintf("--target is %s, and pgBackRest chooses the backup by YYYY-MM-DD HH:MM:SS alone, with an offset behind it (error 029)", [moment]),
	sprintf("Write --target=\"%s\"", [regex.replace(regex.replace(regex.replace(moment, `^([0-9-]{10})[Tt]`, "$1 "), `^([0-9-]{10})$`, "$1 00:00:00+00"), ` ?([Zz]|UTC|GMT)$`, "+00")]),
] if {
	type_among(words) == "time"

	# A backup that is named is not looked for, and the server reads other forms.
	not regex.match(`(^|\s)--set[= ]`, words)
	moment := trim(regex.find_all_string_submatch_n(`(?:^|\s)--target[= ]("[^"]*"|'[^']*'|(?:\\.|[^\s"'\\])+)`, words, 1)[0][1], `"'`)
	regex.match(`^[0-9]{4}-[0-9A-Za-z:.+ -]*$`, moment)
	not regex.match(`^[0-9]{4}(-[0-9]{2}){2} [0-9]{2}(:[0-9]{2}){2}(\.[0-9]+)?([+-][0-9]{2}(:?[0-9]{2})?)?$`, moment)
}

own_options := {
	"--link-map": "Take it out",
	"--pg1-path": "Take it out",
	"--repo": "Take it out, and name the repository in repoName",
	"--stanza": "Take it out",
	"--target-action": "Take it out; the operator promotes",
}

# METADATA
# description: |
#   Options of a backup with which it is never taken: --repo of a manual one ends in an event InvalidManualBackup (reconcileManualBackup), and pgBackRest knows three types. Percona's operator hands on those of a
#   PerconaPGBackup.
refused_backups := [object.union({"reason": sprintf("%s, so that it is never taken", [fault[0]]), "cure": fault[1], "level": "warning"}, words.place) |
	some words in words_of_backups
	not placeholder.holds(words.text)
	fault := fault_of_backup(words)
]

words_of_backups := array.concat(
	[{"text": joined(k8s.object, path), "what": "The manual backup", "place": {"path": path}} |
		path := array.concat(pgbackrest, ["manual", "options"])
		count(get.list(k8s.object, path)) > 0
	],
	[{"text": joined(made, ["spec", "options"]), "what": sprintf("PerconaPGBackup %s", [made.metadata.name]), "place": {"path": ["spec", "options"], "resource": k8s.reference(made)}} |
		k8s.group == "pgv2.percona.com"
		some made in inventory.of_cluster(k8s.namespace, "pgv2.percona.com/v2", "PerconaPGBackup", k8s.name)
		not object.get(made, ["status", "state"], "") in {"Succeeded", "Failed"}
	],
)

# What is written there as --type.
type_among(words) := regex.find_all_string_submatch_n(`(?:^|\s)--type[= ]["']?([A-Za-z0-9_-]+)["']?(?:\s|$)`, words, 1)[0][1]

joined(holder, path) := concat(" ", [word | some word in get.list(holder, path); is_string(word)])

fault_of_backup(words) := [
	sprintf("%s has option --repo, which the operator writes itself and allows nobody else", [words.what]),
	"Take it out, and name the repository in repoName",
] if {
	regex.match(`(^|\s)--repo[= ]`, words.text)
} else := [
	sprintf("%s has --type=%s, which pgBackRest does not know", [words.what, kind]),
	"Write full, diff or incr",
] if {
	kind := type_among(words.text)
	not kind in {"full", "diff", "incr"}
}

package walguard.operators.workload

import data.walguard.lib.get
import data.walguard.lib.image
import data.walguard.lib.k8s
import data.walguard.lib.text as texts

facts contains {"archive_program": object.union({"value": lost_archiver, "absent": true}, object.filter(command_entry, ["path", "resource"]))} if lost_archiver

# An archive_command whose program the official image does not have, or whose script calls one: it holds PostgreSQL and what Debian or Alpine bring. Somebody who mounts programs, or
# installs them before the server starts, knows it.
lost_archiver := program if {
	image.repository(get.string(container, "image")) in image.official
	by_entrypoint
	program := regex.find_all_string_submatch_n(begins_with, archiving_words, 1)[0][1]
	not contains(archiving_words, "||")
	count(get.map(container, "lifecycle")) == 0
	count(get.list(k8s.object, array.concat(pod_path, ["initContainers"]))) == 0
	count([1 |
		some mounted in mounts
		regex.match(`^/(usr|opt|bin|sbin|lib)\b|^/docker-entrypoint|/bin\b|wal-?g|pgbackrest`, mounted.directory)
		not holds_archiver(mounted)
		not startswith(mounted.directory, "/etc/")
	]) == 0
}

# In a command of one line also what comes behind a test, or at the end of a pipe.
begins_with := sprintf(`(?m)^\s*(?:%s)?(?:[A-Z_]+=\S+\s+)*(?:(?:envdir|timeout)\s+\S+\s+)?(?:/usr/(?:local/)?bin/)?(%s)\s`, [{true: `[^|&;]*(?:&&|\|)\s*`, false: ""}[archiving_words == command_entry.value], archivers])

archivers := "aws|azcopy|barman-cloud-wal-archive|barman-wal-archive|borg|curl|gcloud|gsutil|lftp|mc|pg_probackup|pgbackrest|rclone|restic|rsync|s3cmd|s5cmd|scp|sftp|ssh|sshpass|wal-e|wal-g"

holds_archiver(mounted) if mounted.directory == archiving_script.file

# The file that the command runs, or gives to a shell.
archiving_script := [f |
	some f in files
	regex.match(sprintf(`^\s*(?:(?:/bin/)?(?:ba)?sh\s+)?%s(?:\s|$)`, [texts.literal(f.file)]), command_entry.value)
][0]

archiving_words := command_entry.value if not archiving_script

# A script that stops at the first failure, and neither looks for the program nor fetches it.
archiving_words := archiving_script.text if {
	regex.match(`(?m)^\s*set\s+-[a-z]*e`, archiving_script.text)
	not regex.match(`\b(apk|apt|apt-get|command|curl|docker|exit 0|if|install|kubectl|pip3?|true|type|wget|which|PATH)\b|\|\|`, archiving_script.text)
}

package walguard.operators.workload

import data.walguard.lib.get
import data.walguard.lib.image
import data.walguard.lib.k8s

facts contains {"archive_program": object.union({"value": lost_archiver, "absent": true}, object.filter(command_entry, ["path", "resource"]))} if lost_archiver

# An archive_command whose program the official image does not have: it holds PostgreSQL and what Debian or Alpine bring. Somebody who mounts programs, or installs them before the
# server starts, knows it.
lost_archiver := program if {
	image.repository(get.string(container, "image")) in {"docker.io/library/postgres", "docker.io/pgvector/pgvector", "docker.io/postgis/postgis", "public.ecr.aws/docker/library/postgres"}
	by_entrypoint
	program := regex.find_all_string_submatch_n(`^\s*(?:envdir\s+\S+\s+)?(?:/usr/(?:local/)?bin/)?(aws|barman-cloud-wal-archive|barman-wal-archive|gsutil|pgbackrest|rclone|s3cmd|wal-e|wal-g)\s`, command_entry.value, 1)[0][1]
	count(get.map(container, "lifecycle")) == 0
	count(get.list(k8s.object, array.concat(pod_path, ["initContainers"]))) == 0
	count([1 | some mounted in mounts; regex.match(`^/(usr|opt|bin|sbin|lib)\b|^/docker-entrypoint|/bin\b|wal-?g|pgbackrest`, mounted.directory)]) == 0
}

package walguard.checks.backup.store_unusable_test

import data.walguard.checks.backup.option_unknown
import data.walguard.checks.backup.store_unusable as check

# A server of its own image that archives by pgBackRest or WAL-G.
archiving_by(command, env) := {
	"apiVersion": "apps/v1",
	"kind": "StatefulSet",
	"metadata": {"name": "db", "namespace": "prod"},
	"spec": {
		"template": {"spec": {
			"containers": [{
				"name": "db", "image": "example.com/postgres:17.6",
				"args": ["postgres", "-c", "archive_mode=on", "-c", sprintf("archive_command=%s", [command])],
				"env": [{"name": name, "value": value} | some name, value in env],
				"volumeMounts": [{"name": "data", "mountPath": "/var/lib/postgresql/data"}, {"name": "conf", "mountPath": "/etc/pgbackrest"}],
			}],
			"volumes": [{"name": "conf", "configMap": {"name": "backrest"}}],
		}},
		"volumeClaimTemplates": [{"metadata": {"name": "data"}, "spec": {"resources": {"requests": {"storage": "10Gi"}}}}],
	},
}

input_of(command, env, lines) := {
	"review": {"object": archiving_by(command, env)},
	"inventory": {"namespace": {"prod": {"v1": {"ConfigMap": {"backrest": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "backrest", "namespace": "prod"}, "data": {"pgbackrest.conf": concat("\n", array.concat(["[global]"], lines))}}}}}}},
}

push := "pgbackrest --stanza=main archive-push %p"

unusable_by(command, env, lines) := {[object.get(f, "severity", "error"), f.message] |
	found := check.findings with input as input_of(command, env, lines)
	some f in found
}

unknown_by(env, lines) := {[object.get(f, "severity", "warning"), f.message] |
	found := option_unknown.findings with input as input_of(push, env, lines)
	some f in found
}

test_values_in_a_file if {
	unusable_by(push, {}, ["compress-type=lzma"]) == {["error", "compress-type=lzma is not one of none, bz2, gz, lz4 and zst, and pgBackRest stops at it: nothing is archived or backed up. Write one of them."]}
	unusable_by(push, {}, ["repo1-retention-full=two"]) == {["error", "repo1-retention-full=two is not a whole number, and pgBackRest stops at it: no backup is taken. Write one."]}
	unusable_by(push, {"PGBACKREST_REPO1_TYPE": "S4"}, []) == {["error", "PGBACKREST_REPO1_TYPE=S4 is not one of azure, cifs, gcs, posix, s3 and sftp, and pgBackRest stops at it: nothing is archived or backed up. Write one of them."]}
	count(unusable_by(push, {}, ["compress-type=lz4", "compress-level=20"])) == 1
	unusable_by(push, {}, ["compress-type=zst", "compress-level=20", "start-fast=y", "repo1-path=/b", "archive-timeout=${T}", "process-max=$N"]) == set()
}

test_options_in_a_file if {
	unknown_by({}, ["repo1-rentention-full=2"]) == {["warning", "pgBackRest has no option repo1-rentention-full and leaves it out. Write repo1-retention-full."]}
	unknown_by({"PGBACKREST_REPO1_S3_BUCKETS": "b"}, []) == {["warning", "pgBackRest has no option PGBACKREST_REPO1_S3_BUCKETS and leaves it out. Write PGBACKREST_REPO1_S3_BUCKET."]}
	{severity | some [severity, _] in unknown_by({}, ["weekly=daily"])} == {"info"}
	unknown_by({"PGBACKREST_BACKUP_ENABLED": "true", "PGBACKREST_REPO1_PATH": "/b"}, ["start-fast=y", "pg1-path=/d"]) == set()
}

# No file says where files are.
test_options_of_the_command_line_are_not_meant if {
	said := [message | some [_, message] in unknown_by({}, ["include-path=/etc/pgbackrest/conf.d"])]
	count(said) == 1
	not contains(said[0], "Write config-include-path")
}

test_commands_of_walg if {
	unusable_by("wal-g backup-push %p", {}, []) == {["error", "archive_command runs wal-g backup-push, which archives no segment of WAL: every one fails, and the WAL fills the volume. Write wal-g wal-push %p."]}
	count(unusable_by("/usr/local/bin/wal-g --config /w.json backup-push \"%p\"", {}, [])) == 1
	unusable_by("wal-g wal-push %p", {}, []) == set()
	unusable_by("wal-g wal-push %p && wal-g backup-push $PGDATA", {}, []) == set()
}

test_compression_of_walg if {
	unusable_by("wal-g wal-push %p", {"WALG_COMPRESSION_METHOD": "gzip"}, []) == {["error", "WALG_COMPRESSION_METHOD=gzip is none that WAL-G writes, and it stops there: nothing is archived or backed up. Write lz4, lzma, zstd, brotli or none."]}
	every method in ["brotli", "lz4", "lzma", "none", "zstd", "${METHOD}"] {
		unusable_by("wal-g wal-push %p", {"WALG_COMPRESSION_METHOD": method}, []) == set()
	}
	unusable_by("cp %p /b/%f", {"WALG_COMPRESSION_METHOD": "gzip"}, []) == set()
}

test_commands_of_pgbackrest if {
	unusable_by("pgbackrest --stanza=main backup %p", {}, []) == {["error", "archive_command runs pgbackrest backup, which archives no segment of WAL: every one fails, and the WAL fills the volume. Write pgbackrest --stanza=NAME archive-push %p."]}
	count(unusable_by("pgbackrest --stanza=main archive-get %f \"%p\"", {}, [])) == 1
	unusable_by("pgbackrest --stanza=main stanza-create; pgbackrest --stanza=main archive-push %p", {}, []) == set()
	unusable_by("pgbackrest --stanza=backup archive-push %p", {}, []) == set()
}

# wal-g 1516, on a machine
test_commands_of_a_machine if {
	of_machine("archive_mode = on\narchive_command = 'wal-g backup-push %p'\n") == {["spec", "configuration", 0, "text"]}
	of_machine("archive_mode = on\narchive_command = 'wal-g wal-push %p'\n") == set()
	of_machine("archive_mode = off\narchive_command = 'wal-g backup-push %p'\n") == set()
}

of_machine(lines) := {f.path | some f in found} if {
	found := check.findings with input as {"review": {"object": {"apiVersion": "walguard.dev/v1", "kind": "PostgresServer", "metadata": {"name": "db"}, "spec": {"version": "17", "configuration": [{"file": "postgresql.conf", "text": lines}]}}}}
}

# kobotoolbox/kobo-docker 311
test_prefix_without_scheme if {
	unusable_by("wal-g wal-push %p", {"WALG_S3_PREFIX": "backups/shop"}, []) == {["error", "WALG_S3_PREFIX=backups/shop is no address, and WAL-G stops there (\"missing url scheme and/or host\"): nothing is archived or backed up. Write s3://backups/shop."]}
	count(unusable_by("wal-g wal-push %p", {"WALG_AZ_PREFIX": "azure:/backups"}, [])) == 1
	unusable_by("wal-g wal-push %p", {"WALG_S3_PREFIX": "s3://backups/shop"}, []) == set()
	unusable_by("wal-g wal-push %p", {"WALG_S3_PREFIX": "${BUCKET}"}, []) == set()
	unusable_by("wal-g wal-push %p", {"WALG_FILE_PREFIX": "/backups"}, []) == set()
	unusable_by("cp %p /b/%f", {"WALG_S3_PREFIX": "backups/shop"}, []) == set()
}

# pgbackrest 2440
test_path_of_the_data if {
	below := {"PGDATA": "/var/lib/postgresql/data/pgdata"}
	unusable_by(push, below, ["[main]", "pg1-path=/var/lib/postgresql/data"]) == {["error", "pg1-path is /var/lib/postgresql/data, and the server keeps its data in /var/lib/postgresql/data/pgdata: archive-push refuses every segment, and the WAL fills the volume. Write /var/lib/postgresql/data/pgdata."]}
	unusable_by(push, below, ["[main]", "pg1-path=/var/lib/postgresql/data/pgdata/"]) == set()
	unusable_by(push, below, ["[main]", "pg1-path=/pgdata"]) == set()
	unusable_by(push, below, ["[main]", "pg1-path=/var/lib/postgresql/data", "[other]", "pg1-path=/other"]) == set()
	unusable_by("pgbackrest --stanza=main --pg1-path=/var/lib/postgresql/data/pgdata archive-push %p", below, ["pg1-path=/var/lib/postgresql/data"]) == set()
}

walg_of(variables) := {f.message | some f in found; contains(f.message, "BUCKET")} if found := check.findings with input as {"review": {"object": {
	"apiVersion": "apps/v1",
	"kind": "StatefulSet",
	"metadata": {"name": "db", "namespace": "prod"},
	"spec": {"template": {"spec": {"containers": [{"name": "postgres", "image": "shop/postgres-walg:17", "args": ["postgres", "-c", "archive_mode=on", "-c", "archive_command=wal-g wal-push %p"], "env": [{"name": name, "value": value} | some name, value in variables]}]}}},
}}}

test_bucket_in_front_of_a_service if {
	walg := {"WALG_S3_PREFIX": "s3://b/db", "AWS_ENDPOINT": "http://minio.store.svc:9000"}
	walg_of(walg) == {"WAL-G looks for the bucket at BUCKET.minio.store.svc, and a Service has no such name: nothing is archived or backed up. Set AWS_S3_FORCE_PATH_STYLE to \"true\"."}
	walg_of(object.union(walg, {"AWS_S3_FORCE_PATH_STYLE": "true"})) == set()
	walg_of(object.union(walg, {"AWS_ENDPOINT": "https://s3.example.com"})) == set()
	walg_of(object.remove(walg, ["WALG_S3_PREFIX"])) == set()
}

# Its keys come from a Secret that is not there.
test_bucket_in_front_of_a_service_with_keys_elsewhere if {
	container := {"name": "postgres", "image": "shop/postgres-walg:17", "args": ["postgres", "-c", "archive_mode=on", "-c", "archive_command=wal-g wal-push %p"], "env": [{"name": "WALG_S3_PREFIX", "value": "s3://b/db"}, {"name": "AWS_ENDPOINT", "value": "http://minio:9000"}], "envFrom": [{"secretRef": {"name": "walg"}}]}
	found := check.findings with input as {"review": {"object": {
		"apiVersion": "apps/v1",
		"kind": "StatefulSet",
		"metadata": {"name": "db", "namespace": "prod"},
		"spec": {"template": {"spec": {"containers": [container]}}},
	}}}
	{[f.severity, f.path] | some f in found; contains(f.message, "BUCKET.minio")} == {["warning", ["spec", "template", "spec", "containers", 0, "env", 1, "value"]]}
}

test_clone_of_spilo_with_wal_e if {
	variables := {"CLONE_METHOD": "CLONE_WITH_WALE", "CLONE_WALG_GS_PREFIX": "gs://b/db", "WALG_GS_PREFIX": "gs://b/new", "USE_WALG_BACKUP": "true"}
	found := check.findings with input as {"review": {"object": {
		"apiVersion": "apps/v1",
		"kind": "StatefulSet",
		"metadata": {"name": "db", "namespace": "prod"},
		"spec": {"template": {"spec": {"containers": [{"name": "spilo", "image": "ghcr.io/zalando/spilo-16:3.3-p3", "env": [{"name": name, "value": value} | some name, value in variables]}]}}},
	}}}
	{f.message | some f in found; contains(f.message, "WAL-E")} == {"CLONE_USE_WALG_RESTORE is not set, and Spilo looks in Google Cloud Storage for backups of WAL-E then, where WAL-G makes them: no backup is found. Set CLONE_USE_WALG_RESTORE to \"true\"."}
}

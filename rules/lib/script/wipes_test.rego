package walguard.lib.script_test

import data.walguard.lib.script

wiped(text) if script.wipes(text, "/d", "/pgdata")

test_wipes if {
	every text in [
		"rm -rf /d/pgdata; exec docker-entrypoint.sh postgres", "rm -f -r -- /d/*", "find /d -mindepth 1 -delete", "find /d/pgdata -type f -delete", "find /d -mindepth 1 -maxdepth 1 -exec rm -rf {} +",
		"cd /d && rm -rf *", "rsync -a --delete /empty/ /d/", "ls -d /d/* | xargs rm -r", "tar c /d --remove-files > /dev/null", `perl -e "unlink glob(q(/d/pgdata/*))"`,
		`for f in /d/*; do rm -r "$f"; done`, "mv /d/pgdata /d/old", "export PGDATA=/d/$(date +%s); exec postgres", "PGDATA=/d/$RANDOM exec postgres",
	] {
		wiped(text)
	}
	every text in [
		"rm -rf /d/pgdata/pg_stat_tmp/*", "find /d -name '*.log' -mtime +7 -delete", "find /d -maxdepth 1 -type f -delete", "[ -f /d/wipe ] && rm -rf /d/*", "ls /d/PG_VERSION || rm -rf /d/*",
		"rm -rf /d/*; pg_basebackup -D /d/pgdata", "mv /d/pgdata /e/ && ln -s /e/pgdata /d/pgdata", "mv /d/pgdata/postgresql.conf /d/x", "PGDATA=/d/$(hostname) exec postgres", "mv /d/old /d/pgdata",
	] {
		not wiped(text)
	}
}

package walguard.model.passfiles_test

import data.walguard.model.passfiles

test_modes if {
	every mode, text in {420: "0644", 416: "0640", 511: "0777", 83: "0123", 8: "0010", 64: "0100"} { passfiles.octal(mode) == text }
	every mode, seen in {384: 416, 416: 416, 448: 480, 256: 288, 288: 288, 0: 32, 31: 63, 64: 96} {
		passfiles.with_group(mode, true) == seen
		passfiles.with_group(mode, false) == mode
	}
	passfiles.mode_of({"items": [{"mode": 256}]}) == 256
	passfiles.mode_of({"items": [{"key": "a"}, {"mode": 256}]}) == 256
	passfiles.mode_of({"items": [{"key": "a"}]}) == 420
	passfiles.mode_of({"defaultMode": 384}) == 384
	passfiles.mode_of({}) == 420
	not passfiles.mode_of({"items": [{"mode": 256}, {"mode": 384}]})
	not passfiles.mode_of({"defaultMode": "0400"})
}

test_programs_that_rely_on_it if {
	every command in [["psql"], ["psql", "-h", "db"], ["sh", "-c", "/usr/bin/pg_dump x"], ["bash", "-c", "true && pg_basebackup -D /d"], ["sh", "-c", "(pg_restore x)"], ["pg_dumpall", "-g"]] { passfiles.relies_on_it({"command": command}) }
	every command in [["sh", "-c", "PGPASSWORD=x psql -h db"], ["sh", "-c", "chmod 600 x; psql -h db"], ["sh", "-c", "cp a b; psql -h db"], ["mypsql", "-h"], ["psql", "service=x"], ["psql", "postgres://db"]] {
		not passfiles.relies_on_it({"command": command})
	}
	passfiles.relies_on_it({"args": ["psql", "-h"]})
	not passfiles.relies_on_it({"command": ["psql", "-h"], "envFrom": [{"secretRef": {"name": "a"}}]})
	every name in ["PGSERVICE", "PGSERVICEFILE", "PGSSLCERT"] { not passfiles.relies_on_it({"command": ["psql", "-h"], "env": [{"name": name, "value": "x"}]}) }
	passfiles.relies_on_it({"command": ["psql", "-h"], "env": [{"name": "PGHOST", "value": "x"}]})
}

test_files if {
	passfiles.file_of({"mountPath": "/etc/pg"}, {"PGPASSFILE": "/etc/pg/./pass"}) == "/etc/pg/pass"
	not passfiles.file_of({"mountPath": "/etc/other"}, {"PGPASSFILE": "/etc/pg/pass"})
	passfiles.file_of({"mountPath": "/root/.pgpass", "subPath": "pass"}, {}) == "/root/.pgpass"
	not passfiles.file_of({"mountPath": "/root/.pgpass"}, {})
	not passfiles.file_of({"mountPath": "/root/.pgpass2", "subPath": "pass"}, {})
	not passfiles.file_of({"mountPath": "/root/.pgpass", "subPath": "pass"}, {"PGPASSFILE": "/x"})
}

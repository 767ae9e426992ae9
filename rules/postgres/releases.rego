# Generated from releases.json by "make generate". Do not edit.
package walguard.postgres

releases := {
	"faults": [
		{"after": "then REINDEX every index that was built CONCURRENTLY", "date": "2026-11-22", "fault": "CREATE INDEX CONCURRENTLY and REINDEX CONCURRENTLY can leave out rows that are updated meanwhile", "first": 0, "fixed": "14.4", "last": 3, "major": 14, "source": "https://www.postgresql.org/docs/release/14.4/"},
		{"date": "2026-11-22", "fault": "extensions built for earlier minor releases (timescaledb and others) can crash the server, and ALTER ROLE … SET role has no effect", "first": 14, "fixed": "14.15", "last": 14, "major": 14, "source": "https://www.postgresql.org/docs/release/14.15/"},
		{"date": "2026-11-22", "fault": "extensions built for earlier minor releases (timescaledb and others) can crash the server, and ALTER ROLE … SET role has no effect", "first": 9, "fixed": "15.10", "last": 9, "major": 15, "source": "https://www.postgresql.org/docs/release/15.10/"},
		{"date": "2026-11-22", "fault": "extensions built for earlier minor releases (timescaledb and others) can crash the server, and ALTER ROLE … SET role has no effect", "first": 5, "fixed": "16.6", "last": 5, "major": 16, "source": "https://www.postgresql.org/docs/release/16.6/"},
		{"date": "2026-11-22", "fault": "extensions built for earlier minor releases (timescaledb and others) can crash the server, and ALTER ROLE … SET role has no effect", "first": 1, "fixed": "17.2", "last": 1, "major": 17, "source": "https://www.postgresql.org/docs/release/17.2/"},
		{"date": "2026-11-22", "fault": "ALTER ROLE … SET role has no effect", "first": 21, "fixed": "12.22", "last": 21, "major": 12, "source": "https://www.postgresql.org/docs/release/12.22/"},
		{"date": "2026-11-22", "fault": "ALTER ROLE … SET role has no effect", "first": 17, "fixed": "13.18", "last": 17, "major": 13, "source": "https://www.postgresql.org/docs/release/13.18/"},
		{"date": "2026-11-22", "fault": "a standby can stop replaying WAL of a primary of an older minor release, and substring() can fail on valid text", "first": 21, "fixed": "14.22", "last": 21, "major": 14, "source": "https://www.postgresql.org/docs/release/14.22/"},
		{"date": "2026-11-22", "fault": "a standby can stop replaying WAL of a primary of an older minor release, and substring() can fail on valid text", "first": 16, "fixed": "15.17", "last": 16, "major": 15, "source": "https://www.postgresql.org/docs/release/15.17/"},
		{"date": "2026-11-22", "fault": "a standby can stop replaying WAL of a primary of an older minor release, and substring() can fail on valid text", "first": 12, "fixed": "16.13", "last": 12, "major": 16, "source": "https://www.postgresql.org/docs/release/16.13/"},
		{"date": "2026-11-22", "fault": "a standby can stop replaying WAL of a primary of an older minor release, and substring() can fail on valid text", "first": 8, "fixed": "17.9", "last": 8, "major": 17, "source": "https://www.postgresql.org/docs/release/17.9/"},
		{"date": "2026-11-22", "fault": "a standby can stop replaying WAL of a primary of an older minor release, and substring() can fail on valid text", "first": 2, "fixed": "18.3", "last": 2, "major": 18, "source": "https://www.postgresql.org/docs/release/18.3/"},
	],
	"rows": {
		"10": {"date": "2026-11-22", "end_of_life": "2022-11-10", "source": "https://www.postgresql.org/support/versioning/"},
		"11": {"date": "2026-11-22", "end_of_life": "2023-11-09", "source": "https://www.postgresql.org/support/versioning/"},
		"12": {"catalogue": {"server": "12.22"}, "date": "2026-11-22", "end_of_life": "2024-11-21", "source": "https://www.postgresql.org/support/versioning/"},
		"13": {"catalogue": {"server": "13.23"}, "date": "2026-11-22", "end_of_life": "2025-11-13", "source": "https://www.postgresql.org/support/versioning/"},
		"14": {"catalogue": {"server": "14.23"}, "date": "2026-11-22", "end_of_life": "2026-11-12", "source": "https://www.postgresql.org/support/versioning/"},
		"15": {"catalogue": {"server": "15.18"}, "date": "2026-11-22", "end_of_life": "2027-11-11", "source": "https://www.postgresql.org/support/versioning/"},
		"16": {"catalogue": {"server": "16.14"}, "date": "2026-11-22", "end_of_life": "2028-11-09", "source": "https://www.postgresql.org/support/versioning/"},
		"17": {"catalogue": {"server": "17.10"}, "date": "2026-11-22", "end_of_life": "2029-11-08", "source": "https://www.postgresql.org/support/versioning/"},
		"18": {"catalogue": {"server": "18.4"}, "date": "2026-11-22", "end_of_life": "2030-11-14", "source": "https://www.postgresql.org/support/versioning/"},
		"19": {"catalogue": {"source": "9cfd19bc10ac07139ca6c6d051d4492764441edb", "version": "19beta1, with what was back-patched until 2026-08-12"}, "date": "2026-11-22", "source": "https://github.com/postgres/postgres"},
		"9": {"date": "2026-11-22", "end_of_life": "2021-11-11", "source": "https://www.postgresql.org/support/versioning/"},
	},
	"title": "Releases of PostgreSQL",
}

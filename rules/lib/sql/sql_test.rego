package walguard.lib.sql_test

import data.walguard.lib.sql

names(text) := [[setting.name, setting.value] | some setting in sql.settings(text, {"path": ["x"]})]

test_alter_system if {
	sql.settings("ALTER SYSTEM SET fsync = off;", {"path": ["x"]}) == [{"name": "fsync", "value": "off", "path": ["x"]}]
	names("alter\n system /* now */ set \"work_mem\" to '8MB'; ALTER SYSTEM SET a.b TO 'it''s'") == [["work_mem", "8MB"], ["a.b", "it's"]]
	names(`psql -c "ALTER SYSTEM SET fsync=off"`) == [["fsync", "off"]]
	names("-- ALTER SYSTEM SET fsync = off\n# ALTER SYSTEM SET fsync = off\n/* ALTER SYSTEM SET fsync = off */ SELECT 1") == []
	names("ALTER SYSTEM SET fsync TO DEFAULT; ALTER SYSTEM RESET fsync") == []
}

test_sessions if {
	names("ALTER DATABASE app SET zero_damaged_pages = on; ALTER ROLE a IN DATABASE b SET ignore_checksum_failure TO 'on'") == [["zero_damaged_pages", "on"], ["ignore_checksum_failure", "on"]]
	names("ALTER ROLE batch SET synchronous_commit = off; ALTER ROLE a CREATEDB; SET zero_damaged_pages = on") == []
}

test_unreadable if {
	every text in [
		"DO $$ BEGIN EXECUTE 'ALTER SYS' || 'TEM SET fsync = off'; END $$",
		`SELECT 'ALTER ' || 'SYSTEM SET fsync = off' \gexec`,
		"ALTER SYSTEM SET fsync = $VALUE",
		"ALTER SYSTEM SET \"$NAME\" = off",
		`\! echo fsync=off >> x`,
		"COPY (SELECT 'fsync = off') TO '/data/x'",
	] {
		sql.unreadable(text)
	}
	every text in [
		"ALTER SYSTEM SET fsync = off",
		`SELECT 'CREATE DATABASE a' WHERE NOT EXISTS (SELECT 1) \gexec`,
		"GRANT EXECUTE ON FUNCTION f TO a; CREATE TRIGGER t EXECUTE FUNCTION f()",
		"COPY t FROM '/x'",
	] {
		not sql.unreadable(text)
	}
}

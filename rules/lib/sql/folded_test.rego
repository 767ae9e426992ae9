package walguard.lib.sql_test

import data.walguard.lib.sql

read_as(text) := {concat("=", [one.name, one.value]) | some one in sql.settings(text, {})}

test_constants_are_put_together if {
	every text in [
		"DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET %I = %L', current_database(), 'synchronous_commit', 'off'); END $$;",
		"DO $$ BEGIN EXECUTE format('ALTER DATABASE %2$I SET %1$s TO %3$s', 'synchronous_commit', 'app', 'off'); END $$;",
		"DO $$ BEGIN EXECUTE 'ALTER DATABASE ' || quote_ident('app') || ' SET synchronous' || '_commit = off'; END $$;",
		"DO $$ BEGIN EXECUTE concat('ALTER', ' DATABASE app ', 'SET synchronous_commit = off'); END $$;",
		"DO $$ BEGIN EXECUTE concat_ws(' ', 'ALTER', 'DATABASE', 'app', 'SET', 'synchronous_commit', '=', 'off'); END $$;",
		"DO $$ BEGIN EXECUTE array_to_string(ARRAY['ALTER DATABASE app', 'SET synchronous_commit = off'], ' '); END $$;",
		"DO $$ BEGIN EXECUTE replace('ALTER DATABASE app SET X = off', 'X', 'synchronous_commit'); END $$;",
		"DO $$ BEGIN EXECUTE reverse('ffo = timmoc_suonorhcnys TES ppa ESABATAD RETLA'); END $$;",
		"DO $$ BEGIN EXECUTE 'ALTER DATABASE app SET synchronous' || chr(95) || 'commit = off'; END $$;",
		"DO $$ BEGIN EXECUTE 'ALTER DATABASE app SET synchronous'\n  '_commit = off'; END $$;",
		"DO $$ BEGIN EXECUTE 'ALTER DATABASE app SET synchronous_commit = ''off'''; END $$;",
		"DO $$ DECLARE q text := 'ALTER DATABASE app SET '; BEGIN EXECUTE q || 'synchronous_commit = off'; END $$;",
		"SELECT format('ALTER DATABASE %I SET %I = %L', datname, 'synchronous_commit'::text, 'off') FROM pg_database \\gexec",
		"\\set p synchronous_commit\n\\set v off\nALTER SYSTEM SET :p = :'v';",
		"psql -v p=synchronous_commit --set=v='off' <<< 'ALTER SYSTEM SET :\"p\" = :v;'",
		"SELECT dblink_exec('dbname=app', E'ALTER\\tSYSTEM SET synchronous_commit = off');",
	] {
		read_as(text) == {"synchronous_commit=off"}
	}
}

test_what_format_writes_besides if {
	sql.folded("SELECT format('100%% of %s and %L', a, '/bin/true x') \\gexec") == "SELECT '100% of ${} and /bin/true x' \\gexec"
	sql.folded("SELECT 'a' || b \\gexec") == "SELECT 'a' || b \\gexec"
	sql.folded("SELECT 1") == "SELECT 1"
	sql.folded("SELECT format('%s', 'a'), chr(7), chr(39), replace('a', '', 'b')") == "SELECT 'a', chr(7), chr(39), replace('a', '', 'b')"
}

test_variables_of_psql if {
	sql.folded("\\set a b\nSELECT :a, :'a', ::a, x::text, :c, 1:2") == "\\set a b\nSELECT b, b, ::a, x::text, :c, 1:2"
	sql.folded("\\set a b\n\\set a c\nSELECT :a") == "\\set a b\n\\set a c\nSELECT :a"
	sql.folded("\\set a `date`\nSELECT :a") == "\\set a `date`\nSELECT :a"
	read_as("ALTER SYSTEM SET fsync = :v;") == set()
	sql.unreadable("ALTER SYSTEM SET fsync = :v;")
	not sql.unreadable("\\set level remote_write\nALTER SYSTEM SET synchronous_commit = :level;")
}

test_statements_out_of_variables if {
	every text in [
		"INSERT INTO q VALUES ('ALTER DATABASE app SET '), ('synchronous_commit = off'); DO $$ DECLARE s text; BEGIN SELECT string_agg(t, '') INTO s FROM q; EXECUTE s; END $$;",
		"DO $$ DECLARE s text := 'synchronous_commit=off'; t text; BEGIN t := s; EXECUTE 'SELECT 1; ALTER DATABASE app SET ' || t; END $$;",
		"SELECT format('ALTER DATABASE app SET %I = off', n) FROM (VALUES ('synchronous_commit')) v(n) \\gexec",
		"CREATE FUNCTION f(t text) RETURNS void LANGUAGE plpgsql AS $$ BEGIN EXECUTE t; END $$; SELECT f('ALTER DATABASE app SET ' || x || '=off') FROM (VALUES ('synchronous_commit')) v(x);",
	] {
		sql.obscured(text)
		sql.unreadable(text)
	}
}

test_statements_that_hide_nothing if {
	every text in [
		"SET session_replication_role = replica; DO $$ DECLARE r record; BEGIN FOR r IN SELECT tablename t FROM pg_tables LOOP EXECUTE 'TRUNCATE ' || quote_ident(r.t); END LOOP; END $$;",
		"SELECT 1;\nSET LOCAL synchronous_commit = off;\nDO $$ DECLARE q text; BEGIN q := 'SELECT 1'; EXECUTE q; END $$;",
		"DO $$ DECLARE q text; BEGIN IF current_setting('fsync') = 'off' THEN RAISE EXCEPTION 'fsync is off'; END IF; SELECT d INTO q FROM ddl; EXECUTE q; END $$;",
		"CREATE TRIGGER a AFTER INSERT ON t FOR EACH ROW EXECUTE FUNCTION f(); ALTER DATABASE app SET synchronous_commit = 'on'; GRANT EXECUTE ON FUNCTION f() TO app;",
		"CREATE FUNCTION part() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN EXECUTE format('CREATE TABLE IF NOT EXISTS %I PARTITION OF log FOR VALUES IN (%L)', 'log_' || NEW.d, NEW.d); RETURN NEW; END $$;",
		"DO $$ DECLARE r record; BEGIN FOR r IN SELECT tablename FROM pg_tables LOOP EXECUTE 'DROP TABLE ' || quote_ident(r.tablename); END LOOP; END $$;",
		"ALTER DATABASE app SET synchronous_commit = on; CREATE FUNCTION f(t text) RETURNS void LANGUAGE plpgsql AS $$ BEGIN EXECUTE t; END $$;",
	] {
		not sql.obscured(text)
		not sql.unreadable(text)
	}
}

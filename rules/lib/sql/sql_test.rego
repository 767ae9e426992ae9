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
	names("ALTER ROLE ALL SET synchronous_commit = off; ALTER USER all IN DATABASE a SET work_mem TO '1GB'; ALTER ROLE ALL SET x TO DEFAULT") == [["synchronous_commit", "off"], ["work_mem", "1GB"]]
	names("ALTER ROLE batch SET synchronous_commit = off; ALTER ROLE a CREATEDB; SET zero_damaged_pages = on") == []
}

test_schemas_are_readable if {
	not sql.unreadable(`ALTER SYSTEM SET search_path TO "$user", public, vectors;`)
	not sql.unreadable("alter system set \"search_path\" = '$user', public")
	sql.unreadable("ALTER SYSTEM SET search_path TO public; ALTER SYSTEM SET work_mem TO $size")
	[one.name | some one in sql.settings("ALTER SYSTEM SET search_path TO \"$user\", public; ALTER SYSTEM SET fsync = off", {})] == ["fsync"]
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

test_quoted_name if {
	sql.settings(`ALTER DATABASE a SET "zero_damaged_pages" = on`, {}) == [{"name": "zero_damaged_pages", "value": "on"}]
}

# Put together by psql, by a function, by another language, or behind comments.
test_put_together if {
	every text in [
		"SELECT format('ALTER %s SET %s = off', 'SYSTEM', 'fsync') \\gexec",
		"SELECT concat('ALT', 'ER SYSTEM SET fsync = off') \\gexec",
		"\\set a ALTER\n:a SYSTEM SET fsync = off;",
		"INSERT INTO pg_db_role_setting VALUES (0, 0, '{zero_damaged_pages=on}')",
		"COPY (SELECT 'fsync=off') TO E'/x'",
		"COPY (SELECT 1) TO PROGRAM $$sh$$",
		"SELECT lo_export(1, 'x')",
		"ALTER DATABASE a SET zero_damaged_pages FROM CURRENT",
		"EXECUTE format('ALTER DATABASE %I SET %I = on', 'a', 'b')",
		"EXECUTE 'ALTER DATABASE a SET ' 'zero_damaged_pages' ' = on'",
		"SELECT pg_file_write('x', 'y', true)",
		"ALTER -- x\n SYSTEM SET fsync = off",
		"ALTER /* a /* b */ c */ SYSTEM SET fsync = off",
		"DO LANGUAGE plpython3u $$ open('x', 'a') $$",
		"SELECT dblink_exec('dbname=a', 'ALTER ' || 'SYSTEM SET fsync = off')",
		"\\o | cat >> x",
		`psql -c "$(printf "ALTER %s SET fsync=off" SYSTEM)"`,
	] {
		sql.unreadable(text)
	}
	every text in [
		"SELECT 'CREATE DATABASE x' WHERE NOT EXISTS (SELECT 1)\\gexec",
		"SELECT format('GRANT ALL ON SCHEMA %I TO x', nspname) FROM pg_namespace \\gexec",
		"CREATE USER :\"name\" PASSWORD :'word';\nALTER ROLE :name SET search_path = x",
		"SELECT x\n::text",
		"COPY t FROM '/x.csv'",
		"CREATE FUNCTION a() RETURNS int LANGUAGE plpython3u AS $$ return 1 $$",
		"SELECT dblink_exec('dbname=' || current_database(), 'CREATE DATABASE a')",
		"ALTER TABLE a /* system */ ADD b int",
	] {
		not sql.unreadable(text)
	}
}

test_of_a_function if {
	names("CREATE OR REPLACE FUNCTION f() RETURNS int LANGUAGE sql SET zero_damaged_pages = on AS 'SELECT 1'") == [["zero_damaged_pages", "on"]]
	names("ALTER FUNCTION f() SET ignore_checksum_failure TO on") == [["ignore_checksum_failure", "on"]]
	names("CREATE FUNCTION f() RETURNS int LANGUAGE sql SET work_mem = '8MB' AS 'SELECT 1'; SET zero_damaged_pages = on") == []
}

test_code_of_a_file if {
	every text in [
		"CREATE FUNCTION f() RETURNS int LANGUAGE C AS '/conf/x.so', 'f'",
		"CREATE FUNCTION f() RETURNS int AS '/conf/x.so', 'f' LANGUAGE c",
		"LOAD '/conf/x.so'",
		"ALTER ROLE ALL SET session_preload_libraries = '/conf/x.so'",
	] {
		sql.unreadable(text)
	}
	every text in [
		"CREATE FUNCTION f() RETURNS int LANGUAGE C AS '$libdir/x', 'f'",
		"LOAD 'auto_explain'",
		"ALTER ROLE ALL SET session_preload_libraries = 'auto_explain'",
		"CREATE FUNCTION f() RETURNS text LANGUAGE sql AS 'SELECT 1'",
	] {
		not sql.unreadable(text)
	}
}

test_extensions if {
	sql.extensions_in("CREATE EXTENSION IF NOT EXISTS \"uuid-ossp\"; create extension pg_trgm; DROP EXTENSION hstore") == {"uuid-ossp", "pg_trgm"}
	sql.of_applications == {
		"btree_gin", "btree_gist", "citext", "cube", "earthdistance", "fuzzystrmatch", "hstore", "intarray", "isn", "ltree", "pg_trgm", "pg_uuidv7", "pgcrypto", "postgis",
		"postgis_topology", "rum", "tablefunc", "timescaledb", "unaccent", "uuid-ossp", "vchord", "vector", "vectors",
	}
}

test_names_in_quotes if {
	sql.names_in_quotes("CREATE USER 'app';\n  DROP DATABASE IF EXISTS 'old';\nGRANT ALL ON DATABASE app TO 'app';\nCREATE ROLE \"app\" PASSWORD 'x';\nCREATE USER :'name'") == ["CREATE USER 'app'", "DROP DATABASE IF EXISTS 'old'", "GRANT ALL ON DATABASE app TO 'app'"]
	sql.names_in_quotes("ALTER ROLE app PASSWORD 'x'") == []
}

hyphened(text) := [one.what | some one in sql.foreign(text)]

test_hyphens if {
	hyphened("CREATE EXTENSION IF NOT EXISTS uuid-ossp;") == ["CREATE EXTENSION IF NOT EXISTS uuid-ossp has a hyphen in a name without quotes"]
	hyphened("create  user mein-user with password 'katze';") == ["create user mein-user has a hyphen in a name without quotes"]
	hyphened("CREATE DATABASE \"my-db\" OWNER my-user;") == ["CREATE DATABASE \"my-db\" OWNER my-user has a hyphen in a name without quotes"]
	hyphened("GRANT ALL ON DATABASE a TO my-user;\nALTER SCHEMA public OWNER TO my-user") == ["GRANT ALL ON DATABASE a TO my-user has a hyphen in a name without quotes"]
	every text in [
		"CREATE EXTENSION \"uuid-ossp\";",
		"CREATE DATABASE shop-- of the shop\n;",
		"CREATE DATABASE shop -- of the e-shop\n;",
		"GRANT SELECT ON orders TO reader; -- granted to e-shop",
		"GRANT SELECT ON orders TO reader -- granted to e-shop",
		"COMMENT ON DATABASE shop IS 'to the e-shop';",
		"CREATE USER $APP-ro;",
		"INSERT INTO shops VALUES ('create user e-shop');",
	] {
		hyphened(text) == []
	}
}

test_values if {
	names("ALTER SYSTEM SET work_mem = '8MB'") == [["work_mem", "8MB"]]
	names("ALTER SYSTEM SET fsync = $VALUE; ALTER SYSTEM SET jit TO Default") == []
}

test_more_that_is_unreadable if {
	every text in [
		"alter system -- x\nset fsync = off;",
		"copy (select 1) to :'f';",
		"\\copy (select 1) to postgresql.conf",
		"\\o /d/postgresql.auto.conf",
		"create function f() returns void language plpgsql as $$ begin perform set_config('zero_damaged_pages', 'on', false); end $$",
		"create or replace procedure f() language plpgsql as $$ begin commit; set ignore_checksum_failure = on; end $$",
	] {
		sql.unreadable(text)
	}
	every text in [
		"\\copy t from data.csv",
		"\\o out.txt",
		"select set_config('work_mem', '1GB', false)",
		"create function f() returns void language sql set search_path = a as $$ select 1 $$",
		"-- alter system is nobody's business",
	] {
		not sql.unreadable(text)
	}
}

test_tablespaces if {
	sql.tablespaces("CREATE TABLESPACE t OWNER a LOCATION '/tmp/t'; create tablespace \"U\" location '/x/u'") == [{"name": "Tablespace t", "value": "/tmp/t"}, {"name": "Tablespace U", "value": "/x/u"}]
	sql.tablespaces("-- create tablespace t location '/tmp/t'\ncreate tablespace t location '$DIR'") == []
}

# What looks like a comment and is none.
test_comments_that_are_none if {
	every text in [
		"SELECT 1\n# 2; ALTER SYSTEM SET fsync = off;",
		"SELECT '\n-- '; ALTER SYSTEM SET fsync = off;",
		"SELECT '/*'; ALTER SYSTEM SET fsync = off; SELECT '*/';",
		`SELECT 1 AS "/*"; ALTER ROLE a SET zero_damaged_pages = on; SELECT 1 AS "*/";`,
		"SELECT $$/*$$; ALTER SYSTEM SET fsync = off; SELECT $$*/$$;",
		"SELECT 1; -- /*\nALTER SYSTEM SET fsync = off;\nSELECT 2; -- */",
		"-- x\rALTER SYSTEM SET fsync = off;",
		"COPY t FROM stdin;\n/*\n\\.\nALTER SYSTEM SET fsync = off;\nCOPY t FROM stdin;\n*/\n\\.\n",
		"SELECT cron.schedule('x', '* * * * *', 'ALTER SYS' || 'TEM SET fsync = off');",
	] {
		sql.unreadable(text)
	}
	every text in [
		"-- don't\n-- ALTER SYSTEM SET fsync = off\nSELECT 1;",
		"# don't\n# ALTER SYSTEM SET fsync = off\n",
		"/* ALTER SYSTEM SET fsync = off; */ SELECT '--';",
		"SELECT 'a''b'; ALTER ROLE a LOGIN; -- it's\n",
		"psql --username x -c \"ALTER ROLE a LOGIN\" # it's\n",
		"SELECT cron.schedule('x', '0 3 * * *', 'VACUUM');",
	] {
		not sql.unreadable(text)
	}
	names("ALTER\u000bSYSTEM SET\u000bfsync = off") == [["fsync", "off"]]
	names("ALTER DATABASE app SET synchronous_commit = off; ALTER ROLE app SET synchronous_commit = off") == [["synchronous_commit", "off"]]
}

test_statements_in_a_comment_behind_another if {
	sql.settings("SELECT 1; -- ALTER SYSTEM SET fsync = off", {}) == []
	sql.settings("SELECT 1; --alter role all set fsync = off\nALTER SYSTEM SET work_mem = '4MB';", {}) == [{"name": "work_mem", "value": "4MB"}]
	every text in [
		"psql -c \"SELECT 1; -- ALTER SYSTEM SET work_mem = 1\" -c \"ALTER SYSTEM SET fsync = off\"",
		"SELECT '; -- '; ALTER SYSTEM SET fsync = off",
		"SELECT $$; -- $$; ALTER SYSTEM SET fsync = off",
		"x='; -- ALTER SYSTEM SET fsync = off'; psql -c \"${x#; -- }\"",
		"SELECT replace('; -- ALTER SYSTEM SET fsync = off', '; -- ', '') \\gexec",
	] {
		"fsync" in {one.name | some one in sql.settings(text, {})}
	}
}

test_sessions_that_write_what_they_could_not_read if {
	sql.unreadable("SET zero_damaged_pages = on; VACUUM FULL t;")
	sql.unreadable("SELECT 1; set session ignore_checksum_failure to 'true'")
	not sql.unreadable("SET zero_damaged_pages = off;")
	not sql.unreadable("SET work_mem = '1GB';")
}

test_undefined if {
	sql.undefined("CREATE USER $NAME PASSWORD '$WORD'", {"NAME"}) == [{"name": "WORD", "reason": "The script takes the password from $WORD, which nothing defines: the role gets none, and nobody logs in as it"}]
	sql.undefined("# CREATE USER $NAME\n  #CREATE USER x PASSWORD '$WORD'\n-- CREATE DATABASE $NAME", set()) == []
	sql.undefined("eval \"$(cat /env)\"\neval x\nCREATE USER $NAME", set()) == []
}

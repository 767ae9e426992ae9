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
		"SET dynamic_library_path = '/tmp'; LOAD 'x'",
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

# However SQL spells it.
test_spellings if {
	every text in [
		"ALTER ROLE a SET zero_damaged_pages = $$on$$",
		"ALTER ROLE a SET zero_damaged_pages = $a$on$a$",
		"psql -c \"ALTER ROLE a SET zero_damaged_pages = \\$\\$on\\$\\$\"",
		"ALTER ROLE a SET zero_damaged_pages TO \"on\"",
		"ALTER ROLE a SET zero_damaged_pages TO U&'on'",
		"ALTER ROLE a SET zero_damaged_pages = E'\\x6fn'",
		"ALTER ROLE a SET zero_damaged_pages = E'\\157n'",
		"ALTER ROLE a SET zero_damaged_pages = E'\\u006fn'",
		"ALTER ROLE a SET U&\"zero_damaged\\005fpages\" = on",
		"ALTER ROLE a SET U&\"zero_damaged\\+00005fpages\" = on",
		"ALTER ROLE a SET U&\"zero_damaged!005fpages\" UESCAPE '!' = on",
		"ALTER ROLE a SET zero_damaged_pages --x\n = on",
		"ALTER ROLE a --;\n SET zero_damaged_pages = --x\n on",
		"ALTER /* /* */ x */ DATABASE a SET zero_damaged_pages = on",
		"CREATE ROLE \"a;b\"; ALTER ROLE \"a;b\" SET zero_damaged_pages = on",
		"CREATE FUNCTION f() RETURNS void LANGUAGE sql AS $$ SELECT 1; SELECT 2 $$ SET zero_damaged_pages = on",
		"CREATE FUNCTION f() RETURNS void LANGUAGE sql AS 'SELECT 1; SELECT 2' SET zero_damaged_pages = on",
	] {
		names(text) == [["zero_damaged_pages", "on"]]
	}
	names("ALTER ROLE a SET zero_damaged_pages = +1") == [["zero_damaged_pages", "1"]]
	names("ALTER ROLE ALL SET synchronous_commit TO \"off\"; ALTER SYSTEM SET fsync = +0; ALTER SYSTEM SET U&\"f\\0073ync\" = $$off$$") == [["fsync", "0"], ["fsync", "off"], ["synchronous_commit", "off"]]
	every text in [
		"ALTER SYSTEM SET work_mem = $SIZE$UNIT;",
		"ALTER SYSTEM SET shared_buffers = \" + size + \"",
		"COMMENT ON TABLE t IS E'it\\'s \\x41'; SET zero_damaged_pages = on",
		"ALTER DATABASE a OWNER TO b; -- don't\nSELECT 'x'; SELECT set_config('a.b', 'on', false)",
	] {
		names(text) == []
	}
}

test_tablespaces if {
	every case in [
		["t", "CREATE TABLESPACE t LOCATION '/tmp/t'"],
		["t", "CREATE TABLESPACE t OWNER a LOCATION E'/tmp/t'"],
		["t", "CREATE TABLESPACE t LOCATION $$/tmp/t$$"],
		["T t", "CREATE TABLESPACE \"T t\" LOCATION '/tmp/t'"],
		["été", "CREATE TABLESPACE été LOCATION '/tmp/t'"],
	] {
		sql.tablespaces(case[1]) == [{"name": sprintf("Tablespace %s", [case[0]]), "value": "/tmp/t"}]
	}
}

test_programs if {
	every text in [
		"COPY t FROM PROGRAM 'echo fsync=off >> postgresql.auto.conf'",
		"COPY t FROM PROGRAM $p$sh /x.sh$p$",
		"COPY t FROM PROGRAM :'p'",
		"COPY t TO PROGRAM 'cat > $PGDATA/x.conf'",
		"COPY t FROM PROGRAM 'curl -so x http://a/b'",
		"COPY t FROM PROGRAM 'curl http://a/b | sh'",
		"COPY t FROM PROGRAM 'cat /a&sh /b'",
		"CREATE FOREIGN TABLE t (a text) SERVER s OPTIONS (format 'csv', program 'sh /x.sh')",
		"ALTER FOREIGN TABLE t OPTIONS (ADD program 'pg_ctl restart -o -F')",
		"CREATE FUNCTION f() RETURNS text LANGUAGE plsh AS '#!/bin/sh\necho x >> $PGDATA/y'",
		"DO LANGUAGE plperlu $$ `echo fsync=off >> x` $$",
		"DO LANGUAGE plperlu $$ open(F, '>>x'); print F 'y' $$",
		"DO LANGUAGE plpython3u $$ open('x', 'a').write('y') $$",
		"DO LANGUAGE plpython3u $$ __import__('pathlib').Path('x').write_text('y') $$",
		"SELECT pg_file_write('x', 'y', true)",
		"SELECT \"pg_file_rename\"('x', 'y')",
		"COPY t FROM PROGRAM 'cat /a | uniq - custom.conf'",
		"COPY t FROM PROGRAM 'uniq -c /x $PGDATA/custom.conf'",
		"COPY t FROM PROGRAM 'cat /a | iconv -o custom.conf'",
		"COPY t FROM PROGRAM 'cat /a | sed -n \"wcustom.conf\"'",
		"COPY t FROM PROGRAM 'sed s/a/b/wcustom.conf /a'",
		"COPY t FROM PROGRAM 'lz4 -dfq - custom.conf'",
		"COPY t FROM PROGRAM 'zstd -dfo custom.conf'",
		"COPY t FROM PROGRAM 'wget -q http://x/custom.conf'",
		"COPY t FROM PROGRAM 'curl -D custom.conf http://x'",
		"CREATE FUNCTION f() RETURNS text LANGUAGE plr AS 'system(\"cp /x y\")'",
		"CREATE FUNCTION f() RETURNS text LANGUAGE plluau AS 'os.execute(\"cp /x y\")'",
		"CREATE FUNCTION f() RETURNS text LANGUAGE \"javau\" AS 'java.lang.Runtime.exec'",
		"DO LANGUAGE plpython3u $$ from os import link $$",
		"DO LANGUAGE plpython3u $$ import tarfile $$",
		"DO LANGUAGE plperlu $$ use File::Copy $$",
	] {
		sql.forced(text) == {"runs programs as the server"}
		sql.unreadable(text)
	}
	every text in [
		"SELECT set_config('zero_damaged'||'_pages', 'on', false)",
		"SELECT set_config(chr(122)||'ero_damaged_pages', 'on', false)",
		"SELECT set_config(name, 'on', false) FROM pg_settings WHERE name LIKE 'zero%'",
		"UPDATE pg_settings SET setting = 'on' WHERE name = 'zero_damaged_pages'",
		"SELECT set_config(setting_name => 'zero_damaged_pages', new_value => 'on', is_local => false)",
	] {
		sql.forced(text) == {"sets a parameter whose name it puts together"}
		sql.unreadable(text)
	}
	sql.unreadable("INSERT INTO cron.job (schedule, command) VALUES ('* * * * *', 'ALTER ' || 'SYSTEM SET fsync = off')")
}

test_shells_of_psql if {
	every text in [
		"\\set a `cp -L /x/* $PGDATA/`", "\\c postgres\n\\echo `cd $PGDATA && sed -i '$a jit = off' $(ls | grep auto)`", "\\set a `echo jit = off >> $PGDATA/x`", "\\set a `psql -U postgres -f /x/y`",
		"\\if `sh /x/y`\n\\endif", "\\cd `/x/y`", "\\set a `date` `date | tee x`", "\\setenv PAGER 'sh /x/y'", "SELECT \"lo_export\"(1, 'x')",
	] {
		sql.unreadable(text)
	}
	every text in [
		"\\set pw `echo \"$POSTGRES_PASSWORD\"`", "\\set a `cat /run/secrets/a 2>/dev/null`", "\\set a `date +%F`", "\\if `test -n \"$A\" && echo true || echo false`", "\\set a `printenv A`", "\\set a `sed -n 1p /a`",
		"\\setenv PAGER 'less -S'", "-- `sh` is a shell", "\\set a `echo $(hostname)`",
	] {
		not sql.unreadable(text)
	}
}

test_honest_programs if {
	every text in [
		"COPY t FROM STDIN (FORMAT csv)",
		"COPY t FROM '/import/program.csv'",
		"COPY t (program, version) FROM '/import/x.csv'",
		"COPY t FROM PROGRAM 'zcat /import/x.csv.gz'",
		"COPY t FROM PROGRAM 'curl -fsSL https://a/b.csv | tail -n +2 | cut -d, -f1'",
		"COPY t FROM PROGRAM 'wget -qO- https://a/b.csv'",
		"COPY t FROM PROGRAM 'curl -s ''https://a/b?c=1&d=2'' | sed ''1d;s/>//'''",
		"COPY t FROM PROGRAM 'wget -q -O - https://a/b.csv | sort | uniq -c'",
		"COPY t FROM PROGRAM 'uniq -f 1 /a.csv 2>/dev/null'",
		"COPY t FROM PROGRAM 'iconv -f koi8-r -t utf-8 /a.csv'",
		"COPY t FROM PROGRAM 'zstd -dc /a.zst | lz4 -dc | sed s/wo/we/ | sed ''s/a\\/b/w/'' /x'",
		"DO LANGUAGE plpython3u $$ plpy.execute('select link from t'); plpy.notice(x.replace('a', 'b')) $$",
		"CREATE FUNCTION f() RETURNS float LANGUAGE plr AS 'mean(x)'",
		"CREATE FOREIGN TABLE t (a text) SERVER s OPTIONS (program 'ps aux 2>/dev/null', format 'text')",
		"CREATE FUNCTION f() RETURNS text LANGUAGE plsh AS '#!/bin/sh\nhostname'",
		"DO LANGUAGE plpython3u $$ plpy.notice(open('/etc/hostname').read()) $$",
		"SELECT set_config('app.' || k, v, true); SELECT set_config('search_path', '', false)",
		"SELECT set_config(format('app.%s', k), v, true)",
		"UPDATE pg_settings SET setting = '64MB' WHERE name = 'work_mem'",
		"INSERT INTO courses VALUES ('to program', 'from program')",
	] {
		sql.forced(text) == set()
	}
	every text in ["COPY t FROM PROGRAM 'zcat /import/x.csv.gz'", "COPY t FROM STDIN", "INSERT INTO cron.job (schedule, command) VALUES ('* * * * *', 'VACUUM')"] {
		not sql.unreadable(text)
	}
}

package walguard.lib.pooling_test

import data.walguard.lib.pooling

volumes := [{"name": "c", "configMap": {"name": "c"}}]

opened(container, texts) := [one.text | some one in found] if {
	found := pooling.of_container(container, volumes) with input as {
		"review": {"object": {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "pool", "namespace": "shop"}}},
		"inventory": {"namespace": {"shop": {"v1": {"ConfigMap": {"c": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c", "namespace": "shop"}, "data": texts}}}}}},
	}
}

by_variables(image, variables) := opened({"image": image, "env": [{"name": name, "value": value} | some name, value in variables]}, {})

by_files(image, texts) := opened({"image": image, "volumeMounts": [{"name": "c", "mountPath": "/etc/pool/"}]}, texts)

test_types if {
	{value | some value in ["any", "Trust", " trust\n", "tru\nst", "md5", "hba", 1]; pooling.open_type(value)} == {"any", "Trust", " trust\n", "tru\nst"}
}

test_variables if {
	by_variables("edoburu/pgbouncer:v1.24.1-p1", {"AUTH_TYPE": "trust", "DB_HOST": "db"}) == ["AUTH_TYPE trust"]
	by_variables("bitnami/pgbouncer:1.24.1", {"PGBOUNCER_AUTH_TYPE": "any"}) == ["PGBOUNCER_AUTH_TYPE any"]
	by_variables("edoburu/pgbouncer:v1.24.1-p1", {"AUTH_TYPE": "scram-sha-256"}) == []
}

test_loopback if {
	not by_files("x/odyssey:1", {"odyssey.conf": "listen {\n  host \"127.0.0.1\"\n}\nauthentication \"none\""})
	by_files("x/odyssey:1", {"odyssey.conf": "listen {\n  port 6432\n}\nauthentication \"none\""}) == ["authentication \"none\""]
	by_files("x/odyssey:1", {"odyssey.conf": "include \"more\"\nlisten {\n  host \"127.0.0.1\"\n}\nauthentication \"none\""}) == ["authentication \"none\""]
	not by_variables("edoburu/pgbouncer:v1.24.1-p1", {"AUTH_TYPE": "trust", "LISTEN_ADDR": "127.0.0.1"})
	not by_variables("bitnami/pgbouncer:1.24.1", {"PGBOUNCER_AUTH_TYPE": "trust", "PGBOUNCER_LISTEN_ADDRESS": "localhost, ::1"})
	not by_files("edoburu/pgbouncer:v1", {"pgbouncer.ini": "[pgbouncer]\nauth_type = trust\n"})
	not by_files("edoburu/pgbouncer:v1", {"pgbouncer.ini": "[pgbouncer]\nlisten_addr = 127.0.0.1\nauth_type = trust\n"})
}

ini := "[databases]\n* = host=db\n[pgbouncer]\nlisten_addr = *\n%s"

test_files if {
	by_files("edoburu/pgbouncer:v1", {"pgbouncer.ini": sprintf(ini, ["auth_type = md5\nauth_type = Any\n"])}) == ["auth_type any"]
	by_files("edoburu/pgbouncer:v1", {"pgbouncer.ini": sprintf(ini, [";auth_type = trust\n"])}) == []
	by_files("edoburu/pgbouncer:v1", {"pgbouncer.ini": sprintf(ini, ["%include /etc/pool/a\n"]), "a": "auth_type = trust"}) == ["auth_type trust"]
	opened({"image": "x/y:1", "command": ["sh", "-c", "exec pgbouncer /etc/pool/pgbouncer.ini"], "volumeMounts": [{"name": "c", "mountPath": "/etc/pool"}]}, {"pgbouncer.ini": sprintf(ini, ["auth_type = trust"])}) == ["auth_type trust"]
	not opened({"image": "x/y:1", "volumeMounts": [{"name": "c", "mountPath": "/etc/pool"}]}, {"pgbouncer.ini": sprintf(ini, ["auth_type = trust"])})
}

test_a_file_of_the_image_comes_before_its_variables if {
	opened({"image": "edoburu/pgbouncer:v1", "env": [{"name": "AUTH_TYPE", "value": "trust"}], "volumeMounts": [{"name": "c", "mountPath": "/etc/pool"}]}, {"pgbouncer.ini": sprintf(ini, ["auth_type = md5"])}) == []
}

test_lines if {
	by_files("edoburu/pgbouncer:v1", {"pgbouncer.ini": sprintf(ini, ["auth_type = hba\nauth_hba_file = /etc/pool/h\n"]), "h": "host all all 127.0.0.1/32 trust\nhost all all all trust\n"}) == ["host all all all trust"]
	by_files("edoburu/pgbouncer:v1", {"pgbouncer.ini": sprintf(ini, ["auth_type = hba\nauth_hba_file = /etc/pool/h\n"]), "h": "host all all all md5\n", "other": "host all all all trust\n"}) == []
	opened({"image": "edoburu/pgbouncer:v1", "env": [{"name": "AUTH_TYPE", "value": "hba"}, {"name": "AUTH_HBA_FILE", "value": "/etc/pool/h"}], "volumeMounts": [{"name": "c", "mountPath": "/etc/pool"}]}, {"h": "host all all all trust"}) == ["host all all all trust"]
	by_files("pgpool/pgpool:4.4", {"pool_hba.conf": "local all all trust\nhost all all 0.0.0.0/0 trust\n"}) == ["host all all 0.0.0.0/0 trust"]
}

test_others if {
	by_files("ghcr.io/pgdogdev/pgdog:v0.1", {"pgdog.toml": "[general]\nauth_type = \"trust\"\n"}) == ["auth_type = \"trust\""]
	by_files("ghcr.io/postgresml/pgcat:v1", {"pgcat.toml": "[pools.a.users.0]\nauth_type = 'trust'\n"}) == ["auth_type = 'trust'"]
	by_files("x/odyssey:1", {"odyssey.conf": "authentication \"none\""}) == ["authentication \"none\""]
	by_files("ghcr.io/pgdogdev/pgdog:v0.1", {"pgdog.toml": "[general]\nauth_type = \"scram\"\n", "notes.md": "auth_type = \"trust\""}) == []
}

test_commands if {
	opened({"image": "alpine:3", "command": ["sh", "-c", "printf 'auth_type  =  any\\n' > /a.ini; exec pgbouncer /a.ini"]}, {}) == ["auth_type = any"]
}

hidden(container) := [one.source | some one in found] if {
	found := pooling.unseen(container, []) with input as {"review": {"object": {"kind": "Deployment", "metadata": {"namespace": "shop"}}}}
}

test_unseen if {
	from_secret := {"name": "AUTH_TYPE", "valueFrom": {"secretKeyRef": {"name": "s", "key": "k"}}}
	hidden({"image": "edoburu/pgbouncer:v1", "env": [from_secret]}) == ["the variable AUTH_TYPE of PgBouncer"]
	hidden({"image": "edoburu/pgbouncer:v1", "env": [{"name": "DB_PASSWORD", "valueFrom": {"secretKeyRef": {"name": "s", "key": "k"}}}]}) == []
}

by_itself(key, text) := [[one.program, one.text] | some one in pooling.of_text(key, text)]

# Whoever mounts it.
test_texts_by_themselves if {
	by_itself("pgbouncer.ini", sprintf(ini, ["auth_type = trust"])) == [["PgBouncer", "auth_type trust"]]
	by_itself("a.conf", "auth_type = any\n") == [["PgBouncer", "auth_type any"]]
	by_itself("pgbouncer.ini", sprintf(ini, ["auth_type = scram-sha-256"])) == []
	by_itself("pgbouncer.ini", "[pgbouncer]\nlisten_addr = 127.0.0.1\nauth_type = trust\n") == []
	by_itself("pgbouncer.ini", "[pgbouncer]\nauth_type = trust\n%include /etc/a\n") == [["PgBouncer", "auth_type trust"]]
	by_itself("notes.md", "auth_type = trust\n") == []
	by_itself("pgdog.toml", "auth_type = \"trust\"\n") == [["PgDog", "auth_type = \"trust\""]]
	by_itself("pgcat.toml", "auth_type = \"md5\"\n") == []
	by_itself("other.toml", "auth_type = \"trust\"\n") == []
}

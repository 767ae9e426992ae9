package walguard.operators.cnpg_declared_test

import data.walguard.operators.cnpg

made(kind, name, spec) := {"apiVersion": "postgresql.cnpg.io/v1", "kind": kind, "metadata": {"name": name, "namespace": "db"}, "spec": spec}

read(spec, kind, asked) := found if {
	found := cnpg.cluster with input as {
		"review": {"object": made("Cluster", "pg", spec)},
		"inventory": {"namespace": {"db": {"postgresql.cnpg.io/v1": {kind: {"x": made(kind, "x", object.union({"cluster": {"name": "pg"}}, asked))}}}}},
	}
}

initdb(settings) := {"bootstrap": {"initdb": object.union({"database": "app", "owner": "app"}, settings)}}

database(spec, asked) := [[f.path, f.reason, f.cure] | some f in object.get(read(spec, "Database", object.union({"name": "shop", "owner": "app"}, asked)), "uncreated", [])]

test_database_of_another_locale if {
	database(initdb({}), {"localeCollate": "de_DE.utf8"}) == [[
		["spec", "localeCollate"],
		"Database x is not created: its localeCollate de_DE.utf8 is not that of template1, which it is copied from (C)",
		"Set template: template0",
	]]
	every asked in [{"localeCType": "de_DE.utf8"}, {"locale": "de_DE.utf8"}, {"encoding": "LATIN1"}, {"localeProvider": "icu", "icuLocale": "de-DE"}, {"encoding": "LATIN1", "template": "template1"}] {
		count(database(initdb({}), asked)) == 1
	}
	every asked in [{"localeCollate": "de_DE.utf8", "template": "template0"}, {"localeCollate": "C"}, {"encoding": "utf-8"}, {"localeCollate": "${LOCALE}"}, {"localeCollate": "de_DE.utf8", "ensure": "absent"}] {
		database(initdb({}), asked) == []
	}
	database(initdb({"localeCollate": "de_DE.UTF-8", "localeCType": "de_DE.UTF-8"}), {"localeCollate": "de_DE.utf8"}) == []
	database(initdb({"options": ["--locale=de_DE.utf8"]}), {"localeCollate": "de_DE.utf8"}) == []
	database({"bootstrap": {"recovery": {"source": "old"}}}, {"localeCollate": "de_DE.utf8"}) == []
}

test_database_in_a_tablespace if {
	database(initdb({}), {"tablespace": "fast"}) == [[
		["spec", "tablespace"],
		"Database x is not created: its tablespace fast is not among spec.tablespaces of the cluster",
		"Add it there, or take tablespace out",
	]]
	database(object.union(initdb({}), {"tablespaces": [{"name": "fast", "storage": {"size": "1Gi"}}]}), {"tablespace": "fast"}) == []
	database(initdb({"postInitSQL": ["CREATE TABLESPACE fast LOCATION '/x'"]}), {"tablespace": "fast"}) == []
	database(initdb({}), {"tablespace": "pg_default"}) == []
}

test_server_without_its_wrapper if {
	server := {"servers": [{"name": "old", "fdw": "postgres_fdw"}]}
	database(initdb({}), server) == [[
		["spec", "servers", 0, "fdw"],
		"Server old of Database x is not created: there is no foreign-data wrapper postgres_fdw in it, which extension postgres_fdw brings",
		"List postgres_fdw among its extensions",
	]]
	database(initdb({}), object.union(server, {"extensions": [{"name": "postgres_fdw"}]})) == []
	database(initdb({"postInitTemplateSQL": ["CREATE EXTENSION postgres_fdw"]}), server) == []
	database(initdb({}), {"servers": [{"name": "old", "fdw": "oracle_fdw"}]}) == []
}

test_parts_of_roles_that_nobody_makes if {
	database(initdb({}), {"schemas": [{"name": "sales", "owner": "ghost"}]}) == [[
		["spec", "schemas", 0, "owner"],
		"Schema sales of Database x names role ghost, and neither bootstrap.initdb nor managed.roles makes it: it is not applied (\"role does not exist\")",
		"Add ghost to managed.roles",
	]]
	count(database(initdb({}), {"extensions": [{"name": "postgres_fdw"}], "servers": [{"name": "old", "fdw": "postgres_fdw", "usage": [{"name": "ghost"}]}]})) == 1
	database(initdb({}), {"schemas": [{"name": "sales", "owner": "app"}, {"name": "gone", "owner": "ghost", "ensure": "absent"}]}) == []
}

publication(spec, asked) := [f.reason | some f in object.get(read(spec, "Publication", object.union({"name": "p", "target": {"allTables": true}}, asked)), "uncreated", [])]

test_publication_of_no_database if {
	publication(initdb({}), {"dbname": "shop"}) == ["Publication x is for database shop, and neither bootstrap.initdb nor a Database makes it"]
	publication(initdb({}), {"dbname": "app"}) == []
	publication(initdb({}), {"dbname": "${NAME}"}) == []
	publication(initdb({"postInitSQL": ["CREATE DATABASE shop"]}), {"dbname": "shop"}) == []
}

logins(role) := [f.reason | some f in object.get(read({"managed": {"roles": [role]}}, "Backup", {}), "contested_logins", [])]

test_role_that_may_not_log_in if {
	role := {"name": "bob", "passwordSecret": {"name": "bobs"}}
	logins(role) == ["Role bob has the password of Secret bobs and not login: true, so that nobody logs in with it (\"is not permitted to log in\")"]
	count(logins(object.union(role, {"login": false}))) == 1
	every more in [{"login": true}, {"login": "${LOGIN}"}, {"ensure": "absent"}] {
		logins(object.union(role, more)) == []
	}
	logins({"name": "bob"}) == []
	[f.path | some f in read({}, "DatabaseRole", role).contested_logins] == [["spec", "passwordSecret"]]
}

test_role_whose_password_has_expired if {
	role := {"name": "bob", "login": true, "passwordSecret": {"name": "bobs"}}
	logins(object.union(role, {"validUntil": "2023-01-01T00:00:00Z"})) == ["The password of role bob is valid until 2023-01-01T00:00:00Z, which is past: every login with it is refused"]
	every moment in ["2099-01-01T00:00:00Z", "infinity", "${MOMENT}"] {
		logins(object.union(role, {"validUntil": moment})) == []
	}
}

pooler(container) := [[f.path, f.cure] | some f in object.get(read({}, "Pooler", {"type": "rw", "pgbouncer": {"poolMode": "session"}, "template": {"spec": {"containers": [container]}}}), "pooler_faults", [])]

test_pooler_with_a_container_without_image if {
	pooler({"name": "pooler", "resources": {"limits": {"memory": "1Gi"}}}) == [[["spec", "template", "spec", "containers", 0], "Call it pgbouncer, if it is meant to be PgBouncer's"]]
	beside([{"name": "pgbouncer"}, {"name": "exporter", "image": ""}]) == [[["spec", "template", "spec", "containers", 1], "Write its image"]]
}

beside(containers) := [[f.path, f.cure] | some f in object.get(read({}, "Pooler", {"type": "rw", "pgbouncer": {"poolMode": "session"}, "template": {"spec": {"containers": containers}}}), "pooler_faults", [])]

test_pooler_with_a_container_of_another_name if {
	pooler({"name": "pooler", "image": "ghcr.io/cloudnative-pg/pgbouncer:1.24.0"}) == [[["spec", "template", "spec", "containers", 0, "name"], "Call the container pgbouncer"]]
	every container in [
		{"name": "pgbouncer", "image": "ghcr.io/cloudnative-pg/pgbouncer:1.24.0"},
		{"name": "${NAME}", "image": "ghcr.io/cloudnative-pg/pgbouncer:1.24.0"},
		{"name": "exporter", "image": "prometheuscommunity/pgbouncer-exporter:v0.10.2"},
		{"name": "pgbouncer"},
		{"name": "${NAME}"},
		{"name": "pooler", "image": "ghcr.io/cloudnative-pg/pgbouncer:1.24.0", "command": ["pgbouncer", "/etc/pgbouncer.ini"]},
	] {
		pooler(container) == []
	}
}

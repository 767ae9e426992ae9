package walguard.checks.access.pooler_login_files_test

import data.walguard.checks.access.pooler_login as check
import data.walguard.lib.pooling

pooler(image, file) := {
	"apiVersion": "apps/v1",
	"kind": "Deployment",
	"metadata": {"name": "pool", "namespace": "shop"},
	"spec": {"template": {"metadata": {"labels": {"app": "pool"}}, "spec": {"containers": [{"name": "pool", "image": image, "volumeMounts": [{"name": "c", "mountPath": "/etc/pool"}]}], "volumes": [{"name": "c", "configMap": {"name": file}}]}}},
}

web(url) := {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web", "namespace": "shop"}, "spec": {"template": {"spec": {"containers": [{"name": "web", "image": "shop/web:1", "env": [{"name": "DATABASE_URL", "value": url}]}]}}}}

around(texts, url) := {
	"v1": {
		"ConfigMap": {"c": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c", "namespace": "shop"}, "data": texts}},
		"Service": {"pool": {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "pool", "namespace": "shop"}, "spec": {"selector": {"app": "pool"}, "ports": [{"port": 6432}]}}},
	},
	"apps/v1": {"Deployment": {"web": web(url)}},
}

said(image, texts, url) := {[f.severity, f.message] | some f in found} if {
	found := check.findings with input as {"review": {"object": pooler(image, "c")}, "inventory": {"namespace": {"shop": around(texts, url)}}}
}

pgcat := "ghcr.io/postgresml/pgcat:v1.2.0"

toml(general, user) := concat("\n", [
	"[general]",
	"port = 6432",
	general,
	"[pools.shop]",
	"pool_mode = \"transaction\"",
	"[pools.shop.users.0]",
	user,
	"[pools.shop.shards.0]",
	"servers = [",
	"  [\"10.0.0.5\", 5432, \"primary\"],",
	"]",
	"database = \"shop\"",
	"",
])

of_pgcat(general, user, url) := said(pgcat, {"pgcat.toml": toml(general, user)}, url)

admin := "admin_username = \"a\"\nadmin_password = \"b\""

known := "username = \"shop\" # the one\npool_size = 9"

usual := "postgres://shop:x@pool:6432/shop"

test_pgcat_by_itself if {
	of_pgcat(admin, known, usual) == set()
	of_pgcat("admin_username = \"a\"", known, usual) == {["error", "[general] of pgcat.toml has no admin_password, which PgCat wants: it ends there (\"missing field\"). Add admin_password."]}
	of_pgcat(admin, "username = \"shop\"", usual) == {["error", "[pools.shop.users.0] of pgcat.toml has no pool_size, which PgCat wants: it ends there (\"missing field\"). Add pool_size."]}
	of_pgcat(admin, "${USER}", usual) == set()
	said(pgcat, {"pgcat.toml": replace(toml(admin, known), "transaction", "statement")}, usual) == {["error", "pool_mode = \"statement\" in [pools.shop] of pgcat.toml is not one of session and transaction, and PgCat ends there. Write one of them."]}
	of_pgcat(admin, known, "postgres://web:x@pool:6432/shop") == {["error", "Deployment web logs in as web, and PgCat knows shop for pool shop alone (\"No pool configured for database\"). Add a user web to it."]}
	of_pgcat(admin, known, "postgres://web:x@elsewhere:6432/shop") == set()
	of_pgcat(admin, known, "postgres://shop:x@pool:6432/other") == {["error", "Deployment web asks for database other, and PgCat knows shop alone (\"No pool configured for database\"). Call the pool other: its name is what clients ask for."]}
}

test_pgdog_by_itself if {
	pgdog := "ghcr.io/pgdogdev/pgdog:v0.1.20"
	said(pgdog, {"pgdog.toml": "[general]\npooler_mode = \"transaktion\"\n[[databases]]\nname = \"shop\"\nhost = \"10.0.0.5\"\n"}, usual) == {["error", "pooler_mode = \"transaktion\" in [general] of pgdog.toml is not one of session, statement and transaction, and PgDog ends there. Write one of them."]}
	said(pgdog, {"pgdog.toml": "[[databases]]\nname = \"shop\"\n", "users.toml": "[[users]]\ndatabase = \"shop\"\n"}, usual) == {
		["error", "[databases] of pgdog.toml has no host, which PgDog wants: it ends there (\"missing field\"). Add host."],
		["error", "[users] of users.toml has no name, which PgDog wants: it ends there (\"missing field\"). Add name."],
	}
}

odyssey(storage, user, more) := said("shop/odyssey:1.4.0", {"odyssey.conf": sprintf("log_format \"%%m\"\n%s\nlisten {\n  host \"*\"\n}\nstorage \"pg\" {\n  %s\n}\n# user none {\ndatabase default {\n  user default {\n    %s\n  }\n}\n", [more, storage, user])}, usual)

whole := "authentication \"md5\"\n    storage \"pg\"\n    pool \"session\""

test_odyssey_by_itself if {
	odyssey("type \"remote\"", whole, "") == set()
	odyssey("type \"postgres\"", whole, "") == {["error", "storage \"pg\" has the type \"postgres\", and there are remote and local alone: Odyssey ends there. Write type \"remote\"."]}
	odyssey("host \"x\"", whole, "") == {["error", "storage \"pg\" has no type: Odyssey ends there. Add type \"remote\"."]}
	odyssey("type \"remote\"", "pool \"session\"", "") == {["error", "user default has no authentication and storage: Odyssey ends there. Add authentication and storage to it."]}
	odyssey("type \"remote\"", whole, "unix_socket_dir \"/tmp\"") == {["error", "unix_socket_dir is there without unix_socket_mode: Odyssey ends there. Add unix_socket_mode \"0644\"."]}
	odyssey("type \"remote\"", whole, "unix_socket_dir \"/tmp\"\ninclude \"more.conf\"") == set()
	said("shop/odyssey:1.4.0", {"odyssey.conf": "storage \"pg\" {\n  type \"local\"\n}\n"}, usual) == {
		["error", "log_format is not there: Odyssey ends there. Add log_format \"%p %t %l [%i %s] (%c) %m\\n\"."],
		["error", "there is no listen { … }: Odyssey ends there. Add one with host and port."],
	}
}

# Beside a server it is that one's where its file names it.
beside(host) := {f.message | some f in found} if {
	server := {"apiVersion": "apps/v1", "kind": "StatefulSet", "metadata": {"name": "db", "namespace": "shop"}, "spec": {"serviceName": "db", "template": {"spec": {"containers": [{"name": "postgres", "image": "postgres:17.6"}]}}}}
	texts := {"pgcat.toml": replace(toml("admin_username = \"a\"", known), "10.0.0.5", host)}
	found := check.findings with input as {"review": {"object": server}, "inventory": {"namespace": {"shop": object.union(around(texts, usual), {"apps/v1": {"Deployment": {"pool": pooler(pgcat, "c")}}})}}}
}

test_beside_its_server if {
	beside("db") == {"[general] of pgcat.toml has no admin_password, which PgCat wants: it ends there (\"missing field\"). Add admin_password."}
	beside("elsewhere") == set()
}

test_tables if {
	pooling.sections("a = 1\n[b]\nc = \"d\" # e\n[[f]]\n") == [{"name": "b", "pairs": {["c", "d"]}}, {"name": "f", "pairs": set()}]
}

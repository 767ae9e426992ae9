package walguard.checks.access.secret_line_break_test

import data.walguard.checks.access.secret_line_break as check

findings(reviewed, secret) := found if found := check.findings with input as {
	"review": {"object": reviewed},
	"inventory": {"namespace": {"prod": {"v1": {"Secret": {"db": object.union({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "db", "namespace": "prod"}}, secret)}}}}},
}

workload(variable) := {
	"apiVersion": "apps/v1",
	"kind": "StatefulSet",
	"metadata": {"name": "db", "namespace": "prod"},
	"spec": {"template": {"spec": {"containers": [{"name": "postgres", "image": "postgres:17.6", "env": [{"name": variable, "valueFrom": {"secretKeyRef": {"name": "db", "key": "password"}}}]}]}}},
}

cnpg(spec) := {"apiVersion": "postgresql.cnpg.io/v1", "kind": "Cluster", "metadata": {"name": "db", "namespace": "prod"}, "spec": spec}

test_password if {
	findings(workload("POSTGRES_PASSWORD"), {"data": {"password": "aHVudGVyMgo="}}) == {{
		"message": "The value of password in Secret db ends with a line break: what reads the Secret sends another password than the one that is set, and logins fail. Encode it without (echo -n).",
		"path": ["spec", "template", "spec", "containers", 0, "env", 0, "valueFrom", "secretKeyRef"],
		"severity": "error",
	}}
	count(findings(workload("POSTGRES_PASSWORD"), {"stringData": {"password": "hunter2\n"}})) == 1
	{f.severity | some f in findings(workload("POSTGRES_USER"), {"stringData": {"password": "app\n"}})} == {"warning"}
}

# As a whole, by envFrom; a variable of its own wins over it.
test_all_of_a_secret if {
	secret := {"data": {"POSTGRES_DB": "dGVzdAo=", "POSTGRES_PASSWORD": "aHVudGVyMgo=", "OTHER": "eAo=", "POSTGRES_USER": "dGVzdA=="}}
	{[regex.replace(f.message, ` in Secret.*`, ""), f.severity, f.path] | some f in findings(taking({}), secret)} == {
		["The value of POSTGRES_DB", "warning", ["spec", "template", "spec", "containers", 0, "envFrom", 0, "secretRef"]],
		["The value of POSTGRES_PASSWORD", "error", ["spec", "template", "spec", "containers", 0, "envFrom", 0, "secretRef"]],
	}
	count(findings(taking({"env": [{"name": "POSTGRES_DB", "value": "test"}]}), secret)) == 1
	prefixed := {"envFrom": [{"prefix": "POSTGRES_", "secretRef": {"name": "db"}}]}
	count(findings(taking(prefixed), {"stringData": {"DB": "test\n"}})) == 1
	findings(taking(object.union(prefixed, {"env": [{"name": "POSTGRES_DB", "value": "test"}]})), {"stringData": {"DB": "test\n"}}) == set()
}

taking(more) := object.union(workload("X"), {"spec": {"template": {"spec": {"containers": [object.union({"name": "postgres", "image": "postgres:17.6", "envFrom": [{"secretRef": {"name": "db"}}]}, more)]}}}})

test_cloudnativepg if {
	{[f.path, f.severity] | some f in findings(cnpg({"managed": {"roles": [{"name": "app", "passwordSecret": {"name": "db"}}]}}), {"data": {"password": "aHVudGVyMgo="}})} == {[["spec", "managed", "roles", 0, "passwordSecret", "name"], "warning"]}
	{f.path | some f in findings(cnpg({"bootstrap": {"initdb": {"secret": {"name": "db"}}}}), {"data": {"password": "aHVudGVyMgo="}})} == {["spec", "bootstrap", "initdb", "secret", "name"]}
}

test_without if {
	findings(workload("POSTGRES_PASSWORD"), {"data": {"password": "aHVudGVyMg=="}}) == set()
	findings(workload("PGDATA"), {"stringData": {"password": "x\n"}}) == set()
	findings(cnpg({"bootstrap": {"initdb": {"secret": {"name": "db"}}}}), {"stringData": {"password": "x"}}) == set()
}

# Where a word stands for the password, the line break behind it is no less there.
test_a_word_for_the_password if {
	count(findings(workload("POSTGRES_PASSWORD"), {"data": {"password": base64.encode("placeholder-change-me\n")}})) == 1
	count(findings(workload("POSTGRES_PASSWORD"), {"data": {"password": base64.encode("<PASSWORD>\n")}})) == 1
	count(findings(workload("POSTGRES_PASSWORD"), {"stringData": {"password": "change-me\n"}})) == 1
	findings(workload("POSTGRES_PASSWORD"), {"data": {"password": base64.encode("placeholder-change-me")}}) == set()
	findings(workload("POSTGRES_PASSWORD"), {"stringData": {"password": "change-me"}}) == set()
	findings(workload("POSTGRES_PASSWORD"), {"data": {"password": "${PASSWORD_BASE64}\n"}}) == set()
}

test_images_that_set_the_whole if {
	every image in ["bitnami/postgresql:17.6.0", "quay.io/sclorg/postgresql-16-c9s:latest"] {
		{f.message | some f in findings(json.patch(workload("POSTGRESQL_PASSWORD"), [{"op": "replace", "path": "/spec/template/spec/containers/0/image", "value": image}]), {"data": {"password": "aHVudGVyMgo="}})} == {"The value of password in Secret db ends with a line break: it is part of the password, and whoever types it, or decodes it in a shell, is refused. Encode it without (echo -n)."}
	}
}

by_file(image, client) := found if {
	reviewed := {
		"apiVersion": "apps/v1",
		"kind": "StatefulSet",
		"metadata": {"name": "db", "namespace": "prod"},
		"spec": {"template": {"spec": {
			"containers": [{
				"name": "postgres",
				"image": image,
				"env": [{"name": "POSTGRES_PASSWORD_FILE", "value": "/run/secrets/db/password"}],
				"volumeMounts": [{"name": "login", "mountPath": "/run/secrets/db/"}],
			}],
			"volumes": [{"name": "login", "secret": {"secretName": "db"}}],
		}}},
	}
	found := check.findings with input as {"review": {"object": reviewed}, "inventory": {"namespace": {"prod": {
		"v1": {"Secret": {"db": {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "db", "namespace": "prod"}, "data": {"password": "aHVudGVyMgo="}}}},
		"apps/v1": {"Deployment": {"app": {
			"apiVersion": "apps/v1",
			"kind": "Deployment",
			"metadata": {"name": "app", "namespace": "prod"},
			"spec": {"template": {"spec": {"containers": [{"name": "app", "image": "app:1.0", "env": [{"name": "DB_PASSWORD", "valueFrom": {"secretKeyRef": client}}]}]}}},
		}}},
	}}}}
}

test_a_file_for_the_server_and_a_variable_for_the_client if {
	by_file("postgres:17.6", {"name": "db", "key": "password"}) == {{
		"message": "The value of password in Secret db ends with a line break: the image cuts it off where it reads the file, Deployment app sends it, and its logins fail. Encode it without (echo -n).",
		"path": ["spec", "template", "spec", "containers", 0, "env", 0],
		"severity": "error",
	}}
	by_file("postgres:17.6", {"name": "other", "key": "password"}) == set()
	by_file("postgres:17.6", {"name": "db", "key": "user"}) == set()
}

test_silent_when_unknown if {
	findings(workload("POSTGRES_PASSWORD"), {}) == set()
	findings(workload("POSTGRES_PASSWORD"), {"stringData": {"password": "${PASSWORD}\n"}}) == set()
	findings(cnpg({"bootstrap": {"initdb": {"secret": {"name": "elsewhere"}}}}), {"stringData": {"password": "x\n"}}) == set()
}

addressed(text) := found if found := check.findings with input as {
	"review": {"object": object.union(workload("PGDATA"), {"spec": {"serviceName": "db", "template": {"spec": {"containers": [{"name": "postgres", "image": "postgres:17.6"}]}}}})},
	"inventory": {"namespace": {"prod": {
		"v1": {"Secret": {"app": {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "app", "namespace": "prod"}, "stringData": {"uri": text}}}},
		"apps/v1": {"Deployment": {"app": {
			"apiVersion": "apps/v1",
			"kind": "Deployment",
			"metadata": {"name": "app", "namespace": "prod"},
			"spec": {"template": {"spec": {"containers": [{"name": "app", "image": "app:1.0", "env": [{"name": "DATABASE_URL", "valueFrom": {"secretKeyRef": {"name": "app", "key": "uri"}}}]}]}}},
		}}},
	}}},
}

test_an_address if {
	addressed("postgresql://app:Rk7vq2LmXcPs@db:5432/app\n") == {{
		"message": "The address in uri of Secret app ends with a line break, which becomes part of the database's name: it does not exist. Encode it without (echo -n).",
		"path": ["spec", "template", "spec", "containers", 0, "env", 0, "valueFrom", "secretKeyRef"],
		"resource": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "app", "namespace": "prod"},
	}}
	addressed("postgresql://app:Rk7vq2LmXcPs@db:5432/app") == set()
	addressed("postgresql://app:Rk7vq2LmXcPs@elsewhere:5432/app\n") == set()
	addressed("mysql://app:Rk7vq2LmXcPs@db:3306/app\n") == set()
}

# The names that a client takes from a Secret of its own.
asking(env, server_env) := {[f.message, f.path, f.severity] | some f in found} if {
	found := check.findings with input as {
		"review": {"object": {
			"apiVersion": "apps/v1",
			"kind": "StatefulSet",
			"metadata": {"name": "db", "namespace": "prod"},
			"spec": {"serviceName": "orders", "template": {"spec": {"containers": [{"name": "postgres", "image": "postgres:17.6", "env": server_env}]}}},
		}},
		"inventory": {"namespace": {"prod": {
			"v1": {"Secret": {"shop": {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "shop", "namespace": "prod"}, "stringData": {"user": "shop\n", "name": "shop"}}}},
			"apps/v1": {"Deployment": {"web": {
				"apiVersion": "apps/v1",
				"kind": "Deployment",
				"metadata": {"name": "web", "namespace": "prod"},
				"spec": {"template": {"spec": {"containers": [{"name": "web", "env": env}]}}},
			}}},
		}}},
	}
}

of_shop(name, key) := {"name": name, "valueFrom": {"secretKeyRef": {"name": "shop", "key": key}}}

test_names_of_clients if {
	place := ["spec", "template", "spec", "containers", 0, "env", 1, "valueFrom", "secretKeyRef"]
	asking([{"name": "POSTGRES_HOST", "value": "orders"}, of_shop("POSTGRES_USER", "user")], []) == {["The value of user in Secret shop ends with a line break: it becomes part of the name of the role that Deployment web asks for, and there is none of that name. Encode it without (echo -n).", place, "error"]}
	asking([{"name": "KC_DB_URL_HOST", "value": "orders.prod.svc"}, of_shop("KC_DB_USERNAME", "user")], []) != set()
	{substring(message, 0, 101) | some [message, _, _] in asking([{"name": "DB_HOST", "value": "orders:5432"}, of_shop("DB_NAME", "user")], [])} == {"The value of user in Secret shop ends with a line break: it becomes part of the name of the database "}
	asking([{"name": "DB_HOST", "value": "orders"}, of_shop("DB_USER", "name")], []) == set()
	asking([{"name": "DB_HOST", "value": "others"}, of_shop("DB_USER", "user")], []) == set()
	asking([{"name": "DB_HOST", "value": "orders"}, of_shop("MAIL_USER", "user")], []) == set()
	{severity | some [_, _, severity] in asking([{"name": "DB_HOST", "value": "orders"}, of_shop("DB_USER", "user")], [of_shop("POSTGRES_USER", "user")])} == {"warning"}
}

store_keys := {"s3Credentials": {"accessKeyId": {"name": "db", "key": "id"}, "secretAccessKey": {"name": "db", "key": "key"}, "region": {"name": "db", "key": "region"}}}

of_store(spec, secret) := {[f.severity, f.path, regex.replace(f.message, `: .*`, "")] | some f in findings(cnpg(spec), secret)}

# Barman Cloud gets them as they are.
test_keys_of_a_store if {
	archive := {"backup": {"barmanObjectStore": store_keys}}
	below := ["spec", "backup", "barmanObjectStore", "s3Credentials"]
	of_store(archive, {"data": {"id": base64.encode("id\n"), "key": base64.encode("key"), "region": base64.encode("eu")}}) == {["error", array.concat(below, ["accessKeyId"]), "The value of id in Secret db ends with a line break"]}
	of_store(archive, {"stringData": {"id": "id", "key": "key ", "region": "eu\n"}}) == {
		["error", array.concat(below, ["secretAccessKey"]), "The value of key in Secret db ends with a blank"],
		["error", array.concat(below, ["region"]), "The value of region in Secret db ends with a line break"],
	}
	of_store(archive, {"stringData": {"id": "id", "key": "key", "region": "eu"}}) == set()
	of_store({"externalClusters": [{"name": "old", "barmanObjectStore": {"azureCredentials": {"storageAccount": {"name": "db", "key": "id"}}}}]}, {"stringData": {"id": "id\n"}}) == {
		["error", ["spec", "externalClusters", 0, "barmanObjectStore", "azureCredentials", "storageAccount"], "The value of id in Secret db ends with a line break"],
	}
}

test_keys_of_an_object_store if {
	found := check.findings with input as {
		"review": {"object": cnpg({"plugins": [{"name": "barman-cloud.cloudnative-pg.io", "isWALArchiver": true, "parameters": {"barmanObjectName": "s3"}}]})},
		"inventory": {"namespace": {"prod": {
			"v1": {"Secret": {"db": {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "db", "namespace": "prod"}, "stringData": {"id": "id\n"}}}},
			"barmancloud.cnpg.io/v1": {"ObjectStore": {"s3": {"apiVersion": "barmancloud.cnpg.io/v1", "kind": "ObjectStore", "metadata": {"name": "s3", "namespace": "prod"}, "spec": {"configuration": store_keys}}}},
		}}},
	}
	[[f.path, f.resource.kind] | some f in found] == [[["spec", "configuration", "s3Credentials", "accessKeyId"], "ObjectStore"]]
}

archiving(command, name) := findings(
	{
		"apiVersion": "apps/v1",
		"kind": "StatefulSet",
		"metadata": {"name": "db", "namespace": "prod"},
		"spec": {"template": {"spec": {"containers": [{"name": "postgres", "image": "shop/postgres:17.6", "args": ["postgres", "-c", "archive_mode=on", "-c", sprintf("archive_command=%s", [command])], "env": [{"name": name, "valueFrom": {"secretKeyRef": {"name": "db", "key": "key"}}}]}]}}},
	},
	{"stringData": {"key": "key\n"}},
)

test_keys_of_what_archives if {
	{[f.severity, f.path] | some f in archiving("wal-g wal-push %p", "AWS_SECRET_ACCESS_KEY")} == {["error", ["spec", "template", "spec", "containers", 0, "env", 0, "valueFrom", "secretKeyRef"]]}
	count(archiving("pgbackrest --stanza=db archive-push %p", "PGBACKREST_REPO1_S3_KEY")) == 1
	archiving("cp %p /archive/%f", "AWS_SECRET_ACCESS_KEY") == set()
	archiving("wal-g wal-push %p", "OTHER") == set()
}

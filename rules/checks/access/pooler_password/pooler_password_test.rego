package walguard.checks.access.pooler_password_test

import data.walguard.checks.access.pooler_password as check

findings(image, variables, pooler) := found if found := check.findings with input as {
	"review": {"object": {
		"apiVersion": "apps/v1",
		"kind": "StatefulSet",
		"metadata": {"name": "db", "namespace": "prod"},
		"spec": {"serviceName": "db", "template": {"spec": {"containers": [{"name": "postgres", "image": image, "env": variables}]}}},
	}},
	"inventory": {"namespace": {"prod": {"apps/v1": {"Deployment": {"pgbouncer": {
		"apiVersion": "apps/v1",
		"kind": "Deployment",
		"metadata": {"name": "pgbouncer", "namespace": "prod"},
		"spec": {"template": {"spec": {"containers": [object.union({"name": "pgbouncer", "image": "edoburu/pgbouncer:v1.24.1-p1"}, pooler)]}}},
	}}}}}},
}

host := {"name": "DB_HOST", "value": "db"}

test_without_a_word if {
	findings("postgres:17.6", [], {"env": [host]}) == {{
		"message": "The pooler logs in with MD5 sums (AUTH_TYPE md5), and the server has SCRAM secrets: every client gets \"server login failed: wrong password type\". Set AUTH_TYPE to scram-sha-256.",
		"path": ["spec", "template", "spec", "containers", 0, "env"],
		"resource": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "pgbouncer", "namespace": "prod"},
	}}
	count(findings("postgres:17.6", [], {"env": [host, {"name": "AUTH_TYPE", "value": "md5"}]})) == 1
}

test_not_reported if {
	findings("postgres:17.6", [], {"env": [host, {"name": "AUTH_TYPE", "value": "scram-sha-256"}]}) == set()
	findings("postgres:13.20", [], {"env": [host]}) == set()
	findings("postgres:17.6", [{"name": "POSTGRES_HOST_AUTH_METHOD", "value": "md5"}], {"env": [host]}) == set()
	findings("postgres:17.6", [], {"env": [{"name": "DB_HOST", "value": "elsewhere"}]}) == set()
}

test_silent_when_unknown if {
	findings("postgres:17.6", [], {"env": [host, {"name": "AUTH_TYPE", "valueFrom": {"secretKeyRef": {"name": "p", "key": "t"}}}]}) == set()
	findings("postgres:17.6", [], {"env": [host], "envFrom": [{"secretRef": {"name": "p"}}]}) == set()
	findings("postgres:17.6", [], {"env": [host], "volumeMounts": [{"name": "c", "mountPath": "/etc/pgbouncer/userlist.txt"}]}) == set()
	findings("postgres:latest", [], {"env": [host]}) == set()
}

pgpool(image, env) := found if found := check.findings with input as {
	"review": {"object": {
		"apiVersion": "apps/v1",
		"kind": "StatefulSet",
		"metadata": {"name": "db", "namespace": "prod"},
		"spec": {"serviceName": "db", "replicas": 3, "template": {"spec": {"containers": [{"name": "postgres", "image": image}]}}},
	}},
	"inventory": {"namespace": {"prod": {"apps/v1": {"Deployment": {"pgpool": {
		"apiVersion": "apps/v1",
		"kind": "Deployment",
		"metadata": {"name": "pgpool", "namespace": "prod"},
		"spec": {"template": {"spec": {"containers": [{"name": "pgpool", "image": "bitnami/pgpool:4.6.0", "env": array.concat([{"name": "PGPOOL_BACKEND_NODES", "value": "0:db-0.db:5432"}], env)}]}}},
	}}}}}},
}

test_pgpool if {
	{f.message | some f in pgpool("bitnami/postgresql-repmgr:17.6.0", [{"name": "PGPOOL_AUTHENTICATION_METHOD", "value": "md5"}])} == {"The pooler logs in with MD5 sums (PGPOOL_AUTHENTICATION_METHOD md5), and the server has SCRAM secrets: every client gets \"failed to authenticate with backend using SCRAM\". Set PGPOOL_AUTHENTICATION_METHOD to scram-sha-256."}
	pgpool("bitnami/postgresql-repmgr:17.6.0", []) == set()
	pgpool("bitnami/postgresql-repmgr:13.20.0", [{"name": "PGPOOL_AUTHENTICATION_METHOD", "value": "md5"}]) == set()
}

listed(image, list) := found if found := check.findings with input as {
	"review": {"object": {
		"apiVersion": "apps/v1",
		"kind": "StatefulSet",
		"metadata": {"name": "db", "namespace": "prod"},
		"spec": {"serviceName": "db", "replicas": 1, "template": {"spec": {"containers": [{"name": "postgres", "image": image}]}}},
	}},
	"inventory": {"namespace": {"prod": {
		"v1": {"ConfigMap": {"users": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "users", "namespace": "prod"}, "data": {"pool_passwd": list}}}},
		"apps/v1": {"Deployment": {"pgpool": {
			"apiVersion": "apps/v1",
			"kind": "Deployment",
			"metadata": {"name": "pgpool", "namespace": "prod"},
			"spec": {"template": {"spec": {
				"containers": [{"name": "pgpool", "image": "pgpool/pgpool:4.4.3", "env": [{"name": "PGPOOL_PARAMS_BACKEND_HOSTNAME0", "value": "db"}], "volumeMounts": [{"name": "users", "mountPath": "/opt/pgpool-II/etc/pool_passwd", "subPath": "pool_passwd"}]}],
				"volumes": [{"name": "users", "configMap": {"name": "users"}}],
			}}},
		}}},
	}}},
}

test_sums_in_pool_passwd if {
	sums := "# users\napp:md50123456789abcdef0123456789abcdef\n"
	listed("postgres:17.6", sums) == {{
		"message": "The pooler logs in with MD5 sums (pool_passwd of pgpool), and the server has SCRAM secrets: every client gets \"failed to authenticate with backend using SCRAM\". Write the passwords there as TEXT or AES (pg_enc).",
		"path": ["data", "pool_passwd"],
		"resource": {"apiVersion": "v1", "kind": "ConfigMap", "name": "users", "namespace": "prod"},
	}}
	listed("postgres:13.20", sums) == set()
	listed("postgres:17.6", "app:TEXTsecret\n") == set()
	listed("postgres:17.6", "app:AESfPjabc=\n") == set()
	listed("postgres:17.6", concat("", [sums, "other:TEXTsecret\n"])) == set()
	listed("postgres:17.6", "") == set()
}

ini := "[databases]\n* = host=db port=5432\n[pgbouncer]\nauth_type = md5\nauth_file = /etc/users.txt\nignore_startup_parameters = extra_float_digits\n"

by_file(text, list, command) := found if found := check.findings with input as {
	"review": {"object": {
		"apiVersion": "apps/v1",
		"kind": "StatefulSet",
		"metadata": {"name": "db", "namespace": "prod"},
		"spec": {"serviceName": "db", "template": {"spec": {"containers": [{"name": "postgres", "image": "postgres:17.6"}]}}},
	}},
	"inventory": {"namespace": {"prod": {
		"apps/v1": {"Deployment": {"pool": {
			"apiVersion": "apps/v1",
			"kind": "Deployment",
			"metadata": {"name": "pool", "namespace": "prod"},
			"spec": {"template": {"spec": {
				"containers": [{"name": "pgbouncer", "image": "ghcr.io/acme/pgbouncer:1.24", "command": command, "volumeMounts": [{"name": "config", "mountPath": "/etc/pgbouncer"}]}],
				"volumes": [{"name": "config", "configMap": {"name": "pool"}}, {"name": "users", "secret": {"secretName": "users"}}],
			}}},
		}}},
		"v1": {
			"ConfigMap": {"pool": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "pool", "namespace": "prod"}, "data": {"pgbouncer.ini": text}}},
			"Secret": {"users": {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "users", "namespace": "prod"}, "stringData": {"users.txt": list}}},
		},
	}}},
}

sum_of := `"app" "md50123456789abcdef0123456789abcdef"`

test_sums_in_a_list if {
	by_file(ini, sum_of, []) == {{
		"message": "The pooler logs in with MD5 sums (the auth_file of pool), and the server has SCRAM secrets: every client gets \"server login failed: wrong password type\". Write the passwords themselves into auth_file, and set auth_type to scram-sha-256.",
		"path": ["data", "pgbouncer.ini"],
		"resource": {"apiVersion": "v1", "kind": "ConfigMap", "name": "pool", "namespace": "prod"},
	}}
	count(by_file(ini, "", ["sh", "-c", `echo "\"$U\" \"md5$(printf '%s' "$P$U" | md5sum | cut -d' ' -f1)\"" > /etc/users.txt && exec pgbouncer /etc/pgbouncer/pgbouncer.ini`])) == 1
}

test_no_sums_in_a_list if {
	by_file(ini, `"app" "secret"`, []) == set()
	by_file(ini, `"app" "SCRAM-SHA-256$4096:x"`, []) == set()
	by_file(concat("", [ini, "auth_query = SELECT 1\n"]), sum_of, []) == set()
	by_file(replace(ini, "port=5432", "port=5432 password=x"), sum_of, []) == set()
	by_file(ini, "", ["sh", "-c", `echo "\"$U\" \"$P\"" > /etc/users.txt`]) == set()
}

# The configuration and the list in one Secret, as charts write them.
test_sums_in_a_secret if {
	in_a_secret({"stringData": {"pgbouncer.ini": ini, "users.txt": sum_of}}) == {{
		"message": "The pooler logs in with MD5 sums (the auth_file of pool), and the server has SCRAM secrets: every client gets \"server login failed: wrong password type\". Write the passwords themselves into auth_file, and set auth_type to scram-sha-256.",
		"path": ["stringData", "pgbouncer.ini"],
		"resource": {"apiVersion": "v1", "kind": "Secret", "name": "pool", "namespace": "prod"},
	}}
	{f.path | some f in in_a_secret({"data": {"pgbouncer.ini": base64.encode(ini), "users.txt": base64.encode(sum_of)}})} == {["data", "pgbouncer.ini"]}
	in_a_secret({"data": {"pgbouncer.ini": base64.encode(ini), "users.txt": base64.encode(`"app" "secret"`)}}) == set()
	in_a_secret({"data": {"pgbouncer.ini": "ENC[AES256_GCM,data:x]", "users.txt": base64.encode(sum_of)}}) == set()
	in_a_secret({}) == set()
}

in_a_secret(more) := found if found := check.findings with input as {
	"review": {"object": {
		"apiVersion": "apps/v1",
		"kind": "StatefulSet",
		"metadata": {"name": "db", "namespace": "prod"},
		"spec": {"serviceName": "db", "template": {"spec": {"containers": [{"name": "postgres", "image": "postgres:17.6"}]}}},
	}},
	"inventory": {"namespace": {"prod": {
		"apps/v1": {"Deployment": {"pool": {
			"apiVersion": "apps/v1",
			"kind": "Deployment",
			"metadata": {"name": "pool", "namespace": "prod"},
			"spec": {"template": {"spec": {
				"containers": [{"name": "pgbouncer", "image": "ghcr.io/acme/pgbouncer:1.24", "volumeMounts": [{"name": "config", "mountPath": "/etc/pgbouncer"}]}],
				"volumes": [{"name": "config", "secret": {"secretName": "pool"}}],
			}}},
		}}},
		"v1": {"Secret": {"pool": object.union({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "pool", "namespace": "prod"}}, more)}},
	}}},
}

by_file_of_pgpool(env, args, variables) := found if found := check.findings with input as {
	"review": {"object": {
		"apiVersion": "apps/v1",
		"kind": "StatefulSet",
		"metadata": {"name": "db", "namespace": "prod"},
		"spec": {"serviceName": "db", "template": {"spec": {"containers": [{"name": "postgres", "image": "postgres:17.6", "args": args, "env": variables}]}}},
	}},
	"inventory": {"namespace": {"prod": {
		"apps/v1": {"Deployment": {"pool": {
			"apiVersion": "apps/v1",
			"kind": "Deployment",
			"metadata": {"name": "pool", "namespace": "prod"},
			"spec": {"template": {"spec": {
				"containers": [{"name": "pgpool", "image": "pgpool/pgpool:4.4.3", "env": env, "volumeMounts": [{"name": "config", "mountPath": "/config"}]}],
				"volumes": [{"name": "config", "configMap": {"name": "pool"}}],
			}}},
		}}},
		"v1": {"ConfigMap": {"pool": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "pool", "namespace": "prod"}, "data": {"pgpool.conf": "backend_hostname0 = 'db'\n"}}}},
	}}},
}

test_pgpool_with_a_file if {
	md5 := [{"name": "PGPOOL_PASSWORD_ENCRYPTION_METHOD", "value": "md5"}]
	scram := ["-c", "password_encryption=scram-sha-256"]
	by_file_of_pgpool(md5, scram, [{"name": "POSTGRES_HOST_AUTH_METHOD", "value": "scram-sha-256"}]) == {{
		"message": "The pooler logs in with MD5 sums (PGPOOL_PASSWORD_ENCRYPTION_METHOD md5), and the server has SCRAM secrets: every client gets \"failed to authenticate with backend using SCRAM\". Set PGPOOL_PASSWORD_ENCRYPTION_METHOD to scram-sha-256.",
		"path": ["spec", "template", "spec", "containers", 0],
		"resource": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "pool", "namespace": "prod"},
	}}
	by_file_of_pgpool(md5, ["-c", "password_encryption=md5"], []) == set()
	by_file_of_pgpool([], scram, []) == set()
}

# Before 1.19 the image writes sums for scram-sha-256 too.
test_image_that_knows_no_secrets if {
	cures := {tag: {split(f.message, "\". ")[1] | some f in findings("postgres:17.6", [], {"image": sprintf("edoburu/pgbouncer:%s", [tag]), "env": [host]})} | some tag in ["1.15.0", "v1.21.0-p0"]}
	cures == {"1.15.0": {"Set AUTH_TYPE to plain, or take 1.19 or newer and scram-sha-256."}, "v1.21.0-p0": {"Set AUTH_TYPE to scram-sha-256."}}
}

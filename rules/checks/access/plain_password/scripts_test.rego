package walguard.checks.access.plain_password_scripts_test

import data.walguard.checks.access.plain_password as check

map_of(sql) := {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "init", "namespace": "prod"}, "data": {"roles.sql": sql}}

objects(sql) := {"v1": {"ConfigMap": {"init": map_of(sql)}, "Service": {"db": {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "db", "namespace": "prod"}, "spec": {"selector": {"app": "db"}, "ports": [{"port": 5432}]}}}}}

mounting := {"volumeMounts": [{"name": "init", "mountPath": "/docker-entrypoint-initdb.d"}]}

pod_of(container) := {"containers": [container], "volumes": [{"name": "init", "configMap": {"name": "init"}}]}

server(container) := {
	"apiVersion": "apps/v1",
	"kind": "StatefulSet",
	"metadata": {"name": "db", "namespace": "prod"},
	"spec": {"template": {"metadata": {"labels": {"app": "db"}}, "spec": pod_of(object.union({"name": "db", "image": "postgres:17"}, container))}},
}

job(container) := {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "roles", "namespace": "prod"}, "spec": {"template": {"spec": pod_of(object.union({"name": "psql", "image": "postgres:17"}, container))}}}

said(sql) := {f.message | some f in found} if {
	found := check.findings with input as {"review": {"object": server(mounting)}, "inventory": {"namespace": {"prod": objects(sql)}}}
}

one := "roles.sql has the password of role a in plain text, and whoever may read ConfigMaps has it. Keep the script in a Secret, which is mounted alike, and change it."

test_roles_of_a_script if {
	found := check.findings with input as {"review": {"object": server(mounting)}, "inventory": {"namespace": {"prod": objects("CREATE ROLE a LOGIN PASSWORD 'Wq81nP0zLx5c';\nalter user \"b\" with password 'x81nP0zLx5c';")}}}
	found == {{
		"message": "roles.sql has the passwords of the roles a and b in plain text, and whoever may read ConfigMaps has them. Keep the script in a Secret, which is mounted alike, and change them.",
		"path": ["data", "roles.sql"],
		"resource": {"apiVersion": "v1", "kind": "ConfigMap", "namespace": "prod", "name": "init"},
	}}
	said("psql -c \"CREATE USER a WITH PASSWORD 'Wq81nP0zLx5c'\"") == {one}
}

test_no_password_in_it if {
	every sql in [
		"CREATE ROLE a LOGIN;", "CREATE ROLE a PASSWORD :'secret';", "CREATE ROLE a PASSWORD '$SECRET';", "CREATE ROLE a PASSWORD '${SECRET}';", "CREATE ROLE a PASSWORD NULL;",
		"CREATE ROLE a PASSWORD '<secret>';", "CREATE ROLE a PASSWORD 'SCRAM-SHA-256$4096:x';", "CREATE ROLE a; SELECT 'password';",
	] {
		said(sql) == set()
	}
}

with_job(container) := {f.message | some f in found} if {
	found := check.findings with input as {"review": {"object": server({})}, "inventory": {"namespace": {"prod": object.union(objects("CREATE ROLE a PASSWORD 'Wq81nP0zLx5c';"), {"batch/v1": {"Job": {"roles": job(container)}}})}}}
}

test_script_of_a_client if {
	with_job(object.union({"command": ["psql", "-h", "db", "-f", "/s/roles.sql"]}, mounting)) == {one}
	with_job(object.union({"command": ["psql", "-h", "elsewhere", "-f", "/s/roles.sql"]}, mounting)) == set()
	with_job(object.union({"command": ["sh", "/s/db.sh"]}, mounting)) == set()
}

test_client_by_itself if {
	found := check.findings with input as {"review": {"object": job(object.union({"command": ["psql", "-h", "elsewhere.example.com", "-f", "/s/roles.sql"]}, mounting))}, "inventory": {"namespace": {"prod": {"v1": {"ConfigMap": {"init": map_of("CREATE ROLE a PASSWORD 'Wq81nP0zLx5c';")}}}}}}
	{f.message | some f in found} == {one}
}

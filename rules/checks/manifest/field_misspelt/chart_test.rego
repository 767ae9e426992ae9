package walguard.checks.manifest.field_misspelt_chart_test

import data.walguard.checks.manifest.field_misspelt as check

server(annotations) := {
	"apiVersion": "apps/v1",
	"kind": "StatefulSet",
	"metadata": {"name": "pg", "namespace": "shop", "annotations": annotations},
	"spec": {"serviceName": "pg-hl", "template": {"metadata": {"labels": {"app": "pg"}}, "spec": {"containers": [{"name": "postgresql", "image": "docker.io/bitnamilegacy/postgresql:16.4.0"}]}}},
}

program(env) := {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "app", "namespace": "shop"}, "spec": {"template": {"spec": {"containers": [{"name": "app", "image": "app:1", "env": env}]}}}}

service := {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "pg", "namespace": "shop"}, "spec": {"selector": {"app": "pg"}}}

findings(annotations, env) := found if found := check.findings with input as {
	"review": {"object": server(annotations)},
	"inventory": {"namespace": {"shop": {"apps/v1": {"Deployment": {"app": program(env)}}, "v1": {"Service": {"pg": service}}}}},
}

severities(annotations, env) := [object.get(f, "severity", "warning") | some f in findings(annotations, env)]

user := {"charts.walguard.dev/former.postgresqlUsername": "auth.username=shop"}

test_value_of_before_11 if {
	findings(user, []) == {{
		"message": "There is no field postgresqlUsername here: the chart renamed it in release 11, and later ones pass over it. Write auth.username.",
		"path": ["metadata", "annotations", "charts.walguard.dev/former.postgresqlUsername"],
	}}
	findings({"charts.walguard.dev/generated-passwords": "auth.password"}, []) == set()
}

test_that_a_program_relies_on if {
	severities(user, [{"name": "DB_HOST", "value": "pg:5432"}, {"name": "DB_USER", "value": "shop"}]) == ["error"]
	severities(user, [{"name": "DB_HOST", "value": "pg"}, {"name": "DB_USER", "value": "web"}]) == ["warning"]
	severities(user, [{"name": "DB_HOST", "value": "other"}, {"name": "DB_USER", "value": "shop"}]) == ["warning"]
	severities({"charts.walguard.dev/former.persistence": "primary.persistence"}, [{"name": "DB_HOST", "value": "pg"}]) == ["warning"]
}

test_secret_that_a_program_takes if {
	secret := {"charts.walguard.dev/former.existingSecret": "auth.existingSecret=credentials"}
	severities(secret, [{"name": "DB_HOST", "value": "pg"}, {"name": "DB_PASSWORD", "valueFrom": {"secretKeyRef": {"name": "credentials", "key": "password"}}}]) == ["error"]
	severities(secret, [{"name": "DB_HOST", "value": "pg"}, {"name": "DB_PASSWORD", "valueFrom": {"secretKeyRef": {"name": "others", "key": "password"}}}]) == ["warning"]
}

package walguard.lib.workloads_afar_test

import data.walguard.lib.workloads

seen(more) := found if found := workloads.calling with input as {
	"review": {"object": {"apiVersion": "postgresql.cnpg.io/v1", "kind": "Cluster", "metadata": {"name": "pg", "namespace": "db"}, "spec": {}}},
	"inventory": {"namespace": {"db": {}, "shop": {
		"apps/v1": {"Deployment": {"app": {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "app", "namespace": "shop"}, "spec": {"template": {"spec": object.union(
			{
				"containers": [{
					"name": "app",
					"env": [
						{"name": "HOST", "valueFrom": {"configMapKeyRef": {"name": "env", "key": "host"}}},
						{"name": "PASSWORD", "valueFrom": {"secretKeyRef": {"name": "login", "key": "password"}}},
					],
					"envFrom": [{"prefix": "DB_", "configMapRef": {"name": "more"}}],
				}],
				"volumes": [{"name": "data", "persistentVolumeClaim": {"claimName": "data"}}, {"name": "conf", "configMap": {"name": "conf"}}],
			},
			more,
		)}}}}},
		"v1": {"ConfigMap": {
			"env": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "env", "namespace": "shop"}, "data": {"host": "pg-rw.db.svc"}},
			"more": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "more", "namespace": "shop"}, "data": {"NAME": "shop"}},
		}},
	}}},
}

test_what_a_client_of_another_namespace_takes_from_there if {
	[one] := seen({})
	one.made.words == "Deployment app of namespace shop"
	one.container.env == [
		{"name": "HOST", "value": "pg-rw.db.svc"},
		{"name": "PASSWORD", "valueFrom": {"secretKeyRef": {"name": "shop/login", "key": "password"}}},
		{"name": "DB_NAME", "value": "shop"},
	]
	one.container.envFrom == []
	one.made.pod.volumes == [{"name": "data", "persistentVolumeClaim": {"claimName": "shop/data"}}, {"name": "conf", "configMap": {"name": "shop/conf"}}]
	one.made.object.spec.template.spec == one.made.pod
	one.path == ["spec", "template", "spec", "containers", 0]
}

test_a_server_of_its_own if {
	seen({"containers": [{"name": "db", "image": "postgres:17.6"}, {"name": "app", "env": [{"name": "HOST", "value": "pg-rw.db"}]}]}) == []
}

test_jobs_by_a_schedule if {
	found := workloads.afar with input as {
		"review": {"object": {"apiVersion": "postgresql.cnpg.io/v1", "kind": "Cluster", "metadata": {"name": "pg", "namespace": "db"}, "spec": {}}},
		"inventory": {"namespace": {"db": {}, "ops": {"batch/v1": {"CronJob": {"dump": {
			"apiVersion": "batch/v1",
			"kind": "CronJob",
			"metadata": {"name": "dump", "namespace": "ops"},
			"spec": {"jobTemplate": {"spec": {"template": {"spec": {"containers": [{"name": "dump", "command": ["pg_dump", "-h", "pg-rw.db"]}]}}}}},
		}}}}}},
	}
	[one.name | some one in found] == ["dump"]
}

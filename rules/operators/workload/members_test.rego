package walguard.operators.workload_members_test

import data.walguard.operators.workload

patroni := {
	"name": "patroni",
	"image": "shop/patroni:4.1.0",
	"command": ["patroni", "/etc/patroni.yml"],
	"env": [{"name": "PATRONI_KUBERNETES_LABELS", "value": "{app: pg}"}, {"name": "PATRONI_POSTGRESQL_DATA_DIR", "value": "/data/pg"}],
	"readinessProbe": {"httpGet": {"path": "/readiness", "port": 8008}},
	"volumeMounts": [{"name": "data", "mountPath": "/data"}],
}

repmgr := {"name": "postgresql", "image": "bitnami/postgresql-repmgr:17", "volumeMounts": [{"name": "data", "mountPath": "/bitnami/postgresql"}]}

members(container, replicas) := {
	"apiVersion": "apps/v1",
	"kind": "StatefulSet",
	"metadata": {"name": "pg", "namespace": "shop"},
	"spec": {
		"replicas": replicas,
		"template": {"metadata": {"labels": {"app": "pg"}}, "spec": {"containers": [container]}},
		"volumeClaimTemplates": [{"metadata": {"name": "data"}, "spec": {"resources": {"requests": {"storage": "10Gi"}}}}],
	},
}

service(selector) := {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "pg", "namespace": "shop"}, "spec": {"selector": selector, "ports": [{"port": 5432}]}}

client(name, env) := {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": name, "namespace": "shop"}, "spec": {"template": {"spec": {"containers": [{"name": "app", "image": "shop/app:1", "env": [env]}]}}}}

writes(set, selector, other) := [[one.client, one.reason, one.cure, one.level] |
	found := workload.cluster with input as {
		"review": {"object": set},
		"inventory": {"namespace": {"shop": {"v1": {"Service": {"pg": service(selector)}}, "apps/v1": {"Deployment": {other.metadata.name: other}}}}},
	}
	some one in object.get(found, "lost_clients", [])
	contains(one.reason, "members alike")
]

host := {"name": "DB_HOST", "value": "pg"}

test_clients_of_all_members if {
	writes(members(patroni, 3), {"app": "pg"}, client("web", host)) == [["Deployment web", "writes by Service pg, which leads to all 3 members alike", "Add role: primary to its selector (master before Patroni 4)", "error"]]
	writes(members(object.union(patroni, {"env": array.concat(patroni.env, [{"name": "PATRONI_KUBERNETES_ROLE_LABEL", "value": "duty"}])}), 3), {"app": "pg"}, client("web", {"name": "DATABASE_URL", "value": "postgres://app@pg.shop:5432/app"}))[0][2] == "Add duty: primary to its selector (master before Patroni 4)"
	writes(members(repmgr, 2), {"app": "pg"}, client("web", host))[0][2] == "Lead it to Pgpool-II, or to a Service of the primary alone"
}

test_clients_of_the_primary if {
	writes(members(patroni, 3), {"app": "pg", "role": "primary"}, client("web", host)) == []
	writes(members(patroni, 1), {"app": "pg"}, client("web", host)) == []
	writes(members(object.union(patroni, {"readinessProbe": {"httpGet": {"path": "/primary", "port": 8008}}}), 3), {"app": "pg"}, client("web", host)) == []
	writes(members(object.union(patroni, {"env": array.concat(patroni.env, [{"name": "PATRONI_KUBERNETES_USE_ENDPOINTS", "value": "true"}])}), 3), {"app": "pg"}, client("web", host)) == []
	writes(members(object.union(patroni, {"env": array.concat(patroni.env, [{"name": "PATRONI_ETCD3_HOSTS", "value": "etcd:2379"}])}), 3), {"app": "pg"}, client("web", host)) == []
	labelled := json.patch(members(patroni, 3), [{"op": "add", "path": "/spec/template/metadata/labels/role", "value": "primary"}])
	writes(labelled, {"app": "pg", "role": "primary"}, client("web", host)) == []
}

test_clients_that_read if {
	every one in [
		client("metabase", host), client("web", {"name": "DB_READ_HOST", "value": "pg"}), client("web", {"name": "DATABASE_URL", "value": "postgres://app@pg/app?target_session_attrs=read-write"}),
		client("web", {"name": "DB_HOST", "value": "pg-0.pg"}),
	] {
		writes(members(patroni, 3), {"app": "pg"}, one) == []
	}
}

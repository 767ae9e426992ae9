package walguard.checks.connections.session_cut_test

import data.walguard.checks.connections.session_cut as check

settings := {"checks": {"connections/session_cut": {"settings": {"least_seconds": 300}}}}

# A proxy with its file, and a Service of somebody's own before the pods.
proxied(image, file) := found if {
	found := check.findings with input as {
		"parameters": settings,
		"review": {"object": {"apiVersion": "postgresql.cnpg.io/v1", "kind": "Cluster", "metadata": {"name": "orders", "namespace": "prod"}, "spec": {"instances": 3}}},
		"inventory": {"namespace": {"prod": {
			"v1": {
				"ConfigMap": {"proxy": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "proxy", "namespace": "prod"}, "data": {"proxy.cfg": file}}},
				"Service": {"nodes": {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "nodes", "namespace": "prod"}, "spec": {"selector": {"cnpg.io/cluster": "orders"}}}},
			},
			"apps/v1": {"Deployment": {"proxy": {
				"apiVersion": "apps/v1",
				"kind": "Deployment",
				"metadata": {"name": "proxy", "namespace": "prod"},
				"spec": {"template": {"spec": {
					"containers": [{"name": "proxy", "image": image, "volumeMounts": [{"name": "c", "mountPath": "/etc/proxy"}]}],
					"volumes": [{"name": "c", "configMap": {"name": "proxy"}}],
				}}},
			}}},
		}}},
	}
}

haproxy(defaults, front, back) := {split(f.message, ":")[0] | some f in proxied("haproxy:3.0.11-alpine", concat("\n", [
	"global", "    maxconn 1000", "defaults", defaults,
	"frontend pg", "    bind *:5432", front, "    default_backend pg",
	"backend pg", back, "    server pg1 orders-rw.prod.svc:5432 check",
	"",
]))}

closes(seconds, by) := {sprintf("HAProxy of Deployment proxy closes connections that are silent for %d s (%s)", [seconds, by])}

test_haproxy if {
	proxied("haproxy:3.0.11-alpine", "defaults\n    mode tcp\n    timeout client 50s\n    timeout server 50s\nlisten pg\n    bind *:5432\n    server pg1 orders-rw:5432 check\n") == {{
		"message": "HAProxy of Deployment proxy closes connections that are silent for 50 s (timeout server): idle sessions of a pool, and queries that take longer. Set timeout tunnel, or client and server, to 30m.",
		"path": ["data", "proxy.cfg"],
		"resource": {"apiVersion": "v1", "kind": "ConfigMap", "name": "proxy", "namespace": "prod"},
	}}
	haproxy("    timeout server 30m", "    timeout client 1m", "    mode tcp") == closes(60, "timeout client")
	haproxy("    timeout server 30m", "", "    timeout server 299000") == closes(299, "timeout server")
	haproxy("    timeout client 30m", "", "    timeout tunnel 10s") == closes(10, "timeout tunnel")
	count(proxied("bitnami/haproxy:3.0", "defaults\n  timeout server 50s\nbackend pg\n  server-template pg 3 nodes.prod.svc.cluster.local:5432 check\n")) == 1
}

test_patient_haproxy if {
	haproxy("    timeout client 30m\n    timeout server 1800000", "", "") == set()
	haproxy("    timeout client 300s\n    timeout server 1h", "", "") == set()
	haproxy("    timeout client 50s\n    timeout server 50s\n    timeout tunnel 1d", "", "") == set()
	haproxy("    mode http\n    timeout client 50s\n    timeout server 50s", "", "") == set()
	haproxy("", "", "") == set()
	every file in [
		"defaults\n  timeout server 50s\nbackend pg\n  server pg1 elsewhere:5432\n",
		"defaults\n  timeout server 50s\nbackend pg\n  server pg1 orders-rw.other.svc:5432\n",
		"defaults\n  timeout server ${T}\nbackend pg\n  server pg1 orders-rw:5432\n",
		"defaults\n  timeout server 50s\nfrontend pg\n  bind *:5432\n",
	] {
		proxied("haproxy:3.0", file) == set()
	}
	proxied("acme/tool:1", "defaults\n  timeout server 50s\nbackend pg\n  server pg1 orders-rw:5432\n") == set()
}

nginx(line, target) := {f.message | some f in proxied("nginx:1.29", concat("\n", ["stream {", "  server {", "    listen 5432;", line, sprintf("    proxy_pass %s;", [target]), "  }", "}"]))}

test_nginx if {
	nginx("    proxy_timeout 60s;", "orders-rw:5432") == {"nginx of Deployment proxy closes connections that are silent for 60 s (proxy_timeout): idle sessions of a pool, and queries that take longer. Set it to 30m."}
	count(nginx("    proxy_timeout 30;", "orders-rw.prod.svc.cluster.local:5432")) == 1
	nginx("    proxy_timeout 1h;", "orders-rw:5432") == set()
	nginx("", "orders-rw:5432") == set()
	nginx("    proxy_timeout 60s;", "elsewhere:5432") == set()
}

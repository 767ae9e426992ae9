package walguard.checks.access.client_mismatch_keys_test

import data.walguard.checks.access.client_mismatch as check

made(container) := {
	"apiVersion": "apps/v1",
	"kind": "Deployment",
	"metadata": {"name": "web", "namespace": "shop"},
	"spec": {"template": {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [object.union({"name": "web"}, container)]}}},
}

said(container, objects) := {[f.severity, f.message] | some f in found} if {
	found := check.findings with input as {"review": {"object": made(container)}, "inventory": {"namespace": {"shop": objects}}}
}

asking(name, key) := {"name": name, "valueFrom": {"secretKeyRef": {"name": "test", "key": key}}}

address := "postgresql://login:password@pg:5432/db"

fault(name, mark) := {["error", sprintf("Deployment web asks Secret test for a key with \"%s\" (%s), which no key may have: the API server refuses it. Write the name of a key there, and what it stands for below that key.", [mark, name])]}

test_keys_that_none_can_be if {
	exporter := "quay.io/prometheuscommunity/postgres-exporter:v0.15.0"
	said({"image": exporter, "env": [asking("DATA_SOURCE_NAME", address)]}, {}) == fault("DATA_SOURCE_NAME", ":")
	said({"image": "shop/web:1", "env": [asking("PGPASSWORD", "db/password")]}, {}) == fault("PGPASSWORD", "/")
	said({"image": "shop/web:1", "env": [{"name": "DB_HOST", "value": "pg"}, {"name": "DB_PORT", "value": "5432"}, asking("DB_PASS", "a b")]}, {}) == fault("DB_PASS", " ")
	every key in ["url", "DB_URL", "db.url-1", "${KEY}", "{{ .Values.key }}", "$(KEY)", "<key>"] {
		said({"image": exporter, "env": [asking("DATA_SOURCE_NAME", key)]}, {}) == set()
	}
	said({"image": "shop/web:1", "env": [asking("TOKEN", "a b")]}, {}) == set()
}

server := {
	"apiVersion": "apps/v1",
	"kind": "StatefulSet",
	"metadata": {"name": "db", "namespace": "shop"},
	"spec": {"serviceName": "db", "template": {"metadata": {"labels": {"app": "db"}}, "spec": {"containers": [{"name": "postgres", "image": "postgres:17.6"}]}}},
}

beside(container) := {[f.severity, f.message] | some f in found} if {
	found := check.findings with input as {"review": {"object": server}, "inventory": {"namespace": {"shop": {
		"v1": {"Service": {"db": {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "db", "namespace": "shop"}, "spec": {"selector": {"app": "db"}, "ports": [{"port": 5432}]}}}},
		"apps/v1": {"Deployment": {"web": made(container)}},
	}}}}
}

test_keys_of_clients_of_a_server if {
	beside({"image": "shop/web:1", "env": [{"name": "DB_HOST", "value": "db"}, asking("DB_PASSWORD", "a:b")]}) == fault("DB_PASSWORD", ":")
	beside({"image": "shop/web:1", "env": [{"name": "DB_HOST", "value": "elsewhere"}, asking("DB_PASSWORD", "a:b")]}) == set()
}

keycloak(tag) := {"image": sprintf("jboss/keycloak:%s", [tag]), "env": [{"name": "DB_VENDOR", "value": "postgres"}, {"name": "DB_ADDR", "value": "postgres"}]}

named_postgres(spec) := {"v1": {"Service": {"postgres": {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "postgres", "namespace": "shop"}, "spec": spec}}}}

test_links_to_a_server_that_is_elsewhere if {
	said(keycloak("4.8.3.Final"), named_postgres({})) == {["error", "Deployment web reads POSTGRES_PORT, which is tcp://… of Service postgres (Kubernetes sets it unless enableServiceLinks is false) and no port: it finds no database. Set POSTGRES_PORT to \"5432\", or enableServiceLinks: false."]}
	said({"image": "shop/web:1", "env": [{"name": "DATABASE_URL", "value": "postgres://a:b@postgres:$(POSTGRES_PORT)/d"}]}, named_postgres({})) != set()
	said(keycloak("4.8.3.Final"), named_postgres({"clusterIP": "None"})) == set()
	said(keycloak("4.8.3.Final"), {}) == set()
	every tag in ["4.5.0.Final", "7.0.1"] {
		count(said(keycloak(tag), named_postgres({}))) == 1
	}
	every tag in ["8.0.1", "16.1.1"] {
		said(keycloak(tag), named_postgres({})) == set()
	}
}

by_file(text, env, init) := {f.severity | some f in found} if {
	pod := {
		"containers": [{"name": "web", "image": "shop/backstage:1", "env": array.concat([{"name": "POSTGRES_HOST", "value": "postgres"}], env), "volumeMounts": [{"name": "c", "mountPath": "/etc/backstage"}]}],
		"initContainers": [{"name": "fill", "image": "busybox:1", "env": init}],
		"volumes": [{"name": "c", "configMap": {"name": "c"}}],
	}
	found := check.findings with input as {
		"review": {"object": object.union(made({}), {"spec": {"template": {"spec": pod}}})},
		"inventory": {"namespace": {"shop": {"v1": {
			"Service": named_postgres({}).v1.Service,
			"ConfigMap": {"c": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c", "namespace": "shop"}, "data": {"app-config.yaml": text}}},
		}}}},
	}
}

test_links_in_a_file if {
	by_file("port: ${POSTGRES_PORT}\n", [], []) == {"error"}
	by_file("port: ${POSTGRES_PORT}\n", [{"name": "POSTGRES_PORT", "value": "5432"}], []) == set()
	by_file("port: ${POSTGRES_PORT}\n", [], [{"name": "POSTGRES_PORT", "value": "5432"}]) == set()
	by_file("port: 5432\n", [], []) == set()
}

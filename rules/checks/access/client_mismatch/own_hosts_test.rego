package walguard.checks.access.client_mismatch_own_hosts_test

import data.walguard.checks.access.client_mismatch as check
import data.walguard.checks.access.connection_uri

# Programs beside a server that they do not name.
web(container, pod) := {"review": {"object": {"apiVersion": "apps/v1", "kind": "StatefulSet", "metadata": {"name": "db", "namespace": "shop"}, "spec": {"serviceName": "db", "template": {"spec": {"containers": [{"name": "postgres", "image": "postgres:17.6"}]}}}}}, "inventory": {"namespace": {"shop": {"apps/v1": {"Deployment": {"web": {
	"apiVersion": "apps/v1",
	"kind": "Deployment",
	"metadata": {"name": "web", "namespace": "shop"},
	"spec": {"template": {"spec": object.union({"containers": [object.union({"name": "web"}, container)]}, pod)}},
}}}}}}}

found(container, pod) := told if {
	told := {[object.get(f, "severity", ""), f.message] | some f in check.findings} with input as web(container, pod)
}

env(values) := [{"name": name, "value": value} | some name, value in values]

kong := {"image": "kong:3.6.1", "env": env({"KONG_DATABASE": "postgres"})}

test_programs_that_ask_their_own_container if {
	found(kong, {}) == {["error", "Deployment web has no KONG_PG_HOST, and Kong asks 127.0.0.1 without it, where no server is: it does not start. Set KONG_PG_HOST."]}
	count(found({"image": "quay.io/keycloak/keycloak:26.0", "args": ["start"], "env": env({"KC_DB": "postgres"})}, {})) == 1
	count(found({"image": "n8nio/n8n:1.80.0", "env": env({"DB_TYPE": "postgresdb"})}, {})) == 1
	count(found({"image": "ghcr.io/goauthentik/server:2025.2", "env": env({"AUTHENTIK_POSTGRESQL__NAME": "a"})}, {})) == 1
}

test_programs_that_name_it if {
	found(object.union(kong, {"env": env({"KONG_DATABASE": "off"})}), {}) == set()
	found(object.union(kong, {"env": env({"KONG_DATABASE": "postgres", "KONG_PG_HOST": "db"})}), {}) == set()
	found(object.union(kong, {"envFrom": [{"secretRef": {"name": "unseen"}}]}), {}) == set()
	found(object.union(kong, {"volumeMounts": [{"name": "c", "mountPath": "/etc/kong"}]}), {}) == set()
	found(kong, {"initContainers": [{"name": "proxy", "image": "x", "restartPolicy": "Always"}]}) == set()
	found(kong, {"containers": [object.union(kong, {"name": "web"}), {"name": "proxy", "image": "x"}]}) == set()
	found({"image": "quay.io/keycloak/keycloak:26.0", "env": env({"KC_DB": "postgres", "KC_DB_URL": "jdbc:postgresql://db/keycloak"})}, {}) == set()
	found({"image": "kong:3.6.1"}, {}) == set()
}

langfuse := {"image": "langfuse/langfuse:3.112.0", "env": env({"DIRECT_URL": "postgresql://a:b@db:5432/langfuse"})}

test_langfuse_without_its_address if {
	found(langfuse, {}) == {["error", "Deployment web has no DATABASE_URL, and the entrypoint of its image stops there: it does not start. Set DATABASE_URL."]}
	found(object.union(langfuse, {"env": env({"DATABASE_URL": "postgresql://a:b@db:5432/langfuse"})}), {}) == set()
	found(object.union(langfuse, {"env": env({"DATABASE_HOST": "db"})}), {}) == set()
}

# By themselves, of a chart that writes the prefix as well.
alone(values) := told if {
	told := {f.message | some f in connection_uri.findings} with input as {"review": {"object": {
		"apiVersion": "apps/v1",
		"kind": "Deployment",
		"metadata": {"name": "web", "namespace": "shop"},
		"spec": {"template": {"spec": {"containers": [{"name": "web", "image": "kong:3.6.1", "env": env(values)}]}}},
	}}}
}

test_a_prefix_twice if {
	alone({"KONG_DATABASE": "postgres", "KONG_KONG_PG_HOST": "http://kong-admin"}) == {"KONG_KONG_PG_HOST of Deployment web has its prefix twice, and Kong reads KONG_PG_HOST: this one does nothing. Rename it to KONG_PG_HOST."}
	alone({"KONG_KONG_PG_HOST": "db", "KONG_PG_HOST": "db"}) == set()
	alone({"KONG_PG_HOST": "http://kong-admin"}) == {"KONG_PG_HOST of Deployment web is http://kong-admin, and programs take all of it for the host's name. Write the name of the server's Service, which is none for HTTP."}
	alone({"KONG_PG_HOST": "db", "KONG_KONG_ADMIN_LISTEN": "off"}) == set()
}

package walguard.operators.workload_pooled_users_test

import data.walguard.checks.access.pooler_login
import data.walguard.lib.placeholder

plain(name, value) := {"name": name, "value": value}

hidden(name) := {"name": name, "valueFrom": {"secretKeyRef": {"name": "db", "key": name}}}

deployment(name, container) := {
	"apiVersion": "apps/v1",
	"kind": "Deployment",
	"metadata": {"name": name, "namespace": "shop"},
	"spec": {"template": {"metadata": {"labels": {"app": name}}, "spec": {"containers": [object.union({"name": name}, container)]}}},
}

service(name) := {"apiVersion": "v1", "kind": "Service", "metadata": {"name": name, "namespace": "shop"}, "spec": {"selector": {"app": name}, "ports": [{"port": 5432}]}}

# Bitnami's Pgpool-II before a server, and a program that logs in through it.
said(image, env, more, user) := {f.message |
	pooler := object.union({"image": image, "env": array.concat([plain("PGPOOL_BACKEND_NODES", "0:db:5432"), plain("PGPOOL_SR_CHECK_USER", "repmgr"), hidden("PGPOOL_SR_CHECK_PASSWORD"), hidden("PGPOOL_POSTGRES_PASSWORD"), plain("PGPOOL_ADMIN_USERNAME", "admin"), hidden("PGPOOL_ADMIN_PASSWORD")], env)}, more)
	found := pooler_login.findings with input as {
		"review": {"object": {
			"apiVersion": "apps/v1",
			"kind": "StatefulSet",
			"metadata": {"name": "db", "namespace": "shop"},
			"spec": {"serviceName": "db", "template": {"metadata": {"labels": {"app": "db"}}, "spec": {"containers": [{"name": "postgres", "image": "postgres:17.6", "env": [hidden("POSTGRES_PASSWORD")]}]}}},
		}},
		"inventory": {"namespace": {"shop": {
			"apps/v1": {"Deployment": {"pgpool": deployment("pgpool", pooler), "api": deployment("api", {"image": "api:1", "env": [plain("DB_HOST", "pgpool"), plain("DB_USER", user), hidden("DB_PASSWORD")]})}},
			"v1": {"Service": {name: service(name) | some name in ["db", "pgpool"]}},
		}}},
	}
	some f in found
}

bitnami := "docker.io/bitnamilegacy/pgpool:4.6.3"

named := plain("PGPOOL_POSTGRES_USERNAME", "postgres")

refused := {"Deployment api logs in as shop, for whom pool_passwd of Pgpool-II has no entry: \"SCRAM authentication failed\". Name the user in PGPOOL_POSTGRES_CUSTOM_USERS (pgpool.customUsersSecret of the chart)."}

test_user_without_an_entry if {
	every env in [
		[],
		[plain("PGPOOL_POSTGRES_CUSTOM_USERS", "app,other"), plain("PGPOOL_POSTGRES_CUSTOM_PASSWORDS", "x,y")],
		[plain("PGPOOL_ENABLE_POOL_PASSWD", "yes"), plain("PGPOOL_ENABLE_POOL_HBA", "yes"), plain("PGPOOL_ENABLE_LDAP", "no"), plain("PGPOOL_AUTHENTICATION_METHOD", "scram-sha-256")],
		[plain("PGPOOL_AUTHENTICATION_METHOD", placeholder.elsewhere)],
	] {
		said(bitnami, array.concat([named], env), {}, "shop") == refused
	}
}

test_users_that_pgpool_knows if {
	every user in ["postgres", "repmgr"] {
		said(bitnami, [named], {}, user) == set()
	}
	every env in [
		[plain("PGPOOL_POSTGRES_CUSTOM_USERS", "app;shop"), plain("PGPOOL_POSTGRES_CUSTOM_PASSWORDS", "x;y")],
		[hidden("PGPOOL_POSTGRES_CUSTOM_USERS")],
		[plain("PGPOOL_POSTGRES_CUSTOM_USERS", "${USERS}")],
		[plain("PGPOOL_AUTHENTICATION_METHOD", "md5")],
		[hidden("PGPOOL_AUTHENTICATION_METHOD")],
		[plain("PGPOOL_ENABLE_POOL_HBA", "no")],
		[plain("PGPOOL_USER_HBA_FILE", "/hba")],
		[plain("PGPOOL_USER_CONF_FILE", "/conf")],
		[hidden("PGPOOL_TLS_CA_FILE")],
		[plain("PGPOOL_ENABLE_LDAP", "yes"), plain("LDAP_URI", "ldap://x"), plain("LDAP_BASE", "b"), plain("LDAP_BIND_DN", "d"), plain("LDAP_BIND_PASSWORD_FILE", "/p")],
	] {
		said(bitnami, array.concat([named], env), {}, "shop") == set()
	}
	said(bitnami, [], {}, "shop") == set()
	said(bitnami, [hidden("PGPOOL_POSTGRES_USERNAME")], {}, "shop") == set()
	said("example.com/pgpool:4.6.3", [named], {}, "shop") == set()
	every more in [{"envFrom": [{"secretRef": {"name": "more"}}]}, {"command": ["/run.sh"]}, {"args": ["/run.sh"]}, {"volumeMounts": [{"name": "init", "mountPath": "/docker-entrypoint-initdb.d"}]}] {
		said(bitnami, [named], more, "shop") == set()
	}
}

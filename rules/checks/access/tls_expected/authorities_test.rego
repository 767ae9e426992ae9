package walguard.checks.access.tls_expected_authorities_test

import data.walguard.checks.access.tls_expected as check

# A client beside a cluster, whose operator makes a CA for it.
beside(server, container) := {[f.severity, f.message] | some f in found} if {
	found := check.findings with input as {
		"review": {"object": object.union({"metadata": {"name": "orders", "namespace": "prod"}}, server)},
		"inventory": {"namespace": {"prod": {"apps/v1": {"Deployment": {"app": {
			"apiVersion": "apps/v1",
			"kind": "Deployment",
			"metadata": {"name": "app", "namespace": "prod"},
			"spec": {"template": {"spec": {"containers": [object.union({"name": "app"}, container)]}}},
		}}}}}},
	}
}

cnpg(spec) := {"apiVersion": "postgresql.cnpg.io/v1", "kind": "Cluster", "spec": object.union({"instances": 3, "imageName": "x/postgresql:17.6"}, spec)}

crunchy := {"apiVersion": "postgres-operator.crunchydata.com/v1beta1", "kind": "PostgresCluster", "spec": {"postgresVersion": 17, "instances": [{}]}}

zalando := {"apiVersion": "acid.zalan.do/v1", "kind": "postgresql", "spec": {"numberOfInstances": 2, "postgresql": {"version": "17"}}}

variables(of) := [{"name": name, "value": value} | some name, value in of]

url(host, mode) := {"env": variables({"DATABASE_URL": sprintf("postgresql://app:$(P)@%s:5432/app?sslmode=%s", [host, mode])})}

fault(asks, cure) := sprintf("Container app verifies the certificate (%s) and has no CA of the server: \"self-signed certificate\". %s.", [asks, cure])

require := "sslmode=require is verify-full to node-postgres"

mount(secret) := sprintf("Mount ca.crt of Secret %s for NODE_EXTRA_CA_CERTS, or write sslmode=no-verify", [secret])

test_program_that_is_known if {
	infisical := {"image": "infisical/infisical:v0.140.0"}
	beside(cnpg({}), object.union(infisical, url("orders-rw.prod.svc", "require"))) == {["error", fault(require, mount("orders-ca"))]}
	beside(crunchy, object.union(infisical, url("orders-primary", "verify-full"))) == {["error", fault("sslmode=verify-full", mount("orders-cluster-cert"))]}
	beside(zalando, object.union(infisical, url("orders", "require"))) == {["error", fault(require, "Write sslmode=no-verify")]}
	beside(cnpg({"certificates": {"serverTLSSecret": "tls", "serverCASecret": "ca"}}), object.union(infisical, url("orders-rw", "require"))) == set()
}

test_programs_with_words_of_their_own if {
	n8n := {"DB_TYPE": "postgresdb", "DB_POSTGRESDB_HOST": "orders-rw", "DB_POSTGRESDB_SSL_ENABLED": "true"}
	beside(cnpg({}), {"image": "docker.n8n.io/n8nio/n8n:1.110.0", "env": variables(n8n)}) == {["error", fault("DB_POSTGRESDB_SSL_ENABLED=true", "Set DB_POSTGRESDB_SSL_CA_FILE to the CA, or DB_POSTGRESDB_SSL_REJECT_UNAUTHORIZED to false")]}
	every more in [{"DB_POSTGRESDB_SSL_REJECT_UNAUTHORIZED": "false"}, {"DB_POSTGRESDB_SSL_CA_FILE": "/a"}, {"DB_POSTGRESDB_HOST": "elsewhere"}, {"DB_POSTGRESDB_SSL_ENABLED": "false"}] {
		beside(cnpg({}), {"image": "n8nio/n8n:1.110.0", "env": variables(object.union(n8n, more))}) == set()
	}
	beside(cnpg({}), {"image": "flowiseai/flowise:3.0.7", "env": variables({"DATABASE_TYPE": "postgres", "DATABASE_HOST": "orders-rw:5432", "DATABASE_SSL": "true"})}) == {["error", fault("DATABASE_SSL=true", "Set DATABASE_SSL_KEY_BASE64 to the CA")]}
	beside(zalando, {"image": "flowiseai/flowise:3.0.7", "env": variables({"DATABASE_TYPE": "postgres", "DATABASE_HOST": "orders"})}) == {["error", "Container app connects without TLS, the default of Flowise, and the server lets nobody in without it (\"hostnossl all all all reject\"): every connection is refused. Set DATABASE_SSL_KEY_BASE64 to the CA."]}
}

# Most programs in Node.js are on it, and nobody knows of this one.
test_node_is_an_info if {
	every container in [{"image": "shop/app:1", "command": ["node", "dist/server.js"]}, {"image": "shop/app:1", "args": ["npm run start"]}, {"image": "node:22-alpine"}, {"image": "shop/app:3.18.0-node22"}] {
		beside(cnpg({}), object.union(container, url("orders-rw", "require"))) == {["info", fault(require, mount("orders-ca"))]}
	}
}

test_not_reported if {
	node := {"image": "node:22-alpine"}
	beside(cnpg({}), object.union({"image": "shop/app:1"}, url("orders-rw", "require"))) == set()
	beside(cnpg({}), object.union(node, url("elsewhere", "require"))) == set()
	every mode in ["disable", "prefer", "no-verify", "require&uselibpqcompat=true", "require&schema=public", "require&sslrootcert=/ca.crt"] {
		beside(cnpg({}), object.union(node, url("orders-rw", mode))) == set()
	}
	every more in [
		{"command": ["npx", "prisma", "migrate", "deploy"]}, {"command": ["node", "--use-system-ca", "a.js"]}, {"volumeMounts": [{"name": "a", "mountPath": "/etc/pg-ca"}]}, {"envFrom": [{"secretRef": {"name": "x"}}]},
	] {
		beside(cnpg({}), object.union(node, object.union(url("orders-rw", "require"), more))) == set()
	}
	every name in ["NODE_EXTRA_CA_CERTS", "NODE_TLS_REJECT_UNAUTHORIZED", "DB_CA_CERT", "NODE_OPTIONS"] {
		beside(cnpg({}), object.union(node, {"env": array.concat(url("orders-rw", "require").env, [{"name": name, "value": "1"}])})) == set()
	}
}

# What a ConfigMap says.
test_authorities_of_a_map if {
	found := check.findings with input as {
		"review": {"object": object.union({"metadata": {"name": "orders", "namespace": "prod"}}, cnpg({}))},
		"inventory": {"namespace": {"prod": {
			"v1": {"ConfigMap": {"c": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c", "namespace": "prod"}, "data": {"NODE_EXTRA_CA_CERTS": "/a"}}}},
			"apps/v1": {"Deployment": {"app": {
				"apiVersion": "apps/v1",
				"kind": "Deployment",
				"metadata": {"name": "app", "namespace": "prod"},
				"spec": {"template": {"spec": {"containers": [object.union({"name": "app", "image": "node:22", "envFrom": [{"configMapRef": {"name": "c"}}]}, url("orders-rw", "require"))]}}},
			}}},
		}}},
	}
	found == set()
}

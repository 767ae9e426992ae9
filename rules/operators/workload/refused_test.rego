package walguard.operators.workload_refused_test

import data.walguard.checks.access.client_mismatch
import data.walguard.checks.access.pooler_login
import data.walguard.checks.access.secret_key_missing
import data.walguard.checks.parameters.operator_refuses

# What the scripts of images refuse, of a server with these variables.
server(image, env, pod, container) := {
	"apiVersion": "apps/v1",
	"kind": "StatefulSet",
	"metadata": {"name": "db", "namespace": "shop"},
	"spec": {
		"serviceName": "db-headless",
		"selector": {"matchLabels": {"app": "db"}},
		"template": {"metadata": object.union({"labels": {"app": "db"}}, object.get(pod, "metadata", {})), "spec": {"containers": [object.union(
			{"name": "postgres", "image": image, "env": env, "volumeMounts": [{"name": "data", "mountPath": "/var/lib/postgresql/data", "subPath": "pgdata"}]},
			container,
		)]}},
		"volumeClaimTemplates": [{"metadata": {"name": "data"}, "spec": {"resources": {"requests": {"storage": "10Gi"}}}}],
	},
}

objects := {"v1": {
	"Secret": {"db": {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "db", "namespace": "shop"}, "stringData": {"password": "x", "POSTGRESQL_USER": "shop", "POSTGRESQL_PASSWORD": "y"}}},
	"Service": {"db": {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "db", "namespace": "shop"}, "spec": {"selector": {"app": "db"}, "ports": [{"port": 5432}]}}},
}}

refused(image, env) := refused_with(image, env, {}, {})

refused_with(image, env, pod, container) := {substring(f.message, 0, indexof(f.message, ". ")) |
	found := operator_refuses.findings with input as {"review": {"object": server(image, env, pod, container)}, "inventory": {"namespace": {"shop": objects}}}
	some f in found
}

plain(name, value) := {"name": name, "value": value}

secret(name) := {"name": name, "valueFrom": {"secretKeyRef": {"name": "db", "key": "password"}}}

red_hat := "quay.io/sclorg/postgresql-16-c9s:20250911"

whole := [plain("POSTGRESQL_USER", "shop"), plain("POSTGRESQL_DATABASE", "shop"), secret("POSTGRESQL_PASSWORD")]

test_red_hat if {
	refused(red_hat, whole) == set()
	refused(red_hat, [secret("POSTGRESQL_ADMIN_PASSWORD")]) == set()
	refused(red_hat, []) == set()
	refused(red_hat, [whole[0], whole[1]]) == {"Red Hat's image refuses this resource: POSTGRESQL_DATABASE and POSTGRESQL_USER without POSTGRESQL_PASSWORD, and it wants all three or none, and stops with its usage"}
	refused(red_hat, [whole[0]]) == {"Red Hat's image refuses this resource: POSTGRESQL_USER without POSTGRESQL_DATABASE and POSTGRESQL_PASSWORD, and it wants all three or none, and stops with its usage"}
	refused(red_hat, [secret("POSTGRES_PASSWORD")]) == {"Red Hat's image refuses this resource: it reads neither POSTGRES_PASSWORD nor any other name of the official image, and stops with its usage"}
	refused(red_hat, [plain("POSTGRESQL_USER", "postgres"), whole[1], whole[2]]) == {"Red Hat's image refuses this resource: POSTGRESQL_USER is postgres, which initdb makes: createuser fails, the first start ends there, and the database is never created"}
	refused(red_hat, [plain("POSTGRESQL_USER", "postgres"), plain("POSTGRESQL_DATABASE", "postgres"), whole[2]]) == set()
	migration := [plain("POSTGRESQL_MIGRATION_REMOTE_HOST", "old"), secret("POSTGRESQL_MIGRATION_ADMIN_PASSWORD")]
	refused(red_hat, migration) == set()
	refused(red_hat, array.concat(migration, [secret("POSTGRESQL_ADMIN_PASSWORD")])) == {"Red Hat's image refuses this resource: it migrates from another server or makes a role, not both, and stops with its usage"}
}

# What another source may say, or another program does, is not known.
test_red_hat_unknown if {
	half := [whole[0]]
	refused_with(red_hat, half, {}, {"command": ["run-postgresql-slave"]}) == set()
	refused_with(red_hat, half, {}, {"args": ["run-postgresql-master"]}) == set()
	refused_with(red_hat, half, {}, {"envFrom": [{"secretRef": {"name": "elsewhere"}}]}) == set()
	refused_with(red_hat, half, {}, {"envFrom": [{"configMapRef": {"name": "elsewhere"}}]}) == set()
	refused_with(red_hat, [whole[1]], {}, {"envFrom": [{"secretRef": {"name": "db"}}]}) == set()
	count(refused_with(red_hat, [], {}, {"envFrom": [{"secretRef": {"name": "db"}}]})) == 1
	refused("registry.example.com/postgresql-16", half) == set()
}

bitnami := "docker.io/bitnamilegacy/postgresql:17.6.0-debian-12-r4"

password := secret("POSTGRESQL_PASSWORD")

test_bitnami if {
	refused(bitnami, [password]) == set()
	refused(bitnami, [password, plain("POSTGRESQL_ENABLE_TLS", "true")]) == {"Bitnami's image refuses this resource: POSTGRESQL_ENABLE_TLS is \"true\", and it knows yes and no"}
	refused(bitnami, [password, plain("POSTGRES_ENABLE_LDAP", "1")]) == {"Bitnami's image refuses this resource: POSTGRESQL_ENABLE_LDAP is \"1\", and it knows yes and no"}
	refused(bitnami, [password, plain("POSTGRESQL_REPLICATION_MODE", "primary")]) == {"Bitnami's image refuses this resource: POSTGRESQL_REPLICATION_MODE is \"primary\", and it knows master and slave"}
	refused(bitnami, [password, plain("POSTGRESQL_TLS_PREFER_SERVER_CIPHERS", "on")]) == set()
	tls := [password, plain("POSTGRESQL_ENABLE_TLS", "yes"), plain("POSTGRESQL_TLS_KEY_FILE", "/certs/tls.key")]
	refused(bitnami, tls) == {"Bitnami's image refuses this resource: POSTGRESQL_ENABLE_TLS is yes without POSTGRESQL_TLS_CERT_FILE"}
	refused(bitnami, array.concat(tls, [plain("POSTGRESQL_TLS_CERT_FILE", "/certs/tls.crt"), plain("POSTGRESQL_TLS_PREFER_SERVER_CIPHERS", "on")])) == {"Bitnami's image refuses this resource: POSTGRESQL_TLS_PREFER_SERVER_CIPHERS is \"on\", and it knows yes and no"}
	slave := [password, plain("POSTGRESQL_REPLICATION_MODE", "slave")]
	refused(bitnami, array.concat(slave, [plain("POSTGRES_MASTER_HOST", "db")])) == {"Bitnami's image refuses this resource: POSTGRESQL_REPLICATION_MODE is slave without POSTGRESQL_REPLICATION_USER"}
	refused(bitnami, [password, plain("POSTGRESQL_REPLICATION_USER", "repl")]) == {"Bitnami's image refuses this resource: POSTGRESQL_REPLICATION_USER without POSTGRESQL_REPLICATION_PASSWORD"}
	refused(bitnami, [password, plain("POSTGRESQL_REPLICATION_USER", "repl"), plain("POSTGRESQL_REPLICATION_PASSWORD_FILE", "/secrets/repl")]) == set()
}

repmgr := "docker.io/bitnamilegacy/postgresql-repmgr:17.6.0-debian-12-r2"

of_repmgr := [
	password, plain("REPMGR_PARTNER_NODES", "db-0.db-headless"), plain("REPMGR_PRIMARY_HOST", "db-0.db-headless"), {"name": "REPMGR_NODE_NAME", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}},
	plain("REPMGR_NODE_NETWORK_NAME", "$(REPMGR_NODE_NAME).db-headless"), secret("REPMGR_PASSWORD"),
]

test_repmgr if {
	refused(repmgr, of_repmgr) == set()
	every name in ["REPMGR_PARTNER_NODES", "REPMGR_PRIMARY_HOST", "REPMGR_PASSWORD"] {
		refused(repmgr, [one | some one in of_repmgr; one.name != name]) == {sprintf("Bitnami's image refuses this resource: it has no %s", [name])}
	}
	refused(repmgr, array.concat([one | some one in of_repmgr; one.name != "REPMGR_PASSWORD"], [plain("REPMGR_PASSFILE_PATH", "/secrets/repmgr")])) == set()
	refused(repmgr, array.concat([one | some one in of_repmgr; one.name != "REPMGR_NODE_NAME"], [plain("REPMGR_NODE_NAME", "pg0")])) == {"Bitnami's image refuses this resource: REPMGR_NODE_NAME is \"pg0\", which does not end with a dash and a number"}
}

official := "postgres:17.6"

test_official if {
	file := plain("POSTGRES_PASSWORD_FILE", "/run/secrets/password")
	gone := "The image refuses this resource: POSTGRES_PASSWORD_FILE names /run/secrets/password, and nothing is mounted there: its entrypoint stops with \"No such file or directory\""
	refused(official, [file]) == {gone}
	refused(official, [file, secret("POSTGRES_PASSWORD")]) == {gone, "The image refuses this resource: POSTGRES_PASSWORD and POSTGRES_PASSWORD_FILE are both set, and its entrypoint takes one of them: it stops with \"are exclusive\""}
	refused(official, [file, plain("POSTGRES_PASSWORD", "")]) == {gone}
	refused(official, [secret("POSTGRES_PASSWORD")]) == set()
	refused(official, [plain("POSTGRES_PASSWORD_FILE", "/var/lib/postgresql/data/password")]) == set()
	refused(official, [plain("POSTGRES_PASSWORD_FILE", "$(DIRECTORY)/password")]) == set()
	refused_with(official, [file], {}, {"command": ["docker-entrypoint.sh", "postgres"]}) == {gone}
	refused_with(official, [file], {}, {"command": ["sh", "-c", "docker-entrypoint.sh postgres"]}) == set()
	refused_with(official, [file], {"metadata": {"annotations": {"vault.hashicorp.com/agent-inject": "true"}}}, {}) == set()
	refused("registry.example.com/postgres:17", [file]) == set()
}

# Of a file in sight the value is known, and it is not the variable's own.
of_options(env) := {substring(f.message, 0, indexof(f.message, ". ")) |
	mounting := json.patch(server(official, array.concat([secret("POSTGRES_PASSWORD")], env), {}, {}), [
		{"op": "add", "path": "/spec/template/spec/volumes", "value": [{"name": "options", "configMap": {"name": "options"}}]},
		{"op": "add", "path": "/spec/template/spec/containers/0/volumeMounts/-", "value": {"name": "options", "mountPath": "/options"}},
	])
	options := {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "options", "namespace": "shop"}, "data": {"args": "--data-checksums"}}
	found := operator_refuses.findings with input as {"review": {"object": mounting}, "inventory": {"namespace": {"shop": json.patch(objects, [{"op": "add", "path": "/v1/ConfigMap", "value": {"options": options}}])}}}
	some f in found
}

test_file_in_sight if {
	file := plain("POSTGRES_INITDB_ARGS_FILE", "/options/args")
	both := {"The image refuses this resource: POSTGRES_INITDB_ARGS and POSTGRES_INITDB_ARGS_FILE are both set, and its entrypoint takes one of them: it stops with \"are exclusive\""}
	of_options([file]) == set()
	of_options([file, plain("POSTGRES_INITDB_ARGS", "--no-sync")]) == both
	of_options([file, secret("POSTGRES_INITDB_ARGS")]) == both
	of_options([file, plain("POSTGRES_INITDB_ARGS", "")]) == set()
}

# ------------------------------------------------------------------------------------------------- poolers and clients

deployment(name, image, env, more) := {
	"apiVersion": "apps/v1",
	"kind": "Deployment",
	"metadata": {"name": name, "namespace": "shop"},
	"spec": {"template": {"metadata": {"labels": {"app": name}}, "spec": object.union({"containers": [object.union({"name": name, "image": image, "env": env}, object.get(more, "container", {}))]}, object.get(more, "pod", {}))}},
}

service(name) := {"apiVersion": "v1", "kind": "Service", "metadata": {"name": name, "namespace": "shop"}, "spec": {"selector": {"app": name}, "ports": [{"port": 5432}]}}

beside(deployments, services, maps) := {
	"review": {"object": server(official, [secret("POSTGRES_PASSWORD")], {}, {})},
	"inventory": {"namespace": {"shop": object.union(objects, {
		"apps/v1": {"Deployment": {one.metadata.name: one | some one in deployments}},
		"v1": {"Service": {one.metadata.name: one | some one in services}, "ConfigMap": {one.metadata.name: one | some one in maps}},
	})}},
}

pooler_findings(deployments, services, maps) := {[f.severity, substring(f.message, 0, indexof(f.message, ". "))] |
	found := pooler_login.findings with input as beside(deployments, services, maps)
	some f in found
}

pgpool(env) := {message |
	some [severity, message] in pooler_findings([deployment("pgpool", "docker.io/bitnamilegacy/pgpool:4.6.3", array.concat(env, [plain("PGPOOL_BACKEND_NODES", "0:db:5432")]), {})], [], [])
	severity == "error"
}

of_pgpool := [plain("PGPOOL_SR_CHECK_USER", "shop"), secret("PGPOOL_SR_CHECK_PASSWORD"), secret("PGPOOL_POSTGRES_PASSWORD"), plain("PGPOOL_ADMIN_USERNAME", "admin"), secret("PGPOOL_ADMIN_PASSWORD")]

test_pgpool if {
	pgpool(of_pgpool) == set()
	every one in of_pgpool {
		pgpool([other | some other in of_pgpool; other.name != one.name]) == {sprintf("Bitnami's image of Pgpool-II stops at its own check: %s is not set", [one.name])}
	}
	pgpool([of_pgpool[2], of_pgpool[3], of_pgpool[4], plain("PGPOOL_SR_CHECK_PERIOD", "0")]) == set()
	pgpool([of_pgpool[0], of_pgpool[1], of_pgpool[3], of_pgpool[4], plain("PGPOOL_ENABLE_POOL_PASSWD", "no"), plain("PGPOOL_AUTHENTICATION_METHOD", "md5")]) == set()
	pgpool(array.concat(of_pgpool, [plain("PGPOOL_ENABLE_TLS", "true")])) == {"Bitnami's image of Pgpool-II stops at its own check: PGPOOL_ENABLE_TLS is \"true\", and it takes yes and no"}
	pgpool(array.concat(of_pgpool, [plain("PGPOOL_MAX_POOL", "0")])) == {"Bitnami's image of Pgpool-II stops at its own check: PGPOOL_MAX_POOL is \"0\", and it takes a number above 0"}
	pooler_findings([deployment("pgpool", "docker.io/bitnamilegacy/pgpool:4.6.3", array.concat(of_pgpool, [plain("PGPOOL_BACKEND_NODES", "db:5432")]), {})], [], []) == {["error", "Bitnami's image of Pgpool-II stops at its own check: PGPOOL_BACKEND_NODES is \"db:5432\", and it takes number:host:port of each server"]}
	pooler_findings([deployment("pgpool", "docker.io/bitnamilegacy/pgpool:4.6.3", [plain("PGPOOL_BACKEND_NODES", "0:db:5432")], {"container": {"envFrom": [{"secretRef": {"name": "elsewhere"}}]}})], [], []) == set()
	pooler_findings([deployment("pgpool", "example.com/pgpool:4", [plain("PGPOOL_BACKEND_NODES", "0:db:5432")], {})], [], []) == set()
}

of_own_check(more) := {trim_prefix(message, "Bitnami's image of Pgpool-II stops at its own check: ") | some message in pgpool(array.concat(of_pgpool, [plain(name, value) | some name, value in more]))}

test_pgpool_and_what_stands_beside if {
	of_own_check({"PGPOOL_ENABLE_TLS": "yes", "PGPOOL_TLS_CERT_FILE": "/c"}) == {"PGPOOL_ENABLE_TLS is yes, and PGPOOL_TLS_KEY_FILE is not set"}
	of_own_check({"PGPOOL_ENABLE_TLS": "yes", "PGPOOL_TLS_CERT_FILE": "/c", "PGPOOL_TLS_KEY_FILE": "/k"}) == set()
	of_own_check({"PGPOOL_ENABLE_LDAP": "yes", "LDAP_URI": "ldap://x", "LDAP_BASE": "b", "LDAP_BIND_DN": "d", "LDAP_BIND_PASSWORD_FILE": "/p"}) == set()
	count(of_own_check({"PGPOOL_ENABLE_LDAP": "yes"})) == 4
	of_own_check({"PGPOOL_AUTO_FAILBACK": "yes"}) == {"PGPOOL_AUTO_FAILBACK is yes, and PGPOOL_BACKEND_APPLICATION_NAMES is not set"}
	of_own_check({"PGPOOL_ENABLE_POOL_PASSWD": "no"}) == {"PGPOOL_ENABLE_POOL_PASSWD is no, which authentication by scram-sha-256 does not allow"}
	of_own_check({"PGPOOL_ENABLE_POOL_PASSWD": "no", "PGPOOL_AUTHENTICATION_METHOD": "md5"}) == set()
	of_own_check({"PGPOOL_POSTGRES_CUSTOM_USERS": "a,b;c", "PGPOOL_POSTGRES_CUSTOM_PASSWORDS": "x y"}) == {"PGPOOL_POSTGRES_CUSTOM_USERS names 3 users, and PGPOOL_POSTGRES_CUSTOM_PASSWORDS has 2 passwords"}
	of_own_check({"PGPOOL_POSTGRES_CUSTOM_USERS": "a,b", "PGPOOL_POSTGRES_CUSTOM_PASSWORDS": "x,y"}) == set()
	of_own_check({"PGPOOL_POSTGRES_CUSTOM_USERS": "a,b", "PGPOOL_POSTGRES_CUSTOM_PASSWORDS": "$(X)"}) == set()
	of_own_check({"PGPOOL_POSTGRES_CUSTOM_USERS": "a,b", "PGPOOL_POSTGRES_CUSTOM_PASSWORDS": "${X}"}) == set()
	pgpool(array.concat(of_pgpool, [plain("PGPOOL_ENABLE_POOL_PASSWD", "no"), secret("PGPOOL_AUTHENTICATION_METHOD")])) == set()
}

bouncer(image, env, services, pod) := {message |
	some [severity, message] in pooler_findings([deployment("pool", image, env, {"pod": pod})], services, [])
	severity == "error"
}

of_bouncer := [plain("POSTGRESQL_HOST", "db"), secret("POSTGRESQL_PASSWORD"), plain("PGBOUNCER_DATABASE", "*")]

test_pgbouncer_of_bitnami if {
	bouncer("bitnamilegacy/pgbouncer:1.24", of_bouncer, [], {}) == set()
	every row in [
		["PGBOUNCER_AUTH_TYPE", "hba", "PGBOUNCER_AUTH_HBA_FILE"],
		["PGBOUNCER_SERVER_TLS_SSLMODE", "verify-full", "PGBOUNCER_SERVER_TLS_CA_FILE"],
	] {
		bouncer("bitnamilegacy/pgbouncer:1.24", array.concat(of_bouncer, [plain(row[0], row[1])]), [], {}) == {sprintf("Bitnami's image of PgBouncer stops at its own check: %s is %s, and %s is not set", row)}
		bouncer("bitnamilegacy/pgbouncer:1.24", array.concat(of_bouncer, [plain(row[0], row[1]), plain(row[2], "/f")]), [], {}) == set()
	}
	count(bouncer("bitnamilegacy/pgbouncer:1.24", array.concat(of_bouncer, [plain("PGBOUNCER_CLIENT_TLS_SSLMODE", "require")]), [], {})) == 2
	bouncer("bitnamilegacy/pgbouncer:1.24", array.concat(of_bouncer, [plain("PGBOUNCER_SERVER_TLS_SSLMODE", "require")]), [], {}) == set()
	bouncer("bitnamilegacy/pgbouncer:1.24", [of_bouncer[0], of_bouncer[2]], [], {}) == {"Bitnami's image of PgBouncer stops at its own check: POSTGRESQL_PASSWORD is not set"}
	bouncer("bitnamilegacy/pgbouncer:1.24", [of_bouncer[0], of_bouncer[2], plain("PGBOUNCER_AUTH_TYPE", "trust")], [], {}) == set()
	bouncer("bitnamilegacy/pgbouncer:1.24", array.concat(of_bouncer, [plain("PGBOUNCER_POOL_MODE", "transactions")]), [], {}) == {"Bitnami's image of PgBouncer stops at its own check: PGBOUNCER_POOL_MODE is \"transactions\", and it takes session, statement and transaction"}
}

edoburu := "edoburu/pgbouncer:v1.24.1-p1"

test_variables_of_edoburu if {
	db := [plain("DB_HOST", "db"), plain("DB_PORT", "5432")]
	bouncer(edoburu, db, [], {}) == set()
	every name in ["CLIENT_ENCODING", "POOL_SIZE", "TIMEZONE"] {
		bouncer(edoburu, array.concat(db, [plain(name, "30")]), [], {}) == {sprintf("edoburu's image writes %s into pgbouncer.ini where PgBouncer does not know it: it stops at \"cannot load config file\"", [name])}
		bouncer(edoburu, array.concat(db, [plain(name, "")]), [], {}) == set()
	}
	every row in [
		["POOL_MODE", "transactional", "pool_mode=transactional is not one of session, transaction and statement, and PgBouncer does not start with it"],
		["MAX_CLIENT_CONN", "1k", "max_client_conn=1k is not a whole number, and PgBouncer does not start with it"],
		["CLIENT_TLS_SSLMODE", "require", "client_tls_sslmode=require wants client_tls_key_file and client_tls_cert_file, and PgBouncer does not start without them (\"TLS setup failed\")"],
	] {
		bouncer(edoburu, array.concat(db, [plain(row[0], row[1])]), [], {}) == {sprintf("Variable %s: %s", [row[0], row[2]])}
	}
	every row in [["POOL_MODE", "$(MODE)"], ["POOL_MODE", "${MODE}"], ["POOL_MODE", ""], ["MAX_CLIENT_CONN", "1000"], ["SHOP_MODE", "1k"], ["CLIENT_TLS_SSLMODE", "disable"], ["AUTH_FILE", "/f"]] {
		bouncer(edoburu, array.concat(db, [plain(row[0], row[1])]), [], {}) == set()
	}
	bouncer(edoburu, array.concat(db, [plain("CLIENT_TLS_SSLMODE", "require"), plain("CLIENT_TLS_KEY_FILE", "/k"), plain("CLIENT_TLS_CERT_FILE", "/c")]), [], {}) == set()
	bouncer("example.com/pgbouncer:1", array.concat(db, [plain("POOL_SIZE", "30")]), [], {}) == set()

	# A file of one's own takes the place of what is made of them.
	own := {"command": ["pgbouncer", "/p.ini"]}
	mounted := {"volumeMounts": [{"name": "c", "mountPath": "/etc/pgbouncer"}]}
	every fields in [own, mounted] {
		pooler_findings([deployment("pool", edoburu, array.concat(db, [plain("POOL_SIZE", "30")]), {"container": fields})], [], []) == set()
	}
}

# Kubernetes' own variables in the place of a port.
test_links_of_poolers if {
	bouncer("edoburu/pgbouncer:v1.24.1-p1", [plain("DB_HOST", "db"), plain("AUTH_TYPE", "scram-sha-256")], [], {}) == {"PgBouncer reads DB_PORT, which Kubernetes sets to tcp://… since there is Service db: it finds no server"}
	bouncer("edoburu/pgbouncer:v1.24.1-p1", [plain("DB_HOST", "db"), plain("AUTH_TYPE", "scram-sha-256"), plain("DB_PORT", "5432")], [], {}) == set()
	bouncer("edoburu/pgbouncer:v1.24.1-p1", [plain("DB_HOST", "db"), plain("AUTH_TYPE", "scram-sha-256")], [], {"enableServiceLinks": false}) == set()
	bouncer("bitnamilegacy/pgbouncer:1.24", of_bouncer, [service("pgbouncer")], {}) == {"PgBouncer reads PGBOUNCER_PORT, which Kubernetes sets to tcp://… since there is Service pgbouncer: it stops at \"invalid port\""}
	bouncer("bitnamilegacy/pgbouncer:1.24", of_bouncer, [service("postgresql")], {}) == {"PgBouncer reads POSTGRESQL_PORT, which Kubernetes sets to tcp://… since there is Service postgresql: it finds no server"}
	bouncer("bitnamilegacy/pgbouncer:1.24", of_bouncer, [object.union(service("pgbouncer"), {"spec": {"clusterIP": "None"}})], {}) == set()
	bouncer("example.com/pgbouncer:1.24", [plain("DB_HOST", "db")], [], {}) == set()
}

test_port_that_the_pod_means if {
	data.walguard.operators.workload.port_meant({"ports": [{"containerPort": 5432}]}, "PGBOUNCER_PORT", "6432") == 5432
	data.walguard.operators.workload.port_meant({"ports": [{"containerPort": 5432}, {"containerPort": 9127}]}, "PGBOUNCER_PORT", "6432") == 6432
	data.walguard.operators.workload.port_meant({"ports": [{"containerPort": 6432}]}, "DB_PORT", "5432") == "5432"
}

client_findings(deployments) := {f.message |
	found := client_mismatch.findings with input as beside(deployments, [], [])
	some f in found
	f.severity == "error"
}

linked := {"Deployment app reads DB_PORT, which is tcp://… of Service db (Kubernetes sets it unless enableServiceLinks is false) and no port: it finds no database. Set DB_PORT to \"5432\", or enableServiceLinks: false."}

test_links_of_clients if {
	every words in ["psql -p $DB_PORT", "psql -p ${DB_PORT}", "psql -p ${DB_PORT:-5432}", "psql -p $(DB_PORT)"] {
		client_findings([deployment("app", "app:1", [], {"container": {"args": [words]}})]) == linked
	}
	client_findings([deployment("app", "app:1", [plain("URL", "postgres://db:$(DB_PORT)/shop")], {})]) == linked
	every words in ["psql -p ${DB_PORT##*:}", "DB_PORT=5432; psql -p $DB_PORT", "psql -p $DB_PORT_5432_TCP_PORT", "psql"] {
		client_findings([deployment("app", "app:1", [], {"container": {"args": [words]}})]) == set()
	}
	client_findings([deployment("app", "app:1", [plain("DB_PORT", "5432")], {"container": {"args": ["psql -p $DB_PORT"]}})]) == set()
	client_findings([deployment("app", "app:1", [], {"container": {"args": ["psql -p $DB_PORT"], "envFrom": [{"secretRef": {"name": "elsewhere"}}]}})]) == set()
	client_findings([deployment("app", "app:1", [], {"container": {"args": ["psql -p $DB_PORT"]}, "pod": {"enableServiceLinks": false}})]) == set()
}

# Images that take the port from POSTGRES_PORT, beside a Service that is called postgres.
backed_up(image, container) := {f.message |
	found := client_mismatch.findings with input as {
		"review": {"object": server(official, [secret("POSTGRES_PASSWORD")], {}, {})},
		"inventory": {"namespace": {"shop": object.union(objects, {
			"apps/v1": {"Deployment": {"backup": deployment("backup", image, [plain("POSTGRES_HOST", "postgres"), plain("POSTGRES_DB", "shop"), plain("POSTGRES_USER", "shop"), secret("POSTGRES_PASSWORD")], {"container": container})}},
			"v1": {"Service": {"postgres": object.union(service("postgres"), {"spec": {"selector": {"app": "db"}}})}},
		})}},
	}
	some f in found
	f.severity == "error"
}

test_links_of_images if {
	backed_up("prodrigestivill/postgres-backup-local:17", {}) == {"Deployment backup reads POSTGRES_PORT, which is tcp://… of Service postgres (Kubernetes sets it unless enableServiceLinks is false) and no port: it finds no database. Set POSTGRES_PORT to \"5432\", or enableServiceLinks: false."}
	count(backed_up("eeshugerman/postgres-backup-s3:17", {})) == 1
	count(backed_up("eeshugerman/postgres-backup-s3:17", {"command": ["sh", "backup.sh"]})) == 1
	count(backed_up("prodrigestivill/postgres-backup-local:17", {"args": ["/backup.sh"]})) == 1
	count(backed_up("kartoza/pg-backup:17-3.5", {})) == 1
	backed_up("eeshugerman/postgres-backup-s3:17", {"command": ["sleep", "infinity"]}) == set()
	backed_up("example.com/backup:1", {}) == set()
}

# ------------------------------------------------------------------------------------------------- pgbouncer.ini

ini(words) := {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "pool", "namespace": "shop"}, "data": {"pgbouncer.ini": concat("\n", array.concat(["[databases]", "* = host=db", "[pgbouncer]", "listen_addr = *"], words))}}

filed(mounts, env) := deployment("pool", "edoburu/pgbouncer:v1.24.1-p1", env, {
	"container": {"volumeMounts": mounts},
	"pod": {"volumes": [{"name": "ini", "configMap": {"name": "pool"}}]},
})

test_users_file if {
	whole_directory := [{"name": "ini", "mountPath": "/etc/pgbouncer/"}]
	pooler_findings([filed(whole_directory, [])], [], [ini([])]) == {["error", "ConfigMap pool takes the place of /etc/pgbouncer and has no userlist.txt, which the image then makes there: \"touch: Read-only file system\", and PgBouncer does not start"]}
	pooler_findings([filed(whole_directory, [plain("AUTH_FILE", "/users/userlist.txt")])], [], [ini([])]) == set()
	pooler_findings([filed(whole_directory, [])], [], [object.union(ini([]), {"data": {"userlist.txt": "x"}})]) == set()
	pooler_findings([filed([{"name": "ini", "mountPath": "/etc/pgbouncer/pgbouncer.ini", "subPath": "pgbouncer.ini"}], [])], [], [ini([])]) == set()
	pooler_findings([filed(array.concat(whole_directory, [{"name": "users", "mountPath": "/etc/pgbouncer/userlist.txt", "subPath": "x"}]), [])], [], [ini([])]) == set()
}

test_users_file_of_a_secret if {
	of_a_secret({}) == {["error", ["stringData"], "Secret pool takes the place of /etc/pgbouncer and has no userlist.txt, which the image then makes there: \"touch: Read-only file system\", and PgBouncer does not start. Set AUTH_FILE to where it is, or mount pgbouncer.ini alone by subPath."]}
	of_a_secret({"stringData": {"userlist.txt": "x"}}) == set()
	of_a_secret({"data": {"userlist.txt": "eA=="}}) == set()
}

of_a_secret(more) := {[f.severity, f.path, f.message] |
	mounted := deployment("pool", "edoburu/pgbouncer:v1.24.1-p1", [], {
		"container": {"volumeMounts": [{"name": "ini", "mountPath": "/etc/pgbouncer"}]},
		"pod": {"volumes": [{"name": "ini", "secret": {"secretName": "pool"}}]},
	})
	kept := object.union({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "pool", "namespace": "shop"}, "stringData": ini([]).data}, more)
	found := pooler_login.findings with input as object.union(beside([mounted], [], []), {"inventory": {"namespace": {"shop": {"v1": {"Secret": {"pool": kept}}}}}})
	some f in found
}

below_file := [{"name": "ini", "mountPath": "/etc/pgbouncer/pgbouncer.ini", "subPath": "pgbouncer.ini"}]

asked(address, words) := {message |
	some [severity, message] in pooler_findings([filed(below_file, []), deployment("app", "app:1", [plain("URL", address)], {})], [service("pool")], [ini(array.concat(words, ["listen_port = 5432"]))])
	severity == "error"
}

refuses(parameter, text) := sprintf("PgBouncer refuses Deployment app with \"unsupported startup parameter: %s\", for its URL says %s", [parameter, text])

floats := "ignore_startup_parameters = extra_float_digits"

test_startup_parameters if {
	asked("postgres://shop:$(P)@pool:6432/shop", []) == set()
	asked("postgres://shop:$(P)@pool:6432/shop?options=-c%20search_path%3Dapp", [floats]) == {refuses("options", "?options=-c%20search_path%3Dapp")}
	asked("postgres://pool.shop.svc:6432/shop?sslmode=disable&search_path=app", [floats]) == {refuses("search_path", "&search_path=app")}
	asked("jdbc:postgresql://pool:6432/shop?currentSchema=app", [floats]) == {refuses("search_path", "?currentSchema=app")}
	asked("jdbc:postgresql://pool:6432/shop?currentSchema=app", []) == {refuses("search_path", "?currentSchema=app"), "PgBouncer refuses Deployment app with \"unsupported startup parameter: extra_float_digits\", which its driver always sends"}
	asked("jdbc:postgresql://pool:6432/shop?currentSchema=app", ["ignore_startup_parameters = extra_float_digits, search_path"]) == set()
	asked("postgres://pool:6432/shop?options=-c%20search_path%3Dapp", ["ignore_startup_parameters = options"]) == set()
	asked("postgres://pool:6432/shop?options=-c%20search_path%3Dapp", ["ignore_startup_parameters = search_path"]) == set()
	asked("postgres://pool:6432/shop?options=-c%20timezone%3DUTC", [floats]) == set()
	asked("postgres://pool.other.svc:6432/shop?search_path=app", [floats]) == set()
	asked("postgres://other:6432/shop?search_path=app", [floats]) == set()
	asked("postgres://pool:6432/shop?search_path=app", ["%include /etc/more.ini"]) == set()
}

by_environment(env) := pooler_findings([deployment("pool", "edoburu/pgbouncer:v1.24.1-p1", array.concat([plain("DB_HOST", "db"), plain("DB_PORT", "5432"), plain("AUTH_TYPE", "scram-sha-256")], env), {}), deployment("app", "app:1", [plain("URL", "postgres://pool/shop?search_path=app")], {})], [service("pool")], [])

test_startup_parameters_by_environment if {
	by_environment([]) == {["error", refuses("search_path", "?search_path=app")]}
	by_environment([plain("IGNORE_STARTUP_PARAMETERS", "extra_float_digits,search_path")]) == set()
	by_environment([secret("IGNORE_STARTUP_PARAMETERS")]) == set()
}

keys_of(env) := {f.message |
	found := secret_key_missing.findings with input as object.union(beside([deployment("app", "app:1", env, {})], [], []), {"inventory": {"namespace": {"shop": {"v1": {"Secret": {"app": {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "app", "namespace": "shop"}, "stringData": {"token": "x"}}}}}}}})
	some f in found
}

# A client that names the server and takes its password from a Secret without the key.
test_key_of_a_client if {
	lacking := {"name": "DB_PASS", "valueFrom": {"secretKeyRef": {"name": "app", "key": "postgresql-password"}}}
	keys_of([plain("DB_HOST", "db"), lacking]) == {"Secret app has no key postgresql-password (it has token): the container is not created. Add the key, or name the right one."}
	keys_of([plain("DB_HOST", "other"), lacking]) == set()
	keys_of([plain("DB_HOST", "db"), {"name": "DB_PASS", "valueFrom": {"secretKeyRef": {"name": "app", "key": "token"}}}]) == set()
}

test_options_of_bitnami if {
	refused_with("docker.io/bitnamilegacy/postgresql:17.6.0", [secret("POSTGRES_PASSWORD")], {}, {"args": ["-c", "config_file=/bitnami/postgresql/conf/postgresql.conf"]}) == {"Bitnami's image refuses this resource: its entrypoint runs args as a program in the place of run.sh, and \"-c\" is none: the container exits without a server"}
	refused_with("docker.io/bitnamilegacy/postgresql:17.6.0", [secret("POSTGRES_PASSWORD")], {}, {"args": ["/opt/bitnami/scripts/postgresql/run.sh", "-c", "work_mem=8MB"]}) == set()
	refused_with("docker.io/bitnamilegacy/postgresql:17.6.0", [secret("POSTGRES_PASSWORD")], {}, {"command": ["/opt/bitnami/scripts/postgresql/entrypoint.sh", "/opt/bitnami/scripts/postgresql/run.sh"], "args": ["-c", "work_mem=8MB"]}) == set()
	refused_with("postgres:17.6", [secret("POSTGRES_PASSWORD")], {}, {"args": ["-c", "work_mem=8MB"]}) == set()
	refused_with("registry.example.com/postgresql:17.6.0", [secret("POSTGRES_PASSWORD")], {}, {"args": ["-c", "work_mem=8MB"]}) == set()
}

package walguard.model.addresses

import data.walguard.lib.get
import data.walguard.lib.inventory
import data.walguard.lib.login
import data.walguard.model

# Operators write the address of libpq below these keys, and that of JDBC below the others.
uris_for_jdbc := [{
	"name": name,
	"client": one.client,
	"fault": sprintf("takes key %s of Secret %s, which begins with postgresql://, and the JDBC driver takes no other than jdbc:postgresql:// (\"claims to not accept jdbcUrl\")", [key, secret]),
	"cure": sprintf("Take key %s", [keys_of_jdbc[key]]),
	"path": array.concat(one.path, ["valueFrom", "secretKeyRef", "key"]),
	"resource": one.resource,
} |
	made := {name | some name in get.list(model.cluster, "made_secrets")}
	count(made) > 0
	some one in client_variables
	name := get.string(one.variable, "name")
	regex.match(variables_of_jdbc, name)
	secret := get.string(one.variable, ["valueFrom", "secretKeyRef", "name"])
	secret in made
	key := get.string(one.variable, ["valueFrom", "secretKeyRef", "key"])
	keys_of_jdbc[key]
	count([1 | startswith(login.field(inventory.namespaced_object(model.cluster.namespace, "v1", "Secret", secret), key), "jdbc:")]) == 0
]

keys_of_jdbc := {"fqdn-uri": "fqdn-jdbc-uri", "pgbouncer-uri": "pgbouncer-jdbc-uri", "uri": "jdbc-uri"}

variables_of_jdbc := `^(SPRING_(DATASOURCE|FLYWAY|LIQUIBASE)_(JDBC_?)?URL|KC_DB_URL|QUARKUS_DATASOURCE_JDBC_URL|SONAR(QUBE)?_JDBC_URL|[A-Z_]*JDBC_URL|FLYWAY_URL)$`

# METADATA
# description: |
#   The connections that applications keep to the cluster under review: Deployments and StatefulSets of its namespace that name one of its hosts in their environment and say by a variable how large the pool of each
#   pod is. {"client", "pods": at most, "size": of a pool, "variable", "connections", "path", "resource"}. Read are variables that frameworks and programs define, and names that say the same in programs of one's own.
# related_resources:
#   - https://docs.spring.io/spring-boot/appendix/application-properties/index.html
#   - https://www.keycloak.org/server/all-config
#   - https://quarkus.io/guides/datasource
#   - https://grafana.com/docs/grafana/latest/setup-grafana/configure-grafana/#max_open_conn
package walguard.model.pools

import data.walguard.lib.cluster
import data.walguard.lib.get
import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.lib.placeholder
import data.walguard.model

# METADATA
# description: One for each of them.
opened := [{
	"client": sprintf("%s %s", [kind, get.string(made, ["metadata", "name"])]),
	"pods": pods,
	"size": size,
	"variable": name,
	"connections": pods * size,
	"path": array.concat(path, [i, "env", k, "value"]),
	"resource": k8s.reference(made),
} |
	count(hosts) > 0
	some kind in ["Deployment", "StatefulSet"]
	some made in inventory.list(model.cluster.namespace, "apps/v1", kind)
	path := ["spec", "template", "spec", "containers"]
	some i, one in get.list(made, path)
	some name, k in get.named(get.list(one, "env"))
	name in sizes
	value := get.text_at(one.env[k], "value")
	not placeholder.unknown(value)
	size := cluster.whole(value)
	size > 0
	reaches(one)
	pods := most(kind, made)
]

hosts := {host | some host in get.list(model.cluster, "hosts"); host != ""}

sizes := {
	"SPRING_DATASOURCE_HIKARI_MAXIMUM_POOL_SIZE", "SPRING_DATASOURCE_HIKARI_MAXIMUMPOOLSIZE", "QUARKUS_DATASOURCE_JDBC_MAX_SIZE", "KC_DB_POOL_MAX_SIZE", "GF_DATABASE_MAX_OPEN_CONN", "DB_POSTGRESDB_POOL_SIZE",
	"HASURA_GRAPHQL_PG_CONNECTIONS", "PGRST_DB_POOL", "DB_MAX_CONNS", "DB_MAX_OPEN_CONNS", "DATABASE_MAX_OPEN_CONNS",
}

reaches(one) if {
	some variable in get.list(one, "env")
	value := get.string(variable, "value")
	some found in regex.find_all_string_submatch_n(`(?:^|@|//)([A-Za-z0-9][A-Za-z0-9-]*)(?:[.:/?]|$)`, trim_space(value), -1)
	found[1] in hosts
}

# What scales it may make so many; a StatefulSet or Deployment that says nothing has one.
most(kind, made) := limit if {
	limit := limits(kind, made)[0]
} else := replicas if {
	replicas := object.get(made, ["spec", "replicas"], 1)
	is_number(replicas)
}

limits(kind, made) := [limit |
	some version in ["autoscaling/v2", "autoscaling/v1"]
	some scaler in inventory.list(model.cluster.namespace, version, "HorizontalPodAutoscaler")
	get.string(scaler, ["spec", "scaleTargetRef", "kind"]) == kind
	get.string(scaler, ["spec", "scaleTargetRef", "name"]) == get.string(made, ["metadata", "name"])
	limit := get.number(scaler, ["spec", "maxReplicas"])
]

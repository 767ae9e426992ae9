package walguard.charts.ha_test

import data.walguard.charts
import data.walguard.charts.bitnami
import data.walguard.lib.placeholder

unknown := placeholder.elsewhere

whole(written) := {"name": "pg", "namespace": "db", "values": written, "whole": true, "chart": "postgresql-ha", "ha": true}

of_major(written, number) := object.union(whole(written), {"major": number})

alone(written) := {"values": written, "whole": false, "chart": "postgresql-ha", "ha": true}

objects(release) := {sprintf("%s/%s", [part.object.kind, part.object.metadata.name]): part.object | some part in bitnami.rendered(release)}

pod(release) := objects(release)["StatefulSet/pg-postgresql-ha-postgresql"].spec.template.spec

pooler(release) := objects(release)["Deployment/pg-postgresql-ha-pgpool"].spec.template.spec.containers[0]

variables(container) := {variable.name: variable.value | some variable in container.env; variable.value}

test_defaults if {
	release := whole({})
	object.keys(objects(release)) == {"StatefulSet/pg-postgresql-ha-postgresql", "Deployment/pg-postgresql-ha-pgpool", "Service/pg-postgresql-ha-postgresql", "Service/pg-postgresql-ha-postgresql-headless", "Service/pg-postgresql-ha-pgpool"}
	objects(release)["StatefulSet/pg-postgresql-ha-postgresql"].spec.replicas == 3
	pod(release).containers[0].lifecycle == {"preStop": {"exec": {"command": ["/pre-stop.sh"]}}}
	pod(release).containers[0].livenessProbe.exec == {"command": ["/liveness-probe.sh"]}
	pod(release).containers[0].image == sprintf("docker.io/bitnami/postgresql-repmgr:%s", [unknown])
	given := variables(pod(release).containers[0])
	given.REPMGR_PRIMARY_HOST == "pg-postgresql-ha-postgresql-0.pg-postgresql-ha-postgresql-headless.$(REPMGR_NAMESPACE).svc.cluster.local"
	count(split(given.REPMGR_PARTNER_NODES, ",")) == 3
	given.PGDATA == "/bitnami/postgresql/data"
	of_pooler := variables(pooler(release))
	startswith(of_pooler.PGPOOL_BACKEND_NODES, "0:pg-postgresql-ha-postgresql-0.pg-postgresql-ha-postgresql-headless.$(REPMGR_NAMESPACE).svc.cluster.local:5432,1:")
	of_pooler.PGPOOL_RESERVED_CONNECTIONS == "1"
	not of_pooler.PGPOOL_MAX_POOL
	pod(of_major({}, 14)).containers[0].resources.limits.memory == "384Mi"
	pod(of_major({}, 12)).containers[0].resources == {}
}

test_values if {
	written := {
		"postgresql": {
			"replicaCount": 2,
			"maxConnections": 300,
			"username": "app",
			"existingSecret": "creds",
			"configuration": "fsync = off",
			"repmgrConfiguration": "x = 1",
			"extendedConf": "work_mem = 1GB",
			"extraEnvVars": [{"name": "TZ", "value": "UTC"}],
			"containerPorts": {"postgresql": 5433},
			"pdb": {"create": true},
		},
		"pgpool": {"replicaCount": 2, "numInitChildren": 60, "maxPool": 4, "reservedConnections": 2, "extraEnvVarsCM": "more", "args": ["-d"], "extraEnvVars": [{"name": "A", "value": "b"}], "image": {"tag": "4.6.3"}},
		"persistence": {"size": "20Gi"},
		"volumePermissions": {"enabled": true},
	}
	release := whole(written)
	all := objects(release)
	all["ConfigMap/pg-postgresql-ha-postgresql-configuration"].data == {"postgresql.conf": "fsync = off", "repmgr.conf": "x = 1"}
	all["ConfigMap/pg-postgresql-ha-postgresql-extended-configuration"].data == {"override.conf": "work_mem = 1GB"}
	"/bitnami/repmgr/conf" in {mounted.mountPath | some mounted in pod(release).containers[0].volumeMounts}
	given := variables(pod(release).containers[0])
	given.POSTGRESQL_MAX_CONNECTIONS == "300"
	given.POSTGRES_USER == "app"
	given.TZ == "UTC"
	{"name": "POSTGRES_PASSWORD", "valueFrom": {"secretKeyRef": {"name": "creds", "key": "password"}}} in pod(release).containers[0].env
	pod(release).initContainers[0].name == "init-chmod-data"
	all["StatefulSet/pg-postgresql-ha-postgresql"].spec.volumeClaimTemplates[0].spec.resources.requests.storage == "20Gi"
	all["Deployment/pg-postgresql-ha-pgpool"].spec.replicas == 2
	pooler(release).image == "docker.io/bitnami/pgpool:4.6.3"
	pooler(release).args == ["-d"]
	pooler(release).envFrom == [{"configMapRef": {"name": "more"}}]
	of_pooler := variables(pooler(release))
	of_pooler.PGPOOL_NUM_INIT_CHILDREN == "60"
	of_pooler.PGPOOL_RESERVED_CONNECTIONS == "2"
	of_pooler.A == "b"
	variables(pod(whole({"global": {"postgresql": {"username": "g"}}})).containers[0]).POSTGRES_USER == "g"
}

test_configuration_of_repmgr_alone if {
	volumes := {volume.name | some volume in pod(whole({"postgresql": {"repmgrConfiguration": "x = 1"}})).volumes}
	"postgresql-config" in volumes
}

# What a file by itself leaves out, another one may say.
test_values_that_are_not_all if {
	all := objects(alone({"postgresql": {"maxConnections": 10}}))
	all["StatefulSet/${RELEASE}-postgresql-ha-postgresql"].spec.template.spec.initContainers[0].name == "init-chmod-data"
	all["StatefulSet/${RELEASE}-postgresql-ha-postgresql"].spec.volumeClaimTemplates[0].spec.resources.requests.storage == unknown
	container := all["Deployment/${RELEASE}-postgresql-ha-pgpool"].spec.template.spec.containers[0]
	variables(container).PGPOOL_NUM_INIT_CHILDREN == unknown
	variables(container).PGPOOL_RESERVED_CONNECTIONS == unknown
}

test_what_is_not_read if {
	not bitnami.rendered(of_major({}, 8))
	not bitnami.rendered(whole({"postgresqlImage": {"tag": "11"}}))
	not bitnami.rendered(whole({"pgpoolImage": {"tag": "4"}}))
	not objects(whole({"pgpool": {"configuration": "port = 1"}}))["Deployment/pg-postgresql-ha-pgpool"]
	not objects(whole({"pgpool": {"configurationCM": "x"}}))["Deployment/pg-postgresql-ha-pgpool"]
}

test_values_by_themselves if {
	bitnami.is_values_of_ha({"postgresql": {"replicaCount": 3}, "pgpool": {"maxPool": 4}})
	not bitnami.is_values_of_ha({"postgresql": {"replicaCount": 3}})
	not bitnami.is_values_of_ha({"postgresql": {"replicaCount": 3}, "pgpool": {"maxPool": 4}, "ingress": {}})
	not bitnami.is_values_of_ha({"kind": "x", "postgresql": {"replicaCount": 3}, "pgpool": {"maxPool": 4}})
	not bitnami.is_values_of_ha(7)
	found := charts.rendered with input as {"review": {"object": {"postgresql": {"replicaCount": 3}, "pgpool": {"maxPool": 4}}}}
	found[0].object.kind == "StatefulSet"
}

# What is said of PGPOOL_POSTGRES_CUSTOM_USERS: nothing, its value, or where it comes from.
custom_users(release) := [object.get(variable, "value", "elsewhere") | some variable in pooler(release).env; variable.name == "PGPOOL_POSTGRES_CUSTOM_USERS"]

test_users_of_pgpool if {
	custom_users(whole({})) == []
	custom_users(whole({"pgpool": {"customUsers": {"usernames": "a;b", "passwords": "x;y"}}})) == ["a;b"]
	custom_users(whole({"pgpool": {"customUsers": {"usernames": "a"}, "customUsersSecret": "users"}})) == ["elsewhere"]
	every written in [{"ldap": {"enabled": true}}, {"pgpool": {"tls": {"enabled": true}}}, {"pgpool": {"customUsersSecret": "users"}}, {"pgpool": {"initdbScripts": {"a.sh": "x"}}}, {"pgpool": {"extraVolumeMounts": [{"name": "a"}]}}] {
		custom_users(whole(written)) == ["elsewhere"]
	}
	custom_users(object.union(alone({"pgpool": {}}), {"name": "pg"})) == ["elsewhere"]
}

test_service_of_pgpool if {
	objects(whole({"service": {"ports": {"postgresql": 6432}}}))["Service/pg-postgresql-ha-pgpool"].spec == {
		"selector": {"app.kubernetes.io/name": "postgresql-ha", "app.kubernetes.io/instance": "pg", "app.kubernetes.io/component": "pgpool"},
		"ports": [{"name": "postgresql", "port": 6432, "targetPort": "postgresql"}],
	}
}

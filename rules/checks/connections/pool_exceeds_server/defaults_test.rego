package walguard.checks.connections.pool_exceeds_server_defaults_test

import data.walguard.checks.connections.pool_exceeds_server as check
import data.walguard.lib.manifest_test as manifests

# What nobody has written: the pool of Spring Boot, and the pods of a Job.
of(api_version, made) := {regex.replace(f.message, ". Make the.*", "") |
	found := check.findings with input as object.union(manifests.review({}, {"instances": 1}), {"inventory": {"namespace": {"prod": {api_version: {made.kind: {made.metadata.name: made}}}}}})
	some f in found
}

pds(env, more) := of("apps/v1", {
	"apiVersion": "apps/v1",
	"kind": "Deployment",
	"metadata": {"name": "pds", "namespace": "prod"},
	"spec": {"replicas": 8, "template": {"spec": {"containers": [object.union({"name": "pds", "image": "example.com/pds:2", "env": [{"name": n, "value": v} | some n, v in object.union({"SPRING_DATASOURCE_URL": "jdbc:postgresql://orders-rw:5432/pds"}, env)]}, more)]}}},
})

test_spring_boot if {
	pds({}, {}) == {"Clients may open 100 connections (Deployment pds: 10 by default × 10 pods in a rollout), and the server has 97 (max_connections 100 less 3 reserved): under load some are refused"}
	pds({"SPRING_DATASOURCE_HIKARI_MAXIMUMPOOLSIZE": "2"}, {}) == set()
	pds({"SPRING_DATASOURCE_HIKARI_CONFIG": "x"}, {}) == set()
	pds({"JAVA_OPTS": "-Dspring.datasource.hikari.maximum-pool-size=2"}, {}) == set()
	pds({}, {"args": ["--spring.config.location=/x"]}) == set()
	pds({}, {"envFrom": [{"configMapRef": {"name": "unseen"}}]}) == set()
	pds({}, {"volumeMounts": [{"name": "c", "mountPath": "/config"}]}) == set()
	pds({"SPRING_DATASOURCE_URL": "jdbc:mysql://orders-rw:5432/pds"}, {}) == set()
}

container := {"name": "m", "image": "example.com/migrate:1", "env": [{"name": "TASKDB_HOST", "value": "orders-rw"}, {"name": "TASKDB_POOL_SIZE", "value": "20"}]}

job(spec) := of("batch/v1", {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "m", "namespace": "prod"}, "spec": object.union(spec, {"template": {"spec": {"containers": [container]}}})})

test_pods_of_a_job if {
	job({"parallelism": 10}) == {"Clients may open 200 connections (Job m: 20 × 10 pods), and the server has 97 (max_connections 100 less 3 reserved): under load some are refused"}
	job({"parallelism": 10, "completions": 12}) == job({"parallelism": 10})
	job({"parallelism": 10, "completions": 4}) == set()
	job({"parallelism": 10, "suspend": true}) == set()
	job({}) == set()
	count(of("batch/v1", {"apiVersion": "batch/v1", "kind": "CronJob", "metadata": {"name": "m", "namespace": "prod"}, "spec": {"jobTemplate": {"spec": {"parallelism": 5, "template": {"spec": {"containers": [container]}}}}}})) == 1
}

test_pools_of_other_databases if {
	of("batch/v1", {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "m", "namespace": "prod"}, "spec": {"parallelism": 10, "template": {"spec": {"containers": [object.union(container, {"env": [{"name": "DB_HOST", "value": "orders-rw"}, {"name": "MONGODB_POOL_SIZE", "value": "20"}]})]}}}}) == set()
}

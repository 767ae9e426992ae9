package walguard.checks.workload.request_above_limit_test

import data.walguard.checks.workload.request_above_limit as check

findings(object) := found if found := check.findings with input as {"review": {"object": object}}

crunchy(resources) := {
	"apiVersion": "postgres-operator.crunchydata.com/v1beta1",
	"kind": "PostgresCluster",
	"metadata": {"name": "hippo", "namespace": "prod"},
	"spec": {"postgresVersion": 16, "instances": [{"name": "a", "resources": resources}]},
}

test_more_than_the_limit if {
	findings(crunchy({"requests": {"memory": "2Gi", "cpu": 1}, "limits": {"memory": "1Gi", "cpu": "500m"}})) == {
		{
			"message": "The request of memory 2Gi is more than the limit of 1Gi: the API server refuses the pods. Lower the request, or raise the limit.",
			"path": ["spec", "instances", 0, "resources", "requests", "memory"],
		},
		{
			"message": "The request of cpu 1 is more than the limit of 500m: the API server refuses the pods. Lower the request, or raise the limit.",
			"path": ["spec", "instances", 0, "resources", "requests", "cpu"],
		},
	}
}

test_not_reported if {
	findings(crunchy({"requests": {"memory": "1Gi"}, "limits": {"memory": "1Gi"}})) == set()
	findings(crunchy({"requests": {"memory": "2Gi"}})) == set()
	findings(crunchy({"requests": {"memory": "${MEMORY}"}, "limits": {"memory": "1Gi"}})) == set()
	findings(crunchy({"requests": {"memory": "2Gi"}, "limits": {"memory": "${MEMORY}"}})) == set()
}

# Raised by one, refused by the other with words of its own.
test_operators_that_see_to_it if {
	resources := {"requests": {"memory": "2Gi"}, "limits": {"memory": "1Gi"}}
	findings({"apiVersion": "acid.zalan.do/v1", "kind": "postgresql", "metadata": {"name": "acid-c", "namespace": "prod"}, "spec": {"resources": resources}}) == set()
	findings({"apiVersion": "postgresql.cnpg.io/v1", "kind": "Cluster", "metadata": {"name": "c", "namespace": "prod"}, "spec": {"resources": resources}}) == set()
}

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

beside(spec) := {[f.path, f.message] | some f in findings({
	"apiVersion": "postgres-operator.crunchydata.com/v1beta1",
	"kind": "PostgresCluster",
	"metadata": {"name": "hippo", "namespace": "prod"},
	"spec": object.union({"postgresVersion": 16, "instances": [{"name": "a"}]}, spec),
})}

test_containers_beside_the_server if {
	beside({"backups": {"pgbackrest": {"jobs": {"resources": {"requests": {"memory": "2Gi", "cpu": "500m"}, "limits": {"memory": "500Mi", "cpu": 1}}}, "repos": [{"name": "repo1", "s3": {"bucket": "b"}}]}}}) == {[
		["spec", "backups", "pgbackrest", "jobs", "resources", "requests", "memory"],
		"The request of memory 2Gi for a backup job is more than its limit of 500Mi: the API server refuses the pods. Lower the request, or raise the limit.",
	]}
	{path | some [path, _] in beside({"proxy": {"pgBouncer": {"resources": {"requests": {"cpu": 2}, "limits": {"cpu": 1}}}}})} == {["spec", "proxy", "pgBouncer", "resources", "requests", "cpu"]}
	beside({"proxy": {"pgBouncer": {"resources": {"requests": {"cpu": 2}, "limits": {"cpu": "${CPU}", "memory": "1Gi"}}}}}) == set()
	beside({"proxy": {"pgBouncer": {"resources": {"requests": {"cpu": 2}}}}}) == set()
}

test_not_reported if {
	findings(crunchy({"requests": {"memory": "1Gi"}, "limits": {"memory": "1Gi"}})) == set()
	findings(crunchy({"requests": {"memory": "2Gi"}})) == set()
	findings(crunchy({"requests": {"memory": "${MEMORY}"}, "limits": {"memory": "1Gi"}})) == set()
	findings(crunchy({"requests": {"memory": "2Gi"}, "limits": {"memory": "${MEMORY}"}})) == set()
}

zalando(resources) := {"apiVersion": "acid.zalan.do/v1", "kind": "postgresql", "metadata": {"name": "acid-c", "namespace": "prod"}, "spec": {"resources": resources}}

test_huge_pages if {
	findings(crunchy({"requests": {"memory": "2Gi", "hugepages-2Mi": "512Mi"}, "limits": {"memory": "2Gi", "hugepages-2Mi": "1Gi"}})) == {{
		"message": "The request of hugepages-2Mi 512Mi is not its limit of 1Gi: the API server refuses the pods. Write 1Gi in both.",
		"path": ["spec", "instances", 0, "resources", "requests", "hugepages-2Mi"],
	}}
	findings(crunchy({"requests": {"memory": "2Gi", "hugepages-2Mi": "512Mi"}, "limits": {"memory": "2Gi"}})) == {{
		"message": "hugepages-2Mi 512Mi has no limit, which the API server asks for: it refuses the pods. Write 512Mi in limits too.",
		"path": ["spec", "instances", 0, "resources", "requests", "hugepages-2Mi"],
	}}
	count(findings(crunchy({"requests": {"hugepages-2Mi": "2Gi"}, "limits": {"hugepages-2Mi": "1Gi"}}))) == 1

	# Zalando's operator raises limits of memory and of the CPU alone.
	{f.path | some f in findings(zalando({"requests": {"hugepages-2Mi": "2Gi"}, "limits": {"hugepages-2Mi": "1Gi"}}))} == {["spec", "resources", "requests", "hugepages-2Mi"]}
}

test_huge_pages_not_reported if {
	findings(crunchy({"requests": {"hugepages-2Mi": "1024Mi"}, "limits": {"hugepages-2Mi": "1Gi"}})) == set()
	findings(crunchy({"limits": {"hugepages-2Mi": "1Gi"}})) == set()
	findings(crunchy({"requests": {"hugepages-2Mi": "0"}})) == set()
	findings(crunchy({"requests": {"hugepages-2Mi": "1Gi"}, "limits": "${LIMITS}"})) == set()
	findings(crunchy({"requests": {"hugepages-2Mi": "1Gi"}, "limits": {"hugepages-2Mi": "${HUGE}"}})) == set()
	limited({"requests": {"hugepages-2Mi": "1Gi"}}, {"small": of_container({"default": {"hugepages-2Mi": "1Gi"}})}) == set()
	findings({"apiVersion": "postgresql.cnpg.io/v1", "kind": "Cluster", "metadata": {"name": "c", "namespace": "prod"}, "spec": {"resources": {"requests": {"hugepages-2Mi": "1Gi"}, "limits": {"hugepages-2Mi": "2Gi"}}}}) == set()
}

# Raised by one, refused by the other with words of its own.
test_operators_that_see_to_it if {
	resources := {"requests": {"memory": "2Gi"}, "limits": {"memory": "1Gi"}}
	findings({"apiVersion": "acid.zalan.do/v1", "kind": "postgresql", "metadata": {"name": "acid-c", "namespace": "prod"}, "spec": {"resources": resources}}) == set()
	findings({"apiVersion": "postgresql.cnpg.io/v1", "kind": "Cluster", "metadata": {"name": "c", "namespace": "prod"}, "spec": {"resources": resources}}) == set()
}

# ------------------------------------------------------------------------------------------------- LimitRanges

limited(resources, ranges) := {f.message | some f in found} if {
	found := check.findings with input as {
		"review": {"object": crunchy(resources)},
		"inventory": {"namespace": {"prod": {"v1": {"LimitRange": {name: {"apiVersion": "v1", "kind": "LimitRange", "metadata": {"name": name, "namespace": "prod"}, "spec": {"limits": items}} | some name, items in ranges}}}}},
	}
}

of_container(item) := [object.union({"type": "Container"}, item)]

test_limit_of_the_namespace if {
	limited({"requests": {"memory": "256Mi"}}, {"small": of_container({"default": {"memory": "128Mi"}})}) == {"The request of memory 256Mi is more than the limit of 128Mi that LimitRange small sets where none is written: the API server refuses the pods. Write a limit of 256Mi."}
	limited({"requests": {"memory": "256Mi"}, "limits": {"cpu": "1"}}, {"a": of_container({"default": {"memory": "100Mi"}}), "b": of_container({"default": {"memory": "128Mi"}})}) == {"The request of memory 256Mi is more than the limit of 128Mi that LimitRange b sets where none is written: the API server refuses the pods. Write a limit of 256Mi."}
}

test_maximum_of_the_namespace if {
	limited({"requests": {"memory": "2Gi"}}, {"small": of_container({"max": {"memory": "1Gi"}})}) == {"The request of memory 2Gi is more than the maximum of 1Gi in LimitRange small: the API server refuses the pods. Lower the request, or raise the maximum."}
	limited({"requests": {"memory": "2Gi"}}, {"a": of_container({"max": {"memory": "1Gi"}}), "b": of_container({"default": {"memory": "512Mi"}, "max": {"memory": "4Gi"}})}) == {"The request of memory 2Gi is more than the maximum of 1Gi in LimitRange a: the API server refuses the pods. Lower the request, or raise the maximum."}
}

test_limits_not_reported if {
	small := {"small": of_container({"default": {"memory": "128Mi"}})}
	limited({"requests": {"memory": "128Mi"}}, small) == set()
	limited({"requests": {"memory": "256Mi"}, "limits": {"memory": "1Gi"}}, small) == set()
	limited({"requests": {"memory": "256Mi"}, "limits": {"memory": "${LIMIT}"}}, small) == set()
	limited({"requests": {"memory": "256Mi"}, "limits": "${LIMITS}"}, small) == set()
	limited({"requests": {"memory": "${REQUEST}"}}, small) == set()
	limited({"requests": {"cpu": "2"}}, small) == set()
	limited({"requests": {"memory": "256Mi"}}, {"small": of_container({"default": {"memory": "${LIMIT}"}}), "other": of_container({"default": {"memory": "128Mi"}})}) == set()
	limited({"requests": {"memory": "256Mi"}}, {"small": [{"type": "Pod", "max": {"memory": "128Mi"}}, 3]}) == set()
	limited({"requests": {"memory": "256Mi"}}, {"small": of_container({"max": {"memory": "${MAX}"}})}) == set()
}

package walguard.checks.workload.quota_refuses_test

import data.walguard.checks.workload.quota_refuses as check

hard := {"requests.cpu": "10", "requests.memory": "40Gi", "limits.cpu": "20", "limits.memory": "40Gi"}

quota(spec) := {"ResourceQuota": {"all": {"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "all", "namespace": "prod"}, "spec": spec}}}

found(object, objects) := {f.message | some f in findings} if {
	findings := check.findings with input as {"review": {"object": object}, "inventory": {"namespace": {"prod": {"v1": objects}}}}
}

places(object, objects) := {f.path | some f in findings} if {
	findings := check.findings with input as {"review": {"object": object}, "inventory": {"namespace": {"prod": {"v1": objects}}}}
}

cnpg(resources) := {"apiVersion": "postgresql.cnpg.io/v1", "kind": "Cluster", "metadata": {"name": "c", "namespace": "prod"}, "spec": {"resources": resources}}

all := {"requests": {"cpu": 1, "memory": "1Gi"}, "limits": {"cpu": 2, "memory": "1Gi"}}

test_server if {
	check.findings == {{
		"message": "ResourceQuota all wants limits.cpu of every container, and the server's container lacks them: the API server refuses the pods. Set it here, or by a LimitRange with defaults.",
		"path": ["spec", "resources"],
	}} with input as {"review": {"object": cnpg({"requests": {"cpu": 1}, "limits": {"memory": "1Gi"}})}, "inventory": {"namespace": {"prod": {"v1": quota({"hard": hard})}}}}
	count(found(cnpg({}), quota({"hard": hard}))) == 1
	found(cnpg(all), quota({"hard": hard})) == set()
	found(cnpg({"limits": {"cpu": 2, "memory": "1Gi"}}), quota({"hard": hard})) == set()
}

test_what_is_counted if {
	found(cnpg({}), quota({"hard": {"pods": "4", "requests.storage": "1Ti", "count/jobs.batch": "3"}})) == set()
	found(cnpg({"requests": {"memory": "1Gi"}}), quota({"hard": {"memory": "40Gi"}})) == set()
	count(found(cnpg({"requests": {"memory": "1Gi"}}), quota({"hard": {"cpu": "4"}}))) == 1
}

# Which pods it counts.
test_scopes if {
	found(cnpg({}), quota({"hard": hard, "scopes": ["NotBestEffort"]})) == set()
	count(found(cnpg({"requests": {"cpu": 1}}), quota({"hard": hard, "scopes": ["NotBestEffort"]}))) == 1
	found(cnpg({}), quota({"hard": hard, "scopes": ["Terminating"]})) == set()
	found(cnpg({}), quota({"hard": hard, "scopeSelector": {"matchExpressions": [{"scopeName": "PriorityClass", "operator": "Exists"}]}})) == set()
}

ranges(item) := {"LimitRange": {"r": {"apiVersion": "v1", "kind": "LimitRange", "metadata": {"name": "r", "namespace": "prod"}, "spec": {"limits": [object.union({"type": "Container"}, item)]}}}}

test_limit_range if {
	found(cnpg({}), object.union(quota({"hard": hard}), ranges({"default": {"cpu": 1, "memory": "1Gi"}}))) == set()
	found(cnpg({}), object.union(quota({"hard": {"requests.cpu": 1}}), ranges({"defaultRequest": {"cpu": "100m"}}))) == set()
	count(found(cnpg({}), object.union(quota({"hard": {"limits.cpu": 1}}), ranges({"defaultRequest": {"cpu": "100m"}})))) == 1
}

crunchy(spec) := {
	"apiVersion": "postgres-operator.crunchydata.com/v1beta1",
	"kind": "PostgresCluster",
	"metadata": {"name": "hippo", "namespace": "prod"},
	"spec": object.union({"postgresVersion": 16, "instances": [{"name": "a", "resources": all}]}, spec),
}

test_containers_of_the_operator if {
	places(crunchy({}), quota({"hard": hard})) == {["spec", "instances", 0, "sidecars", "replicaCertCopy", "resources"]}
	places(crunchy({"backups": {"pgbackrest": {"repos": [{"name": "repo1", "s3": {"bucket": "b"}}], "restore": {"enabled": true}}}, "proxy": {"pgBouncer": {}}, "monitoring": {"pgmonitor": {"exporter": {}}}}), quota({"hard": hard})) == {
		["spec", "instances", 0, "sidecars", "replicaCertCopy", "resources"],
		["spec", "backups", "pgbackrest", "sidecars", "pgbackrest", "resources"],
		["spec", "backups", "pgbackrest", "sidecars", "pgbackrestConfig", "resources"],
		["spec", "backups", "pgbackrest", "repoHost", "resources"],
		["spec", "backups", "pgbackrest", "jobs", "resources"],
		["spec", "backups", "pgbackrest", "restore", "resources"],
		["spec", "proxy", "pgBouncer", "resources"],
		["spec", "monitoring", "pgmonitor", "exporter", "resources"],
	}
	places(crunchy({"instances": [{"name": "a", "resources": all, "sidecars": {"replicaCertCopy": {"resources": all}}, "containers": [{"name": "x", "resources": all}, {"name": "y"}]}]}), quota({"hard": hard})) == {["spec", "instances", 0, "containers", 1, "resources"]}
}

# A restore that is switched off, and jobs under a quota for others.
test_what_does_not_run if {
	places(crunchy({"backups": {"pgbackrest": {"repos": [{"name": "repo1", "s3": {"bucket": "b"}}], "restore": {"enabled": false}}}}), quota({"hard": hard, "scopes": ["NotBestEffort"]})) == {
		["spec", "instances", 0, "sidecars", "replicaCertCopy", "resources"],
		["spec", "backups", "pgbackrest", "sidecars", "pgbackrest", "resources"],
		["spec", "backups", "pgbackrest", "sidecars", "pgbackrestConfig", "resources"],
	}
}

test_percona if {
	places(
		{
			"apiVersion": "pgv2.percona.com/v2",
			"kind": "PerconaPGCluster",
			"metadata": {"name": "c", "namespace": "prod"},
			"spec": {"postgresVersion": 17, "instances": [{"name": "a", "resources": all, "sidecars": [{"name": "x"}]}], "backups": {"enabled": false, "pgbackrest": {"repos": [{"name": "repo1"}]}}},
		},
		quota({"hard": hard}),
	) == {["spec", "instances", 0, "containers", "replicaCertCopy", "resources"], ["spec", "instances", 0, "sidecars", 0, "resources"]}
}

kubegres(replicas) := {"apiVersion": "kubegres.reactive-tech.io/v1", "kind": "Kubegres", "metadata": {"name": "c", "namespace": "prod"}, "spec": {"replicas": replicas, "image": "postgres:17.6", "resources": all}}

test_nothing_sets_it if {
	found(kubegres(2), quota({"hard": {"limits.cpu": "4"}})) == {"ResourceQuota all wants limits.cpu of every container, and init container setup-replica-data-directory lacks them: the API server refuses the pods. No field sets it: give the namespace a LimitRange with defaults."}
	found(kubegres(1), quota({"hard": {"limits.cpu": "4"}})) == set()
}

pod(containers, before) := {
	"apiVersion": "v1",
	"kind": "Pod",
	"metadata": {"name": "c", "namespace": "prod"},
	"spec": {"initContainers": before, "containers": array.concat([{"name": "postgres", "image": "postgres:17.6", "resources": all}], containers)},
}

test_plain if {
	places(pod([{"name": "exporter", "image": "x"}], [{"name": "chmod", "image": "y"}]), quota({"hard": hard})) == {["spec", "containers", 1, "resources"], ["spec", "initContainers", 0, "resources"]}
	places(pod([{"name": "exporter", "image": "x"}], []), quota({"hard": hard, "scopes": ["NotBestEffort"]})) == {["spec", "containers", 1, "resources"]}
	places(pod([], []), quota({"hard": hard})) == set()
}

test_silent_when_unknown if {
	found(cnpg({}), {}) == set()
	found(cnpg("${RESOURCES}"), quota({"hard": hard})) == set()
	found(cnpg({"limits": "${LIMITS}"}), quota({"hard": hard})) == set()
	places(pod([{"name": "exporter", "image": "x", "resources": "${RESOURCES}"}], []), quota({"hard": hard})) == set()
	found({"apiVersion": "acid.zalan.do/v1", "kind": "postgresql", "metadata": {"name": "a", "namespace": "prod"}, "spec": {}}, quota({"hard": hard})) == set()
}

test_which_of_several_sets if {
	found(crunchy({"instances": [{"name": "a", "sidecars": {"replicaCertCopy": {"resources": all}}}, {"name": "b", "resources": all, "sidecars": {"replicaCertCopy": {"resources": all}}}]}), quota({"hard": {"limits.cpu": "4"}})) == {"ResourceQuota all wants limits.cpu of every container, and the server's container of a lacks them: the API server refuses the pods. Set it here, or by a LimitRange with defaults."}
}

# ------------------------------------------------------------------------------------------------ more than there is

several(instances, resources) := object.union(cnpg(resources), {"spec": {"instances": instances}})

api(replicas, resources) := {"Deployment": {"api": {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "api", "namespace": "prod"}, "spec": {"replicas": replicas, "template": {"spec": {"containers": [{"name": "api", "resources": resources}]}}}}}}

summed(object, quotas, workloads) := {[f.severity, f.message] |
	findings := check.findings with input as {"review": {"object": object}, "inventory": {"namespace": {"prod": {"v1": quotas, "apps/v1": workloads}}}}
	some f in findings
}

four := ranges({"max": {"cpu": "4"}, "default": {"cpu": "4"}, "defaultRequest": {"cpu": "100m"}})

eight := object.union(quota({"hard": {"limits.cpu": "8"}}), four)

test_sum_with_what_stands_beside if {
	summed(several(2, {"limits": {"memory": "2Gi"}}), eight, api(2, {"limits": {"cpu": "500m"}})) == {["warning", "2 servers and the workloads beside them ask for 9 of limits.cpu together (by LimitRange r), and ResourceQuota all has 8: the API server refuses the next pod, after a drain or a failover too. Set less here, or raise the quota."]}
	summed(several(2, {"limits": {"memory": "2Gi"}}), eight, {}) == set()
	summed(several(2, {"limits": {"cpu": "1"}}), eight, api(2, {"limits": {"cpu": "500m"}})) == set()
	summed(several(2, {"limits": {"cpu": "3950m"}}), eight, api(1, {"limits": {"cpu": "250m"}})) == {["warning", "2 servers and the workloads beside them ask for 8150m of limits.cpu together, and ResourceQuota all has 8: the API server refuses the next pod, after a drain or a failover too. Set less here, or raise the quota."]}
}

test_sum_of_the_servers if {
	summed(several(3, {}), eight, {}) == {["warning", "3 servers ask for 12 of limits.cpu together (by LimitRange r), and ResourceQuota all has 8: the API server refuses the last of them. Set less here, or raise the quota."]}
	summed(several(1, {"requests": {"memory": "16Gi"}}), quota({"hard": {"requests.memory": "8Gi"}}), {}) == {["error", "One server asks for 16Gi of requests.memory, and ResourceQuota all has 8Gi: the API server refuses every pod. Set less here, or raise the quota."]}
	summed(several(1, {"limits": {"memory": "16Gi"}}), quota({"hard": {"requests.memory": "16Gi"}}), {}) == set()
	summed(crunchy({"instances": [{"name": "a", "replicas": 2, "resources": all, "sidecars": {"replicaCertCopy": {"resources": all}}}]}), quota({"hard": {"limits.cpu": "3"}}), {}) == {["warning", "2 servers ask for 4 of limits.cpu together, and ResourceQuota all has 3: the API server refuses the last of them. Set less here, or raise the quota."]}
}

test_sum_of_requests_by_default if {
	little := object.union(quota({"hard": {"requests.cpu": "150m"}}), four)
	count(summed(several(2, {}), little, {})) == 1
	summed(several(1, {}), little, {}) == set()
	summed(several(1, {}), object.union(quota({"hard": {"requests.cpu": "3"}}), ranges({"default": {"cpu": "4"}})), {}) == {["error", "One server asks for 4 of requests.cpu (by LimitRange r), and ResourceQuota all has 3: the API server refuses every pod. Set less here, or raise the quota."]}
}

# What another one takes is not known, and neither is which of two defaults holds.
test_sum_of_what_is_unknown if {
	twice := {"LimitRange": object.union(four.LimitRange, {"s": object.union(four.LimitRange.r, {"metadata": {"name": "s"}})})}
	summed(several(3, {}), object.union(quota({"hard": {"limits.cpu": "8"}}), twice), {}) == set()
	summed(several(2, {"limits": {"cpu": "4"}}), quota({"hard": {"limits.cpu": "8"}}), api(2, {})) == set()
	summed(several(2, {"limits": {"cpu": "4"}}), quota({"hard": {"limits.cpu": "8"}}), api("${REPLICAS}", {"limits": {"cpu": "4"}})) == set()
	summed(several(9, {"limits": {"cpu": "${CPU}"}}), quota({"hard": {"limits.cpu": "8"}}), {}) == set()
	scaled := object.union(eight, {})
	findings := check.findings with input as {"review": {"object": several(2, {})}, "inventory": {"namespace": {"prod": {
		"v1": scaled,
		"apps/v1": api(2, {"limits": {"cpu": "1"}}),
		"autoscaling/v2": {"HorizontalPodAutoscaler": {"api": {"metadata": {"name": "api"}, "spec": {"scaleTargetRef": {"kind": "Deployment", "name": "api"}}}}},
	}}}}
	findings == set()
}

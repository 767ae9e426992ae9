package walguard.checks.parameters.operator_refuses_entries_test

import data.walguard.checks.parameters.operator_refuses as check

tolerated := [{"key": "db", "operator": "exists"}]

secrets := [{"name": "postgres"}]

of(object) := {f.path |
	found := check.findings with input as {"review": {"object": object}}
	some f in found
	contains(f.message, "a toleration")
}

made(version, kind, spec) := {"apiVersion": version, "kind": kind, "metadata": {"name": "db", "namespace": "d"}, "spec": spec}

test_lists_that_pods_take_over if {
	of(made("kubegres.reactive-tech.io/v1", "Kubegres", {"replicas": 1, "image": "postgres:17.2", "database": {"size": "10Gi"}, "imagePullSecrets": secrets, "scheduler": {"tolerations": tolerated}})) == {["spec", "scheduler", "tolerations", 0]}
	of(made("stackgres.io/v1", "SGCluster", {"instances": 1, "postgres": {"version": "17.2"}, "pods": {"persistentVolume": {"size": "10Gi"}, "scheduling": {"tolerations": tolerated}}})) == {["spec", "pods", "scheduling", "tolerations", 0]}
	of(made("apps/v1", "StatefulSet", {"serviceName": "db", "template": {"spec": {"tolerations": tolerated, "containers": [{"name": "postgres", "image": "postgres:17.2"}]}}})) == {["spec", "template", "spec", "tolerations", 0]}
}

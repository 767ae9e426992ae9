package walguard.checks.parameters.operator_refuses_long_names_test

import data.walguard.checks.parameters.operator_refuses as check

told(version, kind, name, spec) := {[f.message, f.path] |
	found := check.findings with input as {"review": {"object": {"apiVersion": version, "kind": kind, "metadata": {"name": name, "namespace": "prod"}, "spec": spec}}}
	some f in found
	contains(f.message, "characters")
}

# "a", "b", … as often as asked.
of_length(n) := concat("", ["a" | some _ in numbers.range(1, n)])

crunchy(name, spec) := told("postgres-operator.crunchydata.com/v1beta1", "PostgresCluster", name, object.union({"postgresVersion": 16}, spec))

percona(name, spec) := told("pgv2.percona.com/v2", "PerconaPGCluster", name, object.union({"postgresVersion": 16}, spec))

scheduled := {
	"instances": [{}],
	"backups": {"pgbackrest": {"repos": [{"name": "repo1", "schedules": {"full": "0 1 * * 0", "differential": "0 1 * * 1-6"}, "s3": {"bucket": "b", "endpoint": "e", "region": "r"}}]}},
}

test_cron_jobs if {
	crunchy(of_length(42), scheduled) == {[
		"The API server refuses a CronJob: that of the full backups would have a name of 53 characters, and 52 are allowed, so that there is none. Give the cluster a name of 41 characters at most.",
		["spec", "backups", "pgbackrest", "repos", 0, "schedules", "full"],
	]}
	crunchy(of_length(41), scheduled) == set()
	crunchy(concat("", [of_length(38), "${NAME}"]), scheduled) == set()
	crunchy(of_length(42), {"instances": [{}], "backups": {"pgbackrest": {"repos": [{"name": "repo1"}]}}}) == set()

	# Percona's operator keeps the schedules itself.
	percona(of_length(42), scheduled) == set()
}

test_instances if {
	fault := "The API server refuses the pods: the StatefulSet of set main has a name of 53 characters, and the labels of its pods have room for 52, so that no instance starts. Give the cluster a name of 42 characters at most."
	crunchy(of_length(43), {"instances": [{}, {"name": "main"}]}) == {[fault, ["metadata", "name"]]}
	percona(of_length(43), {"instances": [{"name": "main"}]}) == {[fault, ["metadata", "name"]]}
	crunchy(of_length(42), {"instances": [{"name": "main"}]}) == set()
	crunchy(of_length(44), {"instances": [{}]}) == set()
	crunchy(of_length(45), {"instances": [{"name": "${SET}"}]}) == set()
}

test_repository_host if {
	{message | some [message, _] in crunchy(of_length(43), {"instances": [{}], "backups": {"pgbackrest": {"repos": [{"name": "repo1", "volume": {"volumeClaimSpec": {}}}]}}})} == {"The API server refuses the pods: the StatefulSet of the repository host has a name of 53 characters, and the labels of its pods have room for 52, so that nothing is backed up. Give the cluster a name of 42 characters at most."}
}

kubegres(name) := told("kubegres.reactive-tech.io/v1", "Kubegres", name, {"replicas": 2, "image": "postgres:17.2", "backup": {"schedule": "0 1 * * *", "pvcName": "dumps", "volumeMount": "/dumps"}})

test_kubegres if {
	kubegres(of_length(45)) == set()
	{path | some [_, path] in kubegres(of_length(46))} == {["spec", "backup", "schedule"]}
	{path | some [_, path] in kubegres(of_length(51))} == {["spec", "backup", "schedule"], ["metadata", "name"]}
}

zalando(name) := told("acid.zalan.do/v1", "postgresql", name, {"teamId": "acid", "numberOfInstances": 2, "postgresql": {"version": "17"}, "volume": {"size": "5Gi"}})

test_zalando if {
	zalando(concat("", ["acid-", of_length(47)])) == set()
	{path | some [_, path] in zalando(concat("", ["acid-", of_length(48)]))} == {["metadata", "name"]}
}

stackgres(kind, name) := told({"SGCluster": "stackgres.io/v1", "SGShardedCluster": "stackgres.io/v1alpha1"}[kind], kind, name, {"postgres": {"version": "17"}})

test_stackgres if {
	stackgres("SGCluster", of_length(44)) == set()
	stackgres("SGShardedCluster", of_length(37)) == set()
	stackgres("SGCluster", of_length(45)) == {["The API server refuses this resource: its name has 45 characters, and 44 are allowed. Give it a shorter one.", ["metadata", "name"]]}
	{path | some [_, path] in stackgres("SGShardedCluster", of_length(38))} == {["metadata", "name"]}
}

server(kind, name) := told("apps/v1", kind, name, {"selector": {"matchLabels": {"app": "db"}}, "template": {"metadata": {"labels": {"app": "db"}}, "spec": {"containers": [{"name": "postgres", "image": "postgres:17.2"}]}}})

test_server if {
	server("StatefulSet", of_length(52)) == set()
	server("Deployment", of_length(60)) == set()
	server("StatefulSet", of_length(53)) == {[
		"The API server refuses the pods: the StatefulSet of the server has a name of 53 characters, and the labels of its pods have room for 52, so that no pod is made. Give it a name of 52 characters at most.",
		["metadata", "name"],
	]}
}

package walguard.checks.manifest.name_unresolved_operators_test

import data.walguard.checks.manifest.name_unresolved as check

of(reviewed, others) := {[f.message, f.path, object.get(f, "severity", "error")] |
	found := check.findings with input as {
		"review": {"object": reviewed},
		"inventory": {"namespace": {"prod": {version: {kind: {one.metadata.name: one | some one in others; one.kind == kind; one.apiVersion == version} | some kind in {one.kind | some one in others; one.apiVersion == version}} | some version in {one.apiVersion | some one in others}}}},
	}
	some f in found
}

made(version, kind, name, spec) := {"apiVersion": version, "kind": kind, "metadata": {"name": name, "namespace": "prod"}, "spec": spec}

held(kind, name) := {"apiVersion": "v1", "kind": kind, "metadata": {"name": name, "namespace": "prod"}, "data": {"a": "b"}}

# -------------------------------------------------------------------------------------------------------- StackGres

stackgres(spec) := made("stackgres.io/v1", "SGCluster", "orders", spec)

asked(kind, name) := made("stackgres.io/v1", kind, "one", {"sgCluster": name})

test_what_names_a_cluster_of_stackgres if {
	every kind, consequence in {"SGBackup": "no backup is taken", "SGDbOps": "nothing is done"} {
		of(stackgres({}), [asked(kind, "order")]) == {[sprintf("%s one names cluster order, which is not there, while orders is: %s. Write orders.", [kind, consequence]), ["spec", "sgCluster"], "error"]}
		every name in ["orders", "billing", "${NAME}"] {
			of(stackgres({}), [asked(kind, name)]) == set()
		}
		of(stackgres({}), [asked(kind, "order"), made("stackgres.io/v1", "SGCluster", "order", {})]) == set()
		of(stackgres({}), [object.union(asked(kind, "order"), {"status": {}})]) == set()
	}
}

test_scripts_and_sources_of_stackgres if {
	of(stackgres({"managedSql": {"scripts": [{"sgScript": "shop-script"}]}}), [made("stackgres.io/v1", "SGScript", "shop-scrpt", {})]) == {["The cluster names SGScript shop-script, which is not there, while shop-scrpt is: its SQL is never run. Write shop-scrpt.", ["spec", "managedSql", "scripts", 0, "sgScript"], "error"]}
	of(stackgres({"replicateFrom": {"instance": {"sgCluster": "billing"}}}), [made("stackgres.io/v1", "SGCluster", "biling", {})]) == {["replicateFrom names SGCluster billing, which is not there, while biling is: the operator creates and changes nothing while it is missing. Write biling.", ["spec", "replicateFrom", "instance", "sgCluster"], "error"]}
	of(stackgres({"replicateFrom": {"instance": {"sgCluster": "orders"}}}), [made("stackgres.io/v1", "SGCluster", "order", {})]) == set()
	of(stackgres({"managedSql": {"scripts": [{"sgScript": "shop-script"}]}}), []) == set()
}

# ------------------------------------------------------------------------------------------- Kubegres, Zalando, CNPG

kubegres(spec) := made("kubegres.reactive-tech.io/v1", "Kubegres", "orders", object.union({"image": "postgres:17.6"}, spec))

test_what_kubegres_names if {
	of(kubegres({"customConfig": "shop-config"}), [held("ConfigMap", "shop-confg")]) == {["spec.customConfig names ConfigMap shop-config, which is not there, while shop-confg is: the operator creates and changes nothing while it is missing. Write shop-confg.", ["spec", "customConfig"], "error"]}
	backup := {"backup": {"pvcName": "shop-backup", "volumeMount": "/b"}}
	scheduled := object.union(backup, {"backup": {"schedule": "0 1 * * *"}})
	of(kubegres(scheduled), [held("PersistentVolumeClaim", "shop-backp")]) == {["spec.backup names PersistentVolumeClaim shop-backup, which is not there, while shop-backp is: the operator creates and changes nothing while it is missing. Write shop-backp.", ["spec", "backup", "pvcName"], "error"]}
	of(kubegres(backup), [held("PersistentVolumeClaim", "shop-backp")]) == set()
	of(kubegres(scheduled), [held("PersistentVolumeClaim", "shop-backup")]) == set()
	of(kubegres({"customConfig": "base-kubegres-config"}), [held("ConfigMap", "base-kubegres-confg")]) == set()
	of(kubegres({"customConfig": "shop-config"}), []) == set()
}

zalando(volumes) := of(made("acid.zalan.do/v1", "postgresql", "acid-orders", {"additionalVolumes": volumes}), [])

volume(name, directory, more) := object.union({"name": name, "mountPath": directory, "volumeSource": {"emptyDir": {}}}, more)

test_volumes_at_one_place if {
	zalando([volume("a", "/x", {}), volume("b", "/x", {})]) == {["additionalVolumes has a and b at /x: the operator leaves out the second, and its files are not there. Mount them at different paths.", ["spec", "additionalVolumes", 1, "mountPath"], "warning"]}
	zalando([volume("a", "/x", {}), volume("b", "/x", {"targetContainers": ["postgres"]})]) == {["additionalVolumes has a and b at /x: the operator leaves out the second, still mounts it where targetContainers says, and the API server refuses the StatefulSet. Mount them at different paths.", ["spec", "additionalVolumes", 1, "mountPath"], "error"]}
	zalando([volume("a", "/x", {}), volume("b", "/y", {})]) == set()
	zalando([volume("a", "${PLACE}", {}), volume("b", "${PLACE}", {})]) == set()
}

cnpg(field) := made("postgresql.cnpg.io/v1", "Cluster", "orders", {"monitoring": {field: [{"name": "shop-queries", "key": "a"}, {"name": "other", "key": "a"}]}})

test_queries_of_metrics if {
	every field, kind in {"customQueriesConfigMap": "ConfigMap", "customQueriesSecret": "Secret"} {
		of(cnpg(field), [held(kind, "shop-querys")]) == set()
		of(cnpg(field), [held(kind, "shop-querie")]) == {[sprintf("monitoring names %s shop-queries, which is not there, while shop-querie is: its queries are left out, and their metrics are missing. Write shop-querie.", [kind]), ["spec", "monitoring", field, 0, "name"], "warning"]}
		of(cnpg(field), [held(kind, "shop-queries")]) == set()
	}
}

package walguard.operators.kubegres_ownership_test

import data.walguard.checks.workload.permissions as check

found(more) := {[f.path, object.get(f, "severity", "error")] | some f in findings} if {
	findings := check.findings with input as {"review": {"object": {
		"apiVersion": "kubegres.reactive-tech.io/v1",
		"kind": "Kubegres",
		"metadata": {"name": "stock", "namespace": "shop"},
		"spec": object.union({"image": "postgres:16.4", "replicas": 3, "database": {"size": "20Gi", "storageClassName": "gp3"}}, more),
	}}}
}

pods := ["spec", "securityContext"]

test_root_that_is_refused if {
	found({"securityContext": {"runAsNonRoot": true, "fsGroup": 999}}) == {[array.concat(pods, ["runAsNonRoot"]), "error"]}
	found({"containerSecurityContext": {"runAsNonRoot": true}}) == {[["spec", "containerSecurityContext", "runAsNonRoot"], "error"]}
}

test_volume_of_root if {
	found({"securityContext": {"runAsNonRoot": true, "runAsUser": 999}}) == {[array.concat(pods, ["runAsUser"]), "error"]}
	found({"containerSecurityContext": {"runAsUser": 999}}) == {[["spec", "containerSecurityContext", "runAsUser"], "error"]}

	# Directories that local-path makes let everybody write.
	found({"securityContext": {"runAsUser": 999}, "database": {"size": "20Gi", "storageClassName": "local-path"}}) == set()
}

# The user and his group are there, the container has its own way, or somebody else knows.
test_silent if {
	found({"securityContext": {"runAsNonRoot": true, "runAsUser": 999, "fsGroup": 999}}) == set()
	found({"securityContext": {"runAsNonRoot": true, "fsGroup": 999}, "containerSecurityContext": {"runAsUser": 999}}) == set()
	found({"securityContext": {"runAsNonRoot": true, "fsGroup": 999}, "containerSecurityContext": {"runAsNonRoot": false}}) == set()
	found({"securityContext": {"runAsNonRoot": true}, "image": "registry.example.com/postgres:16"}) == set()
	found({"securityContext": {"runAsNonRoot": true, "runAsUser": "${USER}"}}) == set()
	found({"securityContext": "${CONTEXT}"}) == set()
	found({"securityContext": {"runAsNonRoot": true, "fsGroup": "${GROUP}"}}) == set()
	found({"securityContext": {"runAsNonRoot": true}, "containerSecurityContext": "${CONTEXT}"}) == set()
	found({}) == set()
}

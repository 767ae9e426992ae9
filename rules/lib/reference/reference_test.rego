package walguard.lib.reference_test

import data.walguard.lib.reference

test_slips if {
	every pair in [
		["s3-old", "old-s3"], ["keyclaok", "keycloak"], ["order", "orders"], ["orders", "order"], ["pg-main", "pg-man"], ["database", "databaze"], ["backup-store", "backups-store"], ["pg16-main", "gp16-main"],
	] {
		reference.slip(pair[0], pair[1])
		reference.slip(pair[1], pair[0])
	}
	every pair in [
		["orders", "orders"], ["pg1", "pg2"], ["pg12", "pg21"], ["orders-1", "orders-2"], ["orders", "orders-2"], ["orders", "orders2"], ["team-a", "team-b"], ["db", "dba"], ["pg", "pg-cluster"],
		["orders", "billing"], ["dev-db", "dev-dc"], ["orders-db", "orders"],
	] {
		not reference.slip(pair[0], pair[1])
		not reference.slip(pair[1], pair[0])
	}
}

asked := {"what": "The cluster", "version": "v1", "kind": "Secret", "name": "keycloak", "consequence": "nothing works"}

given(own, others) := {
	"review": {"object": {"apiVersion": "postgresql.cnpg.io/v1", "kind": "Cluster", "metadata": {"name": "db", "namespace": "prod"}}},
	"inventory": {"namespace": object.union({"prod": {"v1": {"Secret": {name: {} | some name in own}}}}, others)},
}

elsewhere(namespace, metadata) := {namespace: {"v1": {"Secret": {"keycloak": {"metadata": object.union({"name": "keycloak", "namespace": namespace}, metadata)}}}}}

test_lost if {
	reference.lost(asked, set()) == {
		"reason": "The cluster names Secret keycloak, which is not there, while keyclaok is: nothing works",
		"cure": "Write keyclaok",
	} with input as given(["keyclaok", "other"], {})
	reference.lost(asked, set()) == {
		"reason": "The cluster looks for Secret keycloak in namespace prod, and it is in auth: nothing works",
		"cure": "Create it in prod",
	} with input as given([], elsewhere("auth", {}))
	reference.lost(object.union(asked, {"kind": "ConfigMap"}), set()).level == "warning" with input as given([], {"auth": {"v1": {"ConfigMap": {"keycloak": {"metadata": {"name": "keycloak", "namespace": "auth"}}}}}})
}

test_unknown if {
	not reference.lost(asked, set()) with input as given([], {})
	not reference.lost(asked, set()) with input as given(["keycloak"], elsewhere("auth", {}))
	not reference.lost(asked, set()) with input as given(["keyclaok", "keycloack"], {})
	not reference.lost(asked, {"keyclaok"}) with input as given(["keyclaok"], {})
	not reference.lost(object.union(asked, {"name": "${NAME}"}), set()) with input as given(["${NAMES}"], {})

	# Which of two is meant, nobody knows; and a controller copies what is marked so.
	not reference.lost(asked, set()) with input as given([], object.union(elsewhere("auth", {}), elsewhere("web", {})))
	not reference.lost(asked, set()) with input as given([], elsewhere("auth", {"annotations": {"reflector.v1.k8s.emberstack.com/reflection-allowed": "true"}}))
	not reference.lost(asked, set()) with input as given([], elsewhere("${NS}", {}))
	not reference.lost(asked, set()) with input as object.union(given([], elsewhere("auth", {})), {"inventory": {"live": true}})
}

# Whom it may be for there, and who may put it elsewhere.
test_not_for_this_one if {
	every case in [["v1", "Pod"], ["apps/v1", "Deployment"], ["apps/v1", "StatefulSet"], ["apps/v1", "DaemonSet"], ["batch/v1", "CronJob"], ["batch/v1", "Job"]] {
		not reference.lost(asked, set()) with input as given([], object.union(elsewhere("auth", {}), {"auth": {case[0]: {case[1]: {"a": {}}}}}))
	}
	not reference.lost(asked, set()) with input as given([], object.union(elsewhere("auth", {}), {"auth": {"v1": {"Secret": {"keycloak": {"sops": {"mac": "x"}}}}}}))
}

# Whose namespace is not written may go anywhere.
test_without_namespace if {
	not reference.lost(asked, set()) with input as {
		"review": {"object": {"kind": "Cluster", "metadata": {"name": "db"}}},
		"inventory": {"namespace": elsewhere("auth", {})},
	}
	not reference.lost(asked, set()) with input as given([], {"default": {"v1": {"Secret": {"keycloak": {"metadata": {"name": "keycloak"}}}}}})
}

test_made_by_a_controller if {
	every case in [
		["cert-manager.io/v1", "Certificate", {"metadata": {"name": "a"}, "spec": {"secretName": "keycloak"}}],
		["external-secrets.io/v1", "ExternalSecret", {"metadata": {"name": "keycloak"}}],
		["external-secrets.io/v1beta1", "ExternalSecret", {"metadata": {"name": "a"}, "spec": {"target": {"name": "keycloak"}}}],
		["bitnami.com/v1alpha1", "SealedSecret", {"metadata": {"name": "keycloak"}}],
	] {
		others := object.union(elsewhere("auth", {}), {"prod": {case[0]: {case[1]: {"a": case[2]}}}})
		not reference.lost(asked, set()) with input as given([], others)
	}
}

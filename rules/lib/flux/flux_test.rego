package walguard.lib.flux_test

import data.walguard.lib.flux
import data.walguard.lib.inventory

kustomization(build) := {"apiVersion": "kustomize.toolkit.fluxcd.io/v1", "kind": "Kustomization", "metadata": {"name": "apps", "namespace": "flux-system"}, "spec": {"postBuild": build}}

values(kind, of) := object.union({"apiVersion": "v1", "kind": kind, "metadata": {"name": "vars", "namespace": "flux-system"}}, of)

script := "STAMP=$(date)\npg_dump -h ${PGHOST} $${PGDATABASE} > /backup/${STAMP}.sql\n"

map := {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "dump"}, "data": {"dump.sh": script}}

job := {"apiVersion": "batch/v1", "kind": "CronJob", "metadata": {"name": "dump"}, "spec": {"env": [{"name": "STAGE", "value": "${stage}"}]}}

said(holder, user, documents) := found if {
	found := flux.blanked(script, {"PGHOST", "PGDATABASE"}, holder, user) with input as {"review": {"object": user}, "inventory": inventory.from_documents(documents)}
} else := {}

gone := {
	"cure": "Annotate the ConfigMap with kustomize.toolkit.fluxcd.io/substitute: disabled",
	"reason": "Flux replaces ${PGHOST} (and 1 more) of this script by nothing, or refuses it (2.9): Kustomization flux-system/apps has no value for it",
}

test_gone if {
	said(map, job, [kustomization({"substitute": {"stage": "prod"}})]) == gone
	said(map, job, [kustomization({"substituteFrom": [{"kind": "ConfigMap", "name": "vars"}]}), values("ConfigMap", {"data": {"stage": "prod"}})]) == gone
	said(map, job, [kustomization({"substituteFrom": [{"kind": "Secret", "name": "vars"}]}), values("Secret", {"stringData": {"stage": "prod"}})]) == gone
	said(map, job, [kustomization({}), kustomization({"substitute": {"stage": "prod", "STAMP": "x"}})]).reason == replace(gone.reason, " (and 1 more)", "")
	said(job, job, [kustomization({"substitute": {"stage": "prod"}})]).cure == "Write $${PGHOST}"
}

test_not_gone if {
	every documents in [
		[],
		[kustomization({})],
		[kustomization({"substitute": {"region": "eu"}})],
		[kustomization({"substitute": {"stage": "prod", "PGHOST": "pg", "STAMP": "x"}})],
		[kustomization({"substitute": {"stage": "prod"}, "substituteFrom": [{"kind": "ConfigMap", "name": "vars"}]})],
		[object.union(kustomization({"substitute": {"stage": "prod"}}), {"spec": {"patches": [{"patch": "kustomize.toolkit.fluxcd.io/substitute: disabled"}]}})],
	] {
		said(map, job, documents) == {}
	}
	disabled := {"kustomize.toolkit.fluxcd.io/substitute": "disabled"}
	here := [kustomization({"substitute": {"stage": "prod"}})]
	said(object.union(map, {"metadata": {"annotations": disabled}}), job, here) == {}
	said(object.union(map, {"metadata": {"labels": disabled}}), job, here) == {}
	said(map, object.remove(job, ["spec"]), here) == {}
	not flux.blanked(script, {"PGHOST"}, map, job) with input as {"review": {"object": job, "operation": "CREATE"}, "inventory": inventory.from_documents(here)}
	not flux.blanked("pg_dump ${PGHOST}", set(), map, job) with input as {"review": {"object": job}, "inventory": inventory.from_documents(here)}
}

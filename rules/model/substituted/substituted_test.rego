package walguard.model.substituted_test

import data.walguard.checks.parameters.unread_source as check
import data.walguard.lib.inventory

cluster(value) := {"apiVersion": "postgresql.cnpg.io/v1", "kind": "Cluster", "metadata": {"name": "db", "namespace": "shop"}, "spec": {"imageName": "ghcr.io/cloudnative-pg/postgresql:17.6", "postgresql": {"parameters": {"fsync": value, "work_mem": "${work_mem:=4MB}"}, "pg_hba": ["host all all all ${method:=scram-sha-256}"]}}}

flux(build) := {"apiVersion": "kustomize.toolkit.fluxcd.io/v1", "kind": "Kustomization", "metadata": {"name": "apps", "namespace": "flux-system"}, "spec": {"postBuild": build}}

of_flux(kind, data_) := object.union({"apiVersion": "v1", "kind": kind, "metadata": {"name": "vars", "namespace": "flux-system"}}, data_)

said(o, others) := found if {
	found := {[f.severity, f.path, f.message] | some f in check.findings} with input as {"review": {"object": o}, "inventory": inventory.from_documents(array.concat([o], others))}
}

expected(name, value, path) := {["warning", path, sprintf("Parameters can also come from Kustomization flux-system/apps, which walguard does not read: it fills ${%s} in with %s. Substitute nothing in parameters that keep the data, or write the value here", [name, value])]}

test_what_contradicts_the_default if {
	said(cluster("${fsync:=on}"), [flux({"substitute": {"fsync": "off"}})]) == expected("fsync", "off", ["spec", "postgresql", "parameters", "fsync"])
	said(cluster("${f}"), [flux({"substitute": {"f": false}})]) == expected("f", "off", ["metadata", "name"])
	said(cluster("on"), [flux({"substitute": {"method": "trust"}})]) == expected("method", "trust", ["metadata", "name"])
}

test_from_other_objects if {
	from := flux({"substituteFrom": [{"kind": "ConfigMap", "name": "vars"}]})
	said(cluster("${fsync:=on}"), [from, of_flux("ConfigMap", {"data": {"fsync": "no"}})]) == expected("fsync", "no", ["spec", "postgresql", "parameters", "fsync"])
	said(cluster("${fsync:=on}"), [flux({"substituteFrom": [{"kind": "Secret", "name": "vars"}]}), of_flux("Secret", {"data": {"fsync": "b2Zm", "x": "?"}})]) == expected("fsync", "off", ["spec", "postgresql", "parameters", "fsync"])
	said(cluster("${fsync:=on}"), [flux({"substituteFrom": [{"kind": "Secret", "name": "vars"}]}), of_flux("Secret", {"stringData": {"fsync": "0"}})]) == expected("fsync", "0", ["spec", "postgresql", "parameters", "fsync"])
	said(cluster("${fsync:=on}"), [flux({"substitute": {"fsync": "on"}, "substituteFrom": [{"kind": "ConfigMap", "name": "vars"}]}), of_flux("ConfigMap", {"data": {"fsync": "no"}})]) == set()
	said(cluster("${fsync:=on}"), [from]) == set()
}

test_in_a_file_of_the_server if {
	server := {"apiVersion": "apps/v1", "kind": "StatefulSet", "metadata": {"name": "db", "namespace": "shop"}, "spec": {"template": {"spec": {"containers": [{"name": "pg", "image": "postgres:17.6", "args": ["-c", "config_file=/c/postgresql.conf"], "volumeMounts": [{"name": "c", "mountPath": "/c"}]}], "volumes": [{"name": "c", "configMap": {"name": "c"}}]}}}}
	files := {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c", "namespace": "shop"}, "data": {"postgresql.conf": "jit = on\nfull_page_writes = ${fpw:=on}\n"}}
	said(server, [files, flux({"substitute": {"fpw": "off"}})]) == expected("fpw", "off", ["metadata", "name"])
	said(server, [files, flux({"substitute": {"fpw": "on"}})]) == set()
}

test_what_is_no_matter if {
	said(cluster("${fsync:=on}"), [flux({"substitute": {"work_mem": "off", "fsyn": "off", "sync": "off", "x-y": "off"}})]) == set()
	said(cluster("on"), [flux({"substitute": {"fsync": "off"}})]) == set()
	said(cluster("${fsync:=on}"), [flux({})]) == set()
	check.findings == set() with input as {"review": {"operation": "CREATE", "object": cluster("${fsync:=on}")}, "inventory": inventory.from_documents([flux({"substitute": {"fsync": "off"}})])}
}

# A part of the value, and what changes it on the way.
test_in_pieces if {
	place := ["metadata", "name"]
	some_of := flux({"substitute": {"e": "ff", "long": "xoffx", "o": "o"}})
	said(cluster("o${e}"), [some_of]) == expected("e", "ff", place)
	said(cluster("${o}${e}"), [some_of]) == expected("e", "ff", place) | expected("o", "o", place)
	said(cluster("${long:1:3}"), [some_of]) == expected("long", "xoffx", place)
	said(cluster("${long//x/}"), [some_of]) == expected("long", "xoffx", place)
	every kept in ["o${long}", "${long:1}", "${long:0:3}", "${long#x}", "${long%x}", "${long/o/x}", "x${e}", "${e}o"] {
		said(cluster(kept), [some_of]) == set()
	}
	of_ends := flux({"substitute": {"a": "xoff", "b": "offx"}})
	said(cluster("${a:1}"), [of_ends]) == expected("a", "xoff", place)
	said(cluster("${a#x}"), [of_ends]) == expected("a", "xoff", place)
	said(cluster("${b%x}"), [of_ends]) == expected("b", "offx", place)
}

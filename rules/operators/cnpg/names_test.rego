package walguard.operators.cnpg_names_test

import data.walguard.operators.cnpg

review(catalogues) := {
	"review": {"object": {
		"apiVersion": "postgresql.cnpg.io/v1",
		"kind": "Cluster",
		"metadata": {"name": "orders", "namespace": "prod"},
		"spec": {"instances": 3, "imageCatalogRef": {"apiGroup": "postgresql.cnpg.io", "kind": "ImageCatalog", "name": "postgres", "major": 17}},
	}},
	"inventory": {
		"cluster": {"postgresql.cnpg.io/v1": {"ClusterImageCatalog": {name: catalogue("ClusterImageCatalog", name, {}) | some name in object.get(catalogues, "cluster", [])}}},
		"namespace": {namespace: {"postgresql.cnpg.io/v1": {"ImageCatalog": {name: catalogue("ImageCatalog", name, {"namespace": namespace}) | some name in catalogues[namespace]}}} |
			some namespace in ["prod", "images"]
			catalogues[namespace]
		},
	},
}

catalogue(kind, name, metadata) := {"apiVersion": "postgresql.cnpg.io/v1", "kind": kind, "metadata": object.union({"name": name}, metadata), "spec": {"images": [{"major": 17, "image": "ghcr.io/cloudnative-pg/postgresql:17.5"}]}}

# [what is unresolved, what is refused]
said(catalogues) := [
	[fault.cure | some fault in found.unresolved],
	[fault.cure | some fault in found.refusals],
] if {
	cluster := cnpg.cluster with input as review(catalogues)
	found := object.union({"unresolved": [], "refusals": []}, cluster)
}

test_a_catalogue_is_missed_once if {
	said({"images": ["postgres"]}) == [[], ["Create it in prod, or make it a ClusterImageCatalog"]]
	said({"prod": ["postgers"], "cluster": ["postgres"]}) == [[], ["Write kind: ClusterImageCatalog"]]
	said({"prod": ["postgers"]}) == [["Write postgers"], []]
	said({"prod": ["postgres"], "images": ["postgres"]}) == [[], []]
	said({}) == [[], []]
}

test_namespace_that_is_not_watched if {
	operator := {
		"apiVersion": "apps/v1",
		"kind": "Deployment",
		"metadata": {"name": "cnpg", "namespace": "cnpg-system"},
		"spec": {"template": {"spec": {"containers": [{"name": "manager", "image": "ghcr.io/cloudnative-pg/cloudnative-pg:1.30.0", "env": [{"name": "WATCH_NAMESPACE", "value": "cnpg-system"}]}]}}},
	}
	found := cnpg.cluster with input as {"review": {"object": {"apiVersion": "postgresql.cnpg.io/v1", "kind": "Cluster", "metadata": {"name": "orders", "namespace": "prod"}, "spec": {"instances": 3}}}, "inventory": {"namespace": {"cnpg-system": {"apps/v1": {"Deployment": {"cnpg": operator}}}}}}
	[fault.path | some fault in found.unresolved] == [["metadata", "namespace"]]
}

# --------------------------------------------------------------------------------------------------------- Secrets

users := {
	"enableSuperuserAccess": true,
	"superuserSecret": {"name": "orders-admin"},
	"bootstrap": {"initdb": {"secret": {"name": "orders-owner"}}},
	"managed": {"roles": [{"name": "web", "passwordSecret": {"name": "orders-web"}}]},
}

of_users(objects, more) := [fault |
	cluster := cnpg.cluster with input as {
		"review": {"object": {"apiVersion": "postgresql.cnpg.io/v1", "kind": "Cluster", "metadata": {"name": "orders", "namespace": "prod"}, "spec": users}},
		"inventory": object.union({"namespace": {"prod": objects}}, more),
	}
	some fault in object.get(cluster, "unresolved", [])
]

secrets(names) := {"v1": {"Secret": {name: {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": name, "namespace": "prod"}, "stringData": {"username": "u", "password": "p"}} | some name in names}}}

test_secret_beside_those_of_others if {
	of_users(secrets(["orders-owner", "orders-web"]), {}) == [{
		"reason": "superuserSecret names Secret orders-admin, which was not found beside orders-owner and orders-web: unless somebody else creates it, postgres gets no password",
		"cure": "Create it in the namespace, or write the name of one that is there",
		"level": "info",
		"path": ["spec", "superuserSecret", "name"],
	}]
	made := {"external-secrets.io/v1": {"ExternalSecret": {"admin": {"metadata": {"name": "admin"}, "spec": {"target": {"name": "orders-admin"}}}}}}
	of_users(object.union(secrets(["orders-owner", "orders-web"]), made), {}) == []
	[fault.path | some fault in of_users(made, {})] == [["spec", "bootstrap", "initdb", "secret", "name"], ["spec", "managed", "roles", 0, "passwordSecret", "name"]]
	of_users(secrets(["unrelated"]), {}) == []
	of_users(secrets(["orders-owner", "orders-web"]), {"live": true}) == []
}

asking(spec, secrets) := [[fault.level, fault.reason, fault.cure] | some fault in object.get(found, "unresolved", [])] if {
	found := cnpg.cluster with input as {
		"review": {"object": {"apiVersion": "postgresql.cnpg.io/v1", "kind": "Cluster", "metadata": {"name": "orders", "namespace": "prod"}, "spec": spec}},
		"inventory": {"namespace": {"prod": object.union(
			{"batch/v1": {"Job": {"setup": {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "setup", "namespace": "prod"}, "spec": {"template": {"spec": {"containers": [{
				"name": "setup",
				"env": [{"name": "PGPASSWORD", "valueFrom": {"secretKeyRef": {"name": "admin", "key": "password"}}}],
			}]}}}}}}},
			secrets,
		)}},
	}
}

test_superuser_of_a_secret_that_is_not_made if {
	spec := {"enableSuperuserAccess": true, "superuserSecret": {"name": "admin"}}
	asking(spec, {}) == [[
		"info",
		"superuserSecret names admin, which was not found, and the operator makes no Secret that is named: without it postgres has no password, and programs that ask for it do not start",
		"Create it, or take the field out and ask for orders-superuser",
	]]
	asking(spec, {"v1": {"Secret": {"admin": {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "admin", "namespace": "prod"}}}}}) == []
	asking(object.union(spec, {"superuserSecret": {"name": "other"}}), {}) == []
	asking(object.union(spec, {"superuserSecret": {"name": "${ADMIN}"}}), {}) == []

	# Said of all users of the cluster already.
	count(asking(object.union(spec, {"bootstrap": {"initdb": {"secret": {"name": "owner"}}}}), {"v1": {"Secret": {"owner": {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "owner", "namespace": "prod"}}}}})) == 1
}

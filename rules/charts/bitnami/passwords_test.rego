package walguard.charts.passwords_test

import data.walguard.charts

# The passwords that the chart makes up, of the one StatefulSet that has any; "" where it makes up none.
made_up(object_) := concat(";", [text | some part in found; text := object.get(part.object, ["metadata", "annotations", "charts.walguard.dev/generated-passwords"], ""); text != ""]) if {
	found := charts.rendered with input as {"review": {"object": object_}}
	"StatefulSet" in {part.object.kind | some part in found}
}

application(source, spec) := {"apiVersion": "argoproj.io/v1alpha1", "kind": "Application", "metadata": {"name": "pg"}, "spec": object.union({"source": source}, spec)}

chart := {"chart": "postgresql", "repoURL": "registry-1.docker.io/bitnamicharts", "targetRevision": "16.7.21"}

of(values) := made_up(application(object.union(chart, {"helm": {"valuesObject": values}}), {}))

of_ha(values) := made_up(application({"chart": "postgresql-ha", "repoURL": "registry-1.docker.io/bitnamicharts", "helm": {"valuesObject": values}}, {}))

test_passwords_that_are_made_up if {
	of({}) == "auth.postgresPassword"
	of({"auth": {"username": "postgres"}}) == "auth.postgresPassword"
	of({"auth": {"username": "shop"}}) == "auth.password"
	of({"auth": {"username": "shop"}, "backup": {"enabled": true}}) == "auth.password and auth.postgresPassword"
	of({"auth": {"username": "shop", "password": "x"}, "backup": {"enabled": true}}) == "auth.postgresPassword"
	of({"auth": {"postgresPassword": "x"}, "architecture": "replication"}) == "auth.replicationPassword"
	of_ha({}) == "postgresql.password and postgresql.repmgrPassword"
	of_ha({"postgresql": {"password": "x"}}) == "postgresql.repmgrPassword"
}

test_passwords_that_somebody_gives if {
	every values in [
		{"auth": {"existingSecret": "pg"}},
		{"global": {"postgresql": {"auth": {"existingSecret": "pg"}}}},
		{"auth": {"postgresPassword": "x"}},
		{"auth": {"password": "x"}},
		{"global": {"postgresql": {"auth": {"postgresPassword": "x"}}}},
		{"global": {"postgresql": {"auth": {"password": "x"}}}},
		{"auth": {"username": "shop", "password": "x"}},
		{"auth": {"username": "shop"}, "global": {"postgresql": {"auth": {"password": "x"}}}},
		{"auth": {"username": "shop", "password": "x", "enablePostgresUser": false}, "backup": {"enabled": true}},
		{"auth": {"enablePostgresUser": false}},
		{"auth": {"postgresPassword": "x", "replicationPassword": "x"}, "architecture": "replication"},
		{"primary": {"persistence": {"enabled": false}}},
	] {
		of(values) == ""
	}
	every values in [
		{"postgresql": {"existingSecret": "pg"}},
		{"global": {"postgresql": {"existingSecret": "pg"}}},
		{"postgresql": {"password": "x", "repmgrPassword": "x"}},
		{"global": {"postgresql": {"password": "x", "repmgrPassword": "x"}}},
		{"persistence": {"enabled": false}},
	] {
		of_ha(values) == ""
	}
}

# Those below another chart, which says the user and no password.
test_below_another_chart if {
	of_parent("bitnamicharts", "keycloak", {}) == "postgresql.auth.password"
	of_parent("bitnamicharts", "keycloak", {"postgresql": {"enabled": true, "primary": {"persistence": {"size": "20Gi"}}}, "externalDatabase": {}}) == "postgresql.auth.password"
	of_parent("bitnamicharts", "keycloak", {"postgresql": {"backup": {"enabled": true}, "auth": {"username": "sso"}}}) == "postgresql.auth.password and postgresql.auth.postgresPassword"
	of_parent("bitnamicharts", "argo-workflows", {}) == "postgresql.auth.postgresPassword"
	of_parent("https://charts.netbox.oss.netboxlabs.com", "netbox", {"postgresql": {"auth": {"username": ""}}}) == "postgresql.auth.postgresPassword"
	of_parent("https://charts.goauthentik.io", "authentik", {"postgresql": {"enabled": true}}) == "postgresql.auth.password"
	every values in [
		{"postgresql": {"auth": {"existingSecret": "pg"}}},
		{"postgresql": {"auth": {"password": "x"}}},
		{"global": {"postgresql": {"auth": {"existingSecret": "pg"}}}},
		{"postgresql": {"enabled": false}},
		{"externalDatabase": {"host": "pg"}},
		{"postgresql": {"enabled": true, "postgresqlUsername": "sso"}},
		{"postgresql": {"enabled": true, "primary": {"persistence": {"enabled": false}}}},
	] {
		of_parent("bitnamicharts", "keycloak", values) == ""
	}
	of_parent("https://codecentric.github.io/helm-charts", "keycloak", {"postgresql": {"enabled": true, "auth": {}}}) == ""
	of_parent("bitnamicharts", "harbor", {"postgresql": {"enabled": true, "auth": {}}}) == ""
	of_parent("https://charts.goauthentik.io", "authentik", {}) == ""
}

of_parent(repository, name, values) := text if {
	text := made_up(application({"chart": name, "repoURL": repository, "helm": {"valuesObject": values}}, {}))
} else := ""

test_sets_of_applications if {
	applications := {"apiVersion": "argoproj.io/v1alpha1", "kind": "ApplicationSet", "metadata": {"name": "pg"}, "spec": {"generators": [{"list": {"elements": []}}], "template": {"metadata": {"name": "{{stage}}"}, "spec": {"source": chart}}}}
	made_up(applications) == "auth.postgresPassword"
	charts.rendered == [] with input as {"review": {"object": object.union(applications, {"spec": {"template": {"spec": {"source": {"helm": {"valuesObject": {"auth": {"existingSecret": "{{secret}}"}}}}}}}})}}
	found := charts.rendered with input as {"review": {"object": applications}}
	[part.paths[0].to | some part in found; part.object.kind == "StatefulSet"] == [["spec", "template", "spec", "source", "helm", "values", "primary"]]
}

# Releases before 11 have other keys.
test_former_releases if {
	made_up(application(object.union(chart, {"targetRevision": "10.16.2"}), {})) == ""
}

test_who_renders_it if {
	made_up(application(chart, {})) == "auth.postgresPassword"
	made_up(application(object.union(object.remove(chart, ["chart"]), {"repoURL": "oci://registry-1.docker.io/bitnamicharts/postgresql", "path": "."}), {})) == "auth.postgresPassword"
	made_up({"apiVersion": "kustomize.config.k8s.io/v1beta1", "kind": "Kustomization", "helmCharts": [{"name": "postgresql", "repo": "https://charts.bitnami.com/bitnami", "releaseName": "pg"}]}) == "auth.postgresPassword"
	every object_ in [
		application(object.union(chart, {"plugin": {"name": "vault"}}), {}),
		application({"path": "charts/postgresql", "repoURL": "https://git.example.com/bitnami", "helm": {"valuesObject": {"auth": {}}}}, {}),
		{"apiVersion": "kustomize.config.k8s.io/v1beta1", "kind": "Kustomization", "helmCharts": [{"name": "postgresql", "repo": "https://charts.bitnami.com/bitnami"}], "patches": [{"path": "secret.yaml"}]},
		{"apiVersion": "helm.toolkit.fluxcd.io/v2", "kind": "HelmRelease", "metadata": {"name": "pg"}, "spec": {"chart": {"spec": {"chart": "postgresql", "sourceRef": {"kind": "HelmRepository", "name": "bitnami"}}}, "values": {"auth": {}}}},
		{"apiVersion": "helm.cattle.io/v1", "kind": "HelmChart", "metadata": {"name": "pg"}, "spec": {"chart": "postgresql", "repo": "https://charts.bitnami.com/bitnami", "valuesContent": {"auth": {}}}},
		{"auth": {"postgresPassword": "", "enablePostgresUser": true}, "primary": {"initdb": {}}},
	] {
		made_up(object_) == ""
	}
}

test_differences_that_argo_ignores if {
	ignored := [{"kind": "Secret", "jsonPointers": ["/data"]}]
	respected := {"syncOptions": ["CreateNamespace=true", "RespectIgnoreDifferences=true"]}
	made_up(application(chart, {"ignoreDifferences": ignored, "syncPolicy": respected})) == ""
	made_up(application(chart, {"ignoreDifferences": [{"group": "*", "kind": "*"}], "syncPolicy": respected})) == ""
	every spec in [{"ignoreDifferences": ignored}, {"syncPolicy": respected}, {"ignoreDifferences": [{"kind": "Deployment"}], "syncPolicy": respected}] {
		made_up(application(chart, spec)) == "auth.postgresPassword"
	}
}

# Standbys have no annotation of their own, and the place is that of the passwords.
test_place if {
	found := charts.rendered with input as {"review": {"object": application(object.union(chart, {"helm": {"valuesObject": {"architecture": "replication"}}}), {})}}
	sets := [part | some part in found; part.object.kind == "StatefulSet"]
	[set] := [part | some part in sets; part.object.metadata.annotations]
	count(sets) == 2
	{"from": ["metadata", "annotations"], "to": ["spec", "source", "helm", "valuesObject", "auth"]} in set.paths
}

package walguard.charts_test

import data.walguard.charts

unread(object) := found if found := charts.unread with input as {"review": {"object": object}}

release(chart, source) := {
	"apiVersion": "helm.toolkit.fluxcd.io/v2",
	"kind": "HelmRelease",
	"metadata": {"name": "pg"},
	"spec": {"chart": {"spec": {"chart": chart, "sourceRef": {"kind": "HelmRepository", "name": source}}}},
}

values(chart) := sprintf("Values of the chart %s", [chart])

within(chart) := sprintf("Values of PostgreSQL within the chart %s", [chart])

test_releases if {
	unread(release("cluster", "timescaledb")) == [{"kind": "HelmRelease", "what": values("cluster")}]
	unread(release("postgresql", "bitnami")) == [{"kind": "HelmRelease", "what": values("postgresql")}]
	unread(release("./charts/pg-db/", "git")) == [{"kind": "HelmRelease", "what": values("pg-db")}]
	unread(release("cluster", "redis")) == []
	unread(release("cloudnative-pg", "cnpg")) == []
	unread(release("postgres-exporter", "prometheus")) == []
}

test_chart_ref if {
	object := {"apiVersion": "helm.toolkit.fluxcd.io/v2", "kind": "HelmRelease", "spec": {"chartRef": {"kind": "OCIRepository", "name": "postgresql"}}}
	unread(object) == [{"kind": "HelmRelease", "what": values("postgresql")}]
}

cnpg_source := {"chart": "cluster", "repoURL": "https://cloudnative-pg.github.io/charts"}

application(spec) := {"apiVersion": "argoproj.io/v1alpha1", "kind": "Application", "metadata": {"name": "pg"}, "spec": spec}

with_helm(helm) := application({"source": object.union(cnpg_source, {"helm": helm})})

of_cluster := [{"kind": "Application", "what": values("cluster")}]

test_applications if {
	unread(application({"source": cnpg_source})) == []
	every helm in [{}, {"valuesObject": {}}, {"values": ""}, {"values": {"cluster": {}}}, {"parameters": [{"name": "cluster.instances", "value": "1"}]}, {"valueFiles": []}] {
		unread(with_helm(helm)) == []
	}
	set := {"apiVersion": "argoproj.io/v1alpha1", "kind": "ApplicationSet", "spec": {"template": {"spec": {"sources": [cnpg_source, {"repoURL": 1}]}}}}
	unread(set) == [{"kind": "ApplicationSet", "what": values("cluster")}]
	unread(application({"source": {"path": "apps", "repoURL": "x"}})) == []
}

# What lies in files, what no reader of YAML takes for values, and what `helm --set` would have to be asked about.
test_values_of_applications_that_are_not_known if {
	every helm in [
		{"valueFiles": ["$values/pg.yaml"]},
		{"fileParameters": [{"name": "a", "path": "b"}]},
		{"values": "a: ["},
		{"valuesObject": 7},
		{"parameters": [{"name": "a[0]", "value": "1"}]},
		{"parameters": [{"name": "a", "value": "{x,y}"}]},
		{"parameters": [{"name": "a", "value": "null"}]},
		{"parameters": [{"name": "a", "value": 1}]},
		{"parameters": [{"name": "a"}]},
		{"parameters": [null]},
	] {
		unread(with_helm(helm)) == of_cluster
	}
}

# Each source is read by itself.
test_several_sources if {
	unread(application({"source": {"chart": "redis"}, "sources": [cnpg_source, {"ref": "values", "repoURL": "x"}]})) == []
	read := object.union(cnpg_source, {"helm": {"valuesObject": {}}})
	other := {"chart": "postgresql", "repoURL": "x", "helm": {"valueFiles": ["$values/a.yaml"]}}
	unread(application({"sources": [read, other, null]})) == [{"kind": "Application", "what": values("postgresql")}]
}

# A chart in Git has no name but its directory; a directory without values is not known for a chart.
test_charts_in_directories if {
	unread(application({"source": {"path": "charts/postgresql-ha", "repoURL": "x", "helm": {"values": ""}}})) == [{"kind": "Application", "what": values("postgresql-ha")}]
	unread(application({"source": {"path": "charts/postgresql-ha", "repoURL": "x"}})) == []
}

test_charts_of_a_kustomization if {
	charts_of := {"helmCharts": [{"name": "cluster", "repo": "https://cloudnative-pg.github.io/charts"}, {"name": "redis", "repo": "x"}, null]}
	unread(charts_of) == [{"kind": "Kustomization", "what": values("cluster")}]
	unread(object.union(charts_of, {"apiVersion": "kustomize.config.k8s.io/v1beta1", "kind": "Kustomization"})) == [{"kind": "Kustomization", "what": values("cluster")}]
	unread({"helmCharts": 1}) == []
}

test_charts_that_a_chart_depends_on if {
	chart := {"apiVersion": "v2", "name": "db", "dependencies": [{"name": "postgresql", "repository": "oci://x"}, {"name": "redis"}, 1]}
	unread(chart) == [{"kind": "parent chart", "what": values("postgresql")}]
	unread({"apiVersion": "v2", "name": "db"}) == []
}

patched(patch) := {"apiVersion": "kustomize.toolkit.fluxcd.io/v1", "kind": "Kustomization", "spec": {"patches": [patch]}}

test_patches if {
	said := [{"kind": "Kustomization", "what": "Patches of PostgreSQL clusters"}]
	unread(patched({"patch": "apiVersion: postgresql.cnpg.io/v1\nkind: Cluster\nmetadata: {name: x}\n"})) == said
	unread(patched({"patch": "- op: add\n", "target": {"kind": "postgresql"}})) == said
	unread(patched({"patch": "- op: add\n", "target": {"kind": "Cluster", "group": "postgresql.cnpg.io"}})) == said
	unread(patched({"patch": "- op: add\n", "target": {"kind": "Cluster", "group": "cluster.x-k8s.io"}})) == []
	unread(patched({"patch": "apiVersion: v1\nkind: ConfigMap\n"})) == []
	unread(patched(null)) == []
}

set(spec) := {"apiVersion": "fluxcd.controlplane.io/v1", "kind": "ResourceSet", "spec": spec}

test_resource_sets if {
	said := [{"kind": "ResourceSet", "what": "Templates of PostgreSQL clusters"}]
	unread(set({"resources": [{"apiVersion": "postgresql.cnpg.io/v1", "kind": "Cluster"}]})) == said
	unread(set({"resourcesTemplate": "apiVersion: postgresql.cnpg.io/v1\nkind: Cluster\n"})) == said
	unread(set({"resources": [{"apiVersion": "cluster.x-k8s.io/v1", "kind": "Cluster"}]})) == []
	unread(set({})) == []
}

test_nothing if {
	unread({"apiVersion": "v1", "kind": "ConfigMap"}) == []
	unread({"apiVersion": "helm.toolkit.fluxcd.io/v2", "kind": "HelmRelease", "spec": 1}) == []
}

test_repository_that_is_no_text if {
	source := {"chart": "cluster", "repoURL": 7}
	unread(application({"source": source})) == []
	unread(application({"source": object.union(source, {"chart": "postgresql"})})) == [{"kind": "Application", "what": values("postgresql")}]
}

test_charts_that_bring_postgres_along if {
	written := {"postgresql": {"enabled": true}}
	unread(object.union(release("keycloak", "bitnami"), {"spec": {"values": written}})) == [{"kind": "HelmRelease", "what": within("keycloak")}]
	unread(object.union(release("keycloak", "bitnami"), {"spec": {"values": {"postgresql": {"enabled": false}}}})) == []
	source := {"chart": "gitea", "repoURL": "x", "helm": {"valuesObject": {"postgresql-ha": {"enabled": true}}}}
	unread(application({"source": source})) == [{"kind": "Application", "what": within("gitea")}]
	unread(application({"sources": [{"ref": "x"}, source]})) == [{"kind": "Application", "what": within("gitea")}]
}

test_patches_of_releases if {
	patch := {"target": {"kind": "Cluster", "group": "postgresql.cnpg.io"}, "patch": "- op: add"}
	found := [{"kind": "HelmRelease", "what": "Patches of PostgreSQL clusters"}]
	charts.unread == found with input as {"review": {"object": {"apiVersion": "helm.toolkit.fluxcd.io/v2", "kind": "HelmRelease", "metadata": {"name": "a"}, "spec": {"postRenderers": [{"kustomize": {"patches": [patch]}}]}}}}
	charts.unread[0].what == found[0].what with input as {"review": {"object": {"apiVersion": "argoproj.io/v1alpha1", "kind": "Application", "metadata": {"name": "a"}, "spec": {"source": {"path": "x", "repoURL": "y", "kustomize": {"patches": [patch]}}}}}}
	charts.unread == [] with input as {"review": {"object": {"apiVersion": "argoproj.io/v1alpha1", "kind": "Application", "metadata": {"name": "a"}, "spec": {"source": {"path": "x", "repoURL": "y", "kustomize": {"patches": [{"target": {"kind": "Deployment"}}]}}}}}}
}

test_chart_of_an_oci_repository if {
	[one] := charts.rendered with input as {"review": {"object": {"apiVersion": "argoproj.io/v1alpha1", "kind": "Application", "metadata": {"name": "a"}, "spec": {"source": {
		"path": ".",
		"repoURL": "oci://ghcr.io/cloudnative-pg/charts/cluster",
		"helm": {"valuesObject": {"cluster": {"postgresql": {"parameters": {"fsync": "off"}}}}},
	}}}}}
	one.object.spec.postgresql.parameters.fsync == "off"
}

test_chart_of_k3s if {
	charts.unread == [{"kind": "HelmChart", "what": "Values of the chart cluster"}] with input as {"review": {"object": {"apiVersion": "helm.cattle.io/v1", "kind": "HelmChart", "metadata": {"name": "a"}, "spec": {
		"chart": "cluster",
		"repo": "https://cloudnative-pg.github.io/charts",
		"valuesContent": "cluster: {}",
	}}}}
	charts.unread == [] with input as {"review": {"object": {"apiVersion": "helm.cattle.io/v1", "kind": "HelmChart", "metadata": {"name": "a"}, "spec": {"chart": "traefik", "repo": "https://traefik.github.io/charts"}}}}
}

package walguard.charts_test

import data.walguard.charts

unread(object) := found if found := charts.unread with input as {"review": {"object": object}}

release(chart, source) := {
	"apiVersion": "helm.toolkit.fluxcd.io/v2",
	"kind": "HelmRelease",
	"metadata": {"name": "pg"},
	"spec": {"chart": {"spec": {"chart": chart, "sourceRef": {"kind": "HelmRepository", "name": source}}}},
}

values := "Values of charts with PostgreSQL"

test_releases if {
	unread(release("cluster", "timescaledb")) == [{"kind": "HelmRelease", "what": values}]
	unread(release("postgresql", "bitnami")) == [{"kind": "HelmRelease", "what": values}]
	unread(release("./charts/pg-db", "git")) == [{"kind": "HelmRelease", "what": values}]
	unread(release("cluster", "redis")) == []
	unread(release("cloudnative-pg", "cnpg")) == []
	unread(release("postgres-exporter", "prometheus")) == []
}

test_chart_ref if {
	object := {"apiVersion": "helm.toolkit.fluxcd.io/v2", "kind": "HelmRelease", "spec": {"chartRef": {"kind": "OCIRepository", "name": "postgresql"}}}
	unread(object) == [{"kind": "HelmRelease", "what": values}]
}

test_applications if {
	source := {"chart": "cluster", "repoURL": "https://cloudnative-pg.github.io/charts"}
	application := {"apiVersion": "argoproj.io/v1alpha1", "kind": "Application", "spec": {"source": source}}
	unread(application) == [{"kind": "Application", "what": values}]
	unread(object.union(application, {"spec": {"source": {"helm": {"valuesObject": {}}}}})) == []
	set := {"apiVersion": "argoproj.io/v1alpha1", "kind": "ApplicationSet", "spec": {"template": {"spec": {"sources": [source, {"repoURL": 1}]}}}}
	unread(set) == [{"kind": "ApplicationSet", "what": values}]
	unread({"apiVersion": "argoproj.io/v1alpha1", "kind": "Application", "spec": {"source": {"path": "apps", "repoURL": "x"}}}) == []
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
	application := {"apiVersion": "argoproj.io/v1alpha1", "kind": "Application", "spec": {"source": {"chart": "cluster", "repoURL": 7}}}
	unread(application) == []
	unread(object.union(application, {"spec": {"source": {"chart": "postgresql"}}})) == [{"kind": "Application", "what": values}]
}

test_charts_that_bring_postgres_along if {
	written := {"postgresql": {"enabled": true}}
	unread(object.union(release("keycloak", "bitnami"), {"spec": {"values": written}})) == [{"kind": "HelmRelease", "what": values}]
	unread(object.union(release("keycloak", "bitnami"), {"spec": {"values": {"postgresql": {"enabled": false}}}})) == []
	source := {"chart": "gitea", "repoURL": "x", "helm": {"valuesObject": {"postgresql-ha": {"enabled": true}}}}
	unread({"apiVersion": "argoproj.io/v1alpha1", "kind": "Application", "spec": {"source": source}}) == [{"kind": "Application", "what": values}]
}

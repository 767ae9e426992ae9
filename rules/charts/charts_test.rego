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
	unread(release("postgresql", "bitnami")) == []
	unread(release("postgresql", "mine")) == [{"kind": "HelmRelease", "what": values("postgresql")}]
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
	unread(set) == []
	unread(object.union(set, {"spec": {"templatePatch": "spec: {}"}})) == [{"kind": "ApplicationSet", "what": values("cluster")}]
	unread(object.union(set, {"spec": {"generators": [{"list": {"elements": [], "template": {}}}]}})) == [{"kind": "ApplicationSet", "what": values("cluster")}]
	unread({"apiVersion": "argoproj.io/v1alpha1", "kind": "ApplicationSet", "spec": {"template": {"spec": {"source": object.union(cnpg_source, {"helm": {"valuesObject": {"mode": "{{mode}}"}}})}}}}) == [{"kind": "ApplicationSet", "what": values("cluster")}]
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
	unread({"apiVersion": "kustomize.toolkit.fluxcd.io/v1beta2", "kind": "Kustomization", "spec": {"patchesStrategicMerge": [{"apiVersion": "postgresql.cnpg.io/v1", "kind": "Cluster"}]}}) == said
	unread({"apiVersion": "kustomize.toolkit.fluxcd.io/v1beta2", "kind": "Kustomization", "spec": {"patchesStrategicMerge": [{"apiVersion": "cluster.x-k8s.io/v1beta1", "kind": "Cluster"}], "patchesJson6902": [{"target": {"kind": "Pod"}}]}}) == []
}

set(spec) := {"apiVersion": "fluxcd.controlplane.io/v1", "kind": "ResourceSet", "spec": spec}

test_resource_sets if {
	said := [{"kind": "ResourceSet", "what": "Templates of PostgreSQL clusters"}]
	unread(set({"resources": [{"apiVersion": "postgresql.cnpg.io/v1", "kind": "Cluster", "spec": {"instances": "<< inputs.n >>"}}]})) == said
	unread(set({"resources": [{"apiVersion": "postgresql.cnpg.io/v1", "kind": "Cluster"}]})) == []
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

kinds(review) := [part.object.kind | some part in found] if found := charts.rendered with input as {"review": review}

# The chart postgresql of Bitnami, by every way that values come.
test_bitnamis_chart if {
	written := {"primary": {"extendedConfiguration": "fsync = off"}}
	[one | some one in kinds({"object": object.union(release("postgresql", "bitnami"), {"spec": {"values": written}})}); one == "ConfigMap"] == ["ConfigMap"]
	source := {"path": "charts/postgresql", "repoURL": "https://git.example.com/x", "helm": {"valuesObject": object.union(written, {"auth": {}})}}
	"StatefulSet" in kinds({"object": application({"source": source})})
	ha := {"chart": "postgresql-ha", "repoURL": "https://git.example.com/x", "helm": {"valuesObject": {"postgresql": {"replicaCount": 3}, "pgpool": {"maxPool": 4}}}}
	"Deployment" in kinds({"object": application({"source": ha})})
}

test_version_of_a_chart if {
	every version, tag in {"12.1.0": "15", "v13.2.1": "16", "~15.5": "16", "^11": "14", "16.x.x": "17"} {
		object_ := object.union(release("postgresql", "bitnami"), {"spec": {"chart": {"spec": {"version": version}}}})
		[set] := [part.object | some part in charts.rendered; part.object.kind == "StatefulSet"] with input as {"review": {"object": object_}}
		startswith(set.spec.template.spec.containers[0].image, sprintf("docker.io/bitnami/postgresql:%s.", [tag]))
	}
	object_ := object.union(release("postgresql", "bitnami"), {"spec": {"chart": {"spec": {"version": ">=12.0.0"}}}})
	[set] := [part.object | some part in charts.rendered; part.object.kind == "StatefulSet"] with input as {"review": {"object": object_}}
	startswith(set.spec.template.spec.containers[0].image, "docker.io/bitnami/postgresql:$")
}

of_k3s(more) := {"apiVersion": "helm.cattle.io/v1", "kind": "HelmChart", "metadata": {"name": "pg", "namespace": "kube-system"}, "spec": object.union({"chart": "postgresql", "repo": "https://charts.bitnami.com/bitnami", "targetNamespace": "db"}, more)}

test_values_of_k3s if {
	[set] := [part | some part in charts.rendered; part.object.kind == "StatefulSet"] with input as {"review": {"object": of_k3s({"valuesContent": {"primary": {}}})}}
	set.object.metadata.namespace == "db"
	{"from": [], "to": ["spec", "valuesContent", "primary"]} in set.paths
	every more in [{"valuesContent": "a: ["}, {"set": {"primary.persistence.enabled": "false"}}, {"valuesSecrets": [{"name": "x"}]}] {
		charts.unread == [{"kind": "HelmChart", "what": values("postgresql")}] with input as {"review": {"object": of_k3s(more)}}
	}
}

test_values_of_a_kustomization if {
	entry := {"name": "postgresql", "repo": "https://charts.bitnami.com/bitnami", "releaseName": "pg", "namespace": "db"}
	inline := object.union(entry, {"valuesInline": {"fullnameOverride": "orders"}})
	[set] := [part | some part in charts.rendered; part.object.kind == "StatefulSet"] with input as {"review": {"object": {"helmCharts": [inline]}}}
	set.object.metadata.name == "orders"
	{"from": [], "to": ["helmCharts", 0, "valuesInline", "primary"]} in set.paths
	file := object.union(entry, {"valuesFile": "pg.yaml"})
	charts.beside == {"pg.yaml"} with input as {"review": {"object": {"helmCharts": [file]}}}
	beside := {"pg.yaml": {"values": {"fullnameOverride": "orders"}, "alone": true}}
	[of_file] := [part | some part in charts.rendered; part.object.kind == "StatefulSet"] with input as {"review": {"object": {"helmCharts": [file]}, "beside": beside}}
	of_file.file == "pg.yaml"
	{"from": [], "to": ["primary"]} in of_file.paths
	both := object.union(inline, {"valuesFile": "pg.yaml"})
	charts.unread == [{"kind": "Kustomization", "what": values("postgresql")}] with input as {"review": {"object": {"helmCharts": [both]}, "beside": beside}}
}

test_values_beside_a_chart if {
	dependency := {"name": "postgresql", "alias": "pg", "repository": "oci://registry-1.docker.io/bitnamicharts", "condition": "pg.enabled"}
	chart := {"apiVersion": "v2", "name": "db", "dependencies": [dependency]}
	charts.beside == {"values.yaml"} with input as {"review": {"object": chart}}
	[set] := [part | some part in charts.rendered; part.object.kind == "StatefulSet"] with input as {"review": {"object": chart, "beside": {"values.yaml": {"values": {"pg": {"enabled": true, "fullnameOverride": "orders"}}, "alone": true}}}}
	set.object.metadata.name == "orders"
	set.file == "values.yaml"
	{"from": [], "to": ["pg", "primary"]} in set.paths
	charts.rendered == [] with input as {"review": {"object": chart, "beside": {"values.yaml": {"values": {"pg": {"enabled": false}}, "alone": true}}}}
}

test_values_below_another_chart if {
	written := {"postgresql": {"enabled": true, "auth": {"database": "kc"}, "primary": {"persistence": {"enabled": false}}}, "global": {"storageClass": "fast"}}
	object_ := object.union(release("keycloak", "bitnami"), {"spec": {"values": written}})
	[set] := [part | some part in charts.rendered; part.object.kind == "StatefulSet"] with input as {"review": {"object": object_}}
	set.object.metadata.name == "pg-postgresql"
	{"from": [], "to": ["spec", "values", "postgresql", "primary"]} in set.paths
	unread(object_) == []
	other := object.union(release("app", "x"), {"spec": {"values": {"postgresql": {"enabled": true, "host": "db"}}}})
	unread(other) == [{"kind": "HelmRelease", "what": within("app")}]
	parameters := {"chart": "keycloak", "repoURL": "x", "helm": {"valuesObject": written, "parameters": [{"name": "postgresql.primary.persistence.size", "value": "5Gi"}]}}
	[of_argo] := [part | some part in charts.rendered; part.object.kind == "StatefulSet"] with input as {"review": {"object": application({"source": parameters})}}
	{"from": ["spec", "volumeClaimTemplates", 0, "spec", "resources", "requests", "storage"], "to": ["spec", "source", "helm", "parameters", 0, "value"]} in of_argo.paths
}

volumes_of(object) := [{"empty": get_empty(part.object), "to": [path.to | some path in part.paths; path.from == []]} | some part in found; part.object.kind == "StatefulSet"] if {
	found := charts.rendered with input as {"review": {"object": object}}
}

get_empty(set) := "data" in [volume.name | some volume in set.spec.template.spec.volumes; volume.emptyDir]

# The parent's default brings PostgreSQL along, and the values say that it keeps nothing.
test_values_of_what_keeps_nothing if {
	former := {"persistence": {"enabled": false}}
	every part in [former, object.union(former, {"enabled": true}), object.union(former, {"install": true, "postgresqlUsername": "keycloak"}), {"primary": {"persistence": {"enabled": false}}}] {
		count(volumes_of({"keycloak": {"replicas": 1}, "postgresql": part})) == 1
		count(volumes_of(object.union(release("keycloak", "bitnami"), {"spec": {"values": {"postgresql": part}}}))) == 1
	}
	volumes_of({"user": {}, "postgresql": {"install": true, "primary": {"persistence": {"enabled": false}}}})[0] == {"empty": true, "to": [["postgresql", "primary"]]}
	every part in [
		object.union(former, {"enabled": false}), object.union(former, {"install": false}), object.union(former, {"enabled": "${DB}"}), {"persistence": {"enabled": true}},
		{"persistence": {"enabled": "false"}}, object.union(former, {"host": "db"}), {"primary": {"persistence": {"size": "8Gi"}}}, {}, [], null,
	] {
		volumes_of({"keycloak": {"replicas": 1}, "postgresql": part}) == []
		volumes_of(object.union(release("keycloak", "bitnami"), {"spec": {"values": {"postgresql": part}}})) == []
	}
	volumes_of({"apiVersion": "v2", "postgresql": former}) == []
}

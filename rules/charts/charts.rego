# METADATA
# description: |
#   Objects that carry the values of a Helm chart, or patches: Flux's HelmRelease, ResourceSet and Kustomization, Argo CD's Application and
#   ApplicationSet. What such a chart renders to is not in the object; a host asks here what of it nobody read.
package walguard.charts

import data.walguard.charts.cnpg
import data.walguard.lib.get
import data.walguard.lib.k8s

# Charts that run PostgreSQL, whatever repository they come from.
names := {
	"pg-db",
	"pg-cluster",
	"postgres-cluster",
	"postgrescluster",
	"postgresql",
	"postgresql-cluster",
	"postgresql-ha",
	"postgresql-single-instance",
	"stackgres-cluster",
	"timescaledb-multinode",
	"timescaledb-single",
}

# Words in the name or the repository of a chart whose own name ("cluster") says too little.
hints := {"cloudnative-pg", "cnpg", "postgres", "stackgres", "timescaledb", "zalando"}

# Kinds that a patch or a template of an object would name.
clusters := {"PerconaPGCluster", "Kubegres", "PostgresCluster", "SGCluster", "postgresql"}

# METADATA
# description: |
#   What of the object under review was not read, [{"kind", "what"}]: the kind and what to call it. [] for what has nothing to do with
#   PostgreSQL, as far as names tell.
unread := [{"kind": k8s.kind, "what": "Values of charts with PostgreSQL"}] if {
	k8s.kind in {"HelmRelease", "Application", "ApplicationSet"}
	count(unread_charts) > 0
} else := [{"kind": k8s.kind, "what": "Values of charts with PostgreSQL"}] if {
	k8s.kind in {"HelmRelease", "Application", "ApplicationSet"}
	bundled
} else := [{"kind": k8s.kind, "what": "Patches of PostgreSQL clusters"}] if {
	k8s.kind == "Kustomization"
	some patch in get.list(k8s.object, ["spec", "patches"])
	of_cluster(patch)
} else := [{"kind": k8s.kind, "what": "Templates of PostgreSQL clusters"}] if {
	k8s.kind == "ResourceSet"
	some template in get.list(k8s.object, ["spec", "resources"])
	of_cluster({"target": {"kind": get.string(template, "kind"), "group": get.string(template, "apiVersion")}})
} else := [{"kind": k8s.kind, "what": "Templates of PostgreSQL clusters"}] if {
	k8s.kind == "ResourceSet"
	of_cluster({"patch": get.string(k8s.object, ["spec", "resourcesTemplate"])})
} else := []

# METADATA
# description: The charts that the object under review names and that run PostgreSQL, {"name", "repository"}.
charts contains chart if {
	k8s.kind == "HelmRelease"
	some chart in flux
	is_postgres(chart)
}

charts contains chart if {
	k8s.kind in {"Application", "ApplicationSet"}
	some source in sources
	chart := {"name": get.string(source, "chart"), "repository": object.get(source, "repoURL", "")}
	is_postgres(chart)
}

# Those that no adapter reads, or not with these values.
unread_charts := {chart | some chart in charts; count(rendered) == 0}

# METADATA
# description: |
#   What the object under review renders to where its chart has an adapter here, [{"object", "paths": [{"from", "to"}]}]: what stands below
#   `from` in the object is written below `to` in the object under review. [] where no adapter reads all of its values.
rendered := [entry |
	some part in parts(cnpg_release)
	entry := {
		"object": part.object,
		"paths": [{"from": path.from, "to": array.concat(cnpg_release.at, path.to)} | some path in part.paths],
	}
] if {
	cnpg_release
} else := []

parts(release) := cnpg.rendered(release)

# A release of CloudNativePG's chart: {"name", "namespace", "values", "at": where the values are}.
cnpg_release := release_of_flux if {
	is_cnpg
} else := release_of_argo if {
	is_cnpg
}

is_cnpg if {
	some chart in charts
	chart.name == "cluster"
	some hint in ["cloudnative-pg", "cnpg"]
	contains(text(chart.repository), hint)
}

# Values from elsewhere lie below those that are written here, and nobody knows them.
release_of_flux := {"name": name, "namespace": namespace, "values": values, "at": ["spec", "values"]} if {
	k8s.kind == "HelmRelease"
	spec := get.map(k8s.object, "spec")
	count(get.list(spec, "valuesFrom")) == 0
	values := get.map(spec, "values")
	namespace := object.get(spec, "targetNamespace", k8s.namespace)
	name := object.get(spec, "releaseName", flux_name(spec))
}

flux_name(spec) := sprintf("%s-%s", [spec.targetNamespace, k8s.name]) if {
	spec.targetNamespace
} else := k8s.name

# As an object; text (`values`), files and single parameters are not read.
release_of_argo := {"name": name, "namespace": namespace, "values": values, "at": ["spec", "source", "helm", "valuesObject"]} if {
	k8s.kind == "Application"
	helm := get.map(k8s.object, ["spec", "source", "helm"])
	values := helm.valuesObject
	is_object(values)
	object.keys(helm) & {"fileParameters", "parameters", "valueFiles", "values"} == set()
	namespace := object.get(get.map(k8s.object, ["spec", "destination"]), "namespace", "default")
	name := object.get(helm, "releaseName", k8s.name)
}

flux contains chart if {
	spec := get.map(k8s.object, ["spec", "chart", "spec"])
	chart := {"name": get.string(spec, "chart"), "repository": object.get(get.map(spec, "sourceRef"), "name", "")}
}

# A repository of one chart, named after it as a rule.
flux contains {"name": name, "repository": name} if name := get.string(k8s.object, ["spec", "chartRef", "name"])

sources contains source if source := get.map(application, "source")

sources contains source if some source in get.list(application, "sources")

application := get.map(k8s.object, "spec") if k8s.kind == "Application"

application := get.map(k8s.object, ["spec", "template", "spec"]) if k8s.kind == "ApplicationSet"

# A chart in a directory or an archive goes by the last part of its path.
is_postgres(chart) if {
	parts := split(chart.name, "/")
	parts[count(parts) - 1] in names
}

is_postgres(chart) if {
	some hint in hints
	contains(concat(" ", [chart.name, text(chart.repository)]), hint)
	contains(chart.name, "cluster")
}

text(value) := value if {
	is_string(value)
} else := ""

# The chart of an application that brings Bitnami's PostgreSQL along, where its author asked for it.
bundled if brings(get.map(k8s.object, ["spec", "values"]))

bundled if brings(get.map(application, ["source", "helm", "valuesObject"]))

brings(values) if {
	some name in ["postgresql", "postgresql-ha"]
	get.boolean(values, [name, "enabled"]) == true
}

# A patch, by its target or by what it says itself.
of_cluster(patch) if get.string(patch, ["target", "kind"]) in clusters

of_cluster(patch) if {
	get.string(patch, ["target", "kind"]) == "Cluster"
	some group in ["postgresql.cnpg.io", "postgresql.k8s.enterprisedb.io", "apps.kubeblocks.io"]
	startswith(object.get(patch.target, "group", group), group)
}

of_cluster(patch) if {
	lines := {trim_space(line) | some line in split(get.string(patch, "patch"), "\n")}
	some kind in (clusters | {"Cluster"})
	sprintf("kind: %s", [kind]) in lines
	some line in lines
	startswith(trim_prefix(line, "- "), "apiVersion:")
	some word in ["postgresql.cnpg.io", "enterprisedb", "kubeblocks", "zalan.do", "crunchydata", "percona", "stackgres", "kubegres"]
	contains(line, word)
}

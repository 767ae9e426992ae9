# METADATA
# description: |
#   Objects that carry the values of a Helm chart, or patches: Flux's HelmRelease, ResourceSet and Kustomization, the HelmChart of k3s, Argo CD's Application and
#   ApplicationSet, the helmCharts of a kustomization, the dependencies of a Chart.yaml. What such a chart renders to is not in the object; a
#   host asks here what of it was not read. Values that Argo CD takes as a text are given here as what they say.
package walguard.charts

import data.walguard.charts.bitnami
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
unread := [{"kind": kind, "what": sprintf("Values of the chart %s", [name])} | some name in unread_charts] if {
	count(unread_charts) > 0
} else := [{"kind": kind, "what": sprintf("Values of PostgreSQL within the chart %s", [name])} | some name in bundling] if {
	count(bundling) > 0
} else := [{"kind": k8s.kind, "what": "Patches of PostgreSQL clusters"}] if {
	k8s.kind == "Kustomization"
	some list in ["patches", "patchesJson6902", "patchesStrategicMerge"]
	some patch in get.list(k8s.object, ["spec", list])
	of_cluster(patch)
} else := [{"kind": k8s.kind, "what": "Patches of PostgreSQL clusters"}] if {
	some patch in patches_of_release
	of_cluster(patch)
} else := [{"kind": k8s.kind, "what": "Templates of PostgreSQL clusters"}] if {
	k8s.kind == "ResourceSet"
	some template in get.list(k8s.object, ["spec", "resources"])
	regex.match(`\\u003c\\u003c`, json.marshal(template))
	of_cluster({"target": {"kind": get.string(template, "kind"), "group": get.string(template, "apiVersion")}})
} else := [{"kind": k8s.kind, "what": "Templates of PostgreSQL clusters"}] if {
	k8s.kind == "ResourceSet"
	of_cluster({"patch": get.string(k8s.object, ["spec", "resourcesTemplate"])})
} else := []

# What Flux and Argo CD change of what they have rendered.
patches_of_release := [patch |
	some renderer in get.list(k8s.object, ["spec", "postRenderers"])
	some list in ["patches", "patchesJson6902", "patchesStrategicMerge"]
	some patch in get.list(renderer, ["kustomize", list])
] if {
	k8s.kind == "HelmRelease"
} else := [patch |
	some [_, source] in sources
	some patch in get.list(source, ["kustomize", "patches"])
] if {
	k8s.kind in {"Application", "ApplicationSet"}
}

# A kustomization.yaml need not say what it is, and a Chart.yaml cannot.
kind := k8s.kind if {
	get.string(k8s.object, "kind")
} else := "Kustomization" if {
	get.present(k8s.object, "helmCharts")
} else := "values file" if {
	count(bare) > 0
} else := "parent chart"

# Names of charts that run PostgreSQL and of which no adapter reads the values that are written here.
unread_charts := {chart_name(release.chart) |
	some release in releases
	is_postgres(release.chart)
	not is_read(release)
}

is_read(release) if {
	is_cnpg(release.chart)
	cnpg.rendered(release.given)
}

is_read(release) if {
	is_bitnami(release)
	bitnami.rendered(of_bitnami(release))
}

# METADATA
# description: |
#   What the object under review renders to where its chart has an adapter here, [{"object", "paths": [{"from", "to"}]}]: what stands below
#   `from` in the object is written below `to` in the object under review. [] where no adapter reads all of its values.
rendered := [object.union({"object": part.object, "paths": array.concat(paths(release.given, part), parameter_paths(release.given, part))}, object.filter(release.given, ["file"])) |
	some release in array.concat(releases, bundles)
	some part in parts(release)
]

parts(release) := cnpg.rendered(release.given) if {
	is_postgres(release.chart)
	is_cnpg(release.chart)
}

parts(release) := bitnami.rendered(of_bitnami(release)) if is_bitnami(release)

parts(release) := bitnami.rendered(release.bundled)

# Another chart of this name is a copy of it where its values are.
is_bitnami(release) if {
	chart_name(release.chart) in {"postgresql", "postgresql-ha"}
	contains(get.lower_case(text(release.chart.repository)), "bitnami")
	release.given
}

is_bitnami(release) if {
	chart_name(release.chart) == "postgresql"
	bitnami.is_part(release.given.values)
}

is_bitnami(release) if {
	chart_name(release.chart) == "postgresql-ha"
	bitnami.is_values_of_ha(release.given.values)
}

of_bitnami(release) := object.union_n([
	object.filter(release.given, ["name", "namespace", "values"]),
	{"whole": object.get(release.given, "whole", true), "chart": object.get(release.given, "called", chart_name(release.chart))},
	{"ha": true | chart_name(release.chart) == "postgresql-ha"},
	{"template": true | release.template},
	{"major": number | number := major_of(text(object.get(release.chart, "version", "")))},
])

is_released(entry, name, written) if {
	switch := split(object.get(entry, "condition", sprintf("%s.enabled", [name])), ".")
	object.get(written, switch, true) != false
}

# A version, or a range that leaves the major as it is.
major_of(version) := to_number(found[0][1]) if {
	found := regex.find_all_string_submatch_n(`^[v=~^ ]*([0-9]{1,3})(?:\.[0-9x*]+){0,2}(?:-[0-9A-Za-z.-]+)?$`, version, 1)
}

paths(given, part) := [{"from": path.from, "to": array.concat(given.at, path.to)} | some path in part.paths]

# A parameter stands alone, wherever it leads into the values.
parameter_paths(given, part) := [{"from": array.concat(path.from, below), "to": parameter.at} |
	some parameter in given.parameters
	some path in part.paths
	array.slice(parameter.path, 0, count(path.to)) == path.to
	below := array.slice(parameter.path, count(path.to), count(parameter.path))
]

is_cnpg(chart) if {
	chart_name(chart) == "cluster"
	some hint in ["cloudnative-pg", "cnpg"]
	contains(text(chart.repository), hint)
}

# --------------------------------------------------------------------------------------------------------- releases

# Charts with the values that are written here – {"chart": {"name", "repository"}, "values", "given"?}; given: {"name", "namespace",
# "values", "at": where the values are, "parameters": [{"path", "at"}]}, absent where some of the values come from elsewhere.
releases := [object.union({"chart": chart, "values": get.map(k8s.object, ["spec", "values"])}, given_by_flux) | some chart in flux] if {
	k8s.kind == "HelmRelease"
} else := [object.union_n([{"chart": chart, "values": object.get(values_of(helm), "values", {})}, given_by_argo(at, helm), {"template": true | templated_by_argo(source)}]) |
	some [at, source] in sources
	helm := get.map(source, "helm")
	chart := chart_of(source)
] if {
	k8s.kind in {"Application", "ApplicationSet"}
} else := [object.union({"chart": {"name": name, "repository": object.get(k8s.object, ["spec", "repo"], ""), "version": object.get(k8s.object, ["spec", "version"], "")}, "values": get.map(k8s.object, ["spec", "valuesContent"])}, given_by_k3s) |
	name := get.string(k8s.object, ["spec", "chart"])
] if {
	k8s.kind == "HelmChart"
	k8s.group == "helm.cattle.io"
} else := [object.union_n([{"chart": {"name": name, "repository": object.get(entry, "repo", ""), "version": object.get(entry, "version", "")}, "values": {}}, given_by_kustomize(entry, at), {"template": true | not patched}]) |
	some at, entry in get.list(k8s.object, "helmCharts")
	name := get.string(entry, "name")
] if {
	get.present(k8s.object, "helmCharts")
} else := [object.union({"chart": {"name": name, "repository": object.get(entry, "repository", ""), "version": object.get(entry, "version", "")}, "values": {}}, given_beside(entry)) |
	some entry in get.list(k8s.object, "dependencies")
	name := get.string(entry, "name")
] if {
	not get.string(k8s.object, "kind")
	get.present(k8s.object, "dependencies")
} else := [{"chart": {"name": name, "repository": "bitnami"}, "values": {}, "given": {"values": k8s.object, "at": [], "parameters": [], "whole": false}} | some name in bare] if {
	count(bare) > 0
} else := [{"chart": {"name": "-"}, "values": k8s.object, "given": {"values": k8s.object, "at": [], "parameters": [], "whole": false}} | bare_of_a_parent]

# Values of some chart that says nothing of itself.
bare_of_a_parent if {
	is_object(k8s.object)
	every key in ["kind", "apiVersion"] {
		not get.present(k8s.object, key)
	}
	is_kept_nowhere(get.map(k8s.object, "postgresql"))
}

# The charts whose values the object under review is, by its keys.
bare contains "postgresql" if bitnami.is_values(k8s.object)

bare contains "postgresql-ha" if bitnami.is_values_of_ha(k8s.object)

# The files with values that lie beside the object under review, as a host has read them: {"file": {"values", "alone"}}. Alone is what no other file with
# values lies beside.
files := get.map(input, ["review", "beside"])

# METADATA
# description: The names of the files that hold values of the charts which the object under review releases.
beside contains file if {
	some entry in get.list(k8s.object, "helmCharts")
	file := get.string(entry, "valuesFile")
}

beside contains "values.yaml" if {
	not get.string(k8s.object, "kind")
	some entry in get.list(k8s.object, "dependencies")
	is_object(entry)
}

# What k3s takes from the fields `set` and `valuesSecrets` lies over the text.
given_by_k3s := {"given": {"name": k8s.name, "namespace": object.get(k8s.object, ["spec", "targetNamespace"], k8s.namespace), "values": content, "at": ["spec", "valuesContent"], "parameters": []}} if {
	every field in ["set", "values", "valuesSecrets"] {
		object.get(get.map(k8s.object, "spec"), field, {}) in [{}, [], null]
	}
	content := object.get(k8s.object, ["spec", "valuesContent"], {})
	is_object(content)
} else := {}

given_by_kustomize(entry, at) := {"given": object.union_n([
	object.filter(entry, ["namespace"]),
	{"name": name | name := get.string(entry, "releaseName")},
	{"values": get.map(entry, "valuesInline"), "at": ["helmCharts", at, "valuesInline"], "parameters": []},
])} if {
	every field in ["valuesFile", "additionalValuesFiles"] {
		object.get(entry, field, "") in {"", [], null}
	}
} else := {"given": object.union_n([
	object.filter(entry, ["namespace"]),
	{"name": name | name := get.string(entry, "releaseName")},
	{"values": file.values, "at": [], "parameters": [], "file": entry.valuesFile},
])} if {
	object.get(entry, "valuesInline", {}) in [{}, null]
	object.get(entry, "additionalValuesFiles", []) in [[], null]
	file := files[entry.valuesFile]
	is_object(file.values)
} else := {}

# Of a chart that releases nothing of its own: below the dependency's name, or the one it goes by.
given_beside(entry) := {"given": object.union_n([
	{"values": object.union(object.filter(file.values, ["global"]), object.remove(get.map(file.values, name), ["enabled"])), "at": [name], "parameters": [], "file": "values.yaml"},
	{"whole": object.get(file, "alone", false), "called": name},
])} if {
	name := object.get(entry, "alias", entry.name)
	file := files["values.yaml"]
	is_object(file.values)
	is_released(entry, name, file.values)
} else := {}

flux contains chart if {
	spec := get.map(k8s.object, ["spec", "chart", "spec"])
	chart := object.union({"name": get.string(spec, "chart"), "repository": object.get(get.map(spec, "sourceRef"), "name", "")}, object.filter(spec, ["version"]))
}

# A repository of one chart, named after it as a rule.
flux contains {"name": name, "repository": name} if name := get.string(k8s.object, ["spec", "chartRef", "name"])

# Values from elsewhere lie below those that are written here, and nobody knows them.
given_by_flux := {"given": {"name": name, "namespace": namespace, "values": values, "at": ["spec", "values"], "parameters": []}} if {
	spec := get.map(k8s.object, "spec")
	count(get.list(spec, "valuesFrom")) == 0
	values := get.map(spec, "values")
	namespace := object.get(spec, "targetNamespace", k8s.namespace)
	name := object.get(spec, "releaseName", flux_name(spec))
} else := {}

flux_name(spec) := sprintf("%s-%s", [spec.targetNamespace, k8s.name]) if {
	spec.targetNamespace
} else := k8s.name

# Of an Application either counts, several before one.
sources := [[array.concat(home_of_application, ["sources", at]), source] | some at, source in several] if {
	count(several) > 0
} else := [[array.concat(home_of_application, ["source"]), get.map(application, "source")]]

several := get.list(application, "sources")

application := get.map(k8s.object, home_of_application)

home_of_application := ["spec"] if k8s.kind == "Application"

home_of_application := ["spec", "template", "spec"] if k8s.kind == "ApplicationSet"

chart_of(source) := {"name": name, "repository": object.get(source, "repoURL", ""), "version": object.get(source, "targetRevision", "")} if {
	name := get.string(source, "chart")
} else := {"name": repository, "repository": repository, "version": object.get(source, "targetRevision", "")} if {
	repository := get.string(source, "repoURL")
	startswith(repository, "oci://")
	object.get(source, "path", ".") in {".", "", null}
} else := {"name": path, "repository": object.get(source, "repoURL", "")} if {
	path := get.string(source, "path")
	get.present(source, "helm")
}

# Files lie in a chart or another repository, and an ApplicationSet makes something else of its template each time: of its values where it fills something in.
given_by_argo(at, helm) := {"given": {
	"name": object.get(helm, "releaseName", name_of_application),
	"namespace": object.get(get.map(application, "destination"), "namespace", "default"),
	"values": object.union_n(array.concat([values], [parameter.values | some parameter in set])),
	"at": array.concat(at, ["helm", written.key]),
	"parameters": [{"path": parameter.path, "at": array.concat(at, ["helm", "parameters", parameter.index, "value"])} | some parameter in set],
}} if {
	is_as_written(helm)
	every key in ["fileParameters", "valueFiles"] {
		count(get.list(helm, key)) == 0
	}
	written := values_of(helm)
	values := written.values
	set := parameters(helm)
	count(set) == count(get.list(helm, "parameters"))
} else := {}

name_of_application := k8s.name if k8s.kind == "Application"

name_of_application := object.get(k8s.object, ["spec", "template", "metadata", "name"], "") if k8s.kind == "ApplicationSet"

is_as_written(_) if k8s.kind == "Application"

is_as_written(helm) if {
	k8s.kind == "ApplicationSet"
	not contains(json.marshal(helm), "{{")
	not get.present(k8s.object, ["spec", "templatePatch"])
	not contains(json.marshal(get.list(k8s.object, ["spec", "generators"])), `"template":`)
}

# `helm template` renders these, in which `lookup` finds no Secret (argo-cd, util/helm/cmd.go; kustomize, HelmChartInflationGenerator.go). What Argo CD ignores
# and respects it does not write again, and a chart out of Git may have values of its own.
templated_by_argo(source) if {
	not get.present(source, "plugin")
	object.get(source, "path", "") in {".", "", null}
	not respected
}

respected if {
	"RespectIgnoreDifferences=true" in get.list(application, ["syncPolicy", "syncOptions"])
	some ignored in get.list(application, "ignoreDifferences")
	object.get(ignored, "kind", "") in {"Secret", "*"}
}

patched if {
	some list in ["patches", "patchesJson6902", "patchesStrategicMerge", "transformers"]
	count(get.list(k8s.object, list)) > 0
}

# The object goes before the text.
values_of(helm) := {"key": "valuesObject", "values": helm.valuesObject} if {
	is_object(helm.valuesObject)
} else := {"key": "values", "values": helm.values} if {
	is_object(helm.values)
} else := {"key": "values", "values": {}} if {
	not get.present(helm, "valuesObject")
	object.get(helm, "values", "") in {"", null}
} else := {"key": "values"}

# As `helm --set` reads them, without lists and names that are quoted.
parameters(helm) := [{"index": index, "path": path, "values": nested(path, typed(entry))} |
	some index, entry in get.list(helm, "parameters")
	regex.match(`^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*$`, get.string(entry, "name"))
	path := split(entry.name, ".")
]

typed(entry) := entry.value if {
	get.boolean(entry, "forceString") == true
	is_string(entry.value)
} else := get.lower_case(entry.value) == "true" if {
	is_string(entry.value)
	get.lower_case(entry.value) in {"true", "false"}
} else := to_number(entry.value) if {
	is_string(entry.value)
	regex.match(`^(0|-?[1-9][0-9]{0,14})$`, entry.value)
} else := entry.value if {
	is_string(entry.value)
	get.lower_case(entry.value) != "null"
	not startswith(entry.value, "{")
	not contains(entry.value, `\`)
}

# A value below keys.
nested(path, value) := json.unmarshal(concat("", array.concat(
	[sprintf("{%s:", [json.marshal(key)]) | some key in path],
	array.concat([json.marshal(value)], ["}" | some _ in path]),
)))

# ------------------------------------------------------------------------------------------------------------ names

# A chart in a directory or an archive goes by the last part of its path.
chart_name(chart) := parts[count(parts) - 1] if parts := split(trim_right(chart.name, "/"), "/")

is_postgres(chart) if chart_name(chart) in names

is_postgres(chart) if {
	some hint in hints
	contains(concat(" ", [chart.name, text(chart.repository)]), hint)
	contains(chart.name, "cluster")
}

text(value) := value if {
	is_string(value)
} else := ""

# A patch, by its target or by what it says itself.
of_cluster(patch) if of_kind(get.string(patch, ["target", "kind"]), object.get(get.map(patch, "target"), "group", ""))

# One of Flux's former fields, which is a part of the object.
of_cluster(patch) if of_kind(get.string(patch, "kind"), object.get(patch, "apiVersion", ""))

of_kind(name, _) if name in clusters

of_kind("Cluster", "") := true

of_kind("Cluster", group) if {
	some prefix in ["postgresql.cnpg.io", "postgresql.k8s.enterprisedb.io", "apps.kubeblocks.io"]
	startswith(group, prefix)
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

# What policies and other patches write into objects of others: into the pods of a server, or into a cluster of an operator.
package walguard.lib.carried

import data.walguard.lib.get

# Where each kind has them; a star stands for every element.
patches_at := object.union_n([
	{kind: [["spec", "rules", "*", "mutate", "patchStrategicMerge"], ["spec", "rules", "*", "mutate", "patchesJson6902"], ["spec", "rules", "*", "mutate", "foreach"], ["spec", "rules", "*", "generate"]] | some kind in ["kyverno.io/ClusterPolicy", "kyverno.io/Policy"]},
	{kind: [["spec", "mutations"]] | some kind in ["admissionregistration.k8s.io/MutatingAdmissionPolicy", "policies.kyverno.io/MutatingPolicy", "policies.kyverno.io/NamespacedMutatingPolicy"]},
	{kind: [["spec", "generate"], ["spec", "variables"]] | some kind in ["policies.kyverno.io/GeneratingPolicy", "policies.kyverno.io/NamespacedGeneratingPolicy"]},
	{kind: [["spec"]] | some kind in ["mutations.gatekeeper.sh/Assign", "mutations.gatekeeper.sh/ModifySet"]},
	{kind: [["spec", "overrideRules", "*", "overriders"]] | some kind in ["policy.karmada.io/ClusterOverridePolicy", "policy.karmada.io/OverridePolicy"]},
	{kind: [["spec", "templates", "*", "resource"]] | some kind in ["argoproj.io/ClusterWorkflowTemplate", "argoproj.io/Workflow", "argoproj.io/WorkflowTemplate"]},
	{kind: [["spec", "forProvider", "values"], ["spec", "forProvider", "set"]] | some kind in ["helm.crossplane.io/Release", "helm.m.crossplane.io/Release"]},
	{
		"apiextensions.crossplane.io/Composition": [["spec", "pipeline", "*", "input", field] | some field in ["inline", "script", "spec"]],
		"apps.kruise.io/WorkloadSpread": [["spec", "subsets", "*", "patch"]],
		"argoproj.io/Application": [["spec", "source", "kustomize"], ["spec", "sources", "*", "kustomize"]],
		"argoproj.io/ApplicationSet": [["spec", "template", "spec", "source", "kustomize"], ["spec", "template", "spec", "sources", "*", "kustomize"]],
		"argoproj.io/CronWorkflow": [["spec", "workflowSpec", "templates", "*", "resource"]],
		"core.oam.dev/Application": [["spec", "components", "*", "traits"], ["spec", "policies"]],
		"fleet.cattle.io/Bundle": [["spec", "helm"], ["spec", "kustomize"], ["spec", "resources"], ["spec", "targets"]],
		"fluxcd.controlplane.io/ResourceSet": [["spec", "resourcesTemplate"]],
		"helm.cattle.io/HelmChart": [["spec", "set"]],
		"helm.cattle.io/HelmChartConfig": [["spec", "set"], ["spec", "values"], ["spec", "valuesContent"]],
		"helm.toolkit.fluxcd.io/HelmRelease": [["spec", "postRenderers", "*", "kustomize"]],
		"kustomize.toolkit.fluxcd.io/Kustomization": [["spec", "patches"], ["spec", "patchesJson6902"], ["spec", "patchesStrategicMerge"]],
	},
])

changes_by(o) := array.concat(
	[statement_of(o, one.path, "its patch", sprintf("ALTER SYSTEM SET %s = '%s';", [one.name, replace(one.value, "'", "''")])) | some one in written_by_patches(o)],
	[pod_of(o, path, node, true) | some [path, node] in nodes_of_patches(o); holds_containers(node)],
) if {
	patches_at[kind_of(o)]
} else := []

nodes_of_patches(o) := [[array.concat(place_of, path), node] |
	some pattern in patches_at[kind_of(o)]
	some place_of in places(o, pattern)
	patch := object.get(o, place_of, null)
	composite(patch)
	some [path, node] in nodes_of(patch)
	not asks(array.concat(place_of, path))
]

# What a rule selects, or asks before it does something, is not written.
asks(path) if {
	some key in path
	is_string(key)
	regex.match(`^(preconditions|context|list|match|exclude|applyTo|pathTests|target|targets|matchConditions|(X|<|\^|=)?\(.*\))$`, key)
}

leaves_of_patches(o) := array.concat(
	[[array.concat(path, [key]), value] |
		some [path, node] in nodes_of_patches(o)
		some key, value in node
		not composite(value)
		not asks([key])
	],
	[[place_of, text] |
		some pattern in patches_at[kind_of(o)]
		some place_of in places(o, pattern)
		text := get.string(o, place_of)
	],
)

# METADATA
# description: 'What patches set of the parameters with which data are lost, whatever object it is that they write into: [{"name", "value", "path"}].'
written_by_patches(o) := array.concat(by_name, array.concat(by_pair, by_text)) if {
	leaves := leaves_of_patches(o)
	by_name := [{"name": name, "value": value, "path": path} |
		some [path, leaf] in leaves
		name := losing(o, path[count(path) - 1])
		value := scalar(leaf)
	]
	by_pair := [{"name": name, "value": value, "path": path} |
		some [path, node] in nodes_of_patches(o)
		is_object(node)
		not object.get(node, "op", "add") in {"remove", "test"}
		some [field, sign] in [["path", "/"], ["location", "."], ["name", "/"], ["name", "."], ["key", "/"]]
		parts := split(get.string(node, field), sign)
		name := losing(o, parts[count(parts) - 1])
		some from in [["value"], ["parameters", "assign", "value"]]
		value := scalar(object.get(node, from, null))
	]
	by_text := [{"name": name, "value": found[2], "path": path} |
		some [path, leaf] in leaves
		is_string(leaf)
		some pattern in [said, said_of_path]
		some found in regex.find_all_string_submatch_n(pattern, regex.replace(leaf, `(?m)^[ \t]*#.*$`, ""), -1)
		name := get.lower_case(found[1])
		meant(o, name)
	]
}

names_of_losing := "fsync|full_page_writes|synchronous_commit|zero_damaged_pages|ignore_checksum_failure|ignore_invalid_pages|data_sync_retry"

said := sprintf(`(?i)(?:^|[^\w.$-]|-c\s*|--)(%s)\\?["']?\s*[=:]\s*\\?["']*([A-Za-z0-9_]+)`, [names_of_losing])

said_of_path := sprintf(`(?i)\bpath["']?\s*:\s*["']?[^\s"',]*/(%s)["']?[\s,]+(?:["']?(?:op|operator)["']?\s*:\s*["']?\w+["']?[\s,]+)?["']?value["']?\s*:\s*["']?([A-Za-z0-9_]+)`, [names_of_losing])

# Others have an fsync too.
losing(o, key) := name if {
	is_string(key)
	name := get.lower_case(regex.replace(trim_suffix(trim_prefix(key, "+("), ")"), `^.*[.]`, ""))
	regex.match(sprintf(`^(%s)$`, [names_of_losing]), name)
	of_postgres(o, name)
}

of_postgres(_, name) if name != "fsync"

of_postgres(o, "fsync") if regex.match(`(?i)postgres|pgsql|cnpg|zalan|crunchy|patroni|spilo|stackgres|kubegres`, json.marshal(o))

# What patches a pod need not say whose it is; these bring objects and values of everything.
meant(o, _) if not kind_of(o) in {"apiextensions.crossplane.io/Composition", "fleet.cattle.io/Bundle", "fluxcd.controlplane.io/ResourceSet", "helm.cattle.io/HelmChartConfig"}

meant(o, name) if {
	kind_of(o) in {"apiextensions.crossplane.io/Composition", "fleet.cattle.io/Bundle", "fluxcd.controlplane.io/ResourceSet", "helm.cattle.io/HelmChartConfig"}
	of_postgres(o, name)
}

scalar(value) := value if is_string(value)

scalar(true) := "on"

scalar(false) := "off"

scalar(value) := sprintf("%v", [value]) if is_number(value)

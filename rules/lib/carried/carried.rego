# METADATA
# description: |
#   Objects that stand inside another one: manifests that an operator creates as they are (OpenShift's Template, Crossplane's Object, Flux's ResourceSet, works of several Kubernetes clusters),
#   and pods in wrappers of which no adapter knows the kind (LeaderWorkerSet, Knative, JobSet, Argo Workflows, Tekton), as the ReplicaSet or the Job that they come to. Of kinds that no
#   table here names they are looked for at any depth. What a policy or another patch writes into other objects is the Job that would do the same.
#   SQL in objects of its own (roles of Crossplane's provider, migrations of Atlas) is the Job that would run it.
#
#   objects   [{"object", "words": what to call it, "at": its place in the object under review, "paths": [{"from", "to"}]}]: what is at or below `from` in the object stands at or
#             below `to` in the one under review, the longest `from` first; where none fits, at `at`
package walguard.lib.carried

import data.walguard.lib.get
import data.walguard.lib.k8s

# METADATA
# description: Those of the object under review, in the order of their places.
objects := of(k8s.object)

# METADATA
# description: Those of any object. A parameter of the object has its default where it has one.
of(o) := array.concat(first, [object.union(inner, {"at": array.concat(one.at, inner.at), "paths": [{"from": p.from, "to": array.concat(one.at, p.to)} | some p in inner.paths]}) |
	some one in first
	count(one.paths) == 1
	one.paths[0].from == []
	some inner in within(one.object)
]) if {
	first := within(o)
}

within(o) := array.concat(array.concat(manifests(known), pods(known)), array.concat(array.concat(steps(known), statements(known)), array.concat(deep_ones(known), changes_by(known)))) if {
	carries(o)
	known := filled(o)
} else := []

# METADATA
# description: True of an object of a kind that carries others.
carries(o) if carriers[kind_of(o)]

carries(o) if patches_at[kind_of(o)]

carries(o) if unnamed(o)

kind_of(o) := concat("/", [k8s.group_of(get.string(o, "apiVersion")), get.string(o, "kind")])

carriers := object.keys(manifests_at) | (object.keys(pods_at) | (object.keys(steps_at) | (object.keys(parts_of_argo) | {"postgresql.sql.crossplane.io/Role", "postgresql.sql.m.crossplane.io/Role", "db.atlasgo.io/AtlasMigration", "apps.openshift.io/DeploymentConfig", "tekton.dev/StepAction", "/List"})))

# ------------------------------------------------------------------------------------------------------- manifests

# A star stands for every element.
manifests_at := {
	"/List": [["items", "*"]],
	"/Template": [["objects", "*"]],
	"addon.open-cluster-management.io/AddOnTemplate": [["spec", "agentSpec", "workload", "manifests", "*"]],
	"apiextensions.crossplane.io/Composition": [["spec", "pipeline", "*", "input", "resources", "*", "base"], ["spec", "resources", "*", "base"]],
	"apps.kubeedge.io/EdgeApplication": [["spec", "workloadTemplate", "manifests", "*"]],
	"capsule.clastix.io/GlobalTenantResource": [["spec", "resources", "*", "rawItems", "*"]],
	"capsule.clastix.io/TenantResource": [["spec", "resources", "*", "rawItems", "*"]],
	"core.oam.dev/Application": [["spec", "components", "*", "properties"], ["spec", "components", "*", "properties", "objects", "*"]],
	"fluxcd.controlplane.io/ResourceSet": [["spec", "resources", "*"]],
	"hive.openshift.io/SelectorSyncSet": [["spec", "resources", "*"]],
	"hive.openshift.io/SyncSet": [["spec", "resources", "*"]],
	"kro.run/ResourceGraphDefinition": [["spec", "resources", "*", "template"]],
	"kubernetes.crossplane.io/Object": [["spec", "forProvider", "manifest"]],
	"kubernetes.m.crossplane.io/Object": [["spec", "forProvider", "manifest"]],
	"policy.open-cluster-management.io/ConfigurationPolicy": [["spec", "object-templates", "*", "objectDefinition"]],
	"policy.open-cluster-management.io/Policy": [["spec", "policy-templates", "*", "objectDefinition"], ["spec", "policy-templates", "*", "objectDefinition", "spec", "object-templates", "*", "objectDefinition"]],
	"template.openshift.io/Template": [["objects", "*"]],
	"work.karmada.io/Work": [["spec", "workload", "manifests", "*"]],
	"work.open-cluster-management.io/ManifestWork": [["spec", "workload", "manifests", "*"]],
	"work.open-cluster-management.io/ManifestWorkReplicaSet": [["spec", "manifestWorkTemplate", "workload", "manifests", "*"]],
}

manifests(o) := [{"object": found, "words": words_of(found), "at": path, "paths": [{"from": [], "to": path}]} |
	some pattern in object.get(manifests_at, kind_of(o), [])
	some path in places(o, pattern)
	whole(o, path)
	found := patched(o, path)
	get.string(found, "apiVersion")
	get.string(found, "kind")
]

# A policy that wants some fields of an object, or that there is none, has no object.
whole(o, path) if {
	get.lower_case(object.get(o, beside(path, "complianceType"), "mustonlyhave")) == "mustonlyhave"
}

beside(path, field) := array.concat(array.slice(path, 0, count(path) - 1), [field])

# What a patch writes is not known, and nothing is where it writes into a list.
patched(o, path) := object.get(o, path, null) if {
	is_object(object.get(o, path, null))
	count(patches(o, path)) == 0
}

patched(o, path) := object.union_n(array.concat([object.get(o, path, null)], written)) if {
	is_object(object.get(o, path, null))
	all := patches(o, path)
	count(all) > 0
	written := [json.unmarshal(concat("", array.concat(array.concat([sprintf("{%s:", [json.marshal(key)]) | some key in keys], [`"${patched}"`]), ["}" | some _ in keys]))) |
		some patch in all
		keys := [key_of(found) | some found in regex.find_all_string_submatch_n(`\[([^\]]*)\]|[^.\[\]]+`, field_of_patch(patch), -1)]
		count(keys) > 0
		count([1 | some key in keys; regex.match(`^([0-9]+|[*])$`, key)]) == 0
	]
	count(written) == count(all)
}

# In a base alone, and what they write into it; a set of them stands once for several resources.
patches(o, path) := [patch |
	path[count(path) - 1] == "base"
	some one in get.list(o, beside(path, "patches"))
	some patch in array.concat([one], [other |
		get.string(one, "type") == "PatchSet"
		some set in get.list(o, array.concat(array.slice(path, 0, count(path) - 3), ["patchSets"]))
		get.string(set, "name") == get.string(one, "patchSetName")
		some other in get.list(set, "patches")
	])
	not regex.match(`^PatchSet$|ToComposite`, object.get(patch, "type", ""))
]

field_of_patch(patch) := object.get(patch, "toFieldPath", object.get(patch, "fromFieldPath", ""))

key_of(found) := trim(found[1], `"'`) if found[1] != ""

key_of(found) := found[0] if found[1] == ""

words_of(o) := trim_right(sprintf("%s %s", [o.kind, object.get(k8s.reference(o), "name", "")]), " ")

# The places of a pattern, with at most two stars.
places(_, pattern) := [pattern] if not "*" in pattern

places(o, pattern) := [path |
	some below in [k | some k, _ in part(o, array.slice(pattern, 0, star))]
	rest := array.slice(pattern, star + 1, count(pattern))
	head := array.concat(array.slice(pattern, 0, star), [below])
	some path in further(o, head, rest)
] if {
	"*" in pattern
	star := first_star(pattern)
}

further(_, head, rest) := [array.concat(head, rest)] if not "*" in rest

further(o, head, rest) := [path |
	star := first_star(rest)
	some below, _ in part(o, array.concat(head, array.slice(rest, 0, star)))
	path := array.concat(head, array.concat(array.slice(rest, 0, star), array.concat([below], array.slice(rest, star + 1, count(rest)))))
	not "*" in path
] if {
	"*" in rest
}

first_star(pattern) := min([i | some i, key in pattern; key == "*"])

part(o, path) := found if {
	found := object.get(o, path, [])
	is_object(found)
} else := get.list(o, path)

# ------------------------------------------------------------------------------------------------------------ pods

# Templates of pods: what lasts, and what ends.
pods_at := {
	"/PodTemplate": {"ReplicaSet": [["template"]]},
	"apps.kruise.io/AdvancedCronJob": {"Job": [["spec", "template", "broadcastJobTemplate", "spec", "template"], ["spec", "template", "jobTemplate", "spec", "template"]]},
	"apps.kruise.io/BroadcastJob": {"Job": [["spec", "template"]]},
	"apps.kruise.io/UnitedDeployment": {"ReplicaSet": [["spec", "template", "advancedStatefulSetTemplate", "spec", "template"], ["spec", "template", "cloneSetTemplate", "spec", "template"], ["spec", "template", "deploymentTemplate", "spec", "template"], ["spec", "template", "statefulSetTemplate", "spec", "template"]]},
	"batch.volcano.sh/Job": {"Job": [["spec", "tasks", "*", "template"]]},
	"jobset.x-k8s.io/JobSet": {"Job": [["spec", "replicatedJobs", "*", "template", "spec", "template"]]},
	"k8up.io/PreBackupPod": {"Job": [["spec", "pod"]]},
	"keda.sh/ScaledJob": {"Job": [["spec", "jobTargetRef", "template"]]},
	"leaderworkerset.x-k8s.io/LeaderWorkerSet": {"ReplicaSet": [["spec", "leaderWorkerTemplate", "leaderTemplate"], ["spec", "leaderWorkerTemplate", "workerTemplate"]]},
	"serving.knative.dev/Configuration": {"ReplicaSet": [["spec", "template"]]},
	"serving.knative.dev/Revision": {"ReplicaSet": [[]]},
	"serving.knative.dev/Service": {"ReplicaSet": [["spec", "template"]]},
	"sinks.knative.dev/JobSink": {"Job": [["spec", "job", "spec", "template"]]},
	"sources.knative.dev/ContainerSource": {"ReplicaSet": [["spec", "template"]]},
}

pods(o) := [{"object": made_of(o, kind, {"spec": get.map(template, "spec"), "metadata": get.map(template, "metadata")}), "words": "its pods", "at": path, "paths": [{"from": ["spec", "template"], "to": path}]} |
	some kind, patterns in object.get(pods_at, kind_of(o), {})
	some pattern in patterns
	some path in places(o, pattern)
	template := object.get(o, path, null)
	is_object(template)
	get.present(template, ["spec", "containers"])
]

made_of(o, kind, template) := {
	"apiVersion": {"Job": "batch/v1", "ReplicaSet": "apps/v1"}[kind],
	"kind": kind,
	"metadata": object.filter(get.map(o, "metadata"), ["name", "generateName", "namespace"]),
	"spec": {"template": template},
}

# ----------------------------------------------------------------------------------------------------------- steps

# Containers by themselves, and the volumes beside them; a StepAction is one. `script` is given to a shell or the program beside it.
steps_at := {
	"tekton.dev/ClusterTask": ["spec"],
	"tekton.dev/Pipeline": ["spec", "tasks", "*", "taskSpec"],
	"tekton.dev/PipelineRun": ["spec", "pipelineSpec", "tasks", "*", "taskSpec"],
	"tekton.dev/Task": ["spec"],
	"tekton.dev/TaskRun": ["spec", "taskSpec"],
}

parts_of_argo := {
	"argoproj.io/ClusterWorkflowTemplate": ["spec"],
	"argoproj.io/CronWorkflow": ["spec", "workflowSpec"],
	"argoproj.io/Workflow": ["spec"],
	"argoproj.io/WorkflowTemplate": ["spec"],
}

# A hook of OpenShift's deployment runs in a pod of its own, with the image and the variables of the container that it names, and volumes of the pod.
steps(o) := [run_of(o, path, container, volumes) | some [path, container, volumes] in containers(o)]

containers(o) := [[array.concat(path, [list, i]), container, volumes] |
	some path in places(o, steps_at[kind_of(o)])
	volumes := get.list(o, array.concat(path, ["volumes"]))
	some list in ["steps", "sidecars"]
	some i, container in get.list(o, array.concat(path, [list]))
	is_object(container)
] if {
	steps_at[kind_of(o)]
} else := array.concat(
	[[path, container, volumes] |
		some i, template in get.list(o, array.concat(below, ["templates"]))
		volumes := array.concat(volumes_of_run(o, below), get.list(template, "volumes"))
		some field in ["container", "script"]
		path := array.concat(below, ["templates", i, field])
		container := object.get(template, field, null)
		is_object(container)
	],
	[[array.concat(below, array.concat(["templates", i], array.concat(list, [j]))), container, volumes] |
		some i, template in get.list(o, array.concat(below, ["templates"]))
		volumes := array.concat(volumes_of_run(o, below), get.list(template, "volumes"))
		some list in [["initContainers"], ["sidecars"], ["containerSet", "containers"]]
		some j, container in get.list(template, list)
		is_object(container)
	],
) if {
	below := parts_of_argo[kind_of(o)]
} else := [[["spec"], get.map(o, "spec"), []]] if {
	kind_of(o) == "tekton.dev/StepAction"
} else := [[path, hook, [volume | some volume in get.list(o, ["spec", "template", "spec", "volumes"]); get.string(volume, "name") in get.list(one, "volumes")]] |
	some path in array.concat(places(o, ["spec", "strategy", "recreateParams", "*", "execNewPod"]), places(o, ["spec", "strategy", "rollingParams", "*", "execNewPod"]))
	one := get.map(o, path)
	count(get.list(one, "command")) > 0
	some container in get.list(o, ["spec", "template", "spec", "containers"])
	get.string(container, "name") == get.string(one, "containerName")
	hook := object.union_n([
		object.filter(container, ["name", "image", "volumeMounts", "envFrom"]),
		{"command": get.list(one, "command"), "env": array.concat(get.list(container, "env"), get.list(one, "env"))},
	])
] if {
	kind_of(o) == "apps.openshift.io/DeploymentConfig"
} else := []

# A claim of the workflow's own holds no server's data.
volumes_of_run(o, below) := get.list(o, array.concat(below, ["volumes"]))

run_of(o, path, container, volumes) := {
	"object": made_of(o, "Job", {"spec": {"restartPolicy": "Never", "containers": [started(container)], "volumes": volumes}}),
	"words": trim_right(sprintf("container %s", [object.get(container, "name", "")]), " "),
	"at": path,
	"paths": [{"from": ["spec", "template", "spec", "containers", 0], "to": path}],
}

started(container) := object.union(object.remove(container, ["script", "source"]), {"command": array.concat(["sh", "-c"], [get.string(container, "script")])}) if {
	get.string(container, "script")
} else := object.union(object.remove(container, ["script", "source"]), {"command": array.concat(get.list(container, "command"), ["-c", get.string(container, "source")])}) if {
	get.string(container, "source")
} else := container

# ------------------------------------------------------------------------------------------------------------- SQL

statements(o) := [statement(o, ["spec", "forProvider", "configurationParameters", i], sprintf("ALTER ROLE %s SET %s TO '%s';", [name_of_role(o), get.string(one, "name"), replace(get.text_at(one, "value"), "'", "''")])) |
	some i, one in get.list(o, ["spec", "forProvider", "configurationParameters"])
	is_object(one)
] if {
	kind_of(o) in {"postgresql.sql.crossplane.io/Role", "postgresql.sql.m.crossplane.io/Role"}
} else := [statement(o, ["spec", "dir", "local", file], text) |
	some file, text in get.map(o, ["spec", "dir", "local"])
	endswith(file, ".sql")
	is_string(text)
] if {
	kind_of(o) == "db.atlasgo.io/AtlasMigration"
} else := []

name_of_role(o) := get.string(o, ["metadata", "annotations", "crossplane.io/external-name"])

name_of_role(o) := get.string(o, ["metadata", "name"]) if not get.string(o, ["metadata", "annotations", "crossplane.io/external-name"])

statement(o, path, text) := statement_of(o, path, "its SQL", text)

statement_of(o, path, words, text) := {
	"object": made_of(o, "Job", {"spec": {"restartPolicy": "Never", "containers": [{"name": "sql", "image": "postgres", "command": ["psql", "-c", text]}]}}),
	"words": words,
	"at": path,
	"paths": [{"from": ["spec", "template", "spec", "containers", 0], "to": path}],
}

# ------------------------------------------------------------------------------------------------------ parameters

filled(o) := json.unmarshal(regex.replace(strings.replace_n(values_of(o), json.marshal(o)), of_flux, "$${input}")) if {
	kind_of(o) == "fluxcd.controlplane.io/ResourceSet"
} else := json.unmarshal(strings.replace_n(values, json.marshal(o))) if {
	values := values_of(o)
	count(values) > 0
} else := o

# As JSON has << and >>.
of_flux := `\\u003c\\u003c.*?\\u003e\\u003e`

# OpenShift puts a value into a text, or, between two braces, in the place of it. Of several parameters of one name in a workflow, each may be the one.
values_of(o) := object.union_n(array.concat(
	[{sprintf(`"${{%s}}"`, [one.name]): as_it_is(one.value)} | some one in defaults(o)],
	[{sprintf("${%s}", [one.name]): inside(one.value)} | some one in defaults(o)],
)) if {
	get.string(o, "kind") == "Template"
} else := {sprintf(form, [name]): inside(concat("\n", sort(texts))) |
	some name, texts in {name: {one.value | some one in given(o); one.name == name} | name := given(o)[_].name}
	some form in ["{{inputs.parameters.%s}}", "{{workflow.parameters.%s}}", "{{ inputs.parameters.%s }}", "{{ workflow.parameters.%s }}"]
} if {
	parts_of_argo[kind_of(o)]
} else := {inside(sprintf(form, [name])): inside(texts[0]) |
	some name in {name | some one in get.list(o, ["spec", "inputs"]); some name, _ in one}
	texts := [text | some text in {get.text_at(one, name) | some one in get.list(o, ["spec", "inputs"])}]
	count(texts) == 1
	some form in ["<< inputs.%s >>", "<<inputs.%s>>", "<< inputs.%s | quote >>"]
} if {
	kind_of(o) == "fluxcd.controlplane.io/ResourceSet"
} else := {sprintf("$(params.%s)", [one.name]): inside(one.value) | some one in given_to_tasks(o)} if {
	steps_at[kind_of(o)]
} else := {}

defaults(o) := [{"name": get.string(one, "name"), "value": get.text_at(one, "value")} |
	some one in get.list(o, "parameters")
	get.string(one, "name")
	get.text_at(one, "value") != ""
]

given(o) := [{"name": get.string(one, "name"), "value": value} |
	below := parts_of_argo[kind_of(o)]
	some one in array.concat(
		get.list(o, array.concat(below, ["arguments", "parameters"])),
		[parameter |
			some template in get.list(o, array.concat(below, ["templates"]))
			some parameter in array.concat(
				get.list(template, ["inputs", "parameters"]),
				array.concat(
					[p | some task in get.list(template, ["dag", "tasks"]); some p in get.list(task, ["arguments", "parameters"])],
					[p | some group in get.list(template, "steps"); is_array(group); some task in group; some p in get.list(task, ["arguments", "parameters"])],
				),
			)
		],
	)
	get.string(one, "name")
	some field in ["value", "default"]
	value := get.text_at(one, field)
	not contains(value, "{{")
]

# The last one counts: a run goes before the default of its task.
given_to_tasks(o) := [{"name": name, "value": texts[count(texts) - 1]} |
	all := [[get.string(one, "name"), get.text_at(one, field)] |
		some path in [["spec", "taskSpec", "params"], ["spec", "pipelineSpec", "params"], ["spec", "params"]]
		some one in get.list(o, path)
		some field in ["default", "value"]
		get.text_at(one, field)
	]
	name := {one[0] | some one in all}[_]
	texts := [one[1] | some one in all; one[0] == name]
]

as_it_is(value) := value if {
	json.is_valid(value)
} else := json.marshal(value)

inside(value) := substring(whole, 1, count(whole) - 2) if whole := json.marshal(value)

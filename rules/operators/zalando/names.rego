package walguard.operators.zalando

import data.walguard.lib.get
import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.lib.placeholder
import data.walguard.lib.reference
import data.walguard.lib.text
import data.walguard.lib.watch

# Names that lead nowhere; see walguard.model.
facts contains {"unresolved": unresolved} if count(unresolved) > 0

unresolved := array.concat(array.concat(array.concat(array.concat(lost_source, unwatched), array.concat(of_the_variable, keys_elsewhere)), passwords_of_another), array.concat(array.concat(idle_volumes, volumes_at_one_place), array.concat(volumes_at_the_data, volumes_beside_sidecars)))

# Without a timestamp the operator takes the Service and the Secret of the source in the namespace of the clone (generateCloneEnvironment, pkg/cluster/k8sres.go).
lost_source := [object.union(fault, {"path": ["spec", "clone", "cluster"]}) |
	name := get.string(spec, ["clone", "cluster"])
	name != k8s.name
	not get.present(spec, ["clone", "timestamp"])

	# It was read when the cluster was made.
	not get.present(k8s.object, ["status", "PostgresClusterStatus"])
	fault := reference.lost({"what": "spec.clone", "version": k8s.api_version, "kind": "postgresql", "name": name, "consequence": "its pods wait for the Secret of the source and never start"}, {k8s.name})
]

# createSecrets (pkg/cluster/k8sres.go) takes the password of a Secret that is there, and makes one up otherwise; the roles are those of the source (docs/user.md, "Providing credentials of source cluster").
passwords_of_another := [{
	"reason": sprintf("The standby has the passwords of its source, and no Secret %s.%s.credentials… was found: without it the operator makes up others, and replicas cannot log in", [superuser, k8s.name]),
	"cure": sprintf("Create those of %s and standby first, with those of the source", [superuser]),
	"level": "info",
	"path": ["spec", "standby"],
} |
	recognised
	get.present(spec, "standby")
	not get.unknown(spec, "standby")
	inventory.versions(k8s.namespace)
	not get.present(k8s.object, ["status", "PostgresClusterStatus"])
	not get.present(configuration_or_none, ["kubernetes", "secret_name_template"])
	not placeholder.holds(k8s.name)
	prefixed := sprintf(".%s.credentials.", [k8s.name])
	count([1 |
		some version, kinds in inventory.handed.namespace[k8s.namespace]
		some kind, objects in kinds
		regex.match(`Secret|Password`, kind)
		contains(json.marshal(objects), prefixed)
	]) == 0
]

# getEffectiveNamespace (pkg/controller/controller.go): the variable, the option, the namespace of the operator. What is not set in files may be set in a place that is not among them, unless the
# operator itself is.
unwatched := [{
	"reason": sprintf("The operator watches namespace %s alone%s: in %s it creates nothing, unless its WATCHED_NAMESPACE says otherwise", [watched_alone[0], watched_alone[1], k8s.namespace]),
	"cure": sprintf("Set watched_namespace to \"*\" or %s", [k8s.namespace]),
	"level": watched_alone[2],
	"path": ["metadata", "namespace"],
} |
	recognised
	own := get.string(k8s.object, ["metadata", "namespace"])
	watched_alone[0] != own
	count([1 | some text_ in [watched_alone[0], own]; placeholder.holds(text_)]) == 0
	not regex.match(`[,*]`, watched_alone[0])
	count([1 |
		some one in operators_in_sight
		some variable in one.variables
		get.string(variable, "name") == "WATCHED_NAMESPACE"
	]) == 0
]

operators_in_sight := watch.operators(`^postgres-operator$`)

watched_alone := [watched_one, "", "warning"] if watched_one != ""

# Its own, where it is deployed to; a patch of the configuration has few of its fields.
watched_alone := [home, " (its own, for watched_namespace is not set)", {true: "warning", false: "info"}[count(operators_in_sight) > 0]] if {
	object.get(configuration, ["kubernetes", "watched_namespace"], "") == ""
	count([1 | some map_of in operator_maps; get.string(map_of, ["data", "watched_namespace"])]) == 0
	get.string(configuration, "docker_image")
	count(get.map(configuration, "kubernetes")) > 2
	home := get.string(holder_of_configuration, ["metadata", "namespace"])
}

holder_of_configuration := configurations[0]

holder_of_configuration := operator_maps[0] if count(configurations) == 0

of_the_variable := [fault | recognised; some fault in watch.elsewhere(`^postgres-operator$`, {"WATCHED_NAMESPACE"})]

# addAdditionalVolumes (pkg/cluster/k8sres.go) looks through the containers for each of the names.
idle_volumes := [{
	"reason": sprintf("additionalVolumes has %s for container %s, and the pods have %s: it is mounted nowhere", [object.get(one, "name", "a volume"), target, text.list(containers_of_pods, "and")]),
	"cure": "Name one of them in targetContainers, or write all",
	"level": "warning",
	"path": ["spec", "additionalVolumes", i, "targetContainers"],
} |
	some i, one in get.list(spec, "additionalVolumes")
	targets := get.list(one, "targetContainers")
	target := targets[0]
	is_string(target)
	count([1 | some name in targets; name in ({"all"} | {name_ | some name_ in containers_of_pods})]) == 0
	count([1 | some name in array.concat(targets, containers_of_pods); placeholder.holds(name)]) == 0
	nobodys(target)
]

# addAdditionalVolumes leaves the second one out, with a line in the log of the operator; one that names its containers is mounted there all the same, though the pod has no such volume.
volumes_at_one_place := [{
	"reason": sprintf("additionalVolumes has %s and %s at %s: the operator leaves out the second, %s", [object.get(former, "name", "one"), object.get(one, "name", "one"), directory, consequence]),
	"cure": "Mount them at different paths",
	"level": level,
	"path": ["spec", "additionalVolumes", i, "mountPath"],
} |
	recognised
	some i, one in get.list(spec, "additionalVolumes")
	directory := get.string(one, "mountPath")
	not placeholder.holds(directory)
	former := [other | some k, other in get.list(spec, "additionalVolumes"); k < i; get.string(other, "mountPath") == directory][0]
	[consequence, level] := {
		true: ["and its files are not there", "warning"],
		false: ["still mounts it where targetContainers says, and the API server refuses the StatefulSet", "error"],
	}[count(get.list(one, "targetContainers")) == 0]
]

# Without targetContainers it is the first container alone that has it (addAdditionalVolumes, pkg/cluster/k8sres.go).
volumes_beside_sidecars := [{
	"reason": sprintf("Sidecar %s reads %s, where additionalVolumes mounts %s in container postgres alone: it finds nothing there", [object.get(sidecar, "name", "of the pods"), asked[0], object.get(one, "name", "a volume")]),
	"cure": sprintf("Set targetContainers: [%s] there, or [all]", [object.get(sidecar, "name", "all")]),
	"level": "warning",
	"path": ["spec", "additionalVolumes", i],
} |
	some i, one in get.list(spec, "additionalVolumes")
	count(get.list(one, "targetContainers")) == 0
	directory := trim_right(get.string(one, "mountPath"), "/")
	regex.match(`^/[^/$]+`, directory)
	some sidecar in get.list(spec, "sidecars")
	count([1 | some mount in get.list(sidecar, "volumeMounts"); startswith(sprintf("%s/", [directory]), sprintf("%s/", [trim_right(get.string(mount, "mountPath"), "/")]))]) == 0
	words := array.concat(
		[get.string(variable, "value") | some variable in get.list(sidecar, "env")],
		[word | some field in ["command", "args"]; some word in get.list(sidecar, field); is_string(word)],
	)
	asked := [found[1] | some word in words; some found in regex.find_all_string_submatch_n(sprintf(`(?:^|[=:,"'\s])(%s(?:/[A-Za-z0-9._/-]*)?)(?:$|["',\s])`, [text.literal(directory)]), word, 1)]
	count(asked) > 0
]

containers_of_pods := array.concat(["postgres"], [name | some sidecar in get.list(spec, "sidecars"); name := get.string(sidecar, "name")])

# The configuration of the operator may give all pods more of them.
nobodys(_) if {
	configuration
	not get.present(configuration, "sidecars")
	not get.present(configuration, "sidecar_docker_images")
	not get.present(configuration, ["scalyr", "scalyr_api_key"])
	not get.present(configuration, "scalyr_api_key")
}

nobodys(target) if {
	not configuration
	target in {"database", "db", "patroni", "postgresql", "spilo"}
}

nobodys(target) if {
	not configuration
	some name in containers_of_pods
	reference.slip(target, name)
}

# credentialSecretName (pkg/cluster/util.go) by the default of secret_name_template; one of another namespace has a name with that in front.
facts contains {"made_secrets": made_secrets} if count(made_secrets) > 0

made_secrets := [sprintf("%s.%s.credentials.postgresql.acid.zalan.do", [replace(name, "_", "-"), k8s.name]) |
	recognised
	not placeholder.holds(k8s.name)
	not get.present(configuration_or_none, ["kubernetes", "secret_name_template"])
	some name, _ in get.map(spec, "users")
	not placeholder.holds(name)
	not contains(name, ".")
	not protected_name(name)
]

# Names of Secrets have no underscore, and the operator writes a hyphen for each of the user.
facts contains {"unmade_secrets": [{
	"names": sprintf(`^([a-z0-9-]+\.)?[A-Za-z0-9-]*_[A-Za-z0-9_-]*\.%s\.credentials\.`, [text.literal(k8s.name)]),
	"made": [],
	"reason": "it writes - for each _ of the user",
	"cure": "write - in that name too",
}]} if {
	recognised
	not placeholder.holds(k8s.name)
}

# getPodEnvironmentSecretVariables and getCronjobEnvironmentSecretVariables (pkg/cluster/k8sres.go) read them in the namespace of the cluster and give up after ten minutes; of ConfigMaps the
# configuration may name another one.
keys_elsewhere := [{
	"reason": sprintf("%s names %s, which is read in the namespace of each cluster, %s, and is in %s: the operator creates no %s", [field, name, k8s.namespace, home, lacking]),
	"cure": sprintf("Create it in %s too", [k8s.namespace]),
	"level": "error",
	"path": ["metadata", "namespace"],
} |
	recognised
	placeholder.honoured
	home := get.string(holder_of_configuration, ["metadata", "namespace"])
	home != object.get(k8s.object, ["metadata", "namespace"], home)
	not get.present(k8s.object, ["status", "PostgresClusterStatus"])
	some [section, field, lacking] in array.concat(
		[["kubernetes", "pod_environment_secret", "StatefulSet"]],
		[["logical_backup", "logical_backup_cronjob_environment_secret", "CronJob of the dumps"] | get.boolean(spec, "enableLogicalBackup")],
	)
	name := get.string(configuration, [section, field])
	count([1 | some told in [name, home, k8s.namespace]; placeholder.holds(told)]) == 0
	some source in made_of(home, name)
	not reference.is_copied(source)
	count(made_of(k8s.namespace, name)) == 0
]

made_of(namespace, name) := [made |
	some [kind, path] in [
		["Secret", ["metadata", "name"]], ["SealedSecret", ["metadata", "name"]], ["SealedSecret", ["spec", "template", "metadata", "name"]],
		["ExternalSecret", ["metadata", "name"]], ["ExternalSecret", ["spec", "target", "name"]],
	]
	some version in ["v1", "bitnami.com/v1alpha1", "external-secrets.io/v1", "external-secrets.io/v1beta1"]
	some made in inventory.list(namespace, version, kind)
	get.string(made, path) == name
]

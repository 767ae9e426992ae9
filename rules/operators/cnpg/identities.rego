package walguard.operators.cnpg

import data.walguard.lib.get
import data.walguard.lib.inventory
import data.walguard.lib.k8s

# A store that the pods are to reach by the role of their ServiceAccount, which has the annotations of serviceAccountTemplate and inheritedMetadata (createServiceAccount and SetInheritedData). Those of the
# Cluster itself count where the operator's INHERITED_ANNOTATIONS name them.
roleless := [object.union(
	{
		"reason": sprintf("Annotation %s of the %s does not reach the ServiceAccount of its pods: they get no role, and nothing is archived or backed up", [mark, object.get(strayed[0], ["resource", "kind"], k8s.kind)]),
		"cure": "Write it into spec.serviceAccountTemplate.metadata.annotations of the Cluster",
		"level": "warning",
	},
	strayed[0],
) |
	operator
	count([1 | some field in ["serviceAccountName", "envFrom"]; get.present(spec, field)]) == 0
	some mark, asked in identities
	count([1 | some [settings, _] in stores_of_instances; some field in asked.fields; get.boolean(settings, field)]) > 0
	path := ["metadata", "annotations", mark]
	strayed := array.concat(
		[{"path": path} | get.present(k8s.object, path)],
		[{"path": path, "resource": k8s.reference(store)} |
			some name in store_names
			store := inventory.namespaced_object(k8s.namespace, object_stores, "ObjectStore", name)
			get.present(store, path)
		],
	)
	count(strayed) > 0
	accounts := array.concat(
		[get.map(spec, below) | some below in [["serviceAccountTemplate", "metadata", "annotations"], ["inheritedMetadata", "annotations"]]],
		[get.map(account, ["metadata", "annotations"]) | account := inventory.namespaced_object(k8s.namespace, "v1", "ServiceAccount", k8s.name)],
	)

	# One of a template's names may be it.
	count([1 | some held in accounts; some name, _ in held; regex.match(sprintf(`^%s$|[${<%%]`, [mark]), name)]) == 0
	count([1 |
		some variables in array.concat([get.list(spec, "env")], [variables | some [_, variables] in stores_of_instances])
		some variable in variables
		get.string(variable, "name") in asked.variables
	]) == 0
	not annotations_inherited
]

# What asks for the role of the pods, and what gives one to the program otherwise.
identities := {
	"azure.workload.identity/client-id": {
		"fields": [["azureCredentials", "inheritFromAzureAD"], ["azureCredentials", "useDefaultAzureCredentials"]],
		"variables": ["AZURE_CLIENT_ID"],
	},
	"eks.amazonaws.com/role-arn": {"fields": [["s3Credentials", "inheritFromIAMRole"]], "variables": ["AWS_ROLE_ARN", "AWS_ACCESS_KEY_ID"]},
	"iam.gke.io/gcp-service-account": {"fields": [["googleCredentials", "gkeEnvironment"]], "variables": ["GOOGLE_APPLICATION_CREDENTIALS"]},
}

# An operator among the files is told to hand on annotations of its resources.
annotations_inherited if {
	some [version, kind] in [["v1", "ConfigMap"], ["v1", "Secret"], ["apps/v1", "Deployment"], ["argoproj.io/v1alpha1", "Application"], ["helm.toolkit.fluxcd.io/v2", "HelmRelease"], ["helm.toolkit.fluxcd.io/v2beta2", "HelmRelease"]]
	some one in inventory.in_all_files(version, kind)
	contains(json.marshal(one), "INHERITED_ANNOTATIONS")
}

package walguard.operators.kubegres

import data.walguard.lib.affinity
import data.walguard.lib.get
import data.walguard.lib.k8s
import data.walguard.lib.settings

# The operator takes over spec.securityContext for its pods and spec.containerSecurityContext for all of their containers, and writes nothing of its own
# (internal/controller/spec/template/ResourcesCreatorFromTemplate.go).
facts contains {"pod_security": violations} if {
	settings.namespace_labels["pod-security.kubernetes.io/enforce"]
	count(violations) > 0
}

facts contains {"affinities": affinity.sections(k8s.object, ["spec", "scheduler", "affinity"])} if {
	reviewed_cluster
	get.present(home, ["spec", "scheduler", "affinity"])
}

facts contains {"pod_lists": lists} if {
	reviewed_cluster
	lists := [path | some path in [["spec", "imagePullSecrets"], ["spec", "scheduler", "tolerations"]]; get.present(home, path)]
	count(lists) > 0
}

of_pods := ["spec", "securityContext"]

of_containers := ["spec", "containerSecurityContext"]

violations := array.concat(
	[{"level": "baseline", "reason": "containerSecurityContext.privileged is true", "path": of_containers} |
		reviewed_cluster
		get.boolean(home, array.concat(of_containers, ["privileged"]))
	],
	[{"level": "restricted", "reason": reason, "path": ["spec"], "cure": sprintf("Set %s", [concat(", ", cures)])} |
		reviewed_cluster
		some reason in [fault[0] | some fault in faults]
		cures := [fault[1] | some fault in faults]
	],
)

faults := array.concat(
	[["the pods do not set runAsNonRoot", "securityContext.runAsNonRoot: true with runAsUser: 999"] |
		not get.boolean(home, array.concat(of_pods, ["runAsNonRoot"]))
		not get.boolean(home, array.concat(of_containers, ["runAsNonRoot"]))
	],
	array.concat(
		[["the containers do not set allowPrivilegeEscalation: false", "containerSecurityContext.allowPrivilegeEscalation: false"] |
			object.get(home, array.concat(of_containers, ["allowPrivilegeEscalation"]), true) != false
		],
		array.concat(
			[["the containers do not drop all capabilities", "containerSecurityContext.capabilities.drop: [ALL]"] |
				not "ALL" in get.list(home, array.concat(of_containers, ["capabilities", "drop"]))
			],
			[["the pods have no seccompProfile", "securityContext.seccompProfile.type: RuntimeDefault"] |
				not get.present(home, array.concat(of_pods, ["seccompProfile"]))
				not get.present(home, array.concat(of_containers, ["seccompProfile"]))
			],
		),
	),
)

package walguard.operators.workload

import data.walguard.lib.get
import data.walguard.lib.hba
import data.walguard.lib.k8s
import data.walguard.lib.scheduling

# Where the pod may run, and where the PersistentVolume of its data is ("volume node affinity conflict").
elsewhere_than_volume := [{
	"by": "The scheduler",
	"path": at.path,
	"reason": sprintf("its pod may run on %s %s alone, and PersistentVolume %s is on %s (\"volume node affinity conflict\")", [what, at.value, get.string(volume, ["metadata", "name"]), there.value]),
	"cure": sprintf("Write %s", [there.value]),
} |
	one_claim
	volume := bound_to(claim_name)
	some [what, labels] in [["node", scheduling.node_labels], ["zone", scheduling.zone_labels]]
	at := scheduling.only(k8s.object, array.concat(pod_path, ["nodeSelector"]), array.concat(pod_path, ["affinity", "nodeAffinity"]), labels)
	there := of_volume(volume, labels)
	at.value != there.value
	not placeholder_in([at.value, there.value])
]

of_volume(volume, labels) := {"value": value} if {
	terms := get.list(volume, ["spec", "nodeAffinity", "required", "nodeSelectorTerms"])
	count(terms) == 1
	some expression in get.list(terms[0], "matchExpressions")
	get.string(expression, "key") in labels
	get.string(expression, "operator") == "In"
	values := get.list(expression, "values")
	count(values) == 1
	value := values[0]
	is_string(value)
}

placeholder_in(values) if {
	some value in values
	regex.match(`[${<]|^$`, value)
}

# A Service with addresses of IPv6 alone has pods with such, which lines for IPv4 do not let in.
facts contains {"closed_family": of_the_other_family[0]} if count(of_the_other_family) > 0

of_the_other_family := [object.union({"service": get.string(service, ["metadata", "name"])}, object.filter(mounted_hba, ["path", "resource"])) |
	layout in {"docker", "bitnami"}
	in_force(mounted_hba)
	some service in services
	get.list(service, ["spec", "ipFamilies"]) == ["IPv6"]
	lines := hba.of_text(mounted_hba.text, object.filter(mounted_hba, ["path", "resource"]))
	count([1 | some entry in lines; regex.match(`^\s*include|@|\$|\{\{`, entry.line)]) == 0
	remote := [rule | some rule in hba.rules(lines); not hba.own(rule); rule.method != "reject"]
	count(remote) > 0
	every rule in remote {
		regex.match(`^[0-9]{1,3}(\.[0-9]{1,3}){3}(/[0-9]+)?$`, rule.address)
	}
]

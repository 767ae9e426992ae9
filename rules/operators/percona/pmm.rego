package walguard.operators.percona

import data.walguard.lib.crunchy as pgo
import data.walguard.lib.get
import data.walguard.lib.image
import data.walguard.lib.inventory
import data.walguard.lib.k8s

# The container of PMM 2 has its configuration in /usr/local/percona/pmm2, and that of PMM 3 in /usr/local/percona/pmm, which the image of the other does not have: it ends at once, and the pod is never ready.
# Which container it is the key in the Secret says since release 2.7; before there was that of PMM 2 alone, and since 3.1 there is that of PMM 3 alone (percona/pmm/pmm.go).
images_of_pmm := [{
	"reason": sprintf("pmm-client %s is for PMM %s, and %s: its container ends at once, and the pods are never ready", [image.tag(reference), has, because]),
	"cure": sprintf("Take pmm-client %s", [releases[wanted]]),
	"path": ["spec", "pmm", "image"],
} |
	get.boolean(pgo.spec, ["pmm", "enabled"])
	reference := get.string(pgo.spec, ["pmm", "image"])
	regex.match(`(^|/)pmm-client:[23]\.[0-9]+\.[0-9]+`, reference)
	has := substring(image.tag(reference), 0, 1)
	[wanted, because] := container_of_pmm
	has != wanted
]

releases := {"2": "2.44.1", "3": "3.7.1"}

container_of_pmm := ["3", sprintf("release %s of the operator knows PMM 3 alone", [pgo.spec.crVersion])] if {
	pgo.version_at_least([3, 1])
} else := ["3", "the key PMM_SERVER_TOKEN of its Secret asks for PMM 3"] if {
	pgo.version_at_least([2, 7])
	"PMM_SERVER_TOKEN" in keys_of_secret
} else := ["2", "the key PMM_SERVER_KEY of its Secret asks for PMM 2"] if {
	"PMM_SERVER_KEY" in keys_of_secret
	not "PMM_SERVER_TOKEN" in keys_of_secret
} else := ["2", sprintf("release %s of the operator knows PMM 2 alone", [pgo.spec.crVersion])] if {
	pgo.version_at_least([2, 0])
	not pgo.version_at_least([2, 7])
	not "PMM_SERVER_TOKEN" in keys_of_secret
}

default keys_of_secret := set()

keys_of_secret := object.keys(get.map(found, "data")) | object.keys(get.map(found, "stringData")) if {
	found := inventory.namespaced_object(k8s.namespace, "v1", "Secret", get.string(pgo.spec, ["pmm", "secret"]))
}

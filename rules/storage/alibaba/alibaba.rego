# METADATA
# title: Alibaba Cloud
# description: |
#   ESSD (PL0 to PL3, AutoPL, Entry), standard SSD and efficiency disks. Throughput follows size up to the cap of the
#   level; the minimum size of PL2 (461 GiB) and of PL3 (1,261 GiB) is where the level below it has reached its cap. type and
#   performanceLevel may be lists in order of preference: the driver takes what the zone and the size allow, so the worst is judged.
#   What an instance allows in total is not in sight: figures are upper bounds.
# related_resources:
#   - https://www.alibabacloud.com/help/en/ecs/user-guide/block-storage-performance
#   - https://github.com/kubernetes-sigs/alibaba-cloud-csi-driver
# custom:
#   prefix: ali
#   provisioners: [diskplugin.csi.alibabacloud.com]
package walguard.storage.alibaba

import data.walguard.lib.disk
import data.walguard.lib.get
import data.walguard.model.claims

provisioners := {"diskplugin.csi.alibabacloud.com"}

disks[id] := d if {
	some id, claim in ours
	ids := candidates(claim.parameters)
	count(ids) > 0
	d := disk.assess("Alibaba Cloud", data.walguard.storage.alibaba.profiles, ids, note(claim.parameters, ids), claim, wish(claim.parameters))
}

filesystems[id] := filesystem if {
	some id, claim in ours
	filesystem := disk.filesystem(claim, "ext4")
}

ours[id] := claim if {
	some id, claim in claims.claims
	claim.provisioner in provisioners
}

# Profiles that may be provisioned, in the order of preference. Types without a formula are left out.
candidates(parameters) := [id |
	some type in listed(object.get(parameters, "type", "cloud_ssd,cloud_efficiency"))
	some level in levels(type, parameters)
	id := concat("", [type, level])
	data.walguard.storage.alibaba.profiles[id]
]

levels("cloud_essd", parameters) := [sprintf("_%s", [level]) | some level in listed(object.get(parameters, "performancelevel", "PL1"))]

levels(type, _) := [""] if type != "cloud_essd"

listed(list) := [trim_space(get.lower_case(entry)) | some entry in split(list, ",")]

note(parameters, ids) := sprintf(" (the least that %s may give)", [concat(", ", listed(object.get(parameters, "type", "cloud_ssd,cloud_efficiency")))]) if {
	count(ids) > 1
}

note(_, ids) := "" if count(ids) == 1

wish(parameters) := object.union_n([{"iops": disk.thousand(n)} | n := parameters.provisionediops])

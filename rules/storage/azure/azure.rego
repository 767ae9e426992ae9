# METADATA
# title: Azure managed disks
# description: |
#   Premium and Standard disks come in tiers of size, and a size counts as the next tier; Premium SSD v2 and Ultra give what
#   they are told to (125 MB/s and 100 MB/s otherwise). Without skuName the driver takes Standard SSD. cachingMode ReadWrite acknowledges
#   writes from a cache of the host. With enablePerformancePlus other figures apply, which are not known here. What a machine
#   allows in total is not in sight: figures are upper bounds.
# related_resources:
#   - https://learn.microsoft.com/azure/virtual-machines/disks-types
#   - https://github.com/kubernetes-sigs/azuredisk-csi-driver/blob/master/docs/driver-parameters.md
# custom:
#   prefix: azure
#   provisioners: [disk.csi.azure.com, kubernetes.io/azure-disk]
package walguard.storage.azure

import data.walguard.lib.disk
import data.walguard.lib.get
import data.walguard.model.claims

provisioners := {"disk.csi.azure.com", "kubernetes.io/azure-disk"}

disks[id] := found if {
	some id, claim in ours
	get.lower_case(object.get(claim.parameters, "enableperformanceplus", "false")) != "true"
	sku := replace(get.lower_case(chosen_sku(claim.parameters)), "_zrs", "_lrs")
	data.walguard.storage.azure.profiles[sku]
	d := disk.assess("Azure", data.walguard.storage.azure.profiles, [sku], "", claim, wish(claim.parameters))
	found := object.union(d, volatile_cache(claim.parameters))
}

disks[id] := found if {
	some id, claim in ours
	get.lower_case(object.get(claim.parameters, "enableperformanceplus", "false")) == "true"
	d := disk.plain("Azure", chosen_sku(claim.parameters), {"expandable": true})
	found := object.union(d, volatile_cache(claim.parameters))
}

filesystems[id] := filesystem if {
	some id, claim in ours
	filesystem := disk.filesystem(claim, "ext4")
}

ours[id] := claim if {
	some id, claim in claims.claims
	claim.provisioner in provisioners
}

chosen_sku(parameters) := array.concat([parameters[key] | some key in ["skuname", "storageaccounttype"]; parameters[key]], ["StandardSSD_LRS"])[0]

wish(parameters) := object.union_n([
	object.union_n([{"iops": disk.thousand(n)} | n := parameters.diskiopsreadwrite]),
	object.union_n([{"throughput": disk.thousand(n)} | n := parameters.diskmbpsreadwrite]),
])

# METADATA
# description: What makes acknowledged writes volatile, as the class says it (see walguard.lib.disk, volatile_cache).
volatile_cache(parameters) := {"volatile_cache": "cachingMode: ReadWrite"} if {
	get.lower_case(object.get(parameters, "cachingmode", "")) == "readwrite"
}

volatile_cache(parameters) := {} if get.lower_case(object.get(parameters, "cachingmode", "")) != "readwrite"

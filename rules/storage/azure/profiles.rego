# Generated from profiles.json by "make generate". Do not edit.
package walguard.storage.azure

profiles := {
	"premium_lrs": {
		"as_of": "2026-11",
		"burst": {"seconds": 1800, "tiers": [{"iops": 3500000, "throughput": 170000, "up_to_gib": 512}]},
		"confidence": "verified",
		"maximum_gib": 32767,
		"next": ["premiumv2_lrs"],
		"scaling": "tiers",
		"select": {"skuName": "Premium_LRS"},
		"sources": ["https://learn.microsoft.com/azure/virtual-machines/disks-types", "https://github.com/kubernetes-sigs/azuredisk-csi-driver/blob/master/docs/driver-parameters.md", "https://github.com/kubernetes-sigs/azuredisk-csi-driver/blob/master/pkg/optimization/azure_skus_map.go"],
		"tiers": [{"iops": 120000, "throughput": 25000, "up_to_gib": 4}, {"iops": 120000, "throughput": 25000, "up_to_gib": 8}, {"iops": 120000, "throughput": 25000, "up_to_gib": 16}, {"iops": 120000, "throughput": 25000, "up_to_gib": 32}, {"iops": 240000, "throughput": 50000, "up_to_gib": 64}, {"iops": 500000, "throughput": 100000, "up_to_gib": 128}, {"iops": 1100000, "throughput": 125000, "up_to_gib": 256}, {"iops": 2300000, "throughput": 150000, "up_to_gib": 512}, {"iops": 5000000, "throughput": 200000, "up_to_gib": 1024}, {"iops": 7500000, "throughput": 250000, "up_to_gib": 2048}, {"iops": 7500000, "throughput": 250000, "up_to_gib": 4096}, {"iops": 16000000, "throughput": 500000, "up_to_gib": 8192}, {"iops": 18000000, "throughput": 750000, "up_to_gib": 16384}, {"iops": 20000000, "throughput": 900000, "up_to_gib": 32767}],
		"title": "Premium SSD",
		"unit": "MB/s",
	},
	"premiumv2_lrs": {"as_of": "2026-11", "confidence": "verified", "iops": {"default": 3000000, "maximum": 80000000, "parameter": "DiskIOPSReadWrite", "per_gib_maximum": 500000}, "maximum_gib": 65536, "next": ["ultrassd_lrs"], "scaling": "provisioned", "select": {"skuName": "PremiumV2_LRS"}, "sources": ["https://learn.microsoft.com/azure/virtual-machines/disks-types", "https://github.com/kubernetes-sigs/azuredisk-csi-driver/blob/master/docs/driver-parameters.md"], "throughput": {"default": 125000, "maximum": 2000000, "parameter": "DiskMBpsReadWrite", "per_iops_maximum": 250}, "title": "Premium SSD v2", "unit": "MB/s"},
	"standard_lrs": {"as_of": "2026-11", "confidence": "verified", "maximum_gib": 32767, "next": ["premium_lrs", "premiumv2_lrs"], "scaling": "tiers", "select": {"skuName": "Standard_LRS"}, "slow": "a hard disk with 500 IOPS up to 4Ti", "sources": ["https://learn.microsoft.com/azure/virtual-machines/disks-types", "https://github.com/kubernetes-sigs/azuredisk-csi-driver/blob/master/docs/driver-parameters.md"], "tiers": [{"iops": 500000, "throughput": 60000, "up_to_gib": 4096}, {"iops": 1300000, "throughput": 300000, "up_to_gib": 8192}, {"iops": 2000000, "throughput": 500000, "up_to_gib": 32767}], "title": "Standard HDD", "unit": "MB/s"},
	"standardssd_lrs": {"as_of": "2026-11", "confidence": "verified", "maximum_gib": 32767, "next": ["premium_lrs", "premiumv2_lrs"], "scaling": "tiers", "select": {"skuName": "StandardSSD_LRS"}, "slow": "the entry SSD, with 500 IOPS up to 4Ti", "sources": ["https://learn.microsoft.com/azure/virtual-machines/disks-types", "https://github.com/kubernetes-sigs/azuredisk-csi-driver/blob/master/docs/driver-parameters.md"], "tiers": [{"iops": 500000, "throughput": 100000, "up_to_gib": 4096}, {"iops": 2000000, "throughput": 400000, "up_to_gib": 8192}, {"iops": 4000000, "throughput": 600000, "up_to_gib": 16384}, {"iops": 6000000, "throughput": 750000, "up_to_gib": 32767}], "title": "Standard SSD", "unit": "MB/s"},
	"ultrassd_lrs": {"as_of": "2026-11", "confidence": "partial", "iops": {"default": 500000, "maximum": 400000000, "parameter": "DiskIOPSReadWrite", "per_gib_maximum": 1000000}, "maximum_gib": 65536, "minimum_gib": 4, "next": [], "scaling": "provisioned", "select": {"skuName": "UltraSSD_LRS"}, "sources": ["https://learn.microsoft.com/azure/virtual-machines/disks-types", "https://github.com/kubernetes-sigs/azuredisk-csi-driver/blob/master/docs/driver-parameters.md"], "throughput": {"default": 100000, "maximum": 10000000, "parameter": "DiskMBpsReadWrite", "per_iops_maximum": 250}, "title": "Ultra Disk", "unit": "MB/s"},
}

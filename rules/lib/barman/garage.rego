package walguard.lib.barman

import data.walguard.lib.inventory

# Garage that is configured for the region that boto3 takes, in its own file or by the values of its chart.
suits(verdict) if {
	contains(verdict.reason, "Garage")
	"us-east-1" in regions_of_garage
}

# One that is configured for another region refuses for certain.
settled(verdict) := object.union(verdict, {
	"reason": sprintf("No region is named, and boto3 signs for us-east-1 then, which Garage refuses (\"400 Bad Request\"), for its s3_region is %s: nothing is archived or backed up", [theirs]),
	"cure": sprintf("Name the key of a Secret that holds %s in s3Credentials.region", [theirs]),
	"level": "error",
}) if {
	contains(verdict.reason, "Garage")
	count(regions_of_garage) == 1
	some theirs in regions_of_garage
} else := verdict

regions_of_garage := {theirs |
	some [api_version, kind] in [["v1", "ConfigMap"], ["helm.toolkit.fluxcd.io/v2", "HelmRelease"], ["helm.toolkit.fluxcd.io/v2beta2", "HelmRelease"], ["argoproj.io/v1alpha1", "Application"]]
	some configured in inventory.in_all_files(api_version, kind)
	some pattern in [`s3_region\s*=\s*\\*"([A-Za-z0-9_-]+)`, `"s3":\{"api":\{[^}]*"region":"([A-Za-z0-9_-]+)"`]
	some match in regex.find_all_string_submatch_n(pattern, json.marshal(configured), -1)
	theirs := match[1]
}

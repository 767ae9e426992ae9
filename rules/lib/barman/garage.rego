package walguard.lib.barman

import data.walguard.lib.inventory

# Garage that is configured for the region that boto3 takes, in its own file or by the values of its chart.
suits(verdict) if {
	contains(verdict.reason, "Garage")
	some [api_version, kind] in [["v1", "ConfigMap"], ["helm.toolkit.fluxcd.io/v2", "HelmRelease"], ["helm.toolkit.fluxcd.io/v2beta2", "HelmRelease"], ["argoproj.io/v1alpha1", "Application"]]
	some configured in inventory.in_all_files(api_version, kind)
	regex.match(`s3_region\s*=\s*\\*"us-east-1|"s3":\{"api":\{[^}]*"region":"us-east-1"`, json.marshal(configured))
}

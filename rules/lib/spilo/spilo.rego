# METADATA
# description: |
#   Variables of the pods of Spilo. WAL-E and WAL-G run by envdir and get what configure_spilo.py copies (write_wale_environment), and nothing else: postgres itself is started
#   with an environment that has none of them.
# related_resources:
#   - https://github.com/zalando/spilo/blob/master/postgres-appliance/scripts/configure_spilo.py
#   - https://github.com/zalando/spilo/blob/master/ENVIRONMENT.rst
package walguard.lib.spilo

import data.walguard.lib.get

# METADATA
# description: |
#   Of variables, {name: {"path", "resource"?}}, those that Spilo copies to nobody and that are meant for one that it copies, as walguard.model has unknown options.
unread(variables) := [object.union({"name": name, "program": "Spilo", "meant": concat("", [prefix, meant])}, object.filter(variable, ["path", "resource"])) |
	some name, variable in variables
	some prefix in ["", "CLONE_", "STANDBY_"]
	startswith(get.upper_case(name), prefix)
	meant := meanings[substring(get.upper_case(name), count(prefix), -1)]
	count([1 | some other in others_of(meant); variables[concat("", [prefix, other])]]) == 0
]

# The older variable of WAL-E says it too.
others_of(meant) := {meant, "WALE_S3_ENDPOINT"} if meant == "AWS_ENDPOINT"

others_of(meant) := {meant} if meant != "AWS_ENDPOINT"

meanings := {
	"WALG_S3_ENDPOINT": "AWS_ENDPOINT",
	"WALG_AWS_ENDPOINT": "AWS_ENDPOINT",
	"WALG_ENDPOINT": "AWS_ENDPOINT",
	"AWS_S3_ENDPOINT": "AWS_ENDPOINT",
	"AWS_ENDPOINT_URL": "AWS_ENDPOINT",
	"AWS_ENDPOINT_URL_S3": "AWS_ENDPOINT",
	"S3_ENDPOINT": "AWS_ENDPOINT",
	"S3_ENDPOINT_URL": "AWS_ENDPOINT",
	"WALG_S3_BUCKET": "WAL_S3_BUCKET",
	"WALE_S3_BUCKET": "WAL_S3_BUCKET",
	"WALG_GS_BUCKET": "WAL_GS_BUCKET",
	"WALE_GS_BUCKET": "WAL_GS_BUCKET",
	"USE_WAL_BACKUP": "USE_WALG_BACKUP",
	"USE_WAL_RESTORE": "USE_WALG_RESTORE",
	"USEWALG_BACKUP": "USE_WALG_BACKUP",
	"USEWALG_RESTORE": "USE_WALG_RESTORE",
	"WALG_S3_REGION": "AWS_REGION",
	"AWS_S3_REGION": "AWS_REGION",
}

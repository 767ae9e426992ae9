package walguard.lib.spilo_test

import data.walguard.lib.spilo

meant(names) := {found.name: found.meant | some found in spilo.unread({name: {"path": [name]} | some name in names})}

# What each of them is meant for.
test_meanings if {
	every name, other in {
		"WALG_S3_ENDPOINT": "AWS_ENDPOINT", "WALG_AWS_ENDPOINT": "AWS_ENDPOINT", "WALG_ENDPOINT": "AWS_ENDPOINT", "AWS_S3_ENDPOINT": "AWS_ENDPOINT",
		"AWS_ENDPOINT_URL": "AWS_ENDPOINT", "AWS_ENDPOINT_URL_S3": "AWS_ENDPOINT", "S3_ENDPOINT": "AWS_ENDPOINT", "S3_ENDPOINT_URL": "AWS_ENDPOINT",
		"WALG_S3_BUCKET": "WAL_S3_BUCKET", "WALE_S3_BUCKET": "WAL_S3_BUCKET", "WALG_GS_BUCKET": "WAL_GS_BUCKET", "WALE_GS_BUCKET": "WAL_GS_BUCKET",
		"USE_WAL_BACKUP": "USE_WALG_BACKUP", "USE_WAL_RESTORE": "USE_WALG_RESTORE", "USEWALG_BACKUP": "USE_WALG_BACKUP", "USEWALG_RESTORE": "USE_WALG_RESTORE",
		"WALG_S3_REGION": "AWS_REGION", "AWS_S3_REGION": "AWS_REGION",
	} {
		every prefix in ["", "CLONE_", "STANDBY_"] {
			meant([concat("", [prefix, name])]) == {concat("", [prefix, name]): concat("", [prefix, other])}

			# Who says both says enough.
			meant([concat("", [prefix, name]), concat("", [prefix, other])]) == {}
		}
		count(meant([name, concat("", ["CLONE_", other])])) == 1
	}
}

test_older_endpoint if {
	meant(["S3_ENDPOINT", "WALE_S3_ENDPOINT"]) == {}
	count(meant(["WALG_S3_BUCKET", "WALE_S3_ENDPOINT"])) == 1
}

test_others if {
	meant(["AWS_ENDPOINT", "WAL_S3_BUCKET", "USE_WALG_BACKUP", "AWS_REGION", "MY_S3_ENDPOINT", "S3_ENDPOINT_CLONE_"]) == {}
	spilo.unread({"walg_endpoint": {"path": ["a"], "value": "x", "resource": {"name": "b"}}}) == [{"name": "walg_endpoint", "program": "Spilo", "meant": "AWS_ENDPOINT", "path": ["a"], "resource": {"name": "b"}}]
}

# Small letters are another name.
test_letters if {
	meant(["wal_s3_bucket", "wal_az_storage_account", "Aws_Region"]) == {"wal_s3_bucket": "WAL_S3_BUCKET", "wal_az_storage_account": "AZURE_STORAGE_ACCOUNT", "Aws_Region": "AWS_REGION"}
	meant(["clone_walg_s3_prefix"]) == {"clone_walg_s3_prefix": "CLONE_WALG_S3_PREFIX"}
	meant(["wal_s3_bucket", "WAL_S3_BUCKET", "https_proxy", "kube_iam_role"]) == {}
}

variables(values) := {name: {"value": value, "path": [name]} | some name, value in values}

test_clone_without_a_source if {
	spilo.clone_faults(variables({"CLONE_METHOD": "CLONE_WITH_WALE", "CLONE_SCOPE": "a"})) == [{
		"reason": "CLONE_METHOD is CLONE_WITH_WALE, and no variable says where the backups of the source are: Spilo clones nothing, and creates an empty database",
		"cure": "Set CLONE_WALG_S3_PREFIX, or CLONE_SCOPE and CLONE_WAL_S3_BUCKET (CLONE_WAL_GS_BUCKET), and what the store asks for with CLONE_ in front",
		"path": ["CLONE_METHOD"],
	}]
	count(spilo.clone_faults(variables({"CLONE_METHOD": "CLONE_WITH_WALE", "CLONE_WAL_S3_BUCKET": "b"}))) == 1
	count(spilo.clone_faults(variables({"CLONE_METHOD": "CLONE_WITH_BASEBACKUP", "CLONE_SCOPE": "a", "CLONE_HOST": "h", "CLONE_USER": "u"}))) == 1
}

test_clone_with_a_source if {
	spilo.clone_faults(variables({"CLONE_METHOD": "CLONE_WITH_WALE", "CLONE_SCOPE": "a", "CLONE_WAL_S3_BUCKET": "b"})) == []
	spilo.clone_faults(variables({"CLONE_METHOD": "CLONE_WITH_WALE", "CLONE_WALG_S3_PREFIX": "s3://b"})) == []
	spilo.clone_faults(variables({"CLONE_METHOD": "CLONE_WITH_WALE", "CLONE_WALE_ENV_DIR": "/env"})) == []
	spilo.clone_faults(variables({"CLONE_METHOD": "CLONE_WITH_BASEBACKUP", "CLONE_SCOPE": "a", "CLONE_HOST": "h", "CLONE_USER": "u", "CLONE_PASSWORD": "p"})) == []
	spilo.clone_faults(variables({"SCOPE": "a"})) == []
}

test_misspelt_variables if {
	{one.meant | some one in spilo.unread(variables({"CLONE_WAL_GSC_BUCKET": "b", "WALG_AZURE_PREFIX": "azure://b"}))} == {"CLONE_WAL_GCS_BUCKET", "WALG_AZ_PREFIX"}
}

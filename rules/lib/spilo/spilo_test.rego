package walguard.lib.spilo_test

import data.walguard.lib.spilo

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

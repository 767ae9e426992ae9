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

# ------------------------------------------------------------------------------------------------------- archive

reasons(faults) := {[fault.reason, fault.path, object.get(fault, "level", "error")] | some fault in faults}

test_account_without_a_container if {
	reasons(spilo.archive_faults(variables({"AZURE_STORAGE_ACCOUNT": "a", "BACKUP_SCHEDULE": "0 1 * * *", "USE_WALG_BACKUP": "true"}), [])) == {["AZURE_STORAGE_ACCOUNT names no container: Spilo archives to Azure by WALG_AZ_PREFIX alone, so that no WAL is archived and no backup taken", ["AZURE_STORAGE_ACCOUNT"], "error"]}
	spilo.archive_faults(variables({"AZURE_STORAGE_ACCOUNT": "a", "WALG_AZ_PREFIX": "azure://c/x"}), []) == []
	spilo.archive_faults(variables({"AZURE_STORAGE_ACCOUNT": "a", "WAL_S3_BUCKET": "b"}), []) == []
}

test_archive_to_nowhere if {
	reasons(spilo.archive_faults(variables({"AWS_ENDPOINT": "http://minio:9000", "BACKUP_SCHEDULE": "0 1 * * *", "USE_WALG_BACKUP": "true"}), [])) == {["AWS_ENDPOINT and BACKUP_SCHEDULE are set and nothing says where backups go: Spilo archives no WAL, takes no backup and says nothing", ["AWS_ENDPOINT"], "warning"]}
	spilo.archive_faults(variables({"BACKUP_SCHEDULE": "0 1 * * *"}), []) == []
	spilo.archive_faults(variables({"AWS_ENDPOINT": "http://minio:9000", "BACKUP_SCHEDULE": "0 1 * * *", "WALG_S3_PREFIX": "s3://b"}), []) == []

	# What is meant for the place is said of its name.
	spilo.archive_faults(variables({"AWS_ENDPOINT": "http://minio:9000", "BACKUP_SCHEDULE": "0 1 * * *", "WALG_S3_BUCKET": "b"}), []) == []
}

test_credentials_that_are_not_mounted if {
	google := variables({"WAL_GS_BUCKET": "b", "GOOGLE_APPLICATION_CREDENTIALS": "/var/secrets/google/key.json"})
	reasons(spilo.archive_faults(google, ["/home/postgres/pgdata"])) == {["GOOGLE_APPLICATION_CREDENTIALS is /var/secrets/google/key.json, where nothing is mounted: WAL-G finds no key and archives nothing", ["GOOGLE_APPLICATION_CREDENTIALS"], "error"]}
	count(spilo.archive_faults(google, ["/var/secrets/goo"])) == 1
	every mount in ["/var/secrets/google", "/var/secrets/google/", "/var/secrets", "/var/secrets/google/key.json"] {
		spilo.archive_faults(google, [mount]) == []
	}
	spilo.archive_faults(variables({"WAL_S3_BUCKET": "b", "GOOGLE_APPLICATION_CREDENTIALS": "/a/b"}), []) == []
	spilo.archive_faults(variables({"WAL_GS_BUCKET": "b", "GOOGLE_APPLICATION_CREDENTIALS": "${DIRECTORY}/b"}), []) == []
	spilo.archive_faults(variables({"WAL_GS_BUCKET": "b"}), []) == []
}

# In a manifest, which may have placeholders.
places(values) := found if found := spilo.place_faults(variables(values)) with input as {"review": {"object": {}}}

unheeded(values) := found if found := spilo.unheeded(variables(values), "ghcr.io/zalando/spilo-17:4.0-p3") with input as {"review": {"object": {}}}

test_places_that_wal_g_does_not_find if {
	places({"WAL_S3_BUCKET": "s3://wal/", "AWS_REGION": "eu-central-1"}) == [{
		"reason": "WAL_S3_BUCKET is s3://wal/, which Spilo puts s3:// before once more: nothing is archived or backed up",
		"cure": "Write wal",
		"path": ["WAL_S3_BUCKET"],
	}]
	places({"CLONE_WALG_AZ_PREFIX": "/container/path"}) == [{
		"reason": "CLONE_WALG_AZ_PREFIX is /container/path, which has no azure:// before it: no backup is found",
		"cure": "Write azure://container/path",
		"path": ["CLONE_WALG_AZ_PREFIX"],
	}]
	every quiet in [{"WAL_S3_BUCKET": "wal"}, {"WAL_S3_BUCKET": "${SCHEME}://wal"}, {"WALG_S3_PREFIX": "s3://wal/$(SCOPE)"}, {"WALG_GS_PREFIX": "$(PREFIX)"}, {"WALG_GS_PREFIX": ""}, {"LOG_S3_BUCKET": "s3://logs"}] {
		places(quiet) == []
	}
}

test_compressions_that_wal_g_does_not_know if {
	places({"WALG_COMPRESSION_METHOD": "gzip"}) == [{
		"reason": "WALG_COMPRESSION_METHOD is gzip, a compression that WAL-G does not know: nothing is archived or backed up",
		"cure": "Write lz4, lzma, zstd or brotli",
		"path": ["WALG_COMPRESSION_METHOD"],
	}]
	places({"WALG_COMPRESSION_METHOD": "zstd", "WALG_BACKUP_COMPRESSION_METHOD": "$METHOD"}) == []
}

test_number_of_backups if {
	[[setting.name, setting.path, setting.level] | some setting in unheeded({"BACKUP_NUM_TO_RETAIN": "7d"})] == [["BACKUP_NUM_TO_RETAIN \"7d\"", ["BACKUP_NUM_TO_RETAIN"], "warning"]]
	count(unheeded({"BACKUP_NUM_TO_RETAIN": "08"})) == 1
	[[setting.name, setting.path, setting.level] | some setting in unheeded({"CLONE_METHOD": "CLONE_WITH_WALG"})] == [["CLONE_METHOD CLONE_WITH_WALG", ["CLONE_METHOD"], "warning"]]
	every reference in ["", "ghcr.io/zalando/spilo-18:4.1-p2"] {
		spilo.unheeded(variables({"CLONE_METHOD": "CLONE_WITH_WALG"}), reference) == []
	}
	every known in ["CLONE_WITH_WALE", "CLONE_WITH_BASEBACKUP", "", "${METHOD}"] {
		unheeded({"CLONE_METHOD": known}) == []
	}
	every quiet in ["7", "0", "", "${DAYS}", " 14 "] {
		unheeded({"BACKUP_NUM_TO_RETAIN": quiet}) == []
	}
}

scaleway := {"AWS_ENDPOINT": "https://s3.pl-waw.scw.cloud", "WALG_S3_PREFIX": "s3://b"}

test_region_that_is_not_named if {
	spilo.region_faults(variables(scaleway), "") == [{
		"reason": "No region is named, and WAL-G signs for us-east-1 then, which Scaleway refuses (\"400 Bad Request\"), so that nothing is archived or backed up",
		"cure": "Set AWS_REGION",
		"level": "warning",
		"path": ["AWS_ENDPOINT"],
	}]
	spilo.region_faults(variables({"CLONE_AWS_ENDPOINT": "https://s3.pl-waw.scw.cloud"}), "") == [{
		"reason": "No region is named, and WAL-G signs for us-east-1 then, which Scaleway refuses (\"400 Bad Request\"), so that no backup is found",
		"cure": "Set CLONE_AWS_REGION",
		"level": "warning",
		"path": ["CLONE_AWS_ENDPOINT"],
	}]
	spilo.region_faults(variables(object.remove(scaleway, ["WALG_S3_PREFIX"])), "") == []
	spilo.region_faults(variables(object.union(scaleway, {"AWS_ENDPOINT": "http://minio:9000"})), "") == []
	spilo.region_faults(variables(object.union(scaleway, {"AWS_ENDPOINT": "${ENDPOINT}"})), "") == []
}

# It is handed on with WAL-G alone by the images that have WAL-E.
test_region_that_is_not_passed_on if {
	named := variables(object.union(scaleway, {"AWS_REGION": "pl-waw"}))
	image := "ghcr.io/zalando/spilo-16:3.2-p3"
	count(spilo.region_faults(named, "ghcr.io/zalando/spilo-17:4.0-p2")) == 1
	spilo.region_faults(named, image) == [{
		"reason": "AWS_REGION is passed on with USE_WALG_BACKUP alone, and WAL-G signs for us-east-1 then, which Scaleway refuses (\"400 Bad Request\"), so that nothing is archived or backed up",
		"cure": "Set USE_WALG_BACKUP to \"true\"",
		"level": "warning",
		"path": ["AWS_ENDPOINT"],
	}]
	every other in ["", "ghcr.io/zalando/spilo-18:4.1-p2", "corp.example/postgres:3.0-1"] {
		spilo.region_faults(named, other) == []
	}
	spilo.region_faults(variables(object.union(scaleway, {"AWS_REGION": "pl-waw", "USE_WALG_BACKUP": "true"})), image) == []
}

test_majors if {
	spilo.majors("ghcr.io/zalando/spilo-17:4.0-p3") == {"newest": 17, "oldest": 13}
	spilo.majors("ghcr.io/zalando/spilo-16:3.3-p1") == {"newest": 16, "oldest": 12}
	spilo.majors("ghcr.io/zalando/spilo-16") == {"newest": 16, "oldest": 11}
	spilo.majors("ghcr.io/zalando/spilo-15:3.0-p1") == {"newest": 15}
	not spilo.majors("ghcr.io/zalando/spilo-cdp-15:3.0-p1")
}

# Without a place there are no backups, whatever else is written.
test_place_that_is_not_read if {
	{one.level | some one in spilo.unread(variables({"wal_s3_bucket": "b", "USE_WALG_BACKUP": "true"}))} == {"error"}
	every others in [{}, {"USE_WALG_BACKUP": "true", "WALG_GS_PREFIX": "gs://b"}] {
		{one | some one in spilo.unread(variables(object.union({"wal_s3_bucket": "b"}, others))); one.level} == set()
	}
	{one | some one in spilo.unread(variables({"CLONE_WALG_S3_BUCKET": "b", "USE_WALG_BACKUP": "true"})); one.level} == set()
}

misread(name, value) := spilo.misread(name, value, {"SSL_CERTIFICATE": {"value": "x"}})

# What honest people write into what Spilo puts into other texts.
test_harmless_variables if {
	every pair in [
		["PATH", "/usr/local/bin:/usr/bin:/bin"], ["WALE_ENV_DIR", "/run/etc/wal-e.d/env-$(SCOPE)"], ["SSL_CA_FILE", "/tlsca/ca.crt"], ["SSL_CERTIFICATE_FILE", "/run/certs/server.crt"],
		["LOG_SHIP_SCHEDULE", "1 0 * * *"], ["LOG_SHIP_SCHEDULE", "*/15 1-5,7 * * Mon"], ["LOG_SHIP_SCHEDULE", "@daily"], ["CLONE_TARGET_TIME", "2026-01-02 10:00:00.5+02:00"], ["CLONE_HOST", "10.0.0.1"],
		["SSL_PRIVATE_KEY_FILE", "/etc/tls/key"], ["PAM_OAUTH2", "https://a.example/?access_token= uid realm=/x"], ["SPILO_CONFIGURATION", "a: {b: c}\nd: e"], ["WALG_S3_PREFIX", "s3://b/c d"], ["SSL_CERTIFICATE", "a\nb"],
	] {
		not misread(pair[0], pair[1])
	}
}

test_spliced_variables if {
	every pair in [
		["PATH", "/usr/bin;x"], ["WALE_ENV_DIR", `"; exit 0 #`], ["WALE_ENV_DIR", "/run/etc true"], ["SSL_CA_FILE", `x" psql #`], ["LOG_SHIP_SCHEDULE", "* * * * * psql"], ["LOG_ENV_DIR", "$(id x)"],
		["PGDATA", "/a #"], ["CLONE_TARGET_TIME", "2026-01-02 `id`"], ["STANDBY_HOST", "a b"], ["LOG_SHIP_SCHEDULE", "* * * * %"],
	] {
		contains(misread(pair[0], pair[1]), "as it is")
	}
	contains(misread("PAM_OAUTH2", "https://a b\nauth sufficient pam_permit.so"), "line break")
	every pair in [["SSL_CERTIFICATE_FILE", "/etc/cron.d/x"], ["WALE_ENV_DIR", "/run/../etc/cron.d"], ["LOG_ENV_DIR", "/var/spool/cron"], ["SSL_CERTIFICATE_FILE", "/etc/x"]] {
		contains(misread(pair[0], pair[1]), "writes")
	}
}

test_stores if {
	every name in ["PATRONI_ETCD3_HOSTS", "PATRONI_ETCD_URL", "PATRONI_CONSUL_HOST", "PATRONI_SCOPE", "PATRONI_NAMESPACE", "PATRONI_KUBERNETES_NAMESPACE"] {
		regex.match(spilo.stores, name)
	}
	every name in ["PATRONI_KUBERNETES_POD_IP", "PATRONI_LOG_LEVEL", "PATRONI_NAME", "ETCD_HOST", "PATRONI_RESTAPI_LISTEN"] {
		not regex.match(spilo.stores, name)
	}
}

levels(written) := {one.name: object.get(one, "level", "warning") | some one in spilo.unread(variables(written))}

# The key of the store by another name: there is none then.
test_keys_by_other_names if {
	levels({"WALG_AZ_PREFIX": "azure://b", "AZURE_STORAGE_ACCOUNT": "a", "AZURE_STORAGE_ACCOUNT_ACCESS_KEY": "k"}) == {"AZURE_STORAGE_ACCOUNT_ACCESS_KEY": "error"}
	levels({"WALG_AZ_PREFIX": "azure://b", "AZURE_STORAGE_ACCOUNT_NAME": "a", "AZURE_STORAGE_ACCESS_KEY": "k"}) == {"AZURE_STORAGE_ACCOUNT_NAME": "error"}
	levels({"WALG_AZ_PREFIX": "azure://b", "AZURE_STORAGE_SAS_TOKEN": "t", "AZURE_STORAGE_KEY": "k"}) == {"AZURE_STORAGE_KEY": "warning"}
	levels({"WALG_S3_PREFIX": "s3://b", "AWS_ENDPOINT": "http://minio:9000", "AWS_ACCESS_KEY": "k", "AWS_SECRET_KEY": "s"}) == {"AWS_ACCESS_KEY": "error", "AWS_SECRET_KEY": "error"}
	levels({"WALG_S3_PREFIX": "s3://b", "AWS_ACCESS_KEY": "k", "AWS_SECRET_ACCESS_KEY": "s"}) == {"AWS_ACCESS_KEY": "warning"}
	levels({"WALG_GS_PREFIX": "gs://b", "GOOGLE_CREDENTIALS": "/meta/key.json"}) == {"GOOGLE_CREDENTIALS": "warning"}
	levels({"WALG_AZ_PREFIX": "azure://b", "AZURE_STORAGE_ACCESS_KEY": "k", "AZURE_STORAGE_ACCOUNT_KEY": "k"}) == {}
	levels({"WALG_S3_PREFIX": "s3://b", "AWS_ENDPOINT": "http://minio:9000", "AWS_S3_REGION": "x"}) == {"AWS_S3_REGION": "warning"}
}

restored_from(values, reference) := [[fault.reason, fault.cure, fault.path, object.get(fault, "level", "error")] | some fault in spilo.restore_faults(variables(values), reference)]

from_google := {"CLONE_METHOD": "CLONE_WITH_WALE", "CLONE_WAL_GS_BUCKET": "b", "USE_WALG_BACKUP": "true"}

standby_of_google := {"STANDBY_WALE_GS_PREFIX": "gs://b", "USE_WALG_BACKUP": "true"}

test_restores_with_wal_e if {
	old := "ghcr.io/zalando/spilo-17:4.0-p3"
	restored_from(from_google, old) == [["CLONE_USE_WALG_RESTORE is not set, and Spilo looks in Google Cloud Storage for backups of WAL-E then, where WAL-G makes them: no backup is found", "Set CLONE_USE_WALG_RESTORE to \"true\"", ["CLONE_WAL_GS_BUCKET"], "error"]]
	restored_from(standby_of_google, old) == [["STANDBY_USE_WALG_RESTORE is not set, and Spilo looks in Google Cloud Storage for backups of WAL-E then, where WAL-G makes them: the standby never comes up", "Set STANDBY_USE_WALG_RESTORE to \"true\"", ["STANDBY_WALE_GS_PREFIX"], "warning"]]
	[found[2] | some found in restored_from({"CLONE_METHOD": "CLONE_WITH_WALE", "CLONE_WALG_AZ_PREFIX": "azure://b"}, old)] == [["CLONE_WALG_AZ_PREFIX"]]
	every more in ["CLONE_USE_WALG_RESTORE", "CLONE_USE_WALG", "USE_WALG", "CLONE_WALG_S3_PREFIX"] {
		restored_from(object.union(from_google, {more: "true"}), old) == []
	}
	every reference in ["ghcr.io/zalando/spilo-18:4.1-p2", "", "example.com/postgres:17"] {
		restored_from(from_google, reference) == []
	}
	restored_from(object.union(from_google, {"USE_WALG_BACKUP": "false"}), old) == []
	restored_from(object.remove(from_google, ["CLONE_METHOD"]), old) == []
	restored_from(object.union(standby_of_google, {"CLONE_METHOD": "CLONE_WITH_BASEBACKUP"}), old) == []
}

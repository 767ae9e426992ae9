package walguard.checks.backup.store_unusable_ciphers_test

import data.walguard.checks.backup.store_unusable as check

enciphered(global, more, objects) := found if found := check.findings with input as {
	"review": {"object": {
		"apiVersion": "postgres-operator.crunchydata.com/v1beta1",
		"kind": "PostgresCluster",
		"metadata": {"name": "orders", "namespace": "prod"},
		"spec": {"backups": {"pgbackrest": object.union(
			{"global": global, "repos": [{"name": "repo1", "s3": {"bucket": "b", "endpoint": "s3.eu-west-1.amazonaws.com", "region": "eu-west-1"}}]},
			more,
		)}},
	}},
	"inventory": {"namespace": {"prod": {"v1": objects}}},
}

aes := {"repo1-cipher-type": "aes-256-cbc"}

keys := {"configuration": [{"secret": {"name": "s3"}}]}

secret(text) := {"Secret": {"s3": {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s3", "namespace": "prod"}, "stringData": {"s3.conf": text}}}}

test_cipher_without_a_passphrase if {
	enciphered(aes, keys, secret("[global]\nrepo1-s3-key=AKIA1\n")) == {{
		"message": "repo1-cipher-type is aes-256-cbc, and nothing says repo1-cipher-pass, which pgBackRest requires then: nothing is archived or backed up. Write repo1-cipher-pass into a Secret of spec.backups.pgbackrest.configuration.",
		"path": ["spec", "backups", "pgbackrest", "global", "repo1-cipher-type"],
	}}
	count(enciphered(aes, {}, {})) == 1
}

test_passphrase_that_is_there_or_unknown if {
	enciphered(aes, keys, secret("[global]\nrepo1-cipher-pass=K83\n")) == set()
	enciphered(object.union(aes, {"repo1-cipher-pass": "K83"}), keys, secret("[global]\n")) == set()
	enciphered(aes, keys, {}) == set()
	enciphered(aes, keys, secret("${S3_CONF}")) == set()
	enciphered({"repo1-cipher-type": "none"}, keys, secret("[global]\n")) == set()
	enciphered({}, keys, secret("[global]\n")) == set()
	enciphered(aes, {"configuration": [{"secret": {"name": "s3"}}, {"secret": {"name": "other"}}]}, secret("[global]\n")) == set()
	enciphered(aes, {"envFrom": [{"secretRef": {"name": "s3"}}]}, {}) == set()
}

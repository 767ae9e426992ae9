package walguard.operators.percona

import data.walguard.lib.get
import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.lib.placeholder
import data.walguard.lib.sessions
import data.walguard.lib.store as store_endpoint

# What release 1 makes of its stores and of PgBouncer; its repositories are those of Crunchy's release 4.

unusable_first := array.concat(plain_first, restores_first)

storages_first := [{"store": store, "endpoint": endpoint, "path": ["spec", "backup", "storages", name]} |
	some name, store in get.map(k8s.object, ["spec", "backup", "storages"])
	get.string(store, "type") == "s3"
	endpoint := get.string(store, "endpointUrl")
	not placeholder.holds(endpoint)
]

# pgBackRest speaks TLS to S3 whatever verifyTLS says.
plain_first := [{
	"path": array.concat(one.path, ["endpointUrl"]),
	"reason": sprintf("pgBackRest speaks TLS to %s, and what answers at port %d of Service %s speaks HTTP: nothing is archived or backed up", [one.endpoint, number, found.name]),
	"cure": "Give the store a certificate, and set verifyTLS: false where its issuer is not a public one",
} |
	some one in storages_first
	found := store_endpoint.service(regex.replace(one.endpoint, `^https?://`, ""), k8s.namespace)
	number := object.get(found, "number", 443)
	store_endpoint.plain(found, number)
]

# The job of a restore has its own options (docs, "How to restore from a backup on S3 with self-issued certificates").
restores_first := [{
	"path": ["spec", "parameters", "backrest-restore-opts"],
	"resource": k8s.reference(task),
	"reason": sprintf("Pgtask %s restores from %s, whose certificate nobody verifies in the cluster (verifyTLS: false), and the restore does: \"CryptoError\", and nothing is restored", [task.metadata.name, one.endpoint]),
	"cure": "Add --no-repo1-storage-verify-tls to backrest-restore-opts",
} |
	some task in inventory.list(k8s.namespace, k8s.api_version, "Pgtask")
	get.string(task, ["spec", "tasktype"]) == "restore"
	get.string(task, ["spec", "parameters", "backrest-restore-from-cluster"]) == k8s.name
	get.string(task, ["spec", "parameters", "backrest-storage-type"]) == "s3"
	options := get.string(task, ["spec", "parameters", "backrest-restore-opts"])
	not contains(options, "verify-tls")
	not contains(options, "ca-file")
	not placeholder.holds(options)
	some one in storages_first
	get.boolean(one.store, "verifyTLS") == false
]

# Its function passes over superusers, as Crunchy's does.
pooler_first := [{
	"reason": sprintf("PgBouncer lets no superuser in, and %s logs in as postgres through it: \"no such user\" or \"password authentication failed\"", [one.client]),
	"cure": sprintf("Let it take another user or Service %s, or set spec.pgBouncer.exposePostgresUser to true", [k8s.name]),
	"path": one.path,
	"resource": one.resource,
	"level": "error",
} |
	is_object(object.get(k8s.object, ["spec", "pgBouncer"], null))
	not get.boolean(k8s.object, ["spec", "pgBouncer", "exposePostgresUser"])
	some one in sessions.as_role({sprintf("%s-pgbouncer", [k8s.name])}, "postgres")
]

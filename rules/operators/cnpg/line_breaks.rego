package walguard.operators.cnpg

import data.walguard.lib.get
import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.lib.login

# What ends with a line break in Secrets that the operator reads; see walguard.model.
facts contains {"line_breaks": found} if {
	operator
	found := array.concat(broken_passwords, broken_keys)
	count(found) > 0
}

# The operator sets it as it is: what reads the Secret may log in with it, who types the password may not.
broken_passwords := [{"secret": name, "key": "password", "consequence": consequence, "level": "warning", "path": path} |
	some path, consequence in line_break_in
	name := get.string(k8s.object, path)
	login.broken(inventory.namespaced_object(k8s.namespace, "v1", "Secret", name), "password")
]

# That of a managed role is trimmed (internal/management/controller/roles/runnable.go).
line_break_in := object.union(
	{path: "it is part of the password, and whoever types the password is refused" |
		some path in [["spec", "superuserSecret", "name"], ["spec", "bootstrap", "initdb", "secret", "name"], ["spec", "bootstrap", "recovery", "secret", "name"]]
	},
	{["spec", "managed", "roles", i, "passwordSecret", "name"]: "the operator cuts it off, and whoever takes the password from the Secret as it is is refused" |
		some i, _ in get.list(spec, ["managed", "roles"])
	},
)

# extractValueFromSecret hands them to Barman Cloud as they are (pkg/credentials/env.go of cloudnative-pg/barman-cloud).
broken_keys := [object.union(
	{"secret": name, "key": key, "end": end, "consequence": consequence, "level": "error", "path": array.concat(one.path, [provider, field])},
	object.filter(one, ["resource"]),
) |
	some one in stores_of_credentials
	some [provider, field, consequence] in keys_as_they_are
	name := get.string(one.store, [provider, field, "name"])
	key := get.string(one.store, [provider, field, "key"])
	end := login.ragged(inventory.namespaced_object(k8s.namespace, "v1", "Secret", name), key)
]

keys_as_they_are := [
	["s3Credentials", "accessKeyId", "the store refuses it (\"Invalid header value\"), and nothing is archived, backed up or read there"],
	["s3Credentials", "secretAccessKey", "the store refuses what it signs (SignatureDoesNotMatch), and nothing is archived, backed up or read there"],
	["s3Credentials", "sessionToken", "the store refuses it (\"Invalid header value\"), and nothing is archived, backed up or read there"],
	["s3Credentials", "region", "no region is called so, and nothing is archived, backed up or read there"],
	["azureCredentials", "storageAccount", "no account is called so, and nothing is archived, backed up or read there"],
]

stores_of_credentials := array.concat(
	[{"store": get.map(k8s.object, path), "path": path} |
		some path in array.concat([["spec", "backup", "barmanObjectStore"]], [["spec", "externalClusters", i, "barmanObjectStore"] | some i, _ in get.list(spec, "externalClusters")])
	],
	[{"store": get.map(found, ["spec", "configuration"]), "path": ["spec", "configuration"], "resource": k8s.reference(found)} |
		some name in store_names
		found := inventory.namespaced_object(k8s.namespace, "barmancloud.cnpg.io/v1", "ObjectStore", name)
	],
)

package walguard.operators.zalando

import data.walguard.lib.get
import data.walguard.lib.k8s
import data.walguard.lib.placeholder

# What the users of the resource may do, by their flags; the Secret of each is called after it and the cluster (credentialSecretName, pkg/cluster/util.go). See walguard.model.
facts contains {"roles": attributes} if count(attributes) > 0

attributes := [{
	"name": name,
	"superuser": "superuser" in flags,
	"createdb": "createdb" in flags,
	"createrole": "createrole" in flags,
	"replication": "replication" in flags,
	"secrets": [sprintf("%s.%s.credentials.postgresql.acid.zalan.do", [replace(name, "_", "-"), k8s.name])],
} |
	some name, written in get.map(spec, "users")
	not placeholder.unknown(name)
	is_array(written)
	flags := {get.lower_case(one) | some one in written; is_string(one)}
]

package walguard.operators.zalando

import data.walguard.lib.get
import data.walguard.lib.k8s
import data.walguard.lib.placeholder
import data.walguard.lib.text

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

# All databases of a new cluster.
facts contains {"databases_made": {
	"names": names,
	"reason": sprintf("the resource makes %s", [text.list(array.slice(names, 0, 3), "and")]),
	"outcome": "it does not exist",
	"cure": "Add it to spec.databases with its owner",
}} if {
	count(attributes) > 0
	names := [name | some field in ["databases", "preparedDatabases"]; some name, _ in get.map(spec, field)]
	count(names) > 0
	count([1 | some name in names; placeholder.unknown(name)]) == 0
	count([1 | some field in ["clone", "standby"]; get.present(spec, field)]) == 0
}

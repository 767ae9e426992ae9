package walguard.operators.cnpg

import data.walguard.lib.get
import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.lib.placeholder
import data.walguard.lib.text

# How another cluster proves to be itself; see walguard.model, unproven_hosts.
facts contains {"unproven_hosts": unproven_hosts} if count(unproven_hosts) > 0

unproven_hosts := array.concat(unnamed_hosts, without_root)

verified := [[i, external, mode] |
	operator
	some i, external in get.list(spec, "externalClusters")
	get.string(external, "name") in sources_in_use
	mode := get.string(external, ["connectionParameters", "sslmode"])
	mode in {"verify-ca", "verify-full"}
]

sources_in_use := {name |
	some path in [["bootstrap", "pg_basebackup", "source"], ["bootstrap", "recovery", "source"], ["replica", "source"], ["bootstrap", "initdb", "import", "source", "externalCluster"]]
	name := get.string(spec, path)
}

# A certificate of one's own (certificates.serverTLSSecret), which a Certificate in sight makes; the operator's own has every name of the Services.
unnamed_hosts := [{
	"reason": sprintf("The certificate of %s has no name %s (Certificate %s/%s), and sslmode=verify-full refuses any other", [server.metadata.name, host, made.metadata.namespace, made.metadata.name]),
	"cure": "Add it to dnsNames of the Certificate",
	"path": ["spec", "externalClusters", i, "connectionParameters", "host"],
} |
	some [i, external, "verify-full"] in verified
	host := get.string(external, ["connectionParameters", "host"])
	not placeholder.holds(host)
	place := array.concat(split(host, "."), [k8s.namespace])
	found := regex.find_all_string_submatch_n(`^(.+)-(rw|ro|r)$`, place[0], 1)[0]
	home := {true: k8s.namespace, false: place[1]}[count(place) == 2]
	server := inventory.namespaced_object(home, k8s.api_version, "Cluster", found[1])
	kept_in := get.string(server, ["spec", "certificates", "serverTLSSecret"])
	making := [one |
		some one in inventory.list(home, "cert-manager.io/v1", "Certificate")
		get.string(one, ["spec", "secretName"]) == kept_in
	]
	count(making) == 1
	made := making[0]
	names := get.list(made, ["spec", "dnsNames"])
	count(names) > 0
	count([1 | some name in names; covers(name, host)]) == 0
]

covers(name, host) if get.lower_case(name) == get.lower_case(host)

covers(name, _) if placeholder.holds(name)

covers(name, host) if {
	startswith(name, "*.")
	trim_prefix(name, "*") == substring(host, indexof(host, "."), -1)
}

# Names that lead to the server or to PgBouncer, which has its certificate (GetClientTLSSecretNameOrDefault of api/v1/pooler_funcs.go); see walguard.model, other_doors.
facts contains {"other_doors": {"doors": other_doors, "names": names_certified[0], "cure": names_certified[1]}} if {
	count(other_doors) > 0
	count([1 | some name in names_certified[0]; placeholder.holds(name)]) == 0
}

other_doors := array.concat(array.concat(doors_of_poolers, doors_of_ones_own), own_doors)

# The operator's own Services, whose names its own certificate has and another one need not have.
own_doors := [{"name": name, "of": sprintf("Service %s", [name])} |
	operator
	get.string(spec, ["certificates", "serverTLSSecret"])
	some suffix in ["rw", "ro", "r"]
	name := sprintf("%s-%s", [k8s.name, suffix])
]

doors_of_poolers := [{"name": o.metadata.name, "of": sprintf("Pooler %s", [o.metadata.name])} |
	some o in own_poolers
	not get.present(o, ["spec", "pgbouncer", "clientTLSSecret"])
]

doors_of_ones_own := [{"name": name, "of": sprintf("the pods behind Service %s", [name])} |
	operator
	some name, service in inventory.by_name(k8s.namespace, "v1", "Service")
	get.string(service, ["spec", "selector", "cnpg.io/cluster"]) == k8s.name
	not name in {sprintf("%s-%s", [k8s.name, suffix]) | some suffix in ["rw", "ro", "r"]}
]

# GetClusterAltDNSNames of api/v1/cluster_funcs.go.
names_certified := [names, sprintf("Add it to certificates.serverAltDNSNames of %s", [k8s.name])] if {
	not get.present(spec, ["certificates", "serverTLSSecret"])
	names := array.concat(
		get.list(spec, ["certificates", "serverAltDNSNames"]),
		[sprintf("%s%s", [name, suffix]) |
			some additional in get.list(spec, ["managed", "services", "additional"])
			name := get.string(additional, ["serviceTemplate", "metadata", "name"])
			some suffix in ["", sprintf(".%s", [k8s.namespace]), sprintf(".%s.svc", [k8s.namespace]), sprintf(".%s.svc.cluster.local", [k8s.namespace])]
		],
	)
} else := [names, sprintf("Add it to dnsNames of Certificate %s", [making[0].metadata.name])] if {
	kept_in := get.string(spec, ["certificates", "serverTLSSecret"])
	making := [one | some one in inventory.list(k8s.namespace, "cert-manager.io/v1", "Certificate"); get.string(one, ["spec", "secretName"]) == kept_in]
	count(making) == 1
	names := get.list(making[0], ["spec", "dnsNames"])
	count(names) > 0
}

# A certificate for another Service alone proves nothing to a client of this cluster; one for a name outside may be meant for clients there.
facts contains {"misissued": {
	"reason": sprintf("Certificate %s of the server is for %s and has no name of the cluster", [made.metadata.name, names[0]]),
	"cure": sprintf("Add %s-rw and the names of its other Services to dnsNames", [k8s.name]),
	"path": ["spec", "certificates", "serverTLSSecret"],
}} if {
	kept_in := get.string(spec, ["certificates", "serverTLSSecret"])
	making := [one | some one in inventory.list(k8s.namespace, "cert-manager.io/v1", "Certificate"); get.string(one, ["spec", "secretName"]) == kept_in]
	count(making) == 1
	made := making[0]
	names := get.list(made, ["spec", "dnsNames"])
	count(names) > 0
	every name in names {
		not placeholder.holds(name)
		parts := split(get.lower_case(name), ".")
		not parts[0] in names_of_services
		array.slice(parts, 1, 5) in [[], [k8s.namespace], [k8s.namespace, "svc"], [k8s.namespace, "svc", "cluster", "local"]]
	}
}

names_of_services := array.concat(
	array.concat([sprintf("%s-%s", [k8s.name, suffix]) | some suffix in ["rw", "ro", "r"]], [door.name | some door in other_doors]),
	[name |
		some additional in get.list(spec, ["managed", "services", "additional"])
		name := get.string(additional, ["serviceTemplate", "metadata", "name"])
	],
)

# libpq looks for ~/.postgresql/root.crt then, which no image of the operator has.
without_root := [{
	"reason": sprintf("sslmode=%s asks for the certificate of an authority, and sslRootCert is not set: \"root certificate file does not exist\"", [mode]),
	"cure": "Name the Secret that has it in sslRootCert",
	"path": ["spec", "externalClusters", i, "connectionParameters", "sslmode"],
} |
	some [i, external, mode] in verified
	not get.present(external, "sslRootCert")
	not get.present(external, ["connectionParameters", "sslrootcert"])
	count([1 | some key, _ in external; placeholder.holds(key)]) == 0
]

# The operator renews what it is not told of (internal/controller/cluster_pki.go): of a Secret that is named it looks at the date alone.
facts contains {"unrenewed": {"secrets": text.list(sort({name | some name in own_secrets}), "and"), "field": "spec.certificates", "days": 90, "path": ["spec", "certificates"]}} if {
	operator
	not placeholder.holds(k8s.name)
	some [authority, leaf] in [["serverCASecret", "serverTLSSecret"], ["clientCASecret", "replicationTLSSecret"]]
	own_secrets[authority]
	own_secrets[leaf]
}

own_secrets := {field: name |
	some field, suffix in {"serverCASecret": "ca", "serverTLSSecret": "server", "clientCASecret": "ca", "replicationTLSSecret": "replication"}
	name := get.string(spec, ["certificates", field])
	name == sprintf("%s-%s", [k8s.name, suffix])
	not supplied(name)
}

# Somebody may have taken the same name for a Secret of their own.
supplied(name) if {
	some [api_version, kind, path] in [
		["cert-manager.io/v1", "Certificate", ["spec", "secretName"]],
		["external-secrets.io/v1", "ExternalSecret", ["spec", "target", "name"]],
		["external-secrets.io/v1beta1", "ExternalSecret", ["spec", "target", "name"]],
		["bitnami.com/v1alpha1", "SealedSecret", ["metadata", "name"]],
	]
	some made in inventory.list(k8s.namespace, api_version, kind)
	get.string(made, path) == name
}

supplied(name) if {
	secret := inventory.namespaced_object(k8s.namespace, "v1", "Secret", name)
	count([1 | some reference in get.list(secret, ["metadata", "ownerReferences"]); get.string(reference, "kind") == k8s.kind]) == 0
}

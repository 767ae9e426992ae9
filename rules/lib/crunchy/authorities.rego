package walguard.lib.crunchy

import data.walguard.lib.get
import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.lib.keys
import data.walguard.lib.placeholder

# "unable to set user-defined CA certificate location": the directory has what the configuration of its own section lists, for a restore that of dataSource.pgbackrest alone (AddConfigToRestorePod,
# internal/pgbackrest/reconcile.go). What a Secret has as a whole is known where it is in sight.
unmounted_authorities := [{
	"path": array.concat(section, ["global", option]),
	"reason": sprintf("%s is %s, and no entry of %s brings that file: pgBackRest reaches no repository, and %s", [option, file, concat(".", array.concat(section, ["configuration"])), consequence]),
	"cure": sprintf("List the Secret with %s there", [name]),
	"level": level,
} |
	some [section, consequence] in [[source_section, "nothing is restored"], [pgbackrest, "nothing is archived or backed up"]]
	options := get.map(k8s.object, array.concat(section, ["global"]))
	count([1 | some other, switch in options; endswith(other, "-verify-tls"); switch != "y"]) == 0
	some option, file in options
	endswith(option, "-ca-file")
	startswith(file, configuration_directory)
	name := trim_prefix(file, configuration_directory)
	not startswith(name, "~")
	not placeholder.holds(file)
	not get.unknown(k8s.object, array.concat(section, ["configuration"]))
	holders := get.list(k8s.object, array.concat(section, ["configuration"]))
	count([1 | some holder in holders; name in files_of(holder)]) == 0
	level := certainty(section, holders, name)
]

configuration_directory := "/etc/pgbackrest/conf.d/"

# Undefined where it is not known what they have.
certainty(section, holders, name) := "error" if {
	count([1 | some holder in holders; files_of(holder)]) == count(holders)
} else := "warning" if {
	section == source_section
	some other in get.list(k8s.object, array.concat(pgbackrest, ["configuration"]))
	name in listed_files(other)
	count([1 | some holder in holders; held_by(holder) == held_by(other)]) == 0
	count([1 | some holder in holders; placeholder.holds(get.string(held_by(holder), "name"))]) == 0
}

files_of(holder) := listed_files(holder) if {
	count(listed_files(holder)) > 0
} else := object.keys(object.union(get.map(found, "data"), get.map(found, "stringData"))) if {
	held := held_by(holder)
	found := inventory.namespaced_object(k8s.namespace, "v1", held.kind, held.name)
	not keys.filled(found)
}

listed_files(holder) := {path |
	some field in ["secret", "configMap"]
	some item in get.list(holder, [field, "items"])
	path := get.string(item, "path")
}

held_by(holder) := {"kind": "Secret", "name": name} if {
	name := get.string(holder, ["secret", "name"])
} else := {"kind": "ConfigMap", "name": get.string(holder, ["configMap", "name"])}

# ------------------------------------------------------------------------------------------------------ replication

# The standby shows its certificate to a primary that believes its own authority, and believes the same of the primary (sslmode=verify-ca, internal/patroni/config.go). PGO has one authority for a namespace
# (pgo-root-cacert, internal/controller/postgrescluster/pki.go), Percona's operator one for a cluster, unless somebody puts the primary's there.
strangers_of_the_primary := [object.union(
	{
		"path": ["spec", "standby", "host"],
		"reason": sprintf("Without customTLSSecret and customReplicationTLSSecret the standby and %s have certificates of different authorities: they refuse each other, and %s", [host, consequence]),
		"cure": "Set both in both clusters, with certificates of one CA",
	},
	gravity,
) |
	standby
	host := get.string(spec, ["standby", "host"])
	host != ""
	not placeholder.holds(host)
	certificates := get.map(k8s.object, secrets_path)
	count({"customReplicationTLSSecret", "customRootCATLSSecret", "customTLSSecret"} & object.keys(certificates)) == 0
	not get.present(spec, "tls")
	not of_one_authority(host)
	count([1 | some field, _ in certificates; placeholder.holds(field)]) == 0
	[consequence, gravity] := alone_or_not[object.get(spec, ["standby", "repoName"], "") in {"", null}]
]

alone_or_not := {
	true: ["no instance starts", {}],
	false: ["it follows by the archive alone", {"level": "warning"}],
}

of_one_authority(host) if {
	k8s.kind == "PostgresCluster"
	place := array.concat(split(host, "."), [k8s.namespace])
	home := {true: k8s.namespace, false: place[1]}[count(place) == 2]
	home == k8s.namespace
}

of_one_authority(_) if inventory.namespaced_object(k8s.namespace, "v1", "Secret", {"PostgresCluster": "pgo-root-cacert", "PerconaPGCluster": sprintf("%s-cluster-ca-cert", [k8s.name])}[k8s.kind])

# "hostssl replication _crunchyrepl all cert" without a map: the user is called as the certificate is.
misnamed_certificates := [{
	"path": ["spec", "commonName"],
	"resource": k8s.reference(made),
	"reason": sprintf("Certificate %s makes customReplicationTLSSecret with the common name %s, and PostgreSQL lets the standbys in as _crunchyrepl by that name alone: they cannot stream", [made.metadata.name, name]),
	"cure": "Write commonName: _crunchyrepl",
} |
	kept_in := get.string(k8s.object, array.concat(secrets_path, ["customReplicationTLSSecret", "name"]))
	some made in inventory.list(k8s.namespace, "cert-manager.io/v1", "Certificate")
	get.string(made, ["spec", "secretName"]) == kept_in
	name := get.string(made, ["spec", "commonName"])
	not name in {"", "_crunchyrepl"}
	not placeholder.holds(name)
]

package walguard.operators.cnpg.webhook

import data.walguard.lib.get
import data.walguard.lib.k8s
import data.walguard.lib.placeholder
import data.walguard.lib.quantity
import data.walguard.lib.text
import data.walguard.operators.cnpg

# Words that are one of a few: validateImagePullPolicy, validateTaintEffect and the definitions of the resources.
found contains {
	"path": path,
	"reason": sprintf("%s is \"%s\"", [path[count(path) - 1], word]),
	"cure": sprintf("Write %s", [text.list(sort(words), "or")]),
} if {
	some [path, words] in enumerations
	word := get.string(k8s.object, path)
	word != ""
	not placeholder.holds(word)
	not word in words
}

enumerations := array.concat(
	[
		[["spec", "imagePullPolicy"], {"Always", "IfNotPresent", "Never"}],
		[["spec", "imageCatalogRef", "kind"], {"ClusterImageCatalog", "ImageCatalog"}],
		[["spec", "imageCatalogRef", "apiGroup"], {k8s.group}],
	],
	[[["spec", "affinity", "tolerations", i, "effect"], {"NoExecute", "NoSchedule", "PreferNoSchedule"}] | some i, _ in get.list(cnpg.spec, ["affinity", "tolerations"])],
)

# validateTolerations
found contains {
	"path": ["spec", "affinity", "tolerations", i, "tolerationSeconds"],
	"reason": "tolerationSeconds stands without effect: NoExecute",
	"cure": "Write that effect, or take it out",
} if {
	some i, toleration in get.list(cnpg.spec, ["affinity", "tolerations"])
	get.present(toleration, "tolerationSeconds")
	effect := object.get(toleration, "effect", "")
	effect != "NoExecute"
	not placeholder.holds(effect)
}

# validateStorageConfigurationSize
found contains {
	"path": path,
	"reason": sprintf("size \"%s\" is no quantity", [size]),
	"cure": sprintf("Write %s", [quantity.meant(size)]),
} if {
	some path in array.concat(
		[["spec", "storage", "size"], ["spec", "walStorage", "size"]],
		[["spec", "tablespaces", i, "storage", "size"] | some i, _ in get.list(cnpg.spec, "tablespaces")],
	)
	size := get.string(k8s.object, path)
	quantity.malformed(size)
}

found contains {
	"path": ["spec", "tablespaces", i, "storage"],
	"reason": sprintf("tablespace %s has no size", [name]),
	"cure": "Write storage.size",
} if {
	some i, tablespace in get.list(cnpg.spec, "tablespaces")
	name := get.string(tablespace, "name")
	not get.present(tablespace, ["storage", "size"])
	not get.present(tablespace, ["storage", "pvcTemplate"])
	is_object(object.get(tablespace, "storage", {}))
}

# validateRecoveryTarget
found contains {
	"path": array.concat(target_path, ["targetLSN"]),
	"reason": sprintf("targetLSN is \"%s\", which is no position in the WAL", [lsn]),
	"cure": "Write two hexadecimal numbers, such as 16/B374D848",
} if {
	lsn := get.string(k8s.object, array.concat(target_path, ["targetLSN"]))
	lsn != ""
	not placeholder.holds(lsn)
	not regex.match(`^[0-9A-Fa-f]{1,8}/[0-9A-Fa-f]{1,8}$`, lsn)
}

found contains {
	"path": array.concat(target_path, ["targetTLI"]),
	"reason": sprintf("targetTLI is \"%s\"", [timeline]),
	"cure": "Write latest, or the number of a timeline in decimal digits",
} if {
	timeline := get.string(k8s.object, array.concat(target_path, ["targetTLI"]))
	not timeline in {"", "latest"}
	not placeholder.holds(timeline)
	not regex.match(`^\+?0*[1-9][0-9]*$`, timeline)
}

found contains {
	"path": array.concat(target_path, ["targetName"]),
	"reason": sprintf("targetName has %d characters, and PostgreSQL takes 63", [count(name)]),
	"cure": "Write the name of the restore point as it was made",
} if {
	name := get.string(k8s.object, array.concat(target_path, ["targetName"]))
	count(name) > 63
	not placeholder.holds(name)
}

# validatePrimaryLease, with its defaults; the client for leases refuses the same.
found contains {
	"path": lease_path("leaseDurationSeconds", "renewDeadlineSeconds"),
	"reason": sprintf("leaseDurationSeconds %s is not more than renewDeadlineSeconds %s", [get.shown(duration), get.shown(deadline)]),
	"cure": sprintf("Set leaseDurationSeconds to %s", [get.shown(ceil((deadline * 3) / 2))]),
} if {
	lease_written
	duration := lease("leaseDurationSeconds", 15)
	deadline := lease("renewDeadlineSeconds", 10)
	duration <= deadline
}

found contains {
	"path": lease_path("renewDeadlineSeconds", "retryPeriodSeconds"),
	"reason": sprintf("renewDeadlineSeconds %s is not more than 1.2 times retryPeriodSeconds %s", [get.shown(deadline), get.shown(period)]),
	"cure": "Lower retryPeriodSeconds",
} if {
	lease_written
	deadline := lease("renewDeadlineSeconds", 10)
	period := lease("retryPeriodSeconds", 2)
	5 * deadline <= 6 * period
}

lease_written if count(get.map(cnpg.spec, "primaryLease")) > 0

lease(field, otherwise) := number if {
	number := object.get(cnpg.spec, ["primaryLease", field], otherwise)
	is_number(number)
}

lease_path(first, second) := ["spec", "primaryLease", [field | some field in [first, second]; get.present(cnpg.spec, ["primaryLease", field])][0]]

# validateLDAP
found contains {
	"path": ["spec", "postgresql", "ldap"],
	"reason": "ldap names no server",
	"cure": "Write ldap.server",
} if {
	ldap := get.map(cnpg.spec, ["postgresql", "ldap"])
	count(ldap) > 0
	object.get(ldap, "server", "") == ""
}

# validateExternalCluster: the name becomes a directory.
found contains {
	"path": ["spec", "externalClusters", i, "name"],
	"reason": sprintf("%s is not a name for an external cluster, which has no \"/\"", [name]),
	"cure": "Write a name without it",
} if {
	some i, one in get.list(cnpg.spec, "externalClusters")
	name := get.string(one, "name")
	not placeholder.holds(name)
	regex.match(`[/\\]|^\.\.?$`, name)
}

# The definition of a Pooler has text there alone, and one word for what it leads to.
found contains {
	"path": ["spec", "pgbouncer", "parameters", name],
	"resource": k8s.reference(pooler),
	"reason": sprintf("%s of the Pooler is no text, which Kubernetes asks for", [name]),
	"cure": sprintf("Write %s: \"%s\"", [name, get.text(value)]),
} if {
	some pooler in own_poolers
	some name, value in get.map(pooler, ["spec", "pgbouncer", "parameters"])
	not is_string(value)
	not is_null(value)
	get.text(value)
}

found contains {
	"path": ["spec", "type"],
	"resource": k8s.reference(pooler),
	"reason": sprintf("type of the Pooler is \"%s\"", [word]),
	"cure": "Write rw, ro or r",
} if {
	some pooler in own_poolers
	word := get.string(pooler, ["spec", "type"])
	not placeholder.holds(word)
	not word in {"r", "ro", "rw"}
}

# validateRoles of the definition: PostgreSQL knows -1 for no limit.
found contains {
	"path": ["spec", "managed", "roles", i, "connectionLimit"],
	"reason": sprintf("connectionLimit of role %s is %s, which PostgreSQL refuses", [get.string(role, "name"), get.shown(limit)]),
	"cure": "Write -1 for no limit, or the number of connections",
} if {
	some i, role in get.list(cnpg.spec, ["managed", "roles"])
	limit := get.number(role, "connectionLimit")
	limit < -1
}

package walguard.operators.cnpg.webhook

import data.walguard.lib.get
import data.walguard.lib.image
import data.walguard.lib.k8s
import data.walguard.lib.placeholder
import data.walguard.lib.text
import data.walguard.operators.cnpg

was := get.map(k8s.old_object, "spec") if {
	cnpg.operator
	get.string(k8s.old_object, "apiVersion") == k8s.api_version
}

# validateUnixPermissionIdentifierChange
found contains {
	"path": ["spec", field],
	"reason": sprintf("%s goes from %v to %v, and it cannot be changed", [field, old, new]),
	"cure": "Write the old number, or make a new cluster for the image of another user and bring the data over",
} if {
	some field in ["postgresUID", "postgresGID"]
	old := object.get(was, field, 26)
	new := object.get(cnpg.spec, field, 26)
	is_number(old)
	is_number(new)
	old != new
}

# validateWalStorageChange, validateTablespacesChange
found contains {
	"path": ["spec"],
	"reason": "walStorage is taken away, and a cluster that has a volume for WAL keeps it",
	"cure": "Write walStorage again",
} if {
	get.present(was, "walStorage")
	not get.present(cnpg.spec, "walStorage")
}

found contains {
	"path": ["spec", "tablespaces"],
	"reason": sprintf("tablespace%s %s is taken away, and none can be", [{true: "", false: "s"}[count(gone) == 1], text.list(gone, "and")]),
	"cure": "Write it again, or move what is in it into a new cluster",
} if {
	kept := {get.string(one, "name") | some one in get.list(cnpg.spec, "tablespaces")}
	gone := sort([name | some one in get.list(was, "tablespaces"); name := get.string(one, "name"); not name in kept])
	count(gone) > 0
	count([1 | some name in kept; placeholder.holds(name)]) == 0
}

# validateConfigurationChange
found contains {
	"path": ["spec", "imageName"],
	"reason": sprintf("the image and %s change at once, which it does not take with primaryUpdateMethod switchover", [text.list(array.slice(changed, 0, 3), "and")]),
	"cure": "Change the image first and the parameters afterwards",
} if {
	get.string(cnpg.spec, "primaryUpdateMethod") == "switchover"
	get.string(was, "imageName") != get.string(cnpg.spec, "imageName")
	old := get.map(was, ["postgresql", "parameters"])
	new := get.map(cnpg.spec, ["postgresql", "parameters"])
	changed := sort([name | some name in (object.keys(old) | object.keys(new)); object.get(old, name, null) != object.get(new, name, null)])
	count(changed) > 0
}

# validateImageChange; what the data directory is of stands in the status, which an upgrade that failed has not changed.
found contains {
	"path": ["spec", "imageName"],
	"reason": sprintf("PostgreSQL %d becomes %d, and its pg_upgrade goes to 16 or a later one", [before_major, cnpg.major.value]),
	"cure": "Upgrade to 16 or later in one step",
} if {
	before_major < cnpg.major.value
	cnpg.major.value < 16
}

found contains {
	"path": ["spec", "imageName"],
	"reason": sprintf("PostgreSQL %d becomes %d, and no server reads the data of a later one", [of_data, cnpg.major.value]),
	"cure": sprintf("Take an image of %d; to go back, recover a backup of before into a new cluster", [of_data]),
} if {
	of_data > cnpg.major.value
}

of_data := get.number(k8s.old_object, ["status", "pgDataImageInfo", "majorVersion"]) if was

before_major := of_data

before_major := image.major(get.string(was, "imageName")) if not of_data

# validateReplicationSlotsChange
found contains {
	"path": ["spec", "replicationSlots"],
	"reason": "replicationSlots.highAvailability.slotPrefix changes while the slots are in use",
	"cure": "Disable highAvailability first, then enable it with the new prefix",
} if {
	prefix := ["replicationSlots", "highAvailability", "slotPrefix"]
	get.present(cnpg.spec, ["replicationSlots", "highAvailability"])
	get.boolean(was, ["replicationSlots", "highAvailability", "enabled"])
	get.string(was, prefix) != get.string(cnpg.spec, prefix)
}

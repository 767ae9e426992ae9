package walguard.operators.kubegres

import data.walguard.lib.cluster as shared
import data.walguard.lib.get
import data.walguard.lib.mount

# The operator mounts spec.volume as it stands there, and its pods have the securityContext of the resource. The image runs the server as a user of its own.
facts contains {"tls_key": at_home({"reason": "the key of the Secret is mounted with a mode that everybody may read", "cure": key_cure, "path": key_path, "certain": true})} if {
	key_mode % 8 > 0
}

facts contains {"tls_key": at_home({"reason": "the key of the Secret belongs to root and no fsGroup lets postgres read it", "cure": "Set spec.securityContext.fsGroup to the group of postgres (999; 70 in Alpine images)", "path": key_path, "certain": true})} if {
	key_mode % 8 == 0
	count({"fsGroup", "supplementalGroups", "runAsGroup", "runAsUser"} & object.keys(get.map(home, ["spec", "securityContext"]))) == 0
}

key_cure := "Set defaultMode: 0640 on the Secret's volume and spec.securityContext.fsGroup to the group of postgres (999; 70 in Alpine images)"

key_file := trim(get.text(shared.last_of(parameters, "ssl_key_file").value), "'") if shared.boolean(shared.last_of(parameters, "ssl").value)

key_mount := mount.above(key_file, own_mounts)

key_index := max([i | some i, volume in get.list(home, ["spec", "volume", "volumes"]); get.string(volume, "name") == key_mount.name])

key_path := ["spec", "volume", "volumes", key_index, "secret"]

key_mode := mount.secret_mode(object.get(home, key_path, null), key_mount.directory, key_file)

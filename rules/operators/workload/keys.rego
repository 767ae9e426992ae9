package walguard.operators.workload

import data.walguard.lib.cluster as shared
import data.walguard.lib.get
import data.walguard.lib.k8s

# A Secret among others in one volume.
key_mode := number if {
	projected := key_volume.volume.projected
	is_object(projected)
	wanted := trim_prefix(key_file, concat("", [mount_of(key_file).directory, "/"]))
	modes := [mode |
		some source in get.list(projected, "sources")
		some item in get.list(source, ["secret", "items"])
		get.string(item, "path") == wanted
		mode := get.number(item, "mode")
	]
	count([1 | some source in get.list(projected, "sources"); get.present(source, "secret")]) > 0
	number := array.concat(modes, [object.get(projected, "defaultMode", 420)])[0]
	is_number(number)
}

# Smallstep's autocert puts certificate and key into every container of a pod that names one in an annotation, and makes them readable for everybody unless another
# annotation says which mode they are to have (bootstrapper/bootstrapper.sh).
facts contains {"tls_key": {"reason": reason, "cure": sprintf("Annotate the pod with autocert.step.sm/owner: \"%d:%d\" and autocert.step.sm/mode: \"0600\"", [server_user, server_user]), "path": pod_annotations, "certain": true}} if {
	shared.boolean(tls_switch.value)
	startswith(key_file, "/var/run/autocert.step.sm/")
	not key_volume
	annotations := get.map(k8s.object, pod_annotations)
	get.string(annotations, "autocert.step.sm/name")
	reason := fault_of_autocert(annotations)
}

fault_of_autocert(annotations) := "autocert writes it with mode 0644, which everybody may read" if not get.present(annotations, "autocert.step.sm/mode")

fault_of_autocert(annotations) := sprintf("autocert writes it with mode %s, which others may read", [mode]) if {
	mode := get.string(annotations, "autocert.step.sm/mode")
	regex.match(`^0?[0-7](([1-7][0-7])|(0[1-7]))$`, mode)
	not mode in {"0640", "640", "0440", "440"}
}

pod_annotations := ["metadata", "annotations"] if k8s.kind == "Pod"

pod_annotations := ["spec", "template", "metadata", "annotations"] if k8s.kind != "Pod"

# Whom the official entrypoint becomes, unless the pod says another.
server_user := written_user if {
	written_user > 0
} else := 70 if {
	contains(get.string(container, "image"), "alpine")
} else := 999

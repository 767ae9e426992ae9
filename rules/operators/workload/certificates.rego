package walguard.operators.workload

import data.walguard.lib.cluster as shared
import data.walguard.lib.get
import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.lib.mount

# PostgreSQL wants a key that is its own with mode 0600 or less, or root's with 0640 or less (be-secure-common.c). Files of a Secret are
# root's; with fsGroup the group of the pod may read them.
facts contains {"tls_key": {"reason": "the key of the Secret is mounted with mode 0644, which everybody may read", "cure": "Set defaultMode: 0640 on the Secret's volume and securityContext.fsGroup to the group of postgres (999; 70 in Alpine images)", "path": key_volume.path, "certain": true}} if {
	key_mode == 420
}

facts contains {"tls_key": {"reason": "the key of the Secret is mounted with a mode that everybody may read", "cure": "Set defaultMode: 0640 on the Secret's volume and securityContext.fsGroup to the group of postgres (999; 70 in Alpine images)", "path": key_volume.path, "certain": true}} if {
	key_mode % 8 > 0
	key_mode != 420
}

facts contains {"tls_key": {"reason": "the key of the Secret belongs to root and no fsGroup lets postgres read it", "cure": "Set securityContext.fsGroup to the group of postgres (999; 70 in Alpine images)", "path": key_volume.path, "certain": true}} if {
	key_mode % 8 == 0
	not served_by_openshift
	not get.present(k8s.object, array.concat(pod_path, ["securityContext", "fsGroup"]))
	not get.present(k8s.object, array.concat(pod_path, ["securityContext", "supplementalGroups"]))
	not get.present(k8s.object, array.concat(pod_path, ["securityContext", "runAsGroup"]))
	not get.present(container, ["securityContext", "runAsGroup"])
}

# The entrypoint starts the server with the same options while it sets up the database, so that nothing can put the files there before.
facts contains {"tls_key": object.union({"reason": sprintf("ssl=on, and there is no %s in the new data directory", [missing_certificate]), "cure": "Mount a Secret with certificate and key, and name both in ssl_cert_file and ssl_key_file", "certain": true}, object.filter(tls_switch, ["path", "resource"]))} if {
	server.product.published
	as_it_comes
	by_entrypoint
	not somewhere
	not key_file
	shared.boolean(tls_switch.value)
	not startswith(missing_certificate, "/")
	count([1 | some mounted in mounts; startswith(mounted.directory, concat("", [directory, "/"]))]) == 0
}

tls_switch := shared.last_of(parameters, "ssl") if layout in {"docker", "bitnami"}

missing_certificate := trim(shared.last_of(parameters, "ssl_cert_file").value, "'")

missing_certificate := "server.crt" if not shared.last_of(parameters, "ssl_cert_file")

key_file := trim(get.text(found[count(found) - 1].value), "'") if {
	found := [setting | some setting in parameters; get.lower_case(setting.name) == "ssl_key_file"]
	count(found) > 0
}

# The Secret of OpenShift's service CA: OpenShift gives the pod a group of its namespace, as fsGroup.
served_by_openshift if {
	secret := get.string(key_volume.volume, ["secret", "secretName"])
	some service in inventory.list(k8s.namespace, "v1", "Service")
	some stage in ["alpha", "beta"]
	get.string(service, ["metadata", "annotations", sprintf("service.%s.openshift.io/serving-cert-secret-name", [stage])]) == secret
}

key_volume := volumes[mount_of(key_file).name] if startswith(key_file, "/")

key_mode := mount.secret_mode(key_volume.volume.secret, mount_of(key_file).directory, key_file)

# METADATA
# description: |
#   Object stores that run in the cluster: whether the Service behind an endpoint speaks TLS, as far as manifests in sight say. MinIO takes its certificate from public.crt in
#   --certs-dir, ~/.minio/certs otherwise, and without one it speaks HTTP on the same port.
# related_resources:
#   - https://min.io/docs/minio/linux/operations/network-encryption.html
package walguard.lib.store

import data.walguard.lib.get
import data.walguard.lib.inventory
import data.walguard.lib.placeholder

# METADATA
# description: |
#   {"name", "namespace", "number"?, "service"} of an endpoint without its scheme ("minio.store.svc:9000") that is the Service of a cluster in sight, seen from a
#   namespace. Undefined otherwise.
service(endpoint, namespace) := object.union(
	{"name": found[1], "namespace": home, "service": one},
	{"number": to_number(found[3]) | found[3] != ""},
) if {
	not placeholder.holds(endpoint)
	found := regex.find_all_string_submatch_n(`^([a-z0-9-]+)(?:\.([a-z0-9-]+)(?:\.svc(?:\.cluster\.local)?)?)?(?::([0-9]+))?/?$`, endpoint, 1)[0]
	home := {true: namespace, false: found[2]}[found[2] == ""]
	one := inventory.namespaced_object(home, "v1", "Service", found[1])
	not get.string(one, ["spec", "externalName"])
	count(get.list(one, ["spec", "ports"])) > 0
}

# METADATA
# description: |
#   An endpoint in a form that can be compared with those of other namespaces: the name of a Service alone ("http://minio:9000") is that of the
#   namespace whose pods ask for it.
seen_from(namespace, endpoint) := sprintf("%s in %s", [endpoint, namespace]) if {
	is_string(endpoint)
	regex.match(`^(?:(?i:https?)://)?[A-Za-z0-9-]+(?::[0-9]+)?/?$`, endpoint)
} else := endpoint

# METADATA
# description: True where the Service has no such port.
without_port(found, number) if {
	ports := [get.number(port, "port") | some port in get.list(found.service, ["spec", "ports"])]
	count(ports) == count(get.list(found.service, ["spec", "ports"]))
	not number in ports
}

# METADATA
# description: True where what answers at a port of the Service speaks HTTP without TLS.
plain(found, number) if {
	port := [one | some one in get.list(found.service, ["spec", "ports"]); get.number(one, "port") == number][0]
	regex.match(`^http(-|$)`, object.get(port, "name", ""))
	count([1 | some pod in pods(found); encrypted(pod)]) == 0
	not get.present(found.service, ["metadata", "annotations", "service.beta.openshift.io/serving-cert-secret-name"])
}

# Of a name that says nothing the program itself has to say it.
plain(found, number) if {
	port := [one | some one in get.list(found.service, ["spec", "ports"]); get.number(one, "port") == number][0]
	not regex.match(`tls|https|ssl`, object.get(port, "name", ""))
	behind := pods(found)
	count(behind) > 0
	every pod in behind {
		serves_minio(pod)
		not encrypted(pod)
	}
}

serves_minio(pod) if {
	containers := get.list(pod, ["spec", "containers"])
	count(containers) == 1
	regex.match(`(^|/)minio:`, get.string(containers[0], "image"))
	all_in_sight(containers[0], get.list(pod, ["spec", "volumes"]))
}

all_in_sight(container, _) if count(get.list(container, "envFrom")) == 0

# Whatever a variable says, there is no file of a certificate.
all_in_sight(container, volumes) if {
	count(get.list(container, "envFrom")) > 0
	count([1 | some volume in volumes; some kind in ["secret", "configMap", "projected", "csi", "hostPath"]; get.present(volume, kind)]) == 0
}

# The templates of pods that the Service selects.
pods(found) := [template |
	wanted := get.map(found.service, ["spec", "selector"])
	count(wanted) > 0
	some kind in ["Deployment", "StatefulSet"]
	some workload in inventory.list(found.namespace, "apps/v1", kind)
	template := get.map(workload, ["spec", "template"])
	labels := get.map(template, ["metadata", "labels"])
	every key, value in wanted {
		labels[key] == value
	}
]

encrypted(pod) if regex.match(`certs-dir|https|HTTPS|tls|TLS|cert|--address`, json.marshal(pod.spec))

encrypted(pod) if placeholder.holds(json.marshal(pod.spec))

# METADATA
# description: |
#   What pods must reach of a store that is outside of every cluster, as "reaches" of walguard.model has it: by the names of the providers that people use. An endpoint of another name may be a
#   Service or an ingress, and "" is Amazon's own.
outside(endpoint) := {
	"ports": {port},
	"to": "outside",
	"host": host,
	"what": sprintf("the object store %s (port %d)", [host, port]),
	"consequence": "nothing is archived, backed up or restored",
} if {
	not placeholder.holds(endpoint)
	found := regex.find_all_string_submatch_n(`^(https?://)?([a-z0-9.-]+)(?::([0-9]+))?(?:/.*)?$`, get.lower_case(shown(endpoint)), 1)[0]
	host := found[2]
	regex.match(providers, host)
	port := port_of(found[1], found[3])
}

shown("") := "s3.amazonaws.com"

shown(endpoint) := endpoint if endpoint != ""

port_of("http://", "") := 80

port_of(scheme, "") := 443 if scheme != "http://"

port_of(_, written) := to_number(written) if written != ""

providers := `(^|\.)(amazonaws\.com|r2\.cloudflarestorage\.com|backblazeb2\.com|digitaloceanspaces\.com|wasabisys\.com|your-objectstorage\.com|linodeobjects\.com|scw\.cloud|cloud\.ovh\.(net|us)|googleapis\.com|core\.windows\.net|exo\.io|idrivee2\.com|vultrobjects\.com|aliyuncs\.com)$`

# METADATA
# description: |
#   [the host, what it is] of an endpoint to which no name with a bucket in front leads: an address has none, and the DNS of Kubernetes knows a Service by its own name alone.
bucketless(endpoint) := [host, "a Service"] if {
	host := host_of(endpoint)
	regex.match(`^[a-z0-9-]+(\.[a-z0-9-]+\.svc(\.cluster\.local)?)?$`, host)
	host != "localhost"
} else := [host, "an address"] if {
	host := host_of(endpoint)
	regex.match(`^[0-9]+(\.[0-9]+){3}$`, host)
}

host_of(endpoint) := regex.find_all_string_submatch_n(`^(?:https?://)?([a-z0-9.-]+)(?::[0-9]+)?/?$`, endpoint, 1)[0][1]

# METADATA
# description: What R2 of Cloudflare refuses of a key ("Credential access key has length 27, should be 32"), given the endpoint and where the key stands; "reason", "cure" and "level" as in store_refusals of walguard.model.
key_of_r2(endpoint, key, place) := {
	"reason": sprintf("R2 refuses access keys of %d characters (\"should be 32\"), as %s has it: nothing is archived or backed up", [count(key), place]),
	"cure": "Write the Access Key ID of its token",
	"level": "error",
} if {
	regex.match(`^(https?://)?([a-z0-9-]+\.)+r2\.cloudflarestorage\.com([:/]|$)`, get.lower_case(endpoint))
	count(key) != 32

	# No word that somebody replaces.
	regex.match(`^[A-Za-z0-9]{16,}$`, key)
	regex.match(`[0-9]`, key)
	not regex.match(`(?i)example|access|secret|change|replace|your|dummy|test|xxx|placeholder`, key)
}

# METADATA
# description: |
#   pgBackRest's key-type "auto" asks the node (169.254.169.254) for a role, and only "web-id" reads the token that EKS gives the pods of an account with one (src/storage/s3/storage.c); "reason" and "cure" as in
#   store_refusals of walguard.model. The node may have a role of its own that suffices.
asks_the_node(option, annotations, account) := {
	"reason": sprintf("%s=auto asks the node for its role, and the one of %s (eks.amazonaws.com/role-arn) is read with web-id alone: unless the node may use the bucket, nothing is archived or backed up", [option, account]),
	"cure": "Write web-id",
	"level": "warning",
} if {
	regex.match(`^repo[0-9]*-s3-key-type$`, option)
	get.string(annotations, "eks.amazonaws.com/role-arn") != ""
}

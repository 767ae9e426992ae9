# METADATA
# description: Keys of Secrets and ConfigMaps that an object asks for and that they do not have.
package walguard.lib.keys

import data.walguard.lib.get
import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.lib.placeholder

# METADATA
# description: |
#   {"kind", "name", "key", "keys": those it has} where an object of the namespace under review lacks a key. Undefined where it has it, where it
#   is not in sight or empty, and where a controller or a later step may fill it in.
lacking(kind, name, key) := {"kind": kind, "name": name, "key": key, "keys": sort(keys)} if {
	not placeholder.holds(name)
	not placeholder.holds(key)
	found := inventory.namespaced_object(k8s.namespace, "v1", kind, name)
	keys := object.keys(get.map(found, "data")) | object.keys(get.map(found, fields[kind]))
	count(keys) > 0
	not key in keys
	count([1 | some one in keys; placeholder.unknown(one)]) == 0
	not filled(found)
}

# METADATA
# description: |
#   The same where a Secret in sight has no data at all, and nobody is seen who fills it in: it is of no type of a controller's, has no annotations, labels or owner that speak of one, and is not of a live cluster,
#   where the next moment may change it. "keys" is empty then.
hollow(name, key) := {"kind": "Secret", "name": name, "key": key, "keys": []} if {
	not placeholder.holds(name)
	not placeholder.holds(key)
	inventory.versions(k8s.namespace)
	found := inventory.namespaced_object(k8s.namespace, "v1", "Secret", name)
	count(get.map(found, "data")) == 0
	count(get.map(found, "stringData")) == 0
	count([1 | some field in ["data", "stringData"]; value := object.get(found, field, {}); value != {}; value != null]) == 0
	object.get(found, "type", "Opaque") == "Opaque"
	count({mark | some mark, _ in get.map(found, ["metadata", "annotations"])} - of_kubectl) == 0
	count(get.list(found, ["metadata", "ownerReferences"])) == 0
	not filled(found)
	not made_by_another(name)
}

of_kubectl := {"kubectl.kubernetes.io/last-applied-configuration", "meta.helm.sh/release-name", "meta.helm.sh/release-namespace"}

# METADATA
# description: True where a custom resource of files is called so, or names the Secret as its target.
made_by_another(name) if {
	some version in inventory.versions(k8s.namespace)
	contains(version, ".")
	not regex.match(`^[a-z0-9.]+\.k8s\.io/|^monitoring\.coreos\.com/`, version)
	some kind in ["Certificate", "ExternalSecret", "InfisicalSecret", "OnePasswordItem", "Password", "SealedSecret", "SecretClaim", "VaultDynamicSecret", "VaultStaticSecret"]
	some one in inventory.list(k8s.namespace, version, kind)
	names(one, name)
}

names(one, name) if get.string(one, ["metadata", "name"]) == name

names(one, name) if {
	some path in [["spec", "target", "name"], ["spec", "secretName"], ["spec", "destination", "name"], ["spec", "managedSecretReference", "secretName"]]
	get.string(one, path) == name
}

# METADATA
# description: True of an object that a controller fills in, or copies to other namespaces.
filled(found) if {
	some field in ["annotations", "labels"]
	some mark, _ in get.map(found, ["metadata", field])
	regex.match(filling, mark)
}

fields := {"Secret": "stringData", "ConfigMap": "binaryData"}

# kubernetes-replicator, reflector, secret-generator, sealed-secrets' patches, Vault's and other injectors.
filling := `(?i)replicat|reflect|generat|patch|inject|vault|external|mirror`

# METADATA
# description: What a container's environment asks for, at a path of the object under review.
of_environment(path, container) := [object.union(found, {"path": array.concat(path, ["env", i, "valueFrom", field]), "consequence": "the container is not created"}) |
	some i, variable in get.list(container, "env")
	some field, kind in {"secretKeyRef": "Secret", "configMapKeyRef": "ConfigMap"}
	reference := get.map(variable, ["valueFrom", field])
	object.get(reference, "optional", false) != true
	found := lacks(kind, get.string(reference, "name"), get.string(reference, "key"))
]

lacks(kind, name, key) := lacking(kind, name, key)

lacks("Secret", name, key) := hollow(name, key)

# METADATA
# description: |
#   Variables of a container whose key of a Secret or a ConfigMap has a character that no key has, so that the API server takes no such object: {"variable", "holder": of the key, "mark": the first of them,
#   "path"}. The key itself is often what should be its value, and is not repeated.
refused(path, container) := [{"variable": get.string(variable, "name"), "holder": sprintf("%s %s", [kind, get.string(reference, "name")]), "mark": mark, "path": array.concat(path, ["env", i, "valueFrom", field, "key"])} |
	some i, variable in get.list(container, "env")
	some field, kind in {"secretKeyRef": "Secret", "configMapKeyRef": "ConfigMap"}
	reference := get.map(variable, ["valueFrom", field])
	key := get.string(reference, "key")
	not placeholder.holds(key)
	not regex.match(`[$%{}<>]`, key)
	mark := regex.find_n(`[^-._a-zA-Z0-9]`, key, 1)[0]
]

# METADATA
# description: What the items of the volumes of a pod ask for, at the path of its spec in the object under review.
of_volumes(path) := of_pod(path, get.map(k8s.object, path))

# METADATA
# description: The same of the pod that another object of the namespace makes, at the path of its spec there.
of_pod(path, pod) := [object.union(found, {"path": array.concat(path, ["volumes", i, field, "items", k, "key"]), "consequence": "the pod does not start"}) |
	some i, volume in get.list(pod, "volumes")
	some [field, kind, key] in [["secret", "Secret", "secretName"], ["configMap", "ConfigMap", "name"]]
	source := get.map(volume, field)
	object.get(source, "optional", false) != true
	some k, item in get.list(source, "items")
	found := lacking(kind, get.string(source, key), get.string(item, "key"))
]

# METADATA
# description: The same of the Secret of a certificate, which cert-manager may fill.
of_certificate(name, key) := lacking("Secret", name, key)

of_certificate(name, "ca.crt") := without_root(name)

# METADATA
# description: |
#   The same of ca.crt in a Secret that cert-manager fills from an authority by ACME, which gives it a chain and no certificate of its root. Undefined where the Issuer is not in sight, unless it is called
#   after Let's Encrypt.
# related_resources:
#   - https://cert-manager.io/docs/configuration/acme/
#   - https://github.com/CrunchyData/postgres-operator/issues/3272
# custom:
#   kinds:
#     - {group: cert-manager.io, versions: [v1], kind: Issuer, plural: issuers, namespaced: true, role: support, served: false}
#     - {group: cert-manager.io, versions: [v1], kind: ClusterIssuer, plural: clusterissuers, namespaced: false, role: support, served: false}
without_root(name) := {"kind": "Secret", "name": name, "key": "ca.crt", "keys": ["tls.crt", "tls.key"], "cure": "Let an Issuer with a CA of its own issue the Certificate"} if {
	not placeholder.holds(name)
	made := [one | some one in inventory.list(k8s.namespace, "cert-manager.io/v1", "Certificate"); get.string(one, ["spec", "secretName"]) == name]
	count(made) == 1
	by_acme(get.map(made[0], ["spec", "issuerRef"]))

	# Something that writes a root into it as well.
	not inventory.namespaced_object(k8s.namespace, "v1", "Secret", name)
}

by_acme(asked) if get.present(issuer(asked), ["spec", "acme"])

by_acme(asked) if {
	not issuer(asked)
	regex.match(`^lets-?encrypt\b`, get.string(asked, "name"))
	object.get(asked, "group", "cert-manager.io") == "cert-manager.io"
}

issuer(asked) := inventory.namespaced_object(k8s.namespace, "cert-manager.io/v1", "Issuer", get.string(asked, "name")) if object.get(asked, "kind", "Issuer") == "Issuer"

issuer(asked) := inventory.cluster_object("cert-manager.io/v1", "ClusterIssuer", get.string(asked, "name")) if asked.kind == "ClusterIssuer"

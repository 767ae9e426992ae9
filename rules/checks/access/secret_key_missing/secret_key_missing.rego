# METADATA
# title: A Secret or ConfigMap lacks the key that is asked for
# description: |
#   A container whose environment or volume names a key that its Secret does not have is not created: "CreateContainerConfigError: couldn't find key
#   postgres-password in Secret". It happens when a chart expects other names than the Secret has that somebody made. Operators ask for keys too:
#
#   - CloudNativePG creates no cluster whose owner's Secret has no username and password, archives nothing without the keys of its object store, and signs no
#     certificates with a CA whose Secret has no ca.key, as those of cert-manager have none. What a managed role, an ObjectStore, an external cluster, a certificate or a
#     Pooler that it sets up names must be there too; queries of metrics are left out without theirs, and PMM without its token (warnings).
#   - Crunchy's and Percona's operators mount tls.crt, tls.key and ca.crt of a custom certificate. What cert-manager gets by ACME (Let's Encrypt) has no ca.crt.
#   - StackGres archives nothing without the keys of its SGObjectStorage.
#
#   A file of a ConfigMap or a Secret has the name of its key: config_file and hba_file of a plain server, below its mount, name one of them, or the server stops at
#   "could not access the server configuration file". Of a subPath that is no key the kubelet makes an empty directory in the volume, and mounts it in the place of the file (a warning; an error where the server
#   looks for postgresql.conf).
#
#   A Secret without any data, which nobody is seen to fill in, has none of them.
#
#   POSTGRES_PASSWORD_FILE below the mount of a Secret names one of them too, as Bitnami's chart has it since 16.0.0. It asks for postgres-password beside the password of auth.username unless enablePostgresUser is false.
#
#   An ExternalSecret or a SealedSecret that writes all the keys is read like the Secret. Silent where none of them is among the files, and where somebody else fills the Secret in.
# related_resources:
#   - https://kubernetes.io/docs/concepts/configuration/secret/#using-secrets-as-environment-variables
#   - https://github.com/schemahero/schemahero/pull/681
#   - https://cloudnative-pg.io/documentation/current/certificates/#user-provided-certificates-mode
#   - https://github.com/cloudnative-pg/cloudnative-pg/issues/2542
#   - https://github.com/ionfury/homelab/pull/430
#   - https://github.com/cloudnative-pg/cloudnative-pg/issues/8836
#   - https://github.com/bitnami/charts/issues/33690
# custom:
#   severity: error
#   since: 0.1.0
#   remediation: Add the key to the Secret, or name the one that it has.
#   sources: []
package walguard.checks.access.secret_key_missing

import data.walguard.lib.finding
import data.walguard.lib.get
import data.walguard.lib.text
import data.walguard.model

# Keys that one object asks one Secret for are told of together, where the first of them is asked for.
findings contains f if {
	references := get.list(model.cluster, "missing_keys")
	some i, reference in references
	alike := [j | some j, other in references; object.remove(other, ["key", "path"]) == object.remove(reference, ["key", "path"])]
	alike[0] == i
	asked := [references[j].key | some j in alike]
	absent := [key | some k, key in asked; not key in array.slice(asked, 0, k)]
	f := graded(reference, sprintf("%s %s has no %s (it has %s): %s. %s.", [
		reference.kind,
		reference.name,
		lacking(absent),
		there(reference.keys),
		reference.consequence,
		object.get(reference, "cure", amends[count(absent) > 1]),
	]))
}

graded(reference, message) := finding.at(reference, message) if not reference.level

graded(reference, message) := finding.with_severity(finding.at(reference, message), reference.level) if reference.level

amends := {false: "Add the key, or name the right one", true: "Add the keys, or name the right ones"}

lacking(keys) := sprintf("key %s", [keys[0]]) if count(keys) == 1

lacking(keys) := sprintf("keys %s", [there(keys)]) if count(keys) > 1

# Of many keys the first, which are not all.
there([]) := "no data at all"

there(keys) := text.list(keys, "and") if {
	count(keys) > 0
	count(keys) <= 6
}

there(keys) := text.list(array.concat(array.slice(keys, 0, 5), [sprintf("%d more", [count(keys) - 5])]), "and") if count(keys) > 6

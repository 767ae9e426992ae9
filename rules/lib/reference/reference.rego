# METADATA
# description: |
#   Names of objects that are not where they are looked for, though they, or one of nearly the same name, are in sight: in another namespace, or with a slip of the pen. What is
#   not in sight at all is unknown.
package walguard.lib.reference

import data.walguard.lib.get
import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.lib.keys
import data.walguard.lib.placeholder

# METADATA
# description: |
#   What is wrong with a name by which the object under review means another one of its namespace: {"reason", "cure", "level"?} as in walguard.model, unresolved. `asked`: {"what": who names
#   it, "version", "kind", "name", "consequence": one clause}; `taken`: names that are meant elsewhere, none of which this one was to be. Undefined where nothing is known to be wrong.
lost(asked, taken) := fault if {
	not placeholder.holds(asked.name)
	not inventory.namespaced_object(k8s.namespace, asked.version, asked.kind, asked.name)
	fault := fault_of(asked, taken)
}

fault_of(asked, taken) := {
	"reason": sprintf("%s names %s %s, which is not there, while %s is: %s", [asked.what, asked.kind, asked.name, meant, asked.consequence]),
	"cure": sprintf("Write %s", [meant]),
} if {
	meant := near(asked, taken)
} else := object.union(
	{
		"reason": sprintf("%s looks for %s %s in namespace %s, and it is in %s: %s", [asked.what, asked.kind, asked.name, k8s.namespace, elsewhere, asked.consequence]),
		"cure": sprintf("Create it in %s", [k8s.namespace]),
	},
	doubt(asked, elsewhere),
) if {
	elsewhere := other_home(asked)
}

# A Secret of a file that nothing in sight copies is missing; what else there is may be made where it is wanted.
doubt(asked, elsewhere) := {} if {
	asked.kind == "Secret"
	placeholder.honoured
	not is_copied(inventory.namespaced_object(elsewhere, asked.version, asked.kind, asked.name))
} else := {"level": "warning"}

# METADATA
# description: True of an object that something copies into other namespaces, or where something in sight copies whatever it is told to.
is_copied(object) if regex.match(copying, json.marshal(object))

is_copied(_) if {
	some [version, kind] in [
		["kyverno.io/v1", "ClusterPolicy"], ["kyverno.io/v2beta1", "ClusterPolicy"], ["policies.kyverno.io/v1alpha1", "GeneratingPolicy"],
		["external-secrets.io/v1", "ClusterExternalSecret"], ["external-secrets.io/v1beta1", "ClusterExternalSecret"], ["external-secrets.io/v1alpha1", "PushSecret"],
	]
	count(inventory.in_all_files(version, kind)) > 0
}

# Annotations of kubernetes-replicator, reflector, kubed and mirrors.
copying := `replicat(e|or)\.v1\.mittwald|reflector\.v1\.k8s\.emberstack|appscode\.com/sync|mirrors?\.kts\.studio`

near(asked, taken) := candidates[0] if {
	letters := count(asked.name)
	candidates := [name |
		some name, _ in inventory.by_name(k8s.namespace, asked.version, asked.kind)

		# The cheap test that most do not pass.
		abs(count(name) - letters) <= 1
		not name in taken
		slip(asked.name, name)
	]
	count(candidates) == 1
}

# Whose namespace is not written goes where the one who applies it says.
other_home(asked) := elsewhere if {
	get.string(k8s.object, ["metadata", "namespace"])
	not placeholder.holds(k8s.namespace)
	homes := inventory.holders(asked.version, asked.kind, asked.name)
	count(homes) == 1
	some elsewhere in homes
	not placeholder.holds(elsewhere)
	found := inventory.namespaced_object(elsewhere, asked.version, asked.kind, asked.name)
	not keys.filled(found)

	# What is encrypted in a file is applied by a controller, which may put it into a namespace of its own choice.
	not get.present(found, "sops")
	not used_there(elsewhere)
	not made_by_another(asked)
}

# Somebody in that namespace may be whom it is for, whatever else has the same name.
used_there(namespace) if {
	some [version, kind] in [
		[k8s.api_version, k8s.kind],
		["apps/v1", "Deployment"], ["apps/v1", "StatefulSet"], ["apps/v1", "DaemonSet"],
		["batch/v1", "CronJob"], ["batch/v1", "Job"], ["v1", "Pod"],
	]
	count(inventory.by_name(namespace, version, kind)) > 0
}

# Secrets that a controller makes of something of another kind.
made_by_another(asked) if {
	asked.kind == "Secret"
	some [version, kind, path] in [
		["cert-manager.io/v1", "Certificate", ["spec", "secretName"]],
		["external-secrets.io/v1", "ExternalSecret", ["spec", "target", "name"]],
		["external-secrets.io/v1", "ExternalSecret", ["metadata", "name"]],
		["external-secrets.io/v1beta1", "ExternalSecret", ["spec", "target", "name"]],
		["external-secrets.io/v1beta1", "ExternalSecret", ["metadata", "name"]],
		["bitnami.com/v1alpha1", "SealedSecret", ["metadata", "name"]],
	]
	some made in inventory.list(k8s.namespace, version, kind)
	get.string(made, path) == asked.name
}

# METADATA
# description: |
#   True of two names of which the one is a slip of the pen: the words or the letters in another order, or one letter more, less or another one in a word of at least four.
#   Digits tell one object from the other, and so does a word of one letter.
slip(name, other) if {
	name != other
	sort(split(name, "-")) == sort(split(other, "-"))
}

slip(name, other) if {
	name != other
	count(name) == count(other)
	regex.replace(name, `[^0-9]`, "") == regex.replace(other, `[^0-9]`, "")
	sort(split(name, "")) == sort(split(other, ""))
}

slip(name, other) if {
	count(name) == count(other) + 1
	one_more(name, other)
}

slip(name, other) if {
	count(other) == count(name) + 1
	one_more(other, name)
}

slip(name, other) if {
	name != other
	count(name) == count(other)
	some i in numbers.range(0, count(name) - 1)
	without(name, i) == without(other, i)
	within_word(name, i)
	within_word(other, i)
}

one_more(longer, shorter) if {
	some i in numbers.range(0, count(longer) - 1)
	without(longer, i) == shorter
	within_word(longer, i)
}

without(name, i) := concat("", [substring(name, 0, i), substring(name, i + 1, -1)])

# A letter of a word of at least four.
within_word(name, i) if {
	regex.match(`[a-z]`, substring(name, i, 1))
	before := split(substring(name, 0, i), "-")
	after := split(substring(name, i, -1), "-")
	count(before[count(before) - 1]) + count(after[0]) >= 4
}

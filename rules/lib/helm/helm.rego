# METADATA
# description: What Helm makes of the objects of a release, and in which order (https://helm.sh/docs/topics/charts_hooks).
package walguard.lib.helm

import data.walguard.lib.get

# METADATA
# description: The annotation that makes an object a hook.
hook := "helm.sh/hook"

# METADATA
# description: The labels that charts write the name of a release into.
release_labels := ["app.kubernetes.io/instance", "release"]

# METADATA
# description: The hooks that an object is ("pre-install,pre-upgrade"). Undefined for one that is none.
hooks(object_) := get.string(object_, ["metadata", "annotations", hook])

# METADATA
# description: True of an object that is made before everything of its release that is no hook, with the install ending when it has.
before_install(object_) if regex.match(`\bpre-install\b`, hooks(object_))

# METADATA
# description: The weight of a hook. Those of a lower one are made before.
weight(object_) := to_number(written) if {
	written := get.string(object_, ["metadata", "annotations", "helm.sh/hook-weight"])
	regex.match(`^-?[0-9]+$`, written)
} else := 0

# METADATA
# description: The release that the labels of both objects name. Undefined where they do not.
common_release(one, other) := [value |
	some label in release_labels
	value := get.string(one, ["metadata", "labels", label])
	value != ""
	get.string(other, ["metadata", "labels", label]) == value
][0]

# METADATA
# description: |
#   What Patroni keeps of its configuration in a ConfigMap, where it is told to (KUBERNETES_USE_CONFIGMAPS): the annotation "config" of the one that is called after its
#   scope, whose parameters every server of the scope takes. Patroni writes it once; whoever may write ConfigMaps may change it.
# related_resources:
#   - https://patroni.readthedocs.io/en/latest/kubernetes.html
package walguard.lib.dcs

import data.walguard.lib.get
import data.walguard.lib.inventory
import data.walguard.lib.k8s

# METADATA
# description: The parameters in it, for walguard.model's "parameters", where it is in sight.
parameters(scope) := [{"name": name, "value": value, "path": ["metadata", "annotations", "config"], "resource": k8s.reference(found)} |
	found := inventory.namespaced_object(k8s.namespace, "v1", "ConfigMap", sprintf("%s-config", [scope]))
	text := get.string(found, ["metadata", "annotations", "config"])
	json.is_valid(text)
	some name, value in get.map(json.unmarshal(text), ["postgresql", "parameters"])
]

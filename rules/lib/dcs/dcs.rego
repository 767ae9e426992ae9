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
import data.walguard.lib.script

# METADATA
# description: The parameters in it, for walguard.model's "parameters", where it is in sight.
parameters(scope) := [object.union({"name": name, "value": value}, one.place) |
	some one in kept(scope)
	some section in ["parameters", "recovery_conf"]
	some name, value in get.map(one.configuration, ["postgresql", section])
	not recovers(section, name)
]

# Of these people write in recovery_conf what it is for.
recovers("recovery_conf", name) if regex.match(`^(recovery_.*|restore_command|archive_cleanup_command|primary_conninfo|primary_slot_name|(promote_)?trigger_file|standby_mode|pause_at_recovery_target)$`, name)

# METADATA
# description: What in it brings a file or programs that set others, for walguard.model's "unread".
unread(scope) := [object.union({"source": sprintf("what Patroni runs or reads by its ConfigMap %s", [one.place.resource.name]), "severity": severity(one.text)}, one.place) |
	some one in kept(scope)
	brings(one)
]

brings(one) if get.present(one.configuration, ["postgresql", "custom_conf"])

brings(one) if script.sets(json.marshal(object.remove(one.configuration, ["postgresql"])))

brings(one) if script.sets(json.marshal(object.remove(get.map(one.configuration, "postgresql"), ["parameters"])))

severity(text) := "warning" if script.dangerous(text)

severity(text) := inventory.unread if not script.dangerous(text)

# METADATA
# description: True of an object in which Patroni keeps its configuration.
keeps(o) if {
	text := get.string(o, ["metadata", "annotations", "config"])
	json.is_valid(text)
	count(get.map(json.unmarshal(text), "postgresql")) > 0
}

# METADATA
# description: The parameters in the object under review.
own_parameters := [{"name": name, "value": value, "path": place} |
	some section in ["parameters", "recovery_conf"]
	some name, value in get.map(own_configuration, ["postgresql", section])
	not recovers(section, name)
]

# METADATA
# description: What in the object under review brings a file or programs that set others.
own_unread := [{"source": "what Patroni runs or reads by this configuration", "path": place, "severity": severity(json.marshal(own_configuration))} | brings({"configuration": own_configuration})]

own_configuration := json.unmarshal(get.string(k8s.object, place)) if keeps(k8s.object)

place := ["metadata", "annotations", "config"]

kept(scope) := [{"text": text, "configuration": configuration, "place": {"path": ["metadata", "annotations", "config"], "resource": k8s.reference(found)}} |
	found := inventory.namespaced_object(k8s.namespace, "v1", "ConfigMap", sprintf("%s-config", [scope]))
	text := get.string(found, ["metadata", "annotations", "config"])
	json.is_valid(text)
	configuration := json.unmarshal(text)
	is_object(configuration)
]

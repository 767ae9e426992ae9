package walguard.operators.workload

import data.walguard.lib.cluster as shared
import data.walguard.lib.fact
import data.walguard.lib.get
import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.lib.login
import data.walguard.lib.patroni

facts contains {"commit_wait": object.union({"value": 1, "origin": "written", "relax": "synchronous_mode_strict: false"}, object.filter(place_of_all, ["path", "resource"]))} if {
	[text_, place_of_all] := patroni_said
	get.lower_case(patroni.setting(text_, "synchronous_mode")) in {"true", "on", "yes", "quorum"}
	get.lower_case(patroni.setting(text_, "synchronous_mode_strict")) in {"true", "on", "yes"}
}

facts contains {"patroni_timing": timing} if {
	given := {name: object.union(fact.written(number, patroni_file.path), object.filter(patroni_file, ["resource"])) |
		some name in ["ttl", "loop_wait", "retry_timeout"]
		number := to_number(patroni.setting(patroni_text, name))
	}
	count(given) > 0
	place_of_all := object.filter(patroni_file, ["path", "resource"])
	timing := object.union(
		{name: object.union({"value": number, "origin": "operator"}, place_of_all) | some name, number in {"ttl": 30, "loop_wait": 10, "retry_timeout": 10}},
		given,
	)
}

# METADATA
# description: |
#   The StatefulSet of the primary that this one's servers stream from, as Bitnami's image is told by its environment and its chart
#   names it: the Service of the primary has the name of its StatefulSet.
primary_object := found if {
	standby
	host := first_of(["POSTGRESQL_MASTER_HOST", "POSTGRES_MASTER_HOST"]).value
	found := inventory.namespaced_object(k8s.namespace, "apps/v1", "StatefulSet", split(host, ".")[0])
}

facts contains {"primary": {"object": primary_object, "path": array.concat(container_path, ["env"])}} if primary_object

# The configuration names it by its Service, or by the name of a StatefulSet behind one.
facts contains {"primary": {"object": named_primary, "path": container_path}} if named_primary

named_primary := found[0] if {
	not primary_object
	said := shared.last_of(parameters, "primary_conninfo")
	host := split(regex.find_all_string_submatch_n(`(?:^|[\s'])host=([A-Za-z0-9][A-Za-z0-9.-]*)`, get.text(said.value), 1)[0][1], ".")[0]
	wanted := get.map(inventory.namespaced_object(k8s.namespace, "v1", "Service", host), ["spec", "selector"])
	count(wanted) > 0
	found := [made |
		some kind in ["StatefulSet", "Deployment"]
		some made in inventory.list(k8s.namespace, "apps/v1", kind)
		get.string(made, ["metadata", "name"]) != k8s.name
		carried := get.map(made, ["spec", "template", "metadata", "labels"])
		count([1 | some label, value in wanted; carried[label] == value]) == count(wanted)
	]
	count(found) == 1
}

facts contains {"follows": fact.written(true, array.concat(container_path, ["env"]))} if primary_object

facts contains {"passwords": found} if {
	server
	found := [object.union({"name": name, "path": value_path(variable)}, object.filter(variable, ["resource"])) |
		some name, variable in variables
		endswith(name, "PASSWORD")
		name != "ALLOW_EMPTY_PASSWORD"
		not kept_in_secret(variable)
		login.literal(variable.value)
	]
	count(found) > 0
}

kept_in_secret(variable) if variable.resource.kind == "Secret"

# METADATA
# description: What several operators write alike – claims, resources, maps of parameters, versions – read into the forms of walguard.model.
package walguard.lib.cluster

import data.walguard.lib.archive
import data.walguard.lib.fact
import data.walguard.lib.get
import data.walguard.lib.placeholder
import data.walguard.lib.quantity

# METADATA
# description: What Patroni has to reach where Kubernetes keeps its leader (patroni/dcs/kubernetes.py); see "reaches" of walguard.model.
patroni_reaches(instances) := array.concat(
	[{
		"ports": {443, 6443, 8443, 16443},
		"to": "api",
		"what": "the API server (port 443, often 6443 behind it)",
		"consequence": "Patroni keeps its leader there, and no instance becomes primary",
	}],
	[{"ports": {5432}, "to": "instances", "what": "the other instances (port 5432)", "consequence": "standbys cannot stream"} | instances > 1],
)

# METADATA
# description: |
#   A map of parameters as the list that walguard.model wants. Values stay as they are written: what is no scalar is judged too.
parameters(parent, path) := [{"name": name, "value": value, "path": array.concat(path, [name])} |
	some name, value in get.map(parent, path)
]

# METADATA
# description: The spec of a PersistentVolumeClaim at a path as a volume of walguard.model. Undefined when there is no map.
claim(parent, path) := volume(path, array.concat(path, ["resources", "requests", "storage"]), array.concat(path, ["storageClassName"]), [
	located(parent, path, claim_fields),
	many_nodes(parent, path),
]) if {
	is_object(object.get(parent, path, null))
}

# METADATA
# description: |
#   "many" of a volume: where a claim at a path asks for a filesystem that several nodes may mount at once; "mixed" where it asks for ReadWriteOncePod and something else.
many_nodes(parent, path) := object.union(
	{"many": modes |
		modes := array.concat(path, ["accessModes"])
		"ReadWriteMany" in get.list(parent, modes)
		object.get(parent, array.concat(path, ["volumeMode"]), "Filesystem") == "Filesystem"
	},
	{"mixed": modes |
		modes := array.concat(path, ["accessModes"])
		given := get.list(parent, modes)
		"ReadWriteOncePod" in given
		count({mode | some mode in given} & {"ReadWriteOnce", "ReadWriteMany", "ReadOnlyMany"}) > 0
	},
)

claim_fields := {
	"size": ["resources", "requests", "storage"],
	"class": ["storageClassName"],
	"attributes_class": ["volumeAttributesClassName"],
	"volume_name": ["volumeName"],
	"selector": ["selector"],
}

# METADATA
# description: A volume of what was found (see located; of two places the later one wins), and where to write what was not.
volume(path, size_path, class_path, found) := object.union_n(array.concat(
	[{"path": path, "size_path": size_path, "class_path": class_path}],
	found,
))

# METADATA
# description: |
#   The fields of a volume that are written below a path, each with its own path: {"size": "10Gi", "size_path": [...], ...}.
#   fields: {field of the volume: path below}. A class may be "" (static provisioning); a size is text or a number.
located(parent, path, fields) := object.union_n([{field: value, concat("", [field, "_path"]): at} |
	some field, below in fields
	at := array.concat(path, below)
	value := placeholder.resolved(object.get(parent, at, null))
	readable(field, value)
])

readable("class", value) if is_string(value)

readable("size", value) if is_number(value)

readable(field, value) if {
	field != "class"
	is_string(value)
	value != ""
}

readable("selector", value) if {
	is_object(value)
	count(value) > 0
}

# METADATA
# description: The name of an item of a list, or its position where it has none.
name_or(item, _) := get.string(item, "name")

name_or(item, i) := sprintf("%d", [i]) if not get.string(item, "name")

# METADATA
# description: |
#   The load balancers that an operator makes, as "balancers" of walguard.model: of each the path of a map with "type" and "loadBalancerSourceRanges", and that of its annotations.
balancers(parent, places) := [{"balancer": "The load balancer", "path": place, "service": {"metadata": {"annotations": get.map(parent, annotations)}, "spec": get.map(parent, place)}} |
	some [place, annotations] in places
	get.string(parent, array.concat(place, ["type"])) == "LoadBalancer"
]

# METADATA
# description: |
#   True of a Service of type LoadBalancer whose balancer is a pod that joins a private network (Tailscale's operator and those like it): no address of the internet leads there, and
#   connections come from that pod.
by_private_network(service) if contains(get.lower_case(get.string(service, ["spec", "loadBalancerClass"])), "tailscale")

# METADATA
# description: |
#   True of a Service of type LoadBalancer that is meant for a private network: by its annotations, its address, or a balancer of somebody's own machines, which gives what addresses its administrator has.
private_balancer(service) if by_private_network(service)

private_balancer(service) if {
	some key, value in get.map(service, ["metadata", "annotations"])
	regex.match(`internal|intranet|private|disable-public`, lower(sprintf("%s=%v", [key, value])))
	not endswith(sprintf("%v", [value]), "false")
}

# What is filled in later may say so.
private_balancer(service) if {
	some _, value in get.map(service, ["metadata", "annotations"])
	placeholder.unknown(value)
}

private_balancer(service) if {
	some key, _ in get.map(service, ["metadata", "annotations"])
	regex.match(`(^|[./])(metallb\.|lbipam\.cilium\.|io\.cilium/|cilium\.io/|kube-vip\.|purelb\.|openelb\.)`, key)
}

private_balancer(service) if {
	some address in array.concat([ip | ip := get.string(service, ["spec", "loadBalancerIP"])], [get.string(given, "ip") | some given in get.list(service, ["status", "loadBalancer", "ingress"])])
	regex.match(`^(10\.|192\.168\.|172\.(1[6-9]|2[0-9]|3[01])\.|100\.(6[4-9]|[7-9][0-9]|1[01][0-9]|12[0-7])\.)`, address)
}

# METADATA
# description: How many clients a pooler takes, in words; written is false for a default.
pooler_limit(name, each, copies, written) := sprintf("%s%s %d%s", [times(copies), name, each, {true: "", false: " by default"}[written]])

times(copies) := "" if copies == 1

times(copies) := sprintf("%d × ", [copies]) if copies != 1

# METADATA
# description: True of ranges of addresses none of which a packet comes from.
from_nowhere(ranges) if {
	count(ranges) > 0
	every range in ranges {
		regex.match(`^\s*(127(\.[0-9]+){3}/(8|9|[1-3][0-9])|0\.0\.0\.0/32|::1/128)\s*$`, range)
	}
}

# METADATA
# description: Container resources as {"requests", "limits"}, both maps.
resources(parent, path) := {
	"requests": get.map(parent, array.concat(path, ["requests"])),
	"limits": get.map(parent, array.concat(path, ["limits"])),
}

# METADATA
# description: A number as a written fact; text that is a whole number counts. Undefined for everything else.
number_at(parent, path) := fact.written(value, path) if value := whole(object.get(parent, path, null))

# METADATA
# description: |
#   A whole number, from a number or from text of bare digits. Undefined for the rest, and beyond 10^15, where engines begin to
#   count in floating point.
whole(value) := number if {
	is_number(value)
	value <= 1000000000000000
	value >= -1000000000000000
	value == floor(value)

	# 3.0 is 3, which OPA can print as one.
	number := floor(value)
}

whole(value) := number if {
	is_string(value)
	count(value) <= 15
	number := quantity.whole(value)
} else := number if {
	text := placeholder.default_of(value)
	count(text) <= 15
	number := quantity.whole(text)
}

# METADATA
# description: The major version that a version ("17.5.0", "16", 15) begins with; undefined when that is no PostgreSQL major.
major(version) := number if {
	number := quantity.whole(leading_digits(placeholder.resolved(version)))
	number >= 9
	number < 100
}

major(version) := version if {
	is_number(version)
	version == floor(version)
	version >= 9
	version < 100
}

leading_digits(version) := substring(version, 0, count(version) - count(trim_left(version, quantity.digits)))

# METADATA
# description: |
#   A boolean as PostgreSQL reads it from text: on, off, true, false, yes, no, 1, 0 in any case, and every beginning of them
#   that means one thing only. JSON booleans are booleans. Undefined for the rest.
boolean(value) := value if is_boolean(value)

boolean(value) if {
	is_string(value)
	get.lower_case(placeholder.resolved(value)) in {"on", "t", "tr", "tru", "true", "y", "ye", "yes", "1"}
}

boolean(value) := false if {
	is_string(value)
	get.lower_case(placeholder.resolved(value)) in {"of", "off", "f", "fa", "fal", "fals", "false", "n", "no", "0"}
}

# METADATA
# description: |
#   What the parameters themselves say of WAL archiving, as a fact: "off" with archive_mode off, "discards" with a command that
#   succeeds and does nothing, "on" with another one. Undefined when they say nothing. Of two of a name the last one counts.
archiving(parameters) := object.union(entry_fact(mode), {"value": "off"}) if {
	mode := last_of(parameters, "archive_mode")
	boolean(mode.value) == false
}

archiving(parameters) := object.union(entry_fact(command), {"value": archived_by(command.value)}) if {
	not switched_off(parameters)
	command := last_of(parameters, "archive_command")
}

switched_off(parameters) if boolean(last_of(parameters, "archive_mode").value) == false

last_of(parameters, name) := found[count(found) - 1] if {
	found := [p | some p in parameters; get.lower_case(p.name) == name]
	count(found) > 0
}

entry_fact(entry) := object.union({"origin": "written", "path": entry.path}, object.filter(entry, ["resource"]))

archived_by(command) := "discards" if archive.does_nothing(command)

# Of a command that succeeds when it fails nobody knows what it keeps.
archived_by(command) := "on" if {
	is_string(command)
	command != ""
	not archive.does_nothing(command)
	not archive.hides_errors(command)
}

# METADATA
# description: The local directory that an archive_command copies segments to, '/archive' of 'cp %p /archive/%f'. Undefined when there is none.
archive_directory(command) := found[count(found) - 1][1] if {
	is_string(command)
	found := regex.find_all_string_submatch_n(`(?:^|[\s'"=])(/[A-Za-z0-9._/-]*[A-Za-z0-9._-])/['"]?%f`, regex.replace(command, `\s-[defrs]\s+\S+`, ""), -1)
	count(found) > 0
}

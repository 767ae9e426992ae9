package walguard.model.traffic

import data.walguard.lib.cluster as shared
import data.walguard.lib.get
import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.lib.login
import data.walguard.model

all_balancers := array.concat(get.list(model.cluster, "balancers"), [{"balancer": sprintf("Service %s", [get.string(service, ["metadata", "name"])]), "path": ["spec"], "service": service, "resource": k8s.reference(service)} | some service in balancers])

# METADATA
# description: |
#   Load balancers of the cluster that let in nobody, [{"balancer": in words, "ranges": the addresses that it lets in, as they are written, "path", "resource"?, "cure": sentence without the full stop}].
closed_balancers := [object.union(
	{"balancer": one.balancer, "ranges": concat(", ", ranges), "path": place, "cure": object.get(one, "cure", "Write the addresses of the clients")},
	object.filter(one, ["resource"]),
) |
	some one in all_balancers
	[place, ranges] := ranges_of(one)
	shared.from_nowhere(ranges)
]

# METADATA
# description: |
#   Load balancers through which the whole internet reaches the server, [{"balancer": in words, "reason": why its address is public, "path", "resource"?}]: what they let in is not limited, neither there
#   nor by a NetworkPolicy, and an annotation or the cloud of the volumes says that the address is one of the internet.
open_balancers := [object.union({"balancer": one.balancer, "reason": public_by(one.service)[0], "path": place}, object.filter(one, ["resource"])) |
	count(closing) == 0
	some one in all_balancers
	to_server(get.list(one.service, ["spec", "ports"]))
	place := place_of_all(one)
	not shared.private_balancer(one.service)
	count(public_by(one.service)) > 0
]

# METADATA
# description: |
#   Roles of an operator's whose Secret among the files has a password that attackers try first, and a load balancer that lets in everybody: {"role", "secret", "balancer": in words, "path", "resource"}.
guessable := [{"role": known.role, "secret": known.secret, "balancer": one.balancer, "path": login.path_of(secret, "password"), "resource": k8s.reference(secret)} |
	not inventory.served
	count(closing) == 0
	one := [found |
		some found in all_balancers
		to_server(get.list(found.service, ["spec", "ports"]))
		place_of_all(found)
		not shared.private_balancer(found.service)
	][0]
	some known in array.concat(get.list(model.cluster, "logins"), [{"role": role.name, "secret": name} | some role in get.list(model.cluster, "roles"); some name in role.secrets])
	secret := inventory.namespaced_object(k8s.namespace, "v1", "Secret", known.secret)
	get.lower_case(trim_space(login.field(secret, "password"))) in login.tried_first
]

# Where it says that everybody may come, or does not say who.
place_of_all(one) := place if {
	[place, ranges] := ranges_of(one)
	some range in ranges
	regex.match(`^\s*(0\.0\.0\.0|::)/0\s*$`, range)
}

place_of_all(one) := array.concat(one.path, ["type"]) if {
	not ranges_of(one)
	not get.present(one.service, ["spec", "loadBalancerSourceRanges"])
	not get.unknown(one.service, ["metadata", "annotations"])
}

ranges_of(one) := [object.get(one, "ranges_path", array.concat(one.path, ["loadBalancerSourceRanges"])), ranges] if {
	ranges := get.list(one.service, ["spec", "loadBalancerSourceRanges"])
	count(ranges) > 0
}

# The annotation of before the field.
ranges_of(one) := [["metadata", "annotations", annotation], split(get.string(one.service, ["metadata", "annotations", annotation]), ",")] if {
	count(get.list(one.service, ["spec", "loadBalancerSourceRanges"])) == 0
	annotation := "service.beta.kubernetes.io/load-balancer-source-ranges"
}

# An operator's are for PostgreSQL or its pooler.
to_server([])

to_server(ports) if {
	some port in ports
	regex.match(`\b(5432|6432)\b|postgres|pgbouncer`, sprintf("%v %v %v", [object.get(port, field, "") | some field in ["name", "port", "targetPort"]]))
}

# A live cluster's inventory has only annotations that rules know by name, and what keeps a balancer private has many: the cloud says nothing there.
public_by(service) := array.concat(
	[sprintf("%s: %s", [split(key, "/")[1], value]) |
		some key, value in public_annotations
		get.string(service, ["metadata", "annotations", key]) == value
	],
	[sprintf("public by default in %s", [cloud]) |
		not inventory.served
		some _, volume in model.volumes
		some cloud in clouds_of(volume)
	],
)

public_annotations := {
	"service.beta.kubernetes.io/alibaba-cloud-loadbalancer-address-type": "internet",
	"service.beta.kubernetes.io/aws-load-balancer-scheme": "internet-facing",
}

# Clouds whose balancers have an address of the internet unless an annotation says otherwise, by the driver of their disks.
public_clouds := {
	"block.csi.vultr.com": "Vultr",
	"csi.hetzner.cloud": "Hetzner Cloud",
	"disk.csi.azure.com": "Azure",
	"diskplugin.csi.alibabacloud.com": "Alibaba Cloud",
	"dobs.csi.digitalocean.com": "DigitalOcean",
	"linodebs.csi.linode.com": "Linode",
	"pd.csi.storage.gke.io": "Google Cloud",
}

# A class that is not among the files, by the name that the provider gives it.
clouds_of(volume) := [public_clouds[volume.provisioner]] if volume.provisioner

clouds_of(volume) := [cloud | some name, cloud in public_classes; regex.match(sprintf(`^(%s)$`, [name]), volume.class_name)] if not volume.provisioner

public_classes := {
	"alicloud-disk-[a-z0-9-]+": "Alibaba Cloud",
	"do-block-storage(-retain|-xfs|-xfs-retain)?": "DigitalOcean",
	"hcloud-volumes": "Hetzner Cloud",
	"linode-block-storage(-retain)?": "Linode",
	"managed-csi(-premium)?": "Azure",
	"vultr-block-storage(-hdd)?(-retain)?": "Vultr",
	"(standard|premium)-rwo": "Google Cloud",
}

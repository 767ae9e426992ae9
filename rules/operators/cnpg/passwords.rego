package walguard.operators.cnpg

import data.walguard.lib.environment
import data.walguard.lib.files
import data.walguard.lib.get
import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.lib.placeholder
import data.walguard.lib.workloads

# Programs that log in as the owner of the database, and the Secret that they take the password from.
clients_of_owner := [{"kind": made.kind, "name": made.name, "secret": one.secret, "resource": made.resource, "path": array.concat(made.path, array.concat([list, c], one.below))} |
	not placeholder.unknown(owner)
	not placeholder.unknown(k8s.name)
	some made in workloads.lasting
	some list in ["containers", "initContainers"]
	some c, container in get.list(made.pod, list)
	of_secrets := taken_from_secrets(container)
	count(of_secrets) > 0
	values := object.union(environment.values(container), object.union_n([{one.name: one.text} | some one in of_secrets; one.text]))
	some one in of_secrets
	takes_owner(values, one)
]

taken_from_secrets(container) := array.concat(
	[object.union({"name": get.string(variable, "name"), "secret": secret, "below": ["env", i]}, {"text": text | text := texts_of(secret)[get.string(variable, ["valueFrom", "secretKeyRef", "key"])]}) |
		some i, variable in get.list(container, "env")
		secret := get.string(variable, ["valueFrom", "secretKeyRef", "name"])
	],
	[{"name": concat("", [object.get(whole, "prefix", ""), key]), "secret": secret, "below": ["envFrom", i], "text": text} |
		some i, whole in get.list(container, "envFrom")
		secret := get.string(whole, ["secretRef", "name"])
		some key, text in texts_of(secret)
	],
)

# What stands in a Secret, or in the template that a controller makes one of. What somebody fills in may be the password that the operator generates.
texts_of(name) := {key: text |
	some key, text in object.union_n(array.concat(
		[{entry.key: entry.text | some entry in files.entries(found); not placeholder.holds(entry.text)} | found := inventory.namespaced_object(k8s.namespace, "v1", "Secret", name)],
		[get.map(made, path) |
			some [version, kind, path] in [
				["external-secrets.io/v1", "ExternalSecret", ["spec", "target", "template", "data"]],
				["external-secrets.io/v1beta1", "ExternalSecret", ["spec", "target", "template", "data"]],
				["bitnami.com/v1alpha1", "SealedSecret", ["spec", "template", "data"]],
			]
			some made in inventory.list(k8s.namespace, version, kind)
			object.get(made, ["spec", "target", "name"], get.string(made, ["metadata", "name"])) == name
		],
	))
	is_string(text)
}

takes_owner(values, one) if logs_in(values, one.name)

# The whole address.
takes_owner(_, one) if {
	found := regex.find_all_string_submatch_n(`^postgres(?:ql)?(?:\+[a-z0-9]+)?://([^:@/]+):.+@([^:/?@]+)(?::[0-9]+)?(?:[/?]|$)`, one.text, 1)[0]
	means_owner(found[1])
	own_host(found[2])
}

means_owner(name) if name == owner

# What a store says may be anybody of those who can log in, of whom there is one.
means_owner(name) if {
	regex.match(`^\{\{[^}]+\}\}$`, name)
	initialised
	not get.present(spec, ["bootstrap", "initdb", "import"])
	object.get(spec, "enableSuperuserAccess", false) == false
	{role | some role in roles_made} == {"postgres", "streaming_replica", owner}
	not made_by_script("role|user")
}

# The variable stands for the password in an address, or beside the host and the user.
logs_in(values, name) if {
	some _, value in values
	found := regex.find_all_string_submatch_n(`^postgres(?:ql)?(?:\+[a-z0-9]+)?://([^:@/]+):\$\(([A-Za-z0-9_]+)\)@([^:/?]+)`, value, 1)[0]
	[filled_in(values, found[1]), found[2]] == [owner, name]
	own_host(found[3])
}

# Kubernetes fills in a variable of the container.
filled_in(values, written) := object.get(values, trim(written, "$()"), written)

logs_in(values, name) if {
	regex.match(`(?i)pass(word|wd)?$`, name)
	prefix := regex.replace(name, `(?i)_?(pg|db|database|postgres)?_?pass(word|wd)?$`, "")
	some other, value in values
	means_owner(value)
	regex.match(`(?i)user(name)?$`, other)
	startswith(other, prefix)
	some host, address in values
	regex.match(`(?i)host(name)?$`, host)
	startswith(host, prefix)
	own_host(address)
}

own_host(address) if {
	parts := split(address, ".")
	parts[0] in {sprintf("%s-%s", [k8s.name, suffix]) | some suffix in ["rw", "ro", "r"]}
	array.concat(parts, [k8s.namespace])[1] == k8s.namespace
}

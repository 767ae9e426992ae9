# METADATA
# description: |
#   Addresses of the cluster, postgresql://user:password@host/database, that no program can read, since the password has characters which end its part of a URI. Secrets that say
#   one and name a host of the cluster, and variables and commands of workloads that put one together from the password in a Secret.
# related_resources:
#   - https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-CONNSTRING-URIS
#   - https://www.rfc-editor.org/rfc/rfc3986#section-3.2
# custom:
#   kinds:
#     - {group: k8s.keycloak.org, versions: [v2beta1, v2alpha1], kind: Keycloak, plural: keycloaks, namespaced: true, role: support, served: false}
package walguard.model.addresses

import data.walguard.lib.client
import data.walguard.lib.get
import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.lib.login
import data.walguard.lib.placeholder
import data.walguard.lib.workloads
import data.walguard.model

# METADATA
# description: '[{"mark": the character, "path", "resource"}]'
broken := array.concat(array.concat(written, spelt_out), array.concat(composed, half_encoded))

hosts := {host | some host in get.list(model.cluster, "hosts"); host != ""}

secrets := inventory.list(model.cluster.namespace, "v1", "Secret") if count(hosts) > 0

# The part before the first "/", "?" or "#" is user, password and host: without an "@" in it, and with one behind that a host of the cluster follows, the password goes on.
written := [{"mark": mark, "path": [field, key], "resource": k8s.reference(secret)} |
	some secret in secrets
	some field in ["stringData", "data"]
	some key, _ in get.map(secret, field)
	address := login.field(secret, key)
	startswith(address, "postgres")
	mark := mark_in(address)
]

# In a variable itself.
spelt_out := [{"mark": mark, "path": array.concat(one.path, ["value"]), "resource": one.resource} |
	some one in client_variables
	address := get.string(one.variable, "value")
	startswith(address, "postgres")
	not placeholder.holds(address)
	not contains(address, "$")
	not contains(address, "{{")
	mark := mark_in(address)
]

# A "%" in the password that begins no number, which most programs refuse; those that are known to are told of elsewhere.
half_encoded := [{"mark": "%", "path": array.concat(one.path, ["value"]), "resource": one.resource} |
	some one in client_variables
	address := get.string(one.variable, "value")
	not placeholder.holds(address)
	client.mark_of(address) == "%"
	not client.cannot_read(one.container, "%")
	some match in regex.find_all_string_submatch_n(`@([A-Za-z0-9-]+)[.:/?]`, concat("", [address, "/"]), -1)
	match[1] in hosts
]

# SQLAlchemy, whose addresses name a driver, reads a password up to the "@" (sqlalchemy/engine/url.py).
mark_in(address) := parts[2] if {
	parts := regex.find_all_string_submatch_n(`^postgres(?:ql)?://([^/?#]*)([/?#])(.*)$`, trim_space(address), 1)[0]
	not at_home(parts[1])

	# User and what a password begins with, and not a host with its port.
	regex.match(`^[^:]+:`, parts[1])
	not regex.match(`^[^:]+:[0-9]+$`, parts[1])
	count([1 |
		some match in regex.find_all_string_submatch_n(`@([A-Za-z0-9-]+)[.:/?]`, concat("", [parts[3], "/"]), -1)
		match[1] in hosts
	]) > 0
}

# An "@" of the password's own, behind which no host of the cluster stands.
at_home(before) if {
	contains(before, "@")
	not regex.match(`@[a-z0-9]{1,5}$`, before)
}

at_home(before) if regex.replace(before, `^.*@`, "") in hosts

# Kubernetes puts the password in for $(NAME), and a shell for $NAME.
composed := [{"mark": mark, "path": array.concat(one.path, said.at), "resource": one.made.resource} |
	count(hosts) > 0
	some one in workloads.containers
	known_here := client.texts(one.container)
	some said in array.concat(known_here, client.words(one.container))
	count({"configMapKeyRef", "envFrom", "secretKeyRef"} & {step | some step in said.at}) == 0
	some match in regex.find_all_string_submatch_n(`postgres(?:ql)?(\+[a-z0-9]+)?://[^@/?#\s]*:\$(?:\(([A-Za-z0-9_]+)\)|\{?([A-Za-z_][A-Za-z0-9_]*)\}?)@`, said.text, 1)
	put_in(match[3], said, one.container)
	some source in known_here
	source.name == concat("", [match[2], match[3]])
	not placeholder.holds(source.text)
	mark := substring(regex.find_n(ending(match[1], one.container), source.text, 1)[0], 0, 1)
]

# Unless it is put into another form before.
put_in("", _, _)

put_in(name, said, container) if {
	said.at[0] != "env"
	name != ""
	not contains(said.text, sprintf("%s=", [name]))
	some word in client.words(container)
	regex.match(`^(\S*/)?(ba|da|a)?sh$`, word.text)
}

# libpq takes the first "@" or "/" for the end of the password (conninfo_uri_parse_options of fe-connect.c), SQLAlchemy the last "@"; a "%" begins two hexadecimal digits.
ending(driver, _) := `@|%([^0-9A-Fa-f]|.[^0-9A-Fa-f]|.?$)` if driver != ""

ending("", container) := concat("", [{true: "[/@]", false: "[/?#@]"}[by_libpq(container)], `|%([^0-9A-Fa-f]|.[^0-9A-Fa-f]|.?$)`])

by_libpq(container) := regex.match(`\b(psql|pg_dump|pg_dumpall|pg_isready|pg_restore|pg_basebackup)\b`, concat(" ", [word.text | some word in client.words(container)]))

# METADATA
# description: |
#   Addresses of the cluster with an sslmode that libpq and its kin do not know, in Secrets and in variables of Deployments, StatefulSets, Jobs and CronJobs: {"mode", "path", "resource"}.
modes := [object.union({"mode": mode}, object.remove(one, ["text"])) |
	some one in array.concat(texts_of_secrets, texts_of_variables)
	some match in regex.find_all_string_submatch_n(`^(?:jdbc:)?postgres(?:ql)?(?:\+[a-z0-9]+)?://(?:[^@\s]*@)?([A-Za-z0-9-]+)[^?\s]*\?(?:[^\s]*&)?sslmode=([A-Za-z0-9_-]+)(?:&|$)`, trim_space(one.text), 1)
	match[1] in hosts
	mode := match[2]

	# The last is node-postgres's.
	not mode in {"disable", "allow", "prefer", "require", "verify-ca", "verify-full", "no-verify"}
]

# METADATA
# description: 'Secrets whose value is an address of the cluster and ends with a line break, where a variable takes it as it is: {"secret", "key", "path", "resource"}.'
line_breaks := [{"secret": name, "key": key, "path": one.path, "resource": one.resource} |
	some one in references
	secret := inventory.namespaced_object(model.cluster.namespace, "v1", "Secret", one.secret)
	name := one.secret
	key := one.key
	login.broken(secret, key)
	some match in regex.find_all_string_submatch_n(`^(?:jdbc:)?postgres(?:ql)?(?:\+[a-z0-9]+)?://(?:[^@\s]*@)?([A-Za-z0-9-]+)`, login.field(secret, key), 1)
	match[1] in hosts
]

texts_of_secrets := [{"text": address, "path": [field, key], "resource": k8s.reference(secret)} |
	some secret in secrets
	some field in ["stringData", "data"]
	some key, _ in get.map(secret, field)
	address := login.field(secret, key)
	contains(address, "sslmode=")
]

texts_of_variables := [{"text": value, "path": array.concat(one.path, ["value"]), "resource": one.resource} |
	some one in client_variables
	value := get.string(one.variable, "value")
	contains(value, "sslmode=")
]

references := [{"secret": get.string(reference, "name"), "key": get.string(reference, "key"), "path": array.concat(one.path, ["valueFrom", "secretKeyRef"]), "resource": one.resource} |
	some one in client_variables
	reference := get.map(one.variable, ["valueFrom", "secretKeyRef"])
	count(reference) > 0
]

client_variables := [{"client": one.made.words, "variable": variable, "container": one.container, "path": array.concat(one.path, ["env", k]), "resource": one.made.resource} |
	count(hosts) > 0
	some one in workloads.calling
	some k, variable in get.list(one.container, "env")
]

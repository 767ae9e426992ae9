package walguard.operators.workload

import data.walguard.lib.files
import data.walguard.lib.get
import data.walguard.lib.image
import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.lib.placeholder
import data.walguard.lib.workloads

# Kubernetes tells each container of the Services of its namespace that have an address: of Service postgres by POSTGRES_PORT=tcp://10.0.0.1:5432 among others, unless the pod says
# enableServiceLinks: false. A variable that is written for the container goes before it, and one of the image does not (pkg/kubelet/envvars, kubelet_pods.go).
linked_clients := [{
	"client": one.made.words,
	"reason": sprintf("reads %s, which is tcp://… of Service %s (Kubernetes sets it unless enableServiceLinks is false) and no port", [variable, name]),
	"cure": sprintf("Set %s to \"5432\", or enableServiceLinks: false", [variable]),
	"level": "error",
	"path": one.path,
	"resource": one.made.resource,
} |
	some service in published_services
	object.get(service, ["spec", "clusterIP"], "") != "None"
	object.get(service, ["spec", "type"], "") != "ExternalName"
	name := get.string(service, ["metadata", "name"])
	variable := sprintf("%s_PORT", [get.upper_case(replace(name, "-", "_"))])
	some one in workloads.containers
	workloads.beside(one.made)
	reads_linked(one, variable)
	object.get(one.made.pod, "enableServiceLinks", true) == true
	not variable in names_given(one.container)
	count([1 | some source in get.list(one.container, "envFrom"); not in_hand(source)]) == 0
]

# Those of the server, or of whichever server a client by itself asks for.
published_services := services if server

published_services := inventory.list(k8s.namespace, "v1", "Service") if client_alone

reads_linked(one, variable) if reads_port(one.container, variable)

# A file of its settings, such as Backstage's, which no container of the pod fills in.
reads_linked(one, variable) if {
	some file in files.mounted(one.container, get.list(one.made.pod, "volumes"))
	contains(file.text, sprintf("${%s}", [variable]))
	every other in array.concat(get.list(one.made.pod, "containers"), get.list(one.made.pod, "initContainers")) {
		not variable in names_given(other)
	}
}

# Its own words, where they do not take it to pieces or give it a value.
reads_port(one, variable) if {
	text_of := concat("\n", array.concat(
		[word | some field in ["command", "args"]; some word in get.list(one, field); is_string(word)],
		[value | some said_variable in get.list(one, "env"); value := get.string(said_variable, "value")],
	))
	regex.match(sprintf(`\$(%s\b|\{%s(\}|:?[-=?])|\(%s\))`, [variable, variable, variable]), text_of)
	not regex.match(sprintf(`\$\{%s[#%%/]|\b%s=|tcp://`, [variable, variable]), text_of)
}

# Images whose scripts take the port from it.
reads_port(one, variable) if {
	variable == port_of_image(get.string(one, "image"))
	own_script(one)
	not placeholder.holds(get.string(one, "image"))
}

# The entrypoint, or the script that it would run.
own_script(one) if not get.present(one, ["command"])

own_script(one) if regex.match(`^((ba)?sh /?backup\.sh|/backup(-scripts/backups)?\.sh)$`, concat(" ", [word | some field in ["command", "args"]; some word in get.list(one, field); is_string(word)]))

# The entrypoint of the distribution on WildFly takes it for DB_PORT, whatever that says (set_legacy_vars of 4.5 to 7.0); later ones look for another name.
port_of_image(reference) := "POSTGRES_PORT" if {
	image.repository(reference) == "docker.io/jboss/keycloak"
	regex.match(`^(4\.[5-8]|[5-7])\.`, image.tag(reference))
} else := ports_of_images[image.name(reference)]

ports_of_images := {
	# env.sh, and the variable of the Dockerfile.
	"pg-backup": "POSTGRES_PORT",
	"postgres-backup-local": "POSTGRES_PORT",
	"postgres-backup-s3": "POSTGRES_PORT",
}

# The port that its own pod means it to listen on.
port_meant(container, "PGBOUNCER_PORT", _) := ports[0] if {
	ports := [port | some one in get.list(container, "ports"); port := object.get(one, "containerPort", 0); is_number(port)]
	count(ports) == 1
} else := 6432

port_meant(_, variable, usual) := usual if variable != "PGBOUNCER_PORT"

# PgBouncer's: edoburu's writes port=${DB_PORT:-5432}, Bitnami's waits for POSTGRESQL_PORT, and refuses a PGBOUNCER_PORT that is no number.
linked_poolers := [{
	"reason": sprintf("PgBouncer reads %s, which Kubernetes sets to tcp://… since there is Service %s: %s", [variable, name, outcome]),
	"cure": sprintf("Set %s to \"%v\", or enableServiceLinks: false in its pod", [variable, port_meant(one.container, variable, usual)]),
	"level": "error",
	"path": one.path,
	"resource": k8s.reference(one.made),
} |
	some one in pooling
	some [publisher, variable, usual, outcome] in [
		[`(^|/)edoburu/pgbouncer$`, "DB_PORT", "5432", "it finds no server"],
		[`(^|/)bitnami(legacy|secure)?/pgbouncer$`, "POSTGRESQL_PORT", "5432", "it finds no server"],
		[`(^|/)bitnami(legacy|secure)?/pgbouncer$`, "PGBOUNCER_PORT", "6432", "it stops at \"invalid port\""],
	]
	regex.match(publisher, image.repository(get.string(one.container, "image")))
	not get.present(one.container, ["command"])
	object.get(one.made, ["spec", "template", "spec", "enableServiceLinks"], true) == true
	not variable in names_given(one.container)
	not sprintf("%s_FILE", [variable]) in names_given(one.container)
	count([1 | some source in get.list(one.container, "envFrom"); not in_hand(source)]) == 0
	name := get.lower_case(replace(trim_suffix(variable, "_PORT"), "_", "-"))
	service := inventory.namespaced_object(k8s.namespace, "v1", "Service", name)
	object.get(service, ["spec", "clusterIP"], "") != "None"
	object.get(service, ["spec", "type"], "") != "ExternalName"
]

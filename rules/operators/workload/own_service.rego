package walguard.operators.workload

import data.walguard.lib.cluster as shared
import data.walguard.lib.get
import data.walguard.lib.k8s
import data.walguard.lib.workloads

# Containers beside the only server that ask for it by its own Service, which leads to pods that are ready, and the pod is ready when each of its containers is; see lost_clients of walguard.model.
by_own_service := [object.union(
	{
		"client": sprintf("Container %s", [one.named]),
		"reason": sprintf("asks for the server of its own pod by Service %s, which leads to ready pods alone, and its %s %s", [asked.host, one.waits.probe, one.waits.words]),
		"outcome": "neither becomes ready",
		"cure": "Write 127.0.0.1",
		"path": asked.path,
	},
	{"level": "error" | one.waits.certain},
) |
	count(lone_services) > 0
	some one in companions_of_server
	asked := hosts_of_companion(one)[0]
]

# An init container that waits for the server which starts after it.
before_own_service := [{
	"client": sprintf("Init container %s", [get.string(one, "name")]),
	"reason": sprintf("waits for Service %s, behind which nothing but the server of this pod is, and that starts after it", [host]),
	"outcome": "the pod never starts",
	"cure": "Remove the init container",
	"level": "error",
	"path": array.concat(pod_path, ["initContainers", i, field]),
} |
	count(lone_services) > 0
	some i, one in get.list(k8s.object, array.concat(pod_path, ["initContainers"]))
	object.get(one, "restartPolicy", "") != "Always"
	[field, line] := script_of(one)
	some match in regex.find_all_string_submatch_n(`\b(?:until|while)\b[^\n]*?\b(?:pg_isready\b[^\n;|&]*?(?:-h\s*|--host[= ])|nc\s+(?:-[a-z]+\s+)*(?:-w\s*[0-9]+\s+)?)["']?([a-z][a-z0-9.-]*)["']?(?:\s[^\n;|&]*)?[;|&\n]`, line, 1)
	for_the_server(line, match[0])
	not regex.match(`\bbreak\b|\bexit\b|\btimeout\b`, line)
	leads_home(match[1])
	host := split(match[1], ".")[0]
	host in lone_services
]

# Those that lead to the pods of this server alone, and to none that is not ready.
lone_services := [name |
	server
	k8s.kind in {"Deployment", "StatefulSet"}
	replicas_or_one == 1
	some service in services
	object.get(service, ["spec", "publishNotReadyAddresses"], false) == false
	wanted := get.map(service, ["spec", "selector"])
	count([1 | some made in workloads.all; not workloads.itself(made); fits(wanted, workloads.labels(made))]) == 0
	name := get.string(service, ["metadata", "name"])
]

companions_of_server := [{"container": one, "path": path, "named": shared.name_or(one, i), "waits": waits, "made": {"resource": k8s.reference(k8s.object)}} |
	some i, one in get.list(k8s.object, array.concat(pod_path, ["containers"]))
	path := array.concat(pod_path, ["containers", i])
	path != container_path
	waits := waiting_probe(one)
]

# A probe that asks the database itself, or, of a program other than postgres_exporter, which answers without, one that most likely does.
waiting_probe(one) := {"probe": probe, "words": "asks for the database", "certain": true} if {
	probe := [field |
		some field in ["readinessProbe", "startupProbe"]
		regex.match(`\bpg_up\b|\b(pg_isready|psql)\b.*\s(-h\s*|--host[= ])[^/\s1l]`, concat(" ", [word | some word in get.list(one, [field, "exec", "command"]); is_string(word)]))
	][0]
} else := {"probe": probe, "words": "may wait for the database", "certain": false} if {
	not regex.match(`export|metric|pgbouncer|pgpool|pgcat|odyssey|pgadmin|adminer|backup`, get.string(one, "image"))
	probe := [field | some field in ["readinessProbe", "startupProbe"]; get.present(one, [field, "httpGet"])][0]
}

hosts_of_companion(one) := [{"host": name, "path": known.path} |
	some known in array.concat(variables_known(one), sources_known(one))
	some host in hosts_of_variable(object.union(known, {"container": one.container}))
	leads_home(host)
	name := split(host, ".")[0]
	name in lone_services
]

hosts_of_variable(known) := [host.as_spelt | some host in hosts_in(known)] if known.name != "DATA_SOURCE_URI"

hosts_of_variable(known) := [regex.replace(known.value, `[:/?].*$`, "")] if known.name == "DATA_SOURCE_URI"

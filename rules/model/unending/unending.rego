# METADATA
# description: |
#   Jobs and CronJobs of clients whose work ends and whose pods do not, since a proxy runs on beside it: one of Cloud SQL or AlloyDB, or one of a mesh (walguard.lib.mesh). Those that dump are told of with the dumps.
package walguard.model.unending

import data.walguard.lib.client
import data.walguard.lib.get
import data.walguard.lib.mesh
import data.walguard.lib.workloads
import data.walguard.model
import data.walguard.model.dumps

# METADATA
# description: '[{"job": in words, "proxy", "unless"?: clause, "until"?: seconds after which the clock ends the job, which has failed then, "level"?: severity, "cure": sentence without the full stop, "path", "resource"}]'
jobs := [object.union(one, {"job": made.words, "path": made.path, "resource": made.resource}) |
	looked_for
	some made in workloads.clients
	made.kind in {"CronJob", "Job"}
	count([1 | some job in dumps.all; job.resource == made.resource]) == 0
	containers := [container | some container in get.list(made.pod, "containers"); is_object(container)]
	said := [word.text | some container in containers; some word in client.words(container)]
	asks_for_it(made, said, containers)

	# What ends it itself, or is ended by the clock.
	not regex.match(dumps.ending_another, concat("\n", said))
	not regex.match(`linkerd-await|:4191/shutdown|scuttle`, concat("\n", said))
	not get.boolean(made.pod, "shareProcessNamespace")
	not switched_to_end(containers)
	some one in array.concat(of_cloud(made, containers), of_mesh(made))
]

# By a variable of the proxy's own.
switched_to_end(containers) if {
	some container in containers
	some variable in get.list(container, "env")
	regex.match(`QUIT`, get.string(variable, "name"))
}

# A Job that the clock ends has failed, whatever it did; a CronJob comes again.
by_the_clock(made) if regex.match(`"activeDeadlineSeconds"`, json.marshal(made.object))

looked_for if model.cluster.client

looked_for if count(model.cluster.hosts) > 0

asks_for_it(made, _, _) if {
	model.cluster.client
	workloads.itself(made)
}

asks_for_it(_, said, containers) if {
	not model.cluster.client
	dumps.of_the_cluster(array.concat(said, [variable.text | some container in containers; some variable in client.texts(container)]))
}

of_cloud(made, containers) := [object.union_n([
	{
		"proxy": sprintf("container %s, a proxy of Google's,", [get.string(container, "name")]),
		"cure": sprintf("Make %s an init container with restartPolicy: Always", [get.string(container, "name")]),
	},
	{"level": "error" | made.kind == "Job"},
	{"until": seconds | seconds := deadline(made)},
]) |
	count(containers) > 1
	some container in containers
	workloads.proxy_of_cloud(container)
	not dumps.by_a_shell(container)
	not ended_as_planned(made)
]

ended_as_planned(made) if {
	made.kind == "CronJob"
	by_the_clock(made)
}

deadline(made) := min({seconds |
	some place in [["spec"], made.path]
	seconds := get.number(made.object, array.concat(place, ["activeDeadlineSeconds"]))
})

of_mesh(made) := [{
	"proxy": proxy.proxy,
	"unless": proxy.unless,
	"cure": sprintf("Annotate its pods with %s", [proxy.off]),
} |
	not by_the_clock(made)
	template := get.map(workloads.template(made), "metadata")
	some proxy in mesh.proxies(get.map(template, "annotations"), get.map(template, "labels"))
]

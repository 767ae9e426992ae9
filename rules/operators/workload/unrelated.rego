package walguard.operators.workload

import data.walguard.lib.fact
import data.walguard.lib.get
import data.walguard.lib.k8s
import data.walguard.lib.mount
import data.walguard.lib.workloads

# Several servers that each have a volume of their own and know nothing of each other: the official entrypoint starts a new database in
# each. Somebody who clones a primary does it in an init container, a script of the first start or a command of his own.
facts contains {"unrelated_servers": fact.written(replicas.value, ["spec", "replicas"])} if {
	k8s.kind in {"StatefulSet", "Deployment"}
	layout == "docker"
	server.product.published
	replicas.value > 1
	apart(mount_of(directory).name)
	not somebody_clones
}

facts contains {"unrelated_servers": object.union(fact.written(scaler.most, scaler.path), {"resource": scaler.resource})} if {
	k8s.kind in {"StatefulSet", "Deployment"}
	layout == "docker"
	server.product.published
	not several_already
	some scaler in workloads.raising(k8s.kind, k8s.name)
	apart(mount_of(directory).name)
	not somebody_clones
}

several_already if replicas.value > 1

# Each pod has one of its own.
apart(name) if templates[name]

apart(name) if mount.vanishing(volumes[name].volume)

somebody_clones if {
	some one in get.list(k8s.object, array.concat(pod_path, ["initContainers"]))
	not prepares(one)
}

# It gives the volume to the user of the server, or sets a limit of the kernel, and nothing else.
prepares(one) if {
	line := regex.replace(command_text(one), `^(\S*/)?(ba|da|a)?sh\s+-[a-z]*c\s+`, "")
	statements := [statement | some part in split(replace(replace(line, "&&", ";"), "\n", ";"), ";"); statement := trim_space(part); statement != ""]
	count(statements) > 0
	count([1 | some statement in statements; not regex.match(`^(chown|chmod|mkdir|install -d|sysctl|echo|ls|true|set -[a-z]+|rm -rf? \S*lost\+found)\b[^|>$()]*$`, statement)]) == 0
}

somebody_clones if {
	some word in get.list(container, "command")
	is_string(word)
	not word in {"docker-entrypoint.sh", "/usr/local/bin/docker-entrypoint.sh", "postgres"}
}

somebody_clones if {
	some mounted in mounts
	startswith(mounted.directory, "/docker-entrypoint")
}

somebody_clones if count(get.map(container, "lifecycle")) > 0

# A second container may be the one that replicates (pglogical, a watcher of one's own).
somebody_clones if {
	some other in get.list(k8s.object, array.concat(pod_path, ["containers"]))
	is_object(other)
	get.string(other, "name") != get.string(container, "name")
	not exporter(get.string(other, "image"))
}

exporter(reference) if contains(reference, "exporter")

# Names of other images, which the official entrypoint does not read, tell only of a wish.
somebody_clones if {
	some name in (object.keys(variables) | hidden)
	regex.match(`REPLICA|PRIMARY|MASTER|STANDBY|SLAVE`, name)
	not name in {"POSTGRES_REPLICATION_DB", "POSTGRES_REPLICATION_PASSWORD", "POSTGRES_REPLICATION_USER"}
}

somebody_clones if veiled

somebody_clones if {
	some setting in parameters
	get.lower_case(setting.name) == "shared_preload_libraries"
	regex.match(`repmgr|pglogical|bdr|spock`, get.text(setting.value))
}

somebody_clones if unread

somebody_clones if {
	some setting in parameters
	get.lower_case(setting.name) == "primary_conninfo"
}

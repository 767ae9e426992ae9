package walguard.operators.stackgres

import data.walguard.lib.files
import data.walguard.lib.get
import data.walguard.lib.injected
import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.lib.mount
import data.walguard.lib.overlay
import data.walguard.lib.script
import data.walguard.lib.spilo
import data.walguard.lib.sql

facts contains {"change": true} if reviewed_change

# Without its cluster an SGPostgresConfig knows nothing else; without its SGPostgresConfig a cluster does not know its parameters.
facts contains {"partial": true} if {
	reviewed_change
	not home
}

facts contains {"partial": true} if unseen

unread_sources := array.concat(array.concat(array.concat(unread_sql, unread_places), injected.unread([["spec", "metadata", "annotations", field] | some field in ["allResources", "clusterPods"]])), [{"source": sprintf("SGPostgresConfig %s/%s", [k8s.namespace, get.string(home, configuration_path)]), "path": configuration_path, "missing": true} | unseen])

# SQL that nobody sees, or that puts itself together.
unread_sql := array.concat(
	[{"source": sprintf("the SQL of SGScript %s/%s", [k8s.namespace, name]), "path": array.concat(path, [i, "sgScript"])} |
		reviewed_cluster
		path := array.concat(part, ["managedSql", "scripts"])
		some i, one in get.list(home, path)
		name := get.string(one, "sgScript")
		not inventory.namespaced_object(k8s.namespace, api_version, "SGScript", name)
	],
	array.concat(
		[object.union({"source": sprintf("the SQL of SGScript %s/%s", [k8s.namespace, holder.object.metadata.name]), "path": ["spec", "scripts", i, "scriptFrom"], "severity": severity_of_reference(one)}, object.filter(holder, ["resource"])) |
			some holder in script_holders
			some i, one in get.list(holder.object, ["spec", "scripts"])
			get.present(one, "scriptFrom")
			not script_text(one)
		],
		array.concat(
			[object.union({"source": "its SQL", "severity": severity_of(one.text)}, object.filter(one, ["path", "resource"])) |
				some one in scripts
				sql.unreadable(one.text)
			],
			[{"source": "the SQL of the benchmark", "path": query.path, "severity": severity_of_reference(query.holder)} |
				reviewed_operation
				some query in operation_queries
				query.holder
				not script_text(query.holder)
			],
		),
	),
)

# A Secret's SQL is read by nobody.
severity_of_reference(one) := inventory.unread if get.present(one, ["scriptFrom", "secretKeyRef"])

severity_of_reference(one) := "warning" if not get.present(one, ["scriptFrom", "secretKeyRef"])

severity_of(text_) := "warning" if script.dangerous(text_)

severity_of(text_) := inventory.unread if not script.dangerous(text_)

script_holders := [{"object": k8s.object}] if reviewed_script

script_holders := [{"object": found, "resource": k8s.reference(found)} |
	reviewed_cluster
	some at in written_parts
	some one in get.list(home, array.concat(at, ["managedSql", "scripts"]))
	found := inventory.namespaced_object(k8s.namespace, api_version, "SGScript", get.string(one, "sgScript"))
] if {
	not reviewed_script
}

# What a benchmark runs, {"path", "holder"} or, as text, {"path", "text"}.
operation_queries := array.concat(
	[{"path": array.concat(path, ["script"]), "holder": one} |
		some path in array.concat(
			[array.concat(custom, ["initialization"])],
			[array.concat(custom, ["scripts", i]) | some i, _ in get.list(k8s.object, array.concat(custom, ["scripts"]))],
		)
		one := get.map(k8s.object, path)
		some field in ["script", "scriptFrom"]
		get.present(one, field)
	],
	[{"path": path, "text": text_} |
		path := ["spec", "benchmark", "sampling", "customTopQueriesQuery"]
		text_ := get.string(k8s.object, path)
	],
)

custom := ["spec", "benchmark", "pgbench", "custom"]

operation_texts := array.concat(
	[{"text": text_, "path": query.path} |
		reviewed_operation
		some query in operation_queries
		text_ := script_text(query.holder)
	],
	[query |
		reviewed_operation
		some query in operation_queries
		query.text
	],
)

scripts := array.concat(operation_texts, scripts_of_clusters)

scripts_of_clusters := array.concat(
	[object.union({"text": text_, "path": ["spec", "scripts", i, "script"]}, object.filter(holder, ["resource"])) |
		some holder in script_holders
		some i, one in get.list(holder.object, ["spec", "scripts"])
		text_ := script_text(one)
	],
	[{"text": text_, "path": ["spec", "initialData", "scripts", i, "script"]} |
		reviewed_cluster
		some i, one in get.list(home, ["spec", "initialData", "scripts"])
		text_ := script_text(one)
	],
)

script_text(one) := get.string(one, "script")

script_text(one) := get.string(found, ["data", get.string(one, ["scriptFrom", "configMapKeyRef", "key"])]) if {
	not get.string(one, "script")
	found := inventory.namespaced_object(k8s.namespace, "v1", "ConfigMap", get.string(one, ["scriptFrom", "configMapKeyRef", "name"]))
}

script_text(one) := [entry.text |
	some entry in files.entries(inventory.namespaced_object(k8s.namespace, "v1", "Secret", get.string(one, ["scriptFrom", "secretKeyRef", "name"])))
	entry.key == get.string(one, ["scriptFrom", "secretKeyRef", "key"])
][0] if {
	not get.string(one, "script")
	get.present(one, ["scriptFrom", "secretKeyRef"])
}

# Files over the server's own, and programs that Patroni runs: of its section the operator keeps these.
unread_places := array.concat(
	# The first container takes the scripts of the others from /templates.
	array.concat(unread_beside, array.concat(overlay.unread(mounts_of("customInitVolumeMounts", "setup-scripts"), ["/templates"]), overlay.unread(server_mounts, ["/var/lib/postgresql", "/etc/postgresql", "/etc/patroni", "/usr/local/bin"]))),
	[{"source": sprintf("what Patroni runs as %s", [concat(".", below)]), "path": path, "severity": severity_of(text_)} |
		reviewed_cluster
		some at in pod_parts
		base := array.concat(at, ["configurations", "patroni", "initialConfig", "postgresql"])
		some below in array.concat([["pre_promote"], ["before_stop"]], [["callbacks", name] | some name, _ in get.map(home, array.concat(base, ["callbacks"]))])
		path := array.concat(base, below)
		text_ := get.string(home, path)
	],
)

server_mounts := mounts_of("customVolumeMounts", "patroni")

mounts_of(field, name) := [{"directory": directory, "volume": volume, "path": array.concat(at, ["pods", field, name, i])} |
	reviewed_cluster
	some at in pod_parts
	some i, mounted in get.list(home, array.concat(at, ["pods", field, name]))
	directory := get.string(mounted, "mountPath")
	some volume in get.list(home, array.concat(at, ["pods", "customVolumes"]))
	get.string(volume, "name") in {get.string(mounted, "name"), trim_prefix(get.string(mounted, "name"), "custom-")}
]

facts contains {"lost": lost} if {
	lost := mount.lost("/var/lib/postgresql/data", "/var/lib/postgresql", server_mounts)
	count(lost) > 0
}

# Patroni's own variables, which come before its file; SQL that PgBouncer runs on every connection that it opens; the files of a server that is copied.
unread_beside := array.concat(
	[{"source": sprintf("the variable %s", [name]), "path": array.concat(path, [i]), "severity": severity_of(sprintf("%s=%s", [name, get.shown(object.get(variable, "value", ""))]))} |
		reviewed_cluster
		some at in pod_parts
		path := array.concat(at, ["pods", "customEnv", "patroni"])
		some i, variable in get.list(home, path)
		name := get.string(variable, "name")
		regex.match(concat("|", [`^PATRONI_(CONFIGURATION|POSTGRESQL_.*)$`, spilo.stores]), name)
	],
	array.concat(
		[object.union({"source": sprintf("the %s of PgBouncer", [name]), "severity": severity_of(query)}, place) |
			reviewed_cluster
			some at in pod_parts
			some [pooling, place] in array.concat(
				[[get.map(home, array.concat(at, ["configurations", "pooling"])), {"path": array.concat(at, ["configurations", "pooling"])}]],
				[[get.map(named, "spec"), {"path": ["spec", "pgBouncer"], "resource": k8s.reference(named)}] | named := named_by_home("SGPoolingConfig", array.concat(at, ["configurations", "sgPoolingConfig"]))],
			)
			some [name, query] in array.concat(
				[["connect_query", get.string(one, "connect_query")] | some _, one in get.map(pooling, ["pgBouncer", "pgbouncer.ini", "databases"])],
				[[name_, get.string(pooling, ["pgBouncer", "pgbouncer.ini", "pgbouncer", name_])] | some name_ in ["server_reset_query", "server_check_query"]],
			)
			script.sets_for_session(query)
		],
		[{"source": "the postgresql.auto.conf of the copied server", "path": external_path, "severity": "info"} |
			reviewed_cluster
			get.present(home, external_path)
		],
	),
)

external_path := ["spec", "replicateFrom", "instance", "external"]

unseen if {
	reviewed_cluster
	get.present(home, configuration_path)
	not configuration
}

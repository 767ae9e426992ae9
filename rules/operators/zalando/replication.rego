package walguard.operators.zalando

import data.walguard.lib.cluster as shared
import data.walguard.lib.fact
import data.walguard.lib.get
import data.walguard.lib.hba
import data.walguard.lib.image
import data.walguard.lib.k8s
import data.walguard.lib.login
import data.walguard.lib.mount
import data.walguard.lib.placeholder
import data.walguard.lib.scheduling
import data.walguard.lib.spilo
import data.walguard.lib.store

patroni := get.map(spec, "patroni")

strict_path := ["spec", "patroni", "synchronous_mode_strict"]

# Patroni goes on with fewer standbys than synchronous_node_count, and strict mode keeps it from going on with none.
facts contains {"commit_wait": object.union(fact.written(1, strict_path), {"relax": "synchronous_mode_strict: false"})} if {
	get.boolean(patroni, "synchronous_mode")
	get.boolean(patroni, "synchronous_mode_strict")
}

# Its post_init waits for the standby that waits for it: synchronous_commit is local there in one session only before 1.6-p5 (postgres-appliance/scripts/post_init.sh; zalando/postgres-operator 926 and 1249).
facts contains {"synchronous_short": {
	"reason": sprintf("synchronous_mode_strict is on while Spilo %s creates the cluster, whose bootstrap commits before there is a standby", [image.tag(image_in_force)]),
	"cure": "Set it to false until the cluster runs, or take a newer image",
	"path": strict_path,
}} if {
	get.boolean(patroni, "synchronous_mode")
	get.boolean(patroni, "synchronous_mode_strict")
	instances.value > 1
	spilo.majors(image_in_force)
	regex.match(`^1\.([0-5](\.|-)|6-p[1-4]$)`, image.tag(image_in_force))
	not get.present(k8s.object, ["status", "PostgresClusterStatus"])
}

# Images of PostgreSQL 12 and older are many, and which one the operator takes is not known.
facts contains {"synchronous_short": {
	"reason": "synchronous_mode_strict is on while the cluster is created, and the bootstrap of Spilo before 1.6-p5 commits before there is a standby: there",
	"cure": "Set it to false until the cluster runs",
	"path": strict_path,
	"level": "info",
}} if {
	get.boolean(patroni, "synchronous_mode")
	get.boolean(patroni, "synchronous_mode_strict")
	instances.value > 1
	not image_in_force
	major.value <= 12
	not get.present(k8s.object, ["status", "PostgresClusterStatus"])
}

# Spilo's defaults are Patroni's.
facts contains {"patroni_timing": timing} if {
	timings := {name: found | some name in ["ttl", "loop_wait", "retry_timeout"]; found := shared.number_at(k8s.object, ["spec", "patroni", name])}
	count(timings) > 0
	timing := object.union(
		{
			"ttl": fact.operator(30, ["spec", "patroni", "ttl"]),
			"loop_wait": fact.operator(10, ["spec", "patroni", "loop_wait"]),
			"retry_timeout": fact.operator(10, ["spec", "patroni", "retry_timeout"]),
		},
		timings,
	)
}

facts contains {"failover_lag": found} if found := shared.number_at(k8s.object, ["spec", "patroni", "maximum_lag_on_failover"])

# Patroni creates them itself (spec.patroni.slots), and its log is where it says that it cannot.
facts contains {"decoders": decoders} if count(decoders) > 0

decoders := [{"what": sprintf("patroni.slots.%s is a logical slot", [name]), "who": sprintf("the reader of patroni.slots.%s", [name]), "consequence": "Patroni cannot create it", "level": "warning", "path": ["spec", "patroni", "slots", name]} |
	some name, slot in get.map(patroni, "slots")
	get.string(slot, "type") == "logical"
	not placeholder.holds(name)
]

# Patroni drops what it does not know of, and copies what it does.
facts contains {"slots_left": {"kept": object.keys(get.map(patroni, "slots")), "cure": "Declare it in spec.patroni.slots"}} if count(spec) > 0

facts contains {"permanent_slots": fact.written(count(slots), ["spec", "patroni", "slots"])} if {
	slots := get.map(patroni, "slots")
	count(slots) > 0
}

# ------------------------------------------------------------------------------------------------------ scheduling

# The schema says itself of a map that it is none of them.
facts contains {"pod_lists": [["spec", name] | some name in ["tolerations", "topologySpreadConstraints"]; count(get.list(spec, name)) > 0]} if {
	recognised
	count(get.list(spec, "tolerations")) + count(get.list(spec, "topologySpreadConstraints")) > 0
}

facts contains {"affinities": [["spec", "nodeAffinity"]]} if get.present(k8s.object, ["spec", "nodeAffinity"])

facts contains {"one_node": found} if found := scheduling.pinned_node(k8s.object, ["spec", "nodeSelector"], ["spec", "nodeAffinity"])

# Anti-affinity is a setting of the operator, for all clusters, and off by default.
facts contains {"one_node": object.union(fact.operator("enable_pod_antiaffinity is off in the operator's configuration", ["spec", "numberOfInstances"]), {"soft": true})} if {
	not scheduling.pinned_node(k8s.object, ["spec", "nodeSelector"], ["spec", "nodeAffinity"])
	count(get.list(spec, "topologySpreadConstraints")) == 0
	kubernetes := get.map(configuration, "kubernetes")
	count(kubernetes) > 0
	object.get(kubernetes, "enable_pod_antiaffinity", false) == false
}

# On unless the operator's configuration says otherwise; of the master alone, so that it goes with a switchover.
facts contains {"primary_budget": object.union(fact.operator(true, ["spec", "numberOfInstances"]), {"field": "enable_pod_disruption_budget of the operator"})} if {
	recognised
	count([1 |
		some one in configurations
		object.get(one, ["configuration", "kubernetes", "enable_pod_disruption_budget"], true) != true
	]) == 0
	count([1 | get.boolean(configuration, ["kubernetes", "enable_pod_disruption_budget"]) == false]) == 0
}

facts contains {"one_zone": found} if found := scheduling.pinned_zone(k8s.object, ["spec", "nodeSelector"], ["spec", "nodeAffinity"])

# ---------------------------------------------------------------------------------------------------------- access

facts contains {"hosts": [concat("", [k8s.name, suffix]) | some suffix in ["", "-repl", "-pooler", "-pooler-repl"]]} if recognised

# It makes roles and databases there (pkg/cluster/database.go).
facts contains {"visits": [{"port": 5432, "by": `^postgres-operator$`, "consequence": "it creates no roles and no databases, and the cluster ends in CreateFailed"}]} if recognised

facts contains {"traffic": [{"port": 5432, "from": "instances", "consequence": "standbys cannot stream"}]} if instances.value > 1

facts contains {"reaches": array.concat(shared.patroni_reaches(instances.value), outside_stores)} if recognised

# Spilo archives from the pods. Which endpoint it is that all pods are given may stand elsewhere.
outside_stores := [need |
	count([1 | some name in ["WAL_S3_BUCKET", "WALG_S3_PREFIX", "WALE_S3_PREFIX"]; environment[name]]) > 0
	count([1 | some name in ["HTTPS_PROXY", "HTTP_PROXY", "ALL_PROXY"]; environment_of_all[name]]) == 0
	need := store.outside(environment.AWS_ENDPOINT.value)
]

hba_path := ["spec", "patroni", "pg_hba"]

# They take the place of Spilo's: "list of custom pg_hba lines to replace default ones".
facts contains {"hba": lines, "hba_needs": needs} if {
	lines := hba.listed(k8s.object, hba_path)
	count(lines) > 0
	needs := array.concat(
		[{"type": "local", "database": "postgres", "reason": "Patroni and Spilo's scripts connect through the socket", "line": "local all all trust"}],
		array.concat(
			[{"type": "hostssl", "database": "replication", "reason": "the standbys stream over TLS", "line": "hostssl replication standby all md5"} |
				instances.value > 1
			],
			of_the_operator,
		),
	)
}

# It connects over TLS as the superuser, with a password (pgConnectionString of pkg/cluster/database.go), but for the standby of another cluster.
of_the_operator := [{
	"type": "hostssl",
	"database": "postgres",
	"meant": "the operator",
	"reason": "it makes the roles and databases over TLS with a password, and the cluster ends in SyncFailed",
	"line": "hostssl all all all md5",
} |
	not get.present(spec, "standby")
	count([1 | get.boolean(configuration, "enable_database_access") == false]) == 0
]

# Spilo signs one itself, and no Secret has it.
facts contains {"authority": {}} if {
	recognised
	not get.present(k8s.object, ["spec", "tls"])
}

# Spilo's own lines (configure_spilo.py) end with "hostssl all all all md5", behind one that rejects what comes without TLS.
facts contains {"tls_only": object.union(fact.operator("hostnossl all all all reject", hba_path), {"hosts": own_hosts})} if {
	recognised
	count(hba.listed(k8s.object, hba_path)) == 0
	not lets_in_without_tls
}

# Lines of one's own, where none before that one lets in from elsewhere what comes without TLS.
facts contains {"tls_only": object.union({"value": rejecting.text, "origin": "written", "path": rejecting.path}, {"hosts": own_hosts})} if {
	recognised
	lines := hba.listed(k8s.object, hba_path)
	plain := [rule | some rule in hba.rules(lines); rule.type in {"host", "hostnossl"}; not hba.own(rule)]
	rejecting := plain[0]
	rejecting.method == "reject"
	rejecting.type == "hostnossl"
	rejecting.databases == ["all"]
	rejecting.users == ["all"]
	hba.everywhere(rejecting)
}

# Unless a variable of its pods asks for a line that lets in everybody.
lets_in_without_tls if "ALLOW_NOSSL" in names_known

lets_in_without_tls if environment_of_all.ALLOW_NOSSL

lets_in_without_tls if count(get.list(spec, "envFrom")) > 0

lets_in_without_tls if environment_secret

lets_in_without_tls if {
	map_name
	not environment_map
}

facts contains {"password_only": object.union(fact.operator("hostssl all all all md5", hba_path), {"hosts": own_hosts})} if {
	recognised
	count(hba.listed(k8s.object, hba_path)) == 0
}

# Its poolers stand before it with lines of their own.
own_hosts := [k8s.name, sprintf("%s-repl", [k8s.name])]

# Without a certificate of one's own Spilo and the pooler sign one for spilo.example.org (write_certificates of configure_spilo.py, pooler/entrypoint.sh).
facts contains {"other_doors": {
	"doors": [{"name": sprintf("%s%s", [k8s.name, suffix]), "of": "Spilo's own making"} | some suffix in ["", "-repl", "-pooler", "-pooler-repl"]],
	"names": [],
	"cure": "Name a Secret with a certificate for it in spec.tls.secretName, or write require",
}} if {
	recognised
	environment_known
	not get.present(spec, "tls")
	count([1 | some name, _ in environment_of_all; startswith(name, "SSL_")]) == 0
	count([1 | some one in parameters; startswith(one.name, "ssl_")]) == 0
}

# Secret volumes are mounted with mode 0640 and owned by root (pkg/cluster/k8sres.go); the group comes from spiloFSGroup.
facts contains {"tls_key": {"reason": "the files of the Secret are mounted with mode 0640 and belong to root, and no spiloFSGroup is set", "cure": "Set spec.spiloFSGroup: 103 (or spilo_fsgroup in the operator's configuration)", "path": ["spec", "tls", "secretName"], "certain": count([1 | configuration]) == 1}} if {
	get.string(spec, ["tls", "secretName"])
	not get.present(spec, "spiloFSGroup")
	not configured_group
}

# A Secret that is mounted beside: the kubelet gives its files to root with defaultMode, to the group too where there is an fsGroup. PostgreSQL takes a key of root's with 0640 at most.
facts contains {"tls_key": found} if {
	recognised
	not get.present(spec, "tls")
	found := [fault | some file in key_files; some mounted in server_mounts; fault := key_fault(file, mounted)][0]
}

key_files := array.concat(
	[variable | variable := environment_of_all.SSL_PRIVATE_KEY_FILE],
	[parameter | parameter := shared.last_of(parameters, "ssl_key_file")],
)

key_fault(file, mounted) := object.union({"reason": sprintf("Secret %s is mounted with mode %s, and its files belong to root", [secret.secretName, octal(mode)]), "path": array.concat(mounted.path, ["volumeSource", "secret"])}, outcome) if {
	mount.within(file.value, mount.clean(mounted.directory))
	secret := get.map(mounted.volume, "secret")
	get.string(secret, "secretName")
	count([1 | some item in get.list(secret, "items"); get.present(item, "mode")]) == 0
	mode := object.get(secret, "defaultMode", 420)
	is_number(mode)
	outcome := outcome_of(mode)
}

outcome_of(mode) := {"cure": "Set defaultMode: 0640 and spec.spiloFSGroup: 103", "certain": true} if {
	not within_0640(mode)
} else := {"cure": "Set spec.spiloFSGroup: 103 (or spilo_fsgroup in the operator's configuration)", "certain": count([1 | configuration]) == 1} if {
	not get.present(spec, "spiloFSGroup")
	not configured_group
}

within_0640(mode) if {
	mode % 8 == 0
	(floor(mode / 8) % 8) in {0, 4}
}

octal(mode) := sprintf("0%d%d%d", [floor(mode / 64) % 8, floor(mode / 8) % 8, mode % 8])

configured_group if get.present(configuration, ["kubernetes", "spilo_fsgroup"])

facts contains {"passwords": found} if {
	found := [{"name": name, "path": variable.path} |
		some name, variable in environment
		endswith(name, "PASSWORD")
		login.literal(variable.value)
	]
	count(found) > 0
}

# ---------------------------------------------------------------------------------------------------------- initdb

facts contains {"locales": found} if {
	found := [{"name": field, "value": value, "path": path} |
		some field in ["locale", "lc-collate", "lc-ctype"]
		path := ["spec", "patroni", "initdb", field]
		value := get.string(k8s.object, path)
	]
	count(found) > 0
}

package walguard.lib.crunchy

import data.walguard.lib.cluster as shared
import data.walguard.lib.fact
import data.walguard.lib.get
import data.walguard.lib.hba
import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.lib.mesh
import data.walguard.lib.placeholder
import data.walguard.lib.scheduling

dynamic_path := ["spec", "patroni", "dynamicConfiguration"]

dynamic := get.map(k8s.object, dynamic_path)

# METADATA
# description: What both operators say of standbys, scheduling and access; fields of walguard.model's cluster.
surroundings := object.union_n([
	{"commit_wait": found | found := commit_wait},
	{"patroni_timing": found | found := timing},
	{"failover_lag": found | found := shared.number_at(k8s.object, array.concat(dynamic_path, ["maximum_lag_on_failover"]))},
	{"permanent_slots": found | found := permanent_slots},
	{"decoded_hosts": [concat("-", [k8s.name, suffix]) | some suffix in ["primary", "ha"]]},
	{"slots_left": slots_left | is_object(object.get(k8s.object, dynamic_path, {}))},
	{"one_node": found | found := one_node},
	{"one_zone": found | found := one_zone},
	{"hba": found | found := hba_lines; count(found) > 0},
	{"lockouts": found | found := array.concat(strangers_of_an_authority, array.concat(strangers_of_the_primary, misnamed_certificates)); count(found) > 0},
	{"scram": true},
	{"authority": {"secret": sprintf("%s-cluster-cert", [k8s.name])} | not get.present(spec, "customTLSSecret")},
	{"hosts": array.concat(own_hosts, [sprintf("%s-pgbouncer", [k8s.name]) | get.present(spec, ["proxy", "pgBouncer"])])},
	{"tls_only": found | found := standing_rules},
	{"password_only": found | found := standing_rules},
	{"unusable_stores": found | found := array.concat(array.concat(unusable_stores, unmounted_authorities), array.concat(unknown_repositories, array.concat(outdated, unacquainted))); count(found) > 0},
	{"store_refusals": store_refusals | count(store_refusals) > 0},
	{"missing_keys": missing_keys | count(missing_keys) > 0},
	{"unresolved": unresolved | count(unresolved) > 0},
	{"pooler_limits": pooler_limits | count(pooler_limits) > 0},
	{"prepared": lost_sessions | count(lost_sessions) > 0},
	{"recovery_target": found | found := recovery_target},
	{"unending_jobs": found | found := unending_jobs; count(found) > 0},
	{"archive_places": found | found := archive_places; count(found) > 0},
	{"numbered_places": found | found := numbered_places; count(found) > 0},
	{"unknown_options": found | found := unknown_options; count(found) > 0},
	{"roles": roles | count(roles) > 0},
	{"databases_made": found | found := databases_made},
	{"common_labels": [sprintf("postgres-operator.crunchydata.com/%s", [name]) | some name in ["data", "role"]]},
])

# Those that the operator adds, where there are no others.
standing_rules := object.union(fact.operator("hostssl all all all scram-sha-256", rules_path), {"hosts": own_hosts}) if {
	count(get.list(k8s.object, rules_path)) + count(get.list(k8s.object, array.concat(dynamic_path, ["postgresql", "pg_hba"]))) == 0
}

# Copied from the manual's example, whose cluster is hippo and whose set is instance1. The operator's own preference for different nodes (topologySpreadConstraints) is there beside it.
astray := [{
	"name": "podAntiAffinity",
	"path": array.concat(path, found.below),
	"level": found.level,
	"reason": sprintf("it keeps away from pods with the label %s: %s, and those of this set have %s", [found.key, found.asked, found.own]),
} |
	some set in instance_sets
	path := array.concat(set.path, ["affinity", "podAntiAffinity"])
	section := get.map(k8s.object, path)
	count(section) > 0
	terms := [[below, level, get.map(term, ["labelSelector", "matchLabels"])] |
		some [list, field, level] in [["requiredDuringSchedulingIgnoredDuringExecution", [], "warning"], ["preferredDuringSchedulingIgnoredDuringExecution", ["podAffinityTerm"], "info"]]
		some i, entry in get.list(section, list)
		below := array.concat([list, i], field)
		term := object.get(entry, field, {})
	]
	own := {"postgres-operator.crunchydata.com/cluster": k8s.name, "postgres-operator.crunchydata.com/instance-set": set.name}
	strange := [{"below": below, "level": level, "key": key, "asked": asked, "own": label} |
		some [below, level, labels] in terms
		some key, label in own
		asked := get.string(labels, key)
		asked != label
		count([1 | some text in [asked, label]; placeholder.holds(text)]) == 0
		not a_cluster_or_set(asked)
	]
	count({found.below | some found in strange}) == count(terms)
	found := strange[0]
]

# Then it is kept away from on purpose.
a_cluster_or_set(name) if inventory.namespaced_object(k8s.namespace, k8s.api_version, k8s.kind, name)

a_cluster_or_set(name) if name in [set.name | some set in instance_sets]

# "hostssl replication _crunchyrepl all cert": standbys log in with a certificate of customReplicationTLSSecret, and the server believes ca.crt of customTLSSecret (ssl_ca_file). What is not
# written is made by the operator with an authority of its own, which Percona's lets one choose (customRootCATLSSecret).
strangers_of_an_authority := [{
	"path": array.concat(secrets_path, [written]),
	"reason": sprintf("%s is set and %s is not: the operator makes that one with an authority of its own, the primary refuses the certificate of the standbys, and they cannot stream", [written, lacking]),
	"cure": sprintf("Set %s too, with the same ca.crt", [lacking]),
} |
	instances.value > 1
	some [written, lacking] in [["customTLSSecret", "customReplicationTLSSecret"], ["customReplicationTLSSecret", "customTLSSecret"]]
	get.present(k8s.object, array.concat(secrets_path, [written]))
	not get.present(k8s.object, array.concat(secrets_path, [lacking]))
	not get.present(k8s.object, array.concat(secrets_path, ["customRootCATLSSecret"]))
	count([1 | some key, _ in get.map(k8s.object, secrets_path); placeholder.holds(key)]) == 0
]

# The pods of all backup jobs carry both (internal/controller/postgrescluster/pgbackrest.go).
unending_jobs := [object.union({"what": "the backup jobs", "field": "spec.backups.pgbackrest.metadata.annotations", "path": pgbackrest}, proxy) |
	count(repositories) > 0
	object.get(spec, ["backups", "enabled"], true) == true
	some proxy in mesh.proxies(of_backup_jobs("annotations"), of_backup_jobs("labels"))
]

of_backup_jobs(field) := object.union(get.map(spec, ["metadata", field]), get.map(k8s.object, array.concat(pgbackrest, ["metadata", field])))

# Patroni takes words for a boolean, and since release 4 "quorum".
synchronous_mode if shared.boolean(object.get(dynamic, "synchronous_mode", false))

synchronous_mode if get.lower_case(get.string(dynamic, "synchronous_mode")) == "quorum"

commit_wait := object.union(fact.written(1, array.concat(dynamic_path, ["synchronous_mode_strict"])), {"relax": "synchronous_mode_strict: false"}) if {
	synchronous_mode
	shared.boolean(object.get(dynamic, "synchronous_mode_strict", false))
}

# internal/patroni/config.go writes ttl and loop_wait from fields of its own, whatever stands in the dynamic configuration.
timing := {
	"ttl": number_or(["spec", "patroni", "leaderLeaseDurationSeconds"], 30),
	"loop_wait": number_or(["spec", "patroni", "syncPeriodSeconds"], 10),
	"retry_timeout": number_or(array.concat(dynamic_path, ["retry_timeout"]), 10),
} if {
	paths := [["spec", "patroni", "leaderLeaseDurationSeconds"], ["spec", "patroni", "syncPeriodSeconds"], array.concat(dynamic_path, ["retry_timeout"])]
	count([1 | some path in paths; shared.number_at(k8s.object, path)]) > 0
}

number_or(path, _) := shared.number_at(k8s.object, path)

number_or(path, otherwise) := fact.operator(otherwise, path) if not shared.number_at(k8s.object, path)

permanent_slots := fact.written(count(listed), array.concat(dynamic_path, ["slots"])) if {
	listed := get.map(dynamic, "slots")
	count(listed) > 0
}

# What is declared, and not used as slots are off, is told elsewhere.
slots_left := {"kept": object.keys(get.map(dynamic, "slots")), "cure": "Declare it in spec.patroni.dynamicConfiguration.slots, with postgresql.use_slots: true"}

# One set of one instance has nothing to spread, and several sets may be on different nodes.
one_node := found if {
	count(instance_sets) == 1
	found := scheduling.pinned_node(k8s.object, array.concat(instance_sets[0].path, ["nodeSelector"]), array.concat(instance_sets[0].path, ["affinity", "nodeAffinity"]))
}

# The operator spreads the instances over nodes and zones, as a preference, unless it is told not to.
one_node := fact.written("disableDefaultPodScheduling: true, and nothing else spreads the instances", ["spec", "disableDefaultPodScheduling"]) if {
	get.boolean(spec, "disableDefaultPodScheduling")
	count(instance_sets) > 0
	count([1 | some set in instance_sets; spread(get.map(k8s.object, set.path))]) == 0
}

spread(set) if count(get.list(set, "topologySpreadConstraints")) > 0

spread(set) if get.present(set, ["affinity", "podAntiAffinity"])

spread(set) if get.present(set, ["affinity", "nodeAffinity"])

one_zone := found if {
	zones := [zone |
		some set in instance_sets
		zone := scheduling.pinned_zone(k8s.object, array.concat(set.path, ["nodeSelector"]), array.concat(set.path, ["affinity", "nodeAffinity"]))
	]
	count(zones) == count(instance_sets)
	count({zone.value | some zone in zones}) == 1
	found := zones[0]
}

# Services of the servers (internal/naming/names.go); PgBouncer's is another.
own_hosts := [sprintf("%s-%s", [k8s.name, suffix]) | some suffix in ["primary", "replicas", "ha"]]

# The operator's own lines come before these; where there is none of them, those that let every user in over TLS follow (generatePostgresHBAs).
hba_lines := array.concat(ruled, hba.listed(k8s.object, array.concat(dynamic_path, ["postgresql", "pg_hba"])))

ruled := [{"line": line, "path": array.concat(rules_path, found)} |
	some i, rule in get.list(k8s.object, rules_path)
	[found, line] := ruled_line(rule, i)
]

rules_path := ["spec", "authentication", "rules"]

ruled_line(rule, i) := [[i, "hba"], rule.hba] if is_string(rule.hba)

ruled_line(rule, i) := [[i], concat(" ", array.concat([connection, all_or(rule, "databases"), all_or(rule, "users")], array.concat(addresses[connection == "local"], array.concat([method], options))))] if {
	not rule.hba
	connection := get.string(rule, "connection")
	method := object.get({"password": "scram-sha-256"}, get.string(rule, "method"), rule.method)
	options := [option_of_rule(name, get.text(value)) | some name, value in get.map(rule, "options")]
}

option_of_rule(name, value) := sprintf("%s=%s", [name, value]) if {
	regex.match(`^[A-Za-z0-9_.:/-]+$`, value)
} else := sprintf(`%s="%s"`, [name, value])

addresses := {true: [], false: ["all"]}

all_or(rule, field) := "all" if count(get.list(rule, field)) == 0

all_or(rule, field) := concat(",", names) if {
	names := get.list(rule, field)
	count(names) > 0
	count([1 | some name in names; not regex.match(`^[A-Za-z0-9_.-]+$`, name)]) == 0
}

# PGO creates a stanza in a repository that it has not seen, which it tells by bucket, endpoint and region (internal/pgbackrest/util.go, CalculateConfigHashes): not by the path.
archive_places := {sprintf("%s in %s %s", [name, kind, bucket]): {"text": place, "path": array.concat(global_path, [option])} |
	some repository in repositories
	name := get.string(repository, "name")
	some kind, field in {"s3": "bucket", "gcs": "bucket", "azure": "container"}
	bucket := get.string(repository, [kind, field])
	option := sprintf("%s-path", [name])
	place := object.get(get.map(k8s.object, global_path), option, sprintf("/pgbackrest/%s", [name]))
	is_string(place)
}

numbered_matter := {
	"PerconaPGCluster": {"level": "error", "consequence": "the PerconaPGBackups of it are looked for in the wrong place, and deleted"},
	"PostgresCluster": {"level": "warning", "consequence": "its retention, its keys and what restores name it by are those of the other now"},
}

# Where each repository is, as a number stands for it: a PerconaPGBackup names its repository, and the operator deletes those that it does not find there (percona/controller/pgcluster/backup.go,
# cleanupOutdatedBackups).
numbered_places := {name: object.union(
	{"text": where, "path": array.concat(pgbackrest, ["repos", place.index])},
	numbered_matter[k8s.kind],
) |
	some name, i in get.named(repositories)
	some place in own_places
	place.index == i
	where := place.place
	not placeholder.holds(where)
}

# METADATA
# description: |
#   A PostgresCluster as CrunchyData's operator (PGO) reads it, which Percona's operator builds upon: the shape of instances,
#   Patroni's section, pgBackRest and PgBouncer, and what the operator makes of them. Everything is about the object under review.
# related_resources:
#   - https://github.com/CrunchyData/postgres-operator/blob/main/internal/postgres/parameters.go
package walguard.lib.crunchy

import data.walguard.lib.affinity
import data.walguard.lib.cluster as shared
import data.walguard.lib.fact
import data.walguard.lib.get
import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.lib.text

spec := get.map(k8s.object, "spec")

# METADATA
# description: The fields of walguard.model's cluster that both operators have in common; archiving and parameters are not among them.
cluster := object.union_n([
	{
		"name": k8s.name,
		"namespace": k8s.namespace,
		"patroni": true,
		"instance_sets": instance_sets,
		"rewind": rewind,
	},
	{"data_claims": sprintf(`^%s-.+-[a-z0-9]{4}-pgdata$`, [text.literal(k8s.name)])},
	{"inclusions": inclusions | count(inclusions) > 0},
	{"unread": unread | count(unread) > 0},
	{"lost": lost | count(lost) > 0},
	{"major": found | found := major},
	{"image": fact.written(reference, ["spec", "image"]) | reference := get.string(spec, "image")},
	{"upgrade": {"by": "nobody", "way": upgrade_kind} | not upgrading},
	{"instances": found | found := instances},
	{"segment": found | found := segment},
	{"checksums": found | found := checksums},
	{"standby_backup": found | found := standby_backup},
	{"synchronous": found | found := synchronous},
	{"follows": fact.written(true, ["spec", "standby"]) | standby},
	{"backed_up_elsewhere": true | standby},
	{"repository_volumes": repository_volumes | count(repository_volumes) > 0},
	{"made_secrets": made_secrets | count(made_secrets) > 0},
	{"unmade_secrets": unmade_secrets | count(unmade_secrets) > 0},
	{"unmade_keys": unmade_keys | count(unmade_keys) > 0},
	{"pooler": found | found := pooler},
	{"tls_only_poolers": tls_only_poolers | count(tls_only_poolers) > 0},
	{"pooler_faults": found | found := pooler_faults; count(found) > 0},
	{"open_poolers": found | found := open_poolers; count(found) > 0},
	{"pooler_lines": found | found := pooler_lines; count(found) > 0},
	{"hba_unread": found | found := pooler_unread; count(found) > 0},
	{"reaches": array.concat(needed, outside_stores) | needed := shared.patroni_reaches(instances.value)},
	{"slots": found | found := slots},
	{"affinities": affinities | count(affinities) > 0},
	{"pod_lists": pod_lists | count(pod_lists) > 0},
	{"selection": object.union({"labels": labels, "own": labels}, {"count": n | n := instances.value}) |
		labels := {"postgres-operator.crunchydata.com/cluster": k8s.name, "postgres-operator.crunchydata.com/data": "postgres"}
	},
])

pod_lists := [path |
	some path in array.concat(
		[["spec", "imagePullSecrets"]],
		[array.concat(at, [name]) |
			some at in array.concat([set.path | some set in instance_sets], [["spec", "proxy", "pgBouncer"], array.concat(pgbackrest, ["repoHost"]), array.concat(pgbackrest, ["jobs"])])
			some name in ["tolerations", "topologySpreadConstraints"]
		],
	)
	get.present(k8s.object, path)
]

affinities := [section |
	some path in array.concat(
		[array.concat(set.path, ["affinity"]) | some set in instance_sets],
		[["spec", "proxy", "pgBouncer", "affinity"], array.concat(pgbackrest, ["repoHost", "affinity"]), array.concat(pgbackrest, ["jobs", "affinity"])],
	)
	get.present(k8s.object, path)
	some section in affinity.sections(k8s.object, path)
]

# ------------------------------------------------------------------------------------------------------ upgrades

# The startup script stops at data of another major ("Expected PostgreSQL data version", internal/postgres/config.go). A PGUpgrade runs pg_upgrade in a cluster that is shut down and
# carries the annotation, before its version is changed; Percona's operator changes the version itself then (percona/controller/pgupgrade).
upgrade_kind := {"PostgresCluster": "PGUpgrade", "PerconaPGCluster": "PerconaPGUpgrade"}[k8s.kind]

upgrading if {
	some held in versions_of_itself
	some annotation in ["postgres-operator.crunchydata.com/allow-upgrade", "pgv2.percona.com/allow-upgrade"]
	get.present(held, ["metadata", "annotations", annotation])
}

upgrading if {
	some held in versions_of_itself
	some field in ["shutdown", "pause"]
	object.get(held, ["spec", field], false) == true
}

upgrading if {
	some [version, kind] in [["postgres-operator.crunchydata.com/v1beta1", "PGUpgrade"], ["upstream.pgv2.percona.com/v1beta1", "PGUpgrade"], ["pgv2.percona.com/v2", "PerconaPGUpgrade"]]
	some one in inventory.list(k8s.namespace, version, kind)
	get.string(one, ["spec", "postgresClusterName"]) == k8s.name
}

versions_of_itself := array.concat([k8s.object], [old | old := k8s.old_object])

# ----------------------------------------------------------------------------------------------------- instances

major := fact.written(shared.major(version), ["spec", "postgresVersion"]) if version := object.get(spec, "postgresVersion", null)

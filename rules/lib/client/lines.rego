package walguard.lib.client

import data.walguard.lib.get
import data.walguard.lib.image

# METADATA
# description: 'What a program ends at in its command line: as stops.'
refused_words(container) := array.concat(unknown_flags(container), unbuilt(container))

# Collectors of postgres_exporter by the release 0.x that they came with (CHANGELOG.md).
collectors := {name: release |
	some release, names in {
		14: "database_wraparound long_running_transactions stat_activity_autovacuum stat_wal_receiver statio_user_indexes wal xlog_location",
		16: "roles",
		17: "stat_checkpointer",
		18: "buffercache_summary stat_progress_vacuum stat_statements.include_query stat_statements.query_length",
		19: "stat_statements.exclude_databases stat_statements.exclude_users stat_statements.limit",
		20: "replication_slots settings stat_activity stat_archiver stat_replication",
	}
	some name in split(names, " ")
}

unknown_flags(container) := [{"reason": sprintf("is started with %s, which postgres_exporter knows %s", [flag[0], known]), "cure": cure, "outcome": "it ends at \"unknown long flag\"", "at": [field, k]} |
	some match in regex.find_all_string_submatch_n(`(?:^|/)postgres(?:ql)?[-_]exporter:v?0\.([0-9]+)\.`, get.string(container, "image"), 1)
	some field in ["command", "args"]
	some k, word in get.list(container, field)
	some flag in regex.find_all_string_submatch_n(`^--(?:no-)?(?:collector\.([a-z_.]+)|disable-settings-metrics)`, get.text(word), 1)
	[known, cure] := strange(flag[1], to_number(match[1]))
]

strange(name, release) := [sprintf("from 0.%d on", [collectors[name]]), sprintf("Take 0.%d.0 or newer, or remove it", [collectors[name]])] if release < collectors[name]

strange(name, release) := ["up to 0.19", "Write --collector.replication_slots or --no-collector.settings"] if {
	name in {"", "replication_slot"}
	release >= 20
}

# The image holds no build of its own, for a database or at all (Messages.optimizedUsedForFirstStartup).
unbuilt(container) := [{"reason": "is started with --optimized, and nobody has built this image (kc.sh build)", "cure": "Remove --optimized, or take an image that is built with KC_DB=postgres", "outcome": "it ends with \"used for first ever server start\", or keeps its data in H2", "at": []} |
	image.repository(get.string(container, "image")) in {"docker.io/keycloak/keycloak", "quay.io/keycloak/keycloak"}
	line := concat(" ", [one.text | some one in words(container)])
	regex.match(`\bstart\s(.*\s)?--optimized\b`, line)
	not contains(line, "build")
	not regex.match(`"/opt/keycloak(/lib[^"]*|/)?"`, json.marshal(get.list(container, "volumeMounts")))
]

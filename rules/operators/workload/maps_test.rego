package walguard.operators.workload_test

import data.walguard.operators.workload

map_with(texts) := {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "conf", "namespace": "shop"}, "data": texts}

by_map(texts) := found if found := workload.cluster with input as {"review": {"object": map_with(texts)}}

settings_in(texts) := [[place.reason, place.path] | some place in by_map(texts).unread]

says(word) := sprintf("it says %s, and what mounts it is not in sight", [word])

# An API server shows the ConfigMap and not the server that mounts it.
test_settings_of_a_map_by_itself if {
	found := by_map({"postgresql.conf": "work_mem = 4MB\nfsync = on\nFSYNC off\nfull_page_writes='off'\n"})
	object.filter(found, ["operator", "name", "namespace", "change", "partial"]) == {"operator": "ConfigMap", "name": "conf", "namespace": "shop", "change": true, "partial": true}
	found.unread == [{
		"source": "postgresql.conf of this ConfigMap",
		"path": ["data", "postgresql.conf"],
		"severity": "warning",
		"reason": says(word),
		"cure": "Take that out if a server reads it",
	} |
		some word in ["fsync=off", "full_page_writes=off"]
	]
}

archiving(was, now) := found if {
	found := workload.cluster with input as {"review": {"object": map_with({"k": now}), "oldObject": map_with({"k": was}), "operation": "UPDATE"}}
}

# Many a template has one that does nothing; it is the change that is to be said.
test_archiving_that_ends if {
	found := archiving("archive_command = 'wal-g wal-push %p'\n", "archive_command = '/bin/true'\n")
	[[place.reason, place.path] | some place in found.unread] == [[says("archive_command=/bin/true"), ["data", "k"]]]
	not archiving("archive_command = '/bin/true'\n", "archive_command = '/bin/true'\n")
	not archiving("archive_command = ''\n", "archive_command = '/bin/true'\n")
	not archiving("archive_command = 'wal-g wal-push %p'\n", "archive_command = 'pgbackrest --stanza=db archive-push %p'\n")
	not by_map({"k": "archive_command = '/bin/true'\n"})
}

test_of_patroni if {
	yaml := "postgresql:\n  parameters:\n    fsync: \"off\"\n    work_mem: 4MB\n"
	settings_in({"patroni.yml": yaml}) == [[says("fsync=off"), ["data", "patroni.yml"]]]
	settings_in({"patroni.json": `{"postgresql": {"parameters": {"full_page_writes": "off"}}}`}) == [[says("full_page_writes=off"), ["data", "patroni.json"]]]
	not by_map({"mongo.yml": "storage:\n  fsync: off\n"})
}

test_of_scripts_and_variables if {
	settings_in({"a.sql": "ALTER SYSTEM SET fsync = off;"}) == [[says("fsync=off"), ["data", "a.sql"]]]
	settings_in({"a.sh": "psql -c \"alter system set full_page_writes to 'off'\""}) == [[says("full_page_writes=off"), ["data", "a.sh"]]]
	settings_in({"POSTGRES_INITDB_ARGS": "-k -c fsync=off"}) == [[says("fsync=off"), ["data", "POSTGRES_INITDB_ARGS"]]]
	settings_in({"POSTGRESQL_FSYNC": "off"}) == [[says("fsync=off"), ["data", "POSTGRESQL_FSYNC"]]]
	settings_in({"SPILO_CONFIGURATION": `{"postgresql": {"parameters": {"fsync": "off"}}}`}) == [[says("fsync=off"), ["data", "SPILO_CONFIGURATION"]]]
	not by_map({"a.sql": "ALTER SYSTEM SET work_mem = '8MB'; -- fsync"})
	not by_map({"NOTES.md": "ALTER SYSTEM SET fsync = off"})
}

# Patroni writes it once; whoever changes it by hand says it here.
test_what_patroni_keeps if {
	kept := object.union(map_with({}), {"metadata": {"annotations": {"config": `{"postgresql": {"parameters": {"fsync": "off"}}}`}}})
	found := workload.cluster with input as {"review": {"object": kept, "operation": "UPDATE"}}
	[[setting.name, setting.value] | some setting in found.parameters] == [["fsync", "off"]]
	found.patroni
	not workload.cluster with input as {"review": {"object": kept}}
}

test_maps_that_say_nothing if {
	every texts in [
		{"postgresql.conf": "work_mem = 4MB\n"},
		{"postgresql.conf": "fsync = ${FSYNC}\n"},
		{"postgresql.conf": "fsync = on\nzero_damaged_pages = off\n"},
		{"a.sh": "fsync=off\nhost all all all trust\n"},
		{"notes.md": "host all all all trust\n"},
		{"redis.conf": "appendfsync no\n"},
		{"README": "synchronous_commit and fsync are safe, trust us\n"},
		{"pg_hba.conf": "local all all trust\nhost all all 127.0.0.1/32 trust\nhost all all all scram-sha-256\n"},
		{"pg_hba.conf": "hostssl all all all trust clientcert=verify-full\n"},
		{"pgbouncer.ini": "[pgbouncer]\nlisten_addr = *\nauth_type = scram-sha-256\n"},
	] {
		not by_map(texts)
	}
	not workload.cluster with input as {"review": {"object": object.union(map_with({"postgresql.conf": "fsync = off"}), {"apiVersion": "v2"})}}
}

test_lines_of_a_map_by_itself if {
	by_map({"pg_hba.conf": "host all all all trust\n"}).hba_added == [{"source": "The text pg_hba.conf", "text": "host all all all trust", "path": ["data", "pg_hba.conf"]}]
	doors := {"patroni.yml": "postgresql:\n  pg_hba:\n    - local all all trust\n    - host all all all trust\n", "POSTGRES_HOST_AUTH_METHOD": "trust"}
	every key, text in doors {
		by_map({key: text}).hba_added == [{"source": sprintf("The text %s", [key]), "text": "host all all all trust", "path": ["data", key]}]
	}
}

test_poolers_of_a_map_by_itself if {
	by_map({"pgbouncer.ini": "[pgbouncer]\nlisten_addr = *\nauth_type = trust\n"}).open_poolers == [{
		"pooler": "PgBouncer with pgbouncer.ini",
		"text": "auth_type trust",
		"cure": "Let it ask for passwords (scram-sha-256), or listen on 127.0.0.1",
		"level": "warning",
		"path": ["data", "pgbouncer.ini"],
	}]
}

# What mounts it is judged with it.
test_maps_beside_what_mounts_them if {
	every volume in [{"name": "c", "configMap": {"name": "conf"}}, {"name": "c", "projected": {"sources": [{"configMap": {"name": "conf"}}]}}] {
		not beside_a_workload(volume)
	}
	not beside_a_container({"envFrom": [{"configMapRef": {"name": "conf"}}]})
	not beside_a_container({"env": [{"name": "A", "valueFrom": {"configMapKeyRef": {"name": "conf", "key": "k"}}}]})
	beside_a_container({"env": [{"name": "A", "value": "conf"}]})
	beside_a_workload({"name": "c", "configMap": {"name": "other"}})
	beside_a_workload({"name": "c", "secret": {"secretName": "conf"}})
}

beside_a_workload(volume) if beside_a_pod({"volumes": [volume], "containers": []})

beside_a_container(container) if beside_a_pod({"containers": [container]})

beside_a_pod(pod) if {
	made := {"apiVersion": "apps/v1", "kind": "StatefulSet", "metadata": {"name": "db", "namespace": "shop"}, "spec": {"template": {"spec": pod}}}
	workload.cluster with input as {
		"review": {"object": map_with({"postgresql.conf": "fsync = off"})},
		"inventory": {"namespace": {"shop": {"apps/v1": {"StatefulSet": {"db": made}}}}},
	}
}

test_scripts_and_keys_of_a_map_by_itself if {
	settings_in({"k": "postgresql:\n  parameters:\n    fsync: 'off'\n"}) == [[says("fsync=off"), ["data", "k"]]]
	settings_in({"a.sh": "echo fsync=off >> /d/pgdata/postgresql.auto.conf\n"}) == [[says("fsync=off"), ["data", "a.sh"]]]
	not by_map({"a.sh": "echo fsync=on >> /d/pgdata/postgresql.auto.conf\n"})
	not by_map({"a.sh": "test \"$(psql -tAc 'SHOW fsync')\" = off && exit 1\n"})
	not by_map({"a.md": "echo fsync=off >> /d/pgdata/postgresql.auto.conf\n"})
}

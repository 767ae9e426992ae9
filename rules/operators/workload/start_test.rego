package walguard.operators.workload_test

import data.walguard.operators.workload

# What is seen of a StatefulSet whose only container is this one.
started(container) := found if {
	found := workload.server with input as {"review": {"object": {"apiVersion": "apps/v1", "kind": "StatefulSet", "metadata": {"name": "orders"}, "spec": {"template": {"spec": {"containers": [container]}}}}}}
}

on_volume := {"volumeMounts": [{"name": "data", "mountPath": "/var/lib/postgresql/data"}]}

listening := {"ports": [{"containerPort": 5432}]}

words_of(container) := [word.text | some word in started(container).words]

test_variables_in_the_first_word if {
	words_of({
		"image": "postgres:17",
		"args": ["$(OPTION)", "$(VALUE)", 3],
		"env": [{"name": "OPTION", "value": "-c"}, {"name": "VALUE", "value": "fsync=off"}, {"name": "HIDDEN", "valueFrom": {}}],
	}) == ["-c", "fsync=off"]
}

test_a_command_that_cannot_be_read if {
	every container in [
		object.union(on_volume, {"command": ["/scripts/start.sh"]}),
		object.union(listening, {"command": ["/scripts/start.sh"]}),
		object.union(on_volume, {"command": ["bash", "-c", "eval $(echo cG9zdGdyZXM= | base64 -d)"]}),
		object.union(listening, {"command": ["bash", "-c", "psql -l; /start"]}),
		{"command": ["/start"], "volumeMounts": [{"name": "data", "mountPath": "/var/lib"}]},
	] {
		started(object.union(container, {"image": "postgres:17"})).opaque == "command"
	}
	started(object.union(on_volume, {"image": "postgres:17", "args": ["/scripts/start.sh"]})).opaque == "args"
	seen := read(with_parts("StatefulSet", "postgres:17", object.union(on_volume, {"command": ["/scripts/start.sh"]}), {}, claims))
	seen.partial
	seen.unread == [{"source": "its command", "path": below(["command"]), "severity": "info"}]
}

test_a_command_that_nothing_will_read_later if {
	resource := with_parts("StatefulSet", "postgres:17", object.union(on_volume, {"command": ["/scripts/start.sh"]}), {}, claims)
	seen := workload.cluster with input as {"review": {"object": resource}, "inventory": {"complete": true}}
	{place.severity | some place in seen.unread} == {"warning"}
}

test_what_starts_no_server if {
	every container in [
		{"command": ["/scripts/backup.sh"]},
		{"command": ["/scripts/backup.sh"], "volumeMounts": [{"name": "b", "mountPath": "/backups"}, 3]},
		object.union(on_volume, {"command": ["sh", "-c", "pg_resetwal /var/lib/postgresql/data"]}),
		object.union(on_volume, {"command": ["chown", "-R", "999", "/var/lib/postgresql/data"]}),
		object.union(listening, {"command": ["sleep", "infinity"]}),
		{"command": ["/start"], "ports": [{"containerPort": 8080}, null]},
	] {
		not started(object.union(container, {"image": "postgres:17"}))
	}
}

test_an_image_of_another_name if {
	started({"image": "registry.example/db/thing:1", "args": ["postgres", "-c", "fsync=off"]}).product == {"name": "thing", "layout": "other"}
	own := object.union(on_volume, {"image": "registry.example/db/thing:1", "env": [null, {"name": "POSTGRES_PASSWORD", "value": "x"}]})
	started(own).product.layout == "other"
	not started(object.union(own, {"env": [{"name": "DB_HOST", "value": "x"}]}))
	not started(object.union(own, {"volumeMounts": [{"name": "data", "mountPath": "/data"}]}))
	not started(object.union(own, {"command": ["/start"]}))
}

test_variables_of_a_shell if {
	script := {"command": ["sh", "-c", "exec docker-entrypoint.sh postgres -c fsync=$FSYNC -c jit=${JIT} $MORE"]}
	seen := read(official(object.union(script, {"env": [{"name": "FSYNC", "value": "off"}, {"name": "JIT", "value": "on"}]})))
	{[one.name, one.value] | some one in seen.parameters} == {["fsync", "off"], ["jit", "on"]}
	[place.source | some place in seen.unread] == ["the variables in $MORE"]
}

# One that nobody knows is a value among others, but where data hang on it.
test_unread_values_of_parameters if {
	severity_of("jit=$(JIT)") == "info"
	severity_of("fsync=$(FSYNC)") == "warning"
	severity_of("full_page_writes=$(FPW)") == "warning"
}

severity_of(word) := read(official({"args": ["-c", word]})).unread[0].severity

# Without a shell, and between its single quotes, they are PostgreSQL's own, or those of a command that the server runs.
test_dollars_that_are_no_variables if {
	archived := "archive_command=cp %p $BACKUP/%f"
	every container in [
		{"args": ["-c", "search_path=\"$user\",public", "-c", archived]},
		{"command": ["sh", "-c", "exec docker-entrypoint.sh postgres -c 'search_path=\"$user\",public' -c 'archive_command=cp %p $BACKUP/%f'"]},
	] {
		seen := read(official(container))
		not seen.unread
		{one.name | some one in seen.parameters} == {"search_path", "archive_command"}
		{one.value | some one in seen.parameters; one.name == "archive_command"} == {"cp %p $BACKUP/%f"}
	}
}

test_pods_of_other_controllers if {
	every controller in [
		["v1", "ReplicationController"], ["argoproj.io/v1alpha1", "Rollout"], ["apps.openshift.io/v1", "DeploymentConfig"],
		["apps.kruise.io/v1beta1", "StatefulSet"], ["apps.kruise.io/v1alpha1", "CloneSet"], ["apps.kruise.io/v1alpha1", "DaemonSet"],
	] {
		[version, kind] := controller
		written := {"apiVersion": version, "kind": kind, "metadata": {"name": "orders"}, "spec": {"template": {"spec": {"containers": [object.union(on_volume, {"image": "postgres:17.6", "args": ["-c", "fsync=off"]})]}}}}
		seen := workload.cluster with input as {"review": {"object": written}}
		[{"name": one.name, "value": one.value} | some one in seen.parameters] == [{"name": "fsync", "value": "off"}]
	}
	not workload.cluster with input as {"review": {"object": {"apiVersion": "example.com/v1", "kind": "StatefulSet", "metadata": {"name": "orders"}, "spec": {"template": {"spec": {"containers": [{"image": "postgres:17.6"}]}}}}}}
}

# The API server refuses the second, which is no reason to judge nothing.
test_two_claim_templates_of_one_name if {
	frozen := read(with_parts("StatefulSet", "postgres:17.6", on_volume, {}, {"volumeClaimTemplates": [
		{"metadata": {"name": "data"}, "spec": {"storageClassName": "a"}},
		{"metadata": {"name": "data"}, "spec": {"storageClassName": "b"}},
	]})).frozen
	frozen["volumeClaimTemplates data"].value.spec == {"storageClassName": "b"}
}

begun(container) := object.filter(started(container), ["product", "words", "configuration", "opaque"])

test_patroni_by_one_variable if {
	one := object.union(listening, {"image": "registry.example.com/own/db:1", "env": [{"name": "PATRONI_CONFIGURATION", "value": "bootstrap:\n  dcs:\n    postgresql:\n      parameters:\n        jit: off\n"}]})
	begun(one) == {"product": {"name": "db", "layout": "patroni"}, "words": [], "configuration": "PATRONI_CONFIGURATION"}
	seen := read(set_of(one.image, one))
	[[setting.name, setting.value, setting.path] | some setting in seen.parameters] == [["jit", "off", below(["env", 0, "value"])]]
	not started(object.remove(one, ["env"]))
	not started(object.remove(one, ["ports"]))
	not started(object.union(one, {"command": ["sleep", "infinity"]}))
}

test_patroni_by_its_variables if {
	one := object.union(listening, {"image": "registry.example.com/own/db:1", "env": [{"name": "PATRONI_POSTGRESQL_DATA_DIR", "value": "/data"}]})
	begun(one) == {"product": {"name": "db", "layout": "patroni"}, "words": []}
	begun(object.union(one, {"env": array.concat(one.env, [{"name": "PATRONI_CONFIGURATION", "value": "{}"}])})) == {"product": {"name": "db", "layout": "patroni"}, "words": []}
	not started(object.remove(one, ["ports"]))
}

test_server_of_debian if {
	one := object.union(on_volume, {"image": "registry.example.com/own/debian:12"})
	begun(object.union(one, {"command": ["sh", "-c", "pg_ctlcluster 17 main start --foreground"]})) == {"product": {"name": "debian", "layout": "other"}, "words": [], "opaque": "command"}
	started(object.union(one, {"args": ["pg_ctlcluster 17 main restart; sleep infinity"]})).opaque == "args"
	every container in [
		object.union(one, {"command": ["sh", "-c", "pg_ctlcluster 17 main status"]}),
		object.union(one, {"command": ["sh", "-c", "pg_ctlcluster 17 main stop; start"]}),
		object.union(one, {"command": ["pg_ctlcluster", "17", "main", "start"], "volumeMounts": [{"name": "data", "mountPath": "/data"}]}),
		object.union(one, {"command": ["/start"]}),
	] {
		not started(container)
	}
}

# Where a home of the data begins, and what lies above it.
test_directories_that_hold_data if {
	every directory, holds in {
		"/var/lib/postgresql": true, "/var/lib/pgsql": true, "/bitnami/postgresql": true, "/home/postgres/pgdata": true,
		"/var/lib/postgresql/18/docker": true, "/var/lib/": true, "/bitnami": true, "/home/postgres": true,
		"/var/lib/postgres": false, "/home/postgres/pgdata2": false, "/data": false, "/srv": false,
	} {
		seen := [1 | started({"image": "postgres:17", "command": ["/start"], "volumeMounts": [3, {"name": "data", "mountPath": directory}]})]
		count(seen) == 1 == holds
	}
}

# The chart's image with its file and no command: Patroni starts the server. Without the variable the image's own entrypoint does.
test_patroni_whose_command_is_left_out if {
	one := {"image": "timescale/timescaledb-ha:pg17", "env": [{"name": "PATRONI_SCOPE", "value": "ts"}], "volumeMounts": [{"name": "conf", "mountPath": "/etc/timescaledb/patroni.yaml", "subPath": "patroni.yaml"}]}
	seen := begun(one)
	[seen.product.name, seen.product.layout, seen.product.major, seen.words, seen.configuration] == ["timescaledb-ha", "patroni", 17, [], "/etc/timescaledb/patroni.yaml"]
	every other in [object.remove(one, ["env"]), object.remove(one, ["volumeMounts"]), object.union(one, {"args": ["-c", "fsync=off"]})] {
		[begun(other).product.layout, object.get(begun(other), "configuration", "")] == ["docker", ""]
	}
}

# An image called postgresql: the variables and the mount say whose it is.
test_image_called_postgresql if {
	red_hat := {"image": "registry.example/own/postgresql:16.2", "env": [{"name": "POSTGRESQL_USER", "value": "app"}], "volumeMounts": [{"name": "data", "mountPath": "/var/lib/pgsql/data"}]}
	started(red_hat).product == {"name": "postgresql", "layout": "sclorg", "home": "/var/lib/pgsql/data/userdata", "major": 16}
	bitnamis := {"image": "registry.example/own/postgresql-repmgr", "env": [{"name": "REPMGR_PASSWORD", "value": "x"}], "volumeMounts": [{"name": "data", "mountPath": "/bitnami/postgresql"}]}
	started(bitnamis).product == {"name": "postgresql-repmgr", "layout": "bitnami", "home": "/bitnami/postgresql/data"}
	not started(object.union(red_hat, {"volumeMounts": [{"name": "data", "mountPath": "/data"}]}))
}

test_directory_that_pgdata_names if {
	one := {"image": "registry.example/db/thing:1", "env": [{"name": "PGDATA", "value": "/data/pg"}], "volumeMounts": [{"name": "data", "mountPath": "/data/"}]}
	started(one).product == {"name": "thing", "layout": "other"}
	not started(object.union(one, {"env": [{"name": "PGDATA", "value": "/database"}]}))
	not started(object.union(one, {"env": [{"name": "PGDATA", "value": "data/pg"}]}))
}

test_server_of_debian_in_the_official_image if {
	one := object.union(on_volume, {"image": "postgres:17", "command": ["sh", "-c", "pg_ctlcluster 17 main start; sleep infinity"]})
	[started(one).words, started(one).opaque] == [[], "command"]

	# What a client does before it makes no client of it.
	another := object.union(one, {"command": ["sh", "-c", "chown -R postgres /data; pg_ctlcluster 17 main start; sleep infinity"]})
	[started(another).words, started(another).opaque] == [[], "command"]
	not started(object.union(one, {"command": ["sh", "-c", "chown -R postgres /data; pg_ctlcluster 17 main status"]}))
}

other_server(script) := {place.source |
	some place in read(set_of("postgres:17", object.union(on_volume, {"image": "postgres:17", "command": ["sh", "-c", script]}))).unread
	place.reason == "it has another server, or settings of one, beside the one that is read"
}

# A readable server hides no other one.
test_beside_the_server if {
	every other in [
		`python3 -c "open('/tmp/a', 'w').write('fsync=off')"`,
		`perl -e 'exec "docker-entrypoint.sh", "postgres", "-c", "fsync=off"'`,
		`perl -e 'system "docker-entrypoint.sh", "postgres", "-h", "x"'`,
		`read -r PGDATA < /tmp/place`,
	] {
		other_server(sprintf("%s\nexec postgres -c jit=off", [other])) == {"its command"}
	}
	other_server("echo starting\nexec postgres -c jit=off") == set()
}

projected(source, mounted) := {place.source |
	one := object.union(
		{"image": "postgres:17", "args": ["-c", "config_file=/conf/postgresql.conf"]},
		{"volumeMounts": [{"name": "data", "mountPath": "/var/lib/postgresql/data"}, mounted]},
	)
	pod := {"volumes": [{"name": "conf", "projected": {"sources": [{"configMap": {"name": "settings"}}, source]}}]}
	found := workload.cluster with input as {
		"review": {"object": {"apiVersion": "apps/v1", "kind": "StatefulSet", "metadata": {"name": "orders", "namespace": "shop"}, "spec": {"template": {"spec": object.union({"containers": [one]}, pod)}}}},
		"inventory": {"namespace": {"shop": {"v1": {"ConfigMap": {"settings": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "settings", "namespace": "shop"}, "data": {"postgresql.conf": "jit = off\n"}}}}}}},
	}
	some place in found.unread
}

# The later source of one name is taken.
test_sources_of_a_projected_volume if {
	conf := {"name": "conf", "mountPath": "/conf"}
	projected({"configMap": {"name": "other"}}, conf) == {"ConfigMap shop/other"}
	projected({"secret": {"name": "other", "items": [{"key": "a", "path": "postgresql.conf"}]}}, conf) == {"Secret shop/other"}
	projected({"configMap": {"name": "other", "items": [{"key": "a", "path": "pg_hba.conf"}]}}, conf) == set()
	projected({"downwardAPI": {"items": [{"path": "postgresql.conf", "fieldRef": {"fieldPath": "metadata.annotations['a']"}}]}}, conf) == {"the volume at /conf"}
	projected({"clusterTrustBundle": {"name": "a", "path": "postgresql.conf"}}, conf) == {"the volume at /conf"}
	projected({"serviceAccountToken": {"path": "token"}}, conf) == set()
}

# What Kubernetes fills in behind the name of a parameter is its value; elsewhere it may be any option.
rated(args) := [[place.source, place.severity] |
	some place in read(official({"args": args, "env": [{"name": "HIDDEN", "valueFrom": {"secretKeyRef": {"name": "db", "key": "a"}}}]})).unread
	startswith(place.source, "the variables")
]

test_a_variable_as_a_value if {
	rated(["-c", "temp_tablespaces=$(HIDDEN)/db"]) == [["the variables in temp_tablespaces=$(HIDDEN)/db", "info"]]
	rated(["-F", "$(HIDDEN)"]) == [["the variables in $(HIDDEN)", "warning"]]
	rated(["-c", "primary_conninfo=host=$(HIDDEN) port=5432"]) == [["the variables in primary_conninfo=host=$(HIDDEN) port=5432", "info"]]
	rated(["-c", "$(HIDDEN)=on"]) == [["the variables in $(HIDDEN)=on", "warning"]]
}

test_a_command_that_cannot_be_read_and_says_what_loses_data if {
	every one in [
		[["strace", "-f", "postgres", "-c", "fsync=off"], {"severity": "warning", "reason": "it says what loses data"}],
		[["strace", "-f", "postgres", "-c", "fsync=on"], {"severity": "info"}],
	] {
		seen := read(with_parts("StatefulSet", "postgres:17", object.union(on_volume, {"command": one[0]}), {}, claims))
		seen.unread == [object.union({"source": "its command", "path": below(["command"])}, one[1])]
	}
}

at_home(container, before) := seen if {
	whole := {
		"apiVersion": "apps/v1", "kind": "StatefulSet", "metadata": {"name": "orders"},
		"spec": {
			"template": {"spec": {
				"initContainers": before,
				"containers": [object.union({"image": "postgres:17", "env": [{"name": "PGDATA", "value": "/var/lib/postgresql/data/pgdata"}], "volumeMounts": [{"name": "data", "mountPath": "/var/lib/postgresql/data"}]}, container)],
			}},
			"volumeClaimTemplates": [{"metadata": {"name": "data"}, "spec": {}}],
		},
	}
	cluster := workload.cluster with input as {"review": {"object": whole}}
	seen := {"lost": [part.what | some part in object.get(cluster, "lost", [])], "warned": [object.get(place, "reason", "") | some place in object.get(cluster, "unread", []); place.severity == "warning"]}
}

silent := {"lost": [], "warned": []}

bash(text) := {"command": ["bash", "-c", text]}

test_fsync_behind_a_start_that_is_not_read if {
	named := "it names a server, and -F beside it, which is fsync=off"
	at_home({"command": ["flock", "/tmp/x", "docker-entrypoint.sh", "postgres", "-F"]}, []).warned == [named]
	at_home(bash("if true; then exec docker-entrypoint.sh postgres -F; fi"), []).warned == [named]
	at_home(bash("time postgres -F; exec docker-entrypoint.sh postgres"), []).warned == ["it has -F, which is fsync=off, beside the server that is read"]
	at_home({"command": ["flock", "/tmp/x", "docker-entrypoint.sh", "postgres"]}, []) == silent
	at_home(bash("tail -F /log & exec docker-entrypoint.sh postgres"), []) == silent
}

test_links_before_the_start if {
	volume := [{"name": "data", "mountPath": "/data"}]
	at_home({}, [object.union(bash("ln -sfn /dev/shm /data/pgdata"), {"volumeMounts": volume})]).lost == ["/data/pgdata=/dev/shm"]
	at_home({}, [object.union(bash("cd /data/pgdata && ln -sfn /dev/shm base"), {"volumeMounts": volume})]).lost == ["/data/pgdata/base=/dev/shm"]
	at_home({}, [object.union(bash("mkdir -p /data/17; ln -sfn /data/17 /data/pgdata"), {"volumeMounts": volume})]) == silent
	at_home({}, [bash("ln -sfn /dev/shm /data/pgdata"), null]) == silent
	at_home(bash("cd $PGDATA/..; mv pgdata /tmp/d; ln -s /tmp/d pgdata; exec docker-entrypoint.sh postgres"), []).lost == ["/var/lib/postgresql/data/pgdata/../pgdata=/tmp/d"]
}

test_data_that_a_script_puts_elsewhere if {
	every value in ["${X:-/tmp/d}", "$(echo /tmp/d)", "~postgres/d", "${PGDATA/var/tmp}"] {
		count(at_home(bash(sprintf("export PGDATA=%s; exec docker-entrypoint.sh postgres", [value])), []).warned) == 1
	}
	at_home(bash("export PGDATA=/tmp${PGDATA}; exec docker-entrypoint.sh postgres"), []).lost == ["PGDATA=/tmp/var/lib/postgresql/data/pgdata"]
	every value in ["${PGDATA:-/var/lib/postgresql/data}", "${X:-/var/lib/postgresql/data/x}", "$PGDATA/17", "/var/lib/postgresql/data/$(hostname)", "$DATA"] {
		at_home(bash(sprintf("export PGDATA=%s; exec docker-entrypoint.sh postgres", [value])), []) == silent
	}
	at_home(bash("read PGDATA <<< /tmp/d; exec docker-entrypoint.sh postgres"), []).warned != []
}

elsewhere_mounted := {"image": "example.com/foo:1", "volumeMounts": [{"name": "data", "mountPath": "/data"}]}

test_servers_that_their_options_show if {
	started(object.union(elsewhere_mounted, {"args": ["-c", "full_page_writes=off"]})).product.layout == "other"
	started(object.union(elsewhere_mounted, {"args": ["-cfsync=off"]})).product.layout == "other"
	started(object.union(elsewhere_mounted, {"args": ["--zero_damaged_pages=on"]})).product.layout == "other"
	started(object.union(elsewhere_mounted, {"command": ["/x/pg_ctl", "-D", "/data", "start"]})).product.layout == "other"
	every words in [["-c", "verbose=off"], ["--fsync=off"], ["fsync=off"], ["-d", "fsync=off"]] {
		not started(object.union(elsewhere_mounted, {"args": words}))
	}
}

test_image_of_patroni if {
	own := {"image": "registry.example/dba/patroni:4.0.6-pg17", "args": ["/etc/patroni/patroni.yml"], "env": [{"name": "PATRONI_NAME", "value": "a"}]}
	started(own).configuration == "/etc/patroni/patroni.yml"
	every other in [
		object.union(own, {"image": "registry.example/dba/exporter:1"}), object.union(own, {"command": ["/start"]}),
		object.union(own, {"args": ["/etc/patroni/patroni.yml", "--verbose"]}), object.union(own, {"args": ["run"]}), object.remove(own, ["env"]),
	] {
		not started(other)
	}
}

package walguard.operators.workload_test

# What is read of who may log in, beside a ConfigMap "conf".
logins(container, texts) := object.filter(
	among(
		with_parts("StatefulSet", "postgres:17", container, {"volumes": [{"name": "conf", "configMap": {"name": "conf"}}]}, claims),
		{"conf": texts},
		{},
	),
	["hba", "hba_file_read", "hba_unread"],
)

lines(found) := [entry.line | some entry in found.hba]

test_file_below_the_data_directory if {
	found := logins(
		{
			"args": ["-c", "hba_file=own.conf"],
			"volumeMounts": [{"name": "data", "mountPath": "/var/lib/postgresql/data"}, {"name": "conf", "mountPath": "/var/lib/postgresql/data/own.conf", "subPath": "own.conf"}],
		},
		{"own.conf": "host all all all trust\n"},
	)
	lines(found) == ["host all all all trust"]
	found.hba_file_read
}

test_file_that_the_configuration_names if {
	container := {
		"args": ["-c", "config_file=/etc/pg/postgresql.conf"],
		"volumeMounts": [{"name": "data", "mountPath": "/var/lib/postgresql/data"}, {"name": "conf", "mountPath": "/etc/pg"}],
	}
	own := {"pg_hba.conf": "host all all all trust\n"}
	lines(logins(container, object.union(own, {"postgresql.conf": "hba_file = '/etc/pg/pg_hba.conf'\n"}))) == ["host all all all trust"]
	logins(container, object.union(own, {"postgresql.conf": "hba_file = '/etc/elsewhere/pg_hba.conf'\n"})) == {}
}

test_lines_of_patroni if {
	for_all := "bootstrap:\n  dcs:\n    postgresql:\n      pg_hba:\n      - host all all all trust\n  initdb:\n  - data-checksums\n"
	lines(spilo_with([{"name": "SPILO_CONFIGURATION", "value": for_all}])) == ["host all all all trust"]
	lines(spilo_with([{"name": "SPILO_CONFIGURATION", "value": "postgresql:\n  pg_hba:\n  - local all all peer\n  - host all all all md5\n  parameters: {}\n"}])) == ["local all all peer", "host all all all md5"]

	# A member's own come before those of all.
	lines(spilo_with([{"name": "SPILO_CONFIGURATION", "value": concat("", [for_all, "postgresql:\n  pg_hba:\n  - host all all all md5\n"])}])) == ["host all all all md5"]
}

test_lines_in_another_style if {
	found := spilo_with([{"name": "SPILO_CONFIGURATION", "value": "postgresql: {pg_hba: [host all all all trust]}\n"}])
	not found.hba
	[[one.source, one.severity] | some one in found.hba_unread] == [["pg_hba of Patroni's configuration", "info"]]
	not spilo_with([{"name": "SPILO_CONFIGURATION", "value": "# pg_hba: none\npostgresql: {}\n"}]).hba_unread
}

# postgres takes it from where it was started.
test_file_by_a_relative_name if {
	found := logins(
		{
			"workingDir": "/etc/pg",
			"args": ["-c", "hba_file=pg_hba.conf"],
			"volumeMounts": [{"name": "data", "mountPath": "/var/lib/postgresql/data"}, {"name": "conf", "mountPath": "/etc/pg"}],
		},
		{"pg_hba.conf": "host all all all trust\n"},
	)
	lines(found) == ["host all all all trust"]
}

sampled(text) := object.get(found, "hba_added", []) if {
	found := among(
		with_parts("StatefulSet", "postgres:17", {"volumeMounts": [{"name": "conf", "mountPath": "/usr/share/postgresql/17/pg_hba.conf.sample", "subPath": "h"}]}, {"volumes": [{"name": "conf", "configMap": {"name": "conf"}}]}, claims),
		{"conf": {"h": text}},
		{},
	)
}

# initdb makes pg_hba.conf of it.
test_sample_of_initdb if {
	[[one.source, one.text] | some one in sampled("local all all trust\nhost all all all trust\n")] == [["The file pg_hba.conf.sample", "host all all all trust"]]
	sampled("host all all all scram-sha-256\n") == []
}

over_programs(inits) := [one.source | some one in object.get(found, "unread", []); contains(one.source, "mounted at")] if {
	found := among(
		with_parts("StatefulSet", "postgres:17", {"volumeMounts": [{"name": "bin", "mountPath": "/usr/local/bin"}]}, {"volumes": [{"name": "bin", "emptyDir": {}}], "initContainers": inits}, claims),
		{},
		{},
	)
}

test_programs_that_somebody_puts_there if {
	over_programs([{"name": "fill", "image": "x/y", "volumeMounts": [{"name": "bin", "mountPath": "/b"}]}]) == ["what is mounted at /usr/local/bin, in the place of the image's own"]
	over_programs([]) == []
}

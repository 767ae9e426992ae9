package walguard.operators.stackgres_test

refused(version, configurations) := object.get(read(sgcluster({"postgres": {"version": version}, "configurations": {"sgPostgresConfig": "tuned"}}), configurations), "refusals", [])

test_configuration_for_another_major if {
	refused("15.8", [settings({})]) == [{
		"path": ["spec", "configurations", "sgPostgresConfig"],
		"reason": "SGPostgresConfig tuned is for PostgreSQL 16, and the cluster has 15: the operator creates and changes nothing",
		"cure": "Name one with postgresVersion: \"15\"",
	}]
	refused("16.4", [settings({})]) == []
	refused("latest", [settings({})]) == []
	refused("15.8", []) == []
}

# The webhook asks of the cluster, and postgresVersion of an SGPostgresConfig that there is cannot be changed.
test_configuration_under_review_is_refused_nothing if {
	not read(settings({}), [sgcluster({"postgres": {"version": "15.8"}, "configurations": {"sgPostgresConfig": "tuned"}})]).refusals
}

test_faults_and_a_configuration_for_another_major if {
	several := sgcluster({"postgres": {"version": "15.8"}, "instances": -1, "pods": {}, "configurations": {"sgPostgresConfig": "tuned"}})
	count(read(several, [settings({})]).refusals) == 2
}

unheeded(dynamic) := {setting.name: setting.reason | some setting in object.get(found, "ignored", [])} if {
	found := read(sgcluster({"postgres": {"version": "16.4"}, "instances": 2, "configurations": {"patroni": {"dynamicConfig": dynamic}}}), [])
}

test_what_patroni_is_told_by_the_operator if {
	unheeded({"ttl": 60, "synchronous_mode": true, "standby_cluster": {"host": "db"}, "postgresql": {"parameters": {"max_connections": 400}, "callbacks": {"on_start": "/x.sh"}, "pg_hba": ["host all all all md5"]}}) == {
		"synchronous_mode": "StackGres writes it itself. Set spec.replication.mode",
		"standby_cluster": "StackGres writes it itself. Set spec.replicateFrom",
		"postgresql.parameters": "StackGres writes it itself. Write them into the SGPostgresConfig",
		"postgresql.callbacks": "StackGres writes it itself. Take it out",
	}
	unheeded({"ttl": 60, "synchronous_mode": false, "postgresql": {"parameters": {}, "pg_hba": ["host all all all md5"], "use_slots": true}}) == {}
	unheeded({}) == {}
}

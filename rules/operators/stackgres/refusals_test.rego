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

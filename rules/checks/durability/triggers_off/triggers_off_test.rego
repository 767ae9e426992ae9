package walguard.checks.durability.triggers_off_test

import data.walguard.checks.durability.triggers_off as check
import data.walguard.lib.manifest_test as manifests

findings(parameters) := found if found := check.findings with input as manifests.review(parameters, {})

test_replica if {
	findings({"session_replication_role": "replica"}) == {{
		"message": "session_replication_role=replica: foreign keys are not enforced and triggers do not fire, in every session and without an error. Set it to origin, and to replica in the session that loads data.",
		"path": ["spec", "postgresql", "parameters", "session_replication_role"],
		"fix": [{"op": "replace", "path": "/spec/postgresql/parameters/session_replication_role", "value": "origin"}],
	}}
	count(findings({"session_replication_role": "Replica"})) == 1
}

test_other if {
	findings({"session_replication_role": "origin"}) == set()
	findings({"session_replication_role": "local"}) == set()
	findings({}) == set()
}

test_silent_when_unknown if {
	findings({"session_replication_role": "${ROLE}"}) == set()
	findings({"session_replication_role": "nonsense"}) == set()
}

of_script(statement) := {[f.path, f.resource.name] | some f in found} if {
	found := check.findings with input as {
		"review": {"object": {
			"apiVersion": "apps/v1",
			"kind": "StatefulSet",
			"metadata": {"name": "orders", "namespace": "prod"},
			"spec": {"template": {"spec": {
				"containers": [{"image": "postgres:17", "volumeMounts": [{"name": "init", "mountPath": "/docker-entrypoint-initdb.d"}]}],
				"volumes": [{"name": "init", "configMap": {"name": "init"}}],
			}}},
		}},
		"inventory": {"namespace": {"prod": {"v1": {"ConfigMap": {"init": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "init", "namespace": "prod"}, "data": {"a.sql": statement}}}}}}},
	}
}

test_statements if {
	of_script("ALTER SYSTEM SET session_replication_role = replica;") == {[["data", "a.sql"], "init"]}
	of_script("ALTER DATABASE orders SET session_replication_role TO 'replica';") == {[["data", "a.sql"], "init"]}
	of_script("ALTER ROLE ALL SET session_replication_role TO 'replica';") == {[["data", "a.sql"], "init"]}

	# A role that applies changes, and a session that loads.
	of_script("ALTER ROLE etl SET session_replication_role TO 'replica';") == set()
	of_script("SET session_replication_role = replica; COPY a FROM stdin;") == set()
}

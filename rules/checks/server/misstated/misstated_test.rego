package walguard.checks.server.misstated_test

import data.walguard.checks.server.misstated as check

findings(spec) := found if {
	found := check.findings with input as {"review": {"object": {
		"apiVersion": "walguard.dev/v1",
		"kind": "PostgresServer",
		"metadata": {"name": "db1"},
		"spec": spec,
	}}}
}

test_unknown_disk if {
	findings({"volumes": {"data": {"disk": "aws-gp4", "size": "1Ti"}}}) == {{
		"message": "spec.volumes.data.disk: aws-gp4 is not a known disk, did you mean aws-gp2, aws-gp3 or aws-io1?.",
		"path": ["spec", "volumes", "data", "disk"],
	}}
}

test_fine if findings({"version": 16, "cpu": "500m", "memory": "2Gi", "volumes": {"data": {"size": "1Ti"}}}) == set()

test_others if check.findings == set() with input as {"review": {"object": {"apiVersion": "v1", "kind": "Secret"}}}

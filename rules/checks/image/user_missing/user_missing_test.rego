package walguard.checks.image.user_missing_test

import data.walguard.checks.image.user_missing as check

findings(spec) := found if found := check.findings with input as {"review": {"object": {"apiVersion": "postgresql.cnpg.io/v1", "kind": "Cluster", "metadata": {"name": "orders", "namespace": "prod"}, "spec": spec}}}

test_user_of_nobody if {
	findings({"imageName": "ghcr.io/cloudnative-pg/postgresql:17.6", "postgresUID": 501}) == {{
		"message": "initdb runs as user 501, which the image ghcr.io/cloudnative-pg/postgresql:17.6 does not have (its server is user 26): the cluster is not created. Set it to 26.",
		"path": ["spec", "postgresUID"],
	}}
}

test_image_of_another_user if {
	findings({"imageName": "postgres:17.6"}) == {{
		"message": "initdb runs as user 26, which the image postgres:17.6 does not have (its server is user 999): the cluster is not created. Take an image of the operator's project, or set postgresUID and postgresGID to 999.",
		"path": ["spec", "postgresUID"],
	}}
	count(findings({"imageName": "postgres:17.6-alpine", "postgresUID": 999})) == 1
}

test_user_of_the_image if {
	findings({"imageName": "ghcr.io/cloudnative-pg/postgresql:17.6"}) == set()
	findings({"imageName": "postgres:17.6", "postgresUID": 999}) == set()
	findings({"imageName": "postgres:17.6-alpine", "postgresUID": 70}) == set()
	findings({"imageName": "timescale/timescaledb-ha:pg17.6-ts2.22.0", "postgresUID": 1000}) == set()
}

# The contexts of pod and container come before the number of the cluster.
test_user_of_a_context if {
	image := "timescale/timescaledb-ha:pg17.6-ts2.22.0"
	findings({"imageName": image, "podSecurityContext": {"runAsUser": 1000}}) == set()
	findings({"imageName": image, "podSecurityContext": {"runAsUser": 1000}, "postgresUID": 26}) == set()
	findings({"imageName": image, "securityContext": {"runAsUser": 1000}, "podSecurityContext": {"runAsUser": 26}}) == set()
	findings({"imageName": image, "podSecurityContext": {"runAsUser": "${USER}"}}) == set()
	{f.path | some f in findings({"imageName": image, "podSecurityContext": {"fsGroup": 1000}})} == {["spec", "postgresUID"]}
	findings({"imageName": "ghcr.io/cloudnative-pg/postgresql:17.6", "podSecurityContext": {"runAsUser": 501}}) == {{
		"message": "initdb runs as user 501, which the image ghcr.io/cloudnative-pg/postgresql:17.6 does not have (its server is user 26): the cluster is not created. Set it to 26.",
		"path": ["spec", "podSecurityContext", "runAsUser"],
	}}
	{f.path | some f in findings({"imageName": image, "securityContext": {"runAsUser": 26}, "podSecurityContext": {"runAsUser": 1000}})} == {["spec", "securityContext", "runAsUser"]}
}

test_silent_when_unknown if {
	findings({"imageName": "registry.example.com/postgres:17.6", "postgresUID": 501}) == set()
	findings({"imageName": "ghcr.io/cloudnative-pg/postgresql:17.6", "postgresUID": "${USER}"}) == set()
	findings({"imageName": "postgres:17.6", "bootstrap": {"recovery": {"source": "old"}}}) == set()
	findings({}) == set()
}

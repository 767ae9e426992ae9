package walguard.checks.image.repository_gone_test

import data.walguard.checks.image.repository_gone as check
import data.walguard.lib.image_manifest_test as images

findings(image) := found if found := check.findings with input as images.workload(image)

test_gone if {
	findings("bitnami/postgresql:16.4.0") == {{
		"message": "bitnami/postgresql:16.4.0 cannot be pulled since 2025-08-28: a pod on a node without a copy of it does not start. What was there is in docker.io/bitnamilegacy, without updates; move to a maintained image.",
		"path": images.image_path,
	}}
}

test_frozen if {
	findings("docker.io/bitnamilegacy/postgresql:16.4.0") == {{
		"message": "docker.io/bitnamilegacy/postgresql:16.4.0 has had no updates since 2025-08-28, security fixes included. Move to a maintained image.",
		"path": images.image_path,
		"severity": "warning",
	}}
}

test_there if {
	findings("postgres:16.4") == set()
	findings("bitnami/postgresql:latest") == set()
	findings("bitnami/postgresql") == set()
	findings("registry.example.com/bitnami/postgresql:16.4.0") == set()
}

package walguard.checks.access.secret_key_missing_password_files_test

import data.walguard.checks.access.secret_key_missing as check

workload(image, variables, source) := {
	"apiVersion": "apps/v1",
	"kind": "StatefulSet",
	"metadata": {"name": "db", "namespace": "prod"},
	"spec": {"template": {"spec": {
		"containers": [{"name": "postgres", "image": image, "env": [{"name": name, "value": value} | some name, value in variables], "volumeMounts": [{"name": "password", "mountPath": "/secrets/"}]}],
		"volumes": [{"name": "password", "secret": object.union({"secretName": "db"}, source)}],
	}}},
}

findings(image, variables, source) := [[f.message, object.get(f, "severity", "error"), f.path] |
	found := check.findings with input as {
		"review": {"object": workload(image, variables, source)},
		"inventory": {"namespace": {"prod": {"v1": {"Secret": {"db": {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "db", "namespace": "prod"}, "stringData": {"password": "x"}}}}}}},
	}
	some f in found
]

bitnami := "docker.io/bitnamilegacy/postgresql:16.4.0"

docker := "postgres:17.10"

at := ["spec", "template", "spec", "containers", 0, "env", 0]

test_file_of_no_key if {
	every image, names in {bitnami: ["POSTGRES_PASSWORD_FILE", "POSTGRESQL_PASSWORD_FILE", "POSTGRES_REPLICATION_PASSWORD_FILE"], docker: ["POSTGRES_PASSWORD_FILE"]} {
		every name in names {
			findings(image, {name: "/secrets/postgres-password"}, {}) == [["Secret db has no key postgres-password (it has password): the server does not start without this file. Add the key, or name the right one.", "error", at]]
		}
	}
}

# Nobody else is locked out.
test_file_of_the_superuser if {
	every name in ["POSTGRES_POSTGRES_PASSWORD_FILE", "POSTGRESQL_POSTGRES_PASSWORD_FILE"] {
		findings(bitnami, {name: "/secrets/postgres-password"}, {}) == [["Secret db has no key postgres-password (it has password): postgres gets no password, and cannot log in. Add the key, or name the right one.", "warning", at]]
	}
}

test_not_reported if {
	findings(bitnami, {"POSTGRES_PASSWORD_FILE": "/secrets/password"}, {}) == []
	findings(bitnami, {"POSTGRES_PASSWORD_FILE": "/elsewhere/postgres-password"}, {}) == []
	findings(bitnami, {"POSTGRES_PASSWORD_FILE": "/secrets/a"}, {"items": [{"key": "password", "path": "a"}]}) == []
	findings(bitnami, {"POSTGRES_PASSWORD_FILE": "/secrets/a", "ALLOW_EMPTY_PASSWORD": "yes"}, {}) == []
	findings(bitnami, {"MY_PASSWORD_FILE": "/secrets/a"}, {}) == []
	findings("bitnami/postgres-exporter:0.15.0", {"POSTGRES_PASSWORD_FILE": "/secrets/a"}, {}) == []
	findings("ghcr.io/zalando/spilo-17:4.0-p2", {"POSTGRES_PASSWORD_FILE": "/secrets/a"}, {}) == []
}

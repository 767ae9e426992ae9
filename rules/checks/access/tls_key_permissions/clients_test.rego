package walguard.checks.access.tls_key_permissions_clients_test

import data.walguard.checks.access.tls_key_permissions as check

# A client by itself, with its key in a Secret's volume.
found(container, secret, mounted) := told if {
	told := {[f.severity, f.message] | some f in check.findings} with input as {"review": {"object": {
		"apiVersion": "apps/v1",
		"kind": "Deployment",
		"metadata": {"name": "web", "namespace": "shop"},
		"spec": {"template": {"spec": {
			"containers": [object.union({"name": "web", "image": "shop/web:1", "volumeMounts": [object.union({"name": "tls", "mountPath": "/certs"}, mounted)]}, container)],
			"volumes": [{"name": "tls", "secret": object.union({"secretName": "db-client"}, secret)}],
		}}},
	}}}
}

by(text) := {"env": [{"name": "DATABASE_URL", "value": text}]}

address := "postgresql://web@pg.example.com/shop?sslmode=verify-full&sslkey=/certs/tls.key"

fault(mode) := sprintf("Deployment web cannot take its TLS key: /certs/tls.key comes from Secret db-client with mode %s, and libpq and lib/pq refuse what others may read or the group may write. Set defaultMode: 0640 on the volume and an fsGroup, or copy the key with mode 0600.", [mode])

test_keys_that_others_may_read if {
	found(by(address), {}, {}) == {["warning", fault("0644")]}
	found(by(replace(address, "postgresql:", "postgresql+psycopg2:")), {}, {}) == {["error", fault("0644")]}
	found({"command": ["psql", address]}, {}, {}) == {["error", fault("0644")]}
	found({"image": "quay.io/prometheuscommunity/postgres-exporter:v0.18.1", "env": [{"name": "PGHOST", "value": "pg.example.com"}, {"name": "PGSSLKEY", "value": "/certs/tls.key"}]}, {}, {}) == {["error", fault("0644")]}
	found(object.union(by(address), {"image": "postgrest/postgrest:v13.0.5"}), {}, {}) == {["error", fault("0644")]}
	found(by(address), {"items": [{"key": "k", "path": "tls.key", "mode": 432}]}, {}) == {["warning", fault("0660")]}
}

test_keys_that_are_taken if {
	found(by(address), {"defaultMode": 416}, {}) == set()
	found(by(address), {"defaultMode": 256}, {}) == set()
	found(by(address), {"defaultMode": "${MODE}"}, {}) == set()
	found(by(address), {}, {"subPath": "tls.key"}) == set()
	found(by(address), {}, {"mountPath": "/other"}) == set()
	found(by(replace(address, "postgresql:", "jdbc:postgresql:")), {}, {}) == set()
	found(by(replace(address, "postgresql:", "postgresql+asyncpg:")), {}, {}) == set()
	found(by("postgresql://web@pg.example.com/shop?sslkey=$(KEY)"), {}, {}) == set()
}

package walguard.lib.store_test

import data.walguard.lib.store

service := {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "minio", "namespace": "store"}, "spec": {"selector": {"app": "minio"}, "ports": [{"name": "s3", "port": 9000}]}}

minio(container, volumes) := {"review": {"object": {"metadata": {"namespace": "shop"}}}, "inventory": {"namespace": {"store": {
	"v1": {"Service": {"minio": service}},
	"apps/v1": {"StatefulSet": {"minio": {
		"apiVersion": "apps/v1",
		"kind": "StatefulSet",
		"metadata": {"name": "minio", "namespace": "store"},
		"spec": {"template": {"metadata": {"labels": {"app": "minio"}}, "spec": {
			"containers": [object.union({"name": "minio", "image": "quay.io/minio/minio:RELEASE.2025-09-07", "args": ["server", "/data"]}, container)],
			"volumes": volumes,
		}}},
	}}},
}}}}

speaks_http if store.plain({"name": "minio", "namespace": "store", "service": service}, 9000)

# Variables may say what they like where there is no file of a certificate.
test_minio_without_a_certificate if {
	keys := {"envFrom": [{"secretRef": {"name": "root"}}]}
	speaks_http with input as minio({}, [])
	speaks_http with input as minio(keys, [{"name": "data", "emptyDir": {}}])
	not speaks_http with input as minio(keys, [{"name": "more", "secret": {"secretName": "more"}}])
	not speaks_http with input as minio({"args": ["server", "--certs-dir", "/certs", "/data"]}, [])
}

package walguard.operators.cnpg_reached_stores_test

import data.walguard.operators.cnpg

cluster(spec) := {"apiVersion": "postgresql.cnpg.io/v1", "kind": "Cluster", "metadata": {"name": "pg", "namespace": "db"}, "spec": spec}

found(spec, others) := lost if {
	lost := cnpg.unreached_stores with input as {"review": {"object": cluster(spec)}, "inventory": {"namespace": others}}
}

at(endpoint, more) := {"backup": {"barmanObjectStore": object.union({"endpointURL": endpoint}, more)}}

test_certificate_that_nobody_trusts if {
	found(at("https://minio.store.svc:9000", {}), {}) == [{
		"path": ["spec", "backup", "barmanObjectStore", "endpointURL"],
		"reason": "minio.store.svc is a name of the cluster's own, for which no public authority gives a certificate, and endpointCA is not written: \"certificate verify failed\", nothing is archived or backed up",
		"cure": "Name the Secret with the CA of the store in endpointCA",
	}]
	count(found(at("https://minio", {}), {})) == 1
	count(found(at("https://minio.store.svc.cluster.local/", {}), {})) == 1
}

test_certificates_that_may_be_trusted if {
	every endpoint in ["http://minio.store.svc:9000", "https://s3.example.com", "https://minio.store", "https://${HOST}"] {
		found(at(endpoint, {}), {}) == []
	}
	found(at("https://minio.store.svc", {"endpointCA": {"name": "ca", "key": "ca.crt"}}), {}) == []
	found(object.union(at("https://minio", {}), {"env": [{"name": "AWS_CA_BUNDLE", "value": "/ca"}]}), {}) == []
	found(object.union(at("https://minio", {}), {"envFrom": [{"configMapRef": {"name": "x"}}]}), {}) == []
	found(object.union(at("https://minio", {}), {"imageName": "registry.example.com/own:17"}), {}) == []
	found(object.union(at("https://minio", {}), {"imageCatalogRef": {"kind": "ImageCatalog", "name": "own", "major": 17}}), {}) == []
}

plugged := {"plugins": [{"name": "barman-cloud.cloudnative-pg.io", "isWALArchiver": true, "parameters": {"barmanObjectName": "store"}}]}

stored(configuration) := {"db": {"barmancloud.cnpg.io/v1": {"ObjectStore": {"store": {"apiVersion": "barmancloud.cnpg.io/v1", "kind": "ObjectStore", "metadata": {"name": "store", "namespace": "db"}, "spec": configuration}}}}}

test_store_of_the_plugin if {
	[[f.path, f.resource.kind] | some f in found(plugged, stored({"configuration": {"endpointURL": "https://minio"}}))] == [[["spec", "configuration", "endpointURL"], "ObjectStore"]]
	found(plugged, stored({"configuration": {"endpointURL": "https://minio"}, "instanceSidecarConfiguration": {"env": [{"name": "AWS_CA_BUNDLE", "value": "/ca"}]}})) == []
}

running(namespace, image) := {namespace: {"apps/v1": {"Deployment": {"x": {"metadata": {"name": "x", "namespace": namespace}, "spec": {"template": {"spec": {"containers": [{"image": image}]}}}}}}}}

here := running("operators", "ghcr.io/cloudnative-pg/cloudnative-pg:1.28.0")

test_plugin_of_another_namespace if {
	[[f.path, f.cure] | some f in found(plugged, object.union(here, running("cnpg-system", "ghcr.io/cloudnative-pg/plugin-barman-cloud:v0.9.0")))] == [[["spec", "plugins", 0, "name"], "Install the plugin in operators"]]
	found(plugged, here) == []
	found(plugged, running("cnpg-system", "ghcr.io/cloudnative-pg/plugin-barman-cloud:v0.9.0")) == []
	found({}, object.union(here, running("cnpg-system", "ghcr.io/cloudnative-pg/plugin-barman-cloud:v0.9.0"))) == []
}

trusting := {"endpointCA": {"name": "ca", "key": "ca.crt"}}

outside := "https://s3.example.com"

recovered(own, source) := {"backup": {"barmanObjectStore": own}, "externalClusters": [{"name": "old", "barmanObjectStore": source}]}

# One that is read from knows nothing of the other's CA.
test_authority_of_the_same_store if {
	found(recovered(object.union({"endpointURL": outside}, trusting), {"endpointURL": outside}), {}) == [{
		"path": ["spec", "externalClusters", 0, "barmanObjectStore", "endpointURL"],
		"reason": "spec.backup names the CA of https://s3.example.com in endpointCA, and external cluster old does not: \"certificate verify failed\", nothing is archived, backed up or read there",
		"cure": "Name the same Secret in endpointCA",
	}]
	[one.resource.name | some one in found(object.union(plugged, {"externalClusters": [{"name": "old", "barmanObjectStore": object.union({"endpointURL": outside}, trusting)}]}), stored({"configuration": {"endpointURL": outside}}))] == ["store"]
	count(found(recovered({"endpointURL": outside}, {"endpointURL": "https://minio.store.svc"}), {})) == 1
}

test_authority_of_another_store if {
	found(recovered(object.union({"endpointURL": outside}, trusting), object.union({"endpointURL": outside}, trusting)), {}) == []
	found(recovered(object.union({"endpointURL": outside}, trusting), {"endpointURL": "https://s3.example.org"}), {}) == []
	found(recovered({"endpointURL": outside}, {"endpointURL": outside}), {}) == []
	found(object.union(recovered(object.union({"endpointURL": outside}, trusting), {"endpointURL": outside}), {"env": [{"name": "AWS_CA_BUNDLE", "value": "/ca"}]}), {}) == []
	found(object.union(recovered(object.union({"endpointURL": outside}, trusting), {"endpointURL": outside}), {"envFrom": [{"configMapRef": {"name": "x"}}]}), {}) == []
}

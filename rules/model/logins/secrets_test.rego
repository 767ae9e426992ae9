package walguard.model.logins_test

import data.walguard.model.logins

external(name, spec) := {"apiVersion": "external-secrets.io/v1", "kind": "ExternalSecret", "metadata": {"name": name, "namespace": "prod"}, "spec": spec}

with_external(cluster, env, made) := object.union(beside(cluster, env), {"inventory": {"namespace": {"prod": {"external-secrets.io/v1": {made.kind: {made.metadata.name: made}}}}}})

foreign(cluster, env, made) := {[one.asked, one.role, one.secret, one.path] | some one in found} if found := logins.foreign_secrets with input as with_external(cluster, env, made)

rotated := external("rotated", {"data": [{"secretKey": "password", "remoteRef": {"key": "database/static-creds/shop"}}]})

at := ["spec", "template", "spec", "containers", 0, "env"]

by_host := [set_to("DB_HOST", "db-rw"), set_to("DB_USER", "shop"), password("DB_PASSWORD", "rotated")]

by_address := [set_to("DB_USER", "shop"), password("DB_PASSWORD", "rotated"), set_to("DATABASE_URL", "postgresql://$(DB_USER):$(DB_PASSWORD)@db-rw.prod.svc:5432/shop")]

test_a_secret_of_somebody_else if {
	foreign(shop, by_host, rotated) == {["rotated", "shop", "db-app", array.concat(at, [2])]}
	foreign(shop, by_address, rotated) == {["rotated", "shop", "db-app", array.concat(at, [1])]}
	foreign(shop, [password("PASSWORD_OF_DB", "rotated"), set_to("URL", "postgres://shop:$(PASSWORD_OF_DB)@db-rw/shop")], rotated) == {["rotated", "shop", "db-app", array.concat(at, [0])]}
	foreign(shop, by_host, external("made", {"target": {"name": "rotated"}})) == {["rotated", "shop", "db-app", array.concat(at, [2])]}
	with_secret := object.union(beside(shop, by_host), {"inventory": {"namespace": {"prod": {"v1": {"Secret": {"rotated": {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "rotated", "namespace": "prod"}}}}}}}})
	count(logins.foreign_secrets) == 1 with input as with_secret
}

test_another_server_or_role if {
	every env in [
		[set_to("DB_HOST", "other-rw"), set_to("DB_USER", "shop"), password("DB_PASSWORD", "rotated")],
		[set_to("DB_HOST", "db-rw.staging"), set_to("DB_USER", "shop"), password("DB_PASSWORD", "rotated")],
		[set_to("DB_HOST", "db-rw"), set_to("DB_USER", "report"), password("DB_PASSWORD", "rotated")],
		[set_to("DB_HOST", "db-rw"), set_to("DB_USER", "shop"), set_to("DB_USERNAME", "web"), password("DB_PASSWORD", "rotated")],
		[set_to("HOST", "db-rw"), set_to("USER", "shop"), password("PASSWORD", "rotated")],
		[set_to("DB_HOST", "db-rw"), set_to("DB_USER", "shop"), password("DB_PASSWORD", "db-app")],
		[set_to("DB_HOST", "db-rw"), set_to("DB_USER", "shop"), password("DB_PASSWORD", "unseen")],
		[set_to("DB_USER", "shop"), password("DB_PASSWORD", "rotated"), set_to("URL", "postgres://shop:$(OTHER)@db-rw/shop")],
		array.concat(by_host, [{"name": "DB_URL", "valueFrom": {"secretKeyRef": {"name": "rotated", "key": "uri"}}}]),
	] {
		foreign(shop, env, rotated) == set()
	}
}

# The Secret that the operator is given, and what may be a copy of its own.
test_the_same_password if {
	foreign(cnpg({"bootstrap": {"initdb": {"database": "shop", "owner": "shop", "secret": {"name": "rotated"}}}}), by_host, rotated) == set()
	foreign(cnpg({"bootstrap": {"initdb": {"database": "shop", "owner": "shop", "secret": {"name": "owner"}}}}), by_host, external("owner", {"target": {"name": "rotated"}})) == set()
	foreign(shop, by_host, external("rotated", {"data": [{"secretKey": "password", "remoteRef": {"key": "db-app"}}]})) == set()
	foreign(object.union(shop, {"spec": {"inheritedMetadata": {"annotations": {"reflector.v1.k8s.emberstack.com/reflection-allowed": "true"}}}}), by_host, rotated) == set()
	pushed := object.union(with_external(shop, by_host, rotated), {"inventory": {"namespace": {"prod": {"external-secrets.io/v1alpha1": {"PushSecret": {"db": {"kind": "PushSecret"}}}}}}})
	logins.foreign_secrets == [] with input as pushed
	logins.foreign_secrets == [] with input as object.union(with_external(shop, by_host, rotated), {"inventory": {"live": true}})
}

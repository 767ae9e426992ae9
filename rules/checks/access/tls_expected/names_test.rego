package walguard.checks.access.tls_expected_names_test

import data.walguard.checks.access.tls_expected as check

api := "postgresql.cnpg.io/v1"

client(env) := {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "app", "namespace": "shop"}, "spec": {"template": {"spec": {"containers": [{"name": "app", "image": "app:1", "env": [{"name": name, "value": value} | some name, value in env]}]}}}}

pooler(more) := {"apiVersion": api, "kind": "Pooler", "metadata": {"name": "bouncer", "namespace": "shop"}, "spec": {"cluster": {"name": "pg"}, "type": "rw", "pgbouncer": object.union({"poolMode": "session"}, more)}}

found(env, certificates, more, others) := {[f.severity, f.message] | some f in findings} if {
	findings := check.findings with input as {
		"review": {"object": {"apiVersion": api, "kind": "Cluster", "metadata": {"name": "pg", "namespace": "shop"}, "spec": object.union({"instances": 2}, certificates)}},
		"inventory": {"namespace": {"shop": object.union({api: {"Pooler": {"bouncer": pooler(more)}}, "apps/v1": {"Deployment": {"app": client(env)}}}, others)}},
	}
}

said(asks, host) := {["error", sprintf("Container app verifies the name of its host (%s), and the certificate of Pooler bouncer has no name %s: every connection fails. Add it to certificates.serverAltDNSNames of pg.", [asks, host])]}

test_name_of_a_pooler if {
	found({"PGHOST": "bouncer", "PGSSLMODE": "verify-full"}, {}, {}, {}) == said("PGSSLMODE=verify-full", "bouncer")
	found({"DB_HOST": "bouncer.shop:5432", "DB_SSL_MODE": "verify-full"}, {}, {}, {}) == said("DB_SSL_MODE=verify-full", "bouncer.shop")
	found({"URL": "postgres://a:b@bouncer.shop.svc:5432/app?sslmode=verify-full"}, {}, {}, {}) == said("sslmode=verify-full", "bouncer.shop.svc")
	found({"URL": "postgres://a:b@bouncer.shop.svc:5432/app?sslmode=verify-full"}, {"certificates": {"serverAltDNSNames": ["bouncer"]}}, {}, {}) == said("sslmode=verify-full", "bouncer.shop.svc")
}

test_name_in_the_certificate if {
	found({"PGHOST": "bouncer", "PGSSLMODE": "verify-full"}, {"certificates": {"serverAltDNSNames": ["bouncer"]}}, {}, {}) == set()
	found({"PGHOST": "bouncer.shop", "PGSSLMODE": "verify-full"}, {"certificates": {"serverAltDNSNames": ["*.shop"]}}, {}, {}) == set()
	found({"PGHOST": "bouncer", "PGSSLMODE": "verify-full"}, {"managed": {"services": {"additional": [{"selectorType": "rw", "serviceTemplate": {"metadata": {"name": "bouncer"}}}]}}}, {}, {}) == set()
	found({"PGHOST": "pg-rw", "PGSSLMODE": "verify-full"}, {}, {}, {}) == set()
}

test_no_name_asked_for if {
	found({"PGHOST": "bouncer", "PGSSLMODE": "verify-ca"}, {}, {}, {}) == set()
	found({"PGHOST": "bouncer.other", "PGSSLMODE": "verify-full"}, {}, {}, {}) == set()
	found({"PGHOST": "bouncer", "OTHER_HOST": "x", "PGSSLMODE": "verify-full"}, {}, {}, {}) == set()
}

made(names) := {"cert-manager.io/v1": {"Certificate": {"c": {"apiVersion": "cert-manager.io/v1", "kind": "Certificate", "metadata": {"name": "c", "namespace": "shop"}, "spec": {"secretName": "own", "dnsNames": names}}}}}

test_another_certificate if {
	found({"PGHOST": "bouncer", "PGSSLMODE": "verify-full"}, {}, {"clientTLSSecret": {"name": "own"}}, {}) == set()
	found({"PGHOST": "bouncer", "PGSSLMODE": "verify-full"}, {"certificates": {"serverTLSSecret": "own", "serverCASecret": "ca"}}, {}, {}) == set()
	count(found({"PGHOST": "bouncer", "PGSSLMODE": "verify-full"}, {"certificates": {"serverTLSSecret": "own", "serverCASecret": "ca"}}, {}, made(["pg-rw"]))) == 1
	found({"PGHOST": "bouncer", "PGSSLMODE": "verify-full"}, {"certificates": {"serverTLSSecret": "own", "serverCASecret": "ca"}}, {}, made(["pg-rw", "bouncer"])) == set()
}

test_operators_own_service if {
	own := {"certificates": {"serverTLSSecret": "own", "serverCASecret": "ca"}}
	env := {"PGHOST": "pg-rw.shop.svc", "PGSSLMODE": "verify-full"}
	found(env, own, {}, made(["pg", "pg.shop.svc"])) == {["error", "Container app verifies the name of its host (PGSSLMODE=verify-full), and the certificate of Service pg-rw has no name pg-rw.shop.svc: every connection fails. Add it to dnsNames of Certificate c."]}
	found(env, own, {}, made(["pg", "pg-rw.shop.svc"])) == set()
	found(env, own, {}, made(["${NAME}"])) == set()
	found(env, own, {}, {}) == set()
	found(env, {}, {}, made(["pg"])) == set()
}

test_service_of_ones_own if {
	service := {"v1": {"Service": {"outside": {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "outside", "namespace": "shop"}, "spec": {"selector": {"cnpg.io/cluster": "pg", "role": "primary"}}}}}}
	{message | some [_, message] in found({"PGHOST": "outside", "PGSSLMODE": "verify-full"}, {}, {}, service)} == {"Container app verifies the name of its host (PGSSLMODE=verify-full), and the certificate of the pods behind Service outside has no name outside: every connection fails. Add it to certificates.serverAltDNSNames of pg."}
}

issued(certificates, more, names) := {f.message | some f in findings} if {
	findings := check.findings with input as {
		"review": {"object": {"apiVersion": api, "kind": "Cluster", "metadata": {"name": "pg", "namespace": "shop"}, "spec": object.union({"instances": 2, "certificates": certificates}, more)}},
		"inventory": {"namespace": {"shop": object.union({api: {"Pooler": {"bouncer": pooler({})}}}, made(names))}},
	}
}

test_certificate_of_another_service if {
	own := {"serverTLSSecret": "own", "serverCASecret": "own"}
	issued(own, {}, ["webhook", "webhook.shop", "webhook.shop.svc.cluster.local"]) == {"Certificate c of the server is for webhook and has no name of the cluster: clients with sslmode=verify-full give up. Add pg-rw and the names of its other Services to dnsNames."}
	every names in [["webhook", "pg-rw.shop.svc"], ["bouncer"], ["db.example.com"], ["webhook", "db.example.com"], ["webhook.other.svc"], ["${NAME}"], []] {
		issued(own, {}, names) == set()
	}
	issued(own, {"managed": {"services": {"additional": [{"selectorType": "rw", "serviceTemplate": {"metadata": {"name": "outside"}}}]}}}, ["outside"]) == set()
	issued({}, {}, ["webhook"]) == set()
}

package walguard.model.abroad_test

import data.walguard.model.abroad

cluster := {"apiVersion": "postgresql.cnpg.io/v1", "kind": "Cluster", "metadata": {"name": "crm-db", "namespace": "data"}, "spec": {"instances": 3}}

web(env) := {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web", "namespace": "crm"}, "spec": {"template": {"spec": {"containers": [{"name": "web", "env": env}]}}}}

named(name, value) := [{"name": name, "value": value}]

among(reviewed, env, more) := {[one.client, one.asked, one.namespace, one.own, one.path] | some one in found} if found := abroad.lost with input as {
	"review": {"object": reviewed},
	"inventory": object.union({"namespace": {"crm": {"apps/v1": {"Deployment": {"web": web(env)}}}}}, more),
}

place := ["spec", "template", "spec", "containers", 0, "env", 0, "value"]

test_a_name_without_its_namespace if {
	every pair in [["PGHOST", "crm-db-rw"], ["DB_SERVER", "crm-db-rw:5432"], ["DATABASE_URL", "postgresql://crm:secret@crm-db-rw:5432/crm"], ["JDBC_URL", "jdbc:postgresql://crm-db-rw/crm"]] {
		among(cluster, named(pair[0], pair[1]), {}) == {["Deployment web", "crm-db-rw", "crm", "crm-db-rw.data", place]}
	}
}

test_of_every_kind if {
	job := {"apiVersion": "batch/v1", "kind": "CronJob", "metadata": {"name": "dump", "namespace": "crm"}, "spec": {"jobTemplate": {"spec": {"template": {"spec": {"containers": [{"name": "dump", "env": named("PGHOST", "crm-db-r")}]}}}}}}
	among(cluster, [], {"namespace": {"crm": {"batch/v1": {"CronJob": {"dump": job}}}}}) == {["CronJob dump", "crm-db-r", "crm", "crm-db-r.data", ["spec", "jobTemplate", "spec", "template", "spec", "containers", 0, "env", 0, "value"]]}
}

test_another_name if {
	every pair in [["PGHOST", "crm-db-rw.data"], ["PGHOST", "other"], ["NAME", "crm-db-rw"], ["DATABASE_URL", "postgresql://crm-db-rw.data.svc/crm"]] {
		among(cluster, named(pair[0], pair[1]), {}) == set()
	}
	among(object.union(cluster, {"metadata": {"name": "postgres"}}), named("PGHOST", "postgres-rw"), {}) == set()
	among(object.union(cluster, {"metadata": {"namespace": "crm"}}), named("PGHOST", "crm-db-rw"), {}) == set()
	among(json.remove(cluster, ["metadata/namespace"]), named("PGHOST", "crm-db-rw"), {}) == set()
}

test_what_may_bring_the_service if {
	among(cluster, named("PGHOST", "crm-db-rw"), {"namespace": {"crm": {"v1": {"Service": {"crm-db-rw": {"kind": "Service"}}}}}}) == set()
	among(cluster, named("PGHOST", "crm-db-rw"), {"namespace": {"crm": {"helm.toolkit.fluxcd.io/v2": {"HelmRelease": {"crm-db": {"kind": "HelmRelease"}}}}}}) == set()
	count(among(cluster, named("PGHOST", "crm-db-rw"), {"namespace": {"crm": {"v1": {"Service": {"web": {"kind": "Service"}}}}}})) == 1
	count(among(cluster, named("PGHOST", "crm-db-rw"), {"namespace": {"crm": {"helm.toolkit.fluxcd.io/v2": {"HelmRelease": {"web": {"kind": "HelmRelease"}}}}}})) == 1
	among(cluster, named("PGHOST", "crm-db-rw"), {"live": true}) == set()
	service := {"kind": "Service", "metadata": {"name": "crm-db-rw", "namespace": "staging"}}
	among(cluster, named("PGHOST", "crm-db-rw"), {"namespace": {"staging": {"v1": {"Service": {"crm-db-rw": service}}}}}) == set()
	abroad.lost == [] with input as {"review": {"object": cluster}} with data.inventory as {"namespace": {"crm": {"apps/v1": {"Deployment": {"web": web(named("PGHOST", "crm-db-rw"))}}}}}
}

levels(more) := {object.get(one, "level", "as usual") | some one in found} if found := abroad.lost with input as {
	"review": {"object": cluster},
	"inventory": object.union({"namespace": {"crm": {"apps/v1": {"Deployment": {"web": web(named("PGHOST", "crm-db-rw"))}}}}}, more),
}

test_how_certain if {
	levels({}) == {"error"}
	levels({"namespace": {"crm": {"external-secrets.io/v1": {"ExternalSecret": {"web": {"kind": "ExternalSecret"}}}}}}) == {"error"}
	levels({"namespace": {"crm": {"helm.toolkit.fluxcd.io/v2": {"HelmRelease": {"web": {"kind": "HelmRelease"}}}}}}) == {"as usual"}
}

test_names_of_the_pod if {
	every field, value in {"dnsConfig": {"searches": ["data.svc.cluster.local"]}, "hostAliases": [{"ip": "10.0.0.9", "hostnames": ["crm-db-rw"]}]} {
		levels({"namespace": {"crm": {"apps/v1": {"Deployment": {"web": {"spec": {"template": {"spec": {field: value}}}}}}}}}) == set()
	}
}

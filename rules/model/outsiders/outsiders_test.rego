package walguard.model.outsiders_test

import data.walguard.model
import data.walguard.model.outsiders

job(words, pod) := {
	"apiVersion": "batch/v1",
	"kind": "Job",
	"metadata": {"name": "tune", "namespace": "shop"},
	"spec": {"template": {"spec": object.union({"containers": [{"name": "run", "image": "postgres:17", "command": words, "volumeMounts": [{"name": "d", "mountPath": "/d"}]}]}, pod)}},
}

under := {"apiVersion": "g/v1", "kind": "Cluster", "metadata": {"name": "db", "namespace": "shop"}}

setting(cluster, one) := found if {
	found := outsiders.setting with input as {"review": {"object": under}, "inventory": {"namespace": {"shop": {"batch/v1": {"Job": {"tune": one}}}}}}
		with model.cluster as cluster
}

altering := job(["psql", "-h", "db-rw.shop", "-c", "ALTER SYSTEM SET fsync = off"], {})

expected(reason) := [{
	"source": "what Job tune runs",
	"path": ["spec", "template", "spec", "containers", 0],
	"resource": {"apiVersion": "batch/v1", "kind": "Job", "namespace": "shop", "name": "tune"},
	"severity": "warning",
	"reason": reason,
	"cure": "Remove it, and set parameters in the cluster's own resource",
}]

test_alter_system if {
	setting({"name": "db", "hosts": ["db-rw"]}, altering) == expected("it sets fsync by ALTER SYSTEM")
	setting({"name": "db"}, altering) == expected("it sets fsync by ALTER SYSTEM")
}

test_of_others if {
	setting({"name": "db", "hosts": ["other"]}, altering) == []
	setting({"name": "d"}, altering) == []
	setting({"name": "db", "hosts": ["db-rw"], "managed": {"allow_alter_system": "off"}}, altering) == []
	setting({"name": "db", "hosts": ["db-rw"], "change": true}, altering) == []
}

writing(claim) := job(["sh", "-c", "echo fsync=off >> /d/postgresql.auto.conf"], {"volumes": [{"name": "d", "persistentVolumeClaim": {"claimName": claim}}]})

test_files if {
	setting({"name": "db", "data_claims": "^data-db-[0-9]+$"}, writing("data-db-0")) == expected("it writes the server's configuration on a claim of its data")
	setting({"name": "db", "data_claims": "^data-db-[0-9]+$"}, writing("dumps")) == []
}

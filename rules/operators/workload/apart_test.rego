package walguard.operators.workload_apart_test

import data.walguard.checks.access.unreachable
import data.walguard.checks.parameters.operator_refuses

review(pod, spec, config, service) := {
	"review": {"object": {
		"apiVersion": "apps/v1",
		"kind": "Deployment",
		"metadata": {"name": "db", "namespace": "shop"},
		"spec": {
			"selector": {"matchLabels": {"app": "db"}},
			"template": {"metadata": {"labels": {"app": "db"}}, "spec": object.union(
				{
					"containers": [{
						"name": "postgres", "image": "postgres:17.6", "args": ["-c", "hba_file=/conf/pg_hba.conf"],
						"volumeMounts": [{"name": "data", "mountPath": "/var/lib/postgresql/data"}, {"name": "conf", "mountPath": "/conf"}],
					}],
					"volumes": [{"name": "data", "persistentVolumeClaim": {"claimName": "data"}}, {"name": "conf", "configMap": {"name": "conf"}}],
				},
				pod,
			)},
		},
	}},
	"inventory": {
		"namespace": {"shop": {"v1": {
			"PersistentVolumeClaim": {"data": {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "data", "namespace": "shop"}, "spec": {"storageClassName": "local", "volumeName": "pv", "resources": {"requests": {"storage": "1Gi"}}}}},
			"ConfigMap": {"conf": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "conf", "namespace": "shop"}, "data": {"pg_hba.conf": config}}},
			"Service": {"db": {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "db", "namespace": "shop"}, "spec": object.union({"selector": {"app": "db"}, "ports": [{"port": 5432}]}, service)}},
		}}},
		"cluster": {"v1": {"PersistentVolume": {"pv": {"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": "pv"}, "spec": object.union({"storageClassName": "local", "capacity": {"storage": "1Gi"}, "local": {"path": "/data"}}, spec)}}}},
	},
}

placed(label, value) := {"nodeAffinity": {"required": {"nodeSelectorTerms": [{"matchExpressions": [{"key": label, "operator": "In", "values": [value]}]}]}}}

refused(pod, spec) := {f.message | some f in operator_refuses.findings with input as review(pod, spec, "host all all all md5", {})}

test_other_node if {
	refused({"nodeSelector": {"kubernetes.io/hostname": "b"}}, placed("kubernetes.io/hostname", "a")) == {"The scheduler refuses this resource: its pod may run on node b alone, and PersistentVolume pv is on a (\"volume node affinity conflict\"). Write a."}
	refused({"nodeSelector": {"topology.kubernetes.io/zone": "z2"}}, placed("topology.kubernetes.io/zone", "z1")) == {"The scheduler refuses this resource: its pod may run on zone z2 alone, and PersistentVolume pv is on z1 (\"volume node affinity conflict\"). Write z1."}
	refused({"nodeSelector": {"kubernetes.io/hostname": "a"}}, placed("kubernetes.io/hostname", "a")) == set()
	refused({"nodeSelector": {"kubernetes.io/hostname": "${NODE}"}}, placed("kubernetes.io/hostname", "a")) == set()
	refused({}, placed("kubernetes.io/hostname", "a")) == set()
	refused({"nodeSelector": {"kubernetes.io/hostname": "b"}}, {}) == set()
}

told(config, service) := {f.message | some f in unreachable.findings with input as review({}, {}, config, service)}

six := {"ipFamilies": ["IPv6"]}

test_family if {
	told("local all all trust\nhost all all 0.0.0.0/0 md5", six) == {"Service db has IPv6 alone, and every line of this pg_hba.conf for other hosts is for IPv4: connections end with \"no pg_hba.conf entry for host\". Add the same lines for ::/0, or write the address all."}
	every config in ["host all all all md5", "host all all 0.0.0.0/0 md5\nhost all all ::/0 md5", "host all all samenet md5"] {
		told(config, six) == set()
	}
	told("host all all 0.0.0.0/0 md5", {"ipFamilies": ["IPv4", "IPv6"]}) == set()
	told("host all all 0.0.0.0/0 md5", {}) == set()
}

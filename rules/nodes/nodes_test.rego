package walguard.nodes_test

import data.walguard.model.kernel
import data.walguard.nodes

review(object) := {"review": {"object": object}}

daemon_set(pod) := {
	"apiVersion": "apps/v1",
	"kind": "DaemonSet",
	"metadata": {"name": "tune", "namespace": "kube-system"},
	"spec": {"template": {"spec": pod}},
}

test_daemon_set if {
	pod := {
		"securityContext": {"sysctls": [{"name": "vm.swappiness", "value": "9"}]},
		"initContainers": [{"command": ["sysctl", "-w", "vm.swappiness=1"]}],
		"containers": [{"command": ["sh", "-c", "echo never > /sys/kernel/mm/transparent_hugepage/enabled; sleep infinity"]}],
	}
	kernel.settings == [
		{"name": "vm.swappiness", "text": "1", "by": "command", "path": ["spec", "template", "spec", "initContainers", 0, "command", 2]},
		{"name": "transparent_hugepage", "text": "never", "by": "command", "path": ["spec", "template", "spec", "containers", 0, "command", 2]},
	] with input as review(daemon_set(pod))
}

test_config_map_of_a_daemon_set if {
	pod := {"volumes": [{"configMap": {"name": "conf"}}, {"configMap": {"name": "elsewhere"}}, 1]}
	config_map := {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "conf", "namespace": "kube-system"}, "data": {"a.conf": "vm.swappiness = 1", "b": 2}}
	reviewed := object.union(review(daemon_set(pod)), {"inventory": {"namespace": {"kube-system": {"v1": {"ConfigMap": {"conf": config_map}}}}}})
	kernel.settings == [{
		"name": "vm.swappiness", "text": "1", "by": "command", "path": ["data", "a.conf"],
		"resource": {"apiVersion": "v1", "kind": "ConfigMap", "namespace": "kube-system", "name": "conf"},
	}] with input as reviewed
}

test_tuned if {
	kernel.settings == [{"name": "vm.dirty_ratio", "text": "55", "by": "tuned", "path": ["spec", "profile", 1, "data"]}] with input as review({
		"apiVersion": "tuned.openshift.io/v1",
		"kind": "Tuned",
		"metadata": {"name": "tune"},
		"spec": {"profile": [1, {"data": "[main]\ninclude=openshift-node\n[sysctl]\nvm.dirty_ratio=\"55\"\nkernel.pid_max=>4194304\n"}]},
	})
}

machine_config(config, arguments) := review({
	"apiVersion": "machineconfiguration.openshift.io/v1",
	"kind": "MachineConfig",
	"metadata": {"name": "tune"},
	"spec": {"config": config, "kernelArguments": arguments},
})

test_machine_config if {
	config := {
		"storage": {"files": [
			1,
			{"path": "/etc/motd", "contents": {"source": "data:,vm.swappiness=7"}},
			{"path": "/etc/sysctl.d/1.conf", "contents": {"source": "data:,vm.swappiness%20%3D%201%0Avm.dirty_ratio%3D40%0A"}},
			{"path": "/etc/sysctl.d/2.conf", "contents": {"source": "data:;base64,dm0uc3dhcHBpbmVzcz05Cg=="}},
			{"path": "/etc/sysctl.d/3.conf", "contents": {"source": "https://example.com/vm.swappiness=3"}},
		]},
		"systemd": {"units": [{"contents": "[Service]\nExecStart=/bin/sh -c \"echo always > /sys/kernel/mm/transparent_hugepage/enabled\"\n"}]},
	}
	kernel.settings == [
		{"name": "vm.swappiness", "text": "1", "by": "boot", "path": ["spec", "config", "storage", "files", 2, "contents", "source"]},
		{"name": "vm.dirty_ratio", "text": "40", "by": "boot", "path": ["spec", "config", "storage", "files", 2, "contents", "source"]},
		{"name": "transparent_hugepage", "text": "always", "by": "boot", "path": ["spec", "config", "systemd", "units", 0, "contents"]},
		{"name": "transparent_hugepage", "text": "never", "by": "boot", "path": ["spec", "kernelArguments", 1]},
	] with input as machine_config(config, ["quiet", "transparent_hugepage=never"])
}

test_kubelets if {
	nodes.allowed == [{"name": "vm.*", "path": ["allowedUnsafeSysctls", 0]}] with input as review({
		"apiVersion": "kubelet.config.k8s.io/v1beta1",
		"kind": "KubeletConfiguration",
		"allowedUnsafeSysctls": ["vm.*", 3],
	})
	kernel.allowed == [{"name": "net.*", "path": ["spec", "kubeletConfig", "allowedUnsafeSysctls", 0]}] with input as review({
		"apiVersion": "machineconfiguration.openshift.io/v1",
		"kind": "KubeletConfig",
		"metadata": {"name": "unsafe"},
		"spec": {"kubeletConfig": {"allowedUnsafeSysctls": ["net.*"]}},
	})
	not kernel.allowed with input as review({"apiVersion": "apps/v1", "kind": "DaemonSet", "allowedUnsafeSysctls": ["net.*"]})
}

test_about if {
	nodes.about_postgresql with input as review(object.union(daemon_set({}), {"metadata": {"name": "Postgres-nodes"}}))
	not nodes.about_postgresql with input as review(daemon_set({}))
	kernel.severity("warning") == "info" with input as review(daemon_set({}))
}

test_hostile_types if {
	kernel.settings == [] with input as review(daemon_set({"initContainers": {}, "containers": 1, "volumes": "x"}))
	kernel.settings == [] with input as machine_config({"storage": {"files": 1}, "systemd": {"units": [{}, 2]}}, {"a": 1})
	kernel.settings == [] with input as review({"apiVersion": "tuned.openshift.io/v1", "kind": "Tuned", "spec": {"profile": {"a": 1}}})
}

leaving(o) := {"review": {"operation": "UPDATE", "object": going, "oldObject": going}} if {
	going := object.union(o, {"metadata": {"deletionTimestamp": "2026-01-01T00:00:00Z"}})
}

test_on_its_way_out if {
	allowing := leaving({"apiVersion": "machineconfiguration.openshift.io/v1", "kind": "KubeletConfig"})
	not kernel.allowed with input as allowing
	setting := leaving(daemon_set({"containers": [{"command": ["sysctl", "vm.swappiness=1"]}]}))
	kernel.settings == [] with input as setting
}

# ------------------------------------------------------------------------------------------- the pods of clusters

test_pods_of_cloudnative_pg if {
	kernel.settings == [{"name": "vm.swappiness", "text": "1", "by": "pod", "path": ["spec", "podSecurityContext", "sysctls", 0]}] with input as review({
		"apiVersion": "postgresql.cnpg.io/v1",
		"kind": "Cluster",
		"metadata": {"name": "orders"},
		"spec": {"podSecurityContext": {"sysctls": [{"name": "vm.swappiness", "value": "1"}]}},
	})
}

test_pods_of_percona_and_crunchy if {
	instance := {
		"securityContext": {"sysctls": [{"name": "kernel.sem", "value": "1"}]},
		"initContainers": [{"command": ["sysctl", "vm.swappiness=1"]}],
		"containers": [{"args": ["sysctl vm.swappiness=2"]}],
	}
	[[s.name, s.path] | some s in kernel.settings] == [
		["kernel.sem", ["spec", "instances", 0, "securityContext", "sysctls", 0]],
		["vm.swappiness", ["spec", "instances", 0, "initContainers", 0, "command", 1]],
	] with input as review({"apiVersion": "pgv2.percona.com/v2", "kind": "PerconaPGCluster", "metadata": {"name": "orders"}, "spec": {"instances": [instance]}})
	[s.path | some s in kernel.settings] == [["spec", "instances", 0, "containers", 0, "args", 0]] with input as review({"apiVersion": "postgres-operator.crunchydata.com/v1", "kind": "PostgresCluster", "metadata": {"name": "orders"}, "spec": {"instances": [instance]}})
}

test_pods_of_the_others if {
	command := [{"command": ["sysctl", "vm.swappiness=1"]}]
	[s.path | some s in kernel.settings] == [["spec", "initContainers", 0, "command", 1]] with input as review({"apiVersion": "acid.zalan.do/v1", "kind": "postgresql", "metadata": {"name": "orders"}, "spec": {"initContainers": command}})
	[s.path | some s in kernel.settings] == [["spec", "pods", "customInitContainers", 0, "command", 1]] with input as review({"apiVersion": "stackgres.io/v1", "kind": "SGCluster", "metadata": {"name": "orders"}, "spec": {"pods": {"customInitContainers": command}}})
	[s.path | some s in kernel.settings] == [["spec", "securityContext", "sysctls", 0]] with input as review({"apiVersion": "kubegres.reactive-tech.io/v1", "kind": "Kubegres", "metadata": {"name": "orders"}, "spec": {"securityContext": {"sysctls": [{"name": "kernel.sem", "value": "1"}]}}})
	[s.path | some s in kernel.settings] == [["spec", "template", "spec", "initContainers", 0, "command", 1]] with input as review({
		"apiVersion": "apps/v1",
		"kind": "StatefulSet",
		"metadata": {"name": "orders"},
		"spec": {"template": {"spec": {"initContainers": command, "containers": [{"image": "postgres:17"}]}}},
	})
}

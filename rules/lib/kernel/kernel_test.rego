package walguard.lib.kernel_test

import data.walguard.lib.kernel

set(text) := [[s.name, s.text] | some s in kernel.settings(text)]

test_sysctl if {
	set("sysctl -w vm.dirty_ratio=80") == [["vm.dirty_ratio", "80"]]
	set("set -e; sysctl -qw vm.swappiness=1 net/ipv4/tcp_tw_recycle=0 && echo done") == [["vm.swappiness", "1"], ["net.ipv4.tcp_tw_recycle", "0"]]
	set("nsenter -t 1 -m sysctl -w \"vm.dirty_bytes=1\"") == [["vm.dirty_bytes", "1"]]
	set("cat > /etc/sysctl.d/9.conf <<E\nvm.dirty_ratio = 40\n-vm.swappiness=1\nE\nsysctl --system") == [["vm.dirty_ratio", "40"], ["vm.swappiness", "1"]]
}

test_remarks_set_nothing if {
	set("# sysctl vm.dirty_ratio=80\nsysctl -w vm.swappiness=1 # not vm.dirty_ratio=80\n  ; vm.dirty_ratio=80") == [["vm.swappiness", "1"]]
}

test_what_cannot_be_known if {
	set("sysctl -w vm.swappiness=$VALUE vm.dirty_ratio=\"${RATIO}\"") == []
	set("[ $(sysctl -n vm.swappiness) = 10 ] || exit 1; test vm.swappiness == 3") == []
	set("vm.swappiness=10") == []
	set("for f in enabled defrag; do echo always > /sys/kernel/mm/transparent_hugepage/$f; done") == []
}

test_files_of_the_kernel if {
	set("echo 10 > /proc/sys/vm/swappiness; echo 0 | tee /host/proc/sys/vm/zone_reclaim_mode") == [["vm.swappiness", "10"], ["vm.zone_reclaim_mode", "0"]]
	set("echo never > /sys/kernel/mm/transparent_hugepage/enabled") == [["transparent_hugepage", "never"]]
	set("printf 'always\\n' > \"/host/sys/kernel/mm/transparent_hugepage/enabled\"") == [["transparent_hugepage", "always"]]
	set("transparent_hugepage=always") == [["transparent_hugepage", "always"]]
	set("[vm]\ntransparent_hugepages=madvise\n[sysfs]\n/sys/kernel/mm/transparent_hugepage/enabled=never") == [["transparent_hugepage", "madvise"], ["transparent_hugepage", "never"]]
}

pod := {"spec": {
	"securityContext": {"sysctls": [{"name": "kernel/shmmax", "value": 1}, {"name": 3}, "x", {"name": "vm.swappiness", "value": {}}]},
	"containers": [
		7,
		{"command": ["sysctl", 1], "args": ["-w", "vm.swappiness=1"]},
		{"command": {}, "args": "sysctl vm.swappiness=1"},
		{"command": ["sleep"], "args": ["vm.swappiness=1"]},
	],
}}

test_of_a_pod if {
	kernel.sysctls(pod, ["spec", "securityContext", "sysctls"]) == [{"name": "kernel.shmmax", "text": "1", "path": ["spec", "securityContext", "sysctls", 0]}]
	kernel.commands(pod, ["spec", "containers"]) == [{"name": "vm.swappiness", "text": "1", "path": ["spec", "containers", 1, "args", 1]}]
	kernel.commands(pod, ["spec", "initContainers"]) == []
}

test_namespaces if {
	every name in ["kernel.shmmax", "kernel.shm*", "kernel.sem", "fs.mqueue.msg_max", "net/core/somaxconn", "net.*", "kernel.msgmax"] { kernel.namespaced(name) }
	every name in ["vm.swappiness", "vm.*", "fs.file-max", "kernel.pid_max", "kernel.*", "*"] { not kernel.namespaced(name) }
}

test_lists if {
	kernel.listed("net.core.somaxconn", ["net.core.*"])
	kernel.listed("net.core.somaxconn", [1, "net/core/somaxconn"])
	not kernel.listed("net.core.somaxconn", ["net.core.some", "net.ipv4.*"])
}

test_safe if {
	kernel.safe == {
		"kernel.shm_rmid_forced", "net.ipv4.ip_local_port_range", "net.ipv4.ip_local_reserved_ports", "net.ipv4.ip_unprivileged_port_start", "net.ipv4.ping_group_range",
		"net.ipv4.tcp_fin_timeout", "net.ipv4.tcp_keepalive_intvl", "net.ipv4.tcp_keepalive_probes", "net.ipv4.tcp_keepalive_time", "net.ipv4.tcp_rmem",
		"net.ipv4.tcp_syncookies", "net.ipv4.tcp_wmem",
	}
}

# Only sysctl, or a file that it reads, gives such a line a meaning.
test_assignments_beside_other_files if {
	set("echo vm.swappiness=1; echo 10 > /proc/sys/vm/dirty_ratio") == [["vm.dirty_ratio", "10"]]
	kernel.settings("echo vm.swappiness=1") == []
	kernel.settings("") == []
}

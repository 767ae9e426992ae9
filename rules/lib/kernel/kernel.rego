# METADATA
# description: |
#   Kernel settings as manifests write them, each {"name": "vm.dirty_ratio" (dots, as sysctl writes it) or "transparent_hugepage",
#   "text": what it is set to, "path": where}. Several of a name are in the order in which they take effect, as far as a text tells.
# related_resources:
#   - https://www.kernel.org/doc/html/latest/admin-guide/sysctl/index.html
#   - https://man7.org/linux/man-pages/man8/sysctl.8.html
package walguard.lib.kernel

import data.walguard.lib.get

# METADATA
# description: The sysctls of a pod's security context, by the path of the list.
sysctls(parent, path) := [{"name": dotted(name), "text": text, "path": array.concat(path, [i])} |
	some i, entry in get.list(parent, path)
	is_object(entry)
	name := get.string(entry, "name")
	text := get.text_at(entry, "value")
]

# METADATA
# description: |
#   What the commands of containers set – sysctl, or echo into /proc/sys and /sys – by the path of the list. A value that a variable
#   holds is unknown and left out; so is what a script does that is not written here.
commands(parent, path) := [setting |
	some i, container in get.list(parent, path)
	is_object(container)
	words := array.concat(words_of(container, "command"), words_of(container, "args"))
	whole := concat(" ", [word.text | some word in words])
	concerns(whole)
	some word in words
	some assignment in assignments(whole, word.text)
	setting := object.union(assignment, {"path": array.concat(array.concat(path, [i]), word.path)})
]

words_of(container, field) := [{"text": word, "path": [field, i]} |
	some i, word in get.list(container, field)
	is_string(word)
]

# METADATA
# description: |
#   What a text sets, {"name", "text"}: a script, a sysctl.conf, a profile of Tuned, a command line of the kernel.
settings(text) := assignments(text, text) if concerns(text)

settings(text) := [] if not concerns(text)

# Most texts are about something else: this costs less than the patterns.
concerns(text) if contains(text, "sysctl")

concerns(text) if contains(text, "/proc/sys/")

concerns(text) if contains(text, "transparent_hugepage")

assignments(whole, text) := array.concat(array.concat(assigned(whole, plain), echoed(plain)), pages(plain)) if {
	plain := regex.replace(text, `(?m)(?:(?:^|[ \t])#|^[ \t]*;)[^\n]*`, "")
}

# name=value after sysctl or in a file that it reads.
assigned(whole, text) := [{"name": name, "text": found[2]} |
	contains(whole, "sysctl")
	some found in regex.find_all_string_submatch_n(`(?:^|[ \t\n\r\f\v"'=-])((?:vm|net|kernel|fs)(?:[./][A-Za-z0-9_-]+)+)[ \t]*=[ \t]*["']?([A-Za-z0-9]+)`, text, -1)
	name := dotted(found[1])
]

echoed(text) := [{"name": name, "text": found[1]} |
	contains(text, "/proc/sys/")
	some found in regex.find_all_string_submatch_n(`(?:echo|printf)[ \t]+(?:-n[ \t]+)?["']?([A-Za-z0-9]+)(?:\\n)?["']?[ \t]*(?:>|\|[ \t]*tee)[ \t]*["']?[^ \t\n\r\f\v"']*/proc/sys/([A-Za-z0-9_/.-]+)`, text, -1)
	name := dotted(found[2])
]

pages(text) := [{"name": "transparent_hugepage", "text": found[1]} |
	contains(text, "transparent_hugepage")
	some pattern in [
		`(?:echo|printf)[ \t]+(?:-n[ \t]+)?["']?(always|madvise|never)(?:\\n)?["']?[ \t]*(?:>|\|[ \t]*tee)[ \t]*["']?[^\s"']*/transparent_hugepage/enabled`,
		`transparent_hugepages?(?:/enabled)?[ \t]*=[ \t]*["']?(always|madvise|never)`,
	]
	some found in regex.find_all_string_submatch_n(pattern, text, -1)
]

# vm/dirty_ratio is another way to write vm.dirty_ratio.
dotted(name) := replace(name, "/", ".")

# METADATA
# description: True when the kernel keeps a sysctl, or all of a pattern that ends in *, for each pod; others are the node's.
namespaced(name) if trim_suffix(dotted(name), "*") == "kernel.sem"

namespaced(name) if {
	some prefix in ["kernel.shm", "kernel.msg", "fs.mqueue.", "net."]
	startswith(dotted(name), prefix)
}

# METADATA
# description: The sysctls that every kubelet lets a pod set (pkg/kubelet/sysctl/safe_sysctls.go); the later ones since Kubernetes 1.27 to 1.32.
safe := {
	"kernel.shm_rmid_forced",
	"net.ipv4.ip_local_port_range",
	"net.ipv4.ip_local_reserved_ports",
	"net.ipv4.ip_unprivileged_port_start",
	"net.ipv4.ping_group_range",
	"net.ipv4.tcp_fin_timeout",
	"net.ipv4.tcp_keepalive_intvl",
	"net.ipv4.tcp_keepalive_probes",
	"net.ipv4.tcp_keepalive_time",
	"net.ipv4.tcp_rmem",
	"net.ipv4.tcp_syncookies",
	"net.ipv4.tcp_wmem",
}

# METADATA
# description: True when a name is one of a list of names and patterns that end in *.
listed(name, patterns) if {
	some pattern in patterns
	is_string(pattern)
	matches(name, dotted(pattern))
}

matches(name, pattern) if pattern == name

matches(name, pattern) if {
	endswith(pattern, "*")
	startswith(name, trim_suffix(pattern, "*"))
}

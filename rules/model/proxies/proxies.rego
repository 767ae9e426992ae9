# METADATA
# description: |
#   Proxies of TCP that workloads of the namespace run before the cluster, by files in sight: HAProxy and the stream module of nginx close a connection that nothing comes over for some time, whatever waits at its ends.
# related_resources:
#   - https://docs.haproxy.org/3.0/configuration.html#4.2-timeout%20tunnel
#   - https://nginx.org/en/docs/stream/ngx_stream_proxy_module.html#proxy_timeout
package walguard.model.proxies

import data.walguard.lib.files
import data.walguard.lib.get
import data.walguard.lib.image
import data.walguard.lib.placeholder
import data.walguard.lib.text as prose
import data.walguard.lib.workloads
import data.walguard.model
import data.walguard.model.addresses

# METADATA
# description: '[{"who": in words, "seconds": that a connection may be silent, "by": the words of the file, "cure", "path", "resource"}].'
patience := [object.union(found, {"who": sprintf("%s of %s", [title, made.words]), "path": file.path, "resource": file.resource}) |
	count(addresses.hosts) > 0
	some made in workloads.lasting
	some one in get.list(made.pod, "containers")
	some name, title in {"haproxy": "HAProxy", "nginx": "nginx", "nginx-unprivileged": "nginx"}
	image.name(get.string(one, "image")) == name
	some file in files.mounted(one, get.list(made.pod, "volumes"))
	not placeholder.holds(file.text)
	found := shortest(of(title, file.text))
]

shortest(found) := [one | some one in found; one.seconds == min([other.seconds | some other in found])][0]

# What stands in a section, or in the defaults before it.
of("HAProxy", conf) := [object.union(one, {"cure": "Set timeout tunnel, or client and server, to 30m"}) |
	all := sections(conf)
	some i, section in all
	section.kind in {"backend", "listen"}
	some match in regex.find_all_string_submatch_n(`(?m)^[ \t]*server(?:-template)?[ \t]+\S+[ \t]+(?:[0-9]+(?:-[0-9]+)?[ \t]+)?([A-Za-z0-9.-]+)`, section.body, -1)
	leads(match[1])
	said(all, i, `mode[ \t]+(\S+)`, "tcp") == "tcp"
	some one in endings(all, i)
]

endings(all, i) := [{"seconds": moments(tunnel, 1000), "by": "timeout tunnel"}] if {
	tunnel := said(all, i, `timeout[ \t]+tunnel[ \t]+(\S+)`, "")
	tunnel != ""
} else := [{"seconds": seconds, "by": sprintf("timeout %s", [side])} |
	some [side, k] in array.concat([["server", i]], [["client", front] | some front in fronts(all, i)])
	seconds := moments(said(all, k, sprintf(`timeout[ \t]+%s[ \t]+(\S+)`, [side]), ""), 1000)
]

of("nginx", conf) := [{"seconds": seconds, "by": "proxy_timeout", "cure": "Set it to 30m"} |
	some named in regex.find_all_string_submatch_n(`(?m)^\s*(?:proxy_pass|server)\s+([A-Za-z0-9.-]+):[0-9]+`, conf, -1)
	leads(named[1])
	some match in regex.find_all_string_submatch_n(`(?m)^\s*proxy_timeout\s+(\S+);`, conf, -1)
	seconds := moments(match[1], 1)
]

sections(conf) := [{"kind": head[0][1], "name": head[0][2], "body": part} |
	some part in split(regex.replace(conf, `(?m)^[ \t]*(global|defaults|frontend|backend|listen|resolvers)\b`, "\u0001$1"), "\u0001")
	head := regex.find_all_string_submatch_n(`^(defaults|frontend|backend|listen)[ \t]*(\S*)`, part, 1)
	count(head) > 0
]

said(all, i, option, otherwise) := array.concat(
	[match[1] |
		some body in array.concat([all[i].body], array.slice([all[k].body | some k in numbers.range(i, 0); all[k].kind == "defaults"], 0, 1))
		some match in regex.find_all_string_submatch_n(sprintf(`(?m)^[ \t]*%s`, [option]), body, 1)
	],
	[otherwise],
)[0]

# The sections that clients come by to this one.
fronts(all, i) := [i] if all[i].kind == "listen"

fronts(all, i) := [k |
	some k, section in all
	section.kind == "frontend"
	regex.match(sprintf(`(?m)^[ \t]*(default|use)_backend[ \t]+%s(\s|$)`, [prose.literal(all[i].name)]), section.body)
] if {
	all[i].kind == "backend"
}

# A number without a unit is of milliseconds to HAProxy.
moments(written, _) := floor((to_number(match[1]) * units[match[2]]) / 1000) if {
	match := regex.find_all_string_submatch_n(`^([0-9]+)(ms|s|m|h|d)$`, written, 1)[0]
}

moments(written, whole) := floor(to_number(written) / whole) if regex.match(`^[0-9]+$`, written)

units := {"d": 86400000, "h": 3600000, "m": 60000, "ms": 1, "s": 1000}

# One of its names, or a Service of somebody's own before its pods.
leads(host) if addresses.named(host, addresses.hosts)

leads(host) if {
	parts := split(host, ".")
	array.concat(parts, [model.cluster.namespace])[1] == model.cluster.namespace
	parts[0] in workloads.services(model.cluster.selection.labels)
}

# METADATA
# description: |
#   What the author of a cluster wishes for it, in annotations walguard.dev/… of the resource. A wish asks for more or less and excuses
#   nothing, so its author may state it. Each is undefined where nothing is stated, or nothing that can be read; what cannot be
#   read is reported (manifest/annotation_unread).
package walguard.model.wishes

import data.walguard.lib.get
import data.walguard.lib.k8s
import data.walguard.lib.quantity
import data.walguard.postgres

# The annotations that are read, and how each is written.
forms := {
	"walguard.dev/required-iops": "a number of I/O operations per second, such as 6000",
	"walguard.dev/required-throughput": "bytes per second, such as 350MB/s, 350M or 1Gi",
	"walguard.dev/rto": "a duration, such as 90s, 10min or 1h",
	"walguard.dev/workload": "latency, read-mostly, mixed or write-heavy",
}

# METADATA
# description: Bytes per second that the cluster must be able to write.
required_throughput := n if {
	n := rate(stated("required-throughput"))
	n > 0
}

# METADATA
# description: I/O operations per second that each of its volumes' disks must be able to do, together.
required_iops := n if {
	n := quantity.bytes(stated("required-iops"))
	n > 0
}

# METADATA
# description: 'How long recovery may take, {"seconds", "text": as written}.'
rto := {"seconds": seconds, "text": text} if {
	text := stated("rto")
	seconds := floor(postgres.time_milliseconds(with_minutes(text), "s") / 1000)
	seconds > 0
}

# METADATA
# description: What kind of load the cluster serves, one of the words above.
workload := text if {
	text := stated("workload")
	text in {"latency", "read-mostly", "mixed", "write-heavy"}
}

# METADATA
# description: 'Wishes that have no effect, {"name", "value", "form"?}; without a form where there is no annotation of that name.'
unread contains {"name": name, "value": get.shown(value)} if {
	some name, value in k8s.annotations
	startswith(name, "walguard.dev/")
	not forms[name]
}

unread contains {"name": name, "value": get.shown(value), "form": form} if {
	some name, form in forms
	value := k8s.annotations[name]
	not readable(name)
}

readable("walguard.dev/required-iops") if required_iops

readable("walguard.dev/required-throughput") if required_throughput

readable("walguard.dev/rto") if rto

readable("walguard.dev/workload") if workload

stated(name) := get.string(k8s.annotations, concat("", ["walguard.dev/", name]))

# METADATA
# description: '"900MB/s", "900 MiB/s", "900M" and "1Gi" in bytes per second. "900mb/s" and "900Mbit/s" could mean something else.'
rate(text) := quantity.bytes(trim_suffix(trim_suffix(replace(text, " ", ""), "/s"), "B"))

# Kubernetes writes minutes as m, PostgreSQL as min.
with_minutes(text) := sprintf("%sin", [text]) if trim_left(text, "0123456789") == "m"

with_minutes(text) := text if trim_left(text, "0123456789") != "m"

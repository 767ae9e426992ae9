# METADATA
# description: |
#   What CloudNativePG's own webhook refuses (internal/webhook/v1/cluster_webhook.go), as far as no check finds it otherwise, and what stops
#   its barman plugin; see walguard.model, refusals.
# related_resources:
#   - https://github.com/cloudnative-pg/cloudnative-pg/blob/main/internal/webhook/v1/cluster_webhook.go
#   - https://github.com/cloudnative-pg/plugin-barman-cloud/blob/main/internal/cnpgi/operator/config/config.go
package walguard.operators.cnpg.webhook

import data.walguard.lib.cluster
import data.walguard.lib.get
import data.walguard.lib.k8s
import data.walguard.lib.quantity
import data.walguard.operators.cnpg
import data.walguard.postgres

refusals := [refusal | some refusal in found]

# validateResources
found contains {
	"path": ["spec", "postgresql", "parameters", "shared_buffers"],
	"reason": sprintf("shared_buffers=%s%s is more than the memory request of %s", [text, in_megabytes(text), get.text(request)]),
	"cure": "Request more memory, or lower shared_buffers",
} if {
	text := parameter("shared_buffers")
	bytes := postgres.memory_bytes(text, "MB")
	request := cnpg.spec.resources.requests.memory
	amount := quantity.bytes(request)
	amount > 0
	bytes > amount
	count([1 | some pages in huge_pages; quantity.bytes(pages) >= bytes]) == 0
	not told_with_the_request(text, bytes)
}

# memory/request_below_buffers says it with the amount to ask for, but where the limit is too small as well, and of a number alone, which the webhook reads otherwise than PostgreSQL.
told_with_the_request(text, bytes) if {
	trim_left(text, quantity.digits) != ""
	not limited(bytes)
}

limited(bytes) if quantity.bytes(cnpg.spec.resources.limits.memory) <= bytes

found contains {
	"path": ["spec", "resources", "requests", name],
	"reason": sprintf("the request of %s %s is more than its limit of %s", [name, get.text(request), get.text(limit)]),
	"cure": "Lower the request, or raise the limit",
} if {
	some name in ["cpu", "memory", "ephemeral-storage"]
	request := cnpg.spec.resources.requests[name]
	limit := cnpg.spec.resources.limits[name]
	quantity.thousandths(limit) > 0
	quantity.thousandths(request) > quantity.thousandths(limit)
}

found contains {
	"path": ["spec", "resources", "requests", name],
	"reason": sprintf("the request of %s %s is not its limit of %s", [name, get.text(request), get.text(limit)]),
	"cure": "Write the same amount of huge pages in both",
} if {
	some name, request in get.map(cnpg.spec, ["resources", "requests"])
	startswith(name, "hugepages-")
	limit := cnpg.spec.resources.limits[name]
	quantity.bytes(request) != quantity.bytes(limit)
}

huge_pages := [amount |
	some kind in ["requests", "limits"]
	some name, amount in get.map(cnpg.spec, ["resources", kind])
	startswith(name, "hugepages-")
]

# validateWalSizeConfiguration, with the defaults that the webhook takes.
found contains {
	"path": ["spec", "postgresql", "parameters", written[0]],
	"reason": sprintf("min_wal_size=%s is not less than max_wal_size=%s", [least, most]),
	"cure": "Lower min_wal_size, or raise max_wal_size",
} if {
	written := [name | some name in ["min_wal_size", "max_wal_size"]; parameter(name)]
	count(written) > 0
	least := or_default("min_wal_size", "80MB")
	most := or_default("max_wal_size", "1GB")
	postgres.memory_bytes(least, "MB") >= postgres.memory_bytes(most, "MB")
}

# validateConfiguration
found contains {
	"path": ["spec", "postgresql", "parameters", "wal_log_hints"],
	"reason": sprintf("wal_log_hints is off with %d instances", [cnpg.instances.value]),
	"cure": "Take it out: pg_rewind needs it",
} if {
	cluster.boolean(parameter("wal_log_hints")) == false
	cnpg.instances.value > 1
}

found contains {
	"path": cnpg.major.path,
	"reason": sprintf("PostgreSQL %d is older than 13", [cnpg.major.value]),
	"cure": "Take an image of a supported major version",
} if {
	cnpg.major.value < 13
}

# Validate of the plugin: nothing is reconciled, and no WAL archived, before the name is there.
found contains {
	"path": ["spec", "plugins", i],
	"reason": "the barman plugin is not told its ObjectStore (parameters.barmanObjectName)",
	"cure": "Write the name of the ObjectStore there",
} if {
	some i in cnpg.archiver_plugins
	plugin := cnpg.spec.plugins[i]
	get.string(plugin, "name") == "barman-cloud.cloudnative-pg.io"
	not get.present(plugin, ["parameters", "barmanObjectName"])
}

parameter(name) := text if {
	text := get.text_at(k8s.object, array.concat(cnpg.parameters_path, [name]))
	text != ""
}

or_default(name, _) := parameter(name)

or_default(name, otherwise) := otherwise if not get.present(k8s.object, array.concat(cnpg.parameters_path, [name]))

# PostgreSQL counts a bare number in pages of 8 kB, the webhook in MB.
in_megabytes(text) := " (in MB to the webhook, which PostgreSQL counts in pages of 8 kB)" if trim_left(text, quantity.digits) == ""

in_megabytes(text) := "" if trim_left(text, quantity.digits) != ""

# METADATA
# title: The platform does not have what the value asks for
# description: |
#   Some values exist on other operating systems only: wal_sync_method=fsync_writethrough on macOS and Windows, bonjour on
#   macOS, the shared memory type windows. On Linux, that is in every container, the server does not start with them.
#   io_method=io_uring needs a server built with liburing and a kernel that lets the container use it; the default seccomp profiles of
#   containerd and Docker block the system calls since 2023, and the server does not start either. Whether they do here is not
#   visible in a manifest: info only.
#   The advisor postgresqltuner demands fsync_writethrough everywhere, which contradicts PostgreSQL itself.
# related_resources:
#   - https://www.postgresql.org/docs/current/runtime-config-wal.html#GUC-WAL-SYNC-METHOD
#   - https://www.postgresql.org/docs/current/runtime-config-resource.html#GUC-IO-METHOD
#   - https://github.com/moby/moby/pull/46762
# custom:
#   severity: error
#   since: 0.1.0
#   remediation: Take the parameter out; the default is the platform's own.
#   sources: [S3]
package walguard.checks.parameters.platform_unsupported

import data.walguard.lib.finding
import data.walguard.lib.get
import data.walguard.model

findings contains f if {
	some name in elsewhere
	setting := model.written[name]
	f := finding.with_severity(
		finding.with_removal(finding.at(setting, sprintf("%s=%s does not exist on Linux, and %s. Remove it.", [name, setting.text, model.rejection.consequence])), setting),
		model.rejection.severity,
	)
}

findings contains f if {
	setting := model.changed("io_method")
	setting.value == "io_uring"
	setting.origin == "written"
	f := finding.with_severity(
		finding.at(setting, sprintf("io_method=%s needs a server built with liburing and a seccomp profile that allows io_uring, which those of containerd and Docker do not; without them the server does not start. Test it on this image and these nodes, or use worker.", [setting.text])),
		"info",
	)
}

# METADATA
# description: The written values that other platforms have, as a set of names.
elsewhere contains name if {
	some name, _ in model.refused
	get.lower_case(model.written[name].text) in values[name]
}

elsewhere contains name if {
	some name, reading in model.refused
	reading.entry.check == "not_on_linux"
	contains(reading.reason, "Linux")
}

values := {
	"dynamic_shared_memory_type": {"windows"},
	"shared_memory_type": {"windows"},
	"wal_sync_method": {"fsync_writethrough"},
}

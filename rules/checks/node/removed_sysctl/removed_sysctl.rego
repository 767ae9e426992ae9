# METADATA
# title: A sysctl is set that kernels no longer have
# description: |
#   net.ipv4.tcp_tw_recycle went with Linux 4.12 (2017): it dropped connections of clients behind one NAT address, and since 4.10
#   all kinds of them. S1 still sets it, to 0, in a list of settings from 2020. On a newer kernel sysctl fails ("No such file or directory"):
#   a pod that asks for it does not start, an init container that sets it ends with an error, and what stands after it is not set.
# related_resources:
#   - https://git.kernel.org/pub/scm/linux/kernel/git/torvalds/linux.git/commit/?id=4396e46187ca5070219b81773c4e65088dac50cc
# custom:
#   severity: error
#   since: 0.1.0
#   remediation: Remove the setting.
#   sources: [S1]
package walguard.checks.node.removed_sysctl

import data.walguard.lib.finding
import data.walguard.model.kernel

findings contains f if {
	some setting in kernel.settings
	release := removed[setting.name]
	f := finding.with_severity(
		finding.at(setting, sprintf("%s was removed in Linux %s%s: %s. Remove it.", [
			setting.name,
			release,
			kernel.condition,
			consequence[setting.by],
		])),
		kernel.severity(gravity[setting.by]),
	)
}

removed := {"net.ipv4.tcp_tw_recycle": "4.12"}

consequence := {
	"pod": "the pods do not start",
	"command": "the command fails, usually with its container, and later settings are not applied",
	"tuned": "it is only logged as an error",
	"boot": "it is only logged as an error",
}

gravity := {"pod": "error", "command": "error", "tuned": "warning", "boot": "warning"}

package walguard.lib.crunchy

import data.walguard.lib.fact
import data.walguard.lib.get

segment := {"value": 16, "unit": "MB", "origin": "operator", "path": ["spec"]} if initialised

checksums := fact.operator(true, ["spec"]) if initialised

# True when the operator runs initdb, which it gives no segment size and --data-checksums.
initialised if {
	count(spec) > 0
	not get.present(spec, "dataSource")
	not get.boolean(spec, ["standby", "enabled"])
}

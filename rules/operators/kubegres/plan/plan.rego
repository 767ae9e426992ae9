# METADATA
# description: The schedule of a Kubegres (see walguard.model.schedules), which is one of dumps.
package walguard.operators.kubegres.plan

import data.walguard.lib.get
import data.walguard.operators.kubegres

schedules := [kubegres.at_home({"method": "logical", "path": schedule_path, "text": text, "needs_wal": false}) |
	text := get.string(kubegres.home, schedule_path)
]

schedule_path := ["spec", "backup", "schedule"]

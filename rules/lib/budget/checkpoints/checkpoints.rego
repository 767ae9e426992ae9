# METADATA
# description: |
#   The budget of a checkpoint: it has checkpoint_timeout × checkpoint_completion_target to write what shared_buffers hold.
package walguard.lib.budget.checkpoints

import data.walguard.model

timeout := model.parameter("checkpoint_timeout")

target := model.parameter("checkpoint_completion_target")

timeout_seconds := floor(timeout.milliseconds / 1000)

target_thousandths := max([round(target.value * 1000), 1])

# METADATA
# description: The seconds that a checkpoint has.
spread_seconds := max([floor((timeout_seconds * target_thousandths) / 1000), 1])

# METADATA
# description: The seconds that a volume takes to write so many bytes. Undefined where its bandwidth is unknown or its disk cannot exist.
flush_seconds(volume, bytes) := ceil(bytes / volume.disk.throughput_bytes_per_second) if count(volume.disk.rejections) == 0

# METADATA
# description: True unless a data volume whose load is stated cannot write so many bytes of shared_buffers in the time of a checkpoint.
flushed_in_time(bytes) if count([1 |
	some volume in model.data_volumes
	volume.demand.origin == "stated"
	flush_seconds(volume, bytes) > spread_seconds
]) == 0

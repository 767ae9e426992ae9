# Generated from the METADATA of the checks by "make generate". Do not edit.
package walguard

catalogue := {
	"checks": {
		"durability/corruption_masking": {"settings": {}, "severity": "error"},
		"durability/data_checksums": {"settings": {}, "severity": "warning"},
		"durability/fsync": {"settings": {}, "severity": "error"},
		"durability/full_page_writes": {"settings": {"backup_window_hours": {"default": 24}, "restore_window_days": {"default": 30}}, "severity": "error"},
		"durability/full_page_writes_rewind": {"settings": {}, "severity": "warning"},
		"durability/full_page_writes_standby_backup": {"settings": {}, "severity": "error"},
		"durability/reclaim_policy": {"settings": {}, "severity": "warning"},
		"durability/synchronous_commit": {"settings": {}, "severity": "warning"},
		"durability/write_barriers": {"settings": {}, "severity": "error"},
		"storage/bandwidth_below_demand": {"settings": {"mbps_per_core": {"default": 17}}, "severity": "warning"},
		"storage/burst_only": {"settings": {}, "severity": "warning"},
		"storage/class_missing": {"settings": {}, "severity": "error"},
		"storage/expansion_disabled": {"settings": {}, "severity": "warning"},
		"storage/level_out_of_range": {"settings": {}, "severity": "error"},
		"storage/network_filesystem": {"settings": {}, "severity": "error"},
		"storage/size_below_knee": {"settings": {"calm_mbps_per_core": {"default": 39}}, "severity": "info"},
		"storage/size_does_not_help": {"settings": {"restore_hours": {"default": 2}}, "severity": "warning"},
		"storage/slow_default_class": {"settings": {}, "severity": "warning"},
		"wal/init_zero_filesystem": {"settings": {}, "severity": "error"},
		"wal/init_zero_stall": {"settings": {"stall_milliseconds": {"default": 500}}, "severity": "warning"},
		"wal/max_wal_vs_volume": {"settings": {"shared_volume_percent": {"default": 25}, "wal_volume_percent": {"default": 60}}, "severity": "warning"},
		"wal/segment_size_immutable": {"settings": {}, "severity": "error"},
		"wal/segment_size_invalid": {"settings": {}, "severity": "error"},
		"wal/segment_size_small": {"settings": {"minimum_mbps": {"default": 500}}, "severity": "info"},
		"wal/segment_size_vs_wal_size": {"settings": {}, "severity": "error"},
	},
}

package walguard.checks.vacuum.unthrottled_test

import data.walguard.checks.vacuum.unthrottled as check
import data.walguard.lib.disk_test as manifests

slow(parameters) := {
	"provisioner": "pd.csi.storage.gke.io",
	"size": "500Gi",
	"cpu": "8",
	"postgresql": parameters,
	"settings": {"storage/bandwidth_below_demand": {"mbps_per_core": 17}},
}

fast(parameters) := object.union(slow(parameters), {"parameters": {"type": "pd-ssd"}})

findings(what) := found if {
	found := check.findings with input as manifests.review(what)
}

test_slow_class if {
	findings(slow({"autovacuum_vacuum_cost_delay": "0"})) == {{
		"message": "autovacuum_vacuum_cost_delay=0: autovacuum runs unthrottled on the data volume (500Gi of pd-standard gives 60 MiB/s (62.9 MB/s), 7.9 MB/s per core on 8 cores). On such a disk throughput fell by two thirds. Set it to 2ms, the default.",
		"path": ["spec", "postgresql", "parameters", "autovacuum_vacuum_cost_delay"],
		"facts": {"cores_thousandths": 8000, "demand_bytes_per_second": 136000000, "figures_as_of": "2026-11", "figures_confidence": "verified", "iops": 750, "size_bytes": 536870912000, "throughput_bytes_per_second": 62914560},
		"fix": [{"op": "replace", "path": "/spec/postgresql/parameters/autovacuum_vacuum_cost_delay", "value": "2ms"}],
	}}
}

test_short_of_demand if count(findings(object.union(fast({"autovacuum_vacuum_cost_delay": "0"}), {"throughput": "900M"}))) == 1

test_delay_of_vacuum if {
	count(findings(slow({"autovacuum_vacuum_cost_delay": "-1"}))) == 1
	count(findings(slow({"autovacuum_vacuum_cost_delay": "-1", "vacuum_cost_delay": "0"}))) == 1
	findings(slow({"autovacuum_vacuum_cost_delay": "-1", "vacuum_cost_delay": "5ms"})) == set()
}

test_throttled if {
	findings(slow({})) == set()
	findings(slow({"autovacuum_vacuum_cost_delay": "1ms"})) == set()
}

test_fast_disk if findings(fast({"autovacuum_vacuum_cost_delay": "0"})) == set()

test_silent_without_class if {
	check.findings == set() with input as manifests.blind(slow({"autovacuum_vacuum_cost_delay": "0"}))
}

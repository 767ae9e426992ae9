# METADATA
# title: Autovacuum takes a slow disk for itself
# description: |
#   autovacuum_vacuum_cost_delay=0 lets autovacuum read and write as fast as the disk allows. On a disk that already gives less than
#   the cluster demands that is taken from the transactions: in one measurement (S4) they fell from 13,868 to 4,483 a second. Another
#   source (S1) sets it to 0, on local NVMe that had bandwidth to spare; reported here only for a volume that is known to be slow or short of bandwidth.
#   S2 runs autovacuum every second with a limit of its own, but late (scale factor 0.6), and KubeBlocks sets
#   vacuum_cost_delay=0, which is about VACUUM by hand: the sources agree on no direction.
# related_resources:
#   - https://www.postgresql.org/docs/current/runtime-config-vacuum.html#GUC-AUTOVACUUM-VACUUM-COST-DELAY
# custom:
#   severity: warning
#   since: 0.1.0
#   remediation: Leave autovacuum_vacuum_cost_delay at 2ms and raise autovacuum_vacuum_cost_limit if vacuum falls behind.
#   sources: [S1, S4]
package walguard.checks.vacuum.unthrottled

import data.walguard.lib.disk
import data.walguard.lib.finding
import data.walguard.model

findings contains f if {
	setting.value in {0, -1}
	delay_milliseconds == 0
	slow := [id | some id, volume in model.data_volumes; is_slow(volume)]
	count(slow) > 0
	volume := model.data_volumes[slow[0]]
	f := finding.with_parameter(
		finding.with_facts(
			finding.at(setting, sprintf("autovacuum_vacuum_cost_delay=%s: autovacuum runs unthrottled on the %s (%s). On such a disk throughput fell by two thirds. Set it to 2ms, the default.", [
				setting.text,
				disk.label(model.volumes, slow[0]),
				disk.gives_per_core(volume),
			])),
			disk.facts(volume),
		),
		setting,
		"2ms",
	)
}

setting := model.changed("autovacuum_vacuum_cost_delay")

# -1 stands for vacuum_cost_delay, which is 0 by default.
delay_milliseconds := setting.value if setting.value >= 0

delay_milliseconds := general.value if setting.value < 0

delay_milliseconds := 0 if {
	setting.value < 0
	not general.value
}

general := model.changed("vacuum_cost_delay")

is_slow(volume) if volume.disk.slow

is_slow(volume) if disk.short(volume)

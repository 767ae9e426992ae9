# METADATA
# description: |
#   Attacks on the verdict as data: cases/<area>/*.yaml, each {row, attack, objects, runs}. A run is a review of `new` (with `old`: an update)
#   with the objects `among` in sight, as an API server has them; `files` true for a linter's run. `changes` are merged into `new`, `was`
#   into `old`. `denied` lists the checks that refuse it, [] where it is admitted; `warned` those that at least warn, `told` those that say anything. Every
#   attack stands beside its control, the same thing honestly done.
package adversary_test

import data.main
import data.walguard.lib.inventory

now := "2026-06-15T12:00:00Z"

runs[id] := object.union(run, {"objects": one.objects}) if {
	some area, cases in data.cases
	some name, one in cases
	some i, run in one.runs
	id := sprintf("%s/%s/%d %s", [area, name, i, object.get(run, "as", "")])
}

surroundings(run) := object.union(
	inventory.from_documents([run.objects[name] | some name in object.get(run, "among", [])]),
	{"complete": count([1 | from_files(run)]) == 0},
)

from_files(run) if run.files

# What only an API server says.
envelope(run) := object.union(
	{"operation": ["CREATE", "UPDATE"][count(old)], "userInfo": {"username": object.get(run, "user", "jane")}},
	{"oldObject": old[0] | count(old) > 0},
) if {
	not from_files(run)
	old := [o | o := object.union(run.objects[run.old], object.get(run, "was", {}))]
}

envelope(run) := {} if from_files(run)

review(run) := {
	"review": object.union({"object": object.union(run.objects[run.new], object.get(run, "changes", {}))}, envelope(run)),
	"inventory": surroundings(run),
	"parameters": object.get(run, "policy", {}),
	"now": object.get(run, "now", now),
}

findings(run) := found if {
	asked := review(run)
	found := main.findings with input as asked
}

test_case[id] if {
	some id, run in runs
	found := findings(run)
	denied := {f.check | some f in found; f.action == "deny"}
	warned := {f.check | some f in found; f.action in {"deny", "warn"}}
	denied == {check | some check in run.denied}
	count({check | some check in object.get(run, "warned", [])} - warned) == 0
	count({check | some check in object.get(run, "told", [])} - {f.check | some f in found}) == 0
	count({check | some check in object.get(run, "silent", [])} & warned) == 0
}

# Every case has an attack that is met and a control that is not, or the other way round.
test_each_attack_has_its_control if {
	every area in data.cases {
		every one in area {
			count({refused | some run in one.runs; refused := count(run.denied) > 0}) == 2
		}
	}
}

package walguard.model.wishes_test

import data.walguard.model.wishes

of(annotations) := {"review": {"object": {"apiVersion": "g/v1", "kind": "Cluster", "metadata": {"name": "c", "annotations": annotations}}}}

test_rates if {
	rates := {text: n | some text in ["900MB/s", "900 MiB/s", " 900M ", "1Gi", "900000000", "1.5GB/s", "900mb/s", "900Mbit/s", "fast", "", "${X}"]; n := wishes.rate(text)}
	rates == {"900MB/s": 900000000, "900 MiB/s": 943718400, " 900M ": 900000000, "1Gi": 1073741824, "900000000": 900000000, "1.5GB/s": 1500000000}
}

test_stated if wishes.required_throughput == 900000000 with input as of({"walguard.dev/required-throughput": "900MB/s"})

test_not_stated if {
	not wishes.required_throughput with input as of({})
	wishes.unread == set() with input as of({"other.dev/x": "y"})
}

test_all_are_read if {
	all := of({"walguard.dev/required-iops": "6k", "walguard.dev/rto": "10m", "walguard.dev/workload": "mixed"})
	wishes.required_iops == 6000 with input as all
	wishes.rto == {"seconds": 600, "text": "10m"} with input as all
	wishes.workload == "mixed" with input as all
	wishes.unread == set() with input as all
}

test_unread if {
	found := {wish | some wish in wishes.unread} with input as of({
		"walguard.dev/required-iops": "many",
		"walguard.dev/required-throughput": "0",
		"walguard.dev/required-troughput": "900M",
		"walguard.dev/rto": "soon",
		"walguard.dev/workload": "oltp",
	})
	{[wish.name, wish.value] | some wish in found} == {
		["walguard.dev/required-iops", "many"],
		["walguard.dev/required-throughput", "0"],
		["walguard.dev/required-troughput", "900M"],
		["walguard.dev/rto", "soon"],
		["walguard.dev/workload", "oltp"],
	}
	{wish.name | some wish in found; not wish.form} == {"walguard.dev/required-troughput"}
}

test_seconds_of_recovery if {
	every text, seconds in {"90s": 90, "1s": 1, "1m": 60, "1h": 3600} {
		wishes.rto == {"seconds": seconds, "text": text} with wishes.stated as text
	}
	every text in ["0", "x"] { not wishes.rto with wishes.stated as text }
	wishes.required_iops == 1 with wishes.stated as "1"
	not wishes.required_iops with wishes.stated as "0"
	not wishes.required_iops with wishes.stated as "-1"
}

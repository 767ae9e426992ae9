package walguard.lib.get_test

import data.walguard.lib.get

hostile := [null, true, 1, "text", [], {"a": 1}]

parent := {
	"string": "s",
	"empty": "",
	"number": 0,
	"yes": true,
	"no": false,
	"map": {"inner": {"leaf": "x"}},
	"list": [1],
	"null": null,
}

test_string if {
	get.string(parent, "string") == "s"
	get.string(parent, ["map", "inner", "leaf"]) == "x"
	count([key | some key in ["empty", "number", "map", "null", "absent"]; get.string(parent, key)]) == 0
}

test_number_and_boolean if {
	get.number(parent, "number") == 0
	get.boolean(parent, "no") == false
	count([key | some key in ["string", "yes", "null", "absent"]; get.number(parent, key)]) == 0
	count([key | some key in ["string", "number", "null", "absent"]; is_boolean(get.boolean(parent, key))]) == 0
}

test_map_and_list if {
	get.map(parent, "map") == {"inner": {"leaf": "x"}}
	get.list(parent, "list") == [1]
	{get.map(parent, key) | some key in ["string", "list", "null", "absent"]} == {{}}
	{get.list(parent, key) | some key in ["string", "map", "null", "absent"]} == {[]}
}

test_present if {
	get.present(parent, "no")
	not get.present(parent, "null")
	not get.present(parent, "absent")
}

test_shown if {
	get.shown("a") == "a"
	get.shown(true) == "true"
	get.shown(1000000.0) == "1000000"
	[get.shown(value) | some value in [0.00001, [], {}, null]] == ["a number", "a list", "a map", "nothing"]
}

test_text if {
	get.text("16GB") == "16GB"
	not get.text(10000000000000000000000)
	not get.text(-10000000000000000000000)
	get.text(1000000.0) == "1000000"
	get.text(0.25) == "0.25"
	not get.text(1000000.5)
	not get.text(0.00001)
	get.text(5) == "5"
	get.text(true) == "on"
	get.text(false) == "off"
	get.text_at(parent, "no") == "off"
	count([value | some value in [null, [], {}]; get.text(value)]) == 0
}

test_any_parent if {
	count([1 | some value in hostile; get.string(value, "x")]) == 0
	{get.map(value, "x") | some value in hostile} == {{}}
	{get.list(value, "x") | some value in hostile} == {[]}
}

test_last_of_each if {
	get.last_of_each([]) == {}
	get.last_of_each([["a", 0], ["b", 1], ["a", 2], ["c", 3], ["b", 10]]) == {"a": 2, "b": 10, "c": 3}
	get.last_of_each([["a", 5]]) == {"a": 5}
}

test_case if {
	get.lower_case("archive_mode") == "archive_mode"
	get.lower_case("DateStyle") == "datestyle"
	get.lower_case("ABCDEFGHIJKLMNOPQRSTUVWXYZ-É") == "abcdefghijklmnopqrstuvwxyz-É"
	get.lower_case("archİve_Mode") == "archİve_mode"
	get.lower_case("") == ""
	get.upper_case("backup_Schedule ß") == "BACKUP_SCHEDULE ß"
	get.upper_case("abcdefghijklmnopqrstuvwxyz") == "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
}

test_default_of_a_placeholder if {
	file := {"review": {"object": {"kind": "Cluster"}}}
	get.number({"n": "${N:-5}"}, "n") == 5 with input as file
	get.number({"n": "${N:--1}"}, "n") == -1 with input as file
	get.boolean({"b": "${B:-on}"}, "b") == true with input as file
	get.boolean({"b": "${B:-no}"}, "b") == false with input as file
	given := [value |
		some text in ["${N}", "${N:-five}", "${N:-05}", "${N:-1.5}"]
		value := get.number({"n": text}, "n")
	] with input as file
	given == []
	not get.number({"n": "${N:-5}"}, "n") with input as {"review": {"operation": "CREATE", "object": {}}}
}

test_named if {
	get.named([{"name": "a"}, {"name": "b"}, 5, {}, {"name": "a"}]) == {"a": 4, "b": 1}
	get.named([]) == {}
}

test_limits_of_text if {
	[get.text(value) | some value in [100000000000000000000, -100000000000000000000, 999999.5, -999999.5, 0.0001, 0.5, 3.0]] == ["100000000000000000000", "-100000000000000000000", "999999.5", "-999999.5", "0.0001", "0.5", "3"]
	every value in [1000000000000000000000, 1000000.5, 0.00009, null, [], {}] {
		not get.text(value)
	}
}

test_defaults_that_are_booleans if {
	every word, value in {"true": true, "on": true, "yes": true, "false": false, "off": false, "no": false} {
		get.boolean({"a": sprintf("${A:-%s}", [word])}, "a") == value with input as {"kind": "Cluster"}
	}
	not get.boolean({"a": "${A:-1}"}, "a") with input as {"kind": "Cluster"}
	not get.boolean({"a": "true"}, "a") with input as {"kind": "Cluster"}
	get.unknown({"a": "${A}"}, "a") with input as {"kind": "Cluster"}
	not get.unknown({"a": "${A:-1}"}, "a") with input as {"kind": "Cluster"}
}

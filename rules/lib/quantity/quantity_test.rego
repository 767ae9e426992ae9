package walguard.lib.quantity_test

import data.walguard.lib.quantity

# As resource.MustParse(…).Value() gives them.
bytes_of := {
	"300Gi": 322122547200,
	"1.5Gi": 1610612736,
	"0.5Gi": 536870912,
	"1e3": 1000,
	"1E3": 1000,
	"12E": 12000000000000000000,
	"1e-3": 1,
	"1500e-1": 150,
	"100m": 1,
	"1u": 1,
	"1n": 1,
	"128974848": 128974848,
	"129e6": 129000000,
	"129M": 129000000,
	"123Mi": 128974848,
	"007": 7,
	"0": 0,
	"0.0": 0,
	".5": 1,
	"5.": 5,
	"1.5": 2,
	"-3": -3,
	"-1.5": -1,
	"+3Ki": 3072,
}

test_bytes if {
	wrong := {text: quantity.bytes(text) | some text, bytes in bytes_of; quantity.bytes(text) != bytes}
	wrong == {}
	count([text | some text, _ in bytes_of; quantity.bytes(text)]) == count(bytes_of)
}

test_numbers if {
	quantity.bytes(5) == 5
	quantity.bytes(1.2) == 2
}

test_thousandths if {
	quantity.thousandths("1500m") == 1500
	quantity.thousandths("1.5") == 1500
	quantity.thousandths("16") == 16000
	quantity.thousandths(2) == 2000
	quantity.thousandths("0.1m") == 1
}

test_refused if {
	refused := ["", " ", "x", "Gi", "1 Gi", "1gi", "1GB", "1ki", "1K", "1ee3", "1e", "e3", "1e3Ki", "1.2.3", "--1", "0x10", "1_000", ".", "1e99"]
	count([text | some text in refused; quantity.bytes(text)]) == 0
	count([value | some value in [null, true, [], {}]; quantity.bytes(value)]) == 0
}

test_default_of_a_placeholder if {
	file := {"review": {"object": {"kind": "Cluster"}}}
	quantity.bytes("${SIZE:-2Gi}") == 2147483648 with input as file
	quantity.thousandths("${CPU:-1.5}") == 1500 with input as file
	not quantity.bytes("${SIZE:-large}") with input as file
}

# METADATA
# description: |
#   Numbers with units as PostgreSQL reads them: parse_int() and parse_real() of guc.c. A unit is "" where a parameter counts
#   nothing in particular. Undefined for what is refused. Not read: hexadecimal fractions (0x1.8p3).
#   Computed exactly, where PostgreSQL computes in doubles: a fraction half way between two results that a double cannot hold
#   (2.0005s in ms) may round the other way.
# related_resources:
#   - https://github.com/postgres/postgres/blob/REL_18_STABLE/src/backend/utils/misc/guc.c
package walguard.postgres.number

import data.walguard.lib.get

# METADATA
# description: A text as a whole number of a unit, rounded as PostgreSQL rounds. It may exceed an int, which PostgreSQL then refuses.
integer(text, unit) := value if {
	value := plain(text, unit)
} else := token.sign * value if {
	token := scan(text)
	value := unusual(token, text, unit)
}

# METADATA
# description: |
#   integer() for the usual case alone, at a tenth of the price: digits as a computer writes them, then nothing or a unit that
#   is a whole multiple. Undefined for all else.
plain(text, unit) := digits * factors[unit][trim_prefix(text, number)] if {
	number := trim_right(text, "BkMGTusminhd")
	trim(number, "-0123456789") == ""
	digits := to_number(number)
	format_int(digits, 10) == number
}

# METADATA
# description: A text as a number of a unit.
real(text, unit) := to_number(text) if {
	regex.match(plain_real, text)
} else := token.sign * value if {
	token := scan(text)
	value := magnitude_of(token, unit)
}

# METADATA
# description: True where a number is one that PostgreSQL can store for an integer parameter.
fits_int(value) if {
	value <= 2147483647
	value >= -2147483648
}

# METADATA
# description: What a unit measures – "memory" or "time".
kind(unit) := units[unit][0]

plain_real := `^(?:0|[1-9][0-9]{0,14})(?:\.[0-9]{1,15})?$`

# Own unit: {unit written: how many of the own it is}.
factors := {
	"": {"": 1},
	"B": {"": 1, "B": 1, "kB": 1024, "MB": 1048576, "GB": 1073741824, "TB": 1099511627776},
	"kB": {"": 1, "kB": 1, "MB": 1024, "GB": 1048576, "TB": 1073741824},
	"8kB": {"": 1, "MB": 128, "GB": 131072, "TB": 134217728},
	"MB": {"": 1, "MB": 1, "GB": 1024, "TB": 1048576},
	"ms": {"": 1, "ms": 1, "s": 1000, "min": 60000, "h": 3600000, "d": 86400000},
	"s": {"": 1, "s": 1, "min": 60, "h": 3600, "d": 86400},
	"min": {"": 1, "min": 1, "h": 60, "d": 1440},
}

# Unit: [what it measures, its size in bytes or microseconds, the size of the next smaller unit that PostgreSQL rounds to].
# 8kB is only ever a parameter's own unit.
units := {
	"B": ["memory", 1, 1],
	"kB": ["memory", 1024, 1],
	"8kB": ["memory", 8192, 0],
	"MB": ["memory", 1048576, 1024],
	"GB": ["memory", 1073741824, 1048576],
	"TB": ["memory", 1099511627776, 1073741824],
	"us": ["time", 1, 1],
	"ms": ["time", 1000, 1],
	"s": ["time", 1000000, 1000],
	"min": ["time", 60000000, 1000000],
	"h": ["time", 3600000000, 60000000],
	"d": ["time", 86400000000, 3600000000],
}

# Sign, number (hexadecimal; or integer part, fraction with its point, exponent), and the unit after it.
number_pattern := `^[ \t-\r]*([+-]?)(0[xX][0-9a-fA-F]+|([0-9]*)(\.[0-9]*)?([eE][+-]?[0-9]+)?)[ \t-\r]*([^ \t-\r]*)[ \t-\r]*$`

scan(text) := token if {
	found := regex.find_all_string_submatch_n(number_pattern, text, 1)
	count(found) == 1
	[_, sign, number, integral, fraction, exponent, suffix] := found[0]
	token := {
		"sign": {"": 1, "+": 1, "-": -1}[sign],
		"number": get.lower_case(number),
		"integral": integral,
		"fraction": fraction,
		"exponent": exponent,
		"suffix": suffix,
	}
}

hexadecimal(token) if startswith(token.number, "0x")

# strtol() takes a leading zero for octal. Where it stops at a point or an exponent, PostgreSQL reads the text again, as decimal.
octal(token) if {
	startswith(token.integral, "0")
	token.fraction == ""
	token.exponent == ""
}

# … and where it stops at an 8 or a 9, those are taken for a unit.
broken_octal(token) if {
	startswith(token.integral, "0")
	trim_left(token.integral, "01234567") != ""
}

# A number that begins with its point is one for strtod() alone, which is asked only when nothing stands before the point.
readable(token, _) if token.integral != ""

readable(token, text) if {
	token.integral == ""
	startswith(text, ".")
}

# parse_int() of what is not a plain number.
unusual(token, _, unit) := converted(based(substring(token.number, 2, -1), 4), 0, token.suffix, unit) if hexadecimal(token)

unusual(token, _, unit) := converted(based(token.integral, 3), 0, token.suffix, unit) if {
	octal(token)
	not broken_octal(token)
}

unusual(token, text, unit) := converted(digits, decimals, token.suffix, unit) if {
	not hexadecimal(token)
	not octal(token)
	not broken_octal(token)
	readable(token, text)
	[digits, decimals] := decimal(token)
}

# A number in base 2^width; more digits than an int has are one that is too large.
based(text, _) := huge if count(trim_left(text, "0")) > 11

based(text, width) := sum([value |
	some position in numbers.range(0, count(digits) - 1)
	value := bits.lsh(indexof("0123456789abcdef", substring(digits, position, 1)), width * ((count(digits) - 1) - position))
]) if {
	digits := trim_left(text, "0")
	count(digits) <= 11
}

# More than any int, in any unit.
huge := 1000000000000000000

powers_of_ten := [1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000, 1000000000, 10000000000, 100000000000, 1000000000000, 10000000000000, 100000000000000, 1000000000000000, 10000000000000000, 100000000000000000, 1000000000000000000]

# [digits, decimals]: the number is digits / 10^decimals. Exact for 15 digits, as many as a double always keeps. Undefined where
# strtod() reports a range error.
decimal(token) := scaled_down(trim_left(digits, "0"), count(fraction) - shift(token.exponent)) if {
	fraction := trim_left(token.fraction, ".")
	digits := concat("", [token.integral, fraction])
	digits != ""
}

scaled_down("", _) := [0, 0]

scaled_down(digits, decimals) := [to_number(padded), 0] if {
	digits != ""
	decimals <= 0
	count(digits) - decimals <= 18
	padded := concat("", [digits, substring("000000000000000000", 0, 0 - decimals)])
}

scaled_down(digits, decimals) := [huge, 0] if {
	count(digits) - decimals > 18
	count(digits) - decimals <= 308
}

scaled_down(digits, decimals) := [to_number(kept), decimals - (count(digits) - count(kept))] if {
	decimals > 0
	count(digits) - decimals <= 15
	kept := substring(digits, 0, 15)
	decimals - (count(digits) - count(kept)) <= 18
}

scaled_down(digits, decimals) := [to_number(kept), 0] if {
	decimals > 0
	count(digits) - decimals > 15
	count(digits) - decimals <= 18
	kept := substring(digits, 0, count(digits) - decimals)
}

# Too small to round to anything but 0.
scaled_down(digits, decimals) := [0, 0] if {
	digits != ""
	decimals - (count(digits) - min([15, count(digits)])) > 18
	count(digits) - decimals > -307
}

# The exponent as a number; what has more than three digits is out of a double's range.
shift("") := 0

shift(exponent) := direction * magnitude(trim_left(trim_left(exponent, "eE+-"), "0")) if {
	exponent != ""
	direction := {true: -1, false: 1}[contains(exponent, "-")]
}

magnitude("") := 0

magnitude(digits) := to_number(digits) if {
	digits != ""
	count(digits) <= 3
}

magnitude(digits) := 1000 if count(digits) > 3

# digits / 10^decimals with a unit, as a whole number in the parameter's own unit. As convert_to_base_unit() does, a fraction
# is first rounded to the next smaller unit ("30.1GB" is 30822MB), then to the parameter's.
converted(digits, decimals, "", _) := rounded(digits, powers_of_ten[decimals])

converted(digits, decimals, suffix, unit) := rounded(dividend, divisor) if {
	[dividend, divisor] := ratio(digits, decimals, suffix, unit)
	dividend <= 2147483649 * divisor
}

converted(digits, decimals, suffix, unit) := huge if {
	[dividend, divisor] := ratio(digits, decimals, suffix, unit)
	dividend > 2147483649 * divisor
}

ratio(digits, 0, suffix, unit) := [digits * size, units[unit][1]] if {
	[kind, size, smaller] := units[suffix]
	smaller > 0
	units[unit][0] == kind
}

ratio(digits, decimals, suffix, unit) := [rounded(digits * (size / smaller), powers_of_ten[decimals]) * smaller, units[unit][1]] if {
	decimals > 0
	[kind, size, smaller] := units[suffix]
	smaller > 0
	smaller < size
	units[unit][0] == kind
}

# A fraction of the smallest unit; a millionth of it is exact enough.
ratio(digits, decimals, suffix, unit) := [rounded(digits, powers_of_ten[decimals - kept]), powers_of_ten[kept] * units[unit][1]] if {
	decimals > 0
	[kind, size, smaller] := units[suffix]
	smaller == size
	units[unit][0] == kind
	kept := min([decimals, 6])
}

# Division to the nearest whole number, halves to the even one, as rint() does.
rounded(dividend, divisor) := quotient if {
	rest := dividend % divisor
	quotient := (dividend - rest) / divisor
	rest * 2 < divisor
}

rounded(dividend, divisor) := quotient + 1 if {
	rest := dividend % divisor
	quotient := (dividend - rest) / divisor
	rest * 2 > divisor
}

rounded(dividend, divisor) := quotient + (quotient % 2) if {
	rest := dividend % divisor
	quotient := (dividend - rest) / divisor
	rest * 2 == divisor
}

magnitude_of(token, unit) := fraction_of(based(substring(token.number, 2, -1), 4), 0, token.suffix, unit) if hexadecimal(token)

magnitude_of(token, unit) := fraction_of(digits, decimals, token.suffix, unit) if {
	not hexadecimal(token)
	[digits, decimals] := decimal(token)
	digits < huge
}

# A number too large to be taken apart. With a unit it is in no parameter's range.
magnitude_of(token, _) := value if {
	not hexadecimal(token)
	[digits, _] := decimal(token)
	digits == huge
	value := to_number(concat("", [trim_left(token.integral, "0"), trim_right(token.fraction, "."), token.exponent]))
}

fraction_of(digits, decimals, "", _) := digits / powers_of_ten[decimals]

fraction_of(digits, decimals, suffix, unit) := dividend / divisor if [dividend, divisor] := ratio(digits, decimals, suffix, unit)

# METADATA
# description: |
#   Kubernetes quantities, exactly as the API machinery reads them: [sign] digits with an optional point, then one of
#   n u m k M G T P E (powers of 1000), Ki Mi Gi Ti Pi Ei (powers of 1024) or a decimal exponent e/E. Numbers are
#   quantities too. Everything else is undefined. Fractions of the unit asked for round up, as Quantity.Value() does.
#   Integer arithmetic only: engines print and compare floats differently.
# related_resources:
#   - https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/quantity/
package walguard.lib.quantity

import data.walguard.lib.get
import data.walguard.lib.placeholder

digits := "0123456789"

# Suffix to [numerator, denominator].
suffixes := {
	"": [1, 1],
	"n": [1, 1000000000],
	"u": [1, 1000000],
	"m": [1, 1000],
	"k": [1000, 1],
	"M": [1000000, 1],
	"G": [1000000000, 1],
	"T": [1000000000000, 1],
	"P": [1000000000000000, 1],
	"E": [1000000000000000000, 1],
	"Ki": [1024, 1],
	"Mi": [1048576, 1],
	"Gi": [1073741824, 1],
	"Ti": [1099511627776, 1],
	"Pi": [1125899906842624, 1],
	"Ei": [1152921504606846976, 1],
}

powers_of_ten := [1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000, 1000000000, 10000000000, 100000000000, 1000000000000, 10000000000000, 100000000000000, 1000000000000000, 10000000000000000, 100000000000000000, 1000000000000000000]

# METADATA
# description: A quantity in whole bytes (or whole units of whatever it counts), rounded up.
bytes(value) := scaled(value, 1)

# METADATA
# description: A quantity in thousandths, rounded up – the usual form of CPU ("1500m", "1.5" and 1.5 are all 1500).
thousandths(value) := scaled(value, 1000)

# METADATA
# description: A quantity times a whole factor, rounded up to a whole number. Of a placeholder with a default it is the default.
scaled(value, factor) := ceil(value * factor) if {
	is_number(value)
	abs(value) <= max_value
} else := result if {
	result := read(value, factor)
} else := read(placeholder.default_of(value), factor)

# METADATA
# description: True of a text that is no quantity ("2GB"), where it is not filled in later.
malformed(value) if {
	is_string(value)
	value != ""
	not usual(value)
	not placeholder.holds(value)
	not regex.match(`^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([KMGTPE]i|[numkMGTPE]|[eE][+-]?[0-9]+)?$`, value)
}

# Digits and a suffix: to ask that takes a twentieth of the time of the expression.
usual(value) if {
	suffix := trim_left(value, "0123456789")
	suffix != value
	suffix in {"", "m", "k", "M", "G", "T", "Ki", "Mi", "Gi", "Ti"}
}

# METADATA
# description: The bytes that a text means which is no quantity, as one; else what to write in words.
meant(value) := sprintf("%s%si", [parts[1], get.upper_case(parts[2])]) if {
	parts := regex.find_all_string_submatch_n(`^\s*([0-9]+)\s*([kKmMgGtTpP])[iI]?[bB]?\s*$`, value, 1)[0]
} else := "a number and a unit, such as 20Gi"

read(value, factor) := result if {
	# The usual case, digits and a suffix, at a third of the price.
	is_string(value)
	number := trim_right(value, "numkKMGTPEi")
	[numerator, denominator] := suffixes[substring(value, count(number), -1)]
	result := divided_up((whole(number) * numerator) * factor, denominator)
} else := result if {
	is_string(value)
	number := trim_right(value, "numkKMGTPEi")
	suffix := substring(value, count(number), -1)
	[sign, unsigned] := signed(number)
	[mantissa, exponent] := exponential(unsigned, suffix)
	[significand, scale] := decimal(mantissa)
	[numerator, denominator] := suffixes[suffix]
	[up, down] := power(exponent)
	result := divided_up((((sign * significand) * numerator) * up) * factor, (denominator * down) * powers_of_ten[scale])
}

signed(number) := [-1, substring(number, 1, -1)] if startswith(number, "-")

signed(number) := [1, substring(number, 1, -1)] if startswith(number, "+")

signed(number) := [1, number] if {
	not startswith(number, "-")
	not startswith(number, "+")
}

# 12e3 has its exponent inside what looks like a number; an exponent and a suffix exclude one another.
exponential(number, "") := [parts[0], exponent] if {
	parts := split(get.lower_case(number), "e")
	count(parts) == 2
	[sign, unsigned] := signed(parts[1])
	exponent := sign * whole(unsigned)
}

exponential(number, _) := [number, 0] if not contains(get.lower_case(number), "e")

# "1.50" is [150, 2]; at least one digit must be there, on either side of the point.
decimal(number) := [whole(number), 0]

decimal(number) := [whole(concat("", parts)), count(parts[1])] if {
	parts := split(number, ".")
	count(parts) == 2
}

# The largest value that Kubernetes holds, and its digits; beyond them an engine may count in floating point.
max_value := 9223372036854775807

max_digits := 19

# to_number reads signs, spaces and leading zeros differently in different engines: only bare digits get there.
whole(text) := to_number(significant) if {
	significant := trim_left(text, "0")
	significant != ""
	trim_left(significant, digits) == ""
	count(significant) <= max_digits
} else := 0 if {
	text != ""
	trim_left(text, "0") == ""
}

power(exponent) := [powers_of_ten[exponent], 1] if exponent >= 0

power(exponent) := [1, powers_of_ten[-1 * exponent]] if exponent < 0

divided_up(dividend, divisor) := (dividend - rest) / divisor if {
	rest := dividend % divisor
	rest <= 0
} else := ((dividend - rest) / divisor) + 1 if {
	rest := dividend % divisor
}

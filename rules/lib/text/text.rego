# METADATA
# description: Numbers as people read them. Whole-number arithmetic, so that every engine writes the same text.
package walguard.lib.text

# METADATA
# description: Bytes in the largest binary unit that leaves at most one decimal – "300Gi", "1.5Gi", "512Mi", "17 bytes".
bytes(n) := scaled_unit(n, 1099511627776, "Ti") if n >= 1099511627776

bytes(n) := scaled_unit(n, 1073741824, "Gi") if {
	n >= 1073741824
	n < 1099511627776
}

bytes(n) := scaled_unit(n, 1048576, "Mi") if {
	n >= 1048576
	n < 1073741824
}

bytes(n) := scaled_unit(n, 1024, "Ki") if {
	n >= 1024
	n < 1048576
}

bytes(n) := sprintf("%d bytes", [n]) if n < 1024

scaled_unit(n, unit, name) := concat("", [tenths(round((n * 10) / unit)), name])

# METADATA
# description: A count of tenths as a decimal, without a superfluous ".0" – 169 is "16.9", 170 is "17".
tenths(n) := sprintf("%d", [n / 10]) if n % 10 == 0

tenths(n) := sprintf("%d.%d", [(n - (n % 10)) / 10, n % 10]) if n % 10 != 0

# METADATA
# description: Thousandths rounded to a decimal – 16875 is "16.9".
thousandths(n) := tenths(round(n / 100))

# METADATA
# description: Items in a sentence (a, b and c). The conjunction is "and" or "or".
list(items, _) := items[0] if count(items) == 1

list(items, conjunction) := sprintf("%s %s %s", [
	concat(", ", array.slice(items, 0, count(items) - 1)),
	conjunction,
	items[count(items) - 1],
]) if {
	count(items) > 1
}

# METADATA
# description: A path in dots and brackets – spec.instances[0].replicas.
path(keys) := trim_left(concat("", [part | some key in keys; part := step(key)]), ".")

step(key) := sprintf(".%s", [key]) if is_string(key)

step(key) := sprintf("[%d]", [key]) if is_number(key)

# METADATA
# description: A text as a regular expression that matches it alone.
literal(plain) := regex.replace(plain, `[.+*?^$(){}|\[\]\\]`, `\$0`)

# METADATA
# description: A number of things with a regular plural – "1 pod", "3 pods".
counted(1, noun) := sprintf("1 %s", [noun])

counted(n, noun) := sprintf("%d %ss", [n, noun]) if n != 1

# METADATA
# description: A text with the words in one piece that a backslash at the end of a line divides, as a shell reads them.
unbroken(broken) := broken if not contains(broken, "\\\n")

unbroken(broken) := regex.replace(broken, `(\w)\\\n(\w)`, "$1$2") if contains(broken, "\\\n")

# METADATA
# description: The host of an address, whether it is a URL, has a port or stands alone.
host(address) := regex.replace(address, `^([a-z+:]+//)?([^@/]*@)?([A-Za-z0-9.-]+).*$`, "$3")

# METADATA
# description: |
#   Names by pattern, as the policy configuration writes them. * stands for any text, ? for one character, neither for a colon: in
#   system:serviceaccount:NAMESPACE:NAME a pattern for names shall not reach into another namespace.
package walguard.lib.glob

matches(pattern, text) if {
	is_string(pattern)
	pattern == text
}

matches(pattern, text) if {
	wild(pattern)
	is_string(text)
	regex.match(expression(pattern), text)
}

# METADATA
# description: True of a pattern that can mean more than one name.
wild(pattern) if contains(pattern, "*")

wild(pattern) if contains(pattern, "?")

expression(pattern) := concat("", ["^", any, "$"]) if {
	literal := regex.replace(pattern, `[.+^$(){}|\[\]\\]`, `\$0`)
	any := replace(replace(literal, "*", "[^:]*"), "?", "[^:]")
}

# METADATA
# description: True where one of a list of patterns matches.
any_matches(patterns, text) if {
	some pattern in patterns
	matches(pattern, text)
}

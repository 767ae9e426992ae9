# METADATA
# description: Secrets and passwords, as far as a manifest shows them.
package walguard.lib.login

import data.walguard.lib.get

# METADATA
# description: A field of a Secret as text. What a Secret says in plain text wins.
field(secret, key) := get.string(secret, ["stringData", key])

field(secret, key) := text if {
	not get.string(secret, ["stringData", key])
	encoded := get.string(secret, ["data", key])
	base64.is_valid(encoded)
	text := base64.decode(encoded)
}

# METADATA
# description: True for a text that is a password, and not a place where a later step puts one.
literal(text) if {
	is_string(text)
	text != ""
	not filled_in(text)
}

filled_in(text) if {
	some mark in ["${", "$(", "{{", "<", "%(", "@@"]
	contains(text, mark)
}

filled_in(text) if regex.match(`^(\$[A-Z_]+|[A-Z]+(_[A-Z]+)+|x{3,}|\*{3,}|\.{3})$`, text)

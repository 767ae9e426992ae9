# METADATA
# description: Secrets and passwords, as far as a manifest shows them.
package walguard.lib.login

import data.walguard.lib.get
import data.walguard.lib.placeholder

# METADATA
# description: A field of a Secret as text, undefined where a later step fills it in or decrypts it (sops). What a Secret says in plain text wins.
field(secret, key) := text if {
	text := get.string(secret, ["stringData", key])
	not placeholder.unknown(text)
}

field(secret, key) := text if {
	not get.string(secret, ["stringData", key])
	encoded := get.string(secret, ["data", key])
	base64.is_valid(encoded)
	text := base64.decode(encoded)
	not placeholder.unknown(text)
}

# METADATA
# description: A field of a Secret as it is written, or as base64 says it, whatever a later step fills in.
raw(secret, key) := text if {
	text := get.string(secret, ["stringData", key])
}

raw(secret, key) := base64.decode(encoded) if {
	not get.string(secret, ["stringData", key])
	encoded := get.string(secret, ["data", key])
	base64.is_valid(encoded)
}

# METADATA
# description: An address without its password, which a later step may fill in where the rest of it is known; any other text as it is.
bare(text) := regex.replace(text, `^([a-z0-9+:]+://[^:/@\s]*):[^/\s]*@`, "$1@")

# METADATA
# description: |
#   A field of a Secret that is a word for who fills in the file by hand ("change-me"), as it is written: no step replaces it, so that a cluster that was
#   created from the file has it.
by_hand(secret, key) := text if {
	not field(secret, key)
	text := get.string(secret, ["stringData", key])
	regex.match(hand_form, text)
}

by_hand(secret, key) := text if {
	not field(secret, key)
	not get.string(secret, ["stringData", key])
	encoded := get.string(secret, ["data", key])
	base64.is_valid(encoded)
	text := base64.decode(encoded)
	regex.match(hand_form, text)
}

# METADATA
# description: A field of a Secret as facts have it, {"value", "by_hand"? true for a word that somebody replaces by hand}.
held(secret, key) := {"value": value} if value := field(secret, key)

held(secret, key) := {"value": value, "by_hand": true} if value := by_hand(secret, key)

# METADATA
# description: Where a field of a Secret stands.
path_of(secret, key) := ["stringData", key] if get.string(secret, ["stringData", key])

path_of(secret, key) := ["data", key] if not get.string(secret, ["stringData", key])

hand_form := `^(?i)(please[-_ ]?)?(change|replace)[-_ ]?(me|this)[-_ a-z0-9!.]*$`

# METADATA
# description: True for a text that is a password, and not a place where a later step puts one.
literal(text) if {
	is_string(text)
	text != ""
	not get.lower_case(text) in {"yes", "no", "true", "false", "on", "off"}
	not filled_in(text)
	not placeholder.unknown(text)
}

filled_in(text) if {
	some mark in ["${", "$(", "{{", "<", "%(", "@@"]
	contains(text, mark)
}

# What a webhook or a program beside the container reads from elsewhere: bank-vaults, 1Password, vals, secrets-webhook.
filled_in(text) if regex.match(`^(>>)?(vault:|op://|ref\+[a-z0-9]+://|secret:[a-z]+:|arn:aws:secretsmanager:)`, text)

filled_in(text) if regex.match(`^(\$[A-Z_]+|[A-Z]+(_[A-Z]+)+|x{3,}|\*{3,}|\.{3})$`, text)

# METADATA
# description: |
#   True where a field of a Secret ends with a line break, which base64 and a block of YAML bring in. Whoever puts a word in the place of another in a block leaves it
#   there, and nobody fills in half of what is encoded.
broken(secret, key) if endswith(field(secret, key), "\n")

broken(secret, key) if {
	text := get.string(secret, ["stringData", key])
	endswith(text, "\n")
	regex.match(hand_form, trim_right(text, "\r\n"))
}

broken(secret, key) if {
	not get.string(secret, ["stringData", key])
	encoded := get.string(secret, ["data", key])
	base64.is_valid(encoded)
	endswith(base64.decode(encoded), "\n")
}

# METADATA
# description: What the value of a field ends with that nobody sees and that is part of it, "a line break" or "a blank". Of words that are no passwords of people's own, such as keys of a store.
ragged(secret, key) := "a line break" if {
	broken(secret, key)
} else := "a blank" if {
	regex.match(`\S[ \t]+$`, field(secret, key))
}

# METADATA
# description: Passwords that attackers begin with, from their lists; in lower case.
tried_first := {
	"postgres", "postgresql", "password", "passw0rd", "p@ssw0rd", "pass", "admin", "root", "test", "secret", "example", "changeme", "default", "1234", "12345", "123456", "12345678",
	"123456789", "qwerty", "mypassword", "mysecretpassword", "postgres123", "admin123", "password1", "password123", "letmein", "welcome", "user", "demo",
}

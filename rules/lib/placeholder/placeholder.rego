# METADATA
# description: |
#   Text that a later step fills in: ${X}, $(X), $X and $x-db (envsubst's names without braces), {{ x }}, ${{ x }}, {% x %}, <NAME>, __X__, %X%, $X$, #{X}#, AUTOREPLACE_X, REPLACE_ME, CHANGEME, changeUser, X_PLACEHOLDER, REDACTED, YOUR_X,
#   ($x) of Chainsaw, and what sops has encrypted. What it will be is unknown, unless a default is written beside it (${X:-d}, ${X:=d}, ${X-d}, ${X=d}): that is
#   what the step takes when nobody says more. An unknown value excuses nothing and is no fault either.
#
#   Only files are filled in. A review that an API server asks for, and an object that one has stored, hold what will run: there
#   "${X}" is those four characters, which no server reads as a number.
# related_resources:
#   - https://fluxcd.io/flux/components/kustomize/kustomizations/#post-build-variable-substitution
#   - https://argo-cd.readthedocs.io/en/stable/operator-manual/secret-management/
#   - https://getsops.io/docs/
package walguard.lib.placeholder

# METADATA
# description: True where the manifest is a file that somebody may still fill in.
honoured if {
	is_object(input)
	not asked
	not stored
}

# METADATA
# description: |
#   What stands for a value that another file of the same chart may have written – nobody needs to be told that it is unknown. No step fills in a name with a blank, so that
#   the author of a file gains nothing by writing it.
elsewhere := "${written elsewhere}"

# A call of an API server, in the canonical form or another one.
asked if is_string(input.review.operation)

asked if is_string(input.review.uid)

asked if is_object(input.request)

# What an API server has given an identity.
stored if is_string(input.review.object.metadata.uid)

stored if is_string(input.metadata.uid)

# METADATA
# description: True of a value that is a text with a placeholder in it, default or not.
holds(value) if {
	honoured
	marked(value)
}

# METADATA
# description: True of a value that nobody knows yet.
unknown(value) if {
	honoured
	marked(value)
	not filled(value)
}

# METADATA
# description: |
#   True of a value that is a placeholder and nothing else ("${X}", "<NAME>"): where a command of a shell may stand, "$(hostname)" inside
#   of it is the shell's.
whole(value) if {
	honoured
	marked(value)
	regex.match(concat("", [`^\s*(`, form, `)\s*$`]), value)
}

# METADATA
# description: The text that the defaults of all placeholders in it give. Undefined where there is none, and where one has no default.
default_of(value) := filled(value) if {
	honoured
	marked(value)
}

# METADATA
# description: A text with the defaults of its placeholders filled in where all have one; as it is otherwise.
resolved(value) := default_of(value)

resolved(value) := value if not default_of(value)

marked(value) if {
	is_string(value)
	regex.match(form, value)
}

# In the order of the description. Names in <> begin with a letter, so that comparisons and addresses are none.
form := concat("|", [
	`\$\{[^}]*\}`,
	`\$\([A-Za-z_][A-Za-z0-9_.]*\)`,
	`^\$[A-Za-z_][-A-Za-z0-9_.]*$`,
	`\{\{.*\}\}`,
	`\{%.*%\}`,
	`<[A-Za-z][^<>]*>`,
	`__[A-Z][A-Z0-9_]*__`,
	`%[A-Z][A-Z0-9_]+%`,
	`#\{[^}]*\}`,
	`(?i:\b(?:auto)?replace[-_ ]?(?:me|this|with)\b)[-_A-Za-z0-9]*`,
	`\b(?:AUTO)?REPLACE(?:_[-_A-Za-z0-9]*)`,
	`(?i:\bchange[-_ ]?me\b)`,
	`^change[-_]?(?i:user(?:name)?|password|this)$`,
	`^[-a-z0-9.]*\$[A-Z][A-Z0-9_]*\$[-a-z0-9.]*$`,
	`\b(?:[A-Z0-9]+_)*PLACEHOLDER(?:_[A-Z0-9_]*)?\b`,
	`\b(?:REDACTED|YOUR_[A-Z0-9_]+)(?:_[A-Z0-9_]*)?\b`,
	`^ENC\[.*\]$`,
	`^\(.*\$[A-Za-z_].*\)$`,
])

# "a${X:-b}c" is "abc": of what lies between the beginnings of placeholders, the first is text, and the others are a name, a default, and text.
filled(value) := unquoted(text) if {
	pieces := split(value, "${")
	count(pieces) > 1
	given := [concat("", [defaulted, rest]) |
		some i, piece in pieces
		i > 0
		at := indexof(piece, "}")
		at > 0
		rest := substring(piece, at + 1, -1)
		defaulted := default_in(substring(piece, 0, at))
	]
	count(given) == count(pieces) - 1
	text := concat("", array.concat([pieces[0]], given))
	not regex.match(form, text)
}

default_in(inner) := substring(tail, (count(tail) - count(trim_left(tail, ":"))) + 1, -1) if {
	regex.match(`^[A-Za-z_][A-Za-z0-9_.]*:?[-=]`, inner)
	tail := trim_left(inner, name_letters)
}

name_letters := "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_."

# The step writes the default into the text of the manifest, where quotes are YAML's.
unquoted(text) := trim(text, `"`) if startswith(text, `"`)

unquoted(text) := trim(text, "'") if startswith(text, "'")

unquoted(text) := text if {
	not startswith(text, `"`)
	not startswith(text, "'")
}

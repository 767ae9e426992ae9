package walguard.lib.script

import data.walguard.lib.text as texts

# METADATA
# description: |
#   True of a text that leaves nothing of the data of a server, whose directory lies below a mount, or that has it begin in a new directory each time. What a condition guards, and
#   what brings other data, is somebody's intention.
wipes(text, mounted, below) if {
	said := unquoted_words(text)
	not regex.match(guarded, said)
	some pattern in wiping
	regex.match(replace(pattern, "DATA", sprintf("%s(/pgdata|/data|%s)?", [texts.literal(mounted), texts.literal(below)])), said)
}

# The directory itself is gone; what comes back, or is linked to, is there.
wipes(text, mounted, below) if {
	said := unquoted_words(text)
	not regex.match(guarded, said)
	not regex.match(`\b(cp|ln|rsync|tar)\s|\bmv\s[^\n]*\bmv\s`, said)
	regex.match(sprintf(`\bmv\s+(-\S+\s+)*%s%s(/\*|/)?\s+[^-\s]`, [texts.literal(mounted), texts.literal(below)]), said)
}

wipes(text, _, _) if regex.match(`\bPGDATA=\S*([$][(]\s*(date|uuidgen|openssl\s+rand|cat\s+/proc/sys/kernel/random)\b|\x60\s*(date|uuidgen)\b|[$][{]?(date|uuidgen|S?RANDOM|EPOCH(SECONDS|REALTIME))\b)`, text)

guarded := `\b(if|test|case|while|until|grep)\b|\[\s|\|\|\s*[({]?\s*(rm|find|mv|cd)\b|\bpg_basebackup\b|\bpgbackrest\b|\bwal-?g\b|\bbarman\b|\bpg_rewind\b|restore|snapshot`

wiping := [
	`\brm\s+(-\S+\s+)*-[a-zA-Z]*[rR]\S*\s+(-\S+\s+)*DATA(/\*)?/?\s*($|[;&|\n])`,
	`\bfind\s+DATA/?((\s+-m(in|ax)depth\s+1|\s+-xdev|\s+-depth)*|(\s+-mindepth\s+1)?\s+-type\s+f)\s+(-delete\b|-exec(dir)?\s+rm\b|(-print0\s+)?\|\s*xargs\s[^;&|\n]*\brm\b)`,
	`\bcd\s+DATA/?\s*(;|&&|\n)\s*rm\s+-[a-zA-Z]*[rR]\S*\s+(\./)?(\*|\.)\s*($|[;&|\n])`,
	`\brsync\s[^;&|\n]*--delete\S*\s+\S*empty\S*\s+DATA/?\s*($|[;&|\n])`,
	`\bls\s+(-\S+\s+)*DATA(/\*)?/?\s*\|\s*xargs\s([^;&|\n]*\s)?rm\b`,
	`\btar\s([^;&|\n]*\s)?DATA/?\s+--remove-files|\b(rmtree|unlink\s+glob)\W+(q\W)?DATA\b`,
	`\bfor\s+\w+\s+in\s+DATA/\*\s*(;|\n)\s*do\s+rm\s+-\w*[rR]\w*\s+[$]`,
]

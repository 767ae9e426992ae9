# How SQL spells what it says, and what it does besides.
package walguard.lib.sql

import data.walguard.lib.get

# METADATA
# description: |
#   A text with the strings and names of its SQL as they read without escapes: E'\x6fn' and U&'\006fn' are 'on', U&"zero\005fdamaged_pages" is "zero_damaged_pages", and $$on$$ is 'on'.
spelled(text) := undollared(unescaped(text))

unescaped(text) := text if not regex.match(escaped, text)

unescaped(text) := regex.replace(strings.replace_n({found: unescaped_string(found) | some found in regex.find_n(escaped, text, -1)}, text), `(?i)\s+uescape\s+'.'`, "") if regex.match(escaped, text)

escaped := `(?i)\b(?:e|u&)(?:'[^'\n]*'|\\?"[^"\n]*")`

unescaped_string(found) := strings.replace_n(
	{one: character(one) |
		some one in regex.find_n({true: `[^\w\s'"](?:\+00)?[0-9a-fA-F]{4}`, false: `\\+(?:x[0-9a-fA-F]{1,2}|u[0-9a-fA-F]{4}|[0-7]{3})`}[contains(found, "&")], found, -1)
	},
	regex.replace(regex.replace(found, `^(?:[eE]|[uU]&)`, ""), `\\+[tnrf]`, " "),
)

character(one) := of_code(regex.replace(one, `^[^0-9a-fA-F]+`, "")) if not regex.match(`^\\+[0-7]{3}$`, one)

character(one) := of_code(concat("", [substring("0123456789abcdef", floor(n / 16), 1), substring("0123456789abcdef", n % 16, 1)])) if {
	regex.match(`^\\+[0-7]{3}$`, one)
	[a, b, c] := [to_number(digit) | some digit in regex.find_n(`[0-7]`, one, -1)]
	n := ((a * 64) + (b * 8)) + c
	n < 128
}

of_code(digits) := json.unmarshal(sprintf(`"\u%s"`, [substring(sprintf("0000%s", [digits]), count(digits), 4)])) if count(digits) < 5

of_code(digits) := json.unmarshal(sprintf(`"\u%s"`, [substring(digits, count(digits) - 4, 4)])) if count(digits) >= 5

undollared(text) := text if not regex.match(dollared, text)

undollared(text) := strings.replace_n(
	{found[0]: sprintf("'%s'", [trim(found[2], "{}")]) |
		some found in regex.find_all_string_submatch_n(dollared, text, -1)
		found[1] == found[3]
	},
	text,
) if {
	regex.match(dollared, text)
}

dollared := `\\?[$](\w*)\\?[$]([^$'"\\;\n]*)\\?[$](\w*)\\?[$]`

# Statements in one piece: no comment within them, and no semicolon in a name, a string or the body of a function.
whole(text) := concat("", [pieced(one) | some one in regex.find_n(token, spelled(regex.replace(regex.replace(regex.replace(spaced(text), `(?m)^[ \t]*#.*$`, ""), innermost, " "), innermost, " ")), -1)])

innermost := `/\*(?:[^*/]|\*+[^*/]|/+[^*/])*\*+/`

pieced(one) := " " if regex.match(`^(--|/\*)`, one)

pieced(one) := {`"`: `"b"`, "'": "'b'", "$": "'b'"}[substring(one, 0, 1)] if regex.match(`(?s)^["'$].*;`, one)

pieced(one) := one if not regex.match(`(?s)^(--|/\*|["'$].*;)`, one)

# METADATA
# description: True of a text that lets a session write pages that it could not read, by SQL or by the options of a connection.
masks(text) if {
	regex.match(`(?i)zero|ignore|options|pg_settings`, text)
	regex.match(masking, get.lower_case(spelled(unpercented(text))))
}

unpercented(text) := strings.replace_n({one: of_code(substring(one, 1, 2)) | some one in regex.find_n(`[%][2-7][0-9a-fA-F]`, text, -1)}, text) if regex.match(`(?i)options=\S*%`, text)

unpercented(text) := text if not regex.match(`(?i)options=\S*%`, text)

masking := concat("|", [
	`\bset\s+(session\s+|local\s+)?\\?"?(zero_damaged_pages|ignore_checksum_failure)\b`,
	`\bpgoptions=[^\n]*(zero[-_]damaged[-_]pages|ignore[-_]checksum[-_]failure)`,
	`\boptions["']?\s*[=:][^\n]*(-c\s*|--)(zero[-_]damaged[-_]pages|ignore[-_]checksum[-_]failure)\s*=`,
	`\bpostgres\s+--single\b[^\n]*(zero_damaged_pages|ignore_checksum_failure)\s*=\s*(on|true|yes|1)`,
	masking_calls,
])

masking_calls := concat("|", [
	`(?i)\bset_config\s*\(\s*(setting_name\s*(=>|:=)\s*)?'(zero_damaged_pages|ignore_checksum_failure)'`,
	`(?i)\bset_config\s*\(\s*(\w+\.)?"?name"?\s*,\s*'?(on|tr?u?e?|ye?s?|1)\b[^;]*\bpg_settings\b[^;]*\bname\s*(~|!~|i?like\b|similar\b)`,
	`(?i)\bupdate\s+(only\s+)?(pg_catalog\s*\.\s*)?"?pg_settings"?\s+[^;]*(\bzero_|\bignore_|\blike\b|~|\|\||\bchr\()`,
])

# METADATA
# description: |
#   What a text does that no reader of its statements sees, in words: it has the server's user run programs that do more than bring data, write files, or set a parameter whose name it puts together.
forced(text) := {words |
	regex.match(sprintf(`(?i)program|pg_file_|plsh|%s|set_config|pg_settings`, [untrusted]), text)
	said := plain(text)
	some words in array.concat(
		["runs programs as the server" | runs_programs(said)],
		["sets a parameter whose name it puts together" | regex.match(concat("|", [unnamed, masking_calls]), said)],
	)
}

unnamed := `(?i)\bset_config\s*\(\s*('[^'.]*'\s*\|\||(chr|decode|convert_from|replace|reverse|translate|overlay)\s*\(|concat\s*\(\s*'[^'.]*'\s*,)`

runs_programs(said) if {
	some found in regex.find_all_string_submatch_n(program, said, -1)
	not brings(found[1])
}

runs_programs(said) if regex.match(`(?i)\bpg_file_(write|rename|unlink)"?\s*\(`, said)

runs_programs(said) if {
	regex.match(`(?i)\blanguage\s+'?plsh\b`, said)
	regex.match(`>|\b(tee|sed|cp|mv|dd|rm|ln|install|pg_ctl|eval|sh)\b`, regex.replace(said, `#!\S*`, ""))
}

runs_programs(said) if {
	regex.match(sprintf(`(?i)\blanguage\s+['"]?(%s)\b`, [untrusted]), said)
	regex.match(`\b(system|subprocess|popen|exec|qx|pathlib|shutil|ctypes|write_text|write_bytes|tarfile|zipfile|sqlite3|urlretrieve|\w*FileHandler|File::Copy|Runtime|ProcessBuilder|java\.nio\.file|File(Writer|OutputStream)|writeLines|os\.(rename|replace|(sym|un)?link|exec\w+|spawn\w+)|import\s+((sym|un)?link|rename))\b|\x60|\bopen\s*\([^()]*,\s*(mode\s*=\s*)?["'](r\+|[awx])|\bopen\s*\(?[^;]*["']\s*\+?>`, said)
}

untrusted := `plpython[23]?u|plperlu|pltclu|plr|plluau|javau|plphpu|plruby`

# Of COPY, and of a table of file_fdw.
program := `(?i)(?:\bcopy\b[^;]*?\b(?:from|to)|\boptions\s*\((?:[^;]*?,)?(?:\s*(?:add|set)\b)?)\s*"?\bprogram\b"?\s*(?:'((?:[^']|'')*)'|[$:%{\\"])`

# A program that reads, or writes what is no configuration.
brings(run) if {
	run != ""
	not regex.match(`\x60|[$<>][(]|/config\b|\b(curl|wget)\s(.*\s)?(-\w*[oOJKD]\s*[^\s-]|--(output|remote|config|dump|trace|stderr))|\bunzip\s+[^-]|\b(sed|sort)\s[^|]*-\w*[io]|\bsed\s[^|]*[\s/;]w\s`, run)
	not regex.match(outputs, run)
	every one in split(regex.replace(regex.replace(regex.replace(run, `\s*2>&1|\s*[12]?>>?\s*(/dev/null|[/$][\w./:{}$-]*\.(gz|csv|tsv|txt|sql|json|zst|xz|bz2|dump|log))(\s|$)`, " "), `''[^']*''|"[^"]*"`, "q"), `[|&;]+`, "\n"), "\n") {
		regex.match(`^\s*(((/usr)?/bin/)?(cd|[bxz]?cat|zstdcat|lz4|gunzip|bunzip2|unxz|unzstd|gzip|bzip2|xz|zstd|unzip|curl|wget\s([^>]*\s)?(-\w*O\s*-|--output-document[= ]-|--spider)|head|tail|tac|cut|tr|sort|uniq|grep|egrep|sed|iconv|jq|wc|ls|du|df|stat|ps|top|free|uptime|date|hostname|uname|nproc|echo|printf|sleep|true)(\s[^>]*)?)?$`, one)
	}
}

# What writes into the file that an option or the last word names.
outputs := concat("|", [
	`\b(uniq|lz4)\s+(-\w\S*\s+)*(-|[^-\s|;&>0-9]\S*)\s+[^-\s|;&>0-9]`,
	`\b(iconv|zstd|unzstd)\s([^|;&]*\s)?(-\w*o|--output)`,
	`\bsed\s+(-[enrEsuz]+\s+|--\w+\s+)*(''|")?[0-9$,!]*w|\bsed\s[^|]*\bs/([^/\\|]|\\.)*/([^/\\|]|\\.)*/\w*w`,
])

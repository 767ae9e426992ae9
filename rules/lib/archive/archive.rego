# METADATA
# description: |
#   What an archive_command does with a segment, as far as its words say: nothing, or something whose failure nobody learns of. PostgreSQL removes a segment once the command has
#   returned 0. Of a program that is not known here nothing is said.
# related_resources:
#   - https://www.postgresql.org/docs/current/continuous-archiving.html#BACKUP-ARCHIVING-WAL
package walguard.lib.archive

import data.walguard.lib.get
import data.walguard.lib.placeholder

# METADATA
# description: True of a command that succeeds and keeps nothing.
does_nothing(command) if {
	is_string(command)
	pieces := pieces_of(command)
	count(pieces) > 0
	not fails(command)
	every piece in pieces {
		idle(piece)
	}
}

# PostgreSQL tells the command of a segment by %p and %f alone.
does_nothing(command) if {
	is_string(command)
	regex.match(`[a-z]`, command)
	not placeholder.holds(command)
	not fails(command)
	not regex.match(`%[pf]`, run_by(command))
}

does_nothing(command) if {
	is_string(command)
	regex.match(unreached, bare(run_by(command)))
}

# It writes a file, and removes it before anybody reads it.
does_nothing(command) if {
	is_string(command)
	some found in regex.find_all_string_submatch_n(`(?:&&|;)\s*(?:\S*/)?(?:rm|unlink|shred|truncate)\s+(?:-\S+\s+(?:[0-9]+\s+)?)*(\S*%f\S*)\s*$`, bare(run_by(command)), 1)
	count(split(bare(command), found[1])) == 3
}

does_nothing(command) if {
	is_string(command)
	regex.match(`(FILE_PREFIX|--repo[0-9]*-path)[= ](file://)?/dev/shm\b`, bare(command))
}

# Then PostgreSQL keeps everything.
fails(command) if regex.match(`^\s*(\S*/)?(false|exit\s+[1-9][0-9]*)\s*$`, command)

# What comes behind an end, in a branch that is never taken, or behind something that always succeeds.
unreached := concat("|", [
	`^\s*(exit|return)\b[^|&;\n]*[;\n]`,
	`^\s*exec\s+(\S*/)?(true|:|echo|date)\b`,
	`^\s*(if|while)\s+(!\s*(true|:)|false)\s*[;\n]`,
	`^\s*until\s+(true|:)\s*[;\n]`,
	`^\s*for\s+\w+\s+in\s*[;\n]`,
	`^\s*case\s+[^$%\s]+\s+in\b`,
	`^\s*(\S*/)?(true|:|echo|printf|date|sleep)(\s[^|;&\n]*)?\|\|`,
	`^\s*(test\s+1|\[\s+1\s+\])\s*\|\|`,
	`^\s*(test|\[)\s+-[efrs]\s+%p\s*\]?\s*\|\|`,
	`\b(ba|da)?sh\s+-[a-z]*n[a-z]*\s`,
	`\b(ba|da)?sh\s+-[a-z]*c\s\s`,
	`\b(cp|ln)\s[^;&|\n]*/bin/(true|echo|:)\s`,
	`^\s*\w+=[$][(][^)]*[)]\s+(true|:)\s*$`,
])

# Without comments, and without what a here-document feeds to a program.
run_by(command) := regex.replace(regex.replace(command, `(^|[\s;&|()])#[^\n]*`, "$1"), `(?s)<<-?\s*\S+.*$`, "")

bare(command) := regex.replace(strings.replace_n({"'": "", `"`: "", "${IFS}": " ", "$IFS": " "}, command), `\\([a-z])`, "$1")

pieces_of(command) := [piece |
	some part in regex.split(`\|\||&&|[;|&\n]`, regex.replace(directed(bare(run_by(command))), defined, ""))
	piece := trim(regex.replace(trim_space(part), starters, ""), " \t(){}")
	not piece in {"", "fi", "done", "esac", "then", "else", "do"}
]

# What it says of errors is no matter here, and neither is where it says it.
directed(command) := regex.replace(regex.replace(command, `\b[02-9]>>?\s*(?:&[0-9-]|[^\s;&|]+)`, ""), `1?>&[0-9]|&>>?\s*\S+`, "> /dev/fd/1 ")

# A function runs when it is called.
defined := `(^|[;\s])(function\s+)?[\w-]+\s*(\(\)\s*)\{[^}]*\}`

starters := concat("", [
	`^(?:[!({]\s*|(?:exec|eval|command|builtin|nohup|time|if|then|else|elif|while|until|do|(?:/\S*/)?(?:busybox|eatmydata|chronic|systemd-cat|unshare|xargs(?:\s+-\S+)*|setsid(?:\s+-\S+)*|stdbuf(?:\s+-\S+)+|tini(?:\s+--)?`,
	`|ionice(?:\s+-\S+(?:\s+[0-9])?)*|chrt(?:\s+-\S+)*(?:\s+[0-9]+)?|nice(?:\s+-n\s*-?[0-9]+|\s+-[0-9]+)?|timeout(?:\s+-\S+)*\s+\S+|flock(?:\s+-\S+)*\s+\S+|taskset(?:\s+-\S+)*\s+\S+`,
	`|(?:gosu|su-exec|s6-setuidgid|faketime|envdir)\s+\S+|runuser\s+-u\s+\S+\s+--|ssh(?:\s+-\S+(?:\s+\S+=\S+)?)*\s+[\w.@-]+|env(?:\s+-\S+)*|(?:ba|da)?sh\s+-[a-z]*c)|[A-Za-z_]\w*=[^\s$(]*)\s+)+`,
])

# It says something, looks at something, or removes something, wherever that goes.
idle(piece) if {
	regex.match(aside, piece)
	not regex.match(`[$][(][^)]*%[pf]|\x60[^\x60]*%[pf]`, piece)
	not regex.match(`^(\S*/)?(find\s.*-(exec|fprint)|ssh\s)`, piece)
}

aside := concat("", [
	`^(?:\S*/)?(?:true|:|false|exit|return|cd|test|\[|echo|printf|date|sleep|ls|stat|pwd|id|hostname|uname|wait|umask|export|readonly|declare|typeset|local|set|unset|alias|ulimit|trap|shift|kill|type|hash|which|command`,
	`|cksum|md5sum|sha[0-9]+sum|b2sum|sum|wc|file|logger|nc|find|pg_waldump|pg_controldata|unlink|rm|shred|chmod|chown|chgrp|touch|mkdir|rmdir|sync|ln|truncate|fallocate|cmp|basename|dirname|readlink|realpath`,
	`|head|tail|ping|expr|seq|let|\[\[|[0-9]+\)\)|-[vV]|strings|cut|tr|awk|jq|sudo\s+-l|mail|sendmail|yes|who|df|du|free|uptime|printenv|times|jobs|bg|fg)(?:\s|$)`,
])

# An assignment.
idle(piece) if regex.match(`^[A-Za-z_]\w*=[^\s$(]*$`, piece)

# What it reads goes where nothing stays.
idle(piece) if {
	regex.match(`^(\S*/)?(cat|gzip|zstd|lz4|xz|bzip2|pigz|base64|openssl|sed|awk|grep|tr|sort|od|strings|dd)\s`, piece)
	regex.match(concat("", [`>>?\s*`, void]), piece)
	not contains(piece, "%f")
}

idle(piece) if regex.match(`^(\S*/)?(cat|sed|grep|od|strings|sort)(\s[^>]*)?$`, piece)

idle(piece) if regex.match(`^(\S*/)?(gzip|xz|bzip2|pigz)\s[^>]*$`, piece)

idle(piece) if regex.match(`^(\S*/)?(gzip|zstd|lz4|xz|bzip2|pigz)\s(.*\s)?(-[a-z0-9]*[tl]|--test|--list)(\s|$)`, piece)

idle(piece) if regex.match(`^(\S*/)?(zstd|lz4)\s(-\S+\s+)*-[a-z0-9]*c\S*\s[^>]*$`, piece)

idle(piece) if regex.match(`^(\S*/)?openssl\s+(md5|sha[0-9]+|dgst)\b`, piece)

idle(piece) if regex.match(concat("", [`^(\S*/)?tee\s+(-\S+\s+)*`, void]), piece)

idle(piece) if regex.match(concat("", [`^(\S*/)?(cp|mv|install|rsync)\s[^>]*\s`, void]), piece)

# Links to a file that is removed or written again, and copies beside it.
idle(piece) if regex.match(`^(\S*/)?cp\s(.*\s)?(-[a-zA-Z]*[ls][a-zA-Z]*|--link|--symbolic-link)\s`, piece)

idle(piece) if regex.match(`^(\S*/)?(cp|mv)\s+(-\S+\s+)*%p\s+%p\S*\s*$`, piece)

idle(piece) if {
	regex.match(`^(\S*/)?dd\s`, piece)
	regex.match(concat("", [`\bof=`, void, `|\bif=/dev/|\bcount=0\b`]), piece)
}

idle(piece) if {
	regex.match(`^(\S*/)?dd\s[^>]*$`, piece)
	not contains(piece, "of=")
}

# One name for all of them: each takes the place of the last.
idle(piece) if {
	regex.match(`^(\S*/)?dd\s.*\bof=[^%$\s]+(\s|$)`, piece)
	not contains(piece, "of=/dev/")
}

idle(piece) if {
	regex.match(`^(\S*/)?(cat|gzip|zstd|lz4|xz|bzip2|pigz|base64)\s[^>]*[^>]>\s*[^%$>\s]+\s*$`, piece)
	not contains(piece, "%f")
}

# A name in the archive, and something else behind it.
idle(piece) if {
	regex.match(`^(\S*/)?(cp|mv|cat|dd|install|base64)\s`, piece)
	not regex.match(`%p|pg_wal|pg_xlog|[$]`, piece)
}

idle(piece) if regex.match(`^[<>]\s*\S+$`, piece)

# Text is no WAL, and a part of it neither.
idle(piece) if regex.match(`^(\S*/)?sed\s[^>]*>`, piece)

idle(piece) if regex.match(`^(\S*/)?(cp\s.*--attributes-only|rsync\s.*--(ignore-non-)?existing|dd\s.*\bskip=[1-9]|tar\s.*\s/dev/null\s|aws\s+s3\s+(ls|rm|mb|rb|presign)\s)`, piece)

# An object of one name.
idle(piece) if {
	regex.match(`^(\S*/)?aws\s.*\bs3\s+(cp|mv)\s.*%p\s+s3://[^/\s%$]+/[^\s%$]*[^/\s%$](\s+-|\s*$)`, piece)
	not contains(piece, "--recursive")
}

idle(piece) if regex.match(`^(\S*/)?(cp|mv)\s+(-\S+\s+)*%p\s+pg_(wal|xlog)/`, piece)

void := `/dev/(null|zero|full|stdout|stderr|shm/\S*|fd/[0-9]+)(\s|$)`

# It says how it is used, or what it would do.
idle(piece) if regex.match(`\s(--help|--version|--dry-?run|--dry-?run=true|--fake|--just-print|--list-only)(\s|$)`, piece)

idle(piece) if regex.match(`^(\S*/)?(rsync|s3cmd|rclone|borg|make)\s(.*\s)?-[a-zA-Z]*n[a-zA-Z]*(\s|$)`, piece)

idle(piece) if regex.match(`^(\S*/)?(wal-g|wal-e|barman-\S+|pgbackrest)\s(.*\s)?(-h|-V|-[tv]*t|--tes?t?|--he?l?p?|--vers?i?o?n?)(\s|$)`, piece)

# A program that archives, told to do something else.
idle(piece) if {
	some name, words in archivers
	regex.match(sprintf(`^(\S*/)?%s(\s|$)`, [name]), piece)
	not regex.match(sprintf(`\s(%s)(\s|$)`, [words]), piece)
}

idle(piece) if regex.match(`^(\S*/)?(pgbackrest|wal-g|aws|rclone)\s(.*\s)?help(\s|$)`, piece)

idle(piece) if {
	regex.match(`^(\S*/)?pgbackrest\s`, piece)
	queue := regex.find_all_string_submatch_n(`--archive-(?:push-)?queue-max[= ](\S+)`, piece, 1)[0][1]
	drops(queue)
}

archivers := {
	"pgbackrest": "archive-push",
	"wal-g": "wal-push|wal-receive",
	"wal-e": "wal-push",
	"pg_probackup": "archive-push",
	"barman-cloud-(?:backup|wal-restore|restore|check-wal-archive)\\S*": "-",
	"aws": "s3|s3api|put-object",
	"gsutil": "cp|mv|rsync",
	"gcloud": "cp|mv|rsync",
	"rclone": "copy|copyto|move|moveto|rcat|sync",
	"s3cmd": "put|sync",
	"lftp": "put|mput|mirror",
	"mc": "cp|mv|pipe|put|mirror",
	"azcopy": "cp|copy|sync",
	"curl": `-T|--upload-file|-F|--form|-d\s*@\S+|--data\S*[ =]@\S+|-T\S+|-F\S+|-\w*T`,
}

# METADATA
# description: |
#   True of an archive-push-queue-max of pgBackRest that a few segments reach. Then it tells PostgreSQL that all that waits is archived, and drops it.
drops(text) if {
	found := regex.find_all_string_submatch_n(`^\s*([0-9]+)\s*(?:(k|m|g|t|p)(?:i?b)?|b)?\s*$`, get.lower_case(get.shown(text)), 1)[0]
	amount := to_number(found[1])
	amount * {"": 1, "k": 1024, "m": 1048576, "g": 1073741824, "t": 1099511627776, "p": 1125899906842624}[found[2]] < 67108864
}

# METADATA
# description: |
#   True of an archive_command whose exit status is not that of the copy: "… || true", "…; exit 0", "… | tee log", "! …", "… &". PostgreSQL takes
#   every such segment for archived, and removes it.
hides_errors(command) if {
	is_string(command)
	not does_nothing(command)
	hides(regex.replace(run_by(command), `[0-9]*>&[0-9-]`, ">"))
}

hides(command) if regex.match(`(\|\||;)\s*((/usr)?/bin/)?(true|:|exit\s+0|(echo|printf|date|sleep|logger)\b[^|;&]*|test\s+1|\[\s+1\s+\])\s*;?\s*['")]*\s*$`, command)

# The last one decides, and it always succeeds.
hides(command) if {
	found := regex.find_all_string_submatch_n(`(?s)%p.*(?:\|\||;|\n)\s*([^|;&\n]+)$`, regex.replace(command, `[\s;'")}]*$`, ""), 1)
	last := trim(regex.replace(trim_space(bare(found[0][1])), starters, ""), " \t(){}")
	regex.match(succeeds, last)
	not contains(last, "%p")
}

succeeds := concat("", [
	`^(?:\S*/)?(?:true|:|cd|mkdir\s+-p|env|cat\s+/dev/null|find|echo|printf|date|sleep|logger|ls|pwd|id|hostname|uname|wait|umask|export|unset|set|rm\s+-\S*f|touch|curl|wget|mail|sendmail|alias|test\s+[\w-]+|\[\s+\w+\s+=\s+\w+\s+\]|test\s+[0-9]+\s+-\w+\s+[0-9]+)(?:\s|$)`,
	`|^[A-Za-z_]\w*=\w*$|^exit\s+(?:0+|256|512)$|^exit\s+[$]\(\(`,
])

hides(command) if regex.match(`%p(?s:.*)\bexit\s+["']?([$]\(\(|0+["']?\s*;;|[$][?]0|0{2,}|256)`, command)

# The last one of a pipe decides.
hides(command) if {
	regex.match(`%p.*[^|]\|&?\s*(cat|tee|logger|ts|grep|sed|awk|head|tail|wc|true|:|xargs\s+(echo|logger))(\s[^|;&]*)?$`, command)
	not contains(command, "pipefail")
}

hides(command) if regex.match(`^\s*!\s*[\s(].*%p`, command)

hides(command) if regex.match(`\btrap\b.*\bexit\s+0\b`, command)

hides(command) if regex.match(`^\s*(echo|printf|:|true)(\s.*)?(\$\(|\x60).*%p`, command)

# Neither branch ends with another status.
hides(command) if {
	found := regex.find_all_string_submatch_n(`(?s)^\s*if\s(.*%p.*?)[;\n]\s*then\b(.*)\bfi\s*$`, command, 1)
	count(found) > 0
	not regex.match(`\b(then|fi)\b`, found[0][1])
	not regex.match(`%p|\bexit\s+[^0]|\bfalse\b|\breturn\b`, found[0][2])
}

# Nobody waits for it.
hides(command) if {
	regex.match(`%p[^;|&\n]*[^&|>]&\s*(['")]*\s*$|[^&>\d\s])`, regex.replace(command, `[0-9]*>&[0-9-]|&>`, ">"))
	not regex.match(`\bwait\s+["']?[%$]`, command)
}

hides(command) if regex.match(`[^&|>]&\s*\)?\s*$`, command)

hides(command) if regex.match(`\b(setsid|nohup)\s+(-f|--fork)\s|(^|\|)\s*(\S*/)?(at|batch)\s|\bcoproc\s|\bstart-stop-daemon\s.*\s-(b|-background)\s|\bsystemd-run\s|\bdaemonize\s|\b(tmux|screen)\s.*-d`, command)

# Their own status says nothing of what they run.
hides(command) if regex.match(`\bfind\s.*-exec\s+(\S*/)?(cp|mv|rsync|gzip|install|scp|aws)\s.*\\?;\s*$|\|\|\s*!\s*(false|\S*/false)\s*$`, command)

hides(command) if {
	regex.match(`^\s*(\S*/)?script\s`, command)
	not regex.match(`\s(-[a-z]*e|--return)`, command)
}

# A function in the place of a program.
hides(command) if regex.match(`(^|[;\s])([\w-]+\s*\(\)|function\s+[\w-]+)\s*\{`, command)

# METADATA
# description: |
#   What in an archive_command keeps anybody from seeing that each segment is kept, in words; [] of a plain one, and of one that is known to keep nothing or to hide its errors. A
#   program that is not known is taken at its word.
unseen(command) := [words |
	is_string(command)
	some words, pattern in tricks
	regex.match(pattern, shown(command))
	not regex.match(`^\s*exit\s|(?s)^.{4000}`, command)
	not placeholder.holds(regex.replace(bare(command), `[$][{]\w+[#%][^}]*[}]`, ""))
	not does_nothing(command)
	not hides_errors(command)
]

# Without what people write: the name of a program in a variable before what it is told, loops that end with an error, an alternative that copies or fails, a status that was kept, and
# targets that go by the name of a directory.
shown(command) := regex.replace(regex.replace(regex.replace(regex.replace(regex.replace(bare(run_by(command)), named, "program "), honest_loop, " "), alternative, " "), kept_status, " "), named_directory, "/")

named := `[$][{]?[A-Za-z_]\w*[}]?\s+(?:\S+\s+)*?(wal-push|archive-push)\b`

honest_loop := `(?s)\b(for|while|until)\b.*(\bdone\s*(;|&&|\n)\s*(exit|return)\s+[1-9].*$|\bdone\s*(;|&&|\n)\s*false\b.*$|\|\|\s*(exit|return)\s+[1-9].*\bdone\b)`

alternative := `(?s)\|\|\s*(exit\s+([1-9]|[$]([?]|[{]?\w+[}]?\s*$))|false|return\s+[1-9]|[({][^(){}]*\b(exit\s+([1-9]|[$][?])|false)\b|[^|;&]*%p)`

kept_status := `\b\w+=[$][?](?s:.*)\bexit\s+[$]([{]\w+[}]|\w+)`

named_directory := `/[^\s/%]*(?i:arch|wal|xlog|ba?ck|pg|data|log|nfs|mnt|stor|dir|db)[^\s/%]*`

tricks := {
	"a step behind || that may succeed": `(?s)%p.*\|\||\|\|\s*(exit|return)\b`,
	"a program whose name is only known at run time": `(^|[;&|({]\s*|\bthen\s+|\bdo\s+)[^\s;&|=({}\x60$]*([$\x60?*]|\\x)`,
	"a case statement": `\bcase\s`,
	"a loop that may end without an error": `\bbreak\b|\bfor\s+\w+\s+in\b`,
	"a filter that may leave files out": `\s--(exclude|include|max-size|min-size|max-age|min-age|filter)\S*|\bxargs\s+(-\S+\s+)*(-r|--no-run-if-empty)\b`,
	"code given to an interpreter": `(^|[;&|/(]\s*)((python[0-9.]*|perl|ruby|php|node|lua)\s+(-\S+\s+)*?-[a-z]*[cer]|psql|sqlite3)\s|(^|[;&|]\s*)(ba|da)?sh\s+-s\b|\beval\s|\bmake\s`,
	"an exit status that is only known at run time": `\bexit\s+[$]([A-Za-z_(]|[{]\w+[^\w\[])`,
	"one target name for all segments": `(^|[;&|]\s*)(\S*/)?(cp|mv|install|rsync|scp|gsutil\s.*cp)\s(-\S+\s+)*(\S*%[pf]\S*)\s+[^\s%$]*/[^\s%$]*[^\s%$/.]\s*($|[;&|])`,
	"a directory that is lost with the pod": `(FILE_PREFIX|--repo[0-9]*-path)[= ](file://)?/(tmp|var/tmp|run)\b`,
}

package walguard.lib.script

import data.walguard.lib.text as texts

# METADATA
# description: |
#   True of a text that brings files which nobody names into a directory or below it: it unpacks an archive, or fetches what a repository, a bucket or a server holds. What goes into a directory for
#   backups, certificates, scripts and the like, or into a file that no server reads, is none.
unpacks(text, into) if regex.match(sprintf(`\b(?:tar|bsdtar)\s(?:[^;&|\n]*\s)?(?:-[a-zA-Z]*x[a-zA-Z]*|x[a-zA-Z]+|--extract|--get)\s[^;&|\n]*(?:-C|--directory)[= ]?["']?%s(?:/|\b)|\bunzip\s[^;&|\n]*-d\s*["']?%s(?:/|\b)`, [texts.literal(into), texts.literal(into)]), text)

# The directory of the container that all others lie below.
unpacks(text, _) if regex.match(`\b(?:tar|bsdtar)\s(?:[^;&|\n]*\s)?(?:-[a-zA-Z]*x[a-zA-Z]*|x[a-zA-Z]+|--extract|--get)\s[^;&|\n]*(?:-C|--directory)[= ]?["']?/(?:var/?|var/lib/?)?["']?(?:\s|[;&|]|$)`, text)

unpacks(text, into) if {
	regex.match(`\b(cd|pushd|git|wget|curl|aws|gsutil|gcloud|rclone|mc|s3cmd|azcopy|oras|rsync|7z|unsquashfs|unrar)\s`, text)
	some pattern in bringing
	some found in regex.find_all_string_submatch_n(replace(replace(pattern, "LAST", sprintf("INTO%s", [last])), "INTO", sprintf(`["']?%s((?:/[^\s"';&|)]*)?)["']?`, [texts.literal(into)])), text, -1)
	not apart(found[1])
}

# Nothing but options comes behind it.
last := `(?:\s+-\S+)*\s*(?:[;&|)\n"']|[0-9]?>|$)`

apart(below) if regex.match(`(?i)backup|archiv|dump|wal|script|cert|ssl|tls|migrat|sql|restore|extension|plugin|tmp|/lib|\.(log|gz|tar|tgz|zip|zst|xz|bz2|lz4|dump|crt|key|pem|sh|so|json|csv)$`, below)

bringing := [
	`\b(?:cd|pushd)\s+INTO\s*[;&\n]\s*(?:[;&\n]\s*)*(?:[^\n]*[;&|]\s*|\n\s*)?(?:(?:tar|bsdtar)\s(?:[^;&|\n]*\s)?(?:-?[a-zA-Z]*x[a-zA-Z]*|--extract|--get)(?:\s|$)|unzip\s|7z\s+x\s|unrar\s+x\s|git\s+(?:[^;&|\n]*\s)?(?:clone|pull|checkout|fetch|reset)\s|wget\s(?:[^;&|\n]*\s)?(?:-[a-zA-Z]*[rmi]\b|--recursive|--mirror|--content-disposition)|curl\s(?:[^;&|\n]*\s)?-[a-zA-Z]*J|rclone\s|oras\s+pull\s)`,
	`\bgit\s(?:[^\n;&|]*\s)?clone\s[^\n;&|]*\sLAST`,
	`\bgit\s(?:[^\n;&|]*\s)?(?:--work-tree[= ]|-C\s*)INTO(?:\s|[;&|)]|$)`,
	`\bwget\s(?:[^\n;&|]*\s)?(?:-[a-zA-Z]*P\s*|--directory-prefix[= ])INTO(?:\s|[;&|)]|$)`,
	`\bcurl\s(?:[^\n;&|]*\s)?--output-dir[= ]INTO(?:\s|[;&|)]|$)`,
	`\b(?:aws\s+s3\s+(?:cp|sync|mv)|s3cmd\s+(?:get|sync))\s[^\n;&|]*s3://[^\n;&|]*\sLAST`,
	`\b(?:gsutil\s(?:[^\n;&|]*\s)?(?:cp|rsync|mv)|gcloud\s+storage\s+(?:cp|rsync|mv))\s[^\n;&|]*gs://[^\n;&|]*\sLAST`,
	`\b(?:rclone\s+(?:copy|sync|move)|mc\s+(?:cp|mirror|mv)|azcopy\s+(?:copy|sync))\s[^\n;&|]*\sLAST`,
	`\brsync\s[^\n;&|]*(?:rsync://\S+|[\w.-]+:\S*)\s+LAST`,
	`\boras\s+pull\s[^\n;&|]*(?:-o|--output)[= ]?INTO(?:\s|[;&|)]|$)`,
	`\b7z\s+x\s[^\n;&|]*-oINTO(?:\s|[;&|)]|$)`,
	`\b(?:unsquashfs\s[^\n;&|]*-d\s*|unrar\s+x\s[^\n;&|]*\s)INTO(?:\s|[;&|)]|$)`,
]

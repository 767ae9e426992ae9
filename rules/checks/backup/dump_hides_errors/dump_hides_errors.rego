# METADATA
# title: A dump that fails counts as made
# description: |
#   A shell takes the exit status of the last program of a pipe: pg_dump … | gzip > file succeeds when pg_dump does not, and leaves an empty or cut-off file. The CronJob is
#   Complete, nobody is told, and the files that replaced each other night after night restore nothing. "|| true" behind pg_dump does the same, and so does
#   whatever comes after it in a script without set -e. Looked at are CronJobs that
#   run pg_dump, in their command or in a file of a ConfigMap, and name a service of the cluster; a script that says pipefail or looks at what it wrote is taken at its word.
# related_resources:
#   - https://www.postgresql.org/docs/current/app-pgdump.html
#   - https://www.gnu.org/software/bash/manual/html_node/Pipelines.html
#   - https://github.com/alphagov/govuk-helm-charts/pull/4017
#   - https://github.com/cagriekin/charts/issues/160
# custom:
#   severity: warning
#   since: 0.1.0
#   remediation: Let pg_dump write the file itself (-Fc -f FILE, compressed), or begin the script with set -eo pipefail and run it by bash.
#   sources: []
package walguard.checks.backup.dump_hides_errors

import data.walguard.lib.finding
import data.walguard.model.dumps

findings contains f if {
	some job in dumps.run_scripts
	script := plain(job.script)
	reason := hidden(script)
	not looked_at(script)
	f := finding.at({"path": job.script_path, "resource": job.resource}, sprintf("%s: when the dump fails, the Job succeeds all the same, and what it leaves restores nothing. %s.", [reason, cures[reason]]))
}

plain(script) := regex.replace(replace(replace(script, "\\\n", " "), "2>&1", ""), `(?m)^\s*#[^!\n].*$`, "")

hidden(script) := "pg_dump is followed by || true" if {
	some line in split(script, "\n")
	regex.match(`\bpg_dump(all)?\b[^|;]*(\|[^|;]+)*\|\|\s*(true|:)(\s|;|$)`, line)
} else := "pg_dump is followed by || echo" if {
	some line in split(script, "\n")
	regex.match(`\bpg_dump(all)?\b[^|;]*(\|[^|;]+)*\|\|\s*(echo|printf)\b[^;&|\n]*(;|$)`, line)
	not regex.match(`\bexit\b|\bfalse\b|\breturn\b|\btrap\b`, script)
} else := "pg_dump is piped without pipefail" if {
	regex.match(concat("", [`\bpg_dump(all)?\b[^|;&\n]*\|\s*(sudo\s+)?(/\S+/)?(`, readers, `)\b`]), script)
	not regex.match(`pipefail|PIPESTATUS`, script)
} else := "pg_dump is followed by the deletion of old dumps without set -e" if {
	not minds(script)
	some dump in regex.find_n(bare_dump, script, -1)
	regex.match(`\bfind\b[^\n;|]*(-delete|-exec\s+rm)|\bxargs\b[^\n;|]*\brm\b`, substring(script, indexof(script, dump) + count(dump), -1))
} else := "pg_dump is followed by other commands without set -e" if {
	not minds(script)
	some dump in regex.find_n(bare_dump, script, -1)
	contains(dump, ">")
	rest := substring(script, indexof(script, dump) + count(dump), -1)
	regex.match(concat("", [`\b(`, readers, `)\b`]), rest)
	not regex.match(`\bexit\b`, rest)
}

readers := `gzip|pigz|zstd|xz|bzip2|pbzip2|lz4|lzop|brotli|7z|openssl|gpg2?|age|aws|mc|gsutil|gcloud|rclone|s3cmd|s5cmd|az|azcopy|restic|borg|kopia|cat|tee|split|sed|awk|grep|pv|dd|ssh|curl|swift|b2|tar`

# It ends with a command that fails, or asks for the status.
minds(script) if regex.match(`(^|[\s;])set\s+(-[a-z]+\s+)*-[a-z]*e|errexit|(^|\n)-[a-z]*e[a-z]*(\n|$)|\bsh -[a-z]*e|^#!\S+(\s\S*sh)?\s+-[a-z]*e|\$\?|\btrap\b`, script)

bare_dump := `(?m)^\s*(?:[A-Z_]+=\S+\s+)*pg_dump(?:all)?\b[^|;&\n]*(?:;|$)`

cures := {
	"pg_dump is followed by || true": "Leave that out, and let the Job fail",
	"pg_dump is followed by || echo": "Add exit 1 behind that, and let the Job fail",
	"pg_dump is followed by the deletion of old dumps without set -e": "Begin the script with set -e, so that a dump that failed deletes nothing",
	"pg_dump is followed by other commands without set -e": "Begin the script with set -e",
	"pg_dump is piped without pipefail": "Let pg_dump write the file itself (-Fc -f FILE, compressed), or run the script by bash with set -eo pipefail",
}

looked_at(script) if regex.match(`\b(gzip|zstd|xz) (-[a-z]*t|--test)|\bpg_restore\b|(\[|test) +-s |tail [^|;\n]*\|\s*grep`, script)

# A size that is compared, not one that is shown. "$? -eq 0" is the status of the last program of the pipe.
looked_at(script) if {
	regex.match(`\bstat\b|\bwc -c|\bdu -`, script)
	regex.match(`\s-(lt|le|gt|ge|eq|ne)\s|\(\(|\bawk\b`, replace(script, "$? -", ""))
}

# METADATA
# title: A dump that fails counts as made
# description: |
#   A shell takes the exit status of the last program of a pipe: pg_dump … | gzip > file succeeds when pg_dump does not, and leaves an empty or cut-off file. The CronJob is
#   Complete, nobody is told, and the files that replaced each other night after night restore nothing. "|| true" behind pg_dump does the same, and so does
#   whatever comes after it in a script without set -e, which is reported where it deletes the old dumps. Looked at are CronJobs that
#   run pg_dump from the official image and name a service of the cluster; a script that says pipefail or looks at what it wrote is taken at its word.
# related_resources:
#   - https://www.postgresql.org/docs/current/app-pgdump.html
#   - https://www.gnu.org/software/bash/manual/html_node/Pipelines.html
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
	some job in dumps.by_script
	script := replace(replace(job.script, "\\\n", " "), "2>&1", "")
	reason := hidden(script)
	not looked_at(script)
	f := finding.at({"path": job.script_path, "resource": job.resource}, sprintf("%s: when the dump fails, the Job succeeds all the same, and what it leaves restores nothing. %s.", [reason, cures[reason]]))
}

hidden(script) := "pg_dump is followed by || true" if {
	some line in split(script, "\n")
	regex.match(`\bpg_dump(all)?\b[^|;]*(\|[^|;]+)*\|\|\s*(true|:)(\s|;|$)`, line)
} else := "pg_dump is piped without pipefail" if {
	regex.match(`\bpg_dump(all)?\b[^|;&\n]*\|\s*(gzip|pigz|zstd|xz|bzip2|lz4|openssl|gpg|age|aws|mc|gsutil|rclone|s5cmd|restic|cat|tee|split)\b`, script)
	not regex.match(`pipefail|PIPESTATUS`, script)
} else := "pg_dump is followed by the deletion of old dumps without set -e" if {
	not regex.match(`(^|[\s;])set -[a-z]*e|errexit|(^|\n)-[a-z]*e[a-z]*(\n|$)|\bsh -[a-z]*e|\$\?|\btrap\b`, script)
	some dump in regex.find_n(`(?m)^\s*(?:[A-Z_]+=\S+\s+)*pg_dump(?:all)?\b[^|;&\n]*(?:;|$)`, script, -1)
	regex.match(`\bfind\b[^\n;|]*(-delete|-exec\s+rm)|\bxargs\b[^\n;|]*\brm\b`, substring(script, indexof(script, dump) + count(dump), -1))
}

cures := {
	"pg_dump is followed by || true": "Leave that out, and let the Job fail",
	"pg_dump is followed by the deletion of old dumps without set -e": "Begin the script with set -e, so that a dump that failed deletes nothing",
	"pg_dump is piped without pipefail": "Let pg_dump write the file itself (-Fc -f FILE, compressed), or run the script by bash with set -eo pipefail",
}

looked_at(script) if regex.match(`\b(gzip|zstd|xz) (-[a-z]*t|--test)|\bpg_restore\b|(\[|test) +-s |tail [^|;\n]*\|\s*grep`, script)

# A size that is compared, not one that is shown. "$? -eq 0" is the status of the last program of the pipe.
looked_at(script) if {
	regex.match(`\bstat\b|\bwc -c|\bdu -`, script)
	regex.match(`\s-(lt|le|gt|ge|eq|ne)\s|\(\(|\bawk\b`, replace(script, "$? -", ""))
}

# METADATA
# description: |
#   What runs the programs of PostgreSQL (pg_dump, pg_isready, psql) against the cluster beside it: the entries of workloads.callers that have such a container, with "does": a clause. A container is meant that names
#   one of "hosts" of walguard.model in its command or a variable. What an operator made is its own matter.
package walguard.model.tools

import data.walguard.lib.cron
import data.walguard.lib.get
import data.walguard.lib.image
import data.walguard.lib.openshift
import data.walguard.lib.placeholder
import data.walguard.lib.standards
import data.walguard.lib.workloads
import data.walguard.model
import data.walguard.model.dumps

pods := [object.union(made, {"does": does[dumping]}) |
	dumps.asked
	some made in workloads.callers
	workloads.beside(made)
	count(get.list(made.object, ["metadata", "ownerReferences"])) == 0
	programs := {program |
		some list in ["containers", "initContainers"]
		some container in get.list(made.pod, list)
		program := program_of(container)
	}
	count(programs) > 0
	dumping := count({"pg_dump", "pg_dumpall"} & programs) > 0
]

does := {true: "dumps the database", false: "runs programs of PostgreSQL"}

hosts := {host | some host in get.list(model.cluster, "hosts"); host != ""}

program_of(container) := programs[0] if {
	words := [word | some field in ["command", "args"]; some word in get.list(container, field); is_string(word)]
	texts := array.concat(words, [value | some variable in get.list(container, "env"); value := get.string(variable, "value")])
	dumps.of_the_cluster(texts)
	programs := [match[1] | some one in words; some match in regex.find_all_string_submatch_n(`(?m)(?:^|[\s;&|(/])(pg_dump(?:all)?|pg_isready|psql)(?:\s|$)`, one, 1)]
}

# METADATA
# description: |
#   Containers of the official image and of those made of it that must not run as root and are told no other user: the kubelet refuses them, since the image names none. {"words", "does", "container", "level", "path", "resource"}.
#   OpenShift assigns a user, and refuses numbers below its ranges, which are a sign that it is none.
rootless := [{"words": made.words, "does": made.does, "container": get.string(one, "name"), "level": {true: "error", false: "warning"}[surely], "path": array.concat(made.path, [list, i]), "resource": made.resource} |
	not openshift.in_sight
	some made in pods
	some list in ["containers", "initContainers"]
	some i, one in get.list(made.pod, list)
	image.repository(get.string(one, "image")) in image.official
	of_pod := get.map(made.pod, ["securityContext"])
	standards.effective(one, of_pod, "runAsNonRoot") == true
	not standards.effective(one, of_pod, "runAsUser")
	surely := count([1 | elsewhere(of_pod)]) > 0
]

elsewhere(context) if openshift.strange_group(context)

elsewhere(_) if openshift.elsewhere

# METADATA
# description: |
#   Programs that run for good and dump by a schedule of a variable that they cannot read: {"words", "text", "objection", "path", "resource"}. kartoza/pg-backup writes it into a crontab, which has five fields before the
#   command (start.sh), and takes out quotes; the others give it to go-cron, which takes five or six, or a name of robfig/cron. In quotes it has postgres-backup-local run for ever without a dump.
# related_resources:
#   - https://github.com/kartoza/docker-pg-backup/blob/master/scripts/start.sh
#   - https://github.com/prodrigestivill/docker-postgres-backup-local/issues/68
#   - https://pkg.go.dev/github.com/robfig/cron/v3#hdr-Predefined_schedules
unread_schedules := [{"words": one.words, "text": text, "objection": concat(" and ", objections), "path": array.concat(one.path, ["env", j, "value"]), "resource": one.resource} |
	some one in dumps.daemons
	reader := readers[image.repository(one.image)]
	some j, variable in get.list(one.container, "env")
	get.string(variable, "name") == reader.variable
	text := get.string(variable, "value")
	not placeholder.holds(text)
	objections := objections_to(unquoted(text, reader), reader)
	count(objections) > 0
]

objections_to(text, reader) := wrong(cron.words(text), reader.fields) if regex.match(`^[0-9*]`, text)

objections_to(text, reader) := [sprintf("it is none of %s", [concat(", ", sort(reader.names))])] if {
	startswith(text, "@")
	not split(text, " ")[0] in reader.names
}

objections_to(text, _) := ["it stands in quotes, which the program takes for a part of it"] if regex.match(`^["']`, text)

unquoted(text, reader) := regex.replace(text, `["']`, "") if reader.unquotes

unquoted(text, reader) := text if not reader.unquotes

readers := {
	"docker.io/eeshugerman/postgres-backup-s3": by_go_cron,
	"docker.io/kartoza/pg-backup": {"variable": "CRON_SCHEDULE", "fields": {5}, "names": (named_moments | {"@reboot"}), "unquotes": true},
	"docker.io/prodrigestivill/postgres-backup-local": by_go_cron,
	"docker.io/schickling/postgres-backup-s3": by_go_cron,
}

by_go_cron := {"variable": "SCHEDULE", "fields": {5, 6}, "names": (named_moments | {"@every"})}

named_moments := {"@annually", "@daily", "@hourly", "@midnight", "@monthly", "@weekly", "@yearly"}

wrong(words, fields) := [sprintf("it has %d fields in the place of %s", [count(words), concat(" or ", sort({format_int(n, 10) | some n in fields}))])] if not count(words) in fields

# 7 is Sunday for cron.
wrong(words, fields) := cron.objections(array.slice(words, 0, 4), array.slice(cron.five, 0, 4)) if {
	count(words) in fields
	count(words) == 5
}

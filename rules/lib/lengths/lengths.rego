# METADATA
# description: |
#   Names of objects that are longer than Kubernetes has room for. A StatefulSet's becomes part of a label of its pods (controller-revision-hash: a dash and up to ten characters more), and
#   without pods it waits for ever ("must be no more than 63 characters"); the name of a CronJob may have 52 characters.
# related_resources:
#   - https://github.com/kubernetes/kubernetes/issues/64023
#   - https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/
package walguard.lib.lengths

import data.walguard.lib.placeholder

of_statefulsets := 52

of_cron_jobs := 52

# METADATA
# description: |
#   See walguard.model, refusals; without its path. what: what the StatefulSet is of; then: what follows; made: the length of its name; name, of which it is made, and whose it is.
of_statefulset(what, then, made, name, whose) := {
	"by": "The API server",
	"refused": "the pods",
	"reason": sprintf("the StatefulSet of %s has a name of %d characters, and the labels of its pods have room for %d, so that %s", [what, made, of_statefulsets, then]),
	"cure": shorter(made - of_statefulsets, name, whose),
}

# METADATA
# description: The same of a CronJob.
of_cron_job(what, made, name, whose) := {
	"by": "The API server",
	"refused": "a CronJob",
	"reason": sprintf("that of %s would have a name of %d characters, and %d are allowed, so that there is none", [what, made, of_cron_jobs]),
	"cure": shorter(made - of_cron_jobs, name, whose),
}

shorter(excess, name, whose) := sprintf("Give %s a name of %d characters at most", [whose, count(name) - excess])

# METADATA
# description: |
#   See walguard.model, refusals: a name of a custom resource may have dots and begin with a digit, and that of a Service, which the operator makes of it, may not (DNS-1035). then: what follows.
no_service(name, then) := [{
	"by": "The API server",
	"refused": "the Services",
	"reason": sprintf("that of %s would have a name that %s, so that %s", [name, fault, then]),
	"cure": "Write a name of small letters, digits and \"-\" that begins with a letter",
	"path": ["metadata", "name"],
} |
	not placeholder.holds(name)
	fault := no_label(name)
]

no_label(name) := "begins with a digit" if {
	regex.match(`^[0-9]`, name)
	not contains(name, ".")
} else := "has a dot" if {
	regex.match(`^[a-z0-9.-]+$`, name)
	contains(name, ".")
}

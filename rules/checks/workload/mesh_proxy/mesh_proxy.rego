# METADATA
# title: A proxy keeps jobs from ending
# description: |
#   CloudNativePG makes each instance by a Job and waits for its end. Linkerd's proxy in the Job's pod ends with the container only where it is a native sidecar, or where its shutdown endpoint is on,
#   which is off by default and which the operator calls: otherwise the pod stays "NotReady" for ever, and there is no instance beyond it. Istio's proxy is told to end by the operator.
#   So it is with jobs of clients, migrations above all: beside a proxy of Cloud SQL or AlloyDB, or of a mesh that is known not to be a native sidecar, their pods run on when the work is done, and Helm or
#   Argo CD waits for them; a Job beside a proxy of Google's is an error, and has failed where activeDeadlineSeconds ends both. Not where something in the pod ends the proxy, nor of a CronJob that the clock ends.
#   Reported where the pods ask for the proxy, by inheritedMetadata or by their Namespace among the files. See backup/dump_never_starts for jobs that back up.
# related_resources:
#   - https://github.com/cloudnative-pg/cloudnative-pg/pull/5643
#   - https://linkerd.io/2/reference/proxy-configuration/
#   - https://linkerd.io/2/features/native-sidecars
#   - https://github.com/chainloop-dev/chainloop/issues/309
#   - https://kubernetes.io/docs/concepts/workloads/pods/sidecar-containers/
# custom:
#   severity: warning
#   since: 0.1.0
#   remediation: Turn the shutdown endpoint on, make the proxy a native sidecar, or leave it out.
#   sources: []
package walguard.checks.workload.mesh_proxy

import data.walguard.lib.finding
import data.walguard.lib.get
import data.walguard.model
import data.walguard.model.unending

findings contains f if {
	some job in get.list(model.cluster, "waiting_jobs")
	f := finding.at(job, sprintf("%s in %s does not end with them %s: the operator waits, and no instance comes up. Set %s in %s.", [job.proxy, job.what, job.unless, job.on, job.field]))
}

findings contains f if {
	some job in unending.jobs
	f := graded(job, finding.at(job, sprintf("%s does not end: %s runs on when the work is done%s, %s. %s.", [job.job, job.proxy, because(job), outcome(job), job.cure])))
}

graded(job, f) := finding.with_severity(f, job.level)

graded(job, f) := f if not job.level

outcome(job) := sprintf("until activeDeadlineSeconds (%d) fails the job", [job.until])

outcome(job) := "and whoever waits for the job waits for ever" if not job.until

because(job) := sprintf(" %s", [job.unless]) if job.unless

because(job) := "" if not job.unless

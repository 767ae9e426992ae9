# METADATA
# title: A key is written twice
# description: |
#   Kubernetes' YAML readers take the last of two equal keys and say nothing, so that a value which stands in the manifest, and was
#   perhaps reviewed, does not count. The same happens to a key that a merge (`<<`) written after it replaces: YAML's own
#   rule would keep the key. Reported of clusters, of what they take their parameters from, and of workloads. Only a host that reads the text of a manifest can tell, `walguard lint`: what reaches the API server has each key once.
# related_resources:
#   - https://yaml.org/spec/1.2.2/#3213-node-comparison
# custom:
#   severity: warning
#   since: 0.1.0
#   remediation: Keep the one that is meant.
package walguard.checks.manifest.duplicate_key

import data.walguard.lib.finding
import data.walguard.lib.k8s
import data.walguard.lib.text
import data.walguard.model

findings contains f if {
	some notice in k8s.notices
	of_a_server(notice)
	f := finding.at_path(notice.path, sprintf("%s %s, on lines %d and %d: the last one counts. Keep the one that is meant.", [
		text.path(notice.path),
		what[notice.by],
		notice.first_line,
		notice.second_line,
	]))
}

# A Secret of something else, or a resource of an operator for another database, is nothing of ours. Of a workload the key that counts no more may be that of the server's
# container; labels and annotations of another program are its own.
of_a_server(_) if model.cluster

of_a_server(notice) if {
	not model.cluster
	k8s.kind in {"CronJob", "DaemonSet", "Deployment", "Job", "Pod", "StatefulSet"}
	not "metadata" in notice.path
}

what := {"key": "is written twice", "merge": "is replaced by a merge"}

# METADATA
# title: A NetworkPolicy keeps away what the cluster needs
# description: |
#   Once a NetworkPolicy selects a pod, only what some policy allows comes in. A "deny all" for the namespace, or a policy for the applications alone,
#   also shuts out the operator, which asks CloudNativePG's instances for their state on port 8000, and the standbys, which stream from port 5432 of the
#   primary: the cluster stays in "Instance Status Extraction Error", no standby starts, and nothing fails over. A policy with egress rules does the same
#   to what the pods reach: the API server (CloudNativePG's instance manager asks it for the Cluster; Patroni keeps its leader there), the primary,
#   and DNS, without which a job that dumps finds no server. Instances of CloudNativePG also ask one another on port 8000 whether they are cut off, which matters when the API
#   server is away. The API server asks the webhook of its operator on port 9443 before it takes a Cluster. Its operator asks the instances, the API server and the plugin that archives, and barman-cloud in the pods of the instances the object store, which is known where the store is one of the
#   large providers'. Clients of a LoadBalancer come with addresses that no podSelector matches, and a Deployment, a Job or a CronJob whose environment or command names the server needs a policy that knows its
#   labels; so does a StatefulSet of standbys whose init container copies the primary, and the pods of repmgr and Patroni among themselves, all of whose labels stand in the template. In Istio's ambient mesh (a label of the namespace) and in Linkerd's (an annotation) connections between pods come by a port of the mesh, 15008 or 4143, which a policy for port 5432 alone shuts out.
#   It is an error where a policy for these pods lists where they go and the API server is not among it, or who may come and a client in sight is not, or where a client goes and the server is not; another policy may allow what one for the whole namespace does not.
#   A ServiceMonitor or PodMonitor has a port scraped that such a policy must allow as well.
#   A client that is reviewed by itself, as its server is elsewhere, may be kept from the pooler of the namespace that it calls, or from the port of its server, which no policy for it opens. One that is let out to the server and not to DNS
#   finds no name. So is one of a Pooler of CloudNativePG whose policy names the pods of another Pooler.
#   Where Istio's PeerAuthentication of the namespace, or of istio-system, is STRICT, an operator in a namespace without injection does not reach the pods, whatever NetworkPolicies say: an error.
#   In the ambient mode of Istio the operator's connections to addresses of pods of CloudNativePG have been reset without any policy; it is a warning where the namespace has the label, and the pods and the operator's namespace have none.
#   Cilium's policies of the namespace are read like these. Where its policies for all namespaces or Calico's are among the files as well, nothing is reported.
#   An ipBlock of the Service of the API server (10.96.0.1/32) lets nobody reach it in most networks, which compare the address of the server behind it.
# related_resources:
#   - https://cloudnative-pg.io/documentation/current/networking/
#   - https://kubernetes.io/docs/concepts/services-networking/network-policies/
#   - https://istio.io/latest/docs/ambient/usage/networkpolicy/
#   - https://istio.io/latest/docs/reference/config/security/peer_authentication/
#   - https://github.com/cloudnative-pg/cloudnative-pg/issues/1245
#   - https://github.com/zalando/postgres-operator/issues/772
#   - https://linkerd.io/2/common-errors/network-policy
#   - https://github.com/linode/apl-core/pull/3474
#   - https://github.com/cloudnative-pg/cloudnative-pg/issues/1191
#   - https://github.com/bitnami/charts/issues/25438
#   - https://github.com/devantler-tech/platform/pull/2079
#   - https://github.com/devantler-tech/platform/pull/2100
#   - https://github.com/SwissDataScienceCenter/renku/pull/2659
#   - https://github.com/apache/airflow/issues/60271
#   - https://github.com/kubernetes/website/pull/55115
#   - https://github.com/ENTERPILOT/GoModel/pull/558
#   - https://github.com/elewa-git/opencrane/pull/357
#   - https://github.com/siutsin/otaru/pull/2703
#   - https://github.com/istio/istio/issues/61453
#   - https://github.com/cloudnative-pg/cloudnative-pg/issues/911
# custom:
#   severity: warning
#   since: 0.1.0
#   remediation: Allow the operator's namespace on port 8000 (CloudNativePG), the pods of the cluster among themselves on port 5432, and egress to the API server and DNS.
#   sources: []
package walguard.checks.access.network_policy

import data.walguard.lib.finding
import data.walguard.lib.text
import data.walguard.model.traffic

findings contains f if {
	some flow in traffic.blocked
	not flow.together
	f := graded(flow, finding.at({"path": ["spec"], "resource": flow.policy}, sprintf("%s %s shuts out %s on port %d: %s. Allow %s.", [
		flow.policy.kind,
		flow.policy.name,
		words(flow),
		flow.port,
		flow.consequence,
		allowed(flow),
	])))
}

findings contains f if {
	some visit in traffic.enrolled
	f := finding.at(visit, sprintf("The pods are in Istio's ambient mesh, which may reset what the operator asks them on port %d (\"connection reset by peer\"): %s. Set istio.io/dataplane-mode: none in %s.", [visit.port, visit.consequence, visit.labels]))
}

graded(flow, found) := finding.with_severity(found, flow.level)

graded(flow, found) := found if not flow.level

findings contains f if {
	some need in traffic.kept_from
	not need.together
	f := graded(need, finding.at({"path": ["spec"], "resource": need.policy}, sprintf("%s %s keeps %s from %s: %s. Allow egress to %s.", [
		need.policy.kind,
		need.policy.name,
		need.pods,
		need.what,
		need.consequence,
		need.what,
	])))
}

# Clients that one policy keeps away alike.
findings contains f if {
	some flow in traffic.blocked
	clients := alike(flow, traffic.blocked)
	f := graded(flow, finding.at({"path": ["spec"], "resource": flow.policy}, sprintf("%s %s shuts out %s on port %d: %s. Allow the labels of %s pods.", [
		flow.policy.kind,
		flow.policy.name,
		spoken(clients),
		flow.port,
		outcome(flow, clients),
		whose(clients),
	])))
}

findings contains f if {
	some need in traffic.kept_from
	clients := alike(need, traffic.kept_from)
	f := graded(need, finding.at({"path": ["spec"], "resource": need.policy}, sprintf("%s %s keeps the pods of %s from %s: %s. Allow egress to %s.", [
		need.policy.kind,
		need.policy.name,
		spoken(clients),
		need.what,
		outcome(need, clients),
		need.what,
	])))
}

alike(one, all) := sort({other.client |
	some other in all
	other.together
	object.remove(other, ["client", "labels", "pods"]) == object.remove(one, ["client", "labels", "pods"])
}) if {
	one.together
}

spoken(clients) := text.list(clients, "and") if count(clients) < 4

spoken(clients) := sprintf("%s, %s and %d others", [clients[0], clients[1], count(clients) - 2]) if count(clients) >= 4

outcome(one, clients) := one.consequence if count(clients) == 1

outcome(one, clients) := one.together if count(clients) > 1

whose(clients) := "its" if count(clients) == 1

whose(clients) := "their" if count(clients) > 1

findings contains f if {
	some post in traffic.cut_off
	f := finding.at({"path": ["spec"], "resource": post.policy}, sprintf("%s %s keeps %s from %s: %s. Allow %s.", [
		post.policy.kind,
		post.policy.name,
		between(post)[0],
		between(post)[1],
		post.consequence,
		opening[post.way],
	]))
}

between(post) := [post.name, post.what] if post.way == "Egress"

between(post) := [post.what, post.name] if post.way == "Ingress"

opening := {"Egress": "egress to it", "Ingress": "ingress from it"}

words(flow) := flow.client if flow.from == "client"

words(flow) := "the operator" if flow.from == "operator"

words(flow) := "the other instances" if flow.from == "instances"

words(flow) := "the operator, which has no proxy of Istio," if flow.from == "unmeshed"

words(flow) := sprintf("the clients of LoadBalancer %s", [flow.service]) if flow.from == "outside"

words(flow) := sprintf("the pods of %s", [flow.mesh]) if flow.from == "mesh"

words(flow) := sprintf("what %s has scraped", [flow.monitor]) if flow.from == "monitor"

allowed(flow) := {"monitor": "Prometheus there", "operator": "the operator's namespace", "instances": "the pods of the cluster", "outside": "their addresses by an ipBlock", "client": "the labels of its pods"}[flow.from]

allowed(flow) := sprintf("port %d beside 5432", [flow.port]) if flow.from == "mesh"

allowed(flow) := flow.allowed if flow.from == "unmeshed"

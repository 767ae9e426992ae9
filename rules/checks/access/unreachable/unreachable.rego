# METADATA
# title: Nothing listens where the Service leads
# description: |
#   PostgreSQL's default for listen_addresses is localhost. The official image puts '*' into the file that initdb makes, and Bitnami's into its own, but a
#   postgresql.conf of one's own that takes its place and does not say so leaves the default: other pods get "connection refused",
#   while probes inside the pod succeed. It is reported where a Service leads to the pods, an error where it is seen to lead to the server's port. A Service may also lead to another port than the server's: charts that set
#   the port of the Service often set targetPort and containerPort too, and the server goes on listening on 5432: an error where no port of the Service leads anywhere, else a warning.
#   A wildcard behind localhost finds the port taken and is passed over.
#   Kubegres gives spec.port to its Services and to nobody else: the server listens on it only where postgres.conf says so too.
#   Of several copies without a readiness or startup probe, those that still copy the primary are sent clients too.
#   An Ingress, an HTTPRoute and the http part of Istio's VirtualService send requests of HTTP, which are nothing to PostgreSQL: no client connects that way (an error), unless an annotation has the controller pass on TCP or TLS as it is.
#   A load balancer may let in addresses that no packet comes from: 127.0.0.1/32 is what Zalando's operator writes where a cluster has no allowedSourceRanges.
#   The selector of a Service may fit the pods of another workload as well: of a second database, which then answers in turns (an error), or of programs that do not listen there.
#   And a Service that the StatefulSet names, that has its name, that clients name, or that is for PostgreSQL among files with no other server, may select a label of another value, a slip of the pen, or one that the operator
#   gave its pods once (CloudNativePG's postgresql): it has no endpoints. So has one with the name of the workload that selects a label which the pods do not carry, where nothing in them sets labels,
#   or the value of one of theirs by another name (name=db for app=db). CloudNativePG's Service of the standbys (-ro) leads nowhere with one instance, and those in disabledDefaultServices are not there: a client that names one is an error.
# related_resources:
#   - https://www.postgresql.org/docs/current/runtime-config-connection.html#GUC-LISTEN-ADDRESSES
#   - https://github.com/docker-library/docs/blob/master/postgres/README.md#database-configuration
#   - https://pgpedia.info/l/listen_addresses.html
#   - https://github.com/bitnami/charts/issues/4877
#   - https://github.com/reactive-tech/kubegres/issues/73
#   - https://github.com/zalando/postgres-operator/blob/master/docs/reference/cluster_manifest.md
# custom:
#   severity: warning
#   since: 0.1.0
#   remediation: Write listen_addresses = '*', since pg_hba.conf decides who may log in, the port of the server as targetPort, and the clients' addresses as source ranges.
#   sources: []
package walguard.checks.access.unreachable

import data.walguard.lib.finding
import data.walguard.lib.get
import data.walguard.model
import data.walguard.model.addresses
import data.walguard.model.traffic
import data.walguard.model.webs

findings contains f if {
	model.cluster.served.value
	only := model.cluster.loopback_only
	f := object.union(
		finding.at(only, sprintf("%s: no other pod can connect, though a Service leads here. Set listen_addresses = '*'.", [reasons[only.origin]])),
		{"severity": level | level := only.level},
	)
}

# The wildcard finds the port taken, and one address that listens is enough for the server to start (src/backend/libpq/pqcomm.c).
findings contains f if {
	setting := model.written.listen_addresses
	some match in regex.find_all_string_submatch_n(`^['\s]*(localhost|127\.0\.0\.1)\s*,.*(\*|0\.0\.0\.0)`, setting.text, 1)
	f := finding.with_severity(finding.at(setting, sprintf("listen_addresses=%s: %s takes the port first, so that %s cannot (\"Address already in use\"), and over IPv4 the server is reached from itself alone. Set listen_addresses = '*'.", [trim(setting.text, "' "), match[1], match[2]])), "error")
}

findings contains f if {
	closed := model.cluster.closed_hba
	f := finding.with_severity(finding.at(closed, "This pg_hba.conf lets in nobody but the pod itself, though a Service leads here: every other connection ends with \"no pg_hba.conf entry for host\". Add a line such as host all all all scram-sha-256."), "error")
}

findings contains f if {
	closed := model.cluster.closed_family
	f := finding.with_severity(finding.at(closed, sprintf("Service %s has IPv6 alone, and every line of this pg_hba.conf for other hosts is for IPv4: connections end with \"no pg_hba.conf entry for host\". Add the same lines for ::/0, or write the address all.", [closed.service])), "error")
}

findings contains f if {
	some port in get.list(model.cluster, "dead_ports")
	f := finding.with_severity(
		finding.at(port, sprintf("Service %s leads to port %v of the pods, and the server listens on %d. %s.", [port.service, port.target, port.listening, object.get(port, "cure", sprintf("Write targetPort: %d", [port.listening]))])),
		port.level,
	)
}

findings contains f if {
	some one in array.concat(get.list(model.cluster, "shared_services"), traffic.shared_services)
	f := finding.with_severity(finding.at(one, sprintf("%s. Add a label to the selector that only the right pods carry.", [one.reason])), one.level)
}

findings contains f if {
	some stray in get.list(model.cluster, "stray_services")
	not stray.carried
	f := finding.with_severity(
		finding.at(stray, sprintf("Service %s selects %s=%v, a label that the pods do not carry: it leads to no pod, and nobody reaches the server by its name. Take it out of the selector, or give it to the pods.", [stray.service, stray.label, stray.wanted])),
		"error",
	)
}

findings contains f if {
	some stray in get.list(model.cluster, "stray_services")
	stray.carried
	f := finding.with_severity(
		finding.at(stray, sprintf("Service %s selects %s=%v, and the pods carry %s=%v: it leads to no pod, and nobody reaches the server by its name. Write %s.", [
			stray.service,
			stray.label,
			stray.wanted,
			object.get(stray, "carried_label", stray.label),
			stray.carried,
			right(stray),
		])),
		"error",
	)
}

right(stray) := sprintf("%s: %v", [stray.carried_label, stray.carried]) if stray.carried_label

right(stray) := sprintf("%v", [stray.carried]) if not stray.carried_label

findings contains f if {
	some one in addresses.lost
	f := finding.with_severity(finding.at(one, sprintf("Container %s connects to Service %s, %s: no connection succeeds. %s.", [one.client, one.host, one.reason, one.cure])), "error")
}

findings contains f if {
	copies := model.cluster.ready_at_once
	f := finding.at(copies, sprintf("Service %s leads to all %d pods as soon as their containers run, since nothing asks whether they are ready: while one copies the primary or recovers, a part of the connections is refused. Add a readinessProbe that runs pg_isready.", [copies.service, copies.pods]))
}

findings contains f if {
	some balancer in traffic.closed_balancers
	f := finding.at(balancer, sprintf("%s lets in %s only, from where nobody comes: every connection through it times out. %s.", [balancer.balancer, balancer.ranges, balancer.cure]))
}

# Nobody who speaks HTTP has an answer, and a client of PostgreSQL does not come as far as the server.
findings contains f if {
	some one in webs.over_http
	f := finding.with_severity(finding.at(one, sprintf("%s %s sends requests of HTTP to Service %s, where PostgreSQL listens, which speaks another protocol: no client connects this way. %s.", [one.resource.kind, one.resource.name, one.service, one.cure])), "error")
}

reasons := {
	"written": sprintf("listen_addresses=%s", [model.cluster.loopback_only.value]),
	"postgres": "This postgresql.conf takes the place of the image's and has no listen_addresses, so the server listens on localhost only",
}

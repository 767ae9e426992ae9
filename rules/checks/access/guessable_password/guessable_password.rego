# METADATA
# title: A server on the internet has a password that attackers try first
# description: |
#   A Service of type LoadBalancer gets an address of the internet from most clouds, and programs that look for PostgreSQL there try a few hundred
#   passwords. The superuser may start programs on the server (COPY … FROM PROGRAM): it mines coins within hours, or holds the data to ransom. Not reported
#   where the Service is internal, has loadBalancerSourceRanges or an address of a private network, and where a balancer of one's own machines (MetalLB, Cilium, kube-vip) or a pod (Tailscale) serves it.
#   The same of a role of an operator's, whose Secret is among the files, behind a load balancer that the operator makes.
# related_resources:
#   - https://github.com/docker-library/postgres/issues/1054
#   - https://www.postgresql.org/docs/current/sql-copy.html
# custom:
#   severity: error
#   since: 0.1.0
#   remediation: Take the address away (type ClusterIP, an internal balancer or loadBalancerSourceRanges) and set a random password.
#   sources: []
package walguard.checks.access.guessable_password

import data.walguard.lib.finding
import data.walguard.model
import data.walguard.model.traffic

findings contains f if {
	guessable := model.cluster.guessable
	f := finding.at(guessable, sprintf("The password is one of those that attackers try first, and Service %s opens the server to the internet. Make the Service internal, and take a random password from a Secret.", [guessable.service]))
}

findings contains f if {
	some one in traffic.guessable
	f := finding.at(one, sprintf("%s opens the server to the internet, and the password of role %s is one of those that attackers try first. Make the balancer internal, and take a random password.", [one.balancer, one.role]))
}

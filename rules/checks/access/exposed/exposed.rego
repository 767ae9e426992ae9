# METADATA
# title: The whole internet reaches the server
# description: |
#   A load balancer with an address of the internet, and neither loadBalancerSourceRanges nor a NetworkPolicy that says who may come: programs that try passwords find port 5432 within hours, and a
#   hole that needs no login is open to everyone until the next minor release. Reported where an annotation asks for a public address, or where the volumes show (by their driver, or by the name of a class that the provider makes) a cloud whose balancers are public unless
#   they are told otherwise (Google Cloud, Azure, Alibaba Cloud, DigitalOcean, Hetzner Cloud, Linode, Vultr). What is meant for a private network is not reported, nor a balancer of one's own machines (MetalLB, Cilium, kube-vip).
# related_resources:
#   - https://kubernetes.io/docs/concepts/services-networking/service/#loadbalancer
#   - https://kubernetes-sigs.github.io/aws-load-balancer-controller/latest/guide/service/annotations/#lb-scheme
#   - https://www.postgresql.org/support/security/CVE-2013-1899/
# custom:
#   severity: warning
#   since: 0.1.0
#   remediation: List the addresses of the clients in loadBalancerSourceRanges, or make the balancer an internal one.
#   sources: []
package walguard.checks.access.exposed

import data.walguard.lib.finding
import data.walguard.model
import data.walguard.model.traffic

findings contains f if {
	# Said there, with the same cure.
	not model.cluster.guessable
	some open in traffic.open_balancers
	f := finding.at(open, sprintf("%s opens PostgreSQL to the whole internet (%s). List the clients' addresses in loadBalancerSourceRanges, or make the balancer internal.", [open.balancer, open.reason]))
}

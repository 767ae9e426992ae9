# METADATA
# title: A container of the pods has no image
# description: |
#   The API server refuses a pod with a container that has no image. The schemas of the operators' resources do not: they let the field of
#   sidecars and init containers be absent, the resource is accepted, and the first pod that goes cannot be created again. Zalando's operator
#   before 1.15.1 then deleted one more pod at every sync, until the whole cluster was down. A container that OpenShift's image triggers or
#   the injector of Istio fill in is none.
# related_resources:
#   - https://github.com/zalando/postgres-operator/issues/2966
#   - https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/pod-v1/#Container
# custom:
#   severity: error
#   since: 0.1.0
#   remediation: Give the container an image, or remove it.
#   sources: []
package walguard.checks.workload.container_without_image

import data.walguard.lib.finding
import data.walguard.model.containers

findings contains f if {
	some container in containers.imageless
	f := finding.at(container, sprintf("Container %s has no image: a pod that goes cannot be created again, since the API server refuses it. Write its image.", [container.name]))
}

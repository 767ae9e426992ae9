# METADATA
# title: Node-local directories and disks
# description: |
#   Directories of the node (local-path, hostpath provisioners of small distributions) lie on whatever filesystem the node has:
#   it is not known. The same holds for statically provisioned local volumes. DirectPV formats its drives with XFS.
# related_resources:
#   - https://github.com/rancher/local-path-provisioner
#   - https://kubernetes.io/docs/concepts/storage/volumes/#local
# custom:
#   provisioners: [rancher.io/local-path, cluster.local/local-path-provisioner, kubernetes.io/no-provisioner, kubernetes.io/host-path, docker.io/hostpath, k8s.io/minikube-hostpath, microk8s.io/hostpath, hostpath.csi.k8s.io, kubevirt.io/hostpath-provisioner, kubevirt.io.hostpath-provisioner, directpv-min-io]
package walguard.storage.local

import data.walguard.lib.disk
import data.walguard.model.claims

drivers := {
	"rancher.io/local-path": {"title": "local-path", "unlimited": true},
	"cluster.local/local-path-provisioner": {"title": "local-path", "unlimited": true},
	"kubernetes.io/no-provisioner": {"title": "local volume"},
	"kubernetes.io/host-path": {"title": "hostpath"},
	"docker.io/hostpath": {"title": "hostpath", "unlimited": true},
	"k8s.io/minikube-hostpath": {"title": "hostpath", "unlimited": true},
	"microk8s.io/hostpath": {"title": "hostpath", "unlimited": true},
	"hostpath.csi.k8s.io": {"title": "hostpath", "unlimited": true},
	"kubevirt.io/hostpath-provisioner": {"title": "hostpath", "unlimited": true},
	"kubevirt.io.hostpath-provisioner": {"title": "hostpath", "unlimited": true},
	"directpv-min-io": {"title": "DirectPV", "filesystem": "xfs", "expandable": true},
}

disks[id] := found if {
	some id, claim in claims.claims
	driver := drivers[claim.provisioner]
	found := disk.plain("local", driver.title, object.union({"local": true}, object.filter(driver, ["expandable", "unlimited"])))
}

filesystems[id] := filesystem if {
	some id, claim in claims.claims
	filesystem := disk.filesystem({"parameters": {}}, drivers[claim.provisioner].filesystem)
}

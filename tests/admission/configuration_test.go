package admission

import (
	"fmt"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// configuration changes the policy while walguard runs: a mistake leaves the old one in place, and what is right is taken over –
// here that a change which does harm to other clusters is denied.
func configuration(t *testing.T, c *cluster) {
	for _, object := range objects(t, "loss", []byte(`
apiVersion: v1
kind: Namespace
metadata: {name: loss}
---
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata:
  name: walguard-loss
  annotations:
    walguard.dev/atomic-write-bytes: "8192"
    walguard.dev/atomic-write-evidence: 1,000 power cuts under pgbench without a torn page
    walguard.dev/atomic-write-expires: "2099-01-01"
provisioner: csi.vsphere.vmware.com
---
apiVersion: postgresql.cnpg.io/v1
kind: Cluster
metadata: {name: orders, namespace: loss}
spec:
  instances: 1
  imageName: ghcr.io/cloudnative-pg/postgresql:17.5
  storage: {size: 100Gi, storageClass: walguard-loss}
  postgresql: {parameters: {full_page_writes: "off"}}
`)) {
		eventually(t, "creating "+object.GetName(), func() error { // until walguard has seen the class
			return c.api.Create(t.Context(), object.DeepCopy())
		})
	}
	class := &unstructured.Unstructured{}
	class.SetAPIVersion("storage.k8s.io/v1")
	class.SetKind("StorageClass")
	class.SetName("walguard-loss")
	loss := client.RawPatch(types.MergePatchType, []byte(`{"metadata":{"annotations":{"walguard.dev/atomic-write-evidence":null}}}`))
	lose := func() error { return c.api.Patch(t.Context(), class.DeepCopy(), loss, client.DryRunAll) }

	const failures, generation = "walguard_configuration_reload_failures_total", "walguard_configuration_generation"
	loaded := c.walguard.metric(t, generation)
	c.policy(t, "dependents: refuse\n")
	eventually(t, "the mistake is noticed", func() error { return is(c.walguard.metric(t, failures), 1) })
	if now := c.walguard.metric(t, generation); now != loaded {
		t.Errorf("a configuration with a mistake was taken over: generation %v", now)
	}
	if err := lose(); err != nil {
		t.Errorf("dependents: warn denies: %v", err)
	}

	c.policy(t, "dependents: deny\n")
	eventually(t, "a denial", func() error {
		err := lose()
		if err == nil || !strings.Contains(err.Error(), torn) || !strings.Contains(err.Error(), "with this change of StorageClass walguard-loss") {
			return fmt.Errorf("%v", err)
		}
		return nil
	})
	c.policy(t)
	eventually(t, "the old configuration", lose)
}

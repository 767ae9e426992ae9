package admission

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

var scale = flag.Int("scale", 0, "measure an audit of so many clusters, with ten backups each")

// TestScale measures; it asserts that everything was judged, and no time.
//
//	go test -run TestScale -v . -timeout 60m -args -scale 5000
func TestScale(t *testing.T) {
	if *scale == 0 {
		t.Skip("only when asked for: -args -scale 5000")
	}
	c := startCluster(t, append(readCRDs(t, "crds"), readCRDs(t, "testdata/policyreports")...), "--audit-interval", "2m")
	before := c.walguard.memory(t)
	c.fill(t, *scale)

	within(t, time.Hour, "the inventory", func() error {
		objects := c.walguard.metric(t, `walguard_inventory_objects{group="postgresql.cnpg.io",kind="Backup"}`)
		return is(objects, float64(10**scale))
	})
	judged := func() error {
		if n := c.walguard.metric(t, "walguard_audit_objects"); n < float64(*scale) {
			return fmt.Errorf("%f objects", n)
		}
		return nil
	}
	within(t, time.Hour, "a round over everything", judged)
	t.Logf("walguard serve: %d MiB resident before, %d MiB with %d clusters and %d backups, %d MiB at most; a round judged in %.1f s",
		before.resident, c.walguard.memory(t).resident, *scale, 10**scale, c.walguard.memory(t).most,
		c.walguard.metric(t, "walguard_audit_duration_seconds"))

	// What an admission takes in sight of all that.
	body := reviewOf(`{"instances":1,"storage":{"size":"1Gi","storageClass":"walguard-ext4"},"postgresql":{"parameters":{"full_page_writes":"off"}}}`)
	started := time.Now()
	const asked = 200
	for range asked {
		if allowed, _, err := c.walguard.ask(body); allowed || err != nil {
			t.Fatalf("allowed %v, %v", allowed, err)
		}
	}
	t.Logf("a review over loopback: %.1f ms", time.Since(started).Seconds()*1000/asked)

	cmd := exec.Command(walguardBinary(t), "audit", "--all-namespaces", "--format", "json", "--fail-on", "never")
	cmd.Env = append(os.Environ(), "KUBECONFIG="+c.kubeconfig)
	cmd.Dir = c.dir
	started = time.Now()
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("walguard audit: %v", err)
	}
	usage := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	t.Logf("walguard audit: %.1f s, %.1f s of CPU, %d MiB at most, %d MB of JSON", time.Since(started).Seconds(),
		(cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds(), usage.Maxrss/1024, len(out)/1_000_000)
}

// fill creates clusters in a hundred namespaces, past the webhook, each with backups as CloudNativePG leaves them.
func (c *cluster) fill(t *testing.T, clusters int) {
	config := rest.CopyConfig(c.env.Config)
	config.QPS, config.Burst = -1, 0
	api, err := client.New(config, client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if out, err := c.kubectl("delete", "validatingwebhookconfiguration", release).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	const namespaces = 100
	for i := range namespaces {
		namespace := &unstructured.Unstructured{}
		namespace.SetAPIVersion("v1")
		namespace.SetKind("Namespace")
		namespace.SetName(fmt.Sprintf("scale-%d", i))
		create(t, api, namespace)
	}
	healthy, err := os.ReadFile("cases/healthy/cnpg.yaml")
	if err != nil {
		t.Fatal(err)
	}
	template := objects(t, "healthy", healthy)[0]
	numbers := make(chan int)
	var workers sync.WaitGroup
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	failed := make(chan error, 32)
	for range 16 {
		workers.Go(func() {
			for i := range numbers {
				namespace, name := fmt.Sprintf("scale-%d", i%namespaces), fmt.Sprintf("pg-%d", i)
				cluster := template.DeepCopy()
				cluster.SetNamespace(namespace)
				cluster.SetName(name)
				cluster.Object["status"] = map[string]any{
					"phase": "Cluster in healthy state", "currentPrimary": name + "-1",
					"certificates": map[string]any{"clientCASecret": name + "-ca", "expirations": map[string]any{name + "-ca": "2027-01-01 00:00:00 +0000 UTC"}},
					"topology":     map[string]any{"instances": map[string]any{name + "-1": map[string]any{}}, "nodesUsed": int64(3)},
				}
				all := []*unstructured.Unstructured{cluster}
				for b := range 10 {
					all = append(all, completedBackup(namespace, name, b))
				}
				for _, object := range all {
					if err := api.Create(ctx, object); err != nil {
						select {
						case failed <- err:
						default:
						}
						stop()
					}
				}
			}
		})
	}
	started := time.Now()
fill:
	for i := range clusters {
		select {
		case numbers <- i:
		case <-ctx.Done():
			break fill
		}
	}
	close(numbers)
	workers.Wait()
	select {
	case err := <-failed:
		t.Fatal(err)
	default:
	}
	t.Logf("%d objects created in %s", 11*clusters, time.Since(started).Round(time.Second))
}

func completedBackup(namespace, cluster string, number int) *unstructured.Unstructured {
	stopped := time.Now().UTC().Add(-time.Duration(number*24) * time.Hour).Format(time.RFC3339)
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "postgresql.cnpg.io/v1",
		"kind":       "Backup",
		"metadata": map[string]any{
			"name": fmt.Sprintf("%s-%d", cluster, number), "namespace": namespace,
			"labels": map[string]any{"cnpg.io/cluster": cluster, "cnpg.io/scheduled-backup": cluster, "cnpg.io/immediateBackup": "false"},
		},
		"spec": map[string]any{"cluster": map[string]any{"name": cluster}, "method": "plugin", "target": "prefer-standby",
			"pluginConfiguration": map[string]any{"name": "barman-cloud.cloudnative-pg.io"}},
		"status": map[string]any{
			"phase": "completed", "method": "plugin", "startedAt": stopped, "stoppedAt": stopped,
			"backupId": "20261101T000000", "backupName": "backup-20261101000000", "beginLSN": "0/6000028", "endLSN": "0/6000138",
			"beginWal": "000000010000000000000006", "endWal": "000000010000000000000006", "serverName": cluster,
			"destinationPath": "s3://backups/", "instanceID": map[string]any{"ContainerID": "containerd://0000", "podName": cluster + "-2"},
			"backupLabelFile": strings.Repeat("U1RBUlQgV0FMIExPQ0FUSU9O", 20),
		},
	}}
}

// kubectl is a command that runs as the administrator.
func (c *cluster) kubectl(args ...string) *exec.Cmd {
	cmd := c.command(context.Background(), "kubectl", args...)
	cmd.Stdout, cmd.Stderr = nil, nil
	return cmd
}

type memory struct{ resident, most int } // MiB

// memory is what the process takes up now, and what it took at most.
func (w *walguard) memory(t *testing.T) memory {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", w.process.Process.Pid))
	if err != nil {
		t.Skip("no /proc here")
	}
	field := func(name string) (kib int) {
		for line := range strings.Lines(string(status)) {
			if value, found := strings.CutPrefix(line, name+":"); found {
				_, _ = fmt.Sscanf(value, "%d", &kib)
			}
		}
		return kib
	}
	return memory{field("VmRSS") / 1024, field("VmHWM") / 1024}
}

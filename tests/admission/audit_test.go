package admission

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	reports "github.com/openreports/reports-api/apis/openreports.io/v1alpha1"
	admissionv1 "k8s.io/api/admissionregistration/v1"
	eventsv1 "k8s.io/api/events/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
)

// What the clusters of walguard-existing are refused for.
const torn = "durability/full_page_writes"

// An inventory is known to be current every 30 s, where all is well.
var auditFlags = []string{"--audit-interval", "1s", "--inventory-max-age", "40s"}

// TestAudit judges what is in the cluster: once on the command line, and again and again in the server.
func TestAudit(t *testing.T) {
	crds := append(readCRDs(t, "crds"), readCRDs(t, "testdata/policyreports")...)
	c := startCluster(t, crds, auditFlags...)
	t.Run("command line", c.auditCommand)
	t.Run("reports and events", c.reportsAndEvents)
	t.Run("kinds come and go", c.kindsComeAndGo)
	var second *walguard
	t.Run("one leader", func(s *testing.T) { second = c.oneLeader(s, t) })
	if second == nil {
		return
	}
	c.walguard = second
	// As the Service of the chart leads to the replica that is left.
	registrations := &admissionv1.ValidatingWebhookConfigurationList{}
	if err := c.api.List(t.Context(), registrations); err != nil {
		t.Fatal(err)
	}
	for i := range registrations.Items {
		for j := range registrations.Items[i].Webhooks {
			registrations.Items[i].Webhooks[j].ClientConfig.URL = &second.validate
		}
		if err := c.api.Update(t.Context(), &registrations.Items[i]); err != nil {
			t.Fatal(err)
		}
	}
	t.Run("outage", c.outage)
}

// audit runs `walguard audit` and returns its exit code and its JSON.
func (c *cluster) audit(t *testing.T, kubeconfig string, args ...string) (int, audited, string) {
	t.Helper()
	cmd := exec.Command(walguardBinary(t), append([]string{"audit", "--format", "json"}, args...)...)
	cmd.Env = append(os.Environ(), "KUBECONFIG="+kubeconfig)
	cmd.Dir = t.TempDir() // no configuration there or above
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	_ = cmd.Run()
	result := audited{}
	if stdout.Len() > 0 {
		if err := json.Unmarshal(stdout.Bytes(), &result); err != nil {
			t.Fatalf("%v: %s", err, excerpt(stdout.Bytes()))
		}
	}
	return cmd.ProcessState.ExitCode(), result, stderr.String()
}

type audited struct {
	Summary  struct{ Documents, Clusters, Error, Failed int }
	Findings []struct {
		Check    string
		Resource struct{ Kind, Namespace, Name string }
		File     *string
	}
	Errors []struct{ File, Message string }
}

func (a audited) has(check, namespace, name string) bool {
	for _, finding := range a.Findings {
		if finding.Check == check && finding.Resource.Namespace == namespace && finding.Resource.Name == name {
			return true
		}
	}
	return false
}

func (c *cluster) auditCommand(t *testing.T) {
	code, all, stderr := c.audit(t, c.kubeconfig, "--all-namespaces")
	if code != 1 || !all.has(torn, "walguard-existing", "legacy") {
		t.Errorf("exit code %d, %+v\n%s", code, all, stderr)
	}
	for _, finding := range all.Findings {
		if finding.File != nil {
			t.Errorf("an object of a cluster has no file: %+v", finding)
		}
	}
	if code, none, stderr := c.audit(t, c.kubeconfig, "-n", "kube-public"); code != 3 || none.Summary.Documents != 0 {
		t.Errorf("nothing to judge: exit code %d, %+v\n%s", code, none, stderr)
	}
	if code, _, stderr := c.audit(t, filepath.Join(c.dir, "absent")); code != 2 || !strings.Contains(stderr, "no cluster") {
		t.Errorf("no kubeconfig: exit code %d\n%s", code, stderr)
	}

	// Somebody who may read everything but backups, in one namespace alone.
	namespace := "walguard-existing"
	reader := c.user(t, "reader")
	create(t, c.api, unstructuredOf(t, &rbacv1.Role{
		TypeMeta:   metav1.TypeMeta{APIVersion: "rbac.authorization.k8s.io/v1", Kind: "Role"},
		ObjectMeta: metav1.ObjectMeta{Name: "reader", Namespace: namespace},
		Rules:      []rbacv1.PolicyRule{{APIGroups: []string{"postgresql.cnpg.io"}, Resources: []string{"clusters"}, Verbs: []string{"list"}}},
	}), unstructuredOf(t, &rbacv1.RoleBinding{
		TypeMeta:   metav1.TypeMeta{APIVersion: "rbac.authorization.k8s.io/v1", Kind: "RoleBinding"},
		ObjectMeta: metav1.ObjectMeta{Name: "reader", Namespace: namespace},
		RoleRef:    rbacv1.RoleRef{APIGroup: "rbac.authorization.k8s.io", Kind: "Role", Name: "reader"},
		Subjects:   []rbacv1.Subject{{APIGroup: "rbac.authorization.k8s.io", Kind: "User", Name: "reader"}},
	}))
	code, some, stderr := c.audit(t, reader, "-n", namespace)
	if code != 2 || !some.has(torn, namespace, "legacy") {
		t.Errorf("what can be read is judged: exit code %d, %+v\n%s", code, some, stderr)
	}
	named := false
	for _, failure := range some.Errors {
		named = named || failure.File == "backups.postgresql.cnpg.io" && strings.Contains(failure.Message, "forbidden")
	}
	if !named || !strings.Contains(stderr, "clusters.postgresql.cnpg.io are known in namespace "+namespace+" only") {
		t.Errorf("what cannot be read is named: %+v\n%s", some.Errors, stderr)
	}
}

func (c *cluster) reportsAndEvents(t *testing.T) {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{reports.AddToScheme, clientgoscheme.AddToScheme} {
		if err := add(scheme); err != nil {
			t.Fatal(err)
		}
	}
	api, err := client.New(c.env.Config, client.Options{Scheme: scheme})
	if err != nil {
		t.Fatal(err)
	}
	namespace := "walguard-existing"
	legacy := &unstructured.Unstructured{}
	legacy.SetAPIVersion("postgresql.cnpg.io/v1")
	legacy.SetKind("Cluster")
	get(t, api, namespace, "legacy", legacy)
	name := "walguard-" + string(legacy.GetUID())

	// The API where reports began, as long as it is the only one.
	former := &unstructured.Unstructured{}
	former.SetAPIVersion("wgpolicyk8s.io/v1alpha2")
	former.SetKind("PolicyReport")
	eventually(t, "a PolicyReport on legacy", func() error {
		return api.Get(t.Context(), client.ObjectKey{Namespace: namespace, Name: name}, former)
	})

	// From here on the present one, and the others go.
	crd := moduleDirectory(t, "github.com/openreports/reports-api") + "/config/crd/openreports.io_reports.yaml"
	if _, err := envtest.InstallCRDs(c.env.Config, envtest.CRDInstallOptions{Paths: []string{crd}}); err != nil {
		t.Fatal(err)
	}
	report := &reports.Report{}
	eventually(t, "a report on legacy", func() error {
		return api.Get(t.Context(), client.ObjectKey{Namespace: namespace, Name: name}, report)
	})
	eventually(t, "no PolicyReport", func() error {
		return gone(api.Get(t.Context(), client.ObjectKey{Namespace: namespace, Name: name}, former))
	})
	if len(report.OwnerReferences) != 1 || report.OwnerReferences[0].UID != legacy.GetUID() {
		t.Errorf("the report goes with its object: %+v", report.OwnerReferences)
	}
	if report.Scope == nil || report.Scope.UID != legacy.GetUID() || report.Source != "walguard" {
		t.Errorf("whose report it is: %+v, source %q", report.Scope, report.Source)
	}
	result := resultOf(report, torn)
	if result == nil || result.Result != "fail" || result.Severity != "high" || result.Category != "durability" ||
		!strings.Contains(result.Description, "half-written pages") || report.Summary.Fail == 0 {
		t.Fatalf("no result of %s: %+v", torn, report)
	}

	// Once nothing changes any more, nothing is written and nothing told again.
	eventually(t, "two rounds that change nothing", func() error {
		before, rounds := report.DeepCopy(), c.walguard.metric(t, "walguard_audit_last_run_timestamp_seconds")
		eventually(t, "two more rounds", func() error {
			if now := c.walguard.metric(t, "walguard_audit_last_run_timestamp_seconds"); now < rounds+2 {
				return fmt.Errorf("last round at %f", now)
			}
			return nil
		})
		get(t, api, namespace, name, report)
		if report.ResourceVersion != before.ResourceVersion {
			t.Logf("%s: written again: %+v, before: %+v", time.Now().Format(time.TimeOnly), report, before)
			return fmt.Errorf("a report that says the same is written again and again")
		}
		return nil
	})
	appeared := 0
	for _, event := range c.events(t, api, legacy) {
		if event.Reason == "FindingsAppeared" && strings.Contains(event.Note, torn) {
			appeared++
		}
	}
	if appeared != 1 {
		t.Errorf("%d events that a finding appeared: %+v", appeared, c.events(t, api, legacy))
	}
	labels := fmt.Sprintf(`{check="%s",severity="error",namespace="%s"}`, torn, namespace)
	if n := c.walguard.metric(t, "walguard_audit_findings"+labels); n < 1 {
		t.Errorf("walguard_audit_findings%s: %f", labels, n)
	}

	// One finding less: the report is another, and an event says so.
	set(t, c.api, legacy, "on", "spec", "postgresql", "parameters", "full_page_writes")
	eventually(t, "the report without "+torn, func() error {
		err := api.Get(t.Context(), client.ObjectKey{Namespace: namespace, Name: name}, report)
		if err == nil && resultOf(report, torn) != nil {
			return fmt.Errorf("%+v", report.Results)
		}
		return client.IgnoreNotFound(err)
	})
	eventually(t, "an event that it is gone", func() error {
		for _, event := range c.events(t, api, legacy) {
			if event.Reason == "FindingsGone" && strings.Contains(event.Note, torn) {
				return nil
			}
		}
		return fmt.Errorf("%+v", c.events(t, api, legacy))
	})

	// No object, no report; that the API server's garbage collector would do it too is not tested: it is not running.
	if err := c.api.Delete(t.Context(), legacy); err != nil {
		t.Fatal(err)
	}
	eventually(t, "no report on what is gone", func() error {
		return gone(api.Get(t.Context(), client.ObjectKey{Namespace: namespace, Name: name}, report))
	})
}

// kindsComeAndGo installs an operator's kind and takes it away again. Its clusters name the ConfigMap that holds their parameters.
func (c *cluster) kindsComeAndGo(t *testing.T) {
	const crd = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: kubegres.kubegres.reactive-tech.io}
spec:
  group: kubegres.reactive-tech.io
  scope: Namespaced
  names: {kind: Kubegres, listKind: KubegresList, plural: kubegres, singular: kubegres}
  versions:
    - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}
`
	const there = `
apiVersion: v1
kind: Namespace
metadata: {name: kinds}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: parameters, namespace: kinds}
data: {postgres.conf: "listen_addresses = '*'\nfull_page_writes = off\n"}
`
	const cluster = `
apiVersion: kubegres.reactive-tech.io/v1
kind: Kubegres
metadata: {name: orders, namespace: kinds}
spec: {replicas: 1, image: "postgres:17.5", port: 5432, customConfig: parameters, database: {size: 100Gi, storageClassName: walguard-ext4}}
`
	definition := objects(t, "kubegres", []byte(crd))[0]
	create(t, c.api, definition)
	beside := objects(t, "kubegres", []byte(there))
	for _, object := range beside {
		create(t, c.api, object)
	}
	orders, parameters := objects(t, "kubegres", []byte(cluster))[0], beside[1]
	say := func(text string) {
		if err := c.api.Patch(t.Context(), parameters, client.RawPatch(types.MergePatchType, []byte(`{"data":{"postgres.conf":"listen_addresses = '*'\n`+text+`\n"}}`))); err != nil {
			t.Fatal(err)
		}
	}
	// Nobody named the ConfigMap before: it is read for the cluster that is not admitted yet.
	eventually(t, "what a new cluster names is judged with it", func() error { // until the API server serves the kind
		err := c.api.Create(t.Context(), orders.DeepCopy())
		if err == nil {
			t.Fatal("admitted with full_page_writes off in its ConfigMap")
		}
		if !strings.Contains(err.Error(), torn) {
			return err
		}
		return nil
	})
	say("full_page_writes = on")
	create(t, c.api, orders)
	say("full_page_writes = off")
	watched := `walguard_inventory_objects{group="kubegres.reactive-tech.io",kind="Kubegres"}`
	eventually(t, "the new kind is watched", func() error { return is(c.walguard.metric(t, watched), 1) })
	found := fmt.Sprintf(`walguard_audit_findings{check="%s",severity="error",namespace="kinds"}`, torn)
	eventually(t, "what the ConfigMap says is found", func() error { return is(c.walguard.metric(t, found), 1) })

	if err := c.api.Delete(t.Context(), definition); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the kind is no longer watched", func() error { return is(c.walguard.metric(t, watched), 0) })
	eventually(t, "what is gone is not found", func() error { return is(c.walguard.metric(t, found), 0) })
	if err := c.walguard.ready(); err != nil {
		t.Error(err)
	}
}

// oneLeader has a second replica, which lives as long as the test whole, beside the first; when the first goes, the second judges.
func (c *cluster) oneLeader(t, whole *testing.T) *walguard {
	second := c.startWalguard(whole, freeAddress(t), auditFlags...)
	eventually(t, "the first leads", func() error { return is(c.walguard.metric(t, "walguard_audit_leader"), 1) })
	if err := is(second.metric(t, "walguard_audit_leader"), 0); err != nil {
		t.Error(err)
	}
	if err := c.walguard.process.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := <-c.walguard.exited; err != nil {
		t.Errorf("the first did not end well: %v", err)
	}
	eventually(t, "the second leads", func() error { return is(second.metric(t, "walguard_audit_leader"), 1) })
	eventually(t, "the second judges", func() error {
		if second.metric(t, "walguard_audit_last_run_timestamp_seconds") == 0 {
			return fmt.Errorf("not yet")
		}
		return nil
	})
	return second
}

// outage kills the API server while admissions are asked for directly, and starts it again. No verdict may be wrong
// or missing, walguard says how old its state is, and finds back by itself.
func (c *cluster) outage(t *testing.T) {
	// What each is answered depends on a StorageClass, which is in sight or not.
	cases := []struct {
		body    string
		allowed bool
	}{
		{reviewOf(`{"instances":1,"storage":{"size":"1Gi","storageClass":"walguard-ext4"},"postgresql":{"parameters":{"full_page_writes":"off"}}}`), false},
		{reviewOf(`{"instances":1,"storage":{"size":"1Gi","storageClass":"walguard-attested"},"postgresql":{"parameters":{"full_page_writes":"off"}}}`), true},
	}
	var answered, wrong atomic.Int64
	ctx, stop := context.WithCancel(t.Context())
	var load sync.WaitGroup
	for worker := range 4 {
		load.Go(func() {
			every := time.NewTicker(time.Second / 125) // 500 a second in all, as far as the machine can
			defer every.Stop()
			for i := worker; ; i++ {
				select {
				case <-ctx.Done():
					return
				case <-every.C:
				}
				test := cases[i%len(cases)]
				allowed, _, err := c.walguard.ask(test.body)
				if answered.Add(1); err != nil || allowed != test.allowed {
					if wrong.Add(1) <= 3 {
						t.Errorf("allowed %v, want %v: %v", allowed, test.allowed, err)
					}
				}
			}
		})
	}
	defer func() {
		stop()
		load.Wait()
		t.Logf("%d admissions answered, %d wrong", answered.Load(), wrong.Load())
	}()
	during := func(what string, condition func() error) {
		t.Helper()
		before := answered.Load()
		eventually(t, what, condition)
		eventually(t, "answers meanwhile", func() error {
			if n := answered.Load() - before; n < 100 {
				return fmt.Errorf("%d admissions", n)
			}
			return nil
		})
	}

	during("load", func() error { return nil })
	restart := killAPIServer(t)
	during("the state is said to be old", func() error {
		if age := c.walguard.metric(t, "walguard_inventory_age_seconds"); age < 40 {
			return fmt.Errorf("%f s", age)
		}
		_, warnings, err := c.walguard.ask(cases[1].body)
		if err == nil && (len(warnings) == 0 || !strings.Contains(warnings[0], "was last known")) {
			err = fmt.Errorf("no warning of it: %q", warnings)
		}
		return err
	})
	restart(t)
	during("the state is current again", func() error {
		if age := c.walguard.metric(t, "walguard_inventory_age_seconds"); age > 30 {
			return fmt.Errorf("%f s", age)
		}
		_, warnings, err := c.walguard.ask(cases[1].body)
		if err == nil && len(warnings) > 0 && strings.Contains(warnings[0], "judged in part") {
			err = fmt.Errorf("%q", warnings)
		}
		return err
	})
	// What changes now is seen.
	later := review(`{"apiVersion":"postgresql.cnpg.io/v1","kind":"Cluster","metadata":{"name":"c","namespace":"n"},"spec":` +
		`{"instances":1,"storage":{"size":"1Gi","storageClass":"after-outage"},"postgresql":{"parameters":{"full_page_writes":"off"}}}}`)
	if allowed, _, err := c.walguard.ask(later); allowed || err != nil {
		t.Errorf("allowed %v without a class, %v", allowed, err)
	}
	class := &unstructured.Unstructured{}
	class.SetAPIVersion("storage.k8s.io/v1")
	class.SetKind("StorageClass")
	get(t, c.api, "", "walguard-attested", class)
	class.SetName("after-outage")
	class.SetResourceVersion("")
	create(t, c.api, class)
	during("a class of after the outage", func() error {
		if allowed, _, err := c.walguard.ask(later); !allowed || err != nil {
			return fmt.Errorf("allowed %v, %v", allowed, err)
		}
		return nil
	})
}

// ask sends a review to /validate.
func (w *walguard) ask(body string) (bool, []string, error) {
	answer, err := w.client.Post(w.validate, "application/json", strings.NewReader(body))
	if err != nil {
		return false, nil, err
	}
	defer answer.Body.Close()
	content, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != http.StatusOK {
		return false, nil, fmt.Errorf("status %d, %w: %s", answer.StatusCode, err, excerpt(content))
	}
	var review struct {
		Response struct {
			Allowed  *bool
			Warnings []string
			Status   struct{ Message string }
		}
	}
	if err := json.Unmarshal(content, &review); err != nil || review.Response.Allowed == nil {
		return false, nil, fmt.Errorf("%w: %s", err, excerpt(content))
	}
	if !*review.Response.Allowed && !strings.Contains(review.Response.Status.Message, torn) {
		return false, nil, fmt.Errorf("denied for another reason: %s", review.Response.Status.Message)
	}
	return *review.Response.Allowed, review.Response.Warnings, nil
}

// metric returns the value of a series, 0 when it is not there.
func (w *walguard) metric(t *testing.T, series string) float64 {
	t.Helper()
	answer, err := w.client.Get(w.health + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	content, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(content)) {
		if value, found := strings.CutPrefix(line, series+" "); found {
			number, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
			if err != nil {
				t.Fatal(err)
			}
			return number
		}
	}
	return 0
}

// killAPIServer kills the kube-apiserver as a node that fails would, and returns what starts it again as it was.
func killAPIServer(t *testing.T) func(*testing.T) {
	t.Helper()
	children, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", os.Getpid()))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range children {
		content, err := os.ReadFile(file)
		if err != nil {
			continue
		}
		for _, pid := range strings.Fields(string(content)) {
			line, err := os.ReadFile("/proc/" + pid + "/cmdline")
			words := strings.Split(strings.TrimRight(string(line), "\x00"), "\x00")
			if err != nil || filepath.Base(words[0]) != "kube-apiserver" {
				continue
			}
			number, err := strconv.Atoi(pid)
			if err != nil {
				t.Fatal(err)
			}
			if err := syscall.Kill(number, syscall.SIGKILL); err != nil {
				t.Fatal(err)
			}
			return func(t *testing.T) {
				again := exec.Command(words[0], words[1:]...)
				if err := again.Start(); err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { _ = again.Process.Kill(); _ = again.Wait() })
			}
		}
	}
	t.Skip("the kube-apiserver's process is not found: /proc does not list children here")
	return nil
}

// moduleDirectory is where the source of a module is that go.mod requires.
func moduleDirectory(t *testing.T, module string) string {
	t.Helper()
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", module).Output()
	if err != nil {
		t.Fatalf("go list -m %s: %v", module, err)
	}
	return strings.TrimSpace(string(out))
}

func (c *cluster) events(t *testing.T, api client.Client, object client.Object) []eventsv1.Event {
	t.Helper()
	all := &eventsv1.EventList{}
	if err := api.List(t.Context(), all, client.InNamespace(object.GetNamespace())); err != nil {
		t.Fatal(err)
	}
	var events []eventsv1.Event
	for _, event := range all.Items {
		if event.Regarding.UID == object.GetUID() {
			events = append(events, event)
		}
	}
	return events
}

func resultOf(report *reports.Report, check string) *reports.ReportResult {
	for i := range report.Results {
		if report.Results[i].Policy == check {
			return &report.Results[i]
		}
	}
	return nil
}

func get(t *testing.T, api client.Client, namespace, name string, object client.Object) {
	t.Helper()
	if err := api.Get(t.Context(), client.ObjectKey{Namespace: namespace, Name: name}, object); err != nil {
		t.Fatal(err)
	}
}

// set changes one field.
func set(t *testing.T, api client.Client, object *unstructured.Unstructured, value any, field ...string) {
	t.Helper()
	before := object.DeepCopy()
	if err := unstructured.SetNestedField(object.Object, value, field...); err != nil {
		t.Fatal(err)
	}
	if err := api.Patch(t.Context(), object, client.MergeFrom(before)); err != nil {
		t.Fatal(err)
	}
}

// gone is nil for an error that says so.
func gone(err error) error {
	if err == nil {
		return fmt.Errorf("still there")
	}
	return client.IgnoreNotFound(err)
}

func is(value, wanted float64) error {
	if value != wanted {
		return fmt.Errorf("%f, not %f", value, wanted)
	}
	return nil
}

// eventually waits for a condition, as long as a slow machine may take.
func eventually(t *testing.T, what string, condition func() error) {
	t.Helper()
	within(t, 2*startTimeout, what, condition)
}

func within(t *testing.T, limit time.Duration, what string, condition func() error) {
	t.Helper()
	var err error
	for deadline := time.Now().Add(limit); time.Now().Before(deadline); time.Sleep(100 * time.Millisecond) {
		if err = condition(); err == nil {
			return
		}
	}
	t.Fatalf("%s: %v", what, err)
}

func unstructuredOf(t *testing.T, object runtime.Object) *unstructured.Unstructured {
	t.Helper()
	fields, err := runtime.DefaultUnstructuredConverter.ToUnstructured(object)
	if err != nil {
		t.Fatal(err)
	}
	return &unstructured.Unstructured{Object: fields}
}

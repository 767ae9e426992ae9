package admission

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// celNamespace holds the clusters that TestCEL asks about; walguard.yaml says nothing of it.
const celNamespace = "cel"

// verdict is what is found of one object: the ids of checks.
type verdict struct{ denied, warned []string }

// TestCEL shows that the ValidatingAdmissionPolicies of policies/cel say what walguard says, as far as they go: of every manifest of
// the repository, of every spelling of the values of parameters, and of changes. Nothing else is registered with this API server.
func TestCEL(t *testing.T) {
	c, env := startControlPlane(t, readCRDs(t, "crds"))
	chart := renderChart(t, filepath.Join(c.tools, "helm"))
	create(t, c.api, chart.access...)
	c.serviceAccount = chart.serviceAccount
	options := env.WebhookInstallOptions
	c.walguard = c.startWalguard(t, net.JoinHostPort(options.LocalServingHost, fmt.Sprint(options.LocalServingPort)))
	namespace := &unstructured.Unstructured{}
	namespace.SetAPIVersion("v1")
	namespace.SetKind("Namespace")
	namespace.SetName(celNamespace)
	create(t, c.api, namespace)
	asker := newAsker(t, c, env.Config)

	// What is there before the policies are.
	changes := changedObjects()
	for _, change := range changes {
		create(t, c.api, change.old)
	}
	policies := readPolicies(t)
	for _, policy := range policies {
		for _, object := range policy.objects {
			bound := object.DeepCopy()
			if bound.GetKind() == "ValidatingAdmissionPolicyBinding" {
				// A denial names one validation, a warning each.
				if err := unstructured.SetNestedStringSlice(bound.Object, []string{string(admissionv1.Warn)}, "spec", "validationActions"); err != nil {
					t.Fatal(err)
				}
			}
			create(t, c.api, bound)
		}
	}
	for _, policy := range policies {
		asker.waitFor(t, policy, "zero_damaged_pages", "on")
	}

	found := map[string]int{} // of operator and check
	asked := 0
	compare := func(t *testing.T, name string, object, old *unstructured.Unstructured) {
		t.Helper()
		policy := policyOf(policies, object)
		if policy == nil {
			return
		}
		ours, refused := asker.walguard(t, object, old)
		theirs := asker.policies(t, object, old)
		if refused != "" || theirs == nil {
			return // no object of this kind
		}
		asked++
		ours = ours.among(policy.checks)
		if !slices.Equal(ours.denied, theirs.denied) || !slices.Equal(ours.warned, theirs.warned) {
			content, _ := json.Marshal(object.Object)
			t.Errorf("%s: walguard %+v, policies %+v: %s", name, ours, *theirs, content)
		}
		for _, id := range append(slices.Clone(ours.denied), ours.warned...) {
			found[policy.name+" "+id]++
		}
	}
	t.Run("manifests", func(t *testing.T) {
		for name, object := range manifests(t) {
			compare(t, name, object, nil)
		}
	})
	t.Run("values", func(t *testing.T) {
		for name, object := range spelledObjects() {
			compare(t, name, object, nil)
		}
	})
	t.Run("changes", func(t *testing.T) {
		for _, change := range changes {
			compare(t, change.name, change.object, change.old)
		}
	})
	t.Logf("%d objects, found: %v", asked, found)
	for _, policy := range policies {
		for _, id := range policy.checks {
			if found[policy.name+" "+id] == 0 {
				t.Errorf("%s: nothing has %s", policy.name, id)
			}
		}
	}

	t.Run("bindings", func(t *testing.T) {
		for _, policy := range policies {
			for _, object := range policy.objects {
				if object.GetKind() == "ValidatingAdmissionPolicyBinding" {
					now := object.DeepCopy()
					if err := c.api.Get(t.Context(), client.ObjectKeyFromObject(object), now); err != nil {
						t.Fatal(err)
					}
					now.Object["spec"] = object.Object["spec"]
					if err := c.api.Update(t.Context(), now); err != nil {
						t.Fatal(err)
					}
				}
			}
			asker.waitForDenial(t, policy)
		}
	})
}

// policy is a file of policies/cel.
type policy struct {
	name    string // of the operator
	objects []*unstructured.Unstructured
	checks  []string
}

var checkID = regexp.MustCompile(`^[a-z]+/[a-z_]+`)

func readPolicies(t *testing.T) []*policy {
	t.Helper()
	var all []*policy
	for _, name := range slices.Sorted(maps.Keys(clusters)) {
		file := filepath.Join(repository, "policies/cel", name+".yaml")
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		one := &policy{name: name, objects: objects(t, file, content)}
		for _, object := range one.objects {
			if object.GetKind() != "ValidatingAdmissionPolicy" {
				continue
			}
			typed := admissionv1.ValidatingAdmissionPolicy{}
			convert(t, object, &typed)
			for _, validation := range typed.Spec.Validations {
				one.checks = append(one.checks, checkID.FindString(validation.Message))
			}
		}
		slices.Sort(one.checks)
		one.checks = slices.Compact(one.checks)
		all = append(all, one)
	}
	files, err := filepath.Glob(filepath.Join(repository, "policies/cel/*.yaml"))
	if err != nil || len(files) != len(all) {
		t.Fatalf("policies/cel has %d files, %d are tested (%v)", len(files), len(all), err)
	}
	return all
}

// shape is a resource of an operator, and where its parameters stand.
type shape struct {
	apiVersion, kind string
	spec             map[string]any
	parameters       []string
}

// clusters are the resources by the name of the operator's file; EDB's resource is in CloudNativePG's.
var clusters = map[string][]shape{
	"cnpg": {
		{"postgresql.cnpg.io/v1", "Cluster", map[string]any{"instances": int64(2)}, []string{"spec", "postgresql", "parameters"}},
		{"postgresql.k8s.enterprisedb.io/v1", "Cluster", map[string]any{"instances": int64(1)}, []string{"spec", "postgresql", "parameters"}},
	},
	"crunchy": {
		{"postgres-operator.crunchydata.com/v1beta1", "PostgresCluster", map[string]any{"postgresVersion": int64(17)}, []string{"spec", "config", "parameters"}},
		{"postgres-operator.crunchydata.com/v1", "PostgresCluster", map[string]any{"postgresVersion": int64(17)}, []string{"spec", "patroni", "dynamicConfiguration", "postgresql", "parameters"}},
	},
	"percona": {
		{"pgv2.percona.com/v2", "PerconaPGCluster", map[string]any{"postgresVersion": int64(17)}, []string{"spec", "patroni", "dynamicConfiguration", "postgresql", "parameters"}},
	},
	"zalando": {
		{"acid.zalan.do/v1", "postgresql", map[string]any{"numberOfInstances": int64(2)}, []string{"spec", "postgresql", "parameters"}},
	},
}

func (s shape) object(name string, parameters map[string]any, more map[string]any) *unstructured.Unstructured {
	object := &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{}}}
	object.SetAPIVersion(s.apiVersion)
	object.SetKind(s.kind)
	object.SetName(name)
	object.SetNamespace(celNamespace)
	for key, value := range s.spec {
		_ = unstructured.SetNestedField(object.Object, value, "spec", key)
	}
	for path, value := range more {
		_ = unstructured.SetNestedField(object.Object, value, strings.Split(path, ".")...)
	}
	if parameters != nil {
		_ = unstructured.SetNestedField(object.Object, parameters, s.parameters...)
	}
	return object
}

// The parameters that twins read, all with one value in an object.
var switches = []string{
	"fsync", "data_sync_retry", "ignore_checksum_failure", "ignore_invalid_pages", "zero_damaged_pages", "autovacuum", "track_counts",
	"synchronous_commit",
}

func switched(value any) map[string]any {
	all := map[string]any{}
	for _, name := range switches {
		all[name] = value
	}
	return all
}

// values are spellings of booleans and of what is none.
var values = []any{
	"on", "off", "ON", "Off", "o", "of", "OF", "f", "F", "fa", "fal", "fals", "false", "FALSE", "n", "no", "NO", "nO", "0", "00", "-0", "1", "2", "t",
	"T", "tr", "tru", "true", "True", "y", "ye", "yes", "YES", "local", "Local", "remote_write", "remote_apply", " off", "off ", "'off'", "0.0",
	"", "\u0130", "offf", true, false, int64(0), int64(1), int64(2), int64(-1), 0.5, 1.0, nil, []any{}, []any{"off"}, map[string]any{}, map[string]any{"off": "off"},
}

// spelledObjects are clusters of every operator with parameters in every spelling, in every place.
func spelledObjects() map[string]*unstructured.Unstructured {
	all := map[string]*unstructured.Unstructured{}
	for operator, shapes := range clusters {
		for i, shape := range shapes {
			add := func(parameters map[string]any, more map[string]any) {
				name := fmt.Sprintf("%s-%d-%d", operator, i, len(all))
				all[name] = shape.object(name, parameters, more)
			}
			add(nil, nil)
			for _, value := range values {
				add(switched(value), nil)
				upper := map[string]any{}
				for _, name := range switches {
					upper[strings.ToUpper(name)] = value
				}
				add(upper, nil)
			}
			// Of two spellings the last counts, whatever it holds.
			for _, value := range []any{"on", "off", nil, []any{}} {
				add(map[string]any{"fsync": value, "FSYNC": "off", "Fsync": "on"}, nil)
				add(map[string]any{"fsync": value, "FSYNC": "on", "Fsync": "off"}, nil)
				add(map[string]any{"fsync ": "off", "fsync": value, "f\u0131sync": "off"}, nil)
			}
			for _, more := range extras[operator] {
				add(nil, more)
				for _, value := range []any{"on", "off", "local", "false"} {
					add(switched(value), more)
				}
			}
		}
	}
	return all
}

// extras are other fields that twins read, by path.
var extras = map[string][]map[string]any{
	"cnpg": {
		{"spec.minSyncReplicas": int64(1), "spec.maxSyncReplicas": int64(1)},
		{"spec.minSyncReplicas": int64(0)},
		{"spec.postgresql.synchronous": map[string]any{"method": "any", "number": int64(1)}},
		{"spec.bootstrap.initdb.options": []any{"-c", "fsync=off", "--set", "zero_damaged_pages=on"}},
		{"spec.bootstrap.initdb.options": []any{"-cfsync=off", "--set=track-counts=off", "--se=autovacuum=no", "--data-checksums"}},
		{"spec.bootstrap.initdb.options": []any{"-c", "fsync=off", "-c", "FSYNC = on", "--set= autovacuum =off "}},
		{"spec.bootstrap.initdb.options": []any{"--set autovacuum=off", "-c", "-c", "=off", "fsync=off", "--set=fsync"}},
		{"spec.bootstrap.initdb.options": []any{"-c", "fsync=off "}},
		{"spec.bootstrap.initdb.options": []any{"-c", "synchronous_commit=local"}, "spec.minSyncReplicas": int64(1)},
		{"spec.bootstrap.initdb.options": []any{"-c", "fsync=off"}, "spec.bootstrap.recovery": map[string]any{"source": "x"}},
		{"spec.bootstrap.initdb.options": []any{"-c", "fsync=off"}, "spec.bootstrap.pg_basebackup": map[string]any{"source": "x"}},
		{"spec.backup.volumeSnapshot.snapshotOwnerReference": "cluster"},
		{"spec.backup.volumeSnapshot.snapshotOwnerReference": "backup"},
		{"spec.backup.volumeSnapshot.className": "fast"},
		{"spec.postgresql.synchronous": map[string]any{"method": "any", "number": int64(1), "dataDurability": "preferred", "failoverQuorum": true},
			"spec.probes.startup.type": "streaming", "spec.instances": int64(3)},
		{"spec.postgresql.synchronous": map[string]any{"method": "any", "number": int64(1), "dataDurability": "preferred", "failoverQuorum": false},
			"spec.probes.startup.type": "streaming", "spec.instances": int64(3)},
		{"spec.postgresql.synchronous": map[string]any{"method": "any", "number": int64(1), "dataDurability": "preferred"},
			"spec.probes.startup.type": "streaming", "spec.instances": int64(3), "metadata.annotations": map[string]any{"cnpg.io/failoverQuorum": "t"}},
		{"spec.postgresql.synchronous": map[string]any{"method": "any", "number": int64(1), "dataDurability": "preferred"},
			"spec.probes.startup.type": "streaming", "spec.instances": int64(3), "metadata.annotations": map[string]any{"k8s.enterprisedb.io/failoverQuorum": "true"}},
		{"spec.postgresql.synchronous": map[string]any{"method": "any", "number": int64(1), "dataDurability": "preferred", "failoverQuorum": true},
			"spec.probes.startup.type": "streaming", "spec.instances": int64(1)},
		{"spec.resources": map[string]any{"requests": map[string]any{"cpu": "1"}}},
		{"spec.resources": map[string]any{"limits": map[string]any{"cpu": "1"}}},
		{"spec.resources": map[string]any{"requests": map[string]any{"memory": "1Gi"}}},
		{"spec.resources": map[string]any{"requests": map[string]any{"cpu": "1"}, "limits": map[string]any{"memory": "1Gi"}}},
		{"spec.resources": map[string]any{}},
	},
	"crunchy": {
		{"spec.patroni.dynamicConfiguration": map[string]any{"synchronous_mode": true}},
		{"spec.patroni.dynamicConfiguration": map[string]any{"postgresql": "none"}},
		{"spec.patroni.dynamicConfiguration": map[string]any{"postgresql": map[string]any{"parameters": switched("on")}}},
		{"spec.patroni.dynamicConfiguration": map[string]any{"postgresql": map[string]any{"parameters": switched("off")}}},
		{"spec.patroni.dynamicConfiguration": map[string]any{"postgresql": map[string]any{"parameters": []any{"fsync"}}}},
	},
	"percona": {
		{"metadata.finalizers": []any{"percona.com/delete-backups"}},
		{"metadata.finalizers": []any{"percona.com/delete-pvc"}},
		{"metadata.finalizers": []any{"percona.com/delete-pvc"}, "spec.backups.pgbackrest.repos": []any{map[string]any{"name": "repo1"}}},
		{"metadata.finalizers": []any{"percona.com/delete-pvc"}, "spec.backups.pgbackrest.repos": []any{map[string]any{"name": "repo1"}}, "spec.backups.enabled": false},
		{"metadata.finalizers": []any{"percona.com/delete-pvc"}, "spec.backups.pgbackrest.repos": []any{}},
		{"metadata.finalizers": []any{"percona.com/delete-ssl"}},
		{"spec.patroni.dynamicConfiguration": map[string]any{"synchronous_mode": true}},
	},
	"zalando": {
		{"spec.patroni.synchronous_mode": true},
		{"spec.patroni.synchronous_mode": false},
		{"spec.patroni.initdb": map[string]any{"set": "fsync=off", "encoding": "UTF8"}},
		{"spec.patroni.initdb": map[string]any{"se": "fsync=off", "set": "fsync=on"}},
		{"spec.patroni.initdb": map[string]any{"se": "fsync=on", "set": "fsync=off"}},
		{"spec.patroni.initdb": map[string]any{"data-checksums": "true", "locale": "C"}},
	},
}

// change is what becomes of an object that is there.
type change struct {
	name        string
	old, object *unstructured.Unstructured
}

// changedObjects are changes of clusters with faults and without into others.
func changedObjects() []change {
	states := map[string]map[string]any{
		"none": nil, "good": switched("on"), "bad": switched("off"), "half": {"zero_damaged_pages": "on", "autovacuum": "off"},
		"other": {"ignore_invalid_pages": "on", "track_counts": "off", "fsync": "off"},
	}
	states["good"]["zero_damaged_pages"], states["bad"]["zero_damaged_pages"] = "off", "on"
	states["good"]["ignore_invalid_pages"], states["bad"]["ignore_invalid_pages"] = "off", "on"
	states["good"]["ignore_checksum_failure"], states["bad"]["ignore_checksum_failure"] = "off", "on"
	states["good"]["data_sync_retry"], states["bad"]["data_sync_retry"] = "off", "on"
	var all []change
	for operator, shapes := range clusters {
		for i, shape := range shapes {
			for _, before := range slices.Sorted(maps.Keys(states)) {
				for _, after := range slices.Sorted(maps.Keys(states)) {
					name := fmt.Sprintf("%s-%d-%s-%s", operator, i, before, after)
					all = append(all, change{
						name:   name,
						old:    shape.object(name, states[before], nil),
						object: shape.object(name, states[after], map[string]any{"metadata.labels": map[string]any{"changed": "yes"}}),
					})
				}
			}
		}
	}
	return all
}

// manifests are all objects of the repository's fixtures and examples, moved to one namespace.
func manifests(t *testing.T) map[string]*unstructured.Unstructured {
	t.Helper()
	all := map[string]*unstructured.Unstructured{}
	for _, directory := range []string{"rules", "examples", "tests/incidents", "tests/healthy"} {
		err := filepath.WalkDir(filepath.Join(repository, directory), func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || filepath.Ext(path) != ".yaml" {
				return err
			}
			content, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			for i, document := range strings.Split(string(content), "\n---") {
				object := &unstructured.Unstructured{}
				if yaml.Unmarshal([]byte(document), &object.Object) != nil || object.Object["spec"] == nil || object.GetKind() == "" {
					continue
				}
				if _, ok := object.Object["metadata"].(map[string]any); !ok {
					continue
				}
				object.SetName(fmt.Sprintf("manifest-%d", len(all)))
				object.SetNamespace(celNamespace)
				object.SetGenerateName("")
				all[fmt.Sprintf("%s %d", path, i)] = object
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return all
}

func policyOf(policies []*policy, object *unstructured.Unstructured) *policy {
	group := object.GroupVersionKind().Group
	for _, policy := range policies {
		for _, shape := range clusters[policy.name] {
			if shape.kind == object.GetKind() && strings.HasPrefix(shape.apiVersion, group+"/") {
				return policy
			}
		}
	}
	return nil
}

func (v verdict) among(checks []string) verdict {
	keep := func(ids []string) []string {
		return slices.DeleteFunc(ids, func(id string) bool { return !slices.Contains(checks, id) })
	}
	return verdict{keep(v.denied), keep(v.warned)}
}

// asker asks walguard and the API server about an object.
type asker struct {
	c      *cluster
	client *http.Client
	host   string
}

func newAsker(t *testing.T, c *cluster, config *rest.Config) *asker {
	t.Helper()
	sender, err := rest.HTTPClientFor(config)
	if err != nil {
		t.Fatal(err)
	}
	address, _, err := rest.DefaultServerUrlFor(config)
	if err != nil {
		t.Fatal(err)
	}
	return &asker{c, sender, strings.TrimSuffix(address.String(), "/")}
}

// walguard is the verdict of /validate, and why there is none.
func (a *asker) walguard(t *testing.T, object, old *unstructured.Unstructured) (verdict, string) {
	t.Helper()
	gvk := object.GroupVersionKind()
	request := map[string]any{
		"uid": uid, "kind": map[string]any{"group": gvk.Group, "version": gvk.Version, "kind": gvk.Kind},
		"resource":  map[string]any{"group": gvk.Group, "version": gvk.Version, "resource": a.mapping(t, object).Resource.Resource},
		"namespace": object.GetNamespace(), "name": object.GetName(), "operation": "CREATE",
		"userInfo": map[string]any{"username": "admin"}, "object": object.Object,
	}
	if old != nil {
		request["operation"], request["oldObject"] = "UPDATE", old.Object
	}
	body, err := json.Marshal(map[string]any{"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": request})
	if err != nil {
		t.Fatal(err)
	}
	answer, err := a.c.walguard.client.Post(a.c.walguard.validate, "application/json", bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	var review struct {
		Response struct{ AuditAnnotations map[string]string }
	}
	if err := json.NewDecoder(answer.Body).Decode(&review); err != nil {
		t.Fatal(err)
	}
	said := review.Response.AuditAnnotations
	ids := func(severity string) []string {
		return slices.DeleteFunc(strings.Split(said[severity], ","), func(id string) bool { return id == "" })
	}
	return verdict{ids("error"), ids("warning")}, said["not-judged"]
}

func (a *asker) mapping(t *testing.T, object *unstructured.Unstructured) *meta.RESTMapping {
	t.Helper()
	gvk := object.GroupVersionKind()
	mapping, err := a.c.api.RESTMapper().RESTMapping(gvk.GroupKind(), gvk.Version)
	if err != nil {
		t.Fatal(err)
	}
	return mapping
}

var refusal = regexp.MustCompile(`'walguard-[a-z]+-(errors|warnings)' with binding '[^']*':? ?(?:denied request)?: ([a-z]+/[a-z_]+)`)

// send creates an object, or changes it, without doing so; what the API server says of it, and its warnings.
func (a *asker) send(t *testing.T, object, old *unstructured.Unstructured) (status int, text string, warnings []string) {
	t.Helper()
	resource := a.mapping(t, object).Resource
	address := fmt.Sprintf("%s/apis/%s/%s/namespaces/%s/%s", a.host, resource.Group, resource.Version, object.GetNamespace(), resource.Resource)
	method := http.MethodPost
	sent := object
	if old != nil {
		address += "/" + object.GetName()
		method = http.MethodPut
		sent = object.DeepCopy()
		sent.SetResourceVersion(old.GetResourceVersion())
	}
	body, err := sent.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	request, err := http.NewRequestWithContext(t.Context(), method, address+"?dryRun=All&fieldValidation=Ignore", bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	answer, err := a.client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	content, err := io.ReadAll(answer.Body)
	if err != nil && !errors.Is(err, io.EOF) {
		t.Fatal(err)
	}
	return answer.StatusCode, string(content), answer.Header.Values("Warning")
}

// policies is the verdict of the policies, whose bindings only warn; nil for what is no object.
func (a *asker) policies(t *testing.T, object, old *unstructured.Unstructured) *verdict {
	t.Helper()
	status, text, warnings := a.send(t, object, old)
	if status >= 300 {
		if strings.Contains(text, "ValidatingAdmissionPolicy") {
			t.Errorf("%s", text)
		}
		return nil
	}
	found := map[string]map[string]bool{"errors": {}, "warnings": {}}
	for _, warning := range warnings {
		if said := refusal.FindStringSubmatch(warning); said != nil {
			found[said[1]][said[2]] = true
		} else if strings.Contains(warning, "ValidatingAdmissionPolicy") {
			t.Errorf("%s: %s", object.GetName(), warning)
		}
	}
	return &verdict{slices.Sorted(maps.Keys(found["errors"])), slices.Sorted(maps.Keys(found["warnings"]))}
}

// waitFor waits until every policy of an operator is at work.
func (a *asker) waitFor(t *testing.T, policy *policy, name, value string) {
	t.Helper()
	object := clusters[policy.name][0].object("waiting", map[string]any{name: value, "synchronous_commit": "off"}, nil)
	for deadline := time.Now().Add(startTimeout); ; time.Sleep(100 * time.Millisecond) {
		if said := a.policies(t, object, nil); said != nil && len(said.denied) > 0 && len(said.warned) > 0 {
			return
		} else if time.Now().After(deadline) {
			t.Fatalf("%s: not at work after a minute: %+v", policy.name, said)
		}
	}
}

// waitForDenial waits until the binding as it is shipped denies, and shows what it says.
func (a *asker) waitForDenial(t *testing.T, policy *policy) {
	t.Helper()
	object := clusters[policy.name][0].object("denied", map[string]any{"fsync": "off"}, nil)
	for deadline := time.Now().Add(startTimeout); ; time.Sleep(100 * time.Millisecond) {
		status, text, _ := a.send(t, object, nil)
		if status == http.StatusUnprocessableEntity && strings.Contains(text, "durability/fsync: PostgreSQL does not wait for the disk.") {
			return
		} else if time.Now().After(deadline) {
			t.Fatalf("%s: not denied after a minute: %d %s", policy.name, status, text)
		}
	}
}

package admission

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"
)

// attack is a case of tests/adversary/cases: objects by name, and what somebody does with them (adversary_test.rego documents it).
type attack struct {
	Objects map[string]map[string]any
	Runs    []attempt
}

// attempt is one thing somebody does, and what becomes of it.
type attempt struct {
	As                     string
	Old, New, User, Now    string
	Was, Changes, Policy   map[string]any
	Among                  []string
	Files                  bool
	Denied, Warned, Silent []string
}

// What a test cannot write on an API server: the time of a case, and a policy of its own. What depends on the time when something
// happened is shown by evidence_test.go, with objects of now.
var attackFiles = []string{"owner/*", "parameters/*", "evidence/beside"}

// attackCases are the cases of the adversary, by "area/name".
func attackCases(t *testing.T) map[string]attack {
	t.Helper()
	all := map[string]attack{}
	for _, pattern := range attackFiles {
		files, err := filepath.Glob(filepath.Join(repository, "tests/adversary/cases", pattern+".yaml"))
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: no cases (%v)", pattern, err)
		}
		for _, file := range files {
			content, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var cases map[string]attack
			if err := yaml.Unmarshal(content, &cases); err != nil {
				t.Fatalf("%s: %v", file, err)
			}
			for name, one := range cases {
				all[filepath.Dir(pattern)+"/"+name] = one
			}
		}
	}
	return all
}

// onServer tells the attempts that can be made on an API server.
func (run *attempt) onServer() bool { return !run.Files && run.Policy == nil && run.Now == "" }

// attackCRDs are the CRDs of the kinds that the adversary creates, as far as the rules read them and others have none of the same
// name: without schemas, by what the catalogue says of the kind.
func attackCRDs(t *testing.T, others []*apiextensionsv1.CustomResourceDefinition) []*apiextensionsv1.CustomResourceDefinition {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(repository, "rules/catalogue.json"))
	if err != nil {
		t.Fatal(err)
	}
	var catalogue struct {
		Kinds []struct {
			Group, Kind, Plural string
			Versions            []string
			Namespaced          bool
		}
	}
	if err := yaml.Unmarshal(content, &catalogue); err != nil {
		t.Fatal(err)
	}
	created := map[string]bool{}
	for _, one := range attackCases(t) {
		for _, run := range one.Runs {
			if !run.onServer() {
				continue
			}
			for _, name := range append([]string{run.New, run.Old}, run.Among...) {
				if object := one.Objects[name]; object != nil {
					group, _, _ := strings.Cut(fmt.Sprint(object["apiVersion"]), "/")
					created[fmt.Sprintf("%v.%s", object["kind"], group)] = true
				}
			}
		}
	}
	known := map[string]bool{}
	for _, crd := range others {
		known[crd.Name] = true
	}
	var crds []*apiextensionsv1.CustomResourceDefinition
	for _, kind := range catalogue.Kinds {
		name := kind.Plural + "." + kind.Group
		// The API server brings its own groups itself.
		own := !strings.Contains(kind.Group, ".") || strings.HasSuffix(kind.Group, ".k8s.io")
		if own || known[name] || !created[kind.Kind+"."+kind.Group] {
			continue
		}
		known[name] = true
		crd := &apiextensionsv1.CustomResourceDefinition{}
		crd.Name = name
		crd.Spec.Group = kind.Group
		crd.Spec.Names = apiextensionsv1.CustomResourceDefinitionNames{
			Kind: kind.Kind, ListKind: kind.Kind + "List", Plural: kind.Plural, Singular: strings.ToLower(kind.Kind),
		}
		crd.Spec.Scope = apiextensionsv1.ClusterScoped
		if kind.Namespaced {
			crd.Spec.Scope = apiextensionsv1.NamespaceScoped
		}
		anything := true
		for i, version := range kind.Versions {
			crd.Spec.Versions = append(crd.Spec.Versions, apiextensionsv1.CustomResourceDefinitionVersion{
				Name: version, Served: true, Storage: i == 0,
				Schema: &apiextensionsv1.CustomResourceValidation{
					OpenAPIV3Schema: &apiextensionsv1.JSONSchemaProps{Type: "object", XPreserveUnknownFields: &anything},
				},
			})
		}
		crds = append(crds, crd)
	}
	return crds
}

// attacks does what the cases of the adversary do, as the users that they name, and expects what the rules alone say.
func attacks(t *testing.T, c *cluster) {
	var all []*staged
	cases := attackCases(t)
	for _, name := range slices.Sorted(maps.Keys(cases)) {
		for i, run := range cases[name].Runs {
			if run.onServer() {
				id := fmt.Sprintf("%s/%d %s", name, i, run.As)
				all = append(all, stage(t, c, id, fmt.Sprintf("attack-%d", len(all)), cases[name].Objects, run))
			}
		}
	}
	t.Logf("%d attempts", len(all))
	// walguard learns of what is there a moment later.
	time.Sleep(2 * time.Second)
	for _, one := range all {
		t.Run(one.id, one.try)
	}
}

// bring creates an object. One that is being deleted is deleted then, and a finalizer keeps it.
func bring(t *testing.T, api client.Client, object *unstructured.Unstructured) {
	t.Helper()
	doomed := object.GetDeletionTimestamp() != nil
	unstructured.RemoveNestedField(object.Object, "metadata", "deletionTimestamp")
	object.SetUID("")
	create(t, api, object)
	if !doomed {
		return
	}
	if err := api.Delete(t.Context(), object); err != nil {
		t.Fatal(err)
	}
	if err := api.Get(t.Context(), client.ObjectKeyFromObject(object), object); err != nil {
		t.Fatalf("what a finalizer keeps is gone: %v", err)
	}
}

// staged is an attempt in a namespace of its own, with what is there before.
type staged struct {
	id     string
	run    attempt
	change func(*testing.T) (error, []string)
}

func stage(t *testing.T, c *cluster, id, namespace string, objects map[string]map[string]any, run attempt) *staged {
	t.Helper()
	// Whoever brings the objects in is exempted: that they are there is where the case begins.
	exempted, _ := as(t, c, "tests:stage", "system:masters", "tests:exempted")
	space := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"name": namespace}}}
	create(t, exempted, space)

	// Classes have no namespace: those of a case get the name of its own.
	names := map[string]string{"shop": namespace}
	for _, object := range objects {
		if object["kind"] == "StorageClass" {
			name := object["metadata"].(map[string]any)["name"].(string)
			names[name] = name + "-" + namespace
		}
	}
	// The API server gives uids; references to those of a case lead to what it made.
	uids := map[string]string{}
	build := func(name string, changes map[string]any) *unstructured.Unstructured {
		object := renamed(merged(objects[name], changes), names).(map[string]any)
		return complete(&unstructured.Unstructured{Object: object}, uids)
	}
	for _, name := range run.Among {
		object := build(name, nil)
		uid := object.GetUID()
		bring(t, exempted, object)
		if uid != "" {
			uids[string(uid)] = string(object.GetUID())
		}
	}
	var current *unstructured.Unstructured
	if run.Old != "" {
		current = build(run.Old, run.Was)
		bring(t, exempted, current)
	}

	user := strings.ReplaceAll(run.User, ":shop:", ":"+namespace+":")
	if user == "" {
		user = "jane"
	}
	api, warnings := as(t, c, user, "system:masters")
	change := func(t *testing.T) (error, []string) {
		warnings.reset()
		object := build(run.New, run.Changes)
		if current == nil {
			object.SetUID("")
			return api.Create(t.Context(), object, client.DryRunAll), warnings.all()
		}
		object.SetUID(current.GetUID())
		object.SetResourceVersion(current.GetResourceVersion())
		object.SetCreationTimestamp(current.GetCreationTimestamp())
		object.SetDeletionTimestamp(current.GetDeletionTimestamp())
		return api.Update(t.Context(), object, client.DryRunAll), warnings.all()
	}
	return &staged{id, run, change}
}

var check = regexp.MustCompile(`\b([a-z]+/[a-z_]+)(?: at |: )`)

func checks(text string) []string {
	var found []string
	for _, match := range check.FindAllStringSubmatch(text, -1) {
		found = append(found, match[1])
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// try expects what the case says, as soon as walguard has seen what there is.
func (s *staged) try(t *testing.T) {
	var last string
	for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline); time.Sleep(200 * time.Millisecond) {
		err, warnings := s.change(t)
		last = fmt.Sprintf("%v, warnings %q", err, warnings)
		var denied []string
		if err != nil {
			if !strings.Contains(err.Error(), "denied the request") {
				t.Fatalf("not walguard's: %v", err)
			}
			denied = checks(err.Error())
		}
		warned := append(checks(strings.Join(warnings, "\n")), denied...)
		missing := slices.ContainsFunc(s.run.Warned, func(check string) bool { return !slices.Contains(warned, check) })
		loud := slices.ContainsFunc(s.run.Silent, func(check string) bool { return slices.Contains(warned, check) })
		if slices.Equal(denied, slices.Sorted(slices.Values(s.run.Denied))) && !missing && !loud {
			return
		}
	}
	t.Errorf("want denied %v, warned %v; got %s", s.run.Denied, s.run.Warned, last)
}

// merged is `changes` laid over an object: maps are joined, everything else is replaced.
func merged(object, changes map[string]any) map[string]any {
	all := maps.Clone(object)
	for key, value := range changes {
		below, isMap := value.(map[string]any)
		if there, both := all[key].(map[string]any); both && isMap {
			all[key] = merged(there, below)
		} else {
			all[key] = value
		}
	}
	return all
}

// Where names stand.
var nameKeys = []string{"name", "namespace", "storageClass", "storageClassName", "volume.beta.kubernetes.io/storage-class"}

// renamed is a value with other names in place of some.
func renamed(value any, names map[string]string) any {
	switch value := value.(type) {
	case []any:
		all := make([]any, len(value))
		for i := range value {
			all[i] = renamed(value[i], names)
		}
		return all
	case map[string]any:
		all := map[string]any{}
		for key := range value {
			text, _ := value[key].(string)
			if name, known := names[text]; known && slices.Contains(nameKeys, key) {
				all[key] = name
			} else {
				all[key] = renamed(value[key], names)
			}
		}
		return all
	}
	return value
}

// complete adds what Kubernetes wants of a workload and the cases leave out, and leads references to what there is.
func complete(object *unstructured.Unstructured, uids map[string]string) *unstructured.Unstructured {
	references := object.GetOwnerReferences()
	for i, reference := range references {
		if uid, known := uids[string(reference.UID)]; known {
			references[i].UID = types.UID(uid)
		}
	}
	if len(references) > 0 {
		object.SetOwnerReferences(references)
	}
	if object.GetAPIVersion() == "apps/v1" {
		labels := map[string]any{"app": "db"}
		_ = unstructured.SetNestedMap(object.Object, labels, "spec", "selector", "matchLabels")
		_ = unstructured.SetNestedMap(object.Object, labels, "spec", "template", "metadata", "labels")
	}
	return object
}

// warnings collects what the API server says beside its answers.
type warnings struct {
	sync.Mutex
	texts []string
}

func (w *warnings) HandleWarningHeader(_ int, _ string, text string) {
	w.Lock()
	defer w.Unlock()
	w.texts = append(w.texts, text)
}

func (w *warnings) reset() {
	w.Lock()
	defer w.Unlock()
	w.texts = nil
}

func (w *warnings) all() []string {
	w.Lock()
	defer w.Unlock()
	return slices.Clone(w.texts)
}

// as is a client that acts as somebody else, and what it is warned of.
func as(t *testing.T, c *cluster, user string, groups ...string) (client.Client, *warnings) {
	t.Helper()
	heard := &warnings{}
	config := rest.CopyConfig(c.env.Config)
	config.Impersonate = rest.ImpersonationConfig{UserName: user, Groups: groups}
	config.WarningHandler = heard
	api, err := client.New(config, client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return api, heard
}

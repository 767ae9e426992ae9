package admission

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/dynamic"
)

// refusedUnseen are manifests that an API server without the operators' webhooks refuses, or one with the operators' newest definitions
// alone, and why nothing has to be said of them.
var refusedUnseen = map[string]string{
	"tests/healthy/cnpg-sync-with-outside-standby.yaml":               "the operator's webhook fills in dataDurability before the definition's rule reads it",
	"tests/healthy/cnpg-words-with-defaults.yaml":                     "a name is filled in later",
	"tests/healthy/crunchy-scaffold-of-a-generator.yaml":              "a name is filled in later",
	"tests/healthy/zalando-patch-of-a-few-fields.yaml":                "what Kustomize merges with the rest",
	"tests/incidents/zalando-sidecar-of-all-without-volume/bad.yaml":  "the definition of one release has a map for the list of sidecars",
	"tests/incidents/zalando-sidecar-of-all-without-volume/good.yaml": "the definition of one release has a map for the list of sidecars",
}

// claim is said of objects themselves; the pods, Deployments and Jobs that somebody makes of them are made by nobody here.
var claim = regexp.MustCompile(`API server refuses (this resource|the resource|the object)[:.]`)

// TestRefusals compares what walguard says the API server refuses with what an API server with the operators' own definitions refuses, of
// every object of the incidents and of the healthy manifests: what it is said to refuse it refuses, and what it refuses is an error.
func TestRefusals(t *testing.T) {
	shared := os.Getenv("WALGUARD_SHARED")
	if shared == "" {
		t.Skip("WALGUARD_SHARED names no directory with the operators' CRDs")
	}
	c, env := startControlPlane(t, readCRDs(t, filepath.Join(shared, "crds")))
	sender, err := dynamic.NewForConfig(env.Config)
	if err != nil {
		t.Fatal(err)
	}
	namespace := &unstructured.Unstructured{}
	namespace.SetAPIVersion("v1")
	namespace.SetKind("Namespace")
	namespace.SetName(celNamespace)
	create(t, c.api, namespace)

	binary := walguardBinary(t)
	var files []string
	for _, pattern := range []string{"tests/incidents/*/bad.yaml", "tests/incidents/*/good.yaml", "tests/healthy/*.yaml"} {
		found, err := filepath.Glob(filepath.Join(repository, pattern))
		if err != nil || len(found) == 0 {
			t.Fatalf("%s: %v, %v", pattern, found, err)
		}
		files = append(files, found...)
	}
	claimed, refused, asked := 0, 0, 0
	for _, path := range files {
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		file, err := filepath.Rel(repository, path)
		if err != nil {
			t.Fatal(err)
		}
		var refusals []string
		for _, object := range objects(t, path, content) {
			if refusal, known := refusalOf(t, c, sender, object); known {
				asked++
				if refusal != "" {
					refusals = append(refusals, refusal)
				}
			}
		}
		said := errorsOf(t, binary, path)
		claims := slices.ContainsFunc(said, claim.MatchString)
		if claims {
			claimed++
		}
		if len(refusals) > 0 {
			refused++
		}
		switch {
		case claims && len(refusals) == 0:
			t.Errorf("%s: the API server takes what walguard says it refuses: %q", file, said)
		case len(refusals) > 0 && len(said) == 0 && refusedUnseen[file] == "":
			t.Errorf("%s: no error, and the API server refuses it: %s", file, strings.Join(refusals, "\n"))
		case len(refusals) == 0 && refusedUnseen[file] != "":
			t.Errorf("%s: the API server takes it; refusedUnseen says that it does not", file)
		}
	}
	for _, file := range slices.Sorted(maps.Keys(refusedUnseen)) {
		if !slices.Contains(files, filepath.Join(repository, file)) {
			t.Errorf("%s: refusedUnseen names it, and there is no such file", file)
		}
	}
	if claimed == 0 || refused == 0 {
		t.Errorf("%d claims and %d refusals: nothing was compared", claimed, refused)
	}
	t.Logf("%d files with %d objects: walguard says of %d that the API server refuses them, and it refuses %d", len(files), asked, claimed, refused)
}

// refusalOf is why the API server does not take an object, "" where it does; false where it does not know the kind.
func refusalOf(t *testing.T, c *cluster, sender dynamic.Interface, object *unstructured.Unstructured) (string, bool) {
	t.Helper()
	gvk := object.GroupVersionKind()
	mapping, err := c.api.RESTMapper().RESTMapping(gvk.GroupKind(), gvk.Version)
	switch {
	case err != nil && slices.Contains([]string{"apps", "batch", "extensions", "policy"}, gvk.Group):
		return err.Error(), true
	case err != nil:
		return "", false
	}
	var of dynamic.ResourceInterface = sender.Resource(mapping.Resource)
	if mapping.Scope.Name() == meta.RESTScopeNameNamespace {
		if _, ok := object.Object["metadata"].(map[string]any); ok {
			object.SetNamespace(celNamespace)
		}
		of = sender.Resource(mapping.Resource).Namespace(celNamespace)
	}
	_, err = of.Create(t.Context(), object, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
	if err != nil {
		return fmt.Sprintf("%s %s: %v", gvk.Kind, object.GetName(), err), true
	}
	return "", true
}

// errorsOf is what walguard finds wrong in a file by itself, of severity error.
func errorsOf(t *testing.T, binary, path string) []string {
	t.Helper()
	output, err := exec.Command(binary, "lint", "-o", "json", path).Output()
	// Findings make it fail.
	var report struct {
		Findings []struct{ Severity, Message string }
	}
	if json.Unmarshal(output, &report) != nil {
		t.Fatalf("walguard lint %s: %v", path, err)
	}
	var said []string
	for _, finding := range report.Findings {
		if finding.Severity == "error" {
			said = append(said, finding.Message)
		}
	}
	return said
}

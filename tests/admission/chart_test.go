package admission

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/discovery"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// kinds of other projects, which this API server does not serve
var foreign = []string{"monitoring.coreos.com/", "cert-manager.io/"}

// TestChart shows that the API server takes everything that the chart renders with the values of ci/: each field exists, has
// the right type and a value that is valid; Pods pass the restricted Pod Security Standard. kubeconform, with the schemas
// of this API server, says the same without one.
func TestChart(t *testing.T) {
	c, env := startControlPlane(t, readCRDs(t, "crds"))
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{
		Name: releaseNamespace, Labels: map[string]string{"pod-security.kubernetes.io/enforce": "restricted"}}}
	// Values name namespaces that their users have.
	monitoring := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "monitoring"}}
	databases := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "databases"}}
	for _, object := range []client.Object{namespace, monitoring, databases} {
		if err := c.api.Create(t.Context(), object); err != nil {
			t.Fatal(err)
		}
	}
	discoverer, err := discovery.NewDiscoveryClientForConfig(env.Config)
	if err != nil {
		t.Fatal(err)
	}
	openapi, err := discoverer.RESTClient().Get().AbsPath("/openapi/v2").Do(t.Context()).Raw()
	if err != nil {
		t.Fatal(err)
	}
	schemas := writeSchemas(t, openapi)
	buildTools(t, "kubeconform")

	values, err := filepath.Glob(filepath.Join(chartDirectory(), "ci/*-values.yaml"))
	if err != nil || len(values) == 0 {
		t.Fatalf("ci/*-values.yaml: %v, %v", values, err)
	}
	for _, file := range values {
		t.Run(strings.TrimSuffix(filepath.Base(file), "-values.yaml"), func(t *testing.T) {
			rendered := filepath.Join(t.TempDir(), "rendered.yaml")
			helm := exec.Command(filepath.Join(c.tools, "helm"), "template", release, chartDirectory(),
				"--namespace", releaseNamespace, "--values", file)
			helm.Stderr = os.Stderr
			out, err := helm.Output()
			if err != nil {
				t.Fatal(err)
			}
			for _, object := range objects(t, file, out) {
				if object.GetKind() == "Deployment" {
					deployment := &appsv1.Deployment{}
					convert(t, object, deployment)
					c.expectPod(t, deployment)
				}
			}
			if err := os.WriteFile(rendered, ofKubernetes(t, file, out), 0o600); err != nil {
				t.Fatal(err)
			}
			c.run(t, "kubectl", "apply", "--server-side", "--dry-run=server", "--validate=strict", "--filename", rendered)
			c.run(t, "kubeconform", "-strict", "-summary", "-schema-location",
				filepath.Join(schemas, "{{.ResourceKind}}{{.KindSuffix}}.json"), rendered)
		})
	}
}

// TestChartVersions renders the chart for every minor version of Kubernetes from the oldest it takes, with all values of ci/, and compares
// it with the schemas of that version: no field that an API server of that age does not know.
func TestChartVersions(t *testing.T) {
	tools := buildTools(t, "helm", "kubeconform", "kubernetes-schemas")
	schemas, err := filepath.Glob(filepath.Join(tools, "kubernetes-schemas", "v1.*-local-strict"))
	if err != nil {
		t.Fatal(err)
	}
	values, err := filepath.Glob(filepath.Join(chartDirectory(), "ci/*-values.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	tried := 0
	for _, directory := range schemas {
		version := strings.TrimSuffix(filepath.Base(directory), "-local-strict")
		if minor, err := strconv.Atoi(strings.Split(version, ".")[1]); err != nil || minor < 27 {
			continue
		}
		tried++
		t.Run(version, func(t *testing.T) {
			rendered := t.TempDir()
			for _, file := range values {
				helm := exec.Command(filepath.Join(tools, "helm"), "template", release, chartDirectory(),
					"--namespace", releaseNamespace, "--values", file, "--kube-version", version)
				helm.Stderr = os.Stderr
				out, err := helm.Output()
				if err != nil {
					t.Fatalf("%s: %v", file, err)
				}
				if err := os.WriteFile(filepath.Join(rendered, filepath.Base(file)), ofKubernetes(t, file, out), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			kubeconform := exec.Command(filepath.Join(tools, "kubeconform"), "-strict", "-summary",
				"-schema-location", filepath.Join(directory, "{{.ResourceKind}}{{.KindSuffix}}.json"), rendered)
			out, err := kubeconform.CombinedOutput()
			if err != nil {
				t.Errorf("%v\n%s", err, out)
			}
			t.Logf("%d files of values: %s", len(values), bytes.TrimSpace(out))
		})
	}
	if tried < 8 || len(values) < 10 {
		t.Errorf("%d versions with %d files of values", tried, len(values))
	}
}

// ofKubernetes is what is rendered without the kinds of other projects.
func ofKubernetes(t *testing.T, file string, rendered []byte) []byte {
	t.Helper()
	var ours []byte
	for _, object := range objects(t, file, rendered) {
		if slices.ContainsFunc(foreign, func(group string) bool { return strings.HasPrefix(object.GetAPIVersion(), group) }) {
			continue
		}
		document, err := object.MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		ours = fmt.Appendf(ours, "---\n%s\n", document)
	}
	return ours
}

// expectPod creates, without creating it, a Pod as the controller of the Deployment would.
func (c *cluster) expectPod(t *testing.T, deployment *appsv1.Deployment) {
	t.Helper()
	if deployment.Spec.Template.Spec.HostNetwork {
		return // which no standard but privileged allows
	}
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: releaseNamespace, Name: "restricted", Labels: deployment.Spec.Template.Labels},
		Spec:       deployment.Spec.Template.Spec,
	}
	pod.Spec.PriorityClassName = "" // the one of ci/ is not there
	if err := c.api.Create(t.Context(), pod, client.DryRunAll); err != nil {
		t.Errorf("a Pod of the Deployment: %v", err)
	}
}

// run runs a tool, and shows what it prints when it fails.
func (c *cluster) run(t *testing.T, name string, args ...string) {
	t.Helper()
	cmd := c.command(t.Context(), name, args...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil {
		t.Errorf("%s %s: %v\n%s", name, args[0], err, out.String())
	}
}

// writeSchemas turns an OpenAPI document into a directory of JSON schemas, closed, in the layout that kubeconform looks for.
func writeSchemas(t *testing.T, openapi []byte) string {
	t.Helper()
	var document struct {
		Definitions map[string]map[string]any `json:"definitions"`
	}
	if err := json.Unmarshal(openapi, &document); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	write := func(name string, schema any) {
		content, err := json.Marshal(schema)
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, name+".json"), content, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for name, definition := range document.Definitions {
		properties, _ := definition["properties"].(map[string]any)
		if len(properties) > 0 {
			definition["additionalProperties"] = false
		}
		// OpenAPI has no type for what may be a number or a text.
		if definition["format"] == "int-or-string" || strings.HasSuffix(name, ".api.resource.Quantity") {
			delete(definition, "type")
		}
		kinds, _ := definition["x-kubernetes-group-version-kind"].([]any)
		if len(kinds) != 1 || properties["metadata"] == nil {
			continue
		}
		kind := kinds[0].(map[string]any)
		group, _, _ := strings.Cut(kind["group"].(string), ".")
		file := []string{kind["kind"].(string), group, kind["version"].(string)}
		file = slices.DeleteFunc(file, func(part string) bool { return part == "" })
		write(strings.ToLower(strings.Join(file, "-")), map[string]any{"$ref": "definitions.json#/definitions/" + name})
	}
	write("definitions", document)
	return dir
}

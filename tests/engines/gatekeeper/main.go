// Judges reviews as Gatekeeper does: gatekeeper TEMPLATE
//
// A line of standard input is a review: the object, the one before, the operation, the namespace, the other objects that are
// synchronised and the parameters of the Constraint. The line that answers it is {"findings": […]} or {"error": "…"}.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"reflect"

	"github.com/open-policy-agent/frameworks/constraint/pkg/apis"
	"github.com/open-policy-agent/frameworks/constraint/pkg/client"
	"github.com/open-policy-agent/frameworks/constraint/pkg/client/drivers/rego"
	"github.com/open-policy-agent/frameworks/constraint/pkg/client/reviews"
	"github.com/open-policy-agent/gatekeeper/v3/pkg/gator/reader"
	"github.com/open-policy-agent/gatekeeper/v3/pkg/target"
	"github.com/open-policy-agent/gatekeeper/v3/pkg/util"
	admission "k8s.io/api/admission/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"
	"walguard.dev/tests/engines/lines"
)

type review struct {
	Object     json.RawMessage  `json:"object"`
	OldObject  json.RawMessage  `json:"oldObject"`
	Operation  string           `json:"operation"`
	Namespace  string           `json:"namespace"`
	APIVersion string           `json:"apiVersion"`
	Kind       string           `json:"kind"`
	Others     []map[string]any `json:"others"`
	Parameters map[string]any   `json:"parameters"`
}

type answer struct {
	Findings []any  `json:"findings"`
	Error    string `json:"error,omitempty"`
}

type gatekeeper struct {
	client     *client.Client
	kind       string
	parameters map[string]any
}

func main() {
	log.SetFlags(0)
	log.SetPrefix("gatekeeper: ")
	if len(os.Args) != 2 {
		log.Fatal("usage: gatekeeper TEMPLATE")
	}
	gatekeeper, err := start(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	if err := lines.Answer(gatekeeper.answer); err != nil {
		log.Fatal(err)
	}
}

func start(template string) (*gatekeeper, error) {
	text, err := os.ReadFile(template)
	if err != nil {
		return nil, err
	}
	object := &unstructured.Unstructured{}
	if err := yaml.Unmarshal(text, &object.Object); err != nil {
		return nil, err
	}
	driver, err := rego.New()
	if err != nil {
		return nil, err
	}
	c, err := client.NewClient(client.Targets(&target.K8sValidationTarget{}), client.Driver(driver), client.EnforcementPoints(util.GatorEnforcementPoint))
	if err != nil {
		return nil, err
	}
	scheme := runtime.NewScheme()
	if err := apis.AddToScheme(scheme); err != nil {
		return nil, err
	}
	parsed, err := reader.ToTemplate(scheme, object)
	if err != nil {
		return nil, err
	}
	if _, err := c.AddTemplate(context.Background(), parsed); err != nil {
		return nil, err
	}
	kind, _, err := unstructured.NestedString(object.Object, "spec", "crd", "spec", "names", "kind")
	return &gatekeeper{client: c, kind: kind}, err
}

func (g *gatekeeper) answer(line []byte) any {
	findings, err := g.judge(line)
	if err != nil {
		return answer{Error: err.Error()}
	}
	return answer{Findings: findings}
}

func (g *gatekeeper) judge(line []byte) ([]any, error) {
	var r review
	if err := json.Unmarshal(line, &r); err != nil {
		return nil, err
	}
	ctx := context.Background()
	if err := g.constrain(ctx, r.Parameters); err != nil {
		return nil, err
	}
	if _, err := g.client.RemoveData(ctx, target.WipeData()); err != nil {
		return nil, err
	}
	for _, other := range r.Others {
		if _, err := g.client.AddData(ctx, &unstructured.Unstructured{Object: other}); err != nil {
			return nil, fmt.Errorf("data: %w", err)
		}
	}
	gvk := schema.FromAPIVersionAndKind(r.APIVersion, r.Kind)
	request := &admission.AdmissionRequest{
		UID:       "u",
		Kind:      meta.GroupVersionKind{Group: gvk.Group, Version: gvk.Version, Kind: gvk.Kind},
		Namespace: r.Namespace,
		Operation: admission.Operation(r.Operation),
		Object:    runtime.RawExtension{Raw: r.Object},
	}
	if len(r.OldObject) > 0 {
		request.OldObject = runtime.RawExtension{Raw: r.OldObject}
	}
	responses, err := g.client.Review(ctx, &target.AugmentedReview{AdmissionRequest: request}, reviews.EnforcementPoint(util.GatorEnforcementPoint))
	if err != nil {
		return nil, err
	}
	findings := []any{}
	for _, result := range responses.Results() {
		findings = append(findings, result.Metadata["details"])
	}
	return findings, nil
}

// constrain makes the one Constraint there is have these parameters.
func (g *gatekeeper) constrain(ctx context.Context, parameters map[string]any) error {
	if g.parameters != nil && reflect.DeepEqual(g.parameters, parameters) {
		return nil
	}
	constraint := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "constraints.gatekeeper.sh/v1beta1",
		"kind":       g.kind,
		"metadata":   map[string]any{"name": "all"},
		"spec":       map[string]any{"parameters": parameters},
	}}
	_, err := g.client.AddConstraint(ctx, constraint)
	g.parameters = parameters
	return err
}

// Package node installs the chart on a real node and disturbs it, while admission reviews go on: no verdict may be wrong, and with two
// replicas none may be missing. Started by ./run, inside the node's namespaces.
package node

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
)

const (
	repository = "../.."
	release    = "walguard"
	namespace  = "walguard-system"
	selector   = "app.kubernetes.io/name=walguard"
	workers    = 4 // clients at a time
	patience   = 180 * time.Second
)

var clusters = schema.GroupVersionResource{Group: "postgresql.cnpg.io", Version: "v1", Resource: "clusters"}

// node is the one-node Kubernetes that ./node brought up.
type node struct {
	reviews dynamic.Interface // without a limit of its own
	api     *kubernetes.Clientset
}

func connect(t *testing.T) node {
	t.Helper()
	kubeconfig := os.Getenv("KUBECONFIG")
	if os.Getenv("WALGUARD_IMAGE") == "" || kubeconfig == "" {
		t.Skip("runs on the node that tests/node/run brings up")
	}
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		t.Fatal(err)
	}
	config.QPS = -1
	reviews, err := dynamic.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	api, err := kubernetes.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	return node{reviews: reviews, api: api}
}

// command runs a tool and returns what it printed; the test ends when it fails.
func command(t *testing.T, name string, args ...string) string {
	t.Helper()
	out, err := attempt(t.Context(), name, args...)
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return out
}

func attempt(ctx context.Context, name string, args ...string) (string, error) {
	command := exec.CommandContext(ctx, name, args...)
	command.Dir = repository
	out, err := command.CombinedOutput()
	return strings.TrimSpace(string(out)), err
}

// helm installs or upgrades the chart, from the root of the repository, with the image that the node has.
func helm(t *testing.T, values ...string) {
	t.Helper()
	args := []string{"upgrade", "--install", release, ".", "--namespace", namespace, "--wait", "--timeout", patience.String(),
		"--set", "replicas=2", "--set", "image.pullPolicy=Never"}
	for _, value := range values {
		args = append(args, "--set", value)
	}
	command(t, "helm", args...)
}

// cluster is what is reviewed: healthy, or with fsync off, which is an error whatever else is in sight.
func cluster(healthy bool) *unstructured.Unstructured {
	parameters := map[string]any{"work_mem": "4MB"}
	if !healthy {
		parameters["fsync"] = "off"
	}
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "postgresql.cnpg.io/v1",
		"kind":       "Cluster",
		"metadata":   map[string]any{"generateName": "review-", "namespace": "default"},
		"spec": map[string]any{
			"instances":  int64(3),
			"imageName":  "ghcr.io/cloudnative-pg/postgresql:17.6",
			"postgresql": map[string]any{"parameters": parameters},
			"storage":    map[string]any{"size": "100Gi"},
			"resources": map[string]any{
				"requests": map[string]any{"cpu": "2", "memory": "8Gi"},
				"limits":   map[string]any{"memory": "8Gi"},
			},
		},
	}}
}

// tally counts what came back of reviews.
type tally struct {
	admitted, denied atomic.Int64
	mutex            sync.Mutex
	wrong            []string // a healthy cluster denied, a broken one admitted
	refused          []string // no verdict: the API server could not ask, or would not answer
}

func (t *tally) count() int64 { return t.admitted.Load() + t.denied.Load() }

func (t *tally) note(list *[]string, text string) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	*list = append(*list, text)
}

// review asks for the admission of one cluster, as a dry run: everything but the storing.
func (n node) review(ctx context.Context, t *tally, healthy bool) {
	_, err := n.reviews.Resource(clusters).Namespace("default").
		Create(ctx, cluster(healthy), metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
	var status *apierrors.StatusError
	verdict := errors.As(err, &status) && strings.Contains(err.Error(), "durability/fsync")
	switch {
	case err == nil && healthy:
		t.admitted.Add(1)
	case err == nil:
		t.note(&t.wrong, "a cluster with fsync=off was admitted")
	case verdict && !healthy:
		t.denied.Add(1)
	case verdict:
		t.note(&t.wrong, err.Error())
	default:
		t.note(&t.refused, err.Error())
	}
}

// during reviews clusters while the disturbance goes on, again and again until `admissions` verdicts are in.
func (n node) during(t *testing.T, disturbance func(round int)) *tally {
	t.Helper()
	wanted := int64(admissions(t))
	result := &tally{}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var busy sync.WaitGroup
	for worker := range workers {
		busy.Go(func() {
			for i := worker; ctx.Err() == nil; i++ {
				// One that is under way when the time is up is let finish.
				n.review(t.Context(), result, i%2 == 0)
			}
		})
	}
	rounds := 0
	for ; rounds == 0 || result.count() < wanted; rounds++ {
		disturbance(rounds)
	}
	stop()
	busy.Wait()
	t.Logf("%d admissions (%d admitted, %d denied) during %d × %s: %d wrong, %d refused", result.count(), result.admitted.Load(),
		result.denied.Load(), rounds, t.Name(), len(result.wrong), len(result.refused))
	if len(result.wrong) > 0 {
		t.Errorf("wrong verdicts, the first: %s", result.wrong[0])
	}
	return result
}

func (t *tally) nothingRefused(test *testing.T) {
	test.Helper()
	if len(t.refused) > 0 {
		test.Errorf("%d of %d reviews had no verdict, the first: %s", len(t.refused), int64(len(t.refused))+t.count(), t.refused[0])
	}
}

func admissions(t *testing.T) int {
	t.Helper()
	text := os.Getenv("WALGUARD_ADMISSIONS")
	if text == "" {
		return 2000
	}
	number, err := strconv.Atoi(text)
	if err != nil {
		t.Fatalf("WALGUARD_ADMISSIONS=%s: %v", text, err)
	}
	return number
}

// until waits for a condition of the cluster.
func until(t *testing.T, what string, condition func() (bool, error)) {
	t.Helper()
	var last error
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(200 * time.Millisecond) {
		met, err := condition()
		if met && err == nil {
			return
		}
		last = err
	}
	t.Fatalf("%s: not in time (%v)", what, last)
}

func rollout(t *testing.T) {
	t.Helper()
	command(t, "kubectl", "--namespace", namespace, "rollout", "status", "deployment/"+release, "--timeout="+patience.String())
}

// Pods of walguard that are ready and not on their way out.
func (n node) pods(ctx context.Context) ([]string, error) {
	list, err := n.api.CoreV1().Pods(namespace).List(ctx, metav1.ListOptions{LabelSelector: selector})
	if err != nil {
		return nil, err
	}
	var names []string
	for _, pod := range list.Items {
		for _, condition := range pod.Status.Conditions {
			if condition.Type == "Ready" && condition.Status == "True" && pod.DeletionTimestamp == nil {
				names = append(names, pod.Name)
			}
		}
	}
	return names, nil
}

// settled waits until both replicas are ready and the Service knows both.
func (n node) settled(t *testing.T) []string {
	t.Helper()
	var names []string
	until(t, "two ready replicas", func() (bool, error) {
		var err error
		names, err = n.pods(t.Context())
		return len(names) == 2, err
	})
	return names
}

func TestNode(t *testing.T) {
	n := connect(t)
	// What is there before walguard, as in tests/kind.
	command(t, "kubectl", "apply", "--server-side", "--filename", "tests/admission/crds")
	command(t, "kubectl", "wait", "--for", "condition=Established", "--timeout=60s", "--filename", "tests/admission/crds")
	command(t, "kubectl", "apply", "--filename", "tests/admission/setup")
	command(t, "kubectl", "create", "namespace", namespace)
	// The strictest of the Pod Security Standards: what the chart makes must pass.
	command(t, "kubectl", "label", "namespace", namespace, "pod-security.kubernetes.io/enforce=restricted")
	before := command(t, "kubectl", "get", "--output=name", "clusterroles,clusterrolebindings,validatingwebhookconfigurations,crds,priorityclasses")

	helm(t)
	n.settled(t)

	t.Run("reached through its Service", func(t *testing.T) {
		until(t, "a verdict", func() (bool, error) {
			result := &tally{}
			n.review(t.Context(), result, true)
			n.review(t.Context(), result, false)
			if len(result.wrong) > 0 {
				t.Fatal(result.wrong[0])
			}
			return result.count() == 2, fmt.Errorf("%v", result.refused)
		})
	})
	t.Run("chainsaw", func(t *testing.T) {
		out := command(t, "chainsaw", "test", "--config", "tests/admission/chainsaw/config.yaml", "--remarshal", "--no-color",
			"tests/admission/chainsaw")
		t.Log(out[strings.LastIndex(out, "Tests Summary"):])
	})
	t.Run("rolling restart", func(t *testing.T) {
		n.during(t, func(int) {
			command(t, "kubectl", "--namespace", namespace, "rollout", "restart", "deployment/"+release)
			rollout(t)
		}).nothingRefused(t)
	})
	t.Run("upgrade of the release", func(t *testing.T) {
		n.during(t, func(round int) {
			helm(t, fmt.Sprintf("podAnnotations.round=r%d", round))
			rollout(t)
		}).nothingRefused(t)
	})
	t.Run("configuration reload", func(t *testing.T) {
		n.during(t, func(round int) {
			helm(t, fmt.Sprintf("policy.checks.storage/bandwidth_below_demand.settings.mbps_per_core=%d", 20+round))
			time.Sleep(2 * time.Second)
		}).nothingRefused(t)
	})
	t.Run("eviction", func(t *testing.T) {
		n.during(t, func(int) { n.evict(t, n.settled(t)) }).nothingRefused(t)
	})
	t.Run("replica killed", func(t *testing.T) {
		kills := 0
		result := n.during(t, func(int) {
			n.settled(t)
			kill(t)
			kills++
			until(t, "the replica is away", func() (bool, error) {
				names, err := n.pods(t.Context())
				return len(names) < 2, err
			})
			n.settled(t)
		})
		// The reviews that the dead process held have no verdict, and the API server does not ask again; nor is one
		// called by a name that the Service has not yet forgotten. Refused, not admitted: that is what failurePolicy Fail is for.
		t.Logf("%d kills, %d reviews without a verdict", kills, len(result.refused))
	})
	t.Run("uninstall", func(t *testing.T) {
		command(t, "helm", "uninstall", release, "--namespace", namespace, "--wait", "--timeout", patience.String())
		after := command(t, "kubectl", "get", "--output=name", "clusterroles,clusterrolebindings,validatingwebhookconfigurations,crds,priorityclasses")
		if before != after {
			t.Errorf("before:\n%s\nafter:\n%s", before, after)
		}
		until(t, "an empty namespace", func() (bool, error) {
			left, err := attempt(t.Context(), "kubectl", "--namespace", namespace, "get", "--output=name",
				"all,secrets,configmaps,leases,serviceaccounts,roles,rolebindings,networkpolicies,poddisruptionbudgets")
			left = strings.Join(strings.Fields(strings.NewReplacer("configmap/kube-root-ca.crt", "", "serviceaccount/default", "").Replace(left)), " ")
			return left == "", fmt.Errorf("left: %s: %w", left, err)
		})
		result := &tally{}
		n.review(t.Context(), result, false)
		if len(result.wrong) != 1 {
			t.Errorf("after the uninstallation somebody still judges: %v", result.refused)
		}
	})
}

// evict asks for the eviction of every replica, as a drain of nodes does: the PodDisruptionBudget lets them go one by one.
func (n node) evict(t *testing.T, names []string) {
	t.Helper()
	held := 0
	for _, name := range names {
		until(t, "the eviction of "+name, func() (bool, error) {
			err := n.api.PolicyV1().Evictions(namespace).Evict(t.Context(), &policyv1.Eviction{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: namespace}})
			if apierrors.IsTooManyRequests(err) {
				held++
				return false, nil
			}
			return err == nil, err
		})
	}
	if held == 0 {
		t.Error("the budget let both replicas go at once")
	}
}

// kill ends the process of one replica without a word.
func kill(t *testing.T) {
	t.Helper()
	command(t, "pkill", "--signal", "KILL", "--newest", "--full", "^/walguard serve")
}

// Package node installs the chart on a real cluster of one node and disturbs it, while admission reviews go on: no verdict may be wrong,
// and with two replicas none may be missing. Started by ./run, inside the namespaces of a node of our own, and by ../kind/run.
//
//	KUBECONFIG               an administrator's
//	WALGUARD_KUBELET_CONFIG  the kubelet's configuration, a file on the node, where the kubelet is started again when it ends
//	WALGUARD_ON_NODE         what runs a command on the node, as in "docker exec NODE"; nothing where the test runs there itself
//	WALGUARD_HELM_VALUES     values of the chart, as for helm --set
//	WALGUARD_PAUSE_IMAGE     an image that the node has and that waits (localhost/pause:1)
//	WALGUARD_PREVIOUS_CHART  directory of the chart of the release before
//	WALGUARD_ADMISSIONS      admission reviews during each disturbance, at least (10000)
package node

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

const (
	repository = "../.."
	release    = "walguard"
	namespace  = "walguard-system"
	selector   = "app.kubernetes.io/name=walguard"
	workers    = 4 // clients at a time
	enough     = 10_000
	patience   = 180 * time.Second
)

// Of the policy that a replica has taken over.
var generation = regexp.MustCompile(`(?m)^walguard_configuration_generation(?:_total)? (\d+)`)

var clusters = schema.GroupVersionResource{Group: "postgresql.cnpg.io", Version: "v1", Resource: "clusters"}

// node is the one-node Kubernetes that ./node brought up.
type node struct {
	reviews dynamic.Interface // without a limit of its own
	api     *kubernetes.Clientset
}

func connect(t *testing.T) node {
	t.Helper()
	kubeconfig := os.Getenv("KUBECONFIG")
	if os.Getenv("WALGUARD_KUBELET_CONFIG") == "" || kubeconfig == "" {
		t.Skip("runs on the node that tests/node/run or tests/kind/run brings up")
	}
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		t.Fatal(err)
	}
	config.QPS = -1
	// Those of walguard; the cases look at them.
	config.WarningHandler = rest.NoWarnings{}
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

// helm installs or upgrades the chart, from the root of the repository, with the image that the node has and the policy that the
// cases of tests/admission are written for.
func helm(t *testing.T, values ...string) {
	t.Helper()
	configuration, err := os.ReadFile(filepath.Join(repository, "tests/admission/walguard.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "policy.yaml")
	policy := "policy:\n  " + strings.ReplaceAll(strings.TrimSpace(string(configuration)), "\n", "\n  ") + "\n"
	if err := os.WriteFile(file, []byte(policy), 0o600); err != nil {
		t.Fatal(err)
	}
	helmFrom(t, ".", []string{"--values", file}, values...)
}

func helmFrom(t *testing.T, chart string, more []string, values ...string) {
	t.Helper()
	args := append([]string{"upgrade", "--install", release, chart, "--namespace", namespace, "--wait", "--timeout", patience.String(),
		"--set", "replicas=2", "--set", "image.pullPolicy=Never"}, more...)
	if more := os.Getenv("WALGUARD_HELM_VALUES"); more != "" {
		values = append(values, more)
	}
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

// answer is what came back of a review.
type answer struct {
	admitted bool
	wrong    string // a healthy cluster denied, a broken one admitted
	refused  string // no verdict: the API server could not ask, or would not answer
}

// tally counts answers.
type tally struct {
	mutex            sync.Mutex
	admitted, denied int64
	wrong, refused   []string
}

func (t *tally) add(answer answer) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	switch {
	case answer.wrong != "":
		t.wrong = append(t.wrong, answer.wrong)
	case answer.refused != "":
		t.refused = append(t.refused, answer.refused)
	case answer.admitted:
		t.admitted++
	default:
		t.denied++
	}
}

// count is the number of right verdicts.
func (t *tally) count() int64 {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	return t.admitted + t.denied
}

// review asks for the admission of one cluster, as a dry run: everything but the storing.
func (n node) review(ctx context.Context, healthy bool) answer {
	_, err := n.reviews.Resource(clusters).Namespace("default").
		Create(ctx, cluster(healthy), metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
	var status *apierrors.StatusError
	denied := errors.As(err, &status) && strings.Contains(err.Error(), "durability/fsync")
	switch {
	case err == nil && healthy:
		return answer{admitted: true}
	case err == nil:
		return answer{wrong: "a cluster with fsync=off was admitted"}
	case denied && !healthy:
		return answer{}
	case denied:
		return answer{wrong: err.Error()}
	default:
		return answer{refused: err.Error()}
	}
}

// during reviews clusters while the disturbance goes on, again and again until enough verdicts are in. A review without verdict is
// refused; but when `again`, it is asked for again, as controllers do, and refused when there is still no verdict after a while.
func (n node) during(t *testing.T, again bool, disturbance func(round int)) {
	t.Helper()
	wanted := int64(admissions(t))
	result := &tally{}
	var repeated atomic.Int64
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var busy sync.WaitGroup
	for worker := range workers {
		busy.Go(func() {
			for i := worker; ctx.Err() == nil; i++ {
				// One that is under way when the time is up is let finish.
				answer := n.review(t.Context(), i%2 == 0)
				for attempts := 0; again && answer.refused != "" && attempts < 50; attempts++ {
					repeated.Add(1)
					t.Logf("no verdict: %s", answer.refused)
					time.Sleep(100 * time.Millisecond)
					answer = n.review(t.Context(), i%2 == 0)
				}
				result.add(answer)
			}
		})
	}
	rounds := 0
	for ; rounds == 0 || result.count() < wanted; rounds++ {
		disturbance(rounds)
	}
	stop()
	busy.Wait()
	t.Logf("%d admissions (%d admitted, %d denied) during %d × %s: %d wrong, %d refused", result.count(), result.admitted,
		result.denied, rounds, t.Name(), len(result.wrong), len(result.refused))
	if again {
		t.Logf("%d reviews had no verdict at first and were asked for again", repeated.Load())
	}
	if len(result.wrong) > 0 {
		t.Errorf("wrong verdicts, the first: %s", result.wrong[0])
	}
	if len(result.refused) > 0 {
		t.Errorf("reviews without verdict, the first: %s", result.refused[0])
	}
}

func admissions(t *testing.T) int {
	t.Helper()
	text := os.Getenv("WALGUARD_ADMISSIONS")
	if text == "" {
		return enough
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
		if met {
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

// generations of the configuration that replicas are at, by Pod.
func (n node) generations(t *testing.T) map[string]int {
	t.Helper()
	generations := map[string]int{}
	for _, name := range n.settled(t) {
		metrics, err := n.api.CoreV1().Pods(namespace).ProxyGet("http", name, "8080", "metrics", nil).DoRaw(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		found := generation.FindSubmatch(metrics)
		if found == nil {
			t.Fatalf("%s: no %s", name, generation)
		}
		generations[name], _ = strconv.Atoi(string(found[1]))
	}
	return generations
}

// restarts of all replicas.
func (n node) restarts(t *testing.T) int32 {
	t.Helper()
	list, err := n.api.CoreV1().Pods(namespace).List(t.Context(), metav1.ListOptions{LabelSelector: selector})
	if err != nil {
		t.Fatal(err)
	}
	restarts := int32(0)
	for _, pod := range list.Items {
		for _, container := range pod.Status.ContainerStatuses {
			restarts += container.RestartCount
		}
	}
	return restarts
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
	// What is there before walguard.
	command(t, "kubectl", "apply", "--server-side", "--filename", "tests/admission/crds")
	command(t, "kubectl", "wait", "--for", "condition=Established", "--timeout=60s", "--filename", "tests/admission/crds")
	command(t, "kubectl", "apply", "--filename", "tests/admission/setup")
	command(t, "kubectl", "create", "namespace", namespace)
	// The strictest of the Pod Security Standards: what the chart makes must pass.
	command(t, "kubectl", "label", "namespace", namespace, "pod-security.kubernetes.io/enforce=restricted")
	before := command(t, "kubectl", "get", "--output=name", "clusterroles,clusterrolebindings,validatingwebhookconfigurations,crds,priorityclasses")

	previous := os.Getenv("WALGUARD_PREVIOUS_CHART")
	if previous != "" {
		helmFrom(t, previous, nil)
	} else {
		helm(t)
	}
	n.settled(t)

	t.Run("reached through its Service", func(t *testing.T) {
		until(t, "verdicts", func() (bool, error) {
			result := &tally{}
			result.add(n.review(t.Context(), true))
			result.add(n.review(t.Context(), false))
			if len(result.wrong) > 0 {
				t.Fatal(result.wrong[0])
			}
			return result.count() == 2, fmt.Errorf("%v", result.refused)
		})
	})
	t.Run("upgrade from the previous chart", func(t *testing.T) {
		if previous == "" {
			t.Skip("there is no release before this one; WALGUARD_PREVIOUS=COMMIT takes the chart of a commit")
		}
		n.during(t, false, func(round int) {
			if round == 0 {
				helm(t)
				rollout(t)
			}
			time.Sleep(time.Second)
		})
	})
	t.Run("cases", func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
		defer cancel()
		cases := exec.CommandContext(ctx, os.Getenv("WALGUARD_CASES"), "-test.run", "^TestCases$", "-on", os.Getenv("KUBECONFIG"))
		cases.Dir = filepath.Join(repository, "tests/admission")
		out, err := cases.CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	})
	t.Run("rolling restart", func(t *testing.T) {
		n.during(t, false, func(int) {
			command(t, "kubectl", "--namespace", namespace, "rollout", "restart", "deployment/"+release)
			rollout(t)
		})
	})
	t.Run("upgrade of the release", func(t *testing.T) {
		n.during(t, false, func(round int) {
			helm(t, fmt.Sprintf("podAnnotations.round=r%d", round))
			rollout(t)
		})
	})
	t.Run("configuration reload", func(t *testing.T) {
		helm(t)
		rollout(t)
		n.during(t, false, func(round int) {
			before := n.generations(t)
			helm(t, fmt.Sprintf("policy.checks.storage/bandwidth_below_demand.settings.mbps_per_core=%d", 20+round))
			until(t, "the new configuration in every replica", func() (bool, error) {
				for pod, generation := range n.generations(t) {
					if generation <= before[pod] {
						return false, nil
					}
				}
				return true, nil
			})
		})
	})
	t.Run("certificate rotation", n.rotate)
	t.Run("eviction", func(t *testing.T) {
		n.during(t, false, func(int) { n.evict(t, n.settled(t)) })
	})
	t.Run("node pressure", n.pressure)
	t.Run("replica killed", func(t *testing.T) {
		n.settled(t)
		// The reviews that a dead process held have no verdict, nor has one that is called before the Service has forgotten it, and the
		// API server does not ask again: failurePolicy Fail refuses them. Whoever asked for them asks again, and is answered.
		n.during(t, true, func(int) {
			restarts := n.restarts(t)
			// The one that has been there for longer, so that they take turns.
			onNode(t, "pkill", "--signal", "KILL", "--oldest", "--full", "^/walguard serve")
			until(t, "a restarted replica", func() (bool, error) { return n.restarts(t) > restarts, nil })
			n.settled(t)
		})
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
			return left == "" && err == nil, fmt.Errorf("left: %s: %w", left, err)
		})
		if answer := n.review(t.Context(), false); answer.wrong == "" {
			t.Errorf("after the uninstallation somebody still judges: %s", answer.refused)
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

// rotate shortens the lifetimes in the Deployment – the values speak of days – and reviews while authorities and certificates come and go.
func (n node) rotate(t *testing.T) {
	setLifetimes := func(lifetimes map[string]string) map[string]string {
		deployments := n.api.AppsV1().Deployments(namespace)
		deployment, err := deployments.Get(t.Context(), release, metav1.GetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		before := map[string]string{}
		args := &deployment.Spec.Template.Spec.Containers[0].Args
		kept := slices.DeleteFunc(slices.Clone(*args), func(arg string) bool {
			name, value, _ := strings.Cut(arg, "=")
			if _, ours := lifetimes[name]; ours {
				before[name] = value
			}
			return before[name] != ""
		})
		for name, value := range lifetimes {
			if value != "" {
				kept = append(kept, name+"="+value)
			}
		}
		*args = kept
		if _, err := deployments.Update(t.Context(), deployment, metav1.UpdateOptions{}); err != nil {
			t.Fatal(err)
		}
		rollout(t)
		return before
	}
	defer command(t, "helm", "upgrade", release, ".", "--namespace", namespace, "--reuse-values", "--force-conflicts", "--wait", "--timeout", patience.String())
	setLifetimes(map[string]string{"--certificate-seconds": "30", "--authority-seconds": "90", "--authority-settle-seconds": "5"})
	authorities, certificates := map[string]bool{}, map[string]bool{}
	n.during(t, false, func(int) {
		until(t, "a new certificate", func() (bool, error) {
			secret, err := n.api.CoreV1().Secrets(namespace).Get(t.Context(), release+"-authority", metav1.GetOptions{})
			if err != nil {
				return false, err
			}
			known := len(certificates)
			authorities[string(secret.Data["ca.key"])] = true
			certificates[string(secret.Data["tls.crt"])] = true
			return len(certificates) > known && len(certificates) >= 3 && len(authorities) >= 2, nil
		})
	})
	t.Logf("%d authorities, %d certificates", len(authorities), len(certificates))
}

// pressure makes the kubelet believe that memory runs short. It then evicts what is not critical: something else, but not walguard.
func (n node) pressure(t *testing.T) {
	helm(t, "priorityClassName=system-cluster-critical")
	rollout(t)
	names := n.settled(t)
	onPressure := func() bool {
		node, err := n.api.CoreV1().Nodes().List(t.Context(), metav1.ListOptions{})
		return err == nil && slices.ContainsFunc(node.Items[0].Status.Conditions, func(condition corev1.NodeCondition) bool {
			return condition.Type == corev1.NodeMemoryPressure && condition.Status == corev1.ConditionTrue
		})
	}
	pause := cmp.Or(os.Getenv("WALGUARD_PAUSE_IMAGE"), "localhost/pause:1")
	n.during(t, false, func(round int) {
		other := fmt.Sprintf("other-%d", round)
		command(t, "kubectl", "run", other, "--image", pause, "--image-pull-policy=Never")
		command(t, "kubectl", "wait", "--for=condition=Ready", "pod/"+other, "--timeout="+patience.String())
		configureKubelet(t, `evictionSoft: {memory.available: "99%"}`, `evictionSoftGracePeriod: {memory.available: 1s}`,
			"evictionPressureTransitionPeriod: 5s")
		until(t, "the end of another Pod", func() (bool, error) {
			pod, err := n.api.CoreV1().Pods("default").Get(t.Context(), other, metav1.GetOptions{})
			ended := err == nil && (pod.Status.Phase == corev1.PodFailed || pod.Status.Phase == corev1.PodSucceeded)
			return ended && onPressure(), err
		})
		configureKubelet(t, "evictionPressureTransitionPeriod: 5s")
		until(t, "the end of the pressure", func() (bool, error) { return !onPressure(), nil })
	})
	if after := n.settled(t); !slices.Equal(names, after) {
		t.Errorf("replicas %v, then %v", names, after)
	}
}

// configureKubelet sets what the kubelet's configuration says of soft evictions, and starts it again.
func configureKubelet(t *testing.T, lines ...string) {
	t.Helper()
	file := os.Getenv("WALGUARD_KUBELET_CONFIG")
	script := fmt.Sprintf("sed -i '/^eviction[SP]/d' '%s' && printf '%%s\\n' '%s' >> '%s' && pkill -x kubelet", file, strings.Join(lines, "' '"), file)
	onNode(t, "sh", "-c", script)
}

// onNode runs a command on the node.
func onNode(t *testing.T, words ...string) {
	t.Helper()
	line := append(strings.Fields(os.Getenv("WALGUARD_ON_NODE")), words...)
	command(t, line[0], line[1:]...)
}

package admission

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-logr/logr"
	admissionv1 "k8s.io/api/admissionregistration/v1"
	appsv1 "k8s.io/api/apps/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
	ctrllog "sigs.k8s.io/controller-runtime/pkg/log"
)

const (
	repository       = "../.."
	release          = "walguard"        // name of the Helm release
	releaseNamespace = "walguard-system" // and its namespace
	startTimeout     = 60 * time.Second  // for each process; generous, since machines of CI are slow
)

// cluster is a real kube-apiserver with its etcd, asking a real `walguard serve` about what is created in it.
type cluster struct {
	env            *envtest.Environment
	api            client.Client // the administrator's
	dir            string        // for files; gone with the test
	kubeconfig     string        // path of the administrator's kubeconfig
	tools          string        // directory with kubectl, helm …: to be put first in PATH
	serviceAccount string        // of the chart's Deployment
	walguard       *walguard
}

// walguard is the running webhook.
type walguard struct {
	validate string       // URL of /validate
	health   string       // URL of the health endpoints
	client   *http.Client // trusts its certificate
	process  *exec.Cmd
	exited   chan error // receives the result of Wait, once
}

// startCluster brings the parts up in the order in which a user meets them: the API server with the operators'
// CRDs, objects that exist already (setup/), the chart's RBAC, walguard, and its registration.
// Everything is stopped and removed when the test ends. flags are added to those of walguard serve.
func startCluster(t *testing.T, crds []*apiextensionsv1.CustomResourceDefinition, flags ...string) *cluster {
	t.Helper()
	c, env := startControlPlane(t, crds)
	chart := renderChart(t, filepath.Join(c.tools, "helm"))
	create(t, c.api, chart.access...)
	c.serviceAccount = chart.serviceAccount
	options := env.WebhookInstallOptions
	c.walguard = c.startWalguard(t, net.JoinHostPort(options.LocalServingHost, fmt.Sprint(options.LocalServingPort)), flags...)

	registration := chart.registration
	for i := range registration.Webhooks {
		hook := &registration.Webhooks[i]
		hook.ClientConfig = admissionv1.WebhookClientConfig{URL: &c.walguard.validate, CABundle: env.WebhookInstallOptions.LocalServingCAData}
		hook.FailurePolicy = new(admissionv1.Fail) // a webhook that does not answer must not look like an admission
	}
	hooks := envtest.WebhookInstallOptions{
		ValidatingWebhooks: []*admissionv1.ValidatingWebhookConfiguration{registration},
		LocalServingCAData: env.WebhookInstallOptions.LocalServingCAData,
	}
	if err := hooks.Install(env.Config); err != nil {
		t.Fatalf("registering the webhook: %v", err)
	}
	return c
}

// startControlPlane starts etcd and the API server with CRDs and the objects of setup/, and nothing of walguard.
func startControlPlane(t *testing.T, crds []*apiextensionsv1.CustomResourceDefinition) (*cluster, *envtest.Environment) {
	t.Helper()
	ctrllog.SetLogger(logr.Discard()) // errors come back as such
	dir := t.TempDir()
	tools := buildTools(t, "etcd", "kube-apiserver", "kubectl", "helm")

	env := &envtest.Environment{
		CRDs:                     crds,
		ControlPlaneStartTimeout: startTimeout,
		CRDInstallOptions:        envtest.CRDInstallOptions{MaxTime: startTimeout},
		// The webhook's certificate and port come from here; its registration comes from the chart.
		WebhookInstallOptions: envtest.WebhookInstallOptions{LocalServingHost: "127.0.0.1"},
	}
	env.ControlPlane.Etcd = &envtest.Etcd{Path: filepath.Join(tools, "etcd")}
	env.ControlPlane.GetAPIServer().Path = filepath.Join(tools, "kube-apiserver")
	env.ControlPlane.KubectlPath = filepath.Join(tools, "kubectl")
	started := time.Now()
	t.Cleanup(func() {
		if err := env.Stop(); err != nil {
			t.Errorf("stopping the control plane: %v", err)
		}
	})
	config, err := env.Start()
	if err != nil {
		t.Fatalf("starting the control plane: %v", err)
	}
	t.Logf("kube-apiserver ready with %d CRDs after %s", len(env.CRDs), time.Since(started).Round(time.Millisecond))
	config.QPS = -1 // the API server itself bounds what it is asked

	api, err := client.New(config, client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	kubeconfig := filepath.Join(dir, "kubeconfig")
	if err := os.WriteFile(kubeconfig, env.KubeConfig, 0o600); err != nil {
		t.Fatal(err)
	}
	setup, err := filepath.Glob("setup/*.yaml")
	if err != nil || len(setup) == 0 {
		t.Fatalf("setup/*.yaml: %v, %v", setup, err)
	}
	for _, file := range setup {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		create(t, api, objects(t, file, content)...)
	}
	return &cluster{env: env, api: api, dir: dir, kubeconfig: kubeconfig, tools: tools}, env
}

// command runs a tool against the cluster and streams what it prints into the test's log.
func (c *cluster) command(ctx context.Context, name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, filepath.Join(c.tools, name), args...)
	cmd.Env = append(os.Environ(),
		"KUBECONFIG="+c.kubeconfig,
		"KUBECACHEDIR="+filepath.Join(filepath.Dir(c.kubeconfig), "cache"),
		"PATH="+c.tools+string(os.PathListSeparator)+os.Getenv("PATH"))
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stdout
	return cmd
}

// buildTools builds the pinned tools where the cache lacks them and returns the directory that holds them.
func buildTools(t *testing.T, names ...string) string {
	t.Helper()
	cmd := exec.Command(filepath.Join(repository, "tests/tools/build"), append([]string{"--bin"}, names...)...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("tests/tools/build: %v", err)
	}
	return strings.TrimSpace(string(out))
}

// readCRDs reads every CRD below root, except in directories that begin with _ (older releases).
func readCRDs(t *testing.T, root string) []*apiextensionsv1.CustomResourceDefinition {
	t.Helper()
	var crds []*apiextensionsv1.CustomResourceDefinition
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && path != root && strings.HasPrefix(entry.Name(), "_"):
			return filepath.SkipDir
		case entry.IsDir() || filepath.Ext(path) != ".yaml":
			return nil
		}
		options := envtest.CRDInstallOptions{Paths: []string{path}}
		if err := envtest.ReadCRDFiles(&options); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		crds = append(crds, options.CRDs...)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return crds
}

// operatorsCRDs is crds/ with the operators' own definition in place of each that has one of the same name in
// $WALGUARD_SHARED/crds. Theirs carry schemas and validation rules; they are
// not copied into this repository, so without that variable the test is skipped.
func operatorsCRDs(t *testing.T) []*apiextensionsv1.CustomResourceDefinition {
	t.Helper()
	shared := os.Getenv("WALGUARD_SHARED")
	if shared == "" {
		t.Skip("WALGUARD_SHARED names no directory with the operators' CRDs")
	}
	dir := filepath.Join(shared, "crds")
	theirs := readCRDs(t, dir)
	crds := readCRDs(t, "crds")
	for i, crd := range crds {
		at := slices.IndexFunc(theirs, func(r *apiextensionsv1.CustomResourceDefinition) bool { return r.Name == crd.Name })
		if at < 0 {
			t.Logf("%s: not in %s, without a schema", crd.Name, dir)
		} else {
			crds[i] = theirs[at]
		}
	}
	return crds
}

// rendered is what the tests need of `helm template`.
type rendered struct {
	registration   *admissionv1.ValidatingWebhookConfiguration
	access         []*unstructured.Unstructured // namespace, service account, roles and bindings
	serviceAccount string                       // of the Deployment
}

func renderChart(t *testing.T, helm string) rendered {
	t.Helper()
	// With plain workloads, which are checked only where somebody asks for it.
	cmd := exec.Command(helm, "template", release, chartDirectory(), "--namespace", releaseNamespace, "--set", "webhook.genericKinds=true")
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("helm template: %v", err)
	}
	namespace := &unstructured.Unstructured{}
	namespace.SetAPIVersion("v1")
	namespace.SetKind("Namespace")
	namespace.SetName(releaseNamespace)
	chart := rendered{access: []*unstructured.Unstructured{namespace}}
	for _, object := range objects(t, "helm template", out) {
		switch object.GetKind() {
		case "ServiceAccount", "Role", "RoleBinding", "ClusterRole", "ClusterRoleBinding", "ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding":
			// Nothing but `helm install` fills this in.
			clusterScoped := strings.HasPrefix(object.GetKind(), "Cluster") || strings.HasPrefix(object.GetKind(), "Validating")
			if object.GetNamespace() == "" && !clusterScoped {
				object.SetNamespace(releaseNamespace)
			}
			chart.access = append(chart.access, object)
		case "ValidatingWebhookConfiguration":
			chart.registration = &admissionv1.ValidatingWebhookConfiguration{}
			convert(t, object, chart.registration)
			// What walguard writes once it was reached is there from the start.
			if wanted := chart.registration.Annotations["walguard.dev/webhooks"]; wanted != "" {
				if err := json.Unmarshal([]byte(wanted), &chart.registration.Webhooks); err != nil {
					t.Fatal(err)
				}
				chart.registration.Webhooks = slices.DeleteFunc(chart.registration.Webhooks, func(hook admissionv1.ValidatingWebhook) bool {
					return hook.Name == "reach.walguard.dev"
				})
			}
		case "Deployment":
			deployment := appsv1.Deployment{}
			convert(t, object, &deployment)
			chart.serviceAccount = deployment.Spec.Template.Spec.ServiceAccountName
		}
	}
	if chart.registration == nil || len(chart.registration.Webhooks) == 0 || chart.serviceAccount == "" {
		t.Fatal("helm template: no ValidatingWebhookConfiguration with webhooks, or no Deployment with a service account")
	}
	return chart
}

func chartDirectory() string {
	if dir := os.Getenv("WALGUARD_CHART"); dir != "" {
		return dir
	}
	return repository
}

// user returns the path of a kubeconfig of somebody without any rights of his own.
func (c *cluster) user(t *testing.T, name string, groups ...string) string {
	t.Helper()
	user, err := c.env.AddUser(envtest.User{Name: name, Groups: append(groups, "system:authenticated")}, &rest.Config{})
	if err != nil {
		t.Fatal(err)
	}
	content, err := user.KubeConfig()
	if err != nil {
		t.Fatal(err)
	}
	config, err := clientcmd.Load(content)
	if err != nil {
		t.Fatal(err)
	}
	for _, context := range config.Contexts {
		context.Namespace = releaseNamespace // as it is for a Pod of the release
	}
	file := filepath.Join(c.dir, strings.ReplaceAll(name, ":", "-")+".kubeconfig")
	if err := clientcmd.WriteToFile(*config, file); err != nil {
		t.Fatal(err)
	}
	return file
}

// startWalguard runs `walguard serve` as the chart's service account, so that it may read no more than the chart's
// roles allow, and waits until it says that it is ready.
func (c *cluster) startWalguard(t *testing.T, listen string, flags ...string) *walguard {
	t.Helper()
	options := c.env.WebhookInstallOptions
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(options.LocalServingCAData) {
		t.Fatal("the webhook's certificate is not PEM")
	}
	w := serve(t, c.serviceAccountKubeconfig(t, c.serviceAccount), listen, append([]string{
		"--tls-cert", filepath.Join(options.LocalServingCertDir, "tls.crt"),
		"--tls-key", filepath.Join(options.LocalServingCertDir, "tls.key"), "--log-format", "text",
		"--config", c.policy(t), "--reload-seconds", "1"}, flags...)...)
	w.client = &http.Client{
		Timeout: 20 * time.Second,
		Transport: &http.Transport{
			TLSClientConfig:       &tls.Config{RootCAs: roots},
			ExpectContinueTimeout: startTimeout,
		},
	}
	w.waitUntilReady(t)
	return w
}

// policy returns the path of the policy configuration, a copy of walguard.yaml with what a test adds.
func (c *cluster) policy(t *testing.T, more ...string) string {
	t.Helper()
	content, err := os.ReadFile("walguard.yaml")
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(c.dir, "walguard.yaml")
	content = append(content, strings.Join(more, "")...)
	if err := os.WriteFile(file+".new", content, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(file+".new", file); err != nil {
		t.Fatal(err)
	}
	return file
}

// serviceAccountKubeconfig writes a kubeconfig with which a process is taken for a Pod of a service account of the release.
func (c *cluster) serviceAccountKubeconfig(t *testing.T, serviceAccount string) string {
	t.Helper()
	return c.user(t, "system:serviceaccount:"+releaseNamespace+":"+serviceAccount,
		"system:serviceaccounts", "system:serviceaccounts:"+releaseNamespace)
}

// serve starts a `walguard serve`; it ends with the test, and its log is shown when that fails.
func serve(t *testing.T, kubeconfig, listen string, args ...string) *walguard {
	t.Helper()
	healthListen := freeAddress(t)
	w := &walguard{
		validate: "https://" + listen + "/validate",
		health:   "http://" + healthListen,
		process: exec.Command(walguardBinary(t),
			append([]string{"serve", "--listen", listen, "--health-listen", healthListen}, args...)...),
		exited: make(chan error, 1),
	}
	log, err := os.CreateTemp(filepath.Dir(kubeconfig), "walguard.*.log")
	if err != nil {
		t.Fatal(err)
	}
	w.process.Env = append(os.Environ(), "KUBECONFIG="+kubeconfig)
	w.process.Stdout, w.process.Stderr = log, log
	if err := w.process.Start(); err != nil {
		t.Fatal(err)
	}
	go func() { w.exited <- w.process.Wait() }()
	t.Cleanup(func() {
		_ = w.process.Process.Kill()
		_ = log.Close()
		if content, err := os.ReadFile(log.Name()); t.Failed() && err == nil {
			lines := strings.Split(strings.TrimSpace(string(content)), "\n")
			t.Logf("the end of walguard's log:\n%s", strings.Join(lines[max(0, len(lines)-40):], "\n"))
		}
	})
	return w
}

func (w *walguard) waitUntilReady(t *testing.T) {
	t.Helper()
	for deadline := time.Now().Add(startTimeout); ; time.Sleep(50 * time.Millisecond) {
		select {
		case err := <-w.exited:
			t.Fatalf("walguard serve ended before it was ready: %v", err)
		default:
		}
		if err := w.ready(); err == nil {
			return
		} else if time.Now().After(deadline) {
			t.Fatalf("walguard serve is not ready: %v", err)
		}
	}
}

// walguardBinary is $WALGUARD_BIN, or what cargo built last.
func walguardBinary(t *testing.T) string {
	t.Helper()
	if binary := os.Getenv("WALGUARD_BIN"); binary != "" {
		return binary
	}
	var newest string
	var built time.Time
	// Absolute, since it runs in other directories too.
	top, err := filepath.Abs(repository)
	if err != nil {
		t.Fatal(err)
	}
	for _, profile := range []string{"release", "debug"} {
		path := filepath.Join(top, "target", profile, "walguard")
		if info, err := os.Stat(path); err == nil && info.ModTime().After(built) {
			newest, built = path, info.ModTime()
		}
	}
	if newest == "" {
		t.Fatal("no walguard: build it with `cargo build`, or name it in WALGUARD_BIN")
	}
	t.Logf("%s, built %s", newest, built.Format(time.DateTime))
	return newest
}

// ready asks /readyz.
func (w *walguard) ready() error {
	answer, err := http.Get(w.health + "/readyz")
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("/readyz: %s", answer.Status)
	}
	return nil
}

// freeAddress returns a loopback address that nobody listened on a moment ago.
func freeAddress(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return listener.Addr().String()
}

// objects reads a stream of YAML documents; name is for messages.
func objects(t *testing.T, name string, content []byte) []*unstructured.Unstructured {
	t.Helper()
	var all []*unstructured.Unstructured
	documents := yaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(content)))
	for {
		document, err := documents.Read()
		if errors.Is(err, io.EOF) {
			return all
		}
		object := &unstructured.Unstructured{}
		if err == nil {
			err = yaml.Unmarshal(document, &object.Object)
		}
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if len(object.Object) > 0 {
			all = append(all, object)
		}
	}
}

func create(t *testing.T, api client.Client, all ...*unstructured.Unstructured) {
	t.Helper()
	for _, object := range all {
		if err := api.Create(t.Context(), object); err != nil {
			t.Fatalf("creating %s %s: %v", object.GetKind(), object.GetName(), err)
		}
	}
}

func convert(t *testing.T, from *unstructured.Unstructured, to any) {
	t.Helper()
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(from.Object, to); err != nil {
		t.Fatalf("%s %s: %v", from.GetKind(), from.GetName(), err)
	}
}

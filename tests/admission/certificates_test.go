package admission

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"flag"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

var admissions = flag.Int("admissions", 10_000, "admissions during rotations of certificates, at least")

// Rotations that the admissions must have seen.
const (
	wantAuthorities  = 3
	wantCertificates = 6
)

// lifetimes are as short as a machine under load can keep up with.
var lifetimes = []string{"--certificate-seconds=30", "--authority-seconds=90", "--authority-settle-seconds=5"}

// TestCertificates installs the chart with helm and runs two replicas that share its Secret, while their certificates are
// renewed again and again. Each admission is sent to both of them.
func TestCertificates(t *testing.T) {
	c, _ := startControlPlane(t, readCRDs(t, "crds"))
	first, second := freeAddress(t), freeAddress(t)
	c.helm(t, "install", releaseArguments(first)...)
	t.Run("nothing is refused before the API server reaches a replica", func(t *testing.T) {
		if hooks := c.webhooks(t).Webhooks; len(hooks) > 0 {
			t.Errorf("%d webhooks are there before anybody answers", len(hooks))
		}
		for _, object := range []*unstructured.Unstructured{healthy(t), faulty(t)} {
			if err := c.verdict(t.Context(), object); err != nil {
				t.Error(err)
			}
		}
	})

	arguments := c.deployedArguments(t)
	kubeconfig := c.serviceAccountKubeconfig(t, release)
	replicas := []*walguard{serve(t, kubeconfig, first, arguments...), serve(t, kubeconfig, second, arguments...)}
	for _, replica := range replicas {
		replica.waitUntilReady(t)
	}
	c.until(t, "the API server was seen to reach a replica", func() bool { return c.guards(t) != nil })
	c.addWebhook(t, second)
	c.until(t, "the API server trusts both", func() bool { return c.verdict(t.Context(), healthy(t)) == nil })

	t.Run("no admission is refused", func(t *testing.T) { c.rotate(t, replicas) })
	t.Run("an upgrade leaves the caBundle alone", func(t *testing.T) {
		before := c.webhooks(t)
		c.helm(t, "upgrade", append(releaseArguments(first), "--set", "webhook.annotations.a=b")...)
		after := c.webhooks(t)
		if after.Annotations["a"] != "b" {
			t.Error("the upgrade changed nothing")
		}
		for i, hook := range after.Webhooks {
			if len(hook.ClientConfig.CABundle) == 0 || len(before.Webhooks) != len(after.Webhooks) {
				t.Errorf("%s: %d webhooks, caBundle %q", hook.Name, len(after.Webhooks), after.Webhooks[i].ClientConfig.CABundle)
			}
		}
		c.expectVerdicts(t)
	})
	t.Run("what somebody overwrites is put back", func(t *testing.T) {
		hooks := c.webhooks(t)
		for i := range hooks.Webhooks {
			hooks.Webhooks[i].ClientConfig.CABundle = nil
		}
		if err := c.api.Update(t.Context(), hooks); err != nil {
			t.Fatal(err)
		}
		c.until(t, "the caBundle is back", func() bool {
			return !slices.ContainsFunc(c.webhooks(t).Webhooks, func(hook admissionv1.ValidatingWebhook) bool {
				return len(hook.ClientConfig.CABundle) == 0
			})
		})
		secret := c.secret(t)
		secret.Data = nil
		if err := c.api.Update(t.Context(), secret); err != nil {
			t.Fatal(err)
		}
		c.until(t, "the Secret is filled again", func() bool { return len(c.secret(t).Data["tls.key"]) > 0 })
		c.until(t, "the API server trusts what is served", func() bool { return c.verdict(t.Context(), healthy(t)) == nil })
		c.expectVerdicts(t)
	})
	t.Run("uninstalling leaves nothing behind", func(t *testing.T) {
		c.helm(t, "uninstall")
		for _, list := range []client.ObjectList{
			&corev1.SecretList{}, &corev1.ServiceAccountList{}, &corev1.ConfigMapList{}, &corev1.ServiceList{}, &appsv1.DeploymentList{},
			&rbacv1.RoleList{}, &rbacv1.RoleBindingList{}, &rbacv1.ClusterRoleList{}, &rbacv1.ClusterRoleBindingList{},
			&admissionv1.ValidatingWebhookConfigurationList{}, leases(),
		} {
			if err := c.api.List(t.Context(), list); err != nil {
				t.Fatal(err)
			}
			left, err := names(list)
			if err != nil {
				t.Fatal(err)
			}
			if at := slices.IndexFunc(left, func(name string) bool { return strings.Contains(name, release) }); at >= 0 {
				t.Errorf("%T: %s is left", list, left[at])
			}
		}
	})
}

// TestCertificatesAfterOthers upgrades a release whose certificate Helm made: its caBundle stays until walguard has made its own
// certificates, and in theirs, so that the API server trusts the replicas of before and of after.
func TestCertificatesAfterOthers(t *testing.T) {
	c, _ := startControlPlane(t, readCRDs(t, "crds"))
	c.helm(t, "install", chartDirectory(), "--create-namespace", "--set", "certificates.mode=generated")
	before := c.webhooks(t).Webhooks[0].ClientConfig.CABundle
	c.helm(t, "upgrade", chartDirectory(), "--set", "certificates.mode=self")
	if kept := c.webhooks(t).Annotations["walguard.dev/trusted-before"]; kept != base64.StdEncoding.EncodeToString(before) || len(before) == 0 {
		t.Fatalf("the upgrade forgot the caBundle %q: %q", before, kept)
	}
	kubeconfig := c.serviceAccountKubeconfig(t, release)
	serve(t, kubeconfig, freeAddress(t), c.deployedArguments(t)...).waitUntilReady(t)
	// Its Service leads nowhere here, so that this is all it writes.
	c.until(t, "walguard looks whether it is reached", func() bool { return len(c.webhooks(t).Webhooks) > 0 })
	after := c.webhooks(t)
	bundle := after.Webhooks[0].ClientConfig.CABundle
	if !bytes.HasPrefix(bundle, bytes.TrimSpace(before)) || len(bundle) <= len(before)+100 {
		t.Errorf("the old authority is not trusted beside the new one: %q, then %q", before, bundle)
	}
	if c.guards(t) != nil || len(after.Webhooks) != 1 {
		t.Errorf("%d webhooks, though nobody was reached", len(after.Webhooks))
	}
	c.helm(t, "upgrade", chartDirectory(), "--set", "showInfo=true")
	if again := c.webhooks(t).Webhooks; len(again) == 0 || len(again[0].ClientConfig.CABundle) == 0 {
		t.Error("the second upgrade took the caBundle away")
	}
}

// rotate admits and refuses objects until enough of them have gone by and enough certificates have come and gone.
func (c *cluster) rotate(t *testing.T, replicas []*walguard) {
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var admitted, denied, refused, handshakes atomic.Int64
	var workers sync.WaitGroup
	good, bad := healthy(t), faulty(t)
	for range 4 {
		workers.Go(func() {
			for i := 0; ctx.Err() == nil; i++ {
				object, count := good, &admitted
				if i%2 == 1 {
					object, count = bad, &denied
				}
				err := c.verdict(ctx, object.DeepCopy())
				switch {
				case ctx.Err() != nil:
				case err == nil && object == good, err != nil && object == bad && strings.Contains(err.Error(), "full_page_writes"):
					count.Add(1)
				default:
					refused.Add(1)
					t.Errorf("%s: %v", object.GetName(), err)
				}
			}
		})
	}
	authorities, certificates := map[string]bool{}, map[string]bool{}
	for int(admitted.Load()+denied.Load()) < *admissions || len(authorities) < wantAuthorities || len(certificates) < wantCertificates {
		if t.Failed() {
			break
		}
		// The API server keeps its connections; a new one each time meets what is served now.
		bundle := c.webhooks(t).Webhooks[0].ClientConfig.CABundle
		for _, replica := range replicas {
			leaf, err := handshake(replica, bundle)
			if err != nil {
				t.Errorf("%s: %v", replica.validate, err)
				continue
			}
			handshakes.Add(1)
			certificates[leaf.SerialNumber.String()] = true
			authorities[leaf.Issuer.String()] = true
		}
		time.Sleep(100 * time.Millisecond)
	}
	stop()
	workers.Wait()
	t.Logf("%d admitted, %d denied, %d refused; %d handshakes; %d authorities, %d certificates",
		admitted.Load(), denied.Load(), refused.Load(), handshakes.Load(), len(authorities), len(certificates))
	for _, replica := range replicas {
		if metrics := replica.metrics(t); !strings.Contains(metrics, `walguard_certificate_expiry_timestamp_seconds{certificate="serving"}`) {
			t.Errorf("no expiry of the certificate in the metrics: %s", metrics)
		}
	}
}

// verdict asks for an object to be created, without creating it; the error is that of the API server.
func (c *cluster) verdict(ctx context.Context, object *unstructured.Unstructured) error {
	return c.api.Create(ctx, object.DeepCopy(), client.DryRunAll)
}

func (c *cluster) expectVerdicts(t *testing.T) {
	t.Helper()
	if err := c.verdict(t.Context(), healthy(t)); err != nil {
		t.Error(err)
	}
	if err := c.verdict(t.Context(), faulty(t)); err == nil || !strings.Contains(err.Error(), "full_page_writes") {
		t.Errorf("not denied: %v", err)
	}
}

// handshake connects anew and returns the certificate that a replica shows, if the bundle trusts it.
func handshake(replica *walguard, bundle []byte) (*x509.Certificate, error) {
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(bundle)
	address := strings.TrimSuffix(strings.TrimPrefix(replica.validate, "https://"), "/validate")
	connection, err := tls.Dial("tcp", address, &tls.Config{RootCAs: roots})
	if err != nil {
		return nil, err
	}
	defer connection.Close()
	return connection.ConnectionState().PeerCertificates[0], nil
}

func healthy(t *testing.T) *unstructured.Unstructured {
	return read(t, "cases/healthy/cnpg.yaml")
}

func faulty(t *testing.T) *unstructured.Unstructured {
	return read(t, "cases/cnpg-full-page-writes/xfs.yaml")
}

// read returns the one object of a file, placed in the namespace default.
func read(t *testing.T, file string) *unstructured.Unstructured {
	t.Helper()
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	object := objects(t, file, content)[0]
	object.SetNamespace("default")
	return object
}

// helm runs a command of helm on the release.
func (c *cluster) helm(t *testing.T, command string, args ...string) {
	t.Helper()
	cmd := c.command(t.Context(), "helm", append([]string{command, release, "--namespace", releaseNamespace}, args...)...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil {
		t.Fatalf("helm %s: %v\n%s", command, err, out.String())
	}
}

// releaseArguments install the chart for a walguard outside the cluster, on an address. Time is no matter here.
func releaseArguments(address string) []string {
	return []string{
		chartDirectory(), "--create-namespace", "--set", "webhook.clientConfigOverride.url=https://" + address + "/validate",
		"--set", "webhook.timeoutSeconds=30", "--set", "limits.deadlineMilliseconds=25000",
	}
}

// addWebhook makes the API server ask a second replica too, about every object.
func (c *cluster) addWebhook(t *testing.T, address string) {
	t.Helper()
	hooks := c.webhooks(t)
	hook := *c.guards(t).DeepCopy()
	url := "https://" + address + "/validate"
	hook.Name, hook.ClientConfig.URL = "second.walguard.dev", &url
	hooks.Webhooks = append(hooks.Webhooks, hook)
	if err := c.api.Update(t.Context(), hooks); err != nil {
		t.Fatal(err)
	}
}

// deployedArguments are those of the Deployment, but for addresses, files and the times that certificates last.
func (c *cluster) deployedArguments(t *testing.T) []string {
	t.Helper()
	deployment := &appsv1.Deployment{}
	if err := c.api.Get(t.Context(), client.ObjectKey{Namespace: releaseNamespace, Name: release}, deployment); err != nil {
		t.Fatal(err)
	}
	ours := []string{"--listen=", "--health-listen=", "--config=", "--certificate-seconds=", "--authority-seconds="}
	arguments := slices.DeleteFunc(deployment.Spec.Template.Spec.Containers[0].Args, func(argument string) bool {
		return argument == "serve" || slices.ContainsFunc(ours, func(prefix string) bool { return strings.HasPrefix(argument, prefix) })
	})
	return append(arguments, lifetimes...)
}

func (c *cluster) webhooks(t *testing.T) *admissionv1.ValidatingWebhookConfiguration {
	t.Helper()
	hooks := &admissionv1.ValidatingWebhookConfiguration{}
	if err := c.api.Get(t.Context(), client.ObjectKey{Name: release}, hooks); err != nil {
		t.Fatal(err)
	}
	return hooks
}

// guards is the webhook that is asked about clusters; nil while there is none.
func (c *cluster) guards(t *testing.T) *admissionv1.ValidatingWebhook {
	t.Helper()
	hooks := c.webhooks(t).Webhooks
	at := slices.IndexFunc(hooks, func(hook admissionv1.ValidatingWebhook) bool { return hook.Name == "clusters.walguard.dev" })
	if at < 0 {
		return nil
	}
	return &hooks[at]
}

func (c *cluster) secret(t *testing.T) *corev1.Secret {
	t.Helper()
	secret := &corev1.Secret{}
	if err := c.api.Get(t.Context(), client.ObjectKey{Namespace: releaseNamespace, Name: release + "-authority"}, secret); err != nil {
		t.Fatal(err)
	}
	return secret
}

func (c *cluster) until(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(startTimeout); !holds(); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("a minute has passed, and not yet: %s", what)
		}
	}
}

// metrics returns what a replica tells Prometheus.
func (w *walguard) metrics(t *testing.T) string {
	t.Helper()
	answer, err := http.Get(w.health + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	var text bytes.Buffer
	if _, err := text.ReadFrom(answer.Body); err != nil {
		t.Fatal(err)
	}
	return text.String()
}

func leases() *unstructured.UnstructuredList {
	list := &unstructured.UnstructuredList{}
	list.SetAPIVersion("coordination.k8s.io/v1")
	list.SetKind("LeaseList")
	return list
}

// names are those of the objects of a list.
func names(list client.ObjectList) ([]string, error) {
	var all []string
	err := meta.EachListItem(list, func(object runtime.Object) error {
		accessor, err := meta.Accessor(object)
		if err == nil {
			all = append(all, accessor.GetName())
		}
		return err
	})
	return all, err
}

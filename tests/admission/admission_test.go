// Package admission shows that the API server refuses, warns and admits as walguard says: real etcd, real
// kube-apiserver, real `walguard serve`, registered as the chart registers it.
//
//	go test ./...                                   # everything
//	go test ./... -args -case kubeblocks-opsrequest # one directory of cases/
package admission

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// Kinds without schemas let every shape through to the webhook.
func TestAdmission(t *testing.T) {
	// Kubegres is not in crds, since it comes and goes in TestAudit.
	crds := append(readCRDs(t, "crds"), readCRDs(t, "testdata/kubegres")...)
	judge(t, append(crds, attackCRDs(t, crds)...), func(t *testing.T, c *cluster) {
		// As small as they are, these objects would not pass the operators' own schemas.
		t.Run("attacks", func(t *testing.T) { attacks(t, c) })
	})
}

// The operators' own CRDs show that the cases are objects which those operators accept.
func TestAdmissionWithOperatorsCRDs(t *testing.T) {
	judge(t, operatorsCRDs(t))
}

func judge(t *testing.T, crds []*apiextensionsv1.CustomResourceDefinition, more ...func(*testing.T, *cluster)) {
	// Without this an interrupt would end the test binary before it has stopped the control plane.
	ctx, stop := signal.NotifyContext(t.Context(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	c := startCluster(t, crds)

	t.Run("cases", func(t *testing.T) {
		cases(ctx, t, c.kubeconfig, c.tools+string(os.PathListSeparator)+os.Getenv("PATH"))
	})
	if *only == "" {
		t.Run("evidence", func(t *testing.T) { evidence(t, c) })
		t.Run("configuration", func(t *testing.T) { configuration(t, c) })
		for _, run := range more {
			run(t, c)
		}
	}
	t.Run("hostile requests", func(t *testing.T) { hostileRequests(t, c.walguard) })
	t.Run("shutdown", func(t *testing.T) { shutdown(t, c.walguard) })
}

const uid = "705ab4f5-6393-11e8-b7cc-42010a800002"

// review is an AdmissionReview of a CloudNativePG cluster to be created; object is its JSON.
func review(object string) string {
	return `{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{"uid":"` + uid + `",` +
		`"kind":{"group":"postgresql.cnpg.io","version":"v1","kind":"Cluster"},` +
		`"resource":{"group":"postgresql.cnpg.io","version":"v1","resource":"clusters"},` +
		`"name":"c","namespace":"n","operation":"CREATE","userInfo":{},"object":` + object + `}}`
}

func reviewOf(spec string) string {
	return review(`{"apiVersion":"postgresql.cnpg.io/v1","kind":"Cluster","metadata":{"name":"c","namespace":"n"},"spec":` + spec + `}`)
}

// answers fails the test unless body is an AdmissionReview that answers the review above.
func answers(t *testing.T, body []byte) {
	t.Helper()
	var review struct {
		Response struct {
			UID     string
			Allowed *bool
		}
	}
	if err := json.Unmarshal(body, &review); err != nil || review.Response.UID != uid || review.Response.Allowed == nil {
		t.Errorf("no AdmissionReview that answers %s (%v): %s", uid, err, excerpt(body))
	}
}

// shutdown ends the process as the kubelet does, in the middle of a request: that one is still answered.
func shutdown(t *testing.T, w *walguard) {
	body, sender := io.Pipe()
	received := make(chan struct{}) // the server has read the head and asks for the body
	trace := &httptrace.ClientTrace{Got100Continue: func() { close(received) }}
	request, err := http.NewRequestWithContext(httptrace.WithClientTrace(t.Context(), trace), http.MethodPost, w.validate, body)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Expect", "100-continue")
	type result struct {
		answer *http.Response
		err    error
	}
	done := make(chan result, 1)
	go func() {
		answer, err := w.client.Do(request)
		done <- result{answer, err}
	}()
	select {
	case <-received:
	case r := <-done:
		t.Fatalf("answered before the body was sent: %+v, %v", r.answer, r.err)
	}

	if err := w.process.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(startTimeout); w.ready() == nil; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("still ready a minute after SIGTERM")
		}
	}
	if _, err := io.WriteString(sender, reviewOf(`{"instances":1}`)); err != nil {
		t.Fatalf("the request was cut off: %v", err)
	}
	sender.Close()
	r := <-done
	if r.err != nil {
		t.Fatalf("the request was cut off: %v", r.err)
	}
	defer r.answer.Body.Close()
	content, err := io.ReadAll(r.answer.Body)
	if err != nil || r.answer.StatusCode != http.StatusOK {
		t.Fatalf("status %d, %v: %s", r.answer.StatusCode, err, excerpt(content))
	}
	answers(t, content)

	select {
	case err := <-w.exited:
		if err != nil {
			t.Errorf("walguard serve did not end well: %v", err)
		}
	case <-time.After(startTimeout):
		t.Error("still running a minute after SIGTERM")
	}
}

// hostileRequests sends what no API server would send. Each body must get an answer: 200 with an AdmissionReview
// that carries the request's uid, or a status that says whose fault it is. Never a 5xx, a closed connection or a hang.
func hostileRequests(t *testing.T, w *walguard) {
	deep := func(n int) string { return strings.Repeat(`{"a":`, n) + "1" + strings.Repeat("}", n) }
	for name, test := range map[string]struct {
		body     string
		statuses []int
	}{
		"empty body":             {"", []int{400}},
		"cut off":                {`{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{"uid":`, []int{400}},
		"not JSON":               {"\x00\xff\xfe", []int{400}},
		"a list":                 {"[]", []int{400}},
		"null":                   {"null", []int{400}},
		"no request":             {`{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview"}`, []int{400}},
		"request is a list":      {`{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":[]}`, []int{400}},
		"another version":        {strings.Replace(reviewOf("{}"), "k8s.io/v1", "k8s.io/v9", 1), []int{400}},
		"object is a number":     {review("5"), []int{200, 400}},
		"object is null":         {review("null"), []int{200, 400}},
		"spec is a string":       {reviewOf(`"x"`), []int{200}},
		"parameters is a list":   {reviewOf(`{"postgresql":{"parameters":["full_page_writes"]}}`), []int{200}},
		"parameter is null":      {reviewOf(`{"postgresql":{"parameters":{"full_page_writes":null,"wal_init_zero":{}}}}`), []int{200}},
		"instances is 1e400":     {reviewOf(`{"instances":1e400}`), []int{200, 400}},
		"size is a huge number":  {reviewOf(`{"storage":{"size":99999999999999999999999999999999}}`), []int{200, 400}},
		"1,000 levels":           {reviewOf(deep(1_000)), []int{200, 400}},
		"100,000 levels":         {reviewOf(deep(100_000)), []int{200, 400}},
		"a string of 2 MB":       {reviewOf(`{"postgresql":{"parameters":{"work_mem":"` + strings.Repeat("9", 2_000_000) + `"}}}`), []int{200, 400}},
		"a string of 10 MB":      {reviewOf(`{"postgresql":{"parameters":{"work_mem":"` + strings.Repeat("9", 10_000_000) + `"}}}`), []int{200, 400, 413}},
		"lone surrogate":         {reviewOf(`{"imageName":"\ud800"}`), []int{200, 400}},
		"duplicate keys":         {reviewOf(`{"instances":1,"instances":"x"}`), []int{200, 400}},
		"100,000 parameters":     {reviewOf(`{"postgresql":{"parameters":{` + manyParameters(100_000) + `}}}`), []int{200, 400, 413}},
		"control bytes in names": {review(`{"apiVersion":"postgresql.cnpg.io/v1","kind":"Cluster","metadata":{"name":"\u0000\n","namespace":7}}`), []int{200, 400}},
	} {
		t.Run(name, func(t *testing.T) {
			request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, w.validate, strings.NewReader(test.body))
			if err != nil {
				t.Fatal(err)
			}
			request.Header.Set("Content-Type", "application/json")
			if test.body != "" {
				request.Header.Set("Expect", "100-continue") // else a refusal of the length alone may meet a half-sent body
			}
			answer, err := w.client.Do(request)
			if err != nil {
				t.Fatal(err)
			}
			defer answer.Body.Close()
			body, err := io.ReadAll(answer.Body)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Contains(test.statuses, answer.StatusCode) {
				t.Fatalf("status %d, want one of %v: %s", answer.StatusCode, test.statuses, excerpt(body))
			}
			if answer.StatusCode == http.StatusOK {
				answers(t, body)
			} else if len(bytes.TrimSpace(body)) == 0 {
				t.Errorf("status %d without a reason", answer.StatusCode)
			}
			if err := w.ready(); err != nil {
				t.Errorf("not ready after it: %v", err)
			}
		})
	}
}

func manyParameters(n int) string {
	var b strings.Builder
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `"p%d":"%d"`, i, i)
	}
	return b.String()
}

func excerpt(body []byte) string {
	return string(body[:min(len(body), 300)])
}

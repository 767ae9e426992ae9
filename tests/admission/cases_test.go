package admission

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

var (
	only = flag.String("case", "", "run one directory of cases/ only")
	on   = flag.String("on", "", "kubeconfig of a cluster that walguard is installed in, for TestCases")
)

// What others would notice: these change what is there for all.
var alone = map[string]bool{"dependents": true, "ratchet": true}

// How long a case waits for walguard to have seen a change, and for one answer.
const (
	seen   = 60 * time.Second
	answer = 30 * time.Second
)

// TestCases runs the cases on a cluster that others have brought up.
func TestCases(t *testing.T) {
	if *on == "" {
		t.Skip("runs on the cluster that -on names")
	}
	cases(t.Context(), t, *on, os.Getenv("PATH"))
}

// cases runs the script of every directory of cases/, each in a namespace of its own and in its directory.
func cases(ctx context.Context, t *testing.T, kubeconfig, path string) {
	scripts, err := filepath.Glob("cases/*/*.txt")
	if err != nil || len(scripts) == 0 {
		t.Fatalf("cases/*/*.txt: %v, %v", scripts, err)
	}
	var together [][]string
	var beside []string
	for _, script := range scripts {
		name := strings.TrimSuffix(filepath.Base(script), ".txt")
		switch {
		case *only != "" && name != *only:
		case alone[name]:
			together = append(together, []string{script})
		default:
			beside = append(beside, script)
		}
	}
	if len(beside) > 0 {
		together = append([][]string{beside}, together...)
	}
	if len(together) == 0 {
		t.Fatalf("there is no case %q", *only)
	}
	for _, scripts := range together {
		// The scripts of a group run side by side, and have ended when the group has.
		t.Run("", func(t *testing.T) { group(ctx, t, scripts, kubeconfig, path) })
	}
}

func group(ctx context.Context, t *testing.T, scripts []string, kubeconfig, path string) {
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	user := user{ctx}
	testscript.Run(t, testscript.Params{
		Files: scripts,
		Setup: func(env *testscript.Env) error {
			name := strings.TrimPrefix(filepath.Base(env.WorkDir), "script-")
			namespace := fmt.Sprintf("case-%s-%d", name, time.Now().UnixMilli())
			env.Cd = filepath.Join(here, "cases", name)
			env.Setenv("NAMESPACE", namespace)
			env.Setenv("KUBECONFIG", kubeconfig)
			env.Setenv("KUBECACHEDIR", filepath.Join(env.WorkDir, "cache"))
			env.Setenv("PATH", path)
			env.Defer(func() { _ = setUp(env, "delete", "namespace", namespace, "--wait=false") })
			return setUp(env, "create", "namespace", namespace)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"kubectl":    user.kubectl,
			"eventually": user.eventually,
			"answered":   user.answered,
		},
	})
}

func setUp(env *testscript.Env, args ...string) error {
	ctx, cancel := context.WithTimeout(context.Background(), answer)
	defer cancel()
	program := filepath.Join(filepath.SplitList(env.Getenv("PATH"))[0], "kubectl")
	if _, err := os.Stat(program); err != nil {
		program = "kubectl"
	}
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Env = env.Vars
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("kubectl %s: %w\n%s", strings.Join(args, " "), err, out)
	}
	return nil
}

// user runs what a script says, until somebody interrupts the test.
type user struct{ ctx context.Context }

// asked runs kubectl in the namespace of the case. A webhook that does not answer ends the case: it must not look like a refusal.
func (u user) asked(ts *testscript.TestScript, args []string) (string, error) {
	ts.Check(u.ctx.Err())
	err := ts.Exec("kubectl", append([]string{"--namespace", ts.Getenv("NAMESPACE"), "--request-timeout", answer.String()}, args...)...)
	said := ts.ReadFile("stdout") + ts.ReadFile("stderr")
	if strings.Contains(said, "failed calling webhook") {
		ts.Fatalf("no answer: %s", said)
	}
	return said, err
}

// kubectl ARGUMENT… has to succeed; with ! before it, to be refused.
func (u user) kubectl(ts *testscript.TestScript, refused bool, args []string) {
	switch said, err := u.asked(ts, args); {
	case refused && err == nil:
		ts.Fatalf("not refused: %s", said)
	case !refused && err != nil:
		ts.Fatalf("%v: %s", err, said)
	}
}

// eventually PATTERN kubectl ARGUMENT… is tried again until what kubectl prints matches.
func (u user) eventually(ts *testscript.TestScript, refused bool, args []string) {
	if refused || len(args) < 3 || args[1] != "kubectl" {
		ts.Fatalf("usage: eventually PATTERN kubectl ARGUMENT...")
	}
	pattern, err := regexp.Compile(args[0])
	ts.Check(err)
	for end := time.Now().Add(seen); ; time.Sleep(500 * time.Millisecond) {
		said, _ := u.asked(ts, args[2:])
		if pattern.MatchString(said) {
			return
		}
		if time.Now().After(end) {
			ts.Fatalf("no %q after %s: %s", pattern, seen, said)
		}
	}
}

// A refusal that says why.
var explained = regexp.MustCompile("denied the request|is invalid|BadRequest|unable to decode|cannot be handled as")

// answered GLOB… creates objects, each of which has to be created or refused with a reason.
func (u user) answered(ts *testscript.TestScript, _ bool, args []string) {
	tried := 0
	for _, arg := range args {
		files, err := filepath.Glob(ts.MkAbs(arg))
		ts.Check(err)
		for _, file := range files {
			tried++
			said, err := u.asked(ts, []string{"create", "--validate=false", "--filename", file})
			if err != nil && !explained.MatchString(said) {
				ts.Fatalf("%s: an answer of no known kind: %s", file, said)
			}
			ts.Logf("%s: refused: %t", filepath.Base(file), err != nil)
		}
	}
	if tried == 0 {
		ts.Fatalf("%s: no such file", strings.Join(args, " "))
	}
}

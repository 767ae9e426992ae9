// What users of other tools get: the OPA bundle, the OCI layout for conftest, the hooks for pre-commit, the GitHub Action, the wheel and the
// kubectl plugin, each in the real tool. Needs walguard in target/release (make e2e builds it) or in WALGUARD.
package packages

import (
	"bytes"
	"debug/elf"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/registry"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"sigs.k8s.io/yaml"
)

const (
	preCommit = "4.3.0"
	version   = "0.0.0-test"
	bad       = "examples/cnpg/bad/full-page-writes-off.yaml"
	good      = "examples/cnpg/good/standard.yaml"
)

func root(t *testing.T) string {
	t.Helper()
	root, err := filepath.Abs("../..")
	check(t, err)
	return root
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	check(t, os.MkdirAll(filepath.Dir(path), 0o755))
	check(t, os.WriteFile(path, []byte(text), 0o644))
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	check(t, err)
	return string(text)
}

// run runs a command that may fail: what it wrote to standard output, all it wrote, its exit code.
func run(t *testing.T, directory string, environment []string, command ...string) (string, string, int) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	process := exec.Command(command[0], command[1:]...)
	process.Dir = directory
	process.Env = append(os.Environ(), environment...)
	process.Stdout, process.Stderr = &stdout, &stderr
	err := process.Run()
	if _, exited := err.(*exec.ExitError); err != nil && !exited {
		t.Fatalf("%v: %v", command, err)
	}
	return stdout.String(), stdout.String() + stderr.String(), process.ProcessState.ExitCode()
}

// must runs a command that has to succeed.
func must(t *testing.T, directory string, command ...string) string {
	t.Helper()
	stdout, all, code := run(t, directory, nil, command...)
	if code != 0 {
		t.Fatalf("%v: exit code %d\n%s", command, code, all)
	}
	return stdout
}

func tool(t *testing.T, name string) string {
	t.Helper()
	return strings.TrimSpace(must(t, root(t), "tests/tools/build", name))
}

func walguard(t *testing.T) string {
	t.Helper()
	path := os.Getenv("WALGUARD")
	if path == "" {
		path = filepath.Join(root(t), "target/release/walguard")
	}
	if _, err := os.Stat(path); err != nil {
		t.Fatalf("there is no walguard: %v", err)
	}
	return path
}

func bundle(t *testing.T) string {
	t.Helper()
	directory := t.TempDir()
	must(t, root(t), "policies/opa/build", tool(t, "opa"), directory, version)
	return directory
}

// conftest gives the messages of failures and warnings, sorted.
func conftest(t *testing.T, directory string, arguments ...string) []string {
	t.Helper()
	stdout, all, _ := run(t, directory, nil, append([]string{tool(t, "conftest"), "test", "--output", "json"}, arguments...)...)
	var results []struct{ Failures, Warnings []struct{ Msg string } }
	if err := json.Unmarshal([]byte(stdout), &results); err != nil {
		t.Fatalf("%v: %s", err, all)
	}
	messages := []string{}
	for _, result := range results {
		for _, found := range append(result.Failures, result.Warnings...) {
			messages = append(messages, found.Msg)
		}
	}
	slices.Sort(messages)
	return messages
}

// lint gives what walguard lint finds but advice, worded as conftest does, sorted.
func lint(t *testing.T, directory string, arguments ...string) []string {
	t.Helper()
	stdout, all, _ := run(t, directory, nil, append([]string{walguard(t), "lint", "--format", "json"}, arguments...)...)
	var report struct {
		Findings []struct {
			Check, Message, Severity string
			Resource                 struct{ Kind, Namespace, Name string }
		}
	}
	if err := json.Unmarshal([]byte(stdout), &report); err != nil {
		t.Fatalf("%v: %s", err, all)
	}
	messages := []string{}
	for _, found := range report.Findings {
		if found.Severity != "info" {
			about := found.Resource
			messages = append(messages, fmt.Sprintf("%s %s/%s: %s (%s)", about.Kind, about.Namespace, about.Name, found.Message, found.Check))
		}
	}
	slices.Sort(messages)
	return messages
}

func same(t *testing.T, what string, got, wanted []string) {
	t.Helper()
	if len(wanted) == 0 {
		t.Fatalf("%s: there is nothing to compare", what)
	}
	if !slices.Equal(got, wanted) {
		t.Fatalf("%s:\n%s\nnot\n%s", what, strings.Join(got, "\n"), strings.Join(wanted, "\n"))
	}
}

// documents gives the documents of a file as JSON, by kind.
func documents(t *testing.T, path string) map[string]string {
	t.Helper()
	found := map[string]string{}
	for _, text := range regexp.MustCompile(`(?m)^---.*$`).Split(read(t, path), -1) {
		object, err := yaml.YAMLToJSON([]byte(text))
		check(t, err)
		var header struct{ Kind string }
		check(t, json.Unmarshal(object, &header))
		if header.Kind != "" {
			found[header.Kind] = string(object)
		}
	}
	return found
}

func TestTheSameSourcesGiveTheSameBytes(t *testing.T) {
	first, second := bundle(t), bundle(t)
	must(t, first, "diff", "--recursive", first, second)
}

func TestOPAReadsTheBundle(t *testing.T) {
	place := t.TempDir()
	write(t, place+"/cluster.json", documents(t, filepath.Join(root(t), bad))["Cluster"])
	stdout := must(t, place, tool(t, "opa"), "eval", "--bundle", bundle(t)+"/walguard.tar.gz", "--input", "cluster.json",
		"--format", "json", "[m.msg | some m in data.main.deny | data.main.warn]")
	var answer struct {
		Result []struct{ Expressions []struct{ Value []string } }
	}
	check(t, json.Unmarshal([]byte(stdout), &answer))
	messages := answer.Result[0].Expressions[0].Value
	slices.Sort(messages)
	same(t, "opa eval", messages, conftest(t, place, "--policy", filepath.Join(root(t), "rules"), "cluster.json"))
}

func TestConftestPullsFromARegistry(t *testing.T) {
	server := httptest.NewServer(registry.New(registry.Logger(log.New(io.Discard, "", 0))))
	defer server.Close()
	address := strings.TrimPrefix(server.URL, "http://") + "/walguard:" + version
	index, err := layout.ImageIndexFromPath(bundle(t) + "/oci")
	check(t, err)
	manifest, err := index.IndexManifest()
	check(t, err)
	image, err := index.Image(manifest.Manifests[0].Digest)
	check(t, err)
	reference, err := name.ParseReference(address)
	check(t, err)
	check(t, remote.Write(reference, image))

	place := t.TempDir()
	must(t, place, tool(t, "conftest"), "pull", "--policy", "policy", "oci://"+address)
	example := filepath.Join(root(t), bad)
	for _, arguments := range [][]string{{example}, {"--combine", example}} {
		same(t, "pulled rules", conftest(t, place, arguments...),
			conftest(t, place, append([]string{"--policy", filepath.Join(root(t), "rules")}, arguments...)...))
	}
}

func TestDataOfConftestIsTheInventory(t *testing.T) {
	example := filepath.Join(root(t), bad)
	found := documents(t, example)
	var class struct{ Metadata struct{ Name string } }
	check(t, json.Unmarshal([]byte(found["StorageClass"]), &class))
	place := t.TempDir()
	write(t, place+"/cluster.json", found["Cluster"])
	write(t, place+"/data/inventory.json",
		`{"inventory": {"cluster": {"storage.k8s.io/v1": {"StorageClass": {"`+class.Metadata.Name+`": `+found["StorageClass"]+`}}}}}`)
	rules := filepath.Join(root(t), "rules")
	together := conftest(t, place, "--policy", rules, "--combine", example)
	same(t, "--data", conftest(t, place, "--policy", rules, "--data", "data", "cluster.json"), together)
	write(t, place+"/class.json", found["StorageClass"])
	same(t, "lint --context", lint(t, place, "--context", "class.json", "cluster.json"), together)
	if slices.Equal(conftest(t, place, "--policy", rules, "cluster.json"), together) {
		t.Fatal("the StorageClass makes no difference, so this shows nothing")
	}
}

// repository makes a git repository of files.
func repository(t *testing.T, directory string) {
	t.Helper()
	must(t, directory, "git", "init", "--quiet")
	must(t, directory, "git", "add", "--all", "--force")
	must(t, directory, "git", "-c", "user.name=t", "-c", "user.email=t@example.org", "commit", "--quiet", "--message", "t")
}

// hooks is a repository of this tree as it is, with what pre-commit needs of it.
func hooks(t *testing.T) string {
	t.Helper()
	directory := t.TempDir()
	for _, part := range []string{".pre-commit-hooks.yaml", ".ci", "rules", "dist", "pyproject.toml", "Cargo.toml", "LICENSE", "README.md"} {
		must(t, root(t), "cp", "--recursive", part, directory)
	}
	repository(t, directory)
	return directory
}

func TestPreCommit(t *testing.T) {
	cache, err := os.UserCacheDir()
	check(t, err)
	environment := filepath.Join(cache, "walguard-tools", "pre-commit-"+preCommit)
	program := filepath.Join(environment, "bin/pre-commit")
	if _, err := os.Stat(program); err != nil {
		must(t, ".", "python3", "-m", "venv", environment)
		must(t, ".", filepath.Join(environment, "bin/pip"), "install", "--quiet", "pre-commit=="+preCommit)
	}
	must(t, root(t), program, "validate-manifest", ".pre-commit-hooks.yaml")

	home := t.TempDir()
	path := strings.Join([]string{filepath.Dir(tool(t, "conftest")), filepath.Dir(walguard(t)), os.Getenv("PATH")}, ":")
	// Downloading it is tested below, and building it again for this would take minutes.
	variables := []string{"PRE_COMMIT_HOME=" + home, "PATH=" + path, "WALGUARD_BINARY=" + walguard(t)}
	source := hooks(t)
	revision := strings.TrimSpace(must(t, source, "git", "rev-parse", "HEAD"))
	for _, hook := range []string{"walguard", "walguard-system", "walguard-conftest"} {
		t.Run(hook, func(t *testing.T) {
			project := t.TempDir()
			write(t, project+"/.pre-commit-config.yaml",
				"repos:\n- repo: file://"+source+"\n  rev: "+revision+"\n  hooks:\n  - id: "+hook+"\n    files: ^deploy/\n")
			write(t, project+"/deploy/orders.yaml", read(t, filepath.Join(root(t), bad)))
			repository(t, project)
			if _, all, code := run(t, project, variables, program, "install-hooks"); code != 0 {
				t.Fatal(all)
			}
			_, all, code := run(t, project, variables, program, "run", "--all-files")
			if code != 1 || !strings.Contains(all, "durability/full_page_writes") {
				t.Fatalf("exit code %d\n%s", code, all)
			}
			write(t, project+"/deploy/orders.yaml", read(t, filepath.Join(root(t), good)))
			if _, all, code := run(t, project, variables, program, "run", "--all-files"); code != 0 {
				t.Fatalf("exit code %d\n%s", code, all)
			}
		})
	}
}

// The workflow of docs/ci.md, with the action of this tree.
func TestActionlint(t *testing.T) {
	block := regexp.MustCompile("(?s)## GitHub Actions\n\n```yaml\n(.*?)```").FindStringSubmatch(read(t, filepath.Join(root(t), "docs/ci.md")))
	lint := func(workflow string) (string, int) {
		place := t.TempDir()
		write(t, place+"/action.yml", read(t, filepath.Join(root(t), "action.yml")))
		write(t, place+"/.github/workflows/manifests.yml", regexp.MustCompile(`uses: \S+@main`).ReplaceAllString(workflow, "uses: ./"))
		repository(t, place)
		program := strings.TrimSpace(must(t, ".", "go", "tool", "-n", "actionlint"))
		_, all, code := run(t, place, nil, program, "-shellcheck=", "-pyflakes=")
		return all, code
	}
	if all, code := lint(block[1]); code != 0 {
		t.Fatal(all)
	}
	if all, code := lint(strings.Replace(block[1], "fail-on:", "fail_on:", 1)); code == 0 || !strings.Contains(all, "fail_on") {
		t.Fatalf("an input that does not exist passes: %s", all)
	}
}

// The scripts of the action's steps, one after another, as a runner would; the steps that use other actions are left out.
func TestActionRuns(t *testing.T) {
	var action struct {
		Inputs map[string]struct{ Default string }
		Runs   struct {
			Steps []struct {
				ID, Run string
				Env     map[string]string
			}
		}
	}
	check(t, yaml.Unmarshal([]byte(read(t, filepath.Join(root(t), "action.yml"))), &action))
	place := t.TempDir()
	write(t, place+"/deploy/orders.yaml", read(t, filepath.Join(root(t), bad)))
	values := map[string]string{}
	for input, description := range action.Inputs {
		values["inputs."+input] = description.Default
	}
	values["inputs.paths"], values["inputs.sarif"] = "deploy\n", "out.sarif"
	last, printed := -1, ""
	for _, step := range action.Runs.Steps {
		if step.Run == "" {
			continue
		}
		if last > 0 {
			t.Fatalf("a step before %q: exit code %d\n%s", step.Run, last, printed)
		}
		outputs := filepath.Join(t.TempDir(), "outputs")
		environment := []string{"GITHUB_ACTION_PATH=" + root(t), "GITHUB_OUTPUT=" + outputs, "RUNNER_TOOL_CACHE=" + place + "/cache",
			"WALGUARD_BINARY=" + walguard(t)}
		for variable, value := range step.Env {
			value = regexp.MustCompile(`\$\{\{ (.*?) \}\}`).ReplaceAllStringFunc(value, func(expression string) string {
				known, ok := values[strings.Trim(expression, "${} ")]
				if !ok {
					t.Fatalf("%s is not known", expression)
				}
				return known
			})
			environment = append(environment, variable+"="+value)
		}
		_, printed, last = run(t, place, environment, "bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step.Run)
		if text, err := os.ReadFile(outputs); err == nil {
			for _, line := range strings.Split(strings.TrimSpace(string(text)), "\n") {
				output, value, _ := strings.Cut(line, "=")
				values["steps."+step.ID+".outputs."+output] = value
			}
		}
	}
	if last != 1 || !strings.Contains(printed, "::error ") || !strings.Contains(printed, "file=deploy/orders.yaml") {
		t.Fatalf("exit code %d\n%s", last, printed)
	}
	validate(t, filepath.Join(place, "out.sarif"))
}

// validate compares SARIF with the schema of the standard, which comes with the crate that writes it.
func validate(t *testing.T, sarif string) {
	t.Helper()
	home := os.Getenv("CARGO_HOME")
	if home == "" {
		user, err := os.UserHomeDir()
		check(t, err)
		home = filepath.Join(user, ".cargo")
	}
	schemas, err := filepath.Glob(filepath.Join(home, "registry/src/*/serde-sarif-*/src/schema.json"))
	check(t, err)
	if len(schemas) == 0 {
		t.Skip("the sources of serde-sarif are not there")
	}
	program := strings.TrimSpace(must(t, ".", "go", "tool", "-n", "jv"))
	must(t, ".", program, schemas[0], sarif)
	broken := filepath.Join(t.TempDir(), "broken.sarif")
	write(t, broken, strings.Replace(read(t, sarif), `"level": "error"`, `"level": "fatal"`, 1))
	if _, all, code := run(t, ".", nil, program, schemas[0], broken); code == 0 {
		t.Fatalf("a wrong level passes: %s", all)
	}
}

// What `pip install` and uvx get of a release: no network, nothing but the wheel.
func TestWheel(t *testing.T) {
	place, again := t.TempDir(), t.TempDir()
	for _, directory := range []string{place, again} {
		must(t, root(t), "python3", "dist/python/backend.py", directory, walguard(t), platform(t))
	}
	must(t, ".", "diff", "--recursive", place, again)

	must(t, ".", "python3", "-m", "venv", place+"/fresh")
	must(t, ".", place+"/fresh/bin/pip", "install", "--quiet", "--disable-pip-version-check", "--no-index", "--find-links", place, "walguard")
	if shown := must(t, ".", place+"/fresh/bin/pip", "show", "walguard"); !strings.Contains(shown, "Version: "+versionOf(t)) {
		t.Fatal(shown)
	}
	tries(t, place+"/fresh/bin/walguard")
}

// platform is the tag of wheels that are made for this machine.
func platform(t *testing.T) string {
	t.Helper()
	return strings.TrimSpace(must(t, ".", "python3", "-c", "import re, sysconfig; print(re.sub('[-.]', '_', sysconfig.get_platform()))"))
}

func versionOf(t *testing.T) string {
	t.Helper()
	return regexp.MustCompile(`(?m)^version = "(.*)"`).FindStringSubmatch(read(t, filepath.Join(root(t), "Cargo.toml")))[1]
}

// tries runs the first command that a stranger would.
func tries(t *testing.T, program string) {
	t.Helper()
	if _, all, code := run(t, root(t), nil, program, "lint", bad); code != 1 || !strings.Contains(all, "durability/full_page_writes") {
		t.Fatalf("exit code %d\n%s", code, all)
	}
	if _, all, code := run(t, root(t), nil, program, "lint", good); code != 0 {
		t.Fatalf("exit code %d\n%s", code, all)
	}
}

// A static binary needs nothing: no shell, no library, no directory. The one of a release is; others are left out here, and `make dist`
// tries the one it builds.
func TestEmptyRoot(t *testing.T) {
	binary, err := elf.Open(walguard(t))
	check(t, err)
	defer binary.Close()
	if slices.ContainsFunc(binary.Progs, func(part *elf.Prog) bool { return part.Type == elf.PT_INTERP }) {
		t.Skip("this walguard is not static")
	}
	empty := t.TempDir()
	must(t, ".", "cp", walguard(t), empty+"/walguard")
	manifest, err := os.Open(filepath.Join(root(t), bad))
	check(t, err)
	defer manifest.Close()
	process := exec.Command("/walguard", "lint", "-")
	process.Dir, process.Env, process.Stdin = "/", []string{}, manifest
	process.SysProcAttr = &syscall.SysProcAttr{Chroot: empty}
	if user := os.Getuid(); user != 0 {
		process.SysProcAttr.Cloneflags = syscall.CLONE_NEWUSER
		process.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: user, Size: 1}}
	}
	output, err := process.CombinedOutput()
	if process.ProcessState == nil {
		t.Fatal(err)
	}
	if code := process.ProcessState.ExitCode(); code != 1 || !strings.Contains(string(output), "durability/full_page_writes") {
		t.Fatalf("exit code %d\n%s", code, output)
	}
}

// dist/get takes the released binary of exactly these sources, and only the one that was released; else it asks cargo.
func TestGet(t *testing.T) {
	tree := t.TempDir()
	for _, part := range []string{"dist", "crates", "rules", "webhook", "Cargo.toml", "Cargo.lock", "rust-toolchain.toml"} {
		must(t, root(t), "cp", "--recursive", part, tree)
	}
	sources := must(t, tree, "dist/sources")
	if sources != must(t, root(t), "dist/sources") {
		t.Fatal("a copy of the sources has another hash")
	}
	release := t.TempDir()
	files := filepath.Join(release, "v"+versionOf(t))
	archive := "walguard-" + map[string]string{"amd64": "x86_64", "arm64": "aarch64"}[runtime.GOARCH] + "-unknown-linux-musl.tar.gz"
	write(t, files+"/sources", sources)
	must(t, filepath.Dir(walguard(t)), "tar", "--create", "--gzip", "--file", filepath.Join(files, archive), "walguard")
	write(t, files+"/SHA256SUMS", must(t, files, "sha256sum", archive))
	server := httptest.NewServer(http.FileServer(http.Dir(release)))
	defer server.Close()

	// Building takes minutes: what is tested is that it is asked for, and when.
	asked := t.TempDir()
	write(t, asked+"/cargo", "#!/bin/sh\necho cargo $*\nmkdir -p "+tree+"/target/release\ncp "+walguard(t)+" "+tree+"/target/release/walguard\n")
	check(t, os.Chmod(asked+"/cargo", 0o755))
	get := func(releases string) (string, string, int) {
		variables := []string{"WALGUARD_RELEASES=" + releases, "PATH=" + asked + ":" + os.Getenv("PATH")}
		return run(t, tree, variables, "dist/get", t.TempDir())
	}
	for _, each := range []struct {
		name, releases string
		change         func()
		builds         bool
	}{
		{"released", server.URL, func() {}, false},
		{"no releases", "", func() {}, true},
		{"nothing there", server.URL + "/elsewhere", func() {}, true},
		{"other sources", server.URL, func() { write(t, tree+"/rules/more.rego", "package more\n") }, true},
	} {
		t.Run(each.name, func(t *testing.T) {
			each.change()
			path, all, code := get(each.releases)
			if code != 0 || strings.Contains(all, "cargo build --release --locked") != each.builds {
				t.Fatalf("exit code %d\n%s", code, all)
			}
			tries(t, strings.TrimSpace(path))
		})
	}
	check(t, os.Remove(tree+"/rules/more.rego"))
	write(t, filepath.Join(files, archive), "something else")
	if _, all, code := get(server.URL); code != 1 || !strings.Contains(all, "is not the one that was released") {
		t.Fatalf("exit code %d\n%s", code, all)
	}
}

// What a container engine is given to build from is a whole workspace. (No image is built here: that needs a container engine.)
func TestContextOfTheDockerfile(t *testing.T) {
	context := t.TempDir()
	for _, line := range strings.Split(read(t, filepath.Join(root(t), ".dockerignore")), "\n") {
		if part, given := strings.CutPrefix(line, "!"); given {
			check(t, os.MkdirAll(filepath.Dir(filepath.Join(context, part)), 0o755))
			must(t, root(t), "cp", "--recursive", part, filepath.Join(context, part))
		}
	}
	must(t, context, "cargo", "metadata", "--locked", "--no-deps", "--format-version", "1")
	for _, copied := range regexp.MustCompile(`COPY --from=build /walguard/(\S+)`).FindAllStringSubmatch(read(t, filepath.Join(root(t), "Dockerfile")), -1) {
		if _, err := os.Stat(filepath.Join(context, copied[1])); err != nil && !strings.HasPrefix(copied[1], "target/") {
			t.Fatal(err)
		}
	}
}

// kubectl finds the plugin by its name, and krew takes the manifest and the archive that dist/krew/build makes.
func TestKubectlPlugin(t *testing.T) {
	packed, again, krew := t.TempDir(), t.TempDir(), t.TempDir()
	platform := runtime.GOOS + "-" + runtime.GOARCH
	for _, directory := range []string{packed, again} {
		must(t, root(t), "dist/krew/build", directory, version, platform+"="+walguard(t))
	}
	must(t, ".", "diff", "--recursive", packed, again)

	path := krew + "/bin:" + os.Getenv("PATH")
	environment := []string{"KREW_ROOT=" + krew, "KREW_NO_UPGRADE_CHECK=1", "PATH=" + path, "KUBECONFIG=/dev/null"}
	_, all, code := run(t, packed, environment, tool(t, "krew"), "install", "--manifest=walguard.yaml", "--archive=walguard-"+platform+".tar.gz")
	if code != 0 {
		t.Fatal(all)
	}
	kubectl := tool(t, "kubectl")
	if stdout, all, code := run(t, root(t), environment, kubectl, "plugin", "list"); code != 0 || !strings.Contains(stdout, krew+"/bin/kubectl-walguard") {
		t.Fatalf("exit code %d\n%s", code, all)
	}
	checks, all, code := run(t, root(t), environment, kubectl, "walguard", "checks")
	if code != 0 || checks != must(t, root(t), walguard(t), "checks") {
		t.Fatalf("exit code %d\n%s", code, all)
	}
	if _, all, code := run(t, root(t), environment, kubectl, "walguard", "lint", bad); code != 1 || !strings.Contains(all, "durability/full_page_writes") {
		t.Fatalf("exit code %d\n%s", code, all)
	}
	if _, all, code := run(t, root(t), environment, kubectl, "walguard", "lint", "--nonsense"); code != 2 || !strings.Contains(all, "Usage: kubectl walguard lint") {
		t.Fatalf("exit code %d\n%s", code, all)
	}

	// An archive that is not the one of the manifest.
	write(t, packed+"/walguard.yaml", regexp.MustCompile(`sha256: .*`).ReplaceAllString(read(t, packed+"/walguard.yaml"), "sha256: "+strings.Repeat("0", 64)))
	environment[0] = "KREW_ROOT=" + t.TempDir()
	if _, all, code := run(t, packed, environment, tool(t, "krew"), "install", "--manifest=walguard.yaml", "--archive=walguard-"+platform+".tar.gz"); code == 0 {
		t.Fatalf("a wrong hash passes: %s", all)
	}
}

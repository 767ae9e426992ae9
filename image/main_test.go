package main

import (
	"archive/tar"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/validate"
)

// pause builds the static binary of pause/ for this machine.
func pause(t *testing.T) string {
	t.Helper()
	return pauseFor(t, runtime.GOARCH)
}

func pauseFor(t *testing.T, architecture string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "pause")
	command := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", path, "./pause")
	command.Env = append(os.Environ(), "CGO_ENABLED=0", "GOARCH="+architecture)
	if out, err := command.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return path
}

// file writes a file with a time of its own.
func file(t *testing.T, name, text string, modified time.Time) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(path, modified, modified); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestTheSameFilesGiveTheSameImage(t *testing.T) {
	binary := pause(t)
	make := func(license string, modified time.Time) (string, string) {
		out := filepath.Join(t.TempDir(), "out")
		content := content{files: []string{file(t, "LICENSE", license, modified)}, args: []string{"--help"}}
		digest, err := write(content, []string{binary}, "example.org/pause:1", out, file(t, "sbom.json", "{}", modified))
		if err != nil {
			t.Fatal(err)
		}
		archive, err := os.ReadFile(filepath.Join(out, "image.tar"))
		if err != nil {
			t.Fatal(err)
		}
		return digest.String(), string(archive)
	}
	first, firstArchive := make("free", time.Unix(1_000_000_000, 0))
	second, secondArchive := make("free", time.Now())
	if first != second || firstArchive != secondArchive {
		t.Errorf("two images of the same files: %s and %s", first, second)
	}
	if other, _ := make("not free", time.Now()); other == first {
		t.Errorf("images of different files are both %s", first)
	}
}

func TestBothFormsHoldTheImage(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out")
	content := content{
		files: []string{file(t, "LICENSE", "free", time.Now())}, args: []string{"--help"},
		env: []string{"A=b"}, labels: map[string]string{"c": "d"},
	}
	digest, err := write(content, []string{pause(t)}, "example.org/pause:1", out, file(t, "sbom.json", `{"bomFormat":"CycloneDX"}`, time.Now()))
	if err != nil {
		t.Fatal(err)
	}
	path, err := layout.FromPath(filepath.Join(out, "oci"))
	if err != nil {
		t.Fatal(err)
	}
	image, err := path.Image(digest)
	if err != nil {
		t.Fatal(err)
	}
	if err := validate.Image(image); err != nil {
		t.Error(err)
	}
	config, err := image.ConfigFile()
	if err != nil {
		t.Fatal(err)
	}
	if config.Config.User != "65532:65532" || config.Config.Entrypoint[0] != "/pause" || config.Config.Cmd[0] != "--help" ||
		config.Config.Env[0] != "A=b" || config.Config.Labels["c"] != "d" || config.OS != "linux" {
		t.Errorf("%+v", config)
	}
	expectFiles(t, image)

	archived, err := tarball.ImageFromPath(filepath.Join(out, "image.tar"), nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := validate.Image(archived); err != nil {
		t.Error(err)
	}
	expectFiles(t, archived)

	index, err := path.ImageIndex()
	if err != nil {
		t.Fatal(err)
	}
	manifest, err := index.IndexManifest()
	if err != nil {
		t.Fatal(err)
	}
	if len(manifest.Manifests) != 2 || manifest.Manifests[0].Annotations["org.opencontainers.image.ref.name"] != "1" {
		t.Fatalf("%+v", manifest.Manifests)
	}
	referrer, err := path.Image(manifest.Manifests[1].Digest)
	if err != nil {
		t.Fatal(err)
	}
	referring, err := referrer.Manifest()
	if err != nil {
		t.Fatal(err)
	}
	if referring.Subject == nil || referring.Subject.Digest != digest || referring.Layers[0].MediaType != sbomType {
		t.Errorf("%+v", referring)
	}
}

func TestOneImageForSeveralMachines(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out")
	binaries := []string{pauseFor(t, "amd64"), pauseFor(t, "arm64")}
	digest, err := write(content{}, binaries, "example.org/pause:1", out, file(t, "sbom.json", "{}", time.Now()))
	if err != nil {
		t.Fatal(err)
	}
	path, err := layout.FromPath(filepath.Join(out, "oci"))
	if err != nil {
		t.Fatal(err)
	}
	top, err := path.ImageIndex()
	if err != nil {
		t.Fatal(err)
	}
	index, err := top.ImageIndex(digest)
	if err != nil {
		t.Fatal(err)
	}
	if err := validate.Index(index); err != nil {
		t.Error(err)
	}
	manifest, err := index.IndexManifest()
	if err != nil {
		t.Fatal(err)
	}
	var platforms []string
	for _, image := range manifest.Manifests {
		platforms = append(platforms, image.Platform.String())
	}
	if got := strings.Join(platforms, " "); got != "linux/amd64 linux/arm64" {
		t.Error(got)
	}
	all, err := top.IndexManifest()
	if err != nil {
		t.Fatal(err)
	}
	referrer, err := path.Image(all.Manifests[1].Digest)
	if err != nil {
		t.Fatal(err)
	}
	if referring, err := referrer.Manifest(); err != nil || referring.Subject.Digest != digest {
		t.Errorf("%+v, %v", referring, err)
	}
}

func expectFiles(t *testing.T, image v1.Image) {
	t.Helper()
	var names []string
	reader := tar.NewReader(mutate.Extract(image))
	for {
		header, err := reader.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if header.Uid != 0 || header.ModTime.Unix() != 0 {
			t.Errorf("%+v", header)
		}
		names = append(names, header.Name+" "+header.FileInfo().Mode().String())
	}
	if got := strings.Join(names, ", "); got != "pause -rwxr-xr-x, LICENSE -rw-r--r--" {
		t.Error(got)
	}
}

func TestABinaryThatCouldNotStartIsRefused(t *testing.T) {
	if _, err := build(content{binary: file(t, "script", "#!/bin/sh\n", time.Now())}); err == nil {
		t.Error("a script was taken")
	}
	shell, err := exec.LookPath("bash")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := build(content{binary: shell}); err == nil || !strings.Contains(err.Error(), "not static") {
		t.Errorf("%s: %v", shell, err)
	}
}

// Command image puts a static binary into a container image, without a container engine:
//
//	image -binary FILE… -name NAME:TAG -out DIR [-file FILE]… [-arg ARG]… [-env K=V]… [-label K=V]… [-sbom FILE]
//
// It writes DIR/oci, an OCI image layout, and DIR/image.tar, an archive for `docker load` and `ctr images import`, and prints the
// digest of the image. Binaries for several machines make an image for each and an index of them, whose digest is then printed; the archive
// has the image of the first. The same files give the same digest: nothing of the machine or of the time gets in.
package main

import (
	"archive/tar"
	"bytes"
	"debug/elf"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/partial"
	"github.com/google/go-containerregistry/pkg/v1/static"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

const (
	user     = "65532:65532" // as in the Dockerfile and the chart
	sbomType = types.MediaType("application/vnd.cyclonedx+json")
)

// content is what an image is made of.
type content struct {
	binary string   // path of the entrypoint
	files  []string // paths of further files, put beside it in /
	args   []string // default arguments
	env    []string // K=V
	labels map[string]string
}

// texts is a flag that may be given several times.
type texts []string

func (t *texts) String() string        { return strings.Join(*t, " ") }
func (t *texts) Set(text string) error { *t = append(*t, text); return nil }

func main() {
	var c content
	var binaries, files, args, env, labels texts
	flag.Var(&binaries, "binary", "static binary, the entrypoint; one for each machine")
	reference := flag.String("name", "", "name and tag of the image")
	out := flag.String("out", "", "directory to write to; replaced")
	sbom := flag.String("sbom", "", "CycloneDX document, added to the layout as a referrer of the image")
	flag.Var(&files, "file", "further file for /")
	flag.Var(&args, "arg", "default argument")
	flag.Var(&env, "env", "K=V in the environment")
	flag.Var(&labels, "label", "K=V label")
	flag.Parse()
	c.files, c.args, c.env, c.labels = files, args, env, map[string]string{}
	for _, label := range labels {
		key, value, _ := strings.Cut(label, "=")
		c.labels[key] = value
	}
	digest, err := write(c, binaries, *reference, *out, *sbom)
	if err != nil {
		fmt.Fprintln(os.Stderr, "image:", err)
		os.Exit(1)
	}
	fmt.Println(digest)
}

// write makes the image of each binary, and the forms on disk.
func write(c content, binaries []string, reference, out, sbom string) (v1.Hash, error) {
	tag, err := name.NewTag(reference)
	if err != nil {
		return v1.Hash{}, err
	}
	if len(binaries) == 0 || out == "" {
		return v1.Hash{}, errors.New("-binary and -out are needed")
	}
	var images []v1.Image
	index := mutate.IndexMediaType(empty.Index, types.OCIImageIndex)
	for _, binary := range binaries {
		c.binary = binary
		image, err := build(c)
		if err != nil {
			return v1.Hash{}, err
		}
		config, err := image.ConfigFile()
		if err != nil {
			return v1.Hash{}, err
		}
		images = append(images, image)
		index = mutate.AppendManifests(index, mutate.IndexAddendum{Add: image, Descriptor: v1.Descriptor{Platform: config.Platform()}})
	}
	if err := os.RemoveAll(out); err != nil {
		return v1.Hash{}, err
	}
	path, err := layout.Write(filepath.Join(out, "oci"), empty.Index)
	if err != nil {
		return v1.Hash{}, err
	}
	var subject subject = index
	names := layout.WithAnnotations(map[string]string{"org.opencontainers.image.ref.name": tag.TagStr()})
	if len(images) == 1 {
		subject, err = images[0], path.AppendImage(images[0], names)
	} else {
		err = path.AppendIndex(index, names)
	}
	if err != nil {
		return v1.Hash{}, err
	}
	if sbom != "" {
		referrer, err := refer(subject, sbom)
		if err != nil {
			return v1.Hash{}, err
		}
		if err := path.AppendImage(referrer); err != nil {
			return v1.Hash{}, err
		}
	}
	if err := tarball.WriteToFile(filepath.Join(out, "image.tar"), tag, images[0]); err != nil {
		return v1.Hash{}, err
	}
	return subject.Digest()
}

// subject is what a bill of materials is about: an image, or an index of images.
type subject interface {
	partial.Describable
}

func build(c content) (v1.Image, error) {
	architecture, err := architectureOf(c.binary)
	if err != nil {
		return nil, err
	}
	files, err := archive(append([]string{c.binary}, c.files...))
	if err != nil {
		return nil, err
	}
	layer, err := tarball.LayerFromOpener(func() (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(files)), nil
	}, tarball.WithMediaType(types.OCILayer))
	if err != nil {
		return nil, err
	}
	image := mutate.ConfigMediaType(mutate.MediaType(empty.Image, types.OCIManifestSchema1), types.OCIConfigJSON)
	image, err = mutate.AppendLayers(image, layer)
	if err != nil {
		return nil, err
	}
	file, err := image.ConfigFile()
	if err != nil {
		return nil, err
	}
	file = file.DeepCopy()
	file.OS, file.Architecture = "linux", architecture
	file.Created = v1.Time{Time: time.Unix(0, 0).UTC()}
	file.Config = v1.Config{
		User:       user,
		Entrypoint: []string{"/" + filepath.Base(c.binary)},
		Cmd:        c.args,
		Env:        c.env,
		Labels:     c.labels,
	}
	return mutate.ConfigFile(image, file)
}

// archive is a tar of files for /, in their order, owned by root and without times.
func archive(paths []string) ([]byte, error) {
	var buffer bytes.Buffer
	writer := tar.NewWriter(&buffer)
	for _, path := range paths {
		bytes, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		info, err := os.Stat(path)
		if err != nil {
			return nil, err
		}
		mode := int64(0o644)
		if info.Mode()&0o100 != 0 {
			mode = 0o755
		}
		header := &tar.Header{Name: filepath.Base(path), Size: int64(len(bytes)), Mode: mode, ModTime: time.Unix(0, 0), Format: tar.FormatUSTAR}
		if err := writer.WriteHeader(header); err != nil {
			return nil, err
		}
		if _, err := writer.Write(bytes); err != nil {
			return nil, err
		}
	}
	if err := writer.Close(); err != nil {
		return nil, err
	}
	return buffer.Bytes(), nil
}

// architectureOf gives Go's name of the machine that an ELF binary is for. One that needs a dynamic linker could not start
// in an image that has none.
func architectureOf(path string) (string, error) {
	file, err := elf.Open(path)
	if err != nil {
		return "", fmt.Errorf("%s: %w", path, err)
	}
	defer file.Close()
	for _, segment := range file.Progs {
		if segment.Type == elf.PT_INTERP {
			return "", fmt.Errorf("%s is not static: it asks for a dynamic linker", path)
		}
	}
	switch file.Machine {
	case elf.EM_X86_64:
		return "amd64", nil
	case elf.EM_AARCH64:
		return "arm64", nil
	}
	return "", fmt.Errorf("%s is for %s, which has no image", path, file.Machine)
}

// refer makes an artifact that holds a bill of materials and names its subject.
func refer(about subject, sbom string) (v1.Image, error) {
	bytes, err := os.ReadFile(sbom)
	if err != nil {
		return nil, err
	}
	artifact := mutate.ConfigMediaType(mutate.MediaType(empty.Image, types.OCIManifestSchema1), sbomType)
	artifact, err = mutate.AppendLayers(artifact, static.NewLayer(bytes, sbomType))
	if err != nil {
		return nil, err
	}
	descriptor, err := partial.Descriptor(about)
	if err != nil {
		return nil, err
	}
	return mutate.Subject(artifact, *descriptor).(v1.Image), nil
}

//go:build icicle_probe

package icicle

import (
	"archive/zip"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// readme is the README's program.
func readme(t *testing.T) string {
	t.Helper()
	_, rest, found := strings.Cut(string(must(os.ReadFile("../README.md"))), "```go\n")
	program, _, closed := strings.Cut(rest, "```")
	if !found || !closed {
		t.Fatal("no Go program in README.md")
	}
	return program
}

// A program in another folder gets the module through a module proxy, and links the installation that CGO_CFLAGS and
// CGO_LDFLAGS name. ICICLE_PREFIX names it for this test.
func TestOutsideTheRepository(t *testing.T) {
	prefix := os.Getenv("ICICLE_PREFIX")
	if prefix == "" {
		t.Skip("ICICLE_PREFIX is not set")
	}
	folder := t.TempDir()
	write := func(name, text string) {
		ok(t, os.MkdirAll(filepath.Dir(filepath.Join(folder, name)), 0o755))
		ok(t, os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644))
	}
	versions := "proxy/icicle.example/go/@v/"
	write(versions+"list", "v0.1.0\n")
	write(versions+"v0.1.0.info", `{"Version":"v0.1.0"}`)
	write(versions+"v0.1.0.mod", string(must(os.ReadFile("go.mod"))))
	pack(t, filepath.Join(folder, versions, "v0.1.0.zip"))
	write("program/main.go", readme(t))

	run := func(arguments ...string) string {
		t.Helper()
		command := exec.Command("go", arguments...)
		command.Dir = filepath.Join(folder, "program")
		command.Env = append(os.Environ(), "GOPROXY=file://"+filepath.Join(folder, "proxy"), "GONOSUMDB=*", "GOFLAGS=-modcacherw",
			"GOMODCACHE="+filepath.Join(folder, "modules"), "GOWORK=off",
			"CGO_CFLAGS=-I"+prefix+"/include", "CGO_LDFLAGS=-L"+prefix+"/lib")
		out, err := command.CombinedOutput()
		if err != nil {
			t.Fatalf("go %v: %v\n%s", arguments, err, out)
		}
		return string(out)
	}
	run("mod", "init", "example.org/program")
	run("get", "icicle.example/go@v0.1.0")
	if got := run("run", "."); got != "[11 22 2]\n" {
		t.Errorf("the program prints %q", got)
	}
}

// pack writes the module as proxies serve it: without nested modules.
func pack(t *testing.T, path string) {
	file := must(os.Create(path))
	archive := zip.NewWriter(file)
	ok(t, filepath.WalkDir(".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir():
			if _, err := os.Stat(filepath.Join(name, "go.mod")); err == nil && name != "." {
				return fs.SkipDir
			}
			return nil
		case strings.HasSuffix(name, "_test.go"):
			return nil
		}
		to := must(archive.Create("icicle.example/go@v0.1.0/" + filepath.ToSlash(name)))
		_, err = to.Write(must(os.ReadFile(name)))
		return err
	}))
	ok(t, archive.Close())
	ok(t, file.Close())
}

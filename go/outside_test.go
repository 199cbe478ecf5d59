//go:build icicle_probe

package icicle

import (
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
	_, rest, found := strings.Cut(string(must(os.ReadFile(repository("README.md")))), "```go\n")
	program, _, closed := strings.Cut(rest, "```")
	if !found || !closed {
		t.Fatal("no Go program in README.md")
	}
	return program
}

// A program in another folder replaces the module by a copy of its files alone, away from the checkout's headers and
// library, and links the installation that CGO_CFLAGS and CGO_LDFLAGS name. ICICLE_PREFIX names it for this test.
func TestOutsideTheRepository(t *testing.T) {
	prefix := os.Getenv("ICICLE_PREFIX")
	if prefix == "" {
		t.Skip("ICICLE_PREFIX is not set")
	}
	folder := t.TempDir()
	copyModule(t, filepath.Join(folder, "module"))
	ok(t, os.Mkdir(filepath.Join(folder, "program"), 0o755))
	ok(t, os.WriteFile(filepath.Join(folder, "program", "main.go"), []byte(readme(t)), 0o644))

	run := func(arguments ...string) (string, error) {
		command := exec.Command("go", arguments...)
		command.Dir = filepath.Join(folder, "program")
		command.Env = append(os.Environ(), "GOPROXY=off", "GOWORK=off",
			"CGO_CFLAGS=-I"+prefix+"/include", "CGO_LDFLAGS=-L"+prefix+"/lib")
		out, err := command.CombinedOutput()
		return string(out), err
	}
	succeed := func(arguments ...string) string {
		t.Helper()
		out, err := run(arguments...)
		if err != nil {
			t.Fatalf("go %v: %v\n%s", arguments, err, out)
		}
		return out
	}
	succeed("mod", "init", "example.org/program")
	if out, err := run("build", "."); err == nil || !strings.Contains(out, "icicle is not in std") {
		t.Errorf("without the module: %v, %q", err, out)
	}
	succeed("mod", "edit", "-replace=icicle=../module")
	succeed("mod", "tidy")
	if got := succeed("run", "."); got != "[11 22 2]\n" {
		t.Errorf("the program prints %q", got)
	}
}

// copyModule copies what belongs to the module: no tests, no nested modules.
func copyModule(t *testing.T, to string) {
	ok(t, filepath.WalkDir(".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir():
			if _, err := os.Stat(filepath.Join(name, "go.mod")); err == nil && name != "." {
				return fs.SkipDir
			}
			return os.MkdirAll(filepath.Join(to, name), 0o755)
		case strings.HasSuffix(name, "_test.go"):
			return nil
		}
		return os.WriteFile(filepath.Join(to, name), must(os.ReadFile(name)), 0o644)
	}))
}

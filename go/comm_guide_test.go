package icicle_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"icicle"
)

// guide is the block of docs/COLLECTIVES.md, and what it must find.
func guide() error {
	ranks, err := icicle.CommInitAll([]icicle.Device{icicle.CPU(0), icicle.CPU(0)}, icicle.CommConfig{})
	if err != nil {
		return err
	}
	x := []icicle.HostSlice[float32]{{1, 2, 3}, {10, 20, 30}}
	float32s := icicle.CommNumbers(icicle.DTypeFloat32)
	err = icicle.CommGroup(func(calls *icicle.Calls) error {
		for i, comm := range ranks {
			if err := calls.Of(comm).AllReduce(float32s, icicle.ReduceSum, x[i], x[i], icicle.Launch{}); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil && (x[0][2] != 33 || x[1][0] != 11) {
		err = fmt.Errorf("found %v", x)
	}
	return err
}

func TestCommGuide(t *testing.T) {
	if err := guide(); err != nil {
		t.Fatal(err)
	}
	root := os.Getenv("ICICLE_REPOSITORY")
	if root == "" {
		root = ".."
	}
	read := func(name string) string {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	blocks := strings.Split(read(filepath.Join(root, "docs/COLLECTIVES.md")), "```go\n")
	if len(blocks) != 2 {
		t.Fatalf("%d blocks of Go in the guide, must be 1", len(blocks)-1)
	}
	block, _, _ := strings.Cut(blocks[1], "```")
	ours := strings.ReplaceAll(read("comm_guide_test.go"), "\n\t", "\n")
	if !strings.Contains(ours, block) {
		t.Errorf("the guide's block is not what is run here:\n%s", block)
	}
}

package icicle

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// namesErrors is what the comment of a function that returns an error must hold.
var namesErrors = regexp.MustCompile(`(?i)\berrors?\b|\bfails?\b|\bErr[A-Z]\w+`)

// undocumented returns how many exported functions and methods a file has, and which have no comment or say nothing of the
// error they return.
func undocumented(t *testing.T, name string, source any) (int, []string) {
	t.Helper()
	file := must(parser.ParseFile(token.NewFileSet(), name, source, parser.ParseComments))
	count, found := 0, []string{}
	for _, declaration := range file.Decls {
		function, ok := declaration.(*ast.FuncDecl)
		if !ok || !function.Name.IsExported() {
			continue
		}
		count++
		fails := false
		if results := function.Type.Results; results != nil {
			last, isName := results.List[len(results.List)-1].Type.(*ast.Ident)
			fails = isName && last.Name == "error"
		}
		switch comment := function.Doc.Text(); {
		case !strings.HasPrefix(comment, function.Name.Name+" "):
			found = append(found, name+": "+function.Name.Name+" has no comment that begins with its name")
		case fails && !namesErrors.MatchString(comment):
			found = append(found, name+": "+function.Name.Name+" does not say when it fails")
		}
	}
	return count, found
}

func TestExportedFunctionsSayWhenTheyFail(t *testing.T) {
	all := 0
	for _, pattern := range []string{"*.go", "gnark/*.go"} {
		for _, name := range must(filepath.Glob(pattern)) {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			count, found := undocumented(t, name, nil)
			for _, problem := range found {
				t.Error(problem)
			}
			all += count
		}
	}
	if all < 100 {
		t.Errorf("%d exported functions: the sources were not found", all)
	}
}

func TestFunctionsThatSayTooLittleAreFound(t *testing.T) {
	source := "package p\n// A adds.\nfunc A() error { return nil }\nfunc B() {}\n// C is 1.\nfunc C() int { return 1 }\n" +
		"// D adds.\n//\n// Errors: as A.\nfunc D() (int, error) { return 1, nil }\nfunc e() error { return nil }\n"
	count, found := undocumented(t, "p.go", source)
	if count != 4 || len(found) != 2 || !strings.Contains(found[0], "A does not") || !strings.Contains(found[1], "B has no") {
		t.Errorf("%d functions, %q", count, found)
	}
}

package icicle

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// notInGo are functions of icicle.h by number that Go does not call, and why.
var notInGo = map[string]string{
	"icicle_load_backend":                     "for ICICLE's clients: backends are part of the library",
	"icicle_load_backend_from_env_or_default": "as above",
	"icicle_is_device_available":              "for ICICLE's clients: Devices and Device.Info",
	"icicle_get_device_count":                 "as above",
	"icicle_get_device_properties":            "as above",
	"icicle_get_available_memory":             "for ICICLE's clients: Device.MemoryStats",
	"icicle_is_host_memory":                   "for ICICLE's clients: Attributes",
	"icicle_is_active_device_memory":          "as above",
	"icicle_copy_to_host":                     "Copy finds the direction",
	"icicle_copy_to_host_async":               "as above",
	"icicle_copy_to_device":                   "as above",
	"icicle_copy_to_device_async":             "as above",
	"icicle_free_async":                       "Close frees when the last call is done",
	"icicle_error_take":                       "an error comes with its call",
	"icicle_copy_symbol":                      "symbols are Go values until a program is made",
	"create_config_extension":                 "no backend has options of its own",
	"destroy_config_extension":                "as above",
	"clone_config_extension":                  "as above",
	"config_extension_set_int":                "as above",
	"config_extension_set_bool":               "as above",
	"config_extension_get_int":                "as above",
	"config_extension_get_bool":               "as above",
}

func header(t *testing.T) string {
	t.Helper()
	code := string(must(os.ReadFile(repository("include/icicle.h"))))
	return regexp.MustCompile(`(?s)/\*.*?\*/`).ReplaceAllString(code, "")
}

// sources is the package without its tests, comments of Go and all: C stands in comments.
func sources(t *testing.T) string {
	t.Helper()
	var all strings.Builder
	for _, pattern := range []string{"*.go", "shim.*"} {
		for _, name := range must(filepath.Glob(pattern)) {
			if !strings.HasSuffix(name, "_test.go") && name != "probe.go" {
				all.Write(must(os.ReadFile(name)))
			}
		}
	}
	return all.String()
}

// enum are a C enum's constants without their prefix.
func enum(t *testing.T, code, name, prefix string) map[string]int32 {
	t.Helper()
	body := regexp.MustCompile(`(?s)enum ` + name + `\b.*?\{(.*?)\}`).FindStringSubmatch(code)
	if body == nil {
		t.Fatalf("no enum %s in icicle.h", name)
	}
	found := map[string]int32{}
	for _, row := range regexp.MustCompile(prefix+`(\w+) = (\d+)`).FindAllStringSubmatch(body[1], -1) {
		found[row[1]] = int32(must(strconv.Atoi(row[2])))
	}
	if len(found) < 5 {
		t.Fatalf("enum %s: only %v found", name, found)
	}
	return found
}

func TestEveryFunctionIsCalled(t *testing.T) {
	code, ours := header(t), sources(t)
	// Functions of a prefix are those by number under another name.
	prefixes := map[string]bool{}
	for _, f := range Fields() {
		prefixes[must(f.Info()).Prefix+"_"] = true
	}
	declared := map[string]bool{}
	for _, row := range regexp.MustCompile(`(?m)^[a-z][\w ]*?[ *](\w+)\(`).FindAllStringSubmatch(code, -1) {
		name := row[1]
		if !slices.ContainsFunc(slices.Collect(maps.Keys(prefixes)), func(p string) bool { return strings.HasPrefix(name, p) }) {
			declared[name] = true
		}
	}
	if len(declared) < 100 {
		t.Fatalf("only %d functions found in icicle.h", len(declared))
	}
	words := map[string]bool{}
	for _, word := range regexp.MustCompile(`\w+`).FindAllString(ours, -1) {
		words[word] = true
	}
	called := func(name string) bool {
		limbs := regexp.MustCompile(`^icicle_ntt_config_\d+_default$`)
		if limbs.MatchString(name) { // made by a macro from GO_NTT_LIMBS(n)
			return strings.Contains(ours, "GO_NTT_LIMBS("+strings.Split(name, "_")[3]+")")
		}
		return words[name]
	}
	for name := range declared {
		_, excused := notInGo[name]
		switch {
		case !excused && !called(name):
			t.Errorf("%s of icicle.h is missing in Go", name)
		case excused && called(name):
			t.Errorf("%s is called, and excused from it", name)
		}
	}
	for name := range notInGo {
		if !declared[name] {
			t.Errorf("%s is excused, but not in icicle.h", name)
		}
	}
}

func TestTheRegistryIsTheHeaders(t *testing.T) {
	code := header(t)
	fieldNames, curveNames := map[string]int32{}, map[string]int32{}
	for _, f := range Fields() {
		info := must(f.Info())
		fieldNames[strings.ToUpper(info.Name)] = int32(f)
		if got := must(FieldByName(info.Name)); got != f || f.String() != info.Name {
			t.Errorf("%s is %d by name, %d in Fields", info.Name, got, f)
		}
		if info.Modulus.BitLen() != info.Bits || !info.Modulus.ProbablyPrime(20) {
			t.Errorf("%s: modulus %v is no prime of %d bits", info.Name, info.Modulus, info.Bits)
		}
	}
	for _, g := range Curves() {
		info := must(g.Info())
		curveNames[strings.ToUpper(info.Name)] = int32(g)
		if got := must(CurveByName(info.Name)); got != g || g.String() != info.Name {
			t.Errorf("%s is %d by name, %d in Curves", info.Name, got, g)
		}
	}
	if want := enum(t, code, "icicle_field_t", "ICICLE_FIELD_"); !maps.Equal(fieldNames, want) {
		t.Errorf("fields %v, icicle.h has %v", fieldNames, want)
	}
	if want := enum(t, code, "icicle_curve_t", "ICICLE_CURVE_"); !maps.Equal(curveNames, want) {
		t.Errorf("curves %v, icicle.h has %v", curveNames, want)
	}
	_, err := FieldByName("bn253")
	fails(t, err, ErrInvalidArgument, `"bn253"`)
	_, err = CurveByName("")
	fails(t, err, ErrInvalidArgument, `""`)
	_, err = Field(-1).Info()
	fails(t, err, ErrInvalidArgument, "field_info: field -1: must be one of Fields")
	_, err = Curve(-1).Info()
	fails(t, err, ErrInvalidArgument, "curve_info: curve -1: must be one of Curves")
}

func TestCallersMayChangeAModulus(t *testing.T) {
	f := field(t, "babybear")
	must(f.Info()).Modulus.SetInt64(7)
	if got := must(f.Info()).Modulus.Int64(); got != 2013265921 {
		t.Errorf("modulus %d, want 2013265921", got)
	}
}

func TestTextOfErrors(t *testing.T) {
	full := Error{Code: ErrInvalidArgument, Op: "msm", Message: "msm: c 25: must be at most 24"}
	if got := full.Error(); got != "msm: c 25: must be at most 24 (INVALID_ARGUMENT)" {
		t.Errorf("before a device is known: %q", got)
	}
	full.Device = CUDA(1)
	if got := full.Error(); got != "msm: c 25: must be at most 24 (INVALID_ARGUMENT on cuda:1)" {
		t.Errorf("on a device: %q", got)
	}
}

func TestEveryCodeHasItsError(t *testing.T) {
	ours := sources(t)
	for name, code := range enum(t, header(t), "icicle_error_t", "ICICLE_") {
		if name == "SUCCESS" {
			continue
		}
		if Code(code).Error() != name {
			t.Errorf("code %d is called %v, not %s", code, Code(code), name)
		}
		if !regexp.MustCompile(`\bErr\w+ +Code = C\.ICICLE_` + name + `\b`).MatchString(ours) {
			t.Errorf("ICICLE_%s has no error in Go", name)
		}
		wrapped := error(&Error{Code: Code(code), Op: "op", Message: "op: x"})
		if !errors.Is(wrapped, Code(code)) || errors.Is(wrapped, Code(code+100)) {
			t.Errorf("errors.Is does not tell %v", Code(code))
		}
	}
}

// notProvoked are errors that no test provokes, and why.
var notProvoked = map[string]string{
	"ErrDeallocationFailed":    "the CUDA driver's alone",
	"ErrCopyFailed":            "the CUDA driver's alone",
	"ErrSynchronizationFailed": "the CUDA driver's alone",
	"ErrStreamCreationFailed":  "the CUDA driver's alone",
	"ErrBackendLoadFailed":     "ICICLE's: backends are part of the library",
	"ErrUnknown":               "a fault of the library; none is known, and the library has no switch that makes one",
}

// The codes of the error table are each expected of some call in a test, or excused; what is excused cannot come from a CPU.
func TestEveryCodeIsProvoked(t *testing.T) {
	var tests, core strings.Builder
	for _, name := range must(filepath.Glob("*_test.go")) {
		tests.Write(must(os.ReadFile(name)))
	}
	for _, folder := range []string{"cpu/src", "device/src", "runtime/src", "zk/src", "zk/src/args", "zk/src/program", "zk/src/cpu", "zk/src/cpu/*"} {
		for _, name := range must(filepath.Glob(repository("core", folder, "*.rs"))) {
			core.Write(must(os.ReadFile(name)))
		}
	}
	names := regexp.MustCompile(`(?m)^\t(Err\w+) +Code = `).FindAllStringSubmatch(string(must(os.ReadFile("error.go"))), -1)
	if len(names) != len(enum(t, header(t), "icicle_error_t", "ICICLE_"))-1 || !strings.Contains(core.String(), "ErrorCode::OutOfMemory") {
		t.Fatalf("errors %v, %d bytes of sources", names, core.Len())
	}
	for _, name := range names {
		provoked := regexp.MustCompile(`(?m)fails\(t, .*, ` + name[1] + `,`).MatchString(tests.String())
		_, excused := notProvoked[name[1]]
		if provoked == excused {
			t.Errorf("%s is provoked: %v, excused: %v", name[1], provoked, excused)
		}
		if excused && name[1] != "ErrUnknown" && strings.Contains(core.String(), "ErrorCode::"+name[1][3:]) {
			t.Errorf("%s can be provoked on a CPU after all", name[1])
		}
	}
}

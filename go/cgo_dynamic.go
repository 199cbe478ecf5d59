//go:build icicle_dynamic

package icicle

// The shared library, found as in cgo.go; at run time through the loader's path, or the checkout's target/prefix.

// #cgo CFLAGS: -I${SRCDIR}/../include
// #cgo LDFLAGS: -L${SRCDIR}/../target/prefix/lib -licicle -Wl,-rpath,${SRCDIR}/../target/prefix/lib
import "C"

//go:build !icicle_dynamic

package icicle

// The static library, from where `cargo xtask install --prefix` put it: /usr/local, which the compiler searches by itself,
// or the checkout's target/prefix. For another prefix P set CGO_CFLAGS=-IP/include and CGO_LDFLAGS=-LP/lib. What follows it
// is what a static library of Rust needs beside it.

// #cgo CFLAGS: -I${SRCDIR}/../include
// #cgo LDFLAGS: -L${SRCDIR}/../target/prefix/lib -l:libicicle.a -lpthread -ldl -lm -lrt -lutil
import "C"

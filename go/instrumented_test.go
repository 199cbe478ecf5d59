//go:build race || goexperiment.cgocheck2

package icicle

// instrumented builds are not for measuring.
const instrumented = true

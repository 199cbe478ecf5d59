//go:build !race

package icicle

const raceEnabled = false

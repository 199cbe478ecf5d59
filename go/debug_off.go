//go:build !icicle_debug

package icicle

// forceCollections is for finding memory that a call forgets to keep alive: see collect.
const forceCollections = false

//go:build icicle_debug

package icicle

// forceCollections makes every call collect garbage before and after: see collect.
const forceCollections = true

module icicle

// The path has no dot, so that no network is asked for a module that is not published: programs replace it by a clone's
// folder, `go mod edit -replace icicle=CLONE/go`, or `go work use CLONE/go`.

go 1.24

// Package icicle runs the operations of zero-knowledge proofs on the devices of a machine: multi-scalar multiplication,
// number-theoretic transforms, and vector, matrix and polynomial operations, over every field and curve of the library's
// registry, on CPUs and GPUs alike.
//
// # Where a call runs
//
// Device memory, streams and events know their device, and calls run on the thread's behalf, not on its device: it does not
// matter which OS thread a goroutine is on. A call runs on the device of its stream, else on that of its device memory, else
// on that of the surrounding Device.Run, else on the default device.
//
// # Memory
//
// Operands are Slices: Go memory as it is (Host), memory of a device (DeviceSlice), or page-locked host memory
// (PinnedSlice). Owners are closed; what is forgotten is freed when it is unreachable, but the collector does not see how
// full a device is. Any goroutine may close what another's call still uses: the memory goes when that call is done, or, if
// it is asynchronous, when its stream was synchronized. Elements are canonical little-endian 32-bit limbs, affine points
// (x, y) with (0, 0) the neutral element, projective points (x, y, z) with (0, 1, 0).
//
// # Arrays of numbers
//
// An Array is a value of NumPy's kind: a dtype, a shape, and elements that no call changes, with the array API's operations.
// It is no Slice: ArrayFrom and ToSlice copy Go memory in and out. RandomNormal and its like draw numbers that are functions
// of a RandomKey; a ShardedArray lies over the devices of a Group.
//
// # Errors
//
// Every failure is an *Error, whose Code errors.Is finds: errors.Is(err, icicle.ErrOutOfMemory). A call refused for its
// arguments writes nothing; one that fails later on a GPU may have written a part of its output. No input makes the package
// panic. What a function's comment leaves out, any may return: ErrInvalidDevice if the machine lacks the device,
// ErrSynchronizationFailed if the device is lost to an earlier fault, ErrBackendLoadFailed if a GPU cannot load its kernels,
// and ErrUnknown for a fault of the library.
//
// # Building
//
// The module is not published. A program outside the repository uses a clone's folder:
//
//	go mod edit -replace icicle=CLONE/go && go mod tidy
//
// or, in a workspace, go work use CLONE/go. The library itself is installed by cargo xtask install --prefix P, in the
// clone, and found through CGO_CFLAGS=-IP/include CGO_LDFLAGS=-LP/lib.
//
// The library is linked statically; with the tag icicle_dynamic, dynamically: see cgo.go. The tag icicle_debug collects
// garbage around every call, which finds memory that was not kept alive.
package icicle

package icicle

// #include "shim.h"
//
// static go_status go_fhe_compressed_server_key_generate(uintptr_t client, uintptr_t *handle) {
//   GO_MAKE(icicle_fhe_compressed_server_key_generate((void *)client, &made));
// }
// static go_status go_fhe_server_key_decompress(go_place at, uintptr_t key, uintptr_t *handle) {
//   GO_MAKE_AT(at, icicle_fhe_server_key_decompress((void *)key, NULL, &made));
// }
// static go_status go_fhe_compressed_server_key_free(uintptr_t key) {
//   GO_PLAIN(icicle_fhe_compressed_server_key_free((void *)key));
// }
// static go_status go_fhe_encrypt_compressed(uintptr_t client, int32_t kind, go_in values, uint64_t n, uintptr_t *handle) {
//   GO_MAKE(icicle_fhe_encrypt_compressed((void *)client, kind, values, n, &made));
// }
// static go_status go_fhe_array_decompress(uintptr_t array, uintptr_t *handle) {
//   GO_MAKE(icicle_fhe_array_decompress((void *)array, &made));
// }
// static go_status go_fhe_compressed_array_info(uintptr_t array, int32_t *kind, size_t *n) {
//   GO_PLAIN(icicle_fhe_compressed_array_info((void *)array, kind, n));
// }
// static go_status go_fhe_compressed_array_free(uintptr_t array) {
//   GO_PLAIN(icicle_fhe_compressed_array_free((void *)array));
// }
import "C"

// FheCompressedServerKey is a server key in the form to keep and send, 30 MB. Any goroutine may use it.
type FheCompressedServerKey struct {
	owner *owner[uintptr]
}

// FheCompressedArray is a freshly encrypted array in the form to keep and send. Any goroutine may use it.
type FheCompressedArray struct {
	owner *owner[uintptr]
}

func (k *FheCompressedServerKey) ownerOf() *owner[uintptr] {
	if k == nil {
		return nil
	}
	return k.owner
}

func (x *FheCompressedArray) ownerOf() *owner[uintptr] {
	if x == nil {
		return nil
	}
	return x.owner
}

func newCompressedServerKey(handle C.uintptr_t) *FheCompressedServerKey {
	free := func(key uintptr) error {
		return check("fhe_compressed_server_key_free", Device{}, C.go_fhe_compressed_server_key_free(C.uintptr_t(key)))
	}
	return &FheCompressedServerKey{newOwner("compressed server key", Device{}, uintptr(handle), free)}
}

func newCompressedArray(handle C.uintptr_t) *FheCompressedArray {
	free := func(array uintptr) error {
		return check("fhe_compressed_array_free", Device{}, C.go_fhe_compressed_array_free(C.uintptr_t(array)))
	}
	return &FheCompressedArray{newOwner("compressed array", Device{}, uintptr(handle), free)}
}

// CompressedServerKey makes the server key in the form to keep and send.
//
// Errors: ErrOutOfMemory; ErrUnknown where the system gives no random numbers.
func (k *FheClientKey) CompressedServerKey() (*FheCompressedServerKey, error) {
	call := func(client C.uintptr_t, made *C.uintptr_t) C.go_status {
		return C.go_fhe_compressed_server_key_generate(client, made)
	}
	return madeOf("fhe_compressed_server_key", "client key", k.ownerOf(), newCompressedServerKey, call)
}

// Decompress makes the key to compute with on the device of the surrounding Device.Run, or else on the default device; this one stays.
//
// Errors: ErrUnsupported for a GPU that has too little shared memory, ErrOutOfMemory.
func (k *FheCompressedServerKey) Decompress() (*FheServerKey, error) {
	call := func(key C.uintptr_t, made *C.uintptr_t) C.go_status {
		return C.go_fhe_server_key_decompress(ambient(), key, made)
	}
	return madeOf("fhe_decompress_server_key", "compressed server key", k.ownerOf(), newServerKey, call)
}

// Close frees the key, once no call uses it. Further calls do nothing.
//
// Errors: ErrInvalidPointer if the library refuses.
func (k *FheCompressedServerKey) Close() error {
	return closeIfHeld(k.ownerOf())
}

// FheEncryptCompressed encrypts elements in the form to keep and send, 4 bytes for each bit instead of 8196.
//
// Errors: ErrOutOfMemory; ErrUnknown where the system gives no random numbers.
func FheEncryptCompressed[T FheElement](key *FheClientKey, values []T) (*FheCompressedArray, error) {
	call := func(client C.uintptr_t, made *C.uintptr_t) C.go_status {
		return C.go_fhe_encrypt_compressed(client, C.int32_t(FheTypeOf[T]()), memory(values), C.uint64_t(len(values)), made)
	}
	collect()
	return madeOf("fhe_encrypt_compressed", "client key", key.ownerOf(), newCompressedArray, call)
}

// Decompress is the array to compute with; this one stays.
//
// Errors: ErrInvalidPointer for a closed array, ErrOutOfMemory.
func (x *FheCompressedArray) Decompress() (*FheArray, error) {
	call := func(array C.uintptr_t, made *C.uintptr_t) C.go_status { return C.go_fhe_array_decompress(array, made) }
	return madeOf("fhe_decompress", "compressed array", x.ownerOf(), newFheArray, call)
}

// Info is the array's type and length.
//
// Errors: ErrInvalidPointer for a closed array.
func (x *FheCompressedArray) Info() (FheType, int, error) {
	call := func(array C.uintptr_t, kind *C.int32_t, n *C.size_t) C.go_status {
		return C.go_fhe_compressed_array_info(array, kind, n)
	}
	return infoOf("fhe_compressed_array_info", "compressed array", x.ownerOf(), call)
}

// Close frees the array, once no call uses it. Further calls do nothing.
//
// Errors: ErrInvalidPointer if the library refuses.
func (x *FheCompressedArray) Close() error {
	return closeIfHeld(x.ownerOf())
}

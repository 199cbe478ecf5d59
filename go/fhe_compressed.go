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
	const op = "fhe_compressed_server_key"
	client, err := held(op, "client key", k.ownerOf())
	if err != nil {
		return nil, err
	}
	defer k.owner.release()
	var handle C.uintptr_t
	if err := check(op, Device{}, C.go_fhe_compressed_server_key_generate(client, &handle)); err != nil {
		return nil, err
	}
	return newCompressedServerKey(handle), nil
}

// Decompress makes the key to compute with on the device of the surrounding Device.Run, or else on the default device; this one stays.
//
// Errors: ErrUnsupported for a GPU that has too little shared memory, ErrOutOfMemory.
func (k *FheCompressedServerKey) Decompress() (*FheServerKey, error) {
	const op = "fhe_decompress_server_key"
	key, err := held(op, "compressed server key", k.ownerOf())
	if err != nil {
		return nil, err
	}
	defer k.owner.release()
	var handle C.uintptr_t
	if err := check(op, Device{}, C.go_fhe_server_key_decompress(ambient(), key, &handle)); err != nil {
		return nil, err
	}
	return newServerKey(handle), nil
}

// Close frees the key, once no call uses it. Further calls do nothing.
//
// Errors: ErrInvalidPointer if the library refuses.
func (k *FheCompressedServerKey) Close() error {
	if k == nil || k.owner == nil {
		return nil
	}
	return k.owner.close()
}

// FheEncryptCompressed encrypts elements in the form to keep and send, 4 bytes for each bit instead of 8196.
//
// Errors: ErrOutOfMemory; ErrUnknown where the system gives no random numbers.
func FheEncryptCompressed[T FheElement](key *FheClientKey, values []T) (*FheCompressedArray, error) {
	const op = "fhe_encrypt_compressed"
	client, err := held(op, "client key", key.ownerOf())
	if err != nil {
		return nil, err
	}
	defer key.owner.release()
	collect()
	var handle C.uintptr_t
	status := C.go_fhe_encrypt_compressed(client, C.int32_t(FheTypeOf[T]()), memory(values), C.uint64_t(len(values)), &handle)
	if err := check(op, Device{}, status); err != nil {
		return nil, err
	}
	return newCompressedArray(handle), nil
}

// Decompress is the array to compute with; this one stays.
//
// Errors: ErrInvalidPointer for a closed array, ErrOutOfMemory.
func (x *FheCompressedArray) Decompress() (*FheArray, error) {
	const op = "fhe_decompress"
	array, err := held(op, "compressed array", x.ownerOf())
	if err != nil {
		return nil, err
	}
	defer x.owner.release()
	var handle C.uintptr_t
	if err := check(op, Device{}, C.go_fhe_array_decompress(array, &handle)); err != nil {
		return nil, err
	}
	return newFheArray(handle), nil
}

// Info is the array's type and length.
//
// Errors: ErrInvalidPointer for a closed array.
func (x *FheCompressedArray) Info() (FheType, int, error) {
	const op = "fhe_compressed_array_info"
	array, err := held(op, "compressed array", x.ownerOf())
	if err != nil {
		return 0, 0, err
	}
	defer x.owner.release()
	var kind C.int32_t
	var n C.size_t
	err = check(op, Device{}, C.go_fhe_compressed_array_info(array, &kind, &n))
	return FheType(kind), int(n), err
}

// Close frees the array, once no call uses it. Further calls do nothing.
//
// Errors: ErrInvalidPointer if the library refuses.
func (x *FheCompressedArray) Close() error {
	if x == nil || x.owner == nil {
		return nil
	}
	return x.owner.close()
}

package icicle

// #include "shim.h"
//
// typedef icicle_error_t (*go_to_bytes)(void *, void *, size_t, size_t *);
// static go_status go_fhe_bytes(int32_t what, uintptr_t object, go_out buffer, uint64_t bytes, size_t *needed) {
//   const go_to_bytes calls[] = {icicle_fhe_client_key_to_bytes, icicle_fhe_server_key_to_bytes,
//                                icicle_fhe_compressed_server_key_to_bytes, icicle_fhe_array_to_bytes,
//                                icicle_fhe_compressed_array_to_bytes};
//   GO_PLAIN(calls[what]((void *)object, buffer, bytes, needed));
// }
// static go_status go_fhe_client_key_of(go_in data, uint64_t bytes, uintptr_t *handle) {
//   GO_MAKE(icicle_fhe_client_key_from_bytes(data, bytes, &made));
// }
// static go_status go_fhe_server_key_of(go_place at, go_in data, uint64_t bytes, uintptr_t *handle) {
//   GO_MAKE_AT(at, icicle_fhe_server_key_from_bytes(data, bytes, NULL, &made));
// }
// static go_status go_fhe_compressed_server_key_of(go_in data, uint64_t bytes, uintptr_t *handle) {
//   GO_MAKE(icicle_fhe_compressed_server_key_from_bytes(data, bytes, &made));
// }
// static go_status go_fhe_array_of(go_in data, uint64_t bytes, uintptr_t *handle) {
//   GO_MAKE(icicle_fhe_array_from_bytes(data, bytes, &made));
// }
// static go_status go_fhe_compressed_array_of(go_in data, uint64_t bytes, uintptr_t *handle) {
//   GO_MAKE(icicle_fhe_compressed_array_from_bytes(data, bytes, &made));
// }
import "C"

import "encoding"

// Keys and arrays that anyone may have are written by what writes Go's values. The client key is not: see its Bytes.
var (
	_ encoding.BinaryMarshaler   = (*FheServerKey)(nil)
	_ encoding.BinaryMarshaler   = (*FheCompressedServerKey)(nil)
	_ encoding.BinaryMarshaler   = (*FheArray)(nil)
	_ encoding.BinaryMarshaler   = (*FheCompressedArray)(nil)
	_ encoding.BinaryUnmarshaler = (*FheServerKey)(nil)
	_ encoding.BinaryUnmarshaler = (*FheCompressedServerKey)(nil)
	_ encoding.BinaryUnmarshaler = (*FheArray)(nil)
	_ encoding.BinaryUnmarshaler = (*FheCompressedArray)(nil)
)

// What go_fhe_bytes writes, by its list.
const (
	clientKeyBytes = iota
	serverKeyBytes
	compressedServerKeyBytes
	arrayBytes
	compressedArrayBytes
)

// bytesOf is an object's bytes.
func bytesOf(op, what string, call C.int32_t, o *owner[uintptr]) ([]byte, error) {
	object, err := held(op, what, o)
	if err != nil {
		return nil, err
	}
	defer o.release()
	var needed C.size_t
	if err := check(op, Device{}, C.go_fhe_bytes(call, object, nil, 0, &needed)); err != nil {
		return nil, err
	}
	bytes := make([]byte, int(needed))
	if err := check(op, Device{}, C.go_fhe_bytes(call, object, memory(bytes), C.uint64_t(len(bytes)), &needed)); err != nil {
		return nil, err
	}
	return bytes, nil
}

// readInto makes an object of bytes in one that holds nothing: no call changes one that does.
func readInto[T any](op string, to *T, o *owner[uintptr], wrap func(handle C.uintptr_t) *T, call func(made *C.uintptr_t) C.go_status) error {
	switch {
	case to == nil:
		return fail(ErrInvalidPointer, op, "the receiver is nil")
	case o != nil:
		return fail(ErrInvalidArgument, op, "the receiver holds something already, must be new")
	}
	var handle C.uintptr_t
	if err := check(op, Device{}, call(&handle)); err != nil {
		return err
	}
	*to = *wrap(handle)
	return nil
}

// Bytes is the key as 403 bytes, the same in every language and as secret as the key: whoever asked for them wipes them. There is no
// MarshalBinary, so that no key is written with the value that it is a part of.
//
// Errors: ErrInvalidPointer for a closed key.
func (k *FheClientKey) Bytes() ([]byte, error) {
	return bytesOf("fhe_client_key_to_bytes", "client key", clientKeyBytes, k.ownerOf())
}

// FheClientKeyFromBytes is the key that bytes of Bytes hold.
//
// Errors: ErrInvalidArgument for bytes that are none, are cut off or go on, or are of another version.
func FheClientKeyFromBytes(data []byte) (*FheClientKey, error) {
	var handle C.uintptr_t
	status := C.go_fhe_client_key_of(memory(data), C.uint64_t(len(data)), &handle)
	if err := check("fhe_client_key_from_bytes", Device{}, status); err != nil {
		return nil, err
	}
	return newClientKey(handle), nil
}

// MarshalBinary is the key as bytes, the same in every language: 120 MB, ready to compute with.
//
// Errors: ErrInvalidPointer for a closed key, ErrInvalidArgument for one of a group, ErrUnsupported for a GPU's, which has not all
// of them.
func (k *FheServerKey) MarshalBinary() ([]byte, error) {
	return bytesOf("fhe_server_key_to_bytes", "server key", serverKeyBytes, k.ownerOf())
}

// UnmarshalBinary makes a new FheServerKey the key that bytes of MarshalBinary hold, for the device of the surrounding Device.Run, or
// else the default device.
//
// Errors: ErrInvalidArgument for bytes that are none, are cut off or go on, or are of another version, and if k is not new;
// ErrUnsupported for a GPU that has too little shared memory.
func (k *FheServerKey) UnmarshalBinary(data []byte) error {
	call := func(made *C.uintptr_t) C.go_status {
		return C.go_fhe_server_key_of(ambient(), memory(data), C.uint64_t(len(data)), made)
	}
	return readInto("fhe_server_key_from_bytes", k, k.ownerOf(), newServerKey, call)
}

// MarshalBinary is the key as bytes, the same in every language: 30 MB.
//
// Errors: ErrInvalidPointer for a closed key.
func (k *FheCompressedServerKey) MarshalBinary() ([]byte, error) {
	return bytesOf("fhe_compressed_server_key_to_bytes", "compressed server key", compressedServerKeyBytes, k.ownerOf())
}

// UnmarshalBinary makes a new FheCompressedServerKey the key that bytes of MarshalBinary hold.
//
// Errors: ErrInvalidArgument for bytes that are none, are cut off or go on, or are of another version, and if k is not new.
func (k *FheCompressedServerKey) UnmarshalBinary(data []byte) error {
	call := func(made *C.uintptr_t) C.go_status {
		return C.go_fhe_compressed_server_key_of(memory(data), C.uint64_t(len(data)), made)
	}
	return readInto("fhe_compressed_server_key_from_bytes", k, k.ownerOf(), newCompressedServerKey, call)
}

// MarshalBinary is the array as bytes, the same in every language: 8196 for each bit of an integer, 16 392 for a truth value.
//
// Errors: ErrInvalidPointer for a closed array.
func (x *FheArray) MarshalBinary() ([]byte, error) {
	return bytesOf("fhe_array_to_bytes", "array", arrayBytes, x.ownerOf())
}

// UnmarshalBinary makes a new FheArray the one that bytes of MarshalBinary hold; they say of which type.
//
// Errors: ErrInvalidArgument for bytes that are none, are cut off or go on, or are of another version, and if x is not new.
func (x *FheArray) UnmarshalBinary(data []byte) error {
	call := func(made *C.uintptr_t) C.go_status {
		return C.go_fhe_array_of(memory(data), C.uint64_t(len(data)), made)
	}
	return readInto("fhe_array_from_bytes", x, x.ownerOf(), newFheArray, call)
}

// MarshalBinary is the array as bytes, the same in every language: 4 for each bit of an integer, 8 for a truth value.
//
// Errors: ErrInvalidPointer for a closed array.
func (x *FheCompressedArray) MarshalBinary() ([]byte, error) {
	return bytesOf("fhe_compressed_array_to_bytes", "compressed array", compressedArrayBytes, x.ownerOf())
}

// UnmarshalBinary makes a new FheCompressedArray the one that bytes of MarshalBinary hold; they say of which type.
//
// Errors: ErrInvalidArgument for bytes that are none, are cut off or go on, or are of another version, and if x is not new.
func (x *FheCompressedArray) UnmarshalBinary(data []byte) error {
	call := func(made *C.uintptr_t) C.go_status {
		return C.go_fhe_compressed_array_of(memory(data), C.uint64_t(len(data)), made)
	}
	return readInto("fhe_compressed_array_from_bytes", x, x.ownerOf(), newCompressedArray, call)
}

package icicle

// #include "shim.h"
//
// static go_status go_fhe_client_key_generate(uintptr_t *handle) { GO_MAKE(icicle_fhe_client_key_generate(&made)); }
// static go_status go_fhe_client_key_free(uintptr_t key) { GO_PLAIN(icicle_fhe_client_key_free((void *)key)); }
// static go_status go_fhe_server_key_generate(go_place at, uintptr_t client, uintptr_t *handle) {
//   GO_MAKE_AT(at, icicle_fhe_server_key_generate((void *)client, NULL, &made));
// }
// static go_status go_fhe_key_set_create(uintptr_t key, uintptr_t group, uintptr_t *handle) {
//   GO_MAKE(icicle_fhe_key_set_create((void *)key, (void *)group, &made));
// }
// static go_status go_fhe_server_key_free(uintptr_t key) { GO_PLAIN(icicle_fhe_server_key_free((void *)key)); }
// static go_status go_fhe_encrypt(uintptr_t client, int32_t kind, go_in values, uint64_t n, uintptr_t *handle) {
//   GO_MAKE(icicle_fhe_encrypt((void *)client, kind, values, n, &made));
// }
// static go_status go_fhe_decrypt(uintptr_t client, uintptr_t array, go_out values, uint64_t n) {
//   GO_PLAIN(icicle_fhe_decrypt((void *)client, (void *)array, values, n));
// }
// static go_status go_fhe_array_info(uintptr_t array, int32_t *kind, size_t *n) {
//   GO_PLAIN(icicle_fhe_array_info((void *)array, kind, n));
// }
// static go_status go_fhe_array_free(uintptr_t array) { GO_PLAIN(icicle_fhe_array_free((void *)array)); }
import "C"

import "unsafe"

// FheType is what the elements of an encrypted array are.
type FheType int32

// The types of encrypted elements.
const (
	FheBool   FheType = C.ICICLE_FHE_BOOL
	FheUint8  FheType = C.ICICLE_FHE_UINT8
	FheUint16 FheType = C.ICICLE_FHE_UINT16
	FheUint32 FheType = C.ICICLE_FHE_UINT32
	FheUint64 FheType = C.ICICLE_FHE_UINT64
)

// String is the type's name, such as uint8.
func (t FheType) String() string {
	if name := C.icicle_fhe_type_name(C.int32_t(t)); name != nil {
		return C.GoString(name)
	}
	return "none"
}

// FheElement is a clear element.
type FheElement interface {
	bool | uint8 | uint16 | uint32 | uint64
}

// FheTypeOf is the type of a clear element's encryption.
func FheTypeOf[T FheElement]() FheType {
	var value T
	switch any(value).(type) {
	case bool:
		return FheBool
	case uint8:
		return FheUint8
	case uint16:
		return FheUint16
	case uint32:
		return FheUint32
	}
	return FheUint64
}

// FheClientKey encrypts and decrypts. Whoever has it can read everything that was encrypted under it or computed with its
// server key. It is wiped when it is closed or unreachable. Any goroutine may use it.
type FheClientKey struct {
	owner *owner[uintptr]
}

// FheServerKey computes on encrypted arrays, over all threads of its device, or of a group's devices, and reads nothing. Any
// goroutine may use it.
type FheServerKey struct {
	owner *owner[uintptr]
}

// FheArray is an encrypted array of integers or truth values, which no call changes. Any goroutine may use it. It lies in the memory
// of the device whose key computed it, of a group's each part where it was computed, and is there when the call returns; as an
// operand it may lie anywhere.
type FheArray struct {
	owner *owner[uintptr]
}

// held keeps an object for a call.
func held(op, what string, o *owner[uintptr]) (C.uintptr_t, error) {
	switch {
	case o == nil:
		return 0, fail(ErrInvalidPointer, op, "%s is nil", what)
	case !o.acquire():
		return 0, fail(ErrInvalidPointer, op, "%s: closed already", what)
	}
	return C.uintptr_t(o.handle), nil
}

// ownerOf is what a key or an array owns, nil of nil.
func (k *FheClientKey) ownerOf() *owner[uintptr] {
	if k == nil {
		return nil
	}
	return k.owner
}

func (k *FheServerKey) ownerOf() *owner[uintptr] {
	if k == nil {
		return nil
	}
	return k.owner
}

func (x *FheArray) ownerOf() *owner[uintptr] {
	if x == nil {
		return nil
	}
	return x.owner
}

// closeIfHeld closes what there is to close.
func closeIfHeld(o *owner[uintptr]) error {
	if o == nil {
		return nil
	}
	return o.close()
}

// madeOf is what a call makes of an object, which is kept meanwhile.
func madeOf[T any](
	op, what string, o *owner[uintptr], wrap func(handle C.uintptr_t) *T, call func(object C.uintptr_t, made *C.uintptr_t) C.go_status,
) (*T, error) {
	object, err := held(op, what, o)
	if err != nil {
		return nil, err
	}
	defer o.release()
	var handle C.uintptr_t
	if err := check(op, Device{}, call(object, &handle)); err != nil {
		return nil, err
	}
	return wrap(handle), nil
}

// infoOf is what a call tells of an array: its type and length.
func infoOf(
	op, what string, o *owner[uintptr], call func(array C.uintptr_t, kind *C.int32_t, n *C.size_t) C.go_status,
) (FheType, int, error) {
	array, err := held(op, what, o)
	if err != nil {
		return 0, 0, err
	}
	defer o.release()
	var kind C.int32_t
	var n C.size_t
	err = check(op, Device{}, call(array, &kind, &n))
	return FheType(kind), int(n), err
}

// NewFheClientKey draws a key of the operating system's random numbers.
//
// Errors: ErrOutOfMemory; ErrUnknown where the system gives no random numbers.
func NewFheClientKey() (*FheClientKey, error) {
	var handle C.uintptr_t
	if err := check("fhe_client_key", Device{}, C.go_fhe_client_key_generate(&handle)); err != nil {
		return nil, err
	}
	return newClientKey(handle), nil
}

func newClientKey(handle C.uintptr_t) *FheClientKey {
	free := func(key uintptr) error {
		return check("fhe_client_key_free", Device{}, C.go_fhe_client_key_free(C.uintptr_t(key)))
	}
	return &FheClientKey{newOwner("client key", Device{}, uintptr(handle), free)}
}

// Close wipes the key, once no call uses it. Further calls do nothing.
//
// Errors: ErrInvalidPointer if the library refuses.
func (k *FheClientKey) Close() error {
	return closeIfHeld(k.ownerOf())
}

func newServerKey(handle C.uintptr_t) *FheServerKey {
	free := func(key uintptr) error {
		return check("fhe_server_key_free", Device{}, C.go_fhe_server_key_free(C.uintptr_t(key)))
	}
	return &FheServerKey{newOwner("server key", Device{}, uintptr(handle), free)}
}

func newFheArray(handle C.uintptr_t) *FheArray {
	free := func(array uintptr) error {
		return check("fhe_array_free", Device{}, C.go_fhe_array_free(C.uintptr_t(array)))
	}
	return &FheArray{newOwner("encrypted array", Device{}, uintptr(handle), free)}
}

// ServerKey makes the key to compute with on the device of the surrounding Device.Run, or else on the default device: seconds of
// work, 120 MB, on a GPU 90.
//
// Errors: ErrUnsupported for a GPU that has too little shared memory, ErrOutOfMemory.
func (k *FheClientKey) ServerKey() (*FheServerKey, error) {
	call := func(client C.uintptr_t, made *C.uintptr_t) C.go_status {
		return C.go_fhe_server_key_generate(ambient(), client, made)
	}
	return madeOf("fhe_server_key", "client key", k.ownerOf(), newServerKey, call)
}

// Over is a key that divides arrays among the devices of a group; each GPU gets a copy of 90 MB. Results decrypt to those of one
// device.
//
// Errors: ErrInvalidArgument for a key of a group; ErrUnsupported for a GPU's key in a group with a CPU; ErrOutOfMemory.
func (k *FheServerKey) Over(group *Group) (*FheServerKey, error) {
	const op = "fhe_key_set"
	if group == nil {
		return nil, fail(ErrInvalidPointer, op, "group is nil")
	}
	over, err := held(op, "group", group.owner)
	if err != nil {
		return nil, err
	}
	defer group.owner.release()
	call := func(key C.uintptr_t, made *C.uintptr_t) C.go_status { return C.go_fhe_key_set_create(key, over, made) }
	return madeOf(op, "server key", k.ownerOf(), newServerKey, call)
}

// Close frees the key, once no call uses it. Further calls do nothing.
//
// Errors: ErrInvalidPointer if the library refuses.
func (k *FheServerKey) Close() error {
	return closeIfHeld(k.ownerOf())
}

// Close frees the array, once no call uses it. Further calls do nothing.
//
// Errors: ErrInvalidPointer if the library refuses.
func (x *FheArray) Close() error {
	return closeIfHeld(x.ownerOf())
}

// Info is the array's type and length.
//
// Errors: ErrInvalidPointer for a closed array.
func (x *FheArray) Info() (FheType, int, error) {
	call := func(array C.uintptr_t, kind *C.int32_t, n *C.size_t) C.go_status {
		return C.go_fhe_array_info(array, kind, n)
	}
	return infoOf("fhe_array_info", "array", x.ownerOf(), call)
}

// memory is where elements lie; a bool of Go is a byte, 0 or 1.
func memory[T FheElement](values []T) *C.uint8_t {
	return (*C.uint8_t)(unsafe.Pointer(unsafe.SliceData(values)))
}

// FheEncrypt encrypts elements.
//
// Errors: ErrOutOfMemory; ErrUnknown where the system gives no random numbers.
func FheEncrypt[T FheElement](key *FheClientKey, values []T) (*FheArray, error) {
	call := func(client C.uintptr_t, made *C.uintptr_t) C.go_status {
		return C.go_fhe_encrypt(client, C.int32_t(FheTypeOf[T]()), memory(values), C.uint64_t(len(values)), made)
	}
	collect()
	return madeOf("fhe_encrypt", "client key", key.ownerOf(), newFheArray, call)
}

// FheDecrypt decrypts an array of elements of the type.
//
// Errors: ErrInvalidArgument for an array of another type or key, ErrOutOfMemory.
func FheDecrypt[T FheElement](key *FheClientKey, x *FheArray) ([]T, error) {
	const op = "fhe_decrypt"
	client, err := held(op, "client key", key.ownerOf())
	if err != nil {
		return nil, err
	}
	defer key.owner.release()
	kind, n, err := x.Info()
	if err != nil {
		return nil, err
	}
	if kind != FheTypeOf[T]() {
		return nil, fail(ErrInvalidArgument, op, "array holds %v, read as %v", kind, FheTypeOf[T]())
	}
	array, err := held(op, "array", x.owner)
	if err != nil {
		return nil, err
	}
	defer x.owner.release()
	values := make([]T, n)
	if err := check(op, Device{}, C.go_fhe_decrypt(client, array, memory(values), C.uint64_t(n))); err != nil {
		return nil, err
	}
	return values, nil
}

package icicle

// #include "shim.h"
//
// /* The thread has a key for the time of a call. */
// static int32_t go_fhe_enter(uintptr_t key, void **before) {
//   int32_t code = icicle_fhe_server_key(before);
//   if (code) return code;
//   code = icicle_fhe_set_server_key((void *)key);
//   if (code) (void)icicle_fhe_server_key_free(*before);
//   return code;
// }
// static void go_fhe_leave(void *before) {
//   (void)icicle_fhe_set_server_key(before);
//   (void)icicle_fhe_server_key_free(before);
// }
// #define GO_FHE(key, call)                    \
//   void *made = NULL, *before = NULL;         \
//   int32_t code = go_fhe_enter(key, &before); \
//   if (!code) {                               \
//     code = (call);                           \
//     go_fhe_leave(before);                    \
//   }                                          \
//   GO_PLAIN(go_keep(code, &made, handle))
//
// typedef struct {
//   uintptr_t array;
//   int32_t kind;
//   uint64_t n;
// } go_fhe_operand;
//
// static icicle_fhe_operand_t go_fhe_of(go_fhe_operand operand, go_in values) {
//   const icicle_fhe_operand_t of = {(void *)operand.array, values, operand.n, operand.kind};
//   return of;
// }
// static go_status go_fhe_binary(uintptr_t key, int32_t op, go_fhe_operand x, go_in xs, go_fhe_operand y, go_in ys,
//                                uintptr_t *handle) {
//   GO_FHE(key, icicle_fhe_binary(op, go_fhe_of(x, xs), go_fhe_of(y, ys), &made));
// }
// static go_status go_fhe_overflowing(uintptr_t key, int32_t op, go_fhe_operand x, go_in xs, go_fhe_operand y, go_in ys,
//                                     uintptr_t *handle, uintptr_t *flags) {
//   void *held = NULL;
//   GO_FHE(key, go_keep(icicle_fhe_overflowing(op, go_fhe_of(x, xs), go_fhe_of(y, ys), &made, &held), &held, flags));
// }
// static go_status go_fhe_select(uintptr_t key, uintptr_t condition, go_fhe_operand x, go_in xs, go_fhe_operand y, go_in ys,
//                                uintptr_t *handle) {
//   GO_FHE(key, icicle_fhe_select((void *)condition, go_fhe_of(x, xs), go_fhe_of(y, ys), &made));
// }
// static go_status go_fhe_unary(uintptr_t key, int32_t op, uintptr_t x, uintptr_t *handle) {
//   GO_FHE(key, icicle_fhe_unary(op, (void *)x, &made));
// }
// static go_status go_fhe_cast(uintptr_t key, uintptr_t x, int32_t kind, uintptr_t *handle) {
//   GO_FHE(key, icicle_fhe_cast((void *)x, kind, &made));
// }
// static go_status go_fhe_count(uintptr_t key, uintptr_t x, int32_t kind, uintptr_t *handle) {
//   GO_FHE(key, icicle_fhe_count((void *)x, kind, &made));
// }
// static go_status go_fhe_trivial(uintptr_t key, int32_t kind, go_in values, uint64_t n, uintptr_t *handle) {
//   GO_FHE(key, icicle_fhe_trivial(kind, values, n, &made));
// }
// static go_status go_fhe_slice(uintptr_t x, size_t start, size_t end, uintptr_t *handle) {
//   GO_MAKE(icicle_fhe_slice((void *)x, start, end, &made));
// }
// static go_status go_fhe_repeat(uintptr_t x, size_t times, uintptr_t *handle) {
//   GO_MAKE(icicle_fhe_repeat((void *)x, times, &made));
// }
// static go_status go_fhe_concatenate(const uintptr_t *arrays, int32_t count, uintptr_t *handle) {
//   GO_MAKE(icicle_fhe_concatenate((void *const *)arrays, count, &made));
// }
import "C"

import "unsafe"

// FheBinaryOp is an operation on each pair of elements of two encrypted arrays.
type FheBinaryOp int32

// The operations on two encrypted arrays: modulo the width, shifts by amounts modulo its bits. Truth values have FheBitAnd,
// FheBitOr, FheBitXor, FheEq and FheNe.
const (
	FheAdd         FheBinaryOp = C.ICICLE_FHE_ADD
	FheSub         FheBinaryOp = C.ICICLE_FHE_SUB
	FheMul         FheBinaryOp = C.ICICLE_FHE_MUL
	FheMin         FheBinaryOp = C.ICICLE_FHE_MIN
	FheMax         FheBinaryOp = C.ICICLE_FHE_MAX
	FheBitAnd      FheBinaryOp = C.ICICLE_FHE_BITAND
	FheBitOr       FheBinaryOp = C.ICICLE_FHE_BITOR
	FheBitXor      FheBinaryOp = C.ICICLE_FHE_BITXOR
	FheShl         FheBinaryOp = C.ICICLE_FHE_SHL
	FheShr         FheBinaryOp = C.ICICLE_FHE_SHR
	FheRotateLeft  FheBinaryOp = C.ICICLE_FHE_ROTATE_LEFT
	FheRotateRight FheBinaryOp = C.ICICLE_FHE_ROTATE_RIGHT
	FheEq          FheBinaryOp = C.ICICLE_FHE_EQ
	FheNe          FheBinaryOp = C.ICICLE_FHE_NE
	FheLt          FheBinaryOp = C.ICICLE_FHE_LT
	FheLe          FheBinaryOp = C.ICICLE_FHE_LE
	FheGt          FheBinaryOp = C.ICICLE_FHE_GT
	FheGe          FheBinaryOp = C.ICICLE_FHE_GE
)

// FheUnaryOp is an operation on one encrypted array.
type FheUnaryOp int32

// The operations on one encrypted array. Truth values have FheNot.
const (
	FheNeg FheUnaryOp = C.ICICLE_FHE_NEG
	FheNot FheUnaryOp = C.ICICLE_FHE_NOT
	FheSum FheUnaryOp = C.ICICLE_FHE_SUM
)

// FheOverflowOp is an operation on each pair of integers that also tells whether its result fits.
type FheOverflowOp int32

// The operations with flags.
const (
	FheOverflowingAdd FheOverflowOp = C.ICICLE_FHE_OVERFLOWING_ADD
	FheOverflowingSub FheOverflowOp = C.ICICLE_FHE_OVERFLOWING_SUB
)

// String is the operation's name, such as add.
func (op FheBinaryOp) String() string { return nameOrNone(C.icicle_fhe_binary_op_name(C.int32_t(op))) }

// String is the operation's name, such as not.
func (op FheUnaryOp) String() string { return nameOrNone(C.icicle_fhe_unary_op_name(C.int32_t(op))) }

// String is the operation's name, such as overflowing_add.
func (op FheOverflowOp) String() string {
	return nameOrNone(C.icicle_fhe_overflow_op_name(C.int32_t(op)))
}

func nameOrNone(name *C.char) string {
	if name == nil {
		return "none"
	}
	return C.GoString(name)
}

// FheOperand is what operations take: an *FheArray, or clear elements, which cost no ciphertexts. At least one operand of an
// operation is encrypted.
type FheOperand interface {
	// operand keeps an array for a call, until the function returned is called.
	operand(op, name string) (C.go_fhe_operand, *C.uint8_t, func(), error)
}

func (x *FheArray) operand(op, name string) (C.go_fhe_operand, *C.uint8_t, func(), error) {
	handle, err := held(op, name, x.ownerOf())
	if err != nil {
		return C.go_fhe_operand{}, nil, nil, err
	}
	return C.go_fhe_operand{array: handle}, nil, x.owner.release, nil
}

// clearElements is clear elements.
type clearElements[T FheElement] []T

// FheClear is clear elements as an operand; of one element, that stands for all.
func FheClear[T FheElement](values ...T) FheOperand { return clearElements[T](values) }

func (values clearElements[T]) operand(string, string) (C.go_fhe_operand, *C.uint8_t, func(), error) {
	of := C.go_fhe_operand{kind: C.int32_t(FheTypeOf[T]()), n: C.uint64_t(len(values))}
	return of, memory(values), func() {}, nil
}

// fheCall keeps a key and operands for a call that makes an array.
func (k *FheServerKey) call(op string, operands []FheOperand, run func(key C.uintptr_t, of []C.go_fhe_operand, values []*C.uint8_t, made *C.uintptr_t) C.go_status) (*FheArray, error) {
	key, err := held(op, "server key", k.ownerOf())
	if err != nil {
		return nil, err
	}
	defer k.owner.release()
	of, values := make([]C.go_fhe_operand, len(operands)), make([]*C.uint8_t, len(operands))
	for i, x := range operands {
		name := string("xy"[min(i, 1)])
		if x == nil {
			return nil, fail(ErrInvalidPointer, op, "%s is nil", name)
		}
		var release func()
		if of[i], values[i], release, err = x.operand(op, name); err != nil {
			return nil, err
		}
		defer release()
	}
	collect()
	var handle C.uintptr_t
	if err := check(op, Device{}, run(key, of, values, &handle)); err != nil {
		return nil, err
	}
	return newFheArray(handle), nil
}

// Binary is an operation on each pair of elements.
//
// Errors: ErrInvalidArgument for an operation that is none, operands of another key, type or length, two clear operands, or
// clear elements to shift; ErrInvalidPointer for closed arrays; ErrOutOfMemory.
func (k *FheServerKey) Binary(op FheBinaryOp, x, y FheOperand) (*FheArray, error) {
	return k.call("fhe_"+op.String(), []FheOperand{x, y}, func(key C.uintptr_t, of []C.go_fhe_operand, v []*C.uint8_t, made *C.uintptr_t) C.go_status {
		return C.go_fhe_binary(key, C.int32_t(op), of[0], v[0], of[1], v[1], made)
	})
}

// Overflowing is an operation on each pair of integers, and truth values: whether results are beyond the width.
//
// Errors: as Binary.
func (k *FheServerKey) Overflowing(op FheOverflowOp, x, y FheOperand) (integers, flags *FheArray, err error) {
	var held C.uintptr_t
	integers, err = k.call("fhe_"+op.String(), []FheOperand{x, y}, func(key C.uintptr_t, of []C.go_fhe_operand, v []*C.uint8_t, made *C.uintptr_t) C.go_status {
		return C.go_fhe_overflowing(key, C.int32_t(op), of[0], v[0], of[1], v[1], made, &held)
	})
	if err != nil {
		return nil, nil, err
	}
	return integers, newFheArray(held), nil
}

// Select is of each pair of integers the first where the condition, truth values, holds, else the second.
//
// Errors: as Binary; both integers may be clear.
func (k *FheServerKey) Select(condition *FheArray, x, y FheOperand) (*FheArray, error) {
	const op = "fhe_select"
	flags, err := held(op, "condition", condition.ownerOf())
	if err != nil {
		return nil, err
	}
	defer condition.owner.release()
	return k.call(op, []FheOperand{x, y}, func(key C.uintptr_t, of []C.go_fhe_operand, v []*C.uint8_t, made *C.uintptr_t) C.go_status {
		return C.go_fhe_select(key, flags, of[0], v[0], of[1], v[1], made)
	})
}

// one is a call on one encrypted array.
func (k *FheServerKey) one(op string, x *FheArray, run func(key, x C.uintptr_t, made *C.uintptr_t) C.go_status) (*FheArray, error) {
	return k.call(op, []FheOperand{x}, func(key C.uintptr_t, of []C.go_fhe_operand, _ []*C.uint8_t, made *C.uintptr_t) C.go_status {
		return run(key, of[0].array, made)
	})
}

// Unary is an operation on an array.
//
// Errors: as Binary.
func (k *FheServerKey) Unary(op FheUnaryOp, x *FheArray) (*FheArray, error) {
	return k.one("fhe_"+op.String(), x, func(key, x C.uintptr_t, made *C.uintptr_t) C.go_status {
		return C.go_fhe_unary(key, C.int32_t(op), x, made)
	})
}

// Cast is the elements in another type: the low bits, or zeros above; truth values as 0 and 1, integers as whether they are not 0.
//
// Errors: as Binary.
func (k *FheServerKey) Cast(x *FheArray, to FheType) (*FheArray, error) {
	return k.one("fhe_cast", x, func(key, x C.uintptr_t, made *C.uintptr_t) C.go_status {
		return C.go_fhe_cast(key, x, C.int32_t(to), made)
	})
}

// Count is how many truth values hold, as an array of one integer.
//
// Errors: as Binary.
func (k *FheServerKey) Count(x *FheArray, to FheType) (*FheArray, error) {
	return k.one("fhe_count", x, func(key, x C.uintptr_t, made *C.uintptr_t) C.go_status {
		return C.go_fhe_count(key, x, C.int32_t(to), made)
	})
}

// FheTrivial is elements that anyone can read, in the form of encrypted ones.
//
// Errors: ErrOutOfMemory.
func FheTrivial[T FheElement](key *FheServerKey, values []T) (*FheArray, error) {
	return key.call("fhe_trivial", nil, func(key C.uintptr_t, _ []C.go_fhe_operand, _ []*C.uint8_t, made *C.uintptr_t) C.go_status {
		return C.go_fhe_trivial(key, C.int32_t(FheTypeOf[T]()), memory(values), C.uint64_t(len(values)), made)
	})
}

// Add is x + y. Errors: as Binary.
func (k *FheServerKey) Add(x, y FheOperand) (*FheArray, error) { return k.Binary(FheAdd, x, y) }

// Sub is x - y. Errors: as Binary.
func (k *FheServerKey) Sub(x, y FheOperand) (*FheArray, error) { return k.Binary(FheSub, x, y) }

// Mul is x y. Errors: as Binary.
func (k *FheServerKey) Mul(x, y FheOperand) (*FheArray, error) { return k.Binary(FheMul, x, y) }

// Min is the smaller of both. Errors: as Binary.
func (k *FheServerKey) Min(x, y FheOperand) (*FheArray, error) { return k.Binary(FheMin, x, y) }

// Max is the larger of both. Errors: as Binary.
func (k *FheServerKey) Max(x, y FheOperand) (*FheArray, error) { return k.Binary(FheMax, x, y) }

// Eq is whether x = y. Errors: as Binary.
func (k *FheServerKey) Eq(x, y FheOperand) (*FheArray, error) { return k.Binary(FheEq, x, y) }

// Lt is whether x < y. Errors: as Binary.
func (k *FheServerKey) Lt(x, y FheOperand) (*FheArray, error) { return k.Binary(FheLt, x, y) }

// Gt is whether x > y. Errors: as Binary.
func (k *FheServerKey) Gt(x, y FheOperand) (*FheArray, error) { return k.Binary(FheGt, x, y) }

// Shl is x shifted to higher bits by y. Errors: as Binary.
func (k *FheServerKey) Shl(x, y FheOperand) (*FheArray, error) { return k.Binary(FheShl, x, y) }

// Shr is x shifted to lower bits by y. Errors: as Binary.
func (k *FheServerKey) Shr(x, y FheOperand) (*FheArray, error) { return k.Binary(FheShr, x, y) }

// Sum is the sum of all elements, an array of one. Errors: as Binary.
func (k *FheServerKey) Sum(x *FheArray) (*FheArray, error) { return k.Unary(FheSum, x) }

// Slice is the elements from start up to end, in the same memory, which is given back with the last array that has it. No key is
// needed.
//
// Errors: ErrInvalidArgument if the range is not within the array, ErrOutOfMemory.
func (x *FheArray) Slice(start, end int) (*FheArray, error) {
	const op = "fhe_slice"
	if start < 0 || end < 0 {
		return nil, fail(ErrInvalidArgument, op, "range is %d..%d, must lie within the array", start, end)
	}
	call := func(x C.uintptr_t, made *C.uintptr_t) C.go_status {
		return C.go_fhe_slice(x, C.size_t(start), C.size_t(end), made)
	}
	return madeOf(op, "x", x.ownerOf(), newFheArray, call)
}

// Repeat is the array so many times, one after another: what makes one element an operand for all of another array. On a GPU all
// are the same memory, on the host copies.
//
// Errors: ErrInvalidArgument for a negative number, ErrOutOfMemory.
func (x *FheArray) Repeat(times int) (*FheArray, error) {
	const op = "fhe_repeat"
	if times < 0 {
		return nil, fail(ErrInvalidArgument, op, "times is %d, must be 0 or more", times)
	}
	call := func(x C.uintptr_t, made *C.uintptr_t) C.go_status { return C.go_fhe_repeat(x, C.size_t(times), made) }
	return madeOf(op, "x", x.ownerOf(), newFheArray, call)
}

// FheConcatenate is the elements of arrays of one type and key, one array after another: copied where all lie on the host, else in
// the same memory, which is given back with the last array that has it.
//
// Errors: ErrInvalidArgument if there are none, or of other types or keys; ErrOutOfMemory.
func FheConcatenate(arrays ...*FheArray) (*FheArray, error) {
	const op = "fhe_concatenate"
	raw := make([]C.uintptr_t, len(arrays), len(arrays)+1)
	for i, array := range arrays {
		handle, err := held(op, "array", array.ownerOf())
		if err != nil {
			return nil, err
		}
		defer array.owner.release()
		raw[i] = handle
	}
	var handle C.uintptr_t
	status := C.go_fhe_concatenate((*C.uintptr_t)(unsafe.Pointer(unsafe.SliceData(raw))), count(len(raw)), &handle)
	if err := check(op, Device{}, status); err != nil {
		return nil, err
	}
	return newFheArray(handle), nil
}

package icicle

// #include "shim.h"
import "C"

import (
	"fmt"
	"math"
	"unsafe"
)

// DType is the type of an array's elements. The numbers are C's, the names NumPy's.
type DType int32

// The dtypes.
const (
	// DTypeDefault is none in particular: what a function says.
	DTypeDefault    DType = C.ICICLE_DTYPE_DEFAULT
	DTypeBool       DType = C.ICICLE_DTYPE_BOOL
	DTypeInt8       DType = C.ICICLE_DTYPE_INT8
	DTypeInt16      DType = C.ICICLE_DTYPE_INT16
	DTypeInt32      DType = C.ICICLE_DTYPE_INT32
	DTypeInt64      DType = C.ICICLE_DTYPE_INT64
	DTypeUint8      DType = C.ICICLE_DTYPE_UINT8
	DTypeUint16     DType = C.ICICLE_DTYPE_UINT16
	DTypeUint32     DType = C.ICICLE_DTYPE_UINT32
	DTypeUint64     DType = C.ICICLE_DTYPE_UINT64
	DTypeFloat16    DType = C.ICICLE_DTYPE_FLOAT16
	DTypeBFloat16   DType = C.ICICLE_DTYPE_BFLOAT16
	DTypeFloat32    DType = C.ICICLE_DTYPE_FLOAT32
	DTypeFloat64    DType = C.ICICLE_DTYPE_FLOAT64
	DTypeComplex64  DType = C.ICICLE_DTYPE_COMPLEX64
	DTypeComplex128 DType = C.ICICLE_DTYPE_COMPLEX128
)

// Float16 is the bits of an IEEE 754 float of 16 bits, 5 of them exponent.
type Float16 uint16

// BFloat16 is the bits of the upper half of a float32.
type BFloat16 uint16

// Number is a type of elements. An int is an int64 where it has 64 bits, and an int32 elsewhere.
type Number interface {
	bool | int | int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64 |
		Float16 | BFloat16 | float32 | float64 | complex64 | complex128
}

// DTypeOf is the dtype of a type.
func DTypeOf[T Number]() DType {
	var zero T
	switch any(zero).(type) {
	case bool:
		return DTypeBool
	case int8:
		return DTypeInt8
	case int16:
		return DTypeInt16
	case int32:
		return DTypeInt32
	case int64:
		return DTypeInt64
	case uint8:
		return DTypeUint8
	case uint16:
		return DTypeUint16
	case uint32:
		return DTypeUint32
	case uint64:
		return DTypeUint64
	case Float16:
		return DTypeFloat16
	case BFloat16:
		return DTypeBFloat16
	case float32:
		return DTypeFloat32
	case float64:
		return DTypeFloat64
	case complex64:
		return DTypeComplex64
	case complex128:
		return DTypeComplex128
	}
	if unsafe.Sizeof(zero) == 4 {
		return DTypeInt32
	}
	return DTypeInt64
}

// Bytes is how many bytes an element has; 0 of a dtype that is none.
func (d DType) Bytes() int { return int(C.icicle_dtype_bytes(C.int32_t(d))) }

// String is the dtype's name, such as float32.
func (d DType) String() string { return named(C.icicle_dtype_name(C.int32_t(d)), "DType", int32(d)) }

// named is a C string, or a number of a type.
func named(text *C.char, kind string, number int32) string {
	if text == nil {
		return fmt.Sprintf("%s(%d)", kind, number)
	}
	return C.GoString(text)
}

// UnaryOp is an operation on each element of one array, by its name in the array API.
type UnaryOp int32

// The operations on one array; icicle.h says what each gives.
const (
	UnaryAbs           UnaryOp = C.ICICLE_UNARY_ABS
	UnaryNegative      UnaryOp = C.ICICLE_UNARY_NEGATIVE
	UnaryPositive      UnaryOp = C.ICICLE_UNARY_POSITIVE
	UnarySign          UnaryOp = C.ICICLE_UNARY_SIGN
	UnarySqrt          UnaryOp = C.ICICLE_UNARY_SQRT
	UnarySquare        UnaryOp = C.ICICLE_UNARY_SQUARE
	UnaryReciprocal    UnaryOp = C.ICICLE_UNARY_RECIPROCAL
	UnaryExp           UnaryOp = C.ICICLE_UNARY_EXP
	UnaryExpm1         UnaryOp = C.ICICLE_UNARY_EXPM1
	UnaryLog           UnaryOp = C.ICICLE_UNARY_LOG
	UnaryLog1p         UnaryOp = C.ICICLE_UNARY_LOG1P
	UnaryLog2          UnaryOp = C.ICICLE_UNARY_LOG2
	UnaryLog10         UnaryOp = C.ICICLE_UNARY_LOG10
	UnarySin           UnaryOp = C.ICICLE_UNARY_SIN
	UnaryCos           UnaryOp = C.ICICLE_UNARY_COS
	UnaryTan           UnaryOp = C.ICICLE_UNARY_TAN
	UnaryAsin          UnaryOp = C.ICICLE_UNARY_ASIN
	UnaryAcos          UnaryOp = C.ICICLE_UNARY_ACOS
	UnaryAtan          UnaryOp = C.ICICLE_UNARY_ATAN
	UnarySinh          UnaryOp = C.ICICLE_UNARY_SINH
	UnaryCosh          UnaryOp = C.ICICLE_UNARY_COSH
	UnaryTanh          UnaryOp = C.ICICLE_UNARY_TANH
	UnaryAsinh         UnaryOp = C.ICICLE_UNARY_ASINH
	UnaryAcosh         UnaryOp = C.ICICLE_UNARY_ACOSH
	UnaryAtanh         UnaryOp = C.ICICLE_UNARY_ATANH
	UnaryFloor         UnaryOp = C.ICICLE_UNARY_FLOOR
	UnaryCeil          UnaryOp = C.ICICLE_UNARY_CEIL
	UnaryTrunc         UnaryOp = C.ICICLE_UNARY_TRUNC
	UnaryRound         UnaryOp = C.ICICLE_UNARY_ROUND
	UnaryIsNaN         UnaryOp = C.ICICLE_UNARY_ISNAN
	UnaryIsInf         UnaryOp = C.ICICLE_UNARY_ISINF
	UnaryIsFinite      UnaryOp = C.ICICLE_UNARY_ISFINITE
	UnarySignBit       UnaryOp = C.ICICLE_UNARY_SIGNBIT
	UnaryConj          UnaryOp = C.ICICLE_UNARY_CONJ
	UnaryReal          UnaryOp = C.ICICLE_UNARY_REAL
	UnaryImag          UnaryOp = C.ICICLE_UNARY_IMAG
	UnaryLogicalNot    UnaryOp = C.ICICLE_UNARY_LOGICAL_NOT
	UnaryBitwiseInvert UnaryOp = C.ICICLE_UNARY_BITWISE_INVERT
)

// String is the operation's name in the array API, such as sqrt.
func (op UnaryOp) String() string {
	return named(C.icicle_unary_op_name(C.int32_t(op)), "UnaryOp", int32(op))
}

// BinaryOp is an operation on each pair of elements of two arrays, by its name in the array API.
type BinaryOp int32

// The operations on two arrays; icicle.h says what each gives.
const (
	BinaryAdd               BinaryOp = C.ICICLE_BINARY_ADD
	BinarySubtract          BinaryOp = C.ICICLE_BINARY_SUBTRACT
	BinaryMultiply          BinaryOp = C.ICICLE_BINARY_MULTIPLY
	BinaryDivide            BinaryOp = C.ICICLE_BINARY_DIVIDE
	BinaryFloorDivide       BinaryOp = C.ICICLE_BINARY_FLOOR_DIVIDE
	BinaryRemainder         BinaryOp = C.ICICLE_BINARY_REMAINDER
	BinaryPow               BinaryOp = C.ICICLE_BINARY_POW
	BinaryAtan2             BinaryOp = C.ICICLE_BINARY_ATAN2
	BinaryHypot             BinaryOp = C.ICICLE_BINARY_HYPOT
	BinaryCopySign          BinaryOp = C.ICICLE_BINARY_COPYSIGN
	BinaryNextAfter         BinaryOp = C.ICICLE_BINARY_NEXTAFTER
	BinaryLogAddExp         BinaryOp = C.ICICLE_BINARY_LOGADDEXP
	BinaryMaximum           BinaryOp = C.ICICLE_BINARY_MAXIMUM
	BinaryMinimum           BinaryOp = C.ICICLE_BINARY_MINIMUM
	BinaryBitwiseAnd        BinaryOp = C.ICICLE_BINARY_BITWISE_AND
	BinaryBitwiseOr         BinaryOp = C.ICICLE_BINARY_BITWISE_OR
	BinaryBitwiseXor        BinaryOp = C.ICICLE_BINARY_BITWISE_XOR
	BinaryBitwiseLeftShift  BinaryOp = C.ICICLE_BINARY_BITWISE_LEFT_SHIFT
	BinaryBitwiseRightShift BinaryOp = C.ICICLE_BINARY_BITWISE_RIGHT_SHIFT
	BinaryEqual             BinaryOp = C.ICICLE_BINARY_EQUAL
	BinaryNotEqual          BinaryOp = C.ICICLE_BINARY_NOT_EQUAL
	BinaryLess              BinaryOp = C.ICICLE_BINARY_LESS
	BinaryLessEqual         BinaryOp = C.ICICLE_BINARY_LESS_EQUAL
	BinaryGreater           BinaryOp = C.ICICLE_BINARY_GREATER
	BinaryGreaterEqual      BinaryOp = C.ICICLE_BINARY_GREATER_EQUAL
	BinaryLogicalAnd        BinaryOp = C.ICICLE_BINARY_LOGICAL_AND
	BinaryLogicalOr         BinaryOp = C.ICICLE_BINARY_LOGICAL_OR
	BinaryLogicalXor        BinaryOp = C.ICICLE_BINARY_LOGICAL_XOR
)

// String is the operation's name in the array API, such as add.
func (op BinaryOp) String() string {
	return named(C.icicle_binary_op_name(C.int32_t(op)), "BinaryOp", int32(op))
}

// Scalar is a number without a dtype: it takes that of the array it meets.
type Scalar struct {
	raw C.icicle_scalar_t
}

// ScalarOf is a number; of the bits of a 16-bit float, that float's value.
func ScalarOf[T Number](value T) Scalar {
	var raw C.icicle_scalar_t
	integer := func(n int64) { raw.kind, raw.integer = C.ICICLE_SCALAR_INT, C.int64_t(n) }
	float := func(x float64) { raw.kind, raw.real = C.ICICLE_SCALAR_FLOAT, C.double(x) }
	pair := func(z complex128) {
		raw.kind, raw.real, raw.imaginary = C.ICICLE_SCALAR_COMPLEX, C.double(real(z)), C.double(imag(z))
	}
	switch v := any(value).(type) {
	case bool:
		raw.kind = C.ICICLE_SCALAR_BOOL
		if v {
			raw.integer = 1
		}
	case int:
		integer(int64(v))
	case int8:
		integer(int64(v))
	case int16:
		integer(int64(v))
	case int32:
		integer(int64(v))
	case int64:
		integer(v)
	case uint8:
		integer(int64(v))
	case uint16:
		integer(int64(v))
	case uint32:
		integer(int64(v))
	case uint64:
		raw.kind, raw.integer = C.ICICLE_SCALAR_UINT, C.int64_t(v)
	case Float16:
		float(v.Float())
	case BFloat16:
		float(v.Float())
	case float32:
		float(float64(v))
	case float64:
		float(v)
	case complex64:
		pair(complex128(v))
	case complex128:
		pair(v)
	}
	return Scalar{raw}
}

// Bool says whether the number is not 0.
func (s Scalar) Bool() bool { return s.Complex() != 0 }

// Int is the number's value if it is a signed integer or a boolean, else 0.
func (s Scalar) Int() int64 {
	if s.raw.kind == C.ICICLE_SCALAR_UINT {
		return 0
	}
	return int64(s.raw.integer)
}

// Uint is the number's value if it is an integer of at least 0 or a boolean, else 0.
func (s Scalar) Uint() uint64 {
	if s.raw.kind != C.ICICLE_SCALAR_UINT && s.raw.integer < 0 {
		return 0
	}
	return uint64(s.raw.integer)
}

// Float is the number's value, rounded; of a complex one the real part.
func (s Scalar) Float() float64 { return real(s.Complex()) }

// Complex is the number's value, rounded.
func (s Scalar) Complex() complex128 {
	switch s.raw.kind {
	case C.ICICLE_SCALAR_FLOAT, C.ICICLE_SCALAR_COMPLEX:
		return complex(float64(s.raw.real), float64(s.raw.imaginary))
	case C.ICICLE_SCALAR_UINT:
		return complex(float64(uint64(s.raw.integer)), 0)
	}
	return complex(float64(s.raw.integer), 0)
}

// Float is the number's value.
func (h Float16) Float() float64 {
	sign, exponent, fraction := float64(1), int(h>>10)&31, float64(h&1023)
	if h>>15 != 0 {
		sign = -1
	}
	switch {
	case exponent == 31 && fraction != 0:
		return math.NaN()
	case exponent == 31:
		return math.Inf(int(sign))
	case exponent == 0: // subnormal, or 0 of either sign
		return math.Copysign(math.Ldexp(fraction, -24), sign)
	}
	return sign * math.Ldexp(1024+fraction, exponent-25)
}

// Float is the number's value.
func (h BFloat16) Float() float64 { return float64(math.Float32frombits(uint32(h) << 16)) }

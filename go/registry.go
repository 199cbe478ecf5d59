package icicle

// #include "shim.h"
//
// static go_status go_field_info(uint32_t i, icicle_field_info_t *info) { GO_PLAIN(icicle_field_info(i, info)); }
// static go_status go_curve_info(uint32_t i, icicle_curve_info_t *info) { GO_PLAIN(icicle_curve_info(i, info)); }
// static go_status go_supports(go_place at, int32_t op, int32_t domain, bool *supported) {
//   GO_CALL(at, icicle_supports(op, domain, supported));
// }
import "C"

import (
	"math/big"
	"slices"
	"sync"
	"unsafe"
)

// Field is a field by its number in the library's registry; Fields lists them.
type Field int32

// FieldInfo is a field in numbers.
type FieldInfo struct {
	// Name, such as babybear_extension.
	Name string
	// Prefix is ICICLE's, such as babybear.
	Prefix string
	// Scalar is the scalar field of the same prefix: that of transform domains, coset generators and mixed products.
	Scalar Field
	// Bytes of an element, Degree its coefficients.
	Bytes, Degree int
	// Bits of the modulus; 2^TwoAdicity divides the modulus minus 1.
	Bits, TwoAdicity int
	// HasNTT says whether number-theoretic transforms are offered.
	HasNTT bool
	// Modulus of the coefficients.
	Modulus *big.Int
}

// Curve is a curve group by its number in the library's registry; Curves lists them.
type Curve int32

// CurveInfo is a curve group in numbers.
type CurveInfo struct {
	// Name, such as bn254_g2.
	Name string
	// Base is the field of coordinates, Scalar that of scalars.
	Base, Scalar Field
	// AffineBytes and ProjectiveBytes of a point.
	AffineBytes, ProjectiveBytes int
	// HasECNTT says whether transforms of points are offered.
	HasECNTT bool
}

// registry holds what the library says of its fields and curves; err is set if it could not.
type registry struct {
	fields     []Field
	curves     []Curve
	fieldInfos map[Field]FieldInfo
	curveInfos map[Curve]CurveInfo
	err        error
}

var table = sync.OnceValue(func() *registry {
	r := &registry{fieldInfos: map[Field]FieldInfo{}, curveInfos: map[Curve]CurveInfo{}}
	for i := range C.icicle_field_count() {
		info := C.icicle_field_info_t{struct_size: C.sizeof_icicle_field_info_t}
		if r.err = check("field_info", Device{}, C.go_field_info(i, &info)); r.err != nil {
			return r
		}
		modulus := C.GoBytes(unsafe.Pointer(&info.modulus), C.int(len(info.modulus)))
		slices.Reverse(modulus)
		r.fields = append(r.fields, Field(info.id))
		r.fieldInfos[Field(info.id)] = FieldInfo{
			text(info.name[:]), text(info.prefix[:]), Field(info.scalar_id), int(info.bytes), int(info.degree),
			int(info.bits), int(info.two_adicity), bool(info.has_ntt), new(big.Int).SetBytes(modulus),
		}
	}
	for i := range C.icicle_curve_count() {
		info := C.icicle_curve_info_t{struct_size: C.sizeof_icicle_curve_info_t}
		if r.err = check("curve_info", Device{}, C.go_curve_info(i, &info)); r.err != nil {
			return r
		}
		r.curves = append(r.curves, Curve(info.id))
		r.curveInfos[Curve(info.id)] = CurveInfo{
			text(info.name[:]), Field(info.base_id), Field(info.scalar_id),
			int(info.affine_bytes), int(info.projective_bytes), bool(info.has_ecntt),
		}
	}
	return r
})

// Version is the library's, such as 0.1.0.
func Version() string { return C.GoString(C.icicle_version()) }

// Fields returns every field, in the order of their numbers.
func Fields() []Field { return slices.Clone(table().fields) }

// Curves returns every curve group, in the order of their numbers.
func Curves() []Curve { return slices.Clone(table().curves) }

// FieldByName returns the field with a name, such as bn254, bn254_base_field or babybear_extension.
//
// Errors: ErrInvalidArgument if there is none.
func FieldByName(name string) (Field, error) {
	for field, info := range table().fieldInfos {
		if info.Name == name {
			return field, nil
		}
	}
	return 0, fail(ErrInvalidArgument, "field_by_name", "name %q: must be one of Fields", name)
}

// CurveByName returns the curve group with a name, such as bn254 or bn254_g2.
//
// Errors: ErrInvalidArgument if there is none.
func CurveByName(name string) (Curve, error) {
	for curve, info := range table().curveInfos {
		if info.Name == name {
			return curve, nil
		}
	}
	return 0, fail(ErrInvalidArgument, "curve_by_name", "name %q: must be one of Curves", name)
}

// info is Info for this package, which does not change the modulus.
func (f Field) info(op string) (FieldInfo, error) {
	info, ok := table().fieldInfos[f]
	if !ok {
		return info, fail(ErrInvalidArgument, op, "field %d: must be one of Fields", int32(f))
	}
	return info, nil
}

// Info describes the field.
//
// Errors: ErrInvalidArgument if it is none of Fields.
func (f Field) Info() (FieldInfo, error) {
	info, err := f.info("field_info")
	if err == nil {
		info.Modulus = new(big.Int).Set(info.Modulus)
	}
	return info, err
}

// String returns the field's name.
func (f Field) String() string {
	if info, err := f.info(""); err == nil {
		return info.Name
	}
	return "field " + big.NewInt(int64(f)).String()
}

func (c Curve) info(op string) (CurveInfo, error) {
	info, ok := table().curveInfos[c]
	if !ok {
		return info, fail(ErrInvalidArgument, op, "curve %d: must be one of Curves", int32(c))
	}
	return info, nil
}

// Info describes the curve group.
//
// Errors: ErrInvalidArgument if it is none of Curves.
func (c Curve) Info() (CurveInfo, error) { return c.info("curve_info") }

// String returns the curve group's name.
func (c Curve) String() string {
	if info, err := c.info(""); err == nil {
		return info.Name
	}
	return "curve " + big.NewInt(int64(c)).String()
}

// Op is an operation to ask Supports about.
type Op int32

// The operations.
const (
	OpVectorBinary           Op = C.ICICLE_OP_VECTOR_BINARY
	OpVectorMixedMul         Op = C.ICICLE_OP_VECTOR_MIXED_MUL
	OpVectorScalar           Op = C.ICICLE_OP_VECTOR_SCALAR
	OpVectorInv              Op = C.ICICLE_OP_VECTOR_INV
	OpVectorReduce           Op = C.ICICLE_OP_VECTOR_REDUCE
	OpConvertMontgomery      Op = C.ICICLE_OP_CONVERT_MONTGOMERY
	OpBitReverse             Op = C.ICICLE_OP_BIT_REVERSE
	OpSlice                  Op = C.ICICLE_OP_SLICE
	OpHighestNonZero         Op = C.ICICLE_OP_HIGHEST_NON_ZERO
	OpPolynomialEvaluate     Op = C.ICICLE_OP_POLYNOMIAL_EVALUATE
	OpPolynomialDivide       Op = C.ICICLE_OP_POLYNOMIAL_DIVIDE
	OpMatrixTranspose        Op = C.ICICLE_OP_MATRIX_TRANSPOSE
	OpMatrixMultiply         Op = C.ICICLE_OP_MATRIX_MULTIPLY
	OpProgram                Op = C.ICICLE_OP_PROGRAM
	OpNTT                    Op = C.ICICLE_OP_NTT
	OpECNTT                  Op = C.ICICLE_OP_EC_NTT
	OpMSM                    Op = C.ICICLE_OP_MSM
	OpPointConvertMontgomery Op = C.ICICLE_OP_POINT_CONVERT_MONTGOMERY
	OpPointBinary            Op = C.ICICLE_OP_POINT_BINARY
	OpPointScalarMul         Op = C.ICICLE_OP_POINT_SCALAR_MUL
	OpPointUnary             Op = C.ICICLE_OP_POINT_UNARY
	OpPointEqual             Op = C.ICICLE_OP_POINT_EQUAL
)

// Domain is what an operation works over: a Field, or a Curve for operations on points.
type Domain interface{ number() C.int32_t }

func (f Field) number() C.int32_t { return C.int32_t(f) }
func (c Curve) number() C.int32_t { return C.int32_t(c) }

// Supports says whether the device offers an operation; exactly then it does not return ErrUnsupported.
//
// Errors: ErrInvalidArgument if there is no such operation, field or curve; ErrInvalidDevice.
func (d Device) Supports(op Op, domain Domain) (bool, error) {
	const name = "supports"
	if domain == nil {
		return false, fail(ErrInvalidArgument, name, "domain is nil")
	}
	at, err := d.place(name)
	if err != nil {
		return false, err
	}
	var supported C.bool
	err = check(name, d, C.go_supports(at, C.int32_t(op), domain.number(), &supported))
	return bool(supported), err
}

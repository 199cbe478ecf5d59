package icicle

import (
	"errors"
	"regexp"
	"testing"
)

// fieldCalls make each operation on fields once, on elements of zero.
var fieldCalls = map[Op][]func(f Field, info FieldInfo) error{
	OpVectorBinary: {
		func(f Field, i FieldInfo) error {
			return f.VectorAdd(room(i.Bytes), room(i.Bytes), room(i.Bytes), VectorOptions{})
		},
		func(f Field, i FieldInfo) error {
			return f.VectorSub(room(i.Bytes), room(i.Bytes), room(i.Bytes), VectorOptions{})
		},
		func(f Field, i FieldInfo) error {
			return f.VectorMul(room(i.Bytes), room(i.Bytes), room(i.Bytes), VectorOptions{})
		},
		func(f Field, i FieldInfo) error {
			return f.VectorDiv(room(i.Bytes), room(i.Bytes), room(i.Bytes), VectorOptions{})
		},
		func(f Field, i FieldInfo) error {
			return f.VectorAccumulate(room(i.Bytes), room(i.Bytes), VectorOptions{})
		},
	},
	OpVectorScalar: {
		func(f Field, i FieldInfo) error {
			return f.ScalarAddVec(room(i.Bytes), room(i.Bytes), room(i.Bytes), VectorOptions{})
		},
		func(f Field, i FieldInfo) error {
			return f.ScalarSubVec(room(i.Bytes), room(i.Bytes), room(i.Bytes), VectorOptions{})
		},
		func(f Field, i FieldInfo) error {
			return f.ScalarMulVec(room(i.Bytes), room(i.Bytes), room(i.Bytes), VectorOptions{})
		},
	},
	OpVectorInv: {func(f Field, i FieldInfo) error { return f.VectorInv(room(i.Bytes), room(i.Bytes), VectorOptions{}) }},
	OpVectorReduce: {
		func(f Field, i FieldInfo) error { return f.VectorSum(room(i.Bytes), room(i.Bytes), VectorOptions{}) },
		func(f Field, i FieldInfo) error {
			return f.VectorProduct(room(i.Bytes), room(i.Bytes), VectorOptions{})
		},
	},
	OpConvertMontgomery: {func(f Field, i FieldInfo) error {
		return f.ConvertMontgomery(room(i.Bytes), room(i.Bytes), true, VectorOptions{})
	}},
	OpBitReverse: {func(f Field, i FieldInfo) error { return f.BitReverse(room(i.Bytes), room(i.Bytes), VectorOptions{}) }},
	OpSlice:      {func(f Field, i FieldInfo) error { return f.Slice(room(i.Bytes), 0, 1, room(i.Bytes), VectorOptions{}) }},
	OpHighestNonZero: {func(f Field, i FieldInfo) error {
		return f.HighestNonZeroIdx(room(i.Bytes), make(HostSlice[int64], 1), VectorOptions{})
	}},
	OpPolynomialEvaluate: {func(f Field, i FieldInfo) error {
		return f.PolyEval(room(i.Bytes), room(i.Bytes), room(i.Bytes), VectorOptions{})
	}},
	OpPolynomialDivide: {func(f Field, i FieldInfo) error {
		one := room(i.Bytes)
		one[0] = 1
		return f.PolyDivision(one, one, room(i.Bytes), room(i.Bytes), VectorOptions{})
	}},
	OpMatrixTranspose: {func(f Field, i FieldInfo) error {
		return f.MatrixTranspose(Matrix{room(i.Bytes), 1, 1}, room(i.Bytes), VectorOptions{})
	}},
	OpMatrixMultiply: {func(f Field, i FieldInfo) error {
		return f.MatMul(Matrix{room(i.Bytes), 1, 1}, Matrix{room(i.Bytes), 1, 1}, room(i.Bytes), MatMulOptions{})
	}},
	OpProgram: {func(f Field, i FieldInfo) error {
		p := must(f.NewPredefinedProgram(ABMinusC))
		defer p.Close()
		return f.Execute(p, []Slice{room(i.Bytes), room(i.Bytes), room(i.Bytes), room(i.Bytes)}, VectorOptions{})
	}},
	OpVectorMixedMul: {func(f Field, i FieldInfo) error {
		return f.VectorMixedMul(room(i.Bytes), room(info(i.Scalar).Bytes), room(i.Bytes), VectorOptions{})
	}},
	OpNTT: {func(f Field, i FieldInfo) error { return f.NTT(room(i.Bytes), Forward, room(i.Bytes), NTTOptions{}) }},
}

// curveCalls make each operation on curve groups once.
var curveCalls = map[Op][]func(g Curve, info CurveInfo) error{
	OpMSM: {
		func(g Curve, i CurveInfo) error {
			return g.MSM(room(info(i.Scalar).Bytes), room(i.AffineBytes), room(i.ProjectiveBytes), MSMOptions{})
		},
		func(g Curve, i CurveInfo) error {
			return g.MSMPrecomputeBases(room(i.AffineBytes), room(2*i.AffineBytes), MSMOptions{PrecomputeFactor: 2})
		},
	},
	OpECNTT: {func(g Curve, i CurveInfo) error {
		return g.ECNTT(room(i.ProjectiveBytes), Forward, room(i.ProjectiveBytes), NTTOptions{})
	}},
	OpPointConvertMontgomery: {
		func(g Curve, i CurveInfo) error {
			return g.AffineConvertMontgomery(room(i.AffineBytes), room(i.AffineBytes), true, VectorOptions{})
		},
		func(g Curve, i CurveInfo) error {
			return g.ProjectiveConvertMontgomery(room(i.ProjectiveBytes), room(i.ProjectiveBytes), false, VectorOptions{})
		},
	},
	OpPointBinary: {
		func(g Curve, i CurveInfo) error {
			return g.AddPoints(room(i.ProjectiveBytes), room(i.ProjectiveBytes), room(i.ProjectiveBytes), PointsOptions{})
		},
		func(g Curve, i CurveInfo) error {
			return g.SubPoints(room(i.ProjectiveBytes), room(i.ProjectiveBytes), room(i.ProjectiveBytes), PointsOptions{})
		},
	},
	OpPointScalarMul: {func(g Curve, i CurveInfo) error {
		return g.MulPoints(room(info(i.Scalar).Bytes), room(i.ProjectiveBytes), room(i.ProjectiveBytes), PointsOptions{})
	}},
	OpPointUnary: {
		func(g Curve, i CurveInfo) error {
			return g.NormalizePoints(room(i.AffineBytes), room(i.ProjectiveBytes), PointsOptions{AffineA: true})
		},
		func(g Curve, i CurveInfo) error {
			return g.NegatePoints(room(i.ProjectiveBytes), room(i.ProjectiveBytes), PointsOptions{})
		},
	},
	OpPointEqual: {func(g Curve, i CurveInfo) error {
		return g.EqualPoints(room(i.ProjectiveBytes), room(i.ProjectiveBytes), make(words, 1), PointsOptions{})
	}},
}

// Every operation of the registry has a call in Go, over every field and curve, on every device; it is refused as
// unsupported exactly where the device says so.
func TestEveryOperationOnEveryDomain(t *testing.T) {
	for name, number := range enum(t, header(t), "icicle_op_t", "ICICLE_OP_") {
		if !regexp.MustCompile(`\bOp\w+ +Op = C\.ICICLE_OP_` + name + `\b`).MatchString(sources(t)) {
			t.Errorf("ICICLE_OP_%s has no Op in Go", name)
		}
		if fieldCalls[Op(number)] == nil && curveCalls[Op(number)] == nil {
			t.Errorf("ICICLE_OP_%s has no call in Go", name)
		}
	}
	for _, d := range devices(t, 1) {
		domains(t, d)
		supports := func(op Op, domain Domain, call func() error) {
			supported := must(d.Supports(op, domain))
			err := d.Run(call)
			if supported && err != nil || !supported && !errors.Is(err, ErrUnsupported) {
				t.Errorf("%v: op %d over %v: supported is %v, the call returns %v", d, op, domain, supported, err)
			}
		}
		for op, calls := range fieldCalls {
			for _, f := range Fields() {
				for _, call := range calls {
					supports(op, f, func() error { return call(f, info(f)) })
				}
			}
		}
		for op, calls := range curveCalls {
			for _, g := range Curves() {
				for _, call := range calls {
					supports(op, g, func() error { return call(g, must(g.Info())) })
				}
			}
		}
	}
	_, err := CPU(0).Supports(Op(1000), Fields()[0])
	fails(t, err, ErrInvalidArgument, "1000")
	_, err = CPU(0).Supports(OpNTT, Field(12345))
	fails(t, err, ErrInvalidArgument, "12345")
	_, err = CPU(0).Supports(OpNTT, nil)
	fails(t, err, ErrInvalidArgument, "domain")
}

// domains makes a small transform domain ready for every field that has transforms, until the test ends.
func domains(t *testing.T, d Device) {
	t.Helper()
	const size = 64
	for _, f := range Fields() {
		if info := info(f); info.HasNTT && info.Scalar == f {
			root := room(info.Bytes)
			ok(t, f.RootOfUnity(size, root))
			ok(t, d.InitDomain(f, root))
			t.Cleanup(func() { ok(t, d.ReleaseDomain(f)) })
		}
	}
}

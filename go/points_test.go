package icicle

import (
	"math/big"
	"slices"
	"testing"
)

// Arrays of points against single ones, in both forms and with one operand for all.
func TestArraysOfPoints(t *testing.T) {
	const n = 5
	r := random()
	eachCurve(t, func(t *testing.T, g Curve, i CurveInfo) {
		affine, scalars := multiples(t, g, i, n), draw(r, info(i.Scalar), n)
		at := func(points words, k int) words { return points[k*i.ProjectiveBytes/4 : (k+1)*i.ProjectiveBytes/4] }
		// What call(k) gives for each k, k·G being the operands.
		check := func(what string, got words, want func(k int) *big.Int) {
			t.Helper()
			for k := range n {
				equal(t, what, g, at(got, k), times(t, g, i, want(k+1)))
			}
		}
		a, b, out := room(n*i.ProjectiveBytes), room(n*i.ProjectiveBytes), room(n*i.ProjectiveBytes)
		ok(t, g.NormalizePoints(affine, a, PointsOptions{AffineA: true}))
		check("forms", a, func(k int) *big.Int { return big.NewInt(int64(k)) })
		ok(t, g.AddPoints(a, affine, b, PointsOptions{AffineB: true}))
		check("sums", b, func(k int) *big.Int { return big.NewInt(int64(2 * k)) })
		ok(t, g.SubPoints(affine[:i.AffineBytes/4], b, out, PointsOptions{AffineA: true}))
		check("differences from one", out, func(k int) *big.Int { return big.NewInt(int64(1 - 2*k)) })
		ok(t, g.NegatePoints(b, b, PointsOptions{}))
		check("opposites in place", b, func(k int) *big.Int { return big.NewInt(int64(-2 * k)) })
		ok(t, g.MulPoints(encode(info(i.Scalar), scalars), affine, out, PointsOptions{AffineB: true}))
		check("products", out, func(k int) *big.Int { return new(big.Int).Mul(big.NewInt(int64(k)), scalars[k-1]) })
		ok(t, g.MulPoints(encode(info(i.Scalar), ints(3)), a, out, PointsOptions{}))
		check("one scalar", out, func(k int) *big.Int { return big.NewInt(int64(3 * k)) })
		flags := make(words, n)
		ok(t, g.EqualPoints(affine, at(a, 2), flags, PointsOptions{AffineA: true}))
		if !slices.Equal(flags, words{0, 0, 1, 0, 0}) {
			t.Errorf("%v: equal to the third: %v", g, flags)
		}
		// On a device, without copies.
		device := must(NewDeviceSlice[uint32](CPU(0), len(a)))
		defer device.Close()
		ok(t, Copy(device, a, Launch{}))
		ok(t, g.AddPoints(device, a, device, PointsOptions{}))
		ok(t, Copy(out, device, Launch{}))
		check("sums on a device", out, func(k int) *big.Int { return big.NewInt(int64(2 * k)) })

		fails(t, g.AddPoints(a, a[1:], out, PointsOptions{}), ErrInvalidArgument, "points_add: points_b holds")
		fails(t, g.AddPoints(a, a, out[1:], PointsOptions{}), ErrInvalidArgument, "points_add: output holds")
		fails(t, g.MulPoints(affine, a, out, PointsOptions{}), ErrInvalidArgument, "points_mul: scalars holds")
		fails(t, g.NegatePoints(at(a, 0), out, PointsOptions{}), ErrInvalidArgument, "points_negate: points holds")
		fails(t, g.EqualPoints(a, nil, flags, PointsOptions{}), ErrInvalidPointer, "points_b is nil")
	})
}

// Package gnark runs multi-scalar multiplication (MSM) and transforms on gnark-crypto's own elements and points, in their
// memory, without a copy: both libraries keep little-endian limbs, gnark-crypto in Montgomery form with the same R.
//
// Nothing here names a curve: the element types of any of gnark-crypto's curve packages fit the icicle field or curve of
// the same name; a type of another size is an error. The package is meant to be copied, too.
package gnark

import (
	"fmt"
	"unsafe"

	"icicle"
)

// MSM computes Σ scalars[i]·points[i] for each MSM of the batch: points hold gnark-crypto's affine points, such
// as bn254.G1Affine, scalars its elements, in host or device memory.
//
// Errors: as icicle.Curve.MSM, and ErrInvalidArgument if Affine is not of the curve's size.
func MSM[Affine any](curve icicle.Curve, points, scalars icicle.Slice, o icicle.MSMOptions) ([]Affine, error) {
	info, err := curve.Info()
	if err != nil {
		return nil, err
	}
	o.ScalarsMontgomery, o.PointsMontgomery = true, true
	if o.Async {
		return nil, fmt.Errorf("msm: async: the sums are converted before they are returned: %w", icicle.ErrInvalidArgument)
	}
	words := info.ProjectiveBytes / 4
	sums := make(icicle.HostSlice[uint32], max(o.Batch, 1)*words)
	if err := curve.MSM(scalars, points, sums, o); err != nil {
		return nil, err
	}
	affine := make([]Affine, len(sums)/words)
	for i := range affine {
		if err := curve.ToAffine(sums[i*words:(i+1)*words], icicle.Host(affine[i:i+1])); err != nil {
			return nil, err
		}
	}
	return affine, curve.AffineConvertMontgomery(icicle.Host(affine), icicle.Host(affine), true, icicle.VectorOptions{})
}

// InitDomain makes the domain of a gnark-crypto generator, such as fft.Domain.Generator, ready on a device: transforms then
// use gnark-crypto's roots of unity.
//
// Errors: as icicle.Device.InitDomain.
func InitDomain[Element any](d icicle.Device, field icicle.Field, generator Element) error {
	root, err := Canonical(field, generator)
	if err != nil {
		return err
	}
	return d.InitDomain(field, root)
}

// Canonical is an element out of Montgomery form: what icicle takes for roots and for coset generators, such as
// fft.Domain.FrMultiplicativeGen.
//
// Errors: ErrInvalidArgument if Element is not of the field's size.
func Canonical[Element any](field icicle.Field, element Element) (icicle.HostSlice[Element], error) {
	info, err := field.Info()
	if err != nil {
		return nil, err
	}
	if size := int(unsafe.Sizeof(element)); size != info.Bytes {
		return nil, fmt.Errorf("canonical: %T of %d bytes: must be %v's %d: %w", element, size, field, info.Bytes, icicle.ErrInvalidArgument)
	}
	out := icicle.HostSlice[Element]{element}
	return out, field.ConvertMontgomery(out, out, false, icicle.VectorOptions{})
}

// FFT transforms gnark-crypto's elements in place, in host or device memory, as fft.Domain.FFT does with fft.DIF: natural
// order in, bit-reversed order out. A transform is linear, so it keeps Montgomery form. coset is that of Canonical, or nil.
//
// Errors: as icicle.Field.NTT.
func FFT(field icicle.Field, a, coset icicle.Slice, launch icicle.Launch) error {
	return field.NTT(a, icicle.Forward, a, icicle.NTTOptions{Launch: launch, CosetGen: coset, Ordering: icicle.NaturalReversed})
}

// FFTInverse undoes FFT, as fft.Domain.FFTInverse does with fft.DIT: bit-reversed order in, natural order out.
//
// Errors: as FFT.
func FFTInverse(field icicle.Field, a, coset icicle.Slice, launch icicle.Launch) error {
	return field.NTT(a, icicle.Inverse, a, icicle.NTTOptions{Launch: launch, CosetGen: coset, Ordering: icicle.ReversedNatural})
}

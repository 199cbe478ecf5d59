//! Products of large prime fields in lanes (see [`simd::vector`](crate::algebra::simd::vector)).

use crate::algebra::fp::Fp;
use crate::algebra::simd::constant::Constant;
use crate::algebra::simd::serve;
use crate::algebra::simd::vector::{GROUP, Vectors};
use crate::algebra::{Field, Limbs};
use crate::cpu::blocks::{self, for_ranges};
use crate::cpu::memory::{In, Out};
use crate::ops::vector::{BinaryArgs, ConvertArgs};
use icicle_params::Prime;

/// The fields served: prime, words, limbs.
macro_rules! served {
    ($field:ty, $function:ident $arguments:tt) => {
        serve!($field, [Bn254Fr 4 5, Bn254Fq 4 5, Bls12_381Fr 4 5, Bls12_377Fr 4 5, Stark252 4 5, Bls12_381Fq 6 8,
            Bls12_377Fq 6 8], $function $arguments);
    };
}

/// Multiply element by element if this processor and the field are served here; else do nothing and return false.
pub(super) fn multiply<F: Field>(args: &BinaryArgs) -> bool {
    served!(F, products(args));
    false
}

/// Multiply each vector by its scalar, as [`multiply`]; interleaved vectors are not served.
pub(super) fn scale<F: Field>(args: &BinaryArgs) -> bool {
    if !args.shape.columns {
        served!(F, scaled(args));
    }
    false
}

/// Into or out of Montgomery form, as [`multiply`].
pub(super) fn convert<F: Field>(args: &ConvertArgs) -> bool {
    served!(F, converted(args));
    false
}

fn products<P: Prime<N>, const N: usize, const M: usize>(args: &BinaryArgs) -> bool {
    let Some(vectors) = Vectors::<P, N, M>::available() else { return false };
    let (a, b, out) = (In::new(&args.a), In::new(&args.b), Out::new(&args.out));
    map([&a, &b], &out, out.len(), &|_, [a, b], out, groups| {
        // SAFETY: `map` gives whole groups; operands are the output or apart from it, by the arguments' contract.
        #[allow(unsafe_code)]
        unsafe {
            vectors.multiply(a, b, out, groups);
        }
    });
    true
}

fn scaled<P: Prime<N>, const N: usize, const M: usize>(args: &BinaryArgs) -> bool {
    let Some(vectors) = Vectors::<P, N, M>::available() else { return false };
    let (scalars, v, out) = (In::<Limbs<N>>::new(&args.a), In::new(&args.b), Out::new(&args.out));
    // The scalars may lie where results go.
    let scalars: Vec<_> =
        (0..args.shape.batch).map(|i| Constant::<M>::new(Fp::<P, N>::from_raw(scalars.get(i)))).collect();
    map([&v], &out, args.shape.n, &|vector, [v], out, groups| {
        // SAFETY: as in `products`.
        #[allow(unsafe_code)]
        unsafe {
            vectors.scale(v, &scalars[vector], out, groups);
        }
    });
    true
}

fn converted<P: Prime<N>, const N: usize, const M: usize>(args: &ConvertArgs) -> bool {
    let Some(vectors) = Vectors::<P, N, M>::available() else { return false };
    let (a, out) = (In::new(&args.a), Out::new(&args.out));
    let by = Constant::<M>::new(super::conversion::<Fp<P, N>>(args.to_montgomery));
    map([&a], &out, out.len(), &|_, [a], out, groups| {
        // SAFETY: as in `products`.
        #[allow(unsafe_code)]
        unsafe {
            vectors.scale(a, &by, out, groups);
        }
    });
    true
}

/// Compute on groups of elements: which vector of `n`, where they are, where results go, how many groups.
type Work<'a, const N: usize, const K: usize> = &'a (dyn Fn(usize, [*const Limbs<N>; K], *mut Limbs<N>, usize) + Sync);

/// Do work on all elements of operands, in parts none of which reaches from one vector of `n` into the next. What is left
/// of a part beside whole groups is worked on in local memory.
fn map<const N: usize, const K: usize>(
    operands: [&In<'_, Limbs<N>>; K],
    out: &Out<'_, Limbs<N>>,
    n: usize,
    work: Work<'_, N, K>,
) {
    for_ranges(out.len(), size_of::<Limbs<N>>(), blocks::Work::Heavy, |range| {
        let mut start = range.start;
        while start < range.end {
            let length = (range.end - start).min(n - start % n);
            let (groups, left) = (length / GROUP, length % GROUP);
            let whole = groups * GROUP;
            work(start / n, operands.map(|x| x.at(start, whole)), out.at(start, whole), groups);
            if left > 0 {
                let mut local = [[Limbs([0; N]); GROUP]; K];
                for (local, operand) in local.iter_mut().zip(operands) {
                    operand.read(start + whole, &mut local[..left]);
                }
                let mut results = [Limbs([0; N]); GROUP];
                work(start / n, local.each_ref().map(|x| x.as_ptr()), results.as_mut_ptr(), 1);
                out.write(start + whole, &results[..left]);
            }
            start += length;
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algebra::tests::samples;
    use crate::algebra::{fields, simd};
    use crate::ops::vector::{Binary, Shape};

    /// Lengths around groups of sixteen, blocks and tasks.
    const LENGTHS: [usize; 13] = [0, 1, 2, 15, 16, 17, 79, 81, 127, 128, 129, 512, 2049];

    fn check<F: Field>(field: crate::FieldId) {
        let top = F::ZERO - F::ONE;
        for n in LENGTHS {
            let batch = 3;
            let shape = Shape { field, n, batch, columns: false };
            let mut a: Vec<F> = samples(n * batch + 8, 1);
            let mut b: Vec<F> = samples(n * batch + 8, 2);
            a.truncate(n * batch);
            b.truncate(n * batch);
            // The largest with the largest, with 0 and with 1.
            for (i, (x, y)) in [(top, top), (top, F::ZERO), (F::ONE, top)].into_iter().enumerate().take(a.len()) {
                (a[i], b[i]) = (x, y);
            }
            let scalars = [top, F::ONE, samples::<F>(9, 3)[8]];
            let raw = |x: &[F]| x.iter().map(|x| x.to_raw()).collect::<Vec<_>>();
            let (xs, ys, ss) = (raw(&a), raw(&b), raw(&scalars));
            let products: Vec<F> = a.iter().zip(&b).map(|(&x, &y)| x * y).collect();
            let scaled: Vec<F> = b.iter().enumerate().map(|(i, &y)| scalars[i / n] * y).collect();
            for in_place in [false, true] {
                let mut out = xs.clone();
                let dst = crate::device::Dst::from(&mut out);
                let src = if in_place { dst.as_src() } else { (&xs).into() };
                assert!(multiply::<F>(&BinaryArgs { binary: Binary::Mul, shape, a: src, b: (&ys).into(), out: dst }));
                assert!(out == raw(&products), "{field:?} {n} in place {in_place}");
                let mut out = ys.clone();
                let dst = crate::device::Dst::from(&mut out);
                let src = if in_place { dst.as_src() } else { (&ys).into() };
                assert!(scale::<F>(&BinaryArgs { binary: Binary::Mul, shape, a: (&ss).into(), b: src, out: dst }));
                assert!(out == raw(&scaled), "{field:?} {n} by scalars, in place {in_place}");
            }
        }
    }

    #[test]
    fn products_are_those_of_one_by_one() {
        use crate::FieldId::*;
        if !simd::available() {
            println!("no lanes on this processor: nothing to compare");
            return;
        }
        check::<fields::Bn254Scalar>(Bn254Scalar);
        check::<fields::Bn254Base>(Bn254Base);
        check::<fields::Bls12_381Scalar>(Bls12_381Scalar);
        check::<fields::Bls12_381Base>(Bls12_381Base);
        check::<fields::Bls12_377Scalar>(Bls12_377Scalar);
        check::<fields::Bls12_377Base>(Bls12_377Base);
        check::<fields::Stark252Scalar>(Stark252Scalar);
    }
}

//! What is refused, and that nothing is written then.

use super::*;
use icicle::device::{Dst, Launch, Src};
use icicle::ops::ntt::{
    Direction, NttConfig, init_domain, ntt, release_domain, root_of_unity, root_of_unity_from_domain,
};
use icicle::ops::point::{self, PointForm, Points, PointsMut};
use icicle::ops::program::{self, Program, Symbol};
use icicle::ops::vector::{self as v, Binary, Reduce};
use icicle::ops::{matrix, polynomial};
use icicle::{CurveId, ErrorCode, Result};

const ID: FieldId = FieldId::BabyBearScalar;

fn refused(result: Result<()>) {
    assert_eq!(result.unwrap_err().code, ErrorCode::InvalidArgument);
}

/// Two views of one buffer that overlap in part.
fn overlapping(memory: &mut [u32], n: usize) -> (Src<'_>, Dst<'_>) {
    let (base, place) = (memory.as_mut_ptr(), icicle::device::Place::Host);
    assert!(n < memory.len());
    // SAFETY: both ranges lie in `memory`; the call they are passed to refuses them.
    #[allow(unsafe_code)]
    unsafe {
        (Src::from_raw_parts(base.cast(), 4 * n, place), Dst::from_raw_parts(base.add(1).cast(), 4 * n, place))
    }
}

#[test]
fn lengths_batches_and_overlaps() {
    let (a, mut out, config) = (vec![1u32; 8], vec![7u32; 8], VectorConfig::default());
    for op in [Binary::Add, Binary::Div] {
        refused(v::binary(op, ID, 8, (&a).into(), (&a[1..]).into(), &config, (&mut out).into()));
        refused(v::binary(op, ID, 8, (&a).into(), (&a).into(), &config, (&mut out[1..]).into()));
        refused(v::binary(op, ID, usize::MAX, (&a).into(), (&a).into(), &config, (&mut out).into()));
        refused(v::binary(
            op,
            ID,
            8,
            (&a).into(),
            (&a).into(),
            &VectorConfig { batch: 0, ..config.clone() },
            (&mut out).into(),
        ));
    }
    refused(v::scalar(Binary::Div, ID, 8, (&a[..1]).into(), (&a).into(), &config, (&mut out).into()));
    refused(v::scalar(Binary::Mul, ID, 8, (&a[..2]).into(), (&a).into(), &config, (&mut out).into()));
    let extension = FieldId::BabyBearExtension;
    refused(v::mixed_mul(extension, 2, (&a).into(), (&a).into(), &config, (&mut out).into()));
    let no_extension = v::mixed_mul(ID, 8, (&a).into(), (&a).into(), &config, (&mut out).into());
    assert_eq!(no_extension.unwrap_err().code, ErrorCode::Unsupported);
    refused(v::reduce(Reduce::Sum, ID, 8, (&a).into(), &config, (&mut out).into()));
    let mut memory = vec![1u32; 9];
    let (src, dst) = overlapping(&mut memory, 8);
    refused(v::inv(ID, 8, src, &config, dst));
    let dst = Dst::from(&mut memory[..1]);
    refused(v::reduce(Reduce::Sum, ID, 1, dst.as_src(), &config, dst));
    assert_eq!(out, vec![7; 8]);
}

#[test]
fn reorderings() {
    let (a, mut out, config) = (vec![1u32; 12], vec![7u32; 12], VectorConfig::default());
    refused(v::bit_reverse(ID, 12, (&a).into(), &config, (&mut out).into()));
    for (offset, stride, n_out) in [(12, 1, 1), (0, 6, 3), (1, 11, 2), (0, usize::MAX, 3), (usize::MAX, 1, 1)] {
        refused(v::slice(ID, 12, (&a).into(), offset, stride, n_out, &config, (&mut out[..n_out]).into()));
    }
    refused(matrix::transpose(ID, 3, 5, (&a).into(), &config, (&mut out).into()));
    let mut config = matrix::MatMulConfig::default();
    refused(matrix::multiply(ID, (&a).into(), (3, 4), (&a).into(), (3, 4), &config, (&mut out[..9]).into()));
    refused(matrix::multiply(ID, (&a).into(), (0, 4), (&a).into(), (3, 4), &config, (&mut out[..9]).into()));
    config.b_transposed = true;
    matrix::multiply(ID, (&a).into(), (3, 4), (&a).into(), (3, 4), &config, (&mut out[..9]).into()).unwrap();
    assert_eq!(out[..9], [4; 9]);
    let mut memory = vec![1u32; 9];
    let (src, dst) = overlapping(&mut memory, 8);
    refused(matrix::transpose(ID, 2, 4, src, &VectorConfig::default(), dst));
}

#[test]
fn divisions() {
    // x² − 1 and, in the second pair, something else; denominators 0 only in the second pair.
    let numerator = [2013265920u32, 0, 1, 5, 5, 5];
    let config = VectorConfig { batch: 2, ..VectorConfig::default() };
    let run = |denominator: &[u32; 6], q_size: usize, r_size: usize| {
        let (mut q, mut r) = (vec![9u32; 2 * q_size], vec![9u32; 2 * r_size]);
        let result = polynomial::divide(
            ID,
            3,
            (&numerator[..]).into(),
            3,
            (&denominator[..]).into(),
            &config,
            q_size,
            (&mut q).into(),
            r_size,
            (&mut r).into(),
        );
        if result.is_err() {
            assert!(q.iter().chain(&r).all(|&x| x == 9), "written in spite of the error");
        }
        result.map(|()| (q, r))
    };
    let (q, r) = run(&[1, 1, 0, 5, 5, 5], 2, 3).unwrap();
    assert_eq!((q, r), (vec![2013265920, 1, 1, 0], vec![0; 6]));
    refused(run(&[1, 1, 0, 0, 0, 0], 2, 3).map(|_| ()));
    refused(run(&[1, 1, 0, 5, 5, 5], 1, 3).map(|_| ()));
    refused(run(&[1, 1, 0, 5, 5, 5], 2, 2).map(|_| ()));
}

#[test]
fn indices_are_aligned() {
    let a = [1u32, 0];
    let mut room = [7u64; 3];
    let words: &mut [u32] = bytemuck::cast_slice_mut(&mut room);
    let config = VectorConfig::default();
    let error = v::highest_non_zero(FieldId::BabyBearScalar, 2, (&a[..]).into(), &config, (&mut words[1..3]).into())
        .unwrap_err();
    assert!(error.code == ErrorCode::InvalidPointer && error.detail.contains("8 bytes"), "{error}");
    assert_eq!(room, [7; 3]);
}

#[test]
fn programs() {
    let (mut a, mut b, config) = (vec![1u32; 8], vec![2u32; 8], VectorConfig::default());
    let sum = Program::new(&[Symbol::input(0), &Symbol::input(0) + &Symbol::input(1)]).unwrap();
    refused(program::execute(ID, &sum, &mut [(&mut a).into()], 8, &config));
    refused(program::execute(ID, &sum, &mut [(&mut a).into(), (&mut b[1..]).into()], 8, &config));
    let mut memory = vec![1u32; 9];
    let (_, second) = overlapping(&mut memory, 8);
    let mut copy = second.as_src().as_ptr();
    // SAFETY: the same memory, one element earlier; the call refuses the pair.
    #[allow(unsafe_code)]
    let first = unsafe {
        copy = copy.sub(4);
        Dst::from_raw_parts(copy.cast_mut(), 32, icicle::device::Place::Host)
    };
    refused(program::execute(ID, &sum, &mut [first, second], 8, &config));
    let short = Program::new(&[&Symbol::input(0) + &Symbol::constant(&[1, 2, 3])]).unwrap();
    refused(program::execute(ID, &short, &mut [(&mut a).into()], 8, &config));
    assert_eq!((a, b), (vec![1; 8], vec![2; 8]));
}

#[test]
fn roots_and_cosets() {
    let words = |low: u64, high: u64| std::array::from_fn(|i| [low, high].get(i).copied().unwrap_or(0));
    let p = 2013265921;
    let named = |result: Result<()>, what: &str| {
        let error = result.unwrap_err();
        assert!(error.code == ErrorCode::InvalidArgument && error.detail.starts_with(what), "{error}");
    };
    let root = root_of_unity(ID, 8).unwrap()[0];
    // The modulus and more, in any word; 31 generates the whole group.
    for bad in [words(p, 0), words(p + 1, 0), words(u64::MAX, 0), words(root, 1), words(31, 0), words(0, 0)] {
        named(init_domain(ID, bad, &Launch::default()), "primitive_root: ");
    }
    let (a, mut out) = (vec![1u32; 8], vec![7u32; 8]);
    for bad in [words(p, 0), words(p + 1, 0), words(u64::MAX, 0), words(3, 1), words(0, 0)] {
        let config = NttConfig { coset: Some(bad), ..NttConfig::default() };
        named(ntt(ID, 8, Direction::Forward, &config, (&a).into(), (&mut out).into()), "coset_gen: ");
    }
    assert_eq!(out, [7; 8]);
}

#[test]
fn released_domains_are_gone() {
    // No other test here needs a domain of this field.
    let (field, launch, a) = (FieldId::GoldilocksScalar, Launch::default(), vec![1u32; 8]);
    let transform = || {
        let mut out = vec![7u32; 8];
        ntt(field, 4, Direction::Forward, &NttConfig::default(), (&a).into(), (&mut out).into())
    };
    refused(transform());
    let root = root_of_unity(field, 4).unwrap();
    init_domain(field, root, &launch).unwrap();
    transform().unwrap();
    assert_eq!(root_of_unity_from_domain(field, 2), Ok(root));
    release_domain(field, &launch).unwrap();
    refused(transform());
    refused(root_of_unity_from_domain(field, 2).map(|_| ()));
    // Nothing to release is no error.
    release_domain(field, &launch).unwrap();
}

#[test]
fn points_are_as_many_as_said_or_one() {
    let (curve, launch, n) = (CurveId::Bn254, Launch::default(), 3);
    let mut some = vec![0u32; n * 16];
    point::random(curve, PointForm::Affine, &mut some).unwrap();
    let (short, scalars, mut out) = (&some[..32], vec![1u32; n * 8], vec![7u32; n * 16]);
    let affine = |words| Points::affine(words);
    for (a, b) in [(&some[..], short), (short, &some[..]), (&some[..], &[][..])] {
        let to = PointsMut::affine(&mut out);
        refused(point::binary(point::Binary::Add, curve, n, affine(a), affine(b), &launch, to));
        refused(point::equal(curve, n, affine(a), affine(b), &launch, (&mut vec![7u32; n]).into()));
    }
    for (s, a) in [(&scalars[..16], &some[..]), (&scalars[..], short)] {
        refused(point::scalar_mul(curve, n, s.into(), affine(a), &launch, PointsMut::affine(&mut out)));
    }
    refused(point::normalize(curve, n, affine(short), &launch, PointsMut::affine(&mut out)));
    refused(point::negate(curve, n, affine(&some[..16]), &launch, PointsMut::affine(&mut out)));
    refused(point::random(curve, PointForm::Affine, &mut out[1..]));
    assert_eq!(out, vec![7; n * 16]);
}

#[test]
fn operations_are_named() {
    let (a, mut out, config, launch) = (vec![1u32; 8], vec![7u32; 8], VectorConfig::default(), Launch::default());
    let scalar = [Binary::Add, Binary::Sub, Binary::Mul]
        .map(|op| v::scalar(op, ID, 8, (&a[..2]).into(), (&a).into(), &config, (&mut out).into()).unwrap_err().op);
    assert_eq!(scalar, ["scalar_add_vec", "scalar_sub_vec", "scalar_mul_vec"]);
    let reduce = [Reduce::Sum, Reduce::Product]
        .map(|op| v::reduce(op, ID, 8, (&a).into(), &config, (&mut out).into()).unwrap_err().op);
    assert_eq!(reduce, ["vector_sum", "vector_product"]);
    let points = [point::Binary::Add, point::Binary::Sub].map(|op| {
        let (a, b) = (Points::affine(&a), Points::affine(&a));
        point::binary(op, CurveId::Bn254, 8, a, b, &launch, PointsMut::affine(&mut out)).unwrap_err().op
    });
    assert_eq!(points, ["points_add", "points_sub"]);
}

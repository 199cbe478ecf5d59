//! Results laid over operands in every way: the very same memory is taken where an operation says so; memory that starts
//! together but ends apart, or overlaps in part, is refused with nothing written; neighbours that touch are taken.
#![allow(unsafe_code)]

use crate::long::DOMAIN;
use icicle::device::{Dst, Launch, Place, Src};
use icicle::ops::msm::{self, MsmConfig};
use icicle::ops::ntt::{Direction, NttConfig, ecntt, init_domain, ntt, root_of_unity};
use icicle::ops::point::{self, PointForm, Points, PointsMut};
use icicle::ops::vector::{self as v, Binary, Reduce, VectorConfig};
use icicle::ops::{matrix, polynomial};
use icicle::{CurveId, ErrorCode, FieldId, Result};

const SMALL: FieldId = FieldId::BabyBearScalar;
const EXTENSION: FieldId = FieldId::BabyBearExtension;
const CURVE: CurveId = CurveId::Bn254;

/// Words of an operand, and whether the result may be exactly it.
type Operand = (Vec<u32>, bool);

/// A call of it, given operands and where its result goes.
type Run<'a> = dyn Fn(&[Src<'_>], Dst<'_>) -> Result<()> + 'a;

/// An operation on operands, with a result of so many words.
struct Case<'a> {
    name: String,
    operands: Vec<Operand>,
    words: usize,
    run: Box<Run<'a>>,
}

/// Where things lie in words of an arena.
fn src<'a>(arena: *const u32, at: usize, words: usize) -> Src<'a> {
    // SAFETY: within the arena, which outlives the call and is not read or written otherwise meanwhile.
    unsafe { Src::from_raw_parts(arena.wrapping_add(at).cast(), 4 * words, Place::Host) }
}

fn dst<'a>(arena: *mut u32, at: usize, words: usize) -> Dst<'a> {
    // SAFETY: as above; where it overlaps an operand the operation refuses, or takes both as one.
    unsafe { Dst::from_raw_parts(arena.wrapping_add(at).cast(), 4 * words, Place::Host) }
}

impl Case<'_> {
    /// The result where nothing overlaps.
    fn expected(&self) -> Vec<u32> {
        let srcs: Vec<Src<'_>> = self.operands.iter().map(|(words, _)| words.into()).collect();
        let mut out = vec![0x0bad_cafe; self.words];
        (self.run)(&srcs, (&mut out).into()).unwrap_or_else(|error| panic!("{}: {error}", self.name));
        out
    }

    /// Run with operand `k` at `from` and the result at `to` of one arena; the others elsewhere. The outcome, and the
    /// arena before and after.
    fn laid(&self, k: usize, from: usize, to: usize) -> (Result<()>, Vec<u32>, Vec<u32>) {
        let operand = &self.operands[k].0;
        let mut arena: Vec<u32> = (0..(from + operand.len()).max(to + self.words) as u32 + 8).map(|i| i % 97).collect();
        arena[from..][..operand.len()].copy_from_slice(operand);
        let before = arena.clone();
        let base = arena.as_mut_ptr();
        let mut srcs: Vec<Src<'_>> = self.operands.iter().map(|(words, _)| words.into()).collect();
        srcs[k] = src(base, from, operand.len());
        let outcome = (self.run)(&srcs, dst(base, to, self.words));
        (outcome, before, arena)
    }

    fn refused(&self, k: usize, from: usize, to: usize) {
        let (outcome, before, after) = self.laid(k, from, to);
        let what = format!(
            "{}: operand {k} of {} words at {from}, result of {} at {to}",
            self.name,
            self.operands[k].0.len(),
            self.words
        );
        let error = outcome.expect_err(&what);
        assert!(error.code == ErrorCode::InvalidArgument && error.detail.contains("overlap"), "{what}: {error}");
        assert!(before == after, "{what}: written in spite of the error");
    }

    fn taken(&self, k: usize, from: usize, to: usize, expected: &[u32]) {
        let (outcome, mut before, after) = self.laid(k, from, to);
        let what = format!("{}: operand {k} at {from}, result at {to}", self.name);
        outcome.unwrap_or_else(|error| panic!("{what}: {error}"));
        before[to..][..self.words].copy_from_slice(expected);
        assert!(before == after, "{what}");
    }

    fn check(&self) {
        let expected = self.expected();
        for (k, (operand, in_place)) in self.operands.iter().enumerate() {
            let (n, m) = (operand.len(), self.words);
            // Neighbours, the result behind and before.
            self.taken(k, 4, 4 + n, &expected);
            self.taken(k, 4 + m, 4, &expected);
            // One word short of that, one word off the start, and within each other.
            self.refused(k, 4, 3 + n);
            self.refused(k, 3 + m, 4);
            if n > 1 || m > 1 {
                self.refused(k, 4, 5.min(3 + n));
                self.refused(k, 5.min(3 + m), 4);
            }
            match in_place {
                true if n == m => self.taken(k, 4, 4, &expected),
                _ => self.refused(k, 4, 4),
            }
        }
    }
}

fn numbers(count: usize, words: usize) -> Vec<u32> {
    (0..count * words).map(|i| if i % words == 0 { 3 + (i * i) as u32 % 1009 } else { 0 }).collect()
}

fn points(form: PointForm, n: usize) -> Vec<u32> {
    let mut bytes = vec![0; n * form.bytes(CURVE)];
    point::random(CURVE, form, &mut bytes).unwrap();
    bytes.chunks(4).map(|b| u32::from_le_bytes(b.try_into().unwrap())).collect()
}

fn input(form: PointForm, src: Src<'_>) -> Points<'_> {
    Points { form, src }
}

fn output(form: PointForm, dst: Dst<'_>) -> PointsMut<'_> {
    PointsMut { form, dst }
}

/// A case of operands and whether they may be the result.
fn case<'a>(
    name: impl Into<String>,
    operands: Vec<Operand>,
    words: usize,
    run: impl Fn(&[Src<'_>], Dst<'_>) -> Result<()> + 'a,
) -> Case<'a> {
    Case { name: name.into(), operands, words, run: Box::new(run) }
}

#[test]
fn of_vectors() {
    let one = || numbers(8, 1);
    for (batch, columns) in [(1, false), (2, true)] {
        let (n, config) = (8 / batch, VectorConfig { batch, columns, ..VectorConfig::default() });
        for op in [Binary::Add, Binary::Sub, Binary::Mul, Binary::Div] {
            case(format!("{op:?}"), vec![(one(), true), (one(), true)], 8, |s, out| {
                v::binary(op, SMALL, n, s[0], s[1], &config, out)
            })
            .check();
        }
        for op in [Binary::Add, Binary::Sub, Binary::Mul] {
            case(format!("scalar {op:?}"), vec![(numbers(batch, 1), false), (one(), true)], 8, |s, out| {
                v::scalar(op, SMALL, n, s[0], s[1], &config, out)
            })
            .check();
        }
        case("mixed", vec![(numbers(8, 4), true), (one(), false)], 32, |s, out| {
            v::mixed_mul(EXTENSION, n, s[0], s[1], &config, out)
        })
        .check();
        case("invert", vec![(one(), true)], 8, |s, out| v::inv(SMALL, n, s[0], &config, out)).check();
        case("convert", vec![(one(), true)], 8, |s, out| v::convert_montgomery(SMALL, n, s[0], true, &config, out))
            .check();
        case("bit_reverse", vec![(one(), true)], 8, |s, out| v::bit_reverse(SMALL, n, s[0], &config, out)).check();
        case("slice", vec![(one(), false)], 2 * batch, |s, out| v::slice(SMALL, n, s[0], 1, 2, 2, &config, out))
            .check();
        case("slice of all", vec![(one(), false)], 8, |s, out| v::slice(SMALL, n, s[0], 0, 1, n, &config, out)).check();
        for op in [Reduce::Sum, Reduce::Product] {
            case(format!("{op:?}"), vec![(one(), false)], batch, |s, out| v::reduce(op, SMALL, n, s[0], &config, out))
                .check();
        }
        case("highest_non_zero", vec![(one(), false)], 2 * batch, |s, out| {
            v::highest_non_zero(SMALL, n, s[0], &config, out)
        })
        .check();
    }
    // As many scalars, and results of reductions, as elements.
    let config = VectorConfig { batch: 8, ..VectorConfig::default() };
    case("scalars", vec![(one(), false), (one(), true)], 8, |s, out| {
        v::scalar(Binary::Mul, SMALL, 1, s[0], s[1], &config, out)
    })
    .check();
    case("sums of one", vec![(one(), false)], 8, |s, out| v::reduce(Reduce::Sum, SMALL, 1, s[0], &config, out)).check();
}

#[test]
fn of_matrices_and_polynomials() {
    let config = VectorConfig { batch: 2, ..VectorConfig::default() };
    let of = |n: usize| (numbers(n, 1), false);
    case("transpose", vec![(numbers(12, 1), true)], 12, |s, out| matrix::transpose(SMALL, 2, 3, s[0], &config, out))
        .check();
    let plain = matrix::MatMulConfig::default();
    for (rows, inner, cols) in [(2, 3, 4), (3, 3, 3), (1, 5, 1)] {
        case("matmul", vec![of(rows * inner), of(inner * cols)], rows * cols, |s, out| {
            matrix::multiply(SMALL, s[0], (rows, inner), s[1], (inner, cols), &plain, out)
        })
        .check();
    }
    case("evaluate", vec![of(10), of(3)], 6, |s, out| polynomial::evaluate(SMALL, 5, s[0], 3, s[1], &config, out))
        .check();
    let one = VectorConfig::default();
    case("evaluate at as many", vec![of(4), of(4)], 4, |s, out| {
        polynomial::evaluate(SMALL, 4, s[0], 4, s[1], &one, out)
    })
    .check();
    case("quotient", vec![of(6), of(3)], 6, |s, out| {
        let mut rest = [0u32; 6];
        polynomial::divide(SMALL, 6, s[0], 3, s[1], &one, 6, out, 6, (&mut rest[..]).into())
    })
    .check();
    case("remainder", vec![of(6), of(3)], 6, |s, out| {
        let mut quotient = [0u32; 4];
        polynomial::divide(SMALL, 6, s[0], 3, s[1], &one, 4, (&mut quotient[..]).into(), 6, out)
    })
    .check();
}

/// The two results of a division touch at most.
#[test]
fn of_quotients_and_remainders() {
    let (numerator, denominator) = (numbers(6, 1), numbers(3, 1));
    let divide = |q_at: usize, r_at: usize| {
        let mut arena = vec![7u32; 20];
        let base = arena.as_mut_ptr();
        let (q, r) = (dst(base, q_at, 4), dst(base, r_at, 6));
        let config = VectorConfig::default();
        let done = polynomial::divide(SMALL, 6, (&numerator).into(), 3, (&denominator).into(), &config, 4, q, 6, r);
        (done, arena)
    };
    let (done, apart) = divide(0, 10);
    done.unwrap();
    for (q_at, r_at) in [(0, 4), (6, 0), (2, 9)] {
        let (done, arena) = divide(q_at, r_at);
        done.unwrap();
        assert_eq!((&arena[q_at..q_at + 4], &arena[r_at..r_at + 6]), (&apart[..4], &apart[10..16]));
    }
    for (q_at, r_at) in [(0, 0), (0, 3), (5, 0), (2, 4), (3, 1)] {
        let (done, arena) = divide(q_at, r_at);
        let error = done.unwrap_err();
        assert!(error.code == ErrorCode::InvalidArgument && error.detail.contains("overlap"), "{error}");
        assert_eq!(arena, [7; 20], "written in spite of the error");
    }
}

#[test]
fn of_transforms() {
    for field in [SMALL, FieldId::Bn254Scalar] {
        init_domain(field, root_of_unity(field, DOMAIN).unwrap(), &Launch::default()).unwrap();
    }
    for (batch, columns) in [(1, false), (3, false), (3, true)] {
        let config = NttConfig { batch, columns, ..NttConfig::default() };
        for direction in [Direction::Forward, Direction::Inverse] {
            case(format!("ntt {direction:?}"), vec![(numbers(8 * batch, 1), true)], 8 * batch, |s, out| {
                ntt(SMALL, 8, direction, &config, s[0], out)
            })
            .check();
        }
        case("ntt of an extension", vec![(numbers(8 * batch, 4), true)], 32 * batch, |s, out| {
            ntt(EXTENSION, 8, Direction::Forward, &config, s[0], out)
        })
        .check();
        let input = points(PointForm::Projective, 4 * batch);
        case("ecntt", vec![(input.clone(), true)], input.len(), |s, out| {
            ecntt(CURVE, 4, Direction::Forward, &config, s[0], out)
        })
        .check();
    }
}

#[test]
fn of_points() {
    use PointForm::{Affine, Projective};
    let (launch, n) = (Launch::default(), 3);
    let words = |form: PointForm, n: usize| n * form.bytes(CURVE) / 4;
    for to in [Affine, Projective] {
        for a in [Affine, Projective] {
            let whole = || (points(a, n), a == to);
            case(format!("normalize {a:?} {to:?}"), vec![whole()], words(to, n), |s, dst| {
                point::normalize(CURVE, n, input(a, s[0]), &launch, output(to, dst))
            })
            .check();
            case(format!("negate {a:?} {to:?}"), vec![whole()], words(to, n), |s, dst| {
                point::negate(CURVE, n, input(a, s[0]), &launch, output(to, dst))
            })
            .check();
            for scalars in [1, n] {
                let operands = vec![(numbers(scalars, 8), false), whole()];
                case(format!("{scalars} scalars {a:?} {to:?}"), operands, words(to, n), |s, dst| {
                    point::scalar_mul(CURVE, n, s[0], input(a, s[1]), &launch, output(to, dst))
                })
                .check();
            }
            for b in [Affine, Projective] {
                // One point for all starts where the result does, and ends before it.
                for (na, nb) in [(n, n), (1, n), (n, 1)] {
                    let operands = vec![(points(a, na), a == to && na == n), (points(b, nb), b == to && nb == n)];
                    case(format!("{na} {a:?} + {nb} {b:?} {to:?}"), operands, words(to, n), |s, dst| {
                        point::binary(
                            point::Binary::Add,
                            CURVE,
                            n,
                            input(a, s[0]),
                            input(b, s[1]),
                            &launch,
                            output(to, dst),
                        )
                    })
                    .check();
                }
            }
        }
        case(format!("convert {to:?}"), vec![(points(to, n), true)], words(to, n), |s, dst| {
            point::convert_montgomery(CURVE, to, n, s[0], true, &launch, dst)
        })
        .check();
        case(format!("equal {to:?}"), vec![(points(to, n), false), (points(Affine, 1), false)], n, |s, dst| {
            point::equal(CURVE, n, input(to, s[0]), input(Affine, s[1]), &launch, dst)
        })
        .check();
    }
}

#[test]
fn of_multiplications() {
    let (n, affine) = (3, PointForm::Affine.bytes(CURVE) / 4);
    for batch in [1, 2] {
        let config = MsmConfig { batch, ..MsmConfig::default() };
        let operands = vec![(numbers(n * batch, 8), false), (points(PointForm::Affine, n), false)];
        case("msm", operands, 24 * batch, |s, out| msm::msm(CURVE, n, s[0], s[1], &config, out)).check();
    }
    // Results as long as the operands are no less apart.
    let config = MsmConfig { batch: 2, ..MsmConfig::default() };
    let operands = vec![(numbers(6, 8), false), (points(PointForm::Affine, 3), false)];
    case("msm of equal lengths", operands, 48, |s, out| msm::msm(CURVE, 3, s[0], s[1], &config, out)).check();
    for precompute_factor in [1, 2] {
        let config = MsmConfig { precompute_factor, ..MsmConfig::default() };
        let operands = vec![(points(PointForm::Affine, n), precompute_factor == 1)];
        case(format!("precompute {precompute_factor}"), operands, n * precompute_factor * affine, |s, out| {
            msm::precompute(CURVE, n, s[0], &config, out)
        })
        .check();
    }
}

#[test]
fn nothing_overlaps_nothing() {
    let affine = PointForm::Affine.bytes(CURVE) / 4;
    let one = points(PointForm::Affine, 1);
    // No results, within an operand that stands for all.
    let mut arena = one.clone();
    let base = arena.as_mut_ptr();
    let (a, b) = (Points::affine(src(base, 0, affine)), Points::affine(&one));
    let none = PointsMut::affine(dst(base, 4, 0));
    point::binary(point::Binary::Add, CURVE, 0, a, b, &Launch::default(), none).unwrap();
    assert_eq!(arena, one);
    // No scalars and no points, within the result.
    let mut arena = vec![7; 24];
    let base = arena.as_mut_ptr();
    let (scalars, bases, out) = (src(base, 4, 0), src(base, 8, 0), dst(base, 0, 24));
    msm::msm(CURVE, 0, scalars, bases, &MsmConfig::default(), out).unwrap();
    assert_eq!((&arena[..8], &arena[16..]), (&[0; 8][..], &[0; 8][..]), "the neutral element");
}

//! Vectors, polynomials, matrices, programs and transforms.

use crate::operation::{Case, Operation, elements, kept, poison, words};
use icicle::device::{Dst, Launch};
use icicle::ops::matrix::{self, MatMulConfig};
use icicle::ops::ntt::{Direction, NttConfig, Ordering, init_domain, ntt, root_of_unity};
use icicle::ops::polynomial;
use icicle::ops::program::{Predefined, Program, Symbol, execute};
use icicle::ops::vector::{self, Binary, Reduce, VectorConfig};
use icicle::{FieldId, Result};

const FIELDS: [FieldId; 6] = [
    FieldId::Bn254Scalar,
    FieldId::Bw6_761Base,
    FieldId::BabyBearScalar,
    FieldId::BabyBearExtension,
    FieldId::KoalaBearScalar,
    FieldId::GoldilocksScalar,
];

/// Elements of one vector: some pieces, and a rest.
const N: usize = 20_003;

pub fn operations() -> Vec<Operation> {
    let mut all = Vec::new();
    for field in FIELDS.into_iter().filter(is_here) {
        vectors(field, &mut all);
        polynomials(field, &mut all);
        matrices(field, &mut all);
        programs(field, &mut all);
    }
    transforms(&mut all);
    compilation(&mut all);
    all
}

/// A build for development has not all fields.
fn is_here(field: &FieldId) -> bool {
    icicle::FIELDS.iter().any(|row| row.id == *field)
}

/// The shapes a batch of vectors comes in.
fn shapes() -> [(&'static str, usize, VectorConfig); 4] {
    let batch = |batch, columns| VectorConfig { batch, columns, ..VectorConfig::default() };
    let (one, columns) = (("one", N, batch(1, false)), ("columns", 130, batch(150, true)));
    [one, ("rows", 9_001, batch(3, false)), columns, ("short columns", 3, batch(6_000, true))]
}

type Unary = fn(FieldId, usize, &[u32], &VectorConfig, Dst<'_>) -> Result<()>;

fn vectors(field: FieldId, all: &mut Vec<Operation>) {
    let name = field.name();
    let width = words(field);
    for (shape, n, config) in shapes() {
        let config = kept(config);
        let total = n * config.batch;
        let x = move || elements(field, total, 1);
        for binary in [Binary::Add, Binary::Sub, Binary::Mul, Binary::Div] {
            all.push(Operation::one(format!("{name} vector {binary:?} {shape}"), move || {
                let (a, b) = (x(), elements(field, total, 2));
                let run = move |out: &mut Vec<u32>| {
                    vector::binary(binary, field, n, (&a).into(), (&b).into(), config, out.into())
                };
                (poison(total * width), run)
            }));
            all.push(Operation::one(format!("{name} vector {binary:?} {shape} in place"), move || {
                let b = elements(field, total, 2);
                let run = move |out: &mut Vec<u32>| {
                    let out = Dst::from(out);
                    vector::binary(binary, field, n, out.as_src(), (&b).into(), config, out)
                };
                (x(), run)
            }));
        }
        for binary in [Binary::Add, Binary::Sub, Binary::Mul] {
            all.push(Operation::one(format!("{name} scalar {binary:?} {shape}"), move || {
                let (a, b) = (elements(field, config.batch, 2), x());
                let run = move |out: &mut Vec<u32>| {
                    vector::scalar(binary, field, n, (&a).into(), (&b).into(), config, out.into())
                };
                (poison(total * width), run)
            }));
        }
        for reduce in [Reduce::Sum, Reduce::Product] {
            all.push(Operation::one(format!("{name} {reduce:?} {shape}"), move || {
                let a = x();
                let run = move |out: &mut Vec<u32>| vector::reduce(reduce, field, n, (&a).into(), config, out.into());
                (poison(config.batch * width), run)
            }));
        }
        let unary: [(&str, Unary); 2] = [
            ("inverse", |field, n, a, config, out| vector::inv(field, n, a.into(), config, out)),
            ("to Montgomery", |field, n, a, config, out| {
                vector::convert_montgomery(field, n, a.into(), true, config, out)
            }),
        ];
        for (what, go) in unary {
            all.push(Operation::one(format!("{name} {what} {shape}"), move || {
                let a = x();
                (poison(total * width), move |out: &mut Vec<u32>| go(field, n, &a, config, out.into()))
            }));
        }
        all.push(Operation::one(format!("{name} inverse {shape} in place"), move || {
            let run = move |out: &mut Vec<u32>| {
                let out = Dst::from(out);
                vector::inv(field, n, out.as_src(), config, out)
            };
            (x(), run)
        }));
        all.push(Operation::one(format!("{name} highest non-zero {shape}"), move || {
            let mut a = x();
            a[(total / 2) * width..].fill(0);
            let run = move |out: &mut Vec<u32>| vector::highest_non_zero(field, n, (&a).into(), config, out.into());
            (poison(2 * config.batch), run)
        }));
        all.push(Operation::one(format!("{name} slice {shape}"), move || {
            let a = x();
            let count = (n - 1).div_ceil(2);
            let run = move |out: &mut Vec<u32>| vector::slice(field, n, (&a).into(), 1, 2, count, config, out.into());
            (poison(count * config.batch * width), run)
        }));
    }
    for (n, batch, columns) in [(1 << 14, 1, false), (1 << 7, 100, true), (1 << 4, 3000, true)] {
        let config = kept(VectorConfig { batch, columns, ..VectorConfig::default() });
        let total = n * batch;
        all.push(Operation::one(format!("{name} bit reversal {n} times {batch}"), move || {
            let a = elements(field, total, 1);
            (poison(total * width), move |out: &mut Vec<u32>| {
                vector::bit_reverse(field, n, (&a).into(), config, out.into())
            })
        }));
        all.push(Operation::one(format!("{name} bit reversal {n} times {batch} in place"), move || {
            (elements(field, total, 1), move |out: &mut Vec<u32>| {
                let out = Dst::from(out);
                vector::bit_reverse(field, n, out.as_src(), config, out)
            })
        }));
    }
    if field == FieldId::BabyBearExtension {
        all.push(Operation::one(format!("{name} mixed product"), move || {
            let (a, b) = (elements(field, N, 1), elements(field.scalar(), N, 2));
            (poison(N * width), move |out: &mut Vec<u32>| {
                vector::mixed_mul(field, N, (&a).into(), (&b).into(), &VectorConfig::default(), out.into())
            })
        }));
    }
}

fn polynomials(field: FieldId, all: &mut Vec<Operation>) {
    let (name, width) = (field.name(), words(field));
    for (n, points, batch, columns) in [(30_000, 5, 1, false), (5_000, 40, 3, true), (100, 300, 7, false)] {
        all.push(Operation::one(format!("{name} evaluate {batch} of {n} at {points}"), move || {
            let (coeffs, domain) = (elements(field, n * batch, 1), elements(field, points, 2));
            let config = kept(VectorConfig { batch, columns, ..VectorConfig::default() });
            (poison(points * batch * width), move |out: &mut Vec<u32>| {
                polynomial::evaluate(field, n, (&coeffs).into(), points, (&domain).into(), config, out.into())
            })
        }));
    }
    for (n, m, batch, columns) in [(1500, 400, 1, false), (700, 300, 4, true), (3, 2, 300, false)] {
        all.push(Operation::new(format!("{name} divide {batch} of {n} by {m}"), move || {
            let (numerator, denominator) = (elements(field, n * batch, 1), elements(field, m * batch, 2));
            let config = kept(VectorConfig { batch, columns, ..VectorConfig::default() });
            let outputs = vec![poison(n * batch * width), poison(n * batch * width)];
            let run = move |outputs: &mut [Vec<u32>]| {
                let [q, r] = outputs else { unreachable!() };
                let (a, b) = ((&numerator).into(), (&denominator).into());
                polynomial::divide(field, n, a, m, b, config, n, q.into(), n, r.into())
            };
            Case { outputs, run: Box::new(run) }
        }));
    }
}

fn matrices(field: FieldId, all: &mut Vec<Operation>) {
    let (name, width) = (field.name(), words(field));
    for (rows, cols, batch, columns) in [(200, 130, 1, false), (50, 30, 20, true)] {
        let config = kept(VectorConfig { batch, columns, ..VectorConfig::default() });
        let total = rows * cols * batch;
        all.push(Operation::one(format!("{name} transpose {batch} of {rows} by {cols}"), move || {
            let a = elements(field, total, 1);
            (poison(total * width), move |out: &mut Vec<u32>| {
                matrix::transpose(field, rows, cols, (&a).into(), config, out.into())
            })
        }));
        all.push(Operation::one(format!("{name} transpose {batch} of {rows} by {cols} in place"), move || {
            (elements(field, total, 1), move |out: &mut Vec<u32>| {
                let out = Dst::from(out);
                matrix::transpose(field, rows, cols, out.as_src(), config, out)
            })
        }));
    }
    for transposed in [false, true] {
        all.push(Operation::one(format!("{name} matrix product, transposed {transposed}"), move || {
            let (rows, inner, cols) = (90, 70, 80);
            let (a, b) = (elements(field, rows * inner, 1), elements(field, inner * cols, 2));
            let config = kept(MatMulConfig {
                a_transposed: transposed,
                b_transposed: transposed,
                result_transposed: transposed,
                ..MatMulConfig::default()
            });
            let shape = move |r, c| if transposed { (c, r) } else { (r, c) };
            (poison(rows * cols * width), move |out: &mut Vec<u32>| {
                let (a, b) = ((&a).into(), (&b).into());
                matrix::multiply(field, a, shape(rows, inner), b, shape(inner, cols), config, out.into())
            })
        }));
    }
}

/// A program of many parameters: products, inverses and constants.
fn wide(field: FieldId, count: usize) -> Vec<Symbol> {
    let bytes = vec![3u8; field.info().bytes()];
    let inputs: Vec<_> = (0..count).map(Symbol::input).collect();
    let constant = Symbol::constant(&bytes[..field.info().bytes() - 1].iter().copied().chain([0]).collect::<Vec<_>>());
    let next = |i: usize| &inputs[(i + 1) % count];
    (0..count)
        .map(|i| match i % 4 {
            0 => inputs[i].clone(),
            1 => &(&inputs[i] * next(i)) + &constant,
            2 => next(i).inverse(),
            _ => &inputs[i] - &(next(i) * next(i)),
        })
        .collect()
}

fn programs(field: FieldId, all: &mut Vec<Operation>) {
    let name = field.name();
    for (what, n, build) in [
        ("a·b − c", N, (|_| Program::predefined(Predefined::AbMinusC)) as fn(FieldId) -> Program),
        ("of 12 parameters", 3_000, |field| Program::new(&wide(field, 12)).unwrap()),
        ("of 900 parameters", 7, |field| Program::new(&wide(field, 900)).unwrap()),
    ] {
        all.push(Operation::new(format!("{name} program {what}"), move || {
            let program = build(field);
            let outputs = (0..program.parameters()).map(|i| elements(field, n, i as u8)).collect();
            let run = move |outputs: &mut [Vec<u32>]| {
                let mut vectors: Vec<_> = crate::unrefused(|| outputs.iter_mut().map(Dst::from).collect());
                execute(field, &program, &mut vectors, n, &VectorConfig::default())
            };
            Case { outputs, run: Box::new(run) }
        }));
    }
}

fn compilation(all: &mut Vec<Operation>) {
    all.push(Operation::one("program compilation", || {
        let symbols = wide(FieldId::Bn254Scalar, 1500);
        (poison(3), move |out: &mut Vec<u32>| {
            let program = Program::new(&symbols)?;
            out.copy_from_slice(&[program.slots(), program.code().len(), program.outputs().len()].map(|n| n as u32));
            Ok(())
        })
    }));
    // A balanced tree, of which half is held when the other is computed, dropped where there is no memory.
    all.push(Operation::one("deep circuit", || {
        (poison(2), move |out: &mut Vec<u32>| {
            let mut symbols = crate::unrefused(|| (0..1 << 11).map(Symbol::input).collect::<Vec<_>>());
            let inputs = crate::unrefused(|| symbols.clone());
            while symbols.len() > 1 {
                symbols = crate::unrefused(|| symbols.chunks(2).map(|pair| &pair[0] * &pair[1]).collect());
            }
            let root = symbols.remove(0);
            let mut parameters = inputs;
            parameters[0] = root;
            let program = Program::new(&parameters)?;
            drop(parameters);
            out.copy_from_slice(&[program.slots() as u32, program.code().len() as u32]);
            Ok(())
        })
    }));
}

fn transforms(all: &mut Vec<Operation>) {
    let fields = [
        FieldId::Bn254Scalar,
        FieldId::BabyBearScalar,
        FieldId::BabyBearExtension,
        FieldId::GoldilocksScalar,
        FieldId::KoalaBearScalar,
    ];
    let orderings = [
        Ordering::NaturalNatural,
        Ordering::NaturalReversed,
        Ordering::ReversedNatural,
        Ordering::ReversedReversed,
        Ordering::NaturalMixed,
        Ordering::MixedNatural,
    ];
    for field in fields.into_iter().filter(is_here) {
        for ordering in orderings {
            for direction in [Direction::Forward, Direction::Inverse] {
                for coset in [false, true] {
                    for in_place in [false, true] {
                        transform(field, (1 << 13, 1, false), (ordering, direction, coset, in_place), all);
                    }
                }
            }
        }
        for shape in [(1 << 6, 100, false), (1 << 10, 7, true), (1 << 3, 900, true), (1 << 17, 1, false)] {
            for direction in [Direction::Forward, Direction::Inverse] {
                transform(field, shape, (Ordering::NaturalNatural, direction, true, true), all);
            }
        }
        all.push(Operation::one(format!("{} domain", field.name()), move || {
            (poison(1), move |out: &mut Vec<u32>| {
                init_domain(field.scalar(), root_of_unity(field.scalar(), 1 << 18)?, &Launch::default())?;
                out[0] = 1;
                Ok(())
            })
        }));
    }
}

fn transform(
    field: FieldId,
    (n, batch, columns): (usize, usize, bool),
    (ordering, direction, coset, in_place): (Ordering, Direction, bool, bool),
    all: &mut Vec<Operation>,
) {
    let place = if in_place { " in place" } else { "" };
    let on = if coset { " coset" } else { "" };
    let name = format!("{} {direction:?} {ordering:?}{on} {n} times {batch}{place}", field.name());
    all.push(Operation::one(name, move || {
        let root = root_of_unity(field.scalar(), n as u64).unwrap();
        init_domain(field.scalar(), root, &Launch::default()).unwrap();
        let coset = coset.then(|| std::array::from_fn(|i| if i == 0 { 5 } else { 0 }));
        let config = kept(NttConfig { batch, columns, ordering, coset, ..NttConfig::default() });
        let input = elements(field, n * batch, 1);
        let out = if in_place { input.clone() } else { poison(input.len()) };
        let run = move |out: &mut Vec<u32>| {
            let out = Dst::from(out);
            let input = if in_place { out.as_src() } else { (&input).into() };
            ntt(field, n, direction, config, input, out)
        };
        (out, run)
    }));
}

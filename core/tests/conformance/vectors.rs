//! Vectors: element-wise operations, reductions, reorderings.

use crate::oracle::{Element, Field};
use crate::{PLACES, SIZES, Where, call};
use icicle::device::Src;
use icicle::ops::vector::{self, Binary, Reduce, VectorConfig};
use icicle::{Device, FIELDS, FieldId};

pub fn check(_: Device) {
    for row in FIELDS {
        let field = Field::new(row.id);
        for place in PLACES {
            for n in SIZES {
                for (batch, columns) in [(1, false), (3, false), (3, true)] {
                    let shape = Shape { n, batch, columns, place };
                    elementwise(&field, shape);
                    scalars(&field, shape);
                    reductions(&field, shape);
                    reorderings(&field, shape);
                }
            }
        }
    }
}

#[derive(Clone, Copy, Debug)]
struct Shape {
    n: usize,
    batch: usize,
    columns: bool,
    place: Where,
}

impl Shape {
    fn config(self) -> VectorConfig {
        VectorConfig { batch: self.batch, columns: self.columns, ..VectorConfig::default() }
    }
    /// Position of element `i` of vector `b`, for vectors of `n`.
    fn at(self, n: usize, b: usize, i: usize) -> usize {
        if self.columns { i * self.batch + b } else { b * n + i }
    }
    fn total(self) -> usize {
        self.n * self.batch
    }
}

fn elementwise(field: &Field, shape: Shape) {
    let (id, config, total) = (field.id, shape.config(), shape.total());
    let (a, b) = (field.samples(total, 1), field.samples(total, 5));
    let (wa, wb) = (field.encode(&a), field.encode(&b));
    let expect = |f: &dyn Fn(&Element, &Element) -> Element| {
        field.encode(&a.iter().zip(&b).map(|(x, y)| f(x, y)).collect::<Vec<_>>())
    };
    let run = |op: Binary| {
        call(shape.place, &[&wa, &wb], wa.len(), |s, out| vector::binary(op, id, shape.n, s[0], s[1], &config, out))
    };
    assert_eq!(run(Binary::Add), expect(&|x, y| field.add(x, y)), "{id:?} add {shape:?}");
    assert_eq!(run(Binary::Sub), expect(&|x, y| field.sub(x, y)), "{id:?} sub {shape:?}");
    assert_eq!(run(Binary::Mul), expect(&|x, y| field.mul(x, y)), "{id:?} mul {shape:?}");
    let inverse = call(shape.place, &[&wa], wa.len(), |s, out| vector::inv(id, shape.n, s[0], &config, out));
    let inverses = field.decode(&inverse);
    let (one, zero) = (field.integer(1), field.integer(0));
    for (x, y) in a.iter().zip(&inverses) {
        let none = *x == zero || (!field.is_field() && *y == zero);
        assert!(if none { *y == zero } else { field.mul(x, y) == one }, "{id:?} inv {shape:?}");
    }
    if field.is_field() && total <= 96 {
        assert_eq!(run(Binary::Div), expect(&|x, y| field.mul(x, &field.inverse(y))), "{id:?} div {shape:?}");
    }
    let factor = field.montgomery_factor();
    let montgomery =
        call(shape.place, &[&wa], wa.len(), |s, out| vector::convert_montgomery(id, shape.n, s[0], true, &config, out));
    assert_eq!(montgomery, expect(&|x, _| field.mul(x, &factor)), "{id:?} to Montgomery {shape:?}");
    let back = call(shape.place, &[&montgomery], wa.len(), |s, out| {
        vector::convert_montgomery(id, shape.n, s[0], false, &config, out)
    });
    assert_eq!(back, wa, "{id:?} from Montgomery {shape:?}");
    if id.scalar() != id && id.info().role == icicle_params::Role::Extension {
        let scalar = Field::new(id.scalar());
        let c = scalar.samples(total, 9);
        let wc = scalar.encode(&c);
        let mixed =
            call(shape.place, &[&wa, &wc], wa.len(), |s, out| vector::mixed_mul(id, shape.n, s[0], s[1], &config, out));
        let expected: Vec<Element> = a.iter().zip(&c).map(|(x, y)| field.mul(x, &field.embed(y))).collect();
        assert_eq!(mixed, field.encode(&expected), "{id:?} mixed product {shape:?}");
    }
    // In place.
    let mut data = wa.clone();
    vector::accumulate(id, shape.n, (&mut data).into(), Src::from(&wb), &config).unwrap();
    assert_eq!(data, expect(&|x, y| field.add(x, y)), "{id:?} accumulate {shape:?}");
}

fn scalars(field: &Field, shape: Shape) {
    let (id, config) = (field.id, shape.config());
    let (s, v) = (field.samples(shape.batch, 6), field.samples(shape.total(), 2));
    let (ws, wv) = (field.encode(&s), field.encode(&v));
    type Operation<'a> = (Binary, &'a dyn Fn(&Element, &Element) -> Element);
    let operations: [Operation; 3] = [
        (Binary::Add, &|x, y| field.add(x, y)),
        (Binary::Sub, &|x, y| field.sub(x, y)),
        (Binary::Mul, &|x, y| field.mul(x, y)),
    ];
    for (op, f) in operations {
        let got = call(shape.place, &[&ws, &wv], wv.len(), |src, out| {
            vector::scalar(op, id, shape.n, src[0], src[1], &config, out)
        });
        let mut expected = v.clone();
        for b in 0..shape.batch {
            for i in 0..shape.n {
                let at = shape.at(shape.n, b, i);
                expected[at] = f(&s[b], &v[at]);
            }
        }
        assert_eq!(got, field.encode(&expected), "{id:?} scalar {op:?} {shape:?}");
    }
}

fn reductions(field: &Field, shape: Shape) {
    let (id, config) = (field.id, shape.config());
    // No zeros, or every product would be zero.
    let zero = field.integer(0);
    let v: Vec<Element> =
        field.samples(shape.total(), 3).into_iter().map(|x| if x == zero { field.integer(3) } else { x }).collect();
    let words = field.encode(&v);
    for op in [Reduce::Sum, Reduce::Product] {
        let got = call(shape.place, &[&words], shape.batch * field.words(), |s, out| {
            vector::reduce(op, id, shape.n, s[0], &config, out)
        });
        let of = |b: usize| {
            (0..shape.n).map(|i| &v[shape.at(shape.n, b, i)]).fold(
                field.integer(u64::from(op == Reduce::Product)),
                |acc, x| {
                    if op == Reduce::Sum { field.add(&acc, x) } else { field.mul(&acc, x) }
                },
            )
        };
        assert_eq!(field.decode(&got), (0..shape.batch).map(of).collect::<Vec<_>>(), "{id:?} {op:?} {shape:?}");
    }
    let mut sparse = vec![zero.clone(); shape.total()];
    if shape.n > 2 {
        for b in 0..shape.batch - 1 {
            sparse[shape.at(shape.n, b, shape.n / 2 + b % 2)] = field.integer(7);
        }
    }
    let words = field.encode(&sparse);
    let got = call(shape.place, &[&words], 2 * shape.batch, |s, out| {
        vector::highest_non_zero(id, shape.n, s[0], &config, out)
    });
    let got: Vec<i64> = got.chunks(2).map(|w| (w[0] as u64 | (w[1] as u64) << 32) as i64).collect();
    let of = |b: usize| (0..shape.n).rev().find(|&i| sparse[shape.at(shape.n, b, i)] != zero).map_or(-1, |i| i as i64);
    assert_eq!(got, (0..shape.batch).map(of).collect::<Vec<_>>(), "{id:?} highest nonzero {shape:?}");
}

fn reorderings(field: &Field, shape: Shape) {
    let (id, config, n) = (field.id, shape.config(), shape.n);
    let v = field.samples(shape.total(), 4);
    let words = field.encode(&v);
    let gather = |n_out: usize, from: &dyn Fn(usize) -> usize| {
        let mut out = vec![field.integer(0); n_out * shape.batch];
        for b in 0..shape.batch {
            for i in 0..n_out {
                out[shape.at(n_out, b, i)] = v[shape.at(n, b, from(i))].clone();
            }
        }
        field.encode(&out)
    };
    if n == 0 || n.is_power_of_two() {
        let bits = n.checked_ilog2().unwrap_or(0);
        let reversed = |i: usize| if bits == 0 { 0 } else { i.reverse_bits() >> (usize::BITS - bits) };
        let got = call(shape.place, &[&words], words.len(), |s, out| vector::bit_reverse(id, n, s[0], &config, out));
        assert_eq!(got, gather(n, &reversed), "{id:?} bit reversal {shape:?}");
        let mut data = words.clone();
        let dst = icicle::device::Dst::from(&mut data);
        vector::bit_reverse(id, n, dst.as_src(), &config, dst).unwrap();
        assert_eq!(data, gather(n, &reversed), "{id:?} bit reversal in place {shape:?}");
    }
    for (offset, stride, n_out) in
        [(0, 1, n), (n / 2, 1, n - n / 2), (1, 3, n.saturating_sub(1).div_ceil(3)), (0, 0, 2)]
    {
        if n_out > 0 && offset + (n_out - 1) * stride >= n {
            continue;
        }
        let got = call(shape.place, &[&words], n_out * shape.batch * field.words(), |s, out| {
            vector::slice(id, n, s[0], offset, stride, n_out, &config, out)
        });
        assert_eq!(got, gather(n_out, &|i| offset + i * stride), "{id:?} slice {offset} {stride} {shape:?}");
    }
}

#[test]
fn every_field_is_in_the_oracle() {
    // One product that tells the extensions apart: (c0 + c1·x)² differs for every non-residue.
    for row in FIELDS {
        let field = Field::new(row.id);
        let x = field.samples(5, 4).pop().unwrap();
        if field.is_field() {
            assert_eq!(field.mul(&x, &field.inverse(&x)), field.integer(1), "{:?}", row.id);
        }
    }
    assert_eq!(Field::new(FieldId::M31Extension).degree(), 4);
}

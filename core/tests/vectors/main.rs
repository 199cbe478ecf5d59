//! Every operation on vectors, matrices, polynomials and programs, over every field, against a naive oracle that
//! computes in working form, element by element.
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod aliasing;
mod arkworks;
mod elements;
mod errors;
mod long;
mod matrices;
mod polynomials;
mod programs;
mod random;
mod reorder;
mod threads;

use icicle::FieldId;
use icicle::algebra::Field;
use icicle::ops::vector::VectorConfig;

/// Lengths at the edges of blocks.
pub const SIZES: [usize; 8] = [0, 1, 2, 3, 255, 256, 257, 1000];

/// Run a generic test for every field.
#[macro_export]
macro_rules! every_field {
    ($test:ident) => {
        for row in icicle::FIELDS {
            icicle::with_field!(row.id, F => $test::<F>(row.id));
        }
    };
}

/// Shape of a batch.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    pub n: usize,
    pub batch: usize,
    pub columns: bool,
}

impl Shape {
    pub fn total(self) -> usize {
        self.n * self.batch
    }
    pub fn at(self, b: usize, i: usize) -> usize {
        if self.columns { i * self.batch + b } else { b * self.n + i }
    }
    pub fn config(self) -> VectorConfig {
        VectorConfig { batch: self.batch, columns: self.columns, ..VectorConfig::default() }
    }
}

/// Every shape to try.
pub fn shapes() -> impl Iterator<Item = Shape> {
    SIZES.into_iter().flat_map(|n| {
        [(1, false), (3, false), (3, true), (1, true)].map(|(batch, columns)| Shape { n, batch, columns })
    })
}

/// Random elements, with 0, 1 and −1 among them.
pub fn data<F: Field>(id: FieldId, n: usize, seed: u8) -> Vec<F::Raw> {
    let mut bytes = vec![0; n * id.info().bytes()];
    icicle::ops::random::field_seeded(id, [seed; 32], &mut bytes).unwrap();
    let mut out: Vec<F::Raw> = bytes.chunks(id.info().bytes()).map(bytemuck::pod_read_unaligned).collect();
    for (i, x) in out.iter_mut().enumerate() {
        match (i + seed as usize) % 11 {
            0 => *x = F::ZERO.to_raw(),
            3 => *x = F::ONE.to_raw(),
            6 => *x = (-F::ONE).to_raw(),
            _ => {}
        }
    }
    out
}

/// Working form of a vector.
pub fn lift<F: Field>(raw: &[F::Raw]) -> Vec<F> {
    raw.iter().map(|&x| F::from_raw(x)).collect()
}

/// Memory form of a vector.
pub fn lower<F: Field>(x: &[F]) -> Vec<F::Raw> {
    x.iter().map(|&x| x.to_raw()).collect()
}

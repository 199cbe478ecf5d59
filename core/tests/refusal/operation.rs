//! What is tried, and how its operands are made.

use icicle::ops::point::{self, Points, PointsMut};
use icicle::ops::random;
use icicle::{CurveId, FieldId, Launch, Result};

/// Computes outputs; may be called again.
pub type Run = Box<dyn FnMut(&mut [Vec<u32>]) -> Result<()>>;

/// Operands ready, and what the outputs hold before.
pub struct Case {
    pub outputs: Vec<Vec<u32>>,
    pub run: Run,
}

pub struct Operation {
    pub name: String,
    pub prepare: Box<dyn Fn() -> Case + Send + Sync>,
}

/// A value for as long as the process, which tries a single operation.
pub fn kept<T>(value: T) -> &'static T {
    Box::leak(Box::new(value))
}

impl Operation {
    pub fn new(name: impl Into<String>, prepare: impl Fn() -> Case + Send + Sync + 'static) -> Self {
        Self { name: name.into(), prepare: Box::new(prepare) }
    }

    /// An operation with one output.
    pub fn one<F>(name: impl Into<String>, prepare: impl Fn() -> (Vec<u32>, F) + Send + Sync + 'static) -> Self
    where
        F: FnMut(&mut Vec<u32>) -> Result<()> + 'static,
    {
        Self::new(name, move || {
            let (output, mut run) = prepare();
            Case { outputs: vec![output], run: Box::new(move |outputs| run(&mut outputs[0])) }
        })
    }
}

/// An output nobody has written.
pub fn poison(words: usize) -> Vec<u32> {
    vec![0xa5a5_a5a5; words]
}

/// Words of an element.
pub fn words(field: FieldId) -> usize {
    field.info().bytes() / 4
}

/// Elements that are the same in every process.
pub fn elements(field: FieldId, n: usize, seed: u8) -> Vec<u32> {
    let mut bytes = vec![0u8; n * field.info().bytes()];
    random::field_seeded(field, [seed; 32], &mut bytes).unwrap();
    bytes.chunks_exact(4).map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]])).collect()
}

/// Points that are the same in every process, affine or projective with other `Z` than 1.
pub fn points(curve: CurveId, n: usize, affine: bool) -> Vec<u32> {
    let row = curve.info();
    let base = words(row.base);
    let degree = row.base.info().extension.degree();
    let mut generator = Vec::new();
    for coordinate in [row.x, row.y] {
        for part in &coordinate[..degree] {
            let limbs: Vec<u32> = part.iter().flat_map(|&limb| [limb as u32, (limb >> 32) as u32]).collect();
            generator.extend_from_slice(&limbs[..base / degree]);
        }
    }
    let scalars = elements(row.scalar, n, 9);
    let mut out = vec![0; n * 2 * base];
    let generator = Points::affine(&generator);
    point::scalar_mul(curve, n, (&scalars).into(), generator, &Launch::default(), PointsMut::affine(&mut out)).unwrap();
    if affine {
        return out;
    }
    // (X, Y, Z) with Z = -1.
    let mut minus = vec![0; words(row.base)];
    let one: Vec<u32> = (0..base).map(|i| u32::from(i == 0)).collect();
    negate(row.base, &one, &mut minus);
    let mut all = Vec::new();
    for point in out.chunks(2 * base) {
        for coordinate in point.chunks(base) {
            let mut negated = vec![0; base];
            negate(row.base, coordinate, &mut negated);
            all.extend(negated);
        }
        all.extend_from_slice(&minus);
    }
    all
}

fn negate(field: FieldId, x: &[u32], out: &mut [u32]) {
    use icicle::ops::vector::{Binary, VectorConfig, binary};
    let zero = vec![0; x.len()];
    binary(Binary::Sub, field, 1, (&zero).into(), x.into(), &VectorConfig::default(), out.into()).unwrap();
}

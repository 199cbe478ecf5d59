//! Collectives one element after another, from nothing but their definition.

use half::{bf16, f16};
use icicle_algebra::curve::{Bn254, Curve, Group, Projective};
use icicle_array::{Complex, DType};
use icicle_comm::{DataType, ReduceOp};
use icicle_params::{CurveId, FieldId};

/// The types that are tested: every dtype, a field of 31 and one of 64 bits, one of 254, and a curve.
pub fn types() -> Vec<DataType> {
    let mut all: Vec<DataType> = DType::ALL.iter().map(|&dtype| DataType::Number(dtype)).collect();
    all.extend([FieldId::BabyBearScalar, FieldId::GoldilocksScalar, FieldId::Bn254Scalar].map(DataType::Field));
    all.push(DataType::Point(CurveId::Bn254));
    all
}

/// Numbers that look random: the same for the same seed.
pub fn words(seed: u64, n: usize) -> Vec<u64> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let step = |_| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state.wrapping_mul(0x2545_f491_4f6c_dd1d)
    };
    (0..n).map(step).collect()
}

fn float(word: u64) -> f64 {
    match word % 61 {
        0 => f64::NAN,
        1 => -0.0,
        2 => 0.0,
        _ => (word as i64 as f64) / 2f64.powi(60),
    }
}

/// `factor·G` in memory form: normalised, or as it is computed.
fn multiple(factor: u64, normalised: bool) -> Vec<u8> {
    let point = Projective::<Bn254>::from(Bn254::GENERATOR).times(&[factor]);
    let point = if normalised { Projective::from(point.to_affine()) } else { point };
    bytemuck::cast_slice(&[point.to_raw()]).to_vec()
}

/// Which multiple of the generator a rank's element is.
fn factor(word: u64) -> u64 {
    word % 5
}

/// `n` elements of a type that a rank starts with.
pub fn input(data_type: DataType, seed: u64, n: usize) -> Vec<u8> {
    let words = words(seed, n);
    let each: Vec<Vec<u8>> = words.into_iter().map(|w| element(data_type, w)).collect();
    each.concat()
}

fn element(data_type: DataType, w: u64) -> Vec<u8> {
    let re = float(w);
    let im = float(w.rotate_left(17));
    match data_type {
        DataType::Number(DType::Bool) => vec![u8::from(w & 8 != 0)],
        DataType::Number(DType::Float16) => f16::from_f64(re).to_le_bytes().to_vec(),
        DataType::Number(DType::BFloat16) => bf16::from_f64(re).to_le_bytes().to_vec(),
        DataType::Number(DType::Float32) => (re as f32).to_le_bytes().to_vec(),
        DataType::Number(DType::Float64) => re.to_le_bytes().to_vec(),
        DataType::Number(DType::Complex64) => bytemuck::bytes_of(&Complex::new(re as f32, im as f32)).to_vec(),
        DataType::Number(DType::Complex128) => bytemuck::bytes_of(&Complex::new(re, im)).to_vec(),
        DataType::Number(dtype) => w.to_le_bytes()[..dtype.bytes()].to_vec(),
        DataType::Field(field) => {
            let (modulus, bytes) = modulus(field);
            match bytes {
                4 | 8 => (u128::from(w) % modulus).to_le_bytes()[..bytes].to_vec(),
                _ => [w, w ^ 5, !w, w >> 4].iter().flat_map(|word| word.to_le_bytes()).collect(),
            }
        }
        DataType::Point(_) => multiple(factor(w), false),
    }
}

/// The modulus of a small field.
fn modulus(field: FieldId) -> (u128, usize) {
    match field {
        FieldId::BabyBearScalar => (15 * (1 << 27) + 1, 4),
        FieldId::GoldilocksScalar => ((1 << 64) - (1 << 32) + 1, 8),
        _ => (0, 32),
    }
}

/// What each element of a type becomes, from those of all ranks in their order.
pub fn reduced(data_type: DataType, op: ReduceOp, inputs: &[Vec<u8>]) -> Vec<u8> {
    let (size, ranks) = (data_type.bytes(), inputs.len());
    let n = inputs[0].len() / size;
    let column = |i: usize| -> Vec<&[u8]> { inputs.iter().map(|input| &input[i * size..(i + 1) * size]).collect() };
    (0..n).flat_map(|i| one(data_type, op, ranks, &column(i))).collect()
}

macro_rules! integer {
    ($type:ty, $op:expr, $all:expr, $ranks:expr) => {{
        let all: Vec<i128> = $all.iter().map(|x| <$type>::from_le_bytes((*x).try_into().unwrap()) as i128).collect();
        let sum = all.iter().sum::<i128>() as $type;
        let out = match $op {
            ReduceOp::Sum => sum,
            ReduceOp::Prod => all.iter().fold(1i128, |a, b| a.wrapping_mul(*b)) as $type,
            ReduceOp::Min => *all.iter().min().unwrap() as $type,
            ReduceOp::Max => *all.iter().max().unwrap() as $type,
            ReduceOp::Avg => (sum as i128 / $ranks as i128) as $type,
        };
        out.to_le_bytes().to_vec()
    }};
}

macro_rules! float {
    ($read:expr, $op:expr, $all:expr, $ranks:expr) => {{
        let all: Vec<_> = $all.iter().map($read).collect();
        let (first, rest) = all.split_first().unwrap();
        let mut out = *first;
        for &x in rest {
            out = match $op {
                ReduceOp::Sum | ReduceOp::Avg => out + x,
                ReduceOp::Prod => out * x,
                _ if out.is_nan() => out,
                _ if x.is_nan() => x,
                ReduceOp::Min => {
                    if x < out {
                        x
                    } else {
                        out
                    }
                }
                ReduceOp::Max => {
                    if x > out {
                        x
                    } else {
                        out
                    }
                }
            };
        }
        if $op == ReduceOp::Avg { out / $ranks } else { out }
    }};
}

macro_rules! complex {
    ($type:ty, $op:expr, $all:expr, $ranks:expr) => {{
        let all: Vec<[$type; 2]> = $all.iter().map(|x| bytemuck::pod_read_unaligned(x)).collect();
        let (mut out, ranks) = (all[0], $ranks as $type);
        for &[re, im] in &all[1..] {
            out = match $op {
                ReduceOp::Prod => [out[0] * re - out[1] * im, out[0] * im + out[1] * re],
                _ => [out[0] + re, out[1] + im],
            };
        }
        if $op == ReduceOp::Avg {
            out = [out[0] / ranks, out[1] / ranks];
        }
        bytemuck::bytes_of(&out).to_vec()
    }};
}

fn one(data_type: DataType, op: ReduceOp, ranks: usize, all: &[&[u8]]) -> Vec<u8> {
    let DataType::Number(dtype) = data_type else { return algebraic(data_type, op, all) };
    match dtype {
        DType::Bool => {
            let any = all.iter().any(|x| x[0] != 0);
            let every = all.iter().all(|x| x[0] != 0);
            vec![u8::from(if matches!(op, ReduceOp::Sum | ReduceOp::Max) { any } else { every })]
        }
        DType::Int8 => integer!(i8, op, all, ranks),
        DType::Int16 => integer!(i16, op, all, ranks),
        DType::Int32 => integer!(i32, op, all, ranks),
        DType::Int64 => integer!(i64, op, all, ranks),
        DType::UInt8 => integer!(u8, op, all, ranks),
        DType::UInt16 => integer!(u16, op, all, ranks),
        DType::UInt32 => integer!(u32, op, all, ranks),
        DType::UInt64 => integer!(u64, op, all, ranks),
        DType::Float16 => {
            let read = |x: &&[u8]| f16::from_le_bytes((*x).try_into().unwrap()).to_f32();
            let out: f32 = float!(read, op, all, ranks as f32);
            f16::from_f32(out).to_le_bytes().to_vec()
        }
        DType::BFloat16 => {
            let read = |x: &&[u8]| bf16::from_le_bytes((*x).try_into().unwrap()).to_f32();
            let out: f32 = float!(read, op, all, ranks as f32);
            bf16::from_f32(out).to_le_bytes().to_vec()
        }
        DType::Float32 => {
            let out: f32 = float!(|x| f32::from_le_bytes((*x).try_into().unwrap()), op, all, ranks as f32);
            out.to_le_bytes().to_vec()
        }
        DType::Float64 => {
            let out: f64 = float!(|x| f64::from_le_bytes((*x).try_into().unwrap()), op, all, ranks as f64);
            out.to_le_bytes().to_vec()
        }
        DType::Complex64 => complex!(f32, op, all, ranks),
        DType::Complex128 => complex!(f64, op, all, ranks),
    }
}

fn algebraic(data_type: DataType, op: ReduceOp, all: &[&[u8]]) -> Vec<u8> {
    match data_type {
        DataType::Field(FieldId::Bn254Scalar) => {
            use icicle_algebra::{Field, Limbs};
            type F = <Bn254 as Curve>::Scalar;
            let read = |x: &&[u8]| F::from_raw(bytemuck::pod_read_unaligned::<Limbs<4>>(x));
            let elements = all.iter().map(read);
            let out = match op {
                ReduceOp::Prod => elements.reduce(|a, b| a * b),
                _ => elements.reduce(|a, b| a + b),
            };
            bytemuck::bytes_of(&out.unwrap().to_raw()).to_vec()
        }
        DataType::Field(field) => {
            let (modulus, bytes) = modulus(field);
            let read = |x: &&[u8]| {
                let mut wide = [0; 16];
                wide[..bytes].copy_from_slice(x);
                u128::from_le_bytes(wide)
            };
            let out = match op {
                ReduceOp::Prod => all.iter().map(read).fold(1, |a, b| a * b % modulus),
                _ => all.iter().map(read).fold(0, |a, b| (a + b) % modulus),
            };
            out.to_le_bytes()[..bytes].to_vec()
        }
        _ => {
            // Which multiples they are, added as numbers.
            let factor = |x: &&[u8]| (0..5).find(|&k| multiple(k, false) == **x).unwrap();
            multiple(all.iter().map(factor).sum(), true)
        }
    }
}

/// Whether bytes are the same elements; NaNs, whose payloads the processor chooses, are equal.
pub fn same(data_type: DataType, a: &[u8], b: &[u8]) -> bool {
    let DataType::Number(dtype) = data_type else { return a == b };
    let real = dtype.real();
    let part = real.bytes();
    let is_nan = |x: &[u8]| match real {
        DType::Float16 => f16::from_le_bytes(x.try_into().unwrap()).is_nan(),
        DType::BFloat16 => bf16::from_le_bytes(x.try_into().unwrap()).is_nan(),
        DType::Float32 => f32::from_le_bytes(x.try_into().unwrap()).is_nan(),
        DType::Float64 => f64::from_le_bytes(x.try_into().unwrap()).is_nan(),
        _ => false,
    };
    let equal = |(a, b): (&[u8], &[u8])| a == b || is_nan(a) && is_nan(b);
    a.len() == b.len() && a.chunks(part).zip(b.chunks(part)).all(equal)
}

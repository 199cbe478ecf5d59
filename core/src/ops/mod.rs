//! The operations: one file each with its configuration, its checked arguments (`Args::new` is the only constructor and
//! does all validation), and the function that picks a device and runs it there. No arithmetic here.

pub mod encoding;
pub mod matrix;
pub mod msm;
pub mod ntt;
pub mod point;
pub mod polynomial;
pub mod program;
pub mod random;
pub mod vector;

use crate::device::{Dst, Exec, Src};
use crate::{CurveId, Error, FieldId, Result};

/// An operation, as far as support is concerned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // the names are those of the operations
pub enum Op {
    VectorBinary,
    VectorMixedMul,
    VectorScalar,
    VectorInverse,
    VectorReduce,
    ConvertMontgomery,
    BitReverse,
    Slice,
    HighestNonZero,
    PolynomialEvaluate,
    PolynomialDivide,
    MatrixTranspose,
    MatrixMultiply,
    Program,
    Ntt,
    EcNtt,
    Msm,
    PointConvertMontgomery,
    PointBinary,
    PointScalarMul,
    PointUnary,
    PointEqual,
}

impl Op {
    /// Every operation.
    pub const ALL: [Op; 22] = [
        Op::VectorBinary,
        Op::VectorMixedMul,
        Op::VectorScalar,
        Op::VectorInverse,
        Op::VectorReduce,
        Op::ConvertMontgomery,
        Op::BitReverse,
        Op::Slice,
        Op::HighestNonZero,
        Op::PolynomialEvaluate,
        Op::PolynomialDivide,
        Op::MatrixTranspose,
        Op::MatrixMultiply,
        Op::Program,
        Op::Ntt,
        Op::EcNtt,
        Op::Msm,
        Op::PointConvertMontgomery,
        Op::PointBinary,
        Op::PointScalarMul,
        Op::PointUnary,
        Op::PointEqual,
    ];

    /// Whether it works over curves rather than fields.
    pub fn takes_curves(self) -> bool {
        match self {
            Op::EcNtt
            | Op::Msm
            | Op::PointConvertMontgomery
            | Op::PointBinary
            | Op::PointScalarMul
            | Op::PointUnary
            | Op::PointEqual => true,
            Op::VectorBinary
            | Op::VectorMixedMul
            | Op::VectorScalar
            | Op::VectorInverse
            | Op::VectorReduce
            | Op::ConvertMontgomery
            | Op::BitReverse
            | Op::Slice
            | Op::HighestNonZero
            | Op::PolynomialEvaluate
            | Op::PolynomialDivide
            | Op::MatrixTranspose
            | Op::MatrixMultiply
            | Op::Program
            | Op::Ntt => false,
        }
    }
}

/// What an operation works over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Domain {
    /// A field.
    Field(FieldId),
    /// A curve group.
    Curve(CurveId),
}

/// The operations of a backend. Arguments are proven: lengths, ranges and places hold; a method either completes (or
/// enqueues) the work or returns an error with outputs untouched. The defaults say `Unsupported`.
pub trait Ops: Send + Sync {
    /// Whether the operation is offered; exactly then its method does not return `Unsupported`.
    fn supports(&self, op: Op, domain: Domain) -> bool;

    /// `out = a ∘ b`, element by element.
    fn vector_binary(&self, _: &Exec, _: &vector::BinaryArgs) -> Result<()> {
        Err(missing("vector_binary"))
    }
    /// `out = a·b`, `a` over the extension, `b` over its scalar field.
    fn vector_mixed_mul(&self, _: &Exec, _: &vector::BinaryArgs) -> Result<()> {
        Err(missing("vector_mixed_mul"))
    }
    /// `out = s ∘ v`, one scalar for each vector of the batch.
    fn vector_scalar(&self, _: &Exec, _: &vector::BinaryArgs) -> Result<()> {
        Err(missing("vector_scalar"))
    }
    /// `out = 1/a`, zero where there is no inverse.
    fn vector_inverse(&self, _: &Exec, _: &vector::UnaryArgs) -> Result<()> {
        Err(missing("vector_inverse"))
    }
    /// Sum or product of each vector of the batch.
    fn vector_reduce(&self, _: &Exec, _: &vector::ReduceArgs) -> Result<()> {
        Err(missing("vector_reduce"))
    }
    /// `out = a·R` or `a/R`.
    fn convert_montgomery(&self, _: &Exec, _: &vector::ConvertArgs) -> Result<()> {
        Err(missing("convert_montgomery"))
    }
    /// `out[i] = a[reversed bits of i]`.
    fn bit_reverse(&self, _: &Exec, _: &vector::UnaryArgs) -> Result<()> {
        Err(missing("bit_reverse"))
    }
    /// `out[i] = a[offset + i·stride]`.
    fn slice(&self, _: &Exec, _: &vector::SliceArgs) -> Result<()> {
        Err(missing("slice"))
    }
    /// Index of the last nonzero element of each vector, −1 if all are zero, as `i64`.
    fn highest_non_zero(&self, _: &Exec, _: &vector::UnaryArgs) -> Result<()> {
        Err(missing("highest_non_zero_idx"))
    }
    /// Values of polynomials at points.
    fn polynomial_evaluate(&self, _: &Exec, _: &polynomial::EvaluateArgs) -> Result<()> {
        Err(missing("poly_eval"))
    }
    /// Quotients and remainders.
    fn polynomial_divide(&self, _: &Exec, _: &polynomial::DivideArgs) -> Result<()> {
        Err(missing("poly_division"))
    }
    /// Transposes.
    fn matrix_transpose(&self, _: &Exec, _: &matrix::TransposeArgs) -> Result<()> {
        Err(missing("matrix_transpose"))
    }
    /// A matrix product.
    fn matrix_multiply(&self, _: &Exec, _: &matrix::MultiplyArgs) -> Result<()> {
        Err(missing("matmul"))
    }
    /// A program over every position of its vectors.
    fn program(&self, _: &Exec, _: &program::ExecuteArgs) -> Result<()> {
        Err(missing("execute_program"))
    }
    /// Make a domain's roots of unity ready on a device.
    fn ntt_init_domain(&self, _: &Exec, _: &ntt::DomainArgs) -> Result<()> {
        Err(missing("ntt_init_domain"))
    }
    /// Forget them.
    fn ntt_release_domain(&self, _: &Exec, _: FieldId) -> Result<()> {
        Err(missing("ntt_release_domain"))
    }
    /// The root of order `2^log_n` of the device's domain, canonical words.
    fn ntt_domain_root(&self, _: &Exec, _: FieldId, _log_n: u32) -> Result<[u64; 12]> {
        Err(missing("get_root_of_unity_from_domain"))
    }
    /// Number-theoretic transforms.
    fn ntt(&self, _: &Exec, _: &ntt::NttArgs) -> Result<()> {
        Err(missing("ntt"))
    }
    /// Transforms of points.
    fn ecntt(&self, _: &Exec, _: &ntt::EcNttArgs) -> Result<()> {
        Err(missing("ecntt"))
    }
    /// Multi-scalar multiplications.
    fn msm(&self, _: &Exec, _: &msm::MsmArgs) -> Result<()> {
        Err(missing("msm"))
    }
    /// Multiples of the bases that make later multiplications cheaper.
    fn msm_precompute(&self, _: &Exec, _: &msm::PrecomputeArgs) -> Result<()> {
        Err(missing("msm_precompute_bases"))
    }
    /// Coordinates to or from Montgomery form.
    fn point_convert_montgomery(&self, _: &Exec, _: &point::ConvertArgs) -> Result<()> {
        Err(missing("point_convert_montgomery"))
    }
    /// `out = a ± b`, point by point.
    fn point_binary(&self, _: &Exec, _: &point::BinaryArgs) -> Result<()> {
        Err(missing("points_add"))
    }
    /// `out = s·p`, point by point.
    fn point_scalar_mul(&self, _: &Exec, _: &point::ScalarMulArgs) -> Result<()> {
        Err(missing("points_mul"))
    }
    /// `out = ±a`, normalised.
    fn point_unary(&self, _: &Exec, _: &point::UnaryArgs) -> Result<()> {
        Err(missing("points_normalize"))
    }
    /// Whether points are the same, as `u32`.
    fn point_equal(&self, _: &Exec, _: &point::EqualArgs) -> Result<()> {
        Err(missing("points_equal"))
    }
}

fn missing(op: &'static str) -> Error {
    Error::unsupported(op, "not offered by this device")
}

/// `count·size` bytes, or an error naming the argument.
pub(crate) fn bytes_for(op: &'static str, arg: &str, count: usize, size: usize) -> Result<usize> {
    count
        .checked_mul(size)
        .filter(|&bytes| bytes <= isize::MAX as usize)
        .ok_or_else(|| Error::argument(op, format!("{arg} of {count} elements: exceeds the address space")))
}

/// `a·b` elements, or an error naming the argument.
pub(crate) fn count_for(op: &'static str, arg: &str, a: usize, b: usize) -> Result<usize> {
    a.checked_mul(b)
        .ok_or_else(|| Error::argument(op, format!("{arg} of {a} times {b} elements: exceeds the address space")))
}

/// Check that a source holds exactly what is needed.
pub(crate) fn need_src(op: &'static str, arg: &str, src: &Src<'_>, count: usize, size: usize) -> Result<()> {
    let bytes = bytes_for(op, arg, count, size)?;
    if src.bytes() != bytes {
        return Err(Error::argument(
            op,
            format!("{arg} holds {} bytes: need {count} elements, {bytes} bytes", src.bytes()),
        ));
    }
    Ok(())
}

/// Check that a destination holds exactly what is needed.
pub(crate) fn need_dst(op: &'static str, arg: &str, dst: &Dst<'_>, count: usize, size: usize) -> Result<()> {
    need_src(op, arg, &dst.as_src(), count, size)
}

/// Check that a destination and a source are the same memory or disjoint.
pub(crate) fn same_or_disjoint(op: &'static str, arg: &str, dst: &Dst<'_>, src: &Src<'_>) -> Result<()> {
    let (d, s) = (dst.as_ptr() as usize, src.as_ptr() as usize);
    let identical = d == s && dst.bytes() == src.bytes();
    let empty = dst.bytes() == 0 || src.bytes() == 0;
    if identical || empty || d + dst.bytes() <= s || s + src.bytes() <= d {
        return Ok(());
    }
    Err(Error::argument(op, format!("output overlaps {arg} in part: must be the same memory or disjoint")))
}

/// Check that a destination and a source share nothing.
pub(crate) fn disjoint(op: &'static str, arg: &str, dst: &Dst<'_>, src: &Src<'_>) -> Result<()> {
    let (d, s) = (dst.as_ptr() as usize, src.as_ptr() as usize);
    if dst.bytes() == 0 || src.bytes() == 0 || d + dst.bytes() <= s || s + src.bytes() <= d {
        return Ok(());
    }
    Err(Error::argument(op, format!("output overlaps {arg}: must be disjoint")))
}

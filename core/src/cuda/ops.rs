//! The operations on CUDA devices: which there are, and where each is.

use super::{call, ecntt, matrix, msm, ntt, point, polynomial, program, vector};
use crate::device::Exec;
use crate::ops::{Domain, Op, Ops};
use crate::ops::{matrix as m, msm as ms, ntt as n, point as pt, polynomial as po, program as pr, vector as v};
use crate::{FieldId, Result};

/// The operations of every CUDA device.
pub(crate) struct CudaOps;

impl Ops for CudaOps {
    fn supports(&self, op: Op, domain: Domain) -> bool {
        let field = match domain {
            Domain::Field(field) => field,
            Domain::Curve(curve) => {
                return match op {
                    Op::Msm => msm::has_kernels(curve),
                    Op::EcNtt => ecntt::has_kernels(curve),
                    Op::PointConvertMontgomery => call::has_kernels(curve.info().base),
                    Op::PointBinary | Op::PointScalarMul | Op::PointUnary | Op::PointEqual => point::has_kernels(curve),
                    _ => false,
                };
            }
        };
        match op {
            Op::VectorBinary
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
            | Op::Program => call::has_kernels(field),
            Op::VectorMixedMul => field.info().role == icicle_params::Role::Extension && call::has_kernels(field),
            Op::Ntt => field.info().ntt && call::has_kernels(field) && call::has_kernels(field.scalar()),
            Op::EcNtt
            | Op::Msm
            | Op::PointConvertMontgomery
            | Op::PointBinary
            | Op::PointScalarMul
            | Op::PointUnary
            | Op::PointEqual => false,
        }
    }
    fn vector_binary(&self, exec: &Exec, args: &v::BinaryArgs) -> Result<()> {
        vector::binary(exec, args)
    }
    fn vector_mixed_mul(&self, exec: &Exec, args: &v::BinaryArgs) -> Result<()> {
        vector::mixed_mul(exec, args)
    }
    fn vector_scalar(&self, exec: &Exec, args: &v::BinaryArgs) -> Result<()> {
        vector::scalar(exec, args)
    }
    fn vector_inverse(&self, exec: &Exec, args: &v::UnaryArgs) -> Result<()> {
        vector::inverse(exec, args)
    }
    fn vector_reduce(&self, exec: &Exec, args: &v::ReduceArgs) -> Result<()> {
        vector::reduce(exec, args)
    }
    fn convert_montgomery(&self, exec: &Exec, args: &v::ConvertArgs) -> Result<()> {
        vector::convert_montgomery(exec, args)
    }
    fn bit_reverse(&self, exec: &Exec, args: &v::UnaryArgs) -> Result<()> {
        vector::bit_reverse(exec, args)
    }
    fn slice(&self, exec: &Exec, args: &v::SliceArgs) -> Result<()> {
        vector::slice(exec, args)
    }
    fn highest_non_zero(&self, exec: &Exec, args: &v::UnaryArgs) -> Result<()> {
        vector::highest_non_zero(exec, args)
    }
    fn polynomial_evaluate(&self, exec: &Exec, args: &po::EvaluateArgs) -> Result<()> {
        polynomial::evaluate(exec, args)
    }
    fn polynomial_divide(&self, exec: &Exec, args: &po::DivideArgs) -> Result<()> {
        polynomial::divide(exec, args)
    }
    fn program(&self, exec: &Exec, args: &pr::ExecuteArgs) -> Result<()> {
        program::execute(exec, args)
    }
    fn matrix_transpose(&self, exec: &Exec, args: &m::TransposeArgs) -> Result<()> {
        matrix::transpose(exec, args)
    }
    fn matrix_multiply(&self, exec: &Exec, args: &m::MultiplyArgs) -> Result<()> {
        matrix::multiply(exec, args)
    }
    fn msm(&self, exec: &Exec, args: &ms::MsmArgs) -> Result<()> {
        msm::msm(exec, args)
    }
    fn msm_precompute(&self, exec: &Exec, args: &ms::PrecomputeArgs) -> Result<()> {
        msm::precompute(exec, args)
    }
    fn point_convert_montgomery(&self, exec: &Exec, args: &pt::ConvertArgs) -> Result<()> {
        point::convert_montgomery(exec, args)
    }
    fn point_binary(&self, exec: &Exec, args: &pt::BinaryArgs) -> Result<()> {
        point::binary(exec, args)
    }
    fn point_scalar_mul(&self, exec: &Exec, args: &pt::ScalarMulArgs) -> Result<()> {
        point::scalar_mul(exec, args)
    }
    fn point_unary(&self, exec: &Exec, args: &pt::UnaryArgs) -> Result<()> {
        point::unary(exec, args)
    }
    fn point_equal(&self, exec: &Exec, args: &pt::EqualArgs) -> Result<()> {
        point::equal(exec, args)
    }
    fn ntt_init_domain(&self, exec: &Exec, args: &n::DomainArgs) -> Result<()> {
        ntt::init_domain(exec, args)
    }
    fn ntt_release_domain(&self, exec: &Exec, field: FieldId) -> Result<()> {
        ntt::release_domain(exec, field)
    }
    fn ntt_domain_root(&self, exec: &Exec, field: FieldId, log_n: u32) -> Result<[u64; 12]> {
        ntt::domain_root(exec, field, log_n)
    }
    fn ntt(&self, exec: &Exec, args: &n::NttArgs) -> Result<()> {
        ntt::ntt(exec, args)
    }
    fn ecntt(&self, exec: &Exec, args: &n::EcNttArgs) -> Result<()> {
        ecntt::ecntt(exec, args)
    }
}

//! The CPU device: operations on all cores through a rayon pool of its own, the same file names as in [`ops`](crate::ops).
//!
//! Work is chunked by size, never by thread count, so results do not depend on it.

mod backend;
mod blocks;
mod events;
mod fixed_base;
pub(crate) mod generate;
mod matrix;
mod memory;
mod msm;
mod ntt;
pub(crate) mod parallel;
mod point;
mod polynomial;
mod pool;
mod program;
#[cfg(test)]
pub(crate) mod reference;
mod scratch;
mod system;
mod threads;
mod vector;
mod wide;

pub(crate) use backend::CpuBackend;
pub(crate) use memory::{In, Out};

use crate::device::Exec;
use crate::ops::{
    Domain, Op, Ops, matrix as m, msm as ms, ntt as nt, point as pt, polynomial as po, program as pr, vector as v,
};
use crate::{FieldId, Result};

/// The operations of the CPU device.
pub(crate) struct CpuOps;

impl Ops for CpuOps {
    fn supports(&self, op: Op, domain: Domain) -> bool {
        match (op, domain) {
            (Op::Ntt, Domain::Field(field)) => field.info().ntt,
            (Op::VectorMixedMul, Domain::Field(field)) => field.info().role == icicle_params::Role::Extension,
            (Op::EcNtt, Domain::Curve(curve)) => curve.info().ecntt,
            (op, Domain::Curve(_)) => op.takes_curves(),
            (op, Domain::Field(_)) => !op.takes_curves(),
        }
    }
    fn vector_binary(&self, _: &Exec, args: &v::BinaryArgs) -> Result<()> {
        vector::binary(args)
    }
    fn vector_mixed_mul(&self, _: &Exec, args: &v::BinaryArgs) -> Result<()> {
        vector::mixed_mul(args)
    }
    fn vector_scalar(&self, _: &Exec, args: &v::BinaryArgs) -> Result<()> {
        vector::scalar(args)
    }
    fn vector_inverse(&self, _: &Exec, args: &v::UnaryArgs) -> Result<()> {
        vector::inverse(args)
    }
    fn vector_reduce(&self, _: &Exec, args: &v::ReduceArgs) -> Result<()> {
        vector::reduce(args)
    }
    fn convert_montgomery(&self, _: &Exec, args: &v::ConvertArgs) -> Result<()> {
        vector::convert_montgomery(args)
    }
    fn bit_reverse(&self, _: &Exec, args: &v::UnaryArgs) -> Result<()> {
        vector::bit_reverse(args)
    }
    fn slice(&self, _: &Exec, args: &v::SliceArgs) -> Result<()> {
        vector::slice(args)
    }
    fn highest_non_zero(&self, _: &Exec, args: &v::UnaryArgs) -> Result<()> {
        vector::highest_non_zero(args)
    }
    fn polynomial_evaluate(&self, _: &Exec, args: &po::EvaluateArgs) -> Result<()> {
        polynomial::evaluate(args)
    }
    fn polynomial_divide(&self, _: &Exec, args: &po::DivideArgs) -> Result<()> {
        polynomial::divide(args)
    }
    fn matrix_transpose(&self, _: &Exec, args: &m::TransposeArgs) -> Result<()> {
        matrix::transpose(args)
    }
    fn matrix_multiply(&self, _: &Exec, args: &m::MultiplyArgs) -> Result<()> {
        matrix::multiply(args)
    }
    fn program(&self, _: &Exec, args: &pr::ExecuteArgs) -> Result<()> {
        program::execute(args)
    }
    fn ntt_init_domain(&self, exec: &Exec, args: &nt::DomainArgs) -> Result<()> {
        ntt::init_domain(exec.device, args)
    }
    fn ntt_release_domain(&self, exec: &Exec, field: FieldId) -> Result<()> {
        ntt::release_domain(exec.device, field)
    }
    fn ntt_domain_root(&self, exec: &Exec, field: FieldId, log_n: u32) -> Result<[u64; 12]> {
        ntt::domain_root(exec.device, field, log_n)
    }
    fn ntt(&self, exec: &Exec, args: &nt::NttArgs) -> Result<()> {
        ntt::ntt(exec.device, args)
    }
    fn ecntt(&self, exec: &Exec, args: &nt::EcNttArgs) -> Result<()> {
        ntt::ecntt(exec.device, args)
    }
    fn msm(&self, _: &Exec, args: &ms::MsmArgs) -> Result<()> {
        msm::msm(args)
    }
    fn msm_precompute(&self, _: &Exec, args: &ms::PrecomputeArgs) -> Result<()> {
        msm::precompute(args)
    }
    fn point_convert_montgomery(&self, _: &Exec, args: &pt::ConvertArgs) -> Result<()> {
        point::convert_montgomery(args)
    }
    fn point_binary(&self, _: &Exec, args: &pt::BinaryArgs) -> Result<()> {
        point::binary(args)
    }
    fn point_scalar_mul(&self, _: &Exec, args: &pt::ScalarMulArgs) -> Result<()> {
        point::scalar_mul(args)
    }
    fn point_unary(&self, _: &Exec, args: &pt::UnaryArgs) -> Result<()> {
        point::unary(args)
    }
    fn point_equal(&self, _: &Exec, args: &pt::EqualArgs) -> Result<()> {
        point::equal(args)
    }
}

//! The operations on CUDA devices: host sides of their kernels, the same file names as above.

mod call;
mod domain;
mod images;
pub(crate) mod matrix;
pub(crate) mod msm;
pub(crate) mod ntt;
pub(crate) mod point;
pub(crate) mod polynomial;
pub(crate) mod program;
pub(crate) mod vector;

use crate::args::domain::Domain;
use icicle_params::{Op, Role};

/// Whether this build has the kernels of an operation over what it works over.
pub(crate) fn supports(op: Op, domain: Domain) -> bool {
    match (op, domain) {
        (Op::Msm, Domain::Curve(curve)) => msm::has_kernels(curve),
        (Op::EcNtt, Domain::Curve(curve)) => ntt::points::has_kernels(curve),
        (Op::PointConvertMontgomery, Domain::Curve(curve)) => call::has_kernels(curve.info().base),
        (_, Domain::Curve(curve)) => point::has_kernels(curve),
        (Op::VectorMixedMul, Domain::Field(field)) => field.info().role == Role::Extension && call::has_kernels(field),
        (Op::Ntt, Domain::Field(field)) => {
            field.info().ntt && call::has_kernels(field) && call::has_kernels(field.scalar())
        }
        (_, Domain::Field(field)) => call::has_kernels(field),
    }
}

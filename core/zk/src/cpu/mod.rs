//! The operations on CPU devices, on all cores: the same file names as above.
//!
//! Work is chunked by size, never by thread count, so results do not depend on it.

mod fixed_base;
pub(crate) mod generate;
pub(crate) mod matrix;
pub(crate) mod msm;
pub(crate) mod ntt;
pub(crate) mod point;
pub(crate) mod polynomial;
pub(crate) mod program;
#[cfg(test)]
pub(crate) mod reference;
pub(crate) mod vector;

use crate::args::domain::Domain;
use icicle_params::{Op, Role};

/// Whether CPU devices offer an operation over what it works over.
pub(crate) fn supports(op: Op, domain: Domain) -> bool {
    match (op, domain) {
        (Op::Ntt, Domain::Field(field)) => field.info().ntt,
        (Op::VectorMixedMul, Domain::Field(field)) => field.info().role == Role::Extension,
        (Op::EcNtt, Domain::Curve(curve)) => curve.info().ecntt,
        _ => true,
    }
}

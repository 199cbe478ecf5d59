//! Msm on the CPU.

use crate::Result;
use crate::ops::msm as v;

pub(crate) fn msm(_: &v::MsmArgs) -> Result<()> {
    todo!()
}

pub(crate) fn precompute(_: &v::PrecomputeArgs) -> Result<()> {
    todo!()
}

//! Matrix on the CPU.

use crate::Result;
use crate::ops::matrix as v;

pub(crate) fn transpose(_: &v::TransposeArgs) -> Result<()> {
    todo!()
}

pub(crate) fn multiply(_: &v::MultiplyArgs) -> Result<()> {
    todo!()
}

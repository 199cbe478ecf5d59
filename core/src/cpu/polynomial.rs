//! Polynomial on the CPU.

use crate::Result;
use crate::ops::polynomial as v;

pub(crate) fn evaluate(_: &v::EvaluateArgs) -> Result<()> {
    todo!()
}

pub(crate) fn divide(_: &v::DivideArgs) -> Result<()> {
    todo!()
}

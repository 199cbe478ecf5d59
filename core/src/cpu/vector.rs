//! Vector on the CPU.

use crate::Result;
use crate::ops::vector as v;

pub(crate) fn binary(_: &v::BinaryArgs) -> Result<()> {
    todo!()
}

pub(crate) fn mixed_mul(_: &v::BinaryArgs) -> Result<()> {
    todo!()
}

pub(crate) fn scalar(_: &v::BinaryArgs) -> Result<()> {
    todo!()
}

pub(crate) fn inverse(_: &v::UnaryArgs) -> Result<()> {
    todo!()
}

pub(crate) fn reduce(_: &v::ReduceArgs) -> Result<()> {
    todo!()
}

pub(crate) fn convert_montgomery(_: &v::ConvertArgs) -> Result<()> {
    todo!()
}

pub(crate) fn bit_reverse(_: &v::UnaryArgs) -> Result<()> {
    todo!()
}

pub(crate) fn slice(_: &v::SliceArgs) -> Result<()> {
    todo!()
}

pub(crate) fn highest_non_zero(_: &v::UnaryArgs) -> Result<()> {
    todo!()
}

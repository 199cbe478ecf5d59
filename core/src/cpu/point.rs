//! Point on the CPU.

use crate::Result;
use crate::ops::point as v;

pub(crate) fn convert_montgomery(_: &v::ConvertArgs) -> Result<()> {
    todo!()
}

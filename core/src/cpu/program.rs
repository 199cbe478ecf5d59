//! Program on the CPU.

use crate::Result;
use crate::ops::program as v;

pub(crate) fn execute(_: &v::ExecuteArgs) -> Result<()> {
    todo!()
}

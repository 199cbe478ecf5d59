//! The operations on CUDA devices: which there are, and where each is.

use crate::device::Exec;
use crate::ops::{Domain, Op, Ops};
use crate::{Error, Result};

/// The operations of every CUDA device.
pub(crate) struct CudaOps;

impl Ops for CudaOps {
    fn supports(&self, _op: Op, _domain: Domain) -> bool {
        false
    }
}
#[allow(dead_code)]
fn unused(_: &Exec) -> Result<()> {
    Err(Error::unsupported("", ""))
}

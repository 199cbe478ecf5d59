//! Ranks of one process: whoever comes last does a collective for all, with all threads, while the others wait. Their
//! operands are
//! read and written where they are. Nobody waits where one thread calls for all of them.

mod execute;
mod hub;
mod member;
mod posted;
mod whole;

pub(crate) use member::{Member, run_all};
pub(crate) use whole::{run_whole, whole};

//! Ranks of one process: whoever comes last does a collective for all, with all threads, while the others wait. Their
//! operands are
//! read and written where they are.

mod execute;
mod hub;
mod member;
mod posted;

pub(crate) use member::{Member, run_all};

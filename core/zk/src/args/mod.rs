//! What the operations are told: their options, and the checked arguments that their sides receive, one file each.

pub(crate) mod domain;
pub(crate) mod matrix;
pub(crate) mod msm;
pub(crate) mod ntt;
pub(crate) mod point;
pub(crate) mod polynomial;
pub(crate) mod program;
pub(crate) mod vector;

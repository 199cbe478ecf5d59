//! Every field, curve and operation of icicle, in one table.
//!
//! A constant is typed here once, with its source; everything derivable (Montgomery constants, two-adicity, roots of
//! unity, bit lengths) is computed and asserted at compile time. The core's types, the C aliases, the CUDA parameter
//! headers and the language bindings all read this table. No dependencies, no `std`: also usable from build scripts.
#![no_std]
#![allow(long_running_const_eval)] // roots of unity of 761-bit fields take a few million steps
#![allow(clippy::panic)] // const evaluation reports errors by panicking

pub mod curve;
pub mod derive;
pub mod field;
pub mod op;
pub mod prime;

pub use curve::{CURVES, CurveId, CurveInfo};
pub use field::{Extension, FIELDS, FieldId, FieldInfo, Role};
pub use op::Op;
pub use prime::{ChosenRoot, PRIMES, Prime, PrimeInfo};

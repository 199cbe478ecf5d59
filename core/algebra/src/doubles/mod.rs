//! Vectors of doubles, as wide as the processor has them: what transforms in floating point are made of.
//!
//! A [`Doubles`] is a set of instructions that the processor has; its functions are safe, as only [`Width::run`] makes one.

mod instructions;
mod portable;
mod width;

pub use instructions::{Doubles, Kernel};
pub use width::Width;

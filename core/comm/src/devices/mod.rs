//! Collectives of devices that have memory and streams of their own, such as GPUs.
//!
//! What one rank does is a list of [steps](plan): moves of bytes between ranks, reductions of what came, or an operation that
//! the carrier has itself. A [`Carrier`] moves: copies between the devices of one process, or NCCL. Everything is enqueued on
//! each call's stream; the thread that enqueues for several ranks does so for all of them at each step, so that there is one
//! order.

mod area;
mod carrier;
mod copies;
mod engine;
mod fold;
#[cfg(feature = "cuda")]
mod linked;
#[cfg(feature = "cuda")]
mod nccl;
#[cfg(feature = "cuda")]
mod numbers;
mod plan;
#[cfg(test)]
mod tests;
mod work;

pub(crate) use engine::{Engine, of_process};
#[cfg(feature = "cuda")]
pub(crate) use linked::Linked;
pub(crate) use work::waited;

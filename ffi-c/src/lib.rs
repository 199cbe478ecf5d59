//! The C ABI of icicle: every function `include/icicle.h` declares.
//!
//! Why this exists: clients of ICICLE find its symbols here, bit for bit; C, C++ and Go programs find the same operations
//! by field and curve number (`icicle_ntt(field, …)`), of which the prefixed symbols (`bn254_ntt`) are alias rows.
//!
//! What it must not do: compute. An entry reads its arguments through `ptr`, calls the core inside `guard`, and
//! writes outputs last, only on success.
//!
//! # Safety
//! The contract of every `unsafe extern "C"` function is the same and stated here once: a non-null pointer is valid for
//! what the function's documentation says it reads or writes, for the duration of the call (with `is_async`, until the
//! stream is synchronized), and not accessed by others meanwhile. Null and misaligned pointers, freed and foreign handles,
//! and freed memory that is declared device memory are reported, not undefined.
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic))]
// Exporting symbols is what this crate is for; dereferencing foreign pointers happens in `ptr` alone.
#![allow(unsafe_code)]
#![allow(clippy::missing_safety_doc)] // one contract for all, above and in the header's head
#![allow(clippy::too_many_arguments)] // the shapes of the calls are ICICLE's

pub mod array;
pub mod array_elementwise;
pub mod array_order;
pub mod array_pinned;
pub mod array_reduce;
pub mod array_types;
pub mod array_unified;
pub mod array_views;
mod code;
pub mod comm;
pub mod comm_ops;
pub mod comm_types;
pub mod defaults;
pub mod device;
pub mod encoding;
pub mod error;
pub mod extension;
pub mod fhe;
pub mod fhe_bytes;
pub mod fhe_compressed;
mod fhe_handles;
pub mod fhe_operations;
pub mod fhe_types;
pub mod field;
mod flag;
pub mod group;
pub mod group_ops;
mod guard;
mod handle;
pub mod matrix;
pub mod memory;
pub mod msm;
pub mod ntt;
pub mod point;
pub mod points;
pub mod polynomial;
pub mod program;
mod ptr;
pub mod random;
pub mod registry;
pub mod sharded;
pub mod sharded_array;
pub mod sharded_array_reduce;
pub mod stream;
pub mod symbols;
pub mod types;
pub mod vector;

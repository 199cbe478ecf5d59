//! NVIDIA GPUs as devices. The driver is loaded when a device is first asked for: without one there are no devices, and
//! the reason is told; nothing else changes.
//!
//! | file | what |
//! |---|---|
//! | `probe`, `facts`, `driver` | the driver's functions, what they tell; the only place that calls them |
//! | `fault`, `fork`, `gpu` | failures as errors, devices lost to a fault; forked processes; state of a device, contexts |
//! | `account`, `pool` | what device memory is handed out; handing it out |
//! | `host`, `managed`, `pointer` | page-locked memory, managed memory, what an address is |
//! | `copy`, `staging`, `peer` | copies, pageable memory, devices that reach each other |
//! | `backend` | the runtime contract |
//! | `images`, `kernel`, `loaded` | kernels: where they come from, what is known of them, what a device has of them |
//! | `handles`, `recent` | what a device keeps for libraries; what was made for keys used last, as plans are |
//! | `library`, `nvrtc`, `cublas`, `cufft`, `cusolver`, `nccl` | NVIDIA's libraries, loaded where they are; kernels compiled when needed; products of matrices; Fourier transforms; linear algebra; collectives |
//! | `module`, `launch`, `scratch` | loading, launching, memory of a call |
//! | `side`, `parts` | streams that copy beside a call's; operands of the host, taken in parts |
//! | `host_work` | what a call has the host do in its stream's order |
//!
//! A thread's CUDA context is set for each call and put back if the thread had another. Contexts are the devices' primary
//! ones, shared with other users of CUDA in the process, and are kept until it ends.

#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

mod account;
mod backend;
pub mod copy;
pub mod cublas;
pub mod cufft;
pub mod cusolver;
pub mod driver;
mod facts;
mod fault;
mod fork;
pub mod gpu;
mod handles;
pub mod host;
pub mod host_work;
pub mod images;
mod kernel;
pub mod launch;
mod library;
mod loaded;
mod lock;
pub mod managed;
pub mod module;
pub mod nccl;
pub mod nvrtc;
pub mod parts;
mod peer;
mod pointer;
pub mod pool;
mod probe;
mod recent;
pub mod scratch;
pub mod side;
mod staging;

pub use backend::CudaBackend;
pub use host::{host_register, host_unregister};
pub use launch::{Dim, Kernel, KernelArg};
pub use library::set_library_path;
pub use managed::{Advice, Managed};
pub use module::{Module, warm_up};
pub use peer::{can_access_peer, enable_peer_access};
pub use pointer::{PointerInfo, PointerKind, pointer_info};

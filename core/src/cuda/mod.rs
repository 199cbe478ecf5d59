//! NVIDIA GPUs as devices. The driver is loaded when a device is first asked for: without one there are no devices, and
//! the reason is told; nothing else changes.
//!
//! | file | what |
//! |---|---|
//! | `probe`, `driver` | the driver's functions; the only place that calls them |
//! | `fault`, `gpu` | failures as errors, devices lost to a fault; state of a device, contexts |
//! | `pool`, `host`, `managed`, `pointer` | device memory, page-locked memory, managed memory, what an address is |
//! | `copy`, `staging`, `peer` | copies, pageable memory, devices that reach each other |
//! | `backend` | the runtime contract |
//! | `images`, `module`, `launch`, `scratch` | kernels: where they come from, loading, launching, memory of a call |
//! | `side`, `parts` | streams that copy beside a call's; operands of the host, taken in parts |
//! | `ops`, `call`, `vector`, `matrix`, `polynomial`, `program` | host sides of the operations on fields |
//! | `ntt`, `domain`, `ecntt`, `msm`, `point` | host sides of transforms and of the operations on points |
//!
//! A thread's CUDA context is set for each call and put back if the thread had another. Contexts are the devices' primary
//! ones, shared with other users of CUDA in the process, and are kept until it ends.

mod backend;
mod call;
mod copy;
mod domain;
mod driver;
mod ecntt;
mod fault;
mod gpu;
mod host;
mod images;
mod launch;
mod managed;
mod matrix;
mod module;
mod msm;
mod ntt;
mod ops;
mod parts;
mod peer;
mod point;
mod pointer;
mod polynomial;
mod pool;
mod probe;
mod program;
mod scratch;
mod side;
mod staging;
mod vector;

pub(crate) use backend::CudaBackend;
pub use host::{host_register, host_unregister};
pub use launch::{Dim, Kernel, KernelArg};
pub use managed::{Advice, Managed};
pub use module::{Module, warm_up};
use ops::CudaOps;
pub use peer::{can_access_peer, enable_peer_access};
pub use pointer::{PointerInfo, PointerKind, pointer_info};

//! The way of a call to its device's side.

/// Call the side of the device that a call runs on: the function of this path in `cpu` or `cuda`, with proven arguments:
/// lengths, ranges and places hold. It completes or enqueues the work, or returns an error with outputs untouched.
macro_rules! on_device {
    ($exec:expr, $module:ident::$function:ident($($argument:expr),*)) => {{
        let exec: &icicle_device::Exec = $exec;
        icicle_runtime::registry::backend(exec.device()).and_then(|_| match exec.device().kind {
            icicle_device::DeviceKind::Cpu => crate::cpu::$module::$function(exec, $($argument),*),
            #[cfg(feature = "cuda")]
            icicle_device::DeviceKind::Cuda => crate::cuda::$module::$function(exec, $($argument),*),
            #[cfg(not(feature = "cuda"))]
            icicle_device::DeviceKind::Cuda => {
                Err(icicle_error::Error::unsupported(stringify!($function), "this build has no CUDA devices"))
            }
        })
    }};
}
pub(crate) use on_device;

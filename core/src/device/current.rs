//! Each thread's current device, and the process's default for threads that never chose one.

use super::{Device, registry};
use crate::Result;
use std::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering};

thread_local! {
    static CURRENT: Cell<Option<Device>> = const { Cell::new(None) };
}

/// The default device, packed as kind and index; the first CPU device until it is set.
static DEFAULT: AtomicU64 = AtomicU64::new(0);

fn default_device() -> Device {
    let packed = DEFAULT.load(Ordering::Relaxed);
    let index = packed as u32;
    if packed >> 32 == 0 { Device::cpu(index) } else { Device::cuda(index) }
}

/// The device this thread works on: the one it set, else the process's default.
pub fn current_device() -> Device {
    CURRENT.get().unwrap_or_else(default_device)
}

/// Set this thread's current device.
///
/// # Errors
/// `InvalidDevice` if it does not exist; the current device stays.
pub fn set_current_device(device: Device) -> Result<()> {
    registry::backend(device)?;
    CURRENT.set(Some(device));
    Ok(())
}

/// Set the device of threads that never set one, now and later.
///
/// # Errors
/// `InvalidDevice` if it does not exist; the default stays.
pub fn set_default_device(device: Device) -> Result<()> {
    registry::backend(device)?;
    DEFAULT.store((device.kind as u64) << 32 | device.index as u64, Ordering::Relaxed);
    Ok(())
}

/// Makes a device the thread's current one until dropped, also on unwinding; guards nest.
#[derive(Debug)]
pub struct DeviceGuard {
    before: Option<Device>,
    // Restores a thread-local: must be dropped on the thread that made it.
    not_send: std::marker::PhantomData<*const ()>,
}

impl DeviceGuard {
    /// Set the current device until the guard is dropped.
    ///
    /// # Errors
    /// `InvalidDevice` if it does not exist.
    pub fn new(device: Device) -> Result<Self> {
        let before = CURRENT.get();
        set_current_device(device)?;
        Ok(Self { before, not_send: std::marker::PhantomData })
    }
}

impl Drop for DeviceGuard {
    fn drop(&mut self) {
        CURRENT.set(self.before);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ErrorCode;

    const ABSENT: Device = Device::cpu(64);

    #[test]
    fn guards_nest_and_restore_also_on_unwinding() {
        assert_eq!(CURRENT.get(), None, "a new thread has chosen nothing");
        {
            let _outer = DeviceGuard::new(Device::cpu(0)).unwrap();
            let inner = std::panic::catch_unwind(|| {
                let _inner = DeviceGuard::new(Device::cpu(0)).unwrap();
                CURRENT.set(Some(ABSENT));
                panic!("on purpose");
            });
            assert!(inner.is_err());
            assert_eq!(CURRENT.get(), Some(Device::cpu(0)));
        }
        assert_eq!(CURRENT.get(), None, "back to the default, not to a copy of it");
    }

    #[test]
    fn a_missing_device_changes_nothing() {
        for device in [ABSENT, Device::cuda(1000)] {
            assert_eq!(set_current_device(device).unwrap_err().code, ErrorCode::InvalidDevice);
            assert_eq!(DeviceGuard::new(device).unwrap_err().code, ErrorCode::InvalidDevice);
            assert_eq!(set_default_device(device).unwrap_err().code, ErrorCode::InvalidDevice);
        }
        assert_eq!((CURRENT.get(), current_device()), (None, Device::cpu(0)));
    }

    #[test]
    fn threads_inherit_nothing() {
        CURRENT.set(Some(ABSENT));
        let seen = std::thread::spawn(|| (CURRENT.get(), current_device())).join().unwrap();
        assert_eq!(seen, (None, Device::cpu(0)));
    }
}

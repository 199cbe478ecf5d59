//! Setting each thread's current device, and the process's default.

use crate::registry;
use icicle_device::Device;
use icicle_device::current::{chosen, replace, replace_default};
use icicle_error::Result;

/// Set this thread's current device.
///
/// # Errors
/// `InvalidDevice` if it does not exist; the current device stays.
pub fn set_current_device(device: Device) -> Result<()> {
    registry::backend(device)?;
    replace(Some(device));
    Ok(())
}

/// Set the device of threads that never set one, now and later.
///
/// # Errors
/// `InvalidDevice` if it does not exist; the default stays.
pub fn set_default_device(device: Device) -> Result<()> {
    registry::backend(device)?;
    replace_default(device);
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
        let before = chosen();
        set_current_device(device)?;
        Ok(Self { before, not_send: std::marker::PhantomData })
    }
}

impl Drop for DeviceGuard {
    fn drop(&mut self) {
        replace(self.before);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use icicle_device::current_device;
    use icicle_error::ErrorCode;

    const ABSENT: Device = Device::cpu(64);

    #[test]
    fn guards_nest_and_restore_also_on_unwinding() {
        assert_eq!(chosen(), None, "a new thread has chosen nothing");
        {
            let _outer = DeviceGuard::new(Device::cpu(0)).unwrap();
            let inner = std::panic::catch_unwind(|| {
                let _inner = DeviceGuard::new(Device::cpu(0)).unwrap();
                replace(Some(ABSENT));
                panic!("on purpose");
            });
            assert!(inner.is_err());
            assert_eq!(chosen(), Some(Device::cpu(0)));
        }
        assert_eq!(chosen(), None, "back to the default, not to a copy of it");
    }

    #[test]
    fn a_missing_device_changes_nothing() {
        for device in [ABSENT, Device::cuda(1000)] {
            assert_eq!(set_current_device(device).unwrap_err().code, ErrorCode::InvalidDevice);
            assert_eq!(DeviceGuard::new(device).unwrap_err().code, ErrorCode::InvalidDevice);
            assert_eq!(set_default_device(device).unwrap_err().code, ErrorCode::InvalidDevice);
        }
        assert_eq!((chosen(), current_device()), (None, Device::cpu(0)));
    }

    #[test]
    fn threads_inherit_nothing() {
        replace(Some(ABSENT));
        let seen = std::thread::spawn(|| (chosen(), current_device())).join().unwrap();
        assert_eq!(seen, (None, Device::cpu(0)));
    }
}

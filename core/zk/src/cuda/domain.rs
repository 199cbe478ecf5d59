//! Domains of transforms: one per device and scalar field, with tables on the device that grow to the largest transform
//! asked for. See `cpu/ntt/domain.rs` for the order of twiddles.
#![allow(unsafe_code)]

use super::call::Call;
use crate::args::ntt::{Direction, DomainArgs};
use icicle_algebra::{Field, PrimeField};
use icicle_cuda::driver::{self, Handle, Outcome};
use icicle_cuda::gpu::{self, Gpu, lock};
use icicle_cuda::scratch::Scratch;
use icicle_device::{Device, Exec};
use icicle_error::{Error, ErrorCode, Result};
use icicle_kernels::launch as plan;
pub(super) use icicle_kernels::ntt::Bits;
use icicle_kernels::ntt::PRODUCTS;
use icicle_params::FieldId;
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock, Mutex, PoisonError, RwLock};

/// Canonical words of an element.
pub(super) type Words = [u64; 12];

/// 1, canonical.
pub(super) const ONE: Words = [1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];

/// `x^(2^i)` for `i < count`.
pub(crate) fn squares(field: FieldId, x: &Words, count: u32) -> Vec<Words> {
    icicle_algebra::with_field!(field, F => {
        type P = <F as Field>::Prime;
        let next = |x: &P| Some(Field::square(*x));
        std::iter::successors(Some(P::from_words(x)), next).take(count as usize).map(PrimeField::words).collect()
    })
}

/// `1/x`, zero for zero.
pub(crate) fn inverse(field: FieldId, x: &Words) -> Words {
    icicle_algebra::with_field!(field, F => {
        type P = <F as Field>::Prime;
        Field::inverse(P::from_words(x)).unwrap_or_default().words()
    })
}

/// A table on a device, made once on the default stream; others wait for it there, not on the host.
pub(crate) struct Table {
    memory: Scratch,
    /// How many bits its indices have.
    count: u32,
    gpu: &'static Gpu,
    made: Handle,
    is_made: AtomicBool,
}

// SAFETY: the memory is the device's; the host only passes its address on. Freeing it is in the order of all streams.
unsafe impl Send for Table {}
// SAFETY: as above.
unsafe impl Sync for Table {}

impl Table {
    fn new(op: &'static str, device: Device, field: FieldId, count: u32, bits: &Bits) -> Result<Self> {
        let exec = Exec::on(device).with_async(true);
        let call = Call::of_field(op, &exec, field)?;
        let gpu = gpu::gpu(op, device.index)?;
        let memory = Scratch::new(op, &exec, call.bytes(1 << count))?;
        let made = gpu.with(op, ErrorCode::StreamCreationFailed, || driver::event_create(false))?;
        let table = Self { memory, count, gpu, made, is_made: AtomicBool::new(false) };
        // SAFETY: `products(out, count, bits)`: 2^count elements, just allocated on this stream.
        unsafe { call.launch(PRODUCTS, plan::chunks(count, 1), (table.memory.address(), count, *bits)) }?;
        // SAFETY: our event, alive; the default stream.
        gpu.with(op, ErrorCode::Internal, || unsafe { driver::event_record(made, 0) })?;
        Ok(table)
    }

    /// Its address, for work that is enqueued on the call's stream after this.
    ///
    /// # Errors
    /// What the driver fails with.
    pub fn address(&self, op: &'static str, exec: &Exec) -> Result<u64> {
        if !self.is_made.load(Ordering::Acquire) {
            let wait = || -> Outcome<bool> {
                // SAFETY: our event, alive.
                if unsafe { driver::event_query(self.made) }.is_ok() {
                    return Ok(true);
                }
                // SAFETY: as above; the call's stream.
                unsafe { driver::stream_wait_event(exec.stream(), self.made) }.map(|()| false)
            };
            if self.gpu.with(op, ErrorCode::Internal, wait)? {
                self.is_made.store(true, Ordering::Release);
            }
        }
        Ok(self.memory.address())
    }
}

impl Drop for Table {
    fn drop(&mut self) {
        // SAFETY: our event, not used again. A failure is a fault of earlier work and comes up in the next call.
        let _ = self.gpu.calls(|| unsafe { driver::event_destroy(self.made) });
    }
}

/// A domain on a device. Smaller tables stay until it is released, as running work may read them; all together are not
/// larger than the largest.
pub(crate) struct Domain {
    device: Device,
    field: FieldId,
    root: Words,
    log_n: u32,
    tables: [Mutex<Vec<Arc<Table>>>; 2],
    halves: Mutex<Option<Arc<Table>>>,
}

impl Domain {
    /// Roots of order `2^i` at `i`, for `i` up to the domain's log.
    fn roots(&self) -> Vec<Words> {
        let mut roots = squares(self.field, &self.root, self.log_n + 1);
        roots.reverse();
        roots
    }

    /// Log of its size.
    pub fn log_n(&self) -> u32 {
        self.log_n
    }

    /// At least `2^(log_n - 1)` twiddles, `log_n` within the domain.
    ///
    /// # Errors
    /// `OutOfMemory`; `Unsupported` without kernels.
    pub fn twiddles(&self, op: &'static str, direction: Direction, log_n: u32) -> Result<Arc<Table>> {
        let mut tables = lock(&self.tables[direction as usize]);
        let wanted = log_n.saturating_sub(1);
        if let Some(last) = tables.last().filter(|table| table.count >= wanted) {
            return Ok(last.clone());
        }
        let mut roots = self.roots();
        if direction == Direction::Inverse {
            roots.iter_mut().for_each(|root| *root = inverse(self.field, root));
        }
        // Bit b of the index stands for the root of order 2^(b+2).
        let of_bit: Vec<Words> = roots.into_iter().skip(2).take(wanted as usize).collect();
        let words = self.field.info().bytes() / 4;
        let table = Arc::new(Table::new(op, self.device, self.field, wanted, &Bits::new(words, &ONE, &of_bit))?);
        tables.push(table.clone());
        Ok(table)
    }

    /// `2^-k` at `k < 64`: the factors of inverse transforms.
    ///
    /// # Errors
    /// As [`Domain::twiddles`].
    pub fn halves(&self, op: &'static str) -> Result<Arc<Table>> {
        let mut halves = lock(&self.halves);
        if let Some(known) = &*halves {
            return Ok(known.clone());
        }
        let mut two = ONE;
        two[0] = 2;
        let of_bit = squares(self.field, &inverse(self.field, &two), 6);
        let words = self.field.info().bytes() / 4;
        let table = Arc::new(Table::new(op, self.device, self.field, 6, &Bits::new(words, &ONE, &of_bit))?);
        *halves = Some(table.clone());
        Ok(table)
    }
}

type Domains = HashMap<(u32, FieldId), Arc<Domain>>;
static DOMAINS: LazyLock<RwLock<Domains>> = LazyLock::new(RwLock::default);

/// Make a domain known; one that is known already stays.
pub(crate) fn init(device: Device, args: &DomainArgs) {
    let mut domains = DOMAINS.write().unwrap_or_else(PoisonError::into_inner);
    domains.entry((device.index, args.field)).or_insert_with(|| {
        let (root, log_n, tables) = (args.root, args.log_n, [Mutex::default(), Mutex::default()]);
        Arc::new(Domain { device, field: args.field, root, log_n, tables, halves: Mutex::default() })
    });
}

/// Forget a domain; its tables go once the work enqueued so far is done.
pub(crate) fn release(device: Device, field: FieldId) {
    let forgotten = DOMAINS.write().unwrap_or_else(PoisonError::into_inner).remove(&(device.index, field));
    drop(forgotten);
}

/// The domain that serves transforms of `2^log_n` elements.
///
/// # Errors
/// `InvalidArgument` if there is none on the device or it is smaller.
pub(crate) fn find(op: &'static str, device: Device, field: FieldId, log_n: u32) -> Result<Arc<Domain>> {
    let known = DOMAINS.read().unwrap_or_else(PoisonError::into_inner).get(&(device.index, field)).cloned();
    let name = field.name();
    let Some(domain) = known else {
        return Err(Error::argument(op, format!("size 2^{log_n}: {name} has no NTT domain on {device}")));
    };
    if log_n > domain.log_n {
        let largest = domain.log_n;
        let detail = format!("size 2^{log_n}: larger than the NTT domain of {name} on {device}, 2^{largest}");
        return Err(Error::argument(op, detail));
    }
    Ok(domain)
}

/// The root of order `2^log_n`, canonical words.
///
/// # Errors
/// As [`find`].
pub(crate) fn root(op: &'static str, device: Device, field: FieldId, log_n: u32) -> Result<Words> {
    let domain = find(op, device, field, log_n)?;
    Ok(domain.roots()[log_n as usize])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ntt::root_of_unity;

    #[test]
    fn domains_are_kept_and_give_their_roots() {
        // No such device: nothing here touches one.
        let (device, field) = (Device::cuda(4096), FieldId::BabyBearScalar);
        let args = |log_n| DomainArgs { field, root: root_of_unity(field, 1u64 << log_n).unwrap(), log_n };
        assert_eq!(find("ntt", device, field, 0).err().unwrap().code, ErrorCode::InvalidArgument);
        init(device, &args(10));
        init(device, &args(4));
        for log_n in 0..=10 {
            assert_eq!(root("ntt", device, field, log_n).unwrap(), root_of_unity(field, 1u64 << log_n).unwrap());
        }
        assert_eq!(root("ntt", device, field, 11).unwrap_err().code, ErrorCode::InvalidArgument);
        release(device, field);
        assert!(find("ntt", device, field, 0).is_err());
    }
}

//! Domains: one per device and scalar field, with twiddle tables that grow to the largest transform asked for.

use crate::args::ntt::Direction;
use icicle_algebra::PrimeField;
#[cfg(target_arch = "x86_64")]
use icicle_algebra::simd::word_blocks::{LOG_LEAF, Leaf, first_leaf, turns};
use icicle_cpu::parallel::chunks;
use icicle_device::Device;
use icicle_error::reserve::with_capacity;
use icicle_error::{Error, Result};
use icicle_params::FieldId;
use std::any::Any;
use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError, RwLock};

/// Twiddles of a direction: entry `k` is `w^rev(k)`, `rev(k)` the bits of `k` mirrored at the binary point and halved, and
/// `w` the full turn. The order does not depend on the size of the transform, so one table is the prefix of the next.
pub(super) type Table<F> = Arc<Vec<F>>;

/// Products per task while a table grows.
const GRAIN: usize = 1 << 10;

/// The numbers of leaves: those of leaf `k` are the same in all sizes.
#[cfg(target_arch = "x86_64")]
pub(super) type Leaves<F> = Arc<Vec<Leaf<F>>>;

/// A domain: its root of unity, and the tables of both directions.
pub(super) struct Domain<F> {
    root: F,
    log_n: u32,
    tables: [Mutex<Table<F>>; 2],
    #[cfg(target_arch = "x86_64")]
    leaves: [Mutex<Leaves<F>>; 2],
}

impl<F: PrimeField> Domain<F> {
    fn new(root: F, log_n: u32) -> Self {
        let one = || Mutex::new(Arc::new(vec![F::ONE]));
        Self {
            root,
            log_n,
            tables: [one(), one()],
            #[cfg(target_arch = "x86_64")]
            leaves: Default::default(),
        }
    }

    /// The root of order `2^log_n`, none if that is larger than the domain.
    pub fn root(&self, log_n: u32) -> Option<F> {
        let squarings = self.log_n.checked_sub(log_n)?;
        Some((0..squarings).fold(self.root, |x, _| x.square()))
    }

    /// A table of at least `2^(log_n - 1)` twiddles, `log_n` within the domain.
    pub fn twiddles(&self, op: &'static str, direction: Direction, log_n: u32) -> Result<Table<F>> {
        let wanted = 1 << log_n.saturating_sub(1);
        grown(&self.tables[direction as usize], op, wanted, &|log_half| {
            // The new half is the old one turned by the root of order 4·n/2.
            let turn = self.turn(op, direction, log_half + 2)?;
            Ok(Box::new(move |&old| old * turn))
        })
    }

    /// The numbers of at least `2^(log_n - LOG_LEAF)` leaves, `log_n` within the domain.
    #[cfg(target_arch = "x86_64")]
    pub fn leaves(&self, op: &'static str, direction: Direction, log_n: u32) -> Result<Leaves<F>> {
        let slot = &self.leaves[direction as usize];
        if lock(slot).is_empty() {
            let table = self.twiddles(op, direction, LOG_LEAF)?;
            let mut slot = lock(slot);
            if slot.is_empty() {
                *slot = Arc::new(vec![first_leaf(&table)]);
            }
        }
        grown(slot, op, 1 << (log_n - LOG_LEAF), &|log_half| {
            // `γ` of the new half is that of the old one, turned by the root of order n.
            let turns = turns(self.turn(op, direction, log_half + LOG_LEAF + 1)?);
            Ok(Box::new(move |old| std::array::from_fn(|i| old[i] * turns[i])))
        })
    }

    /// The root of order `2^log_n` of a direction.
    fn turn(&self, op: &'static str, direction: Direction, log_n: u32) -> Result<F> {
        let turn = self.root(log_n).ok_or_else(|| Error::argument(op, format!("2^{log_n}: larger than the domain")))?;
        Ok(match direction {
            Direction::Forward => turn,
            Direction::Inverse => turn.inverse().unwrap_or_default(),
        })
    }
}

/// How an entry of the upper half of a table follows from one of the lower.
type Turned<E> = Box<dyn Fn(&E) -> E + Sync>;

/// A table of at least `wanted` entries, the one that is known or grown by halves.
fn grown<E: Copy + Send + Sync>(
    slot: &Mutex<Arc<Vec<E>>>,
    op: &'static str,
    wanted: usize,
    turned: &dyn Fn(u32) -> Result<Turned<E>>,
) -> Result<Arc<Vec<E>>> {
    let known = lock(slot).clone();
    if known.len() >= wanted {
        return Ok(known);
    }
    // Built without the lock: a worker of rayon waiting here might pick up another transform and lock again.
    let mut table = with_capacity(op, wanted)?;
    table.extend_from_slice(&known);
    while table.len() < wanted {
        // From n/2 entries to n.
        let half = table.len();
        let turned = turned(half.trailing_zeros())?;
        table.resize(2 * half, table[0]);
        let (old, new) = table.split_at_mut(half);
        chunks(new, GRAIN, &|i, new| {
            new.iter_mut().zip(&old[i * GRAIN..]).for_each(|(new, old)| *new = turned(old));
        });
    }
    let grown = Arc::new(table);
    let mut slot = lock(slot);
    if slot.len() < grown.len() {
        *slot = grown.clone();
    }
    Ok(grown)
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // Every state a table is left in is a good one.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

type Domains = HashMap<(Device, FieldId), Arc<dyn Any + Send + Sync>>;
static DOMAINS: LazyLock<RwLock<Domains>> = LazyLock::new(RwLock::default);

/// Make a domain known; one that is known already stays.
pub(super) fn init<F: PrimeField>(device: Device, field: FieldId, root: &[u64; 12], log_n: u32) {
    let mut domains = DOMAINS.write().unwrap_or_else(PoisonError::into_inner);
    domains.entry((device, field)).or_insert_with(|| Arc::new(Domain::new(F::from_words(root), log_n)));
}

/// Forget a domain; transforms under way keep theirs.
pub(super) fn release(device: Device, field: FieldId) {
    DOMAINS.write().unwrap_or_else(PoisonError::into_inner).remove(&(device, field));
}

/// The domain that serves transforms of `2^log_n` elements.
///
/// # Errors
/// `InvalidArgument` if there is none on the device or it is smaller.
pub(super) fn find<F: PrimeField>(
    op: &'static str,
    device: Device,
    field: FieldId,
    log_n: u32,
) -> Result<Arc<Domain<F>>> {
    let known = DOMAINS.read().unwrap_or_else(PoisonError::into_inner).get(&(device, field)).cloned();
    let Some(domain) = known.and_then(|domain| domain.downcast::<Domain<F>>().ok()) else {
        let name = field.name();
        return Err(Error::argument(op, format!("size 2^{log_n}: {name} has no NTT domain on {device}")));
    };
    if log_n > domain.log_n {
        let (name, largest) = (field.name(), domain.log_n);
        let detail = format!("size 2^{log_n}: larger than the NTT domain of {name} on {device}, 2^{largest}");
        return Err(Error::argument(op, detail));
    }
    Ok(domain)
}

/// The root of order `2^log_n`, canonical words.
///
/// # Errors
/// As [`find`].
pub(super) fn root<F: PrimeField>(op: &'static str, device: Device, field: FieldId, log_n: u32) -> Result<[u64; 12]> {
    let domain = find::<F>(op, device, field, log_n)?;
    Ok(domain.root(log_n).unwrap_or_default().words())
}

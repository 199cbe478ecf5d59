//! Sharded vectors by handle, as languages without borrows have them.

use crate::Sharded;
use icicle_error::{Error, Result};
use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

/// A sharded vector that several threads use at once: many read it, or one writes it.
#[derive(Debug)]
pub struct SharedVector(RwLock<Sharded>);

impl SharedVector {
    /// Share a vector.
    pub fn new(vector: Sharded) -> Self {
        Self(RwLock::new(vector))
    }

    /// The vector, to read, once nobody writes it.
    pub fn read(&self) -> RwLockReadGuard<'_, Sharded> {
        self.0.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// The vector, to write, once nobody uses it.
    pub fn write(&self) -> RwLockWriteGuard<'_, Sharded> {
        self.0.write().unwrap_or_else(PoisonError::into_inner)
    }

    fn address(&self) -> usize {
        std::ptr::from_ref(self).addr()
    }
}

/// A vector as a call holds it.
enum Held<'a> {
    Read(RwLockReadGuard<'a, Sharded>),
    Written(RwLockWriteGuard<'a, Sharded>),
}

/// Lock vectors in the order of addresses, each once, so that calls that share some in other roles do not wait for each
/// other for ever.
fn lock<'a>(read: &[&'a SharedVector], written: &[&'a SharedVector]) -> Vec<(usize, Held<'a>)> {
    let is_written = |vector: &SharedVector| written.iter().any(|other| other.address() == vector.address());
    let mut all: Vec<&'a SharedVector> = read.iter().chain(written).copied().collect();
    all.sort_by_key(|vector| vector.address());
    all.dedup_by_key(|vector| vector.address());
    let hold = |vector: &'a SharedVector| match is_written(vector) {
        true => (vector.address(), Held::Written(vector.write())),
        false => (vector.address(), Held::Read(vector.read())),
    };
    all.into_iter().map(hold).collect()
}

/// Run a call that reads some vectors, the same one perhaps several times.
///
/// # Errors
/// Those of the call.
pub fn reading<T>(read: &[&SharedVector], call: impl FnOnce(&[&Sharded]) -> Result<T>) -> Result<T> {
    let held = lock(read, &[]);
    let sources: Vec<&Sharded> = read.iter().flat_map(|vector| find(&held, vector)).collect();
    call(&sources)
}

fn find<'h>(held: &'h [(usize, Held<'_>)], vector: &SharedVector) -> Option<&'h Sharded> {
    held.iter().find(|(address, _)| *address == vector.address()).map(|(_, held)| match held {
        Held::Read(guard) => &**guard,
        Held::Written(guard) => &**guard,
    })
}

/// Run a call that reads some vectors and writes one, which must be another.
///
/// # Errors
/// Those of the call; `InvalidArgument` if the output is an input.
pub fn with<T>(
    op: &'static str,
    read: &[&SharedVector],
    written: &SharedVector,
    call: impl FnOnce(&[&Sharded], &mut Sharded) -> Result<T>,
) -> Result<T> {
    if read.iter().any(|vector| vector.address() == written.address()) {
        return Err(Error::argument(op, "output: must be another vector than an input"));
    }
    let mut held = lock(read, &[written]);
    let at = held.iter().position(|(_, held)| matches!(held, Held::Written(_)));
    let taken = at.map(|at| held.swap_remove(at));
    let sources: Vec<&Sharded> = read.iter().flat_map(|vector| find(&held, vector)).collect();
    match taken {
        Some((_, Held::Written(mut output))) => call(&sources, &mut output),
        _ => Err(Error::pointer(op, "output is gone")),
    }
}

/// Run a call that changes some vectors, none of them twice.
///
/// # Errors
/// Those of the call; `InvalidArgument` if one is named twice.
pub fn with_all<T>(
    op: &'static str,
    vectors: &[&SharedVector],
    call: impl FnOnce(&mut [&mut Sharded]) -> Result<T>,
) -> Result<T> {
    let mut order: Vec<usize> = (0..vectors.len()).collect();
    order.sort_by_key(|&i| vectors[i].address());
    if let Some(pair) = order.windows(2).find(|pair| vectors[pair[0]].address() == vectors[pair[1]].address()) {
        return Err(Error::argument(
            op,
            format!("vectors {} and {} are the same: must be different", pair[0], pair[1]),
        ));
    }
    let mut held = lock(&[], vectors);
    held.sort_by_key(|(address, _)| vectors.iter().position(|vector| vector.address() == *address));
    let written = held.iter_mut().filter_map(|(_, held)| match held {
        Held::Written(guard) => Some(&mut **guard),
        Held::Read(_) => None,
    });
    call(&mut written.collect::<Vec<_>>())
}

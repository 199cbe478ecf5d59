//! The server key that operators of a thread use.

use crate::ciphertexts::Ciphertexts;
use crate::circuit::{Evaluator, Task};
use crate::key_set::KeySet;
use crate::server_key::ServerKey;
use icicle_error::{Error, Result};
use std::cell::RefCell;
use std::sync::Arc;

/// A key for operators: of one device, or of several. It has the operations of both.
#[derive(Clone, Debug)]
pub enum CurrentKey {
    /// That of one device.
    Server(Arc<ServerKey>),
    /// Those of a group's devices.
    Set(Arc<KeySet>),
}

impl From<ServerKey> for CurrentKey {
    fn from(key: ServerKey) -> Self {
        Self::Server(Arc::new(key))
    }
}

impl From<Arc<ServerKey>> for CurrentKey {
    fn from(key: Arc<ServerKey>) -> Self {
        Self::Server(key)
    }
}

impl From<KeySet> for CurrentKey {
    fn from(keys: KeySet) -> Self {
        Self::Set(Arc::new(keys))
    }
}

impl From<Arc<KeySet>> for CurrentKey {
    fn from(keys: Arc<KeySet>) -> Self {
        Self::Set(keys)
    }
}

impl Evaluator for CurrentKey {
    fn key(&self) -> &ServerKey {
        match self {
            Self::Server(key) => key,
            Self::Set(keys) => keys.key(),
        }
    }

    fn threads(&self) -> usize {
        match self {
            Self::Server(key) => key.threads(),
            Self::Set(keys) => keys.threads(),
        }
    }

    fn evaluate(&self, task: &Task<'_>) -> Result<Ciphertexts> {
        match self {
            Self::Server(key) => key.evaluate(task),
            Self::Set(keys) => keys.evaluate(task),
        }
    }
}

thread_local! {
    static CURRENT: RefCell<Option<CurrentKey>> = const { RefCell::new(None) };
}

/// Make a key the calling thread's, for its operators, in the place of another. Each thread has its own.
pub fn set_server_key(key: impl Into<CurrentKey>) {
    replace(Some(key.into()));
}

/// Leave the calling thread without a key.
pub fn unset_server_key() {
    replace(None);
}

/// The calling thread's key, if it has one.
pub fn server_key() -> Option<CurrentKey> {
    // A thread that is ending has none.
    CURRENT.try_with(|current| current.borrow().clone()).unwrap_or(None)
}

/// Put a key, or none, in the place of the thread's, which is returned.
fn replace(key: Option<CurrentKey>) -> Option<CurrentKey> {
    CURRENT.try_with(|current| current.replace(key)).unwrap_or(None)
}

/// The calling thread's key for as long as this lives; then that from before again.
#[derive(Debug)]
pub struct ServerKeyGuard {
    before: Option<CurrentKey>,
    /// It belongs to its thread.
    thread: std::marker::PhantomData<*const ()>,
}

impl ServerKeyGuard {
    /// Make a key the calling thread's.
    #[must_use = "the key is the thread's until this is dropped"]
    pub fn new(key: impl Into<CurrentKey>) -> Self {
        Self { before: replace(Some(key.into())), thread: std::marker::PhantomData }
    }
}

impl Drop for ServerKeyGuard {
    fn drop(&mut self) {
        replace(self.before.take());
    }
}

/// The calling thread's key, for an operation.
///
/// # Errors
/// `InvalidArgument` where the thread has none.
pub fn current_server_key(op: &'static str) -> Result<CurrentKey> {
    server_key().ok_or_else(|| {
        Error::argument(op, "this thread has no server key: call set_server_key in each thread that computes")
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parameters::TOY;
    use crate::test_keys::device;
    use crate::{ClientKey, FheUint};

    fn keys() -> (ClientKey, Arc<ServerKey>) {
        let client = ClientKey::generate(&TOY).unwrap();
        let server = Arc::new(client.server_key(device()).unwrap());
        (client, server)
    }

    #[test]
    fn operators_use_the_key_of_their_thread() {
        let ((client, server), (other, others)) = (keys(), keys());
        let x = client.encrypt(&[200u8, 7]).unwrap();
        let y = client.encrypt(&[100u8, 9]).unwrap();
        let clear = |x: Result<FheUint>| client.decrypt::<u8>(&x.unwrap()).unwrap();
        assert_eq!(
            (&x + &y).unwrap_err().to_string(),
            "fhe_add: this thread has no server key: call set_server_key in each thread that computes"
        );
        assert!((&x << 1u8).is_err() && (!&x).is_err() && x.lt(&y).is_err() && server_key().is_none());
        set_server_key(server.clone());
        assert_eq!(clear(&x + &y), [44, 16]);
        assert_eq!(clear(&x - &y), [100, 254]);
        assert_eq!(clear(&x * 3u8), [88, 21]);
        assert_eq!(clear(3u8 * &x), [88, 21]);
        assert_eq!(clear(1u8 - &x), [57, 250]);
        assert_eq!(clear(&x & &[0xf0u8, 1]), [192, 1]);
        assert_eq!(clear(&x | &y), [200 | 100, 15]);
        assert_eq!(clear(&x ^ 255u8), [55, 248]);
        assert_eq!(clear(&x << 1u8), [144, 14]);
        assert_eq!(clear(&x >> &client.encrypt(&[3u8, 1]).unwrap()), [25, 3]);
        assert_eq!(clear(-&x), [56, 249]);
        assert_eq!(clear(!&x), [55, 248]);
        assert_eq!(clear(x.min(&y)), [100, 7]);
        assert_eq!(clear(x.max(50u8)), [200, 50]);
        assert_eq!(clear(x.rotate_left(4u8)), [0x8c, 0x70]);
        assert_eq!(clear(x.rotate_right(4u8)), [0x8c, 0x70]);
        assert_eq!(clear(x.sum()), [207]);
        let flags = |x: Result<crate::FheBool>| client.decrypt_bools(&x.unwrap()).unwrap();
        assert_eq!(flags(x.eq(7u8)), [false, true]);
        assert_eq!(flags(x.ne(&y)), [true, true]);
        assert_eq!(flags(x.lt(&y)), [false, true]);
        assert_eq!(flags(x.le(&x)), [true, true]);
        assert_eq!(flags(x.gt(&y)), [true, false]);
        assert_eq!(flags(x.ge(201u8)), [false, false]);
        assert_eq!(flags((&x - 200u8).unwrap().to_bool()), [false, true]);
        let (sum, over) = x.overflowing_add(&y).unwrap();
        assert_eq!((clear(Ok(sum)), flags(Ok(over))), (vec![44, 16], vec![true, false]));
        assert_eq!(flags(x.overflowing_sub(&y).map(|pair| pair.1)), [false, true]);
        let (a, b) = (x.lt(&y).unwrap(), x.eq(7u8).unwrap());
        assert_eq!(flags(&a & &b), [false, true]);
        assert_eq!(flags(&a | &b), [false, true]);
        assert_eq!(flags(&a ^ &b), [false, false]);
        assert_eq!(flags(!&a), [true, false]);
        assert_eq!(clear(a.select(&x, 1u8)), [1, 7]);
        assert_eq!(clear(a.cast(8)), [0, 1]);
        assert_eq!(clear(a.count(8)), [1]);
        assert_eq!(client.decrypt::<u16>(&x.cast(16).unwrap()).unwrap(), [200, 7]);
        // Another thread has none of its own.
        std::thread::scope(|scope| scope.spawn(|| assert!((&x + &y).is_err())).join().unwrap());
        {
            let _others = ServerKeyGuard::new(others);
            assert!((&x + &y).unwrap_err().to_string().contains("fhe_add: x is encrypted under the key"));
            let z = other.encrypt(&[1u8]).unwrap();
            assert_eq!(other.decrypt::<u8>(&(&z + 1u8).unwrap()).unwrap(), [2]);
        }
        assert_eq!(clear(&x + &y), [44, 16]);
        assert!(matches!(server_key(), Some(CurrentKey::Server(key)) if Arc::ptr_eq(&key, &server)));
        unset_server_key();
        assert!((&x + &y).is_err());
    }
}

//! Encrypted operations against clear ones, at edges and at random.

mod arithmetic;
mod bits;
mod counts;
mod noise;
mod refusals;

use super::{FheUint, Unsigned};
use crate::ciphertexts::Ciphertexts;
use crate::circuit::{Circuit, Evaluator, Share, Task};
use crate::random::Seed;
use crate::test_keys::toy;
use crate::{ClientKey, ServerKey};
use icicle_error::Result;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The toy keys' server key with circuits for so many threads, whose bootstraps are counted: of one element, and one after another.
pub(crate) struct Counting {
    threads: usize,
    bootstraps: AtomicUsize,
    depth: AtomicUsize,
}

impl Counting {
    pub(crate) fn new(threads: usize) -> Self {
        Self { threads, bootstraps: AtomicUsize::new(0), depth: AtomicUsize::new(0) }
    }

    /// Bootstraps and depth since the last call.
    pub(crate) fn taken(&self) -> [usize; 2] {
        [&self.bootstraps, &self.depth].map(|counter| counter.swap(0, Ordering::Relaxed))
    }
}

impl Evaluator for Counting {
    fn key(&self) -> &ServerKey {
        &toy().1
    }
    fn threads(&self) -> usize {
        self.threads
    }
    fn evaluate(&self, task: &Task<'_>) -> Result<Ciphertexts> {
        if task.elements > 0 {
            let elements = if task.distinct { 1 } else { task.elements };
            let share = Share { elements, threads: self.threads, range: 0..task.elements };
            let blank = Circuit::new(task.op, self.key().parameters.max_norm2, task.operands);
            let circuit = (task.build)(&blank, &share)?;
            let times = if task.distinct { 1 } else { task.elements };
            self.bootstraps.fetch_add(times * circuit.bootstraps(), Ordering::Relaxed);
            self.depth.fetch_add(circuit.depth(), Ordering::Relaxed);
        }
        self.key().evaluate_share(task, 0..task.elements, self.threads)
    }
}

/// Few threads, for circuits of few bootstraps, and many, for short ones.
const THREADS: [usize; 2] = [1, 1 << 16];

/// Pairs of edges: zeros, ones, powers of two and their neighbours, the largest; then random ones.
fn pairs<T: Unsigned>() -> (Vec<T>, Vec<T>) {
    let top = T::truncated(u64::MAX).into();
    let mut edges = vec![0, 1, top / 2, top / 2 + 1, top];
    if T::BITS == 8 {
        edges.extend([3, 16]);
    }
    let (mut x, mut y): (Vec<T>, Vec<T>) =
        edges.iter().flat_map(|&a| edges.iter().map(move |&b| (T::truncated(a), T::truncated(b)))).unzip();
    let [a, b] = [1, 2].map(|seed| random::<T>(seed, 8));
    x.extend(a);
    y.extend(b);
    (x, y)
}

fn random<T: Unsigned>(seed: u8, n: usize) -> Vec<T> {
    let mut words = vec![0; n];
    Seed::known(seed ^ T::BITS as u8).stream(0).uniform(&mut words);
    words.iter().map(|&word| T::truncated(word)).collect()
}

/// Decrypt, and see that no block holds a carry, and that noise is said to be no more than can be read.
fn decrypted<T: Unsigned>(client: &ClientKey, x: Result<FheUint>) -> Vec<T> {
    let x = x.unwrap();
    assert!(client.decrypt_messages("test", &x.blocks).unwrap().iter().all(|&message| message < 4));
    assert!(x.norm2 <= client.parameters().max_norm2);
    client.decrypt(&x).unwrap()
}

/// What a function of clear integers gives for each pair.
fn each<T: Unsigned>(a: &[T], b: &[T], f: impl Fn(u64, u64) -> u64) -> Vec<T> {
    a.iter().zip(b).map(|(&a, &b)| T::truncated(f(a.into(), b.into()))).collect()
}

/// Instances of a generic test, one for each width.
macro_rules! widths {
    ($($test:ident: $name8:ident $name16:ident $name32:ident $name64:ident;)*) => {
        $(
            #[test]
            fn $name8() {
                $test::<u8>();
            }
            #[test]
            fn $name16() {
                $test::<u16>();
            }
            #[test]
            fn $name32() {
                $test::<u32>();
            }
            #[test]
            fn $name64() {
                $test::<u64>();
            }
        )*
    };
}
use widths;

/// What operands of clear integers need of a type.
trait Clear: Unsigned + PartialEq + std::fmt::Debug {
    /// One for all elements.
    fn scalar(self) -> super::Operand<'static>;
    /// An array as an operand.
    fn operand(values: &[Self]) -> super::Operand<'_>;
}

macro_rules! clear {
    ($($type:ty)*) => {
        $(
            impl Clear for $type {
                fn scalar(self) -> super::Operand<'static> {
                    self.into()
                }
                fn operand(values: &[Self]) -> super::Operand<'_> {
                    values.into()
                }
            }
        )*
    };
}
clear!(u8 u16 u32 u64);

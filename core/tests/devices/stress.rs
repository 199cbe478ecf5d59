//! Many threads on few devices: allocating, copying and freeing, their own memory and each other's.

use super::*;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

const THREADS: usize = 64;

/// A step of a linear congruence is random enough to mix the order of things; seeds are fixed.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((self.0 >> 33) as usize) % n
    }
}

/// Raw memory on its way to another thread: address, words, and what they hold.
struct Parcel {
    address: usize,
    words: usize,
    word: u64,
    device: Device,
}

impl Parcel {
    fn pack(random: &mut Random) -> Self {
        let device = D[random.below(4)];
        set_current_device(device).unwrap();
        let most = if random.below(20) == 0 { 100_000 } else { 1000 };
        let words = 1 + random.below(most);
        let word = random.0;
        let ptr = malloc(words * 8, None).unwrap();
        copy_on(None, ptr, vec![word; words].as_ptr().cast(), words * 8).unwrap();
        Self { address: ptr.expose_provenance(), words, word, device }
    }

    fn check(&self) {
        let ptr: *const u8 = std::ptr::with_exposed_provenance(self.address);
        let info = pointer_info(ptr.wrapping_add(self.words * 8 - 1));
        let want = (Place::Device(self.device), self.address, self.words * 8);
        assert_eq!((info.place, info.base, info.bytes), want, "wrong device or allocation");
        let mut held = vec![0u64; self.words];
        copy_on(None, held.as_mut_ptr().cast(), ptr, self.words * 8).unwrap();
        assert!(held.iter().all(|&word| word == self.word), "memory of two owners");
    }

    fn move_to(&mut self, device: Device) {
        let before: *mut u8 = std::ptr::with_exposed_provenance_mut(self.address);
        let ptr = malloc(self.words * 8, Some(&StreamRef::default_of(device))).unwrap();
        copy_on(None, ptr, before, self.words * 8).unwrap();
        free(before).unwrap();
        (self.address, self.device) = (ptr.expose_provenance(), device);
    }

    fn unpack(self) {
        let current = current_device();
        free(std::ptr::with_exposed_provenance_mut(self.address)).unwrap();
        assert_eq!(current_device(), current);
    }
}

fn work(
    seed: usize,
    until: Instant,
    own: mpsc::Receiver<Parcel>,
    others: Vec<mpsc::SyncSender<Parcel>>,
    steps: &AtomicU64,
) {
    let mut random = Random((seed as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    let mut held: Vec<Parcel> = Vec::new();
    let mut buffers: Vec<Buffer<u64>> = Vec::new();
    while Instant::now() < until {
        held.extend(own.try_recv());
        let pick = random.below(held.len().max(1));
        match random.below(8) {
            0 | 1 if held.len() < 8 => held.push(Parcel::pack(&mut random)),
            2 if !held.is_empty() => held.swap_remove(pick).unpack(),
            3 if !held.is_empty() => held[pick].check(),
            4 if !held.is_empty() => held[pick].move_to(D[random.below(4)]),
            5 if !held.is_empty() => {
                let parcel = held.swap_remove(pick);
                // A full post box gives the parcel back.
                if let Err(mpsc::TrySendError::Full(parcel)) = others[random.below(others.len())].try_send(parcel) {
                    held.push(parcel);
                }
            }
            6 => {
                let device = D[random.below(4)];
                let _on = DeviceGuard::new(device).unwrap();
                let buffer = Buffer::from_slice(&[seed as u64; 100]).unwrap();
                assert_eq!(buffer.device(), device);
                buffers.push(buffer);
            }
            _ => {
                for buffer in buffers.drain(..) {
                    assert_eq!(buffer.slice(7..9).unwrap().to_vec().unwrap(), [seed as u64; 2]);
                }
                if random.below(50) == 0 {
                    trim(D[random.below(4)], 0).unwrap();
                }
            }
        }
        steps.fetch_add(1, Ordering::Relaxed);
    }
    drop(others);
    // Senders are gone once every thread is here; what is still under way arrives first.
    held.extend(own);
    held.into_iter().for_each(|parcel| {
        parcel.check();
        parcel.unpack();
    });
}

#[test]
fn sixty_four_threads_over_four_devices() {
    let _turn = turn();
    let seconds = std::env::var("ICICLE_STRESS_SECONDS").ok().and_then(|s| s.parse().ok()).unwrap_or(20);
    let until = Instant::now() + Duration::from_secs(seconds);
    let before = D.map(|device| memory_stats(device).unwrap());
    let steps = AtomicU64::new(0);
    let done = AtomicBool::new(false);
    let (senders, receivers): (Vec<_>, Vec<_>) = (0..THREADS).map(|_| mpsc::sync_channel(16)).unzip();
    std::thread::scope(|scope| {
        // The watchdog ends the process: threads that block each other cannot be ended otherwise.
        scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                if Instant::now() > until + Duration::from_secs(60) {
                    eprintln!("deadlock: threads are still at work a minute after the end");
                    std::process::abort();
                }
                std::thread::sleep(Duration::from_millis(20));
            }
        });
        let threads: Vec<_> = receivers
            .into_iter()
            .enumerate()
            .map(|(t, own)| {
                let (others, steps) = (senders.clone(), &steps);
                scope.spawn(move || work(t + 1, until, own, others, steps))
            })
            .collect();
        drop(senders);
        let results: Vec<_> = threads.into_iter().map(|thread| thread.join()).collect();
        done.store(true, Ordering::Relaxed);
        results.into_iter().for_each(|result| result.unwrap());
    });
    println!("{} steps", steps.load(Ordering::Relaxed));
    for (device, before) in D.into_iter().zip(before) {
        let stats = memory_stats(device).unwrap();
        assert_eq!((stats.used, stats.allocations), (before.used, before.allocations), "leak on {device}");
        assert!(stats.high_water > before.used);
        trim(device, 0).unwrap();
        let reserved = memory_stats(device).unwrap().reserved;
        assert_eq!(reserved, 0, "{device} still holds memory");
    }
}

//! Roots of unity as kernels take them (`kernels/fhe/transform.cuh`).

use crate::fourier::{cosine_and_tangent, unit};
use icicle_error::Result;
use icicle_error::reserve::filled;
use icicle_kernels::fhe::{LANE_ROOTS, LANES, Roots, THREAD_ROOTS, THREADS};

/// Levels of a pass of a warp: a transform is two.
const LEVELS: usize = 5;
/// Levels of the first two passes of a block, which has two more.
const OF_THREADS: usize = 4;
/// Roots of the levels of a pass, one for each two neighbouring blocks or values.
const PLACES: usize = 16;
/// Four times the complex values of a transform.
const TURN: usize = 4096;

/// The place of the root of two blocks or values.
fn place(level: usize, m: usize) -> usize {
    if level == 0 { 0 } else { (1 << (level - 1)) + m }
}

/// The levels of a pass, and for each the roots' numbers.
fn places(levels: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..levels).flat_map(|level| (0..(1usize << level).div_ceil(2)).map(move |m| (level, m)))
}

/// The root that splits a block of a level.
fn split(level: usize, block: usize) -> (f64, f64) {
    let reversed = if level == 0 { 0 } else { block.reverse_bits() >> (usize::BITS as usize - level) };
    cosine_and_tangent(unit(1 + 4 * reversed, 8 << level))
}

/// exp(-2πi k/m).
fn back(k: usize, m: usize) -> (f64, f64) {
    cosine_and_tangent(unit((m - k) % m, m))
}

/// What all lanes have in common: `Roots`.
pub(super) fn roots() -> Roots {
    let mut out = [0.0; size_of::<Roots>() / 8];
    let mut set = |at: usize, (cos, tan)| (out[2 * at], out[2 * at + 1]) = (cos, tan);
    places(LEVELS).for_each(|(level, m)| set(place(level, m), split(level, 2 * m)));
    (0..PLACES / 2).for_each(|j| set(PLACES + j, back(j, LANES)));
    (0..LANES).for_each(|k| set(PLACES + PLACES / 2 + k, back(LANES * k, TURN)));
    out
}

/// What each lane has of its own: `LaneRoots`.
pub(super) fn lane_roots(op: &'static str) -> Result<Vec<f64>> {
    let mut out = filled(op, LANE_ROOTS, 0.0)?;
    let mut set = |at: usize, (cos, tan)| (out[2 * at], out[2 * at + 1]) = (cos, tan);
    for lane in 0..LANES {
        for (level, m) in places(LEVELS) {
            let at = place(level, m) * LANES + lane;
            set(at, split(level + LEVELS, (lane << level) + 2 * m));
            set(PLACES * LANES + at, back(lane + LANES * m, (2 * LANES) << level));
        }
        set(2 * PLACES * LANES + lane, back(lane, TURN));
    }
    Ok(out)
}

/// What each thread has of its own: `ThreadRoots`.
pub(super) fn thread_roots(op: &'static str) -> Result<Vec<f64>> {
    let mut out = filled(op, THREAD_ROOTS, 0.0)?;
    let mut set = |at: usize, (cos, tan)| (out[2 * at], out[2 * at + 1]) = (cos, tan);
    // Where those of the inverse begin: of the four parts of a block, of all values, and the twist.
    const INNER: usize = PLACES * THREADS;
    const OUTER: usize = INNER + PLACES / 2 * 4;
    const TWIST: usize = OUTER + PLACES / 2 * THREADS;
    for t in 0..THREADS {
        for (level, m) in places(OF_THREADS) {
            let at = place(level, m);
            set(at * THREADS + t, split(level + OF_THREADS, ((t / 4) << level) + 2 * m));
            set(OUTER + at * THREADS + t, back(t + THREADS * m, (2 * THREADS) << level));
            if t < 4 {
                set(INNER + at * 4 + t, back(t + 4 * m, 8 << level));
            }
        }
        for four in 0..4 {
            let at = PLACES / 2 + 2 * four;
            set(at * THREADS + t, split(2 * OF_THREADS, 4 * t + four));
            set((at + 1) * THREADS + t, split(2 * OF_THREADS + 1, 2 * (4 * t + four)));
        }
        set(TWIST + t, back(t, TURN));
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::TAU;

    /// Whether a cosine and a tangent are those of an angle in turns.
    fn is_at((cos, tan): (f64, f64), turns: f64) -> bool {
        let (sin, expected) = (TAU * turns).sin_cos();
        (cos - expected).abs() < 1e-14 && (cos * tan - sin).abs() < 1e-14
    }

    #[test]
    fn roots_split_blocks_and_join_values() {
        let (all, lanes) = (roots(), lane_roots("test").unwrap());
        let root = |of: &[f64], at: usize| (of[2 * at], of[2 * at + 1]);
        // A block of a level is modulo X^2m - w², of which these are the first to be asked for; the first of all modulo X^1024 - i.
        for (at, turns) in [(0, 1.0 / 8.0), (1, 1.0 / 16.0), (2, 1.0 / 32.0), (3, 1.0 / 32.0 + 1.0 / 8.0)] {
            assert!(is_at(root(&all, at), turns), "{at}");
        }
        for j in 0..8 {
            assert!(is_at(root(&all, PLACES + j), -(j as f64) / 32.0), "{j}");
        }
        for k in 0..LANES {
            assert!(is_at(root(&all, 24 + k), -(k as f64) / 128.0), "{k}");
            assert!(is_at(root(&lanes, 32 * LANES + k), -(k as f64) / 4096.0), "{k}");
            // Level 5, whose blocks are lanes'; the last inverse levels' first join values 32 apart.
            let reversed = (0..5).map(|bit| (k >> bit & 1) << (4 - bit)).sum::<usize>() as f64;
            assert!(is_at(root(&lanes, k), 1.0 / 256.0 + reversed / 64.0), "{k}");
            assert!(is_at(root(&lanes, PLACES * LANES + k), -(k as f64) / 64.0), "{k}");
            assert!(is_at(root(&lanes, (PLACES + 15) * LANES + k), -((k + 32 * 7) as f64) / 1024.0), "{k}");
        }
        let threads = thread_roots("test").unwrap();
        for t in 0..THREADS {
            let reversed = |x: usize, bits: u32| (x.reverse_bits() >> (usize::BITS - bits)) as f64;
            assert!(is_at(root(&threads, t), 1.0 / 128.0 + reversed(t / 4, 4) / 32.0), "{t}");
            assert!(is_at(root(&threads, 14 * THREADS + t), 1.0 / 2048.0 + reversed(4 * t + 3, 8) / 512.0), "{t}");
            assert!(is_at(root(&threads, 15 * THREADS + t), 1.0 / 4096.0 + reversed(8 * t + 6, 9) / 1024.0), "{t}");
            assert!(is_at(root(&threads, PLACES * THREADS + 28 + t % 4), -((t % 4 + 12) as f64) / 64.0), "{t}");
            let outer = PLACES * THREADS + 32;
            assert!(is_at(root(&threads, outer + 7 * THREADS + t), -((t + 192) as f64) / 1024.0), "{t}");
            assert!(is_at(root(&threads, outer + 8 * THREADS + t), -(t as f64) / 4096.0), "{t}");
        }
    }
}

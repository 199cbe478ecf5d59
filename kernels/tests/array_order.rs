//! Cases for `array_order.cpp`: how the core's CPU device orders elements, and the shapes that the host launches with.

use crate::Random;
use icicle::array::{Array, Bool, Element, argsort, bf16, f16, sort};
use icicle_kernels::array_scan::{COMPACT, SCAN, WARP_LINE};
use icicle_kernels::array_sort::{self as sorting, Bits, BlockTile};
use std::fmt::Write;

/// One case a line.
pub fn cases() -> String {
    let mut out = String::new();
    shapes(&mut out);
    orders::<Bool>(Bits::Unsigned, &[0, 1, 1, 0, 1], false, &mut out);
    macro_rules! integers {
        ($($bits:ident $($t:ty)*;)*) => { $($(orders::<$t>(Bits::$bits, &[], true, &mut out);)*)* };
    }
    integers! { Unsigned u8 u16 u32 u64; Signed i8 i16 i32 i64; }
    macro_rules! floats {
        ($($t:ty)*) => {
            $(let (infinity, sign) = (u64::from(<$t>::INFINITY.to_bits()), u64::from((-<$t>::from(0u8)).to_bits()));
            // Zero, the smallest, the largest finite, infinity, NaN of several payloads: each with both signs.
            let sizes = [0, 1, infinity - 1, infinity, infinity + 1, sign - 1, 0, infinity + 1];
            let both: Vec<_> = sizes.iter().flat_map(|&size| [size | sign, size]).collect();
            orders::<$t>(Bits::Float(infinity), &both, true, &mut out);)*
        };
    }
    floats! { f16 bf16 f32 f64 }
    out
}

/// Elements in order, and their indices, ascending and descending.
fn orders<T: Element>(meaning: Bits, some: &[u64], random: bool, out: &mut String) {
    let bytes = size_of::<T>();
    let mut numbers = Random(bytes as u64);
    let mut words = some.to_vec();
    let top = 1u64 << (8 * bytes - 1);
    words.extend([0, top, top - 1, u64::MAX, 1, top | 1, 0, top].into_iter().filter(|_| random));
    words.extend(
        (0..if random { 120 } else { 0 }).map(|i| if i % 4 == 3 { numbers.next() % 4 } else { numbers.next() }),
    );
    let raw: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()[..bytes].to_vec()).collect();
    let elements: Vec<T> = raw.chunks_exact(bytes).map(bytemuck::pod_read_unaligned).collect();
    let array = Array::from_slice(&elements, &[elements.len()]).unwrap();
    for descending in [false, true] {
        let sorted = sort(&array, 0, descending).unwrap().to_vec::<T>().unwrap();
        let indices = argsort(&array, 0, descending).unwrap().to_vec::<i64>().unwrap();
        for ranked in [false, true] {
            write!(out, "order {} {bytes} {}", u32::from(ranked), words.len()).unwrap();
            meaning.order(bytes, descending, ranked).iter().for_each(|mask| write!(out, " {mask:x}").unwrap());
            words.iter().for_each(|word| write!(out, " {:x}", word & (u64::MAX >> (64 - 8 * bytes))).unwrap());
            match ranked {
                true => indices.iter().for_each(|index| write!(out, " {index:x}").unwrap()),
                false => bytemuck::cast_slice::<T, u8>(&sorted).chunks_exact(bytes).for_each(|chunk| {
                    let mut word = [0; 8];
                    word[..bytes].copy_from_slice(chunk);
                    write!(out, " {:x}", u64::from_le_bytes(word)).unwrap();
                }),
            }
            out.push('\n');
        }
    }
}

/// What stands in the kernels' headers and in this crate.
fn shapes(out: &mut String) {
    let mut line = |name: &str, tile: BlockTile| writeln!(out, "shape {name} {} {}", tile.threads, tile.items).unwrap();
    for key in [1, 2, 4, 8] {
        for (value, offset) in [(0, 4), (0, 8), (4, 4), (8, 8)] {
            line(&format!("onesweep {key} {value} {offset}"), sorting::onesweep_tile(key, value, offset));
        }
    }
    sorting::LINE_TILES.into_iter().enumerate().for_each(|(i, tile)| line(&format!("lines {i} 0 0"), tile));
    line("histogram 0 0 0", sorting::HISTOGRAM);
    line("scan 0 0 0", SCAN);
    line("compact 0 0 0", COMPACT);
    line("lanes 0 0 0", BlockTile { threads: sorting::LANES_BLOCK, items: sorting::DIGIT_BITS });
    line("warp 0 0 0", BlockTile { threads: WARP_LINE as u32, items: sorting::DIGITS as u32 });
}

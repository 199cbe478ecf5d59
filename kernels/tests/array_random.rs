//! Cases for `array_random.cpp`: what the core's CPU device draws.

use icicle::Device;
use icicle::array::random::{Key, bernoulli, bits, integers, normal, uniform};
use icicle::array::{Array, DType, iinfo};
use std::fmt::Write;

const CPU: Device = Device::cpu(0);
/// Around a block, the threads of a block, and more.
const SIZES: [usize; 7] = [1, 2, 3, 5, 17, 513, 2100];

/// One case a line: rule, elements, key, what the rule is made of, and the elements.
pub fn cases() -> String {
    let keys = [Key::new(0x0123_4567_89ab_cdef), Key::new(7).fold_in(3), Key::from_words([u32::MAX; 4])];
    let mut out = String::new();
    for key in keys {
        for n in SIZES {
            let mut line = |rule: &str, words: &[u64], x: Array| line(&mut out, rule, &key, words, &x);
            for dtype in [DType::UInt8, DType::UInt16, DType::UInt32, DType::UInt64] {
                line(&format!("Bits<{dtype}>"), &[], bits(CPU, &key, &[n], dtype).unwrap());
            }
            for (low, high) in [(0.0, 1.0), (-3.0, 1e-3), (1.0, 1.000_001)] {
                let (a, b) = (low as f32, high as f32);
                let words = [a, b - a, b.next_down()].map(|x| x.to_bits().into());
                line("Uniform<float32>", &words, uniform(CPU, &key, &[n], DType::Float32, low, high).unwrap());
                let words = [low, high - low, high.next_down()].map(f64::to_bits);
                line("Uniform<float64>", &words, uniform(CPU, &key, &[n], DType::Float64, low, high).unwrap());
            }
            for dtype in [DType::Float32, DType::Float64] {
                line(&format!("Normal<{dtype}>"), &[], normal(CPU, &key, &[n], dtype).unwrap());
            }
            for (probability, below) in [(0.0, 0), (0.25, 1 << 30), (1.0, 1u64 << 32)] {
                line("Bernoulli", &[below], bernoulli(CPU, &key, probability, &[n]).unwrap());
            }
        }
        of_integers(&mut out, &key);
    }
    out
}

/// Few integers and many, of counts whose first words are refused never, seldom, and nearly half the time.
fn of_integers(out: &mut String, key: &Key) {
    let dtypes = [
        DType::Int8,
        DType::Int16,
        DType::Int32,
        DType::Int64,
        DType::UInt8,
        DType::UInt16,
        DType::UInt32,
        DType::UInt64,
    ];
    for dtype in dtypes {
        let range = iinfo(dtype).unwrap();
        let all = range.max - range.min + 1;
        for count in [1, 6, 100, 256, 40_000, (1 << 24) - 7, 1 << 24, (1 << 24) + 1, (1 << 31) + 1, all / 2 + 1, all] {
            if count > all {
                continue;
            }
            let x = integers(CPU, key, range.min, range.min + count, &[1030], dtype).unwrap();
            let (few, low) = (count <= 1 << 24, range.min as u64);
            line(out, &format!("{}<{dtype}>", if few { "Few" } else { "Many" }), key, &[low, count as u64], &x);
        }
        if all <= 1 << 16 {
            // Dtypes too small for many integers: the rule for them is the same.
            line(out, &format!("Many<{dtype}>"), key, &[range.min as u64, 1], &constant(range.min, dtype));
        }
    }
}

/// What drawing from one integer gives.
fn constant(value: i128, dtype: DType) -> Array {
    integers(CPU, &Key::new(0), value, value + 1, &[9], dtype).unwrap()
}

fn line(out: &mut String, rule: &str, key: &Key, words: &[u64], x: &Array) {
    let [a, b, c, d] = key.words().map(u64::from);
    let words: String =
        std::iter::once(words.len() as u64).chain(words.iter().copied()).fold(String::new(), |mut all, word| {
            write!(all, " {word}").unwrap();
            all
        });
    let mut bytes = vec![0; x.len() * x.dtype().bytes()];
    x.copy_to_bytes(&mut bytes).unwrap();
    write!(out, "{rule} {} {} {}{words} ", x.len(), a | b << 32, c | d << 32).unwrap();
    bytes.iter().for_each(|byte| write!(out, "{byte:02x}").unwrap());
    out.push('\n');
}

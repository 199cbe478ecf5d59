//! The non-adjacent form of an integer.

/// Window of the non-adjacent form: digits odd, below `2^(WINDOW-1)` in magnitude.
const WINDOW: u32 = 5;
/// Odd multiples a table holds.
pub(super) const TABLE: usize = 1 << (WINDOW - 2);

/// Digits from the lowest bit on, the last one not zero; none for zero.
pub(super) fn digits(words: &[u64]) -> Vec<i8> {
    let bits = 64 * words.len();
    let word = |i: usize| words.get(i).copied().unwrap_or(0);
    let window = |at: usize| {
        let wide = word(at / 64) as u128 | (word(at / 64 + 1) as u128) << 64;
        (wide >> (at % 64)) as u32 & ((1 << WINDOW) - 1)
    };
    let mut out = Vec::with_capacity(bits + 1);
    let (mut at, mut carry, mut used) = (0, 0, 0);
    while at < bits || carry == 1 {
        if window(at) & 1 == carry {
            out.push(0);
            at += 1;
            if at >= bits && carry == 0 {
                break;
            }
            continue;
        }
        let value = (window(at) + carry) as i32;
        let negative = value >= 1 << (WINDOW - 1);
        out.push((if negative { value - (1 << WINDOW) } else { value }) as i8);
        used = out.len();
        out.extend([0; WINDOW as usize - 1]);
        carry = negative as u32;
        at += WINDOW as usize;
    }
    out.truncate(used);
    out
}

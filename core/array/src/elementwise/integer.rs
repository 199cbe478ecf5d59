//! Operations on integers that are defined for every pair.

/// Division, powers and shifts without a value they fail at.
pub(super) trait Integer: Copy {
    /// The quotient rounded down; 0 by 0.
    fn floor_divide(self, by: Self) -> Self;
    /// What is left of it, with the divisor's sign; 0 by 0.
    fn floor_remainder(self, by: Self) -> Self;
    /// The power, wrapping; to a negative one rounded towards 0.
    fn power(self, exponent: Self) -> Self;
    /// Bits moved up; none are left by the width, or a negative number.
    fn shift_left(self, by: Self) -> Self;
    /// Bits moved down; only the sign is left by the width, or a negative number.
    fn shift_right(self, by: Self) -> Self;
}

macro_rules! integer {
    ($($t:ty, $unsigned:ty;)*) => {
        $(impl Integer for $t {
            #[inline(always)]
            fn floor_divide(self, by: Self) -> Self {
                if by == 0 {
                    return 0;
                }
                let quotient = self.wrapping_div(by);
                let inexact = quotient.wrapping_mul(by) != self;
                #[allow(unused_comparisons)]
                let down = inexact && ((self < 0) != (by < 0));
                quotient - Self::from(down)
            }
            #[inline(always)]
            fn floor_remainder(self, by: Self) -> Self {
                if by == 0 {
                    return 0;
                }
                self.wrapping_sub(self.floor_divide(by).wrapping_mul(by))
            }
            #[inline(always)]
            fn power(self, exponent: Self) -> Self {
                #[allow(unused_comparisons)]
                if exponent < 0 {
                    let odd = exponent & 1 == 1;
                    return match self {
                        1 => 1,
                        x if x == (0 as $t).wrapping_sub(1) => if odd { x } else { 1 },
                        _ => 0,
                    };
                }
                let (mut base, mut left, mut out) = (self, exponent as $unsigned, 1 as $t);
                while left != 0 {
                    if left & 1 == 1 {
                        out = out.wrapping_mul(base);
                    }
                    base = base.wrapping_mul(base);
                    left >>= 1;
                }
                out
            }
            #[inline(always)]
            fn shift_left(self, by: Self) -> Self {
                if (by as $unsigned) < Self::BITS as $unsigned { self.wrapping_shl(by as u32) } else { 0 }
            }
            #[inline(always)]
            fn shift_right(self, by: Self) -> Self {
                self.wrapping_shr((by as $unsigned).min(Self::BITS as $unsigned - 1) as u32)
                    & if Self::MIN != 0 || (by as $unsigned) < Self::BITS as $unsigned { !0 } else { 0 }
            }
        })*
    };
}
integer! {
    i8, u8; i16, u16; i32, u32; i64, u64; u8, u8; u16, u16; u32, u32; u64, u64;
}

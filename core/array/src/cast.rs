//! Values in another dtype: one loop for each pair of machine numbers, and steps between them for the others.
#![allow(unsafe_code)] // memory by address

use crate::dtype::{Visitor, visit};
use crate::step::Loop;
use crate::{Complex, DType, Element, Kind, bf16, f16};
use icicle_cpu::dispatch::{Kernel, widest};
use icicle_error::{Error, Result};
use std::marker::PhantomData;

/// One or two loops that cast, with the dtype between them.
#[derive(Clone, Copy)]
pub(crate) struct Cast {
    pub(crate) first: Loop,
    pub(crate) second: Option<(DType, Loop)>,
}

impl Cast {
    /// # Safety
    /// `from` holds `n` elements, `to` takes them, `between` as many of the dtype between, and none overlap.
    pub(crate) unsafe fn run(&self, n: usize, from: *const u8, between: *mut u8, to: *mut u8) {
        // SAFETY: the caller's.
        unsafe {
            match self.second {
                None => (self.first)(n, from, to),
                Some((_, second)) => {
                    (self.first)(n, from, between);
                    second(n, between, to);
                }
            }
        }
    }
}

/// How values become another dtype; none if they need not.
///
/// # Errors
/// `InvalidArgument` for complex to real.
pub(crate) fn cast(op: &'static str, from: DType, to: DType) -> Result<Option<Cast>> {
    if from == to {
        return Ok(None);
    }
    if let Some(first) = step(from, to) {
        return Ok(Some(Cast { first, second: None }));
    }
    let between = match (from.kind(), to.kind()) {
        (Kind::Complex, _) => None,
        (_, Kind::Complex) => Some(to.real()),
        _ => Some(DType::Float32),
    };
    let steps = between.and_then(|between| Some((step(from, between)?, between, step(between, to)?)));
    match steps {
        Some((first, between, second)) => Ok(Some(Cast { first, second: Some((between, second)) })),
        None => Err(Error::argument(
            op,
            format!("dtype {from} to {to}: complex numbers have no real value; take real or abs"),
        )),
    }
}

/// Cast by `as`: integers wrap, floats saturate, NaN is 0.
trait As<T>: Element {
    fn cast(self) -> T;
}

macro_rules! by_as {
    ($($from:ty: $($to:ty)*;)*) => {
        $($(impl As<$to> for $from {
            #[inline(always)]
            fn cast(self) -> $to {
                self as $to
            }
        })*)*
    };
}
macro_rules! from_integers {
    ($($from:ty)*) => { by_as! { $($from: i8 i16 i32 i64 u8 u16 u32 u64 f32 f64;)* } };
}
from_integers!(i8 i16 i32 i64 u8 u16 u32 u64);
by_as! {
    f32: f32 f64;
    f64: f32 f64;
}

/// The same in steps that become vector code, which `as` does not.
macro_rules! by_range {
    ($($from:ty: $($to:ty)*;)*) => {
        $($(impl As<$to> for $from {
            #[inline(always)]
            fn cast(self) -> $to {
                // The least, and what comes after the greatest: powers of 2 and 0.
                const LEAST: $from = <$to>::MIN as $from;
                const AFTER: $from = (<$to>::MAX / 2 + 1) as $from * 2.0;
                let inside = if (LEAST..AFTER).contains(&self) { self } else { 0.0 };
                // SAFETY: within the range of the type, so that without its fraction it is one of it; not NaN.
                let whole = unsafe { inside.to_int_unchecked::<$to>() };
                if self >= AFTER {
                    <$to>::MAX
                } else if self < LEAST {
                    <$to>::MIN
                } else {
                    whole
                }
            }
        })*)*
    };
}
by_range! {
    f32: i8 i16 i32 i64 u8 u16 u32 u64;
    f64: i8 i16 i32 i64 u8 u16 u32 u64;
}

macro_rules! machine {
    ($($from:ty)*) => {
        /// The loop between two machine numbers; a boolean is read as the byte it is.
        fn machine(from: DType, to: DType) -> Option<Loop> {
            $(if from == <$from>::DTYPE { return machine_to::<$from>(to); })*
            (from == DType::Bool).then(|| machine_to::<u8>(to))?
        }
        fn machine_to<A: Element $(+ As<$from>)*>(to: DType) -> Option<Loop> {
            $(if to == <$from>::DTYPE { return Some(run::<By, A, $from>); })*
            (to == DType::Bool).then_some(run::<NotZero, A, crate::Bool> as Loop)
        }
    };
}
machine!(i8 i16 i32 i64 u8 u16 u32 u64 f32 f64);

/// How one element is cast.
trait Rule<A, B> {
    fn cast(value: A) -> B;
}

struct By;
impl<A: As<B>, B> Rule<A, B> for By {
    #[inline(always)]
    fn cast(value: A) -> B {
        value.cast()
    }
}

struct NotZero;
impl<A: Element> Rule<A, crate::Bool> for NotZero {
    #[inline(always)]
    fn cast(value: A) -> crate::Bool {
        crate::Bool::from(value != A::default())
    }
}

/// The casts that have no `as`.
struct Other;
macro_rules! other {
    ($($from:ty, $to:ty, $x:ident => $value:expr;)*) => {
        $(impl Rule<$from, $to> for Other {
            #[inline(always)]
            fn cast($x: $from) -> $to {
                $value
            }
        })*
        /// The loop that casts in one step, if there is one.
        fn step(from: DType, to: DType) -> Option<Loop> {
            $(if from == <$from>::DTYPE && to == <$to>::DTYPE { return Some(run::<Other, $from, $to>); })*
            if to == DType::Bool && from.kind() == Kind::Complex {
                return Some(visit(from, ToBool));
            }
            machine(from, to)
        }
    };
}
other! {
    f16, f32, x => x.to_f32();
    bf16, f32, x => x.to_f32();
    f16, f64, x => x.to_f64();
    bf16, f64, x => x.to_f64();
    f32, f16, x => f16::from_f32(x);
    f32, bf16, x => bf16::from_f32(x);
    f64, f16, x => f16::from_f32(to_odd(x));
    f64, bf16, x => bf16::from_f32(to_odd(x));
    f32, Complex<f32>, x => Complex::new(x, 0.0);
    f32, Complex<f64>, x => Complex::new(f64::from(x), 0.0);
    f64, Complex<f64>, x => Complex::new(x, 0.0);
    f64, Complex<f32>, x => Complex::new(x as f32, 0.0);
    Complex<f32>, Complex<f64>, x => Complex::new(f64::from(x.re), f64::from(x.im));
    Complex<f64>, Complex<f32>, x => Complex::new(x.re as f32, x.im as f32);
}

/// The number in `float32`, where a last bit that is set says that something was rounded: what is rounded from it to 16 bits is
/// what would be from the number itself. (`half` rounds twice, or drops 32 bits first.) Boldo and Melquiond, "When double
/// rounding is odd", 2005.
#[inline(always)]
pub(crate) fn to_odd(x: f64) -> f32 {
    let near = x as f32;
    let (bits, back) = (near.to_bits(), f64::from(near));
    if back == x || x.is_nan() || bits & 1 == 1 {
        return near;
    }
    f32::from_bits(if back.abs() > x.abs() { bits - 1 } else { bits + 1 })
}

struct ToBool;
impl Visitor for ToBool {
    type Output = Loop;
    fn visit<T: Element>(self) -> Loop {
        run::<NotZero, T, crate::Bool>
    }
}

struct Cells<'a, R, A, B> {
    from: &'a [A],
    to: &'a mut [B],
    rule: PhantomData<R>,
}

impl<R: Rule<A, B>, A: Copy, B> Kernel for Cells<'_, R, A, B> {
    const VECTORS: bool = true;
    type Output = ();
    #[inline(always)]
    fn run(self) {
        for (to, from) in self.to.iter_mut().zip(self.from) {
            *to = R::cast(*from);
        }
    }
}

unsafe fn run<R: Rule<A, B>, A: Copy, B>(n: usize, from: *const u8, to: *mut u8) {
    // SAFETY: by the contract of `Loop`, `n` elements of these types, dense, aligned and apart.
    let (from, to) =
        unsafe { (std::slice::from_raw_parts(from.cast(), n), std::slice::from_raw_parts_mut(to.cast(), n)) };
    widest(Cells::<R, A, B> { from, to, rule: PhantomData });
}

#[cfg(test)]
mod tests {
    use super::As;
    use crate::{Array, DType, bf16, f16};
    use icicle_device::Device;

    /// As Rust's `as`: toward 0, the nearest end of the range outside it, NaN as 0.
    #[test]
    fn floats_become_integers_as_by_as() {
        macro_rules! check {
            ($x:expr, $from:ty: $($to:ty)*) => {$(
                let x: $from = $x;
                assert_eq!(As::<$to>::cast(x), x as $to, "{x} {}", stringify!($to));
            )*};
        }
        // Every exponent, both signs, and the neighbours of each power of 2, of zero, infinity and NaN.
        let steps: [u32; 9] = [0, 1, 2, 3, (1 << 22) - 1, 1 << 22, (1 << 23) - 2, (1 << 23) - 1, 12345];
        for high in 0..1u32 << 9 {
            for low in steps {
                check!(f32::from_bits(high << 23 | low), f32: i8 i16 i32 i64 u8 u16 u32 u64);
            }
        }
        for high in 0..1u64 << 12 {
            for low in steps {
                for low in [u64::from(low), u64::from(low) << 29, (1 << 52) - 1 - u64::from(low)] {
                    check!(f64::from_bits(high << 52 | low), f64: i8 i16 i32 i64 u8 u16 u32 u64);
                }
            }
        }
        for k in -70_000..70_000 {
            check!(k as f32 / 2.0, f32: i8 i16 u8 u16);
            check!(f64::from(k) / 2.0, f64: i8 i16 u8 u16);
        }
    }

    /// Halfway between neighbours to the even one, and just beside it to the nearer: for all numbers of 16 bits.
    #[test]
    fn doubles_are_rounded_once() {
        let cast = |x: f64, dtype| Array::from_slice_on(Device::cpu(0), &[x], &[]).unwrap().astype(dtype).unwrap();
        let f16 = |x: f64| cast(x, DType::Float16).to_vec::<f16>().unwrap()[0].to_bits();
        let bf16 = |x: f64| cast(x, DType::BFloat16).to_vec::<bf16>().unwrap()[0].to_bits();
        type Format<'a> = (&'a dyn Fn(f64) -> u16, fn(u16) -> f64, u16);
        let formats: [Format<'_>; 2] =
            [(&f16, |x| f16::from_bits(x).to_f64(), 0x7bff), (&bf16, |x| bf16::from_bits(x).to_f64(), 0x7f7f)];
        for (cast, value, most) in formats {
            for low in 0..=most {
                // After the largest comes what would be next, which is infinity.
                let step = value(low) - value(low.max(1) - 1);
                let next = if low == most { value(low) + step } else { value(low + 1) };
                let middle = (value(low) + next) / 2.0;
                let even = low + (low & 1);
                assert_eq!([cast(middle.next_down()), cast(middle), cast(middle.next_up())], [low, even, low + 1]);
                let negative = [cast(-middle.next_down()), cast(-middle), cast(-middle.next_up())];
                assert_eq!(negative, [low, even, low + 1].map(|bits| bits | 1 << 15));
            }
            assert_eq!(cast(f64::MAX), most + 1);
            assert_eq!([cast(f64::from_bits(1)), cast(-f64::from_bits(1))], [0, 1 << 15]);
        }
        assert!(f16::from_bits(f16(f64::NAN)).is_nan() && bf16::from_bits(bf16(f64::NAN)).is_nan());
    }
}

//! The classes of types that rows of the tables name.

/// Give a macro each type of a class, followed by what else it takes.
macro_rules! each {
    (bool, $m:ident!($($more:tt)*)) => { $m!($crate::Bool, $($more)*); };
    (signed, $m:ident!($($more:tt)*)) => {
        $m!(i8, $($more)*); $m!(i16, $($more)*); $m!(i32, $($more)*); $m!(i64, $($more)*);
    };
    (unsigned, $m:ident!($($more:tt)*)) => {
        $m!(u8, $($more)*); $m!(u16, $($more)*); $m!(u32, $($more)*); $m!(u64, $($more)*);
    };
    (integer, $m:ident!($($more:tt)*)) => {
        $crate::elementwise::classes::each!(signed, $m!($($more)*));
        $crate::elementwise::classes::each!(unsigned, $m!($($more)*));
    };
    (float, $m:ident!($($more:tt)*)) => { $m!(f32, $($more)*); $m!(f64, $($more)*); };
    (half, $m:ident!($($more:tt)*)) => { $m!($crate::f16, $($more)*); $m!($crate::bf16, $($more)*); };
    (complex, $m:ident!($($more:tt)*)) => {
        $m!($crate::Complex<f32>, $($more)*); $m!($crate::Complex<f64>, $($more)*);
    };
}
pub(crate) use each;

/// The type of a row's results: that of its operands, booleans, or that of a complex number's parts.
macro_rules! result {
    (same, $t:ty) => {
        $t
    };
    (bool, $t:ty) => {
        $crate::Bool
    };
    (part, $t:ty) => {
        <$t as $crate::elementwise::classes::Parts>::Part
    };
}
pub(crate) use result;

/// A complex number and the type of its parts.
pub(crate) trait Parts {
    type Part;
}
impl Parts for crate::Complex<f32> {
    type Part = f32;
}
impl Parts for crate::Complex<f64> {
    type Part = f64;
}

/// How much an operation does, and whether its loop becomes vector code.
macro_rules! weight {
    (light) => {
        (true, icicle_cpu::blocks::Work::Light)
    };
    (long) => {
        (true, icicle_cpu::blocks::Work::Heavy)
    };
    (heavy) => {
        (false, icicle_cpu::blocks::Work::Heavy)
    };
}
pub(crate) use weight;

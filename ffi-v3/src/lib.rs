//! `libicicle_v3.so`: the two names whose meaning changed between ICICLE v3 and v4.
//!
//! In v3 `bn254_eq` compares projective points and returns the answer; in v4, and in `libicicle.so`, it compares scalars.
//! Clients of v3 load this library, which answers for `X_eq` and `X_g2_eq` and needs `libicicle.so` for all else.
// Two libraries meet here: declaring the other's symbols and exporting ours.
#![allow(unsafe_code)]
#![allow(clippy::missing_safety_doc)] // the contract of `X_projective_eq`, see icicle.h

use std::ffi::c_void;

/// Declare `<prefix>_projective_eq` and export it as `<prefix>_eq`. Arguments: prefixes.
macro_rules! equalities {
    ($($prefix:ident)*) => { pastey::paste! {
        unsafe extern "C" {
            $(fn [<$prefix _projective_eq>](point1: *const c_void, point2: *const c_void) -> bool;)*
        }
        $(
            #[doc = concat!("Whether two projective points of `", stringify!($prefix), "` are equal; false of null and of `(0, 0, 0)`.")]
            #[unsafe(no_mangle)]
            pub unsafe extern "C" fn [<$prefix _eq>](point1: *const c_void, point2: *const c_void) -> bool {
                // SAFETY: the caller's promise, passed on.
                unsafe { [<$prefix _projective_eq>](point1, point2) }
            }
        )*
    } };
}

equalities! {
    bn254 bn254_g2 bls12_381 bls12_381_g2 bls12_377 bls12_377_g2 bw6_761 bw6_761_g2 grumpkin
}

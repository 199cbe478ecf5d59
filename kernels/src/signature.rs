//! Kernels as the host launches them: each stands once in the table of its family, with its parameters' types, so that a
//! launch with other arguments does not compile. The GPU's tests compare the tables with what the driver says.

use crate::number::Number;
use bytemuck::Pod;
use icicle_params::{CurveId, FieldId};
use std::ffi::c_void;
use std::marker::PhantomData;

/// A value passed to a kernel: plain data, copied at launch, of the very type the kernel declares.
pub trait KernelArg {
    /// Address of the value.
    fn address(&self) -> *const c_void;
}

impl<T: Pod> KernelArg for T {
    fn address(&self) -> *const c_void {
        (&raw const *self).cast()
    }
}

/// The type of a kernel's parameter.
pub trait Parameter: KernelArg {
    /// Its length; none where that depends on the field.
    const BYTES: Option<usize>;
}

impl<T: Pod> Parameter for T {
    const BYTES: Option<usize> = Some(size_of::<T>());
}

/// All parameters of a kernel, in order: a tuple.
pub trait Parameters {
    /// The length of each.
    const BYTES: &'static [Option<usize>];
    /// Call `f` with the values.
    fn with<R>(&self, f: impl FnOnce(&[&dyn KernelArg]) -> R) -> R;
}

macro_rules! tuples {
    ($($done:ident)*; $next:ident $($rest:ident)*) => {
        impl<$($done: Parameter,)* $next: Parameter> Parameters for ($($done,)* $next,) {
            const BYTES: &'static [Option<usize>] = &[$($done::BYTES,)* $next::BYTES];
            #[allow(non_snake_case)] // a type's name for its value
            fn with<R>(&self, f: impl FnOnce(&[&dyn KernelArg]) -> R) -> R {
                let ($($done,)* $next,) = self;
                f(&[$($done,)* $next])
            }
        }
        tuples!($($done)* $next; $($rest)*);
    };
    ($($done:ident)*;) => {};
}
tuples!(; A B C D E F G H I J K L M N);

/// Kernels that stand in one table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Family {
    /// Vectors of a field.
    Field,
    /// What moves elements.
    Layout,
    /// Transforms.
    Ntt,
    /// Multi-scalar multiplication.
    Msm,
    /// The counting sort.
    Sort,
    /// Arrays of points.
    Point,
    /// Transforms of points.
    Ecntt,
    /// Sorting of arrays, by the size of keys.
    ArraySort,
    /// Sorting of arrays, whatever the keys.
    ArrayIndex,
    /// Scans and compaction of arrays.
    ArrayScan,
    /// Search in arrays.
    ArraySearch,
    /// Places of arrays' rows.
    ArrayPlaces,
    /// Arrays' rows, by the size of words.
    ArrayRows,
    /// Products of arrays.
    ArrayProduct,
    /// Products of arrays by warpgroups.
    ArrayWarpgroup,
    /// Operations on arrays' elements, a few instructions each.
    ArrayLight,
    /// Operations on arrays' elements that take more.
    ArrayHeavy,
    /// Folds of arrays.
    ArrayFold,
    /// Random numbers.
    ArrayRandom,
    /// Reductions of numbers over ranks.
    ArrayRanks,
    /// Encrypted integers.
    Fhe,
}

/// What a family's kernels are compiled for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Owner {
    /// Any data.
    Any,
    /// Elements of so many 32-bit words.
    Words(usize),
    /// Elements of so many bytes.
    Bytes(usize),
    /// Numbers that are multiplied.
    Number(Number),
    /// Elements of the dtype of this number.
    Element(usize),
    /// A field that is its own [`crate::names::kernel_field`].
    Field(FieldId),
    /// A curve group that is its own [`crate::names::kernel_curve`].
    Curve(CurveId),
}

/// A kernel of a table, whose parameters are `P`.
pub struct Entry<P> {
    /// Its table.
    pub family: Family,
    /// Its place there.
    pub index: usize,
    parameters: PhantomData<fn(P)>,
}

impl<P> Clone for Entry<P> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<P> Copy for Entry<P> {}

impl<P: Parameters> Entry<P> {
    /// The entry of an operation.
    ///
    /// # Panics
    /// If the table has no such operation; of a constant, when it is compiled.
    pub(crate) const fn of(family: Family, table: &[Signature], op: &str) -> Self {
        let mut index = 0;
        while !is_same(table[index].op.as_bytes(), op.as_bytes()) {
            index += 1;
        }
        Self { family, index, parameters: PhantomData }
    }
}

const fn is_same(a: &[u8], b: &[u8]) -> bool {
    let mut i = 0;
    while i < a.len() && i < b.len() && a[i] == b[i] {
        i += 1;
    }
    i == a.len() && i == b.len()
}

/// A row of a table.
#[derive(Clone, Copy, Debug)]
pub struct Signature {
    /// The operation: the end of the kernel's name.
    pub op: &'static str,
    /// Names of its parameters.
    pub parameters: &'static str,
    /// The length of each parameter; none where that depends on the field.
    pub bytes: &'static [Option<usize>],
}

/// A table of kernels, and a constant for each, by which it is launched.
macro_rules! kernels {
    ($(#[$about:meta])* $table:ident: $family:ident {
        $($name:ident = $op:literal ($($parameter:ident: $kind:ty),+ $(,)?);)+
    }) => {
        $(#[$about])*
        pub const $table: &[$crate::signature::Signature] = &[$($crate::signature::Signature {
            op: $op,
            parameters: $crate::signature::listed!($($parameter)+),
            bytes: <($($kind,)+) as $crate::signature::Parameters>::BYTES,
        }),+];
        $(
            #[doc = concat!("`", $op, "(", $crate::signature::listed!($($parameter)+), ")`.")]
            pub const $name: $crate::signature::Entry<($($kind,)+)> =
                $crate::signature::Entry::of($crate::signature::Family::$family, $table, $op);
        )+
    };
}
pub(crate) use kernels;

/// Names with commas between them.
macro_rules! listed {
    ($first:ident $($rest:ident)*) => { concat!(stringify!($first) $(, ", ", stringify!($rest))*) };
}
pub(crate) use listed;

/// Where something lies on the device.
pub type Address = u64;

/// `[address, step, whether projective]`: `PointsIn` of `point/`.
pub type PointsIn = [u64; 3];

#[cfg(test)]
mod tests {
    use super::*;

    kernels! {
        /// Two kernels.
        TABLE: Sort {
            ADD = "add"(a: Address, n: u32);
            ADDED = "added"(bits: [u32; 12]);
        }
    }

    #[test]
    fn entries_know_their_places_and_parameters() {
        assert_eq!((ADD.family, ADD.index, ADDED.index), (Family::Sort, 0, 1));
        assert_eq!((TABLE[0].bytes, TABLE[1].bytes), (&[Some(8), Some(4)][..], &[Some(48)][..]));
        assert_eq!(TABLE[0].parameters, "a, n");
    }

    #[test]
    fn arguments_are_passed_by_address_in_order() {
        let arguments = (7u64, [1u32, 2, 3]);
        arguments.with(|all| {
            let passed: Vec<_> = all.iter().map(|argument| argument.address()).collect();
            assert_eq!(passed, [(&raw const arguments.0).cast(), (&raw const arguments.1).cast()]);
        });
    }
}

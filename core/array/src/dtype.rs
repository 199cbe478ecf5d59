//! What an array's elements are: names, numbers, sizes and kinds, in one table.

use crate::boolean::Bool;
use crate::{Complex, bf16, f16};
use bytemuck::Pod;
use icicle_error::{Error, Result};
use std::fmt;
use std::str::FromStr;

/// What dtypes have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// True and false.
    Bool,
    /// Integers of both signs.
    Signed,
    /// Integers from 0 on.
    Unsigned,
    /// Real floating-point numbers.
    Float,
    /// Pairs of real floating-point numbers.
    Complex,
}

mod sealed {
    pub trait Sealed {}
}

/// A Rust type that is the element of a dtype.
pub trait Element: sealed::Sealed + Pod + Send + Sync + PartialEq + Default + fmt::Debug {
    /// Its dtype.
    const DTYPE: DType;
}

macro_rules! dtypes {
    ($($name:ident, $type:ty, $number:literal, $text:literal, $kind:ident;)*) => {
        /// The type of an array's elements. The numbers are for other languages; none is ever reused.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(i32)]
        pub enum DType {
            $(
                #[doc = concat!("`", $text, "`")]
                $name = $number,
            )*
        }

        impl DType {
            /// Every dtype.
            pub const ALL: &[Self] = &[$(Self::$name,)*];

            /// Its name in the array API, such as `float32`.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$name => $text,)* }
            }
            /// Bytes of an element.
            #[inline]
            pub const fn bytes(self) -> usize {
                match self { $(Self::$name => size_of::<$type>(),)* }
            }
            /// What it has in common with others.
            #[inline]
            pub const fn kind(self) -> Kind {
                match self { $(Self::$name => Kind::$kind,)* }
            }
        }

        $(
            impl sealed::Sealed for $type {}
            impl Element for $type {
                const DTYPE: DType = DType::$name;
            }
        )*

        /// Call a visitor with the Rust type of a dtype.
        pub(crate) fn visit<V: Visitor>(dtype: DType, visitor: V) -> V::Output {
            match dtype { $(DType::$name => visitor.visit::<$type>(),)* }
        }
    };
}

dtypes! {
    Bool, Bool, 0, "bool", Bool;
    Int8, i8, 1, "int8", Signed;
    Int16, i16, 2, "int16", Signed;
    Int32, i32, 3, "int32", Signed;
    Int64, i64, 4, "int64", Signed;
    UInt8, u8, 5, "uint8", Unsigned;
    UInt16, u16, 6, "uint16", Unsigned;
    UInt32, u32, 7, "uint32", Unsigned;
    UInt64, u64, 8, "uint64", Unsigned;
    Float16, f16, 9, "float16", Float;
    BFloat16, bf16, 10, "bfloat16", Float;
    Float32, f32, 11, "float32", Float;
    Float64, f64, 12, "float64", Float;
    Complex64, Complex<f32>, 13, "complex64", Complex;
    Complex128, Complex<f64>, 14, "complex128", Complex;
}

/// What is done for whichever Rust type a dtype has.
pub(crate) trait Visitor {
    /// Its result.
    type Output;
    /// Do it for one type.
    fn visit<T: Element>(self) -> Self::Output;
}

impl DType {
    /// Whether it is a signed or unsigned integer.
    pub const fn is_integer(self) -> bool {
        matches!(self.kind(), Kind::Signed | Kind::Unsigned)
    }
    /// Whether it is real or complex floating point.
    pub const fn is_floating(self) -> bool {
        matches!(self.kind(), Kind::Float | Kind::Complex)
    }
    /// Whether arithmetic is done in `float32` and rounded: the 16-bit floats.
    pub(crate) const fn is_half(self) -> bool {
        matches!(self, Self::Float16 | Self::BFloat16)
    }
    /// The dtype of its real parts: that of complex numbers' parts, else itself.
    #[inline]
    pub const fn real(self) -> Self {
        match self {
            Self::Complex64 => Self::Float32,
            Self::Complex128 => Self::Float64,
            other => other,
        }
    }
    /// The alignment of an element.
    pub const fn align(self) -> usize {
        match self {
            Self::Complex64 => 4,
            Self::Complex128 => 8,
            other => other.bytes(),
        }
    }
    /// The dtype of a number.
    ///
    /// # Errors
    /// `InvalidArgument` if none has it.
    pub fn from_number(number: i32) -> Result<Self> {
        let found = Self::ALL.iter().find(|d| **d as i32 == number);
        found.copied().ok_or_else(|| Error::argument("dtype", format!("number {number}: names no dtype")))
    }
}

impl fmt::Display for DType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for DType {
    type Err = Error;

    /// The dtype of an array-API name.
    fn from_str(name: &str) -> Result<Self> {
        let found = Self::ALL.iter().find(|d| d.name() == name);
        found
            .copied()
            .ok_or_else(|| Error::argument("dtype", format!("name {name:?}: names no dtype, such as float32")))
    }
}

//! Numbers as kernels know them.

/// Numbers that kernels multiply: integers by their size, as wrapping makes no difference of their signs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // the numbers
pub enum Number {
    U8,
    U16,
    U32,
    U64,
    F16,
    BF16,
    F32,
    F64,
    C64,
    C128,
}

impl Number {
    /// All of them.
    pub const ALL: [Self; 10] =
        [Self::U8, Self::U16, Self::U32, Self::U64, Self::F16, Self::BF16, Self::F32, Self::F64, Self::C64, Self::C128];

    /// What its kernels' names begin with.
    pub const fn name(self) -> &'static str {
        match self {
            Self::U8 => "u8",
            Self::U16 => "u16",
            Self::U32 => "u32",
            Self::U64 => "u64",
            Self::F16 => "f16",
            Self::BF16 => "bf16",
            Self::F32 => "f32",
            Self::F64 => "f64",
            Self::C64 => "c64",
            Self::C128 => "c128",
        }
    }

    /// Bytes of a number.
    pub const fn bytes(self) -> usize {
        match self {
            Self::U8 => 1,
            Self::U16 | Self::F16 | Self::BF16 => 2,
            Self::U32 | Self::F32 => 4,
            Self::U64 | Self::F64 | Self::C64 => 8,
            Self::C128 => 16,
        }
    }
}

//! Which vector instructions are used: the widest the processor has, or fewer if `ICICLE_CPU_ISA` says so.
//!
//! The variable is for tests and for comparing: `scalar`, `avx2` or `avx512`. It is read once. With another value, or one
//! the processor does not have, there are no CPU devices, and the error of asking for one says why.

use std::sync::LazyLock;

/// Sets of vector instructions, each part of the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Isa {
    /// None but what every processor of the architecture has.
    Scalar,
    /// AVX2.
    Avx2,
    /// AVX-512 F, BW, DQ and VL.
    Avx512,
}

const VARIABLE: &str = "ICICLE_CPU_ISA";
const NAMES: [(&str, Isa); 3] = [("scalar", Isa::Scalar), ("avx2", Isa::Avx2), ("avx512", Isa::Avx512)];

impl Isa {
    /// What the processor has.
    fn widest() -> Self {
        #[cfg(target_arch = "x86_64")]
        {
            macro_rules! has {
                ($($feature:tt)*) => { true $(&& std::is_x86_feature_detected!($feature))* };
            }
            if has!("avx512f" "avx512bw" "avx512dq" "avx512vl") {
                return Self::Avx512;
            }
            if has!("avx2") {
                return Self::Avx2;
            }
        }
        Self::Scalar
    }

    /// The variable's name of it.
    pub fn name(self) -> &'static str {
        NAMES[self as usize].0
    }

    /// Read the variable's value.
    fn parse(text: &str, widest: Self) -> Result<Self, String> {
        match NAMES.iter().find(|(name, _)| *name == text) {
            None => Err(format!("{VARIABLE} {text:?}: must be scalar, avx2 or avx512")),
            Some(&(name, isa)) if isa > widest => {
                Err(format!("{VARIABLE} {name}: this processor has {}", widest.name()))
            }
            Some(&(_, isa)) => Ok(isa),
        }
    }
}

static CHOSEN: LazyLock<Result<Isa, String>> = LazyLock::new(|| {
    let widest = Isa::widest();
    let text = std::env::var_os(VARIABLE);
    text.map_or(Ok(widest), |text| Isa::parse(&text.to_string_lossy(), widest))
});

/// What is used; nothing runs where the variable is refused.
#[inline]
pub fn chosen() -> Isa {
    *CHOSEN.as_ref().unwrap_or(&Isa::Scalar)
}

/// Why the variable cannot be obeyed.
pub fn refused() -> Option<String> {
    CHOSEN.as_ref().err().cloned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_and_others_refused() {
        for (name, isa) in NAMES {
            assert_eq!((Isa::parse(name, Isa::Avx512), isa.name()), (Ok(isa), name));
        }
        assert_eq!(Isa::parse("avx512", Isa::Avx2), Err("ICICLE_CPU_ISA avx512: this processor has avx2".to_owned()));
        for text in ["", "AVX2", "avx", "avx512 ", "neon"] {
            let error = Isa::parse(text, Isa::Avx512).unwrap_err();
            assert_eq!(error, format!("ICICLE_CPU_ISA {text:?}: must be scalar, avx2 or avx512"));
        }
    }
}

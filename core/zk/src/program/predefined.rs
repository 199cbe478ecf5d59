//! Circuits known by number.

use super::symbol::Symbol;

/// A circuit the library knows by number, ICICLE's `PreDefinedPrograms`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub enum Predefined {
    /// Of `a, b, c`: `a·b − c`.
    AbMinusC = 0,
    /// Of `a, b, c, eq`: `eq·(a·b − c)`.
    EqTimesAbMinusC = 1,
}

impl Predefined {
    /// The circuit with this number.
    pub fn from_number(number: i32) -> Option<Self> {
        [Self::AbMinusC, Self::EqTimesAbMinusC].into_iter().find(|p| *p as i32 == number)
    }

    /// Its parameters: the inputs, then the result.
    pub(crate) fn parameters(self) -> Vec<Symbol> {
        let count = match self {
            Self::AbMinusC => 3,
            Self::EqTimesAbMinusC => 4,
        };
        let mut symbols: Vec<_> = (0..count).map(Symbol::input).collect();
        let difference = &(&symbols[0] * &symbols[1]) - &symbols[2];
        symbols.push(match self {
            Self::AbMinusC => difference,
            Self::EqTimesAbMinusC => &symbols[3] * &difference,
        });
        symbols
    }
}

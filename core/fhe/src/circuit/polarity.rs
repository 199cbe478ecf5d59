//! Whether ciphertexts have the noise of those they were made from, or its negative.

/// How the noise of an array's ciphertexts may go together with that of others made from the same ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Polarity {
    /// As it was.
    Plain,
    /// Negated, as a complement's is.
    Negated,
    /// Of some elements negated, of others not.
    Mixed,
}

impl Polarity {
    /// Of the complement.
    pub(crate) fn negated(self) -> Self {
        match self {
            Self::Plain => Self::Negated,
            Self::Negated => Self::Plain,
            Self::Mixed => Self::Mixed,
        }
    }

    /// Of both together.
    pub(crate) fn joined(self, other: Self) -> Self {
        if self == other { self } else { Self::Mixed }
    }

    /// Of a multiple.
    pub(super) fn times(self, weight: i64) -> Self {
        if weight < 0 { self.negated() } else { self }
    }

    /// Whether noise that both share would cancel in their sum, not add up.
    pub(super) fn cancels(self, other: Self) -> bool {
        matches!((self, other), (Self::Plain, Self::Negated) | (Self::Negated, Self::Plain))
    }
}

//! What cuFFT's plans are for, and those that a device keeps.

use crate::recent::Recent;
use std::ffi::c_int;
use std::sync::Mutex;

/// `cufftHandle`.
pub(super) type Plan = c_int;

/// A transform by what it takes and gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Complex numbers to complex ones, forward.
    Forward,
    /// Complex numbers to complex ones, inverse.
    Inverse,
    /// Real numbers to the first `n / 2 + 1` of the forward one's along the last axis.
    Halved,
    /// Back to real numbers, inverse.
    Doubled,
}

/// Axes of one transform at most.
pub const MOST_AXES: usize = 3;

/// What a plan is for: transforms that lie dense, one behind another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// What it takes and gives.
    pub kind: Kind,
    /// Whether numbers are of 64 bits, else of 32.
    pub double: bool,
    /// Elements in time along each axis, the last densest, unused axes in front 1.
    pub extents: [i64; MOST_AXES],
    /// How many transforms.
    pub batch: i64,
}

impl Shape {
    /// The axes that have more than one element; one at least.
    pub(super) fn axes(&self) -> &[i64] {
        let first = self.extents.iter().position(|&extent| extent != 1).unwrap_or(MOST_AXES - 1);
        &self.extents[first..]
    }

    /// `cudaDataType_t` of library_types.h: taken, given, computed.
    pub(super) fn types(&self) -> [c_int; 3] {
        let (real, complex) = if self.double { (1, 5) } else { (0, 4) };
        match self.kind {
            Kind::Forward | Kind::Inverse => [complex, complex, complex],
            Kind::Halved => [real, complex, complex],
            Kind::Doubled => [complex, real, complex],
        }
    }

    /// Elements of one transform as they are taken, and given.
    pub(super) fn steps(&self) -> [i64; 2] {
        let axes = self.axes();
        let (last, outer) = (axes[axes.len() - 1], axes[..axes.len() - 1].iter().product::<i64>());
        let (whole, half) = (outer * last, outer * (last / 2 + 1));
        match self.kind {
            Kind::Forward | Kind::Inverse => [whole, whole],
            Kind::Halved => [whole, half],
            Kind::Doubled => [half, whole],
        }
    }

    /// What plans are found by: one serves both directions.
    pub(super) fn key(self) -> Self {
        if self.kind == Kind::Inverse { Self { kind: Kind::Forward, ..self } } else { self }
    }
}

/// Plans that a device keeps; each holds a table of factors on the device.
const KEPT: usize = 32;

/// Plans made for a device, those used last.
pub struct Plans(pub(super) Mutex<Recent<Shape, Made, KEPT>>);

impl Default for Plans {
    fn default() -> Self {
        Self(Mutex::new(Recent::new()))
    }
}

/// A plan, and the memory that executing it takes.
#[derive(Clone, Copy)]
pub(crate) struct Made {
    pub(super) plan: Plan,
    pub(super) work: usize,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape(kind: Kind, extents: [i64; MOST_AXES]) -> Shape {
        Shape { kind, double: false, extents, batch: 5 }
    }

    #[test]
    fn axes_of_one_element_in_front_are_no_axes() {
        for (extents, axes) in [
            ([1, 1, 8], &[8][..]),
            ([1, 3, 8], &[3, 8]),
            ([2, 1, 8], &[2, 1, 8]),
            ([1, 8, 1], &[8, 1]),
            ([1, 1, 1], &[1]),
        ] {
            assert_eq!(shape(Kind::Forward, extents).axes(), axes);
        }
    }

    #[test]
    fn transforms_lie_one_behind_another() {
        for (kind, extents, steps) in [
            (Kind::Forward, [1, 3, 8], [24, 24]),
            (Kind::Inverse, [2, 3, 7], [42, 42]),
            (Kind::Halved, [1, 1, 8], [8, 5]),
            (Kind::Halved, [1, 1, 7], [7, 4]),
            (Kind::Halved, [1, 1, 1], [1, 1]),
            (Kind::Doubled, [1, 1, 8], [5, 8]),
            (Kind::Doubled, [2, 3, 7], [24, 42]),
        ] {
            assert_eq!(shape(kind, extents).steps(), steps, "{kind:?} {extents:?}");
        }
    }

    #[test]
    fn both_directions_have_one_plan() {
        let [forward, inverse] = [Kind::Forward, Kind::Inverse].map(|kind| shape(kind, [1, 1, 8]));
        assert_eq!(forward.key(), inverse.key());
        let [halved, doubled] = [Kind::Halved, Kind::Doubled].map(|kind| shape(kind, [1, 1, 8]));
        assert!(halved.key() != doubled.key() && halved.key() != forward.key());
        assert_ne!(Shape { double: true, ..forward }.key(), forward.key());
        assert_ne!(Shape { batch: 6, ..forward }.key(), forward.key());
    }
}

//! Which network and which permutations make up a transform.

#[cfg(target_arch = "x86_64")]
use super::domain::Leaves;
use super::domain::{self, Domain, Table};
use super::kernel::Element;
use super::network::Network;
use super::reverse::reversed;
use crate::args::ntt::{Direction, NttArgs};
use icicle_algebra::PrimeField;
use icicle_cpu::parallel::chunks;
use icicle_device::Device;
use icicle_error::Result;
use icicle_error::reserve::with_capacity;
use std::sync::Arc;

/// Log of the rows one task multiplies by powers.
const LOG_POWERS: u32 = 10;

/// A transform, ready to run on any number of vectors.
pub(super) struct Plan<F> {
    /// Bring the input into bit-reversed order first.
    pub reverse_first: bool,
    /// Bring the output into bit-reversed order at last.
    pub reverse_last: bool,
    op: &'static str,
    log_n: u32,
    domain: Arc<Domain<F>>,
    direction: Direction,
    /// The root of order `2^log_n` of the direction.
    #[cfg_attr(not(target_arch = "x86_64"), allow(dead_code))]
    pub root: F,
    /// Whether the network goes from natural to reversed order.
    pub down: bool,
    /// `g^(2^i)` of the network's coset generator `g`.
    pub shifts: Vec<F>,
    /// Factor of every element.
    pub scale: Option<F>,
    /// Of a coset generator of the other side of the network, whose powers are a pass of their own.
    pub powers: Option<Powers<F>>,
}

/// The powers of a coset generator that rows in reversed order are multiplied by.
pub(super) struct Powers<F> {
    generator: F,
    /// Those of the rows of one task, the row of natural index 0 first.
    table: Vec<F>,
}

impl<F: PrimeField> Powers<F> {
    fn new(op: &'static str, generator: F, log_n: u32) -> Result<Self> {
        let (squares, low) = (squares(generator, log_n), log_n.min(LOG_POWERS));
        let mut table = with_capacity(op, 1 << low)?;
        table.push(F::ONE);
        // The low bits of a position are the high bits of the index.
        for bit in 0..low {
            let turn = squares[(log_n - 1 - bit) as usize];
            table.extend_from_within(..);
            let half = table.len() / 2;
            table[half..].iter_mut().for_each(|x| *x *= turn);
        }
        Ok(Self { generator, table })
    }
}

impl<F: PrimeField> Plan<F> {
    /// Plan a transform on a device.
    ///
    /// The network going down takes coefficients in natural order to values on a coset in reversed order, going up the
    /// way back, at no extra cost. A forward transform that goes up and an inverse one that goes down have the coset on
    /// the other side: these multiply by its powers.
    ///
    /// # Errors
    /// `InvalidArgument` if the device has no domain or a smaller one; `OutOfMemory`.
    pub fn new(op: &'static str, device: Device, args: &NttArgs) -> Result<Self> {
        let forward = args.direction == Direction::Forward;
        let (reversed_in, reversed_out) = (args.ordering.input_reversed(), args.ordering.output_reversed());
        // With equal orders there is a permutation: put it where the coset is free.
        let down = if reversed_in == reversed_out { forward } else { reversed_out };
        let domain = domain::find::<F>(op, device, args.field.scalar(), args.log_n)?;
        // Every domain found has the root.
        let root = domain.root(args.log_n).unwrap_or_default();
        let coset = args.coset.map(|words| F::from_words(&words));
        let coset = if forward { coset } else { coset.and_then(F::inverse) };
        let natural_side = down == forward;
        let shifts = coset.filter(|_| natural_side).map_or_else(Vec::new, |g| squares(g, args.log_n));
        let size = (0..args.log_n).fold(F::ONE, |x, _| x.double());
        Ok(Self {
            reverse_first: reversed_in == down,
            reverse_last: reversed_out != down,
            op,
            log_n: args.log_n,
            domain,
            direction: args.direction,
            root: if forward { root } else { root.inverse().unwrap_or_default() },
            down,
            shifts,
            scale: if forward { None } else { size.inverse() },
            powers: coset.filter(|_| !natural_side).map(|g| Powers::new(op, g, args.log_n)).transpose()?,
        })
    }

    /// The twiddles of `2^log_n` rows.
    ///
    /// # Errors
    /// `OutOfMemory`.
    pub fn twiddles(&self, log_n: u32) -> Result<Table<F>> {
        self.domain.twiddles(self.op, self.direction, log_n)
    }

    /// The numbers of the leaves of `2^log_n` elements.
    ///
    /// # Errors
    /// `OutOfMemory`.
    #[cfg(target_arch = "x86_64")]
    pub fn leaves(&self) -> Result<Leaves<F>> {
        self.domain.leaves(self.op, self.direction, self.log_n)
    }

    /// The factor of all elements that is left to the network: where [`Plan::multiply`] comes last, it sees to that.
    #[cfg(target_arch = "x86_64")]
    pub fn scale(&self) -> Option<F> {
        self.scale.filter(|_| self.powers.is_none() || !self.down)
    }

    /// Transform every `2^log_n` rows of `width` elements, input and output in the network's order, with the twiddles of as
    /// many rows.
    pub fn run<E: Element<Twiddle = F>>(&self, table: &[F], data: &mut [E::Stored], width: usize) {
        let vector = width << self.log_n;
        let network = Network { table, shifts: &self.shifts, scale: self.scale.filter(|_| !self.down), width };
        // Whole vectors per task, as many as a task takes.
        chunks(data, vector * (E::LEAF / vector).max(1), &|_, task| {
            for vector in task.chunks_exact_mut(vector) {
                if self.down {
                    network.down::<E>(vector, self.log_n);
                    if self.powers.is_some() || self.scale.is_some() {
                        self.multiply::<E>(vector, width);
                    }
                } else {
                    if self.powers.is_some() {
                        self.multiply::<E>(vector, width);
                    }
                    network.up::<E>(vector, self.log_n);
                }
            }
        });
    }

    /// Multiply the row of natural index `j`, rows in reversed order, by `g^j`, and going down by `scale` too.
    pub fn multiply<E: Element<Twiddle = F>>(&self, vector: &mut [E::Stored], width: usize) {
        let scale = self.scale.filter(|_| self.down).unwrap_or(F::ONE);
        let low = self.log_n.min(LOG_POWERS);
        let high = self.log_n - low;
        let times = |row: &mut [E::Stored], by: F| row.iter_mut().for_each(|x| *x = E::load(*x).times(by).store());
        chunks(vector, width << low, &|i, rows| {
            let Some(Powers { generator, table }) = &self.powers else {
                return times(rows, scale);
            };
            let first = scale * generator.pow(&[reversed(i, high) as u64]);
            rows.chunks_exact_mut(width).zip(table).for_each(|(row, &power)| times(row, first * power));
        });
    }
}

/// `g^(2^i)` for `i < count`.
fn squares<F: PrimeField>(g: F, count: u32) -> Vec<F> {
    std::iter::successors(Some(g), |x| Some(x.square())).take(count as usize).collect()
}

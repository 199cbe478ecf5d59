//! Elements of all ranks to one each, in the order of ranks.

mod numbers;

use crate::memory::copy_all;
use crate::{DataType, ReduceOp};
use icicle_device::{Device, Dst, Src};
use icicle_error::reserve::listed;
use icicle_error::{Error, ErrorCode, Result};
use icicle_params::CurveId;
use icicle_runtime::{Launch, StreamRef};
use icicle_zk::point::{self, Points, PointsMut};
use icicle_zk::vector::{self, VectorConfig};

/// Bytes of field elements or points that are added at a time: partial sums of so many stay in the cache.
const TOGETHER: usize = 1 << 20;

/// How elements are reduced.
#[derive(Clone, Copy, Debug)]
pub struct Reduction {
    /// The call's name.
    pub op: &'static str,
    /// Of what.
    pub data_type: DataType,
    /// How.
    pub reduce: ReduceOp,
}

impl Reduction {
    /// Reduce sources of `n` elements each, in their order, into each of the destinations.
    ///
    /// A destination may be exactly a source, and is disjoint from all others. All memory is the host's and aligned.
    ///
    /// # Errors
    /// `OutOfMemory`; `Unsupported` if elements are not reduced so.
    pub fn run(&self, n: usize, sources: &[Src<'_>], outputs: Vec<Dst<'_>>) -> Result<()> {
        self.reduce.need(self.op, self.data_type)?;
        let bytes = n * self.data_type.bytes();
        let fits = sources.iter().map(Src::bytes).chain(outputs.iter().map(Dst::bytes)).all(|length| length == bytes);
        if sources.is_empty() || !fits {
            return Err(Error::new(ErrorCode::Internal, self.op, "operands of unequal length"));
        }
        if n == 0 || outputs.is_empty() {
            return Ok(());
        }
        match self.data_type {
            DataType::Number(dtype) => numbers::reduce(self.op, dtype, self.reduce, sources, &outputs),
            DataType::Field(_) | DataType::Point(_) => self.in_pieces(n, sources, outputs),
        }
    }

    /// Field elements and points, so many at a time.
    fn in_pieces<'a>(&self, n: usize, sources: &[Src<'a>], mut outputs: Vec<Dst<'_>>) -> Result<()> {
        let size = self.data_type.bytes();
        let step = (TOGETHER / size).max(1);
        for start in (0..n).step_by(step) {
            let m = step.min(n - start);
            let part = |src: &Src<'a>| src.part(self.op, start * size, m * size);
            let mut accumulated = outputs[0].reborrow().part(self.op, start * size, m * size)?;
            self.accumulate(m, part, sources, &mut accumulated)?;
        }
        let Some((first, others)) = outputs.split_first_mut() else { return Ok(()) };
        let first = first.as_src();
        copy_all(self.op, listed(self.op, others.iter_mut().map(|dst| Ok((dst.reborrow(), first))))?)
    }

    /// `out` becomes the sum or product of a part of each source.
    fn accumulate<'a>(
        &self,
        m: usize,
        part: impl Fn(&Src<'a>) -> Result<Src<'a>>,
        sources: &[Src<'a>],
        out: &mut Dst<'_>,
    ) -> Result<()> {
        // The output may be a later source: its elements are then taken along before they are overwritten.
        let later = sources
            .iter()
            .skip(1)
            .position(|src| part(src).is_ok_and(|src| std::ptr::eq(src.as_ptr(), out.as_ptr().cast_const())));
        let saved = later.map(|i| self.saved(part(&sources[i + 1])?)).transpose()?;
        let source = |i: usize| match &saved {
            Some(words) if later == Some(i.wrapping_sub(1)) => Ok(Src::from(words)),
            _ => part(&sources[i]),
        };
        match sources.len() {
            1 => self.one(m, source(0)?, out.reborrow()),
            _ => {
                self.two(m, source(0)?, source(1)?, out.reborrow())?;
                (2..sources.len()).try_for_each(|i| self.two(m, out.as_src(), source(i)?, out.reborrow()))
            }
        }
    }

    fn saved(&self, src: Src<'_>) -> Result<Vec<u32>> {
        let mut words = icicle_error::reserve::filled(self.op, src.bytes() / 4, 0u32)?;
        icicle_runtime::transfer((&mut words).into(), src)?;
        Ok(words)
    }

    /// What one rank has is its sum; points are normalised, as sums are.
    fn one(&self, m: usize, a: Src<'_>, out: Dst<'_>) -> Result<()> {
        match self.data_type {
            DataType::Point(curve) => normalise(curve, m, a, out, &launch()),
            _ => copy_all(self.op, vec![(out, a)]),
        }
    }

    fn two(&self, m: usize, a: Src<'_>, b: Src<'_>, out: Dst<'_>) -> Result<()> {
        combine(self, m, a, b, out, &launch())
    }
}

/// On the CPU, whatever the thread's current device.
fn launch() -> Launch {
    Launch { stream: Some(StreamRef::default_of(Device::cpu(0))), is_async: false }
}

/// The sum or product of two vectors of field elements or points.
pub fn combine(what: &Reduction, m: usize, a: Src<'_>, b: Src<'_>, out: Dst<'_>, launch: &Launch) -> Result<()> {
    match what.data_type {
        DataType::Field(field) => {
            let binary = if what.reduce == ReduceOp::Prod { vector::Binary::Mul } else { vector::Binary::Add };
            let config = VectorConfig { launch: launch.clone(), ..VectorConfig::default() };
            vector::binary(binary, field, m, a, b, &config, out)
        }
        DataType::Point(curve) => {
            let (a, b, out) = (Points::projective(a), Points::projective(b), PointsMut::projective(out));
            point::binary(point::Binary::Add, curve, m, a, b, launch, out)
        }
        DataType::Number(_) => Err(Error::new(ErrorCode::Internal, what.op, "numbers in pairs")),
    }
}

/// Points as sums of points are.
pub fn normalise(curve: CurveId, m: usize, a: Src<'_>, out: Dst<'_>, launch: &Launch) -> Result<()> {
    point::normalize(curve, m, Points::projective(a), launch, PointsMut::projective(out))
}

//! Folds along axes.
#![allow(unsafe_code)] // launches

pub(super) mod plan;

use super::ahead;
use super::call::Call;
use super::draft::Draft;
use super::source::Source;
use crate::array::{Array, Fresh};
use crate::chain::Asks;
use icicle_device::Device;
use icicle_error::Result;

pub(crate) use plan::{Fold, SQUARES};

impl Fold<'_> {
    /// Results, `outer * width` of them.
    ///
    /// # Errors
    /// `InvalidArgument` if elements cannot be cast; `OutOfMemory`; `Unsupported` with neither NVRTC nor kernels.
    pub(crate) fn run(&self, device: Device, x: &Array) -> Result<Fresh> {
        let mut out = Fresh::new(self.op, device, self.to, &[self.outer, self.width])?;
        if self.outer * self.width == 0 {
            return Ok(out);
        }
        let call = Call::new(self.op, device)?;
        if ahead::is_needed() {
            return ahead::fold(self, &call, device, x);
        }
        let mut draft = Draft::new(self.op);
        let value = draft.operand(self.order, x, self.from, Asks::Call)?;
        let mut source = Source::new(&draft, &value, self.from, &self.order.extents(), None);
        let plan = self.plan((source.pack as u64, 1), call.sms.into());

        let pieces = self.pieces(&call, device, &plan)?;
        let words = [self.outer as u64, self.length as u64, self.width as u64, plan.pieces, plan.rows];
        let first = words.map(|word| source.push(word))[0];
        let memory = [pieces.results, pieces.counters, out.start() as u64].map(|word| source.push(word))[0];
        let (from, acc, to) = (self.from.name(), self.acc.name(), self.to.name());
        let shape = match self.width {
            1 => format!(
                "runs<F, {}, {}>(source, a.word[{first}], a.word[{}], a.word[{}]",
                plan.lanes,
                plan.pack,
                first + 1,
                first + 3
            ),
            _ => format!(
                "columns<F, {}>(source, a.word[{first}], a.word[{}], a.word[{}], a.word[{}], a.word[{}]",
                plan.pack,
                first + 1,
                first + 2,
                first + 3,
                first + 4
            ),
        };
        let body = format!(
            "  using F = fold::{}<{from}, {acc}>;\n  fold::{shape},\n    \
             reinterpret_cast<F::Acc*>(a.word[{memory}]), reinterpret_cast<uint32*>(a.word[{}]), \
             reinterpret_cast<{to}*>(a.word[{}]));\n",
            self.name,
            memory + 1,
            memory + 2
        );
        // SAFETY: reads what the layout of an array names; results, partial ones and counters are as many as the plan says.
        unsafe { source.launch(&call, "fold.cuh", &body, plan.blocks) }?;
        Ok(out)
    }
}

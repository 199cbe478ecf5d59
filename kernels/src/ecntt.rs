//! Transforms of points: kernels, constants of `ecntt/*.cuh`, and how passes are launched. Data for the host code;
//! nothing here needs a GPU.

use crate::launch::Plan;
use crate::msm;
use crate::signature::{Address, Entry, kernels};

/// A pass over pairs, or points.
pub type PassKernel = Entry<(Address, Address, Address, u64, u64, [u32; 5])>;

kernels! {
    /// Kernels of each curve with ECNTT, `<curve>_<op>` in the image `<curve>_ecntt`. A shape is
    /// `[log_n, level, step, by_level, mask]`, `EcnttShape`.
    ECNTT_KERNELS: Ecntt {
        LOAD = "ecntt_load"(a: Address, points: Address, log_n: u32, width: u64, count: u64, reverse: u32);
        ALONE = "ecntt_alone"(
            points: Address, table: Address, multiples: Address, width: u64, count: u64, shape: [u32; 5],
        );
        TOGETHER = "ecntt_together"(
            points: Address, table: Address, multiples: Address, width: u64, count: u64, shape: [u32; 5],
        );
        STORE = "ecntt_store"(points: Address, out: Address, log_n: u32, width: u64, count: u64, reverse: u32);
    }
}

/// Multiples of a point that a multiplication keeps.
const MULTIPLES: u64 = 8;

/// What a pass does: `EcnttStep`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Step {
    /// A level of the network from natural to reversed order.
    Down = 0,
    /// And back.
    Up = 1,
    /// A factor for each point.
    Multiply = 2,
}

/// How a pass over pairs, or points, with a multiplication each is launched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pass {
    /// Whether eight threads together do a multiplication, or a thread alone.
    pub together: bool,
    /// Grid and block.
    pub plan: Plan,
    /// Coordinates of scratch memory for the multiples of all its threads.
    pub multiples: u64,
}

impl Pass {
    /// Of a kernel for either, the one for this pass.
    pub fn kernel<T>(&self, alone: T, together: T) -> T {
        if self.together { together } else { alone }
    }
}

/// A pass over `count` pairs or points.
pub fn pass(count: u64, sms: u32) -> Pass {
    // One warp a scheduler is what keeps a chain of products at its speed, and two keep the multipliers busy. Eight
    // threads together take a third of the time of one, so up to this many they are faster.
    if count <= u64::from(sms) * 64 {
        let blocks = (count * msm::TOGETHER).div_ceil(32).max(1);
        let plan = Plan { grid: (blocks as u32, 1), threads: 32 };
        return Pass { together: true, plan, multiples: blocks * 32 / msm::TOGETHER * MULTIPLES * 4 };
    }
    // Two blocks or three fit a multiprocessor, so that six come out even.
    let blocks = count.div_ceil(128).min(u64::from(sms) * 6);
    let plan = Plan { grid: (blocks as u32, 1), threads: 128 };
    Pass { together: false, plan, multiples: blocks * 128 * MULTIPLES * 3 }
}

/// For `ecntt_load`: `count` points.
pub fn load(count: u64) -> Plan {
    Plan { grid: (count.div_ceil(128).clamp(1, 1 << 30) as u32, 1), threads: 128 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passes_have_a_thread_or_group_for_each_pair_until_the_device_is_full() {
        for count in [1, 3, 4, 5, 1000, 8448] {
            let pass = pass(count, 132);
            assert_eq!((pass.together, pass.plan.threads), (true, 32));
            let groups = u64::from(pass.plan.grid.0) * 4;
            assert!(groups >= count && groups < count + 4 && pass.multiples == groups * 32);
        }
        assert_eq!(pass(8449, 132).plan.grid, (67, 1));
        assert_eq!(
            pass(1 << 24, 132),
            Pass { together: false, plan: Plan { grid: (792, 1), threads: 128 }, multiples: 792 * 128 * 24 }
        );
    }
}

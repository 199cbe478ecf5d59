//! The last step of few multiplications: a chain of as many doublings as a scalar has bits. A processor core is some ten
//! times as fast at that as the threads of a GPU. The sums of the windows are copied to page-locked memory, a host function
//! in the stream's order puts them together, and the results are copied back; no thread waits for any of it.
#![allow(unsafe_code)]

use super::plan::Plan;
use icicle_algebra::curve::{Affine, Curve, Group, Jacobian, Projective, Xyzz};
use icicle_algebra::{Field, with_curve};
use icicle_cuda::driver::Outcome;
use icicle_cuda::host_work::{HostWork, INPUT, OUTPUT};
use icicle_device::RawStream;
use icicle_params::CurveId;

/// Most results of a call that are finished here: beyond, the GPU's latency is shared by enough of them.
const RESULTS: usize = 8;
const _: () = assert!(RESULTS * 3 * 192 <= OUTPUT);

/// What is put together.
#[derive(Clone, Copy)]
struct Job {
    batch: usize,
    windows: u32,
    c: u32,
    wide: u32,
}

/// Enqueue `out[b] = Σ_w 2^start(w)·rows[b][w]`; false, with nothing done, if that is too much for the host.
///
/// # Safety
/// On the device, `rows` holds the windows' sums of `batch` multiplications over `curve` in working form and `out` has
/// room for as many results, once the stream has passed what it holds now; the device's context is current.
pub(crate) unsafe fn finish(
    work: &HostWork,
    stream: RawStream,
    curve: CurveId,
    plan: &Plan,
    (rows, out, batch): (u64, u64, usize),
) -> Outcome<bool> {
    let width = curve.info().base.info().bytes();
    let bytes = batch * plan.windows as usize * 4 * width;
    if batch > RESULTS || bytes > INPUT {
        return Ok(false);
    }
    let Plan { windows, c, wide, .. } = *plan;
    let job = Job { batch, windows, c, wide };
    let combine = move |rows: &[u8], out: &mut [u8]| with_curve!(curve, C => combine::<C>(&job, rows, out));
    // SAFETY: the caller's.
    unsafe { work.enqueue(stream, (rows, bytes), (out, batch * 3 * width), Box::new(combine)) }.map(|()| true)
}

/// The results, canonical, from windows' sums whose coordinates are in Montgomery form.
fn combine<C: Curve>(job: &Job, rows: &[u8], out: &mut [u8]) {
    let (width, scale) = (size_of::<<C::Base as Field>::Raw>(), Affine::<C>::montgomery_inverse());
    let row = |index: usize| {
        let at = |k: usize| {
            let start = (4 * index + k) * width;
            C::Base::from_raw(bytemuck::pod_read_unaligned(&rows[start..start + width])).scale(scale)
        };
        Jacobian::from(Xyzz::<C> { x: at(0), y: at(1), zz: at(2), zzz: at(3) })
    };
    for (b, slot) in out.chunks_exact_mut(3 * width).take(job.batch).enumerate() {
        let mut sum = Jacobian::<C>::NEUTRAL;
        for w in (0..job.windows).rev() {
            (0..job.c - u32::from(w >= job.wide)).for_each(|_| sum = sum.double());
            sum += row(b * job.windows as usize + w as usize);
        }
        slot.copy_from_slice(bytemuck::bytes_of(&Projective::from(sum.to_affine()).to_raw()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use icicle_algebra::PrimeField;

    /// Three windows, so many of 3 bits and the others of 2, of two multiplications over multiples of the generator, one sum
    /// neutral.
    fn check<C: Curve>(curve: CurveId, wide: u32) {
        let job = Job { batch: 2, windows: 3, c: 3, wide };
        let factor = <C::Base as Field>::Prime::montgomery_factor();
        let (multiples, mut rows) = ([5u64, 0, 7, 1, 2, 3], Vec::new());
        for k in multiples {
            let point = Xyzz::<C>::from(C::GENERATOR).times(&[k]);
            let coordinates = [point.x, point.y, point.zz, point.zzz].map(|x| x.scale(factor).to_raw());
            coordinates.iter().for_each(|raw| rows.extend_from_slice(bytemuck::bytes_of(raw)));
        }
        let width = size_of::<<C::Base as Field>::Raw>();
        let mut out = vec![0xa5; 3 * 3 * width];
        combine::<C>(&job, &rows, &mut out);
        for (b, slot) in out.chunks_exact(3 * width).take(2).enumerate() {
            let log = multiples[3 * b] + (multiples[3 * b + 1] << 3) + (multiples[3 * b + 2] << (4 + wide));
            let expected = Projective::from(Jacobian::<C>::from(C::GENERATOR).times(&[log]).to_affine()).to_raw();
            assert_eq!(slot, bytemuck::bytes_of(&expected), "{curve:?} {b}");
        }
        assert!(out[6 * width..].iter().all(|&byte| byte == 0xa5));
    }

    #[test]
    fn windows_are_put_together() {
        for wide in [1, 2] {
            check::<icicle_algebra::curve::Bn254>(CurveId::Bn254, wide);
            check::<icicle_algebra::curve::Bls12_381G2>(CurveId::Bls12_381G2, wide);
            check::<icicle_algebra::curve::Bw6_761>(CurveId::Bw6_761, wide);
        }
    }
}

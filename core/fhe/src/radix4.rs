//! A pass of radix 4 of a Fourier transform.
//!
//! It works on arrays of a few numbers, read whole before results are written: so compilers see that vectors will do.

use icicle_cpu::dispatch::Kernel;

/// One pass: butterflies of four values a quarter apart, their results side by side, `stride` transforms interleaved.
pub(crate) struct Radix4<'a> {
    /// Real and imaginary parts.
    pub(crate) from: [&'a [f64]; 2],
    pub(crate) to: [&'a mut [f64]; 2],
    /// The powers 1, 2 and 3 of the roots: real and imaginary parts of each power.
    pub(crate) roots: &'a [f64],
    /// A power of four.
    pub(crate) stride: usize,
}

/// Complex numbers, as registers hold them: real parts and imaginary parts.
type Lanes<const W: usize> = [[f64; W]; 2];

/// Apply an expression to each pair of lanes. Loops, as iterators and closures are not always inlined into what is compiled
/// for wider vectors.
macro_rules! lanes {
    ($W:ident, $i:ident, $re:expr, $im:expr) => {{
        let mut out = [[0.0; $W]; 2];
        for $i in 0..$W {
            out[0][$i] = $re;
            out[1][$i] = $im;
        }
        out
    }};
}

#[inline(always)]
fn plus<const W: usize>(a: &Lanes<W>, b: &Lanes<W>) -> Lanes<W> {
    lanes!(W, i, a[0][i] + b[0][i], a[1][i] + b[1][i])
}

#[inline(always)]
fn minus<const W: usize>(a: &Lanes<W>, b: &Lanes<W>) -> Lanes<W> {
    lanes!(W, i, a[0][i] - b[0][i], a[1][i] - b[1][i])
}

#[inline(always)]
fn times<const W: usize>(a: &Lanes<W>, b: &Lanes<W>) -> Lanes<W> {
    lanes!(W, i, a[0][i] * b[0][i] - a[1][i] * b[1][i], a[0][i] * b[1][i] + a[1][i] * b[0][i])
}

/// Complex numbers from places on.
#[inline(always)]
fn load<const W: usize>(re: &[f64], im: &[f64], at: usize) -> Lanes<W> {
    let (re, im) = (&re[at..][..W], &im[at..][..W]);
    lanes!(W, i, re[i], im[i])
}

/// Complex numbers from four places on, a distance apart.
#[inline(always)]
fn four<const W: usize>(re: &[f64], im: &[f64], at: usize, apart: usize) -> [Lanes<W>; 4] {
    [load(re, im, at), load(re, im, at + apart), load(re, im, at + 2 * apart), load(re, im, at + 3 * apart)]
}

/// The three powers of roots from a place on, of so many.
#[inline(always)]
fn three<const W: usize>(roots: &[f64], at: usize, count: usize) -> [Lanes<W>; 3] {
    let imaginary = &roots[count..];
    [load(roots, imaginary, at), load(roots, imaginary, at + 2 * count), load(roots, imaginary, at + 4 * count)]
}

/// The four results for four values and the powers of the root.
#[inline(always)]
fn butterfly<const W: usize>([a, b, c, d]: &[Lanes<W>; 4], [w1, w2, w3]: &[Lanes<W>; 3]) -> [Lanes<W>; 4] {
    let (sum, difference) = (plus(a, c), minus(a, c));
    let (other_sum, other) = (plus(b, d), minus(b, d));
    // The other difference times i.
    let turned = lanes!(W, i, -other[1][i], other[0][i]);
    [
        plus(&sum, &other_sum),
        times(&minus(&difference, &turned), w1),
        times(&minus(&sum, &other_sum), w2),
        times(&plus(&difference, &turned), w3),
    ]
}

impl Radix4<'_> {
    /// Numbers of one transform, whose results are four numbers side by side: with one transform only.
    #[inline(always)]
    fn single<const W: usize>(&mut self) {
        let quarter = self.from[0].len() / 4;
        let [re, im] = self.from;
        let (roots, [to_re, to_im]) = (self.roots, &mut self.to);
        let mut p = 0;
        while p < quarter {
            let values = four::<W>(re, im, p, quarter);
            let results = butterfly(&values, &three::<W>(roots, p, quarter));
            let (to_re, to_im) = (&mut to_re[4 * p..][..4 * W], &mut to_im[4 * p..][..4 * W]);
            for i in 0..W {
                for k in 0..4 {
                    to_re[4 * i + k] = results[k][0][i];
                    to_im[4 * i + k] = results[k][1][i];
                }
            }
            p += W;
        }
    }

    /// Transforms side by side, `W` of them at a time.
    #[inline(always)]
    fn interleaved<const W: usize>(&mut self) {
        let (quarter, count, stride) = (self.from[0].len() / 4, self.roots.len() / 6, self.stride);
        let [re, im] = self.from;
        let (roots, [to_re, to_im]) = (self.roots, &mut self.to);
        for p in 0..count {
            // The same root in all lanes.
            let [w1, w2, w3] = three::<1>(roots, p, count);
            let repeated =
                [lanes!(W, i, w1[0][0], w1[1][0]), lanes!(W, i, w2[0][0], w2[1][0]), lanes!(W, i, w3[0][0], w3[1][0])];
            let mut q = 0;
            while q < stride {
                let results = butterfly(&four::<W>(re, im, p * stride + q, quarter), &repeated);
                for k in 0..4 {
                    let at = (4 * p + k) * stride + q;
                    to_re[at..][..W].copy_from_slice(&results[k][0]);
                    to_im[at..][..W].copy_from_slice(&results[k][1]);
                }
                q += W;
            }
        }
    }
}

impl Kernel for Radix4<'_> {
    const VECTORS: bool = true;
    type Output = ();
    #[inline(always)]
    fn run(mut self) {
        match self.stride {
            1 if self.from[0].len() >= 16 => self.single::<4>(),
            1 => self.single::<1>(),
            4 => self.interleaved::<4>(),
            _ => self.interleaved::<8>(),
        }
    }
}

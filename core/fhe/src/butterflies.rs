//! Passes of Fourier transforms over vectors of doubles: butterflies of radix 2, 4 and 8, and those within vectors.
//!
//! A root of unity is its cosine and its tangent (Linzer and Feig): with those a butterfly of radix 2 is six operations that multiply and
//! add at once, and each result is rounded twice, once of which without the other summand. A factor of i costs nothing, as it exchanges
//! operands.

use icicle_algebra::doubles::Doubles;

/// Complex numbers in registers: real parts and imaginary parts. Of roots of unity: cosines and tangents.
pub(crate) type Complex<D> = [<D as Doubles>::V; 2];

/// `b w`, but for the cosine of w.
#[inline(always)]
fn turned<D: Doubles>(d: D, b: Complex<D>, w: Complex<D>) -> Complex<D> {
    [d.sub_mul(w[1], b[1], b[0]), d.mul_add(w[1], b[0], b[1])]
}

/// `a + w b` and `a - w b`.
#[inline(always)]
pub(crate) fn turn<D: Doubles>(d: D, a: Complex<D>, b: Complex<D>, w: Complex<D>) -> [Complex<D>; 2] {
    let [re, im] = turned(d, b, w);
    [[d.mul_add(w[0], re, a[0]), d.mul_add(w[0], im, a[1])], [d.sub_mul(w[0], re, a[0]), d.sub_mul(w[0], im, a[1])]]
}

/// `a + iw b` and `a - iw b`.
#[inline(always)]
pub(crate) fn turn_i<D: Doubles>(d: D, a: Complex<D>, b: Complex<D>, w: Complex<D>) -> [Complex<D>; 2] {
    let [re, im] = turned(d, b, w);
    [[d.sub_mul(w[0], im, a[0]), d.mul_add(w[0], re, a[1])], [d.mul_add(w[0], im, a[0]), d.sub_mul(w[0], re, a[1])]]
}

/// `a + b` and `a - b`.
#[inline(always)]
fn plain<D: Doubles>(d: D, a: Complex<D>, b: Complex<D>) -> [Complex<D>; 2] {
    [[d.add(a[0], b[0]), d.add(a[1], b[1])], [d.sub(a[0], b[0]), d.sub(a[1], b[1])]]
}

/// `a b`, with b conjugated.
#[inline(always)]
pub(crate) fn times_conjugate<D: Doubles>(d: D, a: Complex<D>, b: Complex<D>) -> Complex<D> {
    [d.mul_add(a[0], b[0], d.mul(a[1], b[1])), d.mul_sub(a[1], b[0], d.mul(a[0], b[1]))]
}

/// The complex number of an array of real and one of imaginary parts, everywhere.
#[inline(always)]
pub(crate) fn splat<D: Doubles>(d: D, [re, im]: [&[f64]; 2], at: usize) -> Complex<D> {
    [d.splat(re[at]), d.splat(im[at])]
}

/// Complex numbers of arrays of vectors.
#[inline(always)]
pub(crate) fn load<D: Doubles>(d: D, re: &D::Block, im: &D::Block) -> Complex<D> {
    [d.load(re), d.load(im)]
}

/// Real and imaginary parts, so many of each.
#[inline(always)]
pub(crate) fn parts(values: &[f64], count: usize) -> [&[f64]; 2] {
    [&values[..count], &values[count..][..count]]
}

/// Real and imaginary parts, to write.
#[inline(always)]
pub(crate) fn parts_mut(values: &mut [f64]) -> [&mut [f64]; 2] {
    let (re, im) = values.split_at_mut(values.len() / 2);
    [re, im]
}

/// Equal parts of an array, as vectors.
#[inline(always)]
pub(crate) fn equal<D: Doubles, const P: usize>(mut values: &mut [f64], each: usize) -> [&mut [D::Block]; P] {
    std::array::from_fn(
        #[inline(always)]
        |_| {
            let (part, rest) = std::mem::take(&mut values).split_at_mut(each);
            values = rest;
            &mut D::blocks_mut(part)[..each / D::COUNT]
        },
    )
}

/// One pass over values of which the parts are `P` apart from each other: read `P` vectors, one of each, compute, write.
macro_rules! pass {
    ($d:ident, $P:literal, $re:ident, $im:ident, $each:expr, |$x:ident, $j:ident| $compute:block) => {{
        let (re, im) = (equal::<D, $P>($re, $each), equal::<D, $P>($im, $each));
        for $j in 0..$each / D::COUNT {
            let mut $x = [[$d.splat(0.0); 2]; $P];
            for k in 0..$P {
                $x[k] = load($d, &re[k][$j], &im[k][$j]);
            }
            let out: [Complex<D>; $P] = $compute;
            for k in 0..$P {
                $d.store(out[k][0], &mut re[k][$j]);
                $d.store(out[k][1], &mut im[k][$j]);
            }
        }
    }};
}

/// `log` levels of a forward transform in each of the blocks of a level. The roots of a level's blocks lie at `blocks` and on, those
/// of the next level twice as far.
#[inline(always)]
pub(crate) fn forward<D: Doubles>(d: D, log: u32, blocks: usize, roots: [&[f64]; 2], values: &mut [f64]) {
    let [re, im] = parts_mut(values);
    let size = re.len() / blocks;
    let each = size >> log;
    for (block, (re, im)) in re.chunks_exact_mut(size).zip(im.chunks_exact_mut(size)).enumerate() {
        let node = blocks + block;
        let w1 = splat(d, roots, node);
        match log {
            1 => pass!(d, 2, re, im, each, |x, j| { turn(d, x[0], x[1], w1) }),
            2 => {
                let w2 = splat(d, roots, 2 * node);
                pass!(d, 4, re, im, each, |x, j| {
                    let ([a, c], [b, e]) = (turn(d, x[0], x[2], w1), turn(d, x[1], x[3], w1));
                    let ([a, b], [c, e]) = (turn(d, a, b, w2), turn_i(d, c, e, w2));
                    [a, b, c, e]
                });
            }
            _ => {
                let (w2, w3, w4) =
                    (splat(d, roots, 2 * node), splat(d, roots, 4 * node), splat(d, roots, 4 * node + 2));
                pass!(d, 8, re, im, each, |x, j| {
                    let ([a0, a4], [a1, a5]) = (turn(d, x[0], x[4], w1), turn(d, x[1], x[5], w1));
                    let ([a2, a6], [a3, a7]) = (turn(d, x[2], x[6], w1), turn(d, x[3], x[7], w1));
                    let ([b0, b2], [b1, b3]) = (turn(d, a0, a2, w2), turn(d, a1, a3, w2));
                    let ([b4, b6], [b5, b7]) = (turn_i(d, a4, a6, w2), turn_i(d, a5, a7, w2));
                    let ([c0, c1], [c2, c3]) = (turn(d, b0, b1, w3), turn_i(d, b2, b3, w3));
                    let ([c4, c5], [c6, c7]) = (turn(d, b4, b5, w4), turn_i(d, b6, b7, w4));
                    [c0, c1, c2, c3, c4, c5, c6, c7]
                });
            }
        }
    }
}

/// The roots of the levels of an inverse pass: those of a level whose blocks have halves of `m` values lie at `m` and on.
pub(crate) struct InverseRoots<'a, D: Doubles> {
    re: &'a [D::Block],
    im: &'a [D::Block],
}

impl<'a, D: Doubles> InverseRoots<'a, D> {
    #[inline(always)]
    pub(crate) fn new([re, im]: [&'a [f64]; 2]) -> Self {
        Self { re: D::blocks(re), im: D::blocks(im) }
    }
    #[inline(always)]
    fn get(&self, d: D, at: usize) -> Complex<D> {
        load(d, &self.re[at], &self.im[at])
    }
}

/// Levels of an inverse transform at one place: two, four or eight vectors, `m` vectors apart, the `j`-th of each part.
macro_rules! inverse_levels {
    ($d:ident, 1, $x:ident, $roots:ident, $m:expr, $j:expr) => {{ $x }};
    ($d:ident, 2, $x:ident, $roots:ident, $m:expr, $j:expr) => {{ turn($d, $x[0], $x[1], $roots.get($d, $m + $j)) }};
    ($d:ident, 4, $x:ident, $roots:ident, $m:expr, $j:expr) => {{
        let (w1, w2) = ($roots.get($d, $m + $j), $roots.get($d, 2 * $m + $j));
        let ([a, b], [c, e]) = (turn($d, $x[0], $x[1], w1), turn($d, $x[2], $x[3], w1));
        // A quarter of a turn backwards: minus i.
        let ([a, c], [e, b]) = (turn($d, a, c, w2), turn_i($d, b, e, w2));
        [a, b, c, e]
    }};
    ($d:ident, 8, $x:ident, $roots:ident, $m:expr, $j:expr) => {{
        let (w1, w2) = ($roots.get($d, $m + $j), $roots.get($d, 2 * $m + $j));
        let (w3, w4) = ($roots.get($d, 4 * $m + $j), $roots.get($d, 5 * $m + $j));
        let ([a0, a1], [a2, a3]) = (turn($d, $x[0], $x[1], w1), turn($d, $x[2], $x[3], w1));
        let ([a4, a5], [a6, a7]) = (turn($d, $x[4], $x[5], w1), turn($d, $x[6], $x[7], w1));
        let ([b0, b2], [b3, b1]) = (turn($d, a0, a2, w2), turn_i($d, a1, a3, w2));
        let ([b4, b6], [b7, b5]) = (turn($d, a4, a6, w2), turn_i($d, a5, a7, w2));
        let ([c0, c4], [c1, c5]) = (turn($d, b0, b4, w3), turn($d, b1, b5, w4));
        let ([c6, c2], [c7, c3]) = (turn_i($d, b2, b6, w3), turn_i($d, b3, b7, w4));
        [c0, c1, c2, c3, c4, c5, c6, c7]
    }};
}

/// Read `P` vectors of complex numbers that follow each other, compute, write.
macro_rules! each_group {
    ($d:ident, $P:literal, $values:ident, |$x:ident, $group:ident| $compute:block) => {{
        let [re, im] = parts_mut($values).map(|part| D::blocks_mut(part).chunks_exact_mut($P));
        for ($group, (re, im)) in re.zip(im).enumerate() {
            let mut $x = [[$d.splat(0.0); 2]; $P];
            for k in 0..$P {
                $x[k] = load($d, &re[k], &im[k]);
            }
            let out: [Complex<D>; $P] = $compute;
            for k in 0..$P {
                $d.store(out[k][0], &mut re[k]);
                $d.store(out[k][1], &mut im[k]);
            }
        }
    }};
}

/// Exchange runs of numbers between two vectors of complex numbers.
#[inline(always)]
fn exchange<D: Doubles>(d: D, run: usize, a: Complex<D>, b: Complex<D>) -> [Complex<D>; 2] {
    let ([re_a, re_b], [im_a, im_b]) = (d.exchange(run, a[0], b[0]), d.exchange(run, a[1], b[1]));
    [[re_a, im_a], [re_b, im_b]]
}

/// The levels of a forward transform within a pair of vectors.
#[inline(always)]
fn forward_within<D: Doubles>(
    d: D,
    roots: &[D::Block],
    pair: usize,
    mut a: Complex<D>,
    mut b: Complex<D>,
) -> [Complex<D>; 2] {
    let levels = D::COUNT.trailing_zeros() as usize;
    let roots = &roots[2 * levels * pair..][..2 * levels];
    for level in 0..levels {
        [a, b] = exchange(d, D::COUNT >> (level + 1), a, b);
        [a, b] = turn(d, a, b, load(d, &roots[2 * level], &roots[2 * level + 1]));
    }
    [a, b]
}

/// The levels of an inverse transform within a pair of vectors.
#[inline(always)]
fn inverse_within<D: Doubles>(d: D, roots: &[D::Block], a: Complex<D>, b: Complex<D>) -> [Complex<D>; 2] {
    let levels = D::COUNT.trailing_zeros() as usize;
    let [mut a, mut b] = plain(d, a, b);
    for level in 0..levels {
        [a, b] = exchange(d, 1 << level, a, b);
        if level + 1 < levels {
            [a, b] = turn(d, a, b, load(d, &roots[2 * level], &roots[2 * level + 1]));
        }
    }
    [a, b]
}

/// The last levels of a forward transform: those of whole vectors that are left, one or two, and those within pairs of vectors, which
/// exchange runs of numbers before each. The roots of pairs follow each other, one vector of real and one of imaginary parts for each
/// level.
#[inline(always)]
pub(crate) fn forward_last<D: Doubles>(d: D, roots: [&[f64]; 2], within: &[f64], values: &mut [f64]) {
    let vectors = values.len() / 2 / D::COUNT;
    let within = D::blocks(within);
    if vectors < 4 {
        each_group!(d, 2, values, |x, group| {
            let [a, b] = turn(d, x[0], x[1], splat(d, roots, vectors / 2 + group));
            forward_within(d, within, group, a, b)
        });
        return;
    }
    each_group!(d, 4, values, |x, group| {
        let node = vectors / 4 + group;
        let (w1, w2) = (splat(d, roots, node), splat(d, roots, 2 * node));
        let ([a, c], [b, e]) = (turn(d, x[0], x[2], w1), turn(d, x[1], x[3], w1));
        let ([a, b], [c, e]) = (turn(d, a, b, w2), turn_i(d, c, e, w2));
        let ([a, b], [c, e]) =
            (forward_within(d, within, 2 * group, a, b), forward_within(d, within, 2 * group + 1, c, e));
        [a, b, c, e]
    });
}

/// The first levels of an inverse transform: those within pairs of vectors, whose roots are the same for all pairs, and one or two of
/// whole vectors.
#[inline(always)]
pub(crate) fn inverse_first<D: Doubles>(d: D, roots: &InverseRoots<'_, D>, within: &[f64], values: &mut [f64]) {
    let within = D::blocks(within);
    if values.len() / 2 / D::COUNT < 4 {
        each_group!(d, 2, values, |x, _group| {
            let x = inverse_within(d, within, x[0], x[1]);
            inverse_levels!(d, 2, x, roots, 1, 0)
        });
        return;
    }
    each_group!(d, 4, values, |x, _group| {
        let ([a, b], [c, e]) = (inverse_within(d, within, x[0], x[1]), inverse_within(d, within, x[2], x[3]));
        let x = [a, b, c, e];
        inverse_levels!(d, 4, x, roots, 1, 0)
    });
}

/// `log` levels of an inverse transform, the first of whose blocks have halves of `m` values.
#[inline(always)]
pub(crate) fn inverse<D: Doubles>(d: D, log: u32, m: usize, roots: &InverseRoots<'_, D>, values: &mut [f64]) {
    let [re, im] = parts_mut(values);
    let size = m << log;
    for (re, im) in re.chunks_exact_mut(size).zip(im.chunks_exact_mut(size)) {
        match log {
            1 => pass!(d, 2, re, im, m, |x, j| { inverse_levels!(d, 2, x, roots, m / D::COUNT, j) }),
            2 => pass!(d, 4, re, im, m, |x, j| { inverse_levels!(d, 4, x, roots, m / D::COUNT, j) }),
            _ => pass!(d, 8, re, im, m, |x, j| { inverse_levels!(d, 8, x, roots, m / D::COUNT, j) }),
        }
    }
}

/// The last levels of an inverse transform, the twist taken off, and what that gives added to words: real parts to those of the lower
/// half, imaginary parts to those of the upper half.
#[inline(always)]
pub(crate) fn inverse_last<D: Doubles>(
    d: D,
    log: u32,
    roots: &InverseRoots<'_, D>,
    twist: [&[f64]; 2],
    values: &mut [f64],
    words: &mut [u64],
) {
    let [re, im] = parts_mut(values).map(|part| &*part);
    let ([re, im], twist) = ([D::blocks(re), D::blocks(im)], twist.map(D::blocks));
    let m = re.len() >> log;
    let (low, high) = words.split_at_mut(words.len() / 2);
    let (low, high) = (D::words_mut(low), D::words_mut(high));
    macro_rules! pass {
        ($P:tt) => {
            for j in 0..m {
                let mut x = [[d.splat(0.0); 2]; $P];
                for k in 0..$P {
                    x[k] = load(d, &re[k * m + j], &im[k * m + j]);
                }
                let out: [Complex<D>; $P] = inverse_levels!(d, $P, x, roots, m, j);
                for k in 0..$P {
                    let at = k * m + j;
                    let [re, im] = times_conjugate(d, out[k], load(d, &twist[0][at], &twist[1][at]));
                    d.add_fraction(re, &mut low[at]);
                    d.add_fraction(im, &mut high[at]);
                }
            }
        };
    }
    match log {
        0 => pass!(1),
        1 => pass!(2),
        2 => pass!(4),
        _ => pass!(8),
    }
}

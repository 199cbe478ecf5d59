//! Arrays of points against the calls on single points, in every form; and what must fail.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // a test's way to fail
#![allow(unsafe_code)] // the entries are C's

use icicle::{CURVES, CurveId};
use icicle_c::error::{Code, icicle_error_take};
use icicle_c::types::PointsConfig;
use icicle_c::{point, points};
use std::ffi::c_void;

const N: usize = 5;

type Binary = unsafe extern "C" fn(i32, *const c_void, *const c_void, u64, *const PointsConfig, *mut c_void) -> Code;
type Unary = unsafe extern "C" fn(i32, *const c_void, u64, *const PointsConfig, *mut c_void) -> Code;
type Single = unsafe extern "C" fn(i32, *const c_void, *const c_void, *mut c_void) -> Code;

fn message() -> String {
    let mut text = [0u8; 256];
    // SAFETY: the buffer has this many bytes.
    let _ = unsafe { icicle_error_take(text.as_mut_ptr().cast(), text.len()) };
    String::from_utf8_lossy(&text).trim_end_matches('\0').to_owned()
}

fn ok(code: Code) {
    assert_eq!(code, Code::Success, "{}", message());
}

fn at(words: &[u32]) -> *const c_void {
    words.as_ptr().cast()
}

fn to(words: &mut [u32]) -> *mut c_void {
    words.as_mut_ptr().cast()
}

/// A curve, and words of its coordinates and scalars.
struct Group {
    id: i32,
    coordinate: usize,
    scalar: usize,
}

impl Group {
    fn new(curve: CurveId) -> Self {
        let row = curve.info();
        Self { id: curve as i32, coordinate: row.base.info().bytes() / 4, scalar: row.scalar.info().bytes() / 4 }
    }
    fn projective(&self) -> usize {
        3 * self.coordinate
    }
    fn random(&self) -> Vec<u32> {
        let mut out = vec![0; N * self.projective()];
        // SAFETY: N points.
        ok(unsafe { point::icicle_generate_projective_points(self.id, to(&mut out), N as i64) });
        out
    }
    /// What the calls on single points make of each pair; the second operand may be one.
    fn each(&self, call: Single, a: (&[u32], usize), b: (&[u32], usize)) -> Vec<u32> {
        let mut out = vec![0; N * self.projective()];
        for (i, out) in out.chunks_mut(self.projective()).enumerate() {
            let part = |(words, each): (&[u32], usize)| at(&words[if words.len() == each { 0 } else { i * each }..]);
            // SAFETY: a point or scalar each.
            ok(unsafe { call(self.id, part(a), part(b), to(out)) });
        }
        self.run(points::icicle_points_normalize, &out, &PointsConfig::default(), N * self.projective())
    }
    fn run(&self, call: Unary, a: &[u32], config: &PointsConfig, words: usize) -> Vec<u32> {
        let mut out = vec![7; words];
        // SAFETY: N points in and out, in the forms that the options say.
        ok(unsafe { call(self.id, at(a), N as u64, config, to(&mut out)) });
        out
    }
    fn both(&self, call: Binary, a: &[u32], b: &[u32], config: &PointsConfig, words: usize) -> Vec<u32> {
        let mut out = vec![7; words];
        // SAFETY: as above, or one point or scalar.
        ok(unsafe { call(self.id, at(a), at(b), N as u64, config, to(&mut out)) });
        out
    }
    /// `x, y` of normalised points.
    fn plain(&self, points: &[u32]) -> Vec<u32> {
        points.chunks(self.projective()).flat_map(|p| &p[..2 * self.coordinate]).copied().collect()
    }
}

#[test]
fn arrays_are_single_points_side_by_side() {
    for row in CURVES {
        let g = Group::new(row.id);
        let (a, b, each) = (g.random(), g.random(), g.projective());
        let (words, default) = (N * each, PointsConfig::default());
        let sums = g.each(point::icicle_point_add, (&a, each), (&b, each));
        let differences = g.each(point::icicle_point_sub, (&a, each), (&b, each));
        assert_eq!(g.both(points::icicle_points_add, &a, &b, &default, words), sums, "{}", row.name);
        assert_eq!(g.both(points::icicle_points_sub, &a, &b, &default, words), differences, "{}", row.name);
        // Every form, and one point for all.
        let to_affine = PointsConfig { is_result_affine: 1, ..default };
        let (x, y) = [&a, &b].map(|p| g.run(points::icicle_points_normalize, p, &to_affine, words / 3 * 2)).into();
        let config = PointsConfig { is_a_affine: 1, ..default };
        assert_eq!(g.both(points::icicle_points_sub, &x, &b, &config, words), differences, "{}", row.name);
        let config = PointsConfig { is_b_affine: 1, is_result_affine: 1, ..default };
        assert_eq!(g.both(points::icicle_points_sub, &a, &y, &config, words / 3 * 2), g.plain(&differences));
        let config = PointsConfig { is_a_affine: 1, is_a_single: 1, ..default };
        let one = g.each(point::icicle_point_sub, (&a[..each], each), (&b, each));
        assert_eq!(g.both(points::icicle_points_sub, &x[..each / 3 * 2], &b, &config, words), one, "{}", row.name);
        let config = PointsConfig { is_b_single: 1, ..default };
        let one = g.each(point::icicle_point_add, (&a, each), (&b[..each], each));
        assert_eq!(g.both(points::icicle_points_add, &a, &b[..each], &config, words), one, "{}", row.name);
        // Products; the low words of points are scalars, of which the highest word is small.
        let mut scalars = vec![0; N * g.scalar];
        for (scalar, point) in scalars.chunks_mut(g.scalar).zip(b.chunks(each)) {
            scalar[..g.scalar - 1].copy_from_slice(&point[..g.scalar - 1]);
        }
        let mul = points::icicle_points_mul;
        let products = g.each(point::icicle_point_mul_scalar, (&a, each), (&scalars, g.scalar));
        assert_eq!(g.both(mul, &scalars, &a, &default, words), products, "{}", row.name);
        let config = PointsConfig { is_b_affine: 1, is_a_single: 1, ..default };
        let one = g.each(point::icicle_point_mul_scalar, (&a, each), (&scalars[..g.scalar], g.scalar));
        assert_eq!(g.both(mul, &scalars[..g.scalar], &x, &config, words), one, "{}", row.name);
        // Signs: a - b is the opposite of b - a; and comparisons, across forms.
        let opposite = g.run(points::icicle_points_negate, &differences, &default, words);
        assert_eq!(opposite, g.each(point::icicle_point_sub, (&b, each), (&a, each)), "{}", row.name);
        let mut some = sums.clone();
        some[each..2 * each].copy_from_slice(&differences[..each]);
        let mut equal = [7u32; N];
        let config = PointsConfig { is_b_affine: 1, ..default };
        let (first, second) = (at(&some), g.plain(&sums));
        // SAFETY: N points each, and N words.
        ok(unsafe { points::icicle_points_equal(g.id, first, at(&second), N as u64, &config, equal.as_mut_ptr()) });
        assert_eq!(equal, [1, 0, 1, 1, 1], "{}", row.name);
    }
}

/// Each pointer, null and misaligned, lengths beyond memory, overlaps, and flags that are not so are named.
#[test]
fn bad_arguments_are_named() {
    let g = Group::new(CurveId::Bn254);
    let (a, config) = (g.random(), PointsConfig::default());
    let mut out = vec![7u32; a.len()];
    for (bad, rule) in [(std::ptr::null::<c_void>(), "is null"), (a.as_ptr().wrapping_byte_add(1).cast(), "aligned")] {
        for (position, name) in ["points_a", "points_b", "output", "config"].iter().enumerate() {
            let pick = |place: usize, good: *const c_void| if place == position { bad } else { good };
            let config = pick(3, (&raw const config).cast());
            let (first, second, out) = (pick(0, at(&a)), pick(1, at(&a)), pick(2, to(&mut out).cast_const()));
            // SAFETY: the bad pointer is refused before use, the others hold N points and a configuration.
            let code =
                unsafe { points::icicle_points_add(g.id, first, second, N as u64, config.cast(), out.cast_mut()) };
            let text = message();
            assert!(code == Code::InvalidPointer && text.contains(name) && text.contains(rule), "{name}: {text}");
        }
    }
    let fails = |code: Code, want: Code, rule: &str| {
        let text = message();
        assert!(code == want && text.contains(rule), "{text} lacks {rule}");
    };
    let n = N as u64;
    let words = to(&mut out);
    let half = out.as_mut_ptr().wrapping_add(g.coordinate).cast::<c_void>();
    // SAFETY: what is refused is not used; every buffer holds N points.
    unsafe {
        fails(points::icicle_points_sub(10, at(&a), at(&a), n, &config, words), Code::InvalidArgument, "curve 10");
        let huge = points::icicle_points_negate(g.id, at(&a), u64::MAX / 2, &config, words);
        fails(huge, Code::InvalidArgument, "points_negate: points of");
        let flagged = PointsConfig { is_b_on_device: 1, ..config };
        let code = points::icicle_points_mul(g.id, at(&a), at(&a), n, &flagged, words);
        fails(code, Code::InvalidPointer, "points_mul: points");
        let single = PointsConfig { is_a_single: 1, ..config };
        let code = points::icicle_points_normalize(g.id, at(&a), n, &single, words);
        fails(code, Code::InvalidArgument, "points_normalize: points holds");
        let code = points::icicle_points_negate(g.id, words, n - 1, &config, half);
        fails(code, Code::InvalidArgument, "points_negate: output overlaps points in part");
        let code = points::icicle_points_mul(g.id, words, at(&a), n, &config, words);
        fails(code, Code::InvalidArgument, "points_mul: output overlaps scalars");
        let code = points::icicle_points_equal(g.id, at(&a), words, n, &config, words.cast());
        fails(code, Code::InvalidArgument, "points_equal: output overlaps points_b");
    }
    assert!(out.iter().all(|&w| w == 7), "outputs are written on success only");
    // In place is allowed, and no points at all have any address.
    // SAFETY: N points; none.
    unsafe {
        out.copy_from_slice(&a);
        ok(points::icicle_points_add(g.id, to(&mut out), at(&a), n, &config, to(&mut out)));
        ok(points::icicle_points_add(g.id, std::ptr::null(), std::ptr::null(), 0, &config, std::ptr::null_mut()));
    }
    assert_eq!(out, g.each(point::icicle_point_add, (&a, g.projective()), (&a, g.projective())));
}

//! Multiplications whose points fall into few buckets, of lengths around those at which the work is split.

use crate::curves::{affine, is, scalar_words};
use crate::{PLACES, call, offered};
use ark_bn254::{Fr, G1Projective};
use ark_ec::{CurveGroup, PrimeGroup};
use ark_ff::{Field, Zero};
use icicle::ops::msm::{MsmConfig, msm};
use icicle::ops::{Domain, Op};
use icicle::{CurveId, Device};

const ID: CurveId = CurveId::Bn254;

pub fn check(_: Device) {
    if !offered(Op::Msm, Domain::Curve(ID)) {
        return;
    }
    // 1·G, 2·G, …: sums of coefficients times numbers are the whole oracle.
    let most = 2 * 4096 + 1;
    let multiples: Vec<G1Projective> =
        std::iter::successors(Some(G1Projective::generator()), |p| Some(p + G1Projective::generator()))
            .take(most)
            .collect();
    let bases = affine::<G1Projective>(&G1Projective::normalize_batch(&multiples));
    let large = Fr::from(3u64).pow([100]);
    for n in [63, 64, 65, 4095, 4096, 4097, most - 2, most - 1, most] {
        // All digits equal, in every window or in one; and the last point alone in another bucket.
        let mut but_one = vec![-large; n];
        but_one[n - 1] = Fr::from(2u64);
        for (kind, scalars) in [vec![large; n], vec![Fr::from(1u64); n], but_one].iter().enumerate() {
            let sum: Fr = scalars.iter().zip(1u64..).map(|(s, i)| *s * Fr::from(i)).sum();
            let expected = G1Projective::generator() * sum;
            assert!(!expected.is_zero());
            for (place, c) in PLACES.into_iter().zip([0, 12]) {
                let config = MsmConfig { c, ..MsmConfig::default() };
                let got = call(place, &[&scalar_words(scalars), &bases[..16 * n]], 24, |src, out| {
                    msm(ID, n, src[0], src[1], &config, out)
                });
                assert!(is(&got, &expected), "{n} points, kind {kind}, c {c} {place:?}");
            }
        }
    }
}

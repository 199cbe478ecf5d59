//! What holds for every transform, and what must fail.

use super::*;
use crate::cpu::ntt::{domain_root, init_domain as init_on, release_domain as release_on};
use crate::ntt::{DomainArgs, release_domain, root_of_unity_from_domain};
use icicle_algebra::with_field;
use icicle_device::Device;
use icicle_device::Exec;
use icicle_error::ErrorCode;

#[test]
fn inverse_undoes_forward_in_every_ordering() {
    for row in FIELDS.iter().filter(|row| row.ntt) {
        domain(row.id);
        with_field!(row.id, F => for (log_n, batch, columns) in [(13, 1, false), (5, 37, false), (9, 40, true)] {
            let x = raw(&random::<F>(batch << log_n, 4));
            let coset = Some(<<F as Field>::Prime as Field>::from_u64(11).words());
            for (there, back) in [
                (Ordering::NaturalNatural, Ordering::NaturalNatural),
                (Ordering::NaturalReversed, Ordering::ReversedNatural),
                (Ordering::NaturalMixed, Ordering::MixedNatural),
                (Ordering::ReversedNatural, Ordering::NaturalReversed),
                (Ordering::ReversedReversed, Ordering::ReversedReversed),
            ] {
                let config = NttConfig { coset, batch, columns, ordering: there, ..NttConfig::default() };
                let values = run::<F>(row.id, log_n, Direction::Forward, &config, &x, false).unwrap();
                assert!(values != x, "{:?}", row.id);
                let config = NttConfig { ordering: back, ..config };
                let again = run::<F>(row.id, log_n, Direction::Inverse, &config, &values, true).unwrap();
                assert!(again == x, "{:?} 2^{log_n} {config:?}", row.id);
            }
        });
    }
}

#[test]
fn transforms_are_linear() {
    for row in FIELDS.iter().filter(|row| row.ntt) {
        domain(row.id);
        with_field!(row.id, F => {
            let (x, y) = (random::<F>(1 << 9, 1), random::<F>(1 << 9, 2));
            let s = random::<F>(1, 3)[0];
            let combined: Vec<F> = x.iter().zip(&y).map(|(&x, &y)| s * x + y).collect();
            let transform = |v: &[F]| -> Vec<F> {
                let out = run::<F>(row.id, 9, Direction::Forward, &NttConfig::default(), &raw(v), false).unwrap();
                out.into_iter().map(F::from_raw).collect()
            };
            let (fx, fy) = (transform(&x), transform(&y));
            let want: Vec<F> = fx.iter().zip(&fy).map(|(&x, &y)| s * x + y).collect();
            assert!(transform(&combined) == want, "{:?}", row.id);
        });
    }
}

#[test]
fn results_do_not_depend_on_the_number_of_threads() {
    for field in [FieldId::Bn254Scalar, FieldId::BabyBearExtension, FieldId::GoldilocksScalar] {
        domain(field);
        with_field!(field, F => {
            let x = raw(&random::<F>(1 << 16, 9));
            let results = [1, 2, 4].map(|threads| {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                let coset = Some(<<F as Field>::Prime as Field>::from_u64(3).words());
                let config = NttConfig { coset, ..NttConfig::default() };
                DIRECTIONS.map(|way| pool.install(|| run::<F>(field, 16, way, &config, &x, false).unwrap()))
            });
            assert!(results[0] == results[1] && results[0] == results[2], "{field:?}");
        });
    }
}

#[test]
fn sizes_beyond_the_domain_are_refused() {
    domain(FieldId::BabyBearScalar);
    let x = vec![0u32; 1 << 21];
    let err = run::<icicle_algebra::fields::BabyBearScalar>(
        FieldId::BabyBearScalar,
        21,
        Direction::Forward,
        &NttConfig::default(),
        &x,
        false,
    )
    .unwrap_err();
    assert_eq!(err.code, ErrorCode::InvalidArgument);
    assert!(err.detail.contains("2^21") && err.detail.contains("2^20"), "{err}");
    let err = root_of_unity_from_domain(FieldId::BabyBearScalar, 21).unwrap_err();
    assert_eq!(err.code, ErrorCode::InvalidArgument);
    let want = root_of_unity(FieldId::BabyBearScalar, 1 << 7).unwrap();
    assert_eq!(root_of_unity_from_domain(FieldId::BabyBearScalar, 7).unwrap(), want);
}

/// Devices nobody else uses in tests: domains are theirs alone.
#[test]
fn domains_belong_to_devices_and_first_roots_stay() {
    let (one, other, field) = (Device::cpu(61), Device::cpu(62), FieldId::Bn254Scalar);
    let missing = domain_root(&Exec::on(one), field, 0).unwrap_err();
    assert_eq!(missing.code, ErrorCode::InvalidArgument);
    assert!(missing.detail.contains("cpu:61"), "{missing}");
    let args = |log_n| DomainArgs { field, root: root_of_unity(field, 1u64 << log_n).unwrap(), log_n };
    init_on(&Exec::on(one), &args(10)).unwrap();
    init_on(&Exec::on(one), &args(12)).unwrap();
    assert_eq!(domain_root(&Exec::on(one), field, 10).unwrap(), args(10).root);
    assert_eq!(domain_root(&Exec::on(one), field, 4).unwrap(), args(4).root);
    assert_eq!(domain_root(&Exec::on(one), field, 11).unwrap_err().code, ErrorCode::InvalidArgument);
    assert_eq!(domain_root(&Exec::on(other), field, 4).unwrap_err().code, ErrorCode::InvalidArgument);
    release_on(&Exec::on(one), field).unwrap();
    release_on(&Exec::on(one), field).unwrap();
    assert_eq!(domain_root(&Exec::on(one), field, 4).unwrap_err().code, ErrorCode::InvalidArgument);
    init_on(&Exec::on(one), &args(12)).unwrap();
    assert_eq!(domain_root(&Exec::on(one), field, 12).unwrap(), args(12).root);
    release_on(&Exec::on(one), field).unwrap();
}

/// The root decides: with `w^5` for `w`, outputs are the same values in another order.
#[test]
fn foreign_roots_are_used() {
    type F = icicle_algebra::fields::Bn254Scalar;
    let (field, log_n) = (FieldId::Bn254Scalar, 6);
    let w = root::<F>(log_n);
    let x = random::<F>(1 << log_n, 5);
    let transform = |device: Device, root: F| {
        init_on(&Exec::on(device), &DomainArgs { field, root: root.words(), log_n }).unwrap();
        let (input, mut out) = (raw(&x), raw(&x));
        let args = crate::ntt::NttArgs {
            field,
            log_n,
            batch: 1,
            columns: false,
            direction: Direction::Forward,
            ordering: Ordering::NaturalNatural,
            coset: None,
            block: None,
            input: (&input).into(),
            out: (&mut out).into(),
        };
        crate::cpu::ntt::ntt(&Exec::on(device), &args).unwrap();
        release_on(&Exec::on(device), field).unwrap();
        out
    };
    let (native, foreign) = (transform(Device::cpu(60), w), transform(Device::cpu(63), w.pow(&[5])));
    for k in 0..1 << log_n {
        assert_eq!(foreign[k], native[5 * k % (1 << log_n)], "{k}");
    }
}

#[test]
fn no_domain_no_transform() {
    // The only test of this field's domain on this device.
    let field = FieldId::BabyBearScalar;
    let device = Device::cpu(59);
    let (input, mut out) = (vec![1u32; 4], vec![7u32; 4]);
    let args = crate::ntt::NttArgs {
        field,
        log_n: 2,
        batch: 1,
        columns: false,
        direction: Direction::Inverse,
        ordering: Ordering::NaturalNatural,
        coset: None,
        block: None,
        input: (&input).into(),
        out: (&mut out).into(),
    };
    let err = crate::cpu::ntt::ntt(&Exec::on(device), &args).unwrap_err();
    assert_eq!(err.code, ErrorCode::InvalidArgument);
    assert!(err.detail.contains("2^2") && err.detail.contains("babybear"), "{err}");
    assert_eq!(out, [7; 4], "untouched");
    assert_eq!(release_domain(FieldId::M31Scalar, &Launch::default()).unwrap_err().code, ErrorCode::Unsupported);
}

//! Maps under a scheduler that chooses which thread goes on at each lock: a device that waits for another for ever is a
//! failure.

use super::*;
use shuttle::check_random;

const ORDERS: usize = 2_000;

fn group(shares: &[f64]) -> DeviceGroup {
    let group = DeviceGroup::new(&[Device::cpu(0), Device::cpu(1)]).unwrap();
    group.with_shares(shares).unwrap()
}

/// Equal devices, and one that waits for what the other does.
#[test]
fn every_job_is_done_in_every_order() {
    for shares in [[1.0, 1.0], [1.0, 100.0]] {
        check_random(
            move || {
                let group = group(&shares);
                for streams in [1, 2] {
                    let options = MapOptions { streams, ..MapOptions::default() };
                    let answers = group.map_with(options, |_| Ok(()), 0..3, |(), _, i| Ok(i));
                    assert_eq!(answers.unwrap(), [Ok(0), Ok(1), Ok(2)]);
                }
            },
            ORDERS,
        );
    }
}

/// A device whose state fails gives its job to the other, whichever takes it first.
#[test]
fn a_device_that_fails_gives_its_jobs_back_in_every_order() {
    check_random(
        || {
            let make = |lane: &Lane| match lane.position {
                0 => Err(Error::argument("test", "no state")),
                _ => Ok(()),
            };
            let answers =
                group(&[1.0, 1.0]).map_with(MapOptions::default(), make, 0..2, |(), lane, i| Ok((lane.position, i)));
            assert_eq!(answers.unwrap(), [Ok((1, 0)), Ok((1, 1))]);
        },
        ORDERS,
    );
}

/// Jobs not started when the call is cancelled say so, the others are done.
#[test]
fn cancelling_leaves_no_job_without_an_answer() {
    check_random(
        || {
            let cancel = Cancel::default();
            let options = MapOptions { cancel: Some(&cancel), ..MapOptions::default() };
            let answers = group(&[1.0, 1.0]).map_with(
                options,
                |_| Ok(()),
                0..4,
                |(), _, i| {
                    cancel.cancel();
                    Ok(i)
                },
            );
            let answers = answers.unwrap();
            assert!((1..=2).contains(&answers.iter().filter(|answer| answer.is_ok()).count()), "{answers:?}");
            assert!(answers.iter().flat_map(|a| a.as_ref().err()).all(|error| error.code == ErrorCode::Cancelled));
        },
        ORDERS,
    );
}

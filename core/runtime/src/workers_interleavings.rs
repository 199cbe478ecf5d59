//! Workers under a scheduler that chooses which thread goes on at each lock and channel: ten thousand orders a test. A wait
//! that never ends is a failure.

use super::*;
use icicle_device::sync::{Arc, Barrier};
use shuttle::check_random;

const ORDERS: usize = 10_000;
const ONE: Device = Device::cpu(0);
const TWO: Device = Device::cpu(1);

/// Jobs of two calls each wait for their siblings on the other device: they must stand in the same order in both queues.
#[test]
fn calls_whose_jobs_wait_for_each_other_end() {
    check_random(
        || {
            // Started, so that callers may do jobs in their place.
            let workers = Arc::new(Workers::new());
            [ONE, TWO].into_iter().for_each(|device| workers.start(device).unwrap());
            let call = |devices: [Device; 2]| {
                let workers = workers.clone();
                thread::spawn(move || {
                    let meeting = Barrier::new(2);
                    let answers = workers.on_each(&devices, |device, i| {
                        meeting.wait();
                        Ok((device, i))
                    });
                    assert_eq!(answers, [Ok((devices[0], 0)), Ok((devices[1], 1))]);
                })
            };
            let calls = [call([ONE, TWO]), call([TWO, ONE])];
            calls.into_iter().for_each(|call| call.join().unwrap());
        },
        ORDERS,
    );
}

/// Jobs of one device run one at a time, also where callers do them in the workers' place.
#[test]
fn a_device_does_one_job_at_a_time() {
    check_random(
        || {
            let (workers, at_work) = (Arc::new(Workers::new()), Arc::new([Mutex::new(0), Mutex::new(0)]));
            [ONE, TWO].into_iter().for_each(|device| workers.start(device).unwrap());
            let callers: Vec<_> = (0..3)
                .map(|_| {
                    let (workers, at_work) = (workers.clone(), at_work.clone());
                    thread::spawn(move || {
                        let answers = workers.on_each(&[ONE, TWO], |_, i| {
                            *at_work[i].lock().unwrap() += 1;
                            thread::yield_now();
                            let mut working = at_work[i].lock().unwrap();
                            *working -= 1;
                            Ok(*working)
                        });
                        assert_eq!(answers, [Ok(0), Ok(0)]);
                    })
                })
                .collect();
            callers.into_iter().for_each(|caller| caller.join().unwrap());
            assert_eq!(workers.on_each(&[TWO], |_, i| Ok(i)), [Ok(0)], "everyone has left the line");
        },
        ORDERS,
    );
}

/// What jobs borrow outlives them, results are in order, and a panic is one job's.
#[test]
fn jobs_end_before_what_they_borrow() {
    check_random(
        || {
            let workers = Workers::new();
            let seen = Mutex::new(0);
            let answers = workers.on_each(&[ONE, TWO, ONE], |_, i| {
                *seen.lock().unwrap() += 1;
                Ok(i)
            });
            assert_eq!((answers, *seen.lock().unwrap()), (vec![Ok(0), Ok(1), Ok(2)], 3));
        },
        ORDERS,
    );
}

/// Jobs of one device run in the order of the calls, whoever waits for which.
#[test]
fn a_device_runs_jobs_in_their_order() {
    check_random(
        || {
            let (workers, order) = (Workers::new(), Arc::new(Mutex::new(Vec::new())));
            let jobs: Vec<_> = (0..3)
                .map(|i| {
                    let order = order.clone();
                    workers.run_on(ONE, move || Ok(order.lock().unwrap().push(i))).unwrap()
                })
                .collect();
            for (i, job) in jobs.into_iter().enumerate().rev() {
                // The first is not waited for.
                if i > 0 {
                    job.wait().unwrap();
                }
            }
            assert_eq!(*order.lock().unwrap(), [0, 1, 2]);
        },
        ORDERS,
    );
}

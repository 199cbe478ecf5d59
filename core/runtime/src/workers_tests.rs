use super::*;
use icicle_device::current_device;
use std::sync::Barrier;
use std::sync::atomic::{AtomicUsize, Ordering};

const CPU: Device = Device::cpu(0);
const ABSENT: Device = Device::cpu(64);

#[test]
fn a_device_keeps_its_thread_and_its_order() {
    let thread = || std::thread::current().id();
    let first = run_on(CPU, move || Ok((thread(), current_device()))).unwrap().wait().unwrap();
    let second = run_on(CPU, move || Ok((thread(), current_device()))).unwrap().wait().unwrap();
    assert_eq!(first, second);
    assert_eq!(first.1, CPU);
    assert_ne!(first.0, thread());
    let (sender, receiver) = mpsc::channel();
    for i in 0..10 {
        let sender = sender.clone();
        // Not waited for: the job runs all the same.
        drop(run_on(CPU, move || sender.send(i).map_err(|_| Error::argument("test", "gone"))).unwrap());
    }
    drop(sender);
    assert_eq!(receiver.into_iter().collect::<Vec<i32>>(), (0..10).collect::<Vec<_>>());
}

#[test]
fn panics_and_errors_come_back_and_the_worker_lives() {
    let job = || -> Result<()> { panic!("at {}", 7) };
    let error = run_on(CPU, job).unwrap().wait().unwrap_err();
    assert_eq!(error.code, ErrorCode::Internal);
    assert_eq!(error.detail, "job on cpu:0 panicked: at 7");
    let job = || -> Result<()> { Err(Error::argument("mine", "seven")) };
    assert_eq!(run_on(CPU, job).unwrap().wait().unwrap_err(), Error::argument("mine", "seven"));
    struct Bomb;
    impl Drop for Bomb {
        fn drop(&mut self) {
            panic!("in a destructor");
        }
    }
    // Nobody waits for it any more when it is done, so that the worker has it.
    let (sender, receiver) = mpsc::channel();
    let job = run_on(CPU, move || receiver.recv().map(|()| Bomb).map_err(|_| Error::argument("test", "gone"))).unwrap();
    drop(job);
    sender.send(()).unwrap();
    assert_eq!(run_on(CPU, || Ok(1)).unwrap().wait(), Ok(1));
    assert_eq!(run_on(ABSENT, || Ok(())).unwrap_err().code, ErrorCode::InvalidDevice);
}

#[test]
fn scoped_jobs_borrow_and_answer_in_order() {
    let data = [1u64, 2, 3];
    let total = AtomicUsize::new(0);
    let results = on_each(&[CPU, ABSENT, CPU, CPU], |device, i| {
        assert_eq!((device, current_device()), (CPU, CPU));
        total.fetch_add(1, Ordering::Relaxed);
        if i == 3 {
            panic!("on purpose");
        }
        Ok(&data[i])
    });
    assert_eq!(results[0], Ok(&1));
    assert_eq!(results[1].as_ref().unwrap_err().code, ErrorCode::InvalidDevice);
    assert_eq!(results[2], Ok(&3));
    assert_eq!(results[3].as_ref().unwrap_err().code, ErrorCode::Internal);
    assert_eq!(total.into_inner(), 3);
    assert!(on_each(&[], |_, _| Ok(())).is_empty());
}

#[test]
fn jobs_of_jobs_run_inline() {
    let outer = run_on(CPU, || {
        let outer = std::thread::current().id();
        let inner = run_on(CPU, || Ok(std::thread::current().id()))?.wait()?;
        let each = on_each(&[CPU, CPU], |_, i| Ok((std::thread::current().id(), i)));
        Ok((outer == inner, each == vec![Ok((outer, 0)), Ok((outer, 1))]))
    });
    assert_eq!(outer.unwrap().wait(), Ok((true, true)));
}

#[test]
fn many_callers_share_a_worker() {
    let start = Barrier::new(8);
    std::thread::scope(|scope| {
        for t in 0..8usize {
            let start = &start;
            scope.spawn(move || {
                start.wait();
                for i in 0..if cfg!(miri) { 2 } else { 200 } {
                    let local = [t, i];
                    let results = on_each(&[CPU, CPU], |_, k| Ok(local[k]));
                    assert_eq!(results, vec![Ok(t), Ok(i)]);
                }
            });
        }
    });
}

/// The last job is the caller's, in its worker's place, unless somebody stands in line there: then it comes after them.
#[test]
fn who_waits_for_jobs_does_one() {
    let workers = Workers::new();
    let (thread, caller) = (|| std::thread::current().id(), std::thread::current().id());
    let threads = |devices: &[Device]| -> Vec<_> {
        workers.on_each(devices, |_, _| Ok((thread(), current_device()))).into_iter().map(Result::unwrap).collect()
    };
    // A worker leaves the line once its job's result is there.
    let standing = || *workers.started.lock().unwrap()[&CPU].queue.line.length();
    let wait = |for_so_many| {
        while standing() != for_so_many {
            std::thread::yield_now();
        }
    };
    let own = threads(&[CPU])[0].0;
    assert_ne!(own, caller, "a worker is started by its first job");
    wait(0);
    assert_eq!(threads(&[CPU]), [(caller, CPU)]);
    // By the second's turn the first may be done.
    assert_eq!(threads(&[CPU, CPU])[0], (own, CPU), "only the last is the caller's");
    wait(0);
    let nested = workers.on_each(&[CPU], |_, _| Ok(workers.on_each(&[CPU, CPU], |_, _| Ok(thread()))));
    assert_eq!(nested, [Ok(vec![Ok(caller), Ok(caller)])]);
    let panicking = workers.on_each(&[CPU], |_, _| -> Result<()> { panic!("at {}", 7) });
    assert_eq!(panicking[0].as_ref().unwrap_err().detail, "job on cpu:0 panicked: at 7");
    assert_eq!(threads(&[CPU]), [(caller, CPU)], "the caller is no worker afterwards");
    let (go, told) = mpsc::channel::<()>();
    let order = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        let first = workers.run_on(CPU, move || Ok(told.recv().is_ok())).unwrap();
        let second = scope.spawn(|| {
            workers.on_each(&[CPU], |_, _| {
                order.lock().unwrap().push(thread());
                Ok(())
            })
        });
        wait(2);
        assert!(order.lock().unwrap().is_empty(), "the job before it is not done");
        go.send(()).unwrap();
        assert_eq!(first.wait(), Ok(true));
        assert_eq!(second.join().unwrap(), [Ok(())]);
    });
    assert_eq!(order.into_inner().unwrap(), [own]);
}

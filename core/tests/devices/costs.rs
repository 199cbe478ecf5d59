//! What the runtime costs: `cargo test --release -p icicle-compute --test devices -- --ignored --nocapture`.

use super::*;
use std::hint::black_box;

#[test]
#[ignore = "a measurement"]
fn costs() {
    let _turn = turn();
    let time = |name: &str, n: u32, run: &mut dyn FnMut()| {
        let start = std::time::Instant::now();
        (0..n).for_each(|_| run());
        println!("{name}: {:.1} ns", start.elapsed().as_nanos() as f64 / f64::from(n));
    };
    let live: Vec<_> = (0..1000).map(|_| Buffer::<u8>::on(D[0], 4096).unwrap()).collect();
    let ptr = live[500].as_ptr().wrapping_add(1024);
    for bytes in [256, 1 << 20, 1 << 26] {
        time(&format!("malloc + free of {bytes}"), 100_000, &mut || free(malloc(bytes, None).unwrap()).unwrap());
    }
    time("current_device", 10_000_000, &mut || _ = black_box(current_device()));
    time("set_current_device", 1_000_000, &mut || set_current_device(D[0]).unwrap());
    time("pointer_info", 1_000_000, &mut || _ = black_box(pointer_info(ptr)));
    // SAFETY: only located.
    let mut locate = || _ = black_box(unsafe { Src::locate("test", "a", ptr, 1024, true) });
    time("locate", 1_000_000, &mut locate);
    let event = Event::on(D[0], true).unwrap();
    let stream = Stream::on(D[0]).unwrap();
    time("event record + query", 1_000_000, &mut || _ = event.record(&stream).and_then(|()| event.query()));
    time("memory_stats", 1000, &mut || _ = black_box(memory_stats(D[0])));
    time("run_on + wait", 20_000, &mut || run_on(D[1], || Ok(())).unwrap().wait().unwrap());
    time("on_each of 4", 10_000, &mut || _ = on_each(&D, |_, _| Ok(())));
    let all = || {
        std::thread::scope(|scope| {
            for t in 0..64 {
                scope.spawn(move || {
                    let _on = DeviceGuard::new(D[t % 4]).unwrap();
                    (0..10_000).for_each(|_| free(malloc(256, None).unwrap()).unwrap());
                });
            }
        });
    };
    time("640,000 times malloc + free of 256, by 64 threads", 1, &mut || all());
}

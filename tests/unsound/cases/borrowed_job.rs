// A job that nobody waits for owns what it uses.
use icicle::Device;
use icicle::device::run_on;

fn main() -> icicle::Result<()> {
    let numbers = vec![1, 2, 3];
    let _job = run_on(Device::cpu(0), || Ok(numbers.len()))?;
    drop(numbers);
    Ok(())
}

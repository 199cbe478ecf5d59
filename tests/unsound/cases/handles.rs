// Handles of streams and events may be anything: who uses them says that they are not.
use icicle::Device;
use icicle::device::Exec;
use icicle::device::registry::backend;

fn main() -> icicle::Result<()> {
    let cpu = backend(Device::cpu(0))?;
    cpu.event_record(0, 0xdead_beef, 0)?;
    cpu.stream_synchronize(0, 0xdead_beef)?;
    cpu.stream_destroy(0, 0xdead_beef)?;
    cpu.alloc(0, 64, 0xdead_beef)?;
    let _ = Exec::new(Device::cpu(0), 0xdead_beef, true);
    Ok(())
}

// A device and a stream's handle come from the library alone.
use icicle::Device;
use icicle::device::Exec;

fn main() {
    let _ = Exec { device: Device::cpu(0), stream: 0xdead_beef, is_async: true };
}

// A stream to launch on keeps alive what it names.
use icicle::Device;
use icicle::device::StreamRef;

fn main() {
    let _ = StreamRef { device: Device::cpu(0), owned: None };
}

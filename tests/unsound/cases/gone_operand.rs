// An operand outlives the call.
use icicle::Buffer;
use icicle::device::Src;

fn main() -> icicle::Result<()> {
    let src = {
        let buffer = Buffer::<u32>::new(8)?;
        Src::from(&buffer)
    };
    println!("{}", src.bytes());
    Ok(())
}

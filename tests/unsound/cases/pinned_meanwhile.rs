// Page-locked memory is not read while a call writes it.
use icicle::device::{Dst, PinnedBuffer};

fn main() -> icicle::Result<()> {
    let mut pinned = PinnedBuffer::<u32>::new(8)?;
    let dst = Dst::from(&mut pinned);
    let first = pinned[0];
    drop(dst);
    println!("{first}");
    Ok(())
}

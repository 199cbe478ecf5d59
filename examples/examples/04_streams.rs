//! Two streams of a device work side by side: one squares a vector, the other waits for an event of the first before it
//! adds. On a GPU nothing waits on the host until the end; on the CPU every call is complete when it returns, and the
//! program is the same.

use icicle::device::Event;
use icicle::ops::vector::{Binary, VectorConfig, binary};
use icicle::{Buffer, FieldId, Launch, Result, Stream};

const N: usize = 1 << 16;

fn main() -> Result<()> {
    let device = icicle::device::devices()[0];
    let (first, second) = (Stream::on(device)?, Stream::on(device)?);
    let squared = Event::on(device, false)?;
    let on = |stream: &Stream| VectorConfig {
        launch: Launch { stream: Some(stream.as_ref()), is_async: true },
        ..VectorConfig::default()
    };

    // Device memory outlives the work: it is declared before, and read after, the second stream is synchronized.
    let host: Vec<u32> = (0..N as u32).collect();
    let x = Buffer::from_slice_on(device, &host)?;
    let (mut square, mut sum) = (Buffer::<u32>::on(device, N)?, Buffer::<u32>::on(device, N)?);
    let field = FieldId::BabyBearScalar;
    binary(Binary::Mul, field, N, (&x).into(), (&x).into(), &on(&first), (&mut square).into())?;
    squared.record(&first)?;
    second.wait(&squared)?;
    binary(Binary::Add, field, N, (&square).into(), (&x).into(), &on(&second), (&mut sum).into())?;
    second.synchronize()?;

    let right = |i: u64| (i * (i + 1) % 2_013_265_921) as u32;
    assert!(sum.to_vec()?.iter().enumerate().all(|(i, &got)| got == right(i as u64)));
    println!("x² + x of {N} elements on {device}");
    Ok(())
}

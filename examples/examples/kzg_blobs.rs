//! Commit to Ethereum blobs on every device of the machine at once.
//!
//! A group maps blobs to results: each device gets the trusted setup's 4,096 points once, and a blob whenever it is free. Each
//! blob is committed to by one MSM, and extended to twice its length (the data availability extension of EIP-7594) by an
//! inverse and a forward NTT. At the end every commitment and every extension is checked against c-kzg.

use clap::Parser;
use icicle::algebra::Limbs;
use icicle::device::{Lane, MapOptions};
use icicle::ops::encoding::{COMPRESSED_BYTES, compress, decompress};
use icicle::ops::msm::{MsmConfig, msm};
use icicle::ops::ntt::{Direction, NttConfig, Ordering, init_domain, ntt, root_of_unity};
use icicle::{Buffer, CurveId, Device, DeviceGroup, DeviceGuard, Error, FieldId, Launch, Result};
use icicle_examples::{
    BLOB_BYTES, BLOB_ELEMENTS, G1_LAGRANGE, Scalar, bit_reversed, blob_elements, element_bytes, random_blob,
};
use indicatif::{ProgressBar, ProgressStyle};
use rayon::prelude::*;
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// Commit to random blobs on every device, check each against c-kzg.
#[derive(Parser)]
#[command(version)]
struct Options {
    /// Devices to use, such as cpu:0,cuda:0; all if left out.
    #[arg(long, value_delimiter = ',')]
    devices: Vec<Device>,
    /// Number of blobs.
    #[arg(long, default_value_t = 256, value_parser = clap::value_parser!(u32).range(1..))]
    blobs: u32,
}

/// Host memory a blob takes until it is checked: its bytes, and its extension to twice as many.
const BYTES_PER_BLOB: u64 = 3 * BLOB_BYTES as u64;

type Affine = [Limbs<6>; 2];
type Projective = [Limbs<6>; 3];

/// What a device made of one blob.
struct Output {
    device: Device,
    busy: Duration,
    commitment: Projective,
    extension: Vec<Scalar>,
}

const FR: FieldId = FieldId::Bls12_381Scalar;

/// What a device needs for all blobs: the setup's points on it, and the powers of a root of unity.
fn prepare(setup: &[Affine]) -> Result<Buffer<Affine>> {
    init_domain(FR, root_of_unity(FR, 2 * BLOB_ELEMENTS as u64)?, &Launch::default())?;
    Buffer::from_slice(setup)
}

/// Commit to a blob and extend it, on the current device.
fn work(bases: &Buffer<Affine>, lane: &Lane, blob: &[u8]) -> Result<Output> {
    let start = Instant::now();
    let launch = || Launch { stream: Some(lane.stream()), is_async: false };
    let values = Buffer::from_slice(&blob_elements(blob))?;

    // A blob holds values at the bit-reversed roots of unity, as the setup's points are ordered here.
    let mut commitment = [[Limbs([0; 6]); 3]];
    let config = MsmConfig { launch: launch(), ..MsmConfig::default() };
    msm(CurveId::Bls12_381, BLOB_ELEMENTS, (&values).into(), bases.into(), &config, (&mut commitment[..]).into())?;

    // Values to coefficients, and those, zero-padded, to the values at twice as many roots.
    let mut coefficients = vec![Limbs([0; 4]); 2 * BLOB_ELEMENTS];
    let config = NttConfig { launch: launch(), ordering: Ordering::ReversedNatural, ..NttConfig::default() };
    let half = &mut coefficients[..BLOB_ELEMENTS];
    ntt(FR, BLOB_ELEMENTS, Direction::Inverse, &config, (&values).into(), half.into())?;
    let mut extension = vec![Limbs([0; 4]); 2 * BLOB_ELEMENTS];
    let config = NttConfig { launch: launch(), ordering: Ordering::NaturalReversed, ..NttConfig::default() };
    ntt(FR, 2 * BLOB_ELEMENTS, Direction::Forward, &config, (&coefficients).into(), (&mut extension).into())?;
    Ok(Output { device: lane.device, busy: start.elapsed(), commitment: commitment[0], extension })
}

/// Whether c-kzg gets the same commitment and the same cells.
fn agrees(output: &Output, blob: &[u8]) -> bool {
    let settings = c_kzg::ethereum_kzg_settings(0);
    let Ok(blob) = c_kzg::Blob::from_bytes(blob) else { return false };
    let mut commitment = [0; COMPRESSED_BYTES];
    let compressed = compress(CurveId::Bls12_381, (&[output.commitment][..]).into(), &mut commitment);
    let same_commitment =
        compressed.is_ok() && settings.blob_to_kzg_commitment(&blob).is_ok_and(|c| c.to_bytes()[..] == commitment[..]);
    let same_cells = settings.compute_cells(&blob).is_ok_and(|cells| {
        let theirs = cells.iter().flat_map(|cell| cell.to_bytes());
        theirs.eq(output.extension.iter().flat_map(element_bytes))
    });
    same_commitment && same_cells
}

/// Refuse more blobs than the host's memory holds, before any is made.
fn must_fit(blobs: u32) -> Result<()> {
    let free = icicle::device::memory_stats(Device::cpu(0))?.free;
    let needed = u64::from(blobs) * BYTES_PER_BLOB;
    // 0: the system does not say.
    if free != 0 && needed > free {
        let detail =
            format!("blobs {blobs}: take {needed} bytes of host memory, must fit into the {free} that are free");
        return Err(Error::argument("kzg_blobs", detail));
    }
    Ok(())
}

/// A bar on a terminal; nothing elsewhere.
fn progress(blobs: usize) -> ProgressBar {
    let style = ProgressStyle::with_template("{bar:40} {pos}/{len} blobs, {eta} left");
    ProgressBar::new(blobs as u64).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}

fn run(options: &Options) -> Result<bool> {
    let all = icicle::device::devices();
    println!("devices found:");
    for &device in &all {
        let info = icicle::device::device_info(device)?;
        println!("  {device:<8} {} ({} units)", info.name, info.units);
    }
    if all.is_empty() {
        // There is always a CPU; the error says why it is refused.
        DeviceGuard::new(Device::cpu(0))?;
    }
    let chosen = if options.devices.is_empty() { all } else { options.devices.clone() };
    must_fit(options.blobs)?;
    println!("decompressing the trusted setup's {BLOB_ELEMENTS} points …");
    let mut setup = vec![[Limbs([0; 6]); 2]; BLOB_ELEMENTS];
    decompress(CurveId::Bls12_381, G1_LAGRANGE, (&mut setup).into())?;
    let setup: Vec<Affine> = bit_reversed(&setup);
    println!("making {} random blobs …", options.blobs);
    let mut rng = rand::rng();
    let blobs: Vec<_> = (0..options.blobs).map(|_| random_blob(&mut rng)).collect();

    println!("committing to them and extending them on {} devices …", chosen.len());
    let group = DeviceGroup::new(&chosen)?;
    let bar = progress(blobs.len());
    let count = |done, _| bar.set_position(done as u64);
    let options = MapOptions { progress: Some(&count), ..MapOptions::default() };
    let start = Instant::now();
    let outputs = group.map_with(options, |_| prepare(&setup), &blobs, |bases, lane, blob| work(bases, lane, blob))?;
    let elapsed = start.elapsed();
    bar.finish_and_clear();
    let outputs: Vec<Output> = outputs.into_iter().collect::<Result<_>>()?;

    println!("{:<10}{:>8}{:>12}{:>12}", "device", "blobs", "ms/blob", "blobs/s");
    for &device in group.devices() {
        let own = || outputs.iter().filter(|output| output.device == device);
        line(&device.to_string(), own().count(), own().map(|output| output.busy).sum());
    }
    line("total", blobs.len(), elapsed);

    println!("checking against c-kzg, on the host …");
    let bar = progress(blobs.len());
    let check = |(output, blob): &(&Output, &Vec<u8>)| {
        let same = agrees(output, blob);
        bar.inc(1);
        same
    };
    let right = outputs.par_iter().zip(&blobs).filter(check).count();
    bar.finish_and_clear();
    println!("{right} of {} blobs agree with c-kzg (commitment and extension)", blobs.len());
    Ok(right == blobs.len())
}

fn line(name: &str, blobs: usize, time: Duration) {
    let seconds = time.as_secs_f64();
    let (each, rate) = if blobs == 0 { (0.0, 0.0) } else { (1e3 * seconds / blobs as f64, blobs as f64 / seconds) };
    println!("{name:<10}{blobs:>8}{each:>12.2}{rate:>12.1}");
}

fn main() -> ExitCode {
    match run(&Options::parse()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

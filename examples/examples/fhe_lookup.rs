//! A private lookup in a database: the client sends an encrypted key of 16 bits, and gets back the encrypted record of 64 bits that a
//! server's table has under it. The server learns neither the key nor the record, nor whether there was one.

use clap::Parser;
use icicle::fhe::{
    ClientKey, CompressedFheUint, CompressedServerKey, FheBool, FheUint, KeySet, MESSAGE_2_CARRY_2, ServerKeyGuard,
};
use icicle::{DeviceGroup, DeviceKind, Result};
use indicatif::{ProgressBar, ProgressStyle};
use rand::random;
use std::sync::Arc;
use std::time::Instant;

#[derive(Parser)]
#[command(about = "A private lookup in a table of records of 64 bits", version)]
struct Options {
    /// Records of the table [default: 4096 for each GPU, 64 on a processor].
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..65536))]
    records: Option<u32>,
    /// Look up a key that no record has.
    #[arg(long)]
    missing: bool,
}

/// What the server has, in the clear: keys, each once, and a record for each.
struct Table {
    keys: Vec<u16>,
    records: Vec<u64>,
}

impl Table {
    fn random(keys: &[u16]) -> Self {
        Self { keys: keys.to_vec(), records: keys.iter().map(|_| random()).collect() }
    }

    fn get(&self, key: u16) -> Option<u64> {
        self.keys.iter().position(|&other| other == key).map(|at| self.records[at])
    }

    /// Whether there is a record of an encrypted key, and that record, or 0: the sum of all records, of which all but that one count
    /// as 0. Some at once, as each takes half a megabyte meanwhile.
    fn look_up(&self, key: &FheUint, at_once: usize, progress: &ProgressBar) -> Result<(FheBool, FheUint)> {
        let (mut counts, mut sums) = (Vec::new(), Vec::new());
        for (keys, records) in self.keys.chunks(at_once).zip(self.records.chunks(at_once)) {
            let same = key.repeat(keys.len())?.eq(keys)?;
            counts.push(same.count(8)?);
            sums.push(same.select(records, 0u64)?.sum()?);
            progress.inc(keys.len() as u64);
        }
        let total = |parts: Vec<FheUint>| FheUint::concatenate(&parts.iter().collect::<Vec<_>>())?.sum();
        Ok((total(counts)?.ne(0u8)?, total(sums)?))
    }
}

fn main() -> Result<()> {
    let options = Options::parse();
    // All GPUs, or the processor.
    let group = Arc::new(DeviceGroup::all()?);
    let gpus = group.devices().iter().filter(|device| device.kind == DeviceKind::Cuda).count();
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let (default, at_once) = if gpus > 0 { (4096 * gpus, 512 * gpus) } else { (64, 8 * threads) };
    let n = options.records.map_or(default, |records| records as usize).min((1 << 16) - 1);
    // The last key is no record's.
    let keys: Vec<u16> =
        rand::seq::index::sample(&mut rand::rng(), 1 << 16, n + 1).iter().map(|key| key as u16).collect();
    let table = Table::random(&keys[..n]);

    // The client.
    let start = Instant::now();
    let client = ClientKey::generate(&MESSAGE_2_CARRY_2)?;
    let sent_key = client.compressed_server_key()?.to_bytes()?;
    let key = keys[if options.missing { n } else { random::<u32>() as usize % n }];
    let query = client.encrypt_compressed(&[key])?.to_bytes()?;
    println!("keys and query in {:.2} s", start.elapsed().as_secs_f64());
    println!("sent: a server key of {} bytes, once, and a query of {} bytes", sent_key.len(), query.len());

    // The server, which has these bytes and its table.
    let start = Instant::now();
    let first = CompressedServerKey::from_bytes(&sent_key)?.decompress(group.device(0)?)?;
    let _key = ServerKeyGuard::new(KeySet::new(Arc::clone(&group), Arc::new(first))?);
    let names: Vec<String> = group.devices().iter().map(ToString::to_string).collect();
    println!("server key ready on {} in {:.2} s", names.join(", "), start.elapsed().as_secs_f64());
    let style = ProgressStyle::with_template("{bar:40} {pos}/{len} records, {eta} left").ok();
    let progress = ProgressBar::new(n as u64);
    progress.set_style(style.unwrap_or_else(ProgressStyle::default_bar));
    let start = Instant::now();
    let query = CompressedFheUint::from_bytes(&query)?.decompress()?;
    let (found, record) = table.look_up(&query, at_once, &progress)?;
    let answer = (found.to_bytes()?, record.to_bytes()?);
    progress.finish_and_clear();
    let seconds = start.elapsed().as_secs_f64();
    println!("{n} records in {seconds:.2} s, {:.1} a second", n as f64 / seconds);

    // The client again.
    println!("sent: an answer of {} bytes", answer.0.len() + answer.1.len());
    let found = client.decrypt_bools(&FheBool::from_bytes(&answer.0)?)?[0];
    let record = client.decrypt::<u64>(&FheUint::from_bytes(&answer.1)?)?[0];
    assert_eq!(found.then_some(record), table.get(key));
    assert!(found || record == 0);
    match found {
        true => println!("key {key}: record {record}, which is right"),
        false => println!("key {key}: no record, which is right"),
    }
    Ok(())
}

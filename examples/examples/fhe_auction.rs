//! A sealed-bid auction: the auctioneer finds the highest bid and who made it without reading any bid; only the winner's number and
//! price are decrypted, by whoever has the client key.

use clap::Parser;
use icicle::fhe::{ClientKey, FheUint, KeySet, MESSAGE_2_CARRY_2, ServerKeyGuard};
use icicle::{DeviceGroup, Result};
use indicatif::{ProgressBar, ProgressStyle};
use rand::random;
use std::sync::Arc;
use std::time::Instant;

#[derive(Parser)]
#[command(about = "A sealed-bid auction over encrypted bids of 32 bits", version)]
struct Options {
    /// Bidders.
    #[arg(long, default_value_t = 64, value_parser = clap::value_parser!(u16).range(1..))]
    bidders: u16,
    /// The least price, which the auctioneer knows.
    #[arg(long, default_value_t = 1000)]
    reserve: u32,
}

/// The highest bid and its bidder's number, each an array of one, by rounds in which every second bidder leaves. Of equal bids the
/// lowest number wins.
fn winner(bids: FheUint, progress: &ProgressBar) -> Result<(FheUint, FheUint)> {
    let numbers: Vec<u16> = (0..bids.len() as u16).collect();
    // Numbers are clear in the first round.
    let (mut bids, mut bidders): (FheUint, Option<FheUint>) = (bids, None);
    while bids.len() > 1 {
        let (half, odd) = (bids.len() / 2, bids.len() % 2);
        // Neighbours: those before a middle against those from it on; with an odd number the last waits.
        let (a, b) = (bids.slice(0..half)?, bids.slice(half..2 * half)?);
        let first = a.ge(&b)?;
        let mut high = first.select(&a, &b)?;
        let mut who = match &bidders {
            None => first.select(&numbers[..half], &numbers[half..2 * half])?,
            Some(bidders) => first.select(&bidders.slice(0..half)?, &bidders.slice(half..2 * half)?)?,
        };
        if odd == 1 {
            let last = 2 * half;
            high = FheUint::concatenate(&[&high, &bids.slice(last..last + 1)?])?;
            let waits = match &bidders {
                None => first.slice(0..1)?.select(&numbers[last..], &numbers[last..])?,
                Some(bidders) => bidders.slice(last..last + 1)?,
            };
            who = FheUint::concatenate(&[&who, &waits])?;
        }
        (bids, bidders) = (high, Some(who));
        progress.inc(half as u64);
    }
    let bidder = match bidders {
        Some(bidders) => bidders,
        // One bidder.
        None => bids.ge(0u32)?.select(0u16, 0u16)?,
    };
    Ok((bids, bidder))
}

fn main() -> Result<()> {
    let options = Options::parse();
    let n = usize::from(options.bidders);
    let start = Instant::now();
    let client = ClientKey::generate(&MESSAGE_2_CARRY_2)?;
    // All GPUs, or the processor.
    let group = Arc::new(DeviceGroup::all()?);
    let first = Arc::new(client.server_key(group.device(0)?)?);
    let server = KeySet::new(group, first)?;
    println!("keys in {:.2} s", start.elapsed().as_secs_f64());

    let clear: Vec<u32> = (0..n).map(|_| random::<u32>() % 1_000_000).collect();
    let bids = client.encrypt(&clear)?;

    // From here to the decryption nobody needs the client key.
    let _key = ServerKeyGuard::new(server);
    let style = ProgressStyle::with_template("{bar:40} {pos}/{len} comparisons, {eta} left").ok();
    let progress = ProgressBar::new(n as u64 - 1);
    progress.set_style(style.unwrap_or_else(ProgressStyle::default_bar));
    let start = Instant::now();
    let (price, bidder) = winner(bids, &progress)?;
    let sold = price.ge(options.reserve)?;
    progress.finish_and_clear();
    println!("{n} bids in {:.2} s", start.elapsed().as_secs_f64());

    let (price, bidder) = (client.decrypt::<u32>(&price)?[0], client.decrypt::<u16>(&bidder)?[0]);
    let highest = clear.iter().max().copied().unwrap_or_default();
    assert_eq!((price, clear[usize::from(bidder)]), (highest, highest));
    match client.decrypt_bools(&sold)?[0] {
        true => println!("sold to bidder {bidder} for {price}, which is right"),
        false => println!("not sold: the highest bid is below {}, which is right", options.reserve),
    }
    assert_eq!(client.decrypt_bools(&sold)?, [highest >= options.reserve]);
    Ok(())
}

//! Any bytes are a sequence of calls: no call may crash, read or write outside its buffers, or return a code of no name.
#![no_main]

#[path = "../src/drive.rs"]
mod drive;

libfuzzer_sys::fuzz_target!(|data: &[u8]| match data.split_first() {
    // Some of the inputs are of one family, whose calls build on each other.
    Some((first, rest)) if first.is_multiple_of(8) => drive::drive_encrypted(rest),
    _ => drive::drive(data),
});
